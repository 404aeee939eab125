//! A session as JSON: each event with its place, and its fields as they are written.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::value::RawValue;
use session::{Calls, EventRef, Hold, Kind, NO_EVENT, Outcome, Session, Slot, Span};

use crate::terminal;

#[derive(Serialize)]
struct Head<'s> {
    uid: String,
    format: &'static str,
    id: &'s str,
    members: Vec<MemberRow<'s>>,
}

#[derive(Serialize)]
struct MemberRow<'s> {
    name: &'s str,
    stream: String,
    bytes: usize,
}

#[derive(Serialize)]
struct EventRow<'s> {
    event: u32,
    parent: Option<u32>,
    kind: &'static str,
    name: &'static str,
    standing: &'static str,
    injected: bool,
    stream: String,
    member: &'s str,
    line: u32,
    byte: u32,
    /// Of a result: the call that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers: Option<u32>,
    /// Of a result: how the call went, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fields: Vec<FieldRow<'s>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opaque: Option<String>,
}

#[derive(Serialize)]
struct FieldRow<'s> {
    #[serde(skip_serializing_if = "Option::is_none")]
    slot: Option<String>,
    name: String,
    depth: u8,
    /// The value as it is written; nothing where it gives access to something.
    value: Option<&'s RawValue>,
}

/// Writes a session as `show --json` does: its head, then one event a line; values that give
/// access to something only with `secrets`.
///
/// # Errors
/// Where `out` can't be written to.
pub fn write(session: &Session, secrets: bool, out: &mut dyn Write) -> io::Result<()> {
    let member = |member: &'_ session::Member| (member.stream.to_string(), member.bytes().len());
    let members = session.bundle.members.iter().map(|each| {
        let (stream, bytes) = member(each);
        MemberRow { name: &each.name, stream, bytes }
    });
    let head = Head {
        uid: session.uid(),
        format: session.format,
        id: &session.id,
        members: members.collect(),
    };
    out.write_all(b"{\"schema\":\"verbatim-show-1\",\"session\":")?;
    put(&head, out)?;
    out.write_all(b",\"events\":[")?;
    let calls = Calls::of(session);
    for (at, event) in session.top().flat_map(with_children).enumerate() {
        out.write_all(if at > 0 { b",\n" } else { b"\n" })?;
        put(&row(event, &calls, secrets), out)?;
    }
    out.write_all(b"\n]}\n")
}

/// An event and those within it, each before its own.
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

fn put(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string(value).map_err(io::Error::other)?;
    out.write_all(terminal::json(&text).as_bytes())
}

fn row<'s>(event: EventRef<'s>, calls: &Calls, secrets: bool) -> EventRow<'s> {
    let result = event.kind == Kind::ToolResult;
    let opaque = (event.kind == Kind::Opaque).then(|| String::from_utf8_lossy(event.bytes()));
    let member = event.session().bundle.members.get(event.origin.member as usize);
    EventRow {
        event: event.index,
        parent: (event.parent != NO_EVENT).then_some(event.parent),
        kind: kind(event.kind),
        name: event.case.name,
        standing: event.standing.word(),
        injected: event.injected,
        stream: event.stream().to_string(),
        member: member.map_or("", |member| &member.name),
        line: event.origin.line,
        byte: event.span.start,
        answers: calls.call(event.index).filter(|_| result),
        outcome: event.outcome().filter(|_| result).map(outcome),
        fields: fields(event, secrets),
        opaque: opaque.map(std::borrow::Cow::into_owned),
    }
}

fn fields(event: EventRef<'_>, secrets: bool) -> Vec<FieldRow<'_>> {
    let mut rows = Vec::new();
    // An array falls apart into its elements, and each means what the array does.
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
        rows.push(FieldRow {
            slot: (slot != Slot::Native).then(|| kebab(&format!("{slot:?}"))),
            name: session::value::unescape(event.name(*field)).into_owned(),
            depth: field.depth,
            value: (secrets || slot != Slot::Secret)
                .then(|| std::str::from_utf8(event.value(*field)).ok())
                .flatten()
                .and_then(|raw| serde_json::from_str(raw).ok()),
        });
    }
    rows
}

const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Good => "good",
        Outcome::Bad => "bad",
    }
}

const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::User => "user",
        Kind::Assistant => "assistant",
        Kind::Reasoning => "reasoning",
        Kind::ToolCall => "tool-call",
        Kind::ToolResult => "tool-result",
        Kind::Notice => "notice",
        Kind::Opaque => "opaque",
    }
}

/// `TokensIn` as `tokens-in`.
fn kebab(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}
