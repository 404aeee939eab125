//! Placing of a session into its agent's store, and removal of what was placed.
//!
//! A placement is a transaction. The journal notes what will be there. Then each file is written
//! whole, the one that lists the session last, and read back. If anything differs, everything is
//! removed again. If the process is killed, the next one removes the beginning, or completes the
//! entry of a placement whose last file is there. A file that has changed since is the agent's: it
//! stays, with all others of its session, whatever was killed before.
//!
//! A newer state of a session takes the place of one that is as it was placed (`swap.rs`). The old
//! one is kept, and has its place again when the newer one is removed.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

mod line;
mod removed;
mod state;
mod swap;

use crate::changing::Changing;
pub use crate::journal::{AddedLine, Homes, Noted, Placed, PlacedFile, Step, StrangeEntry, digest};
use crate::journal::{Journal, noted};
use crate::{Error, atomic, ground};
use state::changed;
pub use state::{FileState, Settlement, State, state, state_of, unfinished};
use swap::{Swap, swaps};

/// The placements of this machine.
#[derive(Debug)]
pub struct Placements {
    journal: Journal,
    noted: Noted,
    settled: Vec<Settled>,
}

/// End of a placement, or of a removal, that a killed process had begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    /// The name of the agent's format.
    pub agent: String,
    /// The id of the session in its agent.
    pub id: String,
    /// The result.
    pub result: Settlement,
}

/// A placement whose files are written, and which is not ended.
#[derive(Debug)]
#[must_use]
pub struct BegunPlacement {
    placed: Placed,
    complete: Placed,
    changing: Changing,
}

impl Placements {
    /// Opens the placements that the journal in this folder notes, and ends those that a killed
    /// process has begun.
    ///
    /// # Errors
    /// [`Error::Io`] if the journal can't be opened.
    pub fn open(folder: &Path, homes: Homes<'_>) -> Result<Self, Error> {
        let journal = Journal::open(folder)?;
        let mut placements = Self { noted: noted(folder, homes)?, journal, settled: Vec::new() };
        for entry in placements.noted.placed.clone() {
            if let Some(settlement) = unfinished(&entry, folder) {
                placements.settle(entry, settlement);
            }
        }
        removed::sweep(folder);
        placements.noted = noted(folder, homes)?;
        Ok(placements)
    }

    /// The placements that the journal notes. Nothing is written.
    ///
    /// # Errors
    /// [`Error::Io`] if the journal can't be read.
    pub fn noted(folder: &Path, homes: Homes<'_>) -> Result<Noted, Error> {
        noted(folder, homes)
    }

    /// Content of the journal, after what was begun has been ended.
    #[must_use]
    pub fn content(&self) -> &Noted {
        &self.noted
    }

    /// The placements and removals that were ended, because a killed process had begun them.
    #[must_use]
    pub fn settled(&self) -> &[Settled] {
        &self.settled
    }

    /// Files into which an agent wrote after they were removed from its store: they are kept here.
    #[must_use]
    pub fn kept(&self) -> Vec<PathBuf> {
        removed::kept(self.journal.folder())
    }

    /// Files that were removed from an agent's store and that a program still has open: each is
    /// kept here until that one closes it.
    #[must_use]
    pub fn held(&self) -> Vec<PathBuf> {
        removed::held(self.journal.folder())
    }

    fn settle(&mut self, mut entry: Placed, settlement: Settlement) {
        let (agent, id) = (entry.agent.clone(), entry.id.clone());
        let done = match settlement {
            Settlement::Removed => self.clear(&entry),
            _ => {
                swaps(&entry, self.journal.folder()).iter().flatten().for_each(Swap::tidy);
                entry.step = Step::Placed;
                self.journal.write(&entry).inspect(|()| self.journal.drop_next(&entry))
            }
        };
        let result =
            done.map_or_else(|error| Settlement::Failed(error.to_string()), |()| settlement);
        self.settled.push(Settled { agent, id, result });
    }

    /// Writes the files of a session: side files first, and last the file that lists it. Existing
    /// files are never replaced. The caller reads the session back, and ends the placement.
    ///
    /// # Errors
    ///
    /// [`Error::Exists`] if a file exists, [`Error::Denied`] if the store is not one to write to,
    /// [`Error::Io`] if the system reports an error. Then nothing was placed.
    pub fn begin(
        &self,
        placed: Placed,
        files: &[(PathBuf, &[u8])],
    ) -> Result<BegunPlacement, Error> {
        self.begin_in_place_of(placed, files, None)
    }

