//! Replay of file changes: the lines of its files that a session wrote.
//!
//! A format reports the effect of each tool call ([`Change`]), and the replay follows the lines. It
//! knows a file only as far as the session records it. Changes that it can't derive are listed,
//! never guessed. Lines are 1-based, as in the record's `file-attribution`.

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
pub use replacement::Replacement;
use session::EventIx;
pub use shell::command;

/// Effect of a tool call on a file, or its knowledge of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The file's current content. Any difference from the known content is somebody else's.
    Seen {
        /// The whole content.
        content: String,
    },
    /// The whole file was written.
    Write {
        /// The previous content, if the session has it; empty for a new file.
        before: Option<String>,
        /// The new content.
        after: String,
    },
    /// Lines were replaced at known positions.
    Hunks {
        /// The previous content, if the session has it.
        before: Option<String>,
        /// The hunks in rising order. Their line numbers refer to the file before this change.
        hunks: Vec<Hunk>,
        /// The requested edits, if the hunks show them less exactly.
        edits: Vec<Replacement>,
    },
    /// Texts were replaced one after the other, wherever they were.
    Replace {
        /// The previous content, if the session has it.
        before: Option<String>,
        /// The edits, in their order.
        edits: Vec<Replacement>,
    },
    /// Lines were replaced at their context: a patch without line numbers.
    Patch {
        /// The pieces, in the order of the file.
        hunks: Vec<Hunk>,
    },
    /// The file may have changed, and the session does not show how.
    Unclear {
        /// The reason why it can't be derived.
        why: &'static str,
    },
    /// The file was deleted.
    Delete,
    /// The file was moved.
    Move {
        /// The new path.
        to: String,
    },
}

impl Change {
    /// One text was replaced; the session does not show the content before.
    #[must_use]
    pub fn replace(edit: Replacement) -> Self {
        Self::Replace { before: None, edits: vec![edit] }
    }
}

/// A run of lines of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// Its first line in the file before the change, 1-based. 0 means unknown: then the patch is
    /// placed by its context.
    pub start: usize,
    /// A line before the hunk, if the patch names one.
    pub anchor: Option<String>,
    /// Whether it is at the end of the file.
    pub end: bool,
    /// The lines, without line ends.
    pub lines: Vec<Line>,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Unchanged.
    Same(String),
    /// Deleted.
    Gone(String),
    /// Inserted.
    New(String),
}

/// Lines of a file that belong to the session at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first line, 1-based.
    pub start: usize,
    /// The last line, inclusive.
    pub end: usize,
    /// The event that wrote them.
    pub event: EventIx,
    /// Their text: the lines joined by line feeds.
    pub text: String,
}

/// A change whose lines can't be derived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The event.
    pub event: EventIx,
    /// The file.
    pub path: String,
    /// The reason.
    pub why: &'static str,
}

/// Lines of files that a session wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attribution {
    /// Ranges by path, in rising order and without overlap. Files without any are left out.
    pub files: BTreeMap<String, Vec<Range>>,
    /// Changes that can't be derived.
    pub unknown: Vec<Unknown>,
}

/// Replay of the changes of files.
#[derive(Default)]
pub struct Replay {
    files: BTreeMap<String, File>,
    unknown: Vec<Unknown>,
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
            self.unknown.push(Unknown { event, path: path.to_owned(), why });
        }
    }

    /// The result.
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

/// The lines of a text, without line ends. A last line without a line end counts too.
#[must_use]
pub fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// The hunks of a unified diff: a head (`@@ -a,b +c,d @@`), followed by as many lines with ` `, `-`
/// or `+` as it states. Text between hunks is skipped. A hunk whose head has no numbers begins at 0
/// and continues to the next head.
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
            // Some tools omit the space of an empty line.
            None if old != usize::MAX => (1, 1, Line::Same(text)),
            _ => continue,
        };
        old = if old == usize::MAX { old } else { old.saturating_sub(gone) };
        new = if new == usize::MAX { new } else { new.saturating_sub(come) };
        hunk.lines.push(line);
    }
    hunks
}

/// ` -a,b +c,d @@`: the first old line, the number of old lines, and the number of new ones.
/// Without old lines (`-a,0`), the new ones come after line `a`.
fn head_of(head: &str) -> Option<(usize, usize, usize)> {
    let mut words = head.split([' ', '\t']).filter(|word| !word.is_empty());
    let range = |word: &str, sign: char| -> Option<(usize, usize)> {
        let word = word.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (start, old) = range(words.next()?, '-')?;
    let (_, new) = range(words.next()?, '+')?;
    // Numbers beyond the length of any file are invalid.
    let bounded = old < usize::MAX / 2 && new < usize::MAX / 2;
    bounded.then_some((if old == 0 { start.saturating_add(1) } else { start }, old, new))
}
