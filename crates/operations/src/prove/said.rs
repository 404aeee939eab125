//! The texts of a conversation in their order, for comparing a session with what was written of
//! it. White space counts.

use std::borrow::Cow;

use formats::ClosedBooks;
use meaning::Calls;
use meaning::conversation::{self, Outside, TalkContent, TalkPart};
use serde_json::Value;
use session::{EventRef, Field, Kind, Session, Slot, Standing};
use sha2::{Digest as _, Sha256};

/// The texts of a conversation. Two neighbors of one side are one text, on lines of their own: one
/// agent has in one message what another has in two.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// Prompts, reports and summaries (`true`), and answers.
    texts: Vec<(bool, String)>,
    thoughts: Vec<String>,
    /// The output of each call; `None` for a call without a result.
    outputs: Vec<Option<String>>,
    /// Whether there is compacted conversation in it.
    compacted: bool,
}

impl Said {
    /// The conversation of a session that the target has, by the books.
    pub(crate) fn written(session: &Session, books: &ClosedBooks) -> Self {
        // The number of each event's first field.
        let mut firsts = Vec::with_capacity(session.len());
        let mut fields = 0;
        for event in session.events() {
            firsts.push(fields);
            fields += event.fields().len();
        }
        let mut named = vec![false; fields];
        let leaves = books.files.iter().flat_map(|file| &file.leaves);
        leaves.flat_map(|leaf| leaf.origin.fields()).for_each(|field| named[field] = true);
        Self::of(
            session,
            |event| conversation::of(event).part,
            |event| {
                let part = conversation::of(event).part;
                let content = TalkContent::of(event, part);
                let mut fields = (firsts[event.index as usize]..).zip(event.fields());
                // A call may have neither a name nor arguments.
                let is_bare =
                    part == TalkPart::Call && !event.fields().iter().any(|f| content.has(*f));
                let crosses = |(at, field): (usize, &Field)| named[at] && content.has(*field);
                is_bare && conversation::of(event).live || fields.any(crosses)
            },
        )
    }

    /// The conversation that the agent of a session would send, with the thoughts that it only
    /// shows; and with what is compacted in it, if this one has that.
    pub(crate) fn read(&self, session: &Session) -> Self {
        Self::of(session, part_read, |event| {
            let item = conversation::of(event);
            let old = self.compacted && event.standing().is_compacted();
            let shown = item.part == TalkPart::Thought && event.standing() == Standing::Echo;
            item.live || old || shown && conversation::is_own(event)
        })
    }

