//! Placing of a session into its agent's store, and removal of what was placed.
//!
//! A placement is a transaction. The journal notes what will be there. Then each file is written
//! whole, the one that lists the session last, and read back. If anything differs, everything is
//! removed again. If the process is killed, the next one removes the beginning, or completes the
//! entry of a placement whose last file is there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::journal::{Journal, digest, entries};
pub use crate::journal::{Placed, PlacedFile, Step};
use crate::{Error, atomic, file_name, save};

/// The placements of this machine.
#[derive(Debug)]
pub struct Placements {
    journal: Journal,
}

/// The state of a session that was placed, beside what the journal says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Everything is as it was placed.
    Unchanged,
    /// A file has changed, or is gone: its agent has continued or removed the session.
    Changed(PathBuf),
}

impl Placements {
    /// Opens the placements that the journal in this folder notes, and ends those that a killed
    /// process has begun.
    ///
    /// # Errors
    /// [`Error::Io`] if the journal can't be read or written.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let placements = Self { journal: Journal::open(folder)? };
        let _ = fs::remove_dir_all(placements.journal.drafts());
        for entry in placements.journal.entries()? {
            placements.settle(entry)?;
        }
        Ok(placements)
    }

    /// The placements that the journal notes. Nothing is written.
    ///
    /// # Errors
    /// [`Error::Io`] if the journal can't be read.
    pub fn noted(folder: &Path) -> Result<Vec<Placed>, Error> {
        entries(folder)
    }

    /// Ends a placement or a removal that a killed process has begun.
    fn settle(&self, mut entry: Placed) -> Result<(), Error> {
        if is_unfinished(&entry) {
            return self.clear(&entry);
        }
        // What the agent's own import has done is not known here: a second run, or a removal,
        // completes it.
        if entry.step == Step::Placing && !entry.files.is_empty() {
            entry.step = Step::Placed;
            self.journal.write(&entry)?;
        }
        Ok(())
    }

    /// Places the files of a session: side files first, and last the file that lists it. `check`
    /// reads the placed session back, and says what is wrong with it. Existing files are never
    /// replaced.
    ///
    /// # Errors
    /// [`Error::Exists`] if a file exists, [`Error::Io`] if the system reports an error,
    /// [`Error::Differs`] if `check` finds a fault. Then nothing was placed.
    pub fn place(
        &self,
        mut placed: Placed,
        files: &[(PathBuf, &[u8])],
        check: &mut dyn FnMut() -> Result<(), String>,
    ) -> Result<Placed, Error> {
        if let Some((path, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
            return Err(Error::Exists { path: path.clone() });
        }
        placed.step = Step::Placing;
        placed.folders = missing(files.iter().filter_map(|(path, _)| path.parent()));
        let file = |(path, bytes): &(PathBuf, &[u8])| PlacedFile {
            path: path.clone(),
            sha256: digest(bytes),
        };
        placed.files = files.iter().map(file).collect();
        self.journal.write(&placed)?;
        let done = write_all(files).and_then(|()| {
            let changed = placed.files.iter().find(|file| !is_as_placed(file));
            let fault = changed.map(|file| format!("{} is not as written", file.path.display()));
            fault.map_or_else(check, Err).map_err(|what| Error::Differs { what })
        });
        match done {
            Ok(()) => {
                placed.step = Step::Placed;
                self.journal.write(&placed)?;
                Ok(placed)
            }
            Err(error) => {
                self.clear(&placed)?;
                Err(error)
            }
        }
    }

    /// Writes a file for the agent's own import. The caller removes it; if that run is killed, the
    /// next one does.
    ///
    /// # Errors
    /// [`Error::Io`] if the system reports an error.
    pub fn draft(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
        let path = self.journal.drafts().join(file_name(name));
        Ok(save(&path, bytes, true)?.path)
    }

    /// Notes a placement that the agent's own import makes, in its present step.
    ///
    /// # Errors
    /// [`Error::Io`] if the journal can't be written.
    pub fn note(&self, placed: &Placed) -> Result<(), Error> {
        self.journal.write(placed)
    }

    /// Forgets a placement that is not there any more.
    ///
    /// # Errors
    /// [`Error::Io`] if the journal can't be written.
    pub fn forget(&self, placed: &Placed) -> Result<(), Error> {
        self.journal.forget(placed)
    }

    /// Removes the files of a placement, if they are as they were placed.
    ///
    /// # Errors
    /// [`Error::Continued`] if the agent has changed one of them; then all of them stay.
    /// [`Error::Io`] if the system reports an error; a second call completes the removal.
    pub fn remove(&self, placed: &Placed) -> Result<(), Error> {
        if let State::Changed(path) = state(placed) {
            return Err(Error::Continued { path });
        }
        let mut removing = placed.clone();
        removing.step = Step::Removing;
        self.journal.write(&removing)?;
        self.clear(&removing)
    }

    /// Removes the files of an entry that are as they were placed, the one that lists the session
    /// first, then the folders that were made for them and are empty, then the entry.
    fn clear(&self, entry: &Placed) -> Result<(), Error> {
        for file in entry.files.iter().rev().filter(|file| is_as_placed(file)) {
            let io = |source| Error::Io { path: file.path.clone(), source };
            fs::remove_file(&file.path).map_err(io)?;
        }
        for folder in entry.folders.iter().rev() {
            // A folder that others use by now stays.
            let _ = fs::remove_dir(folder);
        }
        self.journal.forget(entry)
    }
}

/// Whether a placement was begun or its removal was, and did not come to its end: the next process
/// that opens the placements clears it.
#[must_use]
pub fn is_unfinished(placed: &Placed) -> bool {
    let last = placed.files.last().map(is_as_placed);
    matches!((placed.step, last), (Step::Removing, Some(_)) | (Step::Placing, Some(false)))
}

/// The state of a session that was placed as files.
#[must_use]
pub fn state(placed: &Placed) -> State {
    let changed = placed.files.iter().find(|file| !is_as_placed(file));
    changed.map_or(State::Unchanged, |file| State::Changed(file.path.clone()))
}

fn write_all(files: &[(PathBuf, &[u8])]) -> Result<(), Error> {
    files.iter().try_for_each(|(path, bytes)| {
        let put = atomic::put(path, &mut |sink| sink.write_all(bytes), false);
        put.map(drop).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => Error::Exists { path: path.clone() },
            _ => Error::Io { path: path.clone(), source },
        })
    })
}

/// Whether a regular file has the bytes with which it was placed.
fn is_as_placed(file: &PlacedFile) -> bool {
    let regular = file.path.symlink_metadata().is_ok_and(|meta| meta.is_file());
    regular && fs::read(&file.path).is_ok_and(|bytes| digest(&bytes) == file.sha256)
}

/// The folders that do not exist yet, each before those within it.
fn missing<'p>(folders: impl Iterator<Item = &'p Path>) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let above = folder.ancestors().take_while(|folder| folder.symlink_metadata().is_err());
        missing.extend(above.map(Path::to_path_buf));
    }
    missing.sort();
    missing.dedup();
    missing
}
