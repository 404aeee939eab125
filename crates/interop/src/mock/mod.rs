//! A mock model: it answers by a script, in the protocols that the agents use.
//!
//! The mock keeps no conversation. A word in the last prompt names the script. The number of
//! answers after that prompt, in the same request, is the step. The mock records its answers and
//! all requests.

mod anthropic;
mod chat;
mod gemini;
mod http;
mod ollama;
mod refusal;
mod responses;
pub(crate) mod script;
mod server;
pub(crate) mod told;

pub(crate) use server::{Mock, Vocabulary};

use serde_json::Value;

use told::Told;

/// A protocol's request, as far as the script needs it.
#[derive(Default)]
pub(crate) struct Request {
    /// The conversation, oldest first.
    pub turns: Vec<Turn>,
    /// The tools that it offers, by name.
    pub tools: Vec<String>,
    /// The last result of a tool.
    pub result: Option<String>,
    /// Whether the agent requests a compaction in a request of its own kind.
    pub shorten: bool,
    /// Whether the answer is streamed.
    pub stream: bool,
    /// The requested model.
    pub model: String,
}

/// One part of a conversation.
pub(crate) enum Turn {
    /// Text of the user or the agent, without tool results.
    User(String),
    /// Text or call of the model. Several in a row are one answer.
    Model,
    /// A result of a tool, or an instruction.
    Other,
}

/// A tool call in the vocabulary of the agent that sent the request.
#[derive(Clone)]
pub(crate) struct Call {
    /// The tool's name.
    pub name: String,
    /// The namespace, if the protocol has namespaces of tools.
    pub space: Option<&'static str>,
    /// Its arguments, or a text if the tool takes free text.
    pub input: Value,
}

/// One answer, independent of the protocol.
pub(crate) struct Answer {
    /// Token counts and text, for the comparison afterwards.
    pub told: Told,
    /// Its reasoning, if any.
    pub thinking: Option<String>,
    /// The tools that it calls.
    pub calls: Vec<Call>,
    /// The requested model.
    pub model: String,
    /// Whether it is the summary of a compaction.
    pub shorter: bool,
    /// Whether it stops in the middle and the connection stays open.
    pub half: bool,
}

impl Answer {
    /// An identifier that is unique in the run.
    pub(crate) fn id(&self, kind: &str) -> String {
        format!("{kind}_{:08}", self.told.number)
    }

    /// The identifier of one of its calls.
    pub(crate) fn call_id(&self, at: usize) -> String {
        format!("call_{:06}{at:02}", self.told.number)
    }
}

/// The text of a value that is a string or an array of parts with texts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// The names of a request's tools, found wherever the protocols have them.
fn names(tools: &Value) -> Vec<String> {
    let each = |tool: &Value| -> Vec<String> {
        let inner = ["functionDeclarations", "tools"].map(|name| &tool[name]);
        let inner = inner.into_iter().filter_map(Value::as_array).flatten();
        let own = [&tool["name"], &tool["function"]["name"]];
        own.into_iter()
            .chain(inner.map(|declared| &declared["name"]))
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect()
    };
    tools.as_array().map_or_else(Vec::new, |tools| tools.iter().flat_map(each).collect())
}

/// A server-sent event with an event name, taken from its data.
fn event(data: &Value) -> String {
    let name = data["type"].as_str().unwrap_or("message");
    format!("event: {name}\ndata: {data}\n\n")
}

/// A server-sent event without a name.
fn data(data: &Value) -> String {
    format!("data: {data}\n\n")
}
