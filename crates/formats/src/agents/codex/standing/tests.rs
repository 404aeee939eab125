//! Each rule of standing, on the samples and on histories made for one rule.

use session::{Session, Standing};

use crate::agents::codex::Codex;
use crate::testing;

/// The lines that are not live, in order: `2 superseded, 4 echo`.
fn told(session: &Session) -> String {
    let events = session.top().filter(|event| event.standing != Standing::Live);
    let words = events.map(|event| format!("{} {}", event.origin.line, event.standing.word()));
    words.collect::<Vec<_>>().join(", ")
}

/// A sample by its folder and the end of its thread's id.
fn sample(folder: &str, id: &str) -> String {
    let folder = testing::open(&Codex, &testing::samples("codex", folder));
    let mut sessions = folder.sessions.into_values().flatten();
    told(&sessions.find(|session| session.id.ends_with(id)).expect("a session"))
}

/// A history of lines `(second, milliseconds, type, payload)`.
fn history(lines: &[(u32, u32, &str, &str)]) -> String {
    let lines = lines.iter().map(|(second, millis, kind, payload)| {
        let (minute, second) = (second / 60, second % 60);
        let time = format!("2026-10-20T09:{minute:02}:{second:02}.{millis:03}Z");
        format!(r#"{{"timestamp":"{time}","type":"{kind}","payload":{payload}}}"#)
    });
    told(&testing::text(&Codex, "rollout.jsonl", &lines.collect::<Vec<_>>().join("\n")))
}

/// 2026-10-20T09:00:00Z in whole seconds.
const NINE: u64 = 1_792_486_800;

/// A UUIDv7 created so many seconds after nine.
fn v7(second: i64) -> String {
    let millis = (NINE as i64 + second) * 1000;
    let hex = format!("{millis:012x}");
    format!("{}-{}-7abc-8000-000000000001", &hex[..8], &hex[8..])
}

fn header(id: &str, more: &str) -> String {
    format!(r#"{{"id":"{id}","timestamp":"2026-10-20T09:00:00.000Z"{more}}}"#)
}

fn started(turn: &str, second: i64) -> String {
    let at = NINE as i64 + second;
    format!(r#"{{"type":"task_started","turn_id":"{turn}","started_at":{at}}}"#)
}

const ASK: &str =
    r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}"#;
const ASKED: &str = r#"{"type":"user_message","message":"a"}"#;
const CONTEXT: &str = r#"{"model":"m"}"#;

#[test]
fn samples_stand_as_they_should() {
    let fork = "2 copied, 3 copied, 4 copied, 5 copied, 6 copied, 7 copied, 8 copied, 9 copied, \
                10 copied, 11 copied, 12 copied, 13 copied, 14 copied, 19 echo, 20 echo, 21 echo";
    assert_eq!(sample("fork", "0f0f0"), fork);
    let old = "2 copied, 3 copied, 4 copied, 5 copied, 6 copied, 7 copied, 8 copied, 10 echo, \
               13 echo";
    assert_eq!(sample("fork", "0f0f3"), old);
    assert_eq!(sample("paged", "0032"), "2 copied, 3 copied, 4 copied, 5 copied");
    // The second rollout continues line 14 of the first.
    let mut left: Vec<String> = (14..33).map(|line| format!("{line} rewound")).collect();
    (left[28 - 14], left[31 - 14]) = ("28 echo".into(), "31 echo".into());
    let paged = format!("5 echo, 7 echo, 9 echo, 11 echo, {}", left.join(", "));
    assert_eq!(sample("paged", "0030"), paged);
    assert_eq!(sample("damaged", "0020"), "2 superseded, 4 echo, 5 echo");
    assert_eq!(sample("agents", "0c2"), "7 echo");
    let rewound = "5 echo, 6 echo, 7 compacted, 12 compacted, 13 echo, 14 echo, 15 compacted, \
                   19 echo, 26 echo, 27 echo, 33 rewound, 34 echo, 35 echo, 36 rewound, \
                   41 rewound, 42 echo, 43 echo, 44 rewound, 51 echo, 52 echo";
    assert_eq!(sample("rewound", "0010"), rewound);
}

#[test]
fn a_header_written_again_is_no_copy() {
    let own = header(&v7(0), "");
    let first = started(&v7(1), 1);
    let lines = [
        (0, 0, "session_meta", &*own),
        (1, 0, "event_msg", &*first),
        (1, 1, "response_item", ASK),
        (90, 0, "session_meta", &*own),
        (91, 0, "response_item", ASK),
    ];
    assert_eq!(history(&lines), "");
}

#[test]
fn a_sub_agent_that_inherits_only_a_header_keeps_its_first_turn() {
    let own = header(&v7(0), r#","parent_thread_id":"p","forked_from_id":"p""#);
    let parent = header(&v7(-500), "");
    let first = started(&v7(0), 0);
    let lines = [
        (0, 1, "session_meta", &*own),
        (0, 1, "session_meta", &*parent),
        (0, 30, "event_msg", &*first),
        (0, 31, "response_item", ASK),
    ];
    assert_eq!(history(&lines), "2 copied");
}

#[test]
fn a_sub_agent_that_inherits_nothing_has_no_copies() {
    for turn in [v7(0), "00000000-0000-4000-8000-000000000000".to_owned()] {
        let own = header(&v7(0), r#","parent_thread_id":"p""#);
        let first = started(&turn, 0);
        let lines = [
            (0, 1, "session_meta", &*own),
            (0, 2, "response_item", ASK),
            (0, 30, "event_msg", &*first),
            (0, 31, "response_item", ASK),
        ];
        assert_eq!(history(&lines), "");
    }
}

#[test]
fn turns_of_an_ancestor_without_a_time_in_their_id_are_told_by_when_they_started() {
    let own = header(&v7(0), r#","parent_thread_id":"p""#);
    let (parent, root) = (header(&v7(-50), ""), header(&v7(-90), ""));
    let v4 = "00000000-0000-4000-8000-000000000000";
    let (theirs, mine) = (started(v4, -80), started(v4, 3));
    let lines = [
        (0, 0, "session_meta", &*own),
        (0, 0, "session_meta", &*parent),
        (0, 0, "session_meta", &*root),
        (0, 1, "event_msg", &*theirs),
        (0, 1, "response_item", ASK),
        (3, 0, "event_msg", &*mine),
        (3, 1, "response_item", ASK),
    ];
    assert_eq!(history(&lines), "2 copied, 3 copied, 4 copied, 5 copied");
}

#[test]
fn a_fork_that_was_never_used_is_all_copy() {
    let own = header(&v7(0), r#","forked_from_id":"p""#);
    let theirs = started(&v7(-80), -80);
    let lines = [
        (0, 0, "session_meta", &*own),
        (0, 1, "event_msg", &*theirs),
        (0, 1, "response_item", ASK),
        (0, 2, "event_msg", ASKED),
    ];
    assert_eq!(history(&lines), "2 copied, 3 copied, 4 copied");
}

#[test]
fn a_turn_without_any_mark_begins_with_what_it_sends() {
    let own = header("a", r#","forked_from_id":"p""#);
    let parent = header("p", "");
    let lines = [
        (0, 0, "session_meta", &*own),
        (0, 900, "session_meta", &*parent),
        (1, 100, "response_item", ASK),
        (1, 100, "turn_context", CONTEXT),
        (9, 0, "response_item", ASK),
        (9, 0, "turn_context", CONTEXT),
    ];
    assert_eq!(history(&lines), "2 copied, 3 copied, 4 copied");
}

#[test]
fn two_histories_in_one_file_are_no_fork() {
    let (one, two) = (header("a", ""), header("b", ""));
    let mut lines = vec![(0, 0, "session_meta", &*one)];
    lines.extend((1..20).map(|second| (second, 0, "response_item", ASK)));
    lines.push((60, 0, "session_meta", &*two));
    lines.push((61, 0, "response_item", ASK));
    assert_eq!(history(&lines), "");
}

#[test]
fn what_only_the_screen_was_told_is_content() {
    let item = r#"{"type":"UserMessage","content":[{"type":"text","text":"a"}]}"#;
    let again = &*format!(r#"{{"type":"item_completed","item":{item}}}"#);
    let lines = [
        (0, 0, "session_meta", &*header("a", "")),
        (1, 0, "event_msg", ASKED),
        (2, 0, "event_msg", again),
        (5, 0, "event_msg", ASKED),
    ];
    assert_eq!(history(&lines), "3 echo");
}

#[test]
fn white_space_at_the_ends_makes_no_difference_and_a_longer_text_does() {
    let item = |text: &str| {
        let block = format!(r#"{{"type":"output_text","text":"{text}"}}"#);
        format!(r#"{{"type":"message","role":"assistant","content":[{block}]}}"#)
    };
    let told = r#"{"type":"agent_message","message":"so be it"}"#;
    let stands =
        |text: &str| history(&[(0, 0, "response_item", &item(text)), (0, 1, "event_msg", told)]);
    assert_eq!(stands(r"\n so be it\n"), "2 echo");
    assert_eq!(stands(r"so be it\n<oai-mem-citation>x"), "2 echo");
    assert_eq!(stands("so be it now"), "");
    assert_eq!(stands(r"so be it\\n"), "");
}

#[test]
fn a_rollback_takes_prompts_back_and_a_compaction_with_them() {
    let summary = r#"{"message":"s","replacement_history":[]}"#;
    let back = r#"{"type":"thread_rolled_back","num_turns":1}"#;
    let lines = [
        (0, 0, "response_item", ASK),
        (1, 0, "compacted", summary),
        (2, 0, "response_item", ASK),
        (3, 0, "compacted", summary),
        (4, 0, "event_msg", back),
        (5, 0, "response_item", ASK),
    ];
    assert_eq!(history(&lines), "1 compacted, 3 rewound");
    let twice =
        [lines[0], lines[2], (4, 0, "event_msg", back), (5, 0, "event_msg", back), lines[5]];
    assert_eq!(history(&twice), "1 rewound, 2 rewound");
}

/// A list whose members were written anew, in another order, repeats what was said all the same:
/// another text does not repeat it.
#[test]
fn a_list_repeats_what_was_said_whatever_the_order_of_its_members() {
    let list = |text: &str| {
        let part = format!(r#"{{"text":"{text}","type":"input_text"}}"#);
        let item = format!(r#"{{"content":[{part}],"role":"user","type":"message"}}"#);
        format!(r#"{{"message":"","replacement_history":[{item}]}}"#)
    };
    let compacted = |text: &str| {
        let list = list(text);
        history(&[(0, 0, "response_item", ASK), (1, 0, "compacted", &list)])
    };
    assert_eq!(compacted("a"), "2 echo");
    assert_eq!(compacted(r"\u0061"), "2 echo");
    assert_eq!(compacted("b"), "1 compacted");
}

#[test]
fn a_counter_that_has_not_moved_counts_nothing() {
    let count = |total: u32, last: u32| {
        let total = format!(r#""total_token_usage":{{"total_tokens":{total}}}"#);
        let last = format!(r#""last_token_usage":{{"total_tokens":{last}}}"#);
        format!(r#"{{"type":"token_count","info":{{{total},{last}}}}}"#)
    };
    let none = r#"{"type":"token_count","info":null}"#;
    let record = r#"{"response_id":"r","usage":{"total_tokens":5}}"#;
    let lines = [
        (0, 0, "event_msg", none),
        (1, 0, "token_usage_record", record),
        (1, 0, "event_msg", &*count(5, 5)),
        (2, 0, "event_msg", &*count(5, 5)),
        (3, 0, "event_msg", none),
        (4, 0, "event_msg", &*count(5, 2)),
        (5, 0, "event_msg", &*count(9, 4)),
    ];
    assert_eq!(history(&lines), "2 echo, 4 echo, 6 echo");
    assert_eq!(history(&lines[..2]), "");
}

#[test]
fn a_usage_record_is_an_echo_of_its_counter_and_a_compaction_has_none() {
    let used = |input: u32| format!(r#"{{"input_tokens":{input},"output_tokens":9}}"#);
    let record = |id: &str, input| format!(r#"{{"response_id":"{id}","usage":{}}}"#, used(input));
    let counter = |total, last| {
        let info =
            format!(r#"{{"total_token_usage":{},"last_token_usage":{}}}"#, used(total), used(last));
        format!(r#"{{"type":"token_count","info":{info}}}"#)
    };
    let (first, again) = (counter(50, 50), counter(50, 0));
    let third = counter(100, 50);
    let lines = [
        (0, 0, "session_meta", &*header(&v7(0), "")),
        (1, 0, "token_usage_record", &*record("r1", 50)),
        (1, 1, "event_msg", &*first),
        (2, 0, "token_usage_record", &*record("r2", 70)),
        (2, 1, "compacted", r#"{"message":"Short."}"#),
        (2, 2, "event_msg", &*again),
        (3, 0, "token_usage_record", &*record("r3", 50)),
        (3, 1, "event_msg", &*third),
    ];
    assert_eq!(history(&lines), "2 echo, 6 echo, 7 echo");
}
