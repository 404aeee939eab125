//! Whether two values with one id are one thing: decided only here.
//!
//! An id alone does not say it. Exports replace ids by one word, relays give every answer the same
//! id, and some providers count from zero in each turn. Two values of one id are one thing if they
//! have the same place and the later one repeats the earlier, or is a later state of it.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

use foldhash::fast::RandomState;
use foldhash::quality::FixedState;
use session::{EventIx, EventRef, Slot, UtcTime};

/// A digest of names, in 128 bits: equal inputs give equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u64; 2]);

impl Key {
    /// The key of a value.
    #[must_use]
    pub fn of(what: impl Hash) -> Self {
        let half = |seed: u64| FixedState::with_seed(seed).hash_one(&what);
        Self([half(1), half(2)])
    }

    /// Its two halves. They are the same in every run of one build of the program, and may differ
    /// in another build.
    #[must_use]
    pub const fn halves(self) -> [u64; 2] {
        self.0
    }

    /// The key with these halves.
    #[must_use]
    pub const fn of_halves(halves: [u64; 2]) -> Self {
        Self(halves)
    }
}

/// A digest in 64 bits, of one of several texts that make a [`Key`] together.
pub(crate) fn digest(what: impl Hash) -> u64 {
    FixedState::with_seed(1).hash_one(what)
}

/// One of the values that have an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighting<'s> {
    /// The thing that it belongs to: the request that it answers, the message that holds it. `None`
    /// if the agent does not say.
    pub place: Option<Key>,
    /// The time at which it began, or was written.
    pub time: Option<UtcTime>,
    /// Its bytes.
    pub content: &'s [u8],
}

/// The relation of a value to an earlier one with its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// It says the same.
    Repeats,
    /// It is a later state of the same thing.
    GoesOn,
    /// It is another thing.
    Differs,
}

impl Sighting<'_> {
    /// The relation of a later value with the same id to this one. `goes_on` says whether it can be
    /// a later state by what it tells: its counters or its text have grown, in one chain of
    /// records.
    #[must_use]
    pub fn to_later(&self, later: &Sighting<'_>, goes_on: impl FnOnce() -> bool) -> Sameness {
        let elsewhere = self.place.zip(later.place).is_some_and(|(one, other)| one != other);
        if elsewhere {
            Sameness::Differs
        } else if self.time == later.time && self.content == later.content {
            Sameness::Repeats
        } else if goes_on() {
            Sameness::GoesOn
        } else {
            Sameness::Differs
        }
    }
}

/// The messages of a session whose parts are values of their own, which name their message.
#[derive(Debug, Default)]
pub struct Messages {
    /// The records of the messages with one id, in reading order.
    by_id: HashMap<Key, Vec<Found>, RandomState>,
}

/// A record of a message.
#[derive(Clone, Copy, Debug)]
struct Found {
    event: EventIx,
    record: u32,
    thing: Key,
}

impl Messages {
    /// Collects the records of messages, in reading order.
    #[must_use]
    pub fn of<'s>(messages: impl Iterator<Item = EventRef<'s>>) -> Self {
        let mut by_id: HashMap<Key, Vec<Found>, RandomState> = HashMap::default();
        // Messages of one document are different ones, even if their ids and times are equal.
        let mut within: HashMap<(Key, u32), u32, RandomState> = HashMap::default();
        for event in messages {
            let Some(id) = event.text(Slot::Id).filter(|id| !id.is_empty()) else { continue };
            let (record, time) = (event.origin.record, event.time().map(|time| time.0));
            let number = within.entry((Key::of((&id, time)), record)).or_default();
            let thing = Key::of((&id, time, *number));
            *number += 1;
            by_id.entry(Key::of(&*id)).or_default().push(Found {
                event: event.index,
                record,
                thing,
            });
        }
        Self { by_id }
    }

    /// The message that an event is, or that holds it: its record, and its key, which all records
    /// of the message share. Of several messages with the id that a part names, the one before it
    /// in its document holds it.
    #[must_use]
    pub fn holder(&self, event: EventRef<'_>) -> Option<(EventIx, Key)> {
        if self.by_id.is_empty() {
            return None;
        }
        let named = event.text(Slot::Message);
        let known = self.by_id.get(&Key::of(&*named.or_else(|| event.text(Slot::Id))?))?;
        let before = &known[..known.partition_point(|found| found.event <= event.index)];
        let within = before.last().filter(|found| found.record == event.origin.record);
        let found = within.or_else(|| before.last()).or_else(|| known.first())?;
        Some((found.event, found.thing))
    }

    /// The last record of a message with an id.
    #[must_use]
    pub fn named(&self, id: &str) -> Option<EventIx> {
        self.by_id.get(&Key::of(id))?.last().map(|found| found.event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_alone_makes_no_two_values_one() {
        let at = |place: Option<&str>, second: i64, content: &'static str| Sighting {
            place: place.map(Key::of),
            time: Some(UtcTime(second)),
            content: content.as_bytes(),
        };
        let first = at(Some("one"), 1, "sand the door");
        let to = |later: Sighting<'_>, grew: bool| first.to_later(&later, || grew);
        assert_eq!(to(first, false), Sameness::Repeats);
        assert_eq!(to(at(None, 1, "sand the door"), false), Sameness::Repeats);
        assert_eq!(to(at(Some("one"), 1, "sand the door twice"), true), Sameness::GoesOn);
        assert_eq!(to(at(Some("one"), 1, "paint it"), false), Sameness::Differs);
        assert_eq!(to(at(Some("one"), 2, "sand the door"), false), Sameness::Differs);
        assert_eq!(to(at(Some("two"), 1, "sand the door"), true), Sameness::Differs);
    }
}
