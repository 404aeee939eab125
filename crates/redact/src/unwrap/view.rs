//! Views: a text of a session as scanners see it, with all its wrappings undone one after the
//! other. Of each byte of a view it is known which bytes of the file it came from.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use session::Span;

use super::changes::Changes;
use super::source_map::{Parts, Sink};
use super::wrapping::Wrapping;
use super::{
    ansi, entities, escapes, invisible, joined_strings, line_prefixes, percent, quoted_printable,
    wrapped_lines,
};
use crate::rules::Seen;

/// A view of a text.
#[derive(Debug)]
pub(crate) struct View<'v> {
    /// The text.
    pub(crate) text: &'v [u8],
    origin: Origin<'v>,
    depth: usize,
    /// The places where it is new to the rules: elsewhere they have seen it in the text that it
    /// came from.
    new: Changes,
    /// Whether no wrapping was undone in the text that it came from.
    is_new: bool,
    /// The keywords of the rules in it, if they were looked for.
    keywords: OnceCell<Vec<Seen>>,
}

/// Origin of the text of a view.
#[derive(Debug)]
enum Origin<'v> {
    /// Bytes of a file, which begin there.
    File(usize),
    /// A string of JSON, which begins there, with its escapes.
    String { raw: &'v [u8], at: usize, parts: OnceCell<Parts> },
    /// The strings of several records, in the order of their positions.
    Strings(&'v [StreamPiece<'v>]),
    /// A name and a value as `"name": "value"`; the value begins at `at` and is a view.
    Pair { value: &'v View<'v>, at: usize },
    /// A range of a view that is not looked into: it has more wrappings, or is longer unpacked,
    /// than is undone; or nobody knows how to.
    Deep(&'v View<'v>, usize),
    /// A range of another view, with a wrapping undone.
    Wrapped {
        parent: &'v View<'v>,
        wrapping: Wrapping,
        range: Range<usize>,
        parts: OnceCell<Parts>,
    },
}

/// A string of a stream.
#[derive(Debug)]
pub(crate) struct StreamPiece<'v> {
    /// Its first byte in the joined text.
    pub(crate) at: usize,
    /// The string, with its escapes.
    pub(crate) raw: &'v [u8],
    /// The position of the string.
    pub(crate) from: usize,
    /// Whether the joined text has what it decodes to: then it is replaced as a whole.
    pub(crate) coded: bool,
    /// Whether it was not looked at together with the string before it.
    pub(crate) is_met: bool,
    /// The parts of the string without its escapes, once a place in it was asked for: a long one
    /// has many findings, and is decoded once for all of them.
    pub(crate) parts: OnceCell<Parts>,
}

impl<'v> View<'v> {
    /// Bytes of a file.
    pub(crate) const fn file(text: &'v [u8], at: usize) -> Self {
        Self::leaf(text, Origin::File(at))
    }

    /// A string of JSON between its quotes, and the same without its escapes.
    pub(crate) const fn string(raw: &'v [u8], text: &'v [u8], at: usize) -> Self {
        Self::leaf(text, Origin::String { raw, at, parts: OnceCell::new() })
    }

