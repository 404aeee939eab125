//! The field walk: one value in, its events and their fields out. Each member of each object walked
//! is exactly one field or one descent.

use crate::json::index::offset;
use crate::json::node::{Doc, Node, Shape};
use crate::json::reader::ROOM;
use crate::json::span::Span;
use crate::label::event::{Event, EventIx, Field, Hold, NO_EVENT, Origin};
use crate::label::slot::{Slot, Standing};
use crate::label::table::{Case, Choose, Map, Row, UNKNOWN};
use crate::read::entered::{DEPTH, is_crowded, opens};
use crate::read::label_cache::{Asked, LabelCaches};
use crate::read::repeated::{Hidden, Seen, hidden_slot};
use crate::read::split::Place;
use crate::session::Session;

/// Buffers of a record's walk, reused for the next.
#[derive(Default)]
pub(crate) struct Walk {
    /// Fields of the second event of a fused value.
    second: Vec<Field>,
    /// Values within the current one that are separate events, not yet processed.
    waiting: Vec<Waiting>,
    /// The values of the current event that were probed for being separate events, if its text
    /// matches a template.
    asked: Vec<Asked>,
    /// The labels of lines that match a template of the reader.
    caches: LabelCaches,
    /// Number of events around the current one.
    nested: u8,
}

impl Walk {
    fn extent(&self) -> [usize; 2] {
        [self.waiting.len(), self.asked.len()]
    }

    /// Frees buffers that only a very large text needs.
    pub(crate) fn shrink(&mut self) {
        if self.second.capacity().max(self.waiting.capacity()) > ROOM {
            (self.second, self.waiting) = Default::default();
        }
    }

    fn truncate(&mut self, [waiting, asked]: [usize; 2]) {
        self.waiting.truncate(waiting);
        self.asked.truncate(asked);
    }
}

struct Waiting {
    value: u32,
    case: &'static Case,
    /// 0 for the first event of a fused value, 1 for the second.
    of: u32,
}

/// Labeller of one record.
pub(crate) struct Labels<'s, 'a> {
    pub session: &'s mut Session,
    pub walk: &'s mut Walk,
    /// The member's bytes.
    pub bytes: &'a [u8],
    pub doc: &'a Doc<'a>,
}

/// The tables of a walk: the second one only for a fused value.
#[derive(Clone, Copy)]
struct Tables {
    first: &'static Map,
    second: Option<&'static Map>,
}

