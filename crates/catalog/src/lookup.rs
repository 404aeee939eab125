//! Lookup of a session by its name: a path, or an id. Names of files are looked up first, then the
//! databases; all files are opened only if neither has the session.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use formats::Reach;
use session::{Memory, Session, Slot};

use crate::catalog::{Catalog, once, read_from};
use crate::error::Error;
use crate::find::environment::Root;
use crate::find::found::Found;
use crate::find::names::{WalkedNames, Wanted};
use crate::find::scan::scan;
use crate::find::siblings::{siblings, without_copies};
use crate::names::{Named, Query};
use crate::open::before::ReadBefore;
use crate::open::ends::Kept;
use crate::open::session_archive::ArchivedSession;
use crate::open::source::{Source, SourceFile};
use crate::opened::Opened;
use crate::parallel::parallel_with;
use crate::paths::shown;
use crate::summary::{Entry, Listed, summaries, summarize};

/// Number of bytes at the beginning of an id that the shortest names of sessions have.
const ALIKE: usize = 8;

/// The area in which sessions are looked up.
struct Area<'r> {
    within: &'r [PathBuf],
    files: Vec<&'r Path>,
    names: WalkedNames<'r>,
}

/// A session that was found by its name.
struct Picked {
    source: Source,
    id: String,
    /// The sessions that the search found.
    listed: Vec<Listed>,
    /// Whether these are all sessions of the area.
    is_whole: bool,
}

