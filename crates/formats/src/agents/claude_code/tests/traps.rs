//! The traps of the format reference that no other test covers, by their numbers there.

use meaning::usage::{Counting, counts};
use session::{Session, Standing};

use super::super::ClaudeCode;
use crate::format::Format;
use crate::testing;

const ID: &str = "00000000-0000-4000-8000-000000000001";

fn line(kind: &str, id: &str, parent: &str, message: &str) -> String {
    let of = format!(r#""type":"{kind}","uuid":"{id}","sessionId":"{ID}""#);
    format!(r#"{{{of},"parentUuid":{parent},"message":{message}}}"#)
}

fn user(id: &str, parent: &str, text: &str) -> String {
    line("user", id, parent, &format!(r#"{{"role":"user","content":"{text}"}}"#))
}

fn answer(id: &str, parent: &str, model: &str, output: &str) -> String {
    let usage = format!(r#""usage":{{"input_tokens":1,"output_tokens":{output}}}"#);
    let of = format!(r#""id":"msg_1","role":"assistant","model":"{model}""#);
    line("assistant", id, parent, &format!(r#"{{{of},"content":[],{usage}}}"#))
}

fn read(lines: &[&str], start: &str, end: &str) -> Session {
    let text = format!("{start}{}{end}", lines.join(end));
    testing::text(&ClaudeCode, &format!("{ID}.jsonl"), &text)
}

fn spent(lines: &[&str]) -> u64 {
    let counts = counts(&read(lines, "", "\n"), ClaudeCode.data().convention);
    let counted = counts.iter().filter(|count| count.verdict == Counting::Counted);
    counted.map(|count| count.tokens.total()).sum()
}

/// Lines of one answer repeat its usage, incomplete in the first; some write text for numbers (trap
/// 1). Lines that no model wrote have no usage (trap 16).
#[test]
fn an_answer_counts_once_and_none_that_no_model_gave() {
    let (first, then) = (answer("a", "null", "m", "5"), answer("b", "\"a\"", "m", "631"));
    let text = answer("c", "\"b\"", "m", "\"631\"");
    assert_eq!(spent(&[&first, &then]), 632);
    assert_eq!(spent(&[&then, &first]), 632);
    assert_eq!(spent(&[&first, &text]), 632);
    let made = answer("d", "null", "<synthetic>", "9");
    assert_eq!(spent(&[&made]), 0);
}

/// Children may come before their parents (trap 4).
#[test]
fn a_child_before_its_parent_is_on_the_way_too() {
    let (a, b) = (user("a", "null", "one"), user("b", "\"a\"", "two"));
    let session = read(&[&b, &a], "", "\n");
    assert!(session.events().all(|event| event.standing() == Standing::Live));
}

/// A lone surrogate is JSON, and bytes that are not JSON hide nothing (trap 10).
#[test]
fn half_a_character_and_damage_are_kept() {
    let half = user("a", "null", r"half \ud83d");
    let session = read(&[&half, "?", &user("b", "\"a\"", "two")], "", "\n");
    assert_eq!(testing::outline(&session), ["User half \u{fffd}", "Opaque opaque", "User two"]);
    let written = ClaudeCode.write(&session).expect("its own format");
    assert_eq!(&*written.files[0].1, session.bundle.members[0].bytes());
}

/// Editors add byte order marks and other line ends (trap 17).
#[test]
fn line_ends_and_marks_are_no_damage() {
    let (a, b) = (user("a", "null", "one"), user("b", "\"a\"", "two"));
    for (start, end) in [("", "\r\n"), ("\u{feff}", "\n"), ("\u{feff}", "\r\n")] {
        let session = read(&[&a, &b], start, end);
        assert_eq!(session.notes, []);
        assert_eq!(testing::outline(&session), ["User one", "User two"]);
    }
}
