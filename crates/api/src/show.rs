//! `verbatim-show-1`: a session as events, each with its place in the files and its fields as the
//! agent wrote them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use catalog::summary::Listed;
use formats::texts::text_of;
use meaning::{Calls, Timing, conversation};
use operations::agents::started;
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use serde_json::value::RawValue;
use session::{EventIx, EventRef, Hold, Kind, NO_EVENT, Outcome, Session, Slot, Span, UtcTime};

use crate::turns::TurnDocument;

/// The name of the schema.
pub const SCHEMA: &str = "verbatim-show-1";
/// The name of the schema of its lines: the session first, and then each event.
pub const LINES: &str = "verbatim-show-lines-1";

/// The document. Its events are made while they are written, so that a long session needs little
/// memory.
#[derive(Debug)]
pub struct Show<'s> {
    session: &'s Session,
    calls: Calls,
    secrets: bool,
    started: BTreeMap<EventIx, Vec<String>>,
    turns: Vec<TurnDocument>,
}

/// The session.
#[derive(Debug, Serialize)]
pub struct Head<'s> {
    /// `<format>:<id>`.
    pub uid: String,
    /// The format's name in the registry.
    pub format: &'static str,
    /// The agent's own id.
    pub id: &'s str,
    /// The uid of the session that it was converted from, if verbatim placed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub made_from: Option<String>,
    /// Its files.
    pub members: Vec<ShowMember<'s>>,
}

/// A file, or the dump of a database.
#[derive(Debug, Serialize)]
pub struct ShowMember<'s> {
    /// Its name, relative to the session's own folder.
    pub name: &'s str,
    /// `main`, or `subagent:<stem>`.
    pub stream: String,
    /// Its size, decompressed.
    pub bytes: usize,
}

/// An event.
#[derive(Debug, Serialize)]
pub struct ShowEvent<'s> {
    /// Its number in this reading.
    pub event: u32,
    /// Its address, which stays the same in other readings ([`session::EventAddress`]).
    pub address: String,
    /// The number of the event that it is a part of.
    pub parent: Option<u32>,
    /// Its kind.
    pub kind: &'static str,
    /// Its name in the format's tables.
    pub name: &'static str,
    /// Its standing.
    pub standing: &'static str,
    /// True for text that no person typed.
    pub injected: bool,
    /// The part of the conversation that it is, or the reason why it is nothing of it.
    pub part: &'static str,
    /// Whether the agent's own next request holds it.
    pub live: bool,
    /// `main`, or `subagent:<stem>`.
    pub stream: String,
    /// The name of its member.
    pub member: &'s str,
    /// Its line, from 1.
    pub line: u32,
    /// The byte at which its value begins in the member, from 0.
    pub byte: u32,
    /// The number of the call that a result answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<u32>,
    /// The outcome of a result, `good` or `bad`, if the agent records it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<&'static str>,
    /// The uids of the sub-agents' sessions that a call started, if they are sessions of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub started: Vec<String>,
    /// For a call: when it began, if the agent recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub began: Option<String>,
    /// For a call: when its result was there, if the agent recorded it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// For a call: how long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<i64>,
    /// For a call: the name of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Its text, in one form for all agents ([`formats::texts::text_of`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<ShowField<'s>>,
    /// The bytes of a record that is not JSON, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opaque: Option<String>,
}

/// A field of an event.
#[derive(Debug, Serialize)]
pub struct ShowField<'s> {
    /// Its canonical meaning, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Its native name; empty for an element of an array.
    pub name: String,
    /// Depth of the field within the event's own value, in containers.
    pub depth: u8,
    /// Its value as the agent wrote it, with U+FFFD for bytes that are not UTF-8; `None` if it is
    /// withheld.
    pub value: Option<Cow<'s, RawValue>>,
}

impl<'s> Show<'s> {
    /// The document of a session. Credentials are in it only with `secrets`. `found` lists the
    /// sessions in which those of its sub-agents are searched for.
    #[must_use]
    pub fn of(session: &'s Session, found: &[Listed], secrets: bool) -> Self {
        let (calls, started) = (Calls::of(session), started(session, found));
        Self { session, calls, secrets, started, turns: Vec::new() }
    }

    /// The same, with the turns.
    #[must_use]
    pub fn with_turns(mut self, turns: Vec<TurnDocument>) -> Self {
        self.turns = turns;
        self
    }

    /// The turns, if they were given.
    #[must_use]
    pub fn turns(&self) -> &[TurnDocument] {
        &self.turns
    }

    /// The session.
    #[must_use]
    pub fn head(&self) -> Head<'s> {
        let member = |member: &'s session::Member| ShowMember {
            name: &member.name,
            stream: member.stream.to_string(),
            bytes: member.bytes().len(),
        };
        let made_from = self.session.beside.made_from.as_ref();
        Head {
            uid: self.session.uid(),
            format: self.session.format,
            id: &self.session.id,
            made_from: made_from.map(|source| format!("{}:{}", source.format, source.id)),
            members: self.session.bundle.members.iter().map(member).collect(),
        }
    }

    /// The events in source order. Each event comes before the events within it.
    pub fn events(&self) -> impl Iterator<Item = ShowEvent<'s>> + '_ {
        self.events_behind(0)
    }

    /// The same, without the first ones. Those are counted, and their texts and fields are not
    /// made: a late page of a long session costs as much as an early one.
    pub fn events_behind(&self, before: usize) -> impl Iterator<Item = ShowEvent<'s>> + '_ {
        let events = self.session.top().flat_map(with_children);
        events.skip(before).map(|event| self.event(event))
    }
}

