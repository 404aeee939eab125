//! Copies of sessions: another folder holds the same files, or earlier states of them. Copies are
//! listed and counted as one session.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::hash::BuildHasher as _;
use std::path::Path;

use foldhash::fast::RandomState;

use crate::open::beginning::begins;
use crate::open::content::length;
use crate::open::unpack::is_zstd;
use crate::summary::Entry;

/// A session's identity and files, for the comparison.
#[derive(Debug)]
pub struct Held<'h> {
    /// The format and the session's id.
    pub uid: (&'h str, &'h str),
    /// The paths of its files, the main one first; empty if it is stored in a database.
    pub files: Vec<&'h Path>,
}

impl<'h> Held<'h> {
    fn entry(entry: &'h Entry) -> Self {
        let files = entry.files.iter().map(|file| &**file).collect();
        Self { uid: (entry.format, &entry.id), files }
    }
}

/// The entries without copies. The path of each copy is added to the entry of its original.
pub fn fold<T>(mut entries: Vec<(T, Entry)>) -> Vec<(T, Entry)> {
    let copies = copies(&entries.iter().map(|(_, entry)| Held::entry(entry)).collect::<Vec<_>>());
    for (at, of) in copies.iter().enumerate() {
        if let Some(of) = *of {
            let path = entries[at].1.files.first().cloned();
            entries[of].1.copies.extend(path);
        }
    }
    let mut of = copies.into_iter();
    entries.retain(|_| of.next().flatten().is_none());
    entries
}

/// Maximum number of states of one session that are compared with each copy.
const STATES: usize = 8;

/// For each session, the index of the session that it is a copy of. Both have the same uid, and the
/// other's files begin with its own. Of several such sessions, the longest counts.
pub fn copies(sessions: &[Held<'_>]) -> Vec<Option<usize>> {
    let mut groups: HashMap<(&str, &str), Vec<usize>, RandomState> = HashMap::default();
    // Most uids occur once. There may be very many, so that only their hashes are kept.
    let (mut once, mut again) = (HashSet::new(), HashSet::new());
    let stored = || sessions.iter().enumerate().filter(|(_, held)| !held.files.is_empty());
    let hashes: RandomState = groups.hasher().clone();
    for (_, session) in stored() {
        let hash = hashes.hash_one(session.uid);
        if !once.insert(hash) {
            again.insert(hash);
        }
    }
    drop(once);
    for (at, session) in stored().filter(|(_, held)| again.contains(&hashes.hash_one(held.uid))) {
        groups.entry(session.uid).or_default().push(at);
    }
    let mut copies = vec![None; sessions.len()];
    let mut groups: Vec<Vec<usize>> = groups.into_values().filter(|all| all.len() > 1).collect();
    for group in &mut groups {
        let length = |&at: &usize| -> u64 {
            sessions[at].files.iter().filter_map(|file| length(file).ok()).sum()
        };
        // The longest first. Of equally long ones, the one that was found first.
        group.sort_by_cached_key(|at| (std::cmp::Reverse(length(at)), *at));
        let mut states: Vec<usize> = Vec::new();
        for &at in &*group {
            let is_of = |state: &&usize| is_copy(&sessions[at].files, &sessions[**state].files);
            copies[at] = states.iter().take(STATES).find(is_of).copied();
            states.extend(copies[at].is_none().then_some(at));
        }
    }
    copies
}

/// Whether each file is the beginning of the other session's file of the same name. A single file
/// may have any name.
fn is_copy(files: &[&Path], others: &[&Path]) -> bool {
    let begins = |file: &Path, other: &Path| begins(file, other).unwrap_or(false);
    match (files, others) {
        // A file is not a copy of itself. It may hold several conversations with one id.
        ([first, ..], [other, ..]) if first == other => false,
        ([file], [other, ..]) => begins(file, other),
        _ => {
            let by_name: HashMap<_, &Path> =
                others.iter().map(|other| (name(other), *other)).collect();
            let other = |file: &&Path| by_name.get(&name(file)).copied();
            files.iter().all(|file| other(file).is_some_and(|other| begins(file, other)))
        }
    }
}

/// Name of a file without the extension of its compressed form.
fn name(path: &Path) -> Option<&OsStr> {
    if is_zstd(path) { path.file_stem() } else { path.file_name() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_equal_or_an_earlier_state() {
        let temp = tempfile::tempdir().expect("a folder");
        let long = "line\n".repeat(40_000);
        let texts = [&*long, &long[..100_000], &long[..70_000], "line\nother\n", "", "other\n"];
        let paths = texts.iter().enumerate().map(|(at, text)| {
            let path = temp.path().join(at.to_string());
            std::fs::write(&path, text).expect("a file");
            path
        });
        let paths: Vec<_> = paths.collect();
        let held = |path, id| Held { uid: ("agent", id), files: vec![path] };
        let mut all: Vec<_> = paths.iter().rev().map(|path| held(&**path, "a")).collect();
        all.push(held(&paths[0], "b"));
        let found = copies(&all);
        assert_eq!(found, [None, Some(5), None, Some(5), Some(5), None, None]);
    }

    /// The files have equal ends, which are longer than the part that is compared first.
    #[test]
    fn files_that_differ_in_their_middle_are_no_copies() {
        let temp = tempfile::tempdir().expect("a folder");
        let text = "line\n".repeat(40_000);
        let mut changed = text.clone();
        changed.replace_range(100_000..100_004, "LINE");
        let write = |name: &str, text: &str| {
            let path = temp.path().join(name);
            std::fs::write(&path, text).expect("a file");
            path
        };
        let paths = [write("a", &text), write("b", &changed), write("c", &text)];
        let held = |path| Held { uid: ("agent", "a"), files: vec![path] };
        let found = copies(&paths.iter().map(|path| held(&**path)).collect::<Vec<_>>());
        assert_eq!(found, [None, None, Some(0)]);
    }

    fn pack(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    /// A compressed file is a copy of its plain form. It is also an earlier state of a longer file,
    /// plain or compressed.
    #[test]
    fn a_packed_file_is_compared_by_its_content() {
        let temp = tempfile::tempdir().expect("a folder");
        let text = (0..60_000).map(|at| format!("line {at}\n")).collect::<String>();
        let early = &text[..400_000];
        let other = text.replace("line 30000\n", "LINE 30000\n");
        let write = |folder: &str, text: &str, packed: bool| {
            std::fs::create_dir(temp.path().join(folder)).expect("a folder");
            let path = temp.path().join(folder);
            let (path, bytes) = match packed {
                true => (path.join("a.jsonl.zst"), pack(text.as_bytes())),
                false => (path.join("a.jsonl"), text.as_bytes().to_vec()),
            };
            std::fs::write(&path, bytes).expect("a file");
            path
        };
        let paths = [
            write("plain", &text, false),
            write("packed", &text, true),
            write("early", early, true),
            write("other", &other, true),
        ];
        let held = |path| Held { uid: ("agent", "a"), files: vec![path] };
        let mut all: Vec<_> = paths.iter().map(|path| held(&**path)).collect();
        assert_eq!(copies(&all), [None, Some(0), Some(0), None]);
        all.remove(0);
        assert_eq!(copies(&all), [None, Some(0), None]);
    }
}
