//! `verbatim sync`: keeps what is new in the archive.

use api::archive::Synced;
use archive::sync::{self, SyncOptions, SyncReport};
use archive::{Archive, ArchiveFault, ArchiveFolder, MachineName, SeenStates, Watch};

use crate::environment::{self, Environment};
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::indexing;
use crate::json;
use crate::keeping;
use crate::log;
use crate::notes::{self, say};
use crate::options::Global;
use crate::progress::Progress;
use crate::screen::{Line, Style};
use crate::terminal::Plain;

mod timer;
mod watch;

/// Keep what is new in the archive: agents delete their sessions, many after 30 days
///
/// The sessions of all agents in their own folders are kept, byte for byte, each version that a run
/// sees. Nothing in these folders is changed, and what vanishes from them stays in the archive. The
/// archive is a folder that only you can read. Secrets in sessions are kept unchanged; files that
/// are named as credentials or keys are never kept.
///
/// It also brings the index up to date, by which `list`, `search`, `usage` and `show` answer
/// quicker and say the same, and by which `mcp` shows redacted lines of what it finds. The index
/// can be deleted at any time.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave these out from now on: the name of a file or folder, or the path of files or of a
    /// project, from the home folder or from `/`; `*`, `?`, `**` and `[a-z]` as in gitignore
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Leave these out no more
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,
    /// From now on, label what this machine keeps with this name of it, which `rows` gives; an
    /// empty one ends that
    #[arg(long, value_name = "NAME", value_parser = label)]
    machine: Option<String>,
    /// The same for the account for which its agents run
    #[arg(long, value_name = "NAME", value_parser = label)]
    account: Option<String>,
    /// Stay, and keep a session when it has rested for a minute, or after ten minutes at most; ends
    /// on Ctrl-C
    #[arg(long)]
    watch: bool,
    /// Seconds that a session rests
    #[arg(long, hide = true, default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    rest: u32,
    /// Print what makes this system run `sync` every hour: a timer of systemd, or a file of launchd
    #[arg(long, conflicts_with_all = ["watch", "exclude", "include", "machine", "account"])]
    timer: bool,
    /// Keep nothing in the archive: bring the index up to date alone
    #[arg(long)]
    index_only: bool,
}

impl Args {
    /// Whether the command stays.
    pub(crate) const fn watches(&self) -> bool {
        self.watch
    }
}

pub(crate) fn run(
    args: &Args,
    no_index: bool,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if args.index_only {
        return only_index(no_index, global, env);
    }
    let outcome = keep(args, global, color, env)?;
    if !no_index && let Err(error) = indexing::fill(env, indexing::CHECKED_AT_ONCE) {
        env.machine.job.check()?;
        say(Plain::line(&format!("note: {error}: files are read instead")), env)?;
    }
    Ok(outcome)
}

/// Brings the index up to date, and tells what is in it.
fn only_index(no_index: bool, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    if no_index || global.json {
        let other = if no_index { "--no-index" } else { "--json" };
        let hint = "`verbatim sync` keeps sessions, and brings the index up to date";
        return Err(Failure::Usage(format!("`--index-only` goes without `{other}`"), hint.into()));
    }
    let filled = indexing::fill(env, u64::MAX);
    env.machine.job.check()?;
    let report = filled.map_err(|error| {
        let hint = "files are read instead, and the answers are the same";
        Failure::Refused(error.to_string(), hint.into())
    })?;
    let sessions = counted(report.sessions as u64, "session", "sessions");
    let read = human::count(report.read as u64);
    let size = human::size(report.bytes);
    let what = format!("the index knows {sessions}, of which {read} were read now ({size})");
    writeln!(env.out, "{}", Plain::line(&what))?;
    Ok(Exit::Good)
}

/// Keeps what is new in the archive.
fn keep(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if global.follow {
        let what = "`sync` follows no links out of the agents' folders".to_owned();
        return Err(Failure::Usage(what, "leave `--follow` out: each such link is named".into()));
    }
    if args.timer {
        return timer::print(env);
    }
    let mut watch = args.watch.then(|| Watch::new(args.rest));
    let Some(watch) = &mut watch else { return Ok(once(args, global, color, env)?.exit) };
    let patterns =
        Args { exclude: Vec::new(), include: Vec::new(), machine: None, account: None, ..*args };
    let mut first = true;
    watch::watch(args.rest, watch, env, &mut |env| {
        let args = if std::mem::take(&mut first) { args } else { &patterns };
        let Kept { archive, machine, seen, .. } = once(args, global, color, env)?;
        Ok((archive, machine, seen))
    })
}

/// Greatest length of a label in bytes.
const LABEL: usize = 200;

/// A label, as an argument.
fn label(text: &str) -> Result<String, String> {
    let is_one = text.len() <= LABEL && !text.chars().any(char::is_control);
    let wrong = || format!("a label has at most {LABEL} bytes, and no control characters");
    is_one.then(|| text.trim().to_owned()).ok_or_else(wrong)
}

/// The result of a run.
struct Kept {
    archive: Archive,
    machine: MachineName,
    /// The files as they were before.
    seen: Option<SeenStates>,
    exit: Exit,
}

