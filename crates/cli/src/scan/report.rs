//! A scan for people: each value once, those of one session together, and the summary last.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use api::redact::{FindingRow, ScanDocument, ScanRow};
use api::values::ranges;
use redact::Tag;
use redact::rules::Class;
use session::Sorting as _;

use crate::environment::Environment;
use crate::exit::Failure;
use crate::human::{count, counted};
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

/// Number of lines of a report, unless everything is listed.
const LINES: usize = 24;
/// The least number of values that are listed of a session.
const FEW: usize = 3;
/// Number of files that are named of those that could not be looked through.
const UNREAD: usize = 3;

/// The choice of what is shown.
#[derive(Clone, Copy)]
pub(super) struct Shown<'h> {
    /// Every value with all of its places, and every file that was skipped.
    pub(super) all: bool,
    pub(super) home: Option<&'h Path>,
}

/// The findings of a value, each with its number in the source, the first one first.
type Value<'d> = [(u32, &'d FindingRow<'d>)];

/// A source that has values.
struct Block<'d> {
    name: String,
    /// The findings, those of one value together.
    rows: Vec<(u32, &'d FindingRow<'d>)>,
    /// The first and the last finding of each value, in the order of the first ones.
    values: Vec<(u32, u32)>,
}

impl<'d> Block<'d> {
    /// Its values.
    fn values(&self) -> impl Iterator<Item = &Value<'d>> {
        self.values.iter().map(|&(first, last)| &self.rows[first as usize..=last as usize])
    }
}

/// Prints a scan.
pub(super) fn print(
    document: &ScanDocument<'_>,
    shown: Shown<'_>,
    screen: &mut Screen<'_>,
) -> io::Result<()> {
    let mut blocks: Vec<Block<'_>> = document.sources.iter().filter_map(block).collect();
    blocks.in_order_by_key(|block| std::cmp::Reverse(block.values.len()));
    let footer = footer(document, shown, blocks.len());
    let unread = match document.not_read.len() {
        0 => 0,
        unread => unread.min(UNREAD) + usize::from(unread > UNREAD),
    };
    // The line of those that are not shown, and an empty line.
    let room = LINES.saturating_sub(footer.len() + unread + 2);
    let (rows, hidden) = body(&blocks, shown, room, screen.width);
    for row in &rows {
        screen.line(row)?;
    }
    if let Some(hidden) = hidden {
        screen.line(&fitted(Style::Faint, &hidden, screen.width))?;
    }
    if !rows.is_empty() {
        screen.gap()?;
    }
    footer.iter().try_for_each(|(style, text)| screen.line(&fitted(*style, text, screen.width)))
}

/// Prints the files that could not be looked through.
pub(super) fn unread(
    document: &ScanDocument<'_>,
    all: bool,
    env: &mut Environment<'_>,
) -> Result<(), Failure> {
    let unread = &document.not_read;
    let named = if all { unread.len() } else { UNREAD };
    for file in unread.iter().take(named) {
        let line = Plain::line(&format!("warning: not read: {file}"));
        writeln!(env.err, "{}", line.cut(env.width.unwrap_or(usize::MAX)))?;
    }
    let more = unread.len().saturating_sub(named) as u64;
    if more > 0 {
        writeln!(env.err, "warning: not read: {} more (`--all` lists them)", count(more))?;
    }
    Ok(())
}

