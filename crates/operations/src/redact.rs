//! Redaction of a session: scanned, edited, read again and verified.

use std::cell::RefCell;
use std::sync::Arc;

use catalog::{Catalog, Error, Job, Opened, member};
use formats::Format;
use formats::secrets::secrets;
use meaning::secret::Secret;
use redact::{
    Clean, Failure, Fault, MovedPlaces, RedactionDraft, RedactionReport, Redactor, ReportEntry,
    TagKey, plain,
};
use session::Sorting as _;
use session::{Beside, Bundle, Session};

use crate::convert::native;

/// Largest number of rounds: an edit can show a value that was hidden before.
const ROUNDS: usize = 6;
/// The first round in which each text goes as a whole that a value is in.
const WIDE: usize = 4;

/// A session without sensitive values.
#[derive(Debug)]
pub struct Redaction {
    /// The sessions of its bundle.
    pub sessions: Clean<Vec<Session>>,
    /// The index of the session itself.
    pub picked: usize,
    /// Report of all rounds.
    pub report: RedactionReport,
}

impl Redaction {
    /// The session itself.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.sessions[self.picked]
    }

    /// The session itself, as it may leave the machine.
    #[must_use]
    pub fn outgoing(&self) -> Clean<&Session> {
        self.sessions.one(self.picked)
    }
}

/// A session without sensitive values, in its own format. Of a document that records an
/// agent's session, that session.
///
/// # Errors
/// It can't be redacted, or a document contradicts itself. Then nothing is to be written.
pub fn redact(
    catalog: &Catalog<'_>,
    session: &Session,
    redactor: &Redactor,
) -> Result<Redaction, Error> {
    let native = native(catalog, session)?;
    Source::of(native.as_ref().unwrap_or(session)).redacted(catalog, redactor)
}

/// The same of the session that was opened, whose events are not kept while it is redacted: a large
/// session is then once less in memory.
///
/// # Errors
/// As of [`redact()`].
pub fn redact_opened(
    catalog: &Catalog<'_>,
    opened: Opened,
    redactor: &Redactor,
) -> Result<Redaction, Error> {
    let session = opened.into_session();
    let session = native(catalog, &session)?.unwrap_or(session);
    let source = Source::of(&session);
    drop(session);
    source.redacted(catalog, redactor)
}

/// The bytes of a document without sensitive values, as the document that it is: not the session
/// that it records, which [`redact()`] would take. They are read once.
///
/// # Errors
/// As of [`redact()`], or no format claims them.
pub(crate) fn redact_stored(
    catalog: &Catalog<'_>,
    name: &str,
    bytes: Vec<u8>,
    redactor: &Redactor,
) -> Result<Redaction, Error> {
    let (format, role) = catalog.detect(name, &bytes)?;
    let sessions = format.read(Arc::new(Bundle::of(member(format, &role, name, bytes)?)));
    let known = sessions.first().map(|first| first.beside.clone()).unwrap_or_default();
    let job = &catalog.machine.job;
    let (sessions, report) = redact_sessions(job, format, (sessions, &known), redactor)?;
    Ok(Redaction { sessions, picked: 0, report })
}

/// The bytes of a session, and the facts that are not in them.
struct Source {
    format: &'static str,
    id: String,
    bundle: Arc<Bundle>,
    beside: Beside,
}

impl Source {
    fn of(session: &Session) -> Self {
        let Session { format, id, bundle, beside, .. } = session;
        Self { format, id: id.clone(), bundle: Arc::clone(bundle), beside: beside.clone() }
    }

    fn redacted(self, catalog: &Catalog<'_>, redactor: &Redactor) -> Result<Redaction, Error> {
        let format = catalog.format(self.format)?;
        let before = format.read(self.bundle);
        let picked = before.iter().position(|other| other.id == self.id).unwrap_or_default();
        let job = &catalog.machine.job;
        let (sessions, report) = redact_sessions(job, format, (before, &self.beside), redactor)?;
        Ok(Redaction { sessions, picked, report })
    }
}

/// All sessions of a bundle without sensitive values, in their own format: those of a document as
/// the document that it is. With the sessions come the facts that are not in their bytes.
///
/// # Errors
/// They can't be redacted, or somebody cancelled the job.
pub(crate) fn redact_sessions(
    job: &Job,
    format: &dyn Format,
    (sessions, known): (Vec<Session>, &Beside),
    redactor: &Redactor,
) -> Result<(Clean<Vec<Session>>, RedactionReport), Error> {
    redact_named(job, format, (sessions, known), &mut [], redactor)
}

