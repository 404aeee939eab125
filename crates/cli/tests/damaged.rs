//! Sessions that can't be read whole: what could not be read is said by each command that makes
//! something of the session, and what can be read in spite of damage is in every view.
#![allow(clippy::unwrap_used)]

use std::fs;

use serde_json::Value;

mod common;
use common::{ID, Place, put, talk};

/// A session of eight lines. The fifth was cut off, and so was the last one.
fn cut() -> (Place, String) {
    let place = Place::new();
    let text = talk(ID, "Paint the keel", "2026-03-01T10:0");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let half = lines[4].len() / 2;
    lines[4].truncate(half);
    let last = lines[0][..70].to_owned();
    let path = format!("home/.claude/projects/-home-ana-shop/{ID}.jsonl");
    put(&place.path().join(&path), &(lines.join("\n") + "\n" + &last));
    fs::create_dir_all(place.path().join("work")).unwrap();
    (place, path)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_proof_fails_for_a_record_that_could_not_be_read() {
    let (place, path) = cut();
    let args =
        ["convert", &path, "--to", "codex", "-o", "o.jsonl", "--prove", "--ledger", "l.json"];
    let ran = place.run(&args);
    assert_eq!((ran.code, place.path().join("o.jsonl").exists()), (1, false), "{}", ran.err);
    assert!(ran.err.contains("2 records of the session could not be read"), "{}", ran.err);
    assert!(ran.err.contains(".jsonl, line 5, bytes "), "{}", ran.err);
    assert!(!ran.err.contains("\nproven:"), "{}", ran.err);
    // The books are written even then. By another reader, they name exactly the lines that are cut.
    let bytes = fs::read(place.path().join(&path)).unwrap();
    let (mut at, mut expected) = (0, Vec::new());
    for (line, text) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        if serde_json::from_slice::<Value>(text).is_err() && !text.is_empty() {
            expected.push((line, at, text.len() as u64));
        }
        at += text.len() as u64 + 1;
    }
    let ledger = json(&fs::read_to_string(place.path().join("l.json")).unwrap());
    let number = |row: &Value, name: &str| row[name].as_u64().unwrap();
    let rows = ledger["unreadable"].as_array().unwrap().iter();
    let told: Vec<_> =
        rows.map(|row| (number(row, "line"), number(row, "byte"), number(row, "length"))).collect();
    assert_eq!((told.len(), told), (2, expected));
    assert!(ledger["unreadable"][0]["file"].as_str().unwrap().ends_with(".jsonl"));
    // A user may want the rest of it.
    let ran = place.run(&[&args[..], &["--allow-damaged", "--force"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err.contains("proven:") && ran.err.contains("unreadable: 2 records"),
        "{}",
        ran.err
    );
    let alone = place.run(&["convert", &path, "--to", "codex", "--allow-damaged"]);
    assert_eq!(alone.code, 2, "it is of use with a proof only");
}

/// A session that is whole is proven as before, with an empty book.
#[test]
fn a_whole_session_has_an_empty_book() {
    let place = Place::with_sessions();
    let ran =
        place.run(&["convert", ID, "--to", "codex", "-o", "o", "--prove", "--ledger", "l.json"]);
    assert_eq!((ran.code, ran.err.contains("unreadable")), (0, false), "{}", ran.err);
    let ledger = json(&fs::read_to_string(place.path().join("l.json")).unwrap());
    assert_eq!(ledger["unreadable"], Value::Array(Vec::new()));
}

#[test]
fn each_command_says_what_could_not_be_read() {
    let (place, path) = cut();
    let commands: [&[&str]; 10] = [
        &["convert", &path, "--to", "vac", "-o", "r.json"],
        &["convert", &path, "--to", "stead", "-o", "s.json"],
        &["convert", &path, "--to", "gemini", "-o", "g"],
        &["convert", "r.json", "--to", "codex", "-o", "c"],
        &["export", &path, "-o", "p.html"],
        &["attribution", &path],
        &["redact", &path, "-o", "red.jsonl"],
        &["resume", ID, "--to", "codex", "--folder", "work"],
        &["search", "--all-projects", "keel"],
        &["fidelity", &path],
    ];
    for args in commands {
        let ran = place.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        let line = "unreadable: 2 records, ";
        assert!(ran.err.lines().any(|text| text.starts_with(line)), "{args:?}: {}", ran.err);
    }
    for (args, said) in [
        (&["show", &path][..], "2 unreadable records"),
        (&["usage", &path], "2 damaged places"),
        (&["check", &path], "2 damaged lines kept as they are"),
    ] {
        let ran = place.run(args);
        assert!(ran.out.contains(said), "{args:?}: {}", ran.out);
    }
    assert!(fs::read_to_string(place.path().join("p.html")).unwrap().contains("2 unreadable"));
    let ran =
        place.run(&["resume", ID, "--to", "gemini", "--folder", "work", "--dry-run", "--json"]);
    assert_eq!(json(&ran.out)["unreadable"][1]["line"], 8, "{}", ran.err);
    let ran = place.run(&["convert", &path, "--to", "cursor", "-o", "k", "--json"]);
    assert_eq!(json(&ran.out)["unreadable"][0]["line"], 5, "{}", ran.err);
}

/// A list looks at the ends of files: what it could not read there is counted, and a last line that
/// the agent may be writing is not.
#[test]
fn a_list_says_what_it_could_not_read() {
    let said = "1 of these sessions has 1 unreadable record in what a list looks at";
    let (place, path) = cut();
    let list = |args: &[&str]| place.run(&[&["list"], args].concat());
    assert!(list(&[]).err.contains(said), "{}", list(&[]).err);
    assert_eq!(json(&list(&["--json"]).out)["sessions"][0]["damaged"], 1, "the fifth line");
    let path = place.path().join(path);
    let text = fs::read_to_string(&path).unwrap();
    // With a line break, it is no line that an agent is writing.
    put(&path, &format!("{text}\n"));
    assert_eq!(json(&list(&["--json"]).out)["sessions"][0]["damaged"], 2);
    // A list does not look at the middle of a long file, and says so; `--turns` does.
    let long = "Sand the planks. ".repeat(4000);
    let [begin, end] = ["2026-03-02T10:0", "2026-03-03T10:0"].map(|time| talk(ID, &long, time));
    let whole = talk(ID, "Paint the keel", "2026-03-01T10:0") + &begin + &end;
    put(&path, &whole);
    assert!(json(&list(&["--json"]).out)["sessions"][0]["damaged"].is_null());
    assert!(!list(&[]).err.contains("unreadable"), "{}", list(&[]).err);
    let harmed = [begin.as_str(), "{\"type\":\n", &end].concat();
    put(&path, &(talk(ID, "Paint the keel", "2026-03-01T10:0") + &harmed));
    assert!(json(&list(&["--json"]).out)["sessions"][0]["damaged"].is_null());
    assert_eq!(json(&list(&["--json", "--turns"]).out)["sessions"][0]["damaged"], 1);
    // A document that is cut off is no line behind others.
    let place = Place::new();
    let document = concat!(
        r#"{"sessionId":"5f1e","projectHash":"ab","startTime":"2026-03-01T10:00:00.000Z","#,
        r#""lastUpdated":"2026-03-01T10:00:00.000Z","messages":[{"id":"1","#,
        r#""timestamp":"2026-03-01T10:00:00.000Z","type":"user","content":"Paint the ke"#
    );
    put(
        &place.path().join("home/.gemini/tmp/ab/chats/session-2026-03-01T10-00-5f1e.json"),
        document,
    );
    let ran = place.run(&["list"]);
    assert!(ran.err.contains(said), "{}{}", ran.out, ran.err);
}

/// A byte of a tool's output that is not UTF-8, and a line that was written behind the beginning of
/// one: every view has the text, and no byte of the file is lost.
#[test]
fn what_can_be_read_in_spite_of_damage_is_in_every_view() {
    let place = Place::new();
    let mut text = talk(ID, "Tar the hull PLACE twice", "2026-03-01T10:0").into_bytes();
    let at = text.windows(5).position(|part| part == b"PLACE").unwrap();
    text.splice(at..at + 5, *b"\xff\xc3");
    let ends: Vec<usize> = (0..text.len()).filter(|&at| text[at] == b'\n').collect();
    let last = ends[ends.len() - 2] + 1;
    text.splice(last..last, *b"{\"parentUuid\":\"5f1e");
    let path = format!("home/.claude/projects/-home-ana-shop/{ID}.jsonl");
    put(&place.path().join(&path), "");
    fs::write(place.path().join(&path), &text).unwrap();
    fs::create_dir_all(place.path().join("work")).unwrap();
    let said = "Tar the hull \u{fffd}\u{fffd} twice";
    for args in [&["show", &path][..], &["list"], &["search", "--all-projects", "hull"]] {
        let ran = place.run(args);
        assert!(ran.out.contains(said), "{args:?}: {}", ran.out);
    }
    let ran = place.run(&["check", "--deep", &path]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.contains("0 bytes lost"), "{}", ran.out);
    assert!(ran.out.contains(".jsonl:1  byte "), "{}", ran.out);
    assert!(ran.out.contains("2 bytes are not UTF-8; all of it could be read"), "{}", ran.out);
    assert!(ran.out.contains("1 damaged line kept as it is · 1 damaged line read"), "{}", ran.out);
    // The line behind the beginning of one is read: all records but that beginning are.
    let shown = place.run(&["show", "--json", "--all", &path]).out;
    assert!(shown.contains("hull \u{fffd}\u{fffd} twice"), "{shown}");
    let shown = json(&shown);
    let whole = talk(ID, "x", "2026-03-01T10:0").lines().count();
    assert_eq!(
        shown["events"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["kind"] == "opaque")
            .count(),
        1
    );
    assert!(shown["events"].as_array().unwrap().len() > whole);
    carried_on(&place, &path, &text, said);
}

/// Each conversion is proven, each document valid, and a record gives the bytes back.
fn carried_on(place: &Place, path: &str, text: &[u8], said: &str) {
    for to in ["codex", "gemini", "opencode", "cursor", "sage", "codewhale"] {
        let args = ["convert", path, "--to", to, "-o", to, "--prove", "--allow-damaged", "--rows"];
        let ran = place.run(&args);
        assert_eq!(ran.code, 0, "{to}: {}", ran.err);
    }
    for to in ["vac", "stead"] {
        let record = format!("{to}.json");
        let made = place.run(&["convert", path, "--to", to, "-o", &record]);
        assert_eq!(made.code, 0, "{}", made.err);
        let written = fs::read_to_string(place.path().join(&record)).unwrap();
        assert!(written.contains(said), "{to}");
        assert_eq!(place.run(&["validate", &record]).code, 0, "{to}");
    }
    let made = place.run(&["convert", path, "--to", "vac", "--embed", "-o", "e.json"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let back = place.run(&["convert", "e.json", "--to", "claude-code", "-o", "back"]);
    assert_eq!(back.code, 0, "{}", back.err);
    let written = fs::read(place.path().join("back")).unwrap();
    assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(text));
    assert_eq!(written, text);
    let ran = place.run(&["export", path, "-o", "p.md"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(fs::read_to_string(place.path().join("p.md")).unwrap().contains(said));
}

/// Our own record, with white space as the last byte that detection sees: each command takes it for
/// what it is.
#[test]
fn a_record_is_a_record_wherever_its_first_64_kib_end() {
    let place = Place::new();
    let path = format!("home/.claude/projects/-home-ana-shop/{ID}.jsonl");
    let padded = |pad: &str| {
        let text = talk(ID, "Sort the nails PAD by length", "2026-03-01T10:0");
        put(&place.path().join(&path), &text.replacen("PAD", pad, 1));
        let made =
            place.run(&["convert", &path, "--to", "vac", "--embed", "-o", "r.json", "--force"]);
        assert_eq!(made.code, 0, "{}", made.err);
        fs::read(place.path().join("r.json")).unwrap()
    };
    let long = "one two ".repeat(20_000);
    let bytes = padded(&long);
    assert!(bytes.len() > 70_000);
    for pad in (0..9).map(|more| format!("{}{long}", "x".repeat(more))) {
        let bytes = padded(&pad);
        let ran = place.run(&["validate", "r.json"]);
        assert_eq!(ran.code, 0, "{} {}", bytes[65_535].escape_ascii(), ran.out);
        let ran = place.run(&["resume", "r.json", "--dry-run", "--folder", "."]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let ran =
            place.run(&["convert", "r.json", "--to", "claude-code", "-o", "back.jsonl", "--force"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        let back = fs::read(place.path().join("back.jsonl")).unwrap();
        assert!(back == fs::read(place.path().join(&path)).unwrap());
        for command in ["show", "check"] {
            let ran = place.run(&[command, "r.json"]);
            assert!(ran.code == 0 && !ran.out.contains("claude-code  1 session"), "{}", ran.out);
        }
    }
}

/// A value whose name is not UTF-8, a whole record in an array, and one in a text: nobody can say
/// what they are, so they are in the book of what could not be read, and no sum is silent on them.
#[test]
fn what_no_view_can_show_is_told() {
    let strange = |line: &str| line.replacen("output_tokens", "output_tok\u{1}ens", 1);
    let text = |line: &str| serde_json::to_string(line).unwrap();
    type Harm<'h> = &'h dyn Fn(&str) -> String;
    let harms: [Harm<'_>; 3] = [&strange, &|line| format!("[{line}]"), &text];
    for harm in harms {
        let place = Place::new();
        let answer = concat!(
            r#"{"type":"assistant","uuid":"a9","parentUuid":"LAST","sessionId":"ID","#,
            r#""version":"2.1.0","cwd":"/home/ana/shop","timestamp":"2026-03-01T10:09:00Z","#,
            r#""message":{"id":"m9","#,
            r#""role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","#,
            r#""text":"The hull is dry."}],"usage":{"input_tokens":3,"output_tokens":5}}}"#
        );
        let talk = talk(ID, "Paint the keel", "2026-03-01T10:0");
        let last = json(talk.lines().rfind(|line| line.contains("\"uuid\"")).unwrap());
        let last = last["uuid"].as_str().unwrap();
        let harmed = harm(&answer.replace("\"ID\"", &format!("\"{ID}\"")).replace("LAST", last));
        let mut bytes = format!("{talk}{harmed}\n").into_bytes();
        bytes.iter_mut().filter(|byte| **byte == 1).for_each(|byte| *byte = 0xff);
        let path = format!("home/.claude/projects/-home-ana-shop/{ID}.jsonl");
        put(&place.path().join(&path), "");
        fs::write(place.path().join(&path), &bytes).unwrap();
        let line = format!(".jsonl, line {}, bytes {} to ", talk.lines().count() + 1, talk.len());
        let prove = ["convert", &path, "--to", "codex", "-o", "o.jsonl", "--prove"];
        let ran = place.run(&prove);
        assert_eq!(ran.code, 1, "{harmed}: {}", ran.err);
        assert!(ran.err.contains(&line), "{harmed}: {}", ran.err);
        let ran = place.run(&[&prove[..], &["--allow-damaged"]].concat());
        assert_eq!(ran.code, 0, "{harmed}: {}", ran.err);
        for args in [&["export", &path, "-o", "p.html"][..], &["fidelity", &path]] {
            let ran = place.run(args);
            assert!(ran.err.contains("unreadable: 1 record, "), "{args:?}: {}", ran.err);
        }
        for (args, said) in [
            (&["show", &path][..], "1 unreadable record"),
            (&["usage", &path], "1 damaged place"),
            (&["check", &path], "1 damaged line kept as it is"),
        ] {
            let ran = place.run(args);
            assert!(ran.out.contains(said), "{args:?}: {}", ran.out);
        }
    }
}
