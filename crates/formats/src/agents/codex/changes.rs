//! File changes by patches. `patch_apply_end` and `FileChange` items have them with line numbers.
//! Without these, the call's own patch text is placed by its context, if the answer confirms it. A
//! shell command counts only if it is nothing but such a patch.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use replay::{Change, PATCH_BEGIN, PATCH_END, patch, unified};
use session::value::{self, text_at};
use session::{EventIx, EventRef, Kind, Node, Outcome, Session, Slot, Standing};

use super::tools::{self, RESULTS};
use crate::format::WantedCalls;
use crate::tools::{Means, Shows, Tool};

/// The reason why a change can't be derived.
const UNTOLD: &str = "a change of which the session tells neither text nor lines";

/// The tool's output for an applied patch.
const APPLIED: &str = "Success. Updated the following files";

/// The changes of a session in source order.
pub(super) fn of(session: &Session, wanted: WantedCalls<'_>) -> Vec<(EventIx, String, Change)> {
    let mut calls = HashMap::new();
    let mut told = HashSet::new();
    let mut changes = Vec::new();
    let counts = |event: &EventRef<'_>| {
        !event.standing.is_copied() && event.standing != Standing::Superseded
    };
    for event in session.top().filter(counts) {
        let id = event.raw(Slot::Call).or_else(|| event.raw(Slot::Id));
        if let Some(id) = id
            && event.kind == Kind::ToolCall
            && event.field(Slot::Changes).is_none()
        {
            calls.insert(id, event);
            continue;
        }
        let call = id.and_then(|id| calls.get(id).copied());
        let by = call.map_or(event.index, |call| call.index);
        if call.is_some() && !wanted(by) {
            continue;
        }
        // One call may be recorded twice, as an event and as an item; two calls may have one id.
        let asks = id.map(|id| (id, call.map(|call| call.index)));
        if let Some(done) = done(event) {
            if asks.is_none_or(|asks| told.insert(asks)) {
                changes.extend(done.into_iter().map(|(path, change)| (by, path, change)));
            }
        } else if event.kind == Kind::ToolResult
            && let (Some(call), Some(asks)) = (call, asks)
            && let Some(asked) = confirmed(call, event)
            && told.insert(asks)
        {
            changes.extend(asked.into_iter().map(|(path, change)| (by, path, change)));
        }
    }
    changes
}

/// The changes in an event, by file; `None` if it has none, or reports a failure.
fn done(event: EventRef<'_>) -> Option<Vec<(String, Change)>> {
    let told = (RESULTS.of)(event)?;
    if event.outcome().is_some_and(Outcome::is_bad) {
        return None;
    }
    value::look(told, |files| {
        let mut all = Vec::new();
        for file in files.members() {
            let path = value::unescape(file.name).into_owned();
            all.extend(became(&path, file.value));
        }
        (!all.is_empty()).then_some(all)
    })
}

/// The change of one file.
fn became(path: &str, file: Node<'_>) -> Vec<(String, Change)> {
    let word = RESULTS.word(Shows::Change, file);
    let diff = RESULTS.text(Shows::Diff, file);
    let content = RESULTS.text(Shows::After, file).or_else(|| diff.clone());
    let change = |change| vec![(path.to_owned(), change)];
    match word {
        Some(b"add") => match content {
            Some(after) => change(Change::Write { before: Some(String::new()), after }),
            None => change(Change::Unclear { why: UNTOLD }),
        },
        Some(b"delete") => change(Change::Delete),
        Some(b"update") => {
            let hunks = diff.as_deref().map(unified).unwrap_or_default();
            let mut changes = match hunks.is_empty() {
                true => Vec::new(),
                false => change(Change::Hunks { before: None, hunks, edits: Vec::new() }),
            };
            let moved = RESULTS.text(Shows::MovedTo, file);
            changes.extend(moved.map(|to| (path.to_owned(), Change::Move { to })));
            changes
        }
        _ => change(Change::Unclear { why: UNTOLD }),
    }
}

