//! Redaction of a session: scanned, edited, read again and verified.

use std::path::PathBuf;
use std::sync::Arc;

use evidence::redact::{
    Failure, Fault, Redacted, RedactionDraft, RedactionReport, Redactor, plain,
};
use formats::secrets::secrets;
use session::secret::Secret;
use session::{Beside, Session};

use crate::catalog::Catalog;
use crate::error::Error;
use crate::find::found::Found;
use crate::open::bundle::{Unread, bundle};
use crate::open::source::Source;
use crate::parallel::parallel;

/// Largest number of rounds: an edit can show a value that was hidden before.
const ROUNDS: usize = 3;

/// A session without what must not be shared.
#[derive(Debug)]
pub struct Redaction {
    /// The sessions of its bundle.
    pub sessions: Redacted<Vec<Session>>,
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
}

/// Result of the scan of one source.
#[derive(Debug)]
pub struct ScannedSource {
    /// The format's name.
    pub format: &'static str,
    /// The uids of its sessions.
    pub sessions: Vec<String>,
    /// The files, by the numbers that findings have.
    pub files: Vec<PathBuf>,
    /// The findings by their places; or the reason why nothing is known.
    pub report: Result<RedactionReport, Failure>,
    /// Files that could not be read.
    pub unread: Vec<Unread>,
    /// The bytes that were scanned.
    pub bytes: u64,
}

impl Catalog<'_> {
    /// Scans the sessions of sources, on all cores, and calls `done` for each.
    #[must_use]
    pub fn scan_secrets(
        &self,
        found: &Found,
        redactor: &Redactor,
        done: &(dyn Fn(&ScannedSource) + Sync),
    ) -> Vec<ScannedSource> {
        parallel(&found.sources, Source::length, |source| {
            let scanned = scanned(source, redactor);
            done(&scanned);
            scanned
        })
    }

    /// A session without what must not be shared, in its own format. Of a document that records an
    /// agent's session, that session.
    ///
    /// # Errors
    /// It can't be redacted, or a document contradicts itself. Then nothing is to be written.
    pub fn redact(&self, session: &Session, redactor: &Redactor) -> Result<Redaction, Error> {
        let native = self.native(session)?;
        let session = native.as_ref().unwrap_or(session);
        let format = self.format(session.format)?;
        let mut before = format.read(Arc::clone(&session.bundle));
        let picked = before.iter().position(|other| other.id == session.id).unwrap_or_default();
        let mut entries = Vec::new();
        for round in 1..=ROUNDS {
            let refs: Vec<&Session> = before.iter().collect();
            let draft = redactor.draft(&refs, &marked(&refs))?;
            let mut after = format.read(Arc::new(draft.bundle.clone()));
            for after in &mut after {
                after.beside = beside(session, &draft, redactor);
            }
            let again: Vec<&Session> = after.iter().collect();
            let secrets = marked(&again);
            let mut report = redactor.report(&draft);
            entries.append(&mut report.entries);
            match redactor.verified(&draft, &refs, after, &secrets) {
                Ok(sessions) => {
                    let report = RedactionReport { entries, ..report };
                    return Ok(Redaction { sessions, picked, report });
                }
                Err((Failure::Verify(Fault::Left { .. }), left)) if round < ROUNDS => before = left,
                Err((failure, _)) => return Err(failure.into()),
            }
        }
        Err(Error::NoSession { path: session.id.clone().into(), why: "it has no rounds".into() })
    }

    /// Scans bytes without a path: a session, or else any text.
    ///
    /// # Errors
    /// A text is too long.
    pub fn scan_bytes(
        &self,
        name: &str,
        bytes: Vec<u8>,
        redactor: &Redactor,
    ) -> Result<ScannedSource, Error> {
        let length = bytes.len() as u64;
        let (format, sessions) = match self.open_bytes(name, bytes.clone()) {
            Ok(opened) => (opened.session().format, opened.sessions),
            Err(_) => (plain::NAME, vec![text(name, bytes)?]),
        };
        let refs: Vec<&Session> = sessions.iter().collect();
        let report = redactor.scan_report(&refs, &marked(&refs));
        let sessions = sessions.iter().filter(|session| !session.remainder);
        Ok(ScannedSource {
            format,
            sessions: sessions.map(Session::uid).collect(),
            files: vec!["-".into()],
            report,
            unread: Vec::new(),
            bytes: length,
        })
    }

    /// A plain text without what must not be shared.
    ///
    /// # Errors
    /// It can't be redacted.
    pub fn redact_text(
        &self,
        name: &str,
        bytes: Vec<u8>,
        redactor: &Redactor,
    ) -> Result<Redaction, Error> {
        let before = text(name, bytes)?;
        let draft = redactor.draft(&[&before], &[])?;
        let after = plain::again(&draft.bundle);
        let report = redactor.report(&draft);
        let verified = redactor.verified(&draft, &[&before], vec![after], &[]);
        let sessions = verified.map_err(|(failure, _)| failure)?;
        Ok(Redaction { sessions, picked: 0, report })
    }
}

fn text(name: &str, bytes: Vec<u8>) -> Result<Session, Error> {
    let too_long = || Error::NoSession { path: name.into(), why: "it is too long".into() };
    plain::session(name, bytes).ok_or_else(too_long)
}

/// The facts from elsewhere, without what must not be shared.
fn beside(session: &Session, draft: &RedactionDraft, redactor: &Redactor) -> Beside {
    let clean = |text: &Option<String>| text.as_ref().map(|text| redactor.clean(draft, text));
    let Beside { folder, model, version, .. } = &session.beside;
    Beside { folder: clean(folder), model: clean(model), version: clean(version), made_from: None }
}

fn scanned(source: &Source, redactor: &Redactor) -> ScannedSource {
    let (bundle, unread) = bundle(source);
    let bytes = bundle.members.iter().map(|member| member.length() as u64).sum();
    let files = source.paths(&bundle);
    let sessions = source.format.read(Arc::new(bundle));
    let refs: Vec<&Session> = sessions.iter().collect();
    let report = redactor.scan_report(&refs, &marked(&refs));
    let named = sessions.iter().filter(|session| !session.remainder);
    ScannedSource {
        format: source.format.name(),
        sessions: named.map(Session::uid).collect(),
        files,
        report,
        unread,
        bytes,
    }
}

/// The values of sessions of one bundle that their format's tables name, each once.
fn marked(sessions: &[&Session]) -> Vec<Secret> {
    let mut all: Vec<Secret> = sessions.iter().flat_map(|session| secrets(session)).collect();
    all.sort_by_key(|secret| (secret.member, secret.span));
    all.dedup_by_key(|secret| (secret.member, secret.span));
    all
}
