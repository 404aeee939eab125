//! Roles of files as words, and the digest of a version.

use std::path::Path;

use formats::Role;

use crate::digest::{Digest, Hasher};
use crate::run::VersionFile;

/// The word for the session itself.
pub(crate) const MAIN: &str = "main";

/// The words for a role: itself, and the stem of a sub-agent.
pub(crate) fn words(role: &Role) -> (&'static str, Option<String>) {
    match role {
        Role::Main => (MAIN, None),
        Role::Sub(stem) => ("sub", Some(stem.clone())),
        Role::Beside(stem) => ("beside", stem.clone()),
    }
}

/// The role of a file of a version; `None` if its words mean none.
pub(crate) fn role(file: &VersionFile) -> Option<Role> {
    match (&*file.role, &file.stem) {
        (MAIN, None) => Some(Role::Main),
        ("sub", Some(stem)) => Some(Role::Sub(stem.clone())),
        ("beside", stem) => Some(Role::Beside(stem.clone())),
        _ => None,
    }
}

/// The place of a file among those of its session, as the catalog orders them: main files, those
/// beside them, then each sub-agent's.
pub(crate) fn rank(file: &VersionFile) -> (bool, String, bool, String) {
    let stem = file.stem.clone();
    (stem.is_some(), stem.unwrap_or_default(), file.role == "beside", file.name.clone())
}

/// Whether the session itself has left its place: no main file is in its own. A part that its agent
/// left there is no session.
pub(crate) fn has_left(files: &[VersionFile], left: impl Fn(&VersionFile) -> bool) -> bool {
    let has_main = files.iter().any(|file| file.role == MAIN);
    files.iter().filter(|file| !has_main || file.role == MAIN).all(left)
}

/// Whether a file is not at its path any more. What can't be looked at, as in a folder that this
/// user may not read, is not gone.
pub(crate) fn is_gone(path: &Path) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    let error = path.symlink_metadata().err();
    error.is_some_and(|error| matches!(error.kind(), NotFound | NotADirectory))
}

/// The digest of a version: that of the content of its only file, or else of a text with a line
/// for each file: the digest of its content, two spaces, and its name, as `sha256sum` prints them.
pub(crate) fn digest(files: &[VersionFile]) -> Digest {
    if let [file] = files {
        return file.content;
    }
    let mut hasher = Hasher::default();
    for file in files {
        hasher.add(format!("{}  {}\n", file.content, file.name).as_bytes());
    }
    hasher.end()
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::is_gone;

    #[test]
    fn what_cannot_be_looked_at_is_not_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("there"), "x").unwrap();
        std::os::unix::fs::symlink("circle", path("circle")).unwrap();
        assert!(is_gone(&path("none")) && is_gone(&path("none/none")));
        assert!(is_gone(&path("there/none")), "the folder is a file now");
        assert!(!is_gone(&path("there")) && !is_gone(&path("circle")));
        assert!(!is_gone(&path("circle/none")), "the system does not say what is there");
    }
}
