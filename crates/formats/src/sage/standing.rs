//! Order and duplicates of a conversation (format reference, section 4, traps 1 to 3).
//!
//! - Sage writes the last message twice when it cuts a conversation. A line that says exactly what
//!   an earlier one of the file says, time or uuid included, is an `Echo`. Without either, two
//!   equal lines may be two messages: both are `Live`.
//! - An export stands newest first, and so does a file that was written from a loaded archive: all
//!   its times fall. Their places run backwards; any other file stands as it is written, even where
//!   its times go to and fro.
//! - Everything else is `Live`. Injected are system messages, and answers of tools: as lines of the
//!   role `tool`, in an export as text that begins with `Tool result:`.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use session::{EventIx, EventRef, Instant, NO_EVENT, Session, Slot, Standing};

use super::map;
use crate::standings::Verdicts;

type Set<T> = HashSet<T, FixedState>;

/// Sets standing and place of every event.
pub(super) fn settle(session: &mut Session) {
    let (mut verdicts, mut backwards) = (Verdicts::new(session), HashSet::new());
    let top: Vec<EventRef<'_>> =
        session.events().filter(|event| event.parent == NO_EVENT).collect();
    for member in top.chunk_by(|a, b| a.origin.member == b.origin.member) {
        repeated(member).into_iter().for_each(|at| verdicts.set(at, Standing::Echo));
        let exported = std::ptr::eq(member[0].case, &map::EXPORT);
        if exported || falls(member.iter().filter_map(|event| event.time())) {
            backwards.insert(member[0].origin.member);
        }
    }
    verdicts.apply(session);
    let last = u32::try_from(session.len()).unwrap_or(u32::MAX);
    for event in session.events_mut() {
        if event.case.top && backwards.contains(&event.origin.member) {
            event.place = last.saturating_sub(event.place);
        }
    }
}

/// The lines of a file that say exactly what an earlier one says. Nearly always none has the time,
/// the uuid and the length of another, and no more of them is looked at.
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

/// The time and the uuid of a message, as written, and its length; `None` where it has neither.
fn stamp(line: EventRef<'_>) -> Option<([Option<&[u8]>; 2], usize)> {
    let said = |slot| line.raw(slot).filter(|raw| *raw != b"null");
    let stamps = [said(Slot::Time), said(Slot::Id)];
    (line.case.top && stamps.iter().any(Option::is_some)).then(|| (stamps, line.span.len()))
}

/// True where the times fall, and never rise.
fn falls(mut times: impl Iterator<Item = Instant>) -> bool {
    let Some(first) = times.next() else { return false };
    let mut last = first;
    times.all(|time| std::mem::replace(&mut last, time) >= time) && first > last
}
