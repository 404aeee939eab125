//! Conversion of CBOR bytes to nodes: well-formed (RFC 8949, appendix C) and valid (UTF-8, no
//! repeated key), with an explicit stack. A length is trusted only as far as bytes exist, so a
//! false claim costs nothing.

use super::head::{ARRAY, BYTES, Head, INDEFINITE, MAJOR_TAG, MAP, NINT, SIMPLE, TEXT, UINT, head};
use crate::value::{Document, Encoding, Limits, ReadError, ReadFault, ValueKind};

pub(crate) fn read(bytes: &[u8], limits: Limits) -> Result<Document<'_>, ReadError> {
    let doc = Document::with_room(bytes, Encoding::Cbor, 0);
    let (depth, values) = (limits.depth, limits.values_of(bytes));
    let mut reader = Reader { doc, at: 0, open: Vec::new(), keys: Vec::new(), depth, values };
    match reader.document() {
        Ok(()) => Ok(reader.doc),
        Err(why) => {
            let path = reader.doc.path_of_last();
            Err(ReadError { offset: reader.at as u64, path, why })
        }
    }
}

/// An array, map or tag around the current position.
struct Open {
    node: u32,
    /// Items still expected; `None` until a break.
    left: Option<u64>,
    /// Whether a key was read without its value.
    key: bool,
}

struct Reader<'a> {
    doc: Document<'a>,
    at: usize,
    open: Vec<Open>,
    keys: Vec<u32>,
    depth: usize,
    values: usize,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<(), ReadFault> {
        self.item()?;
        while let Some(open) = self.open.last_mut() {
            match &mut open.left {
                Some(0) => self.close(0)?,
                Some(left) => {
                    *left -= 1;
                    self.item()?;
                }
                None if self.doc.source().get(self.at) == Some(&0xFF) => self.close(1)?,
                None => {
                    open.key = !open.key;
                    self.item()?;
                }
            }
        }
        if self.at == self.doc.source().len() { Ok(()) } else { Err(ReadFault::Trailing) }
    }

    fn item(&mut self) -> Result<(), ReadFault> {
        if self.doc.len() >= self.values {
            return Err(ReadFault::TooMany);
        }
        let rest = &self.doc.source()[self.at..];
        let head = head(rest)?;
        let indefinite = head.info == INDEFINITE;
        match head.major {
            UINT => self.scalar(ValueKind::Uint, head),
            NINT => self.scalar(ValueKind::Nint, head),
            BYTES | TEXT if indefinite => self.chunks(head.major)?,
            BYTES | TEXT => {
                let content = string(rest, head)?;
                let start = self.at + head.length;
                self.string(head.major, start, start + content.len(), false);
                self.at = start + content.len();
            }
            ARRAY | MAP | MAJOR_TAG => self.container(head, indefinite)?,
            _ => {
                let kind = simple_kind(head)?;
                self.scalar(kind, head);
            }
        }
        Ok(())
    }

    fn container(&mut self, head: Head, indefinite: bool) -> Result<(), ReadFault> {
        let (kind, count) = match head.major {
            ARRAY => (ValueKind::Array, Some(head.argument)),
            MAP => (ValueKind::Map, head.argument.checked_mul(2)),
            _ => (ValueKind::Tag, Some(1)),
        };
        let left = if indefinite { None } else { Some(count.ok_or(ReadFault::Truncated)?) };
        let behind = self.doc.source().len() - self.at - head.length;
        if left.is_some_and(|left| left > behind as u64) {
            return Err(ReadFault::Truncated);
        }
        if self.open.len() >= self.depth {
            return Err(ReadFault::TooDeep);
        }
        let node = self.doc.open(kind, self.at, self.at);
        self.open.push(Open { node, left, key: false });
        self.at += head.length;
        Ok(())
    }

    /// Ends the innermost container, whose break takes `length` bytes.
    fn close(&mut self, length: usize) -> Result<(), ReadFault> {
        let Some(Open { node, key, .. }) = self.open.pop() else { return Err(ReadFault::Break) };
        if key && self.doc.node(node).kind == ValueKind::Map {
            return Err(ReadFault::Break);
        }
        let outcome = self.doc.close(node, self.at + length, &mut self.keys);
        if let Err((offset, why)) = outcome {
            self.at = offset as usize;
            return Err(why);
        }
        self.at += length;
        Ok(())
    }

    /// An indefinite-length string: definite chunks of the same type, then a break.
    fn chunks(&mut self, major: u8) -> Result<(), ReadFault> {
        self.at += 1;
        let start = self.at;
        loop {
            let rest = &self.doc.source()[self.at..];
            let head = head(rest)?;
            if (head.major, head.info) == (SIMPLE, INDEFINITE) {
                break;
            }
            if head.major != major || head.info == INDEFINITE {
                return Err(ReadFault::Chunk);
            }
            self.at += head.length + string(rest, head)?.len();
        }
        self.string(major, start, self.at, true);
        self.at += 1;
        Ok(())
    }

    fn string(&mut self, major: u8, start: usize, end: usize, encoded: bool) {
        let kind = if major == TEXT { ValueKind::Text } else { ValueKind::Bytes };
        self.doc.push(kind, start, end, encoded);
    }

    fn scalar(&mut self, kind: ValueKind, head: Head) {
        let end = self.at + head.length;
        self.doc.push(kind, self.at, end, false);
        self.at = end;
    }
}

/// The content of a definite string whose head begins `rest`.
fn string(rest: &[u8], head: Head) -> Result<&[u8], ReadFault> {
    let behind = &rest[head.length..];
    let length = usize::try_from(head.argument).map_err(|_| ReadFault::Truncated)?;
    let content = behind.get(..length).ok_or(ReadFault::Truncated)?;
    if head.major == TEXT {
        simdutf8::basic::from_utf8(content).map_err(|_| ReadFault::Utf8)?;
    }
    Ok(content)
}

fn simple_kind(head: Head) -> Result<ValueKind, ReadFault> {
    Ok(match head.info {
        20 => ValueKind::False,
        21 => ValueKind::True,
        22 => ValueKind::Null,
        23 => ValueKind::Undefined,
        24 if head.argument < 32 => return Err(ReadFault::Simple),
        25..=27 => ValueKind::Float,
        INDEFINITE => return Err(ReadFault::Break),
        _ => ValueKind::Simple,
    })
}
