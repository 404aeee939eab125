//! Tables of Cursor's transcripts. Tables only; `case.rs` selects cases. `composer.rs`, `bubble.rs`
//! and `chat.rs` have the tables of its databases.

use session::{Map, map};

use super::{bubble, case, chat, composer};

/// The first name of a dump's line.
pub(super) const TABLE: &[u8] = b"table";
/// Role of a message.
pub(super) const ROLE: &[&str] = &["role"];
/// Type of a line or a block.
pub(super) const TYPE: &[&str] = &["type"];
/// Content of a message.
pub(super) const CONTENT: &[&str] = &["message", "content"];
/// The tool of a collected line.
pub(super) const TOOL_NAME: &[&str] = &["message", "tool_name"];
/// The program that a collected line comes from.
pub(super) const AGENT: &[&str] = &["agent"];
/// The message of a line.
pub(super) const MESSAGE: &[&str] = &["message"];
/// Thought, tool calls and tool result of an element.
pub(super) const THINKING: &[&str] = &["thinking"];
pub(super) const TOOL_CALLS: &[&str] = &["toolCalls"];
pub(super) const TOOL_RESULT: &[&str] = &["toolResult"];
/// The name of the called tool.
pub(super) const CALLED: &[&str] = &["toolName"];
/// The text of a block.
pub(super) const TEXT: &[&str] = &["text"];
/// The head of a block of a plain text.
pub(super) const HEAD: &[&str] = &["head"];
/// The messages of a document.
pub(super) const MESSAGES: &[&str] = &["chatMessages"];

/// Every table, by a name for people.
pub(super) static ALL: &[(&str, &Map)] = &[
    ("line", &LINE),
    ("tool call", &CALL),
    ("tool result", &RESULT),
    ("thought", &THOUGHT),
    ("end of a turn", &TURN_END),
    ("plain text", &BLOCK),
    ("plain text: tool call", &CALL_BLOCK),
    ("plain text: tool result", &RESULT_BLOCK),
    ("collected line: call", &COLLECTED),
    ("collected line: result", &COLLECTED_RESULT),
    ("element", &SPOKEN),
    ("element: thought", &SPOKEN_THOUGHT),
    ("element: tool call", &SPOKEN_CALL),
    ("element: tool result", &SPOKEN_ANSWER),
    ("element: toolResult", &SPOKEN_OUTPUT),
    ("message of a document", &DOCUMENT_MESSAGE),
    ("action: call", &ACTION),
    ("action: result", &ACTION_RESULT),
    ("store: meta", &chat::META),
    ("store: blob", &chat::BLOB),
    ("store: part", &chat::PART),
    ("store: tool call", &chat::CALL),
    ("store: tool result", &chat::RESULT),
    ("store: meta.json", &chat::CARD),
    ("desktop: composer", &composer::COMPOSER),
    ("desktop: bubble", &bubble::BUBBLE),
    ("desktop: thought", &bubble::THOUGHT),
    ("desktop: tool, the call", &bubble::CALL),
    ("desktop: tool, the result", &bubble::RESULT),
    ("desktop: head", &composer::HEAD),
    ("desktop: chat tab", &composer::TAB),
    ("desktop: list", &composer::ROW),
];

/// A line of a transcript, or of a collection of sessions.
pub(super) static LINE: Map = map! {
    "role" => is(Role),
    "message" => within(Native, &MESSAGE_MAP),
    "type" => is(Type),
    "uuid" => is(Id),
    "timestamp" => is(Time),
    "sessionId" => is(Session),
    "workspace" => is(WorkingDir),
    "agent" => kept,
};

static MESSAGE_MAP: Map = map! {
    "role" => is(Role),
    "content" => each(Content, case::block),
};

/// A block that calls a tool.
pub(super) static CALL: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    "name" => is(Name),
    "input" => is(Input),
};

/// A block with a tool's answer.
pub(super) static RESULT: Map = map! {
    "type" => is(Type),
    "tool_use_id" => is(Call),
    "content" => is(Output),
    "is_error" => is(IsError),
};

/// A block of thought.
pub(super) static THOUGHT: Map = map! {
    "type" => is(Type),
    "thinking" => is(Content),
    "signature" => is(Encrypted),
};

/// The end of a turn: a line, or a block of the last answer.
pub(super) static TURN_END: Map = map! {
    "type" => is(Type),
    "status" => is(Status),
    "error" => kept,
};

/// A block of a plain text.
pub(super) static BLOCK: Map = map! { "head" => kept, "text" => is(Content), "tail" => kept };

/// The block in which a plain text calls a tool.
pub(super) static CALL_BLOCK: Map = map! {
    "head" => kept,
    "name" => is(Name),
    "text" => is(Input),
    "tail" => kept,
};

/// The block in which a tool of a plain text answers.
pub(super) static RESULT_BLOCK: Map = map! {
    "head" => kept,
    "name" => is(Name),
    "text" => is(Output),
    "tail" => kept,
};

/// A tool of a collected line, as a call.
pub(super) static COLLECTED: Map = map! {
    "type" => is(Type),
    "uuid" => is(Id),
    "timestamp" => is(Time),
    "sessionId" => is(Session),
    "workspace" => is(WorkingDir),
    "agent" => kept,
    "message" => within(Native, &COLLECTED_CALL),
};

static COLLECTED_CALL: Map = map! {
    "role" => is(Role),
    "tool_name" => is(Name),
    "tool_input" => is(Input),
};

/// The same as a result.
pub(super) static COLLECTED_RESULT: Map = map! {
    "timestamp" => is(Time),
    "message" => within(Native, &COLLECTED_ANSWER),
};

static COLLECTED_ANSWER: Map = map! {
    "tool_name" => is(Name),
    "tool_output" => is(Output),
    "status" => is(Status),
};

/// An element of a transcript of December 2025, one JSON array per conversation.
pub(super) static SPOKEN: Map = map! {
    "role" => is(Role),
    "text" => is(Content),
    "toolCalls" => each(Native, case::spoken_call),
};

/// Its thought, which precedes its text.
pub(super) static SPOKEN_THOUGHT: Map = map! { "thinking" => is(Content) };

/// A tool call; it has no id.
pub(super) static SPOKEN_CALL: Map = map! { "toolName" => is(Name), "args" => is(Input) };

/// An element with a tool's answer, if that was stored.
pub(super) static SPOKEN_ANSWER: Map = map! {
    "role" => is(Role),
    "toolResult" => within(Output, &SPOKEN_OUTPUT),
};

static SPOKEN_OUTPUT: Map = map! {
    "toolName" => is(Name),
    "result" => is(Output),
    "output" => is(Output),
};

/// A document of messages.
pub(super) static DOCUMENT: Map = map! { "chatMessages" => each(Native, case::message) };

/// A message of a document.
pub(super) static DOCUMENT_MESSAGE: Map = map! {
    "role" => is(Role),
    "createdAt" => is(Time),
    "text" => is(Content),
    "actions" => each(Native, case::action),
};

/// An action of a document's answer, as a call.
pub(super) static ACTION: Map = map! {
    "type" => is(Type),
    "tool" => is(Name),
    "input" => is(Input),
};

/// The same as a result.
pub(super) static ACTION_RESULT: Map = map! {
    "tool" => is(Name),
    "output" => is(Output),
    "state" => within(Native, &ACTION_STATE),
};

static ACTION_STATE: Map = map! { "status" => is(Status) };
