//! `verbatim usage` from end to end.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

mod common;
use common::{ID, Place, put};

/// Two lines of one answer, and a copy of it in another session.
fn spent(place: &Place) {
    let line = |session: &str, uuid: u32, output: u32| {
        let usage = format!(r#"{{"input_tokens":10,"output_tokens":{output}}}"#);
        format!(
            r#"{{"type":"assistant","uuid":"u{uuid}","sessionId":"{session}","requestId":"r1","#
        ) + &format!(r#""timestamp":"2026-03-01T10:00:0{uuid}.000Z","message":{{"id":"msg_1","#)
            + &format!(r#""role":"assistant","model":"claude-x","content":[],"usage":{usage}}}}}"#)
            + "\n"
    };
    let ids = ["11111111-2a0b-4a55-8f3e-0d7a4b1c9e11", "22222222-2a0b-4a55-8f3e-0d7a4b1c9e11"];
    for id in ids {
        let path = place.path().join(format!("home/.claude/projects/-home-ana-shop/{id}.jsonl"));
        put(&path, &(line(id, 1, 3) + &line(id, 2, 90)));
    }
}

#[test]
fn an_answer_counts_once_and_its_cost_is_unknown() {
    let place = Place::new();
    spent(&place);
    let ran = place.run(&["usage", "--by", "model"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert!(lines[0].starts_with("MODEL") && lines[0].ends_with("COST"), "{}", ran.out);
    let words: Vec<&str> = lines[1].split_whitespace().collect();
    let unknown = "unknown";
    let expected = ["claude-x", "1", "10", unknown, unknown, "90", unknown, "100", unknown];
    assert_eq!(words, expected);
    let note = "not counted: 3 numbers with 126 tokens: repeats another number";
    assert!(ran.out.contains(note), "{}", ran.out);
}

#[test]
fn every_number_can_be_explained() {
    let place = Place::new();
    spent(&place);
    let ran = place.run(&["usage", "--json", "--explain", "--by", "day"]);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["schema"], "verbatim-usage-1");
    assert_eq!(json["groups"][0]["name"], "2026-03-01");
    assert_eq!(json["all"]["total"], 100);
    assert_eq!(json["all"]["cost_usd"], Value::Null);
    let numbers = json["numbers"].as_array().unwrap();
    let counted: Vec<_> = numbers.iter().filter(|number| number["counted"] == true).collect();
    assert_eq!((numbers.len(), counted.len()), (4, 1));
    let why = numbers.iter().filter_map(|number| number["why_not"].as_str());
    assert!(why.clone().count() == 3 && why.clone().all(|why| why.starts_with("no: repeats ")));
}

#[test]
fn an_explanation_names_a_file_once_and_short() {
    let place = Place::new();
    spent(&place);
    let ran = place.run(&["usage", "--explain"]);
    assert!(ran.out.contains("  ~/.claude/projects/-home-ana-shop/11111111-"), "{}", ran.out);
    assert!(ran.out.contains("no: repeats line 2"), "{}", ran.out);
    assert!(ran.out.contains("no: repeats ~/.claude/projects/"), "{}", ran.out);
}

#[test]
fn what_could_not_be_counted_is_said() {
    let place = Place::new();
    for args in [&["usage", "gone"][..], &["usage", "gone", "--json"]] {
        let ran = place.run(args);
        assert_eq!(ran.code, 3, "{}", ran.out);
        assert!(ran.err.starts_with("warning: gone: cannot be read: "), "{}", ran.err);
    }
}

/// A compressed session file that is damaged after the bytes by which it is detected.
#[test]
fn a_file_that_is_in_no_sum_is_said() {
    let place = Place::new();
    let id = "0198f2aa-1c2d-7e3f-8a4b-5c6d7e8f9012";
    let mut text = format!(
        r#"{{"timestamp":"2026-07-30T08:01:02Z","type":"session_meta","payload":{{"id":"{id}"}}}}"#
    );
    text += &"\n".repeat(70_000);
    // A Zstandard frame with a window of 2 MiB, one raw block, and a wrong checksum.
    let block = u32::try_from(text.len()).unwrap() << 3 | 1;
    let mut packed = vec![0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58];
    packed.extend_from_slice(&block.to_le_bytes()[..3]);
    packed.extend_from_slice(text.as_bytes());
    packed.extend_from_slice(&[1, 2, 3, 4]);
    let name =
        format!("home/.codex/sessions/2026/07/30/rollout-2026-07-30T10-01-02-{id}.jsonl.zst");
    let path = place.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, packed).unwrap();
    let ran = place.run(&["usage"]);
    assert_eq!(ran.code, 3, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("not read, and in no sum: "), "{}", ran.err);
    let ran = place.run(&["usage", "--json"]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["not_read"].as_array().unwrap().len(), 1, "{json}");
}

/// Counters that are not numbers of tokens are in no sum, and are reported: beyond 64 bits,
/// negative, fractions. `null` means that there is no counter.
#[test]
fn counters_that_are_no_numbers_are_said() {
    let answer = |counter: &str| {
        let usage = format!(r#"{{"input_tokens":{counter},"output_tokens":7}}"#);
        format!(r#"{{"type":"assistant","uuid":"u2","parentUuid":null,"sessionId":"{ID}","#)
            + r#""timestamp":"2026-03-02T09:00:05.000Z","version":"2.1.0","requestId":"r1","#
            + r#""message":{"id":"m1","role":"assistant","model":"claude-x","content":[],"#
            + &format!(r#""usage":{usage}}}}}"#)
    };
    for (counter, code) in [
        ("18446744073709551616", 3),
        ("18446744073709551615", 3),
        ("1e400", 3),
        ("-5", 3),
        ("1.5", 3),
        ("18446744073709551614", 0),
        ("1.0", 0),
        ("null", 0),
    ] {
        let place = Place::new();
        let file = format!("home/.claude/projects/-srv-app/{ID}.jsonl");
        put(&place.path().join(file), &answer(counter));
        let ran = place.run(&["usage"]);
        assert_eq!(ran.code, code, "{counter}: {}", ran.err);
        let said = ran.err.contains("line 1: `input_tokens` is not a number of tokens");
        assert_eq!(said, code != 0, "{counter}: {}", ran.err);
    }
}

/// The total of `usage` for a folder.
fn total(place: &Place, folder: &str) -> u64 {
    let ran = place.run(&["usage", "--json", folder]);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    json["all"]["total"].as_u64().unwrap()
}

/// A copy that lacks lines adds nothing: the difference over its gap repeats differences of the
/// complete file.
#[test]
fn a_copy_with_a_gap_adds_nothing() {
    let id = "0198aaaa-0000-7000-8000-000000000001";
    let meta = format!(
        r#"{{"timestamp":"2026-07-30T08:00:00Z","type":"session_meta","payload":{{"id":"{id}"}}}}"#
    );
    let step = |at: u64| {
        let usage = |tokens: u64| {
            format!(r#"{{"input_tokens":{tokens},"output_tokens":0,"total_tokens":{tokens}}}"#)
        };
        let (total, last) = (usage(at * 10), usage(10));
        format!(r#"{{"timestamp":"2026-07-30T08:00:{at:02}Z","type":"event_msg","payload":"#)
            + r#"{"type":"token_count","info":{"total_token_usage":"#
            + &format!(r#"{total},"last_token_usage":{last}}}}}}}"#)
    };
    let lines: Vec<String> = [meta].into_iter().chain((1..=10).map(step)).collect();
    let name = format!("rollout-2026-07-30T08-00-00-{id}.jsonl");
    let kept: [&dyn Fn(usize) -> bool; 3] =
        [&|at| at != 3, &|at| at != 3 && at != 7, &|at| at == 0 || at > 5];
    for (case, kept) in kept.into_iter().enumerate() {
        let place = Place::new();
        let part = |kept: &dyn Fn(usize) -> bool| -> String {
            let lines = lines.iter().enumerate().filter(|(at, _)| kept(*at));
            lines.map(|(_, line)| format!("{line}\n")).collect()
        };
        put(&place.path().join(format!("both/a/{name}")), &part(&|_| true));
        put(&place.path().join(format!("both/b/{name}")), &part(kept));
        assert_eq!(total(&place, "both/a"), 100, "{case}");
        assert_eq!(total(&place, "both/b"), 100, "{case}");
        assert_eq!(total(&place, "both"), 100, "{case}");
    }
}

/// A record that was made from a session repeats its answers.
#[test]
fn a_session_and_its_record_count_once() {
    let place = Place::with_sessions();
    let text = place.run(&["convert", ID, "--to", "vac", "-o", "both/record.json"]);
    assert_eq!(text.code, 0, "{}", text.err);
    let record = total(&place, "both");
    assert!(record > 0);
    let found = place.run(&["list", "--json"]).out;
    let listed: Value = serde_json::from_str(&found).unwrap();
    let sessions = listed["sessions"].as_array().unwrap();
    let session = sessions.iter().find(|session| session["id"] == ID).unwrap();
    let file = session["files"][0].as_str().unwrap();
    std::fs::copy(file, place.path().join(format!("both/{ID}.jsonl"))).unwrap();
    assert_eq!(total(&place, "both"), record);
}

/// The answers in a damaged line are in no sum, and `usage` reports the number of such lines.
#[test]
fn damaged_lines_are_said() {
    let place = Place::new();
    spent(&place);
    let sum = |ran: &str| serde_json::from_str::<Value>(ran).unwrap()["damaged"].clone();
    assert_eq!(sum(&place.run(&["usage", "--json"]).out), Value::Null);
    let cut = r#"{"type":"assistant","uuid":"u9","sessionId":"s9","message":{"usage":{"#;
    put(&place.path().join("home/.claude/projects/-srv-app/s9.jsonl"), &format!("{cut}\n"));
    let ran = place.run(&["usage"]);
    assert!(ran.out.contains("not read: 1 damaged place that may contain answers"), "{}", ran.out);
    assert_eq!(sum(&place.run(&["usage", "--json"]).out), 1);
}

/// A fork has copies of its parent's answers. If the parent is gone, they count, in one fork.
#[test]
fn a_fork_without_its_parent_counts_what_it_copied() {
    let samples = samples::workspace().join("crates/formats/src/codex/samples/fork/sessions");
    let parent =
        "2026/10/20/rollout-2026-10-20T10-00-00-019e7000-0000-7000-8000-0000000000f0.jsonl";
    let forks = [
        "2026/02/11/rollout-2026-02-11T18-20-09-5b6c7d8e-4444-4aaa-8bbb-00000000f0f3.jsonl",
        "2026/10/20/rollout-2026-10-20T11-15-00-01a15897-b620-70aa-8000-00000000f0f0.jsonl",
    ];
    let total = |files: &[&str]| {
        let place = Place::new();
        for file in files {
            let text = std::fs::read_to_string(samples.join(file)).unwrap();
            put(&place.path().join("home/.codex/sessions").join(file), &text);
        }
        let ran = place.run(&["usage", "--json"]);
        let read: Value = serde_json::from_str(&ran.out).unwrap();
        read["all"]["total"].as_u64().unwrap()
    };
    let own = [606, 1_205];
    assert_eq!(total(&[parent]), 2_170);
    assert_eq!(total(&[parent, forks[0], forks[1]]), 2_170 + own[0] + own[1]);
    assert_eq!(total(&[forks[0]]), own[0] + 509);
    assert_eq!(total(&[forks[1]]), own[1] + 2_170);
    assert_eq!(total(&forks), own[0] + own[1] + 2_170);
}
