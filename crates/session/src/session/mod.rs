//! A session: the labelled history of one bundle, or of a part of it.

pub(crate) mod address;
pub(crate) mod as_read;
pub(crate) mod beside;
pub(crate) mod bundle;
pub(crate) mod bytes;
pub(crate) mod canonical;
mod content;
mod copies;
pub mod edit;
pub(crate) mod moment;
pub(crate) mod order;
mod outcome;
pub(crate) mod partition;
pub mod text;
pub(crate) mod unread;

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::json::index::{JsonFault, offset};
use crate::json::node::Counts;
use crate::json::span::Span;
use crate::json::value;
use crate::label::event::{Event, EventIx, Field, Hold, Mark, NO_EVENT};
use crate::label::slot::{Kind, Slot, Slots, Standing};
use crate::label::status::Statuses;
use crate::session::as_read::AsRead;
use crate::session::beside::Beside;
use crate::session::bundle::{Bundle, Stream};
use crate::session::partition::Apart;

/// A piece of a member: one JSON value, or bytes that are not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The member of the bundle.
    pub member: u32,
    /// Its bytes, without the white space around them.
    pub span: Span,
    /// The line on which it begins, from 1.
    pub line: u32,
}

/// A diagnostic about the bytes. It is never an error: everything is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// The member of the bundle.
    pub member: u32,
    /// The line, from 1.
    pub line: u32,
    /// The bytes in question.
    pub span: Span,
    /// The byte of the member at which reading failed.
    pub at: u32,
    /// The reason.
    pub why: JsonFault,
    /// Whether the bytes were read in spite of the fault: values glued together, or bytes that are
    /// not UTF-8.
    pub mended: bool,
}

/// One conversation of an agent, with all its standings, over the bytes that contain it.
#[derive(Clone)]
pub struct Session {
    /// The format's name in the registry.
    pub format: &'static str,
    /// The format's status words.
    pub statuses: &'static Statuses,
    /// Whether the blocks of an answer are pieces of one text: a word may go on in the next one.
    pub has_cut_answers: bool,
    /// Which of an object's equal keys counts for the agent.
    pub counts: Counts,
    /// The agent's own id, or one derived from names or content. Never random.
    pub id: String,
    /// The bytes.
    pub bundle: Arc<Bundle>,
    /// The records, in the order of their members.
    pub records: Vec<Record>,
    /// Faults in reading.
    pub notes: Vec<Note>,
    /// Whether it is the remainder of a bundle, which belongs to no session. So no bytes are
    /// without an owner.
    pub remainder: bool,
    /// Whether the bundle has other sessions too.
    pub shared: bool,
    /// The owners of its bundle's members, if no two sessions share one.
    pub(crate) apart: Option<Apart>,
    /// Whether the format's places count over all members of a stream. Otherwise each member has
    /// the order of its places, and members are merged by time.
    pub placed: bool,
    /// The document that it was restored from: its format's name, and its bytes. `None` for an
    /// agent's own files.
    pub document: Option<(&'static str, Arc<Bundle>)>,
    /// Its facts from elsewhere.
    pub beside: Beside,
    pub(crate) events: Vec<Event>,
    pub(crate) fields: Vec<Field>,
    /// The way in which it was read; `None` if it is only a part of what was read.
    pub(crate) as_read: Option<AsRead>,
    /// The top-level events in source order, if that differs from the order of the vector.
    order: OnceLock<Option<Vec<EventIx>>>,
    /// Whether all of its conversation is copied.
    only_copies: OnceLock<bool>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut session = f.debug_struct("Session");
        session.field("uid", &self.uid()).field("records", &self.records.len());
        session.field("events", &self.events.len()).finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(format: &'static str, bundle: Arc<Bundle>) -> Self {
        Self {
            format,
            statuses: &Statuses::NONE,
            has_cut_answers: false,
            counts: Counts::default(),
            id: String::new(),
            bundle,
            records: Vec::new(),
            notes: Vec::new(),
            remainder: false,
            shared: false,
            apart: None,
            placed: false,
            document: None,
            beside: Beside::default(),
            events: Vec::new(),
            fields: Vec::new(),
            as_read: None,
            order: OnceLock::new(),
            only_copies: OnceLock::new(),
        }
    }

    pub(crate) fn end(&mut self, event: EventIx, first: u32) {
        let last = offset(self.fields.len());
        if let Some(event) = self.events.get_mut(event as usize) {
            (event.first, event.last) = (first, last);
        }
    }

    /// The number of its labelled fields.
    #[must_use]
    pub fn field_count(&self) -> usize {
        self.fields.len()
    }

    /// The session's uid: `<format>:<native id>`.
    #[must_use]
    pub fn uid(&self) -> String {
        format!("{}:{}", self.format, self.id)
    }

    /// Number of events, including those within others.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether nothing was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The event with an index of this session.
    #[must_use]
    pub fn event(&self, index: EventIx) -> EventRef<'_> {
        EventRef { session: self, index, event: &self.events[index as usize] }
    }

