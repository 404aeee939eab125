//! The structural proof: from the records and fields of a bundle's sessions alone, that nothing is
//! lost. It reads no JSON: it looks at where things stand.
//!
//! 1. Records tile their members: between them stands white space only.
//! 2. Every record is rebuilt from its fields: between the keys and values that they label stand
//!    only the brackets, commas and colons that JSON needs there, each exactly once.
//! 3. No byte of a record is owned twice.

use crate::bundle::Span;
use crate::event::{Event, Hold, Kind};
use crate::grammar::skip_space;
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
    let mut pieces = Vec::new();
    for session in sessions {
        rebuilt(session, &mut pieces, &mut breaches);
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

/// Every record is rebuilt from the fields of its events.
fn rebuilt(session: &Session, pieces: &mut Vec<Piece>, breaches: &mut Vec<Breach>) {
    let mut events = session.events.iter().peekable();
    for (number, record) in (0u32..).zip(&session.records) {
        pieces.clear();
        let (mut sorted, mut opaque, mut seen) = (true, false, false);
        while let Some(event) = events.next_if(|event| event.origin.record == number) {
            seen = true;
            opaque |= event.kind == Kind::Opaque && event.first == event.last;
            sorted &= collect(session, event, pieces);
        }
        let member = record.member;
        if opaque {
            continue;
        }
        if !seen {
            breaches.push(Breach { member, span: record.span, what: Wrong::NoEvent });
            continue;
        }
        if !sorted {
            pieces.sort_by_key(|piece| (piece.span.start, piece.span.end));
        }
        if let Err((span, what)) = tokens(session.bundle.bytes(member), record.span, pieces) {
            breaches.push(Breach { member, span, what });
        }
    }
}

/// Adds what an event's fields own; true where it stays sorted.
fn collect(session: &Session, event: &Event, pieces: &mut Vec<Piece>) -> bool {
    let fields = event.first as usize..event.last as usize;
    let mut sorted = true;
    let mut last = pieces.last().map_or(0, |piece| piece.span.start);
    for field in session.fields.get(fields).unwrap_or_default() {
        if field.hold == Hold::View {
            continue;
        }
        if !field.key.is_empty() {
            sorted &= last <= field.key.start;
            last = field.key.start;
            pieces.push(Piece { span: field.key, what: What::Key(field.value.start) });
        }
        if field.hold == Hold::Own {
            sorted &= last <= field.value.start;
            last = field.value.start;
            pieces.push(Piece { span: field.value, what: What::Value });
        }
    }
    sorted
}

/// Walks a record from piece to piece: what lies between them must be exactly the punctuation that
/// JSON has there. Anything else is a value, or a key, that nobody owns.
fn tokens(bytes: &[u8], record: Span, pieces: &[Piece]) -> Result<(), (Span, Wrong)> {
    let mut at = record.start;
    let mut last: Option<Piece> = None;
    for piece in pieces {
        let span = piece.span;
        if span.start < at || span.end > record.end {
            let again = |last: Piece| last.span == span && last.what == piece.what;
            if matches!(piece.what, What::Key(_)) && last.is_some_and(again) {
                // Both events of a fused value open the same container.
                continue;
            }
            return Err((span, Wrong::TwoFields));
        }
        // Nearly every gap is one comma or one colon.
        match (bytes.get(at as usize..span.start as usize), last.map(|last| last.what)) {
            (Some(b":"), Some(What::Key(value))) if value == span.start => {}
            (Some(b","), Some(What::Value)) => {}
            (_, Some(What::Key(value))) => {
                between(bytes, at, span.start)?;
                if !follows(bytes, at, value, span.start) {
                    return Err((last.map_or(span, |last| last.span), Wrong::Astray));
                }
            }
            _ => between(bytes, at, span.start)?,
        }
        at = span.end;
        last = Some(*piece);
    }
    if let Some(Piece { span, what: What::Key(_) }) = last {
        return Err((span, Wrong::Astray));
    }
    between(bytes, at, record.end)
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
fn between(bytes: &[u8], from: u32, to: u32) -> Result<(), (Span, Wrong)> {
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
