//! Draft of a redaction: the edited bundle, and everything that its verification needs.

use std::collections::HashSet;

use session::Bundle;
use session::edit::EditPlace;

use crate::find::finding::SecretFinding;
use crate::find::sweep::Sweep;
use crate::texts::clean::Known;

/// A redaction that is to be verified.
#[derive(Debug)]
pub struct RedactionDraft {
    /// The findings, in the order of the bytes.
    pub findings: Vec<SecretFinding>,
    /// The edited bundle.
    pub bundle: Bundle,
    /// The places of the edits, in the order of the bytes.
    pub(crate) places: Vec<EditPlace>,
    /// The bundle before.
    pub(crate) before: Bundle,
    /// The values that must not be left.
    pub(crate) sweep: Sweep,
    /// The long texts in which none of them is.
    pub(crate) unswept: HashSet<Known>,
}

/// Earlier places of the bytes of an edited bundle: of each edit its place, and its new length.
#[derive(Clone, Debug)]
pub struct MovedPlaces(pub(crate) Vec<EditPlace>);

impl MovedPlaces {
    /// The place of a byte of the edited bundle in the bundle before; of a byte that an edit wrote,
    /// the beginning of what it replaced.
    #[must_use]
    pub fn before(&self, member: u32, at: u32) -> u32 {
        let (at, mut shift) = (i64::from(at), 0);
        for EditPlace { span, length, .. } in self.0.iter().filter(|place| place.member == member) {
            let length = i64::from(*length);
            let start = i64::from(span.start) + shift;
            if at < start {
                break;
            }
            if at < start + length {
                return span.start;
            }
            shift += length - i64::from(span.end - span.start);
        }
        (at - shift).clamp(0, i64::from(u32::MAX)) as u32
    }
}

#[cfg(test)]
mod tests {
    use session::Span;

    use super::*;

    #[test]
    fn places_are_found_again_behind_edits() {
        // `aXXXXb` became `aYb`, and further on `cd` became `cZZZd`.
        let edit = |member, start, end, length| {
            let span = Span::new(start, end);
            EditPlace { member, span, length }
        };
        let moved = MovedPlaces(vec![edit(0, 1, 5, 1), edit(1, 0, 9, 0), edit(0, 8, 8, 3)]);
        let before: Vec<u32> = (0..10).map(|at| moved.before(0, at)).collect();
        assert_eq!(before, [0, 1, 5, 6, 7, 8, 8, 8, 8, 9]);
        assert_eq!(moved.before(2, 7), 7);
    }
}
