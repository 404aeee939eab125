//! Search by name: the files whose names or folders contain the id of a session. Names are listed
//! once, and only the files that may be of the session are opened.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use aho_corasick::AhoCorasick;
use formats::{Format, Formats, Reach};

use crate::find::claim::claim;
use crate::find::environment::Root;
use crate::find::found::Found;
use crate::find::known_claim;
use crate::find::scan::{Scan, met};
use crate::find::walk::Met;
use crate::open::ends::Kept;
use crate::open::session_index::MaybeIndex;
use crate::open::source::Source;
use crate::paths::shown;

/// The names below some folders.
#[derive(Debug)]
pub struct WalkedNames<'r> {
    met: Vec<(&'r Root, Met)>,
}

/// The files to be opened.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'w> {
    /// Ids, or their beginnings.
    pub ids: &'w [&'w str],
    /// Whether the databases are opened too: their rows have no names.
    pub databases: bool,
}

impl<'r> WalkedNames<'r> {
    /// Lists the names below `roots`. No file is opened.
    pub fn below(roots: &'r [Root]) -> Self {
        let met = met(roots);
        Self { met }
    }

    /// The sessions of the files that an id's names lead to.
    pub(crate) fn scan(&self, formats: Formats<'_>, wanted: Wanted<'_>) -> Found {
        self.with_spread(formats, &self.named(formats, wanted), &Kept::nothing())
    }

    /// The sessions of these files. If the files of a session have other names than its id, all
    /// files of its agent are opened.
    fn with_spread(&self, formats: Formats<'_>, named: &HashSet<usize>, kept: &Kept) -> Found {
        let found = self.some(formats, kept, &|at| named.contains(&at));
        let whole = |format: &dyn Format| matches!(format.data().reach, Reach::Whole(_));
        let spread: HashSet<&str> = found
            .sources
            .iter()
            .map(|s| s.format)
            .filter(|f| whole(*f))
            .map(|format| format.name())
            .collect();
        if spread.is_empty() {
            return found;
        }
        let is_spread = |root: &Root| root.format.is_none_or(|own| spread.contains(own.name()));
        self.some(formats, kept, &|at| named.contains(&at) || is_spread(self.met[at].0))
    }

    /// The sessions that these files are parts of, with their other files. Files that an index
    /// knows are not opened.
    pub fn around(
        &self,
        formats: Formats<'_>,
        files: &HashSet<usize>,
        index: &MaybeIndex,
    ) -> Found {
        let kept = Kept::nothing().with_index(index);
        let own = self.some(formats, &kept, &|at| files.contains(&at));
        let last = |source: &Source| {
            let id = source.group.rsplit('/').next().unwrap_or_default();
            Some(id.to_owned()).filter(|id| !id.is_empty())
        };
        let ids: Vec<String> = own.sources.iter().filter_map(last).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let mut named = self.named(formats, Wanted { ids: &ids, databases: false });
        named.extend(files);
        self.with_spread(formats, &named, &kept)
    }

    /// The files, each with its index.
    pub fn files(&self) -> Vec<(usize, &Path)> {
        (0..self.met.len()).filter_map(|at| Some((at, self.path(at)?))).collect()
    }

    /// The claim to a file as an index keeps it: which agent wrote the file. `at` is one of
    /// [`files`](Self::files).
    pub fn packed_claim(&self, formats: Formats<'_>, at: usize) -> Option<Vec<u8>> {
        let (root, Met::File(path)) = self.met.get(at)? else { return None };
        known_claim::pack(root, &claim(formats, root, path, &Kept::nothing()))
    }

    fn some(&self, formats: Formats<'_>, kept: &Kept, takes: &dyn Fn(usize) -> bool) -> Found {
        let taken = (0..self.met.len()).filter(|at| takes(*at));
        let file = |at: usize| Some((self.met[at].0, Met::File(self.path(at)?.into())));
        let mut scan = Scan::default();
        scan.gather(formats, taken.filter_map(file).collect(), kept);
        scan.finish()
    }

    /// The databases of the agents that have one of these files.
    #[must_use]
    pub fn databases_beside(&self, formats: Formats<'_>, files: &HashSet<usize>) -> HashSet<usize> {
        let agent = |at: usize| self.met[at].0.format.map(|format| format.name());
        let agents: HashSet<Option<&str>> = files.iter().map(|at| agent(*at)).collect();
        let is_one = |at: &usize| {
            agents.contains(&agent(*at))
                && self.path(*at).is_some_and(|path| is_database(formats, self.met[*at].0, path))
        };
        (0..self.met.len()).filter(is_one).collect()
    }

    /// The files with one of these ids in their names, and those beside them.
    pub(crate) fn of_ids(
        &self,
        formats: Formats<'_>,
        ids: &[&str],
        databases: bool,
    ) -> HashSet<usize> {
        self.named(formats, Wanted { ids, databases })
    }

