//! Deterministic CBOR, composed token by token. A container of known length goes to the sink as it
//! grows. Any other is buffered until it ends, since its length comes first and its keys are
//! sorted.

use std::io::{self, Write};
use std::mem::take;

use session::Sorting as _;

use super::head::{ARRAY, MAP, TEXT, put};
use super::write::append;
use super::{ConvertError, number};
use crate::value::{Document, Encoding, Limits, ReadError, ReadFault};

/// The reason why a document could not be written.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The sink failed.
    #[error(transparent)]
    Sink(#[from] io::Error),
    /// A value has no form in CBOR.
    #[error(transparent)]
    Value(#[from] ConvertError),
}

/// A writer of one document. Each call is one token. An error is kept until [`Encoder::finish`].
pub struct Encoder<'w> {
    sink: &'w mut dyn Write,
    /// Bytes that the sink has not received yet.
    out: Vec<u8>,
    open: Vec<Open>,
    /// First byte and end of each key of the buffered maps; the keys of one map are adjacent.
    keys: Vec<(usize, usize)>,
    /// Scratch space for sorting.
    sorted: Vec<u8>,
    failed: Option<EncodeError>,
}

impl std::fmt::Debug for Encoder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}

/// An open container.
struct Open {
    map: bool,
    /// Whether its head is written already.
    known: bool,
    /// Position of its head in [`Encoder::out`].
    start: usize,
    /// Its first key in [`Encoder::keys`].
    keys: usize,
    /// Number of its elements or members so far.
    count: u64,
}

/// Length from which complete bytes go to the sink.
const CHUNK: usize = 1 << 17;

impl<'w> Encoder<'w> {
    /// A writer into `sink`.
    pub fn new(sink: &'w mut dyn Write) -> Self {
        let (out, open, keys, sorted) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { sink, out, open, keys, sorted, failed: None }
    }

    /// Ends the document.
    ///
    /// # Errors
    /// The sink's first error, or the first value that CBOR can't represent.
    pub fn finish(mut self) -> Result<(), EncodeError> {
        self.hand_on();
        self.failed.map_or(Ok(()), Err)
    }

    /// Begins a map or an array. If `count` is known, it has exactly this number of members or
    /// elements. Then the keys of a map must be in order (see [`order`]), and the lengths of all
    /// containers around it must be known too.
    pub fn open(&mut self, map: bool, count: Option<usize>) {
        self.element();
        let (start, keys) = (self.out.len(), self.keys.len());
        self.open.push(Open { map, known: count.is_some(), start, keys, count: 0 });
        match count {
            Some(count) => put(&mut self.out, if map { MAP } else { ARRAY }, count as u64),
            // Most heads are one byte.
            None => self.out.push(0),
        }
    }

    /// Ends the innermost container.
    pub fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        if !open.known {
            if open.map {
                self.sort(&open);
            }
            let mut head = Vec::new();
            put(&mut head, if open.map { MAP } else { ARRAY }, open.count);
            match &*head {
                [byte] => self.out[open.start] = *byte,
                _ => drop(self.out.splice(open.start..=open.start, head)),
            }
        }
        self.spill();
    }

    /// A member's key; its value follows.
    pub fn key(&mut self, key: &str) {
        let start = self.out.len();
        self.put_text(key);
        if let Some(open) = self.open.last_mut() {
            open.count += 1;
            if !open.known {
                self.keys.push((start, self.out.len()));
            }
        }
    }

    /// A text.
    pub fn text(&mut self, text: &str) {
        self.element();
        self.put_text(text);
        self.spill();
    }

    /// A value as JSON text.
    pub fn json(&mut self, json: &[u8]) {
        self.element();
        if let Err(error) = self.put_json(json) {
            self.failed.get_or_insert(error.into());
        }
        self.spill();
    }

    fn put_text(&mut self, text: &str) {
        put(&mut self.out, TEXT, text.len() as u64);
        self.out.extend_from_slice(text.as_bytes());
    }

    fn put_json(&mut self, json: &[u8]) -> Result<(), ConvertError> {
        let plain = |text| simdutf8::basic::from_utf8(text).ok();
        match json {
            // The commonest values need no parser.
            [b'"', text @ .., b'"'] if memchr::memchr2(b'"', b'\\', text).is_none() => {
                match plain(text).filter(|text| !text.bytes().any(|byte| byte < 0x20)) {
                    Some(text) => self.put_text(text),
                    None => return self.put_document(json),
                }
            }
            [b'1'..=b'9', digits @ ..] if digits.len() < 18 => match plain(json) {
                Some(literal) if digits.iter().all(u8::is_ascii_digit) => {
                    // A number with so few digits is within the limits.
                    let _ = number::put_number(&mut self.out, literal);
                }
                _ => return self.put_document(json),
            },
            _ => return self.put_document(json),
        }
        Ok(())
    }

    fn put_document(&mut self, json: &[u8]) -> Result<(), ConvertError> {
        append(&Document::read(json, Encoding::Json, Limits::default())?, &mut self.out)
    }

    /// Counts a value as an array's element.
    fn element(&mut self) {
        if let Some(open) = self.open.last_mut().filter(|open| !open.map) {
            open.count += 1;
        }
    }

    /// Sorts the members of a map that ends by their keys.
    fn sort(&mut self, map: &Open) {
        let keys = &self.keys[map.keys..];
        let key = |&(start, end): &(usize, usize)| &self.out[start..end];
        if !keys.is_sorted_by(|a, b| key(a) < key(b)) {
            let ends = keys.iter().skip(1).map(|(start, _)| *start).chain([self.out.len()]);
            let mut members: Vec<_> = keys.iter().copied().zip(ends).collect();
            members.in_order_by(|(a, _), (b, _)| key(a).cmp(key(b)));
            if members.windows(2).any(|pair| key(&pair[0].0) == key(&pair[1].0)) {
                let (offset, path) = (0, "$".to_owned());
                let error = ReadError { offset, path, why: ReadFault::DuplicateKey };
                self.failed.get_or_insert(ConvertError::from(error).into());
            }
            let mut sorted = take(&mut self.sorted);
            sorted.clear();
            for ((start, _), end) in members {
                sorted.extend_from_slice(&self.out[start..end]);
            }
            self.out[map.start + 1..].copy_from_slice(&sorted);
            self.sorted = if sorted.len() > CHUNK { Vec::new() } else { sorted };
        }
        self.keys.truncate(map.keys);
    }

    /// Passes complete bytes to the sink if there are enough of them.
    fn spill(&mut self) {
        if self.out.len() >= CHUNK && self.open.iter().all(|open| open.known) {
            self.hand_on();
        }
    }

    fn hand_on(&mut self) {
        if self.failed.is_none() {
            self.failed = self.sink.write_all(&self.out).err().map(EncodeError::from);
        }
        self.out.clear();
        self.out.shrink_to(2 * CHUNK);
    }
}

