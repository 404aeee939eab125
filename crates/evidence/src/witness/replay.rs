//! Comparison with the witness. The tokens of a record are rebuilt from its events and fields
//! alone. They must equal the tokens that the witness reads from the bytes. Every leaf must agree
//! in path and value.
//!
//! White space between tokens is checked by the structural proof.

use std::borrow::Cow;

use session::Sorting as _;
use session::{Elements, EventRef, Hold, JsonMember, Members, Node, Scan, Shape, Span, value};

use super::readable::readable;
use super::tokens::{Bracket, JsonTokens, Token};

/// Result of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Leaves that the witness read.
    pub leaves: u64,
    /// Leaves that the events omit, repeat, or give another value.
    pub missing: u64,
    /// Offset in the record of the first difference.
    pub differs: Option<u32>,
}

/// Reusable memory of a comparison.
#[derive(Debug, Default)]
pub struct WitnessReplay {
    parts: Vec<Part>,
    scan: Scan,
}

/// A container that an event enters, or a value that a field owns.
#[derive(Clone, Copy, Debug)]
struct Part {
    value: Span,
    key: Span,
    own: bool,
}

impl WitnessReplay {
    /// Compares the events of one record with its bytes (`record` in `bytes`).
    pub fn compare<'s>(
        &mut self,
        bytes: &[u8],
        record: Span,
        events: impl Iterator<Item = EventRef<'s>>,
    ) -> Compared {
        self.collect(events);
        let raw = record.of(bytes);
        let told = self.against((raw, raw), bytes, record);
        if told.differs.is_none() {
            return told;
        }
        // As the agents' decoders read it: U+FFFD in place of bytes that are not UTF-8.
        let text = String::from_utf8_lossy(raw);
        match (&text, readable(text.as_bytes())) {
            (Cow::Borrowed(_), Cow::Borrowed(_)) => told,
            (_, readable) => self.against((&readable, text.as_bytes()), bytes, record),
        }
    }

    /// Compares the parts with the tokens that the witness reads from `readable`: the record's
    /// text, or its form without constructs that the witness refuses.
    fn against(
        &mut self,
        (readable, text): (&[u8], &[u8]),
        bytes: &[u8],
        record: Span,
    ) -> Compared {
        let tokens = JsonTokens::readable(readable, text);
        let mut witness = Witness { tokens, told: Compared::default() };
        let mut open: Vec<(u32, Bracket)> = Vec::new();
        for at in 0..self.parts.len() {
            let part = self.parts[at];
            close(&mut open, part.value.start, &mut witness);
            if !part.key.is_empty() {
                let key = part.key.of(bytes);
                let inner = key.get(1..key.len().saturating_sub(1)).unwrap_or_default();
                witness.hears(Ours::Key(inner));
            }
            let raw = part.value.of(bytes);
            if part.own {
                self.own(raw, &mut witness);
            } else {
                let kind =
                    if raw.first() == Some(&b'[') { Bracket::Array } else { Bracket::Object };
                witness.hears(Ours::Open(kind));
                open.push((part.value.end, kind));
            }
        }
        close(&mut open, u32::MAX, &mut witness);
        let mut told = witness.finish();
        if told.differs.is_some() {
            told.missing = self.missing(readable, record.start).max(1);
        }
        told
    }

    /// Collects the parts of a record in byte order. An event's own value and the field that opens
    /// it are one container. If two events are fused into one value, the containers that both open
    /// are one container too.
    fn collect<'s>(&mut self, events: impl Iterator<Item = EventRef<'s>>) {
        self.parts.clear();
        for event in events {
            let fields = event.fields().iter().filter(|field| field.hold != Hold::View);
            self.parts.push(Part { value: event.span, key: Span::NONE, own: false });
            self.parts.extend(fields.map(|field| {
                let own = field.hold == Hold::Own;
                Part { value: field.value, key: field.key, own }
            }));
        }
        // For equal values, the part that owns comes before the part that enters, and a part with a
        // key before one without.
        let place = |part: &Part| {
            let Span { start, end } = part.value;
            (start, u32::MAX - end, !part.own, part.key.is_empty())
        };
        // Nearly always they are in order.
        if !self.parts.is_sorted_by_key(place) {
            self.parts.in_order_by_key(place);
        }
        self.parts.dedup_by(|next, kept| {
            let same = next.value == kept.value && !next.own;
            if same && kept.key.is_empty() {
                kept.key = next.key;
            }
            same
        });
    }

    /// Sends the tokens of a value that one field owns, with all that it contains.
    fn own(&mut self, raw: &[u8], witness: &mut Witness<'_>) {
        if !matches!(raw.first(), Some(b'{' | b'[')) {
            return witness.hears(Ours::scalar(raw));
        }
        let Ok(doc) = self.scan.read(raw, 0) else { return witness.lost() };
        let mut open = vec![Inside::enter(doc.root(), witness)];
        while let Some(inside) = open.last_mut() {
            let Some((key, node)) = inside.next() else {
                witness.hears(Ours::Close(inside.bracket()));
                open.pop();
                continue;
            };
            if let Some(key) = key {
                witness.hears(Ours::Key(key));
            }
            match node.shape() {
                Shape::Object | Shape::Array => open.push(Inside::enter(node, witness)),
                _ => witness.hears(Ours::scalar(node.raw())),
            }
        }
    }

    /// Number of the record's leaves that no field owns, or several fields.
    fn missing(&self, text: &[u8], base: u32) -> u64 {
        let owned = || self.parts.iter().filter(|part| part.own).map(|part| part.value);
        let starts: Vec<u32> = owned().map(|span| span.start).collect();
        let mut ends: Vec<u32> = owned().map(|span| span.end).collect();
        ends.in_order();
        let mut tokens = JsonTokens::of(text);
        let mut missing = 0;
        while let Ok(Some(token)) = tokens.step() {
            if token.is_leaf() {
                let last = base + tokens.at() as u32 - 1;
                let begun = starts.partition_point(|&start| start <= last);
                let ended = ends.partition_point(|&end| end <= last);
                missing += u64::from(begun != ended + 1);
            }
        }
        missing
    }
}