/// The same, with short texts beside the files, such as their paths: what is found in the sessions
/// goes from these too.
///
/// # Errors
/// As of [`redact_sessions`].
pub(crate) fn redact_named(
    job: &Job,
    format: &dyn Format,
    (sessions, known): (Vec<Session>, &Beside),
    texts: &mut [String],
    redactor: &Redactor,
) -> Result<(Clean<Vec<Session>>, RedactionReport), Error> {
    // A later round does not find again what an earlier one has replaced.
    let cleaned = RefCell::new((known.clone(), texts));
    let read = |draft: &RedactionDraft| {
        let mut after = format.read(Arc::new(draft.bundle.clone()));
        let (known, texts) = &mut *cleaned.borrow_mut();
        *known = beside(known, draft, redactor);
        for text in texts.iter_mut() {
            *text = redactor.clean(draft, text);
        }
        after.iter_mut().for_each(|after| after.beside = known.clone());
        after
    };
    let (sessions, report, _) = rounds(job, redactor, sessions, &read)?;
    Ok((sessions, report))
}

/// All sessions of a bundle without sensitive values, and what each round moved. If there is no key
/// of tags, and placeholders without tags would link other records, the values get numbers.
///
/// # Errors
/// As of [`redact_sessions`].
pub(crate) fn redact_bundle(
    job: &Job,
    format: &dyn Format,
    bundle: &Arc<Bundle>,
    redactor: &Redactor,
) -> Result<(Clean<Vec<Session>>, Vec<MovedPlaces>), Error> {
    let read = |draft: &RedactionDraft| format.read(Arc::new(draft.bundle.clone()));
    let redacted = |redactor: &Redactor| {
        let before = format.read(Arc::clone(bundle));
        rounds(job, redactor, before, &read).map(|(sessions, _, moves)| (sessions, moves))
    };
    match redacted(redactor) {
        Err(Error::Redact(_)) if !redactor.options().key.is_keyed() => {
            redacted(&redactor.with_key(TagKey::numbered()))
        }
        done => done,
    }
}

/// All sessions of a source without sensitive values, with the texts beside them; the report; and
/// whether its values have numbers as tags. A file may link its records by a value, as by the
/// address at which a session is shared, and two such values with one placeholder would link
/// others: then, if there is no key of tags, the values of the source get numbers.
///
/// # Errors
/// As of [`redact_sessions`].
pub(crate) fn redact_source(
    job: &Job,
    format: &dyn Format,
    mut sessions: Vec<Session>,
    texts: &mut [String],
    redactor: &Redactor,
) -> Result<(Clean<Vec<Session>>, RedactionReport, bool), Error> {
    // The folder that other files name is redacted by what is found in the session.
    let known = sessions.iter_mut().map(|session| std::mem::take(&mut session.beside)).last();
    let known = known.unwrap_or_default();
    let bundle = sessions.first().map(|first| Arc::clone(&first.bundle));
    let before = texts.to_vec();
    match (redact_named(job, format, (sessions, &known), texts, redactor), bundle) {
        (Ok((sessions, report)), _) => Ok((sessions, report, false)),
        (Err(Error::Redact(_)), Some(bundle)) if !redactor.options().key.is_keyed() => {
            texts.clone_from_slice(&before);
            let numbered = redactor.with_key(TagKey::numbered());
            let sessions = format.read(bundle);
            let again = redact_named(job, format, (sessions, &known), texts, &numbered);
            again.map(|(sessions, report)| (sessions, report, true))
        }
        (Err(error), _) => Err(error),
    }
}

/// A plain text without sensitive values.
///
/// # Errors
/// It can't be redacted, or somebody cancelled the job.
pub fn redact_text(
    job: &Job,
    name: &str,
    bytes: Vec<u8>,
    redactor: &Redactor,
) -> Result<Redaction, Error> {
    let before = vec![text(name, bytes)?];
    let read = |draft: &RedactionDraft| vec![plain::again(&draft.bundle)];
    let (sessions, report, _) = rounds(job, redactor, before, &read)?;
    Ok(Redaction { sessions, picked: 0, report })
}

/// The sessions of the last round, the report of all of them, and what each one moved.
type Rounds = (Clean<Vec<Session>>, RedactionReport, Vec<MovedPlaces>);

