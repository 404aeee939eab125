//! Flat view of a JSON or CBOR document, for validation and re-encoding.
//!
//! A [`Document`] is a list of nodes in the order of the bytes. A container has the position of its
//! next sibling, so a subtree is skipped in one step and nothing here recurses. Keys keep their
//! order. A map with a repeated key is refused, since neither RFC 8949 (section 5.6) nor I-JSON
//! (RFC 7493, section 2.3) gives it a meaning. Numbers keep their spelling.
//!
//! This module does not interpret values: the schema does.

pub(crate) mod fault;
pub(crate) mod json;
mod keys;
pub mod number;
mod path;
pub(crate) use path::push_key;
pub(crate) mod text;

use std::borrow::Cow;

pub use fault::{ReadError, ReadFault};

use crate::cbor::{float, head};

/// Encoding of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// RFC 8259 text in UTF-8.
    Json,
    /// RFC 8949, any well-formed serialization.
    Cbor,
}

impl Encoding {
    /// The encoding of bytes, if they are a record: JSON text begins with an ASCII character, and
    /// no map, array or tag of CBOR does.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Encoding {
        match bytes.first() {
            Some(0x80..=0xDF) => Encoding::Cbor,
            _ => Encoding::Json,
        }
    }
}

/// Limits on a document, enforced before it costs anything.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Longest document, in bytes. At most `u32::MAX`, which is the default.
    pub bytes: usize,
    /// Deepest nesting of arrays, maps and tags. 1,000,000 by default: cost is linear in it.
    pub depth: usize,
    /// Most values, keys included, of a document in which they have fewer than 16 bytes on average.
    /// 10,000,000 by default: each costs 16 bytes.
    pub values: usize,
}

impl Limits {
    /// Most values of a document of this length.
    pub(crate) fn values_of(self, bytes: &[u8]) -> usize {
        self.values.max(bytes.len() / 16)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: u32::MAX as usize, depth: 1_000_000, values: 10_000_000 }
    }
}

/// Type of a value, as in the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// `null`.
    Null,
    /// `false`.
    False,
    /// `true`.
    True,
    /// CBOR `undefined`.
    Undefined,
    /// Any other CBOR simple value.
    Simple,
    /// CBOR unsigned integer.
    Uint,
    /// CBOR negative integer.
    Nint,
    /// CBOR floating-point number.
    Float,
    /// A JSON number.
    Number,
    /// CBOR byte string.
    Bytes,
    /// Text.
    Text,
    /// Array.
    Array,
    /// Map or JSON object.
    Map,
    /// CBOR tag with its content.
    Tag,
}

/// One value. Members of a map are key, value, key, value; a tag has one child.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    /// For text and byte strings the start of their content, for others the start of the item.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The node after this one and its descendants; [`OPEN`] while it is being read.
    pub(crate) next: u32,
    pub(crate) kind: ValueKind,
    /// For text: escapes (JSON) or chunks (CBOR) are between `start` and `end`. For bytes: chunks.
    pub(crate) encoded: bool,
}

pub(crate) const OPEN: u32 = u32::MAX;

/// A parsed document. It is never empty: node 0 is its root.
#[derive(Debug)]
pub struct Document<'a> {
    encoding: Encoding,
    bytes: &'a [u8],
    nodes: Vec<Node>,
}

impl<'a> Document<'a> {
    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> Value<'_> {
        Value { doc: self, at: 0 }
    }

    /// Its encoding.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// A document without values, with room for this many.
    pub(crate) fn with_room(bytes: &'a [u8], encoding: Encoding, values: usize) -> Self {
        Document { encoding, bytes, nodes: Vec::with_capacity(values) }
    }

    /// The bytes it was parsed from.
    #[must_use]
    pub fn source(&self) -> &'a [u8] {
        self.bytes
    }

    /// Number of its values, keys included.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a value without children.
    pub(crate) fn push(&mut self, kind: ValueKind, start: usize, end: usize, encoded: bool) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { start: start as u32, end: end as u32, next, kind, encoded });
    }

    /// Adds a container, which stays open until [`Document::close`]. Returns its position.
    pub(crate) fn open(&mut self, kind: ValueKind, start: usize, end: usize) -> u32 {
        let at = self.nodes.len() as u32;
        self.push(kind, start, end, false);
        self.nodes[at as usize].next = OPEN;
        at
    }

    /// Ends a container before the byte `end`. Refuses a map with a repeated key.
    pub(crate) fn close(
        &mut self,
        at: u32,
        end: usize,
        keys: &mut Vec<u32>,
    ) -> Result<(), (u32, ReadFault)> {
        let next = self.nodes.len() as u32;
        let node = &mut self.nodes[at as usize];
        node.end = end as u32;
        node.next = next;
        match node.kind {
            ValueKind::Map => keys::refuse_repeated(self, at, keys),
            _ => Ok(()),
        }
    }

    pub(crate) fn at(&self, at: u32) -> Value<'_> {
        Value { doc: self, at }
    }

    pub(crate) fn node(&self, at: u32) -> Node {
        self.nodes[at as usize]
    }
}

