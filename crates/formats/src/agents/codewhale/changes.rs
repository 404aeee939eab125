//! File changes of CodeWhale's tools. The older tools answer with a diff with line numbers, or
//! begin with one. The newer ones (`read`, `write`, `edit`, `bash`) only confirm success: the
//! runtime store has their diff beside the answer. Without it, their input counts. A call that
//! failed changed nothing.

use std::collections::HashMap;

use replay::{Change, Replacement, unified};
use session::{EventIx, EventRef, Kind, NO_EVENT, Node, Outcome, Session, Slot, Standing, value};

use super::{names, tools};
use crate::format::WantedCalls;
use crate::tools::{Common, Means, Shows, Tool};

const NOTHING: &str = "(no textual changes)";
/// The reason why a change can't be derived.
const UNTOLD: &str = "a change of which the answer shows no lines";
const OTHERWISE: &str = "what was written is not what the call asked for: the tool formatted it";

/// The changes of a session in source order.
pub(super) fn of(session: &Session, _: WantedCalls<'_>) -> Vec<(EventIx, String, Change)> {
    let mut calls = HashMap::new();
    let mut changes = Vec::new();
    let receipts = Receipts::of(session);
    for event in session.top().flat_map(|top| std::iter::once(top).chain(top.children())) {
        let Some(id) = event.raw(Slot::Call) else { continue };
        let skipped = event.standing.is_copied()
            || matches!(event.standing, Standing::Superseded | Standing::Echo);
        match event.kind {
            _ if skipped => {}
            Kind::ToolCall => drop(calls.insert(id, event)),
            Kind::ToolResult => {
                let call = calls.remove(id);
                let told = call.into_iter().flat_map(|call| effects(call, event, &receipts));
                changes.extend(told);
            }
            _ => {}
        }
    }
    changes
}

/// Diffs of changes in the runtime store (an item's `metadata.mutation.diff`), by the item's id and
/// by that of the call in the saved session.
struct Receipts(HashMap<String, String>);

impl Receipts {
    fn of(session: &Session) -> Self {
        let mut diffs = HashMap::new();
        let mut items: Vec<(String, String)> = Vec::new();
        for event in session.events().filter(|event| event.parent == NO_EVENT) {
            let Some(id) = event.text(Slot::Call) else { continue };
            if event.kind == Kind::ToolCall {
                let call = value::look(event.bytes(), |line| value::text_at(line, names::TOOL_ID));
                items.extend(call.map(|call| (id.into_owned(), call)));
            } else if let Some(diff) = (tools::RESULTS.of)(event).and_then(diff) {
                diffs.insert(id.into_owned(), diff);
            }
        }
        for (item, call) in items {
            if let Some(diff) = diffs.get(&item).cloned() {
                diffs.insert(call, diff);
            }
        }
        Self(diffs)
    }

    fn get(&self, answer: EventRef<'_>) -> Option<&str> {
        self.0.get(&*answer.text(Slot::Call)?).map(String::as_str)
    }
}

/// The diff in the metadata of a tool's run.
fn diff(metadata: &[u8]) -> Option<String> {
    value::look(metadata, |metadata| tools::RESULTS.text(Shows::Diff, metadata))
}

