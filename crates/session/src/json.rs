//! The only JSON reader on the hot path: one pass that validates a text against RFC 8259 in full
//! and leaves the places of everything in it. It makes no values: what is asked for is read from
//! the bytes, so number spelling, escapes, key order and duplicate keys are kept by construction.
//!
//! Two stages: `index` finds the structural bytes, [`Scan::read`] walks them with an explicit
//! stack (nesting costs no call depth) and records where each container ends, so that a walker
//! steps over a value of any size in one move.

use crate::bundle::Span;
use crate::index::{self, Fault, Why, offset};

/// The reusable memory of a reader. Make one a thread and read many texts with it.
#[derive(Default)]
pub struct Scan {
    /// Places of the structural bytes.
    index: Vec<u32>,
    /// For an opening bracket's entry of `index`, the entry of its closing one.
    close: Vec<u32>,
    /// The containers that are open while reading.
    open: Vec<u32>,
}

/// A text that is one valid JSON value, with white space around it allowed.
#[derive(Clone, Copy)]
pub struct Doc<'a> {
    text: &'a [u8],
    index: &'a [u32],
    close: &'a [u32],
    /// Where the text stands in its member: added to every span given out.
    base: u32,
}

/// One value within a [`Doc`].
#[derive(Clone, Copy)]
pub struct Node<'a> {
    doc: Doc<'a>,
    /// Where the value begins in the text.
    start: u32,
    /// The first entry of the index at or behind `start`.
    entry: u32,
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

impl Scan {
    /// A reader without memory of anything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `text` (which must be UTF-8 and shorter than 4 GiB) as one JSON value.
    /// `base` is where it stands in its member; every span of the document counts from there.
    ///
    /// # Errors
    /// A [`Fault`] with the place where the text stops being JSON.
    pub fn read<'a>(&'a mut self, text: &'a [u8], base: u32) -> Result<Doc<'a>, Fault> {
        let count = index::build(text, &mut self.index)?;
        if self.close.len() < count {
            self.close.resize(self.index.len(), 0);
        }
        let index = self.index.get(..count).unwrap_or_default();
        let (close, open) = (&mut self.close, &mut self.open);
        Walk { text, index, close, open, entry: 0, at: 0 }.document()?;
        Ok(Doc { text, index, close: &self.close, base })
    }
}

/// Stage two: the grammar, over the index.
struct Walk<'a> {
    text: &'a [u8],
    index: &'a [u32],
    close: &'a mut [u32],
    open: &'a mut Vec<u32>,
    /// The next entry of the index.
    entry: usize,
    /// The first byte that is not read yet.
    at: usize,
}

/// What may stand next.
enum Expect {
    Value,
    Key,
    /// The end of a value: `,`, a closing bracket, or the end of the text.
    Next,
}

impl Walk<'_> {
    fn document(&mut self) -> Result<(), Fault> {
        self.open.clear();
        let mut expect = Expect::Value;
        loop {
            expect = match expect {
                Expect::Value => self.value()?,
                Expect::Key => self.key()?,
                Expect::Next if self.open.is_empty() => return self.finish(),
                Expect::Next => self.next()?,
            }
        }
    }

    #[inline]
    fn value(&mut self) -> Result<Expect, Fault> {
        let start = skip_space(self.text, self.at);
        match self.text.get(start) {
            Some(b'"') => {
                let end = self.string(start, self.entry + 1)?;
                self.entry += 1;
                self.at = end;
                Ok(Expect::Next)
            }
            Some(&open @ (b'{' | b'[')) => Ok(self.enter(open, start)),
            Some(_) => {
                let end = trim_end(self.text, start, self.place(self.entry));
                if !is_scalar(self.text.get(start..end).unwrap_or_default()) {
                    return Err(fault(start, Why::Scalar));
                }
                self.at = end;
                Ok(Expect::Next)
            }
            None if self.open.is_empty() => Err(fault(start, Why::Empty)),
            None => Err(fault(start, Why::CutOff)),
        }
    }

    /// Opens a container; an empty one is closed again at once.
    #[inline]
    fn enter(&mut self, open: u8, start: usize) -> Expect {
        let inside = skip_space(self.text, start + 1);
        if self.text.get(inside) == Some(&(open + 2)) {
            self.close[self.entry] = offset(self.entry + 1);
            self.entry += 2;
            self.at = inside + 1;
            return Expect::Next;
        }
        self.open.push(offset(self.entry));
        self.entry += 1;
        self.at = inside;
        if open == b'{' { Expect::Key } else { Expect::Value }
    }

    #[inline]
    fn key(&mut self) -> Result<Expect, Fault> {
        let start = skip_space(self.text, self.at);
        if self.text.get(start) != Some(&b'"') {
            return Err(self.unexpected(start));
        }
        let colon = self.place(self.entry + 1);
        self.string(start, self.entry + 1)?;
        if self.text.get(colon) != Some(&b':') {
            return Err(self.unexpected(colon));
        }
        self.entry += 2;
        self.at = colon + 1;
        Ok(Expect::Value)
    }

    /// A string begins at `start` and the entry behind it is `next`: where does it end?
    #[inline]
    fn string(&self, start: usize, next: usize) -> Result<usize, Fault> {
        let end = trim_end(self.text, start, self.place(next));
        if end < start + 2 || self.text[end - 1] != b'"' {
            return Err(self.unexpected(end.min(self.text.len().saturating_sub(1))));
        }
        Ok(end)
    }

    #[inline]
    fn next(&mut self) -> Result<Expect, Fault> {
        let place = self.place(self.entry);
        let from = skip_space(self.text, self.at);
        if from != place {
            return Err(self.unexpected(from));
        }
        let Some(&top) = self.open.last() else { return Err(fault(place, Why::Trailing)) };
        let kind = self.text[self.index[top as usize] as usize];
        let Some(&byte) = self.text.get(place) else { return Err(fault(place, Why::CutOff)) };
        self.at = place + 1;
        if byte == b',' {
            self.entry += 1;
            return Ok(if kind == b'{' { Expect::Key } else { Expect::Value });
        }
        if byte != kind + 2 {
            return Err(fault(place, Why::Unexpected));
        }
        self.close[top as usize] = offset(self.entry);
        self.open.pop();
        self.entry += 1;
        Ok(Expect::Next)
    }

    fn finish(&self) -> Result<(), Fault> {
        let rest = skip_space(self.text, self.at);
        if rest == self.text.len() { Ok(()) } else { Err(fault(rest, Why::Trailing)) }
    }

    /// Where an entry of the index points; the end of the text behind the last.
    #[inline]
    fn place(&self, entry: usize) -> usize {
        self.index.get(entry).map_or(self.text.len(), |&at| at as usize)
    }

    #[cold]
    fn unexpected(&self, at: usize) -> Fault {
        fault(at, if at >= self.text.len() { Why::CutOff } else { Why::Unexpected })
    }
}

