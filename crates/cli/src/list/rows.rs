//! The rows of a list: as a table that fits into a terminal, and as lines for other programs.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use catalog::Entry;
use session::UtcTime;

use super::columns::{Column, NARROW, WIDE};
use crate::environment::Environment;
use crate::exit::Failure;
use crate::human;
use crate::resume::lineage::origins;
use crate::screen::{Line, Screen, Style};
use crate::short::names;
use crate::terminal::Plain;
use crate::title::{first_line, title, whole};
use crate::zone::Zone;

/// The rows of a list.
pub(crate) struct Rows<'r> {
    /// The sessions.
    pub entries: &'r [Entry],
    /// The agents and ids of all sessions that were found: a shown id is the beginning of one.
    pub ids: &'r [(&'static str, String)],
    /// Whether the turns were counted.
    pub turns: bool,
    /// Shows dates instead of ages.
    pub dates: bool,
    /// The user's time zone.
    pub zone: &'r Zone,
    /// The time by which the rows are in groups of days; `None` if they are in another order.
    pub days: Option<fn(&Entry) -> Option<UtcTime>>,
    /// Shows a file and a command for each.
    pub verbose: bool,
}

impl<'r> Rows<'r> {
    /// Rows without options: the sessions in the order in which they are given.
    pub(crate) fn plain(
        entries: &'r [Entry],
        ids: &'r [(&'static str, String)],
        zone: &'r Zone,
    ) -> Self {
        Self { entries, ids, zone, turns: false, dates: false, days: None, verbose: false }
    }
}

/// The uid of the session that a placed session was made from.
pub(super) fn origin<'o>(origins: &'o [[String; 3]], format: &str, id: &str) -> Option<&'o str> {
    let made = origins.iter().find(|[agent, made, _]| agent == format && made == id)?;
    Some(&made[2]).filter(|source| **source != format!("{format}:{id}")).map(String::as_str)
}

/// Number of sessions with one prompt from which on the older ones are folded.
const MANY: usize = 3;
/// Number of characters by which prompts are compared.
const ALIKE: usize = 48;

/// Takes empty sessions out of a list, and of those with one agent, folder and prompt all but the
/// first. Returns the numbers of both.
pub(super) fn fold(entries: &mut Vec<Entry>) -> (usize, usize) {
    let all = entries.len();
    entries.retain(|entry| !title(entry).0.trim().is_empty());
    let empty = all - entries.len();
    if entries.is_empty() {
        return (empty, 0);
    }
    let key = |entry: &Entry| {
        let begun: String = first_line(entry.prompt.as_deref()?).chars().take(ALIKE).collect();
        // A title that a person or the agent gave makes a session one of its own.
        entry.title.is_none().then(|| (entry.format, entry.folder.clone(), begun))
    };
    let mut counts: HashMap<_, usize> = HashMap::new();
    entries.iter().filter_map(key).for_each(|key| *counts.entry(key).or_default() += 1);
    let mut seen = HashSet::new();
    let kept = entries.len();
    entries.retain(|entry| match key(entry) {
        Some(key) if counts.get(&key).is_some_and(|count| *count >= MANY) => seen.insert(key),
        _ => true,
    });
    (empty, kept - entries.len())
}

/// Prints the sessions with tabs between whole values, for other programs.
pub(super) fn lines(rows: &Rows<'_>, env: &mut Environment<'_>) -> Result<(), Failure> {
    if rows.entries.is_empty() {
        return Ok(());
    }
    let turns = if rows.turns { "TURNS\t" } else { "" };
    writeln!(env.out, "AGENT\tPROJECT\tTITLE\tUPDATED\tBYTES\t{turns}ID")?;
    for entry in rows.entries {
        let [project, title, id] =
            [entry.folder.as_deref().unwrap_or_default(), &whole(entry), &*entry.id]
                .map(Plain::line);
        let updated = entry.updated.map(UtcTime::sortable).unwrap_or_default();
        let (agent, bytes) = (entry.format, entry.length);
        let turns = match rows.turns {
            true => format!("{}\t", entry.turns.unwrap_or_default()),
            false => String::new(),
        };
        writeln!(env.out, "{agent}\t{project}\t{title}\t{updated}\t{bytes}\t{turns}{id}")?;
    }
    Ok(())
}

