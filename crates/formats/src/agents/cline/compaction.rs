//! The file of a compaction: the messages that a session's next request has in place of the first
//! ones of its conversation. Messages that it kept are in both files: there they are an `Echo`, and
//! what it did not keep is `Compacted`. What only it has is the summary.

use std::collections::{HashMap, HashSet};

use session::{EventIx, EventRef, Injected, Kind, Mark, Session, Slot, Standing, value};

use super::map;
use crate::standings::Standings;

/// Whether an event is a file's own, and no message of it.
fn is_file(event: EventRef<'_>, case: &'static session::Case) -> bool {
    std::ptr::eq(event.case, case)
}

/// Sets the standings of the messages of both files, and the order of what the next request has.
pub(super) fn settle(
    session: &Session,
    standings: &mut Standings,
    marks: &mut Vec<(EventIx, Mark)>,
) -> bool {
    let Some(file) = session.events().find(|event| is_file(*event, &map::COMPACTED)) else {
        return false;
    };
    let count = value::look(file.bytes(), |file| value::number(file.at(map::REPLACED)?.raw()));
    let count = usize::try_from(count.unwrap_or(0)).unwrap_or(usize::MAX);
    let of = |member: u32| {
        let is_message = move |event: &EventRef<'_>| {
            event.origin.member == member && event.field(Slot::Role).is_some()
        };
        session.events().filter(is_message).collect::<Vec<_>>()
    };
    let conversation = session.events().find(|event| {
        is_file(*event, &map::CONVERSATION_CASE) && *event.stream() == session::Stream::Main
    });
    let source = conversation.map(|file| of(file.origin.member)).unwrap_or_default();
    let (before, behind) = source.split_at(count.min(source.len()));
    let same = |event: &EventRef<'_>| {
        let content = || event.raw(Slot::Content).unwrap_or_default().to_vec();
        event.raw(Slot::Id).map_or_else(content, <[u8]>::to_vec)
    };
    let mut known: HashMap<Vec<u8>, EventIx> =
        before.iter().map(|event| (same(event), event.index)).collect();
    before.iter().for_each(|event| standings.set(event.index, Standing::Compacted));
    let (mut summary, mut kept) = (Vec::new(), Vec::new());
    for event in of(file.origin.member) {
        match known.remove(&same(&event)) {
            Some(own) => {
                standings.set(own, Standing::Live);
                standings.set(event.index, Standing::Echo);
                kept.push(own);
            }
            None => summary.push(event),
        }
    }
    let prompts = summary.iter().filter(|event| event.kind == Kind::User);
    marks.extend(prompts.map(|it| (it.index, Mark::Injected(Some(Injected::Summary)))));
    // What was left out, the summary, what was kept, what followed; then all else.
    let is_kept: HashSet<EventIx> = kept.iter().copied().collect();
    let compacted = before.iter().map(|event| event.index).filter(|at| !is_kept.contains(at));
    let summary = summary.iter().map(|event| event.index);
    let behind = behind.iter().map(|event| event.index);
    let order: Vec<EventIx> =
        compacted.chain(summary).chain(kept.iter().copied()).chain(behind).collect();
    let places = (0..).zip(&order);
    marks.extend(places.map(|(place, event)| (*event, Mark::Place(place))));
    let known: HashSet<EventIx> = order.iter().copied().collect();
    let listed = |event: &EventRef<'_>| known.contains(&event.index);
    let rest = session.events().filter(|event| !listed(event));
    let end = u32::try_from(order.len()).unwrap_or(u32::MAX);
    marks.extend(rest.map(|event| (event.index, Mark::Place(end.saturating_add(event.place)))));
    true
}