    /// The path of an entry that is a file.
    #[must_use]
    pub fn path(&self, at: usize) -> Option<&Path> {
        match &self.met[at].1 {
            Met::File(path) => Some(path),
            _ => None,
        }
    }

    /// The entries to be opened.
    fn named(&self, formats: Formats<'_>, wanted: Wanted<'_>) -> HashSet<usize> {
        // Both: the folder of sub-agents may have the whole id, and the session's own file the
        // beginning of it.
        let mut named = self.containing(wanted.ids);
        named.extend(self.beginning(formats, wanted.ids));
        if wanted.databases {
            let is_one = |at: &usize| {
                self.path(*at).is_some_and(|path| is_database(formats, self.met[*at].0, path))
            };
            named.extend((0..self.met.len()).filter(is_one));
        }
        let folders: HashSet<&Path> =
            named.iter().filter_map(|at| self.path(*at)?.parent()).collect();
        named.extend(self.beside(formats, &folders));
        named
    }

    /// The entries with one of these ids in their names or folders, in any case.
    fn containing(&self, ids: &[&str]) -> HashSet<usize> {
        let builder = AhoCorasick::builder().ascii_case_insensitive(true).build(ids);
        let Ok(finder) = builder else { return HashSet::new() };
        let has = |at: &usize| {
            let Some(path) = self.path(*at) else { return false };
            let all = path.as_os_str().as_encoded_bytes();
            finder.is_match(all.get(self.met[*at].0.path.as_os_str().len()..).unwrap_or(all))
        };
        (0..self.met.len()).filter(has).collect()
    }

    /// The entries with names that have the beginning of one of these ids, as some agents write it.
    fn beginning(&self, formats: Formats<'_>, ids: &[&str]) -> HashSet<usize> {
        // There may be many ids: their beginnings are made once for each length.
        let mut begun: HashMap<usize, HashSet<String>> = HashMap::new();
        let mut is_begun = |own: &str| {
            let of_length = begun.entry(own.len()).or_insert_with(|| {
                let beginnings = ids.iter().filter_map(|id| id.get(..own.len()));
                beginnings.map(str::to_ascii_lowercase).collect()
            });
            of_length.contains(&own.to_ascii_lowercase())
        };
        let mut has = |at: &usize| {
            let name = self.path(*at).and_then(Path::file_name).unwrap_or_default();
            let name = name.to_string_lossy();
            of(formats, self.met[*at].0)
                .filter_map(|format| (format.data().id_in_name)(&name))
                .any(&mut is_begun)
        };
        (0..self.met.len()).filter(|at| has(at)).collect()
    }

    /// The entries in these folders that may be of any session there: older sub-agents have names
    /// of their own.
    fn beside(&self, formats: Formats<'_>, folders: &HashSet<&Path>) -> Vec<usize> {
        // Most files are in the same folder as the file before.
        let mut last: Option<(&Path, bool)> = None;
        let mut is_beside = |at: &usize| {
            let Some(path) = self.path(*at) else { return false };
            let Some(folder) = path.parent() else { return false };
            let same = |(known, _): &(&Path, bool)| known.as_os_str() == folder.as_os_str();
            let (_, within) =
                last.filter(same).unwrap_or_else(|| (folder, folders.contains(folder)));
            last = Some((folder, within));
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let root = self.met[*at].0;
            within
                && of(formats, root).any(|format| (format.data().may_be_beside)(&name))
                && of(formats, root).all(|format| (format.data().id_in_name)(&name).is_none())
        };
        (0..self.met.len()).filter(|at| is_beside(at)).collect()
    }

    /// The words of these names that may be ids, with the files that they name.
    pub(crate) fn ids(&self, format: &dyn Format) -> HashSet<&str> {
        let id = |at: usize| {
            let name = self.path(at)?.file_name()?.to_str()?;
            let own = self.met[at].0.format.is_none_or(|own| own.name() == format.name());
            (format.data().id_in_name)(name).filter(|_| own)
        };
        (0..self.met.len()).filter_map(id).collect()
    }
}

/// The formats that a root may have files of.
fn of<'f>(formats: Formats<'f>, root: &'f Root) -> impl Iterator<Item = &'f dyn Format> {
    let own = move |format: &&dyn Format| root.format.is_none_or(|own| own.name() == format.name());
    formats.iter().map(|format| *format as &dyn Format).filter(own)
}

/// Whether a file is at a place of one of the agents' databases.
fn is_database(formats: Formats<'_>, root: &Root, path: &Path) -> bool {
    let kinds = of(formats, root).flat_map(|format| format.data().databases);
    let mut kinds = kinds.peekable();
    kinds.peek().is_some() && {
        let shown = shown(path);
        kinds.any(|kind| (kind.is_placed)(&shown))
    }
}
