//! Files that are kept beside sessions: an allow-list of each agent's format, and the session files
//! of agents that verbatim does not read yet.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catalog::Catalog;

/// Greatest depth of folders below an allowed one.
const DEPTH: usize = 8;

/// Endings of files that agents which are not read write their sessions to.
const ENDINGS: &[&str] = &["json", "jsonl", "ndjson", "md", "pb", "txt"];

/// A file that is kept beside sessions.
#[derive(Clone, Debug)]
pub(crate) struct Sidecar {
    /// The agent.
    pub agent: &'static str,
    pub path: PathBuf,
    /// Its name within the agent's home.
    pub name: String,
}

/// Finds these files, each once. Links are not followed.
pub(crate) fn find(catalog: &Catalog<'_>) -> Vec<Sidecar> {
    let mut found: BTreeMap<PathBuf, Sidecar> = BTreeMap::new();
    for format in catalog.formats {
        for home in catalog.machine.homes(*format) {
            let agent = format.name();
            for allowed in format.data().sidecars {
                below(&home, allowed, &mut |path| {
                    let name = catalog::paths::relative(&path, &home);
                    found.insert(path.clone(), Sidecar { agent, path, name });
                });
            }
        }
    }
    for (agent, folder) in catalog.machine.unread_agents() {
        walk(&folder, DEPTH, &mut |path| {
            let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            if ENDINGS.contains(&&*ending) {
                let name = catalog::paths::relative(&path, &folder);
                found.entry(path.clone()).or_insert(Sidecar { agent, path, name });
            }
        });
    }
    found.into_values().collect()
}

/// The files that an allowed path leads to, in which `*` is any name.
fn below(folder: &Path, allowed: &str, met: &mut dyn FnMut(PathBuf)) {
    let (first, rest) = allowed.split_once('/').map_or((allowed, None), |(a, b)| (a, Some(b)));
    let next = match first {
        "*" => entries(folder),
        name => vec![folder.join(name)],
    };
    for path in next {
        let Ok(meta) = path.symlink_metadata() else { continue };
        match rest {
            Some(rest) if meta.is_dir() => below(&path, rest, met),
            None if meta.is_dir() => walk(&path, DEPTH, met),
            None if meta.is_file() => met(path),
            _ => {}
        }
    }
}

fn walk(folder: &Path, depth: usize, met: &mut dyn FnMut(PathBuf)) {
    for path in entries(folder) {
        let Ok(meta) = path.symlink_metadata() else { continue };
        if meta.is_dir() && depth > 0 {
            walk(&path, depth - 1, met);
        } else if meta.is_file() {
            met(path);
        }
    }
}

/// The entries of a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Least length of an id that a name is searched for: a shorter one may be in any name.
const SHORTEST: usize = 8;

/// Whether the name of a file has the id of a session as a whole word.
pub(crate) fn has_id(name: &str, id: &str) -> bool {
    let is_apart = |(at, _): (usize, &str)| {
        let is_part = |char: char| char.is_alphanumeric();
        !name[..at].ends_with(is_part) && !name[at + id.len()..].starts_with(is_part)
    };
    id.len() >= SHORTEST && name.match_indices(id).any(is_apart)
}
