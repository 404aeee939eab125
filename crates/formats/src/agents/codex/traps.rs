//! The traps of the format reference that no other test covers, by their numbers there.

use session::{Kind, Outcome, Session, Slot, Standing};

use super::Codex;
use crate::format::Format;
use crate::testing;

const HEAD: &str = concat!(
    r#"{"timestamp":"2026-07-30T08:01:02Z","type":"session_meta","payload":"#,
    r#"{"id":"0198f2aa-1c2d-7e3f-8a4b-5c6d7e8f9012","cwd":"C:\\Users\\ana\\shop"}}"#
);

fn line(kind: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-07-30T08:01:05Z","type":"{kind}","payload":{payload}}}"#)
}

fn item(payload: &str) -> String {
    line("response_item", payload)
}

fn text(lines: &[&str], start: &str, end: &str) -> Session {
    let text = format!("{start}{}{end}", [&[HEAD], lines].concat().join(end));
    testing::text(&Codex, "rollout-2026-07-30T08-01-02-0198f2aa.jsonl", &text)
}

fn read(lines: &[&str]) -> Session {
    text(lines, "", "\n")
}

/// A file has two logs of one conversation (trap 1).
#[test]
fn what_the_second_log_repeats_is_an_echo() {
    let said = r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}"#;
    let shown = line("event_msg", r#"{"type":"user_message","message":"hi"}"#);
    let session = read(&[&item(said), &shown]);
    let standings = session.top().filter(|event| event.said() == "hi");
    let standings: Vec<Standing> = standings.map(|event| event.standing()).collect();
    assert_eq!(standings, [Standing::Live, Standing::Echo]);
}

/// Arguments are text, JSON or not; an answer is text or a list (trap 4).
#[test]
fn arguments_and_answers_are_kept_in_any_shape() {
    let call = |id: &str, arguments: &str| {
        let of = format!(r#""type":"function_call","name":"shell","call_id":"{id}""#);
        item(&format!(r#"{{{of},"arguments":"{arguments}"}}"#))
    };
    let output = |id: &str, output: &str| {
        item(&format!(r#"{{"type":"function_call_output","call_id":"{id}","output":{output}}}"#))
    };
    let session = read(&[
        &call("a", r#"{\"cmd\":"#),
        &output("a", r#"[{"type":"input_text","text":"x"}]"#),
        &call("b", "{}"),
        &output("b", r#""{\"output\":\"y\",\"metadata\":{\"exit_code\":1}}""#),
    ]);
    assert_eq!(session.notes, []);
    let raw = |slot| session.events().filter_map(|event| event.raw(slot)).collect::<Vec<_>>();
    assert_eq!(raw(Slot::Input), [&br#""{\"cmd\":""#[..], br#""{}""#]);
    assert_eq!(raw(Slot::Output).len(), 2);
}

/// A call without an answer, and an answer without its call, are kept as they are (trap 9).
#[test]
fn halves_of_a_pair_are_normal() {
    let call = item(r#"{"type":"function_call","name":"shell","call_id":"a","arguments":"{}"}"#);
    let answer = item(r#"{"type":"function_call_output","call_id":"z","output":"late"}"#);
    let search = item(r#"{"type":"web_search_call","status":"completed","action":{"query":"q"}}"#);
    let session = read(&[&answer, &call, &search]);
    let kinds: Vec<Kind> = session.top().map(|event| event.kind).skip(1).collect();
    assert_eq!(kinds[..2], [Kind::ToolResult, Kind::ToolCall]);
    assert!(session.events().all(|event| event.kind != Kind::Opaque));
}

/// Unknown types are kept (trap 10).
#[test]
fn a_type_of_tomorrow_is_a_notice() {
    for strange in [line("novel", r#"{"x":1}"#), item(r#"{"type":"novel","x":1}"#)] {
        let session = read(&[&strange]);
        assert_eq!(session.event(1).kind, Kind::Notice, "{strange}");
        assert_eq!(session.notes, []);
    }
}

/// The numbers of an answer are not rounded, and written back unchanged (trap 5).
#[test]
fn decimals_keep_their_digits() {
    let number = "0.10000000000000000000000001";
    let strange = line("event_msg", &format!(r#"{{"type":"novel","x":{{"y":{number}}}}}"#));
    let session = read(&[&strange]);
    let written = Codex.write(&session).expect("its own format");
    assert!(String::from_utf8_lossy(&written.files[0].1).contains(number));
}

/// A torn last line hides nothing (trap 8). A folder keeps its system's spelling, and other line
/// ends are not damage (trap 16).
#[test]
fn ends_and_marks_hide_nothing() {
    let said = item(r#"{"type":"message","role":"user","content":"hi"}"#);
    for (start, end) in [("", "\n"), ("", "\r\n"), ("\u{feff}", "\r\n")] {
        let session = text(&[&said], start, end);
        assert_eq!(session.notes, []);
        assert_eq!(session.first(Slot::WorkingDir).as_deref(), Some(r"C:\Users\ana\shop"));
    }
    let torn = read(&[&said, "{\"timestamp\":\"2026"]);
    assert_eq!(torn.notes.len(), 1);
    assert_eq!(testing::outline(&torn)[1..], ["User hi", "Opaque opaque"]);
}

/// A result says that its call failed in one of several ways, and no other sign has to be there.
#[test]
fn each_sign_of_a_failed_call_counts() {
    let ran = |code: u8| {
        let of = r#""type":"exec_command_end","call_id":"a","command":["make"],"cwd":"/w""#;
        line("event_msg", &format!(r#"{{{of},"aggregated_output":"x","exit_code":{code}}}"#))
    };
    let patched = |word: &str| {
        let of = r#""type":"patch_apply_end","call_id":"a","changes":{},"stdout":"x""#;
        line("event_msg", &format!("{{{of},{word}}}"))
    };
    let output = |text: &str| {
        let of = r#""type":"function_call_output","call_id":"a""#;
        item(&format!(r#"{{{of},"output":"{text}"}}"#))
    };
    let all = [
        (ran(0), Some(Outcome::Good)),
        (ran(2), Some(Outcome::Failed)),
        (patched(r#""success":true"#), Some(Outcome::Good)),
        (patched(r#""success":false"#), Some(Outcome::Failed)),
        (patched(r#""success":false,"status":"declined""#), Some(Outcome::Declined)),
        (patched(r#""status":"inProgress""#), None),
        (output(r#"{\"output\":\"y\",\"metadata\":{\"exit_code\":1}}"#), Some(Outcome::Failed)),
        (output(r#"{\"output\":\"y\",\"metadata\":{\"exit_code\":0}}"#), Some(Outcome::Good)),
        (output(r"Exit code: 2\nWall time: 0 seconds\nOutput:\n"), Some(Outcome::Failed)),
        (output(r"Chunk ID: 1\nProcess exited with code 0\nOutput:\nx"), Some(Outcome::Good)),
        (output("just text"), None),
    ];
    for (line, expected) in all {
        let session = read(&[&line]);
        let result = session.events().find(|event| event.kind == Kind::ToolResult);
        assert_eq!(result.and_then(|event| event.outcome()), expected, "{line}");
    }
}
