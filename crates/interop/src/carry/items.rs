//! The conversation in a request of an agent that resumed its own session: the items that every
//! other agent's request must have. It is read from the request alone, without verbatim.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::parts::{Part, plain, strings};
use super::told::{reminders, typed_meanwhile};

/// The items of a request, in one of the four protocols, with the texts that the agent adds by
/// itself. It leaves out the last prompt, with which the agent continued.
pub(crate) fn items(body: &Value, last: &str) -> Vec<Part> {
    Items::default().of(body, last)
}

/// The same, with each call as one item that begins with its name, and each result as one item,
/// without the reminders in them.
pub(crate) fn whole(body: &Value, last: &str) -> Vec<Part> {
    Items::whole().of(body, last)
}

#[derive(Default)]
pub(crate) struct Items {
    pub(crate) all: Vec<Part>,
    /// Whether each call and each result is one item, and reminders are left out.
    whole: bool,
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |all| &all[..])
}

impl Items {
    pub(crate) fn whole() -> Self {
        Self { whole: true, ..Self::default() }
    }

    fn of(mut self, body: &Value, last: &str) -> Vec<Part> {
        self.read(body);
        self.all.retain(|part| !part.text.is_empty() && !part.text.contains(last));
        self.all
    }

    fn read(&mut self, body: &Value) {
        for message in list(&body["messages"]) {
            self.message(message);
        }
        for item in list(&body["input"]) {
            self.item(item);
        }
        for content in list(&body["contents"]) {
            let is_user = content["role"] != "model";
            list(&content["parts"]).iter().for_each(|part| self.part(part, is_user));
        }
    }

    /// A text; of JSON in a text, its strings. Behind it the reminders in it.
    pub(crate) fn push(&mut self, kind: &str, text: &str) {
        let (mut pieces, found) = reminders(text);
        if self.whole {
            pieces = vec![pieces.concat()];
        }
        let mut texts = Vec::new();
        pieces.into_iter().for_each(|piece| strings(&piece.into(), &mut texts));
        self.all.extend(texts.iter().map(|text| Part::new(kind, plain(text))));
        self.told(&found);
    }

    /// Texts that are one item.
    fn one(&mut self, kind: &str, texts: &[String]) {
        let (pieces, found) = reminders(&texts.join(" "));
        self.all.push(Part::new(kind, plain(&pieces.concat())));
        self.told(&found);
    }

    /// Texts that no person typed as a prompt. A text that was typed while tools ran is one.
    fn told(&mut self, texts: &[String]) {
        for text in texts {
            let typed = typed_meanwhile(text);
            let kind = if typed.is_some() { "prompt" } else { "told" };
            if typed.is_some() || !self.whole {
                let text = plain(typed.unwrap_or(text));
                self.all.push(Part::new(kind, text));
            }
        }
    }

    /// A text of the user's side: a prompt, a report of a sub-agent, or a text of others.
    pub(crate) fn said(&mut self, text: &str, is_user: bool) {
        let start = text.trim_start();
        let is_report = ["<subagent_notification", "<task-notification"];
        match is_user {
            false => self.push("answer", text),
            true if is_report.iter().any(|tag| start.starts_with(tag)) => self.push("report", text),
            true if is_told(start) => self.push("told", text),
            true => self.push("prompt", text),
        }
    }

    /// The strings of a call's arguments.
    pub(crate) fn call(&mut self, name: &Value, input: &Value) {
        let mut texts = Vec::new();
        strings(input, &mut texts);
        if self.whole {
            texts.insert(0, name.as_str().unwrap_or_default().to_owned());
            return self.one("call", &texts);
        }
        texts.iter().for_each(|text| self.push("call", text));
    }

    /// A message of Anthropic's protocol or of OpenAI's Chat Completions.
    fn message(&mut self, message: &Value) {
        let role = message["role"].as_str().unwrap_or_default();
        if role == "system" {
            return self.instructed(&message["content"]);
        }
        if !["user", "assistant", "tool"].contains(&role) {
            return;
        }
        let (is_user, content) = (role == "user", &message["content"]);
        match (role, content.as_str()) {
            ("tool", _) => self.result(content),
            (_, Some(text)) => self.said(text, is_user),
            _ => list(content).iter().for_each(|block| self.part(block, is_user)),
        }
        for call in list(&message["tool_calls"]) {
            self.call(&call["function"]["name"], &call["function"]["arguments"]);
        }
    }

    /// A message of the agent to the model. Behind the first prompt it has texts of others.
    fn instructed(&mut self, content: &Value) {
        let mut texts = Vec::new();
        strings(content, &mut texts);
        if self.all.iter().any(|part| part.kind == "prompt") {
            self.told(&texts);
        }
    }

