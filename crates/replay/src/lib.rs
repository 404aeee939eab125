//! Replay of file changes: which lines of its files a session wrote.
//!
//! A format says what each tool call did ([`Change`]); the replay follows the lines. It knows a
//! file only as far as the session records it, and names what it can't derive; it guesses nothing.
//! Lines are 1-based, as in the record's `file-attribution`.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), forbid(clippy::disallowed_methods, clippy::disallowed_types))]

mod diff;
mod file;
mod patch;
mod replacement;
mod shell;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use diff::{SPENT, Work};
use file::File;
pub use patch::patch;
pub use replacement::{Replacement, edited};
use session::EventIx;
pub use shell::command;

/// What a tool call did to a file, or learnt of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The file stands so now. Whatever differs from what was known before is somebody else's.
    Seen {
        /// The whole content.
        content: String,
    },
    /// The file was written whole.
    Write {
        /// The content before, where the session tells it; an empty one for a new file.
        before: Option<String>,
        /// The content now.
        after: String,
    },
    /// Lines were replaced at known places.
    Hunks {
        /// The content before, where the session tells it.
        before: Option<String>,
        /// The places, in rising order, each counted in the file before this change.
        hunks: Vec<Hunk>,
        /// What was asked for, where the hunks show it less exactly.
        edits: Vec<Replacement>,
    },
    /// A text was replaced, wherever it stood.
    Replace(Replacement),
    /// Lines were replaced where their context stands: a patch without line numbers.
    Patch {
        /// The pieces, in the order of the file.
        hunks: Vec<Hunk>,
    },
    /// Something may have been done to the file, and the session does not tell what.
    Unclear {
        /// Why it can't be told.
        why: &'static str,
    },
    /// The file is gone.
    Delete,
    /// The file has another path now.
    Move {
        /// The new path.
        to: String,
    },
}

/// A run of lines of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The line of the file before the change at which it begins, 1-based; 0 where it is not told
    /// (a patch is placed by its context then).
    pub start: usize,
    /// A line behind which the hunk stands, where the patch names one.
    pub anchor: Option<String>,
    /// It stands at the end of the file.
    pub end: bool,
    /// The lines, without line ends.
    pub lines: Vec<Line>,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Stays.
    Same(String),
    /// Goes.
    Gone(String),
    /// Comes.
    New(String),
}

/// Lines of a file that the session left as its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first line, 1-based.
    pub start: usize,
    /// The last line, inclusive.
    pub end: usize,
    /// The event that wrote them.
    pub event: EventIx,
    /// Their text: the lines with a line feed between.
    pub text: String,
}

/// A change whose lines can't be derived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The event.
    pub event: EventIx,
    /// The file.
    pub path: String,
    /// Why.
    pub why: &'static str,
}

/// What a session left in its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribution {
    /// Path to ranges, which do not overlap and rise. Files without any are left out.
    pub files: BTreeMap<String, Vec<Range>>,
    /// What can't be derived.
    pub unknown: Vec<Unknown>,
}

/// Follows files through changes.
#[derive(Default)]
pub struct Replay {
    files: BTreeMap<String, File>,
    unknown: Vec<Unknown>,
    /// How much may still be gone through.
    work: Work,
}

impl Replay {
    /// Makes one change to the file at `path`, by `event`.
    pub fn change(&mut self, event: EventIx, path: &str, change: Change) {
        let rounds = match &change {
            Change::Hunks { edits, .. } => 1 + edits.len(),
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
            self.unknown.push(Unknown { event, path: path.to_owned(), why });
        }
    }

    /// What is left.
    #[must_use]
    pub fn finish(self) -> Attribution {
        let ranges = |(path, file): (String, File)| {
            let ranges = file.ranges();
            (!ranges.is_empty()).then_some((path, ranges))
        };
        let files = self.files.into_iter().filter_map(ranges).collect();
        Attribution { files, unknown: self.unknown }
    }
}

/// The lines of a text, without line ends. A last line without an end is a line too.
#[must_use]
pub fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// The hunks of a unified diff: a head (`@@ -a,b +c,d @@`) and as many lines with ` `, `-` or `+`
/// before them as it counts. What stands between hunks is passed over. A hunk whose head has no
/// numbers begins at 0 and goes on to the next head.
#[must_use]
pub fn unified(diff: &str) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let (mut old, mut new) = (0, 0);
    for line in diff.split('\n') {
        let inside = old > 0 || new > 0;
        if let Some(head) = line.strip_prefix("@@").filter(|_| !inside || old == usize::MAX) {
            let place = head_of(head);
            (old, new) = place.map_or((usize::MAX, usize::MAX), |(_, old, new)| (old, new));
            let start = place.map_or(0, |(start, ..)| start);
            hunks.push(Hunk { start, anchor: None, end: false, lines: Vec::new() });
            continue;
        }
        let Some(hunk) = hunks.last_mut().filter(|_| inside) else { continue };
        let mut chars = line.chars();
        let sign = chars.next();
        let text = chars.as_str().to_owned();
        let (gone, come, line) = match sign {
            Some('-') => (1, 0, Line::Gone(text)),
            Some('+') => (0, 1, Line::New(text)),
            Some(' ') => (1, 1, Line::Same(text)),
            // Some tools leave the space of an empty line out.
            None if old != usize::MAX => (1, 1, Line::Same(text)),
            _ => continue,
        };
        old = if old == usize::MAX { old } else { old.saturating_sub(gone) };
        new = if new == usize::MAX { new } else { new.saturating_sub(come) };
        hunk.lines.push(line);
    }
    hunks
}

/// ` -a,b +c,d @@`: where the lines began before, how many they were, and how many they are. With
/// no lines before (`-a,0`), the new ones come behind line `a`.
fn head_of(head: &str) -> Option<(usize, usize, usize)> {
    let mut words = head.split([' ', '\t']).filter(|word| !word.is_empty());
    let range = |word: &str, sign: char| -> Option<(usize, usize)> {
        let word = word.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (start, old) = range(words.next()?, '-')?;
    let (_, new) = range(words.next()?, '+')?;
    // Counts beyond any file are no counts.
    let bounded = old < usize::MAX / 2 && new < usize::MAX / 2;
    bounded.then_some((if old == 0 { start.saturating_add(1) } else { start }, old, new))
}
