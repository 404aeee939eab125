//! Writing in a format: the session's own, a document, or another agent's.

use std::sync::Arc;

use meaning::account::LedgerRow;
use session::Session;

use crate::convert::{Source, Target};
use crate::format::Format;
use crate::registry;
use crate::wrapped;
use crate::written::{Files, Options, WriteError, Written};

/// Writes a session in a format.
///
/// # Errors
/// If the format can't represent the session, or can't be written for another agent.
pub fn write_with(
    format: &dyn Format,
    session: &Session,
    options: &Options,
) -> Result<Written, WriteError> {
    let Some(target) = target(format, session, options) else {
        return format.write_with(session, options);
    };
    let agent = registry::agent(session.format);
    let source = agent.map_or(Source::UNKNOWN, |agent| Source {
        tools: agent.data().tools,
        words: agent.data().words,
        own_words: wrapped::own_words,
        worded: agent.data().worded,
    });
    let (files, books) = target.compose(session, source, options)?;
    let rows = books.ledger.rows(session);
    let files = files.into_iter().map(|(name, bytes)| (name, bytes.into())).collect();
    Ok(Written { files, rows, books: Some(Arc::new(books)) })
}

/// The same, file by file as they are written. Gives the ledger's rows.
///
/// # Errors
/// As [`write_with`]; those of `files`.
pub fn write_to(
    format: &dyn Format,
    session: &Session,
    options: &Options,
    files: &mut dyn Files,
) -> Result<Vec<LedgerRow>, WriteError> {
    match target(format, session, options) {
        Some(_) => Ok(write_with(format, session, options)?.hand_on(session, files)?),
        None => format.write_to(session, options, files),
    }
}

/// The format as the target of a conversion; `None` for what it writes itself.
fn target(format: &dyn Format, session: &Session, options: &Options) -> Option<&'static Target> {
    format.data().target.filter(|_| options.anew || session.format != format.name())
}
