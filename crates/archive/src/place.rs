//! The folder of an archive: whether it may be one, its parts, and its lock.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use store::unnamed::{Unnamed, lock_file, private_folder};

use crate::error::Error;

/// The name of the layout.
pub const LAYOUT: &str = "verbatim-archive-1";

/// The file that names the layout.
const MARK: &str = "archive.json";

/// The folder of an archive.
#[derive(Clone, Debug)]
pub struct ArchiveFolder {
    /// Its path.
    pub folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Mark {
    schema: String,
}

/// A lock on an archive. It ends with the process that has it, however that ends.
#[derive(Debug)]
pub struct Lock {
    _file: Option<File>,
}

impl ArchiveFolder {
    /// The archive in this folder; `None` if the folder has no archive.
    ///
    /// # Errors
    /// Others can read the folder, or a newer version has made it.
    pub fn open(folder: &Path) -> Result<Option<Self>, Error> {
        let place = Self::open_foreign(folder)?;
        if place.is_some() {
            is_private(folder)?;
        }
        Ok(place)
    }

    /// The archive in this folder, which is anybody's and is only read.
    ///
    /// # Errors
    /// A newer version has made it.
    pub fn open_foreign(folder: &Path) -> Result<Option<Self>, Error> {
        marked(folder).map(|is_one| is_one.then(|| Self { folder: folder.to_path_buf() }))
    }

    /// The archive in this folder, which is made if the folder has no archive.
    ///
    /// # Errors
    /// The folder can't be an archive: the error says why.
    pub fn create(folder: &Path) -> Result<Self, Error> {
        match Self::open(folder)? {
            Some(place) => Ok(place),
            None => is_in_no_repository(folder).and_then(|()| Self::create_of_samples(folder)),
        }
    }

    /// The same for sessions that are no secrets: the folder may be in a repository.
    ///
    /// # Errors
    /// As for [`ArchiveFolder::create`].
    pub fn create_of_samples(folder: &Path) -> Result<Self, Error> {
        if let Some(place) = Self::open(folder)? {
            return Ok(place);
        }
        let filled = folder.read_dir().is_ok_and(|mut entries| entries.next().is_some());
        let place = Self { folder: folder.to_path_buf() };
        // A run that was killed at its very beginning has made folders, and no other file.
        let own = ["packs", "runs", "redactions", "lock"];
        let strange = |entry: std::fs::DirEntry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            !own.contains(&&*name) && !name.starts_with(".verbatim-")
        };
        if filled && folder.read_dir().into_iter().flatten().flatten().any(strange) {
            // Another run can have made the archive since the first look.
            if let Some(place) = Self::open(folder)? {
                return Ok(place);
            }
            let what = format!("{} has other files, and is no archive", folder.display());
            return Err(Error::Refused { what, hint: "name a new or an empty folder".into() });
        }
        private_folder(folder).map_err(Error::io(folder))?;
        is_private(folder)?;
        for part in [place.packs(), place.runs()] {
            private_folder(&part).map_err(Error::io(&part))?;
        }
        let text = format!("{{\"schema\":\"{LAYOUT}\"}}\n");
        let mut file = Unnamed::create(folder).map_err(Error::io(folder))?;
        file.write_all(text.as_bytes()).map_err(Error::io(folder))?;
        file.finish(MARK).map_err(Error::io(folder))?;
        Ok(place)
    }

    /// Refuses a redacted twin: nothing is kept in it but what was redacted before.
    ///
    /// # Errors
    /// It is a twin.
    pub fn is_no_twin(&self) -> Result<(), Error> {
        if !self.redactions().exists() {
            return Ok(());
        }
        let what = format!("{}: this archive is a redacted twin", self.folder.display());
        let hint =
            "`verbatim archive export --redacted` writes it, and with `--renew` without what \
                    was forgotten in the archive that it is made of; name that archive"
                .into();
        Err(Error::Refused { what, hint })
    }

    /// The paths of all objects within the folder: packs, runs and, in a twin, receipts.
    ///
    /// # Errors
    /// A folder can't be listed.
    pub fn objects(&self) -> Result<Vec<String>, Error> {
        let parts = [("packs", ".pack"), ("runs", ".jsonl"), ("redactions", ".jsonl")];
        let mut objects = Vec::new();
        for (part, ending) in parts {
            let names = crate::run::names(&self.folder.join(part), ending)?;
            objects.extend(names.into_iter().map(|name| format!("{part}/{name}")));
        }
        Ok(objects)
    }

