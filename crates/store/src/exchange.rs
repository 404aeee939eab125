//! Journal of folders that are written whole, and of those that get another one in their place: a
//! killed process leaves nothing behind, no folder is lost, and what its agent wrote meanwhile is
//! known to the next process.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::journal::{digest, locked};
use crate::tree::{Tree, resemble};
use crate::{Error, atomic, ground};

mod entry;

pub(crate) use entry::Entry;
use entry::hidden;
pub use entry::{Adding, KnownFile};

/// The journal. Only one process uses it at a time.
#[derive(Debug)]
pub struct Folders {
    folder: PathBuf,
    /// Held while the journal is used; the system releases it when the process ends.
    _lock: File,
}

/// The remains of a process that was killed.
#[derive(Debug)]
pub enum Remains<'j> {
    /// A folder that was not complete; it was removed. This is the place that it would have had.
    Removed(PathBuf),
    /// The folder has its place, and the old one another name; what was written to the old one
    /// meanwhile is still to be looked for.
    Exchanged(Exchanged<'j>),
    /// The same of another folder, of which nothing was changed.
    Elsewhere(PathBuf),
    /// Something that is not obeyed, or left alone, and why.
    Strange(PathBuf, String),
}

/// A folder that has got its place, in the stead of an old one.
#[derive(Debug)]
pub struct Exchanged<'j> {
    journal: &'j Folders,
    entry: Entry,
    old: PathBuf,
    /// The files of the old folder, as they were read.
    pub files: Vec<KnownFile>,
}

impl Folders {
    /// Opens the journal in this folder, and makes it. Waits while another process uses it.
    ///
    /// # Errors
    /// [`Error::Io`] if it can't be opened.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        Ok(Self { _lock: locked(folder)?, folder: folder.to_path_buf() })
    }

    /// Begins a folder that will be at `target`. `work` says in words of its own what is done.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder above it can't be written; [`Error::Denied`] if the journal has
    /// an entry of it that can't be read, or if it is a folder of another user.
    pub fn begin(&self, target: &Path, work: &str) -> Result<Tree<'_>, Error> {
        let io = |source| Error::Io { path: target.to_path_buf(), source };
        if target.is_dir() {
            // The one in its place would belong to this user.
            ground::is_own(&target.join("file"))?;
        }
        if let Some(above) = target.parent().filter(|above| !above.as_os_str().is_empty()) {
            atomic::folders(above).map_err(io)?;
        }
        let target = real(target).map_err(io)?;
        let mut entry = Entry::new(target, work);
        let path = self.path(&entry.target);
        if path.symlink_metadata().is_ok() {
            return Err(Error::Denied {
                what: format!("the entry {} is of another work", path.display()),
                hint: "move that file elsewhere; nothing was changed".into(),
            });
        }
        for number in 0..1000 {
            entry.made = entry.target.with_file_name(format!("{}{number}", hidden(&entry.target)));
            if entry.made.symlink_metadata().is_ok() {
                continue;
            }
            self.write(&entry)?;
            match private_folder(&entry.made) {
                Ok(()) => {
                    let noted = entry.is_begun().map_err(io).and_then(|()| self.write(&entry));
                    let tree = Tree::of(self, entry);
                    return noted.map(|()| tree);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    self.forget(&entry)?;
                    return Err(io(error));
                }
            }
        }
        Err(io(io::Error::other("there are too many hidden folders beside it")))
    }

    /// Ends what killed processes have begun: folders that were not complete are removed. An
    /// exchange of the folder `target` is given back, to be ended by the caller.
    ///
    /// # Errors
    /// [`Error::Io`] if the journal can't be read; [`Error::Denied`] if it is not clear which
    /// folder is the right one.
    pub fn settle(&self, target: &Path) -> Result<Vec<Remains<'_>>, Error> {
        let io = |source| Error::Io { path: self.folder.clone(), source };
        let target = real(target).ok();
        let mut paths: Vec<PathBuf> = Vec::new();
        for found in fs::read_dir(&self.folder).map_err(io)? {
            paths.push(found.map_err(io)?.path());
        }
        paths.retain(|path| path.extension() == Some("json".as_ref()));
        paths.sort();
        let one = |path: PathBuf| match self.entry(&path) {
            Ok(entry) if entry.old.is_some() && target.as_ref() != Some(&entry.target) => {
                Ok(Remains::Elsewhere(entry.target))
            }
            Ok(entry) => self.ended(entry),
            Err(why) => Ok(Remains::Strange(path, why)),
        };
        paths.into_iter().map(one).collect()
    }

    fn ended(&self, entry: Entry) -> Result<Remains<'_>, Error> {
        let io = |path: &Path, source| Error::Io { path: path.to_path_buf(), source };
        let is_there = |path: &Path| path.symlink_metadata().is_ok();
        let (made, skipped, target) = (&entry.made, entry.skipped(), &entry.target);
        let old = if entry.is_old(made) { made.clone() } else { skipped.clone() };
        if !entry.is_old(&old) {
            // A copy of a folder that somebody has moved since, or another folder, is left alone.
            let replaced = entry.old.is_some() && !entry.is_old(target) && is_there(made);
            let removed = !replaced && entry.remove_made().map_err(|source| io(made, source))?;
            self.forget(&entry)?;
            return Ok(match removed {
                true => Remains::Removed(entry.target),
                false => {
                    let why = "it is not the folder that was being written, or the one that it \
                               was made from was moved";
                    Remains::Strange(entry.made, why.into())
                }
            });
        }
        match (old == skipped, is_there(target), is_there(made)) {
            (false, ..) | (true, true, false) => {}
            (true, false, true) => fs::rename(made, target).map_err(|e| io(target, e))?,
            (true, false, false) => {
                fs::rename(&skipped, target).map_err(|source| io(target, source))?;
                self.forget(&entry)?;
                return Ok(Remains::Removed(entry.target));
            }
            (true, true, true) => {
                return Err(Error::Denied {
                    what: format!(
                        "{} was made anew, while a killed run had moved it to {}",
                        target.display(),
                        skipped.display()
                    ),
                    hint: "move one of them elsewhere, and run it again".into(),
                });
            }
        }
        Ok(Remains::Exchanged(Exchanged::of(self, entry, old)))
    }

    /// Reads an entry. The error says why it is not obeyed.
    fn entry(&self, path: &Path) -> Result<Entry, String> {
        let meta = path.symlink_metadata().map_err(|error| error.to_string())?;
        if !meta.is_file() {
            return Err("it is no regular file".into());
        }
        let text = fs::read(path).map_err(|error| error.to_string())?;
        let entry = Entry::parse(&text)?;
        match self.path(&entry.target) == path {
            true => Ok(entry),
            false => Err("its name is not that of its folder".into()),
        }
    }

    pub(crate) fn write(&self, entry: &Entry) -> Result<(), Error> {
        let path = self.path(&entry.target);
        let io = |source| Error::Io { path: path.clone(), source };
        let text = serde_json::to_vec(entry).map_err(io::Error::other).map_err(io)?;
        atomic::put(&path, &mut |sink| sink.write_all(&text), true).map_err(io)?;
        Ok(())
    }

    pub(crate) fn forget(&self, entry: &Entry) -> Result<(), Error> {
        let path = self.path(&entry.target);
        fs::remove_file(&path).map_err(|source| Error::Io { path, source })
    }

    fn path(&self, target: &Path) -> PathBuf {
        let name = digest(target.as_os_str().as_encoded_bytes());
        self.folder.join(format!("{}.json", &name[..16]))
    }
}

