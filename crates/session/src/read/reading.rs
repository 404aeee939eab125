//! Reading engine: a bundle in, labelled events out. It owns the record loop and the field walk, so
//! a record without a case and a member without a row are kept like every other.

use std::fmt;
use std::sync::Arc;

use crate::json::grammar::{skip_space, trim_end};
use crate::json::index::{JsonError, JsonFault, offset};
use crate::json::node::{Counts, Doc, Node, Shape};
use crate::json::reader::Scan;
use crate::json::span::Span;
use crate::label::event::{Event, Field, NO_EVENT, Origin};
use crate::label::slot::{Kind, Standing};
use crate::label::status::Statuses;
use crate::label::table::{Choose, OPAQUE, STRANGE};
use crate::read::earlier::EarlierReading;
use crate::read::glued;
use crate::read::split::{
    Piece, Place, Split, concatenated, count_lines, next_byte, printed, start, whole,
};
use crate::read::walk::{Labels, Walk};
use crate::session::as_read::{AsRead, Extent, MemberRead};
use crate::session::bundle::Bundle;
use crate::session::{Note, Record, Session};

/// Memory of readings: buffers, templates and label caches that each reading reuses. The result is
/// the same with any memory; with a used one the first lines are read faster.
#[derive(Default)]
pub struct Memory {
    scan: Scan,
    walk: Walk,
    earlier: Option<EarlierReading>,
    bytes_read: u64,
}

impl Memory {
    /// Memory without templates: the reference that tests compare with. Slower.
    #[doc(hidden)]
    #[must_use]
    pub fn without_templates() -> Self {
        Self { scan: Scan::without_templates(), ..Self::default() }
    }

    /// Lets the next reading continue from an earlier one of the same format: of a member that was
    /// taken from it, only the bytes behind those that it read are read.
    pub fn continue_from(&mut self, earlier: EarlierReading) {
        self.earlier = Some(earlier);
    }

    /// The number of bytes of members that were read with this memory. Members and lines that were
    /// taken over from an earlier reading do not count.
    #[must_use]
    pub const fn bytes_read(&self) -> u64 {
        self.bytes_read
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("scan", &self.scan).finish_non_exhaustive()
    }
}

/// Reads a bundle, member by member.
#[derive(Debug)]
pub struct Reading<'m> {
    session: Session,
    memory: &'m mut Memory,
    earlier: Option<EarlierReading>,
}

impl<'m> Reading<'m> {
    /// Begins a reading of `bundle` as sessions of `format` (its name in the registry).
    #[must_use]
    pub fn new(format: &'static str, bundle: &Arc<Bundle>, memory: &'m mut Memory) -> Self {
        memory.scan.counts = Counts::default();
        let earlier = memory.earlier.take().filter(|earlier| earlier.is_of(format));
        let mut session = Session::new(format, Arc::clone(bundle));
        session.as_read = Some(AsRead::default());
        Self { session, memory, earlier }
    }

    /// Sets which of an object's equal keys counts, if the agent's parser is not like most.
    #[must_use]
    pub fn counts(mut self, rule: Counts) -> Self {
        self.session.counts = rule;
        self.memory.scan.counts = rule;
        self
    }

    /// The blocks of an answer are the pieces of one text.
    #[must_use]
    pub const fn cut_answers(mut self) -> Self {
        self.session.has_cut_answers = true;
        self
    }

    /// Sets the format's status words.
    #[must_use]
    pub fn statuses(mut self, words: &'static Statuses) -> Self {
        self.session.statuses = words;
        self
    }

    /// Reads one member (an index into the bundle): `choose` selects the case of each record.
    pub fn member(&mut self, member: usize, split: Split, choose: Choose) {
        let bundle = Arc::clone(&self.session.bundle);
        let bytes = bundle.bytes(offset(member));
        let member = offset(member);
        let first = self.session.extent();
        if let Some(as_read) = &mut self.session.as_read {
            as_read.members.push(MemberRead { member, split, choose, first });
        }
        let earlier = self.earlier.as_mut();
        let known = earlier.and_then(|it| it.hand_over(&mut self.session, member, split, choose));
        let (from, line) = known.unwrap_or((start(bytes), 1));
        self.memory.bytes_read += (bytes.len() - from.min(bytes.len())) as u64;
        if known.is_some_and(|(end, _)| end == bytes.len()) {
            return;
        }
        match split {
            Split::Lines => self.lines(bytes, (from, line), member, choose),
            Split::Whole => whole(bytes, |piece| self.piece(bytes, member, piece, choose)),
            Split::Concatenated => {
                let (from, line) = self.printed(bytes, member, choose);
                let found = &mut |piece| self.piece(bytes, member, piece, choose);
                concatenated(bytes, from, line, found);
            }
        }
    }

