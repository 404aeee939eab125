//! The values of a JSON text that was read: where each stands, what shape it has, what it holds.
//! All of it is a view of the bytes and of their index; nothing is decoded, copied or allocated.

use crate::bundle::Span;
use crate::index::offset;
use crate::json::{skip_space, trim_end};

/// A text that is one valid JSON value, with white space around it allowed.
#[derive(Clone, Copy)]
pub struct Doc<'a> {
    pub(crate) text: &'a [u8],
    /// The places of its structural bytes.
    pub(crate) index: &'a [u32],
    /// See the field of the same name in `Scan`.
    pub(crate) close: &'a [u32],
    /// Where the text stands in its member: added to every span given out.
    pub(crate) base: u32,
}

/// One value within a [`Doc`].
#[derive(Clone, Copy)]
pub struct Node<'a> {
    doc: Doc<'a>,
    /// Where the value begins in the text.
    start: u32,
    /// The byte behind it.
    end: u32,
    /// The first entry of the index at or behind `start`.
    entry: u32,
    /// The first entry of the index behind the value.
    after: u32,
}

/// What kind of value a [`Node`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `{…}`
    Object,
    /// `[…]`
    Array,
    /// `"…"`
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Bool,
    /// `null`.
    Null,
}

/// One member of an object.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    /// The key as it stands, quotes included, in the member's bytes.
    pub key: Span,
    /// The key without its quotes, escapes as written.
    pub name: &'a [u8],
    /// The value.
    pub value: Node<'a>,
}

impl<'a> Doc<'a> {
    /// The document's value.
    #[must_use]
    pub fn root(self) -> Node<'a> {
        self.node(0, 0)
    }

    #[inline]
    fn place(self, entry: u32) -> usize {
        self.index.get(entry as usize).map_or(self.text.len(), |&at| at as usize)
    }

    #[inline]
    fn byte(self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// The value that begins at or behind `at`, with `entry` the first of the index there.
    #[inline(always)]
    fn node(self, at: usize, entry: u32) -> Node<'a> {
        let start = skip_space(self.text, at);
        let (after, end) = match self.byte(start) {
            b'{' | b'[' => {
                let close = self.close.get(entry as usize).map_or(entry, |&close| close);
                (close + 1, self.place(close) + 1)
            }
            b'"' => (entry + 1, trim_end(self.text, start, self.place(entry + 1))),
            _ => (entry, trim_end(self.text, start, self.place(entry))),
        };
        Node { doc: self, start: offset(start), end: offset(end), entry, after }
    }

    /// The same for the value of a member, whose colon knows what stands behind it: no look at the
    /// value itself.
    #[inline(always)]
    fn value(self, at: usize, entry: u32) -> Node<'a> {
        let start = skip_space(self.text, at);
        let after = self.close.get(entry as usize - 1).map_or(entry, |&after| after);
        let end = trim_end(self.text, start, self.place(after));
        Node { doc: self, start: offset(start), end: offset(end), entry, after }
    }

    /// The value that [`Node::mark`] told of.
    pub(crate) fn node_at(self, (start, entry): (u32, u32)) -> Node<'a> {
        self.node(start as usize, entry)
    }

    fn span(self, start: usize, end: usize) -> Span {
        Span::new(self.base + offset(start), self.base + offset(end))
    }
}

impl<'a> Node<'a> {
    /// What kind of value this is.
    #[must_use]
    #[inline]
    pub fn shape(self) -> Shape {
        match self.doc.byte(self.start as usize) {
            b'{' => Shape::Object,
            b'[' => Shape::Array,
            b'"' => Shape::String,
            b't' | b'f' => Shape::Bool,
            b'n' => Shape::Null,
            _ => Shape::Number,
        }
    }

    /// Where the value stands in its member.
    #[must_use]
    #[inline]
    pub fn span(self) -> Span {
        self.doc.span(self.start as usize, self.end as usize)
    }

