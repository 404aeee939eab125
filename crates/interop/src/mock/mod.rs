//! A model that is none: it answers by a script, in the protocols that the agents speak.
//!
//! It keeps no conversation. A word in the last prompt names the script, and the number of answers
//! that stand behind it in the request the step. What it told, and what it was asked, it keeps.

mod anthropic;
mod chat;
mod gemini;
mod http;
mod ollama;
mod responses;
pub(crate) mod script;
mod server;
pub(crate) mod told;

pub(crate) use server::{Mock, Vocabulary};

use serde_json::Value;

use told::Told;

/// What a protocol's request says, as far as the script needs it.
#[derive(Default)]
pub(crate) struct Request {
    /// The conversation, oldest first.
    pub turns: Vec<Turn>,
    /// The tools that it offers, by name.
    pub tools: Vec<String>,
    /// The last result of a tool.
    pub result: Option<String>,
    /// Whether the agent wants the conversation made shorter, by a request of its own kind.
    pub shorten: bool,
    /// Whether the answer is to come in pieces.
    pub stream: bool,
    /// The model that was asked for.
    pub model: String,
}

/// One part of a conversation.
pub(crate) enum Turn {
    /// What a person or the agent said, results of tools left out.
    User(String),
    /// What the model said or called. Several in a row are one answer.
    Model,
    /// A result of a tool, or an instruction.
    Other,
}

/// A call of a tool in the words of the agent that is asking.
#[derive(Clone)]
pub(crate) struct Call {
    /// The tool's name.
    pub name: String,
    /// Where the protocol puts tools in spaces: the space's name.
    pub space: Option<&'static str>,
    /// Its arguments; a text where the tool takes free text.
    pub input: Value,
}

/// One answer, before a protocol gives it its form.
pub(crate) struct Answer {
    /// Numbers and text, as they will be compared.
    pub told: Told,
    /// What it thought first, where it did.
    pub thinking: Option<String>,
    /// The tools that it calls.
    pub calls: Vec<Call>,
    /// The model that was asked for.
    pub model: String,
    /// Whether it is a conversation that was made shorter.
    pub shorter: bool,
    /// Whether it stops in the middle, and says nothing more.
    pub half: bool,
}

impl Answer {
    /// An identifier that no other answer of the run has.
    pub(crate) fn id(&self, kind: &str) -> String {
        format!("{kind}_{:08}", self.told.number)
    }

    /// The identifier of one of its calls.
    pub(crate) fn call_id(&self, at: usize) -> String {
        format!("call_{:06}{at:02}", self.told.number)
    }
}

/// The text of a value that is a text, or an array of parts with texts.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// The names of the tools of a request, found at one of the places where protocols put them.
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

/// An event of a stream that names its type in its data.
fn event(data: &Value) -> String {
    let name = data["type"].as_str().unwrap_or("message");
    format!("event: {name}\ndata: {data}\n\n")
}

/// An event without a name.
fn data(data: &Value) -> String {
    format!("data: {data}\n\n")
}
