//! Directory walk: all files below a folder, in a fixed order. Each target of a symbolic link is
//! visited once, so that a loop of links ends. Below a folder that a user named, only links that
//! stay in it are followed. The kernel's own file systems (procfs, sysfs) are never entered:
//! through them, every process and every other file can be reached. Folders that can't be listed
//! are reported.

use std::collections::{HashMap, HashSet};
use std::fs::{DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::fast::RandomState;
use session::Sorting as _;

use crate::find::mounts::Mounts;

/// Entry that a walk finds.
#[derive(Debug)]
pub(crate) enum Met {
    /// A regular file. Its path is shared by all that is said of the file: there may be very many.
    File(Arc<Path>),
    /// A file that the walk has already visited under another name.
    Again(PathBuf),
    /// Neither file nor folder: a pipe, a socket, a device. Opening one might block for ever.
    Special(PathBuf),
    /// A folder that the caller excluded.
    Closed(PathBuf),
    /// A link that leads out of the named folder.
    Outside(PathBuf),
    /// A link to nothing.
    Dangling(PathBuf),
    /// A folder on a file system of the kernel (procfs, sysfs).
    System(PathBuf),
    /// An entry that the system does not allow to be read.
    Fault(PathBuf, io::Error),
}

/// Real paths of visited entries, over several walks.
#[derive(Default)]
pub(crate) struct Seen {
    real: HashSet<Arc<Path>, RandomState>,
    /// Links that wait until everything that is reachable without them has been visited.
    links: Vec<PathBuf>,
    /// Bound of links: the real path of the named folder; `None` if links may lead anywhere.
    bound: Option<PathBuf>,
    /// Whether a device is a file system of the kernel.
    devices: HashMap<u64, bool>,
    mounts: Mounts,
}

impl Seen {
    /// From now on, links that lead out of `root` are reported and not followed.
    pub(crate) fn stay_in(&mut self, root: Option<&Path>) {
        self.bound = root.and_then(|root| root.canonicalize().ok());
    }
}

/// Walks `root` (a folder or a file), except for the `closed` folders directly below it.
pub(crate) fn walk(root: &Path, closed: &[&str], seen: &mut Seen, met: &mut dyn FnMut(Met)) {
    let closed: Vec<PathBuf> = closed.iter().map(|name| root.join(name)).collect();
    from(root, &closed, seen, met);
    while let Some(link) = seen.links.pop() {
        from(&link, &closed, seen, met);
    }
}

/// A pending entry: its displayed path, its path without links, and its kind. The two paths are one
/// where no link leads to the entry.
struct Ahead {
    path: Arc<Path>,
    real: Arc<Path>,
    kind: FileType,
}

/// Walks from a path whose last part may be a link.
fn from(start: &Path, closed: &[PathBuf], seen: &mut Seen, met: &mut dyn FnMut(Met)) {
    if is_of_system(start) {
        return met(Met::System(start.to_path_buf()));
    }
    let begin = || -> io::Result<Ahead> {
        let real = start.canonicalize()?;
        let kind = std::fs::metadata(&real)?.file_type();
        let path: Arc<Path> = start.into();
        let real = if same(start, &real) { Arc::clone(&path) } else { real.into() };
        Ok(Ahead { path, real, kind })
    };
    let mut todo = match begin() {
        Ok(first) if seen.bound.as_ref().is_some_and(|bound| !first.real.starts_with(bound)) => {
            return met(Met::Outside(first.path.to_path_buf()));
        }
        Ok(first) => vec![first],
        Err(error) => {
            let is_link = error.kind() == io::ErrorKind::NotFound && start.is_symlink();
            return met(match is_link {
                true => Met::Dangling(start.to_path_buf()),
                false => Met::Fault(start.to_path_buf(), error),
            });
        }
    };
    while let Some(Ahead { path, real, kind }) = todo.pop() {
        if !kind.is_dir() {
            let again = !seen.real.insert(real);
            met(match kind.is_file() {
                _ if again => Met::Again(path.to_path_buf()),
                true => Met::File(path),
                false => Met::Special(path.to_path_buf()),
            });
        } else if seen.real.insert(Arc::clone(&real)) {
            if closed.iter().any(|closed| **closed == *path) {
                met(Met::Closed(path.to_path_buf()));
            } else if is_system(&real, seen) {
                met(Met::System(path.to_path_buf()));
            } else {
                entries(&path, &real, &mut todo, seen, met);
            }
        } else if *path == *start && start.is_symlink() {
            met(Met::Again(path.to_path_buf()));
        }
    }
}

fn entries(
    path: &Path,
    real: &Path,
    todo: &mut Vec<Ahead>,
    seen: &mut Seen,
    met: &mut dyn FnMut(Met),
) {
    let listed = match std::fs::read_dir(real) {
        Ok(listed) => listed,
        Err(error) => return met(Met::Fault(path.to_path_buf(), error)),
    };
    let mounted = seen.mounts.are_in(real);
    let mut names = Vec::new();
    for entry in listed {
        let looked = entry.map(|entry| (entry.file_name(), look(&entry, mounted)));
        match looked {
            Ok((name, Ok(kind))) => names.push((name, kind)),
            Ok((name, Err(error))) => met(Met::Fault(path.join(name), error)),
            Err(error) => met(Met::Fault(path.to_path_buf(), error)),
        }
    }
    // In reverse order, because the stack returns the last name first.
    names.in_order_by(|a, b| b.0.cmp(&a.0));
    let one = same(path, real);
    for (name, kind) in names {
        if kind.is_symlink() {
            seen.links.push(path.join(&name));
        } else {
            let path: Arc<Path> = path.join(&name).into();
            let real = if one { Arc::clone(&path) } else { real.join(&name).into() };
            todo.push(Ahead { path, real, kind });
        }
    }
}

/// Whether two paths are equal, byte for byte.
fn same(path: &Path, real: &Path) -> bool {
    path.as_os_str() == real.as_os_str()
}

/// Kind of an entry itself, not of its link's target. The directory entry records the kind, which
/// saves a system call for each file. It does not record the kind of a file that is mounted on the
/// entry.
fn look(entry: &DirEntry, mounted: bool) -> io::Result<FileType> {
    if mounted { Ok(entry.metadata()?.file_type()) } else { entry.file_type() }
}

/// Whether a path leads through a file system of the kernel, wherever it ends: `/proc` has links to
/// the roots of processes. Nothing there is opened.
#[cfg(target_os = "linux")]
#[must_use]
pub fn is_of_system(start: &Path) -> bool {
    let mut path = start.to_path_buf();
    // The system itself follows at most 40 links.
    for _ in 0..40 {
        let whole = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
        let above = whole.ancestors().skip(1);
        let mut above = above.filter(|folder| folder.parent().is_some());
        if above.any(own_magic) {
            return true;
        }
        let Ok(target) = std::fs::read_link(&whole) else { return false };
        path = whole.parent().unwrap_or(Path::new("/")).join(target);
    }
    false
}

/// Whether a folder is on a file system of the kernel. Each device is queried once.
#[cfg(target_os = "linux")]
fn is_system(real: &Path, seen: &mut Seen) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(meta) = std::fs::symlink_metadata(real) else { return false };
    *seen.devices.entry(meta.dev()).or_insert_with(|| own_magic(real))
}

/// procfs and sysfs, by their magic numbers in `statfs(2)`.
#[cfg(target_os = "linux")]
fn own_magic(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|about| matches!(about.f_type, 0x9fa0 | 0x6265_6572))
}

/// Other systems have none.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn is_of_system(_: &Path) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn is_system(_: &Path, _: &mut Seen) -> bool {
    false
}
