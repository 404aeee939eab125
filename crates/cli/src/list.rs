//! `verbatim list`: the sessions of this machine, the newest first.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use catalog::Listing;
use catalog::api::list::List;
use catalog::{Aside, Entry};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::{self, counted};
use crate::input::only_files;
use crate::json;
use crate::notes::warn;
use crate::options::Global;
use crate::resume::lineage::origins;
use crate::screen::{Line, Screen, Style};
use crate::select::Select;
use crate::terminal::Plain;

/// List the sessions on this machine (or under given paths), newest first
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders or files to search, instead of the agents' own folders
    paths: Vec<PathBuf>,
    /// Count the turns of each session (slower: reads every session completely)
    #[arg(long)]
    turns: bool,
    #[command(flatten)]
    select: Select,
    /// Show at most this many sessions, or `all`. On a terminal 20 by default, elsewhere all
    #[arg(short = 'n', value_name = "NUMBER", value_parser = most)]
    most: Option<usize>,
}

/// Number of sessions that a terminal shows by default.
const SHOWN: usize = 20;

/// Reads a number of sessions.
fn most(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        _ => text.parse().map_err(|_| "it is a number, or `all`".to_owned()),
    }
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    only_files(&args.paths)?;
    let filter = args.select.filter(env)?;
    let mut listing = env.catalog().list(&args.paths, args.turns);
    let all = listing.entries.len();
    listing.entries.retain(|entry| filter.takes(entry));
    let (kept, terminal) = (listing.entries.len(), env.width.is_some() && !global.json);
    let most = args.most.unwrap_or(if terminal { SHOWN } else { usize::MAX });
    listing.entries.truncate(most);
    if global.json {
        let origins = origins(env);
        let source = |format: &str, id: &str| Some(origin(&origins, format, id)?.to_owned());
        json::write(env.out, &List::of(&listing).with_sources(&source))?;
        let failed = listing.aside.iter().any(|aside| aside.why.is_failure());
        return Ok(if failed { Exit::Failed } else { Exit::Good });
    }
    table(&listing.entries, args.turns, color, env)?;
    if all == 0 {
        nothing(args, &listing, color, env)?;
    }
    more((listing.entries.len(), kept, all), color, env)?;
    copies(&listing.entries, color, env)?;
    warn(&listing.aside, color, env)
}

/// Prints the number of sessions that the table omits: those above the number that was asked for,
/// and those that the filters leave out.
fn more(
    (shown, kept, all): (usize, usize, usize),
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let mut notes = Screen::new(env.err, color && env.err_terminal, None);
    let count = |number: usize| human::count(number as u64);
    if shown < kept {
        let text = format!("{} more: `-n all` shows them", count(kept - shown));
        notes.line(&Line::new().tell(Style::Faint, &text))?;
    }
    if kept == 0 && all > 0 {
        let sessions = counted(all as u64, "session", "sessions");
        let text =
            format!("none of {sessions} matches: `verbatim list` without filters shows them");
        notes.line(&Line::new().tell(Style::Normal, &text))?;
    }
    Ok(())
}

/// Prints the number of copies that the table omits.
fn copies(entries: &[Entry], color: bool, env: &mut Environment<'_>) -> Result<(), Failure> {
    let count: usize = entries.iter().map(|entry| entry.copies.len()).sum();
    if count == 0 {
        return Ok(());
    }
    let mut notes = Screen::new(env.err, color && env.err_terminal, None);
    let copies = counted(count as u64, "copy", "copies");
    let what = format!("{copies} of these sessions in other places: `list --json` shows them");
    Ok(notes.line(&Line::new().tell(Style::Faint, &what))?)
}

/// Prints that no session was found, and why the named files are not sessions.
fn nothing(
    args: &Args,
    listing: &Listing,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let mut notes = Screen::new(env.err, color && env.err_terminal, None);
    notes.line(&Line::new().say(Style::Normal, "no sessions found"))?;
    let named = |aside: &&Aside| args.paths.contains(&aside.path) && !aside.why.is_failure();
    let named: Vec<&Aside> = listing.aside.iter().filter(named).collect();
    for aside in named.iter().take(NAMED) {
        let what = format!("  {}: {}", aside.path.display(), aside.why);
        notes.line(&Line::new().tell(Style::Faint, &what))?;
    }
    if named.is_empty() {
        notes.line(&Line::new().say(Style::Faint, "  `verbatim list FOLDER` searches a folder"))?;
    }
    Ok(())
}

/// The uid of the session that a placed session was made from.
fn origin<'o>(origins: &'o [[String; 3]], format: &str, id: &str) -> Option<&'o str> {
    let made = origins.iter().find(|[agent, made, _]| agent == format && made == id)?;
    Some(&made[2]).filter(|source| **source != format!("{format}:{id}")).map(String::as_str)
}

/// Maximum width of the source of a placed session, in columns.
const SOURCE: usize = 32;

/// Maximum number of skipped files that are reported.
const NAMED: usize = 5;

