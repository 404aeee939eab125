//! A folder that is written whole: beside its place first, and then moved there.

use std::fs::{self, File, FileTimes, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use crate::exchange::{Entry, Exchanged, Folders, KnownFile, remove_folder};
use crate::{Error, atomic};

/// A folder that is being written. It has its name only after [`Tree::place`] or
/// [`Tree::exchange`]; otherwise it is removed.
#[derive(Debug)]
pub struct Tree<'j> {
    journal: &'j Folders,
    /// `None` when it has its place.
    entry: Option<Entry>,
    /// The folder beside its place.
    made: PathBuf,
    target: PathBuf,
}

impl Drop for Tree<'_> {
    fn drop(&mut self) {
        // A folder that can't be removed stays in the journal, and the next process removes it.
        if let Some(entry) = &self.entry
            && remove_folder(&self.made).is_ok()
        {
            let _ = self.journal.forget(entry);
        }
    }
}

impl<'j> Tree<'j> {
    pub(crate) fn of(journal: &'j Folders, entry: Entry) -> Self {
        let (made, target) = (entry.made.clone(), entry.target.clone());
        Self { journal, entry: Some(entry), made, target }
    }

    /// Writes a file of the folder, in place of one of this name. With `like`, it gets the
    /// permissions and the times of that file.
    ///
    /// # Errors
    /// [`Error::Io`] if the system reports an error.
    pub fn file(&self, below: &Path, bytes: &[u8], like: Option<&Metadata>) -> Result<(), Error> {
        let path = self.made.join(below);
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
        fs::remove_file(self.made.join(below)).map_err(io)
    }

    /// Makes folders of the folder. With `keep`, they, and the folder itself, get the permissions
    /// and the times of others. Each folder is before those within it; the empty path is the folder
    /// itself.
    ///
    /// # Errors
    /// [`Error::Io`] if the system reports an error.
    pub fn folders(&self, all: &[(&Path, Metadata)], keep: bool) -> Result<(), Error> {
        let path = |below: &Path| self.made.join(below);
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
    pub fn place(mut self) -> Result<(), Error> {
        if self.target.symlink_metadata().is_ok() {
            return Err(Error::Exists { path: self.target.clone() });
        }
        let io = |source| Error::Io { path: self.target.clone(), source };
        fs::rename(&self.made, &self.target).map_err(io)?;
        match self.entry.take() {
            Some(entry) => self.journal.forget(&entry),
            None => Ok(()),
        }
    }

    /// Moves the folder to its place, and keeps the folder that is there under a hidden name, until
    /// the exchange is finished. `files` are those of the old folder, as they were read.
    ///
    /// # Errors
    /// [`Error::Io`] if the system reports an error; then the old folder is in its place.
    pub fn exchange(self, files: Vec<KnownFile>) -> Result<Exchanged<'j>, Error> {
        self.exchange_with(files, &swap, &|from, to| fs::rename(from, to))
    }

    fn exchange_with(
        mut self,
        files: Vec<KnownFile>,
        swap: Swap<'_>,
        rename: Rename<'_>,
    ) -> Result<Exchanged<'j>, Error> {
        let (made, target) = (self.made.clone(), self.target.clone());
        let io = |source| Error::Io { path: target.clone(), source };
        let Some(mut entry) = self.entry.take() else { return Err(io(io::Error::other("twice"))) };
        let skipped = entry.skipped();
        let begun = entry.replaces(files).map_err(io).and_then(|()| self.journal.write(&entry));
        let done = begun.and_then(|()| match swap(&made, &target).map_err(io)? {
            true => Ok(made.clone()),
            false => {
                rename(&target, &skipped).map_err(io)?;
                match rename(&made, &target) {
                    Ok(()) => Ok(skipped.clone()),
                    Err(error) => {
                        fs::rename(&skipped, &target).map_err(io)?;
                        Err(io(error))
                    }
                }
            }
        });
        match done {
            Ok(old) => {
                if let Some(above) = target.parent() {
                    let _ = atomic::synced(above);
                }
                Ok(Exchanged::of(self.journal, entry, old))
            }
            Err(error) => {
                // If the old folder is not in its place, the next process puts it there.
                self.entry = Some(entry).filter(|_| target.symlink_metadata().is_ok());
                Err(error)
            }
        }
    }
}

type Swap<'s> = &'s dyn Fn(&Path, &Path) -> io::Result<bool>;
type Rename<'r> = &'r dyn Fn(&Path, &Path) -> io::Result<()>;

