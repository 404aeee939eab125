//! Result of a check, printed for people.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use api::check::{Totals, drift as drift_of};
use catalog::Skipped;
use operations::check::{Checked, Damaged, Lost};
use operations::{Drift, Level, Strange};

use crate::human::{self, counted};
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

/// The complete result of a check.
pub(crate) struct CheckResult<'v> {
    /// The sources.
    pub checked: &'v [Checked],
    /// The files that are not sessions.
    pub skipped: &'v [Skipped],
}

impl CheckResult<'_> {
    pub(crate) fn totals(&self) -> Totals {
        Totals::of(self.checked, self.skipped)
    }

    fn by_format(&self) -> BTreeMap<&'static str, Totals> {
        let mut formats: BTreeMap<&'static str, Totals> = BTreeMap::new();
        for checked in self.checked {
            formats.entry(checked.format).or_default().add(checked);
        }
        formats
    }
}

/// Maximum number of lines in a section. Further items are only counted.
const SHOWN: usize = 50;

/// Prints the whole result.
pub(crate) fn print(
    result: &CheckResult<'_>,
    home: Option<&Path>,
    screen: &mut Screen<'_>,
) -> io::Result<()> {
    verdict(&result.totals(), screen)?;
    formats(result, screen)?;
    let lost: Vec<&Lost> = result.checked.iter().flat_map(|checked| &checked.lost).collect();
    section(screen, "Lost", Style::Bad, &lost, |lost| {
        let bytes = match lost.length {
            0 => String::new(),
            length => format!(", {}", counted(length, "byte", "bytes")),
        };
        place(&lost.path, home, lost.line, lost.byte, &format!("{}{bytes}", lost.what))
    })?;
    let noted = result.checked.iter().flat_map(|checked| &checked.damaged);
    let (dangling, damaged): (Vec<&Damaged>, Vec<&Damaged>) =
        noted.partition(|damaged| damaged.dangling);
    section(screen, "Damaged, kept unchanged", Style::Warn, &damaged, |damaged| {
        let mended = if damaged.mended { "; all of it could be read" } else { "" };
        let what = format!("{}{mended}", damaged.why);
        place(&damaged.path, home, damaged.line, damaged.byte, &what)
    })?;
    section(screen, "Base file missing", Style::Warn, &dangling, |dangling| {
        place(&dangling.path, home, dangling.line, dangling.byte, &dangling.why)
    })?;
    let unread = result.checked.iter().flat_map(|checked| &checked.unread);
    let unread = unread.map(|unread| (unread.path.as_path(), unread.why.clone()));
    let failures = result.skipped.iter().filter(|skipped| skipped.why.is_failure());
    let failures = failures.map(|skipped| (skipped.path.as_path(), skipped.why.to_string()));
    let mut failures: Vec<_> = unread.chain(failures).collect();
    // Scanning and reading may fail for the same reason. The shorter of the two messages is
    // dropped.
    let all = failures.clone();
    let is_said = |(path, why): &(&Path, String)| {
        all.iter().any(|(other, whole)| other == path && whole != why && whole.ends_with(&**why))
    };
    failures.retain(|failure| !is_said(failure));
    failures.dedup();
    section(screen, "Not read", Style::Bad, &failures, |(path, why)| of_file(path, home, why))?;
    drift(&drift_of(result.checked), screen)?;
    skipped(result, home, screen)?;
    summary(result, screen)
}

/// Prints the verdict in one line; the last line has the numbers.
fn verdict(totals: &Totals, screen: &mut Screen<'_>) -> io::Result<()> {
    if totals.sessions + totals.files + totals.failures == 0 {
        return Ok(());
    }
    let (style, words) = match lost(totals) {
        Some(lost) => (Style::Bad, lost),
        None if totals.failures > 0 => {
            let files = counted(totals.failures, "file", "files");
            (Style::Bad, format!("nothing is lost, but {files} could not be read"))
        }
        None if totals.damaged > 0 => {
            (Style::Warn, "nothing is lost; damaged lines are kept as they are".to_owned())
        }
        None => (Style::Good, "nothing is lost".to_owned()),
    };
    screen.line(&Line::new().tell(style, &words))
}

