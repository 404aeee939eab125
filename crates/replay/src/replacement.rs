//! Texts in place of others, as the tools that edit files make them.

use super::{Hunk, Line, lines};

/// A text in place of another, wherever it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The text before.
    pub old: String,
    /// The text now.
    pub new: String,
    /// Everywhere, not only at its one place.
    pub all: bool,
    /// Where nothing comes in its place, the line end behind it goes too.
    pub line: bool,
}

impl Replacement {
    /// The text that is searched for, and how often it stands in `text`.
    pub(super) fn find(&self, text: &str) -> (String, usize) {
        let takes_end = self.line && self.new.is_empty() && !self.old.ends_with('\n');
        let whole = format!("{}\n", self.old);
        let old = if takes_end && text.contains(&whole) { whole } else { self.old.clone() };
        let count = if old.is_empty() { 0 } else { text.matches(&old).count() };
        (old, count)
    }
}

/// No text is followed that gets longer than this, in bytes.
const LONGEST: usize = 1 << 26;

/// The text after the edits, in their order; `None` where one finds nothing, or several places
/// where it asks for one; or where it makes more of the text than a file is.
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

/// Has the text as many lines more as the hunks say?
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
