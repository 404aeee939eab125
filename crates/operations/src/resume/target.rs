//! The paths of a session's files in its agent's store.

use std::path::{Path, PathBuf};

use catalog::Error;
use formats::resume::PlacementContext;
use formats::{Content, Written};
use session::Sorting as _;

use super::{ResumePlan, refused};

/// The path of each written file below the agent's home, and its bytes.
pub(super) fn targets(
    plan: &ResumePlan,
    place: fn(&PlacementContext<'_>, &str) -> Option<String>,
    home: &Path,
    (written, history_from): (&Written, Option<usize>),
) -> Result<Vec<(PathBuf, Content)>, Error> {
    let (read, list) = (|path: &str| read_below(home, path), |path: &str| list_below(home, path));
    let (id, folder) = (&plan.id, &plan.folder);
    let mut files: Vec<(PathBuf, Content)> = Vec::new();
    for (at_file, (name, content)) in written.files.iter().enumerate() {
        let (main, begun) = (at_file == 0, plan.begun);
        let at = PlacementContext { id, folder, files: &[], main, begun, read: &read, list: &list };
        let Some(below) = place(&at, name).filter(|below| is_safe(below)) else {
            let what = format!("{name:?} has no place in {}'s folder", plan.agent);
            return refused(what, "convert it to files: `verbatim convert`");
        };
        let path = home.join(below);
        // The history that a session continues may be there already, in its own session.
        let history = plan.from == plan.agent && history_from.is_some_and(|from| at_file >= from);
        if history && std::fs::read(&path).is_ok_and(|there| *there == **content) {
            continue;
        }
        // A session that is in two folders has its file twice.
        match files.iter_mut().find(|(known, _)| *known == path) {
            Some((_, known)) => match joined(known, content) {
                Some(both) => *known = both,
                None => {
                    let what = format!("{name} and another file of it differ, and have one place");
                    return refused(what, "convert it to files: `verbatim convert`");
                }
            },
            None => files.push((path, content.clone())),
        }
    }
    Ok(files)
}

/// Two files of one session as one: the longer one, if the other is its beginning; else the lines
/// of the first, and those of the second that are not among them. `None` if they are not lines.
fn joined(one: &Content, other: &Content) -> Option<Content> {
    if one.starts_with(other) {
        return Some(one.clone());
    }
    if other.starts_with(one) {
        return Some(other.clone());
    }
    let is_line = |line: &[u8]| line.trim_ascii_start().starts_with(b"{");
    let lines = |all: &Content| -> Vec<Vec<u8>> {
        let lines = all.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        lines.map(<[u8]>::to_vec).collect()
    };
    let (mut all, more) = (lines(one), lines(other));
    if !all.iter().chain(&more).all(|line| is_line(line)) {
        return None;
    }
    let known: std::collections::HashSet<Vec<u8>> = all.iter().cloned().collect();
    all.extend(more.into_iter().filter(|line| !known.contains(line)));
    let mut joined = all.join(&b'\n');
    joined.push(b'\n');
    Some(joined.into())
}

/// Whether an agent could have given an id: letters, digits, `.`, `_` and `-`, and no option.
pub(super) fn is_plain(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    !id.is_empty() && !id.starts_with(['-', '.']) && id.bytes().all(plain)
}

/// Whether a relative path stays in its folder, whatever the session's texts say.
fn is_safe(path: &str) -> bool {
    path.split('/').all(|part| {
        let plain = |c: char| !c.is_control() && c != '\\';
        !part.is_empty() && part.len() <= 255 && !part.starts_with('.') && part.chars().all(plain)
    })
}

/// Greatest length of a file of the agent's that is read for its rules, in bytes.
const SMALL: u64 = 1 << 20;

fn read_below(home: &Path, path: &str) -> Option<Vec<u8>> {
    let path = Some(home.join(path)).filter(|_| is_safe_or_hidden(path))?;
    let fits = path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= SMALL);
    if fits { std::fs::read(path).ok() } else { None }
}

/// As [`is_safe`]; the agent's own names may begin with a point.
fn is_safe_or_hidden(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').map(|part| part.trim_start_matches('.')).collect();
    is_safe(&parts.join("/"))
}

fn list_below(home: &Path, path: &str) -> Vec<String> {
    let found = std::fs::read_dir(home.join(path)).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        found.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.in_order();
    names
}

#[cfg(test)]
mod tests {
    use std::path::Component;

    use super::*;

    #[test]
    fn hostile_ids_are_no_options_and_no_paths() {
        let Some(path) = samples::shared("vectors/hostile/session-ids.json") else { return };
        let text = std::fs::read_to_string(path).unwrap();
        let ids: Vec<String> = serde_json::from_str(&text).unwrap();
        let below = Path::new("/home/ana/.agent");
        for id in ids.iter().filter(|id| is_safe(&format!("{id}.json"))) {
            let path = below.join(format!("{id}.json"));
            let mut parts = path.strip_prefix(below).expect("below").components();
            assert!(parts.all(|part| matches!(part, Component::Normal(_))), "{id:?}");
        }
        let plain: Vec<&String> = ids.iter().filter(|id| is_plain(id)).collect();
        assert!(plain.iter().all(|id| !id.starts_with('-')), "{plain:?}");
        assert!(plain.len() < ids.len() / 2);
        assert!(!is_safe("a/../b") && !is_safe("/etc/x") && !is_safe(""));
    }
}
