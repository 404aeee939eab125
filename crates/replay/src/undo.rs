//! Changes that are taken back: the text before a change, by the text after it.

use super::change::{Change, Hunk, Line, Replacement};
use super::diff::position;
use super::work::Work;

/// The text before a change, if that is certain: each new text is at one place only.
pub(super) fn undone(after: &str, change: &Change, work: &mut Work) -> Option<String> {
    match change {
        Change::Hunks { hunks, .. } | Change::Patch { hunks } => hunks_undone(after, hunks, work),
        Change::Replace { edits, .. } => {
            let mut text = after.to_owned();
            for edit in edits.iter().rev() {
                text = replacement_undone(&text, edit, work)?;
            }
            Some(text)
        }
        _ => None,
    }
}

fn replacement_undone(after: &str, edit: &Replacement, work: &mut Work) -> Option<String> {
    work.take(after.len()).ok()?;
    let mut places = after.match_indices(&*edit.new);
    let (at, new) = places.next().filter(|(_, new)| !new.is_empty())?;
    if places.next().is_some() {
        return None;
    }
    work.grow(edit.old.len().saturating_sub(new.len()), 0).ok()?;
    Some(format!("{}{}{}", &after[..at], edit.old, &after[at + new.len()..]))
}

/// The hunks from the last to the first: each one's new lines become its old ones.
fn hunks_undone(after: &str, hunks: &[Hunk], work: &mut Work) -> Option<String> {
    let mut text: Vec<&str> = after.split('\n').collect();
    // The first line after the change is not that before it: hunks above have moved it.
    let mut moved: Vec<isize> = Vec::with_capacity(hunks.len());
    let mut by = 0;
    for hunk in hunks {
        moved.push(by);
        by += hunk.side(true).count() as isize - hunk.side(false).count() as isize;
    }
    for (hunk, by) in hunks.iter().zip(moved).rev() {
        work.take(after.len()).ok()?;
        let (new, old): (Vec<&str>, Vec<&str>) =
            (hunk.side(true).collect(), hunk.side(false).collect());
        let told = hunk.start.checked_sub(1).and_then(|at| at.checked_add_signed(by));
        let is_there =
            |at: &usize| text.get(*at..).is_some_and(|rest| rest.starts_with(new.as_slice()));
        let at = told.filter(is_there).or_else(|| only_place(&text, &new))?;
        text.splice(at..at + new.len(), old);
    }
    Some(text.join("\n"))
}

/// The place of some lines, if they are at one place only.
fn only_place(text: &[&str], lines: &[&str]) -> Option<usize> {
    if lines.is_empty() {
        return None;
    }
    let first = position(text.iter().copied(), lines)?;
    position(text[first + 1..].iter().copied(), lines).is_none().then_some(first)
}

impl Hunk {
    /// Its lines after the change, or before it.
    fn side(&self, after: bool) -> impl Iterator<Item = &str> {
        self.lines.iter().filter_map(move |line| match line {
            Line::Same(text) => Some(&**text),
            Line::New(text) => after.then_some(&**text),
            Line::Gone(text) => (!after).then_some(&**text),
        })
    }

    /// Whether it inserts lines.
    pub(super) fn adds(&self) -> bool {
        self.lines.iter().any(|line| matches!(line, Line::New(_)))
    }
}
