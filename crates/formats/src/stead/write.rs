//! The document as a whole: the members around the events.

use std::io::{self, Write};

use session::{Instant, NO_EVENT, Record, Session, Slot, Standing, Transport, told};

use super::events::Events;
use super::timeline::NO_TIME;
use crate::document::facts::{Fact, Facts};
use crate::document::out::{Out, write_text};
use crate::document::{file_name, moment};
use crate::written::shown;
use crate::{Carried, Files, Format, Loss, Losses, Options, WriteError};

/// The version of the schema.
const VERSION: &str = "0.1.0";
/// The id of the remainder, which belongs to no session of its bundle.
const REMAINDER: &str = "remainder";

/// The document's name of a session's agent, and whether the schema knows that agent.
fn backend(session: &Session) -> (String, bool) {
    let known = crate::by_name(session.format).and_then(Format::stead_backend);
    (known.map_or_else(|| session.format.replace('-', "_"), str::to_owned), known.is_some())
}

/// Writes the document of a session, piece by piece. Returns the fate of the source's fields that
/// were not simply copied.
///
/// # Errors
/// Those of `sink`.
pub fn write_document(
    session: &Session,
    options: &Options,
    sink: &mut dyn Write,
) -> io::Result<Losses> {
    let (covered, mut losses) = shown(session, options);
    let session = covered.as_ref().unwrap_or(session);
    write_text(options.pretty, sink, |out| compose(session, options, &mut losses, out))?;
    Ok(losses)
}

/// Writes the document as a file.
///
/// # Errors
/// If the schema must be met exactly and does not know the agent; those of `files`.
pub(super) fn write(
    session: &Session,
    options: &Options,
    files: &mut dyn Files,
) -> Result<Losses, WriteError> {
    let (backend, known) = backend(session);
    if options.strict && !known {
        let what = format!("source.backend `{backend}`");
        return Err(WriteError::Schema { what, why: OUTSIDE });
    }
    let name = file_name(&session.id, ".stead.json");
    let mut losses = Losses::new();
    files.begin(&[&name])?;
    files.file(&name, &mut |sink| {
        losses = write_document(session, options, sink)?;
        Ok(())
    })?;
    Ok(losses)
}

const OUTSIDE: &str = "the schema's list of backends does not have this agent";

fn id(session: &Session) -> &str {
    if session.id.is_empty() { REMAINDER } else { &session.id }
}

fn compose(session: &Session, options: &Options, losses: &mut Losses, out: &mut Out<'_>) {
    let facts = Facts::of(session);
    let (backend, known) = backend(session);
    let uid = format!("stead:{backend}:{}", id(session));
    out.open();
    out.member("schema_version", VERSION);
    out.member("session_uid", &uid);
    source(session, options, &backend, &facts, out);
    metadata(session, &facts, out);
    let mut events = Events::new(session, uid);
    out.key("events");
    events.write(out);
    lineage(session, &backend, out);
    extensions(session, &facts, out);
    out.key("raw_vendor_payload");
    out.open();
    out.key("lines");
    lines(session, out);
    out.close();
    out.close();
    if !known {
        losses.push(loss(format!("source.backend `{backend}`"), OUTSIDE));
    }
    if session.id.is_empty() {
        losses.push(loss("source.original_session_id".to_owned(), "these records have no session"));
    }
    if events.inferred > 0 {
        let what = format!("events[].timestamp, {} of them", events.inferred);
        losses.push(loss(what, "these events have no time: that of the one before them stands"));
    }
    if facts.span.is_none() {
        let what = "metadata.created_at, metadata.updated_at".to_owned();
        losses.push(loss(what, "the session tells no time at all: 1970-01-01 stands for it"));
    }
}

fn loss(what: String, why: &'static str) -> Loss {
    Loss { what, carried: Carried::Synthesised, why, at: None }
}

/// The first and the last time of the session.
fn span(facts: &Facts<'_>) -> (String, String) {
    let none = || (NO_TIME.to_owned(), NO_TIME.to_owned());
    facts.span.as_ref().map_or_else(none, |(first, last)| {
        (moment::of(first).into_owned(), moment::of(last).into_owned())
    })
}

