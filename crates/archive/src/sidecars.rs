//! Files that are kept beside sessions: an allow-list of each agent's format, and the session files
//! of some agents that verbatim does not read yet.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use catalog::Catalog;
use formats::strangers;
use session::Sorting as _;

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

/// The result of a search for these files.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// The files, each once.
    pub files: Vec<Sidecar>,
    /// Links, which are not followed.
    pub links: Vec<PathBuf>,
    /// Folders and files that can't be looked at, each with the reason.
    pub unread: Vec<(PathBuf, String)>,
}

/// Finds these files. Links are not followed.
pub(crate) fn find(catalog: &Catalog<'_>) -> Beside {
    let mut search = Search::default();
    let mut found: BTreeMap<PathBuf, Sidecar> = BTreeMap::new();
    for format in catalog.formats {
        for home in catalog.machine.homes(*format) {
            // Nothing can be said of the files in a folder that can't be read.
            if search.entries(&home).is_none() {
                continue;
            }
            for allowed in format.data().sidecars {
                search.below(&home, allowed);
            }
            for path in search.met.drain(..) {
                let (agent, name) = (format.name(), catalog::paths::relative(&path, &home));
                found.insert(path.clone(), Sidecar { agent, path, name });
            }
        }
    }
    let unread = catalog.machine.unread_agents().into_iter();
    let unread = unread.filter(|it| strangers::ARCHIVED.contains(&it.agent));
    let folders = unread.flat_map(|it| it.folders.into_iter().map(move |at| (it.agent, at)));
    for (agent, folder) in folders {
        search.walk(&folder, DEPTH);
        for path in search.met.drain(..) {
            let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            if ENDINGS.contains(&&*ending) {
                let name = catalog::paths::relative(&path, &folder);
                found.entry(path.clone()).or_insert(Sidecar { agent, path, name });
            }
        }
    }
    let Search { mut links, unread, .. } = search;
    links.in_order();
    links.dedup();
    Beside { files: found.into_values().collect(), links, unread: unread.into_iter().collect() }
}

/// A search.
#[derive(Default)]
struct Search {
    /// The files of the folder that is searched.
    met: Vec<PathBuf>,
    links: Vec<PathBuf>,
    unread: BTreeMap<PathBuf, String>,
}

impl Search {
    /// The files that an allowed path leads to, in which `*` is any name.
    fn below(&mut self, folder: &Path, allowed: &str) {
        let (first, rest) = allowed.split_once('/').map_or((allowed, None), |(a, b)| (a, Some(b)));
        let next = match first {
            "*" => self.entries(folder).unwrap_or_default(),
            name => vec![folder.join(name)],
        };
        for path in next {
            let Some(meta) = self.look(&path) else { continue };
            match rest {
                // The links on the way to a file are named where the search for sessions meets
                // them.
                Some(rest) if meta.is_dir() => self.below(&path, rest),
                None if meta.is_dir() => self.walk(&path, DEPTH),
                None => self.file(path, &meta),
                Some(_) => {}
            }
        }
    }

    fn walk(&mut self, folder: &Path, depth: usize) {
        for path in self.entries(folder).unwrap_or_default() {
            let Some(meta) = self.look(&path) else { continue };
            if meta.is_dir() && depth > 0 {
                self.walk(&path, depth - 1);
            } else {
                self.file(path, &meta);
            }
        }
    }

    fn file(&mut self, path: PathBuf, meta: &std::fs::Metadata) {
        if meta.is_file() {
            self.met.push(path);
        } else if meta.is_symlink() {
            self.links.push(path);
        }
    }

    /// The metadata of a path; `None` if it is not there, or can't be looked at.
    fn look(&mut self, path: &Path) -> Option<std::fs::Metadata> {
        let meta = path.symlink_metadata();
        meta.map_err(|error| self.note(path, &error)).ok()
    }

    /// The entries of a folder, sorted; `None` if it is not there, or can't be read.
    fn entries(&mut self, folder: &Path) -> Option<Vec<PathBuf>> {
        let entries = folder.read_dir().map_err(|error| self.note(folder, &error)).ok()?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.in_order();
        Some(paths)
    }

    fn note(&mut self, path: &Path, error: &std::io::Error) {
        if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) {
            self.unread.insert(path.into(), format!("cannot be read: {error}"));
        }
    }
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
