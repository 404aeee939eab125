//! A conversation as both agents should know it, read from a session.

use meaning::Calls;
use serde_json::Value;
use session::{EventRef, Injected, Kind, Outcome, Session, Slot, Standing, Stream};

use verbatim_formats::told;

use super::value;

/// The conversation as both agents should know it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Talk {
    /// Texts in order: of a person (or a summary), or of the model. Adjacent ones are one.
    pub(crate) said: Vec<(bool, String)>,
    /// The number of calls.
    pub(crate) calls: usize,
    /// The outputs of the calls with a result that says something. A call without a recorded
    /// result has a made one elsewhere.
    pub(crate) results: Vec<String>,
    /// Whether the call failed, for each call.
    pub(crate) failed: Vec<bool>,
}

impl Talk {
    fn say(&mut self, person: bool, text: &str) {
        match self.said.last_mut() {
            _ if text.trim().is_empty() => {}
            Some((same, said)) if *same == person => {
                said.push('\n');
                said.push_str(text);
            }
            _ => self.said.push((person, text.to_owned())),
        }
    }
}

pub(crate) fn text(event: EventRef<'_>) -> String {
    event.said().into_owned()
}

/// A text without the line feeds next to the tags around it.
fn one_line_inside(text: &str) -> &str {
    let text = text.strip_prefix('\n').unwrap_or(text);
    text.strip_suffix('\n').unwrap_or(text)
}

/// The elements in which Cline and its forks put what a person typed.
const TYPED: [&str; 5] = ["task", "feedback", "user_message", "answer", "user_input"];

/// A person's own words in a prompt: Cursor puts tags around them, and so do files for Gemini CLI
/// around what it would take for a command. Qwen Code has a reminder before them. Cline and its
/// forks name in an element what was typed: a task, or words about a result.
fn words<'t>(session: &Session, prompt: &'t str) -> &'t str {
    let inside =
        prompt.strip_prefix("<user_prompt>\n").and_then(|s| s.strip_suffix("\n</user_prompt>"));
    if let Some(own) = inside.filter(|_| session.format == "gemini") {
        return own;
    }
    let reminded = prompt.strip_prefix("<system-reminder>").filter(|_| session.format == "qwen");
    if let Some((_, own)) = reminded.and_then(|rest| rest.split_once("</system-reminder>"))
        && !own.trim().is_empty()
    {
        return own;
    }
    if ["cline", "roo-code", "kilo-code"].contains(&session.format) {
        let inside = |tag: &&str| {
            let (_, behind) = prompt.split_once(&format!("<{tag}"))?;
            let (own, _) = behind.split_once('>')?.1.split_once(&format!("</{tag}>"))?;
            Some(own.trim()).filter(|own| !own.is_empty())
        };
        return TYPED.iter().find_map(inside).unwrap_or(prompt);
    }
    let behind = match prompt.strip_prefix("<timestamp>").and_then(|rest| rest.split_once('>')) {
        Some((_, rest)) => rest.trim_start(),
        None => prompt,
    };
    let inside =
        behind.trim().strip_prefix("<user_query>").and_then(|s| s.strip_suffix("</user_query>"));
    let own = inside.filter(|own| session.format == "cursor" && !own.trim().is_empty());
    let text = own.unwrap_or(prompt);
    if own.is_some() { one_line_inside(text) } else { text }
}

/// The text of an answer, without the call that some agents write as an element in it.
fn around(event: EventRef<'_>) -> String {
    let said = text(event);
    let of_record = |call: &EventRef<'_>| {
        call.kind == Kind::ToolCall && call.origin.record == event.origin.record
    };
    let calls = event.session().events().filter(of_record);
    let names = calls.filter_map(|call| Some(call.text(Slot::Name)?.into_owned()));
    names.fold(said, |said, name| {
        let element = || {
            let (before, rest) = said.split_once(&format!("<{name}>"))?;
            let (_, behind) = rest.rsplit_once(&format!("</{name}>"))?;
            Some(format!("{}\n{}", before.trim(), behind.trim()).trim().to_owned())
        };
        element().unwrap_or_else(|| said.clone())
    })
}

/// An answer of Cline: a question, or one that offers something to choose, is an object.
fn response(session: &Session, answer: String) -> String {
    let family = ["cline", "roo-code", "kilo-code"].contains(&session.format);
    let object = serde_json::from_str::<Value>(&answer).ok().filter(|_| family);
    let said = object
        .as_ref()
        .and_then(|it| ["question", "response"].into_iter().find_map(|name| it[name].as_str()));
    said.map(str::to_owned).unwrap_or(answer)
}

/// The text of a made result.
const MADE: &str = "[No result of this call was recorded.]";

pub(crate) const PICTURE: &str = "\u{1}picture ";

