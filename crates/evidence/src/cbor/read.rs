//! Conversion of CBOR bytes to nodes: well-formed (RFC 8949, appendix C) and valid (UTF-8, no
//! repeated key), with an explicit stack. A length is trusted only as far as bytes exist, so a
//! false claim costs nothing.

use super::head::{ARRAY, BYTES, Head, INDEFINITE, MAJOR_TAG, MAP, NINT, SIMPLE, TEXT, UINT, head};
use crate::value::{Document, Encoding, Kind, Limits, ReadError, Why};

pub(crate) fn read(bytes: &[u8], limits: Limits) -> Result<Document<'_>, ReadError> {
    let doc = Document::empty(bytes, Encoding::Cbor);
    let mut reader = Reader { doc, at: 0, open: Vec::new(), keys: Vec::new(), depth: limits.depth };
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
}

impl Reader<'_> {
    fn document(&mut self) -> Result<(), Why> {
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
        if self.at == self.doc.source().len() { Ok(()) } else { Err(Why::Trailing) }
    }

    fn item(&mut self) -> Result<(), Why> {
        let rest = &self.doc.source()[self.at..];
        let head = head(rest)?;
        let indefinite = head.info == INDEFINITE;
        match head.major {
            UINT => self.scalar(Kind::Uint, head),
            NINT => self.scalar(Kind::Nint, head),
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

    fn container(&mut self, head: Head, indefinite: bool) -> Result<(), Why> {
        let (kind, count) = match head.major {
            ARRAY => (Kind::Array, Some(head.argument)),
            MAP => (Kind::Map, head.argument.checked_mul(2)),
            _ => (Kind::Tag, Some(1)),
        };
        let left = if indefinite { None } else { Some(count.ok_or(Why::Truncated)?) };
        let behind = self.doc.source().len() - self.at - head.length;
        if left.is_some_and(|left| left > behind as u64) {
            return Err(Why::Truncated);
        }
        if self.open.len() >= self.depth {
            return Err(Why::TooDeep);
        }
        let node = self.doc.open(kind, self.at, self.at);
        self.open.push(Open { node, left, key: false });
        self.at += head.length;
        Ok(())
    }

    /// Ends the innermost container, whose break takes `length` bytes.
    fn close(&mut self, length: usize) -> Result<(), Why> {
        let Some(Open { node, key, .. }) = self.open.pop() else { return Err(Why::Break) };
        if key && self.doc.node(node).kind == Kind::Map {
            return Err(Why::Break);
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
    fn chunks(&mut self, major: u8) -> Result<(), Why> {
        self.at += 1;
        let start = self.at;
        loop {
            let rest = &self.doc.source()[self.at..];
            let head = head(rest)?;
            if (head.major, head.info) == (SIMPLE, INDEFINITE) {
                break;
            }
            if head.major != major || head.info == INDEFINITE {
                return Err(Why::Chunk);
            }
            self.at += head.length + string(rest, head)?.len();
        }
        self.string(major, start, self.at, true);
        self.at += 1;
        Ok(())
    }

    fn string(&mut self, major: u8, start: usize, end: usize, encoded: bool) {
        let kind = if major == TEXT { Kind::Text } else { Kind::Bytes };
        self.doc.push(kind, start, end, encoded);
    }

    fn scalar(&mut self, kind: Kind, head: Head) {
        let end = self.at + head.length;
        self.doc.push(kind, self.at, end, false);
        self.at = end;
    }
}

/// The content of a definite string whose head begins `rest`.
fn string(rest: &[u8], head: Head) -> Result<&[u8], Why> {
    let behind = &rest[head.length..];
    let length = usize::try_from(head.argument).map_err(|_| Why::Truncated)?;
    let content = behind.get(..length).ok_or(Why::Truncated)?;
    if head.major == TEXT {
        simdutf8::basic::from_utf8(content).map_err(|_| Why::Utf8)?;
    }
    Ok(content)
}

fn simple_kind(head: Head) -> Result<Kind, Why> {
    Ok(match head.info {
        20 => Kind::False,
        21 => Kind::True,
        22 => Kind::Null,
        23 => Kind::Undefined,
        24 if head.argument < 32 => return Err(Why::Simple),
        25..=27 => Kind::Float,
        INDEFINITE => return Err(Why::Break),
        _ => Kind::Simple,
    })
}
