//! The documents of 2025: the model's messages, and what the screen showed of the same turns. The
//! messages are the conversation; the screen's items have its times.

use std::collections::{HashMap, VecDeque};

use session::{Case, EventIx, EventRef, Kind, Map, Mark, Node, Session, Shape, Slot, map};

use super::names;
use crate::standings::Standings;

pub(super) static DOCUMENT_MAP: Map = map! {
    "sessionId" => is(Session),
    "startTime" => is(Started),
    "chatMessages" => each(Native, said),
    "timeline" => each(Native, shown),
    "selectedModel" => is(Model),
};

/// A message of the provider's interface.
pub(super) static MESSAGE: Map = map! {
    "role" => is(Role),
    "content" => is(Content),
    "tool_calls" => each(Native, called),
    kept ["padding", "refusal"],
};

/// A call in such a message.
pub(super) static CALL: Map = map! {
    "id" => is(Call),
    "type" => kept,
    "function" => within(Native, &FUNCTION),
};

pub(super) static FUNCTION: Map = map! {
    "name" => is(Name),
    "arguments" => is(Input),
};

/// The answer of a tool.
static ANSWER: Map = map! {
    "role" => is(Role),
    "content" => is(Output),
    "tool_call_id" => is(Call),
};

/// An item of the screen.
pub(super) static SHOWN: Map = map! {
    "id" => is(Id),
    "timestamp" => is(Time),
    "type" => is(Type),
    "text" => is(Content),
    kept ["expandedText", "mentions"],
};

/// A call on the screen.
static SHOWN_CALL: Map = map! {
    "id" => is(Id),
    "timestamp" => is(Time),
    "type" => is(Type),
    "callId" => is(Call),
    "name" => is(Name),
    "arguments" => is(Input),
    kept ["toolTitle", "intentionSummary"],
};

/// Its result.
static SHOWN_RESULT: Map = map! {
    "callId" => is(Call),
    "timestamp" => is(Time),
    "result" => within(Native, &LOG),
};

static LOG: Map = map! {
    "type" => is(Status),
    "log" => is(Output),
};

/// The tables beside those that have a name for people.
pub(super) const MORE: [(&str, &Map); 4] = [
    ("document: chatMessages of a tool", &ANSWER),
    ("document: timeline, a call", &SHOWN_CALL),
    ("document: timeline, its result", &SHOWN_RESULT),
    ("document: timeline, the result's text", &LOG),
];

static DOCUMENT: Case = Case::new("document", Kind::Notice, &DOCUMENT_MAP);
static USER: Case = Case::new("message", Kind::User, &MESSAGE).top();
static ASSISTANT: Case = Case::new("message", Kind::Assistant, &MESSAGE).top();
static CONTEXT: Case = Case::new("context", Kind::User, &MESSAGE).injected().top();
static TOOL: Case = Case::new("output", Kind::ToolResult, &ANSWER).top();
static CALLED: Case = Case::new("call", Kind::ToolCall, &CALL);
static SHOWN_USER: Case = Case::new("shown", Kind::User, &SHOWN).top();
static SHOWN_ANSWER: Case = Case::new("shown", Kind::Assistant, &SHOWN).top();
static SHOWN_TOOL: Case = Case::new("shown", Kind::ToolCall, &SHOWN_CALL).also(&SHOWN_OUTPUT).top();
static SHOWN_OUTPUT: Case = Case::new("shown", Kind::ToolResult, &SHOWN_RESULT).top();
static SHOWN_NOTE: Case = Case::new("note", Kind::Notice, &SHOWN).top();

/// The case of a document.
pub(super) fn case(document: Node<'_>) -> Option<&'static Case> {
    names::DOCUMENT.iter().all(|path| document.at(path).is_some()).then_some(&DOCUMENT)
}

fn said(message: Node<'_>) -> Option<&'static Case> {
    match message.word(names::ROLE)? {
        b"user" => Some(&USER),
        b"assistant" => Some(&ASSISTANT),
        b"tool" => Some(&TOOL),
        _ => Some(&CONTEXT),
    }
}

fn called(call: Node<'_>) -> Option<&'static Case> {
    (call.shape() == Shape::Object).then_some(&CALLED)
}

fn shown(item: Node<'_>) -> Option<&'static Case> {
    match item.word(names::TYPE)? {
        b"user" => Some(&SHOWN_USER),
        b"copilot" => Some(&SHOWN_ANSWER),
        b"tool_call_completed" => Some(&SHOWN_TOOL),
        _ => Some(&SHOWN_NOTE),
    }
}

/// Whether an event is an item of the screen.
fn is_shown(event: EventRef<'_>) -> bool {
    [&SHOWN_USER, &SHOWN_ANSWER, &SHOWN_TOOL, &SHOWN_OUTPUT]
        .iter()
        .any(|case| std::ptr::eq(event.case, *case))
}

/// The screen's items are echoes of the messages, which get their times. Without messages the
/// screen's items are the conversation.
pub(super) fn settle(session: &Session, standings: &mut Standings) -> Vec<(EventIx, Mark)> {
    let mut marks = Vec::new();
    let messages = || session.top().filter(|event| event.kind != Kind::Notice);
    if messages().all(is_shown) {
        return marks;
    }
    let mut shown = Shown::default();
    for item in messages().filter(|event| is_shown(*event)) {
        standings.set(item.index, session::Standing::Echo);
        shown.add(item);
    }
    for message in messages().filter(|event| !is_shown(*event)) {
        let within = message.children().filter(|child| child.kind == Kind::ToolCall);
        let calls = within.filter_map(|call| shown.calls.get(&*call.text(Slot::Call)?));
        let time = match message.kind {
            Kind::User => shown.prompts.pop_front(),
            Kind::Assistant if !message.said().is_empty() => shown.answers.pop_front(),
            Kind::Assistant => calls.min().copied(),
            Kind::ToolResult => {
                message.text(Slot::Call).and_then(|id| shown.calls.get(&*id).copied())
            }
            _ => None,
        };
        marks.push((message.index, Mark::SaidAt(time)));
    }
    marks
}

/// The times of the screen's items.
#[derive(Default)]
struct Shown {
    prompts: VecDeque<session::UtcTime>,
    answers: VecDeque<session::UtcTime>,
    calls: HashMap<String, session::UtcTime>,
}

impl Shown {
    fn add(&mut self, item: EventRef<'_>) {
        let Some(time) = item.time() else { return };
        match item.kind {
            Kind::User => self.prompts.push_back(time),
            Kind::Assistant => self.answers.push_back(time),
            _ => self.calls.extend(item.text(Slot::Call).map(|id| (id.into_owned(), time))),
        }
    }
}
