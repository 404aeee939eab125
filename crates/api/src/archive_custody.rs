//! The documents of custody: `verbatim-archive-sign-1`, and the part of
//! `verbatim-archive-verify-1` that statements of custody show.

use std::collections::BTreeMap;

use archive::Archive;
use operations::attest::{CustodyFault, CustodyVerdict, SignedCustody};
use serde::Serialize;

use super::text::text;

/// The verdict by statements of custody.
#[derive(Debug, Serialize)]
pub struct ArchiveCustody {
    good: bool,
    /// Statements that are good, by the names of their keys.
    signed: BTreeMap<String, usize>,
    /// Objects that are what a statement says.
    sound: usize,
    faults: Vec<ObjectFault>,
}

/// A file that is not as the statements say.
#[derive(Debug, Serialize)]
pub struct ObjectFault {
    kind: &'static str,
    path: String,
    why: String,
}

impl From<&CustodyVerdict> for ArchiveCustody {
    fn from(verdict: &CustodyVerdict) -> Self {
        let fault = |CustodyFault { kind, path, why }: &CustodyFault| ObjectFault {
            kind,
            path: path.clone(),
            why: why.clone(),
        };
        Self {
            good: verdict.is_good(),
            signed: verdict.signed.clone(),
            sound: verdict.sound,
            faults: verdict.faults.iter().map(fault).collect(),
        }
    }
}

/// The statements of custody that were signed.
#[derive(Debug, Serialize)]
pub struct ArchiveSigned {
    schema: &'static str,
    archive: String,
    key: String,
    issuer: String,
    /// The statements that were written.
    statements: Vec<String>,
    /// Runs that had one before.
    known: usize,
    withdrawn: Vec<String>,
}

impl ArchiveSigned {
    /// The document of a signing.
    #[must_use]
    pub fn of(archive: &Archive, signed: &SignedCustody, key: String, issuer: &str) -> Self {
        Self {
            schema: "verbatim-archive-sign-1",
            archive: text(&archive.place.folder),
            key,
            issuer: issuer.to_owned(),
            statements: signed.written.iter().map(|(path, _)| path.clone()).collect(),
            known: signed.known,
            withdrawn: signed.withdrawn.clone(),
        }
    }
}
