//! Timeline: the events of the document, their order and their uids.

use std::borrow::Cow;
use std::collections::HashMap;

use meaning::facts;
use session::{Canonical, EventIx, EventRef, Hold, Kind, NO_EVENT, Session, Slot, Span};

use crate::documents::shared::moment;

/// Placeholder for an unknown time.
pub(super) const NO_TIME: &str = "1970-01-01T00:00:00Z";

/// Not in the sequence: the document does not have the event.
const NOWHERE: u32 = u32::MAX;

/// The events of a session in the document's order.
pub(super) struct Timeline<'s> {
    session: &'s Session,
    uid: String,
    canonical: Canonical,
    sequence: Vec<u32>,
    /// For each record, the event that contains it.
    heads: Vec<EventIx>,
    /// Events with a repeated native id, and the first event with that id.
    repeats: HashMap<EventIx, EventIx>,
    /// The time of an event if no event has a time.
    untold: Cow<'s, str>,
}

impl<'s> Timeline<'s> {
    /// The timeline of a session whose uid in the document is `uid`.
    pub(super) fn of(session: &'s Session, uid: String) -> Self {
        let mut canonical = Canonical::of(session);
        canonical.order.retain(|&event| !is_carrier(session.event(event)));
        let mut sequence = vec![NOWHERE; session.len()];
        for (number, &event) in (0..).zip(&canonical.order) {
            sequence[event as usize] = number;
        }
        let mut heads = vec![NO_EVENT; session.records.len()];
        for event in session.events().rev().filter(|e| sequence[e.index as usize] != NOWHERE) {
            heads[event.origin.record as usize] = event.index;
        }
        let repeats = repeats(session, &canonical.order);
        let start = facts::lasted(session).start.map(|start| moment::of(&start));
        let untold = start.unwrap_or(Cow::Borrowed(NO_TIME));
        Self { session, uid, canonical, sequence, heads, repeats, untold }
    }

    /// The events in canonical order.
    pub(super) fn order(&self) -> &[EventIx] {
        &self.canonical.order
    }

    /// The number of an event in the document.
    pub(super) fn sequence(&self, event: EventIx) -> u32 {
        self.sequence[event as usize]
    }

    /// The number of an event among the parts of its line.
    pub(super) fn part(&self, event: EventRef<'_>) -> u32 {
        self.canonical.part(event)
    }

    /// The event that contains the record of another.
    pub(super) fn head(&self, event: EventRef<'_>) -> EventIx {
        self.heads[event.origin.record as usize]
    }

    /// The first event with the same native id, if this one is not the first.
    pub(super) fn repeats(&self, event: EventRef<'_>) -> Option<EventRef<'s>> {
        self.repeats.get(&event.index).map(|&first| self.session.event(first))
    }

    /// The uid: line, part and stream, so that uids of one line sort as its events. A second member
    /// of one stream has its number in it.
    pub(super) fn event_uid(&self, event: EventRef<'_>) -> String {
        let (line, part, stream) = (event.origin.line, self.part(event), event.stream());
        let copy = match self.canonical.copy(event) {
            0 => String::new(),
            copy => format!("~{copy:06}"),
        };
        format!("{}:{line}{copy}.{part:06}:{stream}", self.uid)
    }

    /// Time of an event as RFC 3339, in the native spelling if that is RFC 3339. The second value
    /// is true if the time is the event's own.
    pub(super) fn timestamp(&self, event: EventRef<'_>) -> (Cow<'s, str>, bool) {
        let Some(timed) = self.canonical.time(event) else {
            return (self.untold.clone(), false);
        };
        let text = self.session.event(timed.from).moment().map(|time| moment::of(&time));
        (text.unwrap_or(Cow::Borrowed(NO_TIME)), timed.from == event.index)
    }
}

/// Whether an event has no content of its own and only contains others, which are in the document.
fn is_carrier(event: EventRef<'_>) -> bool {
    matches!(event.kind, Kind::User | Kind::Assistant)
        && event.children().next().is_some()
        && !event.fields().iter().any(|field| field.key == Span::NONE && field.hold == Hold::Own)
        && event.said().trim().is_empty()
}

/// Events with the native id of an earlier event in the order.
fn repeats(session: &Session, order: &[EventIx]) -> HashMap<EventIx, EventIx> {
    let mut seen: HashMap<&[u8], EventIx> = HashMap::new();
    let mut repeats = HashMap::new();
    for &index in order {
        let id = session.event(index).raw(Slot::Id).filter(|id| id.len() > 2);
        if let Some(id) = id.filter(|id| id.first() == Some(&b'"')) {
            let first = *seen.entry(id).or_insert(index);
            if first != index {
                repeats.insert(index, first);
            }
        }
    }
    repeats
}
