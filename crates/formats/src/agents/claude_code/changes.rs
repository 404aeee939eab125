//! File changes of Claude Code's tools. The result has the most detail (`toolUseResult`: the
//! previous text, the hunks). Otherwise the call and the model's copy of the answer are used. A
//! call that failed changed nothing.

use std::collections::HashMap;

use meaning::Calls;
use replay::{Change, Hunk, Line, Replacement};
use session::value::{self, text_at};
use session::{EventIx, EventRef, Kind, Node, Outcome, Session, Slot, Standing};

use super::tools;
use crate::format::WantedCalls;
use crate::tools::{Common, Means, Shows, Tool};

/// The changes of a session in source order.
pub(super) fn of(session: &Session, wanted: WantedCalls<'_>) -> Vec<(EventIx, String, Change)> {
    let calls = Calls::of(session);
    let mut changes = Vec::new();
    for line in session.top() {
        if line.standing.is_copied()
            || matches!(line.standing, Standing::Superseded | Standing::Echo)
        {
            continue;
        }
        let good = |block: &EventRef<'_>| {
            block.kind == Kind::ToolResult && !block.outcome().is_some_and(Outcome::is_bad)
        };
        for block in line.children().filter(good) {
            let call = calls.call(block.index);
            let is_done = |call: &EventIx| calls.result(*call) == Some(block.index);
            if let Some(call) = call.filter(|call| wanted(*call) && is_done(call)) {
                changes.extend(done(session.event(call), block));
            }
        }
    }
    changes
}

/// The changes of a successful call.
fn done(call: EventRef<'_>, answer: EventRef<'_>) -> Vec<(EventIx, String, Change)> {
    let tool = call.text(Slot::Name).and_then(|name| tools::TOOLS.named(&name));
    let (Some(tool), Some(input)) = (tool, call.raw(Slot::Input)) else { return Vec::new() };
    let told = (tools::RESULTS.of)(answer).unwrap_or_default();
    let own = |(path, change)| (call.index, path, change);
    if tool.common == Common::Shell {
        return shell(tool, input, told).into_iter().map(own).collect();
    }
    let asked = || value::look(input, |input| tool.text(Means::Path, input));
    let path = value::look(told, |told| shows(Shows::Path, told)).or_else(asked);
    let Some(path) = path else { return Vec::new() };
    let said = answer.raw(Slot::Output).map_or_else(Default::default, value::said);
    let by_result =
        value::look(told, |told| by_result(tool.common, told)).map(|change| vec![change]);
    let by_call = || value::look(input, |input| Some(by_call(tool, input, &said)));
    let changes = by_result.or_else(by_call).unwrap_or_default().into_iter();
    changes.map(|change| own((path.clone(), change))).collect()
}

/// The changes of a command that succeeded and was not interrupted.
fn shell(tool: &Tool, input: &[u8], told: &[u8]) -> Vec<(String, Change)> {
    let cut = value::look(told, |told| Some(tools::RESULTS.is_true(Shows::Interrupted, told)));
    let command = value::look(input, |input| tool.text(Means::Command, input));
    let command = command.filter(|_| cut != Some(true)).unwrap_or_default();
    replay::command(&command)
}

/// The text with a meaning in a result.
fn shows(shows: Shows, result: Node<'_>) -> Option<String> {
    tools::RESULTS.text(shows, result)
}

fn number(shows: Shows, result: Node<'_>) -> Option<usize> {
    tools::RESULTS.number(shows, result)
}

/// The change by the result.
fn by_result(tool: Common, told: Node<'_>) -> Option<Change> {
    let before = shows(Shows::Before, told);
    match tool {
        Common::Read => {
            let whole = number(Shows::FirstLine, told)? <= 1
                && number(Shows::Lines, told)? == number(Shows::AllLines, told)?;
            let content = shows(Shows::Seen, told)?;
            whole.then_some(Change::Seen { content })
        }
        Common::Notebook => Some(match shows(Shows::After, told) {
            Some(after) => Change::Write { before, after },
            None => Change::Unclear { why: NOTEBOOK },
        }),
        Common::Write if tools::RESULTS.word(Shows::Change, told) == Some(b"create") => {
            let after = shows(Shows::After, told)?;
            Some(Change::Write { before: Some(String::new()), after })
        }
        Common::Write if before.is_some() => {
            Some(Change::Write { before, after: shows(Shows::After, told)? })
        }
        Common::Write | Common::Edit => {
            let mut edits = edits(told);
            if let [Replacement { old, new, .. }] = edits.as_slice()
                && old.is_empty()
            {
                return Some(Change::Write { before: Some(String::new()), after: new.clone() });
            }
            // Only the hunks have the person's own modification.
            if tools::RESULTS.is_true(Shows::Modified, told) {
                edits.clear();
            }
            let Some(patch) = tools::RESULTS.value(Shows::Hunks, told) else {
                return before.is_some().then_some(Change::Replace { before, edits });
            };
            let mut hunks = hunks(patch);
            let written = edits.iter().map(|edit| edit.new.clone());
            mend(&mut hunks, &written.chain(shows(Shows::After, told)).collect::<Vec<_>>());
            (!hunks.is_empty()).then_some(Change::Hunks { before, hunks, edits })
        }
        _ => None,
    }
}

