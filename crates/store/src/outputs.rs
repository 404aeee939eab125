//! Files that verbatim itself has written, remembered in its state folder: a later run replaces
//! them with `--force`, and never takes one for a part of the session that it was made from.
//!
//! A file is known by its path, its length and the time of its last change. If anybody else changes
//! it, it is theirs.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use sha2::{Digest as _, Sha256};

use crate::{atomic, ground};

/// Remembers a file that was written.
///
/// # Errors
/// The state folder can't be written; the file is then nobody's.
pub fn note(state: &Path, path: &Path) -> io::Result<()> {
    // The home of `.local/state/verbatim` is nothing that verbatim makes.
    state.ancestors().nth(3).unwrap_or(state).metadata()?;
    ground::is_own(&state.join("outputs")).map_err(io::Error::other)?;
    let path = path.canonicalize()?;
    let text = about(&path.metadata()?);
    atomic::put(&entry(state, &path), &mut |sink| sink.write_all(text.as_bytes()), true)?;
    Ok(())
}

/// Whether verbatim has written this file, and nobody has changed it since.
#[must_use]
pub fn is_noted(state: &Path, path: &Path) -> bool {
    let known = || {
        let path = path.canonicalize().ok()?;
        let noted = std::fs::read_to_string(entry(state, &path)).ok()?;
        Some(noted == about(&path.metadata().ok()?))
    };
    known().unwrap_or(false)
}

/// The note of a file. Its name is a digest: a path may be longer than a name.
fn entry(state: &Path, path: &Path) -> PathBuf {
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let name: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    state.join("outputs").join(name)
}

fn about(meta: &Metadata) -> String {
    let changed = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{} {}\n", meta.len(), changed.unwrap_or_default().as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_until_somebody_changes_it() {
        let temp = tempfile::tempdir().unwrap();
        let (state, path) = (temp.path().join("state"), temp.path().join("a"));
        std::fs::write(&path, "one").unwrap();
        assert!(!is_noted(&state, &path));
        note(&state, &path).unwrap();
        assert!(is_noted(&state, &path));
        std::fs::write(&path, "more").unwrap();
        assert!(!is_noted(&state, &path));
        std::fs::write(temp.path().join("b"), "one").unwrap();
        assert!(!is_noted(&state, &temp.path().join("b")));
        note(&state, &temp.path().join("nowhere")).unwrap_err();
    }
}
