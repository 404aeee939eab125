//! Position of each event's value in the enclosing event.

use session::{EventIx, EventRef, Field, Hold, NO_EVENT, Session, Slot, Span};

use super::paths::{PathIx, Paths, ROOT};

/// Position of an event's value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The event whose value encloses this one's; [`NO_EVENT`] if the value is a record.
    pub(crate) enclosing: EventIx,
    /// The container of the value, relative to the enclosing value.
    pub(crate) container: PathIx,
    /// The index in the container, or [`WHOLE`] if the container is the value itself.
    pub(crate) index: u32,
    /// Whether an enclosing entry contains the whole value, so that it need not be restored.
    pub(crate) covered: bool,
}

/// No element: the member itself.
pub(crate) const WHOLE: u32 = u32::MAX;

/// Whether an entry copies the container unchanged. Containers without a meaning are wrappers: the
/// entry has their members.
pub(crate) fn is_whole(field: &Field) -> bool {
    field.hold == Hold::Open && field.slot != Slot::Native
}

/// Whether an event's value is an array that is split into its elements.
pub(crate) fn is_list(event: EventRef<'_>) -> bool {
    let bytes = event.bytes();
    let apart = event.fields().first().is_none_or(|field| field.value != event.span);
    event.case.elements.is_some() && bytes.first() == Some(&b'[') && apart
}

/// A child of a container: an event, or a field without a key.
enum Found {
    Event(EventIx),
    Element(usize),
}

/// The positions of all events of a session, and for each event its direct children. There are no
/// children if no event encloses another.
pub(crate) fn places<'s>(
    session: &'s Session,
    paths: &mut Paths<'s>,
) -> (Vec<Place>, Vec<Vec<EventIx>>) {
    let nowhere = Place { enclosing: NO_EVENT, container: ROOT, index: WHOLE, covered: false };
    let mut places = vec![nowhere; session.len()];
    let mut within: Vec<Vec<EventIx>> = Vec::new();
    let mut stack: Vec<EventIx> = Vec::new();
    let mut enclosing = |event: EventIx, parent: EventIx| {
        if within.is_empty() {
            within.resize_with(session.len(), Vec::new);
        }
        within[parent as usize].push(event);
    };
    for event in session.events() {
        while let Some(&top) = stack.last() {
            if encloses(session.event(top), event) {
                break;
            }
            stack.pop();
        }
        if let Some(&top) = stack.last() {
            places[event.index as usize].enclosing = top;
            enclosing(event.index, top);
        }
        stack.push(event.index);
    }
    for (parent, events) in (0..).zip(&within) {
        if !events.is_empty() {
            let covered = places[parent as usize].covered;
            sweep(session.event(parent), events, paths, |found, container, index, whole| {
                if let Found::Event(event) = found {
                    let place = &mut places[event as usize];
                    let covered = covered || whole;
                    *place = Place { container, index, covered, ..*place };
                }
            });
        }
    }
    (places, within)
}

fn encloses(outer: EventRef<'_>, inner: EventRef<'_>) -> bool {
    outer.origin.record == inner.origin.record
        && outer.span.holds(inner.span)
        && outer.span != inner.span
}

/// The index of every field without a key in its array, by its number in the event.
pub(crate) fn elements<'s>(
    event: EventRef<'s>,
    events: &[EventIx],
    paths: &mut Paths<'s>,
) -> Vec<(usize, u32)> {
    let mut elements = Vec::new();
    sweep(event, events, paths, |found, _, index, _| {
        if let Found::Element(field) = found {
            elements.push((field, index));
        }
    });
    elements
}

struct Container {
    path: PathIx,
    span: Span,
    /// Depth of its children.
    depth: u8,
    /// Number of its elements so far.
    count: u32,
    /// The last element, so that two events of one value count once.
    last: Span,
    whole: bool,
}

impl Container {
    fn next(&mut self, value: Span) -> u32 {
        if self.span == value {
            return WHOLE;
        }
        if self.last != value {
            self.count += 1;
            self.last = value;
        }
        self.count - 1
    }
}

/// Walks the fields of an event and the events within it together, in the order of their bytes.
/// Reports the container and the index of each event and of each field without a key.
fn sweep<'s>(
    event: EventRef<'s>,
    events: &[EventIx],
    paths: &mut Paths<'s>,
    mut tell: impl FnMut(Found, PathIx, u32, bool),
) {
    let session = event.session();
    let mut open: Vec<Container> = Vec::new();
    if is_list(event) {
        let (span, last) = (event.span, Span::NONE);
        open.push(Container { path: ROOT, span, depth: 0, count: 0, last, whole: false });
    }
    let mut events = events.iter().copied().peekable();
    let mut put = |open: &mut Vec<Container>, found: Found, value: Span| {
        while open.last().is_some_and(|container| !container.span.holds(value)) {
            open.pop();
        }
        let whole = open.iter().any(|container| container.whole);
        if let Some(container) = open.last_mut() {
            let index = container.next(value);
            tell(found, container.path, index, whole);
        }
    };
    for (number, field) in event.fields().iter().enumerate() {
        while let Some(next) =
            events.next_if(|&next| session.event(next).span.start < field.value.start)
        {
            put(&mut open, Found::Event(next), session.event(next).span);
        }
        while open.last().is_some_and(|container| container.depth > field.depth) {
            open.pop();
        }
        if field.hold == Hold::Open {
            let parent = open.last().map_or(ROOT, |container| container.path);
            let path = paths.member(parent, event.name(*field));
            let (depth, whole) = (field.depth + 1, is_whole(field));
            let span = field.value;
            open.push(Container { path, span, depth, count: 0, last: Span::NONE, whole });
        } else if field.key == Span::NONE && !open.is_empty() {
            put(&mut open, Found::Element(number), field.value);
        }
    }
    for next in events {
        put(&mut open, Found::Event(next), session.event(next).span);
    }
}
