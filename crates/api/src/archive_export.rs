//! The documents of the redacted twin of an archive: `verbatim-archive-export-1` and
//! `verbatim-archive-export-check-1`.

use std::collections::BTreeMap;
use std::path::Path;

use archive::twin::Twin;
use operations::twin::ExportReport;
use operations::twin::check::TwinCheck;
use serde::Serialize;

use super::text::text;

/// The result of an export.
#[derive(Debug, Serialize)]
pub struct ArchiveExported {
    schema: &'static str,
    archive: String,
    /// Versions that were added, and that were there before.
    added: usize,
    known: usize,
    /// Bytes that were added.
    stored: u64,
    /// Classes of values, each with the places where one was replaced.
    replaced: BTreeMap<String, u64>,
    left_out: Vec<LeftOutVersion>,
    /// Files beside sessions in the source: no twin has them.
    beside: usize,
    /// Versions of the twin that are not safe any more.
    not_safe: usize,
    /// Objects that were removed.
    removed: Vec<String>,
}

/// A version that was left out.
#[derive(Debug, Serialize)]
pub struct LeftOutVersion {
    uid: String,
    why: String,
}

impl ArchiveExported {
    /// The document of an export.
    #[must_use]
    pub fn of(twin: &Twin, report: &ExportReport, removed: &[String]) -> Self {
        let left_out =
            |(uid, why): &(String, String)| LeftOutVersion { uid: uid.clone(), why: why.clone() };
        Self {
            schema: "verbatim-archive-export-1",
            archive: text(&twin.archive.place.folder),
            added: report.added,
            known: report.known,
            stored: report.stored,
            replaced: report.replaced.clone(),
            left_out: report.left_out.iter().map(left_out).collect(),
            beside: report.beside,
            not_safe: twin.unsafe_versions().len(),
            removed: removed.to_vec(),
        }
    }
}

/// The result of a check of a twin.
#[derive(Debug, Serialize)]
pub struct TwinVerdict {
    schema: &'static str,
    archive: String,
    good: bool,
    versions: usize,
    objects: Vec<UnsafeObject>,
    /// Sessions that could not be looked through.
    unread: Vec<LeftOutVersion>,
}

/// An object that is not safe.
#[derive(Debug, Serialize)]
pub struct UnsafeObject {
    path: String,
    reasons: Vec<ObjectReason>,
}

/// A version for which it is not safe.
#[derive(Debug, Serialize)]
pub struct ObjectReason {
    uid: String,
    digest: String,
    why: String,
}

impl TwinVerdict {
    /// The document of a check.
    #[must_use]
    pub fn of(folder: &Path, check: &TwinCheck) -> Self {
        let objects = check.objects.iter().map(|(path, reasons)| UnsafeObject {
            path: path.clone(),
            reasons: reasons
                .iter()
                .map(|reason| ObjectReason {
                    uid: reason.session.clone(),
                    digest: reason.digest.clone(),
                    why: reason.why.clone(),
                })
                .collect(),
        });
        let unread =
            |(uid, why): &(String, String)| LeftOutVersion { uid: uid.clone(), why: why.clone() };
        Self {
            schema: "verbatim-archive-export-check-1",
            archive: text(folder),
            good: check.objects.is_empty() && check.unread.is_empty(),
            versions: check.versions,
            objects: objects.collect(),
            unread: check.unread.iter().map(unread).collect(),
        }
    }
}
