//! Partition of a bundle's records into its sessions.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::json::index::offset;
use crate::label::event::{Event, NO_EVENT};
use crate::session::bundle::Bundle;
use crate::session::{Note, Session};
use crate::sorting::Sorting as _;

/// The session of each event of a bundle, in the order of the events.
#[derive(Debug, Default)]
pub struct Owners {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    /// For each event a number in the names, or [`NOBODY`].
    events: Vec<u32>,
    last: Option<u32>,
}

const NOBODY: u32 = u32::MAX;

impl Owners {
    /// Adds the next event with its session; without a name, it has none.
    pub fn push(&mut self, name: Option<&str>) {
        let number = name.map_or(NOBODY, |name| self.number(name));
        self.events.push(number);
    }

    /// If only one session is named, assigns the events without a session to it.
    pub fn adopt(&mut self) {
        if self.names.len() == 1 {
            self.events.fill(0);
        }
    }

    /// Mostly an event has the session of the previous one.
    fn number(&mut self, name: &str) -> u32 {
        if let Some(last) = self.last.filter(|last| self.names[*last as usize] == name) {
            return last;
        }
        let number = self.numbers.get(name).copied().unwrap_or_else(|| {
            self.names.push(name.to_owned());
            let number = offset(self.names.len() - 1);
            self.numbers.insert(name.to_owned(), number);
            number
        });
        self.last = Some(number);
        number
    }

    /// The session of a record: that of its first event with one.
    fn of(&self, record: Range<usize>) -> u32 {
        let mut events = self.events.get(record).unwrap_or_default().iter();
        events.find(|number| **number != NOBODY).copied().unwrap_or(NOBODY)
    }

    fn name(&self, number: u32) -> Option<&String> {
        self.names.get(number as usize)
    }
}

impl Session {
    /// Splits the session among `owners`; events without an owner go to a remainder. Events of one
    /// record stay together (the first event with an owner decides). The parts have the order of
    /// their first record, the remainder is last.
    #[must_use]
    pub fn partition(self, owners: &Owners) -> Vec<Session> {
        partition(self, owners)
    }

    /// Whether another session of the bundle has the records of this member, and this one has none.
    #[must_use]
    pub fn is_foreign(&self, member: usize) -> bool {
        let owner = self.apart.as_ref().map(|apart| (apart.part, apart.owners.get(member)));
        owner.is_some_and(|(part, owner)| owner.is_some_and(|o| o.is_some_and(|o| o != part)))
    }

    /// The session over its own members, if its bundle's sessions share none. Otherwise it is
    /// unchanged.
    #[must_use]
    pub fn alone(mut self) -> Session {
        if self.apart.is_none() {
            return self;
        }
        let mut members = Vec::new();
        let mut places = Vec::new();
        for (at, member) in self.bundle.members.iter().enumerate() {
            places.push(offset(members.len()));
            members.extend((!self.is_foreign(at)).then(|| member.clone()));
        }
        let moved = |member: &mut u32| *member = places[*member as usize];
        self.records.iter_mut().for_each(|record| moved(&mut record.member));
        self.notes.iter_mut().for_each(|note| moved(&mut note.member));
        self.events.iter_mut().for_each(|event| moved(&mut event.origin.member));
        self.bundle = Arc::new(Bundle { members });
        (self.shared, self.apart) = (false, None);
        self
    }
}

/// The owners of the members of a bundle whose sessions share none, and one of these sessions.
#[derive(Clone, Debug)]
pub(crate) struct Apart {
    /// For each member the part with its records; `None` if it has no records.
    owners: Arc<[Option<usize>]>,
    /// The part that this session is.
    part: usize,
}

/// The part of each member; `None` if two parts share a member.
fn owners_of_members(
    session: &Session,
    parts: &[(u32, Vec<Range<usize>>)],
) -> Option<Arc<[Option<usize>]>> {
    let mut owners: Vec<Option<usize>> = vec![None; session.bundle.members.len()];
    for (part, (_, ranges)) in parts.iter().enumerate() {
        for range in ranges {
            let member = session.events[range.start].origin.member as usize;
            if *owners[member].get_or_insert(part) != part {
                return None;
            }
        }
    }
    Some(owners.into())
}

/// See [`Session::partition`].
fn partition(mut session: Session, owners: &Owners) -> Vec<Session> {
    let ranges = by_record(&session.events);
    let numbers: Vec<u32> = ranges.iter().map(|range| owners.of(range.clone())).collect();
    // Mostly there is nothing to split.
    if let Some(first) = numbers.first()
        && numbers.iter().all(|number| number == first)
    {
        let name = owners.name(*first);
        session.remainder = name.is_none();
        session.id = name.cloned().unwrap_or_default();
        return vec![session];
    }
    let mut places: HashMap<u32, usize> = HashMap::new();
    let mut parts: Vec<(u32, Vec<Range<usize>>)> = Vec::new();
    for (range, number) in ranges.into_iter().zip(numbers) {
        let place = *places.entry(number).or_insert(parts.len());
        if place == parts.len() {
            parts.push((number, Vec::new()));
        }
        parts[place].1.push(range);
    }
    parts.in_order_by_key(|(number, _)| *number == NOBODY);
    let shared = session.shared || parts.len() > 1;
    let owned = owners_of_members(&session, &parts);
    let parts = parts.into_iter().enumerate().map(|(at, (number, ranges))| {
        let mut part = part(&session, owners.name(number).cloned(), &ranges);
        part.shared = shared;
        part.apart = owned.clone().map(|owners| Apart { owners, part: at });
        part
    });
    parts.collect()
}

/// The events of each record, which are adjacent.
fn by_record(events: &[Event]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (at, event) in events.iter().enumerate() {
        match ranges.last_mut() {
            Some(last) if events[last.start].origin.record == event.origin.record => {
                last.end = at + 1;
            }
            _ => ranges.push(at..at + 1),
        }
    }
    ranges
}

fn part(whole: &Session, name: Option<String>, ranges: &[Range<usize>]) -> Session {
    let mut part = Session::new(whole.format, whole.bundle.clone());
    part.statuses = whole.statuses;
    part.has_cut_answers = whole.has_cut_answers;
    part.remainder = name.is_none();
    part.id = name.unwrap_or_default();
    for range in ranges {
        let shift = offset(part.events.len());
        let record = whole.records[whole.events[range.start].origin.record as usize];
        for event in &whole.events[range.clone()] {
            let mut event = event.clone();
            let first = offset(part.fields.len());
            let fields = event.first as usize..event.last as usize;
            part.fields.extend_from_slice(&whole.fields[fields]);
            (event.first, event.last) = (first, offset(part.fields.len()));
            event.origin.record = offset(part.records.len());
            if event.parent != NO_EVENT {
                event.parent = event.parent - offset(range.start) + shift;
            }
            event.place = offset(part.events.len());
            part.events.push(event);
        }
        part.records.push(record);
        let from = whole.notes.partition_point(|note| {
            (note.member, note.span.start) < (record.member, record.span.start)
        });
        let inside = |note: &&Note| note.member == record.member && record.span.holds(note.span);
        part.notes.extend(whole.notes[from..].iter().take_while(inside));
    }
    part
}
