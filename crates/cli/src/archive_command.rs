//! `verbatim archive`: looks into the archive, gives sessions back, and removes them.

use std::path::{Path, PathBuf};

use api::archive::{
    ArchiveChange, ArchiveMerged, ArchiveRestored, ArchiveStatus, ArchiveVerdict, ArchiveVersions,
};
use archive::{Archive, Compacted, Place, Verdict, Version, merge};

use crate::environment::{self, Environment};
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::options::Global;
use crate::progress::Progress;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;
use crate::{expiry, json, keeping, notes};

/// Look into the archive, check it, give sessions back, or remove them for ever
///
/// `verbatim sync` fills the archive. Sessions in it that their agents have deleted are in `list`,
/// `show`, `search` and the other commands like any session.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    /// Say what the archive has, and how large it is
    Status,
    /// Check that every version of every session is there
    Verify {
        /// Read every byte, and compare it with its digest
        #[arg(long)]
        read_data: bool,
    },
    /// List the versions of a session
    Versions {
        /// The session: its id or the beginning of it
        #[arg(value_name = "ID")]
        session: String,
    },
    /// Give the files of a session back, byte for byte
    Restore {
        /// The session, `ID`, or a version of it: `ID@DIGEST`, `ID@2026-11-20`
        #[arg(value_name = "ID")]
        session: String,
        /// The folder to write to (default: a new one with the name of the session)
        #[arg(short, long, value_name = "FOLDER", conflicts_with = "in_place")]
        output: Option<PathBuf>,
        /// Write the files to where their agent had them, so that it finds the session again
        #[arg(long)]
        in_place: bool,
    },
    /// Remove a session with all of its versions for ever, and never keep it again
    Forget {
        /// The session: its id or the beginning of it
        #[arg(value_name = "ID")]
        session: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
        /// Let `sync` keep a forgotten session again
        #[arg(long, conflicts_with = "yes")]
        revive: bool,
    },
    /// Put small files together, and remove what nothing needs
    Compact,
    /// Add the sessions of another archive, which is only read
    Merge {
        /// The folder of the other archive
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
    },
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    match &args.task {
        Task::Status => status(global, color, env),
        Task::Verify { read_data } => verify(*read_data, global, color, env),
        Task::Versions { session } => versions(session, global, color, env),
        Task::Restore { session, output, in_place } => {
            restore(session, output.as_deref(), *in_place, global, env)
        }
        Task::Forget { session, revive: true, .. } => revive(session, global, env),
        Task::Forget { session, yes, .. } => forget(session, *yes, global, env),
        Task::Compact => compact(global, env),
        Task::Merge { folder } => merge(folder, global, env),
    }
}

/// Reads the archive under the lock of those who only read or add.
fn read(env: &Environment<'_>) -> Result<(Archive, archive::Lock), Failure> {
    let place = keeping::opened(env)?;
    let lock = place.shared()?;
    Ok((Archive::read(place)?, lock))
}

fn status(global: Global, color: bool, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let (archive, _lock) = read(env)?;
    let expiring = expiry::unkept(&archive, env);
    let outcome = if archive.faults.is_empty() { Exit::Good } else { Exit::Bad };
    if global.json {
        json::write(env.out, &ArchiveStatus::of(&archive, expiry::count(&expiring)))?;
        return Ok(outcome);
    }
    let home = env.machine.home.clone();
    let folder = human::folder(&archive.place.folder.to_string_lossy(), home.as_deref());
    let newest = archive.newest();
    let gone = newest.keys().filter(|name| archive.is_gone(name)).count();
    let files = newest.values().flat_map(|version| &version.session.files);
    let bytes: u64 = files.map(|file| file.length).sum();
    let (packs, runs) = archive.files();
    writeln!(env.out, "{folder}")?;
    writeln!(
        env.out,
        "{} in {} ({}), {} of them deleted by their agents",
        counted(newest.len() as u64, "session", "sessions"),
        counted(archive.versions().len() as u64, "version", "versions"),
        human::size(bytes),
        human::count(gone as u64),
    )?;
    let stored = archive.length();
    let share = (stored * 100).checked_div(bytes).unwrap_or(0);
    writeln!(
        env.out,
        "{} on disk ({share} % of the newest versions), in {} and {}",
        human::size(stored),
        counted(packs as u64, "pack", "packs"),
        counted(runs as u64, "run", "runs"),
    )?;
    for pattern in archive.excludes() {
        writeln!(env.out, "left out: {}", Plain::line(pattern))?;
    }
    for (name, _) in archive.forgotten() {
        writeln!(env.out, "forgotten: {}", Plain::line(&name.uid()))?;
    }
    for fault in &archive.faults {
        let what = format!("damaged: {}: {}", fault.path.display(), fault.why);
        writeln!(env.out, "{}", Plain::line(&what))?;
    }
    expiry::tell(&expiring, color, env)?;
    Ok(outcome)
}

