//! Files for agents' own imports. Each is in use as long as its lock is held, which ends with the
//! process. Nobody waits for that lock: a later process removes the drafts that are in no use.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::journal::private;
use crate::{Error, atomic, file_name};

/// A file for an agent's own import. It is removed when it is dropped.
#[derive(Debug)]
pub struct ImportFile {
    folder: PathBuf,
    path: PathBuf,
    _lock: File,
}

impl ImportFile {
    /// Writes a draft of this name into the journal's folder, and removes old ones.
    ///
    /// # Errors
    /// [`Error::Io`] if the system reports an error.
    pub fn write(journal: &Path, name: &str, bytes: &[u8]) -> Result<Self, Error> {
        let all = journal.join("imports");
        let io = |source| Error::Io { path: all.clone(), source };
        atomic::folders(&all).map_err(io)?;
        clean(&all);
        let folder = tempfile::Builder::new().prefix("import-").tempdir_in(&all).map_err(io)?;
        let folder = folder.keep();
        let lock = private(&folder.join("lock")).and_then(|lock| lock.lock().map(|()| lock));
        let draft = Self { path: folder.join(file_name(name)), folder, _lock: lock.map_err(io)? };
        let io = |source| Error::Io { path: draft.path.clone(), source };
        let mut file = private(&draft.path).map_err(io)?;
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(io)?;
        Ok(draft)
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ImportFile {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes the drafts of processes that have ended.
fn clean(all: &Path) {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let lock = entry.path().join("lock");
        // A draft without a lock is being made just now, or is a file of an earlier version.
        match File::options().write(true).open(&lock) {
            Ok(lock) if lock.try_lock().is_ok() => drop(fs::remove_dir_all(entry.path())),
            Err(_) if entry.file_type().is_ok_and(|kind| kind.is_file()) => {
                let _ = fs::remove_file(entry.path());
            }
            _ => {}
        }
    }
}
