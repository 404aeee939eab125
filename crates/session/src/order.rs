//! Source order: each member's events in their places, the members merged by time without
//! reordering inside one.

use crate::event::{EventIx, NO_EVENT, Slot};
use crate::index::offset;
use crate::session::{EventRef, Session};
use crate::time::Instant;

/// The top-level events in source order; `None` where that is the order of the vector.
pub(crate) fn source(session: &Session) -> Option<Vec<EventIx>> {
    let top = || session.events().filter(|event| event.parent == NO_EVENT);
    let single = session.bundle.members.len() == 1;
    if single && top().map(|event| event.place).is_sorted() {
        return None;
    }
    let mut order: Vec<(u32, u32, EventIx)> =
        top().map(|event| (event.origin.member, event.place, event.index)).collect();
    order.sort();
    if single {
        return Some(order.into_iter().map(|(_, _, index)| index).collect());
    }
    Some(merge(session, &order))
}

/// Merges members by the running maximum of time; on equal times `main` comes first, then the
/// order of the members.
fn merge(session: &Session, order: &[(u32, u32, EventIx)]) -> Vec<EventIx> {
    let streams: Vec<_> = session.bundle.members.iter().map(|member| &member.stream).collect();
    let mut keys = Vec::with_capacity(order.len());
    for member in order.chunk_by(|a, b| a.0 == b.0) {
        let times = || member.iter().map(|&(_, _, index)| time(session.event(index)));
        // What stands before the first time in a member has that time.
        let mut now = times().flatten().next().unwrap_or(Instant(i64::MAX));
        for (&(number, _, index), time) in member.iter().zip(times()) {
            now = now.max(time.unwrap_or(now));
            let stream = streams.get(number as usize).copied();
            keys.push((now, stream, number, offset(keys.len()), index));
        }
    }
    keys.sort();
    keys.into_iter().map(|(_, _, _, _, index)| index).collect()
}

/// When an event happened, if it says so.
pub(crate) fn time(event: EventRef<'_>) -> Option<Instant> {
    event.raw(Slot::Time).and_then(Instant::read)
}