/// The reason why a notebook's change can't be derived.
const NOTEBOOK: &str = "an edit of a notebook without a word of what the file holds";

/// The change by the call, which the answer confirms.
fn by_call(tool: &Tool, input: Node<'_>, said: &str) -> Vec<Change> {
    match tool.common {
        Common::Read => {
            let part = [Means::FirstLine, Means::Lines].iter().any(|part| tool.has(*part, input));
            let content = if part { None } else { numbered(said) };
            content.map(|content| Change::Seen { content }).into_iter().collect()
        }
        Common::Notebook => vec![Change::Unclear { why: NOTEBOOK }],
        Common::Write => {
            let created = said.starts_with("File created successfully");
            let before = created.then(String::new);
            let after = tool.text(Means::Text, input);
            after.map(|after| Change::Write { before, after }).into_iter().collect()
        }
        Common::Edit => edits(input).into_iter().map(asked).collect(),
        _ => Vec::new(),
    }
}

/// The edits of a call or a result, in order: one or several.
fn edits(node: Node<'_>) -> Vec<Replacement> {
    match tools::RESULTS.value(Shows::Edits, node) {
        Some(edits) => edits.elements().filter_map(edit).collect(),
        None => edit(node).into_iter().collect(),
    }
}

/// An edit, of a result or of a call: results have the names of both. A deleted text takes the line
/// end after it along.
fn edit(node: Node<'_>) -> Option<Replacement> {
    let (old, new) = (shows(Shows::Old, node)?, shows(Shows::New, node)?);
    let all = tools::RESULTS.is_true(Shows::All, node);
    Some(Replacement { old, new, all, line: true })
}

/// An edit of nothing creates a file.
fn asked(edit: Replacement) -> Change {
    match edit.old.is_empty() {
        true => Change::Write { before: Some(String::new()), after: edit.new },
        false => Change::replace(edit),
    }
}

/// Restores indentation. The hunks show each leading tab as two spaces. New lines get their written
/// text back. A line of which only a part was written has tabs if the written text has them.
fn mend(hunks: &mut [Hunk], written: &[String]) {
    let lines = || written.iter().flat_map(|text| text.lines());
    if !lines().any(|line| line.starts_with('\t')) {
        return;
    }
    let known: HashMap<String, &str> = lines().map(|line| (shown(line), line)).collect();
    for line in hunks.iter_mut().flat_map(|hunk| &mut hunk.lines) {
        if let Line::New(text) = line {
            let spaces = text.bytes().take_while(|byte| *byte == b' ').count();
            let tabs = || "\t".repeat(spaces / 2) + &text[spaces / 2 * 2..];
            *text = known.get(text.as_str()).map_or_else(tabs, |line| (*line).to_owned());
        }
    }
}

/// A line in the form of the hunks.
fn shown(line: &str) -> String {
    let rest = line.trim_start_matches('\t');
    "  ".repeat(line.len() - rest.len()) + rest
}

/// The tool's default limits: the number of lines, and of characters per line.
const SHOWN_LINES: usize = 2000;
const SHOWN_LINE: usize = 2000;

/// A file in the form of `cat -n` (`     1→text`), if the answer shows all of it.
fn numbered(said: &str) -> Option<String> {
    let mut content: Vec<&str> = Vec::new();
    let mut rest = said.split('\n').peekable();
    while let Some(line) = rest.next_if(|line| number_and_text(line).is_some()) {
        let (number, text) = number_and_text(line)?;
        if number != content.len() + 1 || text.chars().count() >= SHOWN_LINE {
            return None;
        }
        content.push(text);
    }
    // Only a reminder to the model may follow.
    let behind = rest.find(|line| !line.is_empty());
    let whole = behind.is_none_or(|line| line.starts_with("<system-reminder>"));
    (whole && !content.is_empty() && content.len() < SHOWN_LINES).then(|| content.join("\n"))
}

fn number_and_text(line: &str) -> Option<(usize, &str)> {
    let (number, text) = line.split_once(['→', '\t'])?;
    Some((number.trim_start_matches(' ').parse().ok()?, text))
}

fn hunks(patch: Node<'_>) -> Vec<Hunk> {
    let hunk = |node: Node<'_>| {
        let start = number(Shows::HunkStart, node)?;
        // If a hunk has no old lines, the number is that of the line before the new ones.
        let start =
            if number(Shows::HunkCount, node) == Some(0) { start.saturating_add(1) } else { start };
        let lines = tools::RESULTS.value(Shows::HunkLines, node)?.elements();
        let lines = lines.filter_map(line).collect();
        Some(Hunk { start: start.max(1), anchor: None, end: false, lines })
    };
    patch.elements().filter_map(hunk).collect()
}

fn line(node: Node<'_>) -> Option<Line> {
    let text = text_at(node, &[])?;
    let mut rest = text.chars();
    match rest.next() {
        Some('+') => Some(Line::New(rest.as_str().to_owned())),
        Some('-') => Some(Line::Gone(rest.as_str().to_owned())),
        Some(' ') => Some(Line::Same(rest.as_str().to_owned())),
        // "\ No newline at end of file" is not a line.
        _ => None,
    }
}
