//! Views of a JSON text's values: position, shape, content. A node refers to the bytes and their
//! index; nothing is decoded, copied or allocated.

use std::fmt;

use crate::json::grammar::{Token, skip_space};
use crate::json::index::offset;
use crate::json::name;
use crate::json::outline::{self, Outline};
use crate::json::span::Span;
use crate::json::template::TemplateId;

/// A text that is one valid JSON value, with white space around it allowed.
#[derive(Clone, Copy)]
pub struct Doc<'a> {
    pub(crate) text: &'a [u8],
    /// Its values, and perhaps more after them. None if the text is dense: then the number of a
    /// value is its position.
    pub(crate) tokens: &'a [Token],
    /// For each value, the first one outside it that follows.
    pub(crate) after: &'a [u32],
    /// Of a dense text, the ends of its long containers.
    pub(crate) outline: &'a Outline,
    /// Position of the text in its member, added to every span.
    pub(crate) base: u32,
    /// The template that it matches.
    pub(crate) template: Option<TemplateId>,
    /// Which of an object's equal keys counts.
    pub(crate) counts: Counts,
    /// Its first byte that is not UTF-8.
    pub(crate) not_utf8: Option<u32>,
}

/// The rule for equal keys of an object. All of them are kept; one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counts {
    /// The last one, as in `JSON.parse` (ECMA-262, section 25.5.1) and most parsers.
    #[default]
    Last,
    /// The first one, as in a list of pairs that is searched from its beginning.
    First,
}

/// One value within a [`Doc`]. It is as small as possible, since it is passed on at every step.
#[derive(Clone, Copy)]
pub struct Node<'a> {
    doc: &'a Doc<'a>,
    token: u32,
}

/// Type of a [`Node`].
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
#[derive(Clone, Copy, Debug)]
pub struct JsonMember<'a> {
    /// The span of the key in the member's bytes, quotes included.
    pub key: Span,
    /// The key without its quotes, escapes as written.
    pub name: &'a [u8],
    /// The value.
    pub value: Node<'a>,
}

impl fmt::Debug for Doc<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Doc").field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").field("shape", &self.shape()).field("span", &self.span()).finish()
    }
}

impl<'a> Doc<'a> {
    /// The document's value.
    #[must_use]
    #[inline]
    pub fn root(&'a self) -> Node<'a> {
        if self.tokens.is_empty() {
            return self.node(offset(skip_space(self.text, 0)));
        }
        self.node(0)
    }

    /// The position in its member of the first byte that is not UTF-8, which is in a string.
    #[must_use]
    pub fn not_utf8(&self) -> Option<u32> {
        self.not_utf8.map(|at| self.base + at)
    }

    /// Number of values.
    #[must_use]
    pub fn size(&self) -> usize {
        self.after.first().map_or(self.outline.values, |&count| count as usize)
    }

    /// The value with this token.
    #[inline(always)]
    pub(crate) fn node(&'a self, token: u32) -> Node<'a> {
        Node { doc: self, token }
    }

    /// The token of a value of a dense text.
    #[cold]
    #[inline(never)]
    fn token(&self, at: u32) -> Token {
        let (key, key_end) = outline::key_before(self.text, at as usize);
        [offset(key), offset(key_end), at, self.end(at)]
    }

    /// The end of a value of a dense text.
    fn end(&self, at: u32) -> u32 {
        offset(self.outline.end(self.text, at as usize))
    }

    #[inline(always)]
    fn span(&self, start: u32, end: u32) -> Span {
        Span::new(self.base + start, self.base + end)
    }
}

impl<'a> Node<'a> {
    /// The type of the value.
    #[must_use]
    #[inline(always)]
    pub fn shape(self) -> Shape {
        match self.first_byte() {
            b'{' => Shape::Object,
            b'[' => Shape::Array,
            b'"' => Shape::String,
            b't' | b'f' => Shape::Bool,
            b'n' => Shape::Null,
            _ => Shape::Number,
        }
    }

    #[inline(always)]
    fn first_byte(self) -> u8 {
        self.doc.text.get(self.start() as usize).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn places(self) -> Token {
        match self.doc.tokens.get(self.token as usize) {
            Some(&token) => token,
            None => self.doc.token(self.token),
        }
    }

    #[inline(always)]
    fn start(self) -> u32 {
        self.doc.tokens.get(self.token as usize).map_or(self.token, |token| token[2])
    }

    /// The span of the value in its member.
    #[must_use]
    #[inline(always)]
    pub fn span(self) -> Span {
        let [_, _, start, end] = self.places();
        self.doc.span(start, end)
    }

    /// The spans of an object member's key and value.
    #[inline(always)]
    pub(crate) fn spans(self) -> [Span; 2] {
        let [key, key_end, start, end] = self.places();
        [self.doc.span(key, key_end), self.doc.span(start, end)]
    }

    /// The span of an object member's key.
    #[inline(always)]
    pub(crate) fn key(self) -> Span {
        let [key, key_end, _, _] = self.places();
        self.doc.span(key, key_end)
    }

    /// The name of an object's member, as a range of the text: between the quotes of its key.
    #[inline(always)]
    pub(crate) fn named(self) -> (&'a [u8], u32, u32) {
        let [key, key_end, _, _] = self.places();
        (self.doc.text, key + 1, key_end - 1)
    }

    #[inline(always)]
    fn name(self) -> &'a [u8] {
        let (text, start, end) = self.named();
        text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The value as written.
    #[must_use]
    #[inline]
    pub fn raw(self) -> &'a [u8] {
        let [_, _, start, end] = self.places();
        self.doc.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The bytes between a string's quotes, escapes as written; `None` for any other shape.
    #[must_use]
    #[inline]
    pub fn text(self) -> Option<&'a [u8]> {
        if self.first_byte() != b'"' {
            return None;
        }
        let [_, _, start, end] = self.places();
        self.doc.text.get(start as usize + 1..end as usize - 1)
    }

    /// Which of an object's equal keys counts.
    #[must_use]
    pub fn counts(self) -> Counts {
        self.doc.counts
    }

    /// The number of the value in its document, for [`Doc::node`]; it grows with the position.
    #[inline(always)]
    pub(crate) fn mark(self) -> u32 {
        self.token
    }

    /// Whether it is `{}` or `[]`.
    #[must_use]
    #[inline]
    pub fn is_empty_container(self) -> bool {
        matches!(self.first_byte(), b'{' | b'[') && self.inside().next().is_none()
    }

    /// The members of an object in their order, repeated keys included; none for another shape.
    #[must_use]
    #[inline]
    pub fn members(self) -> Members<'a> {
        Members { within: self.values() }
    }

    /// The elements of an array; none for another shape.
    #[must_use]
    #[inline]
    pub fn elements(self) -> Elements<'a> {
        Elements { within: self.within(b'[') }
    }