/// Sorts keys in the order of deterministic CBOR: by the bytes of their encodings, so by length
/// first.
pub fn order(keys: &mut [&'static str]) {
    keys.in_order_by_key(|key| (key.len(), *key));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cbor::from_json;

    /// Tokens of a JSON value as a writer of documents would send them: one level of known length,
    /// the rest unknown.
    fn compose(value: &serde_json::Value, encoder: &mut Encoder<'_>, known: bool) {
        match value {
            serde_json::Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                if known {
                    members.in_order_by_key(|(key, _)| (key.len(), *key));
                }
                encoder.open(true, known.then_some(members.len()));
                for (key, value) in members {
                    encoder.key(key);
                    compose(value, encoder, false);
                }
                encoder.close();
            }
            serde_json::Value::Array(elements) => {
                encoder.open(false, known.then_some(elements.len()));
                elements.iter().for_each(|value| compose(value, encoder, false));
                encoder.close();
            }
            serde_json::Value::String(text) if text.len() % 2 == 0 => encoder.text(text),
            value => encoder.json(value.to_string().as_bytes()),
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_json() {
        let many = (0..30).map(|n| format!("\"k{n}\":[{n}.5,\"{}\"]", "é\\n".repeat(n)));
        let many = format!("{{{}}}", many.collect::<Vec<_>>().join(","));
        let long = format!("{{\"b\":\"{}\",\"a\":{{\"zz\":0,\"y\":-1}}}}", "x\\t".repeat(90_000));
        let number = "[0,-0,1,23,24,123456789012345678,1234567890123456789012,1e400,0.1,null,true]";
        for json in [&*many, &long, number, "[]", "{}", "\"\"", &format!("[{many},{long}]")] {
            let value: serde_json::Value = serde_json::from_str(json).unwrap();
            for known in [false, true] {
                let mut bytes = Vec::new();
                let mut encoder = Encoder::new(&mut bytes);
                compose(&value, &mut encoder, known);
                encoder.finish().unwrap();
                assert!(bytes == from_json(json.as_bytes(), Limits::default()).unwrap(), "{json}");
            }
        }
    }

    #[test]
    fn what_has_no_form_is_told() {
        for json in ["[1,]", "\"\\ud800\"", "{\"a\":1,\"a\":2}", "\"\u{1}\""] {
            let mut bytes = Vec::new();
            let mut encoder = Encoder::new(&mut bytes);
            encoder.json(json.as_bytes());
            assert!(matches!(encoder.finish(), Err(EncodeError::Value(_))), "{json}");
        }
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes);
        encoder.open(true, None);
        for key in ["b", "a", "b"] {
            encoder.key(key);
            encoder.text("");
        }
        encoder.close();
        assert!(matches!(encoder.finish(), Err(EncodeError::Value(_))));
    }
}
