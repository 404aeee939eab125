//! The first matches of a search: the newest files are looked through first, and the search ends
//! when its caller has enough. What it finds is the beginning of what a search of all files finds.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use catalog::find::found::{Found, Skipped};
use catalog::find::newest::NewestFiles;
use catalog::open::ends::Kept;
use catalog::open::source::Source;
use catalog::summary::{Entry, FoldersOfPlaced, summarize};
use catalog::{Catalog, Error, Root, copies};
use session::Sorting as _;
use session::{Memory, UnreadRecord, UtcTime};

use super::{SearchHits, SearchResult, Sieved, left_of, matches_of, sort, unreadable};
use crate::search::hit::{TalkSection, wants_prompts};
use crate::search::pattern::Pattern;

/// The numbers of the newest files that are looked through, until they are enough.
const STEPS: [usize; 4] = [64, 512, 4096, 32_768];

/// The number of sources that are read at once.
const AT_ONCE: usize = 16;

/// A test of the sessions that were found so far, which no later one can come before. It may take
/// the matches out of those that it does not want.
type IsEnough<'e> = &'e mut dyn FnMut(&mut [SearchHits]) -> bool;

/// Searches the sessions in the agents' own places that `takes` accepts, in these parts of their
/// conversations (in all, if none is given), from the newest to the oldest, until `is_enough`.
///
/// # Errors
/// [`Error::Cancelled`].
pub fn search_newest(
    catalog: &Catalog<'_>,
    pattern: &Pattern,
    parts: &[TalkSection],
    takes: &(dyn Fn(&Entry) -> bool + Sync),
    is_enough: IsEnough<'_>,
) -> Result<SearchResult, Error> {
    let roots = catalog.machine.roots(catalog.formats);
    newest(catalog, &[], &roots, (pattern, parts, takes), is_enough)
}

/// The same, below `paths`, or in the agents' own places if there are none. Where `see` never ends
/// it, the result is that of a search of all files; `see` gets the sessions as they are found.
///
/// # Errors
/// A given path does not exist.
pub fn search_in_order(
    catalog: &Catalog<'_>,
    paths: &[PathBuf],
    (pattern, parts, takes): SearchTask<'_>,
    see: IsEnough<'_>,
) -> Result<SearchResult, Error> {
    if paths.iter().any(|path| path.is_file()) {
        let mut result = super::search(catalog, paths, pattern, parts, takes)?;
        result.stopped = see(&mut result.sessions);
        return Ok(result);
    }
    let roots = catalog.roots_of(paths)?;
    let mut result = newest(catalog, paths, &roots, (pattern, parts, takes), see)?;
    if !result.stopped {
        result.skipped.extend(super::strangers_in(catalog, paths)?);
    }
    Ok(result)
}

/// The task of a search: the pattern, the parts of a conversation, and the sessions that it
/// takes.
pub type SearchTask<'t> = (&'t Pattern, &'t [TalkSection], &'t (dyn Fn(&Entry) -> bool + Sync));

fn newest(
    catalog: &Catalog<'_>,
    paths: &[PathBuf],
    roots: &[Root],
    (pattern, parts, takes): SearchTask<'_>,
    is_enough: IsEnough<'_>,
) -> Result<SearchResult, Error> {
    let files = NewestFiles::below(roots);
    let mut search = FirstSearch {
        catalog,
        pattern,
        parts,
        takes,
        placed: catalog.placed(),
        ahead: BTreeMap::new(),
        done: HashSet::new(),
        sessions: Vec::new(),
        damaged: HashMap::new(),
        unreadable: Vec::new(),
    };
    let mut sieved = Sieved::default();
    let mut from = 0;
    for count in STEPS.into_iter().take_while(|count| 2 * count < files.count()) {
        sieved.add(catalog, pattern, &files.range(from, count))?;
        from = count;
        if sieved.files.is_empty() {
            continue;
        }
        let mut taken = sieved.files.clone();
        taken.extend(files.names.databases_beside(catalog.formats, &taken));
        let bound = files.bound(count);
        let found = match paths.is_empty() {
            true => catalog.find_around(&files.names, &taken, bound),
            false => files.names.around(catalog.formats, &taken, &catalog.machine.index),
        };
        match search.step(found, Some((&files, bound)), is_enough)? {
            Some(end) if end.stopped => return Ok(search.end(paths, sieved.unread(), end)),
            // Where all files are as young as the newest, as copies are, their times tell nothing.
            Some(_) if count > STEPS[0] && search.done.is_empty() => break,
            Some(_) => {}
            None => break,
        }
    }
    sieved.add(catalog, pattern, &files.range(from, files.count()))?;
    let mut found = sieved.found(catalog, &files.names, paths);
    if paths.is_empty() {
        catalog.add_gone(&mut found);
    }
    let end = search.step(found, None, is_enough)?.unwrap_or_default();
    Ok(search.end(paths, sieved.unread(), end))
}

