//! Order and duplicates of a conversation (format reference, section 4, traps 1 to 3).
//!
//! - Sage writes the last message twice when it cuts a conversation. A line that equals an earlier
//!   one of the file, and has a time or a uuid, is an `Echo`. Without either, two equal lines may
//!   be two messages: both are `Live`.
//! - An export has its newest message first, and so has a file written from a loaded archive, in
//!   which all times fall. Their positions run backwards. Any other file keeps its order, even if
//!   its times rise and fall.
//! - Everything else is `Live`. System messages and answers of tools are injected: lines of the
//!   role `tool`, and in an export text that begins with `Tool result:`.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use session::{EventIx, EventRef, Mark, NO_EVENT, Session, Slot, Standing, UtcTime};

use super::map;
use crate::standings::Standings;

type Set<T> = HashSet<T, FixedState>;

/// Sets standing and position of every event.
pub(super) fn settle(session: &mut Session) {
    let (mut standings, mut backwards) = (Standings::new(session), HashSet::new());
    let top: Vec<EventRef<'_>> =
        session.events().filter(|event| event.parent == NO_EVENT).collect();
    for member in top.chunk_by(|a, b| a.origin.member == b.origin.member) {
        repeated(member).into_iter().for_each(|at| standings.set(at, Standing::Echo));
        let exported = std::ptr::eq(member[0].case, &map::EXPORT);
        if exported || falls(member.iter().filter_map(|event| event.time())) {
            backwards.insert(member[0].origin.member);
        }
    }
    standings.apply(session);
    let last = u32::try_from(session.len()).unwrap_or(u32::MAX);
    for at in 0..last {
        let event = session.event(at);
        if event.case.top && backwards.contains(&event.origin.member) {
            let place = last.saturating_sub(event.place);
            session.mark(at, Mark::Place(place));
        }
    }
}

/// The lines of a file that equal an earlier line. Only lines with the same time, uuid and length
/// are compared, and there are nearly none.
fn repeated<'s>(lines: &[EventRef<'s>]) -> Vec<EventIx> {
    let mut stamps = Set::with_capacity_and_hasher(lines.len(), FixedState::default());
    let dated = || lines.iter().filter_map(|line| Some((*line, stamp(*line)?)));
    if dated().all(|(_, stamp)| stamps.insert(stamp)) {
        return Vec::new();
    }
    let mut said: Set<&'s [u8]> = Set::default();
    let again = dated().filter(|(line, _)| !said.insert(line.bytes()));
    again.map(|(line, _)| line.index).collect()
}

/// The time and the uuid of a message, as written, and its length; `None` if it has neither.
fn stamp(line: EventRef<'_>) -> Option<([Option<&[u8]>; 2], usize)> {
    let said = |slot| line.raw(slot).filter(|raw| *raw != b"null");
    let stamps = [said(Slot::Time), said(Slot::Id)];
    (line.case.top && stamps.iter().any(Option::is_some)).then(|| (stamps, line.span.len()))
}

/// Whether the times fall, and never rise.
fn falls(mut times: impl Iterator<Item = UtcTime>) -> bool {
    let Some(first) = times.next() else { return false };
    let mut last = first;
    times.all(|time| std::mem::replace(&mut last, time) >= time) && first > last
}
