//! Commands of the binary, from end to end.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

mod common;
use common::{ID, Place, put, talk};

#[test]
fn list_names_the_sessions_newest_first() {
    let ran = Place::with_sessions().run(&["list"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", ran.out);
    let values: Vec<Vec<&str>> = lines.iter().map(|line| line.split('\t').collect()).collect();
    assert_eq!(values[0], ["AGENT", "PROJECT", "TITLE", "UPDATED", "BYTES", "ID"]);
    let title = "› Paint the **door** green";
    assert_eq!(
        values[1][..4],
        ["claude-code", "/home/ana/shop", title, "2026-03-01T10:06:00.000000Z"]
    );
    assert_eq!(values[1][5], ID);
    assert_eq!(values[2][2], "› Count the windows");
}

#[test]
fn list_as_json_has_what_the_text_has_and_the_turns() {
    let place = Place::with_sessions();
    let ran = place.run(&["list", "--json", "--turns"]);
    let json: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["schema"], "verbatim-list-1");
    let first = &json["sessions"][0];
    assert_eq!(first["uid"], format!("claude-code:{ID}"));
    assert_eq!(first["prompt"], "Paint the **door** green");
    assert_eq!((&first["turns"], &first["model"]), (&1.into(), &"claude-opus-4-5".into()));
    assert_eq!(first["files"].as_array().unwrap().len(), 2);
    assert_eq!(first["updated"], "2026-03-01T10:06:00.000000Z");
}

#[test]
fn show_is_a_transcript() {
    let ran = Place::with_sessions().run(&["show", "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let main: Vec<&str> = ran.out.lines().filter(|line| !line.starts_with("  ")).collect();
    let expected = [
        "▌ 1  2026-03-01 10:00",
        "▌ Paint the **door** green",
        "∴ thinking · 12 B",
        "→ Bash  ls doors  ✓ 2 lines  1 min",
        "→ Bash  paint --green  ✗ no paint left  1 min",
        "There is no paint.",
    ];
    let mut rest = main.iter();
    for line in expected {
        assert!(rest.any(|found| *found == line), "`{line}` is not in its place:\n{}", ran.out);
    }
    assert!(ran.out.contains("  ┌ sub-agent agent-a1\n"));
    assert!(ran.out.contains("  │ Count the doors\n"));
    assert!(ran.out.contains("1 turn"));
    let all = Place::with_sessions().run(&["show", ID, "--all"]);
    assert!(all.out.contains("    Green it is.\n") && all.out.contains("    front\n    back\n"));
}

#[test]
fn show_raw_gives_the_records_and_json_the_events() {
    let place = Place::new();
    let text = talk(ID, "x", "2026-03-01T10:0");
    put(&place.path().join(format!("{ID}.jsonl")), &text);
    let raw = place.run(&["show", "--raw", &format!("{ID}.jsonl")]);
    assert_eq!(raw.out, text);
    let json = place.run(&["show", "--json", &format!("{ID}.jsonl")]);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["schema"], "verbatim-show-1");
    let events = json["events"].as_array().unwrap();
    let kinds: Vec<&str> = events.iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "tool-call").count(), 2);
    assert!(events.iter().any(|event| event["parent"] != Value::Null));
}