#[cold]
const fn fault(at: usize, why: Why) -> Fault {
    Fault { at: offset(at), why }
}

#[inline]
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The first byte at or behind `at` that is not JSON white space.
#[inline]
pub(crate) fn skip_space(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| is_space(byte)) {
        at += 1;
    }
    at
}

/// `end`, less the white space before it, but not before `start`.
#[inline]
pub(crate) fn trim_end(text: &[u8], start: usize, mut end: usize) -> usize {
    while end > start && is_space(text[end - 1]) {
        end -= 1;
    }
    end
}

/// A number, `true`, `false` or `null` (RFC 8259, sections 3 and 6).
fn is_scalar(text: &[u8]) -> bool {
    match text.first() {
        Some(b't') => text == b"true",
        Some(b'f') => text == b"false",
        Some(b'n') => text == b"null",
        Some(b'-') => is_number(&text[1..]),
        Some(_) => is_number(text),
        None => false,
    }
}

fn is_number(text: &[u8]) -> bool {
    let whole = digits(text);
    if whole == 0 || (whole > 1 && text[0] == b'0') {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some((b'.', fraction)) = rest.split_first() {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some((b'e' | b'E', exponent)) = rest.split_first() {
        let exponent = match exponent.split_first() {
            Some((b'+' | b'-', exponent)) => exponent,
            _ => exponent,
        };
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

#[inline]
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

impl<'a> Doc<'a> {
    /// The document's value.
    #[must_use]
    pub fn root(self) -> Node<'a> {
        Node { doc: self, start: offset(skip_space(self.text, 0)), entry: 0 }
    }

    #[inline]
    fn place(self, entry: u32) -> usize {
        self.index.get(entry as usize).map_or(self.text.len(), |&at| at as usize)
    }

    #[inline]
    fn byte(self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    #[inline]
    fn node(self, at: usize, entry: u32) -> Node<'a> {
        Node { doc: self, start: offset(skip_space(self.text, at)), entry }
    }

    /// The value that [`Node::mark`] told of.
    pub(crate) fn node_at(self, (start, entry): (u32, u32)) -> Node<'a> {
        Node { doc: self, start, entry }
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

    /// The entry of the index behind the value.
    #[inline]
    fn after(self) -> u32 {
        match self.shape() {
            Shape::Object | Shape::Array => {
                self.doc.close.get(self.entry as usize).map_or(self.entry, |&close| close) + 1
            }
            Shape::String => self.entry + 1,
            _ => self.entry,
        }
    }

    #[inline]
    fn end(self) -> usize {
        let after = self.after();
        match self.shape() {
            Shape::Object | Shape::Array => self.doc.place(after - 1) + 1,
            _ => trim_end(self.doc.text, self.start as usize, self.doc.place(after)),
        }
    }

    /// Where the value stands in its member.
    #[must_use]
    #[inline]
    pub fn span(self) -> Span {
        self.doc.span(self.start as usize, self.end())
    }

    /// The value as written.
    #[must_use]
    #[inline]
    pub fn raw(self) -> &'a [u8] {
        self.doc.text.get(self.start as usize..self.end()).unwrap_or_default()
    }

    /// The bytes between a string's quotes, escapes as written; `None` for any other shape.
    #[must_use]
    #[inline]
    pub fn text(self) -> Option<&'a [u8]> {
        if self.shape() != Shape::String {
            return None;
        }
        self.doc.text.get(self.start as usize + 1..self.end() - 1)
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
            && self.after() == self.entry + 2
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
            node.members().find(|member| member.name == name.as_bytes()).map(|member| member.value)
        })
    }

    /// The text at a path, if a string stands there: its bytes as written, without the quotes.
    #[must_use]
    pub fn word(self, path: &[&str]) -> Option<&'a [u8]> {
        self.at(path)?.text()
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
        let value = doc.node(colon + 1, self.entry + 2);
        let after = value.after();
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
        let after = value.after();
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
