//! The redacted twin of an archive: an archive of the same layout, with receipts of what was
//! replaced beside its runs. What is written into it was redacted before: this module knows
//! nothing of secrets.
//!
//! A version is written so that a kill at any moment leaves whole files only: first the pack, then
//! the receipt, then the run. A version counts as written if its receipt and its run are there.

use std::collections::HashSet;
use std::path::PathBuf;

use formats::Role;

use crate::digest::Digest;
use crate::error::Error;
use crate::export_key::ExportKey;
use crate::machine::MachineName;
use crate::place::{ArchiveFolder, Lock};
use crate::redactions::{
    self, LeftOutSession, Receipt, RedactedVersion, ReplacedValues, UnsafeVersion,
};
use crate::run::SessionName;
use crate::state::{Archive, ArchiveFault, Version};

mod writer;

pub use writer::TwinWriter;

/// A twin that was read.
#[derive(Debug)]
pub struct Twin {
    /// The archive that it is.
    pub archive: Archive,
    receipts: Vec<Receipt>,
}

/// A version that is to be written.
#[derive(Clone, Debug)]
pub struct NewVersion {
    /// The session, by its redacted names.
    pub name: SessionName,
    /// The ids of its sessions.
    pub ids: Vec<String>,
    /// The HMAC of the name of the session in the source.
    pub session: String,
    /// The HMAC of the digest of the version in the source.
    pub source: String,
    /// When its run began in the source.
    pub time: String,
    /// The machine on which it was seen, by names that may leave it.
    pub machine: MachineName,
    /// Its files.
    pub files: Vec<NewFile>,
}

/// A file of such a version.
#[derive(Clone, Debug)]
pub struct NewFile {
    /// Its redacted path.
    pub path: String,
    /// Its redacted name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The time of its last change, in RFC 3339.
    pub modified: Option<String>,
    /// Whether it is rows of a database.
    pub rows: bool,
    /// Its redacted bytes.
    pub bytes: Vec<u8>,
    /// The HMAC of the digest of the file in the source.
    pub source: String,
    /// The values that were replaced in it.
    pub replaced: Vec<ReplacedValues>,
}

impl MachineName {
    /// The machine by names that may leave it: its label, or else one that tells nothing.
    #[must_use]
    pub fn pseudonym(&self, key: &ExportKey) -> Self {
        let id = key.of(&format!("machine {}", self.id.as_ref().unwrap_or(&self.name)));
        let [label, account] = self.labels().map(|label| label.map(str::to_owned));
        let name = label.clone().unwrap_or_else(|| format!("machine-{}", &id[..8]));
        let machine = Self::new(name, Some(id[..32].to_owned()));
        machine.labelled(label, account)
    }
}

impl Twin {
    /// Reads the twin in a folder.
    ///
    /// # Errors
    /// Its folders can't be listed, or it is an archive that is no twin.
    pub fn read(place: ArchiveFolder) -> Result<Self, Error> {
        let (receipts, faults) = redactions::read_all(&place.redactions())?;
        let mut archive = Archive::read(place)?;
        archive.faults.extend(faults.iter().map(|error| {
            let path = error.path().map_or_else(|| archive.place.redactions(), PathBuf::from);
            ArchiveFault::of(path, error)
        }));
        let is_empty = archive.packs.is_empty() && archive.runs.is_empty();
        if receipts.is_empty() && faults.is_empty() && !is_empty {
            let what = format!(
                "{}: this archive was not made by `archive export`, and has sessions as they are",
                archive.place.folder.display()
            );
            return Err(Error::Refused { what, hint: "name another folder for the twin".into() });
        }
        Ok(Self { archive, receipts })
    }

    /// The profiles by which its versions were redacted.
    #[must_use]
    pub fn profiles(&self) -> Vec<&str> {
        let heads = self.receipts.iter().filter_map(|receipt| match receipt {
            Receipt::Redactions(head) => Some(&*head.profile),
            _ => None,
        });
        let profiles: HashSet<&str> = heads.collect();
        profiles.into_iter().collect()
    }

