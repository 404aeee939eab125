//! The text of an event as a person reads it, whatever shape the agent gave it: one meaning for
//! documents and for the library.

use std::borrow::Cow;

use meaning::conversation::{self, TalkPart};
use session::{EventRef, Kind, Slot, value};

use crate::calls;
use crate::registry::agent;
use crate::wrapped::unwrapped;
use crate::{told, tools};

/// The text of an event: of a prompt the person's own words, of an answer, a thought or a notice
/// its words, of a call the argument that best shows its object, of a result the answer of the
/// tool. Empty if it has none.
#[must_use]
pub fn text_of(event: EventRef<'_>) -> Cow<'_, str> {
    match event.kind {
        Kind::ToolCall => match event.text(Slot::Path) {
            Some(path) => path,
            None => calls::subject(event).map(Cow::Owned).unwrap_or_default(),
        },
        Kind::ToolResult => output(event),
        Kind::User if conversation::of(event).part == TalkPart::Prompt => own_words(event),
        Kind::Opaque => String::from_utf8_lossy(event.bytes()),
        Kind::User | Kind::Assistant | Kind::Reasoning | Kind::Notice => told::text(event),
    }
}

/// The text of a tool's answer that says what became of the call: the answer, without what its
/// agent put around it.
#[must_use]
pub fn outcome_text<'t>(result: EventRef<'_>, answer: &'t str) -> &'t str {
    match agent(result.session().format) {
        Some(format) => (format.data().outcome_text)(answer),
        None => answer,
    }
}

/// A prompt without the texts that its agent put around it.
fn own_words(event: EventRef<'_>) -> Cow<'_, str> {
    let said = told::text(event);
    let told = unwrapped(event.session().format, &said);
    match told.own.len() == said.len() {
        true => said,
        false => Cow::Owned(told.own.to_owned()),
    }
}

/// The answer of a tool, as text.
fn output(result: EventRef<'_>) -> Cow<'_, str> {
    let raw = result.raw(Slot::Output).or_else(|| result.raw(Slot::Content));
    let Some(raw) = raw else { return Cow::Borrowed("") };
    let said = value::said(raw);
    match said.is_empty() && matches!(raw.first(), Some(b'{' | b'[')) {
        true => String::from_utf8_lossy(raw),
        false => said,
    }
}

/// The arguments of a call as JSON. Some agents write them as a text that holds JSON: then it is
/// that.
#[must_use]
pub fn arguments_of(call: EventRef<'_>) -> Option<Cow<'_, str>> {
    let raw = call.raw(Slot::Input)?;
    if let Some(arguments) = tools::of_elements(call) {
        return String::from_utf8(arguments).ok().map(Cow::Owned);
    }
    let text = value::said(raw);
    let holds = raw.first() == Some(&b'"') && value::look(text.as_bytes(), |_| Some(())).is_some();
    Some(if holds { text } else { String::from_utf8_lossy(raw) })
}
