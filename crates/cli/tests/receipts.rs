//! Receipts of turns: the published ones come out byte for byte, wherever their source is; nothing
//! in them is a text of the conversation; a check says what was changed.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

#[path = "receipts/acts.rs"]
mod acts;
mod common;
#[path = "receipts/ends.rs"]
mod ends;
#[path = "receipts/living.rs"]
mod living;
#[path = "receipts/recount.rs"]
mod recount;
#[path = "receipts/rewound.rs"]
mod rewound;
#[path = "receipts/signed.rs"]
mod signed;
#[path = "receipts/sub_agents.rs"]
mod sub_agents;
#[path = "receipts/unread.rs"]
mod unread;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::{ID, Place};
use serde_json::Value;

const THREAD: &str = "thr_0a1b2c3d";

/// The published receipts of the store: name and turn.
const STORE: [(&str, &str); 6] = [
    ("completed", "turn_00000001"),
    ("failed", "turn_00000002"),
    ("approval-denied", "turn_00000003"),
    ("interrupted", "turn_00000004"),
    ("gaps", "turn_00000005"),
    ("unmatched", "turn_00000006"),
];

/// The published receipts of sessions: the folder of each format's samples, and the turn.
const SESSIONS: [(&str, &str, &str); 7] = [
    ("claude-code", "agents/claude_code/samples/agents", "1"),
    ("codewhale", "agents/codewhale/samples/joined", "1"),
    ("codex", "agents/codex/samples/tools", "1"),
    ("cursor", "agents/cursor/samples/transcripts", "1"),
    ("gemini", "agents/gemini/samples/log", "1"),
    ("opencode", "agents/opencode/samples/export", "1"),
    ("sage", "agents/sage/samples/emacs", "1"),
];