    fn of(
        session: &Session,
        part: impl Fn(EventRef<'_>) -> TalkPart,
        counts: impl Fn(EventRef<'_>) -> bool,
    ) -> Self {
        let own = formats::by_name(session.format).map(|format| format.data().words);
        let (mut said, calls) = (Self::default(), Calls::of(session));
        for event in conversation::events(session).filter(|event| counts(*event)) {
            said.compacted |= event.standing().is_compacted();
            match part(event) {
                TalkPart::Answer => said.say(false, &text_of(event)),
                TalkPart::Thought => said.thoughts.push(event.said().into_owned()),
                TalkPart::Call => {
                    let result = calls.result(event.index).map(|result| session.event(result));
                    said.outputs.push(result.map(output));
                }
                TalkPart::Told => said.say(true, &formats::told::bare(&text_of(event))),
                TalkPart::Prompt
                | TalkPart::Report
                | TalkPart::Summary
                | TalkPart::Task
                | TalkPart::Expansion => {
                    let text = text_of(event);
                    let own = own.filter(|_| event.kind == Kind::User);
                    let text = own.map_or(Cow::Borrowed(&*text), |own| own(&text));
                    said.say(true, &text);
                }
                _ => {}
            }
        }
        said
    }

    fn say(&mut self, person: bool, text: &str) {
        match self.texts.last_mut() {
            // A made text is nothing of the conversation.
            _ if text.trim().is_empty() || text == formats::NOT_CARRIED => {}
            Some((same, said)) if *same == person => {
                said.push('\n');
                said.push_str(text);
            }
            _ => self.texts.push((person, text.to_owned())),
        }
    }

    /// The first difference of what is read back of it, in words. The target may have made the
    /// result of a call without one.
    pub(crate) fn difference(&self, back: &Self) -> Option<String> {
        let mut pairs = self.texts.iter().zip(&back.texts).enumerate();
        if let Some((at, (own, back))) = pairs.find(|(_, (own, back))| own != back) {
            let who = if own.0 { "prompt" } else { "answer" };
            let same = own.1.bytes().zip(back.1.bytes()).take_while(|(a, b)| a == b).count();
            return Some(format!("text {} ({who}) differs from byte {same} on", at + 1));
        }
        if self.texts.len() != back.texts.len() {
            return Some(format!("{} texts for {}", back.texts.len(), self.texts.len()));
        }
        if self.outputs.len() != back.outputs.len() {
            return Some(format!("{} calls for {}", back.outputs.len(), self.outputs.len()));
        }
        let differs = |(own, back): (&Option<String>, &Option<String>)| match own.as_deref() {
            None | Some("") => false,
            Some(own) => back.as_deref() != Some(own),
        };
        if let Some(at) = self.outputs.iter().zip(&back.outputs).position(differs) {
            return Some(format!("the output of call {} differs", at + 1));
        }
        let joined = |texts: &[String]| texts.join("\n");
        if joined(&self.thoughts) != joined(&back.thoughts) {
            return Some("the thoughts differ".into());
        }
        None
    }

    /// The number of its texts.
    pub(crate) fn len(&self) -> u64 {
        (self.texts.len() + self.outputs.iter().flatten().count()) as u64
    }
}

/// The part that an event of a written session is. No writer adds a text of the agent itself: one
/// that begins like that, and that the next request holds, is a text of the conversation.
pub(super) fn part_read(event: EventRef<'_>) -> TalkPart {
    let item = conversation::of(event);
    match (item.part, event.kind) {
        (TalkPart::Nothing(Outside::Context), Kind::User) if item.live => TalkPart::Prompt,
        (TalkPart::Nothing(Outside::Context), Kind::Assistant) if item.live => TalkPart::Answer,
        (part, _) => part,
    }
}

/// The digest of a session's conversation: each live item with its text, and the name, the
/// arguments and the output of each call, in whatever form it is stored.
pub(crate) fn digest(session: &Session) -> String {
    let mut hash = Sha256::new();
    for event in conversation::events(session) {
        let item = conversation::of(event);
        if !item.live || !item.part.is_something() {
            continue;
        }
        hash.update(format!("{:?}\0{}\0", event.kind, event.said()));
        for slot in [Slot::Name, Slot::Input, Slot::Output] {
            hash.update(event.raw(slot).map(canonical).unwrap_or_default());
            hash.update([0]);
        }
    }
    formats::digest::hex(&hash.finalize())
}

/// A value in one spelling: an agent writes it compact in one place, and indented in another.
fn canonical(raw: &[u8]) -> Vec<u8> {
    let value = serde_json::from_slice::<Value>(raw);
    value.map_or_else(|_| raw.to_vec(), |value| value.to_string().into_bytes())
}

/// The text of an event. Blocks that are neither texts nor pictures cross as JSON.
fn text_of(event: EventRef<'_>) -> Cow<'_, str> {
    let said = formats::told::text(event);
    match event.raw(Slot::Content) {
        Some(raw) if said.is_empty() && raw.starts_with(b"[") => Cow::Owned(shown(raw)),
        _ => said,
    }
}

/// The text of a result.
fn output(result: EventRef<'_>) -> String {
    let raw = result.raw(Slot::Output).or_else(|| result.raw(Slot::Content));
    shown(raw.unwrap_or_default())
}

/// The text of a value: a string, the texts of its blocks, or any other value as JSON.
fn shown(raw: &[u8]) -> String {
    let text = |part: &Value| {
        let response = &part["functionResponse"]["response"];
        let texts = [part, &part["text"], &response["output"], &response["error"]];
        texts.iter().find_map(|text| text.as_str().map(str::to_owned))
    };
    let mended = shallow(mended(raw, |_| b"\\ufffd".to_vec()));
    let value = serde_json::from_slice(&mended).unwrap_or(Value::Null);
    match &value {
        Value::String(text) => return text.clone(),
        Value::Null if raw == b"null" || raw.is_empty() => return String::new(),
        // The response of a function, in the form of a provider's interface.
        Value::Object(all) if all.len() == 1 => {
            let said = ["output", "error"].iter().find_map(|name| all.get(*name)?.as_str());
            if let Some(said) = said {
                return said.to_owned();
            }
        }
        _ => {}
    }
    let parts: Vec<String> = value.as_array().into_iter().flatten().filter_map(text).collect();
    let picture = |part: &Value| is_picture(part);
    match parts.is_empty() {
        true if value.as_array().is_some_and(|all| all.iter().any(picture)) => String::new(),
        true => String::from_utf8_lossy(raw).into_owned(),
        false => parts.join("\n"),
    }
}

/// Whether a block of a result is a picture, which the books compare.
fn is_picture(part: &Value) -> bool {
    let holders = [&part["source"], &part["inlineData"], part];
    let url = [&part["image_url"], &part["image_url"]["url"], &part["url"], &part["image"]];
    holders.iter().any(|holder| holder["data"].is_string())
        || url.iter().any(|url| url.as_str().is_some_and(|url| url.starts_with("data:")))
}

/// The deepest container of an output that is looked at: no text of an agent is deeper.
const DEEPEST: usize = 100;

/// A JSON text with `null` in place of the containers that are nested too deep for the parser.
fn shallow(json: Vec<u8>) -> Vec<u8> {
    let (mut out, mut depth, mut deepest) = (Vec::with_capacity(json.len()), 0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for &byte in &json {
        let is_kept = depth <= DEEPEST;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
                if depth == DEEPEST + 1 {
                    out.extend_from_slice(b"null");
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if is_kept && depth <= DEEPEST {
            out.push(byte);
        }
    }
    if deepest > DEEPEST { out } else { json }
}

/// A JSON text with something else for the escape of each half of a surrogate pair, and with U+FFFD
/// for bytes that are not UTF-8: no parser takes them.
pub(crate) fn mended(raw: &[u8], half: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let raw = &*String::from_utf8_lossy(raw);
    let raw = raw.as_bytes();
    let unit = |at: usize| {
        let digits = raw.get(at..)?.strip_prefix(b"\\u")?.get(..4)?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let (mut out, mut at) = (Vec::with_capacity(raw.len()), 0);
    while let Some(&byte) = raw.get(at) {
        let used = match (byte, unit(at)) {
            (b'\\', Some(0xd800..0xdc00)) => match unit(at + 6) {
                Some(0xdc00..0xe000) => 12,
                _ => 0,
            },
            (b'\\', Some(0xdc00..0xe000)) => 0,
            (b'\\', Some(_)) => 6,
            (b'\\', None) => 2,
            _ => 1,
        };
        match used {
            0 => out.extend(half(&raw[at..at + 6])),
            _ => out.extend_from_slice(raw.get(at..at + used).unwrap_or(&raw[at..])),
        }
        at += if used == 0 { 6 } else { used };
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use session::{Bundle, Member, Stream};

    use super::*;

    #[test]
    fn white_space_and_order_count() {
        let said = |texts: &[(bool, &str)], outputs: &[&str]| {
            let mut said = Said::default();
            texts.iter().for_each(|(person, text)| said.say(*person, text));
            said.outputs = outputs.iter().map(|text| Some((*text).to_owned())).collect();
            said
        };
        let own = said(&[(true, "a  b"), (false, "c"), (false, "d")], &["x\n y", "z"]);
        assert_eq!(
            own.difference(&said(&[(true, "a  b"), (false, "c\nd")], &["x\n y", "z"])),
            None
        );
        for other in [
            said(&[(true, "a b"), (false, "c\nd")], &["x\n y", "z"]),
            said(&[(true, "a  b"), (false, "d\nc")], &["x\n y", "z"]),
            said(&[(false, "c\nd"), (true, "a  b")], &["x\n y", "z"]),
            said(&[(true, "a  b"), (false, "c\nd")], &["x\n  y", "z"]),
            said(&[(true, "a  b"), (false, "c\nd")], &["z", "x\n y"]),
            said(&[(true, "a  b"), (false, "c\nd")], &["x\n y"]),
            said(&[(true, "a  b")], &["x\n y", "z"]),
        ] {
            assert!(own.difference(&other).is_some(), "{other:?}");
        }
    }

    /// The digest of a placed session has the name, the arguments and the output of each call.
    #[test]
    fn a_digest_has_all_of_a_call() {
        let digest_of = |name: &str, input: &str, output: &str| {
            let head = r#""sessionId":"s","timestamp":"2026-02-03T07:00:00Z""#;
            let call = format!(r#"{{"type":"tool_use","id":"c","name":"{name}","input":{input}}}"#);
            let result =
                format!(r#"{{"type":"tool_result","tool_use_id":"c","content":"{output}"}}"#);
            let line = |at: u8, role: &str, content: &str| {
                let ids = format!(r#""uuid":"u{at}","parentUuid":"u{}""#, at - 1);
                let message = format!(r#"{{"role":"{role}","content":{content}}}"#);
                format!("{{\"type\":\"{role}\",{ids},{head},\"message\":{message}}}\n")
            };
            let text = line(1, "user", r#""tide?""#)
                + &line(2, "assistant", &format!("[{call}]"))
                + &line(3, "user", &format!("[{result}]"));
            let member = Member::new("s.jsonl", Stream::Main, text.into_bytes());
            let members = member.into_iter().collect();
            let format = formats::by_name("claude-code").expect("a format");
            digest(&format.read(Arc::new(Bundle { members }))[0])
        };
        let own = digest_of("Bash", r#"{"command":"ls"}"#, "a.txt");
        assert_eq!(own, digest_of("Bash", r#"{ "command": "ls" }"#, "a.txt"), "another spelling");
        assert_ne!(own, digest_of("Read", r#"{"command":"ls"}"#, "a.txt"));
        assert_ne!(own, digest_of("Bash", r#"{"command":"ls "}"#, "a.txt"));
        assert_ne!(own, digest_of("Bash", r#"{"command":"ls"}"#, "b.txt"));
    }

    #[test]
    fn what_is_nested_too_deep_to_be_shown_is_left_out() {
        let nested = |depth: usize| format!("{}\"]\"{}", "[".repeat(depth), "]".repeat(depth));
        let deep = format!("[{{\"text\":\"a ] \\\" [\"}},{}]", nested(300));
        assert_eq!(shown(deep.as_bytes()), "a ] \" [");
        assert_eq!(shallow(nested(100).into_bytes()), nested(100).into_bytes());
        assert_eq!(shown(nested(300).as_bytes()), nested(300));
    }

    #[test]
    fn halves_of_pairs_are_replaced() {
        let text = br#""\ud83d \ud83c\udf0a \\ud83d""#;
        let mended = mended(text, |_| b"\\ufffd".to_vec());
        assert_eq!(mended, br#""\ufffd \ud83c\udf0a \\ud83d""#);
    }
}
