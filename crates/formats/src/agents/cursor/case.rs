//! Case selection for a record of a transcript.

use memchr::memmem;
use session::{Case, Kind, Node, Shape, value};

use super::{chat, desktop, map, prompt_tags, text};
use crate::injected;

static USER: Case = Case::new("user", Kind::User, &map::LINE);
static CONTEXT: Case = Case::new("context", Kind::User, &map::LINE).injected();
static ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &map::LINE);
static TURN_END: Case = Case::new("turn_ended", Kind::Notice, &map::TURN_END);
static CALL: Case = Case::new("tool_use", Kind::ToolCall, &map::CALL);
static RESULT: Case = Case::new("tool_result", Kind::ToolResult, &map::RESULT);
static THOUGHT: Case = Case::new("thinking", Kind::Reasoning, &map::THOUGHT);
static COLLECTED: Case = Case::new("tool", Kind::ToolCall, &map::COLLECTED).also(&COLLECTED_RESULT);
static COLLECTED_RESULT: Case = Case::new("result", Kind::ToolResult, &map::COLLECTED_RESULT);
static DOCUMENT: Case = Case::new("document", Kind::Notice, &map::DOCUMENT).each(line);
static DOCUMENT_USER: Case = Case::new("user", Kind::User, &map::DOCUMENT_MESSAGE).top();
static DOCUMENT_ASSISTANT: Case =
    Case::new("assistant", Kind::Assistant, &map::DOCUMENT_MESSAGE).top();
static ACTION: Case = Case::new("tool", Kind::ToolCall, &map::ACTION).also(&ACTION_RESULT);
static ACTION_RESULT: Case = Case::new("result", Kind::ToolResult, &map::ACTION_RESULT);
static SPOKEN_USER: Case = Case::new("user", Kind::User, &map::SPOKEN).top();
static SPOKEN_CONTEXT: Case = Case::new("context", Kind::User, &map::SPOKEN).injected().top();
static SPOKEN_ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &map::SPOKEN).top();
pub(super) static SPOKEN_THINKING: Case =
    Case::new("assistant", Kind::Assistant, &map::SPOKEN).also(&SPOKEN_THOUGHT).top();
pub(super) static SPOKEN_THOUGHT: Case =
    Case::new("thinking", Kind::Reasoning, &map::SPOKEN_THOUGHT).top();
static SPOKEN_CALL: Case = Case::new("toolCall", Kind::ToolCall, &map::SPOKEN_CALL);
static SPOKEN_ANSWER: Case = Case::new("toolResult", Kind::ToolResult, &map::SPOKEN_ANSWER).top();
static TEXT_USER: Case = Case::new("user", Kind::User, &map::BLOCK);
static TEXT_ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &map::BLOCK);
static TEXT_THOUGHT: Case = Case::new("thinking", Kind::Reasoning, &map::BLOCK);
static TEXT_CALL: Case = Case::new("tool_use", Kind::ToolCall, &map::CALL_BLOCK);
static TEXT_RESULT: Case = Case::new("tool_result", Kind::ToolResult, &map::RESULT_BLOCK);
static TEXT_OTHER: Case = Case::new("text", Kind::Notice, &map::BLOCK);

