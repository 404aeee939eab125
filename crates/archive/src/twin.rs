//! The redacted twin of an archive: an archive of the same layout, with receipts of what was
//! replaced beside its runs. What is written into it was redacted before: this module knows
//! nothing of secrets.
//!
//! A version is written so that a kill at any moment leaves whole files only: first the pack, then
//! the receipt, then the run. A version counts as written if its receipt and its run are there.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use formats::Role;
use session::UtcTime;

use crate::digest::Digest;
use crate::error::Error;
use crate::export_key::ExportKey;
use crate::keep::{Keeper, Unkept};
use crate::pack;
use crate::place::{ArchiveFolder, Lock};
use crate::redactions::{
    self, LeftOutSession, Receipt, RedactedFile, RedactedVersion, RedactionHead, ReplacedValues,
    UnsafeVersion,
};
use crate::roles;
use crate::run::{
    self, Head, Line, MachineName, PathText, SessionName, SessionVersion, VersionFile,
};
use crate::state::{Archive, ArchiveFault, Version};

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
    /// What was replaced in it.
    pub replaced: Vec<ReplacedValues>,
}

impl ArchiveFolder {
    /// The folder of receipts, which only a twin has.
    #[must_use]
    pub fn redactions(&self) -> PathBuf {
        self.folder.join("redactions")
    }
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
            let path = match error {
                Error::Damaged { path, .. } | Error::Io { path, .. } => path.clone(),
                _ => archive.place.redactions(),
            };
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

    /// The receipts of the versions that it has.
    #[must_use]
    pub fn versions(&self) -> Vec<&RedactedVersion> {
        let there = self.archive.versions.iter().map(|it| (&it.session.name, it.session.digest));
        let there: HashSet<(&SessionName, Digest)> = there.collect();
        let mut seen = HashSet::new();
        let versions = self.receipts.iter().filter_map(|receipt| match receipt {
            Receipt::Version(version) => Some(version),
            _ => None,
        });
        let has = |version: &&RedactedVersion| there.contains(&(&version.name, version.digest));
        versions.filter(has).filter(|version| seen.insert(&version.source)).collect()
    }

    /// The sessions that it lacks, or has in an earlier state only, since they were left out.
    #[must_use]
    pub fn left_out(&self) -> Vec<&LeftOutSession> {
        redactions::left_out(&self.receipts)
    }

    /// Whether a receipt says that this version of the source was left out.
    #[must_use]
    pub fn has_left_out(&self, source: &str) -> bool {
        self.receipts.iter().any(|it| matches!(it, Receipt::LeftOut(one) if one.source == source))
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

/// Bytes of new packs after which what was written gets its run.
const CHECKPOINT: u64 = 96 * 1024 * 1024;

/// Writes versions into a twin.
pub struct TwinWriter<'t> {
    keeper: Keeper<'t>,
    head: RedactionHead,
    known: &'t mut Vec<Receipt>,
    /// The receipts that no file has yet, and the time of the last one.
    fresh: Vec<Receipt>,
    time: String,
    /// The newest content of each file, by its session and name.
    newest: BTreeMap<(SessionName, String), (Digest, u64)>,
}

impl Twin {
    /// Marks a new twin as one, before it gets its first pack.
    ///
    /// # Errors
    /// The twin can't be written.
    pub fn begin(&mut self, profile: &str, rules: &str, time: &str) -> Result<(), Error> {
        if self.receipts.is_empty() {
            let head = RedactionHead::new(profile, rules);
            redactions::write(&self.archive.place.redactions(), time, &head, &[])?;
            self.receipts.push(Receipt::Redactions(head));
        }
        Ok(())
    }

    /// A writer of this twin, whose receipts name this profile and these rules, and at least this
    /// time. The caller has at least the shared lock.
    #[must_use]
    pub fn writer(&mut self, profile: &str, rules: &str, time: &str) -> TwinWriter<'_> {
        let mut newest = BTreeMap::new();
        for version in &self.archive.versions {
            for file in &version.session.files {
                let name = (version.session.name.clone(), file.name.clone());
                newest.insert(name, (file.content, file.length));
            }
        }
        let nobody = MachineName::new(String::new(), None);
        TwinWriter {
            keeper: Keeper::new(&mut self.archive, UtcTime(0), &nobody),
            head: RedactionHead::new(profile, rules),
            known: &mut self.receipts,
            fresh: Vec::new(),
            time: time.to_owned(),
            newest,
        }
    }
}

