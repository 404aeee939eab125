//! The engine: a bundle in, labelled events out. It owns the record loop and the field walk, so a
//! record without a case and a member without a row are kept like every other.

use std::sync::Arc;

use crate::bundle::{Bundle, Span};
use crate::event::{Event, EventIx, Field, Hold, Kind, NO_EVENT, Origin, Slot, Standing};
use crate::index::{Fault, Why, offset};
use crate::json::Scan;
use crate::label::{Case, Choose, Map, OPAQUE, Row, STRANGE, UNKNOWN};
use crate::node::{Doc, Member, Node, Shape};
use crate::session::{Note, Record, Session};
use crate::split::{Piece, Split, count_lines, pieces};

/// Reads a bundle, member by member.
pub struct Reading {
    session: Session,
    scan: Scan,
    walk: Walk,
}

/// The parts of a record's walk that are used again for the next.
#[derive(Default)]
struct Walk {
    /// Fields of the second event of a fused value.
    second: Vec<Field>,
    /// Values within the one at hand that are events of their own, waiting for their turn.
    waiting: Vec<Waiting>,
    /// How many events enclose the one at hand.
    nested: u8,
}

struct Waiting {
    value: (u32, u32),
    case: &'static Case,
    /// 0 for the first event of a fused value, 1 for the second.
    of: u32,
}

/// Deeper than this, a value is kept whole instead of being walked: hostile nesting costs no call
/// depth. Real sessions stay below 12.
const DEPTH: u8 = 48;

/// Where the walk stands.
#[derive(Clone, Copy)]
struct Place {
    member: u32,
    record: u32,
    /// The line of `at`, both moving forward through the record.
    line: u32,
    at: u32,
    part: u32,
    single_line: bool,
}

impl Reading {
    /// Begins to read `bundle` as sessions of `format` (its name in the registry).
    #[must_use]
    pub fn new(format: &'static str, bundle: &Arc<Bundle>) -> Self {
        let session = Session::new(format, Arc::clone(bundle));
        Self { session, scan: Scan::new(), walk: Walk::default() }
    }

    /// Reads one member (an index into the bundle): `choose` tells what each record is.
    pub fn member(&mut self, member: usize, split: Split, choose: Choose) {
        let bundle = Arc::clone(&self.session.bundle);
        let bytes = bundle.bytes(offset(member));
        pieces(bytes, split, |piece| self.piece(bytes, offset(member), piece, choose));
    }

    /// What was read.
    #[must_use]
    pub fn finish(self) -> Session {
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
    ) -> Result<(), Fault> {
        let text = piece.span.of(bytes);
        let doc = self.scan.read(text, piece.span.start)?;
        let record = offset(self.session.records.len());
        let single_line = piece.single_line;
        self.session.records.push(Record { member, span: piece.span, line: piece.line });
        let (line, at) = (piece.line, piece.span.start);
        let place = Place { member, record, line, at, part: 0, single_line };
        let root = doc.root();
        let case = choose(root).unwrap_or(&STRANGE);
        let mut labels = Labels { session: &mut self.session, walk: &mut self.walk, bytes, doc };
        labels.event(root, case, NO_EVENT, place);
        Ok(())
    }

    /// A piece that is not one JSON value: NUL bytes around it are cut off, objects glued together
    /// are read one by one; anything else is kept as it is.
    fn mend(&mut self, bytes: &[u8], member: u32, piece: Piece, choose: Choose, fault: Fault) {
        let text = piece.span.of(bytes);
        let front = text.iter().take_while(|&&byte| byte == 0).count();
        let back = text.iter().rev().take_while(|&&byte| byte == 0).count();
        if front < text.len() && front + back > 0 {
            let Span { start, end } = piece.span;
            let (inner, outer) = (start + offset(front), end - offset(back));
            let nul = |at| Fault { at, why: Why::Nul };
            if front > 0 {
                self.opaque(member, Piece { span: Span::new(start, inner), ..piece }, nul(start));
            }
            self.piece(bytes, member, Piece { span: Span::new(inner, outer), ..piece }, choose);
            if back > 0 {
                self.opaque(member, Piece { span: Span::new(outer, end), ..piece }, nul(outer));
            }
            return;
        }
        let glued = glued_objects(text, &mut self.scan);
        if glued.len() > 1 {
            let start = piece.span.start;
            self.note(member, piece, Fault { at: start + glued[0].end, why: Why::Trailing }, true);
            for span in glued {
                let span = Span::new(start + span.start, start + span.end);
                // Each was read as JSON just now, and cannot fail.
                let _ = self.value(bytes, member, Piece { span, ..piece }, choose);
            }
            return;
        }
        let at = piece.span.start + fault.at;
        let why = if front == text.len() { Why::Nul } else { fault.why };
        self.opaque(member, piece, Fault { at, why });
    }

