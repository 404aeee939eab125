//! Pairing of calls and results by their ids, wherever in the stream a result is.

use std::sync::Arc;

use session::{
    Bundle, Case, Kind, Map, Member, Memory, Node, Reading, Session, Slot, Split, Stream, map,
};
use verbatim_meaning::Calls;

static LINE: Map = map! {
    "kind" => is(Type), "call" => is(Call), "name" => is(Id), "text" => is(Content),
};
static PROMPT: Case = Case::new("prompt", Kind::User, &LINE);
static CALL: Case = Case::new("call", Kind::ToolCall, &LINE);
static RESULT: Case = Case::new("result", Kind::ToolResult, &LINE);

fn line(node: Node<'_>) -> Option<&'static Case> {
    Some(match node.word(&["kind"])? {
        b"call" => &CALL,
        b"result" => &RESULT,
        _ => &PROMPT,
    })
}

/// A session of lines: `?` is a prompt, `c1.a` the call `1` named `a`, `r1.b` a result of call `1`.
fn read(lines: &str) -> Session {
    let json = |word: &str| match word.split_once('.') {
        None => r#"{"kind":"prompt","text":"go"}"#.to_owned(),
        Some((of, name)) => {
            let kind = if of.starts_with('c') { "call" } else { "result" };
            format!(r#"{{"kind":"{kind}","call":"{}","name":"{name}"}}"#, &of[1..])
        }
    };
    let text: Vec<String> = lines.split_whitespace().map(json).collect();
    let text = text.join("\n");
    let member = Member::new("a.jsonl", Stream::Main, text.into_bytes()).expect("short");
    let mut memory = Memory::default();
    let mut reading = Reading::new("test", &Arc::new(Bundle::of(member)), &mut memory);
    reading.member(0, Split::Lines, line);
    reading.finish()
}

/// Each result with its call, in the order of the results; `-` for no call.
fn pairs(lines: &str) -> String {
    let session = read(lines);
    let calls = Calls::of(&session);
    let name = |event: u32| session.event(event).text(Slot::Id).unwrap_or_default().into_owned();
    let results = session.events().filter(|event| event.kind == Kind::ToolResult);
    let pairs = results.map(|result| {
        let call = calls.call(result.index).map_or("-".to_owned(), name);
        format!("{}={call}", name(result.index))
    });
    pairs.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_result_before_its_call_is_its_result() {
    assert_eq!(pairs("? c1.a r2.y c2.b r1.x"), "y=b x=a");
    assert_eq!(pairs("? r1.x c1.a"), "x=a");
    // The call was made in the turn after: no other call has the id.
    assert_eq!(pairs("? r1.x ? c1.a"), "x=a");
    assert_eq!(pairs("? r3.x c1.a r1.y"), "x=- y=a");
}

#[test]
fn ids_that_repeat_in_each_turn_join_within_their_turn() {
    assert_eq!(pairs("? c0.a r0.x ? c0.b r0.y"), "x=a y=b");
    assert_eq!(pairs("? c0.a ? r0.y c0.b"), "y=b");
    assert_eq!(pairs("? r0.x c0.a ? r0.y c0.b"), "x=a y=b");
    // Several in one turn, in order.
    assert_eq!(pairs("? c0.a c0.b r0.x r0.y"), "x=a y=b");
    // A result of a call of the turn before, which has none.
    assert_eq!(pairs("? c0.a ? r0.x"), "x=a");
}

#[test]
fn one_more_result_takes_no_later_call() {
    assert_eq!(pairs("? c0.a r0.x r0.z c0.b r0.y"), "x=a z=a y=b");
    let session = read("? c0.a r0.x r0.z c0.b r0.y");
    let calls = Calls::of(&session);
    let call = session.events().find(|event| event.kind == Kind::ToolCall).expect("a call");
    let first = calls.result(call.index).expect("a result");
    assert_eq!(session.event(first).text(Slot::Id).as_deref(), Some("x"));
}

#[test]
fn very_many_calls_with_one_id_cost_linear_time() {
    // Each would compare with all others.
    let lines = "c0.a r0.x ".repeat(20_000) + &"c1.a ".repeat(20_000) + &"r1.x ".repeat(20_000);
    let session = read(&format!("? {lines}"));
    let calls = Calls::of(&session);
    let results = session.events().filter(|event| event.kind == Kind::ToolResult);
    assert!(results.into_iter().all(|result| calls.call(result.index).is_some()));
}