/// The changes of a call, if the answer confirms them.
fn confirmed(call: EventRef<'_>, event: EventRef<'_>) -> Option<Vec<(String, Change)>> {
    let answer = answer(event);
    if answer.contains(APPLIED) {
        return asked(call);
    }
    let well = tools::told(&answer) == Some(Outcome::Good);
    let tool = tool(call).filter(|_| well)?;
    let input = call.text(Slot::Input)?;
    let done = value::look(input.as_bytes(), |input| Some(shell(tool, input)))?;
    (!done.is_empty()).then_some(done)
}

/// The changes of a command, if they are certain.
fn shell(tool: &Tool, input: Node<'_>) -> Vec<(String, Change)> {
    let text = tool.text(Means::Command, input).or_else(|| words(tool, input)).unwrap_or_default();
    let folder = tool.text(Means::Folder, input);
    let done = replay::command(&text).into_iter();
    done.map(|(path, change)| (within(folder.as_deref(), path), change)).collect()
}

/// The command in a list of words, without the shell before it.
fn words(tool: &Tool, input: Node<'_>) -> Option<String> {
    let command = tool.value(Means::Words, input)?;
    if let Some(text) = text_at(command, &[]) {
        return Some(text);
    }
    let words: Vec<String> = command.elements().filter_map(|word| text_at(word, &[])).collect();
    match words.as_slice() {
        [shell, flag, text] if flag.ends_with('c') && shell.ends_with("sh") => Some(text.clone()),
        _ => None,
    }
}

/// The tool that a call names.
fn tool(call: EventRef<'_>) -> Option<&'static Tool> {
    tools::TOOLS.named(&call.text(Slot::Name)?)
}

/// A path relative to the folder of a command.
fn within(folder: Option<&str>, path: String) -> String {
    match folder {
        Some(folder) if !path.starts_with(['/', '\\', '~']) => format!("{folder}/{path}"),
        _ => path,
    }
}

/// The patch in a call's input.
fn asked(call: EventRef<'_>) -> Option<Vec<(String, Change)>> {
    let input = call.text(Slot::Input).or_else(|| {
        // Arguments may be an object, too.
        Some(String::from_utf8_lossy(call.raw(Slot::Input)?))
    })?;
    if input.trim_start().starts_with(PATCH_BEGIN) {
        return patch(&input);
    }
    let tool = tool(call)?;
    value::look(input.as_bytes(), |input| {
        let texts = [Means::Patch, Means::Command].into_iter();
        let text =
            texts.map(|means| tool.text(means, input)).find_map(|text| text).or_else(|| {
                let command = tool.value(Means::Words, input)?;
                let mut words = command.elements().filter_map(|word| text_at(word, &[]));
                text_at(command, &[]).or_else(|| words.find(|word| word.contains(PATCH_BEGIN)))
            })?;
        let folder = tool.text(Means::Folder, input);
        let changes = is_only_a_patch(&text).then(|| patch(&text)).flatten()?.into_iter();
        let place = |path| within(folder.as_deref(), path);
        Some(
            changes
                .map(|(path, change)| match change {
                    Change::Move { to } => (place(path), Change::Move { to: place(to) }),
                    change => (place(path), change),
                })
                .collect(),
        )
    })
}

/// Whether a text is a patch alone, or a shell command that is nothing but `apply_patch` of a here
/// document.
fn is_only_a_patch(text: &str) -> bool {
    let Some((before, rest)) = text.split_once(PATCH_BEGIN) else { return false };
    let Some((_, behind)) = rest.split_once(PATCH_END) else { return false };
    let before = before.trim();
    let alone = before.is_empty() && behind.trim().is_empty();
    let here = before.starts_with("apply_patch")
        && before.lines().count() == 1
        && before.contains("<<")
        && !before.contains([';', '|', '&'])
        && behind.trim().lines().count() == 1
        && behind.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    alone || here
}

/// A tool's output as text. Some outputs are JSON that contains it.
fn answer(event: EventRef<'_>) -> Cow<'_, str> {
    event.raw(Slot::Output).map_or_else(Default::default, value::said)
}
