//! Items of a conversation, and the differences of two.

use meaning::conversation::{self, TalkPart};
use serde_json::Value;
use session::{EventRef, Hold, Session, Slot, Span};

/// An item of a conversation.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// `user`, `text`, `call`, `result` or `image`.
    pub(crate) kind: &'static str,
    /// Its letters and digits.
    pub(crate) text: String,
    /// The name of its case, or the second reader's tag.
    pub(crate) class: String,
    /// Its part of the conversation may be on either side: a summary.
    pub(crate) either: bool,
}

impl Item {
    pub(crate) fn new(kind: &'static str, text: &str, class: &str) -> Self {
        let text = if kind == "image" { text.to_owned() } else { squashed(text) };
        Self { kind, text, class: class.to_owned(), either: false }
    }

    /// A call: the values of its arguments, in the order of their names.
    pub(crate) fn call(arguments: &Value, class: &str) -> Self {
        let own = arguments.as_str();
        let inner = own.and_then(|text| serde_json::from_str(text).ok());
        // In plain text, an argument is a line behind its name.
        let named = |line: &str| line.split_once(": ").map(|(_, value)| value.to_owned());
        let lines = own.filter(|_| inner.is_none()).map(|text| {
            // A patch begins on the line of its call.
            text.trim_start_matches("*** Begin Patch")
                .lines()
                .map(|line| named(line).unwrap_or(line.to_owned()))
                .collect::<String>()
        });
        let mut text = String::new();
        leaves(inner.as_ref().unwrap_or(arguments), &mut text);
        Self::new("call", lines.as_deref().unwrap_or(&text), class)
    }

    fn is(&self, other: &Self) -> bool {
        let same = self.kind == other.kind;
        let either = self.either && ["user", "text"].contains(&other.kind);
        (same || either) && self.text == other.text
    }
}

fn squashed(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

fn leaves(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => members.values().for_each(|value| leaves(value, text)),
        Value::Array(elements) => elements.iter().for_each(|value| leaves(value, text)),
        Value::Null => {}
        Value::String(own) => text.push_str(own),
        other => text.push_str(&other.to_string()),
    }
}

/// The live items of a session.
pub(crate) fn ours(session: &Session) -> Vec<Item> {
    let mut items = Vec::new();
    for event in conversation::events(session) {
        let item = conversation::of(event);
        if item.live {
            add(event, item.part, &mut items);
        }
    }
    // A transcript in plain text names results that it does not have.
    let bare = session.format == "cursor";
    let is_tool = |item: &Item| item.kind == "call" || item.kind == "result" && !bare;
    items.retain(|item| is_tool(item) || !item.text.is_empty());
    items
}

fn add(event: EventRef<'_>, part: TalkPart, items: &mut Vec<Item>) {
    let class = format!("{} {}", part.word(), event.case.name);
    let value = |slot| serde_json::from_slice(event.raw(slot).unwrap_or(b"null")).ok();
    let value = |slot| value(slot).unwrap_or(Value::Null);
    let from = items.len();
    match part {
        TalkPart::Prompt
        | TalkPart::Report
        | TalkPart::Summary
        | TalkPart::Task
        | TalkPart::Expansion
        | TalkPart::Told => {
            said(event, "user", &class, items);
        }
        TalkPart::Answer => said(event, "text", &class, items),
        TalkPart::Call => items.push(Item::call(&value(Slot::Input), &class)),
        TalkPart::Result => {
            let slot =
                if event.field(Slot::Output).is_some() { Slot::Output } else { Slot::Content };
            let output = value(slot);
            items.push(Item::new("result", &output_text(&output), &class));
            pictures(&output, &class, items);
            pictures(&value(Slot::Media), &class, items);
        }
        TalkPart::Picture => pictures(&value(Slot::Media), &class, items),
        _ => {}
    }
    for item in &mut items[from..] {
        item.either = part == TalkPart::Summary;
    }
}

