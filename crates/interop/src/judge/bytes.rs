//! The bytes of a home, searched for the mock's texts and numbers.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of a home that are searched for the mock's answers.
const SEARCHED: u64 = 256 << 20;

/// The bytes of files, searched for the mock's texts and numbers.
pub(super) struct Bytes(Vec<Vec<u8>>);

impl Bytes {
    pub(super) fn of(paths: &[PathBuf]) -> Self {
        // A database's WAL is beside it.
        let log = |path: &PathBuf| PathBuf::from(format!("{}-wal", path.display()));
        let all: BTreeSet<PathBuf> =
            paths.iter().flat_map(|path| [path.clone(), log(path)]).collect();
        Self(all.iter().filter_map(|path| fs::read(path).ok()).collect())
    }

    pub(super) fn under(folder: &Path) -> Self {
        let (mut files, mut folders, mut left) = (Vec::new(), vec![folder.to_owned()], SEARCHED);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(data) = entry.metadata() else { continue };
                if data.is_dir() {
                    folders.push(entry.path());
                } else if data.is_file() && data.len() <= left {
                    left -= data.len();
                    files.extend(fs::read(entry.path()).ok());
                }
            }
        }
        Self(files)
    }

    pub(super) fn have(&self, word: &str) -> bool {
        self.places(word).next().is_some()
    }

    /// Whether the number occurs, not as a part of a longer number.
    pub(super) fn have_number(&self, number: u64) -> bool {
        let word = number.to_string();
        self.places(&word).any(|(bytes, at)| {
            let digit = |at: Option<usize>| {
                at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric)
            };
            !digit(at.checked_sub(1)) && !digit(Some(at + word.len()))
        })
    }

    fn places<'a>(&'a self, word: &'a str) -> impl Iterator<Item = (&'a [u8], usize)> {
        self.0.iter().flat_map(move |bytes| {
            let windows = bytes.windows(word.len()).enumerate();
            windows.filter(|(_, part)| *part == word.as_bytes()).map(|(at, _)| (&bytes[..], at))
        })
    }
}