/// Prints a row for each session.
pub(crate) fn table(
    rows: &Rows<'_>,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    if rows.entries.is_empty() {
        return Ok(());
    }
    let home = env.machine.home.clone();
    let (origins, now) = (origins(env), env.now);
    let mut screen = Screen::new(env.out, color, env.width);
    let ids = shown_ids(rows, screen.width.is_some());
    let width = screen.width.unwrap_or(usize::MAX);
    let columns = Column::of(rows.entries, rows.turns, width);
    // Long ids have lines of their own where there is no room for them.
    let room = if width < WIDE { NARROW } else { width / 3 };
    let head = columns.iter().map(|column| Line::new().say(Style::Faint, column.name())).collect();
    let mut lines: Vec<Vec<Line>> = vec![head];
    let order = nested(rows.entries);
    for (at, depth) in &order {
        let entry = &rows.entries[*at];
        let cell = |column: &Column| match column {
            Column::Agent => Line::new().say(Style::Name, entry.format),
            Column::Project => {
                let project = entry.folder.as_deref();
                let project = project.map(|folder| human::folder(folder, home.as_deref()));
                Line::new().put(Style::Normal, project.unwrap_or_default().cut_front(24))
            }
            Column::Title => titled(entry, *depth),
            Column::Age => Line::new().tell(Style::Normal, &dated(rows, entry, now)),
            Column::Size => Line::new().tell(Style::Faint, &human::size(entry.length)),
            Column::Turns => {
                let known = entry.acts.as_ref().map(|acts| acts.turns);
                let count = entry.turns.map(|count| count as u64).or(known);
                let count = count.map(human::count).unwrap_or_default();
                Line::new().tell(Style::Normal, &count)
            }
            Column::Failed => Line::new().tell(Style::Bad, &column.acts(entry)),
            Column::Changed | Column::Cost => Line::new().tell(Style::Normal, &column.acts(entry)),
            Column::Id if ids[*at].len() > room => Line::new().say(Style::Faint, "↓"),
            Column::Id => Line::new().tell(Style::Faint, &ids[*at]),
        };
        lines.push(columns.iter().map(cell).collect());
    }
    if let Some(title) = columns.iter().position(|column| *column == Column::Title) {
        let origin_of = |at: &usize| {
            let entry = &rows.entries[*at];
            origin(&origins, entry.format, &entry.id).map(label)
        };
        let labels = order.iter().map(|(at, _)| origin_of(at));
        fit(&mut lines, title, &[None].into_iter().chain(labels).collect::<Vec<_>>(), width);
    }
    let right: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].is_right()).collect();
    let mut below: Vec<Vec<Line>> = std::iter::once(Vec::new())
        .chain(order.iter().map(|(at, _)| below(rows, *at, &ids, (room, width, home.as_deref()))))
        .collect();
    headings(rows, &order, now, &mut below);
    screen.table_with(&lines, &right, &below)?;
    Ok(())
}

/// The names of the sessions: short ones on a terminal, elsewhere their ids.
fn shown_ids(rows: &Rows<'_>, is_terminal: bool) -> Vec<String> {
    match is_terminal {
        true => names(&rows.entries.iter().collect::<Vec<_>>(), rows.ids),
        false => rows.entries.iter().map(|entry| entry.id.clone()).collect(),
    }
}

/// Adds the heading of each group of days, below what is before its first row.
fn headings(rows: &Rows<'_>, order: &[(usize, usize)], now: UtcTime, below: &mut [Vec<Line>]) {
    let Some(time) = rows.days else { return };
    let mut group = String::new();
    for (lines, (at, _)) in below.iter_mut().zip(order).filter(|(_, (_, depth))| *depth == 0) {
        let own = rows.zone.group(time(&rows.entries[*at]), now);
        if own != group {
            lines.push(Line::new().tell(Style::Faint, &own));
            group = own;
        }
    }
}

