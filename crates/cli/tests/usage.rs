//! `verbatim usage` from end to end.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

mod common;
#[path = "usage/sources.rs"]
mod sources;
#[path = "usage/terms.rs"]
mod terms;
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
    assert!(lines[0].starts_with("MODEL") && lines[0].ends_with("LIST PRICE"), "{}", ran.out);
    let words: Vec<&str> = lines[1].split_whitespace().collect();
    let expected = ["claude-x", "1", "10", "-", "-", "90", "-", "100", "-", "-"];
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
        assert!(ran.err.starts_with("error: no session id begins with"), "{}", ran.err);
        assert!(ran.err.contains("no such file"), "{}", ran.err);
    }
    let ran = place.run(&["usage", "gone/gone.jsonl"]);
    assert_eq!(ran.code, 3, "{}", ran.out);
    assert!(ran.err.contains("no file or folder `gone/gone.jsonl`"), "{}", ran.err);
}

/// An answer of a priced model: 1,000 tokens in, of which the cache keeps some for an hour.
fn priced(place: &Place, id: &str, folder: &str, time: &str) {
    let line = format!(
        r#"{{"type":"assistant","uuid":"u-{id}","sessionId":"{id}","cwd":"{folder}","#
    ) + &format!(
        r#""timestamp":"{time}","message":{{"id":"msg_{id}","role":"assistant","#
    ) + r#""model":"claude-opus-4-6","content":[],"usage":{"input_tokens":100,"#
        + r#""cache_read_input_tokens":500,"cache_creation_input_tokens":400,"#
        + r#""cache_creation":{"ephemeral_5m_input_tokens":300,"ephemeral_1h_input_tokens":100},"#
        + r#""output_tokens":10}}}"#
        + "\n";
    let path = place.path().join(format!("home/.claude/projects/-{id}/{id}.jsonl"));
    put(&path, &line);
}

const SHOP: &str = "33333333-2a0b-4a55-8f3e-0d7a4b1c9e11";
const SITE: &str = "44444444-2a0b-4a55-8f3e-0d7a4b1c9e11";

fn two_projects() -> Place {
    let place = Place::new();
    priced(&place, SHOP, "/home/ana/shop", "2026-03-01T23:30:00.000Z");
    priced(&place, SITE, "/home/ana/site", "2026-03-02T04:40:00.000Z");
    place
}

