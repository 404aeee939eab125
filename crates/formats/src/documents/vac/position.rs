//! Source position of each entry, delta-encoded against the previous entry.

use session::{EventIx, EventRef, NO_EVENT};

use super::entry::Entries;
use super::layout::Stand;
use crate::documents::shared::out::Out;
use crate::documents::shared::paths::{PathIx, ROOT};
use crate::documents::shared::places::{Place, WHOLE};

/// Position of the last entry of a level. A position that follows from it is not written.
#[derive(Clone, Copy)]
pub(super) struct Last {
    pub(super) event: EventIx,
    pub(super) record: u32,
    pub(super) container: PathIx,
    pub(super) index: u32,
}

/// The state before the first entry of a level.
pub(super) const NOTHING: Last =
    Last { event: NO_EVENT, record: u32::MAX, container: ROOT, index: WHOLE };

/// Written position of an entry.
pub(super) struct Telling {
    pub(super) stand: Stand,
    pub(super) also: bool,
    /// The record, unless it is the next one.
    pub(super) from: Option<u32>,
    /// The position in the record, unless it is the next one.
    pub(super) at: Option<Vec<u8>>,
}

impl<'s> Entries<'s> {
    /// The position of a top-level entry.
    pub(super) fn tell_top(&mut self, event: EventRef<'s>, last: &mut Last) -> Telling {
        let place = self.places[event.index as usize];
        let record = event.origin.record;
        let before = std::mem::replace(
            last,
            Last { event: event.index, record, container: place.container, index: place.index },
        );
        let same = before.record == record;
        let also = same && self.is_second(event, before.event);
        let elsewhere = (!same).then_some(record);
        let mut telling = Telling { stand: Stand::Record, also, from: None, at: None };
        if place.covered {
            telling.stand = Stand::Covered;
            telling.from = elsewhere;
        } else if place.enclosing == NO_EVENT {
            let follows = also || record == before.record.wrapping_add(1);
            telling.from = (!follows).then_some(record);
        } else if self.places[place.enclosing as usize].enclosing == NO_EVENT {
            telling.stand = self.stand_in(place);
            telling.from = elsewhere;
            if !also && !follows(place, before, same) {
                telling.at = Some(self.full_pointer(event.index));
            }
        } else {
            telling.from = elsewhere;
            telling.at = (!also).then(|| self.full_pointer(event.index));
        }
        telling
    }

    /// The position of an entry within another.
    pub(super) fn tell_child(&mut self, event: EventRef<'s>, last: &mut Last) -> Telling {
        let place = self.places[event.index as usize];
        let (container, index) = (place.container, place.index);
        let record = event.origin.record;
        let before = std::mem::replace(last, Last { event: event.index, record, container, index });
        let mut telling = Telling { stand: Stand::Covered, also: false, from: None, at: None };
        if place.covered {
            return telling;
        }
        telling.also = self.is_second(event, before.event);
        if place.enclosing != event.parent {
            telling.stand = Stand::Record;
            telling.also = false;
            telling.from = Some(record);
            telling.at = (place.enclosing != NO_EVENT).then(|| self.full_pointer(event.index));
            return telling;
        }
        telling.stand = self.stand_in(place);
        if !telling.also && !follows(place, before, true) {
            telling.at = Some(self.steps(&[place]));
        }
        telling
    }

    /// The position of an entry without a layout.
    pub(super) fn tell_all(&self, event: EventRef<'s>, telling: Telling) -> Telling {
        match telling.stand {
            Stand::Covered => telling,
            _ => Telling {
                from: Some(event.origin.record),
                at: Some(self.full_pointer(event.index)),
                ..telling
            },
        }
    }

    /// Whether this is the second event of the value of `before`.
    fn is_second(&self, event: EventRef<'s>, before: EventIx) -> bool {
        before != NO_EVENT && {
            let first = self.session.event(before);
            first.origin.record == event.origin.record
                && first.span == event.span
                && !self.places[event.index as usize].covered
        }
    }

    fn stand_in(&mut self, place: Place) -> Stand {
        match place.index {
            WHOLE => Stand::In(place.container),
            _ => Stand::In(self.paths.element(place.container)),
        }
    }

    /// The position of an event's value in its record.
    fn full_pointer(&self, event: EventIx) -> Vec<u8> {
        let mut places = Vec::new();
        let mut at = event;
        while at != NO_EVENT {
            places.push(self.places[at as usize]);
            at = self.places[at as usize].enclosing;
        }
        places.reverse();
        self.steps(&places)
    }

    /// Nested positions as an array of steps: a string is the key of an object, a number the index
    /// of an array.
    fn steps(&self, places: &[Place]) -> Vec<u8> {
        let mut out = Out::default();
        out.open_array();
        for place in places {
            for key in self.paths.keys(place.container) {
                out.string(key);
            }
            if place.index != WHOLE {
                out.number(u64::from(place.index));
            }
        }
        out.close_array();
        out.text
    }

    /// A native path as a JSON Pointer, with the index of the element.
    pub(super) fn pointer(&self, path: PathIx, index: Option<u32>) -> String {
        let pointer = self.paths.pointer(path);
        index.map_or(pointer.clone(), |index| format!("{pointer}/{index}"))
    }
}

/// Whether a value is the next of its container, or the member that the layout names.
fn follows(place: Place, before: Last, same: bool) -> bool {
    let expected = match same && before.container == place.container && before.index != WHOLE {
        true => before.index + 1,
        false => 0,
    };
    place.index == WHOLE || place.index == expected
}
