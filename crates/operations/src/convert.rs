//! Conversion of a session to another format, from an agent's own files or from a document.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use catalog::open::cbor_record;
use catalog::open::database::dump::DUMP;
use catalog::open::database::image::{dumped, image, made_from};
use catalog::{Catalog, Error};
use formats::vac::UNKNOWN;
use formats::{Content, Files, Format, Options, Restored, WriteError, Written};
use meaning::account::LedgerRow;
use meaning::facts;
use session::{Beside, Bundle, Session, UnreadRecord};

use crate::prove::conversion::{ConversionProof, prove_conversion};
use crate::stopped::Stoppable;

/// Result of a conversion that has already written its files.
#[derive(Clone, Debug)]
pub struct Converted {
    /// The rows of the ledger: what the target has in another form, or not at all.
    pub rows: Vec<LedgerRow>,
    /// Whether the source is a document of another program, which records no agent's session. Its
    /// own values were converted, valid or not.
    pub foreign: bool,
    /// The records of the source that could not be read. Another agent gets nothing of them, and a
    /// document has their bytes.
    pub unread: Vec<UnreadRecord>,
}

/// Whether the agent gets databases. Requested rows stay rows, and so does its own session.
fn makes_databases(target: &dyn Format, origin: &Session, options: &Options) -> bool {
    let makes = target.data().databases.iter().any(|kind| kind.schema.is_some());
    makes && origin.format != target.name() && !options.rows
}

/// Writes a session; a database that the agent takes in is written instead of its rows.
pub(crate) fn written(
    target: &dyn Format,
    origin: &Session,
    options: &Options,
) -> Result<Written, Error> {
    let mut written = formats::write_with(target, origin, options)?;
    if makes_databases(target, origin, options) {
        for (name, content) in &mut written.files {
            let Some((database, schema)) = made_from(target, name) else { continue };
            let rows = std::mem::replace(content, Vec::new().into());
            let image = image(schema, rows)
                .map_err(|error| WriteError::from(io::Error::other(format!("{name}: {error}"))))?;
            (*name, *content) = (database.to_owned(), image.into());
        }
    }
    Ok(written)
}

/// Written files with the rows of each database that was made, as SQLite reads them.
fn read_again(target: &dyn Format, written: Written) -> Result<Vec<(String, Content)>, Error> {
    let read = |(name, content): (String, Content)| {
        let dump = format!("{name}{DUMP}");
        if made_from(target, &dump).is_none() {
            return Ok((name, content));
        }
        let rows = dumped(target, &name, &content);
        let rows = rows.map_err(|error| io::Error::other(format!("{name}: {error}")));
        Ok((dump, rows.map_err(WriteError::from)?.into()))
    };
    written.files.into_iter().map(read).collect()
}

/// Converts a session to the format `to`. For a document that records its source, the source is
/// converted: its own format gives the original files back.
///
/// # Errors
/// No format has this name, or it can't hold the session, or the source is a document that
/// contradicts itself.
pub fn convert(
    catalog: &Catalog<'_>,
    session: &Session,
    to: &str,
    options: &Options,
) -> Result<Written, Error> {
    let target = catalog.format(to)?;
    let write = |origin: &Session| written(target, origin, options);
    Ok(with_origin(catalog, session, to, write)?.0)
}

/// Converts a session for another agent in memory, and proves both sides of the books.
///
/// # Errors
/// Those of [`convert`].
pub fn prove_convert(
    catalog: &Catalog<'_>,
    session: &Session,
    to: &str,
    options: &Options,
) -> Result<ConversionProof, Error> {
    let target = catalog.format(to)?;
    let prove = |origin: &Session| {
        let rows = formats::write_with(target, origin, options)?;
        let mut proof = prove_conversion(origin, target, &rows);
        if makes_databases(target, origin, options) {
            // The database that is written counts, not the rows that it is made from.
            let made = read_again(target, written(target, origin, options)?)?;
            proof.reads_as(origin, &rows, target, &made);
        }
        Ok(proof)
    };
    Ok(with_origin(catalog, session, to, prove)?.0)
}

/// Converts a session to the format `to`, and passes each file to `files` as it is written.
///
/// # Errors
/// Those of [`convert`] and of `files`.
pub fn convert_to(
    catalog: &Catalog<'_>,
    session: &Session,
    to: &str,
    options: &Options,
    files: &mut dyn Files,
) -> Result<Converted, Error> {
    let target = catalog.format(to)?;
    let job = &catalog.machine.job;
    let files = &mut Stoppable::new(job, files);
    let write = |origin: &Session| {
        let rows = match makes_databases(target, origin, options) {
            true => {
                let written = written(target, origin, options)?;
                written.hand_on(origin, files).map_err(WriteError::from)?
            }
            false => formats::write_to(target, origin, options, files)?,
        };
        Ok((rows, origin.unread_records()))
    };
    let written = with_origin(catalog, session, to, write);
    let ((rows, unread), foreign) = Stoppable::result(job, written)?;
    Ok(Converted { rows, foreign, unread })
}

/// Converts a session to the format `to` in deterministic CBOR.
///
/// # Errors
/// Those of [`convert_to`], or `to` has no CBOR form.
pub fn convert_to_cbor(
    catalog: &Catalog<'_>,
    session: &Session,
    to: &str,
    options: &Options,
    files: &mut dyn Files,
) -> Result<Converted, Error> {
    let target = catalog.format(to)?;
    let job = &catalog.machine.job;
    let files = &mut Stoppable::new(job, files);
    let write = |origin: &Session| {
        let rows = cbor_record::write(target, origin, options, files)?;
        Ok((rows, origin.unread_records()))
    };
    let written = with_origin(catalog, session, to, write);
    let ((rows, unread), foreign) = Stoppable::result(job, written)?;
    Ok(Converted { rows, foreign, unread })
}

