//! The ground of a placement: whether a path of an agent's store is one at which this user may
//! place a file.

use std::path::Path;

use crate::Error;

/// Refuses a path at which something is already, or a folder of which is a link that leads nowhere.
pub(crate) fn is_free(path: &Path) -> Result<(), Error> {
    let is_there = |path: &&Path| path.symlink_metadata().is_ok();
    let Some(nearest) = path.ancestors().find(is_there) else { return Ok(()) };
    let leads_nowhere = nearest.is_symlink() && !nearest.exists();
    if leads_nowhere {
        return Err(Error::Denied {
            what: format!("{} is a link that leads nowhere", nearest.display()),
            hint: "make the folder that it names, or remove the link; nothing was changed".into(),
        });
    }
    match nearest == path {
        true => Err(Error::Exists { path: path.to_path_buf() }),
        false => Ok(()),
    }
}

/// Refuses a path in a folder of another user, which only the system's administrator can write to:
/// the programs of that user could not use what is written, or would find a folder closed to them.
#[cfg(unix)]
pub(crate) fn is_own(path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt;
    let nearest = path.ancestors().skip(1).find(|folder| folder.exists());
    let owner = nearest.and_then(|folder| folder.metadata().ok()).map(|meta| meta.uid());
    let Some(owner) = owner.filter(|owner| *owner != 0) else { return Ok(()) };
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    Err(Error::Denied {
        what: format!(
            "{} belongs to another user (number {owner}), who could not use what is written there",
            nearest.unwrap_or(path).display()
        ),
        hint: "run it as that user; nothing was changed".into(),
    })
}

/// Other systems have no owner to compare.
#[cfg(not(unix))]
pub(crate) fn is_own(_: &Path) -> Result<(), Error> {
    Ok(())
}
