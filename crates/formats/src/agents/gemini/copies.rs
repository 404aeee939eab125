//! Copies of one history in several files: an upgrade copies a project's folder, and a newer
//! version writes a log beside the document that it resumes.
//!
//! The most recently updated file is the history. In the others, an equal message is an `Echo`, and
//! a message that was changed later is `Superseded`. A message that the later file took back stays
//! so, and a message that it never had is on an `OtherBranch`.

use std::cell::LazyCell;
use std::collections::HashSet;

use session::{EventRef, Kind, Session, Slot, Standing, UtcTime};

use super::standing::{Log, id};
use crate::json_eq::tokens;
use crate::standings::Standings;

/// Settles the logs of one stream.
pub(super) fn settle(session: &Session, logs: &[Log<'_>], standings: &mut Standings) {
    if logs.len() < 2 {
        return;
    }
    let rank = |(_, log): &(usize, &Log<'_>)| {
        (updated(session, log), is_log(session, log), log.list.len())
    };
    // Of equals the first counts: `max_by_key` would take the last.
    let Some((at, latest)) = logs.iter().enumerate().rev().max_by_key(rank) else { return };
    // Most copies are equal byte for byte.
    let bytes: HashSet<&[u8]> = events(session, latest).map(EventRef::bytes).collect();
    let words = LazyCell::new(|| -> HashSet<Vec<u8>> {
        events(session, latest).map(|event| tokens(event.bytes())).collect()
    });
    let said = |event: EventRef<'_>| {
        bytes.contains(event.bytes()) || words.contains(&tokens(event.bytes()))
    };
    for (_, log) in logs.iter().enumerate().filter(|(other, _)| *other != at) {
        for event in events(session, log) {
            if standings.of(event.index) == Standing::Live && event.kind != Kind::Opaque {
                let standing = if said(event) {
                    Standing::Echo
                } else if event.case.top {
                    since(event, latest, standings)
                } else {
                    Standing::Superseded
                };
                standings.set(event.index, standing);
            }
        }
    }
}

fn events<'s>(session: &'s Session, log: &Log<'_>) -> impl Iterator<Item = EventRef<'s>> {
    log.top.iter().map(|event| session.event(*event))
}

/// Time of a member's last update, from its own metadata.
fn updated(session: &Session, log: &Log<'_>) -> Option<UtcTime> {
    let said = |event: EventRef<'_>| event.raw(Slot::Updated).and_then(UtcTime::read);
    events(session, log).filter_map(said).max()
}

fn is_log(session: &Session, log: &Log<'_>) -> bool {
    let member = log.top.first().map(|event| session.event(*event).origin.member as usize);
    let member = member.and_then(|member| session.bundle.members.get(member));
    member.is_some_and(|member| member.name.ends_with(".jsonl"))
}

/// The standing of a message in the later file.
fn since(message: EventRef<'_>, latest: &Log<'_>, standings: &Standings) -> Standing {
    let state = id(message).and_then(|id| latest.known.get(&id).copied());
    match state.map(|state| standings.of(state)) {
        Some(Standing::Live) => Standing::Superseded,
        Some(standing) => standing,
        None => Standing::OtherBranch,
    }
}