/// Prints the totals for each format, one row each.
fn formats(result: &CheckResult<'_>, screen: &mut Screen<'_>) -> io::Result<()> {
    let formats = result.by_format();
    let mut rows = Vec::new();
    for (name, totals) in &formats {
        let leaves = match totals.leaves {
            0 => String::new(),
            leaves => counted(leaves, "value confirmed", "values confirmed"),
        };
        rows.push(vec![
            Line::new().say(Style::Name, name),
            Line::new().tell(Style::Normal, &counted(totals.sessions, "session", "sessions")),
            Line::new().tell(Style::Normal, &counted(totals.files, "file", "files")),
            Line::new().tell(Style::Normal, &human::size(totals.bytes)),
            Line::new().tell(Style::Faint, &counted(totals.records, "record", "records")),
            Line::new().tell(Style::Faint, &leaves),
        ]);
    }
    screen.table(&rows, &[1, 2, 3, 4, 5])?;
    if rows.is_empty() { Ok(()) } else { screen.gap() }
}

/// Prints a heading and a line for each item, up to the maximum number.
fn section<T>(
    screen: &mut Screen<'_>,
    heading: &'static str,
    style: Style,
    items: &[T],
    line: impl Fn(&T) -> Line,
) -> io::Result<()> {
    if items.is_empty() {
        return Ok(());
    }
    screen.line(&Line::new().say(style, heading))?;
    for item in items.iter().take(SHOWN) {
        screen.line(&line(item))?;
    }
    if let Some(more) = items.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let more = format!("  … and {} more (`--json` lists them all)", human::count(more as u64));
        screen.line(&Line::new().tell(Style::Faint, &more))?;
    }
    screen.gap()
}

fn place(path: &Path, home: Option<&Path>, line: u64, byte: u64, what: &str) -> Line {
    let file = human::folder(&path.to_string_lossy(), home);
    Line::new()
        .say(Style::Normal, "  ")
        .put(Style::Normal, file)
        .put(Style::Normal, Plain::line(&format!(":{line}")))
        .put(Style::Faint, Plain::ours("  byte "))
        .tell(Style::Faint, &byte.to_string())
        .say(Style::Normal, "  ")
        .tell(Style::Normal, what)
}

fn of_file(path: &Path, home: Option<&Path>, why: &str) -> Line {
    Line::new()
        .say(Style::Normal, "  ")
        .put(Style::Normal, human::folder(&path.to_string_lossy(), home))
        .say(Style::Normal, "  ")
        .tell(Style::Faint, why)
}

/// Prints the schema drift of each agent, new record types first.
fn drift(drift: &Drift, screen: &mut Screen<'_>) -> io::Result<()> {
    if drift.is_empty() {
        return Ok(());
    }
    screen.line(&Line::new().say(Style::Warn, "Unmapped (schema drift), kept"))?;
    for (kinds, listed) in drift.agents() {
        for (strange, count) in listed.iter().take(SHOWN) {
            screen.line(&unknown(strange, *count))?;
        }
        let Some((first, _)) = listed.first_key_value() else { continue };
        let Some(more) = kinds.checked_sub(SHOWN as u64).filter(|more| *more > 0) else { continue };
        let all = if kinds > listed.len() as u64 { "more of them" } else { "them all" };
        let more = format!("  … and {} more (`--json` lists {all})", human::count(more));
        let line = Line::new().say(Style::Normal, "  ").say(Style::Name, first.format);
        screen.line(&line.tell(Style::Faint, &more))?;
    }
    screen.gap()
}

fn unknown(strange: &Strange, count: u64) -> Line {
    let kind = match strange.level {
        Level::Table => "not read:",
        Level::Record => "new record type",
        Level::Field => "field",
    };
    Line::new()
        .say(Style::Normal, "  ")
        .say(Style::Name, strange.format)
        .say(Style::Normal, " ")
        .tell(Style::Normal, strange.version.as_deref().unwrap_or("(no version)"))
        .say(Style::Faint, "  ")
        .say(Style::Faint, kind)
        .say(Style::Normal, " ")
        .tell(Style::Normal, &strange.what)
        .tell(Style::Faint, &format!("  ×{}", human::count(count)))
}