impl<'a> Labels<'_, 'a> {
    /// Makes the event of `node` (two for a fused value), then those within it.
    pub(crate) fn event(
        &mut self,
        node: Node<'a>,
        case: &'static Case,
        parent: EventIx,
        mut place: Place,
    ) -> Place {
        let span = node.span();
        place = place.moved_to(span.start, self.bytes);
        let here = place;
        let waiting = self.walk.waiting.len();
        let event = self.begin(span, case, parent, place);
        let first = offset(self.session.fields.len());
        self.fields(node, case, first);
        self.session.end(event, first);
        place.part += 1;
        let mut other = std::mem::take(&mut self.walk.second);
        place = self.within(event, 0, waiting, place);
        if let Some(also) = case.also {
            // It begins where the value does, not after the first event's parts.
            let (behind, at) = (place, Place { part: place.part, ..here });
            place = at;
            let parent = if also.top { NO_EVENT } else { parent };
            let event = self.begin(span, also, parent, place);
            let first = offset(self.session.fields.len());
            self.session.fields.append(&mut other);
            self.session.end(event, first);
            place.part += 1;
            place = self.within(event, 1, waiting, place);
            if behind.at > place.at {
                (place.line, place.at) = (behind.line, behind.at);
            }
        }
        self.walk.second = other;
        self.walk.waiting.truncate(waiting);
        place
    }

    /// Labels the contents of `node`, from the cache or step by step.
    fn fields(&mut self, node: Node<'a>, case: &'static Case, first: u32) {
        self.walk.asked.clear();
        // A fused value is two events; at the greatest depth nothing is probed.
        let plain = case.also.is_none() && self.walk.nested < DEPTH;
        let Some(template) = self.doc.template.filter(|_| plain) else {
            return self.inside(node, case);
        };
        let Walk { caches, waiting, .. } = &mut *self.walk;
        if let Some(known) = caches.find(template, self.doc, node.mark(), case) {
            self.session.fields.extend(known.fields(self.doc));
            for &Asked { value, case, .. } in &known.asked {
                if let Some(case) = case {
                    waiting.push(Waiting { value, case, of: 0 });
                }
            }
            return;
        }
        self.inside(node, case);
        let fields = self.session.fields.get(first as usize..).unwrap_or_default();
        let Walk { caches, asked, .. } = &mut *self.walk;
        caches.keep(template, self.doc, (node.mark(), case), fields, asked);
    }

    /// Labels its contents step by step.
    fn inside(&mut self, node: Node<'a>, case: &'static Case) {
        let tables = Tables { first: case.map, second: case.also.map(|second| second.map) };
        match (node.shape(), case.elements) {
            (Shape::Object, _) if opens(node, Shape::Object, 0) => self.members(node, tables, 0),
            (Shape::Array, Some(choose)) if opens(node, Shape::Array, 0) => {
                self.elements(node, choose, 0, 0);
            }
            (_, listed) => {
                let (key, slot, known) = (Span::NONE, Slot::Native, listed.is_some());
                let value = node.span();
                self.own(Field { key, value, slot, depth: 0, hold: Hold::Own, known });
            }
        }
    }

    /// Makes the events waiting since `from` for the first or the second event of a value, in
    /// order.
    fn within(&mut self, parent: EventIx, which: u32, from: usize, mut place: Place) -> Place {
        self.walk.nested += 1;
        for next in from..self.walk.waiting.len() {
            let Waiting { value, case, of } = self.walk.waiting[next];
            if of == which {
                let parent = if case.top { NO_EVENT } else { parent };
                place = self.event(self.doc.node(value), case, parent, place);
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
            said_at: None,
            place: offset(events.len()),
            parent,
            span,
            case,
            first: 0,
            last: 0,
        });
        offset(events.len() - 1)
    }

    /// Labels the members of an object: each is one field, or one descent.
    fn members(&mut self, node: Node<'a>, tables: Tables, depth: u8) {
        let Tables { first, second } = tables;
        if let Some(second) = second {
            return self.both(node, first, second, depth);
        }
        let (fields, walk) = (self.session.fields.len(), self.walk.extent());
        let mut seen = Seen::default();
        for member in node.values() {
            let number = first.find(member);
            if !seen.insert(number) {
                self.session.fields.truncate(fields);
                self.walk.truncate(walk);
                return self.repeated(node, first, depth);
            }
            self.member(member, first.at(number), depth);
        }
    }

    /// Labels the members of an object with equal keys.
    #[cold]
    fn repeated(&mut self, node: Node<'a>, map: &'static Map, depth: u8) {
        let hidden = Hidden::of(node, map, None);
        for member in node.values() {
            let row = map.at(map.find(member));
            if hidden.contains(member) {
                self.hidden(member, row, depth);
            } else {
                self.member(member, row, depth);
            }
        }
    }

    /// Keeps a member that doesn't count.
    fn hidden(&mut self, member: Node<'a>, row: Option<&'static Row>, depth: u8) {
        match row {
            Some(Row::Within(_, map)) if opens(member, Shape::Object, depth) => {
                self.own(Field::open(member, Slot::Native, depth));
                for inner in member.values() {
                    self.hidden(inner, map.at(map.find(inner)), depth + 1);
                }
            }
            _ => self.own(Field::of(member, hidden_slot(row), depth, row.is_some())),
        }
    }

    /// Labels the members of a fused value.
    #[inline(never)]
    fn both(&mut self, node: Node<'a>, first: &'static Map, second: &'static Map, depth: u8) {
        let hidden = Hidden::of(node, first, Some(second));
        for member in node.values() {
            let [first, second] = [first, second].map(|map| map.at(map.find(member)));
            if hidden.contains(member) {
                self.hidden(member, first.or(second), depth);
            } else {
                self.fused(member, first, second, depth);
            }
        }
    }

    #[inline(always)]
    fn member(&mut self, member: Node<'a>, row: Option<&'static Row>, depth: u8) {
        let (slot, known) = match row {
            Some(Row::Is(slot)) => (*slot, true),
            None => (Slot::Native, false),
            Some(Row::Kept) => (Slot::Native, true),
            Some(row) => return self.inner(member, row, depth),
        };
        self.own(Field::of(member, slot, depth, known));
    }

    /// A member whose row reads its contents.
    #[inline(never)]
    fn inner(&mut self, member: Node<'a>, row: &'static Row, depth: u8) {
        match *row {
            Row::Within(slot, map) if opens(member, Shape::Object, depth) => {
                self.own(Field::open(member, slot, depth));
                self.members(member, Tables { first: map, second: None }, depth + 1);
            }
            Row::Each(slot, choose) if opens(member, Shape::Array, depth) => {
                self.own(Field::open(member, slot, depth));
                self.elements(member, choose, depth + 1, 0);
            }
            Row::One(slot, choose) => self.one(member, slot, choose, depth, 0),
            Row::View(slot, map) => {
                self.own(Field::of(member, slot, depth, true));
                if !is_crowded(member) {
                    self.views(member, map, depth + 1);
                }
            }
            Row::Is(slot) | Row::Within(slot, _) | Row::Each(slot, _) => {
                self.own(Field::of(member, slot, depth, true));
            }
            Row::Kept => self.own(Field::of(member, Slot::Native, depth, true)),
        }
    }

    /// A member of a fused value: the first table that gives it a meaning owns it, the other one
    /// views it.
    #[inline(never)]
    fn fused(
        &mut self,
        member: Node<'a>,
        first: Option<&'static Row>,
        second: Option<&'static Row>,
        depth: u8,
    ) {
        let Some(&other) = second else { return self.member(member, first, depth) };
        let known = matches!(first, Some(row) if !matches!(row, Row::Kept));
        match (first, other) {
            (_, Row::Kept) => self.member(member, first.or(second), depth),
            (_, Row::Within(slot, map)) if opens(member, Shape::Object, depth) => {
                let mine = match first {
                    Some(&Row::Within(slot, map)) => (slot, map),
                    _ => (Slot::Native, &UNKNOWN),
                };
                self.own(Field::open(member, mine.0, depth));
                self.walk.second.push(Field::open(member, slot, depth));
                let tables = Tables { first: mine.1, second: Some(map) };
                self.members(member, tables, depth + 1);
            }
            (_, Row::Each(slot, choose)) if opens(member, Shape::Array, depth) && !known => {
                self.walk.second.push(Field::open(member, slot, depth));
                self.elements(member, choose, depth + 1, 1);
            }
            (
                _,
                Row::Is(slot)
                | Row::Within(slot, _)
                | Row::Each(slot, _)
                | Row::One(slot, _)
                | Row::View(slot, _),
            ) => {
                let mut seen = Field::of(member, slot, depth, true);
                if known {
                    seen.hold = Hold::View;
                    self.member(member, first, depth);
                }
                self.walk.second.push(seen);
            }
        }
    }

    /// Reads members of an object that the event owns whole.
    fn views(&mut self, node: Node<'a>, map: &'static Map, depth: u8) {
        let hidden = Hidden::of(node, map, None);
        for member in node.values() {
            let row = map.at(map.find(member));
            let (slot, inner) = match row {
                _ if hidden.contains(member) => (hidden_slot(row), None),
                Some(&(Row::Within(slot, map) | Row::View(slot, map))) => (slot, Some(map)),
                Some(&(Row::Is(slot) | Row::Each(slot, _) | Row::One(slot, _))) => (slot, None),
                Some(Row::Kept) | None => (Slot::Native, None),
            };
            self.own(Field { hold: Hold::View, ..Field::of(member, slot, depth, row.is_some()) });
            if let Some(map) = inner.filter(|_| depth < DEPTH && !is_crowded(member)) {
                self.views(member, map, depth + 1);
            }
        }
    }

    fn one(&mut self, member: Node<'a>, slot: Slot, choose: Choose, depth: u8, of: u32) {
        let case = if self.walk.nested < DEPTH { self.ask(member, choose) } else { None };
        match case {
            Some(case) => {
                self.own(Field::open(member, slot, depth));
                self.wait(member, case, of);
            }
            None => self.own(Field::of(member, slot, depth, true)),
        }
    }

    /// The elements of an array: separate events, or fields of the current one.
    fn elements(&mut self, node: Node<'a>, choose: Choose, depth: u8, of: u32) {
        let deep = self.walk.nested >= DEPTH;
        for value in node.elements() {
            match if deep { None } else { self.ask(value, choose) } {
                Some(case) => self.wait(value, case, of),
                None => {
                    let field = Field::of(value, Slot::Native, depth, true);
                    let element = Field { key: Span::NONE, ..field };
                    if of == 0 { self.own(element) } else { self.walk.second.push(element) }
                }
            }
        }
    }

    /// Probes whether a value is a separate event.
    fn ask(&mut self, value: Node<'a>, choose: Choose) -> Option<&'static Case> {
        let case = choose(value);
        if self.doc.template.is_some() {
            self.walk.asked.push(Asked { value: value.mark(), choose, case });
        }
        case
    }

    fn wait(&mut self, value: Node<'a>, case: &'static Case, of: u32) {
        self.walk.waiting.push(Waiting { value: value.mark(), case, of });
    }

    #[inline(always)]
    fn own(&mut self, field: Field) {
        self.session.fields.push(field);
    }
}