    /// An item of OpenAI's Responses.
    fn item(&mut self, item: &Value) {
        let kind = item["type"].as_str().unwrap_or("message");
        match kind {
            "message" if ["user", "assistant"].iter().any(|role| item["role"] == *role) => {
                let is_user = item["role"] == "user";
                list(&item["content"]).iter().for_each(|part| self.part(part, is_user));
            }
            "message" if item["role"] == "developer" => {
                let texts = list(&item["content"]).iter().filter_map(|part| part["text"].as_str());
                self.told(&texts.map(str::to_owned).collect::<Vec<_>>());
            }
            _ if kind.ends_with("_output") => self.result(&item["output"]),
            "function_call" => self.call(&item["name"], &item["arguments"]),
            "custom_tool_call" => self.call(&item["name"], &item["input"]),
            _ if kind.ends_with("_call") => self.call(&item["name"], &item["action"]["query"]),
            _ => {}
        }
    }

    /// A part of a message, in any of the protocols.
    pub(crate) fn part(&mut self, part: &Value, is_user: bool) {
        if part["type"] == "tool_use" {
            return self.call(&part["name"], &part["input"]);
        }
        if let Some(call) = part.get("functionCall") {
            return self.call(&call["name"], &call["args"]);
        }
        let response = &part["functionResponse"]["response"];
        if part["type"] == "tool_result" || !response.is_null() {
            let content = if response.is_null() { &part["content"] } else { response };
            return self.result(content);
        }
        if !self.picture(part)
            && part["thought"] != true
            && !part["type"].as_str().is_some_and(is_thought)
        {
            self.said(part["text"].as_str().unwrap_or_default(), is_user);
        }
    }

    pub(crate) fn result(&mut self, content: &Value) {
        let mut texts = Vec::new();
        let from = self.all.len();
        for part in list(content).iter().filter(|part| !self.picture(part)) {
            match part["text"].as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => strings(&part["functionResponse"]["response"], &mut texts),
            }
        }
        match content {
            Value::Array(_) => {}
            Value::String(text) => texts.push(text.clone()),
            other => strings(other, &mut texts),
        }
        if self.whole {
            let mut inner = Vec::new();
            texts.iter().for_each(|text| strings(&text.as_str().into(), &mut inner));
            let pictures = self.all.split_off(from);
            self.one("result", &inner);
            return self.all.extend(pictures);
        }
        texts.iter().for_each(|text| self.push("result", text));
    }

    /// Takes a picture, if the part is one.
    pub(crate) fn picture(&mut self, part: &Value) -> bool {
        let own = if part["type"] == "image" { &part["data"] } else { &Value::Null };
        let held = [&part["source"]["data"], &part["inlineData"]["data"], own];
        let named = [&part["image_url"], &part["image_url"]["url"]];
        let named = named.into_iter().filter_map(|url| url.as_str()?.split_once(";base64,"));
        let data = held.into_iter().filter_map(Value::as_str).chain(named.map(|(_, data)| data));
        data.take(1).map(|data| self.push("picture", data)).count() > 0
    }
}

fn is_thought(kind: &str) -> bool {
    kind.contains("thinking") || kind.contains("reasoning")
}

/// A text of the user's side that no person typed as a prompt: a tag is at its beginning.
fn is_told(text: &str) -> bool {
    let tag = text.strip_prefix('<').and_then(|rest| rest.split_once(['>', ' ']));
    tag.is_some_and(|(name, _)| {
        let letters = |byte: u8| byte.is_ascii_alphabetic() || b"_-".contains(&byte);
        !name.is_empty() && name.bytes().all(letters)
    })
}

/// The items of a session by the second reader, where it is beside the project: for agents that
/// can't run here.
pub(crate) fn second_reader(shared: &Path, agent: &str, file: &Path) -> Option<Vec<Part>> {
    let reader = shared.join("judges/second_reader_told.py");
    let agent = agent.trim_end_matches("-code");
    let done = Command::new("python3").arg("-B").arg(reader).arg(agent).arg(file).output().ok()?;
    let lines = std::str::from_utf8(&done.stdout).ok()?.lines();
    let mut items = Items::default();
    for line in lines.filter(|_| done.status.success()) {
        let item: Value = serde_json::from_str(line).ok()?;
        let text = item["text"].as_str().unwrap_or_default();
        match item["kind"].as_str() {
            Some("user" | "own") if item["tag"] == "own" => {}
            Some("user") if item["tag"] == "byhand" => items.push("told", text),
            Some("user") if item["tag"] == "report" => items.push("report", text),
            Some("user") => items.push("prompt", text),
            Some("text") => items.push("answer", text),
            Some("call") => items.call(&item["name"], &item["args"]),
            Some("result") => items.push("result", text),
            _ => {}
        }
    }
    items.all.retain(|part| !part.text.is_empty());
    (!items.all.is_empty()).then_some(items.all)
}
