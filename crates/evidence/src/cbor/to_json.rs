//! Conversion of CBOR to compact JSON, if JSON can represent it.

use super::{ConvertError, number};
use crate::value::{Children, Document, Encoding, Limits, Value, ValueKind, text};

/// The JSON of a CBOR document, value for value, in the order of the bytes.
///
/// # Errors
/// The bytes are not a CBOR document, or have a value that JSON can't represent.
pub fn to_json(cbor: &[u8], limits: Limits) -> Result<Vec<u8>, ConvertError> {
    compact_json(&Document::read(cbor, Encoding::Cbor, limits)?)
}

/// The JSON of a parsed document.
///
/// # Errors
/// It has a value that JSON can't represent.
pub fn compact_json(doc: &Document<'_>) -> Result<Vec<u8>, ConvertError> {
    let room = doc.source().len() * 5 / 4;
    let mut writer = Writer { out: String::with_capacity(room), open: Vec::new() };
    match writer.document(doc.root()) {
        Ok(()) => Ok(writer.out.into_bytes()),
        Err((value, why)) => {
            Err(ConvertError::Value { offset: value.offset(), path: doc.path(value), why })
        }
    }
}

struct Writer<'d> {
    out: String,
    open: Vec<Open<'d>>,
}

struct Open<'d> {
    children: Children<'d>,
    map: bool,
    written: usize,
}

type Failure<'d> = (Value<'d>, &'static str);

impl<'d> Writer<'d> {
    fn document(&mut self, root: Value<'d>) -> Result<(), Failure<'d>> {
        self.value(root)?;
        while let Some(open) = self.open.last_mut() {
            let Some(child) = open.children.next() else {
                self.out.push(if open.map { '}' } else { ']' });
                self.open.pop();
                continue;
            };
            let key = open.map && open.written.is_multiple_of(2);
            if open.written > 0 {
                self.out.push(if open.map && !key { ':' } else { ',' });
            }
            open.written += 1;
            if key && child.kind() != ValueKind::Text {
                return Err((child, "a JSON key is a text"));
            }
            self.value(child)?;
        }
        Ok(())
    }

    fn value(&mut self, value: Value<'d>) -> Result<(), Failure<'d>> {
        match value.kind() {
            ValueKind::Null => self.out.push_str("null"),
            ValueKind::False => self.out.push_str("false"),
            ValueKind::True => self.out.push_str("true"),
            ValueKind::Text => text::escape(&value.text().unwrap_or_default(), &mut self.out),
            kind @ (ValueKind::Array | ValueKind::Map) => {
                let map = kind == ValueKind::Map;
                self.out.push(if map { '{' } else { '[' });
                self.open.push(Open { children: value.children(), map, written: 0 });
            }
            ValueKind::Bytes => return Err((value, "JSON has no byte strings")),
            ValueKind::Undefined | ValueKind::Simple => {
                return Err((value, "JSON has no simple values but true, false and null"));
            }
            _ => {
                let number = number::json_number(value).map_err(|why| (value, why))?;
                self.out.push_str(&number);
            }
        }
        Ok(())
    }
}
