//! The traps and rules of the format reference, one by one, in its order.

use session::{EventRef, Kind, NO_EVENT, Session, Slot, Standing, UtcTime};

use super::Sage;
use crate::claim::{Claim, Role};
use crate::format::{Format, Weight};
use crate::testing;

fn sample(name: &str) -> Vec<Session> {
    let folder = testing::open(&Sage, &testing::samples("sage", name));
    folder.sessions.into_values().flatten().collect()
}

fn one(name: &str, id: &str) -> Session {
    let found = sample(name).into_iter().find(|session| session.id == id);
    found.unwrap_or_else(|| panic!("no {id} in {name}"))
}

fn lines(lines: &str) -> Session {
    testing::text(&Sage, "-srv-/conversation.jsonl", lines)
}

fn at(event: EventRef<'_>) -> Option<String> {
    event.time().map(UtcTime::rfc3339)
}

/// Presets, spellings of a project's path, members of a conversation (1.1, 2.1, trap 11).
#[test]
fn a_conversation_is_known_in_every_preset_by_every_spelling() {
    let bases = [
        "/home/ana/.emacs.d/sage/projects",
        "/home/ana/.config/emacs/sage/projects",
        "C:/Users/ana/AppData/Roaming/.emacs.d/sage/projects",
        "/home/ana/.sage/projects",
        "/home/ana/.claude/projects",
        "/home/ana/notes/talks",
    ];
    let spellings = [
        "-home-ana-shop-v1-2-",
        "-home-ana-shop-v1-2",
        "-home-ana-shop.v1.2-",
        "-home-ana-shop.v1.2",
        "-home-ana-my_shop 2-",
    ];
    let texts = [
        r#"{"role":"user","content":"x","timestamp":"2026-01-11T22:00:00+0100"}"#,
        r#"{"role":"user","content":"x"}"#,
        r#"{"role":"user","content":"x","mood":"calm"}"#,
        r#"{"role":"tool","name":"read_file","tool_calls":[]}"#,
        r#"{"role":"user","content":"x"#,
        "no JSON",
    ];
    for (base, spelling) in bases.iter().flat_map(|base| spellings.map(|it| (base, it))) {
        for text in texts {
            let path = format!("{base}/{spelling}/conversation.jsonl");
            let group = format!("{base}/{spelling}");
            let claim = testing::claim(&Sage, &path, text.as_bytes());
            assert_eq!(claim, Claim::Part { group, role: Role::Main }, "{path}: {text}");
            let path = format!("{base}/{spelling}/history/20260214-101600.jsonl");
            let group = format!("{path}/{spelling}");
            let claim = testing::claim(&Sage, &path, text.as_bytes());
            assert_eq!(claim, Claim::Part { group, role: Role::Main }, "{path}: {text}");
        }
    }
}

/// Files that another program wrote under the same names are not claimed (trap 11).
#[test]
fn what_has_the_marks_of_another_agent_is_not_taken() {
    let texts = [
        r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":"x"}}"#,
        r#"{"role":"user","message":{"content":[{"type":"text","text":"x"}]}}"#,
        r#"{"role":"user","content":"x","sessionId":"s"}"#,
    ];
    let files =
        ["conversation.jsonl", "history/a.jsonl", "0a0a0a0a-1111-4222-8333-944455556666.jsonl"];
    for (text, file) in texts.iter().flat_map(|text| files.map(|file| (text, file))) {
        let path = format!("/home/ana/.claude/projects/-srv-/{file}");
        assert_eq!(testing::claim(&Sage, &path, text.as_bytes()), Claim::No, "{path}: {text}");
    }
}

/// A project's folder name can't be turned back: only the metadata has the path (1.1).
#[test]
fn the_working_folder_is_the_one_that_the_metadata_says() {
    let folder = |name, id| one(name, id).first(Slot::WorkingDir).map(|it| it.into_owned());
    let caller = folder("caller", "-home-ana-my_shop 2-");
    assert_eq!(caller.as_deref(), Some("/home/ana/my_shop 2/"));
    assert_eq!(folder("order", "-srv-app-"), None);
}

