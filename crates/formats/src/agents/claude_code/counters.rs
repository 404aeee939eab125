//! Tables of the token counters of an answer, and the terms of service beside them.

use meaning::usage::Terms;
use session::{EventRef, Map, Node, Slot, map, value};

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

/// The terms on which a line's answer was served.
pub(super) fn terms(event: EventRef<'_>) -> Option<Terms> {
    let usage = event.field(Slot::Usage)?;
    let (mut words, mut searches) = ([const { None }; 3], 0);
    let native = event.fields().iter().filter(|field| field.slot == Slot::Native);
    for field in native.filter(|field| usage.value.holds(field.value)) {
        let (name, stated) = (event.name(*field), event.value(*field));
        if let Some(at) = STATED.iter().position(|known| known.as_bytes() == name) {
            words[at] = if stated == USUAL[at] { None } else { value::text(stated) };
        } else if name == USED && stated.iter().any(|byte| matches!(byte, b'1'..=b'9')) {
            // Nearly all answers made no search.
            let count = value::look(stated, |used| used.at(SEARCHES).and_then(whole));
            searches = count.unwrap_or_default();
        }
    }
    let [speed, tier, region] = words.each_ref().map(Option::as_deref);
    Some(stated([speed, tier, region], searches))
}

/// The terms that a `usage` states within another record.
pub(super) fn terms_of(usage: Node<'_>) -> Terms {
    let word = |name: &'static str| value::text_at(usage, &[name]);
    let words = STATED.map(word);
    let [speed, tier, region] = words.each_ref().map(Option::as_deref);
    let searches = usage.at(&["server_tool_use"]).and_then(|used| whole(used.at(SEARCHES)?));
    stated([speed, tier, region], searches.unwrap_or_default())
}

/// A fast answer that has a tier too is of neither alone.
fn stated([speed, tier, region]: [Option<&str>; 3], searches: u64) -> Terms {
    let searches = u32::try_from(searches).unwrap_or(u32::MAX);
    let mut terms = Terms::of(speed, region, searches);
    let tier = Terms::of(tier, None, 0).tier;
    terms.tier = match (terms.tier, tier) {
        (Some(speed), Some(tier)) => Some(format!("{speed} {tier}")),
        (one, other) => one.or(other),
    };
    terms
}

fn whole(number: Node<'_>) -> Option<u64> {
    value::number(number.raw())
}

/// The members of a `usage` that state terms.
const STATED: [&str; 3] = ["speed", "service_tier", "inference_geo"];

/// The usual terms, which nearly all answers state there.
const USUAL: [&[u8]; 3] = [b"\"standard\"", b"\"standard\"", b"\"not_available\""];

/// The member of a `usage` that counts the tools of the provider.
const USED: &[u8] = b"server_tool_use";

const SEARCHES: &[&str] = &["web_search_requests"];
