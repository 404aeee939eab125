//! The documents of the archive: `verbatim-sync-1`, `verbatim-archive-status-1`,
//! `verbatim-archive-verify-1`, `verbatim-archive-versions-1`, `verbatim-archive-restore-1` and
//! `verbatim-archive-change-1`.

use std::path::{Path, PathBuf};

use archive::merge::Merged;
use archive::sync::SyncReport;
use archive::{
    AgentShare, Archive, Compacted, RestoredVersion, ReturnedFile, Verification, Version,
};
use operations::attest::CustodyVerdict;
use serde::Serialize;

use super::archive_custody::ArchiveCustody;
use super::text::text;

/// The result of `sync`.
#[derive(Debug, Serialize)]
pub struct Synced {
    schema: &'static str,
    archive: String,
    sessions: usize,
    new: usize,
    changed: usize,
    others: usize,
    gone: usize,
    left_out: usize,
    bytes: u64,
    stored: u64,
    unread: Vec<UnreadFile>,
    /// Links that were not followed.
    links: Vec<UnreadFile>,
    /// New patterns for which nothing was left out.
    unmet: Vec<String>,
}

/// A file that could not be read, or is damaged.
#[derive(Debug, Serialize)]
pub struct UnreadFile {
    path: String,
    why: String,
    /// The uids of the sessions that it concerns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sessions: Vec<String>,
}

impl Synced {
    /// The document of a run.
    #[must_use]
    pub fn of(archive: &Path, report: &SyncReport) -> Self {
        let named = |(path, why): &(PathBuf, String)| UnreadFile {
            path: text(path),
            why: why.clone(),
            sessions: Vec::new(),
        };
        Self {
            schema: "verbatim-sync-1",
            archive: text(archive),
            sessions: report.sessions,
            new: report.new,
            changed: report.changed,
            others: report.others,
            gone: report.gone,
            left_out: report.left_out,
            bytes: report.bytes,
            stored: report.stored,
            unread: report.unread.iter().map(named).collect(),
            links: report.links.iter().map(named).collect(),
            unmet: report.unmet.clone(),
        }
    }
}

/// The state of an archive.
#[derive(Debug, Serialize)]
pub struct ArchiveStatus {
    schema: &'static str,
    archive: String,
    sessions: usize,
    versions: usize,
    /// Sessions that their agents have deleted.
    gone: usize,
    forgotten: Vec<String>,
    excludes: Vec<String>,
    packs: usize,
    runs: usize,
    /// Bytes of its files.
    stored: u64,
    /// Bytes of the newest version of each session.
    bytes: u64,
    /// Sessions that their agents delete within a week and that are not kept.
    expiring: usize,
    faults: Vec<UnreadFile>,
    agents: Vec<AgentPart>,
    /// Sessions that a redacted twin lacks, or has in an earlier state only.
    left_out: usize,
}

/// The part of an archive that one agent's sessions take.
#[derive(Debug, Serialize)]
pub struct AgentPart {
    agent: String,
    sessions: usize,
    bytes: u64,
    stored: u64,
}

impl From<AgentShare> for AgentPart {
    fn from(share: AgentShare) -> Self {
        let AgentShare { agent, sessions, bytes, stored } = share;
        Self { agent, sessions, bytes, stored }
    }
}

impl ArchiveStatus {
    /// The document of an archive.
    #[must_use]
    pub fn of(archive: &Archive, expiring: usize, left_out: usize) -> Self {
        let newest = archive.newest();
        let files = newest.values().flat_map(|version| &version.session.files);
        let (packs, runs) = archive.files();
        let faults = archive.faults.iter().map(|fault| UnreadFile {
            path: text(&fault.path),
            why: fault.why.clone(),
            sessions: Vec::new(),
        });
        Self {
            schema: "verbatim-archive-status-1",
            archive: text(&archive.place.folder),
            sessions: newest.len(),
            versions: archive.versions().len(),
            gone: newest.keys().filter(|name| archive.is_gone(name)).count(),
            forgotten: archive.forgotten().map(|(name, _)| name.uid()).collect(),
            excludes: archive.excludes().to_vec(),
            packs,
            runs,
            stored: archive.length(),
            bytes: files.map(|file| file.length).sum(),
            expiring,
            faults: faults.collect(),
            agents: archive.shares().into_iter().map(AgentPart::from).collect(),
            left_out,
        }
    }
}

/// Whether an archive has all that it says.
#[derive(Debug, Serialize)]
pub struct ArchiveVerdict {
    schema: &'static str,
    archive: String,
    good: bool,
    read_data: bool,
    packs: usize,
    runs: usize,
    sound: usize,
    lost: Vec<LostVersion>,
    faults: Vec<UnreadFile>,
    /// The verdict by statements of custody; none if no key was given.
    custody: Option<ArchiveCustody>,
}

/// A version that can't be given back.
#[derive(Debug, Serialize)]
pub struct LostVersion {
    uid: String,
    digest: String,
}

