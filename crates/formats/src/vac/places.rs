//! Where each event's value stands within the event that encloses it.

use session::{EventIx, EventRef, Field, Hold, NO_EVENT, Session, Slot, Span};

use super::paths::{PathIx, Paths, ROOT};

/// The place of an event's value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The event whose value encloses this one's; [`NO_EVENT`] where the value is a record.
    pub(super) enclosing: EventIx,
    /// The container that holds it, relative to the enclosing value.
    pub(super) container: PathIx,
    /// Which element of it, or [`WHOLE`] where the container is the value itself.
    pub(super) index: u32,
    /// True where an entry that encloses it carries the value whole: it need not be put back.
    pub(super) covered: bool,
}

/// No element: the member itself.
pub(super) const WHOLE: u32 = u32::MAX;

/// True where an entry carries the container as it stands. Containers without a meaning only
/// wrap: their members stand in the entry.
pub(super) fn is_whole(field: &Field) -> bool {
    field.hold == Hold::Open && field.slot != Slot::Native
}

/// True for an event whose value is an array and falls apart into its elements.
pub(super) fn is_list(event: EventRef<'_>) -> bool {
    let bytes = event.bytes();
    let apart = event.fields().first().is_none_or(|field| field.value != event.span);
    event.case.elements.is_some() && bytes.first() == Some(&b'[') && apart
}

/// Something that stands in a container: an event, or a field without a key.
enum Found {
    Event(EventIx),
    Element(usize),
}

/// The places of all events of a session, and for each event (none, where no event encloses
/// another) those that its value encloses directly.
pub(super) fn places<'s>(
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

/// The index of every field without a key in the array that holds it, by its number in the event.
pub(super) fn elements<'s>(
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
    /// The depth of what it holds.
    depth: u8,
    /// How many elements it has had.
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

/// Goes through the fields of an event and the events within it (in the order of their bytes) side
/// by side; tells the container and the index of each event and of each field without a key.
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