    /// All events, each before those within it, in the order in which they were read.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = EventRef<'_>> + ExactSizeIterator {
        (0..offset(self.events.len())).map(|index| self.event(index))
    }

    /// Marks an event that this session gave out: what a format decides once it has read all of
    /// them. The bytes of an event, its place in the source and its parent stay as they were read.
    pub fn mark(&mut self, event: EventIx, mark: Mark) {
        let Some(event) = self.events.get_mut(event as usize) else { return };
        match mark {
            Mark::Kind(kind) => event.kind = kind,
            Mark::Standing(standing) => event.standing = standing,
            Mark::Injected(injected) => event.injected = injected,
            Mark::SaidAt(at) => event.said_at = at,
            Mark::Place(place) => event.place = place,
        }
        match mark {
            Mark::SaidAt(_) | Mark::Place(_) => self.order = OnceLock::new(),
            _ => self.only_copies = OnceLock::new(),
        }
    }

    /// The first value of a slot, over all events, in reading order.
    #[must_use]
    pub fn first(&self, slot: Slot) -> Option<Cow<'_, str>> {
        self.with(slot).find_map(|event| event.text(slot).filter(|text| !text.is_empty()))
    }

    /// The last value of a slot, over all events, in reading order.
    #[must_use]
    pub fn last(&self, slot: Slot) -> Option<Cow<'_, str>> {
        self.with(slot).rev().find_map(|event| event.text(slot).filter(|text| !text.is_empty()))
    }

    /// All events, or none if no event has this slot. Most sessions have few facts about
    /// themselves, and this avoids a search in each event's fields.
    fn with(&self, slot: Slot) -> impl DoubleEndedIterator<Item = EventRef<'_>> {
        let fixed = |event: &Event| event.case.constants.iter().any(|(own, _)| *own == slot);
        let known =
            self.fields.iter().any(|field| field.slot == slot) || self.events.iter().any(fixed);
        self.events().filter(move |_| known)
    }

    /// The bytes of a record.
    #[must_use]
    pub fn record_bytes(&self, record: &Record) -> &[u8] {
        self.bundle.slice(record.member, record.span)
    }
}

/// An event with its session: the typed view. Values are read from the bytes on demand.
#[derive(Clone, Copy)]
pub struct EventRef<'s> {
    session: &'s Session,
    /// Its index in the session.
    pub index: EventIx,
    event: &'s Event,
}

impl fmt::Debug for EventRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventRef").field("index", &self.index).field("event", self.event).finish()
    }
}

impl std::ops::Deref for EventRef<'_> {
    type Target = Event;

    fn deref(&self) -> &Event {
        self.event
    }
}

