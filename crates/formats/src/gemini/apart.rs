//! Conversations with the same id and nothing else in common: some programs give all their sessions
//! one id. Copies of a history share its beginning or a message; other files are not versions of
//! each other.

use std::borrow::Cow;
use std::collections::HashMap;

use session::{Session, Slot};

use super::standing::{Log, id};

/// The logs of each conversation; mostly there is one. A log without a start time, and without a
/// message of another log, belongs to the first.
pub(super) fn divide<'s>(session: &'s Session, logs: Vec<Log<'s>>) -> Vec<Vec<Log<'s>>> {
    if logs.len() < 2 {
        return vec![logs];
    }
    let mut leads: Vec<usize> = (0..logs.len()).collect();
    let mut by_start: HashMap<Cow<'s, str>, usize> = HashMap::new();
    let mut by_message: HashMap<Cow<'s, str>, usize> = HashMap::new();
    for (at, log) in logs.iter().enumerate() {
        let events = || log.top.iter().map(|event| session.event(*event));
        let start = events().filter(|event| !event.case.top).find_map(|e| e.text(Slot::Started));
        match start {
            Some(start) => join(&mut leads, at, *by_start.entry(start).or_insert(at)),
            None => join(&mut leads, at, 0),
        }
        for id in events().filter(|event| event.case.top).filter_map(id) {
            join(&mut leads, at, *by_message.entry(id).or_insert(at));
        }
    }
    let mut groups: Vec<Vec<Log<'s>>> = (0..logs.len()).map(|_| Vec::new()).collect();
    for (at, log) in logs.into_iter().enumerate() {
        let first = first(&mut leads, at);
        groups[first].push(log);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

fn join(leads: &mut [usize], a: usize, b: usize) {
    let (a, b) = (first(leads, a), first(leads, b));
    leads[a.max(b)] = a.min(b);
}

/// The first log of a conversation. The path to it is shortened for the next search.
fn first(leads: &mut [usize], mut at: usize) -> usize {
    while leads[at] != at {
        leads[at] = leads[leads[at]];
        at = leads[at];
    }
    at
}