fn store() -> PathBuf {
    samples::workspace().join("crates/cli/tests/receipts/store")
}

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copied(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

/// The first session of a folder.
fn first(place: &Place, folder: &str) -> String {
    let list: Value = serde_json::from_str(&place.run(&["list", "--json", folder]).out).unwrap();
    let mut ids: Vec<&str> = list["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["uid"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    ids[0].to_owned()
}

/// Every published receipt, made from the sources below a folder.
fn made(place: &Place, store: &Path, samples: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let within = store.to_str().unwrap();
    for (name, turn) in STORE {
        let ran = place.run(&["receipt", "--thread", THREAD, "--turn", turn, "--in", within]);
        assert_eq!((ran.code, &*ran.err), (0, ""), "{name}");
        all.insert(format!("store-{name}"), ran.out);
    }
    for (name, folder, turn) in SESSIONS {
        let folder = samples.join(folder);
        let folder = folder.to_str().unwrap();
        let id = first(place, folder);
        let ran = place.run(&["receipt", &id, "--turn", turn, "--unfinished", "--in", folder]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        all.insert(format!("session-{name}"), ran.out);
    }
    all
}

fn formats() -> PathBuf {
    samples::workspace().join("crates/formats/src")
}

#[test]
fn the_published_receipts_come_out_anywhere_and_meet_their_schemas() {
    let place = Place::new();
    let here = made(&place, &store(), &formats());
    let elsewhere = Place::new();
    let (a, b) = (elsewhere.path().join("a/store"), elsewhere.path().join("b"));
    copied(&store(), &a);
    for (_, folder, _) in SESSIONS {
        copied(&formats().join(folder), &b.join(folder));
    }
    assert_eq!(here, made(&elsewhere, &a, &b), "a copy gives the same receipts");
    let schemas = samples::workspace().join("schemas");
    for (name, receipt) in here {
        let read: Value = serde_json::from_str(&receipt).unwrap();
        let id = read["schema_id"].as_str().unwrap().replace('/', "-");
        let schema = std::fs::read_to_string(schemas.join(format!("{id}.schema.json"))).unwrap();
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
        let schema = options.should_validate_formats(true).build(&schema).unwrap();
        let errors: Vec<String> = schema.iter_errors(&read).map(|e| e.to_string()).collect();
        assert_eq!(errors, [""; 0], "{name}");
        let mut other = read.clone();
        other["turn"]["note"] = "more".into();
        assert!(!schema.is_valid(&other), "{name}: the schema takes any member");
        let published = schemas.join(format!("receipts/{name}.json"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&published, &receipt).unwrap();
        }
        let published = std::fs::read_to_string(&published).unwrap_or_default();
        assert_eq!(published, receipt, "{name}: UPDATE=1 renews it");
    }
}

/// The values of the note's cases, by hand.
#[test]
fn the_store_s_cases_are_told_apart() {
    let place = Place::new();
    let all = made(&place, &store(), &formats());
    let read =
        |name: &str| -> Value { serde_json::from_str(&all[&format!("store-{name}")]).unwrap() };
    let members =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let whole = read("completed");
    assert_eq!(
        members(&whole),
        [
            "schema_id",
            "thread",
            "turn",
            "reasoning_custody",
            "tool_lineage",
            "usage_evidence",
            "source_event_lineage",
            "side_effect_boundary",
            "claim_ceiling"
        ]
    );
    assert_eq!(whole["tool_lineage"]["tool_call_count"], 2);
    assert_eq!(whole["usage_evidence"]["usage"]["prompt_tokens"], 900);
    assert_eq!(whole["side_effect_boundary"]["approval_allowed_count"], 1);
    assert_eq!(whole["source_event_lineage"]["event_count"], 8);
    let denied = read("approval-denied");
    assert_eq!(denied["side_effect_boundary"]["approval_denied_count"], 1);
    assert_eq!(denied["side_effect_boundary"]["command_execution_count"], 0, "it did not run");
    assert_eq!(denied["side_effect_boundary"]["sandbox_denied_count"], 1);
    assert_eq!(read("interrupted")["tool_lineage"]["unmatched_tool_call_ids"][0], "call_4");
    // The note's members, and no reason among them: what is missing is said in their places.
    let failed = &read("failed")["usage_evidence"];
    assert_eq!(members(failed), ["available", "usage", "provider_cache_breakdown_available"]);
    assert_eq!(
        (&failed["available"], &failed["usage"]["prompt_tokens"]),
        (&false.into(), &"unavailable".into())
    );
    let gaps = read("gaps");
    let gaps = gaps["source_event_lineage"]["missing_event_ranges"].as_array().unwrap();
    let words: Vec<_> = gaps.iter().map(|gap| gap["reason"].as_str().unwrap()).collect();
    assert_eq!(words, ["in no thread", "damaged line"], "another thread's numbers are no gap");
    let unmatched = read("unmatched");
    assert_eq!(unmatched["tool_lineage"]["tool_result_count"], 1);
    assert_eq!(unmatched["tool_lineage"]["unmatched_tool_result_ids"].as_array().unwrap().len(), 1);
    let missing = &unmatched["source_event_lineage"]["missing_event_ranges"][0];
    assert_eq!(missing["item_id"], "item_0000dead");
}

/// A turn of another thread gets the answer of one that is not there; an id is never a path.
#[test]
fn turns_that_are_not_the_thread_s_are_unknown() {
    let place = Place::new();
    let store = store();
    let within = store.to_str().unwrap();
    let ask = |thread: &str, turn: &str| {
        let ran = place.run(&["receipt", "--thread", thread, "--turn", turn, "--in", within]);
        assert_eq!(ran.out, "");
        (ran.code, ran.err)
    };
    let unknown = ask(THREAD, "turn_12345678");
    assert_eq!(unknown.0, 3);
    assert_eq!(ask(THREAD, "turn_000000ff"), unknown, "another thread's turn");
    assert_eq!(ask(THREAD, "../turns/turn_00000001"), unknown, "an id is no path");
    assert_eq!(ask("../threads/thr_0a1b2c3d", "turn_00000001").0, 3);
    let (code, err) = ask(THREAD, "turn_00000007");
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("has not ended"), "{err}");
}

/// A session of which the last turn has no typed end.
fn talk(place: &Place) -> PathBuf {
    let line = |more: &str| format!("{{\"sessionId\":\"{}\",\"version\":\"2.1.9\",{more}}}\n", ID);
    let user = |id: u8, text: &str| {
        line(&format!(
            "\"type\":\"user\",\"uuid\":\"u{id}\",\"parentUuid\":null,\"permissionMode\":\"plan\",\
             \"timestamp\":\"2026-10-01T10:0{id}:00Z\",\
             \"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}"
        ))
    };
    let answer = |id: u8, parent: u8, content: &str, stop: &str| {
        line(&format!(
            "\"type\":\"assistant\",\"uuid\":\"u{id}\",\"parentUuid\":\"u{parent}\",\
             \"timestamp\":\"2026-10-01T10:0{id}:00Z\",\"message\":{{\"id\":\"m{id}\",\
             \"role\":\"assistant\",\"model\":\"claude-x\",\"content\":[{content}],\
             \"stop_reason\":\"{stop}\",\"usage\":{{\"input_tokens\":7,\"output_tokens\":5}}}}"
        ))
    };
    let call = "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\",\
                \"input\":{\"command\":\"sort harbours.txt\"}}";
    let text = "{\"type\":\"text\",\"text\":\"Every harbour is sorted now.\"}";
    let result = line(
        "\"type\":\"user\",\"uuid\":\"u3\",\"parentUuid\":\"u2\",\
         \"timestamp\":\"2026-10-01T10:03:00Z\",\"message\":{\"role\":\"user\",\"content\":\
         [{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"Aberdeen Zeebrugge\"}]}",
    );
    let second = user(5, "Sort them backwards, please.").replace("null", "\"u4\"");
    let whole = [
        user(1, "Sort the harbours by name."),
        answer(2, 1, call, "tool_use"),
        result,
        answer(4, 3, text, "end_turn"),
        second,
        answer(
            6,
            5,
            "{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"Bash\",\"input\":{}}",
            "tool_use",
        ),
    ]
    .concat();
    let path = place.path().join("home/.claude/projects/-work-sea").join(format!("{}.jsonl", ID));
    common::put(&path, &whole);
    path
}

#[test]
fn a_turn_of_a_session_is_told_without_its_texts() {
    let place = Place::new();
    let path = talk(&place);
    let path = path.to_str().unwrap();
    let ran = place.run(&["receipt", path, "--turn", "last"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.err.contains("--unfinished"), "{}", ran.err);
    let all = place.run(&["receipt", path, "--turn", "all"]);
    assert_eq!(all.code, 0);
    assert!(all.err.contains("left out"), "{}", all.err);
    let all: Value = serde_json::from_str(&all.out).unwrap();
    let receipt = &all[0];
    assert_eq!(all.as_array().unwrap().len(), 1);
    assert_eq!(receipt["turn"]["status"], "completed");
    assert_eq!(receipt["turn"]["duration_ms"], 180_000);
    assert_eq!(receipt["thread"]["mode"], "plan");
    assert_eq!(receipt["usage_evidence"]["usage"]["completion_tokens"], 10);
    assert_eq!(receipt["tool_lineage"]["tool_call_count"], 1);
    assert_eq!(receipt["tool_lineage"]["tool_result_count"], 1);
    assert_eq!(receipt["side_effect_boundary"]["command_execution_count"], 1);
    assert_eq!(receipt["side_effect_boundary"]["sandbox_denied_count"], "unavailable");
    let named = place.run(&["receipt", path, "--turn", "u1"]);
    assert_eq!(serde_json::from_str::<Value>(&named.out).unwrap(), *receipt, "by the native id");
    let forced = place.run(&["receipt", path, "--unfinished", "--compact"]);
    assert_eq!(forced.code, 0);
    assert_eq!(forced.out.lines().count(), 1);
    let forced: Value = serde_json::from_str(&forced.out).unwrap();
    assert_eq!(forced["turn"]["status"], "unavailable");
    assert_eq!(forced["tool_lineage"]["unmatched_tool_call_ids"][0], "t2");
    for text in ["harbour", "Aberdeen", "sort", "/wor", "home"] {
        assert!(!all.to_string().contains(text), "a receipt has {text:?}");
    }
    assert_eq!(place.run(&["receipt", path, "--turn", "3"]).code, 3);
    // A range in the wrong order is a wrong argument, whatever the session has.
    for (range, code) in [("5..2", 2), ("0..1", 2), ("2..0", 2), ("1..9", 3), ("4..", 3)] {
        let ran = place.run(&["receipt", path, "--turn", range]);
        assert_eq!((ran.code, &*ran.out), (code, ""), "{range}: {}", ran.err);
    }
    let ran = place.run(&["receipt", "nothing-like-it", "--turn", "5..2"]);
    assert!(ran.code == 2 && ran.err.contains("the smaller number"), "{}", ran.err);
}

/// A check reports the places of a change, a member that is there twice, and a missing source.
#[test]
fn a_check_says_what_is_shown() {
    let place = Place::new();
    let path = talk(&place);
    let good = place.run(&["receipt", path.to_str().unwrap(), "--turn", "1"]).out;
    let file = place.path().join("r.json");
    let check = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let ran = place.run(&["receipt", "--check", file.to_str().unwrap()]);
        (ran.code, ran.out)
    };
    let (code, out) = check(&good);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("the turn is unchanged"), "{out}");
    let (code, out) = check(&good.replace("\"tool_call_count\": 1", "\"tool_call_count\": 0"));
    assert_eq!(code, 1);
    assert!(out.contains("/tool_lineage/tool_call_count"), "{out}");
    let (code, out) = check(&good.replacen("\"turn\":", "\"turn\": null, \"turn\":", 1));
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("FAILED"), "{out}");
    for (from, to) in [
        ("verbatim.turn-receipt/v1", "verbatim.turn-receipt/v9"),
        ("verbatim.turn-receipt/v1", "verbatim.turn-receipt/v0"),
        ("\"local_receipt_only\",", ""),
        ("\"raw_reasoning_exported\": false", "\"raw_reasoning_exported\": true"),
        ("\"duration_ms\": 180000", "\"duration_ms\": \"long\""),
        ("\"available\": true", "\"available\": true, \"more\": 1"),
    ] {
        let changed = good.replacen(from, to, 1);
        assert_ne!(changed, good, "{from}");
        assert_eq!(check(&changed).0, 1, "{from}");
    }
    std::fs::remove_file(path).unwrap();
    let (code, out) = check(&good);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("the session is not at hand"), "{out}");
    let store = store();
    let within = store.to_str().unwrap();
    let of = place.run(&["receipt", "--thread", THREAD, "--turn", "turn_00000001", "--in", within]);
    std::fs::write(&file, of.out).unwrap();
    let json = place.run(&["receipt", "--check", file.to_str().unwrap(), "--json", "--in", within]);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["receipts"][0]["source"], "same");
}

/// A device has no end, and nothing waits for a pipe: `--check` reads files alone.
#[test]
#[cfg(unix)]
fn what_has_no_end_is_not_read() {
    let place = Place::with_sessions();
    let pipe = place.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|made| made.success()));
    for file in ["/dev/zero", "pipe"] {
        let ran = place.run(&["receipt", "--check", file]);
        assert!(ran.code == 3 && ran.err.contains("not a regular file"), "{}", ran.err);
    }
    for file in ["/dev/zero", "pipe"] {
        let ran = place.run(&["redact", ID, "--tag-key", file, "-o", "out/"]);
        let told = format!("{file}: not a regular file\n  name a file with a key: ");
        assert!(ran.code == 2 && ran.err.contains(&told), "{}", ran.err);
    }
    assert!(!place.path().join("out").exists());
}