impl<'j> Exchanged<'j> {
    pub(crate) fn of(journal: &'j Folders, entry: Entry, old: PathBuf) -> Self {
        Self { journal, files: entry.files.clone(), entry, old }
    }

    /// The work, in the words with which it was begun.
    #[must_use]
    pub fn work(&self) -> &str {
        &self.entry.work
    }

    /// The place of the new folder.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.entry.target
    }

    /// The old folder, as long as it has no name of its own.
    #[must_use]
    pub fn old(&self) -> &Path {
        &self.old
    }

    /// Notes the files in their present state.
    ///
    /// # Errors
    /// [`Error::Io`] if the journal can't be written.
    pub fn save(&mut self) -> Result<(), Error> {
        self.entry.files.clone_from(&self.files);
        self.journal.write(&self.entry)
    }

    /// Writes a file of the new folder, with the permissions and times of another one.
    ///
    /// # Errors
    /// [`Error::Io`] if the system reports an error, also if it exists and is not to be replaced.
    pub fn put(
        &self,
        below: &Path,
        bytes: &[u8],
        replace: bool,
        like: &Metadata,
    ) -> Result<(), Error> {
        let path = self.entry.target.join(below);
        let put = atomic::put(&path, &mut |sink| sink.write_all(bytes), replace);
        let put = put.and_then(|_| resemble(&path, like));
        put.map_err(|source| Error::Io { path, source })
    }

    /// Gives the old folder a name beside the new one, and forgets the exchange. Returns the place
    /// of the old folder, which keeps its hidden name if it can't get another one.
    ///
    /// # Errors
    /// [`Error::Io`] if the journal can't be written.
    pub fn finish(self) -> Result<PathBuf, Error> {
        let named = free(&self.entry.target).and_then(|named| {
            fs::rename(&self.old, &named)?;
            Ok(named)
        });
        let old = named.unwrap_or(self.old);
        self.journal.forget(&self.entry)?;
        Ok(old)
    }
}

/// The real path of a folder that may not exist.
fn real(folder: &Path) -> io::Result<PathBuf> {
    let folder: PathBuf = std::path::absolute(folder)?.components().collect();
    match (folder.parent(), folder.file_name()) {
        (Some(above), Some(name)) => Ok(above.canonicalize()?.join(name)),
        _ => folder.canonicalize(),
    }
}

/// A name beside a folder that nothing has.
fn free(folder: &Path) -> io::Result<PathBuf> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (1..1000)
        .map(|number| folder.with_file_name(format!("{name}.before-{number}")))
        .find(|path| path.symlink_metadata().is_err())
        .ok_or_else(|| io::Error::other("there are too many earlier states beside it"))
}

fn private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Removes a folder with all that is in it, if it is there.
pub(crate) fn remove_folder(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
