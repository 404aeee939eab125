//! A folder that is written whole: beside its place first, and then moved there.

use std::fs::{self, File, FileTimes, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, atomic};

/// A folder that is being written. It has its name only after [`Tree::place`] or
/// [`Tree::exchange`]; otherwise it is removed.
#[derive(Debug)]
pub struct Tree {
    /// The folder beside its place.
    temporary: tempfile::TempDir,
    target: PathBuf,
}

impl Tree {
    /// Begins a folder that will be at `target`.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder above it can't be written.
    pub fn begin(target: &Path) -> Result<Self, Error> {
        let io = |source| Error::Io { path: target.to_path_buf(), source };
        let above = target.parent().filter(|above| !above.as_os_str().is_empty());
        let above = above.unwrap_or(Path::new("."));
        atomic::folders(above).map_err(io)?;
        let mut temporary = tempfile::Builder::new();
        #[cfg(unix)]
        temporary.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let temporary = temporary.prefix(".verbatim-").tempdir_in(above);
        Ok(Self { temporary: temporary.map_err(io)?, target: target.to_path_buf() })
    }

    /// Writes a file of the folder, in place of one of this name. With `like`, it gets the
    /// permissions and the times of that file.
    ///
    /// # Errors
    /// [`Error::Io`] if the system reports an error.
    pub fn file(&self, below: &Path, bytes: &[u8], like: Option<&Metadata>) -> Result<(), Error> {
        let path = self.temporary.path().join(below);
        let put = atomic::put(&path, &mut |sink| sink.write_all(bytes), true);
        let put = put.and_then(|_| like.map_or(Ok(()), |like| resemble(&path, like)));
        put.map_err(|source| Error::Io { path: self.target.join(below), source })
    }

    /// Removes a file of the folder.
    ///
    /// # Errors
    /// [`Error::Io`] if the system reports an error.
    pub fn remove(&self, below: &Path) -> Result<(), Error> {
        let io = |source| Error::Io { path: self.target.join(below), source };
        fs::remove_file(self.temporary.path().join(below)).map_err(io)
    }

    /// Makes folders of the folder. With `keep`, they, and the folder itself, get the permissions
    /// and the times of others. Each folder is before those within it; the empty path is the folder
    /// itself.
    ///
    /// # Errors
    /// [`Error::Io`] if the system reports an error.
    pub fn folders(&self, all: &[(&Path, Metadata)], keep: bool) -> Result<(), Error> {
        let path = |below: &Path| self.temporary.path().join(below);
        let io = |below: &Path| {
            let path = self.target.join(below);
            move |source| Error::Io { path, source }
        };
        for (below, _) in all {
            atomic::folders(&path(below)).map_err(io(below))?;
        }
        for (below, like) in all.iter().rev().filter(|_| keep) {
            resemble(&path(below), like).map_err(io(below))?;
        }
        Ok(())
    }

    /// Moves the folder to its place, where nothing may be.
    ///
    /// # Errors
    /// [`Error::Exists`] if something is there; [`Error::Io`] if the system reports an error.
    pub fn place(self) -> Result<(), Error> {
        if self.target.symlink_metadata().is_ok() {
            return Err(Error::Exists { path: self.target });
        }
        let made = self.temporary.keep();
        fs::rename(&made, &self.target).map_err(|source| {
            let _ = fs::remove_dir_all(&made);
            Error::Io { path: self.target, source }
        })
    }

    /// Moves the folder to its place, and the folder that is there to another name beside it, which
    /// is returned.
    ///
    /// # Errors
    /// [`Error::Io`] if the system reports an error; then the old folder is in its place.
    pub fn exchange(self) -> Result<PathBuf, Error> {
        self.exchange_with(&|from, to| fs::rename(from, to))
    }

