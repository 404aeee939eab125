//! Parts of a conversation: the texts that a request has, if the conversation arrived.

use std::collections::BTreeSet;

use serde_json::Value;

/// A text of the conversation.
pub(crate) struct Part {
    /// The kind of its event.
    pub kind: String,
    /// The text.
    pub text: String,
}

impl Part {
    /// Whether a request has it.
    pub(crate) fn is_in(&self, request: &str) -> bool {
        request.contains(&self.text)
    }
}

/// The shortest address that holds a picture: agents refuse shorter ones.
const SHORTEST: usize = 64;

/// A text without the difference of white space, and without what is before the data of a picture.
pub(crate) fn plain(text: &str) -> String {
    let data = text.strip_prefix("data:").and_then(|data| data.split_once(";base64,"));
    let text = data.map_or(text, |(_, data)| data);
    // Cursor's tags around a prompt.
    let words = text.strip_prefix("<user_query>").and_then(|t| t.strip_suffix("</user_query>"));
    let text = words.unwrap_or(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The texts of a session that its next request should have: prompts, answers, calls, results.
pub(crate) fn parts(show: &Value) -> Vec<Part> {
    let mut parts = Vec::new();
    for event in show["events"].as_array().into_iter().flatten() {
        let kind = event["kind"].as_str().unwrap_or_default();
        let live = event["standing"] == "live" && event["stream"] == "main";
        let (name, slots): (&str, &[&str]) = match kind {
            "user" if event["injected"] == false => ("prompt", &["content"]),
            "assistant" => ("answer", &["content"]),
            "tool-call" => ("call", &["input"]),
            "tool-result" => ("result", &["output"]),
            _ => continue,
        };
        // No agent sends a result without its call.
        if kind == "tool-result" && event["answers"].is_null() {
            continue;
        }
        let fields = event["fields"].as_array().into_iter().flatten();
        let said = fields.filter(|field| slots.iter().any(|slot| field["slot"] == *slot));
        for field in said.filter(|_| live) {
            let mut texts = Vec::new();
            strings(&field["value"], &mut texts);
            let part = |text: &String| {
                let text = plain(text);
                let kind = if is_data(&text) { "picture" } else { name };
                Part { kind: kind.to_owned(), text }
            };
            // Types, names and ids of the interface are no texts of the conversation.
            let is_text = |text: &&String| {
                let short = text.starts_with("data:") && text.len() < SHORTEST;
                text.contains(' ') || text.contains('/') && !text.starts_with("image/") && !short
            };
            parts.extend(texts.iter().filter(is_text).map(part));
        }
    }
    parts
}

/// The texts of a session's thoughts.
pub(crate) fn thoughts(show: &Value) -> BTreeSet<String> {
    let events = show["events"].as_array().into_iter().flatten();
    let thoughts = events.filter(|event| event["kind"] == "reasoning");
    let fields = thoughts.flat_map(|event| event["fields"].as_array().into_iter().flatten());
    let mut texts = Vec::new();
    fields.for_each(|field| strings(&field["value"], &mut texts));
    texts.iter().map(|text| plain(text)).collect()
}

/// Whether a text is the data of a picture, in Base64.
fn is_data(text: &str) -> bool {
    let digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    text.len() >= SHORTEST && text.bytes().all(digit)
}

/// The strings of a value, and of JSON within strings.
pub(crate) fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if inner.is_object() || inner.is_array() => strings(&inner, found),
            _ => found.push(text.clone()),
        },
        Value::Array(all) => all.iter().for_each(|one| strings(one, found)),
        Value::Object(all) => all.values().for_each(|one| strings(one, found)),
        _ => {}
    }
}
