//! Replay of file changes: the lines of its files that a session wrote.
//!
//! A format reports the effect of each tool call ([`Change`]), and the replay follows the lines. It
//! knows a file only as far as the session records it. Changes that it can't derive are listed,
//! never guessed. Lines are 1-based, as in the record's `file-attribution`.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

mod between;
mod change;
mod diff;
mod file;
mod follow;
mod hunk;
mod patch;
mod replacement;
mod shell;
#[cfg(test)]
mod tests;
mod undo;
mod work;

use std::collections::BTreeMap;

pub use between::between;
pub use change::{Change, Hunk, Line, Replacement, lines, unified};
use file::File;
pub use file::WrittenRange;
pub use follow::{FollowedLines, LineWriter, follow, unchanged};
pub use patch::{PATCH_BEGIN, PATCH_END, patch};
use session::EventIx;
pub use shell::command;
use work::{SPENT, Work};

/// A change whose lines can't be derived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnclearChange {
    /// The event.
    pub event: EventIx,
    /// The file.
    pub path: String,
    /// The reason.
    pub why: &'static str,
}

/// Lines of files that a session wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenLines {
    /// Ranges by path, in rising order and without overlap. Files without any are left out.
    pub files: BTreeMap<String, Vec<WrittenRange>>,
    /// Changes that can't be derived.
    pub unknown: Vec<UnclearChange>,
}

/// Replay of the changes to a session's files, in order.
#[derive(Debug, Default)]
pub struct Replay {
    files: BTreeMap<String, File>,
    unknown: Vec<UnclearChange>,
    /// The remaining budget.
    work: Work,
}

impl Replay {
    /// Applies one change by `event` to the file at `path`.
    pub fn change(&mut self, event: EventIx, path: &str, change: Change) {
        let rounds = match &change {
            Change::Hunks { .. } | Change::Replace { .. } => 2,
            Change::Patch { hunks } => 1 + hunks.len(),
            _ => 1,
        };
        let size = self.files.get(path).map_or(0, File::size);
        let left = self.work.take(size.saturating_mul(rounds));
        let result = match change {
            _ if left.is_err() => left,
            Change::Delete => {
                self.files.insert(path.to_owned(), File::none());
                Ok(())
            }
            Change::Move { to } => {
                let file = self.files.insert(path.to_owned(), File::none());
                self.files.insert(to, file.unwrap_or_default());
                Ok(())
            }
            change => {
                let file = self.files.entry(path.to_owned()).or_default();
                file.apply(event, change, &mut self.work)
            }
        };
        if let Err(why) = result {
            if why == SPENT {
                self.files.entry(path.to_owned()).or_default().forget();
            }
            self.unknown.push(UnclearChange { event, path: path.to_owned(), why });
        }
    }

    /// The result.
    #[must_use]
    pub fn finish(self) -> WrittenLines {
        let ranges = |(path, file): (String, File)| {
            let ranges = file.ranges();
            (!ranges.is_empty()).then_some((path, ranges))
        };
        let files = self.files.into_iter().filter_map(ranges).collect();
        WrittenLines { files, unknown: self.unknown }
    }
}
