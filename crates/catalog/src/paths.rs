//! Paths in the form that formats expect: absolute, with `/` between their parts.

use std::borrow::Cow;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};

/// A path in the form that formats expect: absolute, with `/` between its parts.
pub(crate) fn shown(path: &Path) -> Cow<'_, str> {
    plain(path).map_or_else(|| slashed(&absolute(path)).into(), Cow::Borrowed)
}

/// The text of a path that already has this form. Nearly all paths have it, and every file is
/// tested.
fn plain(path: &Path) -> Option<&str> {
    let text = path.to_str().filter(|_| MAIN_SEPARATOR == '/')?;
    let mut parts = text.strip_prefix('/')?.split('/');
    parts.all(|part| !matches!(part, "" | "." | "..")).then_some(text)
}

/// The absolute path, without `.` and `..`.
#[must_use]
pub fn absolute(path: &Path) -> PathBuf {
    if plain(path).is_some() {
        return path.to_path_buf();
    }
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let whole: PathBuf = whole.components().collect();
    let turns = |path: &Path| path.components().any(|part| part == Component::ParentDir);
    if !turns(&whole) {
        return whole;
    }
    // Of the folders that exist, one may be a link: only the system knows where it leads.
    let there = whole.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    let Some((above, mut real)) = there else { return whole };
    for part in whole.strip_prefix(above).unwrap_or(Path::new("")).components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            part => real.push(part),
        }
    }
    real
}

/// A path with `/` between its parts, whatever the system writes.
pub fn slashed(path: &Path) -> String {
    let text = path.to_string_lossy();
    if MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace('\\', "/") }
}

/// The path relative to a folder, as a bundle names its members.
pub fn relative(path: &Path, base: &Path) -> String {
    // Fast way: nearly all paths begin with exactly the text of their folder.
    if MAIN_SEPARATOR == '/'
        && let (Some(path), Some(base)) = (path.to_str(), base.to_str())
        && let Some(rest) = path.strip_prefix(base).and_then(|rest| rest.strip_prefix('/'))
        && !rest.starts_with(['/', '.'])
    {
        return rest.to_owned();
    }
    slashed(path.strip_prefix(base).unwrap_or(path))
}
