//! Deterministic CBOR (RFC 8949, section 4.2.1): shortest heads, shortest floats, definite lengths,
//! keys in the bytewise order of their encodings. Same values, same bytes.

use std::ops::Range;

use session::Sorting as _;

use super::head::{ARRAY, BYTES, MAJOR_TAG, MAP, NINT, SIMPLE, TEXT, UINT, put};
use super::{ConvertError, float, number};
use crate::value::{Children, Document, Encoding, Limits, Value, ValueKind};

/// Largest nesting of keys in keys: only these are encoded by recursion.
const KEY_DEPTH: usize = 8;

/// Encodes a document, read from JSON or CBOR. Linear in its size, except for sorting keys.
///
/// # Errors
/// [`ConvertError::Value`] for a number beyond the limits of the module, and for keys that are
/// equal only once they are encoded.
pub fn deterministic(doc: &Document<'_>) -> Result<Vec<u8>, ConvertError> {
    let mut out = Vec::new();
    append(doc, &mut out)?;
    Ok(out)
}

/// Appends the encoding to `out`.
pub(super) fn append(doc: &Document<'_>, out: &mut Vec<u8>) -> Result<(), ConvertError> {
    let mut writer = Writer { out: std::mem::take(out), keys: Vec::new() };
    let done = writer.item(doc.root(), 0);
    *out = writer.out;
    match done {
        Ok(()) => Ok(()),
        Err((value, why)) => {
            Err(ConvertError::Value { offset: value.offset(), path: doc.path(value), why })
        }
    }
}

/// Whether CBOR bytes are the deterministic encoding of their value.
///
/// # Errors
/// The bytes are not a document.
pub fn is_deterministic(bytes: &[u8], limits: Limits) -> Result<bool, ConvertError> {
    let doc = Document::read(bytes, Encoding::Cbor, limits)?;
    Ok(deterministic(&doc)? == bytes)
}

type Failure<'d> = (Value<'d>, &'static str);

struct Writer {
    out: Vec<u8>,
    /// The encoded keys of the maps that are open, one after the other.
    keys: Vec<u8>,
}

/// The unwritten rest of an open container.
enum Rest<'d> {
    Children(Children<'d>),
    Members { sorted: std::vec::IntoIter<(Range<usize>, Value<'d>)>, base: usize },
}

impl Writer {
    fn item<'d>(&mut self, value: Value<'d>, key_depth: usize) -> Result<(), Failure<'d>> {
        let mut open: Vec<Rest<'d>> = Vec::new();
        let mut next = Some(value);
        loop {
            if let Some(value) = next.take() {
                open.extend(self.begin(value, key_depth)?);
            }
            next = match open.last_mut() {
                None => return Ok(()),
                Some(Rest::Children(children)) => children.next(),
                Some(Rest::Members { sorted, base }) => match sorted.next() {
                    Some((key, value)) => {
                        self.out.extend_from_slice(&self.keys[key]);
                        Some(value)
                    }
                    None => {
                        self.keys.truncate(*base);
                        None
                    }
                },
            };
            if next.is_none() {
                open.pop();
            }
        }
    }

    /// Writes a scalar, or the head of a container, and returns the container's rest.
    fn begin<'d>(
        &mut self,
        value: Value<'d>,
        key_depth: usize,
    ) -> Result<Option<Rest<'d>>, Failure<'d>> {
        let out = &mut self.out;
        match value.kind() {
            ValueKind::False => out.push(SIMPLE << 5 | 20),
            ValueKind::True => out.push(SIMPLE << 5 | 21),
            ValueKind::Null => out.push(SIMPLE << 5 | 22),
            ValueKind::Undefined => out.push(SIMPLE << 5 | 23),
            ValueKind::Simple => put(out, SIMPLE, value.argument()),
            ValueKind::Uint => put(out, UINT, value.argument()),
            ValueKind::Nint => put(out, NINT, value.argument()),
            ValueKind::Float => float::put_float(out, value.float().unwrap_or(f64::NAN)),
            ValueKind::Number => {
                let literal = value.literal().unwrap_or_default();
                number::put_number(out, literal).map_err(|why| (value, why))?;
            }
            ValueKind::Text => {
                let text = value.text().unwrap_or_default();
                put(out, TEXT, text.len() as u64);
                out.extend_from_slice(text.as_bytes());
            }
            ValueKind::Bytes => {
                let bytes = value.bytes().unwrap_or_default();
                put(out, BYTES, bytes.len() as u64);
                out.extend_from_slice(&bytes);
            }
            ValueKind::Array => {
                put(out, ARRAY, value.children().count() as u64);
                return Ok(Some(Rest::Children(value.children())));
            }
            ValueKind::Map => return self.members(value, key_depth).map(Some),
            ValueKind::Tag => match number::bignum(value) {
                Some((negative, content)) => {
                    number::put_argument(out, negative, &content.bytes().unwrap_or_default());
                }
                None => {
                    put(out, MAJOR_TAG, value.argument());
                    return Ok(Some(Rest::Children(value.children())));
                }
            },
        }
        Ok(None)
    }

    fn members<'d>(&mut self, map: Value<'d>, key_depth: usize) -> Result<Rest<'d>, Failure<'d>> {
        if key_depth >= KEY_DEPTH {
            return Err((map, "maps nested in keys deeper than the limit"));
        }
        let base = self.keys.len();
        let mut sorted = Vec::new();
        for (key, value) in map.members() {
            let start = self.keys.len();
            self.key(key, key_depth)?;
            sorted.push((start..self.keys.len(), value));
        }
        sorted.in_order_by(|a, b| self.keys[a.0.clone()].cmp(&self.keys[b.0.clone()]));
        let equal = |pair: &[(Range<usize>, Value<'d>)]| {
            self.keys[pair[0].0.clone()] == self.keys[pair[1].0.clone()]
        };
        if sorted.windows(2).any(equal) {
            return Err((map, "the same key twice in one map"));
        }
        put(&mut self.out, MAP, sorted.len() as u64);
        Ok(Rest::Members { sorted: sorted.into_iter(), base })
    }

    /// Appends an encoded key to `keys`.
    fn key<'d>(&mut self, key: Value<'d>, key_depth: usize) -> Result<(), Failure<'d>> {
        if key.kind() == ValueKind::Text {
            let text = key.text().unwrap_or_default();
            put(&mut self.keys, TEXT, text.len() as u64);
            self.keys.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        let mut writer = Writer { out: Vec::new(), keys: Vec::new() };
        writer.item(key, key_depth + 1)?;
        self.keys.extend_from_slice(&writer.out);
        Ok(())
    }
}
