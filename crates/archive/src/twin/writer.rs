//! Writes versions into a twin.

use std::collections::BTreeMap;
use std::path::PathBuf;

use session::Sorting as _;
use session::UtcTime;

use super::{NewFile, NewVersion, Twin};
use crate::digest::Digest;
use crate::error::Error;
use crate::keep::{Keeper, Unkept};
use crate::machine::MachineName;
use crate::pack;
use crate::redactions::{
    self, LeftOutSession, Receipt, RedactedFile, RedactedVersion, RedactionHead, UnsafeVersion,
};
use crate::roles;
use crate::run::{self, Head, Line, PathText, SessionName, SessionVersion, VersionFile};

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
        kept.in_order_by_key(roles::rank);
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
        let known = known.filter(|(content, _)| !self.keeper.is_lost(content));
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
    fn leave_out(&mut self, session: LeftOutSession) {
        if self.time < session.time {
            self.time.clone_from(&session.time);
        }
        self.fresh.push(Receipt::LeftOut(session));
    }

    /// Notes a version that is left out, unless a receipt says so.
    pub fn leave_out_once(&mut self, session: LeftOutSession) {
        let is_it =
            |it: &Receipt| matches!(it, Receipt::LeftOut(one) if one.source == session.source);
        if !self.known.iter().chain(&self.fresh).any(is_it) {
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
