//! Search for the sessions of single files: in the file's folder, and in the other places that its
//! format names. Each folder is listed once and each file is probed once, however many files are
//! given.
//!
//! A scan of these folders would open every file in them. This search opens the named files, and of
//! their neighbours only those that may be of the same session by their names.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::{Format, Formats, Reach, Role};
use session::Sorting as _;

use crate::find::environment::Root;
use crate::find::found::{Claimed, Found, SkipReason, Skipped};
use crate::find::group;
use crate::find::scan::{Asked, Scan, ask};
use crate::find::walk::{Met, Seen, walk};
use crate::open::ends::Kept;
use crate::open::source::{Source, SourceFile};
use crate::paths::{absolute, slashed};

/// The sessions that these files belong to, each once, with all of their files. Neighbouring files
/// that are not part of a session are omitted.
#[must_use]
pub fn siblings(formats: Formats<'_>, files: &[&Path]) -> Found {
    let mut around = Around::new(formats);
    // Each file is a walk of its own: one may be another name of another.
    around.ask_all(files.iter().flat_map(|file| walked(&[file.to_path_buf()])).collect());
    let mut found = Found::default();
    let mut parts = Vec::new();
    for file in files {
        let (mut claims, why) = around.ask(file);
        found.skipped.extend(why.into_iter().map(|why| Skipped { path: file.into(), why }));
        match claims.len() {
            1 => parts.extend(claims.pop().map(|own| around.part(own))),
            // A database may hold several sessions, and a file beside one may belong to any of
            // them.
            _ => found.sources.extend(joined(claims, file).sources),
        }
    }
    around.list_names(&parts);
    around.look_beside(&parts);
    let asked: HashSet<&Path> = files.iter().copied().collect();
    let mut done = HashSet::new();
    for part in &parts {
        if !matches!(part.place, Place::Whole(_)) && !done.insert(part.key()) {
            continue;
        }
        let Found { mut sources, skipped } = around.whole(part);
        named(&mut sources, &part.own.file);
        found.skipped.extend(skipped.into_iter().filter(|skipped| asked.contains(&*skipped.path)));
        found.sources.extend(sources);
    }
    let mut known = HashSet::new();
    found.sources.retain(|source| {
        let paths: Vec<_> = source.files.iter().map(|file| file.path.clone()).collect();
        known.insert((source.format.name(), source.group.clone(), paths))
    });
    found
}

/// A named file that is a part of one session.
struct Part {
    own: Claimed,
    place: Place,
}

/// Search area for the other files of a session.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Place {
    /// The file's folder.
    Folder(PathBuf),
    /// The file's folder, and in these folders every file whose name contains the group's name.
    Named(PathBuf, Vec<PathBuf>),
    /// Every file in these folders.
    Whole(Vec<PathBuf>),
}

impl Part {
    /// Whether the file is a session by itself: its group is named after it.
    fn is_alone(&self) -> bool {
        let shown = slashed(&absolute(&self.own.file.path));
        shown.strip_suffix(".zst").unwrap_or(&shown) == self.own.group
    }

    fn key(&self) -> (Vec<PathBuf>, &'static str, String) {
        let mut folders = match &self.place {
            Place::Folder(folder) => vec![folder.clone()],
            Place::Named(_, folders) | Place::Whole(folders) => folders.clone(),
        };
        if is_alone(self.own.format, &self.own.file) {
            folders.push(self.own.file.path.to_path_buf());
        }
        (folders, self.own.format.name(), self.own.group.clone())
    }
}

/// State of the search: visited folders and files.
struct Around<'f> {
    formats: Formats<'f>,
    /// The claims to each file that was probed, and notes on it.
    asked: HashMap<Arc<Path>, (Vec<Claimed>, Vec<SkipReason>)>,
    /// The neighbours of files, by folder.
    folders: HashMap<PathBuf, Folder>,
    names: Names,
    wholes: HashMap<Vec<PathBuf>, Whole>,
}

/// Files whose names contain the name of a group, by the searched folders and the group.
type Names = HashMap<(Vec<PathBuf>, String), Vec<Arc<Path>>>;

