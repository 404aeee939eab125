//! A folder that is written whole: beside its place first, and then moved there.

use std::fs;
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

    /// Writes a file of the folder.
    ///
    /// # Errors
    /// [`Error::Io`] if the system reports an error.
    pub fn file(&self, below: &Path, bytes: &[u8]) -> Result<(), Error> {
        let path = self.temporary.path().join(below);
        let put = atomic::put(&path, &mut |sink| sink.write_all(bytes), false);
        put.map(drop).map_err(|source| Error::Io { path: self.target.join(below), source })
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
        let io = |source| Error::Io { path: self.target.clone(), source };
        let old = free(&self.target).map_err(io)?;
        let made = self.temporary.keep();
        let undo = |source| {
            let _ = fs::remove_dir_all(&made);
            Err(Error::Io { path: self.target.clone(), source })
        };
        match swap(&made, &self.target) {
            Ok(true) => fs::rename(&made, &old).map_err(io)?,
            Ok(false) => {
                if let Err(error) = fs::rename(&self.target, &old) {
                    return undo(error);
                }
                if let Err(error) = fs::rename(&made, &self.target) {
                    let _ = fs::rename(&old, &self.target);
                    return undo(error);
                }
            }
            Err(error) => return undo(error),
        }
        Ok(old)
    }
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

    #[test]
    fn a_folder_is_whole_or_not_there() {
        let temp = tempfile::tempdir().unwrap();
        let target = temp.path().join("new/projects");
        let tree = Tree::begin(&target).unwrap();
        tree.file(Path::new("a/b.txt"), b"one").unwrap();
        assert!(!target.exists());
        drop(tree);
        assert_eq!(fs::read_dir(temp.path().join("new")).unwrap().count(), 0);
        let tree = Tree::begin(&target).unwrap();
        tree.file(Path::new("a/b.txt"), b"one").unwrap();
        tree.place().unwrap();
        assert_eq!(fs::read(target.join("a/b.txt")).unwrap(), b"one");
        let tree = Tree::begin(&target).unwrap();
        assert!(matches!(tree.place(), Err(Error::Exists { .. })));
        for number in 1..3 {
            let tree = Tree::begin(&target).unwrap();
            tree.file(Path::new("a/b.txt"), format!("{number}").as_bytes()).unwrap();
            let old = tree.exchange().unwrap();
            assert!(old.ends_with(format!("projects.before-{number}")), "{old:?}");
            assert_eq!(fs::read(target.join("a/b.txt")).unwrap(), format!("{number}").as_bytes());
        }
        assert_eq!(fs::read_dir(temp.path().join("new")).unwrap().count(), 3);
    }
}