    /// The value as written.
    #[must_use]
    #[inline]
    pub fn raw(self) -> &'a [u8] {
        self.doc.text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// The bytes between a string's quotes, escapes as written; `None` for any other shape.
    #[must_use]
    #[inline]
    pub fn text(self) -> Option<&'a [u8]> {
        if self.shape() != Shape::String {
            return None;
        }
        self.doc.text.get(self.start as usize + 1..self.end as usize - 1)
    }

    /// The value's place in its document, for [`Doc::node_at`].
    pub(crate) fn mark(self) -> (u32, u32) {
        (self.start, self.entry)
    }

    /// True for `{}` and `[]`.
    #[must_use]
    #[inline]
    pub fn is_empty_container(self) -> bool {
        matches!(self.shape(), Shape::Object | Shape::Array)
            && self.after == self.entry + 2
            && matches!(
                self.doc.byte(skip_space(self.doc.text, self.start as usize + 1)),
                b'}' | b']'
            )
    }

    /// The members of an object in their order, repeated keys included; none for another shape.
    #[must_use]
    #[inline]
    pub fn members(self) -> Members<'a> {
        let empty = self.shape() != Shape::Object || self.is_empty_container();
        Members { doc: self.doc, entry: if empty { DONE } else { self.entry + 1 } }
    }

    /// The elements of an array; none for another shape.
    #[must_use]
    #[inline]
    pub fn elements(self) -> Elements<'a> {
        let empty = self.shape() != Shape::Array || self.is_empty_container();
        let at = if empty { DONE } else { self.start + 1 };
        Elements { doc: self.doc, at, entry: self.entry + 1 }
    }

    /// The value at a path of member names (as written, without escapes); the first of equal keys.
    #[must_use]
    pub fn at(self, path: &[&str]) -> Option<Node<'a>> {
        path.iter().try_fold(self, |node, name| {
            let same = |member: &Member<'_>| same(member.name, name.as_bytes());
            node.members().find(same).map(|member| member.value)
        })
    }

    /// The text at a path, if a string stands there: its bytes as written, without the quotes.
    #[must_use]
    pub fn word(self, path: &[&str]) -> Option<&'a [u8]> {
        self.at(path)?.text()
    }
}

/// Equality of short names, without a call: their first and last eight bytes overlap or meet.
#[inline]
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    match (a.first_chunk::<8>(), b.first_chunk::<8>(), a.last_chunk::<8>(), b.last_chunk::<8>()) {
        (Some(a1), Some(b1), Some(a2), Some(b2)) => {
            a1 == b1 && a2 == b2 && (a.len() <= 16 || a == b)
        }
        _ => a.iter().zip(b).all(|(a, b)| a == b),
    }
}

const DONE: u32 = u32::MAX;

/// The members of an object.
#[derive(Clone)]
pub struct Members<'a> {
    doc: Doc<'a>,
    /// The entry of the next key's opening quote.
    entry: u32,
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    #[inline]
    fn next(&mut self) -> Option<Member<'a>> {
        if self.entry == DONE {
            return None;
        }
        let doc = self.doc;
        let start = doc.place(self.entry);
        let colon = doc.place(self.entry + 1);
        let end = trim_end(doc.text, start, colon);
        let value = doc.value(colon + 1, self.entry + 2);
        let after = value.after;
        self.entry = if doc.byte(doc.place(after)) == b',' { after + 1 } else { DONE };
        let name = doc.text.get(start + 1..end - 1).unwrap_or_default();
        Some(Member { key: doc.span(start, end), name, value })
    }
}

/// The elements of an array.
#[derive(Clone)]
pub struct Elements<'a> {
    doc: Doc<'a>,
    /// Where the next element begins, white space before it included.
    at: u32,
    entry: u32,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Node<'a>;

    #[inline]
    fn next(&mut self) -> Option<Node<'a>> {
        if self.at == DONE {
            return None;
        }
        let value = self.doc.node(self.at as usize, self.entry);
        let after = value.after;
        let place = self.doc.place(after);
        if self.doc.byte(place) == b',' {
            self.at = offset(place + 1);
            self.entry = after + 1;
        } else {
            self.at = DONE;
        }
        Some(value)
    }
}
