//! Values that cross in part, and times that the session does not tell.

use std::sync::Arc;

use meaning::account::{Cause, Fate};
use session::{Bundle, Member, Session, Slot, Stream};
use verbatim_formats::{LeafOrigin, Options, WriteError, Written, by_name, write_with};

use super::{options, targets};

fn claude(lines: &[String]) -> Session {
    let format = by_name("claude-code").expect("a format");
    let bytes = (lines.join("\n") + "\n").into_bytes();
    let member = Member::new("a.jsonl", Stream::Main, bytes).expect("short");
    format.read(Arc::new(Bundle { members: vec![member] })).remove(0)
}

/// A line of a session: its number, its time, and its message.
fn line(id: usize, time: Option<&str>, role: &str, content: &str) -> String {
    let parent = id.checked_sub(1).map_or("null".into(), |id| format!("\"u{id}\""));
    let time = time.map_or_else(String::new, |time| format!("\"timestamp\":\"{time}\","));
    let head = r#""cwd":"/srv/quay","sessionId":"7a0d52d0-0a5c-4f5e-9d0b-5a3d3f8f2c11""#;
    let message = format!(r#"{{"role":"{role}","content":{content}}}"#);
    let ids = format!(r#""uuid":"u{id}","parentUuid":{parent}"#);
    format!(r#"{{"type":"{role}",{ids},{time}{head},"message":{message}}}"#)
}

fn fates(session: &Session, written: &Written, slot: Slot) -> Vec<Fate> {
    let books = written.books.as_ref().expect("books");
    let of = books.ledger.fates(session).filter(|(_, field, _)| field.slot == slot);
    of.map(|(.., fate)| fate).collect()
}

#[test]
fn a_value_that_is_cut_is_in_part() {
    let time = Some("2026-03-01T10:00:00.000Z");
    let name = format!("measure the tide {} at noon", "again ".repeat(14));
    let call = format!(r#"[{{"type":"tool_use","id":"c1","name":"{name}","input":{{"a":1}}}}]"#);
    let result = r#"[{"type":"tool_result","tool_use_id":"c1","content":"1.20 m"}]"#;
    let title = format!("{} of the harbour", "The long title ".repeat(9));
    let session = claude(&[
        line(0, time, "user", r#""How high is the tide?""#),
        line(1, time, "assistant", &call),
        line(2, time, "user", result),
        format!(r#"{{"type":"custom-title","customTitle":"{title}","sessionId":"x"}}"#),
    ]);
    for target in targets().filter(|target| target.name() != "claude-code") {
        let written = write_with(target, &session, &options()).expect("written");
        let to = target.name();
        assert_eq!(fates(&session, &written, Slot::Name), [Fate::InPart(Cause::Cleaned)], "{to}");
        // The others have no title at all.
        if ["codewhale", "opencode", "cursor"].contains(&to) {
            let title = fates(&session, &written, Slot::Title);
            assert_eq!(title, [Fate::InPart(Cause::InPart)], "{to}");
        }
        let totals = written.books.as_ref().expect("books").totals(&session);
        assert_eq!(totals.in_part_conversation, 1, "{to}: the name of the tool");
        assert_eq!(totals.dropped_conversation, 0, "{to}");
    }
}

/// Half of a surrogate pair is replaced; a text in another spelling of JSON is not.
#[test]
fn a_value_that_is_cleaned_is_in_part() {
    let time = Some("2026-03-01T10:00:00.000Z");
    let whole = r#""the same \u00e9 and \ud83c\udf0a, in another spelling""#;
    let session = claude(&[
        line(0, time, "user", r#""half \ud83d of a pair""#),
        line(1, time, "assistant", &format!(r#"[{{"type":"text","text":{whole}}}]"#)),
    ]);
    for target in targets().filter(|target| target.name() != "claude-code") {
        let written = write_with(target, &session, &options()).expect("written");
        let prompt = Fate::InPart(Cause::Cleaned);
        let to = target.name();
        let content = fates(&session, &written, Slot::Content);
        assert!(content.contains(&prompt), "{to}: {content:?}");
        let totals = written.books.as_ref().expect("books").totals(&session);
        assert_eq!((totals.in_part_conversation, totals.dropped_conversation), (1, 0), "{to}");
    }
}

/// The times of messages in an export, in their order.
fn created(written: &Written) -> Vec<u64> {
    let export: serde_json::Value = serde_json::from_slice(&written.files[0].1).expect("JSON");
    let messages = export["messages"].as_array().expect("messages");
    messages.iter().map(|m| m["info"]["time"]["created"].as_u64().expect("a time")).collect()
}

/// Its agent sorts messages by their times: a clock that was set back must not sort them anew.
#[test]
fn times_never_step_back_for_an_agent_that_sorts_by_them() {
    let times = ["10:00:00", "10:00:09", "08:30:00", "08:30:04"];
    let lines = times.iter().enumerate().map(|(id, time)| {
        let role = if id % 2 == 0 { "user" } else { "assistant" };
        let time = format!("2026-03-01T{time}.000Z");
        line(id, Some(&time), role, &format!(r#""said {id}""#))
    });
    let session = claude(&lines.collect::<Vec<_>>());
    let target = by_name("opencode").expect("a format");
    let written = write_with(target, &session, &options()).expect("written");
    let at = |seconds: u64| 1_772_359_200_000 + seconds * 1000;
    assert_eq!(created(&written), [at(0), at(9), at(9), at(9)]);
    let fates = fates(&session, &written, Slot::Time);
    let moved = Fate::InPart(Cause::Order);
    let mapped = Fate::Mapped(Cause::Form);
    assert_eq!(fates, [mapped, mapped, moved, moved]);
}

#[test]
fn a_session_without_times_has_that_of_its_file_or_is_refused() {
    let session =
        claude(&[line(0, None, "user", r#""go on""#), line(1, None, "assistant", r#""ok""#)]);
    for target in targets().filter(|target| target.name() != "claude-code") {
        let refused = write_with(target, &session, &Options::default());
        let to = target.name();
        assert!(matches!(refused, Err(WriteError::Timeless { .. })), "{to}");
        let written = write_with(target, &session, &options()).expect("written");
        let books = written.books.as_ref().expect("books");
        let made = books.files.iter().flat_map(|file| &file.leaves);
        let made = made.filter(|leaf| leaf.origin == LeafOrigin::Made(Cause::File)).count();
        assert!(made > 0, "{to}");
        let all: Vec<u8> = written.files.iter().flat_map(|(_, bytes)| bytes.to_vec()).collect();
        let all = String::from_utf8_lossy(&all);
        assert!(!all.contains("1970-01-01"), "{to}: {all}");
    }
}

/// A model's interface may cut an answer anywhere. Only a word is put together again: other blocks
/// are lines of their own, and so are the blocks of a prompt.
#[test]
fn a_word_that_two_blocks_of_an_answer_share_is_one() {
    let time = Some("2026-03-01T10:00:00.000Z");
    let text = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let blocks = |texts: &[&str]| {
        format!("[{}]", texts.iter().map(|of| text(of)).collect::<Vec<_>>().join(","))
    };
    let session = claude(&[
        line(0, time, "user", &blocks(&["Read the tide", "and the wind"])),
        line(1, time, "assistant", &blocks(&["The tide gau", "ge is broken.", "Use the chart"])),
    ]);
    let said: Vec<String> = session.events().map(|event| event.said().into_owned()).collect();
    assert!(said.contains(&"The tide gauge is broken.\nUse the chart".into()), "{said:?}");
    for target in targets().filter(|target| !["claude-code", "cursor"].contains(&target.name())) {
        let written = write_with(target, &session, &options()).expect("written");
        let text = String::from_utf8_lossy(&written.files[0].1).into_owned();
        let to = target.name();
        assert!(text.contains(r"The tide gauge is broken.\nUse the chart"), "{to}: {text}");
        let prompt = [r"Read the tide\nand the wind", r#""Read the tide""#];
        assert!(prompt.iter().any(|prompt| text.contains(prompt)), "{to}: {text}");
    }
}