/// The text of a content value, and the bytes of its pictures, in whatever form they are.
fn said(raw: &[u8]) -> String {
    let picture = |part: &Value| {
        let url = |text: &str| text.rsplit_once(";base64,").map(|(_, data)| data.to_owned());
        let urls = [&part["image_url"], &part["image_url"]["url"], &part["url"]];
        let data = [&part["source"]["data"], &part["inlineData"]["data"], &part["data"]];
        let data = data.iter().find_map(|data| data.as_str().map(str::to_owned));
        data.or_else(|| urls.iter().find_map(|text| url(text.as_str()?)))
    };
    let one = |part: &Value| {
        let response = &part["functionResponse"]["response"];
        let texts = [part, &part["text"], &response["output"], &response["error"]];
        let text = texts.iter().find_map(|text| text.as_str().map(str::to_owned));
        text.or_else(|| picture(part).map(|data| format!("{PICTURE}{data}")))
    };
    let mut parts: Vec<String> = match value(raw) {
        Value::Array(parts) => {
            // Pictures of a function's response are within it.
            let within = |part: &Value| {
                let shown = part["functionResponse"]["parts"].as_array().cloned();
                [part.clone()].into_iter().chain(shown.into_iter().flatten()).collect::<Vec<_>>()
            };
            parts.iter().flat_map(within).filter_map(|part| one(&part)).collect()
        }
        Value::String(text) => vec![text],
        // The response of a function, with nothing but what the model gets.
        Value::Object(response) if response.len() == 1 => {
            let said = ["output", "error"].into_iter().filter_map(|name| response.get(name));
            said.filter_map(|text| text.as_str().map(str::to_owned)).collect()
        }
        _ => Vec::new(),
    };
    if parts.is_empty() {
        return String::from_utf8_lossy(raw).into();
    }
    // An empty text among texts is an empty line. Beside a picture it is nothing.
    if parts.iter().any(|part| part.starts_with(PICTURE)) {
        parts.retain(|part| !part.is_empty());
    }
    parts.join("\n")
}

/// An event, and all events within it.
fn with_children(event: EventRef<'_>) -> Vec<EventRef<'_>> {
    let within = event.children().flat_map(with_children);
    std::iter::once(event).chain(within).collect()
}

pub(crate) fn talk(session: &Session, compacted: bool) -> Talk {
    let (mut talk, calls) = (Talk::default(), Calls::of(session));
    // A session may be a sub-agent's own.
    let sub = session.bundle.members.iter().all(|member| member.stream != Stream::Main);
    let sided = |e: EventRef<'_>| e.is_true(Slot::Sidechain);
    let marks =
        |e: &EventRef<'_>| *e.stream() == Stream::Main && e.field(Slot::Sidechain).is_some();
    let sub = sub || session.events().find(marks).is_some_and(sided);
    let counts = |e: &EventRef<'_>| {
        let live = matches!(e.standing(), Standing::Live | Standing::Copied);
        let old = matches!(e.standing(), Standing::Compacted | Standing::CopiedCompacted);
        let line = if e.parent == session::NO_EVENT { *e } else { session.event(e.parent) };
        (live || compacted && old) && (sub || *e.stream() == Stream::Main && !sided(line))
    };
    for event in pictures_first(session).into_iter().flat_map(with_children).filter(counts) {
        match (event.kind, event.injected) {
            _ if sums_up(event) && !text(event).is_empty() => talk.say(true, &told_text(event)),
            (Kind::User, None | Some(Injected::Task)) => {
                talk.say(true, words(session, &told_text(event)));
            }
            (Kind::User, Some(Injected::Report)) => talk.say(true, &text(event)),
            (
                Kind::User | Kind::Assistant,
                Some(Injected::Told | Injected::Command | Injected::Expansion),
            ) => {
                talk.say(true, &told::bare(&told_text(event)));
            }
            (Kind::Assistant, None) => talk.say(false, &response(session, around(event))),
            (kind, _) => talk.tool(&calls, session, event, kind),
        }
    }
    talk
}

/// The top-level events. A picture that the agent attached in a record of its own is before its
/// prompt.
fn pictures_first(session: &Session) -> Vec<EventRef<'_>> {
    let mut events: Vec<EventRef<'_>> = Vec::new();
    for event in session.top() {
        let told = |event: &EventRef<'_>| event.injected == Some(Injected::Told);
        let shows = event.raw(Slot::Media).is_some_and(|raw| raw.starts_with(b"{"));
        let beside = |event: &&EventRef<'_>| event.kind == Kind::Notice || told(event);
        let steps = events.iter().rev().take_while(beside).count();
        let at = events.len() - steps;
        match told(&event) && shows && at > 0 && events[at - 1].kind == Kind::User {
            true => events.insert(at - 1, event),
            false => events.push(event),
        }
    }
    events
}

/// The text of an item: in the agent's words, if no string of the record is that.
fn told_text(event: EventRef<'_>) -> String {
    told::worded(event).map_or_else(|| text(event), |worded| worded.text)
}

/// Whether an event is the summary of earlier conversation.
pub(crate) fn sums_up(event: EventRef<'_>) -> bool {
    event.is_true(Slot::CompactSummary) || event.injected == Some(Injected::Summary)
}

impl Talk {
    fn tool(&mut self, calls: &Calls, session: &Session, event: EventRef<'_>, kind: Kind) {
        if kind != Kind::ToolCall {
            return;
        }
        self.calls += 1;
        let result = calls.result(event.index).map(|result| session.event(result));
        let output = |r: EventRef<'_>| {
            let raw = r.raw(Slot::Output).or_else(|| r.raw(Slot::Content));
            let text = raw.map(said).filter(|text| text != "null").unwrap_or_default();
            let pictures = r.raw(Slot::Media).map(said).unwrap_or_default();
            let mut all = vec![text, pictures];
            all.retain(|text| !text.is_empty());
            all.join("\n")
        };
        self.failed.push(result.and_then(EventRef::outcome).is_some_and(Outcome::is_bad));
        let output = result.map_or_else(|| MADE.to_owned(), output);
        self.results.extend(Some(output).filter(|text| !text.is_empty()));
    }
}
