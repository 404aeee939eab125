//! Roles of files as words, and the digest of a version.

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
