//! The structural proof: from the records and fields of a bundle's sessions alone, that nothing is
//! lost. It reads no JSON: it looks at where things stand.
//!
//! 1. Records tile their members: between them stands white space only.
//! 2. Every record is rebuilt from its fields: between the keys and values that they label stand
//!    only the brackets, commas and colons that JSON needs there, each exactly once.
//! 3. No byte of a record is owned twice.

#[doc(hidden)]
pub mod fault;

use std::ops::Range;

use crate::json::grammar::skip_space;
use crate::json::span::Span;
use crate::label::event::{Event, Field, Hold};
use crate::label::slot::Kind;
use crate::session::{Record, Session};

/// A place where the proof fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The member.
    pub member: u32,
    /// The bytes that are lost, owned twice, or out of place.
    pub span: Span,
    /// What is wrong with them.
    pub what: Wrong,
}

/// The ways in which a reader can break its promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// Bytes of the member that belong to no record.
    NoRecord,
    /// Bytes that belong to two records.
    TwoRecords,
    /// A record that no event comes from.
    NoEvent,
    /// Bytes of a record that no field owns.
    NoField,
    /// Bytes that two fields own.
    TwoFields,
    /// A key that stands with another value than in the source, or without one.
    Astray,
}

impl Wrong {
    /// The breach in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoRecord => "bytes that belong to no record",
            Self::TwoRecords => "bytes that belong to two records",
            Self::NoEvent => "a record that no event comes from",
            Self::NoField => "bytes that no field owns",
            Self::TwoFields => "bytes that two fields own",
            Self::Astray => "a key without its value",
        }
    }
}

/// Proves the sessions that were read from one bundle; gives at most `limit` breaches.
#[must_use]
pub fn check(sessions: &[Session], limit: usize) -> Vec<Breach> {
    let mut breaches = Vec::new();
    tiles(sessions, &mut breaches);
    let mut memory = Memory::default();
    for session in sessions {
        rebuilt(session, &mut memory, &mut breaches);
        if breaches.len() > limit {
            break;
        }
    }
    breaches.truncate(limit);
    breaches
}

/// Records tile their members.
fn tiles(sessions: &[Session], breaches: &mut Vec<Breach>) {
    let Some(first) = sessions.first() else { return };
    let mut records: Vec<&Record> = sessions.iter().flat_map(|session| &session.records).collect();
    if !records.is_sorted_by_key(|record| (record.member, record.span.start)) {
        records.sort_by_key(|record| (record.member, record.span.start));
    }
    let mut records = records.into_iter().peekable();
    for (number, member) in (0u32..).zip(&first.bundle.members) {
        let bytes = member.bytes();
        let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let mut breach = |start: usize, end: usize, what| {
            let span = Span::new(start as u32, end as u32);
            breaches.push(Breach { member: number, span, what });
        };
        while let Some(record) = records.next_if(|record| record.member == number) {
            let (start, end) = (record.span.start as usize, record.span.end as usize);
            if start < at {
                breach(start, at.min(end), Wrong::TwoRecords);
            } else if skip_space(&bytes[..start], at) < start {
                breach(at, start, Wrong::NoRecord);
            }
            at = at.max(end);
        }
        if skip_space(bytes, at) < bytes.len() {
            breach(at, bytes.len(), Wrong::NoRecord);
        }
    }
}

/// A key or a value that a field owns, or a key whose value is given in pieces.
#[derive(Clone, Copy)]
struct Piece {
    span: Span,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// A key, with where its value begins.
    Key(u32),
    Value,
}

/// What the proof of one record leaves to the next.
#[derive(Default)]
struct Memory {
    pieces: Vec<Piece>,
    /// The fields that are left of the events around the one at hand.
    around: Vec<Range<usize>>,
}

/// Every record is rebuilt from the fields of its events.
fn rebuilt(session: &Session, memory: &mut Memory, breaches: &mut Vec<Breach>) {
    let mut rest = session.events.as_slice();
    for (number, record) in (0u32..).zip(&session.records) {
        let count = rest.iter().take_while(|event| event.origin.record == number).count();
        let (events, behind) = rest.split_at(count);
        rest = behind;
        let Record { member, span, .. } = *record;
        let opaque = |event: &Event| event.kind == Kind::Opaque && event.first == event.last;
        if events.iter().any(opaque) {
            continue;
        }
        if events.is_empty() {
            breaches.push(Breach { member, span, what: Wrong::NoEvent });
            continue;
        }
        let bytes = session.bundle.bytes(member);
        // Nearly always the fields stand in order; a fused value's don't, and those of a reader
        // that is wrong.
        if in_order(session, events, memory, Path::new(bytes, span)).is_ok() {
            continue;
        }
        if let Err((span, what)) = sorted(session, events, memory, Path::new(bytes, span)) {
            breaches.push(Breach { member, span, what });
        }
    }
}

/// The pieces of a record in the order of its fields, an event's at its place in the one around it.
fn in_order(
    session: &Session,
    events: &[Event],
    memory: &mut Memory,
    mut path: Path<'_>,
) -> Result<(), Breached> {
    let last = session.fields.len();
    let fields = |event: &Event| event.first as usize..(event.last as usize).min(last);
    let mut events = events.iter().peekable();
    memory.around.clear();
    while let Some(left) = memory.around.pop().or_else(|| events.next().map(fields)) {
        // Up to where the next event begins.
        let next = events.peek().map_or(u32::MAX, |event| event.span.start);
        let mut at = left.start;
        for field in session.fields.get(left.clone()).unwrap_or_default() {
            let start = if field.key.is_empty() { field.value.start } else { field.key.start };
            if next < start {
                break;
            }
            at += 1;
            if !path.member(field) {
                pieces(field, |piece| path.step(piece))?;
            }
        }
        if at < left.end {
            memory.around.push(at..left.end);
            memory.around.extend(events.next().map(fields));
        }
    }
    path.end()
}

