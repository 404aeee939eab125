//! Atomic write of one file: to a temporary file beside the target, which is moved there when the
//! disk has it. On Linux the temporary file has no name, so that a killed program leaves nothing.

use std::io::{Result, Write};
use std::path::Path;

/// Writes a file and the folders that it needs. An existing file is replaced only with `replace`.
pub(crate) fn put(path: &Path, bytes: &[u8], replace: bool) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    #[cfg(target_os = "linux")]
    let done = nameless(folder, path, bytes, replace)?;
    #[cfg(not(target_os = "linux"))]
    let done = false;
    if !done {
        named(folder, path, bytes, replace)?;
    }
    #[cfg(unix)]
    std::fs::File::open(folder)?.sync_all()?;
    Ok(())
}

/// Writes by way of a temporary file with a name.
fn named(folder: &Path, path: &Path, bytes: &[u8], replace: bool) -> Result<()> {
    let mut file = tempfile::Builder::new().prefix(".verbatim-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    match replace {
        true => file.persist(path),
        false => file.persist_noclobber(path),
    }
    .map_err(|error| error.error)?;
    Ok(())
}

/// Writes by way of a file without a name; false on systems that have none.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path, path: &Path, bytes: &[u8], replace: bool) -> Result<bool> {
    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};
    use rustix::io::Errno;
    use std::os::fd::AsRawFd;

    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    let Ok(file) = open(folder, flags, Mode::RUSR | Mode::WUSR) else { return Ok(false) };
    let mut file = std::fs::File::from(file);
    file.write_all(bytes)?;
    file.sync_all()?;
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |to: &Path| linkat(CWD, &*own, CWD, to, AtFlags::SYMLINK_FOLLOW);
    match link(path) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) if replace => {
            // A link replaces nothing; a move does.
            let mut between = tempfile::Builder::new();
            let between = between.prefix(".verbatim-");
            let between = between.make_in(folder, |between| Ok(link(between)?))?;
            between.persist(path).map_err(|error| error.error)?;
            Ok(true)
        }
        Err(Errno::EXIST) => Err(Errno::EXIST.into()),
        Err(_) => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use super::put;

    #[test]
    fn a_file_is_whole_or_not_there() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("new/file");
        put(&path, b"one", false).unwrap();
        put(&path, b"other", false).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        put(&path, b"two", true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(temp.path().join("new")).unwrap().count(), 1);
    }
}
