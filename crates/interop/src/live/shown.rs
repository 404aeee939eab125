//! The live items of a session, from the document of `verbatim show --json`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::compare::Item;
use crate::carry::items::Items;
use crate::carry::parts::{Part, plain};

/// The live items of a shown session.
pub(crate) struct Shown {
    pub items: Vec<Item>,
    /// The texts of others among them. The agent may send them in words of its own.
    pub told: BTreeSet<String>,
}

impl Shown {
    /// The items that are compared with a request: texts of others only if it has them.
    pub(crate) fn against(&self, theirs: &[Item]) -> Vec<Item> {
        let counts = |item: &&Item| !self.told.contains(&item.text) || theirs.contains(item);
        self.items.iter().filter(counts).cloned().collect()
    }
}

/// The live items of a shown session.
pub(crate) fn items(show: &Value) -> Shown {
    let all = read(show["events"].as_array().into_iter().flatten().collect(), Items::whole());
    let told = all.iter().filter(|part| part.kind == "told").map(|part| part.text.clone());
    Shown { told: told.collect(), items: of_request(all) }
}

/// The ids of the calls that an event is, or answers.
fn ids(event: &Value) -> impl Iterator<Item = &str> {
    values(event, "call").into_iter().filter_map(Value::as_str)
}

/// The live texts of a shown session: those that its next request should have. No agent sends a
/// result without its call.
pub(crate) fn parts(show: &Value) -> Vec<Part> {
    let events = || show["events"].as_array().into_iter().flatten();
    let calls: BTreeSet<&str> =
        events().filter(|event| event["part"] == "call").flat_map(ids).collect();
    let is_answer = |event: &&Value| ids(event).next().is_none_or(|id| calls.contains(id));
    let answers = events().filter(|event| event["part"] != "result" || is_answer(event));
    let mut parts = read(answers.collect(), Items::default());
    parts.retain(|part| !part.text.is_empty());
    parts
}

fn read(events: Vec<&Value>, mut read: Items) -> Vec<Part> {
    // A prompt behind the results in its own message.
    let mut later: Vec<(&Value, &Value)> = Vec::new();
    for event in &events {
        while let Some((prompt, _)) = later.pop_if(|(_, number)| event["parent"] != **number) {
            add(prompt, &mut read);
        }
        if event["live"] != true {
            continue;
        }
        let number = &event["event"];
        let carries = |other: &&Value| other["parent"] == *number && other["part"] == "result";
        match event["part"] == "prompt" && events.iter().any(carries) {
            true => later.push((event, number)),
            false => add(event, &mut read),
        }
    }
    later.iter().for_each(|(prompt, _)| add(prompt, &mut read));
    read.all
}

/// Items as a request has them: all texts of the user's side are of one kind, and the calls of an
/// answer are before their results.
pub(crate) fn of_request(parts: Vec<Part>) -> Vec<Item> {
    let kind = |kind: &str| match kind {
        "answer" => "answer",
        "call" => "call",
        "result" => "result",
        "picture" => "picture",
        _ => "user",
    };
    let item = |part: Part| Item { kind: kind(&part.kind), text: part.text };
    let all = parts.into_iter().filter(|part| !part.text.is_empty()).map(item);
    let mut all: Vec<Item> = all.collect();
    let is_tool = |item: &Item| ["call", "result"].contains(&item.kind);
    for run in all.chunk_by_mut(|one, other| is_tool(one) && is_tool(other)) {
        run.sort_by_key(|item| item.kind == "result");
    }
    all
}

/// Adds what an event says.
fn add(event: &Value, read: &mut Items) {
    match event["part"].as_str().unwrap_or_default() {
        "report" => said(event, "report", read),
        "prompt" | "task" => said(event, "prompt", read),
        "told" | "expansion" => said(event, "told", read),
        "summary" if event["kind"] != "assistant" => said(event, "prompt", read),
        "summary" | "answer" => said(event, "answer", read),
        "call" => {
            let (name, input) = (values(event, "name"), values(event, "input"));
            let input = Value::Array(input.into_iter().cloned().collect());
            read.call(name.first().copied().unwrap_or(&Value::Null), &input);
        }
        "result" => {
            let output = values(event, "output");
            let output = if output.is_empty() { values(event, "content") } else { output };
            match output[..] {
                [one] => read.result(one),
                _ => read.result(&Value::Array(output.into_iter().cloned().collect())),
            }
            values(event, "media").into_iter().for_each(|media| picture(media, read));
        }
        "picture" => values(event, "media").into_iter().for_each(|media| picture(media, read)),
        _ => {}
    }
}

/// The values of the fields with a meaning.
fn values<'e>(event: &'e Value, slot: &str) -> Vec<&'e Value> {
    let fields = event["fields"].as_array().into_iter().flatten();
    fields.filter(|field| field["slot"] == slot).map(|field| &field["value"]).collect()
}

fn said(event: &Value, kind: &str, read: &mut Items) {
    for value in values(event, "content") {
        let blocks = value.as_array().map_or(std::slice::from_ref(value), |blocks| &blocks[..]);
        for block in blocks {
            match block.as_str() {
                Some(text) => read.push(kind, text),
                None if block["text"].is_string() => {
                    read.push(kind, block["text"].as_str().unwrap_or_default());
                }
                None => read.part(block, kind != "answer"),
            }
        }
    }
}

fn picture(media: &Value, read: &mut Items) {
    match media {
        Value::String(text) if text.starts_with("data:") => {
            read.all.push(Part::new("picture", plain(text)));
        }
        Value::Array(all) => all.iter().for_each(|one| picture(one, read)),
        other => drop(read.picture(other)),
    }
}