/// Calls `write` with the session to convert: for a document, its source if the document
/// records it. Also returns whether the session is a document that records none.
fn with_origin<T>(
    catalog: &Catalog<'_>,
    session: &Session,
    to: &str,
    write: impl FnOnce(&Session) -> Result<T, Error>,
) -> Result<(T, bool), Error> {
    if session.format == to {
        return Ok((write(session)?, false));
    }
    let source = catalog.format(session.format)?;
    let Some(restored) = source.restore(session).transpose()? else {
        return Ok((write(session)?, source.is_document()));
    };
    if let Some((_, bundle)) = restored.document.as_ref().filter(|(format, _)| format == to)
        && let Some(document) = catalog.format(to)?.read(Arc::new(bundle.clone())).first()
    {
        return Ok((write(document)?, false));
    }
    Ok((write(&given_back(catalog, session, restored)?)?, false))
}

/// The session that a document was made from; `None` for an agent's own session, or if the
/// document records none.
///
/// # Errors
/// The document contradicts itself.
pub fn native(catalog: &Catalog<'_>, session: &Session) -> Result<Option<Session>, Error> {
    let Some(restored) = catalog.format(session.format)?.restore(session) else {
        return Ok(None);
    };
    given_back(catalog, session, restored?).map(Some)
}

fn given_back(
    catalog: &Catalog<'_>,
    document: &Session,
    restored: Restored,
) -> Result<Session, Error> {
    let Restored { format, id, bundle, .. } = restored;
    let origin = catalog.format(&format)?;
    let members = bundle.members.into_iter().map(|member| origin.decode(member)).collect();
    let mut sessions = origin.read(Arc::new(Bundle { members }));
    if sessions.is_empty() {
        let why = "the files restored from the document contain no session".into();
        return Err(Error::NoSession { path: id.into(), why });
    }
    let at = sessions.iter().position(|native| native.id == id);
    let mut native = sessions.swap_remove(at.unwrap_or_default());
    if at.is_none() && !id.is_empty() {
        // The document's id counts. If several files have one id, the session owes its own id
        // to the other files of its bundle, and these are not restored.
        native.id = id;
    }
    let text = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned);
    native.beside = Beside {
        folder: text(facts::folder(document)),
        model: facts::model(document).filter(|model| model != UNKNOWN),
        version: text(facts::version(document)),
        made_from: None,
    };
    native.document = Some((document.format, Arc::clone(&document.bundle)));
    Ok(native)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rusqlite::Connection;
    use session::{Member, Stream, UtcTime};

    use super::*;

    fn session() -> Session {
        let line = |at: u8, role: &str, text: &str| {
            let ids = format!(r#""uuid":"u{at}","parentUuid":"u{}","sessionId":"s""#, at - 1);
            let message = format!(r#"{{"role":"{role}","content":"{text}"}}"#);
            let head = r#""timestamp":"2026-02-03T07:00:00Z","cwd":"/srv/quay""#;
            format!("{{\"type\":\"{role}\",{ids},{head},\"message\":{message}}}\n")
        };
        let text =
            line(1, "user", "Where is the red buoy?") + &line(2, "assistant", "At the third pier.");
        let member = Member::new("s.jsonl", Stream::Main, text.into_bytes()).expect("short");
        let format = formats::by_name("claude-code").expect("a format");
        format.read(Arc::new(Bundle { members: vec![member] })).remove(0)
    }

    /// Changes the text of a message in a database.
    fn harm(database: &[u8], from: &str, to: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store.db");
        fs::write(&path, database).expect("written");
        let store = Connection::open(&path).expect("a database");
        let sql = "UPDATE blobs SET data = CAST(replace(CAST(data AS TEXT), ?1, ?2) AS BLOB) \
                   WHERE instr(CAST(data AS TEXT), ?1) AND substr(data, 1, 1) = CAST('{' AS BLOB)";
        let changed = store.execute(sql, [from, to]).expect("changed");
        assert_eq!(changed, usize::from(from != to), "{from}");
        drop(store);
        fs::read(&path).expect("read")
    }

    /// The database that is written is proven, not the rows that it is made of.
    #[test]
    fn harm_to_a_written_database_is_found() {
        let (session, target) = (session(), formats::by_name("cursor").expect("a format"));
        let options = Options { untimed: Some(UtcTime(0)), ..Options::default() };
        for (from, to) in [("none", "none"), ("red buoy", "rod buoy"), ("third pier", "third")] {
            let rows = formats::write_with(target, &session, &options).expect("written");
            let mut proof = prove_conversion(&session, target, &rows);
            assert!(proof.is_good(), "{:?}", proof.faults);
            let mut made = written(target, &session, &options).expect("written");
            let database = made.files.iter_mut().find(|(name, _)| name.ends_with(".db"));
            let (_, content) = database.expect("a database");
            *content = harm(content, from, to).into();
            let made = read_again(target, made).expect("read");
            proof.reads_as(&session, &rows, target, &made);
            assert_eq!(proof.is_good(), from == to, "{from}: {:?}", proof.faults);
        }
    }
}
