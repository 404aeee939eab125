//! The list of a machine's sessions, or of those below some paths.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::Arc;

use meaning::turn;
use session::Memory;
use session::Sorting as _;

use crate::catalog::Catalog;
use crate::copies;
use crate::early::Early;
use crate::find::environment::Root;
use crate::find::found::{Claimed, Found, SkipReason, Skipped};
use crate::find::newest::NewestFiles;
use crate::open::bundle::bundle;
use crate::open::ends::Kept;
use crate::open::source::Source;
use crate::parallel::parallel_with;
use crate::summary::{Entry, entries, summarize};

/// The numbers of the newest files that are read, until they are enough. Of a home with less than
/// four times as many, all are read: that costs little, and nothing depends on the times of files.
const STEPS: [usize; 2] = [512, 4096];

/// Content of a list.
#[derive(Debug, Default)]
pub struct Listing {
    /// The sessions, the newest first.
    pub entries: Vec<Entry>,
    /// The files that are no session, or can't be read.
    pub skipped: Vec<Skipped>,
}

impl Catalog<'_> {
    /// Lists the sessions below `paths` (or in the agents' own places), the newest first. `turns`
    /// reads every session whole to count them.
    #[must_use]
    pub fn list(&self, paths: &[PathBuf], turns: bool) -> Listing {
        self.list_with(paths, turns, &|_| {})
    }

    /// The same. `shorten` may take what is not needed out of each entry, as soon as it is made: a
    /// list may be long, and so may prompts.
    #[must_use]
    pub fn list_with(
        &self,
        paths: &[PathBuf],
        turns: bool,
        shorten: &(dyn Fn(&mut Entry) + Sync),
    ) -> Listing {
        let placed = self.placed();
        let shorten = &|entry: &mut Entry| {
            entry.relocate(&placed);
            shorten(entry);
        };
        let kept = if turns { Kept::nothing() } else { Kept::new() };
        let kept = kept.with_index(&self.machine.index);
        // Most sessions are one file, which is summarized when its beginning has just been read: so
        // the bytes of few files are in memory.
        let early = Early::default();
        let glance = |claimed: &Claimed| match turns {
            true => {}
            false => early.add(claimed, |source, memory| {
                let mut entries = summarize(source, &kept, memory).ok()?;
                entries.iter_mut().for_each(shorten);
                Some(entries.into_boxed_slice())
            }),
        };
        let found = self.find_with(paths, &kept, &glance);
        listed_from(found, turns, (&kept, early), shorten)
    }

    /// Lists the newest sessions of the agents' own places, or those below `paths`: as many as are
    /// enough. `is_enough` gets the beginning of the list, again and again a longer one. The newest
    /// files are read first; all are, if nothing less is enough.
    #[must_use]
    pub fn list_newest(
        &self,
        paths: &[PathBuf],
        is_enough: &mut dyn FnMut(&[Entry]) -> bool,
    ) -> Listing {
        let roots = if paths.is_empty() { self.machine.roots(self.formats) } else { Vec::new() };
        self.newest(&roots, &STEPS, is_enough).unwrap_or_else(|| self.list(paths, false))
    }

    /// The same of the agents' own places, for a first screen: of a home with many files only the
    /// `count` newest are read, if they are enough.
    #[must_use]
    pub fn list_first(&self, count: usize, is_enough: &mut dyn FnMut(&[Entry]) -> bool) -> Listing {
        let roots = self.machine.roots(self.formats);
        let steps = [count, STEPS[0], STEPS[1]];
        self.newest(&roots, &steps, is_enough).unwrap_or_else(|| self.list(&[], false))
    }

    /// The list of the newest files below some folders, if fewer than all are enough.
    fn newest(
        &self,
        roots: &[Root],
        steps: &[usize],
        is_enough: &mut dyn FnMut(&[Entry]) -> bool,
    ) -> Option<Listing> {
        let files = NewestFiles::below(roots);
        for count in steps.iter().copied().take_while(|count| 4 * count < files.count()) {
            let newest = files.first(self.formats, count);
            let found = self.find_around(&files.names, &newest.files, newest.others);
            let listing = self.list_found(found, false, &|_| {});
            let is_first = |entry: &Entry| entry.updated > newest.others;
            let first = listing.entries.partition_point(is_first);
            // Where all files are as young as the newest, as copies are, their times tell nothing.
            if first == 0 || !files.are_believed(listing.entries.iter()) {
                break;
            }
            if is_enough(&listing.entries[..first]) {
                return Some(listing);
            }
        }
        None
    }

    /// Lists the sessions that a search has found, the newest first.
    #[must_use]
    pub fn list_found(
        &self,
        found: Found,
        turns: bool,
        shorten: &(dyn Fn(&mut Entry) + Sync),
    ) -> Listing {
        let placed = self.placed();
        let shorten = |entry: &mut Entry| {
            entry.relocate(&placed);
            shorten(entry);
        };
        let kept = Kept::nothing().with_index(&self.machine.index);
        listed_from(found, turns, (&kept, Early::default()), &shorten)
    }
}