impl TwinWriter<'_> {
    /// Adds a version, and returns the digest that it has in the twin.
    ///
    /// # Errors
    /// The twin can't be written.
    pub fn add(&mut self, version: NewVersion) -> Result<Digest, Error> {
        let NewVersion { name, ids, session, source, time, machine, files } = version;
        let schema = run::SCHEMA.to_owned();
        self.keeper.turn(Head { schema, time: time.clone(), machine });
        let (mut kept, mut receipts) = (Vec::new(), Vec::new());
        for file in files {
            let (file, receipt) = self.file(&name, file)?;
            kept.push(file);
            receipts.push(receipt);
        }
        kept.sort_by_key(roles::rank);
        let digest = roles::digest(&kept);
        for file in &kept {
            let key = (name.clone(), file.name.clone());
            self.newest.insert(key, (file.content, file.length));
        }
        let line = SessionVersion { name: name.clone(), ids, digest, files: kept };
        self.keeper.note(Line::Session(line));
        if self.time < time {
            self.time.clone_from(&time);
        }
        let receipt = RedactedVersion { name, digest, session, source, time, files: receipts };
        self.fresh.push(Receipt::Version(receipt));
        Ok(digest)
    }

    fn file(
        &mut self,
        session: &SessionName,
        file: NewFile,
    ) -> Result<(VersionFile, RedactedFile), Error> {
        let NewFile { path, name, role, modified, rows, bytes, source, replaced } = file;
        // A reader knows by the ending of a path that a file is packed.
        let is_packed = !rows && PathBuf::from(&path).extension().is_some_and(|it| it == "zst");
        let folder = self.keeper.archive.place.folder.clone();
        let bytes = match is_packed {
            true => pack::compressed(&bytes).map_err(Error::io(&folder))?,
            false => bytes,
        };
        let known = self.newest.get(&(session.clone(), name.clone())).copied();
        let kept = self.keeper.grown(&bytes, known).map_err(|error| match error {
            Unkept::Archive(error) => error,
            Unkept::Source(error) => Error::io(&folder)(error),
        })?;
        let (word, stem) = roles::words(&role);
        let receipt = RedactedFile { name: name.clone(), content: kept.digest, source, replaced };
        let file = VersionFile {
            path: PathText::Text(path),
            name,
            role: word.into(),
            stem,
            content: kept.digest,
            length: kept.length,
            modified,
            rows,
            stat: None,
        };
        Ok((file, receipt))
    }

    /// The bytes of a file that was written before, by its receipt; `None` if the twin lost it.
    #[must_use]
    pub fn bytes(&self, file: &RedactedFile) -> Option<Vec<u8>> {
        self.keeper.archive.bytes(file.content).ok()
    }

    /// Notes a version that is left out.
    pub fn leave_out(&mut self, session: LeftOutSession) {
        if self.time < session.time {
            self.time.clone_from(&session.time);
        }
        self.fresh.push(Receipt::LeftOut(session));
    }

    /// Notes a version that is left out, unless a receipt says so.
    pub fn leave_out_once(&mut self, session: LeftOutSession) {
        let line = Receipt::LeftOut(session);
        if let (false, Receipt::LeftOut(session)) = (self.known.contains(&line), line) {
            self.leave_out(session);
        }
    }

    /// Notes that a version of the twin is not safe. Said once, it is not said again.
    pub fn note_unsafe(&mut self, version: UnsafeVersion) {
        let line = Receipt::Unsafe(version);
        if !self.known.contains(&line) && !self.fresh.contains(&line) {
            self.fresh.push(line);
        }
    }

    /// Bytes that were added to packs.
    #[must_use]
    pub fn stored(&self) -> u64 {
        self.keeper.stored
    }

    /// Writes a run if much was added that none has.
    ///
    /// # Errors
    /// The twin can't be written.
    pub fn checkpoint(&mut self) -> Result<(), Error> {
        if self.keeper.waiting() < CHECKPOINT { Ok(()) } else { self.finish() }
    }

    /// Writes all that was added: the pack, then the receipts, then the run.
    ///
    /// # Errors
    /// The twin can't be written.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.keeper.end_pack()?;
        if !self.fresh.is_empty() {
            let folder = self.keeper.archive.place.redactions();
            redactions::write(&folder, &self.time, &self.head, &self.fresh)?;
            self.known.append(&mut self.fresh);
        }
        self.keeper.finish()
    }
}

impl std::fmt::Debug for TwinWriter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TwinWriter")
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