/// Token that the events produce. Strings are written as between their quotes, with escapes.
enum Ours<'a> {
    Open(Bracket),
    Close(Bracket),
    Key(&'a [u8]),
    Text(&'a [u8]),
    Number(&'a [u8]),
    Bool(bool),
    Null,
}

impl<'a> Ours<'a> {
    fn scalar(raw: &'a [u8]) -> Self {
        match raw.first() {
            Some(b'"') => Self::Text(raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default()),
            Some(b't') => Self::Bool(raw == b"true"),
            Some(b'f') => Self::Bool(raw != b"false"),
            Some(b'n') => Self::Null,
            _ => Self::Number(raw),
        }
    }

    /// Whether the witness read the same token.
    fn is(&self, seen: &Token<'_>) -> bool {
        match (self, seen) {
            (Self::Text(raw), Token::Text(text)) | (Self::Key(raw), Token::Key(text)) => {
                value::spells(raw, text)
            }
            (Self::Number(raw), Token::Number(number)) => raw == number,
            (Self::Bool(value), Token::Bool(seen)) => value == seen,
            (Self::Null, Token::Null) => true,
            (Self::Open(bracket), Token::Open(seen))
            | (Self::Close(bracket), Token::Close(seen)) => bracket == seen,
            _ => false,
        }
    }
}

/// Closes the containers that end at or before an offset.
fn close(open: &mut Vec<(u32, Bracket)>, at: u32, witness: &mut Witness<'_>) {
    while let Some((_, kind)) = open.pop_if(|(end, _)| *end <= at) {
        witness.hears(Ours::Close(kind));
    }
}

/// The remaining members or elements of a container.
enum Inside<'a> {
    Members(Members<'a>),
    Elements(Elements<'a>),
}

impl<'a> Inside<'a> {
    fn enter(node: Node<'a>, witness: &mut Witness<'_>) -> Self {
        let inside = match node.shape() {
            Shape::Array => Self::Elements(node.elements()),
            _ => Self::Members(node.members()),
        };
        witness.hears(Ours::Open(inside.bracket()));
        inside
    }

    const fn bracket(&self) -> Bracket {
        match self {
            Self::Members(_) => Bracket::Object,
            Self::Elements(_) => Bracket::Array,
        }
    }

    fn next(&mut self) -> Option<(Option<&'a [u8]>, Node<'a>)> {
        match self {
            Self::Members(members) => {
                members.next().map(|JsonMember { name, value, .. }| (Some(name), value))
            }
            Self::Elements(elements) => elements.next().map(|value| (None, value)),
        }
    }
}

/// Comparison of the tokens of the events with those of the witness, one by one.
struct Witness<'a> {
    tokens: JsonTokens<'a>,
    told: Compared,
}

impl Witness<'_> {
    fn hears(&mut self, token: Ours<'_>) {
        if self.told.differs.is_some() {
            return;
        }
        let is_same = match self.tokens.step() {
            Ok(Some(seen)) => {
                self.told.leaves += u64::from(seen.is_leaf());
                token.is(&seen)
            }
            Ok(None) | Err(_) => false,
        };
        if !is_same {
            self.lost();
        }
    }

    fn lost(&mut self) {
        self.told.differs.get_or_insert(self.tokens.at() as u32);
    }

    /// Ends the comparison. The witness may have no token left.
    fn finish(mut self) -> Compared {
        if self.told.differs.is_none() && !matches!(self.tokens.step(), Ok(None)) {
            self.lost();
        }
        while let Ok(Some(seen)) = self.tokens.step() {
            self.told.leaves += u64::from(seen.is_leaf());
        }
        self.told
    }
}