    fn opaque(&mut self, member: u32, piece: Piece, fault: Fault) {
        self.note(member, piece, fault, false);
        let record = offset(self.session.records.len());
        self.session.records.push(Record { member, span: piece.span, line: piece.line });
        let first = offset(self.session.fields.len());
        self.session.events.push(Event {
            kind: Kind::Opaque,
            standing: Standing::Live,
            injected: true,
            origin: Origin { member, record, line: piece.line, part: 0 },
            place: offset(self.session.events.len()),
            parent: NO_EVENT,
            span: piece.span,
            case: &OPAQUE,
            first,
            last: first,
        });
    }

    fn note(&mut self, member: u32, piece: Piece, fault: Fault, mended: bool) {
        let Piece { span, line, .. } = piece;
        self.session.notes.push(Note { member, line, span, at: fault.at, why: fault.why, mended });
    }
}

/// The objects of a text that is nothing but several whole objects one behind another.
fn glued_objects(text: &[u8], scan: &mut Scan) -> Vec<Span> {
    let mut spans = Vec::new();
    pieces(text, Split::Concatenated, |piece| spans.push(piece.span));
    let whole = spans.iter().all(|span| {
        let value = span.of(text);
        value.first() == Some(&b'{') && scan.read(value, 0).is_ok()
    });
    if whole { spans } else { Vec::new() }
}

struct Labels<'s, 'a> {
    session: &'s mut Session,
    walk: &'s mut Walk,
    bytes: &'a [u8],
    doc: Doc<'a>,
}

/// The tables that a walk consults: the second one only for a fused value.
#[derive(Clone, Copy)]
struct Tables {
    first: &'static Map,
    second: Option<&'static Map>,
}