    /// Reads line by line, from the beginning of a line on. The end of a line is found while it is
    /// read.
    fn lines(&mut self, bytes: &[u8], (from, mut line): (usize, u32), member: u32, choose: Choose) {
        let mut at = from;
        let (before, mut sample) = (self.session.extent(), SAMPLE);
        while let Some(start) = next_byte(bytes, at) {
            if start - from >= sample {
                self.session.expect(before, start - from, bytes.len() - from);
                sample = (start - from).saturating_mul(4);
            }
            if bytes[start] == b'\n' {
                (at, line) = (start + 1, line + 1);
                continue;
            }
            let (length, doc) = self.memory.scan.line(&bytes[start..], offset(start));
            let end = start + length;
            let span = Span::new(offset(start), offset(trim_end(bytes, start, end)));
            let piece = Piece { span, line, single_line: true };
            match doc {
                Ok(doc) => {
                    label(
                        &mut self.session,
                        &mut self.memory.walk,
                        (bytes, &doc),
                        member,
                        piece,
                        choose,
                    );
                }
                Err(fault) => {
                    let length = span.end - span.start;
                    // A fault in the white space after the value: the string should have ended
                    // there.
                    let cut = JsonError { at: length, why: JsonFault::CutOff };
                    let fault = if fault.at < length { fault } else { cut };
                    self.mend(bytes, member, piece, choose, fault);
                }
            }
            (at, line) = (end + 1, line + 1);
        }
    }

    /// Reads objects and arrays in the form in which programs print them, each in one pass, up to
    /// the first in another form. Returns the beginning of that, and its line.
    fn printed(&mut self, bytes: &[u8], member: u32, choose: Choose) -> (usize, u32) {
        let (mut from, mut line) = (start(bytes), 1);
        loop {
            let begin = skip_space(bytes, from);
            let before = line + count_lines(&bytes[from..begin]);
            let Some(end) = printed(bytes, begin) else { return (from, line) };
            let span = Span::new(offset(begin), offset(end));
            let piece = Piece { span, line: before, single_line: false };
            if self.value(bytes, member, piece, choose).is_err() {
                return (from, line);
            }
            line = before + count_lines(&bytes[begin..end]);
            from = end;
        }
    }

    /// The session.
    #[must_use]
    pub fn finish(self) -> Session {
        self.memory.scan.shrink();
        self.memory.walk.shrink();
        self.session
    }

    fn piece(&mut self, bytes: &[u8], member: u32, piece: Piece, choose: Choose) {
        if let Err(fault) = self.value(bytes, member, piece, choose) {
            self.mend(bytes, member, piece, choose, fault);
        }
    }

    /// Reads a piece as one JSON value.
    fn value(
        &mut self,
        bytes: &[u8],
        member: u32,
        piece: Piece,
        choose: Choose,
    ) -> Result<(), JsonError> {
        let doc = self.memory.scan.read(piece.span.of(bytes), piece.span.start)?;
        label(&mut self.session, &mut self.memory.walk, (bytes, &doc), member, piece, choose);
        Ok(())
    }

    /// Mends a piece that is not one JSON value. NUL bytes and byte order marks before it, and NUL
    /// bytes after it, are cut off; objects glued together, or to the beginning of one that was cut
    /// off, are read one by one; any other piece is kept unchanged.
    fn mend(&mut self, bytes: &[u8], member: u32, piece: Piece, choose: Choose, fault: JsonError) {
        let text = piece.span.of(bytes);
        let (front, marked) = padding(text);
        let back = text[front..].iter().rev().take_while(|&&byte| byte == 0).count();
        let padded = if marked { JsonFault::Mark } else { JsonFault::Nul };
        if front < text.len() && front + back > 0 {
            let Span { start, end } = piece.span;
            let (inner, outer) = (start + offset(front), end - offset(back));
            if front > 0 {
                let fault = JsonError { at: start, why: padded };
                self.opaque(member, Piece { span: Span::new(start, inner), ..piece }, fault);
            }
            self.piece(bytes, member, Piece { span: Span::new(inner, outer), ..piece }, choose);
            if back > 0 {
                let fault = JsonError { at: outer, why: JsonFault::Nul };
                self.opaque(member, Piece { span: Span::new(outer, end), ..piece }, fault);
            }
            return;
        }
        let parts = glued::parts(text, &mut |object| {
            self.memory.scan.read(object, 0).is_ok_and(|doc| choose(doc.root()).is_some())
        });
        if !parts.is_empty() {
            return self.glued(bytes, member, piece, choose, &parts);
        }
        let at = piece.span.start + fault.at;
        let why = if front == text.len() { padded } else { fault.why };
        self.opaque(member, piece, JsonError { at, why });
    }

    /// Reads objects that are glued together, one by one. Of one that was cut off only the
    /// beginning is there, which is kept.
    fn glued(
        &mut self,
        bytes: &[u8],
        member: u32,
        piece: Piece,
        choose: Choose,
        parts: &[glued::Part],
    ) {
        let Span { start, .. } = piece.span;
        if let (Some(first), None) = (parts.first(), parts.iter().find_map(|part| part.cut)) {
            let fault = JsonError { at: start + first.span.end, why: JsonFault::Trailing };
            self.note(member, piece, fault, true);
        }
        for part in parts {
            let span = Span::new(start + part.span.start, start + part.span.end);
            let before = Span::new(start, span.start).of(bytes);
            let line =
                if piece.single_line { piece.line } else { piece.line + count_lines(before) };
            let piece = Piece { span, line, ..piece };
            match part.cut {
                Some(at) => {
                    let fault = JsonError { at: start + at, why: JsonFault::CutOff };
                    self.opaque(member, piece, fault);
                }
                None => {
                    if let Err(fault) = self.value(bytes, member, piece, choose) {
                        let at = span.start + fault.at;
                        self.opaque(member, piece, JsonError { at, ..fault });
                    }
                }
            }
        }
    }

