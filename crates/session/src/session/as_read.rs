//! The way in which a session was read, so that a later reading can continue from it.

use std::sync::OnceLock;

use crate::json::index::offset;
use crate::label::event::{Event, EventIx, Field, Hold};
use crate::label::slot::{Slot, Standing};
use crate::label::table::Choose;
use crate::read::split::Split;
use crate::session::Session;

/// The ways in which the members of a bundle were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct AsRead {
    /// The members in the order in which they were read.
    pub members: Vec<MemberRead>,
    /// The fields that got their slot from the format's code, and not from a table.
    pub labelled: Vec<u32>,
}

/// The way in which a member was read, and the place where its labels begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberRead {
    /// The member of the bundle.
    pub member: u32,
    pub split: Split,
    pub choose: Choose,
    pub first: Extent,
}

/// Numbers of records, events, fields and notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub records: usize,
    pub events: usize,
    pub fields: usize,
    pub notes: usize,
}

impl MemberRead {
    /// Whether the member was read in this way.
    pub(crate) fn is_as(&self, member: u32, split: Split, choose: Choose) -> bool {
        self.member == member && self.split == split && std::ptr::fn_addr_eq(self.choose, choose)
    }
}

impl Field {
    /// Takes back a slot that the format's code gave.
    pub(crate) fn unlabel(&mut self) {
        (self.slot, self.known) = (Slot::Native, false);
    }
}

impl Event {
    /// The event as its table alone makes it, before the format decides anything else about it.
    pub(crate) fn unmark(&mut self, place: u32) {
        self.kind = self.case.kind;
        self.standing = Standing::Live;
        self.injected = self.case.injected;
        (self.said_at, self.place) = (None, place);
    }
}

impl Session {
    /// Forgets its events, and keeps its bytes and records. Only its records can then be compared
    /// with those of another session: it is not to be shown or converted.
    pub fn forget_events(&mut self) {
        (self.events, self.fields, self.as_read) = (Vec::new(), Vec::new(), None);
        (self.order, self.only_copies) = (OnceLock::new(), OnceLock::new());
    }

    /// The number of its records, events, fields and notes.
    pub(crate) fn extent(&self) -> Extent {
        let (records, events) = (self.records.len(), self.events.len());
        Extent { records, events, fields: self.fields.len(), notes: self.notes.len() }
    }

    /// Sets the slot of a field without a row, if the source itself gives its meaning
    /// ([`Slot::Native`] means that it has none). `field` is a number in the event's fields. Span
    /// and ownership are unchanged.
    pub fn label(&mut self, event: EventIx, field: usize, slot: Slot) {
        let Some(event) = self.events.get(event as usize) else { return };
        let number = event.first as usize + field;
        if number < event.last as usize
            && let Some(field) = self.fields.get_mut(number)
            && (field.known, field.hold) == (false, Hold::Own)
        {
            (field.slot, field.known) = (slot, true);
            if let Some(as_read) = &mut self.as_read {
                as_read.labelled.push(offset(number));
            }
        }
    }
}
