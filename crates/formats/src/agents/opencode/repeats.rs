//! Values that are stored twice: a later state of a message or a part replaces the one before it.
//! An id alone does not make two values one: exports replace ids by one word.

use std::borrow::Cow;
use std::collections::HashMap;

use meaning::identity::{Key, Messages, Sameness, Sighting};
use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot, Standing};

use super::order::{Store, Stores};

/// Name of a value: another value with it may be a later state. Of the values with one name in a
/// record, each has its number: they are different ones.
type Name<'s> = (Store, Kind, &'static str, Cow<'s, str>, Option<Key>, Option<Cow<'s, str>>, u32);

/// The name of an event's value in its record, without its number.
fn name<'s>(event: EventRef<'s>, (kept, messages): (&Stores, &Messages)) -> Option<Name<'s>> {
    let id = match event.case.name {
        "session" => event.text(Slot::Session),
        "message" | "part" | "text" | "tool" | "reasoning" | "patch" => event.text(Slot::Id),
        _ => None,
    };
    let id = id.filter(|id| !id.is_empty())?;
    let is_held = event.case.name != "session";
    let message = messages.holder(event).filter(|_| is_held).map(|(_, message)| message);
    // Records of a message have their time in common, which is in the key of the message.
    let call = event.text(Slot::Call);
    Some((kept.store(event), event.kind, event.case.name, id, message, call, 0))
}

/// Sets values that occur again later: they were replaced, or merely repeated. A result has the
/// standing of the call that shares its value.
pub(super) fn set(session: &Session, of: (&Stores, &Messages), marks: &mut [Standing]) {
    let mut last: HashMap<Name<'_>, EventIx> = HashMap::new();
    let mut numbers: HashMap<Name<'_>, u32> = HashMap::new();
    let mut record = u32::MAX;
    for event in session.events().filter(|event| event.parent == NO_EVENT) {
        if event.origin.record != record {
            record = event.origin.record;
            numbers.clear();
        }
        let Some(mut name) = name(event, of) else { continue };
        let number = numbers.entry(name.clone()).or_default();
        name.6 = *number;
        *number += 1;
        let Some(before) = last.insert(name, event.index) else { continue };
        let before = session.event(before);
        let same = sighting(before).to_later(&sighting(event), || goes_on(before, event));
        let mark = match same {
            Sameness::Repeats => Standing::Echo,
            Sameness::GoesOn => Standing::Superseded,
            Sameness::Differs => continue,
        };
        marks[before.index as usize] = mark;
        if let Some(result) = result_of(before) {
            marks[result as usize] = mark;
        }
    }
}

fn sighting(event: EventRef<'_>) -> Sighting<'_> {
    Sighting { place: None, time: event.time(), content: event.bytes() }
}

/// Whether a value of another record is a later state: it began at the same time, or its text has
/// grown. A call without a time has not run yet.
fn goes_on(before: EventRef<'_>, event: EventRef<'_>) -> bool {
    if matches!(event.case.name, "session" | "message") {
        return true;
    }
    match (before.time(), event.time()) {
        (Some(one), Some(other)) => one == other,
        _ if event.kind == Kind::ToolCall => true,
        _ => event.said().starts_with(&*before.said()),
    }
}

/// The result that shares the value of a call.
fn result_of(call: EventRef<'_>) -> Option<EventIx> {
    let session = call.session();
    let next = (call.index + 1..u32::try_from(session.len()).ok()?).map(|at| session.event(at));
    let mut next = next.take_while(|event| event.origin.record == call.origin.record);
    let is_its = |event: &EventRef<'_>| event.kind == Kind::ToolResult && event.span == call.span;
    next.find(|event| event.parent == NO_EVENT).filter(is_its).map(|event| event.index)
}