    /// The same for a newer state of a session that was placed before: its files take the places of
    /// the earlier ones, which are as they were placed.
    ///
    /// # Errors
    ///
    /// Those of [`Placements::begin`]; [`Error::Continued`] if the agent has changed an earlier
    /// file. Then nothing was placed.
    pub fn begin_in_place_of(
        &self,
        mut placed: Placed,
        files: &[(PathBuf, &[u8])],
        earlier: Option<&Placed>,
    ) -> Result<BegunPlacement, Error> {
        self.is_free(&placed)?;
        let before = |path: &Path| {
            let files = earlier.map_or(&[][..], |earlier| &earlier.files);
            files.iter().find(|file| file.path == path).map(|file| file.sha256.clone())
        };
        let mut files = files.to_vec();
        // New files are there before those that are in place of others.
        files.sort_by_key(|(path, _)| before(path).is_some());
        let new = || files.iter().filter(|(path, _)| before(path).is_none());
        new().try_for_each(|(path, _)| ground::is_free(path))?;
        files.iter().try_for_each(|(path, _)| ground::is_own(path))?;
        placed.step = Step::Placing;
        let line = placed.line.iter().map(|line| &line.path);
        let parents = files.iter().map(|(path, _)| path).chain(line);
        placed.folders = missing(parents.filter_map(|path| path.parent()));
        placed.replaces = earlier.map(Placed::file_name);
        let file = |(path, bytes): &(PathBuf, &[u8])| {
            let file = PlacedFile::new(path, bytes);
            PlacedFile { before: before(path).filter(|before| *before != file.sha256), ..file }
        };
        placed.files = files.iter().map(file).collect();
        let changing = Changing::begin();
        self.journal.write(&placed)?;
        // Room is kept for the last note: a disk that is full then must not hide a placement.
        let mut complete = placed.clone();
        complete.step = Step::Placed;
        let done =
            self.journal.write_next(&complete).and_then(|()| self.write_all(&placed, &files));
        match done {
            Ok(()) => Ok(BegunPlacement { placed, complete, changing }),
            Err(error) => {
                self.clear(&placed)?;
                Err(error)
            }
        }
    }

    fn write_all(&self, placed: &Placed, files: &[(PathBuf, &[u8])]) -> Result<(), Error> {
        placed.line.as_ref().map_or(Ok(()), line::add)?;
        let swaps = swaps(placed, self.journal.folder());
        for ((path, bytes), swap) in files.iter().zip(&swaps) {
            match swap {
                Some(swap) => swap.forth(bytes)?,
                // One that is in place of an equal one is there.
                None if state_of(&PlacedFile::new(path, bytes)) == FileState::Unchanged
                    && placed.replaces.is_some() => {}
                None => write(path, bytes)?,
            }
        }
        Ok(())
    }

    /// Ends a placement, by what reading it back gave: it stays, or all of it is removed.
    ///
    /// # Errors
    ///
    /// [`Error::Differs`] if a file or the session that was read back is not as written,
    /// [`Error::Io`] if the system reports an error. Then nothing was placed.
    pub fn end(
        &self,
        begun: BegunPlacement,
        read_back: Result<(), String>,
    ) -> Result<Placed, Error> {
        let BegunPlacement { placed, complete, changing: _changing } = begun;
        let changed = placed.files.iter().find(|file| state_of(file) != FileState::Unchanged);
        let fault = changed.map(|file| format!("{} is not as written", file.path.display()));
        let done = fault.map_or(read_back, Err).map_err(|what| Error::Differs { what });
        match done.and_then(|()| self.journal.take_next(&complete)) {
            Ok(()) => {
                // It counts as replaced without this note, too.
                self.note_earlier(&complete, Step::Replaced);
                Ok(complete)
            }
            Err(error) => {
                self.clear(&placed)?;
                Err(error)
            }
        }
    }

    /// Notes the step of the placement that another one is, or was, in place of.
    fn note_earlier(&self, placed: &Placed, step: Step) {
        let name = placed.replaces.as_deref();
        let is_it = |entry: &&Placed| Some(&*entry.file_name()) == name;
        if let Some(mut earlier) = self.noted.placed.iter().find(is_it).cloned() {
            earlier.step = step;
            let _ = self.journal.write(&earlier);
        }
    }

    /// Refuses to write over an entry that is not obeyed: what it says would be lost.
    fn is_free(&self, placed: &Placed) -> Result<(), Error> {
        let path = self.journal.path(placed);
        match self.noted.strange.iter().find(|strange| strange.path == path) {
            None => Ok(()),
            Some(StrangeEntry { path, why }) => Err(Error::Denied {
                what: format!("the journal's entry {} is not obeyed: {why}", path.display()),
                hint: "move that file elsewhere; nothing was changed".into(),
            }),
        }
    }

    /// Notes a placement that the agent's own import makes, in its present step.
    ///
    /// # Errors
    /// [`Error::Io`] if the journal can't be written.
    pub fn note(&self, placed: &Placed) -> Result<(), Error> {
        self.is_free(placed)?;
        self.journal.write(placed)
    }