    fn exchange_with(self, rename: Rename<'_>) -> Result<PathBuf, Error> {
        let io = |source| Error::Io { path: self.target.clone(), source };
        let old = free(&self.target).map_err(io)?;
        let made = self.temporary.keep();
        let target = &self.target;
        let done = match swap(&made, target) {
            // The old folder has the temporary name now.
            Ok(true) => rename(&made, &old).inspect_err(|_| drop(swap(&made, target))),
            Ok(false) => rename(target, &old).and_then(|()| {
                rename(&made, target).inspect_err(|_| drop(fs::rename(&old, target)))
            }),
            Err(error) => Err(error),
        };
        if let Err(source) = done {
            let _ = fs::remove_dir_all(&made);
            return Err(Error::Io { path: self.target, source });
        }
        Ok(old)
    }
}

type Rename<'r> = &'r dyn Fn(&Path, &Path) -> io::Result<()>;

/// Gives a file or folder the permissions and the times of another one.
fn resemble(path: &Path, like: &Metadata) -> io::Result<()> {
    let times = FileTimes::new().set_accessed(like.accessed()?).set_modified(like.modified()?);
    // A folder is opened for reading; the system needs no more to set its times.
    File::open(path)?.set_times(times)?;
    fs::set_permissions(path, like.permissions())
}

/// Exchanges two folders in one step; false if the system has no such operation.
fn swap(one: &Path, other: &Path) -> io::Result<bool> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(true),
            Err(Errno::INVAL | Errno::NOSYS) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (one, other);
        Ok(false)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn made(target: &Path, text: &str) -> Tree {
        let tree = Tree::begin(target).unwrap();
        tree.file(Path::new("a/b.txt"), text.as_bytes(), None).unwrap();
        tree
    }

    #[test]
    fn a_folder_is_whole_or_not_there() {
        let temp = tempfile::tempdir().unwrap();
        let target = temp.path().join("new/projects");
        let tree = made(&target, "one");
        assert!(!target.exists());
        drop(tree);
        assert_eq!(fs::read_dir(temp.path().join("new")).unwrap().count(), 0);
        made(&target, "one").place().unwrap();
        assert_eq!(fs::read(target.join("a/b.txt")).unwrap(), b"one");
        let tree = Tree::begin(&target).unwrap();
        assert!(matches!(tree.place(), Err(Error::Exists { .. })));
        for number in 1..3 {
            let old = made(&target, &format!("{number}")).exchange().unwrap();
            assert!(old.ends_with(format!("projects.before-{number}")), "{old:?}");
            assert_eq!(fs::read(target.join("a/b.txt")).unwrap(), format!("{number}").as_bytes());
        }
        assert_eq!(fs::read_dir(temp.path().join("new")).unwrap().count(), 3);
    }

    #[test]
    fn an_exchange_that_fails_leaves_the_old_folder_in_its_place() {
        let temp = tempfile::tempdir().unwrap();
        let target = temp.path().join("projects");
        made(&target, "old").place().unwrap();
        let fails = |_: &Path, _: &Path| Err(io::Error::other("no"));
        made(&target, "new").exchange_with(&fails).unwrap_err();
        assert_eq!(fs::read(target.join("a/b.txt")).unwrap(), b"old");
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "nothing is beside it");
    }

    #[test]
    fn a_folder_has_the_times_and_permissions_of_another_one() {
        let temp = tempfile::tempdir().unwrap();
        let (from, target) = (temp.path().join("from"), temp.path().join("to"));
        fs::create_dir_all(from.join("empty")).unwrap();
        fs::write(from.join("a.txt"), "a").unwrap();
        let old = io::Result::Ok(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1 << 30));
        for path in [from.join("a.txt"), from.join("empty"), from.clone()] {
            let times = FileTimes::new().set_modified(*old.as_ref().unwrap());
            File::open(path).unwrap().set_times(times).unwrap();
        }
        let like = |below: &str| from.join(below).metadata().unwrap();
        let tree = Tree::begin(&target).unwrap();
        tree.file(Path::new("a.txt"), b"b", Some(&like("a.txt"))).unwrap();
        let all = [(Path::new(""), like("")), (Path::new("empty"), like("empty"))];
        tree.folders(&all, true).unwrap();
        tree.place().unwrap();
        for below in ["a.txt", "empty", ""] {
            let made = target.join(below).metadata().unwrap();
            assert_eq!(made.modified().ok(), old.as_ref().ok().copied(), "{below}");
            assert_eq!(made.permissions(), like(below).permissions(), "{below}");
        }
    }
}