/// Prints a row for each session.
pub(crate) fn table(
    entries: &[Entry],
    turns: bool,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let home = env.machine.home.clone();
    let origins = origins(env);
    let mut screen = Screen::new(env.out, color, env.width);
    let ids: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    let mut names = vec!["AGENT", "PROJECT", "TITLE", "AGE", "SIZE", "ID"];
    if turns {
        names.insert(5, "TURNS");
    }
    let mut rows: Vec<Vec<Line>> =
        vec![names.iter().map(|name| Line::new().say(Style::Faint, name)).collect()];
    let lengths = human::unique(&ids);
    for (at, depth) in nested(entries) {
        let (entry, length) = (&entries[at], lengths[at]);
        let id = if screen.width.is_some() { &entry.id[..length] } else { &entry.id };
        let project = entry.folder.as_deref().map(|folder| human::folder(folder, home.as_deref()));
        let title = entry.title.as_deref().or(entry.prompt.as_deref()).unwrap_or_default();
        let branch = if depth > 0 { "  ".repeat(depth - 1) + "└ " } else { String::new() };
        let title = branch + first_line(title);
        let age = entry.updated.map(|then| human::age(env.now, then)).unwrap_or_default();
        let mut row = vec![
            Line::new().say(Style::Name, entry.format),
            Line::new().put(Style::Normal, project.unwrap_or_default().cut_front(24)),
            match origin(&origins, entry.format, &entry.id) {
                Some(source) => {
                    let from = Plain::line(&format!("(from {source})")).cut(SOURCE);
                    let title = Plain::line(&title).cut(LONGEST - 1 - from.width());
                    Line::new()
                        .put(Style::Strong, title)
                        .say(Style::Faint, " ")
                        .put(Style::Faint, from)
                }
                None => Line::new().put(Style::Strong, Plain::line(&title).cut(LONGEST)),
            },
            Line::new().tell(Style::Normal, &age),
            Line::new().tell(Style::Faint, &human::size(entry.length)),
            Line::new().tell(Style::Faint, id),
        ];
        if turns {
            let count = entry.turns.map(|count| count.to_string()).unwrap_or_default();
            row.insert(5, Line::new().tell(Style::Normal, &count));
        }
        rows.push(row);
    }
    if let Some(width) = screen.width {
        fit(&mut rows, width);
    }
    if rows.len() > 1 {
        screen.table(&rows, if turns { &[3, 4, 5] } else { &[3, 4] })?;
    }
    Ok(())
}

/// Maximum depth to which sessions of sub-agents are indented.
const DEPTH: usize = 4;

/// The order of the rows, with the depth of each. A sub-agent's session follows the session that
/// started it, if the list contains both.
fn nested(entries: &[Entry]) -> Vec<(usize, usize)> {
    let places: HashMap<(&str, &str), usize> =
        entries.iter().enumerate().map(|(at, entry)| ((entry.format, &*entry.id), at)).collect();
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut todo = Vec::new();
    for (at, entry) in entries.iter().enumerate().rev() {
        let spawner = entry.spawned_by.as_deref();
        match spawner.and_then(|id| places.get(&(entry.format, id))) {
            Some(parent) => children.entry(*parent).or_default().push(at),
            None => todo.push((at, 0)),
        }
    }
    let mut order = Vec::with_capacity(entries.len());
    while let Some((at, depth)) = todo.pop() {
        order.push((at, depth));
        let below = children.remove(&at).unwrap_or_default();
        todo.extend(below.into_iter().map(|child| (child, (depth + 1).min(DEPTH))));
    }
    // Hostile ids may form a cycle. The sessions in it are listed too.
    let left: BTreeSet<usize> = children.into_values().flatten().collect();
    order.extend(left.into_iter().map(|at| (at, 0)));
    order
}

/// Maximum and minimum width of a truncated title, in columns.
const LONGEST: usize = 80;
const SHORTEST: usize = 16;
/// Index of the title in a row.
const TITLE: usize = 2;

/// Truncates the titles so that the rows fit into `width` columns.
fn fit(rows: &mut [Vec<Line>], width: usize) {
    let columns = rows.first().map_or(0, Vec::len);
    let widest = |at: usize| rows.iter().map(|row| row[at].width()).max().unwrap_or_default();
    let others: usize = (0..columns).filter(|at| *at != TITLE).map(widest).sum();
    let room = width.saturating_sub(others + 2 * columns.saturating_sub(1)).max(SHORTEST);
    for row in rows {
        row[TITLE] = std::mem::take(&mut row[TITLE]).cut(room);
    }
}

/// The first line that is not a tag, because some programs put tags around the prompt.
fn first_line(text: &str) -> &str {
    let tag = |line: &&str| {
        line.starts_with('<') && line.ends_with('>') && !line.contains(' ') || is_element(line)
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.clone().find(|line| !tag(line)).or_else(|| lines.next()).unwrap_or_default()
}

/// Whether a line is an element: `<name>…</name>`.
fn is_element(line: &str) -> bool {
    let name = line.strip_prefix('<').and_then(|rest| rest.split(['>', ' ']).next());
    let before = line.strip_suffix('>').zip(name).and_then(|(rest, name)| rest.strip_suffix(name));
    before.is_some_and(|rest| rest.ends_with("</"))
}

#[cfg(test)]
mod tests {
    use super::first_line;

    #[test]
    fn a_title_is_not_the_tag_around_the_prompt() {
        assert_eq!(first_line("<user_query>\n\n  Fix it \n</user_query>"), "Fix it");
        assert_eq!(first_line("  <b>bold</b> is fine\nsecond"), "<b>bold</b> is fine");
        assert_eq!(first_line("\n<only>\n"), "<only>");
        assert_eq!(first_line("<at>Monday, 4 PM</at>\n<user_query>\nFix\n"), "Fix");
        assert_eq!(first_line("<at>Monday, 4 PM</at>"), "<at>Monday, 4 PM</at>");
        assert_eq!(first_line("<a href='x'> or <b>\nsecond"), "<a href='x'> or <b>");
        assert_eq!(first_line(" \n"), "");
    }
}
