//! Paths as sessions name them: absolute, and with `/` between their parts.

use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

/// A path as a walk from the root shows it.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    // Nearly all are, and this test runs for every file.
    if MAIN_SEPARATOR == '/'
        && let Some(parts) = path.to_str().and_then(|text| text.strip_prefix('/'))
        && parts.split('/').all(|part| !matches!(part, "" | "." | ".."))
    {
        return path.to_path_buf();
    }
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let turns = whole.components().any(|part| part == Component::ParentDir);
    if turns { whole.canonicalize().unwrap_or(whole) } else { whole }
}

/// A path with `/` between its parts, whatever the system writes.
pub(crate) fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace('\\', "/") }
}

/// The path from a folder on, as a bundle names it.
pub(crate) fn relative(path: &Path, base: &Path) -> String {
    // Nearly all paths begin with their folder's to the letter.
    if MAIN_SEPARATOR == '/'
        && let (Some(path), Some(base)) = (path.to_str(), base.to_str())
        && let Some(rest) = path.strip_prefix(base).and_then(|rest| rest.strip_prefix('/'))
        && !rest.starts_with(['/', '.'])
    {
        return rest.to_owned();
    }
    slashed(path.strip_prefix(base).unwrap_or(path))
}
