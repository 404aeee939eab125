//! Structural proof: from the records and fields of a bundle's sessions alone, that nothing is
//! lost. It parses no JSON, and only compares positions.
//!
//! 1. Records tile their members: only white space is between them.
//! 2. Every record is rebuilt from its fields: between the keys and values that they label are only
//!    the brackets, commas and colons that JSON requires there, each exactly once.
//! 3. No byte of a record is owned twice.

#[cfg(feature = "harm")]
pub mod fault;

use std::ops::Range;

use crate::json::grammar::skip_space;
use crate::json::span::Span;
use crate::label::event::{Event, Field, Hold};
use crate::label::slot::Kind;
use crate::session::{Record, Session};
use crate::sorting::Sorting as _;

/// A place at which the proof fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The member.
    pub member: u32,
    /// The bytes that are lost, owned twice, or out of place.
    pub span: Span,
    /// The fault.
    pub what: Wrong,
}

/// Faults of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrong {
    /// Bytes of the member that belong to no record.
    NoRecord,
    /// Bytes that belong to two records.
    TwoRecords,
    /// A record without an event.
    NoEvent,
    /// Bytes of a record that no field owns.
    NoField,
    /// Bytes that two fields own.
    TwoFields,
    /// A key with another value than in the source, or without one.
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

/// Proves the sessions that were read from one bundle. Returns at most `limit` breaches.
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

/// Checks that records tile their members.
fn tiles(sessions: &[Session], breaches: &mut Vec<Breach>) {
    let Some(first) = sessions.first() else { return };
    let mut records: Vec<&Record> = sessions.iter().flat_map(|session| &session.records).collect();
    if !records.is_sorted_by_key(|record| (record.member, record.span.start)) {
        records.in_order_by_key(|record| (record.member, record.span.start));
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

/// A key or a value that a field owns, or a key whose value comes in pieces.
#[derive(Clone, Copy)]
struct Piece {
    span: Span,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// A key, with the beginning of its value.
    Key(u32),
    Value,
}

/// Buffers that are reused from one record to the next.
#[derive(Default)]
struct Memory {
    pieces: Vec<Piece>,
    /// The remaining fields of the events around the current one.
    around: Vec<Range<usize>>,
}

/// Checks that every record is rebuilt from the fields of its events.
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
        // Nearly always the fields are in order, except those of a fused value, and of a faulty
        // reader.
        if in_order(session, events, memory, Path::new(bytes, span)).is_ok() {
            continue;
        }
        if let Err((span, what)) = sorted(session, events, memory, Path::new(bytes, span)) {
            breaches.push(Breach { member, span, what });
        }
    }
}

/// Checks the pieces of a record in the order of its fields, an event's at its position in the
/// surrounding one.
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
        // Up to the beginning of the next event.
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

/// Checks the pieces in the order of their positions.
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
    memory.pieces.in_order_by_key(|piece| (piece.span.start, piece.span.end));
    memory.pieces.iter().try_for_each(|piece| path.step(*piece))?;
    path.end()
}

/// The pieces that a field owns.
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

/// Span and fault of a breach.
type Breached = (Span, Wrong);

/// Path through a record from piece to piece. Between them must be exactly the punctuation that
/// JSON requires there. Anything else is a value, or a key, without an owner.
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

    /// Steps over a member that directly follows another value and owns its own, as nearly all do:
    /// a comma, the key, a colon, the value. Otherwise returns false, and [`Path::step`] finds the
    /// fault.
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

/// Checks that the value of a key begins after its colon, at or before the next piece.
fn follows(bytes: &[u8], key: u32, value: u32, next: u32) -> bool {
    let colon = skip_space(bytes, key as usize);
    bytes.get(colon) == Some(&b':')
        && skip_space(bytes, colon + 1) == value as usize
        && value <= next
}

/// Checks that only punctuation and white space are between `from` and `to`. An empty container is
/// a value, so `{}`, `[]`, and two commas or colons without a value between them are faults.
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
