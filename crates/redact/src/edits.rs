//! Edits: findings become the bytes that replace them. Findings that overlap become one.

use session::edit::Edit;
use session::{Bundle, Span};

use super::finding::SecretFinding;
use super::placeholder::TagKey;

/// The edits of the findings of a bundle, in the order of its bytes.
pub(super) fn of(bundle: &Bundle, findings: &[SecretFinding], key: &TagKey) -> Vec<Edit> {
    let mut edits = Vec::new();
    groups(findings, |span, group| {
        let member = group.first().map_or(0, |piece| piece.member());
        edits.push(Edit { member, span, with: replacement(bundle, group, key) });
    });
    edits
}

/// The places of the edits, in the order of the bytes.
pub(super) fn places(findings: &[SecretFinding]) -> Vec<(u32, Span)> {
    let mut places = Vec::new();
    groups(findings, |span, group| {
        places.push((group.first().map_or(0, |piece| piece.member()), span));
    });
    places
}

/// The findings that overlap, with all of their bytes, in the order of these.
fn groups(findings: &[SecretFinding], mut take: impl FnMut(Span, &[Piece<'_>])) {
    let mut pieces: Vec<Piece<'_>> = findings.iter().flat_map(Piece::of).collect();
    pieces.sort_by(|a, b| {
        let place = |piece: &Piece<'_>| (piece.member(), piece.span.start);
        place(a).cmp(&place(b)).then(b.span.end.cmp(&a.span.end))
    });
    let mut rest = pieces.as_slice();
    while let Some(first) = rest.first() {
        let mut span = first.span;
        let mut count = 1;
        for piece in &rest[1..] {
            if piece.member() != first.member() || piece.span.start >= span.end {
                break;
            }
            span.end = span.end.max(piece.span.end);
            count += 1;
        }
        let (group, others) = rest.split_at(count);
        rest = others;
        take(span, group);
    }
}

/// A span of a finding.
struct Piece<'f> {
    span: Span,
    /// Its number among the spans of the finding.
    number: u32,
    finding: &'f SecretFinding,
}

impl<'f> Piece<'f> {
    fn of(finding: &'f SecretFinding) -> impl Iterator<Item = Self> {
        (0..).zip(finding.spans()).map(move |(number, span)| Self { span, number, finding })
    }

    const fn member(&self) -> u32 {
        self.finding.member
    }
}

/// The replacement of a group of findings: the placeholder of the most severe, then longest one.
fn replacement(bundle: &Bundle, group: &[Piece<'_>], key: &TagKey) -> Vec<u8> {
    let first = group.iter().filter(|piece| piece.number == 0);
    let rank = |piece: &&Piece<'_>| {
        let finding = piece.finding;
        (finding.alias().is_none(), !finding.class.is_personal(), piece.span.len())
    };
    let widest = first.max_by_key(rank);
    // A later piece of a stream, whose first piece has the placeholder.
    let Some(piece) = widest else { return Vec::new() };
    let finding = piece.finding;
    if let Some(alias) = finding.alias().filter(|_| !finding.sealed && !finding.quoted) {
        return alias.as_bytes().to_vec();
    }
    let text = key.placeholder(finding.class, finding.value(bundle));
    let is_text = bundle.slice(finding.member, piece.span).first() == Some(&b'"');
    if finding.quoted || (is_text && finding.sealed) {
        return format!("\"{text}\"").into_bytes();
    }
    text.into_bytes()
}
