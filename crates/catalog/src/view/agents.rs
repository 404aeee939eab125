//! Sessions of sub-agents that are files of their own: which call started which of them.

use std::collections::{BTreeMap, HashMap, HashSet};

use session::{EventIx, Kind, Session, Slot, Standing};

use crate::view::summary::Listed;

/// For each call that started sub-agents: the ids of their sessions. A sub-agent's session names
/// the one that started it, and the first call whose records name that session is the call.
#[must_use]
pub fn started(session: &Session, found: &[Listed]) -> BTreeMap<EventIx, Vec<String>> {
    let own = |other: &&Listed| {
        other.format == session.format && other.spawned_by.as_deref() == Some(&*session.id)
    };
    let mut left: HashSet<&[u8]> =
        found.iter().filter(own).map(|other| other.id.as_bytes()).collect();
    let mut started: BTreeMap<EventIx, Vec<String>> = BTreeMap::new();
    let mut calls: HashMap<&[u8], EventIx> = HashMap::new();
    for event in session.events() {
        if left.is_empty() {
            break;
        }
        let Some(id) = event.raw(Slot::Call) else { continue };
        if matches!(event.standing(), Standing::Copied | Standing::Echo) {
            continue;
        }
        if event.kind == Kind::ToolCall {
            calls.entry(id).or_insert(event.index);
        }
        let Some(call) = calls.get(id) else { continue };
        for word in event.bytes().split(|byte| !is_of_id(*byte)) {
            if left.remove(word) {
                let id = String::from_utf8_lossy(word).into_owned();
                started.entry(*call).or_default().push(id);
            }
        }
    }
    started
}

/// Whether a byte can be part of an id.
const fn is_of_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}