    /// Forgets a placement that is not there any more.
    ///
    /// # Errors
    /// [`Error::Io`] if the journal can't be written.
    pub fn forget(&self, placed: &Placed) -> Result<(), Error> {
        self.journal.forget(placed)
    }

    /// Removes the files of a placement, if none has changed.
    ///
    /// # Errors
    /// [`Error::Continued`] if the agent has changed one of them; then all of them stay.
    /// [`Error::Io`] if the system reports an error; a second call completes the removal.
    pub fn remove(&self, placed: &Placed) -> Result<(), Error> {
        if let Some(path) = changed(placed) {
            return Err(Error::Continued { path });
        }
        let mut removing = placed.clone();
        removing.step = Step::Removing;
        match self.journal.write(&removing) {
            // A full disk takes no note, and a removal makes room. If it is killed, a second one
            // completes it.
            Err(Error::Io { source, .. }) if is_full(&source) => {}
            noted => noted?,
        }
        self.clear(&removing)
    }

    /// Removes the files of an entry that are as they were placed, the one that lists the session
    /// first, then the folders that were made for them and are empty, then the entry. What an agent
    /// writes into a file meanwhile is kept.
    fn clear(&self, entry: &Placed) -> Result<(), Error> {
        let before = self.kept();
        self.take_away(entry)?;
        removed::sweep(self.journal.folder());
        let written = self.kept().into_iter().find(|path| !before.contains(path));
        written.map_or(Ok(()), |path| Err(Error::Continued { path }))
    }

    fn take_away(&self, entry: &Placed) -> Result<(), Error> {
        let _changing = Changing::begin();
        let journal = self.journal.folder();
        let swaps = swaps(entry, journal);
        for (file, swap) in entry.files.iter().zip(&swaps).rev() {
            match swap {
                Some(swap) => swap.back(journal)?,
                None if self.is_earlier(entry, file) => {}
                None if state_of(file) == FileState::Unchanged => {
                    removed::move_out(file, journal)?;
                }
                None => {}
            }
        }
        entry.line.as_ref().map_or(Ok(()), line::take_out)?;
        for folder in entry.folders.iter().rev() {
            // A folder that others use by now stays.
            let _ = fs::remove_dir(folder);
        }
        self.hand_on(entry);
        self.note_earlier(entry, Step::Placed);
        self.journal.forget(entry)
    }

    /// Whether a file is one of the placement that this one is in place of: it stays.
    fn is_earlier(&self, entry: &Placed, file: &PlacedFile) -> bool {
        let name = entry.replaces.as_deref();
        let earlier = self.noted.placed.iter().find(|one| Some(&*one.file_name()) == name);
        earlier.is_some_and(|earlier| earlier.files.iter().any(|one| one.path == file.path))
    }

    /// Hands the folders that stay on to another placement in them: its removal removes them. What
    /// can't be noted stays as an empty folder.
    fn hand_on(&self, entry: &Placed) {
        let mut left: Vec<&PathBuf> = entry.folders.iter().filter(|path| path.is_dir()).collect();
        for other in &self.noted.placed {
            if other.is_same(entry) {
                continue;
            }
            let holds =
                |folder: &&PathBuf| other.files.iter().any(|file| file.path.starts_with(folder));
            let (held, rest): (Vec<&PathBuf>, Vec<&PathBuf>) = left.into_iter().partition(holds);
            left = rest;
            // What was removed meanwhile is not noted again.
            if let Some(mut other) = self.journal.again(other).filter(|_| !held.is_empty()) {
                other.folders.extend(held.into_iter().cloned());
                other.folders.sort();
                other.folders.dedup();
                let _ = self.journal.write(&other);
            }
        }
    }
}

/// Removes a file that is as it was placed. If its agent, which has it open, writes to it in that
/// moment, it is put back.
fn remove_unchanged(file: &PlacedFile) -> Result<(), Error> {
    let io = |source| Error::Io { path: file.path.clone(), source };
    let mut open = File::open(&file.path).map_err(io)?;
    fs::remove_file(&file.path).map_err(io)?;
    let mut bytes = Vec::new();
    open.read_to_end(&mut bytes).map_err(io)?;
    if digest(&bytes) == file.sha256 {
        return Ok(());
    }
    let put = atomic::put(&file.path, &mut |sink| sink.write_all(&bytes), false);
    put.map_err(io)?;
    Err(Error::Continued { path: file.path.clone() })
}

fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let put = atomic::put(path, &mut |sink| sink.write_all(bytes), false);
    put.map(drop).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => Error::Exists { path: path.to_path_buf() },
        _ => Error::Io { path: path.to_path_buf(), source },
    })
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