/// A source, by what is the same whenever it is found.
type Key = (&'static str, String, PathBuf);

fn key(source: &Source) -> Key {
    let path = source.files.first().map(|file| file.path.to_path_buf());
    (source.format.name(), source.group.clone(), path.unwrap_or_default())
}

/// Facts of a source before it is read whole.
struct Ahead {
    /// The last time of its newest session that is taken, and of any other session with an id that
    /// it has: copies are read together.
    updated: Option<UtcTime>,
    /// The ids of its sessions.
    ids: Vec<String>,
}

/// A search that is made in steps.
struct FirstSearch<'s> {
    catalog: &'s Catalog<'s>,
    pattern: &'s Pattern,
    parts: &'s [TalkSection],
    takes: &'s (dyn Fn(&Entry) -> bool + Sync),
    placed: FoldersOfPlaced,
    /// The sources that are not read yet.
    ahead: BTreeMap<Key, Ahead>,
    /// The sources that were read, or that nothing is taken of.
    done: HashSet<Key>,
    /// The sessions that were found, the newest first.
    sessions: Vec<SearchHits>,
    damaged: HashMap<Key, Vec<UnreadRecord>>,
    unreadable: Vec<Skipped>,
}

/// The end of a step.
#[derive(Default)]
struct StepEnd {
    /// The files that could not be read.
    skipped: Vec<Skipped>,
    /// The sources, in the order of a list of files.
    order: Vec<Key>,
    /// Whether there is enough, though sources are left.
    stopped: bool,
}

