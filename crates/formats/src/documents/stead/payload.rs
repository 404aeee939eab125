//! Payload of an event, tagged by `type`.

use std::borrow::Cow;
use std::collections::HashSet;

use meaning::account::Cause;
use session::{EventRef, Hold, Kind, Note, Slot, Span, value};

use super::events::Events;
use super::words;
use crate::documents::shared::out::Out;

impl<'s> Events<'s> {
    /// Writes the payload of an event.
    pub(super) fn payload(&mut self, event: EventRef<'s>, out: &mut Out<'_>) {
        out.key("payload");
        out.open();
        match event.kind {
            Kind::ToolCall => self.call(event, out),
            Kind::ToolResult => self.result(event, out),
            Kind::Notice if event.said().is_empty() => self.json(event, out),
            Kind::Opaque => opaque(event, out),
            _ => {
                out.member("type", "text");
                out.member("text", &event.said());
            }
        }
        out.close();
    }

    fn call(&mut self, event: EventRef<'s>, out: &mut Out<'_>) {
        out.member("type", words::CALL);
        self.write_call_id(event, out);
        let name = event.text(Slot::Name).filter(|name| !name.is_empty());
        let name =
            name.unwrap_or_else(|| self.make("tool_name", Cause::Required, "unknown".into()));
        out.member("tool_name", &name);
        out.key("input");
        let input = event.raw(Slot::Input);
        let input = input.unwrap_or_else(|| self.make("input", Cause::Required, b"{}"));
        self.value(event, input, out);
    }

    fn result(&mut self, event: EventRef<'s>, out: &mut Out<'_>) {
        let ok = words::is_ok(event);
        out.member("type", words::RESULT);
        self.write_call_id(event, out);
        if !event.states_outcome() {
            self.make("ok", Cause::NotSaid, ());
        }
        out.key("ok");
        out.raw(if ok { b"true" } else { b"false" });
        if let Some(text) = output(event) {
            out.member(if ok { "output_text" } else { "error_text" }, &text);
        }
    }

    /// Notes a member of the payload that the session does not tell.
    fn make<T>(&mut self, key: &'static str, cause: Cause, value: T) -> T {
        self.made.push(key);
        let place = match key {
            "tool_name" => "events[].payload.tool_name",
            "input" => "events[].payload.input",
            "ok" => "events[].payload.ok",
            _ => "events[].payload.call_id",
        };
        self.account.make(place, cause, value)
    }

    fn write_call_id(&mut self, event: EventRef<'s>, out: &mut Out<'_>) {
        if event.text(Slot::Call).is_none_or(|id| id.is_empty()) {
            self.make("call_id", Cause::Required, ());
        }
        out.member("call_id", &self.call_id(event));
    }

    /// The id that joins a call and its result. A call without a native id has its uid as id, and a
    /// result made from the same value refers to that.
    fn call_id(&self, event: EventRef<'s>) -> Cow<'s, str> {
        if let Some(id) = event.text(Slot::Call).filter(|id| !id.is_empty()) {
            return id;
        }
        if event.kind == Kind::ToolCall {
            return Cow::Owned(self.timeline.event_uid(event));
        }
        let call = self.calls.call(event.index).map(|call| self.session.event(call));
        call.map_or(Cow::Borrowed(""), |call| self.call_id(call))
    }

    /// The native value. For an event that contains others, only its own part.
    fn json(&mut self, event: EventRef<'s>, out: &mut Out<'_>) {
        out.member("type", "json");
        out.key("value");
        if event.children().next().is_none() && !self.encloses(event) {
            return self.value(event, event.bytes(), out);
        }
        let mut seen = HashSet::new();
        out.open();
        for field in event.fields().iter().filter(|field| field.depth == 0) {
            let name = value::unescape(event.name(*field));
            if field.hold == Hold::Own && field.key != Span::NONE && seen.insert(name.clone()) {
                out.key(&name);
                self.value(event, event.value(*field), out);
            }
        }
        out.close();
    }
}

/// A result as text: a string, the text of its blocks, or its JSON.
fn output(event: EventRef<'_>) -> Option<Cow<'_, str>> {
    let raw = event.raw(Slot::Output)?;
    let text = value::said(raw);
    match raw.first() {
        Some(b'n') => None,
        Some(b'"') => Some(text),
        Some(b'[') if !text.is_empty() => Some(text),
        _ => Some(String::from_utf8_lossy(raw)),
    }
}

/// The reason why bytes are not JSON. The bytes are in the session's own payload.
fn opaque(event: EventRef<'_>, out: &mut Out<'_>) {
    let notes = &event.session().notes;
    let at = (event.origin.member, event.span.start);
    let place = |note: &Note| (note.member, note.span.start);
    let note = notes.get(notes.partition_point(|note| place(note) < at));
    let note = note.filter(|note| place(note) == at);
    out.member("type", "json");
    out.key("value");
    out.open();
    out.member("unreadable", note.map_or("not JSON", |note| note.why.words()));
    out.close();
}
