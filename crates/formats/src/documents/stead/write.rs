//! The document as a whole: the members around the events.

use std::io::{self, Write};

use meaning::account::{Account, Cause, Ledger, LedgerRow};
use meaning::facts;
use session::Sorting as _;
use session::{Member, NO_EVENT, Record, Session, Slot, Span, UtcTime};

use super::events::Events;
use super::timeline::NO_TIME;
use crate::documents::conversion::{all_rows, opened, shown};
use crate::documents::shared::facts::{Fact, Facts};
use crate::documents::shared::out::{Out, write_text};
use crate::documents::shared::{file_name, moment};
use crate::written::{Files, Options, WriteError};

/// The version of the schema.
const VERSION: &str = "0.1.0";
/// The id of the remainder, which belongs to no session of its bundle.
const REMAINDER: &str = "remainder";

/// The document's name of a session's agent, and whether the schema knows that agent.
fn backend(format: &str) -> (String, bool) {
    let known = crate::registry::agent(format).and_then(|agent| agent.data().stead_backend);
    (known.map_or_else(|| format.replace('-', "_"), str::to_owned), known.is_some())
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
) -> io::Result<Vec<LedgerRow>> {
    Ok(with_ledger(session, options, options.pretty, sink)?.1)
}

/// The ledger of the session's document.
#[must_use]
pub fn ledger(session: &Session, options: &Options) -> Option<Ledger> {
    with_ledger(session, options, false, &mut io::sink()).ok().map(|(ledger, _)| ledger)
}

fn with_ledger(
    stored: &Session,
    options: &Options,
    pretty: bool,
    sink: &mut dyn Write,
) -> io::Result<(Ledger, Vec<LedgerRow>)> {
    let (covered, rows) = shown(stored, options);
    let session = covered.as_ref().unwrap_or(stored);
    let mut account = Some(opened(session, stored, &rows));
    write_text(pretty, sink, |out| {
        account = account.take().map(|account| compose(session, account, options, out));
    })?;
    let ledger = account.unwrap_or_else(|| Account::of(session)).close();
    let rows = all_rows(&ledger, stored, rows);
    Ok((ledger, rows))
}

/// Writes the document as a file.
///
/// # Errors
/// If the schema must be met exactly and does not know the agent; those of `files`.
pub(super) fn write(
    session: &Session,
    options: &Options,
    files: &mut dyn Files,
) -> Result<Vec<LedgerRow>, WriteError> {
    let (backend, known) = backend(session.format);
    if options.strict && !known {
        let what = format!("source.backend `{backend}`");
        return Err(WriteError::Schema { what, why: OUTSIDE });
    }
    let name = file_name(&session.id, ".stead.json");
    let mut rows = Vec::new();
    files.begin(&[&name])?;
    files.file(&name, &mut |sink| {
        rows = write_document(session, options, sink)?;
        Ok(())
    })?;
    Ok(rows)
}

const OUTSIDE: &str = "the schema's list of backends does not have this agent";

fn id(session: &Session) -> &str {
    if session.id.is_empty() { REMAINDER } else { &session.id }
}

fn compose<'s>(
    session: &'s Session,
    mut account: Account<'s>,
    options: &Options,
    out: &mut Out<'_>,
) -> Account<'s> {
    let facts = Facts::of(session);
    let (backend, known) = backend(session.format);
    let uid = format!("stead:{backend}:{}", id(session));
    out.open();
    out.member("schema_version", VERSION);
    out.member("session_uid", &uid);
    source(session, options, &backend, &facts, out);
    metadata(session, &facts, out);
    let made = made(session, &facts, known, &mut account);
    let mut events = Events::new(session, uid, account);
    out.key("events");
    events.write(out);
    let mut account = events.account;
    lineage(session, &backend, out);
    extensions(session, &facts, &made, out);
    out.key("raw_vendor_payload");
    out.open();
    out.key("lines");
    lines(session, &mut account, out);
    out.close();
    out.close();
    account
}

/// The place of the conversion that made a session.
const CONVERSION: &str = "extensions.verbatim.conversion";

