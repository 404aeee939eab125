//! JSON output of the commands, validated against the published schemas in `schemas/`.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use common::Place;

fn schemas() -> PathBuf {
    samples::workspace().join("schemas")
}

/// A compiled schema that asserts formats.
fn schema(text: &str) -> jsonschema::Validator {
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft202012);
    options.should_validate_formats(true).build(&serde_json::from_str(text).unwrap()).unwrap()
}

/// Validates one output against the schema that it names.
fn hold(what: &str, output: &str) -> String {
    let output = without_half_pairs(output);
    let read: serde_json::Value = serde_json::from_str(&output).unwrap();
    let name = read["schema"].as_str().expect("an output names its schema").to_owned();
    let text = std::fs::read_to_string(schemas().join(format!("{name}.schema.json"))).unwrap();
    let errors: Vec<String> = schema(&text)
        .iter_errors(&read)
        .take(5)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .collect();
    assert_eq!(errors, [""; 0], "{what}");
    name
}

const LINES: &str = "verbatim-show-lines-1";

/// Validates each line of the other form of a session, which has the same events.
fn lines_hold(place: &Place, file: &str, whole: &str) {
    let text = std::fs::read_to_string(schemas().join(format!("{LINES}.schema.json"))).unwrap();
    let read = |text: &str| -> serde_json::Value {
        serde_json::from_str(&without_half_pairs(text)).unwrap()
    };
    let document = std::fs::read_to_string(schemas().join("verbatim-show-1.schema.json")).unwrap();
    let (of_lines, of_whole) = (read(&text), read(&document));
    let event = &of_whole["properties"]["events"]["items"];
    assert_eq!(&of_lines["oneOf"][1], event, "an event has one schema in both forms");
    let schema = schema(&text);
    let ran = place.run(&["show", "--jsonl", file]);
    let lines: Vec<serde_json::Value> = ran.out.lines().map(read).collect();
    for line in &lines {
        let error = schema.iter_errors(line).next().map(|error| error.to_string());
        assert_eq!(error, None, "{file}: {line}");
    }
    let whole = read(whole);
    assert_eq!((&lines[0]["schema"], &lines[0]["session"]), (&LINES.into(), &whole["session"]));
    assert_eq!(lines[1..], *whole["events"].as_array().unwrap(), "{file}");
    // A prompt has its text, whatever slots the agent wrote it in.
    for event in lines[1..].iter().filter(|event| event["part"] == "prompt") {
        let has_picture = lines.iter().any(|other| other["part"] == "picture");
        assert!(event["text"].is_string() || has_picture, "{file}: {event}");
    }
    let mut harmed = lines[0].clone();
    harmed["session"]["uid"] = 7.into();
    assert!(!schema.is_valid(&harmed), "a schema that accepts anything");
}

/// Validates the rows of all tables. Each names its table, and so its schema, and the members that
/// its schema names as its key tell it from all others of its table. Returns the names of all
/// schemas of lines, with that of `show --jsonl`.
fn rows_hold(place: &Place, paths: &[&str]) -> BTreeSet<String> {
    let name = |table: &str| format!("verbatim-row-{table}-1");
    let text = |name: &str| {
        std::fs::read_to_string(schemas().join(format!("{name}.schema.json"))).unwrap()
    };
    let mut read = std::collections::BTreeMap::new();
    let mut keys = std::collections::BTreeMap::new();
    for args in [&["rows"][..], &["rows", "--unredacted"]] {
        let ran = place.run(&[args, paths].concat());
        for line in ran.out.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let table = row["table"].as_str().unwrap().to_owned();
            let (validator, key) = read.entry(table.clone()).or_insert_with(|| {
                let text = text(&name(&table));
                let document: serde_json::Value = serde_json::from_str(&text).unwrap();
                (schema(&text), document["x-key"].as_array().unwrap().clone())
            });
            let error = validator.iter_errors(&row).next().map(|error| error.to_string());
            assert_eq!(error, None, "{line}");
            let of_key = |name: &serde_json::Value| row[name.as_str().unwrap()].to_string();
            let key: Vec<String> = key.iter().map(of_key).collect();
            // What was read of no session has no state: its file is its key.
            if !row["state"].is_null() {
                let one = (args.len(), table, key);
                let known = keys.entry(one).or_insert_with(|| line.to_owned());
                assert_eq!(known, line, "two rows have one key");
            }
        }
        let mut harmed: serde_json::Value =
            serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
        harmed["line_count"] = 7.into();
        let table = harmed["table"].as_str().unwrap();
        assert!(!read[table].0.is_valid(&harmed), "a schema that accepts anything");
    }
    assert_eq!(read.len(), 8, "{:?}", read.keys());
    read.into_keys().map(|table| name(&table)).chain([LINES.to_owned()]).collect()
}

