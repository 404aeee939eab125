//! Equal thoughts and calls that were made together, copies of a conversation, and the items that a
//! target does not have: the first stay as they are, and the books name the others.

use std::sync::Arc;

use meaning::account::Cause;
use meaning::conversation::{self, TalkPart};
use serde_json::{Value, json};
use session::{Bundle, Kind, Member, Session, Stream};
use verbatim_formats::{TalkLoss, Written, by_name, write_with};

use super::options;

fn read(agent: &str, files: &[(&str, String)]) -> Session {
    let member = |(name, text): &(&str, String)| {
        Member::new(*name, Stream::Main, text.clone().into_bytes()).expect("short")
    };
    let agent = by_name(agent).expect("a format");
    let members = files.iter().map(|file| agent.decode(member(file))).collect();
    agent.read(Arc::new(Bundle { members })).remove(0)
}

/// A session of Claude Code, a record a message; all have one time.
fn claude(messages: &[Value]) -> Session {
    let line = |(at, message): (usize, &Value)| {
        let parent = at.checked_sub(1).map(|at| format!("u{at}"));
        let line = json!({"type": message["role"], "uuid": format!("u{at}"), "parentUuid": parent,
            "timestamp": "2026-02-03T07:00:00.000Z", "cwd": "/srv/quay", "message": message,
            "sessionId": "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e80"});
        format!("{line}\n")
    };
    read("claude-code", &[("a.jsonl", messages.iter().enumerate().map(line).collect())])
}

fn written(session: &Session, target: &str) -> Written {
    write_with(by_name(target).expect("a format"), session, &options()).expect("written")
}

fn again(target: &str, written: &Written) -> Session {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let files: Vec<_> =
        written.files.iter().map(|(name, bytes)| (name.as_str(), text(bytes))).collect();
    read(target, &files)
}

fn thought(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "thinking", "thinking": text}]})
}

/// A line that is equal to the one before is a write that was tried again, for the target's reader.
#[test]
fn equal_thoughts_of_one_time_stay_two() {
    let user = |text: &str| json!({"role": "user", "content": text});
    let session = claude(&[
        user("When is low tide?"),
        thought("I look at the table."),
        thought("I look at the table."),
        thought("I look at the table."),
        json!({"role": "assistant", "content": [{"type": "text", "text": "At six."}]}),
    ]);
    let there = written(&session, "codex");
    let back = again("codex", &there);
    let live = |event: &session::EventRef<'_>| conversation::of(*event).live;
    let thoughts = back.events().filter(|event| event.kind == Kind::Reasoning).filter(live);
    let times: Vec<_> = thoughts.map(|event| event.time().expect("a time").millis()).collect();
    let at = |millis: &str| format!("2026-02-03T07:00:00.{millis}Z");
    assert_eq!(times, [at("000"), at("001"), at("002")]);
    let totals = there.books.as_ref().expect("books").totals(&session);
    assert_eq!(totals.in_part[&Cause::Order], 2, "the moved times are told");
}

/// A result that was written before its call does not part calls that were made together; the text
/// after the call is another answer all the same.
#[test]
fn a_result_before_its_call_parts_no_answer() {
    let call = |id: &str| {
        let input = json!({"command": format!("ls {id}")});
        let call = json!({"type": "tool_use", "id": id, "name": "Bash", "input": input});
        json!({"role": "assistant", "id": "msg_1", "content": [call]})
    };
    let result = |id: &str| {
        json!({"role": "user", "content":
            [{"type": "tool_result", "tool_use_id": id, "content": format!("{id}.txt")}]})
    };
    let said =
        |text: &str| json!({"role": "assistant", "content": [{"type": "text", "text": text}]});
    let together = claude(&[
        json!({"role": "user", "content": "Look at both."}),
        call("one"),
        result("two"),
        call("two"),
        result("one"),
        said("There is a file in each."),
    ]);
    let texts = |session: &Session| -> Vec<usize> {
        let there: Value = serde_json::from_slice(&written(session, "codewhale").files[0].1)
            .expect("one document");
        let messages = there["messages"].as_array().expect("messages");
        let model = messages.iter().filter(|message| message["role"] == "assistant");
        model.map(|message| message["content"].as_array().expect("blocks").len()).collect()
    };
    assert_eq!(texts(&together), [2, 1], "two calls of one message, and the text");
    let alone = claude(&[
        json!({"role": "user", "content": "Look."}),
        result("two"),
        call("two"),
        said("There is a file."),
    ]);
    assert_eq!(texts(&alone), [1, 1], "the call, and the text that knows its result");
}