impl Serialize for Show<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Events<'a, 's>(&'a Show<'s>);
        impl Serialize for Events<'_, '_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self.0.events())
            }
        }
        let mut document = serializer.serialize_struct("Show", 4)?;
        document.serialize_field("schema", SCHEMA)?;
        document.serialize_field("session", &self.head())?;
        document.serialize_field("events", &Events(self))?;
        if !self.turns.is_empty() {
            document.serialize_field("turns", &self.turns)?;
        }
        document.end()
    }
}

impl<'s> Show<'s> {
    fn started_by(&self, call: EventRef<'_>) -> Vec<String> {
        let ids = self.started.get(&call.index).into_iter().flatten();
        ids.map(|id| format!("{}:{id}", self.session.format)).collect()
    }

    /// When a call began and ended.
    fn timing(&self, event: EventRef<'s>) -> Timing {
        let result = || self.calls.result(event.index).map(|at| self.session.event(at));
        match event.kind {
            Kind::ToolCall => Timing::of(event, result()),
            _ => Timing::default(),
        }
    }

    fn event(&self, event: EventRef<'s>) -> ShowEvent<'s> {
        let result = event.kind == Kind::ToolResult;
        let said = conversation::of(event);
        let timing = self.timing(event);
        let opaque = (event.kind == Kind::Opaque).then(|| String::from_utf8_lossy(event.bytes()));
        let member = event.session().bundle.members.get(event.origin.member as usize);
        ShowEvent {
            event: event.index,
            address: event.address().to_string(),
            parent: (event.parent != NO_EVENT).then_some(event.parent),
            kind: event.kind.word(),
            name: event.case.name,
            standing: event.standing.word(),
            injected: event.injected.is_some(),
            part: said.part.word(),
            live: said.live,
            stream: event.stream().to_string(),
            member: member.map_or("", |member| &member.name),
            line: event.origin.line,
            byte: event.span.start,
            answers: self.calls.call(event.index).filter(|_| result),
            outcome: event.outcome().filter(|_| result).map(outcome),
            started: self.started_by(event),
            began: timing.began.map(UtcTime::sortable),
            ended: timing.ended.map(UtcTime::sortable),
            took_ms: timing.took.map(|micros| micros / 1000),
            tool: event
                .text(Slot::Name)
                .filter(|_| event.kind == Kind::ToolCall)
                .map(Cow::into_owned),
            text: text(event),
            fields: fields(event, self.secrets),
            opaque: opaque.map(Cow::into_owned),
        }
    }
}

/// The text of an event, if it has one. A record that is not JSON has its bytes.
fn text(event: EventRef<'_>) -> Option<String> {
    if event.kind == Kind::Opaque {
        return None;
    }
    Some(text_of(event).into_owned()).filter(|text| !text.is_empty())
}

/// An event and its descendants, each before its own children.
fn with_children(event: EventRef<'_>) -> Vec<EventRef<'_>> {
    let mut all = vec![event];
    let mut at = 0;
    while at < all.len() {
        let children: Vec<EventRef<'_>> = all[at].children().collect();
        at += 1;
        all.splice(at..at, children);
    }
    all
}

fn fields(event: EventRef<'_>, secrets: bool) -> Vec<ShowField<'_>> {
    let mut rows = Vec::new();
    // An array is shown as its elements, each with the meaning of the array.
    let mut arrays: Vec<(Span, Slot)> = Vec::new();
    for field in event.fields() {
        if field.hold == Hold::Open {
            if event.value(*field).first() == Some(&b'[') {
                arrays.push((field.value, field.slot));
            }
            continue;
        }
        while arrays.pop_if(|(span, _)| !span.holds(field.value)).is_some() {}
        let slot = match arrays.last() {
            Some((_, slot)) if (field.key, field.slot) == (Span::NONE, Slot::Native) => *slot,
            _ => field.slot,
        };
        rows.push(ShowField {
            slot: (slot != Slot::Native).then(|| slot.word().to_owned()),
            name: session::value::unescape(event.name(*field)).into_owned(),
            depth: field.depth,
            value: (secrets || slot != Slot::Secret)
                .then(|| as_json(event.value(*field)))
                .flatten(),
        });
    }
    rows
}

/// A value as written, with U+FFFD for bytes that are not UTF-8.
fn as_json(raw: &[u8]) -> Option<Cow<'_, RawValue>> {
    match String::from_utf8_lossy(raw) {
        Cow::Borrowed(text) => serde_json::from_str(text).ok().map(Cow::Borrowed),
        Cow::Owned(text) => RawValue::from_string(text).ok().map(Cow::Owned),
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    if outcome.is_bad() { "bad" } else { "good" }
}