/// Replaces half surrogate pairs. They are valid JSON (RFC 8259, section 8.2) and are printed
/// unchanged, but the validator's JSON reader refuses them.
fn without_half_pairs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let unit = |from: usize| {
            let digits = rest.get(from..from + 6)?.strip_prefix("\\u")?;
            u32::from_str_radix(digits, 16).ok()
        };
        let (escape, length) = match (unit(at), unit(at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => (&rest[at..at + 12], 12),
            (Some(0xd800..0xe000), _) => ("\\ufffd", 6),
            _ => (&rest[at..at + 2], 2),
        };
        out.push_str(&rest[..at]);
        out.push_str(escape);
        rest = &rest[at + length..];
    }
    out + rest
}

/// The names of the published schemas of outputs.
fn published() -> BTreeSet<String> {
    let files = std::fs::read_dir(schemas()).unwrap();
    files
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".schema.json").map(str::to_owned))
        .filter(|name| name.starts_with("verbatim-"))
        .collect()
}

/// The folders of samples, one for each format and case.
fn samples_of_all() -> Vec<PathBuf> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
        folders.sort();
        folders
    };
    samples::formats().iter().flat_map(|format| below(&format.join("samples"))).collect()
}

/// Outputs of keys, of a signature, of its verification, of a presentation and of the log.
fn signed(place: &Place, file: &str) -> [String; 9] {
    let record = place.path().join("signed.json");
    let record = record.to_str().unwrap();
    let run = |args: &[&str]| place.run(args).out;
    let shown = format!("{record}.shown.json");
    let head = || run(&["log", "head", "--json"]);
    let line = || {
        let head: serde_json::Value = serde_json::from_str(&head()).unwrap();
        head["line"].as_str().unwrap().to_owned()
    };
    [
        run(&["key", "new", "work", "--json"]),
        run(&["sign", "--json", file, "-o", record]),
        run(&["verify", "--json", record]),
        run(&["redact", "--signed", record, "--withhold", "1", "-o", &shown, "--json"]),
        run(&["verify", "--json", &shown]),
        run(&["log", "append", record, "--json"]),
        run(&["log", "prove", record, "--json"]),
        head(),
        run(&["log", "check", &line(), "--json"]),
    ]
}

/// Outputs for a session that is carried to another agent: of `convert`, its books, of `resume` and
/// of its `--undo`, of `fidelity`, of a search, of a migration, of a scan and of a redaction.
fn carried(place: &Place, file: &str, id: &str) -> [String; 11] {
    let names = ["books.json", "carried.jsonl", "redacted"];
    let [books, to, redacted] = names.map(|name| place.path().join(name));
    let [books, to, redacted] = [&books, &to, &redacted].map(|path| path.to_str().unwrap());
    let here = place.path().to_str().unwrap();
    let agent = ["--json", "--to", "claude-code"];
    let run = |args: &[&str]| place.run(args).out;
    [
        run(&[&["convert", file, "-o", to, "--ledger", books, "--prove"], &agent[..]].concat()),
        std::fs::read_to_string(books).unwrap(),
        run(&[&["resume", file, "--folder", here], &agent[..]].concat()),
        run(&["resume", "--json", id, "--undo"]),
        run(&["fidelity", "--json", file]),
        run(&["blame", "--json", "--no-commits", file]),
        run(&["query", "--json", "--views"]),
        run(&["search", "--json", "e", "--in", file]),
        run(&["migrate", "sage", "--json", "--dry-run", here]),
        run(&["scan", "--json", "--profile", "share", file]),
        run(&["redact", "--json", file, "-o", redacted]),
    ]
}