/// The case of a record: a line of any of the stores, or a document.
pub(super) fn record(record: Node<'_>) -> Option<&'static Case> {
    match record.shape() {
        Shape::Array => Some(&DOCUMENT),
        Shape::Object => {
            if record.at(map::MESSAGES).is_some() {
                return Some(&DOCUMENT);
            }
            line(record)
                .or_else(|| desktop::case(record))
                .or_else(|| chat::case(record))
                .or_else(|| chat::guest(record))
        }
        _ => None,
    }
}

/// The case of a transcript's line.
fn line(line: Node<'_>) -> Option<&'static Case> {
    let message = line.at(map::MESSAGE).is_some();
    match (line.word(map::ROLE), line.word(map::TYPE)) {
        (Some(b"user"), _) if message => Some(user(line)),
        (Some(_), _) if message => Some(&ASSISTANT),
        (None, Some(b"turn_ended")) => Some(&TURN_END),
        (None, Some(b"tool")) if line.at(map::TOOL_NAME).is_some() => Some(&COLLECTED),
        (None, Some(b"user")) if message => Some(user(line)),
        (None, Some(b"assistant")) if message => Some(&ASSISTANT),
        (Some(role), _) if is_spoken(line) => Some(spoken(role, line)),
        _ => None,
    }
}

/// Whether it is an element of a transcript of December 2025: it has these names, and no others.
pub(super) fn is_spoken(element: Node<'_>) -> bool {
    let names: [&[u8]; 5] = [b"role", b"text", b"thinking", b"toolCalls", b"toolResult"];
    let says = [map::TEXT, map::THINKING, map::TOOL_CALLS, map::TOOL_RESULT];
    element.word(map::ROLE).is_some()
        && says.iter().any(|path| element.at(path).is_some())
        && element.members().all(|member| names.contains(&member.name))
}

fn spoken(role: &[u8], element: Node<'_>) -> &'static Case {
    let injected = || element.at(map::TEXT).is_some_and(said_injected);
    match role {
        _ if element.at(map::TOOL_RESULT).is_some() => &SPOKEN_ANSWER,
        b"user" if injected() => &SPOKEN_CONTEXT,
        b"user" => &SPOKEN_USER,
        _ if element.word(map::THINKING).is_some() => &SPOKEN_THINKING,
        _ => &SPOKEN_ASSISTANT,
    }
}

/// The case of an element of `toolCalls`.
pub(super) fn spoken_call(call: Node<'_>) -> Option<&'static Case> {
    call.at(map::CALLED).map(|_| &SPOKEN_CALL)
}

/// Length of a prompt's beginning in which a tag is searched, in bytes as written.
const BEGINNING: usize = 512;

/// Tags of injected text in a prompt's place.
const TAGS: &[&[u8]] = &[
    b"<user_info>",
    b"<system_reminder>",
    b"<rules>",
    b"<context>",
    b"<git_status>",
    b"<agent_transcripts>",
    b"<project_layout>",
    b"<open_and_recently_viewed_files>",
    b"<task_notification>",
    b"<system_notification>",
];

/// Whether a text is injected. A person's prompt is within `<user_query>`, or alone.
pub(super) fn is_injected(text: &[u8]) -> bool {
    let text = prompt_tags::behind(text.trim_ascii_start()).trim_ascii_start();
    TAGS.iter().any(|tag| injected::begins(text, tag))
        && memmem::find(text, b"<user_query>").is_none()
}

fn user(line: Node<'_>) -> &'static Case {
    let Some(content) = line.at(map::CONTENT) else { return &USER };
    if said_injected(content) { &CONTEXT } else { &USER }
}

/// Whether all texts of a content are injected.
pub(super) fn said_injected(content: Node<'_>) -> bool {
    // Prompts are long, and a tag is at their beginning.
    let tagged = |text: &[u8]| {
        let beginning = value::unescape(&text[..text.len().min(BEGINNING)]);
        let behind = prompt_tags::behind(beginning.trim_ascii_start().as_bytes());
        TAGS.iter().any(|tag| behind.trim_ascii_start().starts_with(tag))
    };
    let injected = |text: &[u8]| tagged(text) && is_injected(value::unescape(text).as_bytes());
    match content.text() {
        Some(text) => injected(text),
        None => {
            let mut texts = content.elements().filter_map(|block| block.word(map::TEXT));
            texts.clone().next().is_some() && texts.all(injected)
        }
    }
}

/// The case of a block of content; `None` for plain text.
pub(super) fn block(block: Node<'_>) -> Option<&'static Case> {
    match block.word(map::TYPE)? {
        b"tool_use" => Some(&CALL),
        b"tool_result" => Some(&RESULT),
        b"thinking" => Some(&THOUGHT),
        b"turn_ended" => Some(&TURN_END),
        _ => None,
    }
}

/// The case of a document's message.
pub(super) fn message(message: Node<'_>) -> Option<&'static Case> {
    match message.word(map::ROLE)? {
        b"user" => Some(&DOCUMENT_USER),
        _ => Some(&DOCUMENT_ASSISTANT),
    }
}

/// The case of an action in a document's answer.
pub(super) fn action(action: Node<'_>) -> Option<&'static Case> {
    (action.word(map::TYPE) == Some(b"tool")).then_some(&ACTION)
}

/// The case of a block of a plain text.
pub(super) fn text_block(block: Node<'_>) -> Option<&'static Case> {
    let head = block.word(map::HEAD).map(value::unescape).unwrap_or_default();
    Some(match text::Head::of(&head) {
        Some(text::Head::User) => &TEXT_USER,
        Some(text::Head::Assistant) => &TEXT_ASSISTANT,
        Some(text::Head::Thought) => &TEXT_THOUGHT,
        Some(text::Head::Call) => &TEXT_CALL,
        Some(text::Head::Result) => &TEXT_RESULT,
        None => &TEXT_OTHER,
    })
}