    fn opaque(&mut self, member: u32, piece: Piece, fault: JsonError) {
        self.note(member, piece, fault, false);
        let record = offset(self.session.records.len());
        self.session.records.push(Record { member, span: piece.span, line: piece.line });
        let first = offset(self.session.fields.len());
        self.session.events.push(Event {
            kind: Kind::Opaque,
            standing: Standing::Live,
            injected: OPAQUE.injected,
            origin: Origin { member, record, line: piece.line, part: 0 },
            said_at: None,
            place: offset(self.session.events.len()),
            parent: NO_EVENT,
            span: piece.span,
            case: &OPAQUE,
            first,
            last: first,
        });
    }

    fn note(&mut self, member: u32, piece: Piece, fault: JsonError, mended: bool) {
        let Piece { span, line, .. } = piece;
        self.session.notes.push(Note { member, line, span, at: fault.at, why: fault.why, mended });
    }
}

/// Length of a member's beginning from which the rest is estimated, in bytes. The estimate is
/// repeated after four times as much, and so on: a long header proves nothing about the rest.
const SAMPLE: usize = 1 << 11;

/// Makes a record of a parsed piece, and labels it.
fn label(
    session: &mut Session,
    walk: &mut Walk,
    (bytes, doc): (&[u8], &Doc<'_>),
    member: u32,
    Piece { span, line, single_line }: Piece,
    choose: Choose,
) {
    let record = offset(session.records.len());
    session.records.push(Record { member, span, line });
    let root = doc.root();
    let chosen = choose(root);
    // A line is an object in every format; a document may be an array that has a case.
    let is_record = root.shape() == Shape::Object || !single_line && chosen.is_some();
    let odd = if is_record { not_utf8(doc) } else { Some((span.start, JsonFault::NoRecord)) };
    if let Some((at, why)) = odd {
        let mended = !why.hides();
        session.notes.push(Note { member, line, span, at, why, mended });
    }
    let place = Place { member, record, line, at: span.start, part: 0, single_line };
    let case = chosen.unwrap_or(&STRANGE);
    Labels { session, walk, bytes, doc }.event(root, case, NO_EVENT, place);
}

/// The first byte of a text that is not UTF-8, and what a note says of it: the first of those that
/// are in names counts more, since nobody knows what the values of such names are.
#[inline]
fn not_utf8(doc: &Doc<'_>) -> Option<(u32, JsonFault)> {
    let at = doc.not_utf8()?;
    Some(strange_name(doc.root()).map_or((at, JsonFault::Encoding), |at| (at, JsonFault::Name)))
}

/// The first name of a member that is not UTF-8, in the order of nesting.
#[cold]
fn strange_name(root: Node<'_>) -> Option<u32> {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        waiting.extend(node.elements());
        for member in node.members() {
            if std::str::from_utf8(member.name).is_err() {
                let [name, _] = member.value.spans();
                return Some(name.start);
            }
            waiting.push(member.value);
        }
    }
    None
}

/// Number of padding bytes before a value: NUL bytes and byte order marks, in any order and number.
/// The second value is true if there is a mark.
fn padding(text: &[u8]) -> (usize, bool) {
    let (mut at, mut marked) = (0, false);
    while let Some(rest) = text.get(at..) {
        match rest {
            [0, ..] => at += 1,
            [0xef, 0xbb, 0xbf, ..] => (at, marked) = (at + 3, true),
            [b' ' | b'\t' | b'\r' | b'\n', ..] if at > 0 => at += 1,
            _ => break,
        }
    }
    (at, marked)
}

impl Session {
    /// Reserves room for a member of `whole` bytes, in proportion to the `read` bytes since
    /// `before`, plus half. Growing step by step copies again and again, and unused memory costs
    /// nothing. If there is no room, or the beginning was not typical, the vectors grow as needed.
    fn expect(&mut self, before: Extent, read: usize, whole: usize) {
        let had = self.extent();
        let more = |found: usize, size: usize| {
            let found = found as u64;
            let rest = found * whole.saturating_sub(read) as u64 / read.max(1) as u64;
            (rest + rest / 2).min(2 * whole as u64 / size as u64) as usize
        };
        // Not exactly that much: a bundle of many members reserves for each of them.
        let _ = self.records.try_reserve(more(had.records - before.records, size_of::<Record>()));
        let _ = self.events.try_reserve(more(had.events - before.events, size_of::<Event>()));
        let _ = self.fields.try_reserve(more(had.fields - before.fields, size_of::<Field>()));
    }
}