/// Prints the files that are not sessions, by reason.
fn skipped(
    result: &CheckResult<'_>,
    home: Option<&Path>,
    screen: &mut Screen<'_>,
) -> io::Result<()> {
    let mut reasons: BTreeMap<String, Vec<&Path>> = BTreeMap::new();
    for skipped in result.skipped.iter().filter(|skipped| !skipped.why.is_failure()) {
        reasons.entry(skipped.why.to_string()).or_default().push(&skipped.path);
    }
    if reasons.is_empty() {
        return Ok(());
    }
    screen.line(&Line::new().say(Style::Strong, "Not a session"))?;
    for (why, paths) in &reasons {
        let count = counted(paths.len() as u64, "file", "files");
        let line = Line::new().say(Style::Normal, "  ").tell(Style::Normal, why);
        screen.line(&line.say(Style::Faint, " · ").tell(Style::Faint, &count))?;
        for path in paths.iter().take(SHOWN) {
            let file = human::folder(&path.to_string_lossy(), home);
            screen.line(&Line::new().say(Style::Normal, "    ").put(Style::Faint, file))?;
        }
        if let Some(more) = paths.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            let more =
                format!("… and {} more (`--json` lists them all)", human::count(more as u64));
            screen.line(&Line::new().say(Style::Normal, "    ").tell(Style::Faint, &more))?;
        }
    }
    screen.gap()
}

/// The loss in words; `None` if nothing is.
pub(crate) fn lost(totals: &Totals) -> Option<String> {
    let places = counted(totals.lost_places, "place", "places");
    match (totals.lost_places, totals.lost_bytes, totals.missing_leaves) {
        (0, _, 0) => None,
        (0, _, values) => Some(format!("{} LOST", counted(values, "value", "values"))),
        (_, 0, _) => Some(format!("the proof FAILS in {places}, 0 bytes lost")),
        (_, bytes, _) => Some(format!("{} LOST in {places}", counted(bytes, "byte", "bytes"))),
    }
}

/// Prints the last line: the totals, and whether bytes are lost.
fn summary(result: &CheckResult<'_>, screen: &mut Screen<'_>) -> io::Result<()> {
    let (totals, drift) = (&result.totals(), drift_of(result.checked));
    let tables = drift.listed().filter(|(strange, _)| strange.level == Level::Table).count() as u64;
    let dot = |line: Line| line.say(Style::Faint, " · ");
    let sessions = counted(totals.sessions, "session", "sessions");
    let mut line = dot(Line::new().tell(Style::Strong, &sessions));
    if totals.copies > 0 {
        line = dot(line.tell(Style::Normal, &counted(totals.copies, "copy", "copies")));
    }
    line = dot(line.tell(Style::Strong, &human::size(totals.bytes)));
    line = match lost(totals) {
        None => line.say(Style::Good, "0 bytes lost"),
        Some(lost) => line.tell(Style::Bad, &lost),
    };
    if tables > 0 {
        let what = counted(tables, "table of a database", "tables of databases");
        line = dot(line).tell(Style::Warn, &format!("{what} NOT READ"));
    }
    if totals.damaged > 0 {
        let lines = counted(totals.damaged, "damaged line", "damaged lines");
        let are = if totals.damaged == 1 { "it is" } else { "they are" };
        line = dot(line).tell(Style::Warn, &format!("{lines} kept as {are}"));
    }
    if totals.mended > 0 {
        let lines = counted(totals.mended, "damaged line", "damaged lines");
        line = dot(line).tell(Style::Warn, &format!("{lines} read"));
    }
    if totals.aside > 0 {
        let files = counted(totals.aside, "other file", "other files");
        line = dot(line).tell(Style::Faint, &files);
    }
    if totals.failures > 0 {
        let files = counted(totals.failures, "file", "files");
        line = dot(line).tell(Style::Bad, &format!("{files} NOT READ"));
    }
    screen.line(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_without_bytes_is_no_lost_byte() {
        let of = |lost_places, lost_bytes, missing_leaves| {
            lost(&Totals { lost_places, lost_bytes, missing_leaves, ..Totals::default() })
        };
        assert_eq!(of(0, 0, 0), None);
        assert_eq!(of(1, 0, 0).as_deref(), Some("the proof FAILS in 1 place, 0 bytes lost"));
        assert_eq!(of(2, 7, 1).as_deref(), Some("7 bytes LOST in 2 places"));
        assert_eq!(of(0, 0, 3).as_deref(), Some("3 values LOST"));
    }
}
