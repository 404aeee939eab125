//! Tables of the token counters of an answer.

use session::{Map, map};

/// Token counters of an answer: `input_tokens` excludes the cache, thinking is part of the output.
pub(super) static USAGE: Map = map! {
    "input_tokens" => is(TokensIn),
    "output_tokens" => is(TokensOut),
    "cache_read_input_tokens" => is(CacheRead),
    "cache_creation_input_tokens" => is(CacheWrite),
    "cache_creation" => within(Native, &CACHE_CREATION),
    "output_tokens_details" => within(Native, &OUTPUT_DETAILS),
    kept [
        "server_tool_use", "service_tier", "inference_geo", "speed", "iterations",
        "fallback_credit",
    ],
};

/// The cache writes by how long the cache keeps them.
pub(super) static CACHE_CREATION: Map = map! {
    "ephemeral_1h_input_tokens" => is(CacheWriteHour),
    "ephemeral_5m_input_tokens" => kept,
};

pub(super) static OUTPUT_DETAILS: Map = map! {
    "thinking_tokens" => is(TokensReasoning),
};
