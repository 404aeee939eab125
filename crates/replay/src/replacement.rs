//! Replacement of texts, as in the editing tools of agents.

use super::change::{Hunk, Line, Replacement, lines};
use super::work::Work;

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

/// The text after the edits, in their order.
///
/// # Errors
/// [`super::work::SPENT`] if the cost exceeds the budget. Otherwise the reason: an edit has no
/// match, or has several and needs exactly one.
pub(super) fn edited(
    before: &str,
    edits: &[Replacement],
    work: &mut Work,
) -> Result<String, &'static str> {
    let mut text = before.to_owned();
    for edit in edits {
        work.take(text.len().saturating_mul(PASSES))?;
        let (old, count) = edit.find(&text);
        match count {
            0 => return Err("an edit whose old text is not in the known text of the file"),
            1 => {}
            _ if edit.all => {}
            _ => return Err("an edit whose old text occurs more than once"),
        }
        let longer = edit.new.len().saturating_sub(old.len()).saturating_mul(count);
        let ends = edit.new.bytes().filter(|byte| *byte == b'\n').count();
        // The new text of a single occurrence is in the session, so the session already bounds its
        // length.
        if count > 1 {
            work.grow(longer, ends.saturating_mul(count))?;
        }
        text = text.replacen(&old, &edit.new, count);
    }
    Ok(text)
}

/// Number of passes over the text for one edit.
const PASSES: usize = 3;

/// Whether the number of lines has changed as the hunks show.
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
