//! `verbatim demo`: the main commands on samples that ship in the program, in a folder of their
//! own.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use api::check::Totals;
use catalog::{Catalog, Entry, Found};
use formats::Format;
use formats::attribution::{AttributedFile, attribution};
use operations::check::{Checked, Depth};
use operations::fidelity::Fidelity;
use session::Session;
use session::Sorting as _;

use crate::check_result::{self, CheckResult};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human;
use crate::list::Rows;
use crate::screen::{Line, Screen, Style};
use crate::view::View;
use crate::zone::Zone;

mod keep;
mod prove;
mod share;

/// Try everything on sample sessions, in ./verbatim-demo
///
/// Writes the samples that ship in the program into a folder, lists them, proves that reading loses
/// nothing, writes a verifiable record of each session, converts one to every other agent, redacts
/// one, signs a receipt of it, and archives some, deletes them and gives one back. Reads none of
/// your files.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to write to
    #[arg(long, default_value = "verbatim-demo", value_name = "FOLDER")]
    folder: PathBuf,
}

/// Format of the documents that the demo writes.
const RECORD: &str = "vac";

/// The greatest width of what the demo prints, in columns: people read it, also out of a file.
const WIDTH: usize = 100;

pub(crate) fn run(args: &Args, color: bool, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    is_own(&args.folder)?;
    env.width = Some(env.width.map_or(WIDTH, |width| width.min(WIDTH)));
    let sessions = args.folder.join("sessions");
    for (path, bytes) in &formats::samples() {
        store::save(&sessions.join(path), bytes, true)?;
    }
    let catalog = env.catalog();
    let found = catalog.find(std::slice::from_ref(&sessions));
    step(env, color, "1", "Find them: sessions as agents write them", &sessions)?;
    let listing = catalog.list(std::slice::from_ref(&sessions), false);
    let some = some(&listing.entries, &catalog);
    let ids: Vec<(&'static str, String)> =
        listing.entries.iter().map(|entry| (entry.format, entry.id.clone())).collect();
    crate::list::table(&Rows::plain(&some, &ids, &Zone::utc()), color, env)?;
    more(listing.entries.len() - some.len(), "verbatim list", &sessions, color, env)?;

    step(env, color, "2", "Prove it: reading loses nothing", &sessions)?;
    let checked: Vec<Checked> = operations::check(&env.machine.job, &found, Depth::Full, &|_| {})?;
    let totals = CheckResult { checked: &checked, skipped: &found.skipped }.totals();
    proof(&totals, &mut Screen::new(env.out, color, env.width))?;

    let busiest = busiest(&catalog, &found)?;
    if let Some(session) = &busiest {
        step(env, color, "3", "Read a session", &sessions)?;
        show(session, color, env)?;
        wrote(session, &mut Screen::new(env.out, color, env.width))?;
    }
    let records = args.folder.join("records");
    step(env, color, "4", "Write a verifiable record of each session", &records)?;
    let written = convert(&catalog, &found, &records)?;
    let size = human::size(written.iter().map(|saved| saved.bytes).sum());
    let count = human::counted(written.len() as u64, "record", "records");
    let line = Line::new().tell(Style::Normal, &format!("{count}, {size}"));
    Screen::new(env.out, color, env.width).line(&line)?;
    if let Some(session) = &busiest {
        let carried = args.folder.join("carried");
        step(env, color, "5", "Carry it on: convert it to every other agent", &carried)?;
        let books = carry(&catalog, session, &carried)?;
        arrived(&books, &mut Screen::new(env.out, color, env.width))?;
        let shared = args.folder.join("shared");
        let what = "Share it: credentials, planted in its output, are redacted";
        step(env, color, "6", what, &shared)?;
        share::share(&catalog, session, &shared, &mut Screen::new(env.out, color, env.width))?;
        let proven = args.folder.join("proven");
        let what = "Prove it to others: a signed receipt; then a byte changes";
        step(env, color, "7", what, &proven)?;
        let mut screen = Screen::new(env.out, color, env.width);
        prove::prove(&catalog, session, &proven, env.now, &mut screen)?;
    }
    let kept = args.folder.join("kept");
    let what = "Keep it: what an agent deletes comes back";
    step(env, color, "8", what, &kept)?;
    keep::keep(&kept, color, env)?;
    let is_there = is_installed(env);
    next(is_there, &mut Screen::new(env.out, color, env.width))?;
    let good = totals.lost_places == 0 && totals.missing_leaves == 0 && totals.failures == 0;
    Ok(if good { Exit::Good } else { Exit::Bad })
}

/// Prints what the proof found, in one sentence.
fn proof(totals: &Totals, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let dot = |line: Line| line.say(Style::Faint, " · ");
    let sessions = human::counted(totals.sessions, "session", "sessions");
    let line = dot(Line::new().tell(Style::Strong, &sessions));
    let line = dot(line.tell(Style::Strong, &human::size(totals.bytes)));
    let line = dot(match check_result::lost(totals) {
        None => line.say(Style::Good, "0 bytes lost"),
        Some(lost) => line.tell(Style::Bad, &lost),
    });
    let values = human::counted(totals.leaves, "value", "values");
    screen.line(&line.tell(Style::Faint, &format!("{values} confirmed by another parser")))
}

/// Prints the lines that a session wrote, by file.
fn wrote(session: &Session, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let lines = attribution(session);
    let file = |file: &AttributedFile| {
        let ranges = file.ranges.iter().map(|range| range.end - range.start + 1);
        format!("{} ({})", file.path, human::count(ranges.sum::<usize>() as u64))
    };
    let files: Vec<String> = lines.files.iter().map(file).collect();
    let text = format!("lines that it wrote, by file: {}", files.join(", "));
    screen.text(Style::Normal, &text)?;
    let unknown = human::counted(lines.unknown.len() as u64, "edit", "edits");
    screen.text(Style::Faint, &format!("{unknown} could not be derived"))
}

/// Prints how much of the conversation arrives at each other agent.
fn arrived(books: &Fidelity, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let mut shares: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for ((_, to), pair) in &books.pairs {
        let part = pair.conversation - pair.dropped_conversation;
        let share = crate::fidelity::share(part, pair.conversation);
        shares.entry(share).or_default().push(to);
    }
    let of_share = |(share, to): (String, Vec<&str>)| format!("{share} in {}", to.join(", "));
    let arrived: Vec<String> = shares.into_iter().map(of_share).collect();
    let text = format!("of the conversation arrives: {}", arrived.join("; "));
    screen.text(Style::Normal, &text)
}

/// The folders that the demo writes.
const OWN: [&str; 6] = ["sessions", "records", "carried", "shared", "proven", "kept"];

/// Refuses a folder that contains other files, which the demo might replace.
fn is_own(folder: &Path) -> Result<(), Failure> {
    let Ok(mut entries) = std::fs::read_dir(folder) else { return Ok(()) };
    let own = |name: &std::ffi::OsStr| OWN.iter().any(|own| name == *own);
    match entries.all(|entry| entry.is_ok_and(|entry| own(&entry.file_name()))) {
        true => Ok(()),
        false => Err(Failure::Usage(
            format!("{} contains other files", folder.display()),
            "name an empty or new folder: `--folder FOLDER`".into(),
        )),
    }
}

/// Limits of the output: sessions that are listed per agent and of all, and lines of a transcript.
const LISTED: usize = 1;
const LISTED_OF_ALL: usize = 5;
const SHOWN: usize = 10;

/// The sessions of each agent that show the most: those with a project folder, then the largest.
fn some(entries: &[Entry], catalog: &Catalog<'_>) -> Vec<Entry> {
    // A document is no agent's session.
    let agents = catalog.formats.iter().filter(|format| format.data().target.is_some());
    let agents: Vec<&str> = agents.map(|format| format.name()).collect();
    let mut order: Vec<&Entry> =
        entries.iter().filter(|entry| agents.contains(&entry.format)).collect();
    order.in_order_by_key(|entry| Reverse((entry.folder.is_some(), entry.length)));
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let first = |entry: &&Entry| {
        let count = counts.entry(entry.format).or_default();
        *count += 1;
        *count <= LISTED
    };
    order.retain(first);
    order.in_order_by_key(|entry| Reverse(entry.updated));
    order.truncate(LISTED_OF_ALL);
    order.into_iter().cloned().collect()
}

/// The session with the most attributed ranges of lines.
fn busiest(catalog: &Catalog<'_>, found: &Found) -> Result<Option<Session>, Failure> {
    let mut best = None;
    for source in &found.sources {
        for session in catalog.read(source)?.sessions {
            let files = attribution(&session).files;
            let places: usize = files.iter().map(|file| file.ranges.len()).sum();
            if best.as_ref().map_or(places > 0, |(most, _)| places > *most) {
                best = Some((places, session));
            }
        }
    }
    Ok(best.map(|(_, session)| session))
}

/// Prints the number of omitted items, and the command that shows them.
fn more(
    count: usize,
    command: &str,
    sessions: &Path,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    if count == 0 {
        return Ok(());
    }
    let text = format!("… and {count} more: {command} {}", sessions.display());
    let line = Line::new().tell(Style::Faint, &text);
    Ok(Screen::new(env.out, color, env.width).line(&line)?)
}

/// Prints the beginning of a transcript.
fn show(session: &Session, color: bool, env: &mut Environment<'_>) -> Result<(), Failure> {
    let mut text = Vec::new();
    let home = env.machine.home.clone();
    crate::show::print(
        session,
        &[],
        home.as_deref(),
        &View::default(),
        &mut Screen::new(&mut text, color, env.width),
    )?;
    let lines: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    for line in lines.iter().take(SHOWN) {
        env.out.write_all(line)?;
    }
    let rest = lines.len().saturating_sub(SHOWN);
    let mut screen = Screen::new(env.out, color, env.width);
    screen.text(Style::Faint, &format!("… and {rest} more lines"))?;
    Ok(screen.gap()?)
}

fn step(
    env: &mut Environment<'_>,
    color: bool,
    number: &'static str,
    what: &'static str,
    folder: &Path,
) -> Result<(), Failure> {
    let mut screen = Screen::new(env.out, color, env.width);
    if number != "1" {
        screen.gap()?;
    }
    let line = Line::new().say(Style::Name, number).say(Style::Name, "  ").say(Style::Strong, what);
    let folder = format!("  {}", folder.display());
    let width = screen.width;
    screen.line(&line.tell(Style::Faint, &folder).fit(width))?;
    Ok(screen.gap()?)
}

/// Writes the record of every session.
fn convert(
    catalog: &Catalog<'_>,
    found: &Found,
    folder: &Path,
) -> Result<Vec<store::Saved>, Failure> {
    let options = formats::Options { pretty: true, embed: true, ..Default::default() };
    let mut saved = Vec::new();
    let mut names = BTreeMap::new();
    for source in &found.sources {
        // A record that another program wrote is a record already, and would keep its faults.
        let own = |session: &&Session| !session.remainder && session.format != RECORD;
        for session in catalog.read(source)?.sessions.iter().filter(own) {
            let written = operations::convert(catalog, session, RECORD, &options)?;
            // Some samples are copies of one session. Each copy gets its own record.
            let count: &mut usize = names.entry(session.uid()).or_default();
            *count += 1;
            let copy = if *count > 1 { format!("-{count}") } else { String::new() };
            let name = format!("{}-{}{copy}.json", session.format, session.id);
            let name = store::file_name(&name);
            for (_, bytes) in &written.files {
                saved.push(store::save(&folder.join(&name), bytes, true)?);
            }
        }
    }
    Ok(saved)
}

/// Converts a session to every other agent, and returns the sums of the books.
fn carry(catalog: &Catalog<'_>, session: &Session, folder: &Path) -> Result<Fidelity, Failure> {
    let mut fidelity = Fidelity::default();
    let is_other =
        |format: &&&dyn Format| format.data().target.is_some() && format.name() != session.format;
    for format in catalog.formats.iter().filter(is_other) {
        let written =
            operations::convert(catalog, session, format.name(), &formats::Options::default())?;
        for (name, bytes) in &written.files {
            let path = folder.join(format.name()).join(store::relative(name));
            store::save(&path, bytes, true)?;
        }
        if let Some(books) = &written.books {
            let pair = fidelity.pairs.entry((session.format, format.name())).or_default();
            pair.add(&books.totals(session));
        }
    }
    Ok(fidelity)
}

/// Whether the command is in a folder of PATH; a clone runs it by another name.
fn is_installed(env: &Environment<'_>) -> bool {
    let name = format!("verbatim{}", std::env::consts::EXE_SUFFIX);
    let is_in = |folders| std::env::split_paths(folders).any(|folder| folder.join(&name).is_file());
    env.machine.variable("PATH").is_none_or(is_in)
}

/// Prints what to do with one's own newest session.
fn next(is_installed: bool, screen: &mut Screen<'_>) -> std::io::Result<()> {
    screen.gap()?;
    screen.line(&Line::new().say(Style::Strong, "Next: your own newest session"))?;
    let commands = [
        ("verbatim show last", "read it"),
        ("verbatim export last -o page.html", "a page of it, without secrets"),
        ("verbatim resume last --to AGENT --dry-run", "what another agent would get of it"),
        ("verbatim list", "all sessions of this folder"),
    ];
    let row = |(command, what)| {
        let command = Line::new().say(Style::Normal, "  ").say(Style::Name, command);
        vec![command, Line::new().say(Style::Faint, what)]
    };
    screen.table(&commands.map(row), &[])?;
    if !is_installed {
        let hint = "`verbatim` is not in PATH yet: `cargo install --path crates/cli` puts it there";
        screen.line(&Line::new().say(Style::Faint, hint))?;
    }
    Ok(())
}