/// The files directly in a folder that were probed, by format and group.
type Folder = HashMap<(&'static str, String), Vec<Claimed>>;

/// All sessions in some folders that were not returned yet, and the session of each file.
struct Whole {
    sources: Vec<Option<Source>>,
    files: HashMap<PathBuf, usize>,
}

impl<'f> Around<'f> {
    fn new(formats: Formats<'f>) -> Self {
        let (asked, folders, names, wholes) = Default::default();
        Self { formats, asked, folders, names, wholes }
    }

    /// Probes files that were not probed yet.
    fn ask_all(&mut self, met: Vec<Met>) {
        let root = Root::named("");
        for Asked { path, claims, notes } in ask(self.formats, rooted(&root, met), &Kept::nothing())
        {
            self.asked.insert(path, (claims, notes));
        }
    }

    /// Claims to a file, and notes on it.
    fn ask(&mut self, file: &Path) -> (Vec<Claimed>, Vec<SkipReason>) {
        if !self.asked.contains_key(file) {
            self.ask_all(walked(&[file.to_path_buf()]));
        }
        let Some((claims, notes)) = self.asked.get_mut(file) else { return Default::default() };
        (claims.clone(), std::mem::take(notes))
    }

    /// Probes the neighbours of files that may be of the same sessions, by their names.
    fn look_beside(&mut self, parts: &[Part]) {
        let mut wanted: BTreeMap<PathBuf, Beside<'_>> = BTreeMap::new();
        for part in parts.iter().filter(|part| !part.is_alone()) {
            let (Place::Folder(folder) | Place::Named(folder, _)) = &part.place else { continue };
            wanted.entry(folder.clone()).or_default().add(part);
        }
        for (folder, beside) in wanted {
            let files = names(&folder).into_iter().filter(|name| beside.takes(name));
            let files: Vec<Arc<Path>> = files.map(|name| folder.join(name).into()).collect();
            let new = files.iter().filter(|file| !self.asked.contains_key(*file));
            self.ask_all(new.cloned().map(Met::File).collect());
            let mut groups = Folder::new();
            for file in files {
                for claimed in self.asked.get(&file).into_iter().flat_map(|(claims, _)| claims) {
                    let key = (claimed.format.name(), claimed.group.clone());
                    groups.entry(key).or_default().push(claimed.clone());
                }
            }
            self.folders.insert(folder, groups);
        }
    }

    /// The search area for the other files of a session. A file in an agent's home is probed by its
    /// absolute path, as the others there are.
    fn part(&mut self, own: Claimed) -> Part {
        let given = own.file.path.clone();
        let folder = given.parent().unwrap_or(Path::new("")).to_path_buf();
        let beside = match own.format.data().reach {
            Reach::Folder => return Part { own, place: Place::Folder(folder) },
            Reach::Named => &[][..],
            Reach::Whole(beside) => beside,
        };
        let whole = absolute(&given);
        let mut folders = group::around(own.format, &whole);
        if folders.is_empty() {
            folders = group::store(&whole, beside);
        }
        let shown = slashed(&whole);
        // If the group's name is the file's own path, the file is a session by itself.
        let alone = shown.strip_suffix(".zst").unwrap_or(&shown) == own.group;
        if folders.is_empty() || own.file.rows.is_some() || alone {
            return Part { own, place: Place::Folder(folder) };
        }
        let own = if *whole == *given { own } else { self.ask(&whole).0.pop().unwrap_or(own) };
        let folder = own.file.path.parent().unwrap_or(Path::new("")).to_path_buf();
        let named = own.format.data().reach == Reach::Named;
        let place = if named { Place::Named(folder, folders) } else { Place::Whole(folders) };
        Part { own, place }
    }

    /// Finds the files whose names, or whose folders' names, contain the name of a session. It
    /// opens none of them.
    fn list_names(&mut self, parts: &[Part]) {
        let mut wanted: BTreeMap<&[PathBuf], HashSet<&str>> = BTreeMap::new();
        for part in parts {
            if let Place::Named(_, folders) = &part.place {
                wanted.entry(folders).or_default().insert(&part.own.group);
            }
        }
        for (folders, groups) in wanted {
            let lengths: BTreeSet<usize> = groups.iter().map(|group| group.len()).collect();
            let mut seen = Seen::default();
            for folder in folders {
                walk(folder, &[], &mut seen, &mut |each| {
                    let Met::File(path) = each else { return };
                    // The folder of sub-agents may be named after their session.
                    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    let name = format!("{}/{name}", folder.to_string_lossy());
                    // Each substring is looked up once: an id of one letter may occur many times in
                    // a name.
                    let places = lengths.iter().flat_map(|&length| {
                        (0..name.len()).filter_map(move |at| Some((at, at.checked_add(length)?)))
                    });
                    let windows = places.filter_map(|(at, end)| name.get(at..end));
                    let named: BTreeSet<&str> =
                        windows.filter(|window| groups.contains(window)).collect();
                    for group in named {
                        let files = self.names.entry((folders.to_vec(), group.to_owned()));
                        files.or_default().push(path.clone());
                    }
                });
            }
        }
    }

    /// The session that a file is a part of, with its other files.
    fn whole(&mut self, part: &Part) -> Found {
        let (format, group) = (part.own.format, &part.own.group);
        let (folder, named) = match &part.place {
            Place::Whole(folders) => return self.holding(part, folders),
            Place::Folder(folder) => (folder, None),
            Place::Named(folder, folders) => {
                (folder, self.names.get(&(folders.clone(), group.clone())))
            }
        };
        let mut met = group::below(folder, group).map(|below| walked(&[below])).unwrap_or_default();
        let named = named.into_iter().flatten();
        met.extend(named.cloned().map(Met::File));
        let root = Root::named(folder);
        let elsewhere = ask(self.formats, rooted(&root, met), &Kept::nothing()).into_iter();
        let is_own = |own: &Claimed| own.format.name() == format.name() && own.group == *group;
        let beside = self.folders.get(folder);
        let beside = beside.and_then(|listed| listed.get(&(format.name(), group.clone())));
        let mut all = vec![part.own.clone()];
        all.extend(beside.into_iter().flatten().cloned());
        all.extend(elsewhere.flat_map(|asked| asked.claims).filter(is_own));
        let mut real = HashSet::new();
        all.retain(|claimed| real.insert(canonical(&claimed.file.path)));
        joined(all, &part.own.file.path)
    }

    /// The session that contains a file, among all sessions in some folders.
    fn holding(&mut self, part: &Part, folders: &[PathBuf]) -> Found {
        let formats = self.formats;
        let own = |own: &Claimed| own.format.name() == part.own.format.name();
        let whole = self.wholes.entry(folders.to_vec()).or_insert_with(|| {
            let claims = look(formats, folders).into_iter().flat_map(|asked| asked.claims);
            let sources = joined(claims.filter(own).collect(), &part.own.file.path).sources;
            let files = sources.iter().enumerate().flat_map(|(at, source)| {
                source.files.iter().map(move |file| (canonical(&file.path), at))
            });
            let files = files.collect();
            Whole { files, sources: sources.into_iter().map(Some).collect() }
        });
        match whole.files.get(&canonical(&part.own.file.path)) {
            Some(&at) => Found {
                sources: whole.sources[at].take().into_iter().collect(),
                skipped: Vec::new(),
            },
            None => joined(vec![part.own.clone()], &part.own.file.path),
        }
    }
}

/// The neighbours in a folder that are probed, by their names.
#[derive(Default)]
struct Beside<'p> {
    formats: Vec<&'static dyn Format>,
    /// The names of the groups. A file with the id of another session is not probed.
    groups: BTreeSet<&'p str>,
    /// Whether a main file of any name may belong to a session.
    mains: bool,
}

