//! Parts of a conversation: the texts that a request has, if the conversation arrived.

use std::collections::BTreeSet;

use serde_json::Value;

/// A text of the conversation.
pub(crate) struct Part {
    /// The kind of its event.
    pub kind: String,
    /// The text.
    pub text: String,
    /// The same text as its agent sends it, if that puts numbers before its lines.
    pub numbered: Option<String>,
}

/// The mark that Codex puts where it cuts a long result, behind the number of what it left out.
const CUTS: [&str; 2] = [" chars truncated…", " tokens truncated…"];

impl Part {
    pub(crate) fn new(kind: &str, text: String) -> Self {
        Self { kind: kind.to_owned(), text, numbered: None }
    }

    /// The parts before and behind the cut of a long result, each of which another agent sends.
    pub(crate) fn around_cuts(self) -> Vec<Self> {
        let cut = CUTS.iter().find_map(|mark| self.text.split_once(mark));
        match cut.and_then(|(before, behind)| Some((before.rsplit_once('…')?.0, behind))) {
            Some((before, behind)) if self.kind == "result" => {
                [before, behind].map(|text| Self::new(&self.kind, text.to_owned())).into()
            }
            _ => vec![self],
        }
    }

    /// Whether a request has it.
    pub(crate) fn is_in(&self, request: &str) -> bool {
        let is_there = |text: &String| request.contains(text);
        is_there(&self.text) || self.numbered.as_ref().is_some_and(is_there)
    }
}

/// A text without the difference of white space, and without what is before the data of a picture.
pub(crate) fn plain(text: &str) -> String {
    let data = text.strip_prefix("data:").and_then(|data| data.split_once(";base64,"));
    let text = data.map_or(text, |(_, data)| data);
    // Cursor's tags around a prompt.
    let words = text.strip_prefix("<user_query>").and_then(|t| t.strip_suffix("</user_query>"));
    let text = words.unwrap_or(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
