//! What reading yields: events, each a range of labelled fields over the bundle's bytes.

use crate::json::span::Span;
use crate::label::slot::{Kind, Slot, Standing};
use crate::label::table::Case;
use crate::label::time::Instant;

/// How a field has its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Hold {
    /// The value is this event's, whole.
    Own,
    /// The value is a container whose members are fields or events of their own: structure only.
    Open,
    /// The value is owned elsewhere and read here too.
    View,
}

/// One labelled member of an object, or element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key with its quotes; [`Span::NONE`] for an array's element.
    pub key: Span,
    /// The value.
    pub value: Span,
    /// What it means.
    pub slot: Slot,
    /// How many containers of the event's own value it stands in: 0 at the top.
    pub depth: u8,
    /// Whose it is.
    pub hold: Hold,
    /// False where no table has a row for the name: the format has drifted.
    pub known: bool,
}

/// Where an event comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    /// The member of the bundle.
    pub member: u32,
    /// The record, an index into the session's records.
    pub record: u32,
    /// The line of the member on which the event's value begins, from 1.
    pub line: u32,
    /// Which event of its record it is, from 0.
    pub part: u32,
}

/// The index of an event in its session.
pub type EventIx = u32;

/// No event: the parent of a top-level one.
pub const NO_EVENT: EventIx = u32::MAX;

/// One thing that happened. Plain data; read it through [`crate::EventRef`].
#[derive(Clone, Debug)]
pub struct Event {
    /// What it is.
    pub kind: Kind,
    /// How it stands to the conversation.
    pub standing: Standing,
    /// True for text that no person typed: it never opens a turn.
    pub injected: bool,
    /// Where it comes from.
    pub origin: Origin,
    /// When it happened, where the format's code reads it out of what was said. A field with
    /// [`Slot::Time`] comes first: ask [`crate::EventRef::time`].
    pub said_at: Option<Instant>,
    /// Its place in its stream: its source order, unless the format sets another.
    pub place: u32,
    /// The event that it is a part of, or [`NO_EVENT`].
    pub parent: EventIx,
    /// The bytes of its value.
    pub span: Span,
    /// The row of the format's tables that made it.
    pub case: &'static Case,
    pub(crate) first: u32,
    pub(crate) last: u32,
}
