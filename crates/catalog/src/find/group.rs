//! Grouping of files into sessions: by the group that the format names, by the agent's home, and by
//! the parent groups that files record.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::BuildHasher as _;
use std::path::{Component, Path, PathBuf};

use foldhash::fast::RandomState;
use formats::{Format, Role};
use session::Sorting as _;

use crate::find::environment::Root;
use crate::find::found::Claimed;
use crate::open::source::{Source, SourceFile};

/// Scope within which equal ids mean one session.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Home {
    /// All places of an agent, if it spreads the files of one session over several of them.
    Own,
    /// The agent's home.
    At(PathBuf),
    /// Below this root: the path contains no folder of the agent.
    Below(PathBuf),
}

/// A format, the index of a home, and a group.
type Key = (&'static str, usize, String);

/// The sources that a scan has found so far.
#[derive(Default)]
pub(crate) struct Groups {
    sources: Vec<Source>,
    /// Index of the home of each source.
    housed: Vec<usize>,
    /// Index in `sources` of the source with a key, by the hash of the key: there may be very many.
    places: HashMap<u64, usize, RandomState>,
    /// The parent of a group, if a file recorded one.
    above: HashMap<Key, String>,
    homes: Homes,
}

/// The homes that a scan has found so far.
#[derive(Default)]
struct Homes {
    known: Vec<Home>,
    /// Index in `known` of a home.
    places: HashMap<Home, usize>,
    /// The home of the last file, with the file's format, root and folder. Most files are in the
    /// same folder as the file before, so this saves a lookup.
    last: Option<(&'static str, [PathBuf; 2], usize)>,
}

impl Homes {
    /// Index of the home of a file.
    fn of(&mut self, format: &'static dyn Format, root: &Root, file: &SourceFile) -> usize {
        if is_own(format, root) {
            return self.put(Home::Own);
        }
        let name = format.name();
        let folder = file.path.parent().unwrap_or(Path::new(""));
        // Compared as bytes: comparing paths part by part costs more.
        let same = |known: &Path, path: &Path| known.as_os_str() == path.as_os_str();
        if let Some((last, [last_root, beside], at)) = &self.last
            && *last == name
            && file.rows.is_none()
            && same(last_root, &root.path)
            && same(beside, folder)
        {
            return *at;
        }
        let below = || Home::Below(root.path.clone());
        let at = self.put(home(format, file).map_or_else(below, Home::At));
        if file.rows.is_none() {
            self.last = Some((name, [root.path.clone(), folder.to_path_buf()], at));
        }
        at
    }

    fn put(&mut self, home: Home) -> usize {
        let next = self.known.len();
        let at = *self.places.entry(home.clone()).or_insert(next);
        if at == next {
            self.known.push(home);
        }
        at
    }
}

/// Maximum number of steps from a group to the group of its session.
const LEVELS: usize = 8;

impl Groups {
    /// Adds a file that a format has claimed for a group, which may be a part of another.
    pub(crate) fn add(&mut self, root: &Root, claimed: Claimed) {
        let Claimed { format, group, above, file } = claimed;
        let key = (format.name(), self.homes.of(format, root, &file), group);
        if let Some(above) = above {
            self.above.insert(key.clone(), above);
        }
        self.put(key, format, vec![file]);
    }

    fn put(&mut self, key: Key, format: &'static dyn Format, files: Vec<SourceFile>) {
        let mut hash = self.places.hasher().hash_one(&key);
        // Of keys with one hash, the second is at the next number.
        while let Some(at) = self.places.get(&hash) {
            let source = &mut self.sources[*at];
            if (source.format.name(), self.housed[*at], &source.group) == (key.0, key.1, &key.2) {
                return source.files.extend(files);
            }
            hash = hash.wrapping_add(1);
        }
        self.places.insert(hash, self.sources.len());
        self.sources.push(Source { format, group: key.2, files });
        self.housed.push(key.1);
    }

    /// The sources, with each group's files moved to its topmost parent group.
    pub(crate) fn finish(self) -> Vec<Source> {
        let whole = if self.above.is_empty() { self } else { self.raised() };
        let is_below = |home: &Home| matches!(home, Home::Below(_));
        if !whole.homes.known.iter().any(is_below) {
            return whole.sources;
        }
        let mut sources = Vec::with_capacity(whole.sources.len());
        for (home, source) in whole.housed.into_iter().zip(whole.sources) {
            match whole.homes.known.get(home) {
                Some(Home::Below(_)) => apart(source, &mut sources),
                _ => sources.push(source),
            }
        }
        sources
    }

    /// Moves the files of each group to its topmost parent group.
    fn raised(self) -> Self {
        let mut whole = Self { homes: self.homes, ..Self::default() };
        for (home, source) in self.housed.into_iter().zip(self.sources) {
            let (name, mut group) = (source.format.name(), source.group);
            // The number of steps is limited, because hostile files may make a group its own
            // ancestor.
            for _ in 0..LEVELS {
                let key = (name, home, group);
                let above = self.above.get(&key).cloned();
                group = key.2;
                match above {
                    Some(above) => group = above,
                    None => break,
                }
            }
            whole.put((name, home, group), source.format, source.files);
        }
        whole
    }
}

/// Splits a group whose files are in no agent's home: copies of one session in several folders are
/// several sessions. If several main files have the same name, the files are divided by folder.
fn apart(source: Source, sources: &mut Vec<Source>) {
    let mut names: HashSet<&str> = HashSet::new();
    let mut mains = source.files.iter().filter(|file| file.role == Role::Main);
    // Most sessions are one file.
    if source.files.len() < 2 || mains.all(|file| names.insert(&file.name)) {
        return sources.push(source);
    }
    let Some(shared) = shared(&source.files) else { return };
    let branch = |file: &SourceFile| {
        let below = file.path.strip_prefix(&shared).ok()?;
        let mut parts = below.components();
        parts.next().filter(|_| parts.next().is_some()).map(|part| part.as_os_str().to_owned())
    };
    let mut branches: BTreeMap<_, Vec<SourceFile>> = BTreeMap::new();
    for file in &source.files {
        branches.entry(branch(file)).or_default().push(file.clone());
    }
    if branches.len() < 2 {
        return sources.push(source);
    }
    // Each branch has fewer files than the whole, so the recursion ends. Files of branches without
    // a main file are added afterwards.
    let is_main = |file: &SourceFile| file.role == Role::Main;
    let (mains, others): (Vec<_>, Vec<_>) =
        branches.into_values().partition(|files| files.iter().any(is_main));
    let first = sources.len();
    for files in mains {
        apart(Source { format: source.format, group: source.group.clone(), files }, sources);
    }
    // A file without a main file in its own folder belongs to the first main file.
    if let Some(first) = sources.get_mut(first) {
        first.files.extend(others.into_iter().flatten());
    }
}

/// The folder that holds all these files.
pub(crate) fn shared(files: &[SourceFile]) -> Option<PathBuf> {
    let mut shared = files.first()?.path.parent()?.to_path_buf();
    for file in &files[1..] {
        while !file.path.starts_with(&shared) && shared.pop() {}
    }
    Some(shared)
}

/// Whether equal ids in all of the agent's default places mean one session. It is true for agents
/// that keep files and rows of one session in different places.
fn is_own(format: &dyn Format, root: &Root) -> bool {
    let named = root.format.is_some_and(|own| own.name() == format.name());
    named && format.is_spread(root.variable)
}

/// The agent's home that a file is in. Sessions with the same id in two homes are two sessions.
fn home(format: &dyn Format, file: &SourceFile) -> Option<PathBuf> {
    // For a database outside the agent's folders: the folder of the database, if it contains them.
    let beside = || {
        let folder = file.rows.as_ref().and_then(|_| file.path.parent())?;
        leaves(format).any(|leaf| folder.join(leaf).is_dir()).then_some(folder)
    };
    // The database itself may be one of the places; any other file is inside a place.
    let place = if file.rows.is_some() { &file.path } else { file.path.parent()? };
    let within = homes(format, place).pop().map(|(home, _)| home);
    within.or_else(beside).map(Path::to_path_buf)
}

fn leaves(format: &dyn Format) -> impl Iterator<Item = &'static str> {
    format.data().places.iter().flat_map(|place| place.leaves).copied()
}

/// An agent's home, with the leaves of its place.
type AgentHome<'p> = (&'p Path, &'static [&'static str]);

