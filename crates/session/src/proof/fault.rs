//! Fault injection: breaks a session on purpose, so that tests show that the proof fails. Nothing
//! else may use it.

use crate::label::event::{Field, Hold};
use crate::read::earlier::EarlierReading;
use crate::session::Session;

/// The parts of a session, mutable.
#[derive(Debug)]
pub struct Parts<'s>(&'s mut Session);

impl<'s> Parts<'s> {
    /// The parts of `session`.
    pub fn of(session: &'s mut Session) -> Self {
        Self(session)
    }

    /// Removes a field, like a reader that drops it.
    pub fn remove_field(&mut self, at: usize) {
        self.0.fields.remove(at);
        self.shift(at, |index| index - 1);
    }

    /// Repeats a field.
    pub fn repeat_field(&mut self, at: usize) {
        let field = self.0.fields[at];
        self.0.fields.insert(at, field);
        self.shift(at, |index| index + 1);
    }

    /// Swaps the values of two fields.
    pub fn swap_values(&mut self, a: usize, b: usize) {
        let fields = &mut self.0.fields;
        let value = fields[a].value;
        fields[a].value = fields[b].value;
        fields[b].value = value;
    }

    /// Shifts the beginning of a field's value by one byte.
    pub fn shift_value(&mut self, at: usize) {
        self.0.fields[at].value.start += 1;
    }

    /// Removes a record and its events.
    pub fn remove_record(&mut self, at: usize) {
        self.0.records.remove(at);
        self.0.events.retain(|event| event.origin.record as usize != at);
        for event in &mut self.0.events {
            if event.origin.record as usize > at {
                event.origin.record -= 1;
            }
        }
    }

    /// Removes the events of a record.
    pub fn remove_event(&mut self, at: usize) {
        self.0.events.remove(at);
    }

    /// Shortens a record by one byte.
    pub fn shorten_record(&mut self, at: usize) {
        self.0.records[at].span.end -= 1;
    }

    /// The first field after `at` that owns its value and is in no container.
    #[must_use]
    pub fn own_field(&self, at: usize) -> Option<usize> {
        let own = |field: &Field| field.hold == Hold::Own && !field.key.is_empty();
        let rest = self.0.fields.get(at..)?;
        rest.iter().position(own).map(|place| at + place)
    }

    fn shift(&mut self, at: usize, change: impl Fn(u32) -> u32) {
        for event in &mut self.0.events {
            if event.first as usize > at {
                event.first = change(event.first);
            }
            if event.last as usize > at {
                event.last = change(event.last);
            }
        }
    }
}

/// The reading that gave this session, as [`EarlierReading::of`] a reader that keeps the standings
/// which the format decided, although lines that are added may change them.
#[must_use]
pub fn earlier_with_standings(session: Session) -> Option<EarlierReading> {
    let standings = session.events.iter().map(|event| event.standing).collect();
    let mut earlier = EarlierReading::of(session)?;
    earlier.set_standings(standings);
    Some(earlier)
}
