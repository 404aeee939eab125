//! The values of a JSON text that was read: where each stands, what shape it has, what it holds.
//! All of it is a view of the bytes and of their index; nothing is decoded, copied or allocated.

use crate::bundle::Span;
use crate::json::Token;
use crate::name::Name;

/// A text that is one valid JSON value, with white space around it allowed.
#[derive(Clone, Copy)]
pub struct Doc<'a> {
    pub(crate) text: &'a [u8],
    /// Its values: never empty.
    pub(crate) tokens: &'a [Token],
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
    /// Its token.
    token: u32,
    /// The first token behind it.
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
    /// The same, ready to compare.
    pub(crate) known: Name,
    /// The value.
    pub value: Node<'a>,
}

impl<'a> Doc<'a> {
    /// The document's value.
    #[must_use]
    pub fn root(self) -> Node<'a> {
        self.node(0)
    }

    /// The value with this token.
    #[inline(always)]
    pub(crate) fn node(self, token: u32) -> Node<'a> {
        self.value(token, &self.tokens[token as usize])
    }

    #[inline(always)]
    fn value(self, token: u32, &Token { start, end, after, .. }: &Token) -> Node<'a> {
        Node { doc: self, start, end, token, after }
    }

    #[inline]
    fn byte(self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn span(self, start: u32, end: u32) -> Span {
        Span::new(self.base + start, self.base + end)
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
        self.doc.span(self.start, self.end)
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

    /// The value's place in its document, for [`Doc::node`].
    pub(crate) fn mark(self) -> u32 {
        self.token
    }

    /// True for `{}` and `[]`.
    #[must_use]
    #[inline]
    pub fn is_empty_container(self) -> bool {
        self.after == self.token + 1 && matches!(self.shape(), Shape::Object | Shape::Array)
    }

    /// The members of an object in their order, repeated keys included; none for another shape.
    #[must_use]
    #[inline]
    pub fn members(self) -> Members<'a> {
        Members { within: self.within(Shape::Object) }
    }

    /// The elements of an array; none for another shape.
    #[must_use]
    #[inline]
    pub fn elements(self) -> Elements<'a> {
        Elements { within: self.within(Shape::Array) }
    }

    #[inline]
    fn within(self, shape: Shape) -> Within<'a> {
        let end = if self.shape() == shape { self.after } else { 0 };
        Within { doc: self.doc, next: self.token + 1, end }
    }

    /// The value at a path of member names (as written, without escapes); the first of equal keys.
    #[must_use]
    pub fn at(self, path: &[&str]) -> Option<Node<'a>> {
        path.iter().try_fold(self, |node, name| node.within(Shape::Object).named(name.as_bytes()))
    }

    /// The text at a path, if a string stands there: its bytes as written, without the quotes.
    #[must_use]
    pub fn word(self, path: &[&str]) -> Option<&'a [u8]> {
        self.at(path)?.text()
    }
}

/// The values right within a container.
#[derive(Clone)]
struct Within<'a> {
    doc: Doc<'a>,
    /// The next one's token.
    next: u32,
    end: u32,
}

impl<'a> Within<'a> {
    #[inline(always)]
    fn next(&mut self) -> Option<(&'a Token, Node<'a>)> {
        if self.next >= self.end {
            return None;
        }
        let token = self.doc.tokens.get(self.next as usize)?;
        let value = self.doc.value(self.next, token);
        self.next = token.after;
        Some((token, value))
    }

    /// The first value with this name: most others differ in their length.
    #[inline]
    fn named(mut self, name: &[u8]) -> Option<Node<'a>> {
        let text = self.doc.text;
        while let Some((token, value)) = self.next() {
            let (start, end) = (token.key as usize + 1, token.key_end as usize - 1);
            if end - start == name.len() && text.get(start..end) == Some(name) {
                return Some(value);
            }
        }
        None
    }
}

/// The members of an object.
#[derive(Clone)]
pub struct Members<'a> {
    within: Within<'a>,
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Member<'a>> {
        let (token, value) = self.within.next()?;
        let doc = self.within.doc;
        let (start, end) = (token.key as usize + 1, token.key_end as usize - 1);
        let name = doc.text.get(start..end).unwrap_or_default();
        let known = Name::at(doc.text, start, end);
        Some(Member { key: doc.span(token.key, token.key_end), name, known, value })
    }
}

/// The elements of an array.
#[derive(Clone)]
pub struct Elements<'a> {
    within: Within<'a>,
}

impl<'a> Iterator for Elements<'a> {
    type Item = Node<'a>;

    #[inline]
    fn next(&mut self) -> Option<Node<'a>> {
        self.within.next().map(|(_, value)| value)
    }
}