/// Named sessions are detected by their content in any folder. Exports and logs could be any
/// program's, so they are detected only in the agent's folder (1.2, 1.3).
#[test]
fn named_sessions_are_known_anywhere_and_exports_and_logs_in_their_folder() {
    let part = |path: &str| Claim::Part { group: path.to_owned(), role: Role::Main };
    let texts = [
        r#"{"name":"a/b","messages":[],"provider":"gemini","total_tokens":0}"#,
        r#"[{"role":"assistant","content":"Done."},{"role":"user","content":"fix it"}]"#,
        r#"{"event":"request","level":"info","timestamp":"2026-02-14T09:15:03Z"}"#,
        r#"{"timestamp":"2026-01-20T12:00:00Z","tool":"t","args":{},"result_preview":""}"#,
    ];
    let claim = |path: &str, text: &str| testing::claim(&Sage, path, text.as_bytes());
    let (own, any) = (".emacs.d/sage/sessions/a_b.json", "any/a_b.json");
    for text in texts {
        assert_eq!(claim(own, text), part(own), "{text}");
    }
    assert_eq!(claim(any, texts[0]), part(any));
    for text in &texts[1..] {
        assert_eq!(claim(any, text), Claim::No, "{text}");
    }
    // The name inside counts: two names may become one file name.
    let named = testing::text(&Sage, "sessions/a_b.json", texts[0]);
    assert_eq!(named.id, "a/b");
    let markdown = testing::claim(&Sage, "any/talk.md", b"# Sage\n\n**User**: fix it\n");
    assert_eq!(markdown, Claim::No);
    let plain = testing::claim(&Sage, ".emacs.d/sage/sage.log", b"[2026-02-14] INFO request\n");
    assert!(matches!(plain, Claim::NoSession(_)), "{plain:?}");
}

/// Members that callers add, and values that Emacs changes (2.1, trap 4).
#[test]
fn any_member_and_any_value_is_kept() {
    let session = one("caller", "-home-ana-my_shop 2-");
    let expected = [
        "User Say when?",
        "Assistant In parts: \nnow.",
        "User within one second, first",
        "User within one second, second",
        "Assistant assistant",
        "  ToolCall now",
        "  ToolResult result",
        "  ToolCall later",
        "  ToolResult result",
        "  ToolCall never",
        "Assistant first",
        "User half \u{fffd} of a face",
        "User an hour later",
        "Notice metadata",
    ];
    assert_eq!(testing::outline(&session), expected);
    let results: Vec<_> = session.events().filter(|event| event.kind == Kind::ToolResult).collect();
    let raw = |slot| results.iter().filter_map(|event| event.raw(slot)).collect::<Vec<_>>();
    assert_eq!(raw(Slot::Output), [b"{}", b"[]"]);
    assert_eq!(raw(Slot::Duration), [&b"18446744073709551616"[..], b"1.50"]);
    // Of two members with one name Emacs uses the first; both are kept.
    let twice = session.events().find(|event| event.said() == "first").expect("twice");
    let names = twice.fields().iter().map(|field| twice.name(*field));
    assert_eq!(names.filter(|name| *name == b"role").count(), 2);
}

