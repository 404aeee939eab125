//! The stead session document, schema 0.1.0, as a format like the others. It is written from any
//! session by slots, kinds and standings alone: it uses no agent's names or keys.

use std::sync::Arc;

use meaning::account::LedgerRow;
use memchr::memmem;
use session::{Bundle, Injected, Mark, Memory, Reading, Scan, Session, Split, Standing, value};

use crate::claim::{Candidate, Claim, Role};
use crate::documents::shared::pretty::pretty;
use crate::format::{Format, FormatData};
use crate::probe;
use crate::registry::DOCUMENT_STATUSES;
use crate::written::{Files, Options, Restored, WriteError, Written};

mod events;
mod map;
mod payload;
mod restore;
#[cfg(test)]
mod tests;
mod timeline;
mod words;
mod write;

pub use restore::restore;
pub use write::{ledger, write_document};

/// The format of stead session documents.
pub(crate) struct Stead;

/// Its name in the registry.
pub const NAME: &str = "stead";

/// The facts of the format.
static DATA: FormatData = FormatData { ..FormatData::of(NAME, map::MAPS) };

impl Format for Stead {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        let first = probe::first_value(probe::bare(file.head));
        let says = |name: &str| memmem::find(first, name.as_bytes()).is_some();
        if !map::VERSION.iter().chain(map::UID).all(|name| says(name)) {
            return Claim::No;
        }
        let uid = probe::look(probe::bare(file.head), |document| {
            document.at(map::VERSION).and(document.word(map::UID)).map(|_| ())
        });
        match uid.flatten() {
            // Each is a document by itself, even if several are about one session.
            Some(()) => Claim::Part { group: file.path.to_owned(), role: Role::Main },
            None => Claim::No,
        }
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let mut reading = Reading::new(NAME, &bundle, memory).statuses(&DOCUMENT_STATUSES);
        for member in 0..bundle.members.len() {
            reading.member(member, Split::Whole, map::document);
        }
        let mut session = reading.finish();
        session.id = identity(&session);
        stand(&mut session);
        vec![session]
    }

    fn restore(&self, session: &Session) -> Option<Result<Restored, WriteError>> {
        let document = session.records.first().map(|record| session.record_bytes(record));
        let document = document.unwrap_or_default();
        let restored = restore(document);
        (!restore::is_foreign(document, &restored)).then_some(restored)
    }

    fn write(&self, session: &Session) -> Result<Written, WriteError> {
        self.write_with(session, &Options::default())
    }

    fn write_with(&self, session: &Session, options: &Options) -> Result<Written, WriteError> {
        let mut files = Vec::new();
        let rows = match session.format == NAME {
            true => return Ok(again(session, options)),
            false => write::write(session, options, &mut files)?,
        };
        Ok(Written { files, rows, ..Written::default() })
    }

    fn write_to(
        &self,
        session: &Session,
        options: &Options,
        files: &mut dyn Files,
    ) -> Result<Vec<LedgerRow>, WriteError> {
        match session.format == NAME {
            true => Ok(again(session, options).hand_on(session, files)?),
            false => write::write(session, options, files),
        }
    }
}

/// A document unchanged, or in the requested formatting.
fn again(session: &Session, options: &Options) -> Written {
    let mut written = crate::written::native(session);
    for ((_, content), member) in written.files.iter_mut().zip(&session.bundle.members) {
        if options.pretty && Scan::strict().read(member.bytes(), 0).is_ok() {
            *content = pretty(member.bytes()).into();
        }
    }
    written
}

/// The session's uid in the document, without the prefix that verbatim's documents add.
fn identity(session: &Session) -> String {
    let mut scan = Scan::new();
    let uid = session.records.first().and_then(|record| {
        let document = scan.read(session.record_bytes(record), 0).ok()?;
        document.root().word(map::UID).map(|uid| value::unescape(uid).into_owned())
    });
    let uid = uid.unwrap_or_default();
    match uid.strip_prefix(NAME).and_then(|rest| rest.strip_prefix(':')) {
        Some(id) => id.to_owned(),
        None if uid.is_empty() => {
            session.bundle.members.first().map_or_else(String::new, |m| m.stem().to_owned())
        }
        None => uid,
    }
}

/// Sets each event's standing from the document, and the reason why its text is not a person's or
/// the model's.
fn stand(session: &mut Session) {
    let mut scan = Scan::new();
    let mut stated = Vec::new();
    for event in session.events().filter(|event| event.case.top) {
        let Ok(doc) = scan.read(event.bytes(), 0) else { continue };
        let word = doc.root().word(map::STANDING).map(value::unescape);
        let standing = word.and_then(|word| Standing::of_word(&word));
        stated.extend(standing.map(|standing| (event.index, Mark::Standing(standing))));
        let reason = doc.root().at(map::INJECTED).and_then(|mark| Injected::of_mark(mark.raw()));
        stated.extend(reason.map(|reason| (event.index, Mark::Injected(Some(reason)))));
    }
    for (index, mark) in stated {
        session.mark(index, mark);
    }
}
