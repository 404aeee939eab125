//! Mount points: the folders that contain one. A directory entry records the kind of the entry
//! below the mount, not of the file or device that is mounted on it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The folders that contain mount points. The list is read when it is first needed.
#[derive(Default)]
pub(crate) struct Mounts {
    /// The outer `None`: not read yet. The inner `None`: the system does not list them.
    folders: Option<Option<HashSet<PathBuf>>>,
}

impl Mounts {
    /// Whether something may be mounted on an entry of a folder. The folder's path must contain no
    /// links.
    pub(crate) fn are_in(&mut self, real: &Path) -> bool {
        let folders = self.folders.get_or_insert_with(folders);
        folders.as_ref().is_none_or(|folders| folders.contains(real))
    }
}

/// The parent folders of this process's mount points, from `/proc/self/mountinfo`
/// (`proc_pid_mountinfo(5)`).
#[cfg(target_os = "linux")]
fn folders() -> Option<HashSet<PathBuf>> {
    use std::os::unix::ffi::OsStrExt as _;
    let text = std::fs::read("/proc/self/mountinfo").ok()?;
    let points = text.split(|byte| *byte == b'\n').filter_map(|line| {
        let point = plain(line.split(|byte| *byte == b' ').nth(4)?);
        Path::new(OsStr::from_bytes(&point)).parent().map(Path::to_path_buf)
    });
    Some(points.collect())
}

/// A path from this list, unescaped: spaces, tabs, line feeds and backslashes are written as three
/// octal digits.
#[cfg(target_os = "linux")]
fn plain(written: &[u8]) -> Vec<u8> {
    let (mut path, mut rest) = (Vec::with_capacity(written.len()), written);
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        path.push(match after.split_first_chunk::<3>() {
            Some((digits, after)) if byte == b'\\' => {
                rest = after;
                digits.iter().fold(0, |value: u8, digit| value << 3 | (digit & 7))
            }
            _ => byte,
        });
    }
    path
}

/// On Windows only folders are mount points. Other systems do not list them here, so each entry is
/// probed.
#[cfg(not(target_os = "linux"))]
fn folders() -> Option<HashSet<PathBuf>> {
    cfg!(windows).then(HashSet::new)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_a_mount_point_is_known_and_others_are_not() {
        let mut mounts = Mounts::default();
        assert!(mounts.are_in(Path::new("/")), "/proc is in it");
        let temp = tempfile::tempdir().expect("a folder");
        assert!(!mounts.are_in(temp.path()));
        assert!(Mounts { folders: Some(None) }.are_in(temp.path()), "not listed");
    }

    #[test]
    fn mount_points_are_read_as_the_system_writes_them() {
        assert_eq!(plain(br"/mnt/a\040b\134c\011"), b"/mnt/a b\\c\t");
        assert_eq!(plain(br"/mnt/a\04"), br"/mnt/a\04");
    }
}
