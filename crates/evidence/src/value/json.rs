//! Conversion of JSON bytes to nodes. `session` has the grammar; this module walks its index with
//! an explicit stack. It is stricter in two ways, because the value would have no CBOR form: lone
//! surrogates and repeated keys are refused (RFC 7493).

use session::{Doc, Elements, Members, Scan, Shape, Span};

use super::{Document, Encoding, Limits, ReadError, ReadFault, ValueKind};

/// Reads a document. `see` gets the text as the reader found it: one JSON value in UTF-8.
pub(crate) fn read<'a>(
    bytes: &'a [u8],
    limits: Limits,
    see: &mut dyn FnMut(&Doc<'_>),
) -> Result<Document<'a>, ReadError> {
    let at_root = |offset: usize, why| ReadError { offset: offset as u64, path: "$".into(), why };
    simdutf8::compat::from_utf8(bytes).map_err(|e| at_root(e.valid_up_to(), ReadFault::Utf8))?;
    let mut scan = Scan::new();
    let source = scan
        .read(bytes, 0)
        .map_err(|fault| at_root(fault.at as usize, ReadFault::Json(fault.why)))?;
    see(&source);
    let values = limits.values_of(bytes);
    if source.size() > values {
        return Err(at_root(0, ReadFault::TooMany));
    }
    // A key for each value at most. Room that is never used costs no memory, but growth would.
    let doc = Document::with_room(bytes, Encoding::Json, 2 * source.size());
    let mut walk = Walk { doc, open: Vec::new(), keys: Vec::new(), depth: limits.depth, values };
    match walk.document(source.root()) {
        Ok(()) => Ok(walk.doc),
        Err((offset, why)) => {
            let path = walk.doc.path_of_last();
            Err(ReadError { offset: offset.into(), path, why })
        }
    }
}

struct Walk<'a, 's> {
    doc: Document<'a>,
    /// The containers around the value being read, outermost first.
    open: Vec<(u32, Rest<'s>)>,
    keys: Vec<u32>,
    depth: usize,
    values: usize,
}

/// The rest of an open container.
enum Rest<'a> {
    Elements(Elements<'a>),
    Members(Members<'a>),
}

impl<'s> Walk<'_, 's> {
    fn document(&mut self, root: session::Node<'s>) -> Result<(), (u32, ReadFault)> {
        self.value(root)?;
        while let Some((at, rest)) = self.open.last_mut() {
            let next = match rest {
                Rest::Elements(elements) => elements.next().map(|value| (None, value)),
                Rest::Members(members) => {
                    members.next().map(|member| (Some(member.key), member.value))
                }
            };
            match next {
                Some((key, value)) => {
                    if let Some(key) = key {
                        self.text(key)?;
                    }
                    self.value(value)?;
                }
                None => {
                    let at = *at;
                    self.open.pop();
                    let end = self.doc.node(at).end as usize;
                    self.doc.close(at, end, &mut self.keys)?;
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, value: session::Node<'s>) -> Result<(), (u32, ReadFault)> {
        let span = value.span();
        if self.doc.len() >= self.values {
            return Err((span.start, ReadFault::TooMany));
        }
        let rest = match value.shape() {
            Shape::String => return self.text(span),
            Shape::Object => Rest::Members(value.members()),
            Shape::Array => Rest::Elements(value.elements()),
            shape => {
                let kind = match (shape, self.doc.bytes[span.start as usize]) {
                    (Shape::Number, _) => ValueKind::Number,
                    (Shape::Null, _) => ValueKind::Null,
                    (_, b't') => ValueKind::True,
                    _ => ValueKind::False,
                };
                self.doc.push(kind, span.start as usize, span.end as usize, false);
                return Ok(());
            }
        };
        let kind = if matches!(rest, Rest::Members(_)) { ValueKind::Map } else { ValueKind::Array };
        if self.open.len() >= self.depth {
            return Err((span.start, ReadFault::TooDeep));
        }
        let at = self.doc.open(kind, span.start as usize, span.end as usize);
        self.open.push((at, rest));
        Ok(())
    }

    /// A string, by its span with the quotes.
    fn text(&mut self, span: Span) -> Result<(), (u32, ReadFault)> {
        let inside = Span::new(span.start + 1, span.end - 1);
        let content = &self.doc.bytes[inside.start as usize..inside.end as usize];
        let escape = memchr::memchr(b'\\', content);
        self.doc.push(
            ValueKind::Text,
            inside.start as usize,
            inside.end as usize,
            escape.is_some(),
        );
        match escape.and_then(|first| half_pair(content, first)) {
            Some(at) => Err((inside.start + at as u32, ReadFault::Surrogate)),
            None => Ok(()),
        }
    }
}

/// The offset of a lone surrogate `\uXXXX`; the first backslash is at `at`.
fn half_pair(content: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match unit(content, at) {
            Some(0xD800..=0xDBFF) => match unit(content, at + 6) {
                Some(0xDC00..=0xDFFF) => at += 12,
                _ => return Some(at),
            },
            Some(0xDC00..=0xDFFF) => return Some(at),
            Some(_) => at += 6,
            None => at += 2,
        }
        at += memchr::memchr(b'\\', content.get(at..)?)?;
    }
}

/// The UTF-16 code unit of a `\uXXXX` at `at`.
fn unit(content: &[u8], at: usize) -> Option<u16> {
    let hex = content.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
}
