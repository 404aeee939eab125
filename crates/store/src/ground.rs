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

/// Refuses the store of another user, which only the system's administrator can write to: the
/// agent of that user could not use what is placed. `own` is a file that this process made.
#[cfg(unix)]
pub(crate) fn is_own(path: &Path, own: &Path) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt;
    let owner = |path: &Path| path.metadata().ok().map(|meta| meta.uid());
    let nearest = path.ancestors().skip(1).find(|folder| folder.exists());
    let Some((store, user)) = nearest.and_then(owner).zip(owner(own)) else { return Ok(()) };
    if user != 0 || store == user {
        return Ok(());
    }
    Err(Error::Denied {
        what: format!(
            "{} belongs to another user (number {store}), who could not use what is placed",
            nearest.unwrap_or(path).display()
        ),
        hint: "run it as that user; nothing was changed".into(),
    })
}

/// Other systems have no owner to compare.
#[cfg(not(unix))]
pub(crate) fn is_own(_: &Path, _: &Path) -> Result<(), Error> {
    Ok(())
}