/// A value of a document.
#[derive(Debug, Clone, Copy)]
pub struct Value<'d> {
    doc: &'d Document<'d>,
    at: u32,
}

impl<'d> Value<'d> {
    /// Its type.
    #[must_use]
    pub fn kind(self) -> ValueKind {
        self.node().kind
    }

    /// Its offset in bytes from the start of the document.
    #[must_use]
    pub fn offset(self) -> u64 {
        u64::from(self.node().start)
    }

    pub(crate) fn index(self) -> u32 {
        self.at
    }

    /// Number of values in it, itself included.
    pub(crate) fn count(self) -> usize {
        (self.node().next - self.at) as usize
    }

    fn node(self) -> Node {
        self.doc.nodes[self.at as usize]
    }

    /// The bytes between `start` and `end` of its node.
    pub(crate) fn raw(self) -> &'d [u8] {
        let node = self.node();
        &self.doc.bytes[node.start as usize..node.end as usize]
    }

    /// The characters of a text, `None` for anything else.
    #[must_use]
    pub fn text(self) -> Option<Cow<'d, str>> {
        if self.kind() != ValueKind::Text {
            return None;
        }
        Some(match (self.node().encoded, self.doc.encoding) {
            // Parsing has checked the encoding, so this never fails.
            (false, _) => simdutf8::basic::from_utf8(self.raw()).unwrap_or_default().into(),
            (true, Encoding::Json) => session::value::unescape(self.raw()),
            (true, Encoding::Cbor) => {
                let bytes = head::joined_chunks(self.raw());
                String::from_utf8_lossy(&bytes).into_owned().into()
            }
        })
    }

    /// The content of a CBOR byte string, `None` for anything else.
    #[must_use]
    pub fn bytes(self) -> Option<Cow<'d, [u8]>> {
        match (self.kind(), self.node().encoded) {
            (ValueKind::Bytes, false) => Some(self.raw().into()),
            (ValueKind::Bytes, true) => Some(head::joined_chunks(self.raw()).into()),
            _ => None,
        }
    }

    /// A JSON number as written.
    #[must_use]
    pub fn literal(self) -> Option<&'d str> {
        match self.kind() {
            ValueKind::Number => std::str::from_utf8(self.raw()).ok(),
            _ => None,
        }
    }

    /// The argument of a CBOR head (RFC 8949, section 3): an unsigned integer, `n` of the negative
    /// `-1 - n`, a simple value, the bits of a float, a tag's number; 0 for JSON.
    pub(crate) fn argument(self) -> u64 {
        match self.doc.encoding {
            Encoding::Cbor => head::argument(self.raw()),
            Encoding::Json => 0,
        }
    }

    /// A CBOR floating-point number, exactly.
    #[must_use]
    pub fn float(self) -> Option<f64> {
        (self.kind() == ValueKind::Float).then(|| float::float(self.raw()))
    }

    /// Elements of an array, alternating keys and values of a map, or the content of a tag.
    #[must_use]
    pub fn children(self) -> Children<'d> {
        let node = self.node();
        let container = matches!(node.kind, ValueKind::Array | ValueKind::Map | ValueKind::Tag);
        Children { doc: self.doc, at: self.at + 1, end: if container { node.next } else { 0 } }
    }

    /// The members of a map, in their order; empty for anything else.
    pub fn members(self) -> impl Iterator<Item = (Value<'d>, Value<'d>)> {
        let mut children = (self.kind() == ValueKind::Map).then(|| self.children());
        std::iter::from_fn(move || {
            let children = children.as_mut()?;
            Some((children.next()?, children.next()?))
        })
    }
}

/// The values directly inside a container.
#[derive(Debug, Clone)]
pub struct Children<'d> {
    doc: &'d Document<'d>,
    at: u32,
    end: u32,
}

impl<'d> Iterator for Children<'d> {
    type Item = Value<'d>;

    fn next(&mut self) -> Option<Value<'d>> {
        if self.at >= self.end {
            return None;
        }
        let child = Value { doc: self.doc, at: self.at };
        self.at = child.node().next;
        Some(child)
    }
}