impl Catalog<'_> {
    /// Reads the session that `query` names: a path, or an id or its beginning, with or without
    /// `format:` before it. Ids are searched below `within`, or in the agents' own places.
    ///
    /// # Errors
    ///
    /// No session or several sessions have this name, or the session can't be read.
    pub fn open(&self, query: impl AsRef<Path>, within: &[PathBuf]) -> Result<Opened, Error> {
        let path = query.as_ref();
        if within.is_empty() && path.exists() {
            return self.open_path(path);
        }
        self.open_named(&path.to_string_lossy(), within)
    }

    /// Reads the session that has an id, or the beginning of one, with or without `format:` before
    /// it. The name is never taken for a path.
    ///
    /// # Errors
    ///
    /// No session or several sessions have this name, or the session can't be read.
    pub fn open_named(&self, name: &str, within: &[PathBuf]) -> Result<Opened, Error> {
        self.open_named_from(name, within, None)
    }

    /// The same, where the session was read before: of files that have only grown since, what was
    /// added is read. The result is that of [`Catalog::open_named`]. Compressed files, documents
    /// that are one value, and databases are read anew if they have changed.
    ///
    /// ```no_run
    /// use verbatim_catalog::{Catalog, Error, Trust};
    ///
    /// let catalog = Catalog::here();
    /// let first = catalog.open_named("0198c2f4", &[])?;
    /// // The agent writes on, and somebody looks again.
    /// let before = first.into_before(Trust::Trusted);
    /// let now = catalog.open_named_from("0198c2f4", &[], before)?;
    /// println!("{} bytes were read", now.bytes_read);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Catalog::open_named`].
    pub fn open_named_from(
        &self,
        name: &str,
        within: &[PathBuf],
        before: Option<ReadBefore>,
    ) -> Result<Opened, Error> {
        let roots = self.roots_of(within)?;
        let area = self.area(within, &roots);
        let picked = self.pick(&Query::of(name, self.formats), &area)?;
        let mut opened = read_from(&picked.source, before)?;
        let at = opened.sessions.iter().position(|s| s.id == picked.id).unwrap_or_default();
        opened.pick(at, &picked.source);
        opened.found = picked.listed;
        if !picked.is_whole {
            let started = self.started(opened.session(), &area.names);
            opened.found.extend(started);
        }
        Ok(opened)
    }

    /// The files of the sessions with these ids (or their beginnings) in these folders, or in the
    /// agents' own places if none is given, each once.
    ///
    /// # Errors
    ///
    /// No session or several sessions have one of these names.
    pub fn sources(&self, queries: &[&str], within: &[PathBuf]) -> Result<Vec<Source>, Error> {
        let roots = self.roots_of(within)?;
        let area = self.area(within, &roots);
        let mut picked: Vec<Source> = Vec::new();
        for query in queries {
            let source = self.pick(&Query::of(query, self.formats), &area)?.source;
            let is_same = |known: &Source| {
                let paths = |source: &Source| -> Vec<PathBuf> {
                    source.files.iter().map(|file| file.path.to_path_buf()).collect()
                };
                known.group == source.group && paths(known) == paths(&source)
            };
            if !picked.iter().any(is_same) {
                picked.push(source);
            }
        }
        Ok(picked)
    }

    /// The agents and ids of the sessions that may have a name of its first characters in common
    /// with one of these sessions. Each of `entries` that is not among them is known by its whole
    /// id only: no name of a file leads to it.
    ///
    /// # Errors
    ///
    /// One of the folders can't be searched.
    pub fn named_alike(
        &self,
        entries: &[&Entry],
        within: &[PathBuf],
    ) -> Result<Vec<(&'static str, String)>, Error> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let roots = self.roots_of(within)?;
        let area = self.area(within, &roots);
        let begun = |entry: &&Entry| entry.id.get(..ALIKE).unwrap_or(&entry.id).to_owned();
        let ids: BTreeSet<String> = entries.iter().map(begun).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let found = self.found(&area, Wanted { ids: &ids, databases: true });
        let listed = Named::of(&found, &self.machine.index).listed;
        Ok(listed.into_iter().map(|listed| (listed.format, listed.id)).collect())
    }

    /// Whether a name means a session: its id or the beginning of it, with or without an agent.
    #[must_use]
    pub fn is_named(&self, name: &str, entry: &Entry) -> bool {
        Query::of(name, self.formats).takes(entry)
    }

    /// Leaves the sources out of which no session is taken, by what the ends of their files tell.
    pub fn narrow(&self, found: &mut Found, takes: &(dyn Fn(&Entry) -> bool + Sync)) {
        let kept = Kept::nothing().with_index(&self.machine.index);
        let placed = self.placed();
        let is_taken = |memory: &mut Memory, source: &Source| {
            // What can't be read is not left out: the command reports it.
            let Ok(mut all) = summarize(source, &kept, memory) else { return true };
            all.iter_mut().for_each(|entry| entry.relocate(&placed));
            all.iter().any(takes)
        };
        let taken = parallel_with(&found.sources, Source::length, Memory::default, is_taken);
        let mut taken = taken.into_iter();
        found.sources.retain(|_| taken.next().unwrap_or(true));
    }

    /// The folders to search, each of which must exist if the user named it.
    pub fn roots_of(&self, within: &[PathBuf]) -> Result<Vec<Root>, Error> {
        for path in within {
            path.metadata().map_err(|source| Error::Io { path: path.clone(), source })?;
        }
        if within.is_empty() {
            return Ok(self.machine.roots(self.formats));
        }
        let folders = once(within).into_iter().filter(|path| !path.is_file());
        let bound = !self.machine.follow;
        Ok(folders.map(|folder| Root { bound, ..Root::named(folder) }).collect())
    }

    fn area<'r>(&self, within: &'r [PathBuf], roots: &'r [Root]) -> Area<'r> {
        let files = once(within).into_iter().filter(|path| path.is_file()).collect();
        Area { within, files, names: WalkedNames::below(roots) }
    }

    /// The session with this name. An id that the names of files have is taken without a look at
    /// the others; the beginning of one is compared with the rows of the databases too.
    fn pick(&self, query: &Query<'_>, area: &Area<'_>) -> Result<Picked, Error> {
        if area.within.is_empty()
            && let Some(version) = self.version(query)?
        {
            let id = version.ids.into_iter().next().unwrap_or_default();
            let found = Found::from(version.source);
            let listed = Named::of(&found, &self.machine.index).listed;
            let source = found.sources.into_iter().next();
            let source =
                source.ok_or_else(|| Error::NoFormat { name: id.clone(), known: vec![] })?;
            return Ok(Picked { source, id, listed, is_whole: false });
        }
        for databases in [false, true] {
            let found = self.found(area, Wanted { ids: &[query.id], databases });
            let named = Named::of(&found, &self.machine.index);
            match named.pick(query) {
                Ok((source, id)) => {
                    let is_whole = id.eq_ignore_ascii_case(query.id);
                    let has_rows = !source.format.data().databases.is_empty();
                    if databases || is_whole && !has_rows {
                        let (source, listed) = (source.clone(), named.listed);
                        return Ok(Picked { source, id, listed, is_whole: false });
                    }
                }
                Err(Error::Ambiguous { .. }) => break,
                Err(_) => {}
            }
        }
        let found = self.find(area.within);
        let named = Named::of(&found, &self.machine.index);
        let (source, id) = match named.pick(query) {
            Err(error @ Error::NoSuch { .. }) if area.within.is_empty() => {
                return Err(self.only_prompts(query, error));
            }
            picked => picked?,
        };
        Ok(Picked { source: source.clone(), id, listed: named.listed, is_whole: true })
    }

    /// The error for a name that means no session: prompts of the one that it means may be left.
    fn only_prompts(&self, query: &Query<'_>, error: Error) -> Error {
        match self.left_of(query.text) {
            Ok(left) => Error::OnlyPrompts {
                uid: format!("{}:{}", left.entry.format, left.entry.id),
                count: left.prompts.len(),
                files: left.entry.files.iter().map(|file| file.to_path_buf()).collect(),
            },
            Err(several @ Error::Ambiguous { .. }) => several,
            Err(_) => error,
        }
    }

    /// The sessions of an area that a name leads to.
    fn found(&self, area: &Area<'_>, wanted: Wanted<'_>) -> Found {
        let mut found = siblings(self.formats, &area.files);
        self.set_outputs_apart(&mut found, &area.files);
        let mut below = area.names.scan(self.formats, wanted);
        if !area.within.is_empty() {
            self.set_outputs_apart(&mut below, &[]);
        }
        found.sources.extend(below.sources);
        found.skipped.extend(below.skipped);
        if area.within.is_empty() {
            let is_named = |session: &ArchivedSession| {
                let begins = |id: &String| {
                    wanted.ids.iter().any(|wanted| {
                        id.get(..wanted.len()).is_some_and(|id| id.eq_ignore_ascii_case(wanted))
                    })
                };
                session.ids.iter().chain([&session.source.group]).any(begins)
            };
            self.add_archived(&mut found, &is_named, wanted.databases);
        }
        found
    }

    /// The sessions in files of their own that a session started as its sub-agents: files with a
    /// name that a call of it has.
    fn started(&self, session: &Session, names: &WalkedNames<'_>) -> Vec<Listed> {
        let Ok(format) = self.format(session.format) else { return Vec::new() };
        let known = names.ids(format);
        let mut ids: BTreeSet<&str> = BTreeSet::new();
        let calls =
            session.events().filter(|event| !known.is_empty() && event.field(Slot::Call).is_some());
        for event in calls {
            let words = event.bytes().split(|b| !(b.is_ascii_alphanumeric() || b"-_".contains(b)));
            let words = words.filter_map(|word| std::str::from_utf8(word).ok());
            ids.extend(words.filter_map(|word| known.get(word)));
        }
        ids.remove(&*session.id);
        let mut started = Vec::new();
        for id in ids {
            let sources = names.scan(self.formats, Wanted { ids: &[id], databases: false }).sources;
            let entries = sources.iter().filter_map(|source| summaries(source).ok()).flatten();
            let own = entries.filter(|entry| entry.spawned_by.as_deref() == Some(&*session.id));
            started.extend(own.map(|entry| Listed {
                format: entry.format,
                id: entry.id,
                spawned_by: entry.spawned_by.map(Into::into),
            }));
        }
        started
    }

    /// The session that a file of an agent's own place is a part of, if more of it is there.
    pub(super) fn whole(&self, source: &Source, path: &Path) -> Option<Source> {
        let real = path.is_file().then(|| path.canonicalize().ok()).flatten()?;
        let (format, group) = (source.format, &source.group);
        // A group that is named after the file has no other file.
        if *group == *shown(&real) && !matches!(format.data().reach, Reach::Whole(_)) {
            return None;
        }
        let places = self.machine.places(format).into_iter();
        let holds = |place: &Root| place.path.canonicalize().is_ok_and(|at| real.starts_with(at));
        let roots: Vec<Root> = places.filter(holds).collect();
        if roots.is_empty() {
            return None;
        }
        let id = group.rsplit('/').next().filter(|id| !id.is_empty());
        let sources = match id.filter(|_| !matches!(format.data().reach, Reach::Whole(_))) {
            Some(id) => {
                let databases = !format.data().databases.is_empty();
                WalkedNames::below(&roots).scan(&[format], Wanted { ids: &[id], databases }).sources
            }
            None => scan(&[format], &roots).sources,
        };
        let is_same = |file: &SourceFile| file.path.canonicalize().is_ok_and(|file| file == real);
        let mut whole = sources.into_iter().find(|other| other.files.iter().any(is_same))?;
        let own = whole.files.iter().find(|file| is_same(file)).map(|file| file.path.clone());
        without_copies(&mut whole, &own?);
        (whole.files.len() > source.files.len()).then_some(whole)
    }
}
