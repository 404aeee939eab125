//! Tables of the items of the model's history: messages, thoughts, calls, results. Tables only, as
//! in `map.rs`.

use session::{Map, map};

use super::case;
use super::map::PASSED;

/// `message`.
pub(super) static MESSAGE: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "role" => is(Role),
    "content" => is(Content),
    "phase" => kept,
    "status" => is(Status),
    "end_turn" => kept,
    "model" => is(Model),
    "function_call" => one(Native, case::function),
    "tool_calls" => each(Native, case::chat_call),
    "timestamp" => is(Time),
    "encrypted_content" => is(Encrypted),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `agent_message`: a message from one agent to another.
pub(super) static LETTER: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "author" => is(Role),
    "recipient" => kept,
    "content" => is(Content),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `reasoning` whose text is the summary.
pub(super) static REASONING: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "summary" => is(Content),
    "content" => kept,
    "encrypted_content" => is(Encrypted),
    "duration_ms" => is(Duration),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `reasoning` without a summary, of providers that return the text itself.
pub(super) static REASONING_RAW: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "summary" => kept,
    "content" => is(Content),
    "encrypted_content" => is(Encrypted),
    "duration_ms" => is(Duration),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `function_call`, `custom_tool_call`, `local_shell_call`, `tool_search_call`, `tool_call`.
pub(super) static CALL: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "call_id" => is(Call),
    "name" => is(Name),
    "namespace" => kept,
    "function" => within(Native, &FUNCTION),
    "arguments" => is(Input),
    "input" => is(Input),
    "action" => is(Input),
    "status" => is(Status),
    "execution" => kept,
    "encrypted_function_args" => is(Encrypted),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `web_search_call`: `web_search_end` refers to its `id`.
pub(super) static SEARCH_CALL: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    "status" => is(Status),
    "action" => is(Input),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `function_call_output`, `custom_tool_call_output`, `tool_search_output`, `tool_result`.
pub(super) static OUTPUT: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "call_id" => is(Call),
    "name" => is(Name),
    "namespace" => kept,
    "output" => is(Output),
    "tools" => is(Output),
    "result" => is(Output),
    "stderr" => is(Detail),
    "status" => is(Status),
    "execution" => kept,
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// A `function_call_output` without a call: the agent gives its model a context of its own in this
/// form, such as the objective of a goal.
pub(super) static CONTEXT_OUTPUT: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "name" => is(Name),
    "namespace" => kept,
    "output" => is(Content),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `image_generation_call`: a call together with its result.
pub(super) static IMAGE_CALL: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    "revised_prompt" => is(Input),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// The result in an `image_generation_call`.
pub(super) static IMAGE_RESULT: Map = map! {
    "id" => is(Call),
    "status" => is(Status),
    "result" => is(Output),
};

/// Items outside the conversation: `compaction`, `ghost_snapshot`, and unknown items.
pub(super) static ITEM_NOTICE: Map = map! {
    "type" => is(Name),
    "id" => is(Id),
    "role" => is(Role),
    "status" => is(Status),
    "encrypted_content" => is(Encrypted),
    kept ["ghost_commit", "tools", "reasoning"],
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `function_call` within a message, in the oldest chat shape.
pub(super) static FUNCTION: Map = map! {
    "name" => is(Name),
    "arguments" => is(Input),
};

/// An element of `tool_calls` in the chat shape.
pub(super) static CHAT_CALL: Map = map! {
    "id" => is(Call),
    "type" => is(Type),
    "index" => kept,
    "function" => within(Native, &FUNCTION),
};

/// A thought, stored as an assistant's message in the chat shape.
pub(super) static CHAT_THOUGHT: Map = map! {
    "timestamp" => is(Time),
    "reasoning" => is(Content),
};

/// A tool's answer in the chat shape.
pub(super) static CHAT_OUTPUT: Map = map! {
    "role" => is(Role),
    "type" => is(Type),
    "id" => is(Id),
    "name" => is(Name),
    "tool_call_id" => is(Call),
    "content" => is(Output),
    "timestamp" => is(Time),
};

/// A line of a collection, which other tools make of Codex sessions.
pub(super) static COLLECTED_LINE: Map = map! {
    "sessionId" => is(Session),
    "workspace" => is(WorkingDir),
    "agent" => kept,
    "type" => is(Type),
    "uuid" => is(Id),
    "timestamp" => is(Time),
    "message" => within(Native, &COLLECTED_MESSAGE),
};

pub(super) static COLLECTED_MESSAGE: Map = map! {
    "role" => is(Role),
    "content" => is(Content),
    "tool_name" => is(Name),
    "tool_input" => is(Input),
};

/// The result in a tool's collected line.
pub(super) static COLLECTED_RESULT: Map = map! {
    "timestamp" => is(Time),
    "message" => within(Native, &COLLECTED_OUTPUT),
};

pub(super) static COLLECTED_OUTPUT: Map = map! {
    "tool_name" => is(Name),
    "tool_output" => is(Output),
    "status" => is(Status),
};
