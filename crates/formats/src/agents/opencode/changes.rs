//! File changes of OpenCode's tools. In all generations a call's `metadata` has the text before and
//! after, or a diff with line numbers. A call that did not complete changed nothing.

use replay::{Change, Replacement, unified};
use session::{EventIx, EventRef, Kind, Node, Session, Slot, Standing, value};

use super::tools::{self, RESULTS};
use crate::format::WantedCalls;
use crate::tools::{Common, Means, Shows, Tool};

mod names {
    /// State of a part: in a file, in a row.
    pub(super) const STATES: &[&[&str]] =
        &[&["state"], &["data", "state"], &["row", "data", "state"]];
    pub(super) const STATUS: &[&str] = &["status"];
    pub(super) const INPUT: &[&str] = &["input"];
    /// The result: see the table of results.
    pub(super) const RESULT: &[&str] = &["metadata"];
}

/// The changes of a session in source order.
pub(super) fn of(session: &Session, wanted: WantedCalls<'_>) -> Vec<(EventIx, String, Change)> {
    let mut changes = Vec::new();
    for event in session.top() {
        let all = std::iter::once(event).chain(event.children());
        changes.extend(all.filter(|call| wanted(call.index)).flat_map(of_call));
    }
    changes
}

fn of_call(call: EventRef<'_>) -> Vec<(EventIx, String, Change)> {
    let skipped =
        call.standing.is_copied() || matches!(call.standing, Standing::Superseded | Standing::Echo);
    let tool = call.text(Slot::Name).filter(|_| call.kind == Kind::ToolCall && !skipped);
    let Some(tool) = tool else { return Vec::new() };
    let Some(tool) = tools::TOOLS.named(&tool) else { return Vec::new() };
    let done = value::look(call.bytes(), |part| {
        let state = names::STATES.iter().find_map(|path| part.at(path))?;
        (state.word(names::STATUS) == Some(b"completed")).then(|| of_state(tool, state))
    });
    let done = done.unwrap_or_default().into_iter();
    done.map(|(path, change)| (call.index, path, change)).collect()
}

fn of_state(tool: &Tool, state: Node<'_>) -> Vec<(String, Change)> {
    match tool.common {
        Common::Shell => return shell(tool, state).unwrap_or_default(),
        Common::Write | Common::Edit | Common::Patch => {}
        _ => return Vec::new(),
    }
    if let Some(files) = shown(Shows::Files, state) {
        return files.elements().flat_map(of_file).collect();
    }
    let input = state.at(names::INPUT);
    let file = shown(Shows::File, state);
    let path = file.and_then(path).or_else(|| tool.text(Means::Path, input?));
    let Some(path) = path else { return Vec::new() };
    let change = file
        .and_then(difference)
        .or_else(|| hunks(&diff(state.at(names::RESULT)?)?))
        .or_else(|| asked(tool, state, input?));
    change.map(|change| (path, change)).into_iter().collect()
}

/// A value in the result of a call, by its state.
fn shown<'a>(shows: Shows, state: Node<'a>) -> Option<Node<'a>> {
    RESULTS.value(shows, state.at(names::RESULT)?)
}

/// The changes of a command that reports success.
fn shell(tool: &Tool, state: Node<'_>) -> Option<Vec<(String, Change)>> {
    let input = state.at(names::INPUT)?;
    let well = shown(Shows::Exit, state)?.raw() == b"0" && !tool.has(Means::Folder, input);
    well.then(|| tool.text(Means::Command, input)).flatten().map(|c| replay::command(&c))
}

/// One of the files of a patch.
fn of_file(file: Node<'_>) -> Vec<(String, Change)> {
    let Some(path) = path(file) else { return Vec::new() };
    let change = match RESULTS.word(Shows::Change, file) {
        Some(b"delete") => Some(Change::Delete),
        Some(b"add") => {
            let after = RESULTS.text(Shows::After, file).or_else(|| Some(added(&diff(file)?)));
            after.map(|after| Change::Write { before: Some(String::new()), after })
        }
        _ => difference(file),
    };
    let moved = RESULTS.text(Shows::MovedTo, file);
    let moved = moved.map(|to| (path.clone(), Change::Move { to }));
    change.map(|change| (path, change)).into_iter().chain(moved).collect()
}

/// The path in the description of a changed file.
fn path(file: Node<'_>) -> Option<String> {
    RESULTS.text(Shows::Path, file)
}

fn diff(node: Node<'_>) -> Option<String> {
    RESULTS.text(Shows::Diff, node)
}

/// The text before and after, or the diff between them.
fn difference(node: Node<'_>) -> Option<Change> {
    match (RESULTS.text(Shows::Before, node), RESULTS.text(Shows::After, node)) {
        (Some(before), Some(after)) => Some(Change::Write { before: Some(before), after }),
        _ => hunks(&diff(node)?),
    }
}

fn hunks(diff: &str) -> Option<Change> {
    let hunks = unified(diff);
    (!hunks.is_empty()).then_some(Change::Hunks { before: None, hunks, edits: Vec::new() })
}

/// The text that a diff adds to an empty one.
fn added(diff: &str) -> String {
    let lines = unified(diff).into_iter().flat_map(|hunk| hunk.lines);
    let added = lines.filter_map(|line| match line {
        replay::Line::New(text) => Some(text + "\n"),
        _ => None,
    });
    added.collect()
}

/// The change by the call's input.
fn asked(tool: &Tool, state: Node<'_>, input: Node<'_>) -> Option<Change> {
    if tool.common == Common::Write {
        let fresh = shown(Shows::Existed, state).is_some_and(|exists| exists.raw() == b"false");
        let after = tool.text(Means::Text, input)?;
        return Some(Change::Write { before: fresh.then(String::new), after });
    }
    let (old, new) = (tool.text(Means::Old, input)?, tool.text(Means::New, input)?);
    let all = tool.is_true(Means::All, input);
    Some(match old.is_empty() {
        true => Change::Write { before: Some(String::new()), after: new },
        false => Change::replace(Replacement { old, new, all, line: false }),
    })
}
