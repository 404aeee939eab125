//! The traps of the format reference that no other test covers, by their numbers there.

use session::{Kind, Member, Session, Slot, Standing, Stream};

use super::Cursor;
use crate::format::Format;
use crate::testing;

const ID: &str = "3d4e5f60-5555-4666-8777-88889999aaaa";

fn row(key: &str, value: &str) -> String {
    format!(r#"{{"table":"cursorDiskKV","row":{{"key":"{key}","value":{value}}}}}"#)
}

/// The row of a composer with its bubbles in order.
fn composer(bubbles: &[&str]) -> String {
    let bubbles = bubbles.iter().map(|id| format!(r#"{{"bubbleId":"{id}","type":2}}"#));
    let listed = bubbles.collect::<Vec<_>>().join(",");
    let value = format!(r#"{{"composerId":"{ID}","fullConversationHeadersOnly":[{listed}]}}"#);
    row(&format!("composerData:{ID}"), &value)
}

/// The row of a bubble: 1 is the user's.
fn bubble(id: &str, kind: u8, text: &str) -> String {
    let tokens = r#""tokenCount":{"inputTokens":5,"outputTokens":1}"#;
    let value = format!(r#"{{"bubbleId":"{id}","type":{kind},"text":"{text}",{tokens}}}"#);
    row(&format!("bubbleId:{ID}:{id}"), &value)
}

fn member(name: &str, lines: &[String]) -> Member {
    let text = lines.join("\n") + "\n";
    Member::new(name, Stream::Main, text.into_bytes()).expect("short")
}

fn desktop(lines: &[String]) -> Member {
    member("state.vscdb.dump.jsonl", lines)
}

fn transcript(lines: &[(&str, &str)]) -> Member {
    let line = |(role, text): &(&str, &str)| {
        format!(
            r#"{{"role":"{role}","message":{{"content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let lines: Vec<String> = lines.iter().map(line).collect();
    member(&format!("agent-transcripts/{ID}/{ID}.jsonl"), &lines)
}

fn read(members: Vec<Member>) -> Session {
    testing::read(&Cursor, members).remove(0)
}

fn said(session: &Session, standing: Standing) -> Vec<String> {
    let speaks = |event: &session::EventRef<'_>| {
        event.standing() == standing && matches!(event.kind, Kind::User | Kind::Assistant)
    };
    session.top().filter(speaks).map(|event| event.said().into_owned()).collect()
}

/// One conversation in two stores counts once, and nothing is added up (trap 1).
#[test]
fn two_stores_tell_one_conversation() {
    let rows = [composer(&["a", "b"]), bubble("a", 1, "fix it"), bubble("b", 2, "Done.")];
    let session =
        read(vec![desktop(&rows), transcript(&[("user", "fix it"), ("assistant", "Done.")])]);
    assert_eq!(said(&session, Standing::Live), ["fix it", "Done."]);
    assert_eq!(said(&session, Standing::Echo), ["fix it", "Done."]);
    let counts = meaning::usage::counts(&session, Cursor.data().convention);
    assert!(counts.iter().all(|count| session.event(count.event).standing() == Standing::Live));
}

/// The composer's list decides the order: keys are random, and times may be equal or absent. A
/// bubble outside the list was abandoned, and a listed one may be missing (trap 2).
#[test]
fn the_list_tells_the_order_and_what_was_abandoned() {
    let rows = [
        bubble("c", 2, "third"),
        bubble("x", 2, "again"),
        bubble("a", 1, "first"),
        composer(&["a", "gone", "b", "c"]),
        bubble("b", 2, "second"),
    ];
    let session = read(vec![desktop(&rows)]);
    assert_eq!(said(&session, Standing::Live), ["first", "second", "third"]);
    assert_eq!(said(&session, Standing::OtherBranch), ["again"]);
    assert_eq!(session.records.len(), rows.len());
}

/// An id with a line break is one id, and strings stay strings, with JSON or without (traps 5, 6).
#[test]
fn an_id_is_whole_and_strings_stay_strings() {
    let folder = testing::open(&Cursor, &testing::samples("cursor", "desktop"));
    let session = folder.sessions.into_values().flatten().next().expect("a session");
    let calls: Vec<_> = session.events().filter(|event| event.kind == Kind::ToolCall).collect();
    assert_eq!(calls[0].text(Slot::Call).as_deref(), Some("call_7a\nfc_01"));
    let torn = calls[1].fields().iter().any(|field| {
        calls[1].name(*field) == b"rawArgs"
            && calls[1].value(*field) == br#""{\"command\":\"cargo te""#
    });
    assert!(torn);
}

/// Agents write many lines for one of the user's (trap 14).
#[test]
fn one_prompt_has_many_answers() {
    let lines = [("user", "go"), ("assistant", "one"), ("assistant", "two"), ("user", "more")];
    let session = read(vec![transcript(&lines)]);
    assert_eq!(said(&session, Standing::Live), ["go", "one", "two", "more"]);
    let turns = meaning::turn::turns(&session);
    assert_eq!(turns.iter().filter(|turn| turn.prompt.is_some()).count(), 2);
}

/// A row whose value is missing, or is not JSON, hides no other (trap 15).
#[test]
fn a_row_without_a_value_is_kept() {
    let rows = [
        composer(&["a", "b", "c"]),
        bubble("a", 1, "hello"),
        row(&format!("bubbleId:{ID}:b"), "null"),
        row(&format!("bubbleId:{ID}:c"), r#"{"base64":"YWI="}"#),
        row(&format!("composerData:{}", ID.replace('3', "4")), "null"),
    ];
    let sessions = testing::read(&Cursor, vec![desktop(&rows)]);
    assert_eq!(said(&sessions[0], Standing::Live)[..1], ["hello"]);
    let records: usize = sessions.iter().map(|session| session.records.len()).sum();
    assert_eq!(records, rows.len());
}