impl<'s> EventRef<'s> {
    /// The session.
    #[must_use]
    pub const fn session(self) -> &'s Session {
        self.session
    }

    /// The bytes of the member, which the event's spans refer to.
    #[must_use]
    pub fn member_bytes(self) -> &'s [u8] {
        self.session.bundle.bytes(self.event.origin.member)
    }

    /// The bytes of a span of the member.
    #[must_use]
    pub fn slice(self, span: Span) -> &'s [u8] {
        self.session.bundle.slice(self.event.origin.member, span)
    }

    /// The event's own value as written.
    #[must_use]
    pub fn bytes(self) -> &'s [u8] {
        self.slice(self.event.span)
    }

    /// All its fields in source order, containers before their contents.
    #[must_use]
    pub fn fields(self) -> &'s [Field] {
        let (first, last) = (self.event.first as usize, self.event.last as usize);
        self.session.fields.get(first..last).unwrap_or_default()
    }

    /// Its fields, each with its number among all fields of the session.
    pub fn numbered(self) -> impl Iterator<Item = (usize, Field)> + 's {
        (self.event.first as usize..).zip(self.fields().iter().copied())
    }

    /// The slots of its fields: to look for several slots, most of which are not there.
    #[must_use]
    pub fn slots(self) -> Slots {
        self.fields().iter().fold(Slots::default(), |slots, field| slots.with(field.slot))
    }

    /// The first field with this slot.
    #[must_use]
    pub fn field(self, slot: Slot) -> Option<Field> {
        self.fields().iter().find(|field| field.slot == slot).copied()
    }

    /// The value of the first field with this slot, as written.
    #[must_use]
    pub fn raw(self, slot: Slot) -> Option<&'s [u8]> {
        self.field(slot).map(|field| self.value(field))
    }

    /// The text of a slot: a string's content, or a number or boolean as written; without a field,
    /// the value that the format fixes. `None` for null and containers.
    #[must_use]
    pub fn text(self, slot: Slot) -> Option<Cow<'s, str>> {
        match self.raw(slot) {
            Some(raw) => value::text(raw),
            None => self.constant(slot).map(Cow::Borrowed),
        }
    }

    /// The value of a slot that the format's table fixes.
    #[must_use]
    pub fn constant(self, slot: Slot) -> Option<&'static str> {
        self.event.case.constants.iter().find(|(fixed, _)| *fixed == slot).map(|(_, text)| *text)
    }

    /// Whether the first field with this slot is `true`, or the format fixes it so.
    #[must_use]
    pub fn is_true(self, slot: Slot) -> bool {
        match self.raw(slot) {
            Some(raw) => raw == b"true",
            None => self.constant(slot) == Some("true"),
        }
    }

    /// The value of the first field with this slot, if it is a whole number. A string of digits
    /// counts, because some archives write numbers so.
    #[must_use]
    pub fn number(self, slot: Slot) -> Option<u64> {
        value::number(self.raw(slot)?)
    }

    /// The name of a field as written, without quotes; empty for an array's element.
    #[must_use]
    pub fn name(self, field: Field) -> &'s [u8] {
        let key = self.slice(field.key);
        key.get(1..key.len().saturating_sub(1)).unwrap_or_default()
    }

    /// Whether a field has this name. Nearly all names have another length.
    #[must_use]
    pub fn is_named(self, field: Field, name: &[u8]) -> bool {
        field.key.len() == name.len() + 2 && self.name(field) == name
    }

    /// The value of a field as written.
    #[must_use]
    pub fn value(self, field: Field) -> &'s [u8] {
        self.slice(field.value)
    }

    /// The fields that are kept without a canonical meaning.
    pub fn native(self) -> impl Iterator<Item = Field> + 's {
        let own = |field: &Field| field.slot == Slot::Native && field.hold == Hold::Own;
        self.fields().iter().copied().filter(own)
    }

    /// The events directly within this one, in order.
    pub fn children(self) -> impl Iterator<Item = EventRef<'s>> {
        let (session, index, own) = (self.session, self.index, self.event);
        (index + 1..offset(session.events.len()))
            .map(move |at| session.event(at))
            .take_while(move |next| {
                let beside = own.case.top && !own.span.holds(next.span) || !next.case.top;
                let apart = next.parent == NO_EVENT && beside;
                let left = next.parent != NO_EVENT && next.parent < index;
                next.origin.record == own.origin.record && !apart && !left
            })
            .filter(move |child| child.parent == index)
    }

    /// The stream it belongs to.
    #[must_use]
    pub fn stream(self) -> &'s Stream {
        let member = self.session.bundle.members.get(self.event.origin.member as usize);
        member.map_or(&Stream::Main, |member| &member.stream)
    }

    /// Whether it is conversation: live or compacted, and not a notice.
    #[must_use]
    pub fn is_conversation(self) -> bool {
        self.event.standing.is_conversation()
            && !matches!(self.event.kind, Kind::Notice | Kind::Opaque)
    }

    /// Its standing.
    #[must_use]
    pub const fn standing(self) -> Standing {
        self.event.standing
    }
}
