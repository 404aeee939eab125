//! The turns that last wrote the lines of a file.

use operations::blame::{BlamedFile, LineOrigin, blame};
use rmcp::model::JsonObject;

use super::Question;
use super::answers::NO_FILE;
use super::arguments::Arguments;
use super::frame::Response;

/// Answers which turns wrote the lines of a file. It has numbers of lines, and none of their texts.
pub(super) fn of_file(
    asked: &Question<'_>,
    given: &JsonObject,
    into: &mut Response,
) -> Result<(), String> {
    let given = Arguments::of(given, &["path", "from_line", "to_line"])?;
    let file = asked.file(given.text("path")?).ok_or(NO_FILE)?;
    let (first, last) = (
        given.number("from_line", (1, u64::MAX), 1)?,
        given.number("to_line", (1, u64::MAX), u64::MAX)?,
    );
    let text = catalog::bounded(&file, BlamedFile::LONGEST).map_err(|_| NO_FILE.to_owned())?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let file = BlamedFile::at(&file, text, &asked.machine).map_err(|_| NO_FILE.to_owned())?;
    let blame = blame(&asked.catalog, &asked.within, &file)
        .map_err(|_| "the sessions can't be read".to_owned())?;
    let index = |line: u64| usize::try_from(line).unwrap_or(usize::MAX);
    let (from, to) = (index(first) - 1, index(last).min(blame.lines.len()));
    let mut runs: Vec<(usize, usize, LineOrigin)> = Vec::new();
    for at in from..to {
        let origin = blame.lines[at];
        match runs.last_mut() {
            Some((_, end, same)) if *same == origin && *end == at => *end = at + 1,
            _ => runs.push((at, at + 1, origin)),
        }
    }
    into.say(&format!("{} lines in the file, {} runs of lines", blame.lines.len(), runs.len()));
    let mut left = 0;
    for (start, end, origin) in runs {
        let mut facts = vec![("lines", format!("{}-{end}", start + 1))];
        match origin {
            LineOrigin::Written(writer) => {
                let by = &blame.writers[writer];
                facts.insert(0, ("address", by.address.clone()));
                facts.push(("agent", by.format.to_owned()));
                facts.push(("turn", by.turn.to_string()));
                facts.extend(by.time.map(|time| ("time", time.rfc3339())));
            }
            other => facts.push(("by", other.words().unwrap_or_default().to_owned())),
        }
        if !into.item(&facts, None) {
            left += 1;
        }
    }
    if left > 0 {
        into.say(&format!("left out: {left} more runs of lines"));
    }
    if !blame.unplaced.is_empty() {
        let count = blame.unplaced.len();
        into.say(&format!("{count} recorded edits of the file can't be placed"));
    }
    Ok(())
}