fn block<'d>(source: &'d ScanRow<'_>) -> Option<Block<'d>> {
    let first = source.findings.first()?;
    let value = |row: &FindingRow<'_>| (row.entry.class, row.entry.tag);
    let mut rows: Vec<(u32, &FindingRow<'_>)> = (0..).zip(&source.findings).collect();
    rows.in_order_by_key(|(_, row)| value(row));
    let (mut values, mut at) = (Vec::new(), 0);
    for places in rows.chunk_by(|(_, a), (_, b)| value(a) == value(b)) {
        let behind = at + places.len() as u32;
        values.push((at, behind - 1));
        at = behind;
    }
    values.in_order_by_key(|&(first, _)| rows[first as usize].0);
    let name = match source.sessions {
        [] => first.path.to_string(),
        [one] => one.clone(),
        [one, more @ ..] => {
            format!("{one} and {}", counted(more.len() as u64, "other", "others"))
        }
    };
    Some(Block { name, rows, values })
}

/// The lines of the values, and the line of those that are not shown.
fn body(
    blocks: &[Block<'_>],
    shown: Shown<'_>,
    room: usize,
    width: Option<usize>,
) -> (Vec<Line>, Option<String>) {
    let room = if shown.all { usize::MAX } else { room };
    let most = (room / blocks.len().max(1)).saturating_sub(1).max(FEW);
    let (mut lines, mut values, mut sources) = (Vec::new(), 0, 0);
    for block in blocks {
        let (name, all) = (&block.name, &block.values);
        let left = room - lines.len().min(room);
        let here = all.len().min(most).min(left.saturating_sub(1));
        if here == 0 {
            (values, sources) = (values + all.len(), sources + 1);
            continue;
        }
        values += all.len() - here;
        sources += usize::from(here < all.len());
        let number = counted(all.len() as u64, "value", "values");
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(number.len() + 2));
        let head = Line::new().put(Style::Strong, end(name, room));
        lines.push(head.tell(Style::Faint, &format!("  {number}")));
        let lengths = |of: fn(&Value<'_>) -> usize| block.values().take(here).map(of).max();
        let columns = (
            lengths(|value| name_of(value).len()).unwrap_or_default(),
            lengths(|value| number_of(value).len()).unwrap_or_default(),
        );
        for value in block.values().take(here) {
            lines.push(line(value, columns, shown, width));
            lines.extend(shown.all.then(|| places(value)).into_iter().flatten());
        }
    }
    let more = || {
        let values = counted(values as u64, "more value", "more values");
        let sources = counted(sources as u64, "source", "sources");
        format!("… and {values} in {sources}: `--all` lists everything")
    };
    (lines, (values > 0).then(more))
}

/// A value by its class and its rule.
fn name_of(value: &Value<'_>) -> String {
    let Some((_, FindingRow { entry, rule, .. })) = value.first() else { return String::new() };
    let class = entry.class.name();
    if class == *rule { rule.to_string() } else { format!("{class} {rule}") }
}

fn number_of(value: &Value<'_>) -> String {
    counted(value.len() as u64, "place", "places")
}

/// A value: its class, the number of its places, and the first of them.
fn line(
    value: &Value<'_>,
    (class, digits): (usize, usize),
    shown: Shown<'_>,
    width: Option<usize>,
) -> Line {
    let Some((_, FindingRow { entry, path, .. })) = value.first() else { return Line::new() };
    let head = format!("  {:class$}  {:>digits$}  ", name_of(value), number_of(value));
    let path = crate::human::folder(path, shown.home);
    let wrappings = entry.wrappings.iter();
    let wrapped: String = wrappings.map(|wrapping| format!(" in {}", wrapping.name())).collect();
    let place = format!("{}:{}", path.as_str(), entry.line);
    let more = if shown.all { format!("{}{wrapped}", entry.text.pointer) } else { wrapped };
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(head.len()));
    let place = end(&place, room);
    let rest = room.saturating_sub(place.width());
    let line = Line::new().tell(Style::Normal, &head).put(Style::Faint, place);
    // A cut to nothing would still leave its mark.
    let more = if rest > 1 { Plain::words(&more).cut(rest) } else { Plain::default() };
    line.put(Style::Faint, more)
}

/// All places of a value but the first one, by file.
fn places(value: &Value<'_>) -> Vec<Line> {
    let mut files: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (_, row) in value.iter().skip(1) {
        files.entry(&row.path).or_default().push(row.entry.line);
    }
    let line = |(path, mut lines): (&str, Vec<u32>)| {
        lines.in_order();
        Line::new().tell(Style::Faint, &format!("      {path}:{}", ranges(lines).join(",")))
    };
    files.into_iter().map(line).collect()
}

/// The summary, and the next steps.
fn footer(document: &ScanDocument<'_>, shown: Shown<'_>, with: usize) -> Vec<(Style, String)> {
    let mut lines = Vec::new();
    let values = counted(document.values as u64, "value", "values");
    let places = counted(document.findings as u64, "place", "places");
    let sessions = counted(document.sessions as u64, "session", "sessions");
    let texts = counted(document.texts as u64, "other file", "other files");
    lines.push((
        Style::Strong,
        match document.findings {
            0 => format!("0 values in {sessions} and {texts}"),
            _ => {
                let with = counted(with as u64, "source", "sources");
                format!("{values} at {places} in {with}, of {sessions} and {texts}")
            }
        },
    ));
    let rows = document.sources.iter().flat_map(|source| &source.findings);
    let mut found: Vec<(Class, Tag)> = rows.map(|row| (row.entry.class, row.entry.tag)).collect();
    found.in_order();
    found.dedup();
    let classes = found.chunk_by(|a, b| a.0 == b.0);
    let mut classes: Vec<(usize, &str)> =
        classes.map(|values| (values.len(), values[0].0.name())).collect();
    classes.in_order_by_key(|(number, class)| (std::cmp::Reverse(*number), *class));
    if !classes.is_empty() {
        let name = |(number, class): &(usize, &str)| format!("{class} {}", count(*number as u64));
        lines.push((Style::Normal, classes.iter().map(name).collect::<Vec<_>>().join(" · ")));
    }
    if document.accepted > 0 {
        let accepted = counted(document.accepted as u64, "place is", "places are");
        lines.push((Style::Faint, format!("{accepted} accepted or known already")));
    }
    if let Some(list) = &document.allow {
        lines.push((Style::Faint, format!("list of accepted findings: {list}")));
    }
    if shown.all {
        lines
            .extend(document.skipped.iter().map(|file| (Style::Faint, format!("skipped: {file}"))));
    } else if !document.skipped.is_empty() {
        let skipped = counted(document.skipped.len() as u64, "file", "files");
        lines.push((Style::Faint, format!("{skipped} skipped: `--all` tells which, and why")));
    }
    if document.findings > 0 {
        let copy = "next: `verbatim redact SESSION -o FILE` writes a copy without them;";
        lines.push((Style::Normal, copy.into()));
        let accept = "  `verbatim scan --accept REASON PATHS` accepts them; `--all` lists places";
        lines.push((Style::Normal, accept.into()));
    }
    lines
}

/// A text as a line of at most this width.
fn fitted(style: Style, text: &str, width: Option<usize>) -> Line {
    Line::new().put(style, Plain::words(text).cut(width.unwrap_or(usize::MAX)))
}

/// The end of a text, at most `width` columns: of a path it tells more than the beginning.
fn end(text: &str, width: usize) -> Plain {
    let whole = Plain::words(text);
    if whole.width() <= width {
        return whole;
    }
    let starts = text.char_indices().map(|(at, _)| at).skip(1);
    let cut = starts.map(|at| Plain::words(&format!("…{}", &text[at..])));
    cut.into_iter().find(|cut| cut.width() <= width).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use api::redact::Fingerprint;
    use redact::{ReportEntry, ReportText, TagKey, Wrapping};

    use super::*;

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let path = "a/long/way/to/the/file".repeat(9);
        let entry = ReportEntry {
            member: 0,
            line: 1234,
            bytes: (0, 9),
            text: Arc::new(ReportText {
                file: path.clone().into(),
                pointer: "/message/content".into(),
            }),
            wrappings: Box::new([Wrapping::Json, Wrapping::Base64]),
            rule: "github".into(),
            tag: TagKey::new([1; 32]).tag(Class::ProviderToken, b"value"),
            class: Class::ProviderToken,
            is_dropped: false,
        };
        let first = FindingRow {
            entry: &entry,
            rule: "github",
            file: path.clone().into(),
            path: path.into(),
            fingerprint: Fingerprint::default(),
        };
        let value = [(0, &first)];
        for (all, width) in [(false, 80), (true, 80), (false, 60), (false, 120)] {
            let shown = Shown { all, home: None };
            let line = line(&value, (21, 7), shown, Some(width));
            assert!(line.width() <= width, "{} of {width}", line.width());
        }
    }
}
