//! Rights to the files of keys: what another user can change shows nothing about this one.

use std::fs::Metadata;
use std::path::Path;

use crate::attest::error::{Error, at, refused};

/// Refuses a folder that others can change: itself, or by another folder in its place.
pub(crate) fn closed(folder: &Path) -> Result<(), Error> {
    let meta = folder.metadata().map_err(at(folder))?;
    if mode(&meta).is_some_and(|mode| mode & 0o022 != 0) {
        let what = format!("{}: others can write to this folder", folder.display());
        return refused(what, format!("close it: `chmod 700 {}`", folder.display()));
    }
    own(folder, &meta)?;
    let real = folder.canonicalize().map_err(at(folder))?;
    for above in real.ancestors().skip(1) {
        let meta = above.metadata().map_err(at(above))?;
        // A shared folder such as /tmp has the sticky bit: only its owner replaces a name in it.
        if mode(&meta).is_some_and(|mode| mode & 0o1002 == 0o002) {
            let what = format!("{}: anybody can replace what is in this folder", above.display());
            return refused(what, format!("close it: `chmod o-w {}`", above.display()));
        }
    }
    Ok(())
}

/// Refuses a file or a folder of another user. The administrator's are believed: they can change
/// all others.
#[cfg(unix)]
pub(crate) fn own(path: &Path, meta: &Metadata) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt as _;
    let me = rustix::process::geteuid().as_raw();
    if meta.uid() != 0 && meta.uid() != me {
        let what = format!("{}: it belongs to another user ({})", path.display(), meta.uid());
        return refused(what, "look at it, and take it out or make it your own");
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) const fn own(_: &Path, _: &Metadata) -> Result<(), Error> {
    Ok(())
}

/// The rights of a file, if the system has such.
#[cfg(unix)]
pub(crate) fn mode(meta: &Metadata) -> Option<u32> {
    Some(std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o7777)
}

#[cfg(not(unix))]
pub(crate) const fn mode(_: &Metadata) -> Option<u32> {
    None
}