/// Greatest number of parts of a path below a leaf of its agent: a project, a session, the folders
/// of its sub-agents and of their runs, and a file.
const BELOW: usize = 6;

/// The agent's homes that a path is in, the nearest first, each with the leaves of its place.
///
/// A leaf may have a common name (`projects`, `tmp`), so a folder with it is a home only if the
/// path is in no home of the agent's own name (`.claude/projects`), and near enough.
fn homes<'p>(format: &dyn Format, path: &'p Path) -> Vec<AgentHome<'p>> {
    let own = |(home, _): &AgentHome<'_>| {
        let mut named = format.data().places.iter().filter(|place| !place.folder.is_empty());
        named.any(|place| home.ends_with(place.folder))
    };
    let (named, others): (Vec<_>, Vec<_>) =
        folders_with_leaf(format, path).partition(|(_, home)| own(home));
    let is_root = |home: &Path| home.has_root() && home.parent().is_none();
    let is_near = |(below, (home, _)): &(usize, AgentHome<'_>)| *below <= BELOW && !is_root(home);
    let found = match named.is_empty() {
        true => others.into_iter().filter(is_near).collect(),
        false => named,
    };
    found.into_iter().map(|(_, home)| home).collect()
}

/// The folders above a path that have a leaf of the agent, the nearest first, each with the number
/// of the path's parts below the leaf.
fn folders_with_leaf<'p>(
    format: &dyn Format,
    path: &'p Path,
) -> impl Iterator<Item = (usize, AgentHome<'p>)> {
    let of = |(below, folder): (usize, &'p Path)| {
        // The longest leaf counts, because one leaf may be the end of another.
        let places = format.data().places.iter();
        let leaves = places.flat_map(|place| place.leaves.iter().map(|leaf| (*leaf, place.leaves)));
        // Few folders end with a leaf. Comparing the last byte excludes most of them cheaply.
        let last = folder.as_os_str().as_encoded_bytes().last();
        let ends =
            leaves.filter(|(leaf, _)| leaf.as_bytes().last() == last && folder.ends_with(leaf));
        let depths = ends.map(|(leaf, leaves)| (leaf.split('/').count(), leaves));
        let (depth, leaves) = depths.max_by_key(|(depth, _)| *depth)?;
        Some((below, (folder.ancestors().nth(depth)?, leaves)))
    };
    path.ancestors().enumerate().filter_map(of)
}