fn json(place: &Place, args: &[&str]) -> Value {
    let ran = place.run(&[&["usage", "--json"][..], args].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

fn names(json: &Value) -> Vec<&str> {
    json["groups"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect()
}

#[test]
fn tokens_cost_the_list_price_of_their_kind() {
    let place = two_projects();
    // Per million: 5 input, 0.5 read, 6.25 written, 10 written for an hour, 25 output. By hand:
    // 100 * 5 + 500 * 0.5 + 300 * 6.25 + 100 * 10 + 10 * 25 = 3,875 millionths of a dollar.
    let all = &json(&place, &[])["all"];
    assert_eq!(all["list_price_usd"].to_string(), "0.00775");
    assert_eq!((&all["cost_usd"], &all["tokens"]["cache_write_hour"]), (&Value::Null, &200.into()));
    let ran = place.run(&["usage", "--explain"]);
    assert!(ran.out.contains("$0.003875 (claude-opus-4-6)"), "{}", ran.out);
    assert!(ran.out.contains("list prices: LiteLLM of "), "{}", ran.out);
    // A table of the user's own takes the place of verbatim's.
    let own = r#"{"claude-opus-4-6":{"input_cost_per_token":1,"output_cost_per_token":2}}"#;
    put(&place.path().join("own.json"), own);
    let all = &json(&place, &["--prices", "own.json", SHOP])["all"];
    assert_eq!(all["list_price_usd"].to_string(), "1020");
    put(&place.path().join("bad.json"), "{}");
    let ran = place.run(&["usage", "--prices", "bad.json"]);
    assert!(ran.code != 0 && ran.err.contains("bad.json: it has no model"), "{}", ran.err);
}

#[test]
fn groups_are_of_the_local_time_zone() {
    let place = two_projects();
    let by = |key: &str, more: &[&str]| {
        let json = json(&place, &[&["--by", key][..], more].concat());
        names(&json).iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(by("day", &["--utc"]), ["2026-03-01", "2026-03-02"]);
    assert_eq!(by("week", &["--utc"]), ["2026-02-23", "2026-03-02"]);
    assert_eq!(by("month", &["--utc"]), ["2026-03"]);
    assert_eq!(by("block", &["--utc"]), ["2026-03-01 23:00", "2026-03-02 04:00"]);
    assert_eq!(by("project", &["--sort", "name"]), ["/home/ana/shop", "/home/ana/site"]);
    let mut command = place.command(&["usage", "--json", "--by", "day"]);
    let out = command.env("TZ", "JST-9").output().unwrap();
    let east: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(names(&east), ["2026-03-02"]);
}

#[test]
fn filters_narrow_the_sums() {
    let place = two_projects();
    let answers = |args: &[&str]| json(&place, args)["all"]["answers"].as_u64().unwrap();
    assert_eq!(answers(&["--since", "2026-03-02", "--utc"]), 1);
    assert_eq!(answers(&["--until", "2026-03-01", "--utc"]), 1);
    assert_eq!(answers(&["--since", "2026-03-01", "--until", "2026-03-02", "--utc"]), 2);
    assert_eq!(answers(&["--project", "shop"]), 1);
    assert_eq!(answers(&["--agent", "Claude"]), 2);
    assert_eq!(answers(&["--agent", "codex"]), 0);
    assert_eq!(answers(&["--model", "sonnet"]), 0);
    assert_eq!(answers(&[SHOP]), 1);
    for args in [["--since", "soon"], ["--agent", "nobody"]] {
        let ran = place.run(&[&["usage"][..], &args].concat());
        assert_eq!(ran.code, 2, "{}", ran.err);
    }
    let list = |args: &[&str]| {
        let ran = place.run(&[&["list", "--json"][..], args].concat());
        let list: Value = serde_json::from_str(&ran.out).unwrap();
        list["sessions"].as_array().unwrap().len()
    };
    assert_eq!(list(&["--since", "2026-03-02", "--utc"]), 1);
    assert_eq!(list(&["--project", "/home/ana", "--agent", "claude-code"]), 2);
    assert_eq!((list(&["-n", "1"]), list(&["-n", "all"]), list(&["--model", "gpt"])), (1, 2, 0));
}

#[test]
fn a_filter_by_time_tells_what_has_no_time() {
    let place = two_projects();
    let id = "55555555-2a0b-4a55-8f3e-0d7a4b1c9e11";
    priced(&place, id, "/home/ana/attic", "");
    let told = "not in these sums: 1,010 tokens of 1 answer without a time";
    let ran = place.run(&["usage", "--since", "2026-03-01", "--utc"]);
    assert!(ran.out.contains(told), "{}", ran.out);
    assert!(!place.run(&["usage"]).out.contains("without a time"));
    let ran = place.run(&["usage", "--since", "2026-03-01", "--project", "shop"]);
    assert!(!ran.out.contains("without a time"), "{}", ran.out);
}

#[test]
fn the_parts_of_a_home_add_up_to_the_whole() {
    let place = two_projects();
    let price = |args: &[&str]| {
        let json = json(&place, args);
        json["all"]["list_price_usd"].to_string().parse::<f64>().unwrap()
    };
    let (shop, site) = (price(&["--project", "shop"]), price(&["--project", "site"]));
    assert!(shop > 0.0 && (shop + site - price(&[])).abs() < 1e-12);
}

#[test]
fn words_that_people_try_lead_to_the_command() {
    let place = Place::new();
    for (args, step) in [
        (&["cost"][..], "verbatim usage --by day"),
        (&["find", "door"], "verbatim search"),
        (&["share"], "verbatim export"),
        (&["backup"], "--embed"),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(step), "{}", ran.err);
    }
    // An option that is not there is no value either.
    let ran = place.run(&["list", "--colour"]);
    assert!(ran.code == 2 && !ran.err.contains("-- --colour"), "{}", ran.err);
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
    let samples =
        samples::workspace().join("crates/formats/src/agents/codex/samples/fork/sessions");
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
        let ran = place.run(&["usage", "--json", "--explain"]);
        let read: Value = serde_json::from_str(&ran.out).unwrap();
        let numbers = read["numbers"].as_array().unwrap().iter();
        let kinds = ["input", "cache_read", "cache_write", "output", "tool", "unsplit"];
        let tokens = |number: &Value| -> u64 {
            kinds.iter().filter_map(|kind| number["tokens"][*kind].as_u64()).sum()
        };
        let copied = numbers.filter(|number| number["counted"] == true);
        let copied = copied.filter(|number| number["part"] == "copied");
        let copied: u64 = copied.map(tokens).sum();
        (read["all"]["total"].as_u64().unwrap(), copied)
    };
    let own = [606, 1_205];
    assert_eq!(total(&[parent]), (2_170, 0));
    assert_eq!(total(&[parent, forks[0], forks[1]]), (2_170 + own[0] + own[1], 0));
    assert_eq!(total(&[forks[0]]), (own[0] + 509, 509));
    assert_eq!(total(&[forks[1]]), (own[1] + 2_170, 2_170));
    assert_eq!(total(&forks), (own[0] + own[1] + 2_170, 2_170));
}