/// Outputs of an archive: with a session that its agent deleted, a forgotten and a damaged one.
fn kept() -> [String; 15] {
    let place = Place::with_sessions();
    let run = |args: &[&str]| place.run(args).out;
    let other = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22";
    let sync = run(&["sync", "--json", "--exclude", "nothing"]);
    std::fs::remove_file(place.session()).unwrap();
    let [list, status] = [["list", "--json"].as_slice(), &["archive", "status", "--json"]].map(run);
    let versions = run(&["archive", "versions", common::ID, "--json"]);
    let restored = run(&["archive", "restore", common::ID, "-o", "back", "--json"]);
    let merged = run(&["archive", "merge", "home/.local/share/verbatim/archive", "--json"]);
    let exported = run(&["archive", "export", "--redacted", "twin", "--json"]);
    run(&["key", "new", "work"]);
    let signed = run(&["--archive", "twin", "archive", "sign", "--json"]);
    std::fs::write(place.path().join("twin/packs/more"), "more").unwrap();
    let trusted = ["--archive", "twin", "archive", "verify", "--trust", "work", "--json"];
    let trusted = run(&trusted);
    assert!(trusted.contains("\"kind\": \"extra\""), "{trusted}");
    let checked = run(&["archive", "export", "--check", "twin", "--json"]);
    let forgotten = run(&["archive", "forget", other, "--yes", "--json"]);
    let packs = place.path().join("home/.local/share/verbatim/archive/packs");
    let pack = std::fs::read_dir(packs).unwrap().next().unwrap().unwrap().path();
    std::fs::write(pack, "damaged").unwrap();
    let verdict = run(&["archive", "verify", "--read-data", "--json"]);
    let damaged = run(&["archive", "status", "--json"]);
    assert!(list.contains("\"archived\": true") && verdict.contains("\"good\": false"));
    let stats = run(&["stats", "--json"]);
    let doctor = run(&["doctor", "--json"]);
    let twin = [exported, signed, trusted, checked];
    let own = [sync, status, versions, restored, merged, forgotten, verdict, damaged];
    let all: Vec<String> = [doctor, list, stats].into_iter().chain(own).chain(twin).collect();
    all.try_into().unwrap()
}

#[test]
fn every_json_output_meets_its_schema() {
    let place = Place::new();
    let folders = samples_of_all();
    assert!(folders.len() > 20, "{}", folders.len());
    let mut met = BTreeSet::new();
    let mut run = |args: &[&str]| {
        let ran = place.run(args);
        let what = format!("{args:?}: {}", ran.err);
        assert!(!ran.out.is_empty(), "{what}");
        met.insert(hold(&what, &ran.out));
        ran.out
    };
    let paths: Vec<&str> = folders.iter().map(|folder| folder.to_str().unwrap()).collect();
    let list = run(&[&["list", "--json", "--turns"][..], &paths].concat());
    run(&[&["check", "--json"][..], &paths].concat());
    run(&[&["check", "--json", "--quick"][..], &paths].concat());
    for by in ["day", "session", "model", "agent"] {
        run(&[&["usage", "--json", "--explain", "--by", by][..], &paths].concat());
    }
    let receipt = samples::workspace().join("schemas/receipts/session-codex.json");
    run(&["receipt", "--json", "--check", receipt.to_str().unwrap()]);
    let _ = ["list", "usage"].map(|command| run(&[command, "--json", paths[0]]));
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let sessions = list["sessions"].as_array().unwrap();
    // The published schema lists two agents. It refuses a session of another one.
    let known = sessions.iter().find(|session| session["format"] == "codex").unwrap();
    let first = known["files"][0].as_str().unwrap();
    let stead = place.path().join("session.stead.json");
    let stead = stead.to_str().unwrap();
    run(&["convert", "--json", "--to", "stead", "--schema-strict", first, "-o", stead]);
    let broken = place.path().join("broken.json");
    std::fs::write(
        &broken,
        std::fs::read_to_string(stead).unwrap().replacen("\"sequence\":0", "\"sequence\":7", 1),
    )
    .unwrap();
    run(&["validate", "--json", stead, broken.to_str().unwrap(), first]);
    let agent_trace = std::fs::read_to_string(schemas().join("agent-trace-0.1.0.schema.json"));
    let agent_trace = schema(&agent_trace.unwrap());
    for session in sessions {
        let file = session["files"][0].as_str().unwrap();
        // If a file holds several sessions, the command requires an id.
        if place.run(&["show", "--json", file]).code == 0 {
            lines_hold(&place, file, &run(&["show", "--json", file]));
            let trace = place.run(&["attribution", "--agent-trace", file]);
            if trace.code != 0 {
                // A record of another program does not restore its source.
                assert!(file.contains("/vac/samples/foreign/"), "{file}: {}", trace.err);
                continue;
            }
            run(&["attribution", "--json", file]);
            let trace = serde_json::from_str(&trace.out).unwrap();
            assert!(agent_trace.is_valid(&trace), "{file}");
        }
    }
    let carried = carried(&place, first, known["id"].as_str().unwrap());
    let more = carried.into_iter().chain(signed(&place, first)).chain(kept());
    met.extend(more.map(|output| hold("carried", &output)).chain(rows_hold(&place, &paths)));
    assert_eq!(met, published(), "each published schema is met by an output");
}

