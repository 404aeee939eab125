//! Tables of the blocks of a message. Tables only.

use session::{Map, map};

/// `thinking` and `redacted_thinking` blocks.
pub(super) static THINKING: Map = map! {
    "type" => is(Type),
    "thinking" => is(Content),
    "data" => is(Encrypted),
    "signature" => kept,
};

/// `tool_use`, `server_tool_use` and similar blocks.
pub(super) static TOOL_USE: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    "name" => is(Name),
    "input" => is(Input),
    kept ["caller", "server_name", "cache_control"],
};

/// `tool_result`, `web_search_tool_result` and similar blocks.
pub(super) static TOOL_RESULT: Map = map! {
    "type" => is(Type),
    "tool_use_id" => is(Call),
    "content" => is(Output),
    "is_error" => is(IsError),
    kept ["caller", "cache_control"],
};

/// The block for a change of model within an answer.
pub(super) static FALLBACK_BLOCK: Map = map! {
    "type" => is(Type),
    kept ["from", "to"],
};
