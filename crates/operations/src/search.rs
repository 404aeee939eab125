//! Search for a pattern in the sessions of this machine. The bytes of every file are looked through
//! first, which excludes most files without parsing; only the rest is read as sessions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catalog::find::claim::is_sealed;
use catalog::find::found::{Found, SkipReason, Skipped};
use catalog::find::names::WalkedNames;
use catalog::find::siblings::siblings;
use catalog::open::bundle::bundle;
use catalog::open::bytes::seen;
use catalog::open::content;
use catalog::open::database::{is_beside, is_log, is_one};
use catalog::open::ends::Kept;
use catalog::open::source::Source;
use catalog::open::unpack::is_zstd;
use catalog::paths::absolute;
use catalog::summary::{Entry, FoldersOfPlaced, entries, summarize};
use catalog::{Catalog, Error, LeftPrompts, copies, once};
use formats::Formats;
use session::{Memory, UnreadRecord, UtcTime};

use crate::search::hit::{TalkSection, TextMatch, hits, typed_hits, wants_prompts};
use crate::search::pattern::{OVERLAP, Pattern};

mod composed;
mod finder;
mod first;
pub mod hit;
pub mod pattern;

pub use first::{SearchTask, search_in_order, search_newest};

/// Result of a search.
#[derive(Debug, Default)]
pub struct SearchResult {
    /// The sessions with a match, the newest first.
    pub sessions: Vec<SearchHits>,
    /// The files that could not be looked through, and those of agents that are not read.
    pub skipped: Vec<Skipped>,
    /// The records that could not be read, of the sessions whose bytes may have a match: one may be
    /// in them.
    pub damaged: Vec<UnreadRecord>,
    /// Sessions that are gone, and of which a prompt matches in the agent's own list of what was
    /// typed: the turn of a match is the number of a prompt. They can't be opened.
    pub left: Vec<SearchHits>,
    /// Whether it ended before all files were looked through, because it had found enough.
    pub stopped: bool,
}

/// A session with matches.
#[derive(Debug)]
pub struct SearchHits {
    /// The session.
    pub entry: Entry,
    /// Its matches, in source order.
    pub hits: Vec<TextMatch>,
}

/// The number of files from which on all files are probed, not only those that may match.
const MANY: usize = 2000;

/// Searches the sessions below `paths` (or in the agents' own places) that `takes` accepts, in
/// these parts of their conversations (in all, if none is given).
///
/// # Errors
/// A given path does not exist.
pub fn search(
    catalog: &Catalog<'_>,
    paths: &[PathBuf],
    pattern: &Pattern,
    parts: &[TalkSection],
    takes: &(dyn Fn(&Entry) -> bool + Sync),
) -> Result<SearchResult, Error> {
    let placed = catalog.placed();
    let read = |source: &Source, _: Vec<Entry>, memory: &mut Memory| {
        matches_of(source, (pattern, parts, &placed), takes, memory)
    };
    let Looked { found, mut skipped, damaged } =
        look(catalog, paths, (pattern, &placed, takes), &read)?;
    let found = found.into_iter();
    let mut sessions: Vec<SearchHits> =
        found.map(|(hits, entry)| SearchHits { entry, hits }).collect();
    sort(&mut sessions);
    let (left, unread) = match paths.is_empty() && wants_prompts(parts) {
        true => left_of(catalog, pattern, takes),
        false => (Vec::new(), Vec::new()),
    };
    skipped.extend(unread);
    Ok(SearchResult { sessions, skipped, damaged, left, stopped: false })
}

/// The result of reading the sources with a file that may match.
pub(crate) struct Looked<T> {
    /// The sessions with what was found in each, without copies.
    pub found: Vec<(T, Entry)>,
    /// The files that could not be looked through.
    pub skipped: Vec<Skipped>,
    /// The records that could not be read.
    pub damaged: Vec<UnreadRecord>,
}

