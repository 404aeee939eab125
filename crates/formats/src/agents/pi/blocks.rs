//! Tables of the parts of a message: its blocks, and its token counters. Tables only.

use session::{Case, Kind, Map, map};

/// A thought. `redacted` is one of which only the signature says something.
pub(super) const REDACTED: &[&str] = &["redacted"];

static THINKING_MAP: Map = map! {
    "type" => is(Type),
    "thinking" => is(Content),
    kept ["thinkingSignature", "redacted", "itemId"],
};
static SEALED_MAP: Map = map! {
    "type" => is(Type),
    kept ["thinking"],
    "thinkingSignature" => is(Encrypted),
    // oh-my-pi
    "data" => is(Encrypted),
    kept ["redacted"],
};
static CALL_MAP: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    "name" => is(Name),
    "arguments" => is(Input),
    kept ["thoughtSignature", "partialJson", "partialArgs", "namespace"],
    // oh-my-pi
    kept ["intent", "customWireName"],
};
/// A note that another model answered (oh-my-pi).
static FALLBACK_MAP: Map = map! { "type" => is(Type), kept ["from", "to"] };

/// Token counters: the input excludes the cache, the output includes the thoughts.
pub(super) static USAGE: Map = map! {
    "input" => is(TokensIn),
    "output" => is(TokensOut),
    "cacheRead" => is(CacheRead),
    "cacheWrite" => is(CacheWrite),
    "cacheWrite1h" => is(CacheWriteHour),
    "reasoning" => is(TokensReasoning),
    "totalTokens" => is(TokensTotal),
    "cost" => within(Native, &COST),
    // oh-my-pi
    "reasoningTokens" => is(TokensReasoning),
    kept ["premiumRequests", "orchestration", "cttl", "server"],
};

/// The cost in US dollars, by the agent's own table of prices.
static COST: Map = map! {
    kept ["input", "output", "cacheRead", "cacheWrite", "totalFromProvider"],
    "total" => is(Cost),
};

/// The calls that a script made.
pub(super) static NESTED: Map = map! { kept ["calls", "complete"] };

pub(super) static THINKING: Case = Case::new("thinking", Kind::Reasoning, &THINKING_MAP);
pub(super) static SEALED: Case = Case::new("sealed", Kind::Reasoning, &SEALED_MAP);
pub(super) static CALL: Case = Case::new("toolCall", Kind::ToolCall, &CALL_MAP);
pub(super) static FALLBACK: Case = Case::new("fallback", Kind::Notice, &FALLBACK_MAP).injected();

/// Every table, by its name in `FORMAT.md`.
pub(super) static ALL: &[(&str, &Map)] = &[
    ("thinking", &THINKING_MAP),
    ("thinking, redacted", &SEALED_MAP),
    ("toolCall", &CALL_MAP),
    ("fallback", &FALLBACK_MAP),
    ("usage", &USAGE),
    ("usage: cost", &COST),
    ("nestedCalls", &NESTED),
];