/// The lines below a row.
fn below(
    rows: &Rows<'_>,
    at: usize,
    ids: &[String],
    (room, width, home): (usize, usize, Option<&Path>),
) -> Vec<Line> {
    let (entry, mut lines) = (&rows.entries[at], Vec::new());
    if ids[at].len() > room {
        lines.push(Line::new().say(Style::Faint, "  ").tell(Style::Faint, &ids[at]));
    }
    if rows.verbose {
        let file = entry.files.first().map(|file| file.display().to_string()).unwrap_or_default();
        let file = human::folder(&file, home).cut_middle(width.saturating_sub(8));
        lines.push(Line::new().say(Style::Faint, "  file: ").put(Style::Faint, file));
        let model = entry.model.as_deref().unwrap_or("unknown");
        lines.push(Line::new().say(Style::Faint, "  model: ").tell(Style::Faint, model));
        let command = format!("verbatim resume {}", ids[at]);
        lines.push(Line::new().say(Style::Faint, "  continue: ").command(Style::Faint, &command));
    }
    lines
}

/// The age of a session, or its date. `~` marks the time of its files.
fn dated(rows: &Rows<'_>, entry: &Entry, now: UtcTime) -> String {
    let Some(time) = entry.updated else { return String::new() };
    let mark = if entry.undated { "~" } else { "" };
    match rows.dates {
        true => format!("{mark}{}", rows.zone.moment(time)),
        false => format!("{mark}{}", human::age(now, time)),
    }
}

/// Number of characters of the id of the session that a placed session was made from.
const SOURCE: usize = 8;

/// The words that name the session that a placed session was made from, by the beginning of its id.
fn label(source: &str) -> Plain {
    let (agent, id) = source.split_once(':').unwrap_or(("", source));
    let begun: String = id.chars().take(SOURCE).collect();
    let between = if agent.is_empty() { "" } else { ":" };
    Plain::line(&format!("(from {agent}{between}{begun})"))
}

/// The title of a session, below the one that started it.
fn titled(entry: &Entry, depth: usize) -> Line {
    let branch = if depth > 0 { "  ".repeat(depth - 1) + "└ " } else { String::new() };
    let (title, derived) = title(entry);
    let style = if derived { Style::Normal } else { Style::Strong };
    let title = Plain::line(&(branch + &title));
    // Its agent has deleted it, or its machine is another.
    let mark = if entry.archived { "archived: " } else { "" };
    match mark {
        "" => Line::new().put(style, title.cut(LONGEST)),
        mark => Line::new().say(Style::Faint, mark).put(style, title.cut(LONGEST)),
    }
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

/// Truncates the titles so that the rows fit into `width` columns, and puts the labels behind them,
/// which stay whole where there is room for them.
fn fit(rows: &mut [Vec<Line>], title: usize, labels: &[Option<Plain>], width: usize) {
    let columns = rows.first().map_or(0, Vec::len);
    let widest = |at: usize| rows.iter().map(|row| row[at].width()).max().unwrap_or_default();
    let others: usize = (0..columns).filter(|at| *at != title).map(widest).sum();
    let room = width.saturating_sub(others + 2 * columns.saturating_sub(1));
    let room = room.clamp(SHORTEST, LONGEST);
    for (row, label) in rows.iter_mut().zip(labels) {
        let cell = std::mem::take(&mut row[title]);
        row[title] = match label {
            Some(label) => {
                let left = room.saturating_sub(label.width() + 1);
                let cell =
                    if left > 1 { cell.cut(left).say(Style::Faint, " ") } else { Line::new() };
                cell.put(Style::Faint, label.clone()).cut(room)
            }
            None => cell.cut(room),
        };
    }
}