    /// The folder of receipts, which only a twin has.
    #[must_use]
    pub fn redactions(&self) -> PathBuf {
        self.folder.join("redactions")
    }

    /// The folder of packs.
    #[must_use]
    pub fn packs(&self) -> PathBuf {
        self.folder.join("packs")
    }

    /// The folder of runs.
    #[must_use]
    pub fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    /// A lock that several may have at once: they only add files.
    ///
    /// # Errors
    /// The system reports an error.
    pub fn shared(&self) -> Result<Lock, Error> {
        self.lock(|file| file.lock_shared().map(|()| true)).map(|(lock, _)| lock)
    }

    /// The lock of who only reads. A folder that this user can't write needs none: its files
    /// can't be removed from here.
    ///
    /// # Errors
    /// The system reports an error.
    pub fn reading(&self) -> Result<Lock, Error> {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match self.shared() {
            Err(Error::Io { source, .. })
                if matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem) =>
            {
                Ok(Lock { _file: None })
            }
            lock => lock,
        }
    }

    /// The lock of who removes files. Waits until nobody else works on the archive.
    ///
    /// # Errors
    /// The system reports an error.
    pub fn exclusive(&self) -> Result<Lock, Error> {
        self.lock(|file| file.lock().map(|()| true)).map(|(lock, _)| lock)
    }

    /// The same, if nobody else works on the archive.
    ///
    /// # Errors
    /// The system reports an error.
    pub fn exclusive_at_once(&self) -> Result<Option<Lock>, Error> {
        let lock = self.lock(|file| match file.try_lock() {
            Ok(()) => Ok(true),
            Err(std::fs::TryLockError::WouldBlock) => Ok(false),
            Err(std::fs::TryLockError::Error(error)) => Err(error),
        });
        lock.map(|(lock, taken)| taken.then_some(lock))
    }

    fn lock(
        &self,
        take: impl FnOnce(&File) -> std::io::Result<bool>,
    ) -> Result<(Lock, bool), Error> {
        let path = self.folder.join("lock");
        let file = lock_file(&path).map_err(Error::io(&path))?;
        let taken = take(&file).map_err(Error::io(&path))?;
        Ok((Lock { _file: Some(file) }, taken))
    }
}

/// Whether a folder is an archive of this layout.
fn marked(folder: &Path) -> Result<bool, Error> {
    let mark = folder.join(MARK);
    let text = match catalog::bounded(&mark, 1 << 16) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        read => read.map_err(Error::io(&mark))?,
    };
    let known = serde_json::from_slice::<Mark>(&text);
    if !known.is_ok_and(|mark| mark.schema == LAYOUT) {
        let what = format!("{}: its layout is not {LAYOUT}", folder.display());
        let hint = "use the version of verbatim that made the archive, or a newer one".into();
        return Err(Error::Refused { what, hint });
    }
    Ok(true)
}

/// Refuses a folder that others can use: it has whatever the sessions have, secrets too.
fn is_private(folder: &Path) -> Result<(), Error> {
    let meta = folder.metadata().map_err(Error::io(folder))?;
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o077 != 0 {
        let what = format!("{}: others can use this folder, so it can't be an archive", {
            folder.display()
        });
        let hint = format!("`chmod 700 {}` makes it yours alone", folder.display());
        return Err(Error::Refused { what, hint });
    }
    let _ = meta;
    Ok(())
}

/// Refuses a folder inside the working tree of a repository: what is in it is soon published.
fn is_in_no_repository(folder: &Path) -> Result<(), Error> {
    let whole = std::path::absolute(folder).map_err(Error::io(folder))?;
    let exists = whole.ancestors().find(|above| above.exists());
    let real = exists.and_then(|above| above.canonicalize().ok());
    let is_tree = |above: &&Path| above.join(".git").symlink_metadata().is_ok();
    match real.as_deref().and_then(|real| real.ancestors().find(is_tree)) {
        None => Ok(()),
        Some(tree) => Err(Error::Refused {
            what: format!(
                "{} is inside the git repository {}: an archive has whatever sessions have, \
                 secrets too",
                folder.display(),
                tree.display()
            ),
            hint: "name a folder outside of it: `--archive FOLDER`".into(),
        }),
    }
}