impl<'p> Beside<'p> {
    fn add(&mut self, part: &'p Part) {
        let own = part.own.format;
        if !self.formats.iter().any(|format| format.name() == own.name()) {
            self.formats.push(own);
        }
        self.groups.extend(part.own.group.rsplit('/').next());
        self.mains |= !is_alone(own, &part.own.file);
    }

    fn takes(&self, name: &str) -> bool {
        self.formats.iter().any(|format| match (format.data().id_in_name)(name) {
            // The name may have the beginning of the id only.
            Some(id) => {
                let next = self.groups.range(id..).next();
                next.is_some_and(|group| group.starts_with(id))
            }
            None => self.mains || (format.data().may_be_beside)(name),
        })
    }
}

/// The names of the files directly in a folder, sorted. A link to a file is one.
fn names(folder: &Path) -> Vec<String> {
    let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let entries = std::fs::read_dir(shown).into_iter().flatten().flatten();
    let is_file = |entry: &std::fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_symlink() => entry.path().is_file(),
        kind => kind.is_ok_and(|kind| kind.is_file()),
    };
    let files = entries.filter(is_file).filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = files.collect();
    names.in_order();
    names
}

/// Keeps the session of a named file. A copy of it in its folder, such as one of an earlier state,
/// is another session, or none.
fn named(sources: &mut Vec<Source>, file: &SourceFile) {
    let holds = |source: &Source| source.files.iter().any(|other| other.path == file.path);
    if sources.iter().any(holds) {
        sources.retain(holds);
    }
    sources.iter_mut().for_each(|source| without_copies(source, &file.path));
}

/// Takes the other main files of the same folder out of the session of a named main file, unless
/// the agent divides sessions between files: a named file is that file, whatever is beside it.
pub(crate) fn without_copies(source: &mut Source, file: &Path) {
    let format = source.format;
    let own = source.files.iter().find(|other| *other.path == *file);
    let Some(own) = own.filter(|own| is_alone(format, own)).cloned() else { return };
    let folder = own.path.parent();
    source.files.retain(|other| {
        !is_alone(format, other) || other.path == own.path || other.path.parent() != folder
    });
}

/// Whether a file has all lines of its session's main history that are in its folder.
fn is_alone(format: &dyn Format, file: &SourceFile) -> bool {
    file.role == Role::Main && file.rows.is_none() && !format.data().divides_sessions
}

/// All entries below some paths, each once.
fn walked(paths: &[PathBuf]) -> Vec<Met> {
    let (mut seen, mut met) = (Seen::default(), Vec::new());
    paths.iter().for_each(|path| walk(path, &[], &mut seen, &mut |each| met.push(each)));
    met
}

fn rooted(root: &Root, met: Vec<Met>) -> Vec<(&Root, Met)> {
    met.into_iter().map(|each| (root, each)).collect()
}

/// Detection of the files below some paths.
fn look(formats: Formats<'_>, paths: &[PathBuf]) -> Vec<Asked> {
    let root = Root::named(paths.first().map(PathBuf::as_path).unwrap_or(Path::new("")));
    ask(formats, rooted(&root, walked(paths)), &Kept::nothing())
}

/// Groups claims into sources, with the folder of `file` as root.
fn joined(claims: Vec<Claimed>, file: &Path) -> Found {
    let root = Root::named(file.parent().unwrap_or(Path::new("")));
    let mut scan = Scan::default();
    claims.into_iter().for_each(|claimed| scan.groups.add(&root, claimed));
    scan.finish()
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