/// The sessions that `read` finds in the sources with a file that may match, and of which `takes`
/// accepts a session. It gets the entries of the sessions.
pub(crate) fn look<T: Send>(
    catalog: &Catalog<'_>,
    paths: &[PathBuf],
    (pattern, placed, takes): (&Pattern, &FoldersOfPlaced, Takes<'_>),
    read: ReadSource<'_, T>,
) -> Result<Looked<T>, Error> {
    let mut found = candidates(catalog, paths, pattern)?;
    found.skipped.retain(|skipped| skipped.why.is_failure());
    found.skipped.extend(strangers_in(catalog, paths)?);
    let kept = Kept::nothing().with_index(&catalog.machine.index);
    let look = |memory: &mut Memory, source: &Source| {
        // Those that are not taken are excluded before anything is read whole.
        let mut entries_of = summarize(source, &kept, memory)?;
        entries_of.iter_mut().for_each(|entry| entry.relocate(placed));
        if !entries_of.iter().any(takes) {
            return Ok(Matches::default());
        }
        read(source, entries_of, memory)
    };
    let job = &catalog.machine.job;
    let looked = job.parallel_with(&found.sources, Source::length, Memory::default, look)?;
    let (mut all, mut damaged) = (Vec::new(), Vec::new());
    for (source, result) in found.sources.iter().zip(looked) {
        match result {
            Ok((matches, unread)) => {
                all.extend(matches);
                damaged.extend(unread);
            }
            Err(error) => found.skipped.extend(unreadable(source, &error)),
        }
    }
    Ok(Looked { found: copies::fold(all), skipped: found.skipped, damaged })
}

/// A function that reads a source, of whose sessions it gets the entries.
pub(crate) type ReadSource<'r, T> =
    &'r (dyn Fn(&Source, Vec<Entry>, &mut Memory) -> io::Result<Matches<T>> + Sync);

/// A test of the sessions that are taken.
pub(crate) type Takes<'t> = &'t (dyn Fn(&Entry) -> bool + Sync);

/// Sorts sessions as a list does: the newest is the first.
fn sort(sessions: &mut [SearchHits]) {
    sessions.sort_by_cached_key(|of| order(&of.entry));
}

/// The place of a session in a list.
pub(crate) fn order(entry: &Entry) -> (Reverse<Option<UtcTime>>, &'static str, String) {
    (Reverse(entry.updated), entry.format, entry.id.clone())
}

/// A source that could not be read.
fn unreadable(source: &Source, error: &io::Error) -> Option<Skipped> {
    let path = source.files.first()?.path.to_path_buf();
    Some(Skipped { path, why: SkipReason::Unreadable(error.to_string()) })
}

/// The sessions of which only prompts are left, with those that match, and the lists of prompts
/// that can't be read.
fn left_of(
    catalog: &Catalog<'_>,
    pattern: &Pattern,
    takes: &(dyn Fn(&Entry) -> bool + Sync),
) -> (Vec<SearchHits>, Vec<Skipped>) {
    let (mut left, unread) = catalog.left_prompts(&|bytes| pattern.may_be_in(bytes));
    left.retain(|left| takes(&left.entry));
    let of = |left: LeftPrompts| {
        let typed = left.prompts.iter().map(|prompt| (prompt.time, &*prompt.text));
        SearchHits { hits: typed_hits(typed, pattern), entry: left.entry }
    };
    let found = left.into_iter().map(of).filter(|of| !of.hits.is_empty());
    (found.collect(), unread)
}

/// In folders that are named: a file of each agent that is not read, by its place alone. Files
/// without a match are not opened.
fn strangers_in(catalog: &Catalog<'_>, paths: &[PathBuf]) -> Result<Vec<Skipped>, Error> {
    let mut found: BTreeMap<&'static str, PathBuf> = BTreeMap::new();
    if !paths.is_empty() {
        let roots = catalog.roots_of(paths)?;
        for (_, path) in WalkedNames::below(&roots).files() {
            if let Some(agent) = formats::strangers::placed(&absolute(path).to_string_lossy()) {
                found.entry(agent).or_insert_with(|| path.to_path_buf());
            }
        }
    }
    let skipped = |(agent, path)| Skipped { path, why: SkipReason::Foreign(agent) };
    Ok(found.into_iter().map(skipped).collect())
}

/// The sessions with a file that may match.
pub(crate) fn candidates(
    catalog: &Catalog<'_>,
    paths: &[PathBuf],
    pattern: &Pattern,
) -> Result<Found, Error> {
    let roots = catalog.roots_of(paths)?;
    let names = WalkedNames::below(&roots);
    let mut sieved = Sieved::default();
    sieved.add(catalog, pattern, &names.files())?;
    let (named, folders): (Vec<_>, Vec<_>) = once(paths).into_iter().partition(|p| p.is_file());
    let folders: Vec<PathBuf> = folders.into_iter().map(Path::to_path_buf).collect();
    let mut found = sieved.found(catalog, &names, &folders);
    let own = siblings(catalog.formats, &named);
    found.sources.extend(own.sources);
    found.skipped.extend(own.skipped);
    found.skipped.extend(sieved.unread());
    if paths.is_empty() {
        catalog.add_gone(&mut found);
    }
    Ok(found)
}

/// The files that may have a match, and those that could not be read.
#[derive(Default)]
struct Sieved {
    files: HashSet<usize>,
    unread: BTreeMap<usize, Skipped>,
}

impl Sieved {
    /// Looks through further files.
    fn add(
        &mut self,
        catalog: &Catalog<'_>,
        pattern: &Pattern,
        files: &[(usize, &Path)],
    ) -> Result<(), Error> {
        let runs = pattern.runs();
        let index = catalog.machine.index.as_ref().filter(|_| !runs.is_empty());
        let is_without = |path: &Path| index.is_some_and(|index| !index.may_contain(path, &runs));
        let look = |room: &mut Vec<u8>, (_, path): &(usize, &Path)| {
            if is_without(path) { Ok(false) } else { passes(catalog.formats, path, pattern, room) }
        };
        let passed = catalog.machine.job.parallel_with(files, |_| 0, Vec::new, look)?;
        for ((at, path), passed) in files.iter().zip(passed) {
            match passed {
                Ok(true) => self.files.extend([*at]),
                Ok(false) => {}
                Err(error) => {
                    let why = SkipReason::Unreadable(error.to_string());
                    self.unread.insert(*at, Skipped { path: path.to_path_buf(), why });
                }
            }
        }
        Ok(())
    }

    /// The files that could not be read, in the order of their names.
    fn unread(self) -> Vec<Skipped> {
        self.unread.into_values().collect()
    }

    /// Their sessions, if all files below `folders` were looked through.
    fn found(&self, catalog: &Catalog<'_>, names: &WalkedNames<'_>, folders: &[PathBuf]) -> Found {
        let mut found = match self.files.len() {
            0 => Found::default(),
            1..MANY => names.around(catalog.formats, &self.files, &catalog.machine.index),
            _ => catalog.find(folders),
        };
        let matched: HashSet<&Path> = self.files.iter().filter_map(|at| names.path(*at)).collect();
        let is_matched =
            |source: &Source| source.files.iter().any(|file| matched.contains(&*file.path));
        found.sources.retain(is_matched);
        found
    }
}

/// Number of bytes that are read at once.
const PIECE: usize = 256 * 1024;

/// Whether a file may have a match: its bytes do, or it is a database, of which the bytes tell
/// nothing. `room` is the buffer for its bytes.
fn passes(
    formats: Formats<'_>,
    path: &Path,
    pattern: &Pattern,
    room: &mut Vec<u8>,
) -> io::Result<bool> {
    if is_sealed(formats, path) || is_beside(path) {
        return Ok(false);
    }
    if is_zstd(path) {
        return Ok(pattern.may_be_in(&content::whole(path)?));
    }
    let (mut file, _) = seen(path)?;
    let mut sieve = pattern.sieve();
    room.resize(OVERLAP + PIECE, 0);
    let mut kept = 0;
    let mut first = true;
    loop {
        let filled = kept + read_full(&mut file, &mut room[kept..])?;
        if filled == kept {
            return Ok(sieve.passes());
        }
        if std::mem::take(&mut first) && (is_one(&room[..filled]) || is_log(&room[..filled])) {
            return Ok(true);
        }
        sieve.feed(&room[..filled]);
        if sieve.passes() {
            return Ok(true);
        }
        if filled < room.len() {
            return Ok(false);
        }
        kept = OVERLAP.min(filled);
        room.copy_within(filled - kept..filled, 0);
    }
}

/// Fills a buffer, or reads to the end.
fn read_full(file: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < into.len() {
        match file.read(&mut into[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The sessions with what was found in each, and the records that could not be read.
pub(crate) type Matches<T> = (Vec<(T, Entry)>, Vec<UnreadRecord>);

/// The sessions of a source that are taken, with their matches.
pub(crate) fn matches_of(
    source: &Source,
    (pattern, parts, placed): (&Pattern, &[TalkSection], &FoldersOfPlaced),
    takes: &(dyn Fn(&Entry) -> bool + Sync),
    memory: &mut Memory,
) -> io::Result<Matches<Vec<TextMatch>>> {
    let (bundle, unread) = bundle(source);
    if let Some(first) = unread.first()
        && bundle.members.is_empty()
    {
        return Err(io::Error::other(first.why.clone()));
    }
    if !bundle.members.iter().any(|member| pattern.may_be_in(member.bytes())) {
        return Ok(Matches::default());
    }
    let sessions = source.format.read_with(Arc::new(bundle), memory);
    let (mut found, mut damaged) = (Vec::new(), Vec::new());
    let own = sessions.iter().filter(|session| !session.remainder);
    for (session, mut entry) in own.zip(entries(source, &sessions)) {
        entry.relocate(placed);
        if !takes(&entry) {
            continue;
        }
        damaged.extend(session.unread_records());
        let hits = hits(session, entry.title.as_deref(), pattern, parts);
        if !hits.is_empty() {
            found.push((hits, entry));
        }
    }
    Ok((found, damaged))
}
