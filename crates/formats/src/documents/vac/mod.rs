//! The verifiable agent record (`draft-birkholz-verifiable-agent-conversations`, profile `vac-3.0`)
//! as a format like the others. It is written from any session by slots, kinds and standings alone:
//! it uses no agent's names or keys.
//!
//! Writing: `facts` gathers the facts of the session as a whole, `plan` gives each field of an
//! event its place in the entry, `layout` has the common parts of similar entries, `entry` and
//! `write` produce the text. Restoring: `restore` works from the record alone, by the layouts that
//! `layout_read` parses. Reading: `map` and `read` make a record a session over its own bytes.
//! `FORMAT.md` has the details, with examples.

use std::sync::Arc;

use meaning::account::LedgerRow;
use session::{
    Bundle, Case, Kind, Map, Memory, Node, Owners, Reading, Session, Slot, Split, Transport,
};

use crate::claim::{Candidate, Claim};
use crate::documents::shared::pretty::pretty;
use crate::format::{Format, FormatData};
use crate::registry::DOCUMENT_STATUSES;
use crate::written::{Files, Options, Restored, WriteError, Written, native};

mod children_check;
mod entry;
mod keys;
mod layout;
mod layout_read;
mod lines;
mod locate;
mod map;
mod plan;
mod position;
mod read;
mod restore;
mod roundtrip;
pub(crate) mod source;
mod tree;
mod usage;
mod write;

pub use crate::documents::shared::provider::UNKNOWN;
pub use locate::is_cbor;
pub use restore::restore;
pub use roundtrip::differences;
pub use source::record_id;
pub use write::{encode_record, ledger, record, write_record};

/// The name in the registry.
pub const NAME: &str = "vac";

/// Its tables.
static MAPS: &[(&str, &Map)] = &[
    ("record", &map::RECORD),
    ("session", &map::SESSION),
    ("agent-meta", &map::AGENT),
    ("environment", &map::ENVIRONMENT),
    ("vcs", &map::VCS),
    ("verbatim of a session", &map::SESSION_OURS),
    ("user, assistant", &map::MESSAGE),
    ("reasoning", &map::REASONING),
    ("tool-call", &map::CALL),
    ("tool-result", &map::RESULT),
    ("system-event", &map::EVENT),
    ("token-usage", &map::COUNTERS),
    ("verbatim of an entry", &map::OURS_OF_ENTRY),
];

/// The format of verifiable agent records.
pub(crate) struct Vac;

/// The facts of the format.
static DATA: FormatData = FormatData { ..FormatData::of(NAME, MAPS) };

impl Format for Vac {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let mut reading = Reading::new(NAME, &bundle, memory).statuses(&DOCUMENT_STATUSES);
        for index in 0..bundle.members.len() {
            reading.member(index, Split::Concatenated, choose);
        }
        let whole = reading.finish();
        let mut owners = Owners::default();
        for event in whole.events() {
            let record = std::ptr::eq(event.case, &raw const map::RECORD_CASE);
            let id = if record { event.text(Slot::Session) } else { None };
            owners.push(id.as_deref().filter(|id| !id.is_empty()));
        }
        let mut sessions = whole.partition(&owners);
        for session in &mut sessions {
            read::settle(session);
        }
        sessions
    }

    fn restore(&self, session: &Session) -> Option<Result<Restored, WriteError>> {
        let document = session.records.first().map(|record| session.record_bytes(record));
        let document = document.unwrap_or_default();
        (!restore::is_foreign(document)).then(|| restore(document))
    }

    fn write(&self, session: &Session) -> Result<Written, WriteError> {
        match session.format == NAME {
            true => Ok(native(session)),
            false => self.write_with(session, &Options::default()),
        }
    }

    fn write_with(&self, session: &Session, options: &Options) -> Result<Written, WriteError> {
        if session.format == NAME {
            return Ok(again(session, options));
        }
        // A record is somewhat longer than what it is of: with room for that it is not moved while
        // it grows, and room that is never used costs no memory.
        let members = session.bundle.members.iter();
        let length: usize = members.map(|member| member.bytes().len()).sum();
        let mut record = Vec::with_capacity(length.saturating_add(length / 2));
        let rows = write_record(session, options, &mut record)?;
        let files = vec![(file_name(session, ".json"), record.into())];
        Ok(Written { files, rows, ..Written::default() })
    }

    fn write_to(
        &self,
        session: &Session,
        options: &Options,
        files: &mut dyn Files,
    ) -> Result<Vec<LedgerRow>, WriteError> {
        if session.format == NAME {
            return Ok(again(session, options).hand_on(session, files)?);
        }
        let name = file_name(session, ".json");
        let mut rows = Vec::new();
        files.begin(&[&name])?;
        files.file(&name, &mut |sink| {
            rows = write_record(session, options, sink)?;
            Ok(())
        })?;
        Ok(rows)
    }
}

/// The name of a session's record: `ending` is `.json` or `.cbor`.
#[must_use]
pub fn file_name(session: &Session, ending: &str) -> String {
    crate::documents::shared::file_name(&session.id, &format!(".vac{ending}"))
}

/// A record unchanged, or as JSON in the requested formatting.
fn again(session: &Session, options: &Options) -> Written {
    let mut written = native(session);
    for ((name, content), member) in written.files.iter_mut().zip(&session.bundle.members) {
        let packed = matches!(member.transport(), Transport::Cbor(_));
        let valid = || session::Scan::strict().read(member.bytes(), 0).is_ok();
        if options.pretty && valid() {
            *content = pretty(member.bytes()).into();
        } else if packed {
            *content = member.bytes().to_vec().into();
        }
        if let Some(stem) = name.strip_suffix(".cbor").filter(|_| packed) {
            *name = format!("{stem}.json");
        }
    }
    written
}

/// The case of a record; any other value in its file is unknown.
fn choose(node: Node<'_>) -> Option<&'static Case> {
    const ENTRIES: &[&str] = &["session"];
    node.at(ENTRIES).map(|_| &map::RECORD_CASE)
}

/// Whether an event is the record itself, without its entries.
fn is_record(event: &session::Event) -> bool {
    event.kind == Kind::Notice && std::ptr::eq(event.case, &raw const map::RECORD_CASE)
}
