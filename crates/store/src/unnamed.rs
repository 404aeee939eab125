//! A file that has no name until it is complete, for files whose names are digests of their
//! content. A killed program leaves nothing, or a temporary file that the next one removes.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::atomic;
use crate::changing::Changing;

/// The beginning of the names of temporary files.
const TEMPORARY: &str = ".verbatim-";

/// A file that is being written, and gets its name at the end.
#[derive(Debug)]
pub struct Unnamed {
    folder: PathBuf,
    file: File,
    /// The temporary name, where the file system has no files without one.
    path: Option<tempfile::TempPath>,
    /// A file with a temporary name is a change in progress.
    changing: Option<Changing>,
}

impl Unnamed {
    /// A new file in this folder, readable by its owner alone. The folder is made if it is missing.
    ///
    /// # Errors
    /// The system reports an error.
    pub fn create(folder: &Path) -> io::Result<Self> {
        atomic::folders(folder)?;
        let of = |file, path: Option<_>| {
            let changing = path.is_some().then(Changing::begin);
            Self { folder: folder.to_path_buf(), file, path, changing }
        };
        #[cfg(target_os = "linux")]
        if let Some(file) = nameless(folder) {
            return Ok(of(file, None));
        }
        let (file, path) = named(folder)?;
        Ok(of(file, Some(path)))
    }

    /// Waits until all bytes are on the disk, and gives the file its name. If there is a file of
    /// this name already, that one stays: equal names mean equal content.
    ///
    /// # Errors
    /// The system reports an error.
    pub fn finish(mut self, name: impl AsRef<Path>) -> io::Result<PathBuf> {
        self.file.sync_all()?;
        let target = self.folder.join(name);
        if self.path.is_none() && !link(&self.file, &target)? {
            // The system does not give a name to a file without one: its bytes are copied.
            self.changing = Some(Changing::begin());
            let (mut file, path) = named(&self.folder)?;
            self.file.rewind()?;
            io::copy(&mut (&mut self.file).take(u64::MAX), &mut file)?;
            file.sync_all()?;
            (self.file, self.path) = (file, Some(path));
        }
        if let Some(path) = self.path {
            match path.persist_noclobber(&target) {
                Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(error.error);
                }
                _ => {}
            }
        }
        atomic::synced(&self.folder)?;
        Ok(target)
    }
}

impl Write for Unnamed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn named(folder: &Path) -> io::Result<(File, tempfile::TempPath)> {
    let (file, path) = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)?.into_parts();
    atomic::owned(&file)?;
    Ok((file, path))
}

/// A file without a name; `None` if the file system has none.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = open(folder, flags, Mode::RUSR | Mode::WUSR).ok().map(File::from)?;
    atomic::owned(&file).is_ok().then_some(file)
}

/// Gives a file without a name this one. False if the system can't.
#[cfg(target_os = "linux")]
fn link(file: &File, target: &Path) -> io::Result<bool> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use rustix::io::Errno;
    use std::os::fd::AsRawFd;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    match linkat(CWD, &*own, CWD, target, AtFlags::SYMLINK_FOLLOW) {
        Ok(()) | Err(Errno::EXIST) => Ok(true),
        Err(Errno::NOENT | Errno::OPNOTSUPP | Errno::PERM | Errno::INVAL) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Creates a folder and those above it, private to the user, whatever the umask.
///
/// # Errors
/// The system reports an error.
pub fn private_folder(folder: &Path) -> io::Result<()> {
    atomic::folders(folder)
}

/// Opens a file that serves as a lock, and makes it if it is missing. The lock itself is taken
/// with [`File::lock`] and its kin, and ends with the process.
///
/// # Errors
/// The system reports an error.
pub fn lock_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    atomic::owned(&file)?;
    Ok(file)
}

/// Removes files of a folder by their names, and waits until that is on the disk. A file that is
/// not there any more is no error.
///
/// # Errors
/// The system reports an error.
pub fn remove(folder: &Path, names: &[String]) -> io::Result<()> {
    for name in names {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    if names.is_empty() { Ok(()) } else { atomic::synced(folder) }
}

/// Removes the temporary files that killed programs left in a folder. Only for who knows that no
/// other program writes there.
pub fn remove_temporary(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_gets_its_name_when_it_is_complete() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("packs");
        let mut file = Unnamed::create(&folder).unwrap();
        file.write_all(b"whole").unwrap();
        assert!(!folder.join("abc").exists());
        let path = file.finish("abc").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        // A second file of this name changes nothing.
        let mut file = Unnamed::create(&folder).unwrap();
        file.write_all(b"other").unwrap();
        file.finish("abc").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        remove(&folder, &["abc".into(), "missing".into()]).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }

    #[test]
    fn a_file_with_a_temporary_name_does_the_same() {
        let temp = tempfile::tempdir().unwrap();
        let (file, path) = named(temp.path()).unwrap();
        let mut file =
            Unnamed { folder: temp.path().to_path_buf(), file, path: Some(path), changing: None };
        file.write_all(b"whole").unwrap();
        file.finish("abc").unwrap();
        let (left, path) = named(temp.path()).unwrap();
        path.keep().unwrap();
        drop(left);
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 2);
        remove_temporary(temp.path());
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
    }
}
