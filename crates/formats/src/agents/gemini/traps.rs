//! The traps of the format reference that no other test covers, by their numbers there.

use meaning::usage::counts;
use session::{Kind, Outcome, Session, Slot, Standing};

use super::Gemini;
use crate::claim::{Claim, Role};
use crate::format::Format;
use crate::testing;

const HEAD: &str = r#"{"sessionId":"s","projectHash":"h","startTime":"2026-06-11T07:20:00Z"}"#;

fn log(lines: &[&str], end: &str) -> Session {
    let text = [&[HEAD], lines].concat().join(end);
    testing::text(&Gemini, "chats/session-1-s.jsonl", &text)
}

fn answer(id: &str, tokens: &str) -> String {
    format!(r#"{{"id":"{id}","type":"gemini","model":"m","content":"x"{tokens}}}"#)
}

/// An answer is written several times in a turn: there are more lines than messages (trap 1). Its
/// tokens count once.
#[test]
fn lines_are_no_messages() {
    let first = answer("g", r#","tokens":null"#);
    let then = answer("g", r#","tokens":{"input":10,"output":1,"cached":4,"thoughts":2,"tool":0}"#);
    let session = log(&[&first, &then, &then, ""], "\n");
    let live = session.events().filter(|event| event.kind == Kind::Assistant);
    assert_eq!(live.filter(|event| event.standing == Standing::Live).count(), 1);
    let spent: u64 = counts(&session, Gemini.data().convention)
        .iter()
        .filter(|count| count.verdict == meaning::usage::Counting::Counted)
        .map(|count| count.tokens.total())
        .sum();
    assert_eq!(spent, 13);
}

/// A name has eight characters of the id: two sessions may share them (trap 6).
#[test]
fn the_id_within_tells_sessions_apart() {
    let path = ".gemini/tmp/shop/chats/session-2026-06-11T07-20-3c9d2f10.jsonl";
    for id in ["3c9d2f10-5b7e-4a11-9d20-77aa10b2c3d4", "3c9d2f10-0000-4a11-9d20-77aa10b2c3d4"] {
        let head = HEAD.replace("\"s\"", &format!("\"{id}\""));
        let claim = testing::claim(&Gemini, path, head.as_bytes());
        assert_eq!(claim, Claim::Part { group: id.to_owned(), role: Role::Main });
    }
}

/// A file that is read while it is written is truncated (trap 7): the rest of it is kept.
#[test]
fn a_torn_end_hides_nothing_before_it() {
    let whole = answer("g", "");
    let session = log(&[&whole, "{\"id\":\"u\",\"ty"], "\n");
    assert_eq!(testing::outline(&session)[1..], ["Assistant x", "Opaque opaque"]);
    assert_eq!(session.notes.len(), 1);
    let document = format!("{{\n  \"sessionId\": \"s\",\n  \"messages\": [\n{whole},\n{{\"id\"");
    let session = testing::text(&Gemini, "chats/session-1-s.json", &document);
    assert_eq!(session.notes.len(), 1);
    assert_eq!(testing::outline(&session), ["Opaque opaque"]);
}

/// Counters may be null or absent. Cache reads are part of the input, thoughts are not part of the
/// output (trap 8). The names of the seed's parser do not exist (trap 12).
#[test]
fn counters_are_the_agents_own() {
    let tokens = |tokens: &str| {
        let session = log(&[&answer("g", tokens), ""], "\n");
        let found = counts(&session, Gemini.data().convention);
        found.first().map(|count| (count.tokens.input, count.tokens.output))
    };
    assert_eq!(tokens(""), None);
    assert_eq!(tokens(r#","tokens":null"#), None);
    assert_eq!(tokens(r#","tokens":{"inputTokens":9,"outputTokens":9}"#), None);
    let full = r#","tokens":{"input":10,"output":1,"cached":4,"thoughts":2,"tool":0,"total":13}"#;
    assert_eq!(tokens(full), Some((Some(6), Some(3))));
}

/// A type that is never written is not a person's (trap 12).
#[test]
fn no_message_is_a_humans() {
    let session = log(&[r#"{"id":"h","type":"human","content":"x"}"#, ""], "\n");
    assert_eq!(session.event(1).kind, Kind::Assistant);
}

/// A signature stays at its place, in a part or beside one (trap 9).
#[test]
fn signatures_are_carried_as_they_are() {
    let line = concat!(
        r#"{"id":"g","type":"gemini","content":[{"text":"a","thoughtSignature":"c2ln"},"#,
        r#"{"text":"b","thought":true,"thoughtSignature":"b3RoZXI="}]}"#
    );
    let session = log(&[line, ""], "\n");
    let message = session.event(1);
    let content = String::from_utf8_lossy(message.raw(Slot::Content).expect("content"));
    assert!(content.contains("c2ln") && content.contains("b3RoZXI="));
}

/// Lines may end in CRLF, and a text may begin with a byte order mark (trap 11).
#[test]
fn line_ends_and_marks_are_no_damage() {
    let whole = answer("g", "");
    for (start, end) in [("", "\r\n"), ("\u{feff}", "\n"), ("\u{feff}", "\r\n")] {
        let text = format!("{start}{HEAD}{end}{whole}{end}");
        let session = testing::text(&Gemini, "chats/session-1-s.jsonl", &text);
        assert_eq!(session.notes, []);
        assert_eq!(testing::outline(&session)[1..], ["Assistant x"]);
        let claim = testing::claim(&Gemini, "chats/session-1-s.jsonl", text.as_bytes());
        assert_eq!(claim, Claim::Part { group: "s".to_owned(), role: Role::Main });
    }
}

/// A command that fails has the status `success`: its end is in the text of the answer.
#[test]
fn a_command_that_fails_is_no_success() {
    let outcomes = |tool: &str, said: &str| -> Vec<Option<Outcome>> {
        let response = format!(r#"{{"id":"c","name":"{tool}","response":{{"output":"{said}"}}}}"#);
        let response = format!(r#"{{"functionResponse":{response}}}"#);
        let call = format!(r#""id":"c","name":"{tool}","args":{{}},"result":[{response}]"#);
        let calls = format!(r#""toolCalls":[{{{call},"status":"success"}}]"#);
        let call = format!(r#"{{"id":"g","type":"gemini","content":"x",{calls}}}"#);
        let part = format!(r#"{{"id":"u","type":"user","content":[{response}]}}"#);
        let session = log(&[&call, &part, ""], "\n");
        let results = session.events().filter(|event| event.kind == Kind::ToolResult);
        results.map(session::EventRef::outcome).collect()
    };
    let (good, failed) = (Some(Outcome::Good), Some(Outcome::Failed));
    for said in [
        "Output: x\\nExit Code: 1",
        "Output: x\\nError: (none)\\nExit Code: 2\\nSignal: (none)\\nProcess Group PGID: 7",
        "Output: (empty)\\nExit Code: (none)\\nSignal: 15",
        "Output: (empty)\\nError: spawn ENOENT",
    ] {
        assert_eq!(outcomes("run_shell_command", said), [failed, failed], "{said}");
        assert_eq!(outcomes("read_file", said), [good, None], "{said}");
    }
    for said in [
        "Output: x",
        "Output: x\\nError: (none)\\nExit Code: 0\\nSignal: (none)\\nBackground PIDs: (none)",
        "Output: Exit Code: 1\\nExit Code: 1\\nit says",
    ] {
        assert_eq!(outcomes("run_shell_command", said), [good, None], "{said}");
    }
}