/// Keeps once what is new.
fn once(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Kept, Failure> {
    let folder = keeping::folder(env)?;
    let is_first = ArchiveFolder::open(&folder)?.is_none();
    let place = ArchiveFolder::create(&folder)?;
    let mut catalog = env.catalog();
    catalog.machine.archive = None;
    let machine = environment::machine(env);
    let ignore = ignored(env)?;
    let (report, faults, mut archive, seen) = {
        let _lock = place.shared()?;
        let mut archive = Archive::read(place.clone())?;
        let chosen = machine.clone().labelled(args.machine.clone(), args.account.clone());
        let labelled = archive.labelled(chosen);
        let faults = archive.faults.clone();
        let sources = sync::look(&archive, &catalog, &machine);
        let seen = args.watch.then(|| SeenStates::of(&sources));
        let (sessions, bytes) = sources.size();
        let options = SyncOptions {
            now: env.now,
            machine: &labelled,
            exclude: &args.exclude,
            include: &args.include,
            ignore: &ignore,
        };
        let progress = Progress::new(env.err, env.err_terminal, sessions, bytes);
        let step = |bytes| progress.step(bytes);
        let report = sync::keep(&mut archive, &catalog, sources, &options, &step)?;
        (report, faults, archive, seen)
    };
    log::append_runs(archive.run_names(), env)?;
    // Who is alone puts small files together; else a later run does.
    if let Some(lock) = place.exclusive_at_once()? {
        let now = Archive::read(place.clone())?;
        if now.is_scattered() && now.faults.is_empty() && report.lost == 0 {
            (archive, _) = now.compact(&lock, false)?;
        }
    }
    if global.json {
        json::write(env.out, &Synced::of(&folder, &report))?;
    } else {
        tell(&report, &folder, is_first, env)?;
    }
    let exit = warn(&report, &faults, color, env)?;
    Ok(Kept { archive, machine, seen, exit })
}

/// Greatest length of the file of patterns in bytes.
const PATTERNS: u64 = 1 << 20;

/// The patterns in the user's file of what is left out: `ignore` in the folder of settings, with a
/// pattern a line and comments behind `#`.
fn ignored(env: &Environment<'_>) -> Result<Vec<String>, Failure> {
    let Some(path) = env.machine.settings().map(|folder| folder.join("ignore")) else {
        return Ok(Vec::new());
    };
    let text = match catalog::bounded(&path, PATTERNS) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        // Without it, what the user wants left out would be kept.
        read => read.map_err(|error| Failure::File(path, error))?,
    };
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    Ok(lines.filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

fn tell(
    report: &SyncReport,
    folder: &std::path::Path,
    is_first: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let home = env.machine.home.clone();
    let place = human::folder(&folder.to_string_lossy(), home.as_deref());
    let found = counted(report.sessions as u64, "session", "sessions");
    let what = match (report.new, report.changed) {
        (0, 0) => format!("nothing new in {found} ({})", human::size(report.bytes)),
        (new, changed) => format!(
            "kept {} new and {} changed of {found} ({})",
            human::count(new as u64),
            human::count(changed as u64),
            human::size(report.bytes)
        ),
    };
    writeln!(env.out, "{}", Plain::line(&what))?;
    if report.others > 0 {
        let files = counted(report.others as u64, "file", "files");
        writeln!(env.out, "{files} beside sessions kept")?;
    }
    if report.left_out > 0 {
        writeln!(env.out, "left out: {}", human::count(report.left_out as u64))?;
    }
    if report.gone > 0 {
        let gone = counted(report.gone as u64, "session is", "sessions are");
        writeln!(env.out, "{gone} no longer in the agents' folders, but in the archive")?;
    }
    writeln!(env.out, "{} added to {place}", human::size(report.stored))?;
    if is_first {
        env.out.flush()?;
        let note = "note: the archive has sessions as they are, with the secrets in them. Only you \
                    can read its folder; whoever gets a copy of it can read it too";
        say(Plain::line(note), env)?;
    }
    Ok(())
}

/// Number of links that are named.
const LINKS: usize = 20;

/// Names what could not be read, of the sources and of the archive itself.
fn warn(
    report: &SyncReport,
    faults: &[ArchiveFault],
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    env.out.flush()?;
    let mut whats: Vec<String> = Vec::new();
    whats.extend(report.unread.iter().map(|(path, why)| format!("{}: {why}", path.display())));
    whats.extend(faults.iter().map(|fault| format!("{}: {}", fault.path.display(), fault.why)));
    for pattern in &report.unmet {
        whats.push(format!(
            "nothing here is meant by `--exclude {pattern}`: it is remembered, and `--include` \
             takes it back"
        ));
    }
    if report.healed > 0 {
        let contents = counted(report.healed as u64, "content", "contents");
        whats.push(format!("the archive had lost {contents}: kept again from the agents' folders"));
    }
    if report.lost > 0 {
        let versions = counted(report.lost as u64, "version", "versions");
        whats.push(format!(
            "the archive can't give {versions} back: `verbatim archive verify` names what is lost"
        ));
    }
    if report.unremoved {
        whats.push(keeping::UNREMOVED.into());
    }
    let mut notes = notes::errors(color, env);
    for what in &whats {
        notes.line(&Line::new().say(Style::Warn, "warning: ").tell(Style::Normal, what))?;
    }
    for (path, why) in report.links.iter().take(LINKS) {
        let what = format!("note: left out: {}: {why}", path.display());
        notes.text(Style::Faint, &what)?;
    }
    if let Some(more) = report.links.len().checked_sub(LINKS).filter(|more| *more > 0) {
        let what =
            format!("note: left out: {} more links; `--json` names all", human::count(more as u64));
        notes.text(Style::Faint, &what)?;
    }
    let is_damaged = !report.faults.is_empty() || report.lost > 0;
    Ok(match (report.unread.is_empty(), is_damaged) {
        (false, _) => Exit::Failed,
        (true, true) => Exit::Bad,
        (true, false) => Exit::Good,
    })
}