/// The effects of a call that was answered.
fn effects(
    call: EventRef<'_>,
    answer: EventRef<'_>,
    receipts: &Receipts,
) -> Vec<(EventIx, String, Change)> {
    let (Some(name), Some(input)) = (call.text(Slot::Name), call.raw(Slot::Input)) else {
        return Vec::new();
    };
    let said = answer.raw(Slot::Output).map(value::said).unwrap_or_default();
    let own = |(path, change)| (call.index, path, change);
    let Some(tool) = tools::TOOLS.named(&name) else { return Vec::new() };
    let bad = answer.outcome().is_some_and(Outcome::is_bad);
    if name == "bash" {
        let done = value::look(input, |input| Some(shell(tool, input, &said)));
        return done.filter(|_| !bad).unwrap_or_default().into_iter().map(own).collect();
    }
    let path = value::look(input, |input| tool.text(Means::Path, input));
    let Some(path) = path else { return Vec::new() };
    let made = match (&*name, receipts.get(answer)) {
        (_, _) if bad => absent(tool, &said).into_iter().collect(),
        ("write_file" | "edit_file" | "write" | "edit", Some(diff)) => {
            shown(diff).into_iter().collect()
        }
        ("write_file" | "edit_file", None) => shown(&said).into_iter().collect(),
        ("read" | "write" | "edit", _) => {
            value::look(input, |input| Some(asked(tool, input, &said))).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    made.into_iter().map(|change| own((path.clone(), change))).collect()
}

/// Knowledge from a read that failed because the file did not exist.
fn absent(tool: &Tool, said: &str) -> Option<Change> {
    let missing = |line: &str| {
        line.contains("Failed to read ")
            && (line.ends_with(": file not found") || line.contains("No such file or directory"))
    };
    let absent = tool.common == Common::Read && said.lines().any(missing);
    absent.then(|| Change::Seen { content: String::new() })
}

/// The diff in an answer.
fn shown(said: &str) -> Option<Change> {
    let hunks = unified(said);
    match hunks.is_empty() {
        true if said.contains(NOTHING) => None,
        true => Some(Change::Unclear { why: UNTOLD }),
        false => Some(Change::Hunks { before: None, hunks, edits: Vec::new() }),
    }
}

/// The changes of a command whose answer reports no failure.
fn shell(tool: &Tool, input: Node<'_>, said: &str) -> Vec<(String, Change)> {
    let elsewhere = tool.has(Means::Folder, input) || tool.has(Means::Id, input);
    let bad = |line: &str| {
        let code = line.rsplit_once("exit code").or_else(|| line.rsplit_once("Exit code"));
        code.is_some_and(|(_, code)| {
            let code = code.trim_matches(|c: char| !c.is_ascii_digit() && c != '-');
            code.parse::<i32>().is_ok_and(|code| code != 0)
        })
    };
    let command = tool.text(Means::Command, input).filter(|_| !elsewhere && !said.lines().any(bad));
    replay::command(&command.unwrap_or_default())
}

/// The changes by a call's input, unless the answer contradicts them.
fn asked(tool: &Tool, input: Node<'_>, said: &str) -> Vec<Change> {
    match tool.common {
        Common::Read => {
            let part = [Means::Offset, Means::Lines].iter().any(|part| tool.has(*part, input));
            let text = whole(said).filter(|text| !part && !text.is_empty());
            text.map(|text| Change::Seen { content: text.to_owned() }).into_iter().collect()
        }
        Common::Write => match tool.text(Means::Text, input) {
            Some(after) if was_written(&after, said) => {
                vec![Change::Write { before: None, after }]
            }
            Some(_) => vec![Change::Unclear { why: OTHERWISE }],
            None => vec![Change::Unclear { why: UNTOLD }],
        },
        _ => replaced(tool, input).unwrap_or_else(|| vec![Change::Unclear { why: UNTOLD }]),
    }
}

/// The file's text, if all of it was shown. A remark after it begins with a bracket: one of `Pod`
/// only gives the file's size, another one says that there is more.
fn whole(said: &str) -> Option<&str> {
    let text = said.trim_end_matches('\n');
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    match &text[start..] {
        remark if remark.starts_with("[Pod (") => {
            let before = &text[..start];
            Some(before.strip_suffix("\n\n").map_or(before, |text| &before[..=text.len()]))
        }
        remark if remark.starts_with('[') => None,
        _ => Some(said),
    }
}

/// Whether the answer's length, if it has one, equals the text's.
fn was_written(text: &str, said: &str) -> bool {
    let told =
        said.split_once("Successfully wrote ").and_then(|(_, rest)| rest.split_once(" bytes"));
    let told = told.and_then(|(count, _)| count.parse::<usize>().ok());
    told.is_none_or(|told| told == text.encode_utf16().count() || told == text.len())
}

/// The edits of a call. Each is for its own place in the original file, so their order is
/// irrelevant.
fn replaced(tool: &Tool, input: Node<'_>) -> Option<Vec<Change>> {
    let edit = |edit: Node<'_>| {
        let (old, new) = (tool.text(Means::Old, edit)?, tool.text(Means::New, edit)?);
        Some(Change::replace(Replacement { old, new, all: false, line: false }))
    };
    let edits: Option<Vec<Change>> = match tool.value(Means::Edits, input) {
        Some(edits) => edits.elements().map(edit).collect(),
        None => edit(input).map(|edit| vec![edit]),
    };
    edits.filter(|edits| !edits.is_empty())
}