impl FirstSearch<'_> {
    /// Reads the sessions that were found, the newest first: those that are younger than all files
    /// that were not looked at. `None` if the times of the files are not believed.
    fn step(
        &mut self,
        found: Found,
        others: Option<(&NewestFiles<'_>, Option<UtcTime>)>,
        is_enough: IsEnough<'_>,
    ) -> Result<Option<StepEnd>, Error> {
        let entries = self.look_ahead(&found)?;
        if others.is_some_and(|(files, _)| !files.are_believed(entries.iter())) {
            return Ok(None);
        }
        drop(entries);
        let bound = others.and_then(|(_, bound)| bound);
        let mut end = StepEnd { skipped: found.skipped, ..StepEnd::default() };
        end.order = found.sources.iter().map(key).collect();
        let ahead: Vec<(Option<UtcTime>, &Source)> = found
            .sources
            .iter()
            .zip(&end.order)
            .filter_map(|(source, key)| Some((self.ahead.get(key)?.updated, source)))
            .filter(|(updated, _)| others.is_none() || *updated > bound)
            .collect();
        let mut ahead = ahead;
        ahead.in_order_by_key(|(updated, _)| std::cmp::Reverse(*updated));
        let mut from = 0;
        while from < ahead.len() {
            let mut to = (from + AT_ONCE).min(ahead.len());
            // Those of one time may be copies of each other.
            while to < ahead.len() && ahead[to].0 == ahead[to - 1].0 {
                to += 1;
            }
            let sources: Vec<&Source> = ahead[from..to].iter().map(|(_, source)| *source).collect();
            self.read(&sources)?;
            let next = ahead.get(to).map_or(bound, |(updated, _)| *updated);
            let is_last = to == ahead.len() && others.is_none();
            let first = self.sessions.partition_point(|of| is_last || of.entry.updated > next);
            if is_enough(&mut self.sessions[..first]) {
                end.stopped = !is_last;
                return Ok(Some(end));
            }
            from = to;
        }
        Ok(Some(end))
    }

    /// Looks at the ends of the sources that are new. Returns the sessions that were there.
    fn look_ahead(&mut self, found: &Found) -> Result<Vec<Entry>, Error> {
        let is_new = |source: &&Source| {
            let key = key(source);
            !self.done.contains(&key) && !self.ahead.contains_key(&key)
        };
        let sources: Vec<&Source> = found.sources.iter().filter(is_new).collect();
        let kept = Kept::nothing().with_index(&self.catalog.machine.index);
        let look = |memory: &mut Memory, source: &&Source| {
            let mut entries = summarize(source, &kept, memory)?;
            for entry in &mut entries {
                entry.relocate(&self.placed);
                (entry.title, entry.prompt) = (None, None);
            }
            Ok(entries)
        };
        let job = &self.catalog.machine.job;
        let looked = job.parallel_with(&sources, |s| s.length(), Memory::default, look)?;
        let mut all = Vec::new();
        for (source, looked) in sources.into_iter().zip(looked) {
            let entries = match looked {
                Ok(entries) => entries,
                Err(error) => {
                    self.unreadable.extend(unreadable(source, &error));
                    Vec::new()
                }
            };
            let taken = entries.iter().filter(|entry| (self.takes)(entry));
            match taken.map(|entry| entry.updated).max() {
                Some(updated) => {
                    let ids = entries.iter().map(|entry| entry.id.clone()).collect();
                    self.ahead.insert(key(source), Ahead { updated, ids });
                }
                None => _ = self.done.insert(key(source)),
            }
            all.extend(entries);
        }
        self.join_copies();
        Ok(all)
    }

    /// Gives sources that have sessions with the same id the same time.
    fn join_copies(&mut self) {
        let mut newest: HashMap<(&str, &str), Option<UtcTime>> = HashMap::new();
        for ((format, ..), ahead) in &self.ahead {
            for id in &ahead.ids {
                let known = newest.entry((format, id)).or_default();
                *known = (*known).max(ahead.updated);
            }
        }
        let joined = self.ahead.iter().map(|((format, ..), ahead)| {
            let times = ahead.ids.iter().filter_map(|id| newest.get(&(*format, &**id)));
            times.max().copied().flatten().max(ahead.updated)
        });
        let joined: Vec<_> = joined.collect();
        for (ahead, updated) in self.ahead.values_mut().zip(joined) {
            ahead.updated = updated;
        }
    }

    /// Reads sources whole, and keeps the sessions with a match.
    fn read(&mut self, sources: &[&Source]) -> Result<(), Error> {
        let of = (self.pattern, self.parts, &self.placed);
        let look =
            |memory: &mut Memory, source: &&Source| matches_of(source, of, self.takes, memory);
        let job = &self.catalog.machine.job;
        let looked = job.parallel_with(sources, |s| s.length(), Memory::default, look)?;
        let mut all = Vec::new();
        for (source, looked) in sources.iter().zip(looked) {
            let key = key(source);
            self.ahead.remove(&key);
            match looked {
                Ok((matches, unread)) => {
                    all.extend(matches);
                    if !unread.is_empty() {
                        self.damaged.insert(key.clone(), unread);
                    }
                }
                Err(error) => self.unreadable.extend(unreadable(source, &error)),
            }
            self.done.insert(key);
        }
        let folded = copies::fold(all).into_iter();
        self.sessions.extend(folded.map(|(hits, entry)| SearchHits { entry, hits }));
        sort(&mut self.sessions);
        Ok(())
    }

    /// The result, after the last step. Prompts of sessions that are gone come behind all sessions.
    fn end(mut self, paths: &[PathBuf], sieved: Vec<Skipped>, end: StepEnd) -> SearchResult {
        let StepEnd { mut skipped, order, stopped } = end;
        skipped.extend(sieved);
        skipped.retain(|skipped| skipped.why.is_failure());
        skipped.extend(self.unreadable);
        let damaged = order.iter().filter_map(|key| self.damaged.remove(key)).flatten().collect();
        let (left, unread) = match paths.is_empty() && !stopped && wants_prompts(self.parts) {
            true => left_of(self.catalog, self.pattern, self.takes),
            false => (Vec::new(), Vec::new()),
        };
        skipped.extend(unread);
        SearchResult { sessions: self.sessions, skipped, damaged, left, stopped }
    }
}