fn verify(
    read_data: bool,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let (archive, _lock) = read(env)?;
    let verdict = {
        let (packs, _) = archive.files();
        let progress = Progress::new(env.err, env.err_terminal, packs, archive.length());
        archive.verify(read_data, &|bytes| progress.step(bytes))
    };
    if global.json {
        json::write(env.out, &ArchiveVerdict::of(&archive, &verdict, read_data))?;
    } else {
        tell_verdict(&verdict, read_data, color, env)?;
    }
    Ok(if verdict.is_good() { Exit::Good } else { Exit::Bad })
}

fn tell_verdict(
    verdict: &Verdict,
    read_data: bool,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let mut screen = Screen::new(env.out, color, env.width);
    for (fault, sessions) in &verdict.faults {
        let what = format!("{}: {}", fault.path.display(), fault.why);
        screen.line(&Line::new().say(Style::Bad, "damaged: ").tell(Style::Normal, &what))?;
        for uid in sessions {
            screen.line(&Line::new().say(Style::Normal, "  it has parts of ").tell(Style::Name, uid))?;
        }
    }
    for (uid, digest) in &verdict.lost {
        let what = format!("{uid}@{}", &digest.to_string()[..12]);
        screen.line(&Line::new().say(Style::Bad, "lost: ").tell(Style::Normal, &what))?;
    }
    let versions = counted(verdict.sound as u64, "version", "versions");
    let packs = counted(verdict.packs as u64, "pack", "packs");
    let what = match (read_data, verdict.is_good()) {
        (true, true) => format!("good: {versions}; every byte of {packs} has its digest"),
        (false, true) => {
            format!("good: {versions}; the bytes of {packs} were not read: `--read-data`")
        }
        (_, false) => format!("{versions} can be given back"),
    };
    Ok(screen.line(&Line::new().tell(Style::Normal, &what))?)
}

