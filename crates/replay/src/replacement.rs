//! Replacement of texts, as by the tools that edit files.

use super::{Hunk, Line, lines};

/// Replacement of a text, wherever it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The text before.
    pub old: String,
    /// The text now.
    pub new: String,
    /// Whether every occurrence is replaced; otherwise the only one.
    pub all: bool,
    /// Whether the line end after a text is deleted with it.
    pub line: bool,
}

impl Replacement {
    /// The search text, and the number of its occurrences in `text`.
    pub(super) fn find(&self, text: &str) -> (String, usize) {
        let takes_end = self.line && self.new.is_empty() && !self.old.ends_with('\n');
        let whole = format!("{}\n", self.old);
        let old = if takes_end && text.contains(&whole) { whole } else { self.old.clone() };
        let count = if old.is_empty() { 0 } else { text.matches(&old).count() };
        (old, count)
    }
}

/// Largest length of a text, in bytes. Longer ones are not followed.
const LONGEST: usize = 1 << 26;

/// The text after the edits, in their order. `None` if one finds no match, or several and needs
/// one, or if the text becomes too long.
#[must_use]
pub fn edited(before: &str, edits: &[Replacement]) -> Option<String> {
    let mut text = before.to_owned();
    for edit in edits {
        let (old, count) = edit.find(&text);
        if count == 0 || (count > 1 && !edit.all) {
            return None;
        }
        let more = edit.new.len().saturating_sub(old.len()).saturating_mul(count);
        if text.len().saturating_add(more) > LONGEST {
            return None;
        }
        text = text.replacen(&old, &edit.new, count);
    }
    (!edits.is_empty()).then_some(text)
}

/// Whether the text's number of lines has changed as the hunks say.
pub(super) fn agree(before: &str, after: &str, hunks: &[Hunk]) -> bool {
    let told = hunks.iter().flat_map(|hunk| &hunk.lines);
    let (mut come, mut gone) = (0, 0);
    told.for_each(|line| match line {
        Line::New(_) => come += 1,
        Line::Gone(_) => gone += 1,
        Line::Same(_) => {}
    });
    lines(before).len() + come == lines(after).len() + gone
}