/// Equal second and length do not make two messages equal (trap 3).
#[test]
fn only_a_line_that_says_exactly_the_same_is_an_echo() {
    let line = |text| {
        format!(r#"{{"role":"user","content":"{text}","timestamp":"2026-03-02T09:00:00+0100"}}"#)
    };
    let session = lines(&["one", "two", "one", "six", "two"].map(line).join("\n"));
    let echoes = session.events().map(|event| event.standing() == Standing::Echo);
    assert_eq!(echoes.collect::<Vec<_>>(), [false, false, true, false, true]);
}

/// Calls have no ids, and contain their answers (section 3).
#[test]
fn a_call_and_its_answer_are_two_events_of_one_value() {
    let session = one("emacs", "-home-ana-shop-v1-2-");
    let within = session.events().filter(|event| event.parent != NO_EVENT);
    let kinds: Vec<(Kind, u32)> = within.map(|event| (event.kind, event.origin.part)).collect();
    let pairs: Vec<_> = kinds.chunks(2).map(|pair| [pair[0].0, pair[1].0]).collect();
    assert_eq!(pairs, [[Kind::ToolCall, Kind::ToolResult]; 4], "{kinds:?}");
}

/// Estimates do not count as usage (2.3, 2.6).
#[test]
fn an_estimate_is_no_usage() {
    for (name, id) in [("emacs", "vat fix"), ("caller", "-home-ana-my_shop 2-")] {
        let counts = meaning::usage::counts(&one(name, id), Sage.data().convention);
        assert!(counts.is_empty(), "{name}");
    }
    let session = one("shared", "5d1c7a52-77e0-4b3b-9d11-5f00aa000001");
    let counts = meaning::usage::counts(&session, Sage.data().convention);
    // Input plus cache: 120 + 20 + 4, and 0 of a tool.
    let total: u64 = counts.iter().map(|count| count.tokens.total()).sum();
    assert_eq!(total, 144);
}

/// Truncated data of a log is kept; a scenario's `success` proves nothing (2.5).
#[test]
fn logs_tell_events_and_calls() {
    let log = testing::outline(&one("other", "sage.log"));
    assert_eq!(log, ["Notice request", "Notice tool_call", "Notice response", "Notice error"]);
    let trial = one("other", "scenario-log");
    let result = "ToolResult trial result";
    let expected = ["ToolCall read_file", result, "ToolCall write_file", result];
    assert_eq!(testing::outline(&trial), expected);
    assert!(trial.events().all(|event| event.text(Slot::Status).is_none()));
}

/// The layout that the documents propose (2.6).
#[test]
fn the_proposed_layout_is_read() {
    let folder = testing::open(&Sage, &testing::samples("sage", "proposed"));
    let ids: Vec<&str> =
        folder.sessions.values().flatten().map(|session| session.id.as_str()).collect();
    assert_eq!(ids, ["-srv-app-", "5d1c7a52-77e0-4b3b-9d11-5f00aa000009"]);
    let skipped: Vec<&str> =
        folder.skipped.keys().filter_map(|name| name.rsplit('/').next()).collect();
    assert_eq!(skipped, ["current", "sessions.json"]);
}

/// Order (traps 1 and 14): a file in which all times fall runs backwards, any other keeps its
/// order. Equal times are ordered by line.
#[test]
fn order_is_by_line_unless_every_time_falls() {
    let said = |times: &[(&str, &str)]| {
        let line = |(text, time): &(&str, &str)| {
            format!(r#"{{"role":"user","content":"{text}","timestamp":"2026-02-01T10:00:{time}"}}"#)
        };
        let text = times.iter().map(line).collect::<Vec<_>>().join("\n");
        testing::outline(&lines(&text)).join(" ").replace("User ", "")
    };
    assert_eq!(said(&[("c", "03Z"), ("b", "02Z"), ("b2", "02Z"), ("a", "01Z")]), "a b2 b c");
    assert_eq!(said(&[("c", "03Z"), ("b", "02Z"), ("b2", "04Z"), ("a", "01Z")]), "c b b2 a");
    assert_eq!(said(&[("a", "02Z"), ("b", "02Z")]), "a b");
    // The offset changes within the file: the clock goes back, the time does not.
    assert_eq!(said(&[("a", "00+0200"), ("b", "00+0100")]), "a b");
    let session = one("caller", "-home-ana-my_shop 2-");
    let times: Vec<_> = session.top().filter_map(at).collect();
    assert_eq!(times[times.len() - 2..], ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]);
}

/// Messages that an overflow writes twice (trap 2), or that archives repeat (trap 3): none is
/// deleted.
#[test]
fn what_is_written_twice_is_flagged_within_its_file_only() {
    let standings = |session: &Session| {
        let users = session.top().filter(|event| event.said() == "Mach es.");
        users.map(|event| event.standing).collect::<Vec<_>>()
    };
    let live = one("emacs", "-home-ana-shop-v1-2-");
    assert_eq!(standings(&live), [Standing::Live, Standing::Echo]);
    let archive = one("emacs", "-home-ana-shop-v1-2-/20260701-090000");
    assert_eq!(standings(&archive), [Standing::Live]);
    // If role, content, time or uuid differs, there are two messages.
    let all = concat!(
        "{\"role\":\"user\",\"content\":\"x\",\"timestamp\":\"2026-02-01T10:00:01Z\"}\n",
        "{\"role\":\"user\",\"content\":\"y\",\"timestamp\":\"2026-02-01T10:00:01Z\"}\n",
        "{\"role\":\"system\",\"content\":\"x\",\"timestamp\":\"2026-02-01T10:00:01Z\"}\n",
        "{\"role\":\"user\",\"content\":\"x\",\"timestamp\":\"2026-02-01T10:00:02Z\"}\n",
        "{\"uuid\":\"1\",\"role\":\"user\",\"content\":\"x\",",
        "\"timestamp\":\"2026-02-01T10:00:01Z\"}\n",
        "{\"role\":\"user\",\"content\":\"x\"}\n{\"role\":\"user\",\"content\":\"x\"}\n",
    );
    assert!(lines(all).events().all(|event| event.standing == Standing::Live));
}

/// Torn lines, glued lines and foreign bytes are kept, each with a note (traps 6, 8, 9).
#[test]
fn a_bad_line_hides_no_other() {
    let good = r#"{"role":"user","content":"x","timestamp":"2026-02-01T10:00:01Z"}"#;
    for (bad, kept) in [
        ("{\"role\":\"user\",\"con", "Opaque opaque"),
        ("not JSON", "Opaque opaque"),
        ("{\"a\":1}", "Notice unknown"),
        ("[1]", "Notice unknown"),
        ("7", "Notice unknown"),
    ] {
        for end in ["\n", "\r\n"] {
            let session = lines(&[good, bad, good, ""].join(end));
            assert_eq!(testing::outline(&session), ["User x", kept, "User (echo) x"], "{bad}");
        }
    }
    let glued = lines(&format!("{good}{}\n", good.replace('x', "y")));
    assert_eq!(testing::outline(&glued), ["User x", "User y"]);
    assert_eq!(glued.notes.len(), 1);
}

/// Counters and times of a head prove nothing about the messages (traps 7, 13).
#[test]
fn counts_and_times_of_a_head_are_kept_and_not_believed() {
    let session = one("caller", "-home-ana-my_shop 2-");
    let metadata = session.events().find(|event| event.case.name == "metadata").expect("metadata");
    assert_eq!(at(metadata), None);
    assert!(metadata.raw(Slot::Saved).is_some());
    let head = one("emacs", "vat fix");
    assert_eq!(head.top().find_map(at).as_deref(), Some("2026-02-14T09:15:02Z"));
}

const ROLE: &str = "`role` is one of \"user\", \"assistant\", \"system\"";
const CONTENT: &str = "`content` is a string that is not empty";
const TIME: &str = "`timestamp` is an ISO 8601 time";
const ADVICE: &str = "`timestamp` is recommended";
const RECORD: &str = "a line is one JSON object";
const MESSAGE: &str = "a line is a message with `role` and `content`";

/// Each rule of the schema document ("Validation"), with a violation and a valid message.
#[test]
fn each_rule_of_the_schema_is_held() {
    let dated = |role: &str, content: &str, time: &str| {
        format!(r#"{{"role":{role},"content":{content},"timestamp":{time}}}"#)
    };
    let time = r#""2026-01-11T22:00:00Z""#;
    let by_role = |role: &str| dated(role, r#""x""#, time);
    let by_content = |content: &str| dated(r#""user""#, content, time);
    let by_time = |time: &str| dated(r#""user""#, r#""x""#, time);
    let cases = [
        (by_role(r#""user""#), None),
        (by_role(r#""assistant""#), None),
        (by_role(r#""system""#), None),
        (by_role(r#""tool""#), Some(ROLE)),
        (by_role(r#""User""#), Some(ROLE)),
        (by_role(r#""""#), Some(ROLE)),
        (by_role("null"), Some(ROLE)),
        (by_role("1"), Some(ROLE)),
        (format!(r#"{{"content":"x","timestamp":{time}}}"#), Some(MESSAGE)),
        (by_content(r#"" ""#), None),
        (by_content(r#""""#), Some(CONTENT)),
        (by_content("null"), Some(CONTENT)),
        (by_content(r#"["x"]"#), Some(CONTENT)),
        (by_content(r#"{"text":"x"}"#), Some(CONTENT)),
        (by_content("7"), Some(CONTENT)),
        (format!(r#"{{"role":"user","timestamp":{time}}}"#), Some(CONTENT)),
        (by_time(r#""2026-01-11T22:00:00.5+01:00""#), None),
        (by_time(r#""2026-01-11T22:00:00+0100""#), None),
        (by_time(r#""20260111T220000Z""#), None),
        (by_time(r#""2026-01-11T22:00:00""#), None),
        (by_time(r#""2026-01-11""#), None),
        (by_time(r#""soon""#), Some(TIME)),
        (by_time(r#""""#), Some(TIME)),
        (by_time(r#""1768168800""#), Some(TIME)),
        (by_time(r#""2026-13-11T22:00:00Z""#), Some(TIME)),
        (by_time("1768168800"), Some(TIME)),
        (by_time("null"), Some(TIME)),
        (r#"{"role":"user","content":"x"}"#.to_owned(), Some(ADVICE)),
        ("nothing".to_owned(), Some(RECORD)),
        (r#"{"role":"user","#.to_owned(), Some(RECORD)),
        (r#"{"other":1}"#.to_owned(), Some(MESSAGE)),
    ];
    for (line, expected) in cases {
        let session = lines(&format!("{}\n{line}\n", by_role(r#""user""#)));
        let findings = Sage.data().validate.expect("rules")(&session);
        let rules: Vec<&str> = findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, expected.into_iter().collect::<Vec<_>>(), "{line}");
        for finding in findings {
            assert_eq!(finding.origin.line, 2, "{line}");
            let advice = finding.rule == ADVICE;
            assert_eq!(finding.weight == Weight::Advice, advice, "{line}");
        }
    }
}
