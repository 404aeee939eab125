//! Events, the result of reading: each is a range of labelled fields over the bundle's bytes.

use crate::json::node::Node;
use crate::json::span::Span;
use crate::label::injected::Injected;
use crate::label::slot::{Kind, Slot, Standing};
use crate::label::table::Case;
use crate::label::time::UtcTime;

/// Ownership of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Hold {
    /// The event owns the whole value.
    Own,
    /// The value is a container whose members are fields or separate events: structure only.
    Open,
    /// The value is owned elsewhere and viewed here.
    View,
}

/// One labelled member of an object, or element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key with its quotes; [`Span::NONE`] for an array's element.
    pub key: Span,
    /// The value.
    pub value: Span,
    /// Its meaning.
    pub slot: Slot,
    /// Number of containers around it within the event's own value: 0 at the top.
    pub depth: u8,
    /// Ownership of its value.
    pub hold: Hold,
    /// False if no table has a row for the name: schema drift.
    pub known: bool,
}

impl Field {
    /// The field of a member that the event owns.
    #[inline(always)]
    pub(crate) fn of(member: Node<'_>, slot: Slot, depth: u8, known: bool) -> Self {
        let [key, value] = member.spans();
        Self { key, value, slot, depth, hold: Hold::Own, known }
    }

    /// The field of a member whose members are fields too.
    #[inline(always)]
    pub(crate) fn open(member: Node<'_>, slot: Slot, depth: u8) -> Self {
        Self { hold: Hold::Open, ..Self::of(member, slot, depth, true) }
    }
}

/// Origin of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The member of the bundle.
    pub member: u32,
    /// The record, an index into the session's records.
    pub record: u32,
    /// The line of the member on which the event's value begins, from 1.
    pub line: u32,
    /// Number of the event in its record, from 0.
    pub part: u32,
}

/// The index of an event in its session.
pub type EventIx = u32;

/// No event: the parent of a top-level one.
pub const NO_EVENT: EventIx = u32::MAX;

/// One thing that happened. Plain data; [`crate::EventRef`] gives access.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its kind.
    pub kind: Kind,
    /// Its standing in the conversation.
    pub standing: Standing,
    /// The reason why its text is not a person's or the model's: then it never opens a turn.
    pub injected: Option<Injected>,
    /// Its origin.
    pub origin: Origin,
    /// Its time, if the format's code found it in text. A field with [`Slot::Time`] takes
    /// precedence: use [`crate::EventRef::time`].
    pub said_at: Option<UtcTime>,
    /// Its place in its stream: the source order, unless the format sets another.
    pub place: u32,
    /// The event that contains it, or [`NO_EVENT`].
    pub parent: EventIx,
    /// The bytes of its value.
    pub span: Span,
    /// The row of the format's tables that made it.
    pub case: &'static Case,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// A decision of a format about an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Its kind.
    Kind(Kind),
    /// Its standing.
    Standing(Standing),
    /// The reason why its text is not a person's or the model's; `None` if it is.
    Injected(Option<Injected>),
    /// Its time, read out of its text. A field with [`Slot::Time`] comes first.
    SaidAt(Option<UtcTime>),
    /// Its place in source order, among the events of its member (or stream).
    Place(u32),
}