impl ArchiveVerdict {
    /// The document of a verdict.
    #[must_use]
    pub fn of(
        archive: &Archive,
        verdict: &Verification,
        read_data: bool,
        custody: Option<&CustodyVerdict>,
    ) -> Self {
        let lost = verdict
            .lost
            .iter()
            .map(|(uid, digest)| LostVersion { uid: uid.clone(), digest: digest.to_string() });
        let faults = verdict.faults.iter().map(|(fault, sessions)| UnreadFile {
            path: text(&fault.path),
            why: fault.why.clone(),
            sessions: sessions.clone(),
        });
        Self {
            schema: "verbatim-archive-verify-1",
            archive: text(&archive.place.folder),
            good: verdict.is_good() && custody.is_none_or(CustodyVerdict::is_good),
            read_data,
            packs: verdict.packs,
            runs: verdict.runs,
            sound: verdict.sound,
            lost: lost.collect(),
            faults: faults.collect(),
            custody: custody.map(ArchiveCustody::from),
        }
    }
}

/// The versions of a session.
#[derive(Debug, Serialize)]
pub struct ArchiveVersions {
    schema: &'static str,
    uid: String,
    /// The newest one last.
    versions: Vec<ArchiveVersion>,
}

/// A version of a session.
#[derive(Debug, Serialize)]
pub struct ArchiveVersion {
    digest: String,
    ids: Vec<String>,
    /// When it was seen.
    seen: String,
    machine: String,
    bytes: u64,
    files: Vec<ArchiveFile>,
}

/// A file of a version.
#[derive(Debug, Serialize)]
pub struct ArchiveFile {
    path: String,
    name: String,
    /// The SHA-256 of its content.
    digest: String,
    bytes: u64,
    /// True if it is rows of a database, as lines of JSON, and no file.
    rows: bool,
}

impl ArchiveVersions {
    /// The document of these versions.
    #[must_use]
    pub fn of(versions: &[&Version]) -> Self {
        let file = |file: &archive::VersionFile| ArchiveFile {
            path: text(&file.path.path()),
            name: file.name.clone(),
            digest: file.content.to_string(),
            bytes: file.length,
            rows: file.rows,
        };
        let version = |version: &&Version| ArchiveVersion {
            digest: version.session.digest.to_string(),
            ids: version.session.ids.clone(),
            seen: version.time.clone(),
            machine: version.machine.name.clone(),
            bytes: version.session.files.iter().map(|file| file.length).sum(),
            files: version.session.files.iter().map(file).collect(),
        };
        Self {
            schema: "verbatim-archive-versions-1",
            uid: versions.first().map(|v| v.session.name.uid()).unwrap_or_default(),
            versions: versions.iter().map(version).collect(),
        }
    }
}

/// A version that was given back.
#[derive(Debug, Serialize)]
pub struct ArchiveRestored {
    schema: &'static str,
    uid: String,
    digest: String,
    files: Vec<RestoredFile>,
    /// Files beside the session that are there with other content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left: Vec<String>,
}

/// A file that was written.
#[derive(Debug, Serialize)]
pub struct RestoredFile {
    path: String,
    bytes: u64,
    rows: bool,
}

impl ArchiveRestored {
    /// The document of a restored version.
    #[must_use]
    pub fn of(version: &Version, restored: &RestoredVersion) -> Self {
        let file = |file: &ReturnedFile| RestoredFile {
            path: text(&file.path),
            bytes: file.bytes,
            rows: file.rows,
        };
        Self {
            schema: "verbatim-archive-restore-1",
            uid: version.session.name.uid(),
            digest: version.session.digest.to_string(),
            files: restored.files.iter().map(file).collect(),
            left: restored.left.iter().map(|path| text(path)).collect(),
        }
    }
}

/// The result of taking in another archive.
#[derive(Debug, Serialize)]
pub struct ArchiveMerged {
    schema: &'static str,
    archive: String,
    taken: usize,
    known: usize,
    stored: u64,
    refused: Vec<RefusedVersion>,
}

/// A version that was refused.
#[derive(Debug, Serialize)]
pub struct RefusedVersion {
    name: String,
    why: String,
}

impl ArchiveMerged {
    /// The document of a merging.
    #[must_use]
    pub fn of(archive: &Path, merged: &Merged) -> Self {
        let refused = |(name, why): &(String, String)| RefusedVersion {
            name: name.clone(),
            why: why.clone(),
        };
        Self {
            schema: "verbatim-archive-merge-1",
            archive: text(archive),
            taken: merged.taken,
            known: merged.known,
            stored: merged.stored,
            refused: merged.refused.iter().map(refused).collect(),
        }
    }
}

/// The change of an archive that was rewritten.
#[derive(Debug, Serialize)]
pub struct ArchiveChange {
    schema: &'static str,
    archive: String,
    /// The uid of the session that was forgotten or revived.
    #[serde(skip_serializing_if = "Option::is_none")]
    uid: Option<String>,
    packs: [usize; 2],
    runs: [usize; 2],
    bytes: [u64; 2],
}

impl ArchiveChange {
    /// The document of a change.
    #[must_use]
    pub fn of(archive: &Path, uid: Option<String>, change: &Compacted) -> Self {
        Self {
            schema: "verbatim-archive-change-1",
            archive: text(archive),
            uid,
            packs: [change.packs.0, change.packs.1],
            runs: [change.runs.0, change.runs.1],
            bytes: [change.bytes.0, change.bytes.1],
        }
    }
}