/// Cursor writes the same conversation as plain text too: its copy is nothing that is left out.
#[test]
fn a_copy_of_a_transcript_is_no_loss() {
    let id = "8d2e1f30-3333-4444-8555-6666777788aa";
    let (json, text) = (format!("{id}.json"), format!("{id}.txt"));
    let transcript = json!([
        {"role": "user", "text": "Paint the buoy."},
        {"role": "assistant", "text": "It is red."},
    ]);
    let plain = "user:\nPaint the buoy.\n\nassistant:\nIt is red.\n";
    let files = [(&*json, transcript.to_string()), (&*text, plain.to_owned())];
    let (one, both) = (read("cursor", &files[..1]), read("cursor", &files));
    assert!(both.len() > one.len(), "the copy is read");
    let totals = |session: &Session| {
        let there = written(session, "codex");
        there.books.as_ref().expect("books").totals(session)
    };
    let (one, both) = (totals(&one), totals(&both));
    assert_eq!(both.conversation, one.conversation);
    assert_eq!(both.dropped_conversation, 0);
    assert!(both.items.is_empty(), "{:?}", both.items);
}

/// An item of the next request that the target does not have whole is named by its kind.
#[test]
fn each_kind_of_item_that_does_not_cross_is_named() {
    let address =
        json!({"type": "image", "source": {"type": "url", "url": "https://quay.example/a.png"}});
    let session = claude(&[
        json!({"role": "user", "content": [{"type": "text", "text": "See this."}, address]}),
        thought("A red buoy."),
        json!({"role": "assistant", "content": [{"type": "text", "text": "It is red."}]}),
        json!({"role": "user", "content": "<local-command-stdout>bye</local-command-stdout>"}),
    ]);
    let items = |target: &str| {
        let there = written(&session, target);
        there.books.as_ref().expect("books").totals(&session).items
    };
    let of = |part, whole, cause| TalkLoss { part, whole, cause };
    let sage = items("sage");
    let named: Vec<_> = sage.iter().map(|(loss, count)| (*loss, *count)).collect();
    let wanted = [
        (of(TalkPart::Prompt, false, Cause::NoPlace), 1),
        (of(TalkPart::Thought, true, Cause::NoPlace), 1),
    ];
    assert_eq!(named, wanted);
}

/// A person may have typed to one agent what another one writes itself.
#[test]
fn a_prompt_that_begins_like_a_text_of_the_target_stays_a_prompt() {
    let words = ["<command-name>/tide</command-name>", "[Request interrupted", "Low tide?"];
    let said: Vec<Value> = words
        .iter()
        .flat_map(|text| {
            let text = format!("<user_query>\n{text}\n</user_query>");
            let block = |text: &str| json!([{"type": "text", "text": text}]);
            [
                json!({"role": "user", "message": {"content": block(&text)}}),
                json!({"role": "assistant", "message": {"content": block("At six.")}}),
            ]
        })
        .collect();
    let lines: String = said.iter().map(|line| format!("{line}\n")).collect();
    let session = read("cursor", &[("5f0c2a1e-7b3d-4c1a-9a52-0d8a41c7e9aa.jsonl", lines)]);
    let back = again("claude-code", &written(&session, "claude-code"));
    let prompts = back.events().filter(|event| conversation::of(*event).part == TalkPart::Prompt);
    let prompts: Vec<_> = prompts.map(|event| event.said().into_owned()).collect();
    assert_eq!(prompts, words);
}
