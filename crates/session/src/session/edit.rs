//! Byte edits of a bundle: the only way to change a session (for redaction, for instance). An
//! edited bundle is read again; events are never changed.

use crate::json::span::Span;
use crate::session::bundle::{Bundle, Member, Transport};
use crate::session::text;
use crate::sorting::Sorting as _;

/// Replaces the bytes of a span.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The member of the bundle.
    pub member: u32,
    /// The replaced bytes.
    pub span: Span,
    /// The new bytes.
    pub with: Vec<u8>,
}

/// The reason why edits can't be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Conflict {
    /// Two edits overlap; the first of them.
    Overlap(u32, Span),
    /// An edit is outside its member.
    Outside(u32, Span),
    /// The member would exceed the largest length of a member.
    TooLong(u32),
}

/// The place of an edit, and the number of its new bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditPlace {
    /// The member of the bundle.
    pub member: u32,
    /// The replaced bytes.
    pub span: Span,
    /// The number of the new bytes.
    pub length: u32,
}

/// Applies the edits, in any order; all other bytes are unchanged. The edits are then in the order
/// of their places. An edited member is stored plainly from then on; the others keep their stored
/// bytes.
///
/// # Errors
/// A [`Conflict`]; then nothing is changed.
pub fn apply(bundle: &Bundle, edits: &mut [Edit]) -> Result<Bundle, Conflict> {
    edits.in_order();
    let place = |Edit { member, span, with }: &Edit| EditPlace {
        member: *member,
        span: *span,
        length: with.len() as u32,
    };
    let places: Vec<EditPlace> = edits.iter().map(place).collect();
    replace(bundle, &places, &mut |number, out| out.extend_from_slice(&edits[number].with))
}

/// Applies edits at places that are in their order. `put` adds the new bytes of each one to a text,
/// by its number.
///
/// # Errors
/// As of [`apply`].
pub fn replace(
    bundle: &Bundle,
    places: &[EditPlace],
    put: &mut dyn FnMut(usize, &mut Vec<u8>),
) -> Result<Bundle, Conflict> {
    let mut members = Vec::with_capacity(bundle.members.len());
    let mut at = 0;
    for (number, member) in (0u32..).zip(&bundle.members) {
        let count = places[at..].iter().take_while(|place| place.member == number).count();
        let mine = &places[at..at + count];
        members.push(match count {
            0 => member.clone(),
            _ => edited(member, mine, &mut |number, out| put(at + number, out))?,
        });
        at += count;
    }
    match places.get(at) {
        Some(place) => Err(Conflict::Outside(place.member, place.span)),
        None => Ok(Bundle { members }),
    }
}

fn edited(
    member: &Member,
    places: &[EditPlace],
    put: &mut dyn FnMut(usize, &mut Vec<u8>),
) -> Result<Member, Conflict> {
    let bytes = member.bytes();
    let more: usize = places.iter().map(|place| place.length as usize).sum();
    let less: usize = places.iter().map(|place| place.span.len()).sum();
    let mut out = Vec::with_capacity((bytes.len() + more).saturating_sub(less));
    let mut at = 0usize;
    for (number, EditPlace { member, span, .. }) in places.iter().enumerate() {
        let (start, end) = (span.start as usize, span.end as usize);
        if start < at {
            return Err(Conflict::Overlap(*member, *span));
        }
        let before = bytes.get(at..start).filter(|_| start <= end && end <= bytes.len());
        out.extend_from_slice(before.ok_or(Conflict::Outside(*member, *span))?);
        put(number, &mut out);
        at = end;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    let transport = match member.transport() {
        Transport::Dump => Transport::Dump,
        Transport::Plain | Transport::Zstd(_) | Transport::Cbor(_) => Transport::Plain,
        Transport::Text(_) => text::joined(&out).map_or(Transport::Plain, Transport::Text),
    };
    let (name, stream) = (plain_name(member), member.stream.clone());
    let number = places.first().map_or(0, |place| place.member);
    Member::stored(name, stream, out, transport).ok_or(Conflict::TooLong(number))
}

/// The name of a member that is stored plainly from now on: an extension that says otherwise is
/// removed.
fn plain_name(member: &Member) -> String {
    let name = &member.name;
    match member.transport() {
        Transport::Zstd(_) => name.strip_suffix(".zst").unwrap_or(name).to_owned(),
        Transport::Cbor(_) => {
            let stem = name.strip_suffix(".cbor");
            stem.map_or_else(|| name.clone(), |stem| format!("{stem}.json"))
        }
        Transport::Plain | Transport::Dump | Transport::Text(_) => name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::bundle::Stream;

    fn bundle() -> Bundle {
        let member =
            |name: &str, text: &str| Member::new(name, Stream::Main, text.into()).expect("short");
        Bundle { members: vec![member("a", "0123456789"), member("b", "same")] }
    }

    fn edit(start: u32, end: u32, with: &str) -> Edit {
        Edit { member: 0, span: Span::new(start, end), with: with.into() }
    }

    #[test]
    fn every_other_byte_stays() {
        let edited = apply(&bundle(), &mut [edit(8, 10, ""), edit(1, 3, "xyz"), edit(5, 5, "+")]);
        let edited = edited.expect("no conflict");
        assert_eq!(edited.bytes(0), b"0xyz34+567");
        assert_eq!(edited.bytes(1), b"same");
    }

    #[test]
    fn a_name_says_how_its_member_is_stored_also_when_it_was_edited() {
        let stored = |name: &str, transport: Transport| {
            let text = b"0123456789".to_vec();
            Member::stored(name, Stream::Main, text, transport).expect("short")
        };
        for (name, transport, plain) in [
            ("a/rollout.jsonl.zst", Transport::Zstd(b"(".to_vec()), "a/rollout.jsonl"),
            ("record.cbor", Transport::Cbor(b"\xa0".to_vec()), "record.json"),
            ("record", Transport::Cbor(b"\xa0".to_vec()), "record"),
            ("odd.zst", Transport::Plain, "odd.zst"),
        ] {
            let bundle = Bundle::of(stored(name, transport));
            let edited = apply(&bundle, &mut [edit(0, 1, "x")]).expect("no conflict");
            let member = &edited.members[0];
            assert_eq!((&*member.name, member.stored_bytes()), (plain, &b"x123456789"[..]));
            let untouched = apply(&bundle, &mut []).expect("no conflict");
            assert_eq!(untouched, bundle);
        }
    }

    #[test]
    fn conflicts_are_refused() {
        let overlap = apply(&bundle(), &mut [edit(1, 4, ""), edit(3, 5, "")]);
        assert_eq!(overlap, Err(Conflict::Overlap(0, Span::new(3, 5))));
        let outside = apply(&bundle(), &mut [edit(9, 11, "")]);
        assert_eq!(outside, Err(Conflict::Outside(0, Span::new(9, 11))));
        let nowhere = Edit { member: 7, span: Span::new(0, 1), with: Vec::new() };
        assert_eq!(apply(&bundle(), &mut [nowhere]), Err(Conflict::Outside(7, Span::new(0, 1))));
    }
}
