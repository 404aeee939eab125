//! Source order: the events of each member (or of each stream, if a format's places count over it)
//! by place, merged by time without reordering inside.

use std::collections::HashMap;

use crate::json::index::offset;
use crate::label::event::{EventIx, NO_EVENT};
use crate::label::time::UtcTime;
use crate::session::bundle::Member;
use crate::session::{EventRef, Session};
use crate::sorting::Sorting as _;

impl Session {
    /// The top-level events in source order, which transcripts and records use.
    pub fn top(&self) -> impl Iterator<Item = EventRef<'_>> {
        let order = self.order.get_or_init(|| source(self)).as_deref();
        let count = order.map_or(self.events.len(), <[EventIx]>::len);
        (0..count)
            .map(move |at| self.event(order.map_or(offset(at), |order| order[at])))
            .filter(|event| event.parent == NO_EVENT)
    }
}

/// The top-level events in source order; `None` if that is the order of the vector.
fn source(session: &Session) -> Option<Vec<EventIx>> {
    let top = || session.events().filter(|event| event.parent == NO_EVENT);
    let runs = runs(session);
    let run = |member: u32| runs.get(member as usize).copied().unwrap_or(member);
    let single = runs.iter().all(|&run| run == 0);
    if single && top().map(|event| event.place).is_sorted() {
        return None;
    }
    let mut order: Vec<(u32, u32, EventIx)> =
        top().map(|event| (run(event.origin.member), event.place, event.index)).collect();
    order.in_order();
    if single {
        return Some(order.into_iter().map(|(_, _, index)| index).collect());
    }
    Some(merge(session, &order))
}

/// For each member, the first member of its run, within which events are already ordered: itself,
/// or, if places count over a stream, the stream's first.
pub(crate) fn runs(session: &Session) -> Vec<u32> {
    let members = &session.bundle.members;
    let mut firsts = HashMap::new();
    let first = |(at, member): (u32, &'_ Member)| match session.placed {
        true => *firsts.entry(member.stream.clone()).or_insert(at),
        false => at,
    };
    (0..).zip(members).map(first).collect()
}

/// Merges runs by the running maximum of time. For equal times `main` comes first, then the order
/// of the members.
fn merge(session: &Session, order: &[(u32, u32, EventIx)]) -> Vec<EventIx> {
    let streams: Vec<_> = session.bundle.members.iter().map(|member| &member.stream).collect();
    let mut keys = Vec::with_capacity(order.len());
    for run in order.chunk_by(|a, b| a.0 == b.0) {
        let times = || run.iter().map(|&(_, _, index)| session.event(index).time());
        // Events before the first time in a run have that time.
        let mut now = times().flatten().next().unwrap_or(UtcTime(i64::MAX));
        for (&(number, _, index), time) in run.iter().zip(times()) {
            now = now.max(time.unwrap_or(now));
            let stream = streams.get(number as usize).copied();
            keys.push((now, stream, number, offset(keys.len()), index));
        }
    }
    keys.in_order();
    keys.into_iter().map(|(_, _, _, _, index)| index).collect()
}
