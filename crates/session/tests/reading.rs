//! Reading with tables: ownership of values, kept fields, and a proof that can fail.

use std::sync::Arc;

use verbatim_session::harm;
use verbatim_session::proof::{self, Wrong};
use verbatim_session::{
    Bundle, Case, Hold, JsonFault, Kind, Map, Member, Memory, Node, Reading, Session, Slot, Split,
    Stream, map,
};

static LINE: Map = map! {
    "type" => is(Type), "id" => is(Id), "at" => is(Time), "note" => kept,
    "message" => within(Native, &MESSAGE), "state" => within(Native, &CALL_STATE),
};
static MESSAGE: Map = map! { "content" => each(Content, block), "model" => is(Model) };
static BLOCK: Map = map! { "type" => is(Type), "id" => is(Call), "name" => is(Name) };
static CALL: Map = map! {
    "type" => is(Type), "id" => is(Id), "call" => is(Call), "state" => within(Native, &CALL_STATE),
};
static CALL_STATE: Map = map! { "input" => is(Input), "time" => kept };
static RESULT: Map = map! { "call" => is(Call), "state" => within(Native, &RESULT_STATE) };
static RESULT_STATE: Map = map! { "output" => is(Output) };
static DOC: Map = map! { "sid" => is(Session), "items" => each(Native, item) };

static PLAIN: Case = Case::new("plain", Kind::User, &LINE);
static TOOL: Case = Case::new("tool", Kind::ToolCall, &BLOCK);
static FUSED: Case = Case::new("call", Kind::ToolCall, &CALL).also(&SECOND);
static SECOND: Case = Case::new("result", Kind::ToolResult, &RESULT);
static HEADER: Case = Case::new("header", Kind::Notice, &DOC);
static OTHER: Case = Case::new("other", Kind::Notice, &RESULT);
static ITEM: Case = Case::new("item", Kind::User, &LINE).top();

