//! Draft of a redaction: the edited bundle, and everything that its verification needs.

use std::collections::HashSet;

use session::edit::Edit;
use session::{Bundle, Span};

use super::clean::Known;
use super::finding::SecretFinding;
use super::sweep::Sweep;

/// A redaction that is to be verified.
#[derive(Debug)]
pub struct RedactionDraft {
    /// The findings, in the order of the bytes.
    pub findings: Vec<SecretFinding>,
    /// The edited bundle.
    pub bundle: Bundle,
    pub(super) edits: Vec<Edit>,
    /// The bundle before.
    pub(super) before: Bundle,
    /// The values that must not be left.
    pub(super) sweep: Sweep,
    /// The long texts in which none of them is.
    pub(super) unswept: HashSet<Known>,
}

impl RedactionDraft {
    /// The way back from places in the edited bundle to those in the bundle before.
    #[must_use]
    pub fn moved(&self) -> MovedPlaces {
        let edit = |edit: &Edit| (edit.member, edit.span, edit.with.len());
        MovedPlaces(self.edits.iter().map(edit).collect())
    }
}

/// Earlier places of the bytes of an edited bundle: of each edit its place, and its new length.
#[derive(Clone, Debug)]
pub struct MovedPlaces(Vec<(u32, Span, usize)>);

impl MovedPlaces {
    /// The place of a byte of the edited bundle in the bundle before; of a byte that an edit wrote,
    /// the beginning of what it replaced.
    #[must_use]
    pub fn before(&self, member: u32, at: u32) -> u32 {
        let (at, mut shift) = (i64::from(at), 0);
        for (_, span, length) in self.0.iter().filter(|(other, ..)| *other == member) {
            let start = i64::from(span.start) + shift;
            if at < start {
                break;
            }
            if at < start + *length as i64 {
                return span.start;
            }
            shift += *length as i64 - i64::from(span.end - span.start);
        }
        (at - shift).clamp(0, i64::from(u32::MAX)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again_behind_edits() {
        // `aXXXXb` became `aYb`, and further on `cd` became `cZZZd`.
        let edits = vec![(0, Span::new(1, 5), 1), (1, Span::new(0, 9), 0), (0, Span::new(8, 8), 3)];
        let moved = MovedPlaces(edits);
        let before: Vec<u32> = (0..10).map(|at| moved.before(0, at)).collect();
        assert_eq!(before, [0, 1, 5, 6, 7, 8, 8, 8, 8, 9]);
        assert_eq!(moved.before(2, 7), 7);
    }
}