/// The versions of the session that a name means.
fn named<'a>(archive: &'a Archive, name: &str) -> Result<Vec<&'a Version>, Failure> {
    let versions = archive.versions_of(name)?;
    match versions.is_empty() {
        false => Ok(versions),
        true => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> Failure {
    Failure::Usage(
        format!("the archive has no session with an id like `{name}`"),
        "`verbatim list` shows the sessions; `verbatim sync` keeps them".into(),
    )
}

fn versions(
    name: &str,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let (archive, _lock) = read(env)?;
    let versions = named(&archive, name)?;
    if global.json {
        json::write(env.out, &ArchiveVersions::of(&versions))?;
        return Ok(Exit::Good);
    }
    let mut screen = Screen::new(env.out, color, env.width);
    let row = |version: &&Version| {
        let bytes: u64 = version.session.files.iter().map(|file| file.length).sum();
        let files = counted(version.session.files.len() as u64, "file", "files");
        let seen = version.time.get(..16).unwrap_or(&version.time).replace('T', " ");
        vec![
            Line::new().tell(Style::Name, &version.session.digest.to_string()[..12]),
            Line::new().tell(Style::Normal, &seen),
            Line::new().tell(Style::Normal, &human::size(bytes)),
            Line::new().tell(Style::Faint, &files),
        ]
    };
    let rows: Vec<_> = versions.iter().map(row).collect();
    screen.table(&rows, &[2])?;
    Ok(Exit::Good)
}

fn restore(
    name: &str,
    output: Option<&Path>,
    in_place: bool,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let (archive, _lock) = read(env)?;
    let version = archive.named(name)?.ok_or_else(|| unknown(name))?;
    let restored = match in_place {
        true => archive.restore_in_place(version, &env.catalog())?,
        false => {
            let own = version.session.ids.first().unwrap_or(&version.session.name.group);
            let usual = PathBuf::from(store::file_name(own));
            let folder = output.unwrap_or(&usual);
            if let Some(owner) = env.catalog().owner(folder) {
                return Err(Failure::Refused(
                    format!("{} belongs to {owner}", folder.display()),
                    "`--in-place` writes the files to where their agent had them".into(),
                ));
            }
            archive.restore(version, folder)?
        }
    };
    if global.json {
        json::write(env.out, &ArchiveRestored::of(version, &restored))?;
        return Ok(Exit::Good);
    }
    for file in &restored {
        let path = file.path.display().to_string();
        let what = format!("wrote {path} ({})", human::size(file.bytes));
        writeln!(env.out, "{}", Plain::line(&what))?;
    }
    if restored.iter().any(|file| file.rows) {
        let what = "note: these are the session's rows in its agent's database, as lines of JSON, \
                    and not a file of the agent; `verbatim resume` puts them back";
        notes::say(Plain::line(what), env)?;
    }
    Ok(Exit::Good)
}

fn forget(
    name: &str,
    yes: bool,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    let place = keeping::opened(env)?;
    let lock = place.exclusive()?;
    let archive = Archive::read(place.clone())?;
    let versions = named(&archive, name)?;
    let (session, bytes) = (versions[0].session.name.clone(), {
        let files = versions.iter().flat_map(|version| &version.session.files);
        files.map(|file| file.length).sum::<u64>()
    });
    let count = counted(versions.len() as u64, "version", "versions");
    let mut sources: Vec<String> = versions
        .iter()
        .flat_map(|version| &version.session.files)
        .map(|file| file.path.path())
        .filter(|path| path.symlink_metadata().is_ok())
        .map(|path| path.display().to_string())
        .collect();
    sources.sort();
    sources.dedup();
    let what = format!("{}: {count}, {}", session.uid(), human::size(bytes));
    notes::say(Plain::line(&what), env)?;
    for source in &sources {
        let what = format!("  not touched, in its agent's folder: {source}");
        notes::say(Plain::line(&what), env)?;
    }
    if !yes && !agreed(env)? {
        return Err(Failure::Refused(
            "nothing was removed".into(),
            "answer `yes`, or say `--yes`".into(),
        ));
    }
    let machine = environment::machine_name();
    let (_, change) = archive.forget(&session, (env.now, &machine), &lock)?;
    changed("forgotten", Some(session.uid()), &place.folder, change, global, env)
}

/// Asks, and reads the answer from standard input.
fn agreed(env: &mut Environment<'_>) -> Result<bool, Failure> {
    write!(env.err, "Remove it from the archive for ever? [yes/no] ")?;
    env.err.flush()?;
    let mut answer = Vec::new();
    let mut byte = [0];
    while answer.len() < 16 && env.input.read(&mut byte)? == 1 && byte != *b"\n" {
        answer.push(byte[0]);
    }
    writeln!(env.err)?;
    Ok(answer.trim_ascii().eq_ignore_ascii_case(b"yes"))
}

fn revive(name: &str, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let place = keeping::opened(env)?;
    let _lock = place.exclusive()?;
    let mut archive = Archive::read(place.clone())?;
    let session = archive.forgotten_name(name)?.ok_or_else(|| {
        Failure::Usage(
            format!("no session with an id like `{name}` was forgotten"),
            "`verbatim archive status` names those that were".into(),
        )
    })?;
    archive.revive(&session, (env.now, &environment::machine_name()))?;
    let (files, bytes) = (archive.files(), archive.length());
    let change =
        Compacted { packs: (files.0, files.0), runs: (files.1 - 1, files.1), bytes: (bytes, bytes) };
    changed("revived", Some(session.uid()), &place.folder, change, global, env)
}

fn compact(global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let place = keeping::opened(env)?;
    let lock = place.exclusive()?;
    let (_, change) = Archive::read(place.clone())?.compact(&lock, true)?;
    changed("compacted", None, &place.folder, change, global, env)
}

fn merge(folder: &Path, global: Global, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let other = Place::open_foreign(folder)?.ok_or_else(|| {
        Failure::Usage(
            format!("there is no archive in {}", folder.display()),
            "name the folder of another archive".into(),
        )
    })?;
    let other = Archive::read(other)?;
    let place = Place::create(&keeping::folder(env)?)?;
    let _lock = place.shared()?;
    let mut archive = Archive::read(place.clone())?;
    let merged = {
        let versions = other.versions();
        let files = versions.iter().flat_map(|version| &version.session.files);
        let bytes = files.map(|file| file.length).sum();
        let progress = Progress::new(env.err, env.err_terminal, versions.len(), bytes);
        merge::merge(&mut archive, &other, env.now, &|bytes| progress.step(bytes))?
    };
    if global.json {
        json::write(env.out, &ArchiveMerged::of(&place.folder, &merged))?;
    } else {
        let taken = counted(merged.taken as u64, "version", "versions");
        let known = human::count(merged.known as u64);
        let stored = human::size(merged.stored);
        writeln!(env.out, "{taken} taken ({stored} added), {known} known before")?;
        for (name, why) in &merged.refused {
            notes::say(Plain::line(&format!("refused: {name}: {why}")), env)?;
        }
    }
    Ok(if merged.refused.is_empty() { Exit::Good } else { Exit::Bad })
}

fn changed(
    done: &'static str,
    uid: Option<String>,
    folder: &Path,
    change: Compacted,
    global: Global,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if global.json {
        json::write(env.out, &ArchiveChange::of(folder, uid, &change))?;
        return Ok(Exit::Good);
    }
    let what = uid.map(|uid| format!(" {uid}")).unwrap_or_default();
    let sizes = format!("{} before, {} now", human::size(change.bytes.0), human::size(change.bytes.1));
    let files = format!(
        "{} and {}",
        counted(change.packs.1 as u64, "pack", "packs"),
        counted(change.runs.1 as u64, "run", "runs")
    );
    writeln!(env.out, "{}", Plain::line(&format!("{done}{what}: {sizes}; {files}")))?;
    Ok(Exit::Good)
}
