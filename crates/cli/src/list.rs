//! `verbatim list`: the sessions of this machine, the newest first.

use std::cmp::Reverse;
use std::path::PathBuf;

use api::list::{List, ListScope, ListUnreadAgent};
use catalog::{Entry, LeftPrompts, Listing, Skipped};
use clap::ValueEnum;
use operations::filter::Filter;
use session::{Sorting as _, UtcTime};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::input::only_files;
use crate::left;
use crate::notes::{self, warn};
use crate::options::Global;
use crate::resume::lineage::origins;
use crate::scope::Here;
use crate::screen::{Line, Style};
use crate::select::Select;
use crate::terminal::Plain;
use crate::title::shorten;
use crate::{expiry, json, what};

mod columns;
mod rows;

pub(crate) use rows::{Rows, table};

/// List the sessions on this machine (or under given paths), newest first
///
/// Without a folder or a filter, these are the sessions of the repository that you are in, or else
/// of the current folder, if there are any. `--json` has the same ones, and says so.
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub(crate) struct Args {
    /// Folders, files or session ids, instead of the agents' own folders
    #[arg(value_name = "WHAT")]
    what: Vec<PathBuf>,
    /// Show at most this many sessions, or `all`: on a terminal 20 by default, elsewhere all.
    /// `--json` has as many, and says how many more there are
    #[arg(short = 'n', value_name = "NUMBER", value_parser = most)]
    most: Option<usize>,
    /// Order of the sessions
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = Sort::Updated)]
    sort: Sort,
    /// List the sessions of all folders, also if this folder has some
    #[arg(long)]
    all_projects: bool,
    /// List empty sessions and repeated prompts one by one too; a terminal folds them into one line
    #[arg(long)]
    all: bool,
    /// Show the dates instead of the ages
    #[arg(long)]
    dates: bool,
    /// Below each session, its first file and the command that continues it
    #[arg(short, long)]
    verbose: bool,
    /// Count the turns of each session (slower: reads every session completely)
    #[arg(long)]
    turns: bool,
    #[command(flatten)]
    select: Select,
}

const AFTER: &str = "\
A title behind `›` is the first prompt: the agent gave the session no title. An age with `~` is that
of the file. Into a pipe, the list has tabs between whole values. A list looks at the beginning and
the end of each file: `check` looks at everything.";

/// The order of a list.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// The newest first
    Updated,
    /// Most recently started first
    Started,
    /// The largest first
    Size,
    /// By folder, then the newest first
    Project,
}

impl Sort {
    /// The time by which it orders sessions, if it is one.
    const fn time(self) -> Option<fn(&Entry) -> Option<UtcTime>> {
        match self {
            Self::Updated => Some(|entry| entry.updated),
            Self::Started => Some(|entry| entry.started.or(entry.updated)),
            Self::Size | Self::Project => None,
        }
    }
}

/// Number of sessions that a terminal shows by default.
const SHOWN: usize = 20;

impl Args {
    /// Whether they name places, instead of the agents' own.
    const fn is_named(&self) -> bool {
        !self.what.is_empty() || !self.select.within.is_empty()
    }
}

/// Reads a number of sessions.
pub(crate) fn most(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        _ => text.parse().map_err(|_| "it is a number, or `all`".to_owned()),
    }
}

/// Numbers of sessions that a list leaves out.
#[derive(Default)]
struct Left {
    /// All sessions that were found.
    found: usize,
    /// Those of other folders.
    elsewhere: usize,
    /// The folders whose sessions these are, if not those of all.
    folders: Option<Vec<String>>,
    /// Those beyond the greatest number.
    more: usize,
    /// Those without a word.
    empty: usize,
    /// Those with the prompt of another one.
    repeated: usize,
    /// Those that are shown.
    shown: usize,
}