/// The paths to search for sessions in the home of a file: its folders, and the files in it that
/// may be databases.
pub(crate) fn around(format: &dyn Format, file: &Path) -> Vec<PathBuf> {
    let Some((home, leaves)) = homes(format, file).into_iter().next() else { return Vec::new() };
    let folders = leaves.iter().map(|leaf| home.join(leaf)).filter(|folder| folder.is_dir());
    let beside = if format.data().databases.is_empty() { Vec::new() } else { files(home) };
    let around: BTreeSet<PathBuf> = folders.chain(beside).collect();
    around.into_iter().collect()
}

/// The sibling folders with these names, if the file's own folder is one of them.
pub(crate) fn store(file: &Path, names: &[&str]) -> Vec<PathBuf> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let named = folder.file_name().is_some_and(|name| names.iter().any(|known| *known == name));
    let store = folder.parent().filter(|_| named).into_iter();
    let folders = store.flat_map(|store| names.iter().map(|name| store.join(name)));
    folders.filter(|folder| folder.is_dir()).collect()
}

/// The folder that is named after a group: `folder` itself, or its subfolder of that name.
pub(crate) fn below(folder: &Path, group: &str) -> Option<PathBuf> {
    if folder.file_name().is_some_and(|name| name == group) {
        return Some(folder.to_path_buf());
    }
    let mut parts = Path::new(group).components();
    let is_name = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    Some(folder.join(group)).filter(|below| is_name && below.is_dir())
}

/// The files directly in a folder, sorted by name.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(shown).into_iter().flatten().flatten();
    let paths = entries.map(|entry| folder.join(entry.file_name()));
    let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    files.in_order();
    files
}
