//! Directory walk: all files below a folder, in a fixed order. It follows each symbolic link's
//! target once, so that a loop of links ends. Below a folder that a user named, it follows only
//! links that stay in it. It never enters the system's own file systems: they hold all others, and
//! every process. Folders that can't be listed are reported.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{DirEntry, FileType};
use std::io;
use std::path::{Path, PathBuf};

use crate::find::mounts::Mounts;

/// Entry that a walk meets.
pub(crate) enum Met {
    /// A regular file.
    File(PathBuf),
    /// A file that has been met under another name.
    Again(PathBuf),
    /// Neither file nor folder: a pipe, a socket, a device. Opening it might wait for ever.
    Special(PathBuf),
    /// A folder that was named as closed.
    Closed(PathBuf),
    /// A link that leads out of the folder that was named.
    Outside(PathBuf),
    /// A folder of the system's own: processes or devices.
    System(PathBuf),
    /// An entry that the system does not allow to be read.
    Fault(PathBuf, io::Error),
}

/// The real paths of visited entries, over several walks.
#[derive(Default)]
pub(crate) struct Seen {
    real: HashSet<OsString>,
    /// Links wait until all that is not reached by one has been met.
    links: Vec<PathBuf>,
    /// Bound of links: the real path of the named folder; `None` if links may lead anywhere.
    bound: Option<PathBuf>,
    /// Which devices are the system's own file systems.
    devices: HashMap<u64, bool>,
    mounts: Mounts,
}

impl Seen {
    /// From now on, links that lead out of `root` are reported and not followed.
    pub(crate) fn stay_in(&mut self, root: Option<&Path>) {
        self.bound = root.and_then(|root| root.canonicalize().ok());
    }
}

/// Walks `root` (a folder or a file), but for the `closed` folders directly below it.
pub(crate) fn walk(root: &Path, closed: &[&str], seen: &mut Seen, met: &mut dyn FnMut(Met)) {
    let closed: Vec<PathBuf> = closed.iter().map(|name| root.join(name)).collect();
    from(root, &closed, seen, met);
    while let Some(link) = seen.links.pop() {
        from(&link, &closed, seen, met);
    }
}

/// A pending entry: its displayed path, its path without links, and its kind.
struct Ahead {
    path: PathBuf,
    real: PathBuf,
    kind: FileType,
}

/// Walks from a path whose last part may be a link.
fn from(start: &Path, closed: &[PathBuf], seen: &mut Seen, met: &mut dyn FnMut(Met)) {
    if by_system(start) {
        return met(Met::System(start.to_path_buf()));
    }
    let begin = || {
        let real = start.canonicalize()?;
        let kind = std::fs::metadata(&real)?.file_type();
        Ok(Ahead { path: start.to_path_buf(), real, kind })
    };
    let mut todo = match begin() {
        Ok(first) if seen.bound.as_ref().is_some_and(|bound| !first.real.starts_with(bound)) => {
            return met(Met::Outside(first.path));
        }
        Ok(first) => vec![first],
        Err(error) => return met(Met::Fault(start.to_path_buf(), error)),
    };
    while let Some(Ahead { path, real, kind }) = todo.pop() {
        if !kind.is_dir() {
            let again = !seen.real.insert(real.into());
            met(match kind.is_file() {
                _ if again => Met::Again(path),
                true => Met::File(path),
                false => Met::Special(path),
            });
        } else if seen.real.insert(real.clone().into()) {
            if closed.contains(&path) {
                met(Met::Closed(path));
            } else if is_system(&real, seen) {
                met(Met::System(path));
            } else {
                entries(&path, &real, &mut todo, seen, met);
            }
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
    // The last name first: the stack turns it round.
    names.sort_by(|a, b| b.0.cmp(&a.0));
    for (name, kind) in names {
        if kind.is_symlink() {
            seen.links.push(path.join(&name));
        } else {
            todo.push(Ahead { path: path.join(&name), real: real.join(&name), kind });
        }
    }
}

/// Kind of an entry itself, not of its link's target. Its folder records it, which saves a system
/// call for each file, but not the kind of what is mounted on it.
fn look(entry: &DirEntry, mounted: bool) -> io::Result<FileType> {
    if mounted { Ok(entry.metadata()?.file_type()) } else { entry.file_type() }
}

/// True for a path that leads through a file system of the system's own, whatever it ends in: there
/// are links to the roots of processes.
#[cfg(target_os = "linux")]
fn by_system(start: &Path) -> bool {
    let mut path = start.to_path_buf();
    // As many links as the system itself follows.
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

/// True for a folder on such a file system. Each device is queried once.
#[cfg(target_os = "linux")]
fn is_system(real: &Path, seen: &mut Seen) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(meta) = std::fs::symlink_metadata(real) else { return false };
    *seen.devices.entry(meta.dev()).or_insert_with(|| own_magic(real))
}

/// procfs and sysfs, by the numbers that `statfs(2)` names.
#[cfg(target_os = "linux")]
fn own_magic(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|about| matches!(about.f_type, 0x9fa0 | 0x6265_6572))
}

#[cfg(not(target_os = "linux"))]
fn by_system(_: &Path) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn is_system(_: &Path, _: &mut Seen) -> bool {
    false
}