/// `-n` limits what `--json` has, which then says how much it left out, as a folder's scope does.
#[test]
fn a_limited_output_says_what_it_left_out() {
    let place = Place::with_sessions();
    let [shop, home] = ["shop", "home"].map(|name| place.path().join(name));
    let [text, other] = [place.session(), place.session().with_file_name("7.jsonl")];
    let text = std::fs::read_to_string(text).unwrap();
    let moved = text.replace("/home/ana/shop", shop.to_str().unwrap());
    assert_ne!(moved, text, "the sample's folder");
    std::fs::create_dir(&shop).unwrap();
    std::fs::write(&other, moved.replace(common::ID, "7")).unwrap();
    let read = |args: &[&str], folder: &Path| -> serde_json::Value {
        let out = common::ran(place.command(args).current_dir(folder).output().unwrap()).out;
        hold(&format!("{args:?}"), &out);
        serde_json::from_str(&out).unwrap()
    };
    for (args, rows, all) in [
        (&["list", "--json"][..], "sessions", 3),
        (&["search", "e", "--json"], "sessions", 3),
        // The answers of the third session are those of the first.
        (&["usage", "--json", "--by", "session"], "groups", 2),
        (&["usage", "--json", "--by", "day"], "groups", 2),
    ] {
        // A folder of none of the sessions: all are in its scope.
        let whole = read(args, &home);
        assert_eq!(whole[rows].as_array().unwrap().len(), all, "{args:?}: {whole}");
        assert!(whole["more"].is_null(), "{args:?}");
        let part = read(&[args, &["-n", "1"]].concat(), &home);
        assert_eq!((part[rows].as_array().unwrap().len(), &part["more"]), (1, &(all - 1).into()));
        assert_eq!(part["all"], whole["all"], "{args:?}: a limit of rows does not limit a sum");
        if args.contains(&"day") {
            assert_eq!(part[rows][0], whole[rows][1], "the latest day");
        }
    }
    for args in [&["list", "--json"][..], &["search", "e", "--json"]] {
        assert_eq!(read(args, &shop)["scope"]["elsewhere"], 2, "{args:?}");
    }
    let ran = place.run(&["usage", "--compare", "-", "-n", "1"]);
    assert!(ran.code == 2 && ran.err.contains("--compare"), "{}", ran.err);
}

/// A call lists the session of the sub-agent that it started, in the published form.
#[test]
fn a_call_has_the_session_that_it_started() {
    let folders = samples_of_all();
    let agents = folders.iter().find(|folder| folder.ends_with("codex/samples/agents")).unwrap();
    let args = ["show", "--json", "019e6100-1000", "--in", agents.to_str().unwrap()];
    let shown = Place::new().run(&args).out;
    hold("show", &shown);
    assert!(shown.contains("\"started\":[\"codex:019e6100-3000"));
}

/// This test fails if a schema accepts anything.
#[test]
fn an_output_that_differs_is_refused() {
    let place = Place::with_sessions();
    let output = place.run(&["list", "--json"]).out;
    let text = std::fs::read_to_string(schemas().join("verbatim-list-1.schema.json")).unwrap();
    let schema = schema(&text);
    assert!(schema.is_valid(&serde_json::from_str(&output).unwrap()));
    for (from, to) in [
        ("\"bytes\":", "\"size\":"),
        ("verbatim-list-1", "verbatim-list-2"),
        ("\"title\": null", "\"title\": 1"),
        ("\"failure\"", "\"fail\""),
        ("2026-03-01T", "2026-03-01 "),
    ] {
        let changed = output.replace(from, to);
        let same = changed == output;
        let changed = serde_json::from_str(&changed).unwrap();
        assert_eq!(schema.is_valid(&changed), same, "{from}");
    }
}
