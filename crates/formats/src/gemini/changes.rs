//! What the tools did to files: the display beside a call holds the text before and after; without
//! it, the arguments tell what they can. A call that did not succeed did nothing.

use session::attribution::Change;
use session::value::{self, text_at};
use session::{EventIx, EventRef, Kind, Node, Session, Shape, Slot, Standing};

/// The field of a call that the screen shows.
const DISPLAY: &[u8] = b"resultDisplay";

mod names {
    pub(super) const BEFORE: &[&str] = &["originalContent"];
    pub(super) const AFTER: &[&str] = &["newContent"];
    pub(super) const PATH: &[&str] = &["file_path"];
    pub(super) const CONTENT: &[&str] = &["content"];
    pub(super) const OLD: &[&str] = &["old_string"];
    pub(super) const NEW: &[&str] = &["new_string"];
    pub(super) const COUNT: &[&str] = &["expected_replacements"];
}

/// The changes of a session in source order.
pub(super) fn of(session: &Session) -> Vec<(EventIx, String, Change)> {
    let counts = |event: &EventRef<'_>| {
        !matches!(event.standing, Standing::Copied | Standing::Superseded | Standing::Echo)
    };
    let calls = session.top().filter(counts).flat_map(EventRef::children);
    calls.filter(|call| call.kind == Kind::ToolCall).filter_map(change).collect()
}

fn change(call: EventRef<'_>) -> Option<(EventIx, String, Change)> {
    let status = call.text(Slot::Status).or_else(|| answer(call)?.text(Slot::Status));
    if status.is_some_and(|status| status != "success") {
        return None;
    }
    let name = call.text(Slot::Name)?;
    let input = call.raw(Slot::Input)?;
    let path = value::look(input, |input| text_at(input, names::PATH))?;
    let display = call.native().find(|field| call.name(*field) == DISPLAY);
    let shown = display.and_then(|field| value::look(call.value(field), shown));
    let change = shown.or_else(|| value::look(input, |input| asked(&name, input)))?;
    Some((call.index, path, change))
}

/// The answer that was made from the same value as the call.
fn answer(call: EventRef<'_>) -> Option<EventRef<'_>> {
    let next = (call.index as usize + 1 < call.session().len())
        .then(|| call.session().event(call.index + 1))?;
    (next.kind == Kind::ToolResult && next.span == call.span).then_some(next)
}

fn shown(display: Node<'_>) -> Option<Change> {
    let after = text_at(display, names::AFTER)?;
    let before = match display.at(names::BEFORE) {
        Some(before) if before.shape() == Shape::Null => Some(String::new()),
        Some(before) => text_at(before, &[]),
        None => None,
    };
    Some(Change::Write { before, after })
}

fn asked(name: &str, input: Node<'_>) -> Option<Change> {
    match name {
        "write_file" => {
            Some(Change::Write { before: None, after: text_at(input, names::CONTENT)? })
        }
        "replace" | "edit" => {
            let count = input.at(names::COUNT).and_then(|count| value::number(count.raw()));
            let (old, new) = (text_at(input, names::OLD)?, text_at(input, names::NEW)?);
            Some(match old.is_empty() {
                true => Change::Write { before: Some(String::new()), after: new },
                false => Change::Replace { old, new, all: count.is_some_and(|count| count > 1) },
            })
        }
        _ => None,
    }
}