/// Gives a file or folder the permissions and the times of another one.
pub(crate) fn resemble(path: &Path, like: &Metadata) -> io::Result<()> {
    let times = FileTimes::new().set_accessed(like.accessed()?).set_modified(like.modified()?);
    opened_for_times(path)?.set_times(times)?;
    fs::set_permissions(path, like.permissions())
}

/// A file or folder, opened so that its times can be set: it is opened for reading, and the system
/// needs no more.
#[cfg(not(windows))]
fn opened_for_times(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// The same. Windows wants the right to write attributes (0x100), and a flag to open a folder
/// (0x0200_0000): `FILE_WRITE_ATTRIBUTES` and `FILE_FLAG_BACKUP_SEMANTICS` of the Windows API.
#[cfg(windows)]
fn opened_for_times(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;
    fs::OpenOptions::new().access_mode(0x100).custom_flags(0x0200_0000).open(path)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::Remains;

    fn made<'j>(journal: &'j Folders, target: &Path, text: &str) -> Tree<'j> {
        let tree = journal.begin(target, "test").unwrap();
        tree.file(Path::new("a/b.txt"), text.as_bytes(), None).unwrap();
        tree
    }

    fn journal(temp: &tempfile::TempDir) -> Folders {
        Folders::open(&temp.path().join("state")).unwrap()
    }

    fn count(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    /// Number of the journal's entries.
    fn noted(temp: &tempfile::TempDir) -> usize {
        count(&temp.path().join("state")) - 1
    }

    #[test]
    fn a_folder_is_whole_or_not_there() {
        let temp = tempfile::tempdir().unwrap();
        let journal = journal(&temp);
        let target = temp.path().join("new/projects");
        let tree = made(&journal, &target, "one");
        assert!(!target.exists());
        drop(tree);
        assert_eq!((count(&temp.path().join("new")), noted(&temp)), (0, 0));
        made(&journal, &target, "one").place().unwrap();
        assert_eq!(fs::read(target.join("a/b.txt")).unwrap(), b"one");
        let tree = journal.begin(&target, "test").unwrap();
        assert!(matches!(tree.place(), Err(Error::Exists { .. })));
        for number in 1..3 {
            let tree = made(&journal, &target, &format!("{number}"));
            let old = tree.exchange(Vec::new()).unwrap().finish().unwrap();
            assert!(old.ends_with(format!("projects.before-{number}")), "{old:?}");
            assert_eq!(fs::read(target.join("a/b.txt")).unwrap(), format!("{number}").as_bytes());
        }
        assert_eq!((count(&temp.path().join("new")), noted(&temp)), (3, 0));
    }

    #[test]
    fn an_exchange_that_fails_leaves_the_old_folder_in_its_place() {
        let temp = tempfile::tempdir().unwrap();
        let journal = journal(&temp);
        let target = temp.path().join("new/projects");
        made(&journal, &target, "old").place().unwrap();
        let fails = |_: &Path, _: &Path| Err(io::Error::other("no"));
        let no = |_: &Path, _: &Path| Err(io::Error::other("no"));
        let second = |from: &Path, to: &Path| match from == target {
            true => fs::rename(from, to),
            false => Err(io::Error::other("no")),
        };
        let swaps: [Swap<'_>; 3] = [&fails, &|_, _| Ok(false), &|_, _| Ok(false)];
        let renames: [Rename<'_>; 3] = [&no, &no, &second];
        for (swap, rename) in swaps.into_iter().zip(renames) {
            made(&journal, &target, "new").exchange_with(Vec::new(), swap, rename).unwrap_err();
            assert_eq!(fs::read(target.join("a/b.txt")).unwrap(), b"old");
            assert_eq!(count(&temp.path().join("new")), 1, "nothing is beside it");
            assert_eq!(noted(&temp), 0);
        }
    }

    /// The states in which a killed process can leave two folders, if there is no exchange in one
    /// step: the next process gives each its place.
    #[test]
    #[cfg(unix)]
    fn a_killed_exchange_is_ended_by_the_next_process() {
        let temp = tempfile::tempdir().unwrap();
        let journal = journal(&temp);
        let target = temp.path().join("new/projects");
        made(&journal, &target, "old").place().unwrap();
        for renames in 0..=2 {
            let mut tree = made(&journal, &target, "new");
            let mut entry = tree.entry.take().unwrap();
            entry.replaces(Vec::new()).unwrap();
            journal.write(&entry).unwrap();
            let steps = [(&target, &entry.skipped()), (&entry.made, &target)];
            for (from, to) in &steps[..renames] {
                fs::rename(from, to).unwrap();
            }
            let mut remains = journal.settle(&target).unwrap();
            match (renames, remains.pop().unwrap()) {
                (0, Remains::Removed(place)) => assert_eq!(place, target),
                (1 | 2, Remains::Exchanged(exchanged)) => {
                    assert_eq!(fs::read(target.join("a/b.txt")).unwrap(), b"new");
                    let old = exchanged.finish().unwrap();
                    assert_eq!(fs::read(old.join("a/b.txt")).unwrap(), b"old");
                    fs::remove_dir_all(&target).unwrap();
                    fs::rename(old, &target).unwrap();
                }
                (_, other) => panic!("{renames}: {other:?}"),
            }
            assert_eq!((count(&temp.path().join("new")), noted(&temp)), (1, 0), "{renames}");
        }
        // Its agent has made a folder meanwhile: neither is thrown away.
        let mut tree = made(&journal, &target, "new");
        let mut entry = tree.entry.take().unwrap();
        entry.replaces(Vec::new()).unwrap();
        journal.write(&entry).unwrap();
        fs::rename(&target, entry.skipped()).unwrap();
        fs::create_dir(&target).unwrap();
        assert!(matches!(journal.settle(&target), Err(Error::Denied { .. })));
        assert_eq!(fs::read(entry.skipped().join("a/b.txt")).unwrap(), b"old");
    }

    /// A damaged entry does not make the old folder a copy that is removed.
    #[test]
    #[cfg(unix)]
    fn an_old_folder_is_never_removed() {
        let temp = tempfile::tempdir().unwrap();
        let journal = journal(&temp);
        let target = temp.path().join("new/projects");
        made(&journal, &target, "old").place().unwrap();
        let old = made(&journal, &target, "new").exchange(Vec::new()).unwrap().old().to_path_buf();
        let file = fs::read_dir(temp.path().join("state")).unwrap().flatten();
        let file = file.map(|entry| entry.path()).find(|path| path.extension().is_some()).unwrap();
        let mut entry: serde_json::Value =
            serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        entry["old"] = serde_json::Value::Null;
        fs::write(&file, entry.to_string()).unwrap();
        let remains = journal.settle(&target).unwrap();
        assert!(matches!(&remains[..], [Remains::Strange(path, _)] if *path == old), "{remains:?}");
        assert_eq!(fs::read(old.join("a/b.txt")).unwrap(), b"old");
    }

    /// An entry that leads elsewhere removes nothing.
    #[test]
    fn an_entry_that_is_not_believed_is_told() {
        let temp = tempfile::tempdir().unwrap();
        let journal = journal(&temp);
        let target = temp.path().join("projects");
        let mut tree = made(&journal, &target, "new");
        let entry = tree.entry.take().unwrap();
        let state = temp.path().join("state");
        let file = fs::read_dir(&state).unwrap().flatten().map(|entry| entry.path());
        let file = file.into_iter().find(|path| path.extension().is_some()).unwrap();
        let good = fs::read_to_string(&file).unwrap();
        let precious = temp.path().join(".verbatim-precious");
        fs::create_dir(&precious).unwrap();
        let (made, precious) = (entry.made.to_str().unwrap(), precious.to_str().unwrap());
        for bad in [
            good.replace(made, precious),
            good.replace("verbatim-folder-1", "verbatim-folder-2"),
            good.replace("/projects\"", "/other\""),
            good[..good.len() / 2].to_owned(),
            good.replace(
                "\"files\":[]",
                "\"files\":[{\"from\":\"a\",\"to\":\"../x\",\"length\":1,\"read\":\"\",\
                 \"written\":\"\"}]",
            ),
        ] {
            assert_ne!(bad, good);
            fs::write(&file, &bad).unwrap();
            let remains = journal.settle(&target).unwrap();
            assert!(matches!(remains[..], [Remains::Strange(..)]), "{bad}: {remains:?}");
            assert!(Path::new(precious).exists() && entry.made.exists());
            assert!(matches!(journal.begin(&target, "test"), Err(Error::Denied { .. })));
        }
        fs::write(&file, good).unwrap();
        assert!(matches!(journal.settle(&target).unwrap()[..], [Remains::Removed(_)]));
        assert!(!entry.made.exists());
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
        let journal = journal(&temp);
        let tree = journal.begin(&target, "test").unwrap();
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