    /// The receipts of the versions that it has: one whose bytes are lost is not one of them, and
    /// is written again.
    #[must_use]
    pub fn versions(&self) -> Vec<&RedactedVersion> {
        let key = |it: &'_ Version| (it.session.name.clone(), it.session.digest);
        let lost: HashSet<_> = self.archive.lost_versions().into_iter().map(key).collect();
        let there = self.archive.versions.iter().map(key).filter(|it| !lost.contains(it));
        let there: HashSet<(SessionName, Digest)> = there.collect();
        let mut seen = HashSet::new();
        let versions = self.receipts.iter().filter_map(|receipt| match receipt {
            Receipt::Version(version) => Some(version),
            _ => None,
        });
        let has =
            |version: &&RedactedVersion| there.contains(&(version.name.clone(), version.digest));
        versions.filter(has).filter(|version| seen.insert(&version.source)).collect()
    }

    /// The sessions that it lacks, or has in an earlier state only, since they were left out.
    #[must_use]
    pub fn left_out(&self) -> Vec<&LeftOutSession> {
        redactions::left_out(&self.receipts)
    }

    /// The versions that it has and that are known not to be safe, as a later run found.
    #[must_use]
    pub fn unsafe_versions(&self) -> Vec<(&UnsafeVersion, &Version)> {
        let found = self.receipts.iter().filter_map(|receipt| match receipt {
            Receipt::Unsafe(found) => Some((found, self.version(&found.name, found.digest)?)),
            _ => None,
        });
        let mut seen = HashSet::new();
        found.filter(|(found, _)| seen.insert((&found.name, found.digest))).collect()
    }

    /// A version of it.
    #[must_use]
    pub fn version(&self, name: &SessionName, digest: Digest) -> Option<&Version> {
        let is_it = |of: &&Version| of.session.digest == digest && of.session.name == *name;
        self.archive.versions.iter().find(is_it)
    }

    /// The packs that have any byte of a range of a content.
    ///
    /// # Errors
    /// The archive is damaged.
    pub fn packs_of(&self, content: Digest, (from, to): (u64, u64)) -> Result<Vec<String>, Error> {
        let (mut at, mut packs) = (0, Vec::new());
        for piece in self.archive.pieces_of(content)? {
            let Some(found) = self.archive.pieces.get(&piece) else { continue };
            let end = at + found.piece.length;
            let name = &self.archive.packs[found.pack];
            if at < to && from < end && !packs.contains(name) {
                packs.push(name.clone());
            }
            at = end;
        }
        Ok(packs)
    }

    /// Removes versions, and rewrites the packs, runs and receipts that have them.
    ///
    /// # Errors
    /// The archive is damaged: then nothing is removed. Or the system reports an error.
    pub fn without(
        self,
        versions: &HashSet<(SessionName, Digest)>,
        lock: &Lock,
    ) -> Result<Self, Error> {
        let Self { mut archive, mut receipts } = self;
        let is_left =
            |it: &Version| !versions.contains(&(it.session.name.clone(), it.session.digest));
        archive.versions.retain(is_left);
        archive.dropped.clone_from(versions);
        let (archive, _) = archive.compact(lock, false)?;
        receipts.retain(|receipt| match receipt {
            Receipt::Version(it) => !versions.contains(&(it.name.clone(), it.digest)),
            Receipt::Unsafe(it) => !versions.contains(&(it.name.clone(), it.digest)),
            _ => true,
        });
        redactions::rewrite(&archive.place.redactions(), &receipts)?;
        Ok(Self { archive, receipts })
    }
}

/// The number of sessions that a twin lacks, or has in an earlier state only, since they were left
/// out; 0 for an archive that is no twin.
///
/// # Errors
/// The folder of receipts can't be listed.
pub fn left_out(place: &ArchiveFolder) -> Result<usize, Error> {
    let (receipts, _) = redactions::read_all(&place.redactions())?;
    Ok(redactions::left_out(&receipts).len())
}