/// Drafts until one is verified. In the last rounds each text goes as a whole that a value is in.
fn rounds(
    job: &Job,
    redactor: &Redactor,
    mut before: Vec<Session>,
    read: &dyn Fn(&RedactionDraft) -> Vec<Session>,
) -> Result<Rounds, Error> {
    let (mut entries, mut moves) = (Vec::new(), Vec::new());
    let original = before.first().map(|first| Arc::clone(&first.bundle));
    let original = original.unwrap_or_else(|| Arc::new(Bundle { members: Vec::new() }));
    let mut round = 0;
    loop {
        job.check()?;
        round += 1;
        let refs: Vec<&Session> = before.iter().collect();
        let draft = match round {
            WIDE.. => redactor.wide_draft(&refs, &marked(&refs)),
            _ => redactor.draft(&refs, &marked(&refs)),
        }
        .map_err(refused)?;
        job.check()?;
        // Their records are compared with those of the draft; their events are of no more use.
        before.iter_mut().for_each(Session::forget_events);
        let refs: Vec<&Session> = before.iter().collect();
        let after = read(&draft);
        job.check()?;
        let again: Vec<&Session> = after.iter().collect();
        let secrets = marked(&again);
        let verified = redactor.verified(&draft, &refs, after, &secrets);
        let (RedactionReport { rules, profile, entries: found }, moved) = redactor.report(draft);
        match moves.is_empty() {
            true => entries = found,
            false => entries.extend(found.into_iter().map(|entry| back(entry, &moves))),
        }
        moves.push(moved);
        match verified {
            Ok(sessions) => {
                entries.in_order_by_key(|entry| (entry.member, entry.bytes));
                place(&mut entries, &original);
                return Ok((sessions, RedactionReport { rules, profile, entries }, moves));
            }
            Err((Failure::Verify(Fault::Left { .. }), left)) if round < ROUNDS => before = left,
            Err((failure, _)) => return Err(refused(failure)),
        }
    }
}

/// A finding of a later round, at its place in the session as it was.
fn back(mut entry: ReportEntry, moves: &[MovedPlaces]) -> ReportEntry {
    for moved in moves.iter().rev() {
        let (start, end) = entry.bytes;
        entry.bytes = (moved.before(entry.member, start), moved.before(entry.member, end));
    }
    entry
}

pub(crate) fn text(name: &str, bytes: Vec<u8>) -> Result<Session, Error> {
    let too_long = || Error::NoSession { path: name.into(), why: "it is too long".into() };
    plain::session(name, bytes).ok_or_else(too_long)
}

/// The facts from elsewhere, without sensitive values.
fn beside(beside: &Beside, draft: &RedactionDraft, redactor: &Redactor) -> Beside {
    let clean = |text: &Option<String>| text.as_ref().map(|text| redactor.clean(draft, text));
    let Beside { folder, model, version, .. } = beside;
    Beside { folder: clean(folder), model: clean(model), version: clean(version), made_from: None }
}

/// The values of sessions of one bundle that their format's tables name, each once. In a text
/// that is no session, the names are those of any program: there the value has to look like one.
#[must_use]
pub fn marked(sessions: &[&Session]) -> Vec<Secret> {
    let is_believed = |session: &Session, secret: &Secret| {
        let value = session.bundle.slice(secret.member, secret.span);
        session.format != plain::NAME || plain::is_credential(value)
    };
    let of = |session| secrets(session).into_iter().filter(move |of| is_believed(session, of));
    let mut all: Vec<Secret> = sessions.iter().flat_map(|session| of(session)).collect();
    all.in_order_by_key(|secret| (secret.member, secret.span));
    all.dedup_by_key(|secret| (secret.member, secret.span));
    all
}

fn refused(failure: Failure) -> Error {
    Error::Redact(failure.to_string())
}

/// Gives each finding the line on which its first byte is: a record may have many lines.
pub(crate) fn place(entries: &mut [ReportEntry], bundle: &Bundle) {
    let (mut member, mut at, mut line) = (u32::MAX, 0, 1);
    for entry in entries {
        if bundle.members.get(entry.member as usize).is_none() {
            continue;
        }
        let bytes = bundle.bytes(entry.member);
        let start = (entry.bytes.0 as usize).min(bytes.len());
        if entry.member != member || start < at {
            (member, at, line) = (entry.member, 0, 1);
        }
        line += memchr::memchr_iter(b'\n', &bytes[at..start]).count() as u32;
        (at, entry.line) = (start, line);
    }
}
