//! File changes of the family's tools. A result of an edit has the hunks since July 2026; before,
//! and of a write, the call has the texts. A call that failed changed nothing.

use meaning::Calls;
use replay::{Change, Replacement, unified};
use session::value::{self, text_at};
use session::{EventIx, EventRef, Node, Session, Slot};

use super::tools;
use crate::format::WantedCalls;
use crate::tools::{Common, Means, Tool};

/// The changes of a session in source order.
pub(super) fn of(session: &Session, wanted: WantedCalls<'_>) -> Vec<(EventIx, String, Change)> {
    let succeeded = Calls::of(session).succeeded(session.top());
    let succeeded = succeeded.filter(|(call, _)| wanted(call.index));
    succeeded.flat_map(|(call, result)| done(call, result)).collect()
}

/// The changes of a successful call.
fn done(call: EventRef<'_>, result: EventRef<'_>) -> Vec<(EventIx, String, Change)> {
    let tool = call.text(Slot::Name).and_then(|name| tools::TOOLS.named(&name));
    let (Some(tool), Some(input)) = (tool, call.raw(Slot::Input)) else { return Vec::new() };
    let changes = value::look(input, |input| Some(of_call(tool, input, result)));
    let changes = changes.unwrap_or_default().into_iter();
    changes.map(|(path, change)| (call.index, path, change)).collect()
}

fn of_call(tool: &Tool, input: Node<'_>, result: EventRef<'_>) -> Vec<(String, Change)> {
    if tool.common == Common::Shell {
        let in_folder = tool.has(Means::Folder, input);
        let command = tool.text(Means::Command, input).filter(|_| !in_folder);
        return command.map(|command| replay::command(&command)).unwrap_or_default();
    }
    let Some(path) = tool.text(Means::Path, input) else { return Vec::new() };
    let change = match tool.common {
        Common::Read => seen(tool, input, result),
        Common::Write => {
            let after = tool.text(Means::Text, input);
            after.map(|after| Change::Write { before: None, after })
        }
        Common::Edit => edited(input, result),
        _ => None,
    };
    change.map(|change| (path, change)).into_iter().collect()
}

/// The notice behind a part of a file.
const NOTICE: &str = "\n\n[";

/// The content of a file that was read whole.
fn seen(tool: &Tool, input: Node<'_>, result: EventRef<'_>) -> Option<Change> {
    let part = [Means::FirstLine, Means::Lines].iter().any(|part| tool.has(*part, input));
    let cut = result.raw(Slot::Detail).is_some_and(|details| {
        value::look(details, |details| details.at(&["truncation"]).map(|_| ())).is_some()
    });
    let content = value::said(result.raw(Slot::Output)?).into_owned();
    let noticed = content.ends_with(']') && content.contains(NOTICE);
    (!part && !cut && !noticed).then_some(Change::Seen { content })
}

/// The edits of a call: the hunks of its result, else the texts.
fn edited(input: Node<'_>, result: EventRef<'_>) -> Option<Change> {
    let list = input.at(&["edits"]).filter(|list| list.elements().next().is_some());
    let edits: Vec<Replacement> = match list {
        Some(list) => list.elements().filter_map(edit).collect(),
        None => edit(input).into_iter().collect(),
    };
    let patch = result
        .raw(Slot::Detail)
        .and_then(|details| value::look(details, |details| text_at(details, &["patch"])));
    let hunks = patch.map(|patch| unified(&patch)).unwrap_or_default();
    match (hunks.is_empty(), edits.is_empty()) {
        (false, _) => Some(Change::Hunks { before: None, hunks, edits }),
        (true, false) => Some(Change::Replace { before: None, edits }),
        (true, true) => None,
    }
}

/// The names of the old and the new text of an edit: the agent's own, and those of other agents,
/// which OpenClaw takes too.
const TEXTS: [[&str; 2]; 2] = [["oldText", "newText"], ["old_string", "new_string"]];

fn edit(node: Node<'_>) -> Option<Replacement> {
    TEXTS.iter().find_map(|[old, new]| {
        let (old, new) = (text_at(node, &[old])?, text_at(node, &[new])?);
        Some(Replacement { old, new, all: false, line: false })
    })
}