#[test]
fn check_says_that_nothing_is_lost() {
    let place = Place::with_sessions();
    let ran = place.run(&["check"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let last = ran.out.lines().last().unwrap();
    assert!(last.starts_with("2 sessions · "), "{last}");
    assert!(last.contains("0 bytes lost"), "{last}");
    let by_id = place.run(&["check", "--quick", "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e2"]);
    assert!(by_id.out.contains("1 session · "), "{}", by_id.out);
}

#[test]
fn check_names_damage_and_what_is_no_session_and_keeps_both() {
    let place = Place::new();
    let folder = place.path().join("sessions");
    let whole = talk(ID, "x", "2026-03-01T10:0");
    let damaged = format!("{}{{\"type\":\"user\",\"uuid\":\"cu", &whole);
    put(&folder.join(format!("{ID}.jsonl")), &damaged);
    put(&folder.join("notes.txt"), "not a session");
    let ran = place.run(&["check", "sessions"]);
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains(&format!("{ID}.jsonl:8  byte")), "{}", ran.out);
    assert!(ran.out.contains("1 damaged line kept as it is"), "{}", ran.out);
    assert!(ran.out.contains("no known agent writes such a file"), "{}", ran.out);
    let json: Value =
        serde_json::from_str(&place.run(&["check", "--json", "sessions"]).out).unwrap();
    assert_eq!(
        (&json["summary"]["lost_bytes"], &json["summary"]["damaged"]),
        (&0.into(), &1.into())
    );
    let place_of = &json["sources"][0]["damaged"][0];
    assert_eq!(place_of["line"], 8);
    // The JSON lists every file.
    let files = json["sources"].as_array().unwrap().iter();
    let files = files.flat_map(|source| source["files"].as_array().unwrap());
    let paths: BTreeSet<&str> = files
        .chain(json["aside"].as_array().unwrap())
        .map(|row| row["path"].as_str().unwrap())
        .collect();
    let expected = [format!("sessions/{ID}.jsonl"), "sessions/notes.txt".into()];
    assert_eq!(paths, expected.iter().map(String::as_str).collect());
}

#[test]
fn convert_gives_the_native_bytes_back() {
    let place = Place::with_sessions();
    let text = std::fs::read_to_string(place.session()).unwrap();
    // Two files need a folder.
    let refused = place.run(&["convert", ID, "--to", "claude-code"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("-o FOLDER"), "{}", refused.err);
    let ran = place.run(&["convert", ID, "--to", "claude-code", "-o", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let written = place.path().join("out").join(format!("{ID}.jsonl"));
    assert_eq!(std::fs::read_to_string(written).unwrap(), text);
    assert!(place.path().join("out").join(ID).join("subagents/agent-a1.jsonl").exists());
    let piped = place.feed(&["convert", "-", "--to", "claude-code"], text.as_bytes());
    assert_eq!((piped.code, piped.out), (0, text));
}

#[test]
fn a_record_with_its_bytes_gives_the_session_back() {
    let place = Place::new();
    let text = talk(ID, "Paint", "2026-03-01T10:0") + "{\"cut\":\n";
    put(&place.path().join(format!("in/{ID}.jsonl")), &text);
    let made = place.run(&["convert", "in", "--to", "vac", "--embed", "-o", "record.json"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let back = place.run(&["convert", "record.json", "--to", "claude-code"]);
    assert_eq!((back.code, back.out), (0, text.clone()), "{}", back.err);
    // The same conversion through pipes, and with indentation.
    let piped =
        place.feed(&["convert", "-", "--to", "vac", "--embed", "--pretty"], text.as_bytes());
    assert!(piped.out.lines().count() > 50);
    let back = place.feed(&["convert", "-", "--to", "claude-code"], piped.out.as_bytes());
    assert_eq!((back.code, back.out), (0, text), "{}", back.err);
}

#[test]
fn a_record_in_cbor_is_the_record() {
    let place = Place::new();
    let text = talk(ID, "Paint", "2026-03-01T10:0");
    put(&place.path().join(format!("in/{ID}.jsonl")), &text);
    let run = |args: &[&str]| {
        let force: &[&str] = if args.first() == Some(&"convert") { &["--force"] } else { &[] };
        let ran = place.run(&[args, force].concat());
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        ran.out
    };
    let file = |name: &str| std::fs::read(place.path().join(name)).unwrap();
    let json = |text: &[u8]| serde_json::from_slice::<Value>(text).unwrap();
    let native = |text: &str| text.lines().map(|line| json(line.as_bytes())).collect::<Vec<_>>();
    for embed in [false, true] {
        let embed = if embed { &["--embed"][..] } else { &[] };
        let record =
            |args: &[&str]| run(&[&["convert", "in", "--to", "vac"], args, embed].concat());
        let convert = |args: &[&str]| run(&[&["convert"][..], args].concat());
        record(&["-o", "record.json"]);
        record(&["-o", "record.cbor"]);
        record(&["--cbor", "-o", "other"]);
        assert_eq!(file("record.cbor"), file("other"));
        assert!(file("record.cbor").len() < file("record.json").len());
        run(&["validate", "record.json", "record.cbor"]);
        run(&["check", "record.cbor"]);
        // Conversion in both directions gives the same values, and in CBOR the same bytes.
        convert(&["record.json", "--to", "vac", "--cbor", "-o", "other"]);
        assert_eq!(file("record.cbor"), file("other"));
        let back = convert(&["record.cbor", "--to", "vac"]);
        assert_eq!(json(back.as_bytes()), json(&file("record.json")));
        let wide = convert(&["record.cbor", "--to", "vac", "--pretty"]);
        assert_eq!(json(wide.as_bytes()), json(back.as_bytes()));
        assert!(wide.lines().count() > 50);
        let native_text = convert(&["record.cbor", "--to", "claude-code"]);
        assert_eq!(native(&native_text), native(&text));
        if !embed.is_empty() {
            assert_eq!(native_text, text);
        }
        let piped = place.feed(&["convert", "-", "--to", "claude-code"], &file("record.cbor"));
        assert_eq!((piped.code, piped.out), (0, native_text), "{}", piped.err);
    }
    // A name that ends with a slash is a folder. The file in it keeps its own name.
    run(&["convert", "record.cbor", "--to", "claude-code", "-o", "new/"]);
    assert!(place.path().join(format!("new/{ID}.jsonl")).is_file());
    let listed = run(&["list", "record.cbor"]);
    assert!(listed.contains("vac") && listed.contains("Paint"), "{listed}");
    let refused = place.run(&["convert", "in", "--to", "stead", "-o", "a.cbor"]);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("`stead` can't be written in CBOR"), "{}", refused.err);
    // A truncated record is reported with its place.
    let cut = file("record.cbor");
    std::fs::write(place.path().join("cut.cbor"), &cut[..cut.len() - 9]).unwrap();
    let refused = place.run(&["convert", "cut.cbor", "--to", "vac"]);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("the document ends before the value does"), "{}", refused.err);
}

#[test]
fn convert_never_writes_over_the_session() {
    let place = Place::with_sessions();
    let (path, before) = (place.session(), std::fs::read(place.session()).unwrap());
    let shown = path.to_str().unwrap();
    let folder = path.parent().unwrap().to_str().unwrap();
    for (target, why) in [(shown, "name a folder"), (folder, "is a file of an agent")] {
        let ran = place.run(&["convert", shown, "--to", "claude-code", "-o", target]);
        assert_eq!(ran.code, 2, "{}", ran.err);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
    assert_eq!(std::fs::read(path).unwrap(), before);
}

#[test]
fn errors_say_what_and_what_next_with_their_codes() {
    let place = Place::with_sessions();
    let cases: [(&[&str], i32, &str); 6] = [
        (&["show", "nosuch"], 3, "verbatim list"),
        (&["show", "5f1e"], 3, "the ids of 2 sessions"),
        (&["convert", ID, "--to", "word"], 2, "the formats are: "),
        (&["frobnicate"], 2, "Usage"),
        (&["list", "/no/such/folder"], 3, "/no/such/folder"),
        (&["show", "empty"], 3, "verbatim check"),
    ];
    std::fs::create_dir(place.path().join("empty")).unwrap();
    for (args, code, hint) in cases {
        let ran = place.run(args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(hint), "{args:?}: {}", ran.err);
        assert!(ran.out.lines().count() <= 1, "{args:?}: {}", ran.out);
    }
}

#[test]
fn colours_are_for_terminals_and_for_who_asks() {
    let place = Place::with_sessions();
    let escape = |args: &[&str]| place.run(args).out.contains('\x1b');
    assert!(!escape(&["list"]), "no terminal, no colour");
    assert!(escape(&["usage", "--color", "always"]));
    assert!(!escape(&["usage", "--color", "never"]));
    assert!(!escape(&["list", "--color", "always"]), "values for programs have no colours");
}

#[test]
fn the_demo_works_on_what_ships_in_the_program() {
    let place = Place::new();
    let ran = place.run(&["demo"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("0 bytes lost") && ran.out.contains("Next"), "{}", ran.out);
    // A minute of reading, in a window of 100 columns.
    assert!(ran.out.split_whitespace().count() <= 420, "{}", ran.out);
    assert_eq!(ran.out.lines().find(|line| line.chars().count() > 100), None);
    let count = |folder: &str| std::fs::read_dir(place.path().join(folder)).unwrap().count();
    assert!(count("verbatim-demo/sessions") >= 7);
    let records = format!("\n{} records, ", count("verbatim-demo/records"));
    assert!(ran.out.contains(&records), "no {records} in {}", ran.out);
    // The session that its agent deleted is in another agent's store.
    assert!(ran.out.contains("ready for copilot: verbatim-demo/kept/copilot"), "{}", ran.out);
    assert_eq!(count("verbatim-demo/kept/copilot/session-state"), 1);
    // A second run replaces the files of the first one. Only the time of signing is another.
    let timeless = |out: &str| -> Vec<String> {
        out.lines().filter(|line| !line.contains("signed at")).map(str::to_owned).collect()
    };
    assert_eq!(timeless(&place.run(&["demo"]).out), timeless(&ran.out));
    // Without the command in PATH, the commands to run next say how it gets there.
    let hint = "`verbatim` is not in PATH yet";
    let (bin, demo) = (place.path().join("bin"), ["demo", "--folder", "another"]);
    std::fs::create_dir(&bin).unwrap();
    let next =
        |place: &Place| common::ran(place.command(&demo).env("PATH", &bin).output().unwrap());
    assert!(next(&place).out.contains(hint) && !ran.out.contains(hint));
    std::fs::write(bin.join(format!("verbatim{}", std::env::consts::EXE_SUFFIX)), "").unwrap();
    assert!(!next(&place).out.contains(hint));
    assert_left_alone(place.path());
}

/// No temporary file is left.
fn assert_left_alone(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        assert!(!name.starts_with(".verbatim-"), "{name}");
        if entry.is_dir() {
            assert_left_alone(&entry);
        }
    }
}

/// A bare file name does not contain the folders by which the session's other files are found.
#[test]
fn a_file_that_is_named_from_within_its_folder_is_the_whole_session() {
    let place = Place::new();
    for (name, samples) in [
        ("codex/samples/joined", "home/.codex"),
        ("codewhale/samples/joined/.codewhale", "home/.codewhale"),
        ("opencode/samples/tree", "home/.local/share/opencode"),
    ] {
        let from = samples::of_format(name);
        common::copy(&from, &place.path().join(samples));
    }
    let codex = "rollout-2026-11-11T09-00-00-01a1c478-9800-7000-8000-0000000000a1\
                 _01a1c99e-f400-7000-8000-0000000000b1.jsonl";
    let tree =
        "home/.local/share/opencode/storage/session/4b0c9d13f7a28e5560b19c4dd2a7e8f1035c6be1";
    for (folder, file, files) in [
        ("home/.codex/sessions/2026/11/11", codex, 3),
        ("home/.codewhale/tasks/runtime/turns", "turn_77aa01bc.json", 13),
        (tree, "ses_f3baf9384ffeQm3kT9xWc2LpZa.json", 28),
    ] {
        let mut command = place.command(&["list", "--json", file]);
        let ran = common::ran(command.current_dir(place.path().join(folder)).output().unwrap());
        let json: Value = serde_json::from_str(&ran.out).unwrap();
        let sessions = json["sessions"].as_array().unwrap();
        assert_eq!(sessions.len(), 1, "{}", ran.out);
        assert_eq!(sessions[0]["files"].as_array().unwrap().len(), files, "{}", ran.out);
    }
}

/// Error messages: the fault, its place, and the next step.
#[test]
fn what_cannot_be_done_is_said_with_what_can() {
    let place = Place::with_sessions();
    put(&place.path().join("home/.claude/history.jsonl"), "a note");
    let history = "home/.claude/history.jsonl";
    let projects = "home/.claude/projects";
    for (args, code, says) in [
        (&["list", "-"][..], 2, "read standard input\n  `show`, `convert`, "),
        (&["usage", "-"], 2, "does not read standard input"),
        (&["check", "-"], 2, "does not read standard input"),
        (&["show", "-"], 3, "error: standard input: it is empty\n"),
        (&["list", history], 0, "found\n  home/.claude/history.jsonl: no known agent "),
        (&["validate", "5f1e7f1e-0000"], 3, "there is no file or folder `5f1e7f1e-0000"),
        (&["show", projects], 3, "with `--in home/.claude/projects`\n"),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, code, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(says), "{args:?}: {}", ran.err);
    }
    let garbage = place.feed(&["show", "-"], b"garbage");
    assert!(garbage.err.contains("standard input: no known agent"), "{}", garbage.err);
    let shown = place.run(&["show", ID, "--in", projects]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    for name in [ID, "last"] {
        let judged = place.run(&["validate", name]);
        assert_eq!(judged.code, 0, "{}", judged.err);
        assert!(judged.out.starts_with("valid "), "{}", judged.out);
    }
}

/// A command that found no session says where it looked.
#[test]
fn where_nothing_was_found_the_places_are_told() {
    let place = Place::with_sessions();
    let folder = place.path().join("nothing");
    std::fs::create_dir(&folder).unwrap();
    for command in ["usage", "check", "scan"] {
        let ran = place.run(&[command, "nothing"]);
        let says = "no sessions were found in: nothing\n";
        assert_eq!((ran.code, &*ran.err), (0, says), "{command}: {}", ran.out);
        let found = place.run(&[command]);
        assert!(!found.err.contains("no sessions were found"), "{command}: {}", found.err);
    }
}
