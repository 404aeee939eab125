//! File changes of the family's tools, by the arguments of calls that succeeded.

use meaning::Calls;
use replay::{Change, Replacement};
use session::{EventIx, EventRef, Node, Session, Slot, value};

use super::tools::TOOLS;
use crate::format::WantedCalls;
use crate::tools::{self, Common, Means, Tool};

/// The changes of a session in source order.
pub(super) fn of(session: &Session, wanted: WantedCalls<'_>) -> Vec<(EventIx, String, Change)> {
    let succeeded = Calls::of(session).succeeded(session.events());
    let succeeded = succeeded.filter(|(call, _)| wanted(call.index));
    succeeded.flat_map(|(call, _)| done(call)).collect()
}

fn done(call: EventRef<'_>) -> Vec<(EventIx, String, Change)> {
    let Some(tool) = call.text(Slot::Name).and_then(|name| TOOLS.named(&name)) else {
        return Vec::new();
    };
    let changes = tools::input(call, |input| Some(of_call(tool, input))).unwrap_or_default();
    changes.into_iter().map(|(path, change)| (call.index, path, change)).collect()
}

fn of_call(tool: &Tool, input: Node<'_>) -> Vec<(String, Change)> {
    let text = |means| tool.text(means, input);
    match tool.common {
        Common::Shell => {
            let list = input.at(&["commands"]).into_iter().flat_map(Node::elements);
            let in_folder = tool.has(Means::Folder, input);
            let commands = list.filter_map(|command| value::text_at(command, &[]));
            let one = text(Means::Command).filter(|_| !in_folder);
            commands.chain(one).flat_map(|command| replay::command(&command)).collect()
        }
        Common::Patch => {
            let patch = text(Means::Patch).and_then(|patch| replay::patch(&patch));
            patch.unwrap_or_default()
        }
        Common::Write | Common::Edit | Common::Delete => {
            let change = match tool.common {
                Common::Write => {
                    text(Means::Text).map(|after| Change::Write { before: None, after })
                }
                Common::Delete => Some(Change::Delete),
                _ => edited(tool, input),
            };
            text(Means::Path).zip(change).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// The change of a tool that replaces texts: each has its own form.
fn edited(tool: &Tool, input: Node<'_>) -> Option<Change> {
    let text = |means| tool.text(means, input);
    let replace = |edits| Change::Replace { before: None, edits };
    if let Some(diff) = text(Means::Patch) {
        let edits = blocks(&diff);
        return (!edits.is_empty()).then(|| replace(edits));
    }
    let is_plain = |name: &str| {
        input.at(&[name]).is_none_or(|mark| matches!(mark.raw(), b"false" | b"null" | b"\"false\""))
    };
    let new = text(Means::New)?;
    match text(Means::Old).filter(|old| !old.is_empty()) {
        Some(old) if ["use_regex", "ignore_case"].into_iter().all(is_plain) => {
            let all = tool.is_true(Means::All, input);
            Some(replace(vec![Replacement { old, new, all, line: false }]))
        }
        None if input.at(&["insert_line"]).is_none() => {
            Some(Change::Write { before: None, after: new })
        }
        _ => Some(Change::Unclear { why: "an insertion or a pattern" }),
    }
}

/// The replacements in a text of blocks: a line that begins the old text, one between the two, and
/// one behind the new text.
fn blocks(diff: &str) -> Vec<Replacement> {
    const BEGIN: [&str; 2] = ["------- SEARCH", "<<<<<<< SEARCH"];
    const END: [&str; 2] = ["+++++++ REPLACE", ">>>>>>> REPLACE"];
    let (mut edits, mut old, mut new): (Vec<Replacement>, Option<String>, Option<String>) =
        (Vec::new(), None, None);
    for line in diff.split_inclusive('\n') {
        let mark = line.trim_end();
        if BEGIN.iter().any(|begin| mark.starts_with(begin)) {
            (old, new) = (Some(String::new()), None);
        } else if END.contains(&mark) {
            let both = old.take().zip(new.take());
            edits.extend(both.filter(|(old, _)| !old.is_empty()).map(|(old, new)| Replacement {
                old,
                new,
                all: false,
                line: false,
            }));
        } else if mark == "=======" && old.is_some() && new.is_none() {
            new = Some(String::new());
        } else if let Some(text) = new.as_mut() {
            text.push_str(line);
        } else if let Some(text) = old.as_mut() {
            // The place of the text, and the line behind it.
            let is_place = mark.starts_with(":start_line:") || mark.starts_with(":end_line:");
            match text.is_empty() && (is_place || mark == "-------") {
                true => {}
                false => text.push_str(line),
            }
        }
    }
    edits
}