fn source(
    session: &Session,
    options: &Options,
    backend: &str,
    facts: &Facts<'_>,
    out: &mut Out<'_>,
) {
    out.key("source");
    out.open();
    out.member("backend", backend);
    out.member("original_session_id", id(session));
    out.key("source_files");
    out.open_array();
    for member in &session.bundle.members {
        out.string(&member.name);
    }
    out.close_array();
    let imported = options.at.map(Instant::rfc3339);
    out.member("imported_at", &imported.unwrap_or_else(|| span(facts).1));
    out.member("adapter_version", concat!("verbatim ", env!("CARGO_PKG_VERSION")));
    out.close();
}

fn metadata(session: &Session, facts: &Facts<'_>, out: &mut Out<'_>) {
    let (created, updated) = span(facts);
    let title = session.last(Slot::Title).or_else(|| session.last(Slot::AutoTitle));
    out.key("metadata");
    out.open();
    if let Some(title) = title {
        out.member("title", &title);
    }
    out.member("project_root", facts.get(Fact::WorkingDir).unwrap_or_default());
    out.member("created_at", &created);
    out.member("updated_at", &updated);
    out.key("tags");
    out.open_array();
    out.close_array();
    out.close();
}

/// The source of a session, if recorded: the other session's uid, and the native id of the last
/// event copied from it.
fn lineage(session: &Session, backend: &str, out: &mut Out<'_>) {
    let own = |parent: &str| parent.is_empty() || parent == session.id;
    let mut parents = session.events().filter_map(|event| event.text(Slot::ParentSession));
    let spawner = told::spawner(session);
    let strategy = if spawner.is_some() { "spawn" } else { "fork" };
    let Some(parent) = spawner.or_else(|| parents.find(|parent| !own(parent))) else { return };
    let copied = |event: &session::EventRef<'_>| event.standing() == Standing::Copied;
    let top = session.events().rev().filter(|event| event.parent == NO_EVENT);
    let last = top.filter(copied).find_map(|event| event.text(Slot::Id));
    out.key("lineage");
    out.open();
    out.member("parent_session_uid", &format!("stead:{backend}:{parent}"));
    out.member("strategy", strategy);
    if let Some(last) = last {
        out.member("fork_origin_native_id", &last);
    }
    out.close();
}

/// The data for restoring the native files, and facts without a place in the schema.
fn extensions(session: &Session, facts: &Facts<'_>, out: &mut Out<'_>) {
    out.key("extensions");
    out.open();
    out.key("verbatim");
    out.open();
    out.member("format", session.format);
    out.key("members");
    out.open_array();
    for (number, member) in (0u32..).zip(&session.bundle.members) {
        let records = session.records.iter().filter(|record| record.member == number).count();
        out.open();
        out.member("name", &member.name);
        out.member("stream", &member.stream.to_string());
        let transport = match member.transport() {
            Transport::Plain => "plain",
            Transport::Zstd(_) => "zstd",
            Transport::Dump => "dump",
            Transport::Text(_) => "text",
            Transport::Cbor(_) => "cbor",
        };
        out.member("kind", transport);
        out.key("lines");
        out.number(records as u64);
        out.close();
    }
    out.close_array();
    if !facts.models.is_empty() {
        out.key("models");
        out.open_array();
        facts.models.iter().for_each(|model| out.string(model));
        out.close_array();
    }
    out.close();
    out.close();
}

/// The native text, member by member: each record with the white space up to the next.
/// Concatenated, they are the member. Bytes that are not text are in Base64.
fn lines(session: &Session, out: &mut Out<'_>) {
    let mut records: Vec<Record> = session.records.clone();
    records.sort_by_key(|record| (record.member, record.span.start));
    let mut records = records.into_iter().peekable();
    let mut before = None;
    out.open_array();
    while let Some(record) = records.next() {
        let bytes = session.bundle.bytes(record.member);
        let next = records.peek().filter(|next| next.member == record.member);
        let whole = before.replace(record.member) != Some(record.member) && !session.shared;
        let start = if whole { 0 } else { record.span.start as usize };
        let end = record.span.end as usize;
        let until = next.map_or(bytes.len(), |next| next.span.start as usize);
        let gap = bytes.get(end..until).unwrap_or_default();
        let gap = gap.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let line = bytes.get(start..end + gap).unwrap_or_default();
        match std::str::from_utf8(line) {
            Ok(line) => out.string(line),
            Err(_) => {
                out.open();
                out.key("base64");
                out.base64(line);
                out.close();
            }
        }
    }
    out.close_array();
}
