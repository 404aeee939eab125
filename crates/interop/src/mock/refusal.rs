//! Requests that the providers refuse, and their words for it.
//!
//! A request is judged as a provider judges it before its model sees it: pairs of calls and
//! results, ids, names, arguments, order, empty parts, roles. The answer has the first fault.

mod anthropic;
mod chat;
mod gemini;
mod responses;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

pub(super) use anthropic::refusal as anthropic;
pub(super) use chat::refusal as chat;
pub(super) use gemini::refusal as gemini;
pub(super) use responses::refusal as responses;

/// The result of a check: the provider's words, if it refuses.
type Verdict = Result<(), String>;

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| &list[..])
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Refuses if the condition does not hold.
fn must(holds: bool, why: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(why()) }
}

/// Whether a name or an id has letters, digits, `_` and `-` only, and a fitting length.
fn is_plain(name: &str, longest: usize) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    (1..=longest).contains(&name.len()) && name.bytes().all(plain)
}

/// Whether a text is a JSON object.
fn is_object(json: &Value) -> bool {
    serde_json::from_str::<Value>(text(json)).is_ok_and(|value| value.is_object())
}

/// Whether an address of a picture can be one.
fn is_address(url: &Value) -> bool {
    let url = text(url);
    let held = url.strip_prefix("data:").is_some_and(|rest| rest.contains(";base64,"));
    held || ["http://", "https://"].iter().any(|start| url.starts_with(start))
}

/// OpenAI's words for an array without elements.
fn empty_array(place: &str) -> String {
    format!(
        "Invalid '{place}': empty array. Expected an array with minimum length 1, but got an empty \
         array instead."
    )
}

/// OpenAI's words for a text that is too long.
fn too_long(place: &str, longest: usize, length: usize) -> String {
    format!(
        "Invalid '{place}': string too long. Expected a string with maximum length {longest}, but \
         got a string with length {length} instead."
    )
}

/// OpenAI's rules for the name of a tool.
fn open_ai_name(place: &str, name: &Value, longest: usize) -> Verdict {
    let name = text(name);
    must(name.len() <= longest, || too_long(place, longest, name.len()))?;
    must(is_plain(name, longest), || {
        format!(
            "Invalid '{place}': string does not match pattern. Expected a string that matches the \
             pattern '^[a-zA-Z0-9_-]+$'."
        )
    })
}

/// The body of an answer that refuses, in the form of Anthropic.
pub(super) fn anthropic_body(why: &str) -> Value {
    json!({"type": "error", "error": {"type": "invalid_request_error", "message": why}})
}

/// The same in the form of OpenAI.
pub(super) fn open_ai_body(why: &str) -> Value {
    let kind = "invalid_request_error";
    json!({"error": {"message": why, "type": kind, "param": null, "code": null}})
}

/// The same in the form of Gemini.
pub(super) fn gemini_body(why: &str) -> Value {
    json!({"error": {"code": 400, "message": why, "status": "INVALID_ARGUMENT"}})
}
