//! States of what was placed: of a file, of a session, and of what a killed process had begun.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::swap::swaps;
use crate::journal::{Placed, PlacedFile, Step, digest};

/// The state of a file that was placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It has the bytes with which it was placed.
    Unchanged,
    /// It has other bytes: its agent has continued the session.
    Changed,
    /// It is not there.
    Missing,
}

/// The state of a session that was placed as files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Everything is as it was placed.
    Unchanged,
    /// This file has changed: its agent has continued the session.
    Changed(PathBuf),
    /// The file that lists it is gone, or all are: its agent or its user has removed it.
    Missing,
}

/// The result of ending what a killed process had begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The session is whole, or its agent has continued it: it stays.
    Kept,
    /// The files that were there of it were removed.
    Removed,
    /// The end failed, with this error; the next process tries again.
    Failed(String),
}

/// The end that the next process gives to a placement or a removal that was begun: `None` if there
/// is nothing to end. An import by the agent is completed by a second one, or by a removal.
/// `journal` is the folder of the journal.
#[must_use]
pub fn unfinished(placed: &Placed, journal: &Path) -> Option<Settlement> {
    let last = placed.files.last().map(state_of)?;
    if matches!(placed.step, Step::Placed | Step::Replaced) {
        return None;
    }
    if let Some(swap) = swaps(placed, journal).iter().flatten().last() {
        // Until the last file has its place, the earlier ones count.
        return Some(match (swap.is_done(), placed.step, changed(placed)) {
            (true, Step::Placing, _) | (true, _, Some(_)) => Settlement::Kept,
            _ => Settlement::Removed,
        });
    }
    Some(match (placed.step, changed(placed), last) {
        (_, Some(_), _) | (Step::Placing, None, FileState::Unchanged) => Settlement::Kept,
        _ => Settlement::Removed,
    })
}

/// The state of a session that was placed as files.
#[must_use]
pub fn state(placed: &Placed) -> State {
    if let Some(path) = changed(placed) {
        return State::Changed(path);
    }
    match placed.files.last().map(state_of) {
        Some(FileState::Missing) => State::Missing,
        _ => State::Unchanged,
    }
}

/// The first file that has changed.
pub(super) fn changed(placed: &Placed) -> Option<PathBuf> {
    let changed = placed.files.iter().find(|file| state_of(file) == FileState::Changed);
    changed.map(|file| file.path.clone())
}

/// The state of a file that was placed. What is there and can't be read counts as changed.
#[must_use]
pub fn state_of(file: &PlacedFile) -> FileState {
    match file.path.symlink_metadata() {
        Err(error) if is_gone(&error) => FileState::Missing,
        Ok(meta) if meta.is_file() => match fs::read(&file.path) {
            Ok(bytes) if digest(&bytes) == file.sha256 => FileState::Unchanged,
            Err(error) if is_gone(&error) => FileState::Missing,
            _ => FileState::Changed,
        },
        _ => FileState::Changed,
    }
}

/// The digest of a file's bytes.
pub(super) fn digest_of(path: &Path) -> Option<String> {
    fs::read(path).ok().map(|bytes| digest(&bytes))
}

pub(super) fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
