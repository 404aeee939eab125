//! What the tools did to files: the answer of an edit begins with a diff that has line numbers. A
//! call that failed did nothing.

use std::collections::HashMap;

use session::attribution::{Change, unified};
use session::value::{self, text_at};
use session::{EventIx, EventRef, Kind, Session, Slot, Standing};

const PATH: &[&str] = &["path"];
/// Where the file is as it was.
const NOTHING: &str = "(no textual changes)";
/// Why a change can't be followed.
const UNTOLD: &str = "a change of which the answer shows no lines";

/// The changes of a session in source order.
pub(super) fn of(session: &Session) -> Vec<(EventIx, String, Change)> {
    let mut calls = HashMap::new();
    let mut changes = Vec::new();
    for event in session.top().flat_map(|top| std::iter::once(top).chain(top.children())) {
        let Some(id) = event.raw(Slot::Call) else { continue };
        let skipped =
            matches!(event.standing, Standing::Copied | Standing::Superseded | Standing::Echo);
        match event.kind {
            _ if skipped => {}
            Kind::ToolCall => drop(calls.insert(id, event)),
            Kind::ToolResult if !event.is_true(Slot::IsError) => {
                let call = calls.remove(id);
                changes.extend(call.and_then(|call| done(call, event)));
            }
            _ => {}
        }
    }
    changes
}

/// What a call that went well did.
fn done(call: EventRef<'_>, answer: EventRef<'_>) -> Option<(EventIx, String, Change)> {
    let name = call.text(Slot::Name)?;
    if name != "write_file" && name != "edit_file" {
        return None;
    }
    let path = value::look(call.raw(Slot::Input)?, |input| text_at(input, PATH))?;
    let said = answer.raw(Slot::Output).map(value::said)?;
    let hunks = unified(&said);
    match hunks.is_empty() {
        true if said.contains(NOTHING) => None,
        true => Some((call.index, path, Change::Unclear { why: UNTOLD })),
        false => Some((call.index, path, Change::Hunks { before: None, hunks, edits: Vec::new() })),
    }
}
