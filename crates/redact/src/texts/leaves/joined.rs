//! Texts of several strings as one: those of a stream, and of the lists of a record.

use std::cell::OnceCell;
use std::sync::Arc;

use session::Span;

use super::Walk;
use crate::texts::kinds::{self, StreamOf, cuts, decoded};
use crate::texts::leaf::{Form, Has, Look, Where};
use crate::texts::marks::Treatment;
use crate::unwrap::view::{self, StreamPiece, View};

impl Walk<'_, '_> {
    /// The streams, each as one text, its parts before.
    pub(super) fn streams(&mut self, look: &mut Look<'_>) {
        for ((member, ..), stream) in std::mem::take(&mut self.streams) {
            stream.parts().for_each(|part| self.joined(member, &part, look));
            self.joined(member, &stream, look);
        }
    }

    /// Whether a word, or a key of several lines, may continue in the next text.
    pub(super) fn cuts_a_word(&self, member: u32, pieces: &[Span]) -> bool {
        let bytes = self.session.bundle.bytes(member);
        let goes_on = |before, behind| cuts(before, behind) || kinds::has_key(before);
        pieces.windows(2).any(|pair| goes_on(pair[0].of(bytes), pair[1].of(bytes)))
    }

    /// The texts of a stream as one; if all are Base64, also what they decode to.
    pub(super) fn joined(&mut self, member: u32, stream: &StreamOf, look: &mut Look<'_>) {
        let numbers = [self.trail.next(), self.trail.next()];
        if stream.pieces.len() < 2 {
            return;
        }
        let at = Where { member, line: stream.line };
        let bundle = Arc::clone(&self.session.bundle);
        let bytes = bundle.bytes(member);
        let treatment = if stream.is_open { Treatment::Open } else { Treatment::Protected };
        let digest = self.trail.has_digests().then(|| stream.known(bytes, treatment));
        if digest.is_some_and(|digest| self.trail.get(&digest).is_some()) {
            return;
        }
        let mut has = Has::Nothing;
        'all: for (coded, number) in [false, true].into_iter().zip(numbers) {
            let (mut text, mut pieces) = (Vec::new(), Vec::with_capacity(stream.pieces.len()));
            for (place, span) in stream.pieces.iter().enumerate() {
                let raw = span.of(bytes);
                let piece = view::unescaped(raw);
                let decoded = if coded { decoded(&piece) } else { Some(piece.to_vec()) };
                let Some(decoded) = decoded else { break 'all };
                let (at, from, is_met) = (text.len(), span.start as usize, stream.is_met(place));
                let parts = OnceCell::new();
                pieces.push(StreamPiece { at, raw, from, coded, is_met, parts });
                text.extend_from_slice(&decoded);
            }
            let view = match stream.is_open && !coded {
                true => View::met(&text, &pieces),
                false => View::stream(&text, &pieces),
            };
            let leaf = self.leaf(at, b"", stream.value, Form::Text, Treatment::Open);
            let look = &mut |view: &View<'_>| look(&leaf, view);
            let (seen, steps) = self.views(&view, Treatment::Open, number, look);
            self.trail.keep_steps(Some(steps), number, None);
            has = has.max(seen);
        }
        if let Some(digest) = digest.filter(|_| has == Has::Nothing) {
            self.trail.keep(digest, true);
        }
    }
}
