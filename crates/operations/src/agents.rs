//! Sub-agents' sessions in files of their own, matched to the calls that started them.

use std::collections::{BTreeMap, HashMap, HashSet};

use catalog::summary::Listed;
use session::{EventIx, Kind, Session, Slot, Standing};

/// The ids of the sub-agents' sessions that each call started. A sub-agent's session records the
/// session that started it. In that session, the first call whose records contain the sub-agent's
/// id is the one that started it.
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
        if event.standing().is_copied() {
            continue;
        }
        // An echo of a call is not the call, but its record may be the one with the id.
        if event.kind == Kind::ToolCall && event.standing() != Standing::Echo {
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

/// Whether a byte may be part of an id.
const fn is_of_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}