    /// The joined text of a stream.
    pub(crate) const fn stream(text: &'v [u8], pieces: &'v [StreamPiece<'v>]) -> Self {
        Self::leaf(text, Origin::Strings(pieces))
    }

    /// The same, of strings that were looked at alone: it is new where they meet.
    pub(crate) fn met(text: &'v [u8], pieces: &'v [StreamPiece<'v>]) -> Self {
        let met = pieces.iter().filter(|piece| piece.is_met);
        let new = Changes::at(met.map(|piece| piece.at as u32).collect());
        Self { new, is_new: false, ..Self::stream(text, pieces) }
    }

    const fn leaf(text: &'v [u8], origin: Origin<'v>) -> Self {
        Self {
            text,
            origin,
            depth: 0,
            new: Changes::everywhere(),
            is_new: true,
            keywords: OnceCell::new(),
        }
    }

    /// `"name": "value"`, in which the value begins at `at`.
    pub(crate) const fn pair(text: &'v [u8], value: &'v View<'v>, at: usize) -> Self {
        let mut pair = Self::leaf(text, Origin::Pair { value, at });
        pair.depth = value.depth;
        pair
    }

    /// A range of the view with a wrapping undone: the text, where it is new, and whether no part
    /// of the view was looked at.
    pub(crate) fn inner(
        &'v self,
        wrapping: Wrapping,
        range: Range<usize>,
        (text, new, is_new): (&'v [u8], Changes, bool),
    ) -> View<'v> {
        let origin = Origin::Wrapped { parent: self, wrapping, range, parts: OnceCell::new() };
        View { text, origin, depth: self.depth + 1, new, is_new, keywords: OnceCell::new() }
    }

    /// A range that nobody has looked into.
    pub(crate) fn unknown(&'v self, range: Range<usize>) -> View<'v> {
        View::leaf(&self.text[range.clone()], Origin::Deep(self, range.start))
    }

    /// The number of wrappings that were undone.
    pub(crate) const fn depth(&self) -> usize {
        self.depth
    }

    /// Whether no wrapping was undone in the text that it came from.
    pub(crate) const fn is_new(&self) -> bool {
        self.is_new
    }

    /// The facts that decide, beside its text, what is looked for in it.
    pub(crate) fn circumstances(&self) -> Vec<u8> {
        let last = match &self.origin {
            Origin::Wrapped { wrapping, .. } => *wrapping as u8,
            _ => u8::MAX,
        };
        let mut bytes = vec![last, u8::from(self.is_new)];
        self.new.put(&mut bytes);
        bytes
    }

    /// Whether the wrapping that was undone last is this one, or comes behind it in the order in
    /// which the parts of a text are undone.
    pub(crate) fn is_behind(&self, other: Wrapping) -> bool {
        let order = [
            Wrapping::Prefixes,
            Wrapping::Wrapped,
            Wrapping::Joined,
            Wrapping::Quoted,
            Wrapping::Percent,
            Wrapping::Form,
        ];
        let place = |of: Wrapping| order.iter().position(|&wrapping| wrapping == of);
        match &self.origin {
            Origin::Wrapped { wrapping, .. } => place(*wrapping) >= place(other),
            _ => false,
        }
    }

    /// Whether it is within a wrapping of this kind.
    pub(crate) fn is_in(&self, one: Wrapping) -> bool {
        match &self.origin {
            Origin::Wrapped { parent, wrapping, .. } => *wrapping == one || parent.is_in(one),
            _ => false,
        }
    }

    /// The places where the text is new: elsewhere it is that of a view that was looked at before.
    pub(crate) const fn changes(&self) -> &Changes {
        &self.new
    }

    /// The keywords in it, once they were kept.
    pub(crate) fn keywords(&self) -> Option<&[Seen]> {
        self.keywords.get().map(Vec::as_slice)
    }

    /// Keeps the keywords in it.
    pub(crate) fn keep_keywords(&self, keywords: Vec<Seen>) {
        let _ = self.keywords.set(keywords);
    }

    /// The view that it is a range of with a wrapping undone, if the parts of that are known.
    pub(crate) fn before(&self) -> Option<(&View<'v>, &Range<usize>)> {
        match &self.origin {
            Origin::Wrapped { parent, range, .. } if self.new.has_parts() => Some((parent, range)),
            _ => None,
        }
    }

    /// Whether a part of the text is to be looked at: no other view has it.
    pub(crate) fn has_new(&self, range: &Range<usize>) -> bool {
        self.is_new || self.new.within(range)
    }

    /// The ranges of the file from which a range of the text came: one, or several of a stream.
    pub(crate) fn places(&self, range: Range<usize>) -> Vec<Range<usize>> {
        match &self.origin {
            Origin::File(at) => {
                let place = at + range.start..at + range.end;
                vec![place]
            }
            Origin::String { raw, at, parts } => {
                let parts = parts.get_or_init(|| traced(|parts| escapes::json(raw, parts)));
                let from = parts.from(&range);
                from.map(|from| at + from.start..at + from.end).into_iter().collect()
            }
            Origin::Deep(view, at) => view.places(at + range.start..at + range.end),
            Origin::Strings(pieces) => strings(pieces, self.text.len(), &range),
            Origin::Pair { value, at } => {
                let end = range.end.saturating_sub(*at).min(value.text.len());
                let start = range.start.saturating_sub(*at).min(end);
                if start < end { value.places(start..end) } else { Vec::new() }
            }
            Origin::Wrapped { parent, wrapping, range: whole, parts } => {
                if wrapping.is_whole() {
                    return parent.places(whole.clone());
                }
                let text = &parent.text[whole.clone()];
                let parts = parts.get_or_init(|| traced(|parts| undo(*wrapping, text, parts)));
                let from = parts.from(&range);
                let from = from.map(|from| whole.start + from.start..whole.start + from.end);
                from.map(|from| parent.places(from)).unwrap_or_default()
            }
        }
    }

    /// The bytes of the file that the whole text is, by those of its value; of a stream, nothing.
    pub(crate) fn within_file(&self, value: Span) -> Option<Span> {
        match &self.origin {
            Origin::File(_) => Some(value),
            Origin::String { .. } => Some(Span::new(value.start + 1, value.end - 1)),
            Origin::Strings(_) => None,
            Origin::Pair { value: view, .. } | Origin::Deep(view, _) => view.within_file(value),
            Origin::Wrapped { parent, .. } => parent.within_file(value),
        }
    }

    /// Whether there are more wrappings than are undone: nobody knows what is in it.
    pub(crate) const fn is_deep(&self) -> bool {
        matches!(self.origin, Origin::Deep(..))
    }

    /// Whether it is a string of JSON without its escapes, alone or with its name.
    pub(crate) const fn is_string(&self) -> bool {
        matches!(self.origin, Origin::Pair { .. } | Origin::String { .. })
    }

    /// Whether it is a whole text of the file, with nothing undone but the escapes of JSON.
    pub(crate) const fn is_leaf(&self) -> bool {
        matches!(self.origin, Origin::String { .. } | Origin::File(_))
    }

    /// The bytes of the file that a text of it is.
    pub(crate) const fn raw(&self) -> &'v [u8] {
        match &self.origin {
            Origin::String { raw, .. } => raw,
            Origin::Pair { value, .. } => value.text,
            _ => self.text,
        }
    }

    /// The place of the value of a name and a value, and its length.
    pub(crate) const fn value_in_pair(&self) -> Option<(usize, usize)> {
        match &self.origin {
            Origin::Pair { value, at } => Some((*at, value.text.len())),
            _ => None,
        }
    }

    /// Whether it is a value with its name.
    pub(crate) const fn is_pair(&self) -> bool {
        matches!(self.origin, Origin::Pair { .. })
    }

    /// The wrappings that were undone, the outermost first.
    pub(crate) fn chain(&self) -> Vec<Wrapping> {
        match &self.origin {
            Origin::File(_) | Origin::String { .. } => Vec::new(),
            Origin::Strings(_) => vec![Wrapping::Stream],
            Origin::Pair { value, .. } | Origin::Deep(value, _) => value.chain(),
            Origin::Wrapped { parent, wrapping, .. } => {
                let mut chain = parent.chain();
                chain.push(*wrapping);
                chain
            }
        }
    }
}

/// The ranges of a stream's strings from which a range of their text came.
fn strings(pieces: &[StreamPiece<'_>], length: usize, range: &Range<usize>) -> Vec<Range<usize>> {
    let first = pieces.partition_point(|piece| piece.at <= range.start).saturating_sub(1);
    let mut found = Vec::new();
    for (number, piece) in pieces.iter().enumerate().skip(first) {
        if piece.at >= range.end {
            break;
        }
        let end = pieces.get(number + 1).map_or(length, |next| next.at);
        let (start, end) = (range.start.max(piece.at), range.end.min(end));
        if piece.coded {
            found.push(piece.from..piece.from + piece.raw.len());
            continue;
        }
        let parts = piece.parts.get_or_init(|| traced(|parts| escapes::json(piece.raw, parts)));
        let from = parts.from(&(start - piece.at..end.max(start) - piece.at));
        found.extend(from.map(|from| piece.from + from.start..piece.from + from.end));
    }
    found
}

fn traced(decode: impl FnOnce(&mut Parts)) -> Parts {
    let mut parts = Parts::default();
    decode(&mut parts);
    parts
}

/// Undoes a wrapping that is no run of encoded bytes.
pub(crate) fn undo(wrapping: Wrapping, text: &[u8], out: &mut impl Sink) {
    match wrapping {
        Wrapping::Json => escapes::json(text, out),
        Wrapping::Percent => percent::percent(text, out),
        Wrapping::Form => percent::form(text, out),
        Wrapping::Ansi => ansi::ansi(text, out),
        Wrapping::Prefixes => line_prefixes::prefixes(text, out),
        Wrapping::Wrapped => wrapped_lines::wrapped(text, out),
        Wrapping::Entities => entities::entities(text, out),
        Wrapping::Invisible => invisible::invisible(text, out),
        Wrapping::Quoted => quoted_printable::quoted(text, out),
        Wrapping::Joined => joined_strings::joined(text, out),
        Wrapping::Base64 | Wrapping::Hex | Wrapping::Dump | Wrapping::Stream => {
            out.put(text, 0..text.len())
        }
    }
}

/// A string of JSON without its escapes.
pub(crate) fn unescaped(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', raw).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut text = Vec::with_capacity(raw.len());
    escapes::json(raw, &mut text);
    Cow::Owned(text)
}
