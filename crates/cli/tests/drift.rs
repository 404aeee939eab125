//! Schema drift: names that no table knows are reported by the agent's own names.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

mod common;
use common::{ID, Place, put, talk};

#[test]
fn check_can_be_a_sentinel_for_drift() {
    let place = Place::new();
    let text = talk(ID, "x", "2026-03-01T10:0");
    let file = format!("{ID}.jsonl");
    put(&place.path().join(&file), &text);
    assert_eq!(place.run(&["check", &file, "--fail-on-unknown"]).code, 0);
    put(&place.path().join(&file), &text.replace("\"gitBranch\"", "\"branchOfTheFuture\""));
    let ran = place.run(&["check", &file, "--fail-on-unknown"]);
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("branchOfTheFuture"), "{}", ran.out);
    assert!(ran.out.contains("claude-code 2.1.34"), "{}", ran.out);
    assert_eq!(place.run(&["check", &file]).code, 0);
}

/// Each state of a database gives one exit code, whether or not `--fail-on-unknown` is set, unless
/// unknown names are the only reason.
#[test]
fn a_database_that_moved_on_gives_one_exit_code() {
    let sample = "crates/formats/src/agents/opencode/samples/database/opencode.sql";
    let sample = std::fs::read_to_string(samples::workspace().join(sample)).unwrap();
    let lacks = "ALTER TABLE part DROP COLUMN session_id";
    let both = "ALTER TABLE todo DROP COLUMN session_id; ALTER TABLE part RENAME TO part_v2";
    let nobody = "UPDATE part SET session_id = NULL";
    for (change, plain, sentinel, usage, told) in [
        ("", 0, 0, 0, ""),
        (lacks, 3, 3, 3, "table part has no column session_id"),
        (both, 3, 3, 3, "table part_v2 (schema drift; rows: 21)"),
        (nobody, 0, 1, 3, "rows of table part without a session (schema drift; rows: 21)"),
    ] {
        let place = Place::new();
        let database = rusqlite::Connection::open(place.path().join("x.db")).unwrap();
        database.execute_batch(&sample).unwrap();
        database.execute_batch(change).unwrap();
        drop(database);
        let code = |args: &[&str]| place.run(args).code;
        let codes = (code(&["check", "x.db"]), code(&["check", "--fail-on-unknown", "x.db"]));
        assert_eq!(codes, (plain, sentinel), "{change}");
        // The last line has it too: the rest may be long.
        let ran = place.run(&["check", "x.db"]);
        let told_last = ran.out.lines().last().unwrap().contains("table of a database NOT READ");
        assert_eq!(told_last, told.contains("schema drift"), "{change}: {}", ran.out);
        let ran = place.run(&["usage", "x.db"]);
        assert_eq!(ran.code, usage, "{change}: {}", ran.err);
        assert!(ran.err.contains(told), "{change}: {}", ran.err);
        let json: Value =
            serde_json::from_str(&place.run(&["usage", "--json", "x.db"]).out).unwrap();
        assert_eq!(json["not_read"].as_array().unwrap().is_empty(), usage == 0, "{change}: {json}");
    }
}

#[test]
fn the_sentinel_names_records_as_their_agent_does_and_hides_no_agent() {
    let place = Place::new();
    let text = talk(ID, "x", "2026-03-01T10:0");
    let line =
        |word: &str, more: &str| format!("{{\"type\":\"{word}\",\"sessionId\":\"{ID}\",{more}}}\n");
    let many: Vec<String> = (0..5000).map(|n| format!("\"name{n}x\":1")).collect();
    let spread: Vec<String> = (0..5000).map(|n| format!("\"{n}\":\"x\"")).collect();
    let spread = format!("\"message\":{{\"role\":\"assistant\",{}}}", spread.join(","));
    let strange = [
        line("mode", &many.join(",")),
        line("assistant", &spread),
        line("zz-brand-new", "\"names\":[1]"),
        line("mode", "\"mode\":\"plan\",\"pace\":1"),
    ];
    put(&place.path().join(format!("in/{ID}.jsonl")), &(text + &strange.concat()));
    let thread = "rollout-2026-03-01T10-00-00-019ca000-0000-7000-8000-000000000001.jsonl";
    let codex = |kind: &str, payload: &str| {
        let time = "2026-03-01T10:00:00.000Z";
        format!("{{\"timestamp\":\"{time}\",\"type\":\"{kind}\",\"payload\":{payload}}}\n")
    };
    let id = "019ca000-0000-7000-8000-000000000001";
    let lines = [
        codex("session_meta", &format!("{{\"id\":\"{id}\",\"cli_version\":\"0.99.0\"}}")),
        codex("event_msg", r#"{"type":"error","message":"x","pace":1}"#),
        codex("event_msg", r#"{"type":"brand_new"}"#),
    ];
    put(&place.path().join("in/sessions/2026/03/01").join(thread), &lines.concat());
    let ran = place.run(&["check", "in", "--fail-on-unknown"]);
    assert_eq!(ran.code, 1);
    for told in [
        "claude-code 2.1.34  new record type zz-brand-new  ×1",
        "claude-code  … and 4,953 more",
        "codex 0.99.0  new record type event_msg/brand_new  ×1",
        "codex 0.99.0  field event_msg/error: payload.pace  ×1",
    ] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
    let json: Value = serde_json::from_str(&place.run(&["check", "--json", "in"]).out).unwrap();
    let listed = json["unknown"].as_array().unwrap();
    let count = |row: &Value| row["count"].as_u64();
    let named = |what: &str| listed.iter().find(|row| row["what"] == what).and_then(count);
    assert_eq!(
        (&listed[0]["what"], &listed[0]["kind"]),
        (&"zz-brand-new".into(), &"record".into())
    );
    assert_eq!(named("assistant: message.<number>"), Some(5000));
    assert_eq!(named("mode: name1x"), Some(1));
    assert_eq!((listed.len(), &json["summary"]["unknown"]), (4096 + 2, &5005.into()));
}
