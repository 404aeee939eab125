//! Atomic write of a file. The bytes go to a temporary file in the same folder. When they are on
//! the disk, that file is moved to the target. On Linux the temporary file has no name, so that a
//! killed program leaves nothing.

use std::fs::File;
use std::io::Result;
use std::path::Path;

use crate::Fill;
use crate::changing::Changing;

/// Writes a file and creates its folders; returns its length. An existing file is replaced only
/// with `replace`.
pub(crate) fn put(path: &Path, compose: Fill<'_>, replace: bool) -> Result<u64> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    folders(folder)?;
    #[cfg(target_os = "linux")]
    let done = nameless(folder, path, compose, replace)?;
    #[cfg(not(target_os = "linux"))]
    let done = None;
    let length = match done {
        Some(length) => length,
        None => named(folder, path, compose, replace)?,
    };
    synced(folder)?;
    Ok(length)
}

/// Waits until the names in a folder are on the disk.
pub(crate) fn synced(folder: &Path) -> Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    let _ = folder;
    Ok(())
}

/// Creates a folder and those above it. New ones are private, whatever the umask: what is in a
/// session is nobody else's business.
pub(crate) fn folders(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let missing: Vec<&Path> = folder.ancestors().take_while(|above| !above.is_dir()).collect();
    for above in missing.into_iter().rev().filter(|above| !above.as_os_str().is_empty()) {
        private(above)?;
    }
    Ok(())
}

/// Creates one folder that only its owner can use.
fn private(folder: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(folder) {
        // Another program was faster.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && folder.is_dir() => {}
        made => made?,
    }
    // A umask may take rights from the owner too.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if folder.metadata()?.permissions().mode() & 0o700 != 0o700 {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))?;
        }
    }
    Ok(())
}

/// Lets its owner read and write a new file, whatever the umask.
pub(crate) fn owned(file: &File) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if file.metadata()?.permissions().mode() & 0o600 != 0o600 {
            file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        }
    }
    let _ = file;
    Ok(())
}

/// Writes all bytes and waits until they are on the disk; returns their number.
fn fill(mut file: &File, compose: Fill<'_>) -> Result<u64> {
    compose(&mut file)?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

/// The system's error without the name of the temporary file, which tells nobody anything: the
/// caller names the file that was to be written.
fn own(error: std::io::Error) -> std::io::Error {
    error.kind().into()
}

/// Writes to a temporary file that has a name.
fn named(folder: &Path, path: &Path, compose: Fill<'_>, replace: bool) -> Result<u64> {
    let _changing = Changing::begin();
    let file = tempfile::Builder::new().prefix(".verbatim-").tempfile_in(folder).map_err(own)?;
    let length = fill(file.as_file(), compose)?;
    match replace {
        true => file.persist(path),
        false => file.persist_noclobber(path),
    }
    .map_err(|error| error.error)?;
    Ok(length)
}

/// Writes to a temporary file that has no name. `None` if the file system does not support it.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path, path: &Path, compose: Fill<'_>, replace: bool) -> Result<Option<u64>> {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;
    use std::os::fd::AsRawFd;

    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let Ok(file) = open(folder, flags, Mode::RUSR | Mode::WUSR) else { return Ok(None) };
    let file = File::from(file);
    owned(&file)?;
    let length = fill(&file, compose)?;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |to: &Path| linkat(CWD, &*own, CWD, to, AtFlags::SYMLINK_FOLLOW);
    match link(path) {
        Ok(()) => Ok(Some(length)),
        Err(Errno::EXIST) if replace => {
            let _changing = Changing::begin();
            // A link can't replace a file, but a move can. So the file first gets a temporary name.
            let mut between = tempfile::Builder::new();
            let between = between.prefix(".verbatim-");
            let between = between.make_in(folder, |between| Ok(link(between)?))?;
            between.persist(path).map_err(|error| error.error)?;
            Ok(Some(length))
        }
        Err(Errno::EXIST) => Err(Errno::EXIST.into()),
        Err(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::put;

    #[test]
    fn a_file_is_whole_or_not_there() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("new/file");
        let put = |bytes: &[u8], replace| put(&path, &mut |sink| sink.write_all(bytes), replace);
        assert_eq!(put(b"one", false).unwrap(), 3);
        put(b"other", false).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        put(b"two", true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        let full = &mut |sink: &mut dyn std::io::Write| {
            sink.write_all(b"half")?;
            Err(std::io::Error::other("full"))
        };
        super::put(&path, full, true).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(temp.path().join("new")).unwrap().count(), 1);
    }

    /// If the program is killed while it writes, it leaves no file: the file has no name until it
    /// is complete.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_has_no_name_while_it_is_written() {
        let temp = tempfile::tempdir().unwrap();
        let (path, mut seen) = (temp.path().join("file"), None);
        let there = || std::fs::read_dir(temp.path()).unwrap().count();
        let fill = &mut |sink: &mut dyn std::io::Write| {
            sink.write_all(b"half")?;
            seen = Some(there());
            Ok(())
        };
        put(&path, fill, true).unwrap();
        assert_eq!((seen, there()), (Some(0), 1));
    }
}
