//! A newer state of a session takes the place of the one that was placed before, file by file. A
//! file that was placed never loses its last name: it gets one in the journal's folder first, then
//! the new file takes its place in one step. What an agent that has it open writes meanwhile is
//! found there, and so is the old file when the new one is removed again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::removed::move_out;
use super::state::{FileState, digest_of, is_gone, state_of};
use crate::journal::{Placed, PlacedFile};
use crate::{Error, atomic};

/// The names of the files of one swap.
#[derive(Debug)]
pub(super) struct Swap<'p> {
    /// The new file, in its place.
    file: &'p PlacedFile,
    /// The digest of the old one.
    before: &'p str,
    /// The name of the new file while it has no place.
    new: PathBuf,
    /// The names of the old file while it has no place: in the folder of the journal, or beside the
    /// new one if that is on another disk.
    kept: [PathBuf; 2],
}

/// The swaps of a placement, in the order of its files.
pub(super) fn swaps<'p>(placed: &'p Placed, journal: &Path) -> Vec<Option<Swap<'p>>> {
    let name = placed.file_name();
    let stem = name.trim_end_matches(".json");
    let swap = |(number, file): (usize, &'p PlacedFile)| {
        let folder = file.path.parent().unwrap_or(Path::new("."));
        Some(Swap {
            file,
            before: file.before.as_deref()?,
            new: folder.join(format!(".verbatim-{stem}-{number}.new")),
            kept: [
                journal.join(format!("{stem}-{number}.kept")),
                folder.join(format!(".verbatim-{stem}-{number}.kept")),
            ],
        })
    };
    placed.files.iter().enumerate().map(swap).collect()
}

impl Swap<'_> {
    /// Puts the new file in the place of the old one.
    ///
    /// # Errors
    /// [`Error::Continued`] if the agent has changed the old one: it stays in its place.
    pub(super) fn forth(&self, bytes: &[u8]) -> Result<(), Error> {
        let path = &self.file.path;
        let io = |source| Error::Io { path: path.clone(), source };
        let _ = fs::remove_file(&self.new);
        atomic::put(&self.new, &mut |sink| sink.write_all(bytes), false).map_err(io)?;
        let kept = match self.keep() {
            Ok(kept) => kept,
            Err(error) => {
                let _ = fs::remove_file(&self.new);
                return Err(io(error));
            }
        };
        let continued = || Error::Continued { path: path.clone() };
        if !self.is_old(kept) {
            let _ = fs::remove_file(&self.new);
            let _ = fs::remove_file(kept);
            return Err(continued());
        }
        fs::rename(&self.new, path).map_err(io)?;
        synced(path).map_err(io)?;
        if self.is_old(kept) {
            return Ok(());
        }
        // The agent wrote into it in that moment.
        if digest_of(path).as_deref() == Some(&*self.file.sha256) {
            fs::rename(kept, path).map_err(io)?;
        }
        Err(continued())
    }

    /// Gives the old file its second name.
    fn keep(&self) -> io::Result<&Path> {
        let mut failure = None;
        for kept in &self.kept {
            match fs::hard_link(&self.file.path, kept) {
                Ok(()) => return Ok(kept),
                Err(error) => failure = Some(error),
            }
        }
        Err(failure.unwrap_or_else(|| io::Error::other("it can't be kept")))
    }

    fn is_old(&self, path: &Path) -> bool {
        digest_of(path).as_deref() == Some(self.before)
    }

    /// The old file, while it has no place.
    fn kept(&self) -> Option<&Path> {
        self.kept.iter().map(PathBuf::as_path).find(|kept| kept.symlink_metadata().is_ok())
    }

    /// Whether the new file is in the place of the old one, or was changed there.
    pub(super) fn is_done(&self) -> bool {
        let is_kept = self.kept().is_some_and(|kept| !is_same(kept, &self.file.path));
        is_kept && (!self.new.exists() || is_same(&self.new, &self.file.path))
    }

    /// Removes what is left of a swap that is over.
    pub(super) fn tidy(&self) {
        let _ = fs::remove_file(&self.new);
    }

    /// Puts the old file back in its place, at whatever point the swap was ended.
    ///
    /// # Errors
    /// [`Error::Continued`] if the agent has changed the new one: it stays in its place.
    pub(super) fn back(&self, journal: &Path) -> Result<(), Error> {
        let path = &self.file.path;
        let io = |source| Error::Io { path: path.clone(), source };
        if let Some(kept) = self.kept() {
            if is_same(kept, path) {
                // It never lost its place.
                gone(fs::remove_file(&self.new)).map_err(io)?;
                return gone(fs::remove_file(kept)).map_err(io);
            }
            if !self.is_done() {
                // The agent has put another file in its place meanwhile.
                gone(fs::remove_file(&self.new)).map_err(io)?;
                return if self.is_old(kept) {
                    gone(fs::remove_file(kept)).map_err(io)
                } else {
                    Ok(())
                };
            }
            match state_of(self.file) {
                FileState::Changed => return Err(Error::Continued { path: path.clone() }),
                // The agent or its user has removed it.
                FileState::Missing if self.is_old(kept) => {
                    gone(fs::remove_file(&self.new)).map_err(io)?;
                    return gone(fs::remove_file(kept)).map_err(io);
                }
                FileState::Missing => {}
                FileState::Unchanged => {
                    if !is_same(&self.new, path) {
                        gone(fs::remove_file(&self.new)).map_err(io)?;
                        fs::hard_link(path, &self.new).map_err(io)?;
                    }
                }
            }
            fs::rename(kept, path).map_err(io)?;
            synced(path).map_err(io)?;
        }
        self.drop_new(journal)
    }

    /// Removes the new file, which has no place any more, unless the agent writes into it.
    fn drop_new(&self, journal: &Path) -> Result<(), Error> {
        let path = &self.file.path;
        let new = PlacedFile { path: self.new.clone(), ..self.file.clone() };
        if is_same(&self.new, path) {
            return Ok(());
        }
        let removed = match state_of(&new) {
            FileState::Missing => return Ok(()),
            FileState::Unchanged => move_out(&new, journal),
            FileState::Changed => Err(Error::Continued { path: self.new.clone() }),
        };
        let Err(Error::Continued { .. }) = removed else { return removed };
        // The agent has it open, and wrote into it: it gets its place again.
        let io = |source| Error::Io { path: path.clone(), source };
        self.keep().map_err(io)?;
        fs::rename(&self.new, path).map_err(io)?;
        Err(Error::Continued { path: path.clone() })
    }
}

/// Whether two names are those of one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let (Ok(one_meta), Ok(other_meta)) = (one.symlink_metadata(), other.symlink_metadata()) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (one_meta.dev(), one_meta.ino()) == (other_meta.dev(), other_meta.ino())
    }
    #[cfg(not(unix))]
    {
        one_meta.len() == other_meta.len() && digest_of(one) == digest_of(other)
    }
}

fn synced(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), atomic::synced)
}

/// The success of a removal, also of what is not there.
pub(super) fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if is_gone(&error) => Ok(()),
        other => other,
    }
}