    /// The values of an object's members, each with its key; none for another shape.
    #[inline(always)]
    pub(crate) fn values(self) -> Within<'a> {
        self.within(b'{')
    }

    #[inline(always)]
    fn within(self, bracket: u8) -> Within<'a> {
        if self.first_byte() == bracket {
            return self.inside();
        }
        Within { doc: self.doc, next: 0, end: 0 }
    }

    /// The values directly within a container.
    #[inline(always)]
    fn inside(self) -> Within<'a> {
        match self.doc.after.get(self.token as usize) {
            Some(&end) => Within { doc: self.doc, next: self.token + 1, end },
            None => self.behind(outline::first_value(self.doc.text, self.token as usize + 1)),
        }
    }

    /// The values of a dense text from one on, within one container.
    #[cold]
    #[inline(never)]
    fn behind(self, next: Option<usize>) -> Within<'a> {
        Within { doc: self.doc, next: next.map_or(NONE, offset), end: NONE }
    }

    /// The next value of the same container.
    #[inline(always)]
    fn next(self) -> u32 {
        match self.doc.after.get(self.token as usize) {
            Some(&after) => after,
            None => {
                let end = self.doc.end(self.token) as usize;
                self.behind(outline::next_value(self.doc.text, end)).next
            }
        }
    }

    /// The value at a path of member names (as written, without escapes). Of equal keys, one
    /// counts: see [`Counts`].
    #[must_use]
    #[inline]
    pub fn at(self, path: &[&str]) -> Option<Node<'a>> {
        path.iter().try_fold(self, |node, name| node.member(name.as_bytes()))
    }

    /// The text at a path, if that is a string: its bytes as written, without the quotes.
    #[must_use]
    #[inline]
    pub fn word(self, path: &[&str]) -> Option<&'a [u8]> {
        self.at(path)?.text()
    }

    /// The member with this name that counts: most others differ in their length.
    fn member(self, name: &[u8]) -> Option<Node<'a>> {
        let (length, text) = (offset(name.len() + 2), self.doc.text);
        let mut named = self.values().filter(|value| {
            let [key, key_end, _, _] = value.places();
            key_end - key == length
                && name::same(
                    text.get(key as usize + 1..key_end as usize - 1).unwrap_or_default(),
                    name,
                )
        });
        match self.doc.counts {
            Counts::First => named.next(),
            Counts::Last => named.last(),
        }
    }
}

/// No value of a dense text.
const NONE: u32 = u32::MAX;

/// The values directly within a container.
#[derive(Clone, Debug)]
pub(crate) struct Within<'a> {
    doc: &'a Doc<'a>,
    /// The next one's token.
    next: u32,
    end: u32,
}

impl<'a> Iterator for Within<'a> {
    type Item = Node<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Node<'a>> {
        if self.next >= self.end {
            return None;
        }
        let value = self.doc.node(self.next);
        self.next = value.next();
        Some(value)
    }
}

/// The members of an object.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    within: Within<'a>,
}

impl<'a> Iterator for Members<'a> {
    type Item = JsonMember<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<JsonMember<'a>> {
        let value = self.within.next()?;
        Some(JsonMember { key: value.key(), name: value.name(), value })
    }
}

/// The elements of an array.
#[derive(Clone, Debug)]
pub struct Elements<'a> {
    within: Within<'a>,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Node<'a>;

    #[inline]
    fn next(&mut self) -> Option<Node<'a>> {
        self.within.next()
    }
}