fn record(node: Node<'_>) -> Option<&'static Case> {
    if node.at(&["items"]).is_some() {
        return Some(&HEADER);
    }
    match node.word(&["type"]) {
        Some(b"tool") => Some(&FUSED),
        Some(b"other") => Some(&OTHER),
        Some(_) => Some(&PLAIN),
        None => None,
    }
}

fn block(node: Node<'_>) -> Option<&'static Case> {
    (node.word(&["type"]) == Some(b"tool_use")).then_some(&TOOL)
}

fn item(_: Node<'_>) -> Option<&'static Case> {
    Some(&ITEM)
}

fn read_as(text: impl Into<Vec<u8>>, split: Split) -> Session {
    read_with(text, split, &mut Memory::default())
}

fn read_with(text: impl Into<Vec<u8>>, split: Split, memory: &mut Memory) -> Session {
    let member = Member::new("a.jsonl", Stream::Main, text.into()).expect("short");
    let mut reading = Reading::new("test", &Arc::new(Bundle::of(member)), memory);
    reading.member(0, split, record);
    reading.finish()
}

fn read(text: impl Into<Vec<u8>>) -> Session {
    let session = read_as(text, Split::Lines);
    assert_eq!(proof::check(std::slice::from_ref(&session), 9), []);
    session
}

#[test]
fn every_member_is_a_field_or_a_descent() {
    let session = read(concat!(
        r#"{"type":"user","new":{"x":[1]},"message":{"content":[{"type":"text","text":"hi"},"#,
        r#"{"type":"tool_use","id":"c1","name":"Bash","input":{"a":1}}],"model":"m"},"note":null}"#
    ));
    let event = session.event(0);
    assert_eq!(event.said(), "hi");
    assert_eq!(event.text(Slot::Model).as_deref(), Some("m"));
    let drift: Vec<_> = event.fields().iter().filter(|field| !field.known).collect();
    assert_eq!(drift.len(), 1);
    assert_eq!(event.name(*drift[0]), b"new");
    let call = event.children().next().expect("a call");
    assert_eq!(call.text(Slot::Call).as_deref(), Some("c1"));
    assert_eq!(session.len(), 2);
}

#[test]
fn a_fused_value_is_two_events_and_nothing_is_owned_twice() {
    let session = read(
        r#"{"type":"tool","call":"c","state":{"input":{"q":1},"output":"o","time":{"s":1}},"x":2}"#,
    );
    let [call, result] = [session.event(0), session.event(1)];
    assert_eq!((call.kind, result.kind), (Kind::ToolCall, Kind::ToolResult));
    assert_eq!(call.raw(Slot::Input), Some(&br#"{"q":1}"#[..]));
    assert_eq!(result.raw(Slot::Output), Some(&b"\"o\""[..]));
    assert_eq!(result.text(Slot::Call).as_deref(), Some("c"));
    assert_eq!(result.field(Slot::Call).map(|field| field.hold), Some(Hold::View));
    assert_eq!(result.native().count(), 0);
    assert_eq!(call.native().count(), 2);
}

static FUSED_LIST: Map = map! { "parts" => each(Native, item) };
static PAIR: Case = Case::new("pair", Kind::ToolCall, &FUSED_LIST).also(&ANSWER);
static ANSWER: Case = Case::new("answer", Kind::ToolResult, &RESULT);

#[test]
fn both_events_of_a_fused_value_stand_on_its_line() {
    let text = "\n{\"parts\":[\n{\"type\":\"x\"},\n{\"type\":\"y\"}],\n\"call\":\"c\"}\n{\"id\":1}";
    let member = Member::new("a.json", Stream::Main, text.into()).expect("short");
    let mut memory = Memory::default();
    let mut reading = Reading::new("test", &Arc::new(Bundle::of(member)), &mut memory);
    reading.member(0, Split::Concatenated, |node| match node.at(&["parts"]) {
        Some(_) => Some(&PAIR),
        None => Some(&OTHER),
    });
    let session = reading.finish();
    assert_eq!(proof::check(std::slice::from_ref(&session), 9), []);
    let lines: Vec<_> = session.events().map(|e| (e.case.name, e.origin.line)).collect();
    assert_eq!(lines, [("pair", 2), ("item", 3), ("item", 4), ("answer", 2), ("other", 6)]);
}

/// Lines that differ only in their values are labelled like earlier ones, unless a value decides
/// its own case.
#[test]
fn lines_alike_are_asked_all_the_same() {
    let types =
        |line: usize| (["user", "tool", "other"][line / 5 % 3], ["text", "tool_use"][line / 3 % 2]);
    let lines = (0..60).map(|line| {
        let (of, block) = types(line);
        let message = format!(r#"{{"content":[{{"type":"{block}","id":"c{line}"}}],"model":"m"}}"#);
        format!("{{\"type\":\"{of}\",\"message\":{message},\"state\":{{\"input\":{line}}}}}\n")
    });
    let text: String = lines.collect();
    let plain = read_with(text.clone(), Split::Lines, &mut Memory::without_templates());
    let session = read(text);
    assert_eq!(session.len(), plain.len());
    for (event, plain) in session.events().zip(plain.events()) {
        assert!(std::ptr::eq(event.case, plain.case));
        assert_eq!(event.fields(), plain.fields());
    }
    for line in 0..60 {
        let own = |event: &verbatim_session::EventRef<'_>| event.origin.record as usize == line;
        let expected = match types(line) {
            ("tool", _) | ("user", "tool_use") => 2,
            _ => 1,
        };
        assert_eq!(session.events().filter(own).count(), expected, "line {line}");
    }
}

#[test]
fn the_messages_of_a_document_stand_by_themselves() {
    let text =
        "{\n \"sid\": \"s\",\n \"items\": [\n  {\"type\":\"a\"},\n\n  {\"type\":\"b\"}\n ]\n}\n";
    let session = read_as(text, Split::Whole);
    assert_eq!(proof::check(std::slice::from_ref(&session), 9), []);
    let lines: Vec<_> = session.top().map(|event| event.origin.line).collect();
    assert_eq!(lines, [1, 4, 6]);
}

#[test]
fn a_list_of_messages_is_a_document_too() {
    static LIST: Case = Case::new("list", Kind::Notice, &verbatim_session::UNKNOWN).each(item);
    for (text, count) in [("[{\"type\":\"a\"}, 1, {\"type\":\"b\"}]", 4), ("[]", 1)] {
        let member = Member::new("a.json", Stream::Main, text.into()).expect("short");
        let mut memory = Memory::default();
        let mut reading = Reading::new("test", &Arc::new(Bundle::of(member)), &mut memory);
        reading.member(0, Split::Whole, |_| Some(&LIST));
        let session = reading.finish();
        assert_eq!(proof::check(std::slice::from_ref(&session), 9), []);
        assert_eq!(session.top().count(), count);
    }
}

#[test]
fn bad_bytes_are_kept_and_noted() {
    let mut text = br#"{"type":"a"}{"type":"b"}"#.to_vec();
    text.extend(b"\nnot json\n\0\0\0{\"type\":\"c\"}\n\xff\n{\"type\":\"d\"");
    let session = read(text);
    let kinds: Vec<_> = session.events().map(|event| event.kind).collect();
    use Kind::{Opaque, User};
    assert_eq!(kinds, [User, User, Opaque, Opaque, User, Opaque, Opaque]);
    let whys: Vec<_> = session.notes.iter().map(|note| (note.line, note.why)).collect();
    let expected = [
        (1, JsonFault::Trailing),
        (2, JsonFault::Scalar),
        (3, JsonFault::Nul),
        (4, JsonFault::Encoding),
        (5, JsonFault::CutOff),
    ];
    assert_eq!(whys, expected);
}

/// As an agent's own decoder does: a byte that is not UTF-8 is U+FFFD in the text, and no quote or
/// backslash behind it is taken for a part of it.
#[test]
fn a_record_with_bytes_that_are_not_utf8_is_read_and_noted() {
    let cases: [(&[u8], &str, &str); 6] = [
        (b"pl\xffum", "pl\u{fffd}um", "1 byte is not UTF-8"),
        (b"\xff\xfe", "\u{fffd}\u{fffd}", "2 bytes are not UTF-8"),
        (b"cut \xe2\x82", "cut \u{fffd}", "2 bytes are not UTF-8"),
        (b"\xf0\x9f\\n\xc3\\\"", "\u{fffd}\n\u{fffd}\"", "3 bytes are not UTF-8"),
        (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}", "3 bytes are not UTF-8"),
        (b"\xe2\x80\xc3\xa9", "\u{fffd}\u{e9}", "2 bytes are not UTF-8"),
    ];
    for (spelling, text, words) in cases {
        let line = [br#"{"type":"a","message":{"content":""#, spelling, b"\"}}\n"].concat();
        for split in [Split::Lines, Split::Concatenated, Split::Whole] {
            let whole = [&line[..], b"{\"type\":\"a\"}\n"].concat();
            let bytes = if split == Split::Whole { &line } else { &whole };
            let session = read_as(bytes.clone(), split);
            assert_eq!(proof::check(std::slice::from_ref(&session), 9), []);
            assert_eq!(session.unread_records(), []);
            let event = session.events().next().expect("an event");
            assert_eq!(event.said(), text, "{split:?}");
            let [note] = &*session.notes else { panic!("{:?}", session.notes) };
            assert_eq!((note.line, note.why, note.mended), (1, JsonFault::Encoding, true));
            assert_eq!(session.note_words(note), words);
            assert!(!bytes[note.at as usize].is_ascii());
        }
    }
    // Outside of strings it is damage.
    for line in [b"{\"type\":\xff}".as_slice(), b"{\"type\":\"a\"\xff}", b"\xff"] {
        let session = read_as(line, Split::Lines);
        assert_eq!(session.unread_records().len(), 1, "{}", line.escape_ascii());
    }
}

/// The value of such a name is kept, and no view knows what it is: the record is in the book of
/// those that could not be read whole.
#[test]
fn a_name_that_is_not_utf8_is_told() {
    let lines: [&[u8]; 3] = [
        b"{\"type\":\"a\",\"messa\xffge\":{\"content\":\"ebb\"}}",
        b"{\"type\":\"a\",\"x\":[{},{\"y\":1,\"\xff\":[]}],\"z\":{\"content\":\"\xff\"}}",
        b"{\"type\":\"a\",\"\xc3\":1}",
    ];
    for line in lines {
        for split in [Split::Lines, Split::Concatenated, Split::Whole] {
            let session = read_as(line, split);
            assert_eq!(proof::check(std::slice::from_ref(&session), 9), []);
            let [note] = &*session.notes else { panic!("{:?}", session.notes) };
            assert_eq!((note.why, note.mended), (JsonFault::Name, false));
            assert_eq!(line[note.at as usize], b'"');
            let [unread] = &*session.unread_records() else { panic!("{}", line.escape_ascii()) };
            assert_eq!((unread.line, unread.why), (1, JsonFault::Name.words()));
        }
    }
}

/// A whole record in an array, or in a text, is no record: nothing in it is in any view.
#[test]
fn a_line_that_is_no_object_is_told() {
    let record = r#"{"type":"a","message":{"content":"neap"}}"#;
    let text = format!("{record}\n[{record}]\n{}\n7\n{record}\n", quoted(record));
    let session = read_as(text.as_bytes(), Split::Lines);
    assert_eq!(proof::check(std::slice::from_ref(&session), 9), []);
    let told: Vec<_> = session.unread_records().iter().map(|r| (r.line, r.why)).collect();
    assert_eq!(told, [2, 3, 4].map(|line| (line, JsonFault::NoRecord.words())));
    assert!(session.notes.iter().all(|note| !note.mended));
}

fn quoted(text: &str) -> String {
    let mut json = Vec::new();
    verbatim_session::value::quote(text, &mut json);
    String::from_utf8(json).expect("UTF-8")
}

/// A process was killed while it wrote a line, and the next one wrote on.
#[test]
fn an_object_behind_the_beginning_of_one_is_read() {
    let whole = r#"{"type":"b","message":{"content":"The keel is painted."}}"#;
    for end in 1..whole.len() {
        let begun = &whole[..end];
        let text = format!("{{\"type\":\"a\"}}\n{begun}{whole}\n{{\"type\":\"c\"}}\n");
        let session = read_as(text.as_bytes(), Split::Lines);
        assert_eq!(proof::check(std::slice::from_ref(&session), 9), [], "{text}");
        let said: Vec<_> = session.events().map(|event| event.said().into_owned()).collect();
        assert_eq!(said, ["", "", "The keel is painted.", ""], "{text}");
        let [unread] = &*session.unread_records() else { panic!("{text}") };
        let (line, bytes) = (unread.line, session.bundle.slice(unread.member, unread.span));
        assert_eq!((line, bytes, unread.why), (2, begun.as_bytes(), "the value is cut off"));
    }
}

/// A byte order mark belongs at a file's beginning. Joined files have it inside: it is kept and
/// noted, and the values after it are read.
#[test]
fn values_behind_a_mark_of_the_encoding_are_read() {
    for (text, values, marks) in [
        ("\0\0\u{feff}{}{}", 2, 1),
        ("{}\n\u{feff}{}{}\n", 3, 1),
        ("\u{feff}\u{feff}{}{}", 2, 1),
        ("\u{feff}{}\r\n\u{feff}{}\r\n\u{feff} {}\n", 3, 2),
        ("{}\n\u{feff}\n{}\n", 2, 1),
    ] {
        for split in [Split::Lines, Split::Concatenated] {
            let session = read_as(text, split);
            assert_eq!(proof::check(std::slice::from_ref(&session), 9), [], "{text:?}");
            let (opaque, read): (Vec<_>, Vec<_>) =
                session.events().map(|event| event.kind).partition(|kind| *kind == Kind::Opaque);
            assert_eq!((read.len(), opaque.len()), (values, marks), "{text:?} {split:?}");
            assert!(
                session.notes.iter().any(|note| note.why == JsonFault::Mark),
                "{text:?} {split:?}"
            );
        }
    }
}

#[test]
fn concatenated_values_are_cut_where_they_close() {
    let text = r#"{
 "type": "a"
}
[1,
2]{"type":"}"}
{
 "broken":
{
 "type": "b"
}
"#;
    let session = read_as(text, Split::Concatenated);
    assert_eq!(proof::check(std::slice::from_ref(&session), 9), []);
    let lines: Vec<_> = session.records.iter().map(|record| record.line).collect();
    assert_eq!(lines, [1, 4, 5, 6, 8]);
    let whys: Vec<_> = session.notes.iter().map(|note| note.why).collect();
    assert_eq!(whys, [JsonFault::NoRecord, JsonFault::CutOff]);
}

#[test]
fn values_as_programs_print_them_are_told_by_their_last_line() {
    let text = "\u{feff}\n\n{\"type\":\"a\"} \n\n[\n1\n]\nnonsense\n{\"type\":\"b\"}\n[\n]";
    let session = read_as(text, Split::Concatenated);
    assert_eq!(proof::check(std::slice::from_ref(&session), 9), []);
    let lines: Vec<_> = session.records.iter().map(|record| record.line).collect();
    assert_eq!(lines, [3, 5, 8, 9, 10]);
}

#[test]
fn hostile_nesting_ends_in_a_kept_value() {
    let depth = 100_000;
    let text = "{\"type\":\"a\",\"message\":{\"content\":".to_owned()
        + &"[{\"type\":\"tool_use\",\"content\":".repeat(depth)
        + "1"
        + &"}]".repeat(depth)
        + "}}";
    assert!(read(text).len() < 100);
}

#[test]
fn the_proof_can_fail() {
    let text = r#"{"type":"a","id":"1","message":{"model":"m","x":1}}
{"type":"b","note":[]}
"#;
    type Harm = fn(&mut harm::Parts<'_>);
    let harms: [(Harm, Wrong); 7] = [
        (|parts| parts.remove_field(1), Wrong::NoField),
        (|parts| parts.repeat_field(1), Wrong::TwoFields),
        (|parts| parts.swap_values(0, 1), Wrong::Astray),
        (|parts| parts.shift_value(0), Wrong::NoField),
        (|parts| parts.remove_record(1), Wrong::NoRecord),
        (|parts| parts.remove_event(1), Wrong::NoEvent),
        (|parts| parts.shorten_record(0), Wrong::NoRecord),
    ];
    for (at, (harm, wrong)) in harms.into_iter().enumerate() {
        let mut session = read(text);
        harm(&mut harm::Parts::of(&mut session));
        let breaches = proof::check(&[session], 9);
        assert!(breaches.iter().any(|breach| breach.what == wrong), "{at}: {breaches:?}");
    }
}