/// The list of what was found. What was kept of the files is not read again.
fn listed_from(
    found: Found,
    turns: bool,
    (kept, early): (&Kept, Early<Box<[Entry]>>),
    shorten: &(dyn Fn(&mut Entry) + Sync),
) -> Listing {
    let Found { sources, skipped } = found;
    let mut listing = Listing { entries: Vec::new(), skipped };
    let look = |memory: &mut Memory, source: &Source| {
        let mut entries = match turns {
            true => counted(source),
            false => match early.take(source) {
                Some(entries) => return Ok(entries.into_vec()),
                None => summarize(source, kept, memory).map_err(|error| {
                    let why = SkipReason::Unreadable(error.to_string());
                    source.files.first().map(|file| Skipped { path: file.path.to_path_buf(), why })
                })?,
            },
        };
        entries.iter_mut().for_each(shorten);
        Ok::<_, Option<Skipped>>(entries)
    };
    let looked = parallel_with(&sources, Source::length, Memory::default, look);
    // A list may be long: what is needed no more is freed at once.
    drop((sources, early));
    let mut all = Vec::with_capacity(looked.len());
    for result in looked {
        match result {
            Ok(entries) => all.extend(entries.into_iter().map(|entry| ((), entry))),
            Err(skipped) => listing.skipped.extend(skipped),
        }
    }
    listing.entries = copies::fold(all).into_iter().map(|(_, entry)| entry).collect();
    sort(&mut listing.entries);
    listing
}

/// Sorts a list, the newest first.
fn sort(entries: &mut [Entry]) {
    let place = |entry: &Entry| (Reverse(entry.updated), entry.format);
    entries.in_order_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.id.cmp(&b.id)));
}

/// The sessions of a source, read whole, with their turns.
fn counted(source: &Source) -> Vec<Entry> {
    let sessions = source.format.read(Arc::new(bundle(source).0));
    let turns: Vec<usize> =
        sessions.iter().filter(|s| !s.remainder).map(turn::number_of_turns).collect();
    let mut entries = entries(source, &sessions);
    for (entry, turns) in entries.iter_mut().zip(turns) {
        entry.turns = Some(turns);
    }
    entries
}

#[cfg(test)]
mod tests {
    use session::UtcTime;

    use super::*;

    /// The first screen of a home that was restored from a copy: its files have their old times.
    #[test]
    fn a_first_screen_reads_the_newest_files_alone() {
        let home = tempfile::tempdir().expect("a home");
        let folder = home.path().join(".claude/projects/-home-ana-till");
        std::fs::create_dir_all(&folder).expect("a folder");
        let begin = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_770_000_000);
        for at in 0..1100_u64 {
            let id = format!("7a5c1f20-90a1-4c63-9d0e-6b7a6a1f{at:04}");
            let time = begin + std::time::Duration::from_secs(600 * at);
            let text = UtcTime(1_770_000_000_000_000 + 600_000_000 * at as i64).rfc3339();
            let of = format!(r#""uuid":"u1","parentUuid":null,"sessionId":"{id}","cwd":"/srv""#);
            let message = format!(r#"{{"role":"user","content":"Count drawer {at}"}}"#);
            let line =
                format!(r#"{{"type":"user",{of},"timestamp":"{text}","message":{message}}}"#);
            let path = folder.join(format!("{id}.jsonl"));
            std::fs::write(&path, line + "\n").expect("written");
            let file = std::fs::File::options().write(true).open(&path).expect("opened");
            file.set_modified(time).expect("a time");
        }
        let machine = crate::Machine { home: Some(home.path().into()), ..Default::default() };
        let catalog = Catalog { formats: formats::ALL, machine };
        let first = catalog.list_first(48, &mut |newest| !newest.is_empty()).entries;
        let read = crate::open::ends::tests::read_below(home.path());
        assert!((24..=64).contains(&read), "{read} files were read");
        let all = catalog.list(&[], false).entries;
        assert_eq!(all.len(), 1100);
        let ids = |all: &[Entry]| all.iter().map(|entry| entry.id.clone()).collect::<Vec<_>>();
        assert!(first.len() >= 24 && first.len() < 64, "{}", first.len());
        assert_eq!(ids(&first), ids(&all[..first.len()]));
    }
}
