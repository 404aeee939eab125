//! Detection of repeated keys, in the data model of RFC 8949, whatever the spelling.
//!
//! Keys that are arrays, maps or tags are compared in their encoding; a map in it is encoded
//! deterministically, and so compared by value.

use std::borrow::Cow;

use session::Sorting as _;

use super::{Document, OPEN, ReadFault, ValueKind};

/// Number of keys up to which they are compared pair by pair; more are sorted.
const FEW: usize = 16;

/// Refuses the map at `map` if it repeats a key, with the place of the later one. The nodes after
/// that key are removed, so that it is the value being read. `keys` is scratch space.
pub(crate) fn refuse_repeated(
    doc: &mut Document<'_>,
    map: u32,
    keys: &mut Vec<u32>,
) -> Result<(), (u32, ReadFault)> {
    let Some(repeated) = repeated(doc, map, keys) else { return Ok(()) };
    let start = doc.node(repeated).start;
    doc.nodes.truncate(repeated as usize + 1);
    doc.nodes[map as usize].next = OPEN;
    Err((start, ReadFault::DuplicateKey))
}

/// The later one of two equal keys.
fn repeated(doc: &Document<'_>, map: u32, keys: &mut Vec<u32>) -> Option<u32> {
    keys.clear();
    let mut simple = true;
    let end = doc.node(map).next;
    let mut at = map + 1;
    while at < end {
        let key = doc.node(at);
        simple &= key.kind == ValueKind::Text && !key.encoded;
        keys.push(at);
        at = doc.node(key.next).next;
    }
    if keys.len() < 2 {
        return None;
    }
    if simple && keys.len() <= FEW {
        let text = |at: u32| doc.at(at).raw();
        let later = (1..keys.len())
            .find(|&i| keys[..i].iter().any(|&earlier| text(earlier) == text(keys[i])))?;
        return Some(keys[later]);
    }
    if simple {
        // In place: a large object has no room for more than its keys.
        let text = |at: &u32| doc.at(*at).raw();
        keys.in_order_by(|a, b| text(a).cmp(text(b)).then(a.cmp(b)));
        let equal = keys.windows(2).filter(|pair| text(&pair[0]) == text(&pair[1]));
        return equal.map(|pair| pair[1]).min();
    }
    let mut sorted: Vec<_> = keys.iter().map(|&at| (identity(doc, at), at)).collect();
    sorted.in_order();
    let equal = sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    equal.map(|pair| pair[1].1).min()
}

/// Identity of a key: class, argument, content. Lengths are compared before contents, so sorting
/// long keys costs no more than reading them.
type Identity<'d> = (u8, u64, usize, Cow<'d, [u8]>);

fn identity<'d>(doc: &'d Document<'d>, at: u32) -> Identity<'d> {
    let key = doc.at(at);
    let (class, argument, content) = match key.kind() {
        ValueKind::Text => (
            0,
            0,
            match key.text() {
                Some(Cow::Borrowed(text)) => text.as_bytes().into(),
                Some(Cow::Owned(text)) => text.into_bytes().into(),
                None => Cow::Borrowed(&[][..]),
            },
        ),
        ValueKind::Bytes => (1, 0, key.bytes().unwrap_or_default()),
        ValueKind::Float => (2, key.float().unwrap_or(f64::NAN).to_bits(), (&[][..]).into()),
        ValueKind::Array | ValueKind::Map | ValueKind::Tag => (3, 0, key.raw().into()),
        kind => (4 + kind as u8, key.argument(), (&[][..]).into()),
    };
    (class, argument, content.len(), content)
}