/// The texts and pictures of a content, without the events in it.
fn said(event: EventRef<'_>, kind: &'static str, class: &str, items: &mut Vec<Item>) {
    if let Some(worded) = formats::told::worded(event).filter(|_| event.session().format == "codex")
    {
        return items.push(Item::new(kind, &worded.text, class));
    }
    let Some(field) = event.field(Slot::Content) else { return };
    let raw = event.value(field);
    let within: Vec<Span> = match field.hold {
        Hold::Open => event.children().map(|child| child.span).collect(),
        _ => Vec::new(),
    };
    let Ok(parts) = serde_json::from_slice::<Vec<&serde_json::value::RawValue>>(raw) else {
        let text: String = serde_json::from_slice(raw).unwrap_or_default();
        return items.push(Item::new(kind, &person(&text), class));
    };
    for part in parts {
        let at = part.get().as_ptr() as usize - raw.as_ptr() as usize;
        if within.iter().any(|child| child.start as usize == field.value.start as usize + at) {
            continue;
        }
        let part: Value = serde_json::from_str(part.get()).expect("JSON");
        if let Some(text) = part.as_str().or_else(|| part["text"].as_str()) {
            items.push(Item::new(kind, &person(text), class));
        } else {
            pictures(&part, class, items);
        }
    }
}

/// The words of a person within the tags that some agents put around a prompt.
fn person(text: &str) -> String {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once("<user_query>") {
        let Some((inner, after)) = behind.split_once("</user_query>") else { break };
        words.push(inner);
        rest = after;
    }
    if words.is_empty() { text.to_owned() } else { words.join("\n") }
}

/// The text of a tool's answer, in the forms of the providers' interfaces.
fn output_text(output: &Value) -> String {
    let own = |value: &Value| value.as_str().map(str::to_owned);
    match output {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let text = |part: &Value| {
                let response = &part["functionResponse"]["response"];
                let told = [&part["text"], &response["output"], &response["error"], part];
                let text = told.iter().find_map(|text| own(text));
                text.or_else(|| (!response.is_null()).then(|| response.to_string()))
            };
            parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => own(&other["content"]).unwrap_or_else(|| {
            let mut text = String::new();
            leaves(other, &mut text);
            text
        }),
    }
}

/// The bytes of the pictures in a value.
fn pictures(value: &Value, class: &str, items: &mut Vec<Item>) {
    let url = |text: &Value| {
        let (_, data) = text.as_str()?.strip_prefix("data:image/")?.split_once(',')?;
        Some(data.to_owned())
    };
    let urls = [value, &value["image_url"], &value["image_url"]["url"], &value["url"]];
    let data = [&value["source"]["data"], &value["inlineData"]["data"]];
    let data = data.iter().find_map(|data| data.as_str().map(str::to_owned));
    match data.or_else(|| urls.iter().find_map(|text| url(text))) {
        Some(data) => {
            let data: String = data.split_whitespace().collect();
            items.push(Item::new("image", &data, class));
        }
        None => value.as_array().into_iter().flatten().for_each(|one| pictures(one, class, items)),
    }
}

/// Number of items in which the next one that both lists have is searched for.
const REACH: usize = 1200;

/// The differences of two lists of items: the class of each, and its beginning. A text of the agent
/// itself, which the second reader tags, counts where we have it.
pub(crate) fn compare(agent: &str, ours: &[Item], theirs: &[Item]) -> Vec<(String, String)> {
    let said = ours.iter().filter(|item| ["user", "text"].contains(&item.kind));
    let texts: std::collections::HashSet<&str> = said.map(|item| &*item.text).collect();
    let counts = |item: &&Item| item.class != "own" || texts.contains(&*item.text);
    let theirs: Vec<&Item> = theirs.iter().filter(counts).collect();
    let (mut differences, mut at, mut other) = (Vec::new(), 0, 0);
    let tell = |side: &str, item: &Item| {
        let start: String = item.text.chars().take(100).collect();
        (format!("{agent} {side} {} {}", item.kind, item.class).trim().to_owned(), start)
    };
    while at < ours.len() || other < theirs.len() {
        let next = (0..REACH).find_map(|reach| {
            let pairs = (0..=reach).map(|step| (at + step, other + reach - step));
            let mut pairs = pairs.filter(|(a, b)| *a < ours.len() && *b < theirs.len());
            pairs.find(|(a, b)| ours[*a].is(theirs[*b]))
        });
        let (a, b) = next.unwrap_or((ours.len(), theirs.len()));
        differences.extend(ours[at..a].iter().map(|item| tell("ours", item)));
        differences.extend(theirs[other..b].iter().map(|item| tell("theirs", item)));
        (at, other) = (a + usize::from(next.is_some()), b + usize::from(next.is_some()));
    }
    differences
}
