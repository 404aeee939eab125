//! Edits: findings become the bytes that replace them. Findings that overlap become one.

use session::Sorting as _;
use session::edit::{Conflict, EditPlace, replace};
use session::{Bundle, Span};

use super::placeholder::TagKey;
use crate::find::finding::SecretFinding;

/// The findings of a bundle, and the key of their placeholders. There can be millions: what
/// replaces a finding is made each time that it is needed.
#[derive(Clone, Copy)]
pub(crate) struct Edits<'e> {
    pub(crate) before: &'e Bundle,
    pub(crate) findings: &'e [SecretFinding],
    pub(crate) key: &'e TagKey,
}

impl Edits<'_> {
    /// The places of the edits, in the order of the bytes.
    pub(crate) fn places(self) -> Vec<EditPlace> {
        let mut places = Vec::new();
        self.each(&mut |member, span, with| {
            places.push(EditPlace { member, span, length: with.len() as u32 });
        });
        places
    }

    /// The bundle with the edits at these places.
    ///
    /// # Errors
    /// A [`Conflict`].
    pub(crate) fn apply(self, places: &[EditPlace]) -> Result<Bundle, Conflict> {
        let pieces = pieces(self.findings);
        let mut rest = &*pieces;
        replace(self.before, places, &mut |_, out| {
            let (_, group) = next(self.findings, &mut rest);
            out.extend_from_slice(&replacement(self, group));
        })
    }

    /// Gives each edit to `take`, in the order of the bytes: its member, its place, its new bytes.
    pub(crate) fn each(self, take: &mut dyn FnMut(u32, Span, Vec<u8>)) {
        let pieces = pieces(self.findings);
        let mut rest = &*pieces;
        while let Some(&(first, _)) = rest.first() {
            let member = self.findings[first as usize].member;
            let (span, group) = next(self.findings, &mut rest);
            take(member, span, replacement(self, group));
        }
    }
}

/// The places of the findings, in the order of the bytes. Findings that overlap have one.
pub(crate) fn places(findings: &[SecretFinding]) -> Vec<EditPlace> {
    let pieces = pieces(findings);
    let (mut rest, mut places) = (&*pieces, Vec::new());
    while let Some(&(first, _)) = rest.first() {
        let member = findings[first as usize].member;
        let (span, _) = next(findings, &mut rest);
        places.push(EditPlace { member, span, length: 0 });
    }
    places
}

/// A span of a finding: the number of the finding, and that of the span among its spans.
type Piece = (u32, u32);

fn span(findings: &[SecretFinding], (finding, number): Piece) -> Span {
    findings[finding as usize].spans().nth(number as usize).unwrap_or(Span::NONE)
}

/// The spans of findings, in the order of the bytes.
fn pieces(findings: &[SecretFinding]) -> Vec<Piece> {
    let of = |(at, finding): (u32, &SecretFinding)| {
        (0..finding.spans().count() as u32).map(move |number| (at, number))
    };
    let mut pieces = Vec::with_capacity(findings.len());
    pieces.extend((0u32..).zip(findings).flat_map(of));
    pieces.in_order_by_key(|&piece| {
        let Span { start, end } = span(findings, piece);
        (findings[piece.0 as usize].member, start, std::cmp::Reverse(end), piece)
    });
    pieces
}

/// The next pieces that overlap, with all of their bytes.
fn next<'p>(findings: &[SecretFinding], rest: &mut &'p [Piece]) -> (Span, &'p [Piece]) {
    let Some(&first) = rest.first() else { return (Span::NONE, &[]) };
    let member = |piece: Piece| findings[piece.0 as usize].member;
    let (mut all, mut count) = (span(findings, first), 1);
    for &piece in &rest[1..] {
        let one = span(findings, piece);
        if member(piece) != member(first) || one.start >= all.end {
            break;
        }
        all.end = all.end.max(one.end);
        count += 1;
    }
    let (group, others) = rest.split_at(count);
    *rest = others;
    (all, group)
}

/// The replacement of a group of findings: the placeholder of the most severe, then longest one.
fn replacement(edits: Edits<'_>, group: &[Piece]) -> Vec<u8> {
    let Edits { before, findings, key } = edits;
    let first = group.iter().filter(|(_, number)| *number == 0);
    let rank = |piece: &&Piece| {
        let finding = &findings[piece.0 as usize];
        let length = span(findings, **piece).len();
        (finding.alias().is_none(), !finding.class.is_personal(), length)
    };
    let widest = first.max_by_key(rank);
    // A later piece of a stream, whose first piece has the placeholder.
    let Some(&piece) = widest else { return Vec::new() };
    let finding = &findings[piece.0 as usize];
    if let Some(alias) = finding.alias().filter(|_| !finding.sealed && !finding.quoted) {
        return alias.as_bytes().to_vec();
    }
    let text = key.placeholder(finding.class, finding.value(before));
    let is_text = before.slice(finding.member, span(findings, piece)).first() == Some(&b'"');
    if finding.quoted || (is_text && finding.sealed) {
        return format!("\"{text}\"").into_bytes();
    }
    text.into_bytes()
}