/// The same in the order in which they stand.
fn sorted(
    session: &Session,
    events: &[Event],
    memory: &mut Memory,
    mut path: Path<'_>,
) -> Result<(), Breached> {
    memory.pieces.clear();
    for event in events {
        let fields = session.fields.get(event.first as usize..event.last as usize);
        for field in fields.unwrap_or_default() {
            pieces(field, |piece| {
                memory.pieces.push(piece);
                Ok(())
            })?;
        }
    }
    memory.pieces.sort_by_key(|piece| (piece.span.start, piece.span.end));
    memory.pieces.iter().try_for_each(|piece| path.step(*piece))?;
    path.end()
}

/// What a field owns.
#[inline(always)]
fn pieces(
    field: &Field,
    mut found: impl FnMut(Piece) -> Result<(), Breached>,
) -> Result<(), Breached> {
    if field.hold == Hold::View {
        return Ok(());
    }
    if !field.key.is_empty() {
        found(Piece { span: field.key, what: What::Key(field.value.start) })?;
    }
    if field.hold == Hold::Own {
        found(Piece { span: field.value, what: What::Value })?;
    }
    Ok(())
}

/// Where a record breaks, and how.
type Breached = (Span, Wrong);

/// The way through a record from piece to piece: what lies between them must be exactly the
/// punctuation that JSON has there. Anything else is a value, or a key, that nobody owns.
struct Path<'a> {
    bytes: &'a [u8],
    at: u32,
    end: u32,
    last: Option<Piece>,
}

impl<'a> Path<'a> {
    fn new(bytes: &'a [u8], record: Span) -> Self {
        Self { bytes, at: record.start, end: record.end, last: None }
    }

    /// Goes over a member that stands right behind another value and owns its own, as nearly all
    /// do: a comma, the key, a colon, the value. False where it stands otherwise; then it is for
    /// [`Path::step`] to say how.
    #[inline(always)]
    fn member(&mut self, field: &Field) -> bool {
        let (key, value) = (field.key, field.value);
        let is = |at: u32, byte| self.bytes.get(at as usize) == Some(&byte);
        let next = self.last.is_some_and(|last| last.what == What::Value)
            && field.hold == Hold::Own
            && key.start == self.at.wrapping_add(1)
            && value.start == key.end.wrapping_add(1)
            && (key.start < key.end && key.end < value.end && value.end <= self.end)
            && is(self.at, b',')
            && is(key.end, b':');
        if next {
            self.at = value.end;
        }
        next
    }

    fn step(&mut self, piece: Piece) -> Result<(), Breached> {
        let (span, last, bytes) = (piece.span, self.last, self.bytes);
        if span.start < self.at || span.end > self.end {
            let again = |last: Piece| last.span == span && last.what == piece.what;
            if matches!(piece.what, What::Key(_)) && last.is_some_and(again) {
                // Both events of a fused value open the same container.
                return Ok(());
            }
            return Err((span, Wrong::TwoFields));
        }
        // Nearly every gap is one comma or one colon.
        let gap = bytes.get(self.at as usize..span.start as usize);
        match (gap, last.map(|last| last.what)) {
            (Some(b":"), Some(What::Key(value))) if value == span.start => {}
            (Some(b","), Some(What::Value)) => {}
            (_, Some(What::Key(value))) => {
                between(bytes, self.at, span.start)?;
                if !follows(bytes, self.at, value, span.start) {
                    return Err((last.map_or(span, |last| last.span), Wrong::Astray));
                }
            }
            _ => between(bytes, self.at, span.start)?,
        }
        self.at = span.end;
        self.last = Some(piece);
        Ok(())
    }

    fn end(&self) -> Result<(), Breached> {
        if let Some(Piece { span, what: What::Key(_) }) = self.last {
            return Err((span, Wrong::Astray));
        }
        between(self.bytes, self.at, self.end)
    }
}

/// The value of a key begins behind its colon, at or before the next piece.
fn follows(bytes: &[u8], key: u32, value: u32, next: u32) -> bool {
    let colon = skip_space(bytes, key as usize);
    bytes.get(colon) == Some(&b':')
        && skip_space(bytes, colon + 1) == value as usize
        && value <= next
}

/// Only punctuation and white space between `from` and `to`. An empty container is a value, so
/// `{}`, `[]`, and two commas or colons without a value between are not passed over.
fn between(bytes: &[u8], from: u32, to: u32) -> Result<(), Breached> {
    let gap = bytes.get(from as usize..to as usize).unwrap_or_default();
    let mut last = 0u8;
    for &byte in gap {
        let missing = match byte {
            b' ' | b'\n' | b'\r' | b'\t' => continue,
            b'}' | b']' => matches!(last, b'{' | b'[' | b',' | b':'),
            b',' => matches!(last, b'{' | b'[' | b',' | b':'),
            b'{' | b'[' => false,
            b':' => last != 0,
            _ => true,
        };
        if missing {
            return Err((Span::new(from, to), Wrong::NoField));
        }
        last = byte;
    }
    Ok(())
}