impl<'a> Labels<'_, 'a> {
    /// Makes the event of `node` (two of a fused value), then those within it.
    fn event(
        &mut self,
        node: Node<'a>,
        case: &'static Case,
        parent: EventIx,
        mut place: Place,
    ) -> Place {
        let span = node.span();
        place = self.locate(place, span.start);
        let waiting = self.walk.waiting.len();
        let event = self.begin(span, case, parent, place);
        let first = offset(self.session.fields.len());
        let tables = Tables { first: case.map, second: case.also.map(|second| second.map) };
        match (node.shape(), case.elements) {
            (Shape::Object, _) if !node.is_empty_container() => self.members(node, tables, 0),
            (Shape::Array, Some(choose)) if !node.is_empty_container() => {
                self.elements(node, choose, 0, 0);
            }
            _ => {
                let (key, slot, hold) = (Span::NONE, Slot::Native, Hold::Own);
                self.own(Field { key, value: span, slot, depth: 0, hold, known: false });
            }
        }
        self.session.end(event, first);
        place.part += 1;
        let mut other = std::mem::take(&mut self.walk.second);
        place = self.within(event, 0, waiting, place);
        if let Some(also) = case.also {
            let event = self.begin(span, also, parent, place);
            let first = offset(self.session.fields.len());
            self.session.fields.append(&mut other);
            self.session.end(event, first);
            place.part += 1;
            place = self.within(event, 1, waiting, place);
        }
        self.walk.second = other;
        self.walk.waiting.truncate(waiting);
        place
    }

    /// Makes the events that wait since `from` for the first or the second of a value, in order.
    fn within(&mut self, parent: EventIx, which: u32, from: usize, mut place: Place) -> Place {
        self.walk.nested += 1;
        for next in from..self.walk.waiting.len() {
            let Waiting { value, case, of } = self.walk.waiting[next];
            if of == which {
                let parent = if case.top { NO_EVENT } else { parent };
                place = self.event(self.doc.node_at(value), case, parent, place);
            }
        }
        self.walk.nested -= 1;
        place
    }

    fn begin(&mut self, span: Span, case: &'static Case, parent: EventIx, place: Place) -> EventIx {
        let Place { member, record, line, part, .. } = place;
        let events = &mut self.session.events;
        events.push(Event {
            kind: case.kind,
            standing: Standing::Live,
            injected: case.injected,
            origin: Origin { member, record, line, part },
            place: offset(events.len()),
            parent,
            span,
            case,
            first: 0,
            last: 0,
        });
        offset(events.len() - 1)
    }

    fn locate(&self, mut place: Place, at: u32) -> Place {
        if !place.single_line && at > place.at {
            place.line += count_lines(Span::new(place.at, at).of(self.bytes));
            place.at = at;
        }
        place
    }

    /// Labels the members of an object: each is one field, or one descent.
    fn members(&mut self, node: Node<'a>, tables: Tables, depth: u8) {
        for member in node.members() {
            let row = tables.first.row(member.name);
            match tables.second {
                None => self.member(member, row, depth),
                Some(map) => self.fused(member, row, map.row(member.name), depth),
            }
        }
    }

    fn member(&mut self, member: Member<'a>, row: Option<Row>, depth: u8) {
        match row {
            Some(Row::Within(slot, map)) if self.opens(member.value, Shape::Object, depth) => {
                self.own(open(member, slot, depth));
                self.members(member.value, Tables { first: map, second: None }, depth + 1);
            }
            Some(Row::Each(slot, choose)) if self.opens(member.value, Shape::Array, depth) => {
                self.own(open(member, slot, depth));
                self.elements(member.value, choose, depth + 1, 0);
            }
            Some(Row::One(slot, choose)) => self.one(member, slot, choose, depth, 0),
            Some(Row::Is(slot) | Row::Within(slot, _) | Row::Each(slot, _)) => {
                self.own(field(member, slot, depth, true));
            }
            Some(Row::Kept) => self.own(field(member, Slot::Native, depth, true)),
            None => self.own(field(member, Slot::Native, depth, false)),
        }
    }

    /// A member of a fused value: the first table that gives it a meaning owns it, the other
    /// sees it.
    fn fused(&mut self, member: Member<'a>, first: Option<Row>, second: Option<Row>, depth: u8) {
        let Some(other) = second else { return self.member(member, first, depth) };
        let known = matches!(first, Some(row) if !matches!(row, Row::Kept));
        match (first, other) {
            (_, Row::Kept) => self.member(member, first.or(second), depth),
            (_, Row::Within(slot, map)) if self.opens(member.value, Shape::Object, depth) => {
                let mine = match first {
                    Some(Row::Within(slot, map)) => (slot, map),
                    _ => (Slot::Native, &UNKNOWN),
                };
                self.own(open(member, mine.0, depth));
                self.walk.second.push(open(member, slot, depth));
                let tables = Tables { first: mine.1, second: Some(map) };
                self.members(member.value, tables, depth + 1);
            }
            (_, Row::Each(slot, choose))
                if self.opens(member.value, Shape::Array, depth) && !known =>
            {
                self.walk.second.push(open(member, slot, depth));
                self.elements(member.value, choose, depth + 1, 1);
            }
            (_, Row::Is(slot) | Row::Within(slot, _) | Row::Each(slot, _) | Row::One(slot, _)) => {
                let mut seen = field(member, slot, depth, true);
                if known {
                    seen.hold = Hold::View;
                    self.member(member, first, depth);
                }
                self.walk.second.push(seen);
            }
        }
    }

    fn one(&mut self, member: Member<'a>, slot: Slot, choose: Choose, depth: u8, of: u32) {
        let case = if self.walk.nested < DEPTH { choose(member.value) } else { None };
        match case {
            Some(case) => {
                self.own(open(member, slot, depth));
                self.wait(member.value, case, of);
            }
            None => self.own(field(member, slot, depth, true)),
        }
    }

    /// The elements of an array: events of their own, or fields of the one at hand.
    fn elements(&mut self, node: Node<'a>, choose: Choose, depth: u8, of: u32) {
        let deep = self.walk.nested >= DEPTH;
        for value in node.elements() {
            match if deep { None } else { choose(value) } {
                Some(case) => self.wait(value, case, of),
                None => {
                    let (key, slot, hold) = (Span::NONE, Slot::Native, Hold::Own);
                    let element =
                        Field { key, value: value.span(), slot, depth, hold, known: true };
                    if of == 0 { self.own(element) } else { self.walk.second.push(element) }
                }
            }
        }
    }

    fn wait(&mut self, value: Node<'a>, case: &'static Case, of: u32) {
        self.walk.waiting.push(Waiting { value: value.mark(), case, of });
    }

    /// May the walk go into this value?
    fn opens(&self, value: Node<'a>, shape: Shape, depth: u8) -> bool {
        value.shape() == shape && depth < DEPTH && !value.is_empty_container()
    }

    fn own(&mut self, field: Field) {
        self.session.fields.push(field);
    }
}

#[inline]
fn field(member: Member<'_>, slot: Slot, depth: u8, known: bool) -> Field {
    Field { key: member.key, value: member.value.span(), slot, depth, hold: Hold::Own, known }
}

#[inline]
fn open(member: Member<'_>, slot: Slot, depth: u8) -> Field {
    Field { hold: Hold::Open, ..field(member, slot, depth, true) }
}