impl Left {
    /// Those of the sessions that are gone which the filter and the scope of the list take.
    fn of_scope(&self, mut typed: Vec<LeftPrompts>, filter: &Filter) -> Vec<LeftPrompts> {
        let scope = self.folders.clone();
        let scope = scope.map(|projects| Filter { projects, ..Filter::default() });
        typed.retain(|of| filter.takes(&of.entry) && left::is_within(&of.entry, scope.as_ref()));
        typed
    }
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    only_files(&args.what)?;
    let mut listing = listing(args, global.json, env)?;
    let terminal = env.width.is_some() && !global.json;
    // Only a table shortens ids.
    let all = if terminal { &*listing.entries } else { &[] };
    let ids: Vec<(&'static str, String)> =
        all.iter().map(|entry| (entry.format, entry.id.clone())).collect();
    let expiring = expiry::of_list(&listing.entries, env);
    let typed = typed(args, global.json, &mut listing, env);
    let left = narrow(args, terminal, &mut listing.entries, env)?;
    if global.json {
        let origins = origins(env);
        let source = |format: &str, id: &str| Some(rows::origin(&origins, format, id)?.to_owned());
        let mut list = List::of(&listing).with_sources(&source);
        let scope = |folders| ListScope { folders, elsewhere: left.elsewhere };
        list.more = left.more;
        list.scope = left.folders.clone().map(scope);
        let unread = if args.is_named() { Vec::new() } else { env.machine.unread_agents() };
        list.unread_agents = unread.iter().map(ListUnreadAgent::of).collect();
        json::write(env.out, &list)?;
        notes::tell_unread(&unread, &listing.skipped, color, env)?;
        let failed = listing.skipped.iter().any(|skipped| skipped.why.is_failure());
        return Ok(if failed { Exit::Failed } else { Exit::Good });
    }
    let zone = args.select.zone(env);
    let rows = Rows {
        entries: &listing.entries,
        ids: &ids,
        turns: args.turns,
        dates: args.dates,
        zone: &zone,
        days: args.sort.time(),
        verbose: args.verbose,
    };
    match env.width {
        Some(_) => table(&rows, color, env)?,
        None => rows::lines(&rows, env)?,
    }
    if left.found == 0 {
        nothing(args, &listing, color, env)?;
    }
    more(&left, color, env)?;
    copies(&listing.entries, color, env)?;
    archived(&listing.entries, color, env)?;
    damaged(&listing.entries, color, env)?;
    if !args.is_named() {
        left::below_list(&left.of_scope(typed, &args.select.filter(env)?), color, env)?;
        expiry::tell(&expiring, color, env)?;
    }
    notes::unread_agents(args.is_named(), &listing.skipped, color, env)?;
    warn(&listing.skipped, color, env)
}

/// The sessions of which only prompts are left. Lists of prompts that can't be read are skipped.
fn typed(
    args: &Args,
    json: bool,
    listing: &mut Listing,
    env: &Environment<'_>,
) -> Vec<LeftPrompts> {
    if args.is_named() || json {
        return Vec::new();
    }
    let (typed, unread) = env.catalog().left_beside(&listing.entries, &left::is_talk);
    listing.skipped.extend(unread);
    typed
}

/// The sessions that the arguments name.
fn listing(args: &Args, json: bool, env: &Environment<'_>) -> Result<Listing, Failure> {
    let brief = |entry: &mut Entry| {
        if !json {
            shorten(entry);
        }
    };
    let (ids, mut paths): (Vec<_>, Vec<_>) =
        args.what.iter().cloned().partition(|name| what::is_id(name));
    paths.extend(args.select.within.iter().cloned());
    what::exist(&args.what, &args.select)?;
    if ids.is_empty() {
        return Ok(env.catalog().list_with(&paths, args.turns, &brief));
    }
    let found = what::found(&args.what, &args.select, env)?;
    let mut listing = env.catalog().list_found(found, args.turns, &brief);
    // A file may hold other sessions too.
    let catalog = env.catalog();
    let named = |entry: &Entry| ids.iter().any(|id| catalog.is_named(&id.to_string_lossy(), entry));
    if paths.is_empty() && !ids.iter().any(|id| what::is_selector(id)) {
        listing.entries.retain(named);
    }
    Ok(listing)
}

/// Takes the sessions out that are not to be shown, and orders the others.
fn narrow(
    args: &Args,
    terminal: bool,
    entries: &mut Vec<Entry>,
    env: &Environment<'_>,
) -> Result<Left, Failure> {
    let filter = args.select.filter(env)?;
    let mut left = Left { found: entries.len(), ..Left::default() };
    entries.retain(|entry| filter.takes(entry));
    if !args.is_named()
        && !args.all_projects
        && !args.select.has_project()
        && let Some(here) = Here::of(env).and_then(|here| here.scope(entries))
    {
        let all = entries.len();
        entries.retain(|entry| here.takes(entry));
        left.elsewhere = all - entries.len();
        left.folders = Some(here.projects);
    }
    match args.sort {
        Sort::Updated => {}
        Sort::Started => entries.in_order_by_key(|entry| Reverse(entry.started.or(entry.updated))),
        Sort::Size => entries.in_order_by_key(|entry| Reverse(entry.length)),
        Sort::Project => entries.in_order_by(|a, b| a.folder.cmp(&b.folder)),
    }
    if terminal && !args.all {
        (left.empty, left.repeated) = rows::fold(entries);
    }
    let most = args.most.unwrap_or(if terminal { SHOWN } else { usize::MAX });
    left.more = entries.len().saturating_sub(most);
    entries.truncate(most);
    operations::add_listed_titles(&env.catalog(), entries);
    left.shown = entries.len();
    Ok(left)
}

/// Prints the numbers of sessions that the table leaves out.
fn more(left: &Left, color: bool, env: &mut Environment<'_>) -> Result<(), Failure> {
    let mut notes = notes::screen(color, env);
    let count = |number: usize| human::count(number as u64);
    let mut faint = |text: &str| notes.line(&Line::new().tell(Style::Faint, text));
    if left.more > 0 {
        faint(&format!("{} more: `-n all` shows them", count(left.more)))?;
    }
    if left.empty + left.repeated > 0 {
        let what = [(left.empty, "without a word"), (left.repeated, "with the prompt of another")];
        let what = what.iter().filter(|(number, _)| *number > 0);
        let what: Vec<String> = what.map(|(n, what)| format!("{} {what}", count(*n))).collect();
        faint(&format!("folded: {}: `--all` shows them", what.join(", ")))?;
    }
    let none = left.more + left.empty + left.repeated + left.elsewhere + left.shown == 0;
    if left.found > 0 && none {
        let sessions = counted(left.found as u64, "session", "sessions");
        let text =
            format!("none of {sessions} matches: `verbatim list` without filters shows them");
        notes.line(&Line::new().tell(Style::Normal, &text))?;
    }
    elsewhere(left, color, env)
}

/// Prints the number of sessions of other folders.
fn elsewhere(left: &Left, color: bool, env: &mut Environment<'_>) -> Result<(), Failure> {
    if left.elsewhere == 0 {
        return Ok(());
    }
    let mut notes = notes::screen(color, env);
    let sessions = counted(left.elsewhere as u64, "session", "sessions");
    let text = format!("{sessions} of other folders: `--all-projects` shows them");
    Ok(notes.line(&Line::new().tell(Style::Faint, &text))?)
}

/// Prints the number of copies that the table omits.
fn copies(entries: &[Entry], color: bool, env: &mut Environment<'_>) -> Result<(), Failure> {
    let count: usize = entries.iter().map(|entry| entry.copies.len()).sum();
    if count == 0 {
        return Ok(());
    }
    let mut notes = notes::screen(color, env);
    let copies = counted(count as u64, "copy", "copies");
    let what = format!("{copies} of these sessions in other places: `list --json` shows them");
    Ok(notes.line(&Line::new().tell(Style::Faint, &what))?)
}

/// Says how many of the sessions are in the archive alone.
fn archived(entries: &[Entry], color: bool, env: &mut Environment<'_>) -> Result<(), Failure> {
    let count = entries.iter().filter(|entry| entry.archived).count();
    if count == 0 {
        return Ok(());
    }
    let mut notes = notes::screen(color, env);
    let sessions = counted(count as u64, "session is", "sessions are");
    let what = format!("{sessions} in the archive alone, deleted by the agent");
    Ok(notes.line(&Line::new().tell(Style::Faint, &what))?)
}

/// Says how many of the sessions have records that could not be read, where they were looked at.
fn damaged(entries: &[Entry], color: bool, env: &mut Environment<'_>) -> Result<(), Failure> {
    let count = entries.iter().filter(|entry| entry.damaged > 0).count();
    if count == 0 {
        return Ok(());
    }
    let records: u64 = entries.iter().map(|entry| u64::from(entry.damaged)).sum();
    let sessions = counted(count as u64, "of these sessions has", "of these sessions have");
    let records = counted(records, "unreadable record", "unreadable records");
    let what = format!("{sessions} {records} in what a list looks at: `verbatim check` names all");
    let mut notes = notes::screen(color, env);
    Ok(notes.line(&Line::new().tell(Style::Warn, &what))?)
}

/// Prints that no session was found: where it was looked, and why the named files are not sessions.
fn nothing(
    args: &Args,
    listing: &Listing,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let home = env.machine.home.clone();
    let places: Vec<String> = env
        .formats
        .iter()
        .filter_map(|format| env.machine.places(*format).into_iter().next())
        .map(|place| human::folder(&place.path.to_string_lossy(), home.as_deref()).to_string())
        .collect();
    let mut notes = notes::screen(color, env);
    notes.line(&Line::new().say(Style::Normal, "no sessions found"))?;
    let named = |skipped: &&Skipped| args.what.contains(&skipped.path) && !skipped.why.is_failure();
    let named: Vec<&Skipped> = listing.skipped.iter().filter(named).collect();
    for skipped in named.iter().take(NAMED) {
        let what = format!("  {}: {}", skipped.path.display(), skipped.why);
        notes.line(&Line::new().tell(Style::Faint, &what))?;
    }
    if !named.is_empty() {
        return Ok(());
    }
    let text = match args.is_named() {
        true => {
            "  sessions about a folder, wherever they are: `verbatim list --project FOLDER`".into()
        }
        false => {
            format!("  looked in {}; `verbatim list FOLDER` searches a folder", places.join(", "))
        }
    };
    for line in Plain::words(&text).wrapped(100) {
        notes.line(&Line::new().put(Style::Faint, line))?;
    }
    Ok(())
}

/// Maximum number of skipped files that are reported.
const NAMED: usize = 5;