/// The members of the document that the session does not tell: the schema requires them, or they
/// are known from elsewhere.
fn made(
    session: &Session,
    facts: &Facts<'_>,
    known: bool,
    account: &mut Account<'_>,
) -> Vec<&'static str> {
    let timeless = facts.span.is_none();
    let missing = [
        ("source.backend", !known, Cause::Unlisted),
        ("source.original_session_id", session.id.is_empty(), Cause::Required),
        ("metadata.project_root", facts.get(Fact::WorkingDir).is_none(), Cause::Required),
        ("metadata.created_at", timeless, Cause::Required),
        ("metadata.updated_at", timeless, Cause::Required),
    ];
    let missing = missing.into_iter().filter(|(_, missing, _)| *missing);
    let made = missing.map(|(what, _, cause)| (what, cause));
    let beside = facts.beside.iter().map(|fact| (place(fact), Cause::Beside));
    let converted = session.beside.made_from.as_ref().map(|_| (CONVERSION, Cause::Beside));
    made.chain(beside)
        .chain(converted)
        .map(|(what, cause)| account.make(what, cause, what))
        .collect()
}

/// The place of a fact from elsewhere, by its place in a record.
fn place(fact: &'static str) -> &'static str {
    match fact {
        "session.environment.working-dir" => "metadata.project_root",
        "session.agent-meta.cli-version" => "extensions.verbatim.version",
        _ => "extensions.verbatim.model",
    }
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
    let imported = options.at.map(UtcTime::rfc3339);
    out.member("imported_at", &imported.unwrap_or_else(|| span(facts).1));
    out.member("adapter_version", concat!("verbatim ", env!("CARGO_PKG_VERSION")));
    out.close();
}

fn metadata(session: &Session, facts: &Facts<'_>, out: &mut Out<'_>) {
    let (created, updated) = span(facts);
    let title = facts::title_text(session);
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

/// The source of a session, if known: the session that it was converted from, or the uid of the
/// other session that it records, and the native id of the last event copied from it.
fn lineage(session: &Session, backend: &str, out: &mut Out<'_>) {
    if let Some(source) = &session.beside.made_from {
        let (backend, _) = self::backend(&source.format);
        out.key("lineage");
        out.open();
        out.member("parent_session_uid", &format!("stead:{backend}:{}", source.id));
        out.member("strategy", "conversion");
        return out.close();
    }
    let own = |parent: &str| parent.is_empty() || parent == session.id;
    let mut parents = session.events().filter_map(|event| event.text(Slot::ParentSession));
    let spawner = facts::spawner(session);
    let strategy = if spawner.is_some() { "spawn" } else { "fork" };
    let Some(parent) = spawner.or_else(|| parents.find(|parent| !own(parent))) else { return };
    let copied = |event: &session::EventRef<'_>| event.standing().is_copied();
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
fn extensions(session: &Session, facts: &Facts<'_>, made: &[&str], out: &mut Out<'_>) {
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
        out.member("kind", member.transport().word());
        out.key("lines");
        out.number(records as u64);
        out.close();
    }
    out.close_array();
    if let Some(model) = facts.models.first() {
        out.member("model", model);
    }
    if let Some(version) = facts.get(Fact::CliVersion) {
        out.member("version", version);
    }
    if facts.models.len() > 1 {
        out.key("models");
        out.open_array();
        facts.models.iter().for_each(|model| out.string(model));
        out.close_array();
    }
    if let Some(source) = &session.beside.made_from {
        out.key("conversion");
        out.open();
        out.member("from", &source.format);
        out.member("to", session.format);
        out.member("version", &source.by);
        out.member("books_sha256", &source.books);
        out.close();
    }
    write_made(made, out);
    out.close();
    out.close();
}

/// Writes the places of values that the session does not tell.
pub(super) fn write_made(made: &[&str], out: &mut Out<'_>) {
    if !made.is_empty() {
        out.key("made");
        out.open_array();
        made.iter().for_each(|what| out.string(what));
        out.close_array();
    }
}

/// The native text, member by member: each record with the white space up to the next.
/// Concatenated, they are the member. Bytes that are not text are in Base64.
fn lines(session: &Session, account: &mut Account<'_>, out: &mut Out<'_>) {
    let mut records: Vec<(u32, Record)> = (0..).zip(session.records.iter().copied()).collect();
    records.in_order_by_key(|(_, record)| (record.member, record.span.start));
    let mut records = records.into_iter().peekable();
    let mut before = None;
    out.open_array();
    while let Some((number, record)) = records.next() {
        account.record(number);
        let length = session.bundle.members.get(record.member as usize).map_or(0, Member::length);
        let slice = |from, to| session.bundle.slice(record.member, Span::new(from, to));
        let next = records.peek().map(|(_, next)| next).filter(|next| next.member == record.member);
        let whole = before.replace(record.member) != Some(record.member) && !session.shared;
        let start = if whole { 0 } else { record.span.start };
        let end = record.span.end;
        let until = next.map_or(length as u32, |next| next.span.start);
        let gap = slice(end, until).iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let line = slice(start, end + gap as u32);
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
