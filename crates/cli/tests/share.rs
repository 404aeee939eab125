//! `scan`, `redact` and `export` as their users run them: exit codes, what is written, and what is
//! not.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;

use common::{ID, Place, put, talk};

/// A token that no scanner of this repository may see.
fn token() -> String {
    format!("gh{}_{}", 's', "a7ZkQ2".repeat(6))
}

/// A place with one session that has a credential, and one that has none.
fn place() -> Place {
    let place = Place::new();
    fs::create_dir(place.path().join("home")).unwrap();
    let said = format!("clone https://x-access-token:{}@github.com/a/b.git please", token());
    put(&place.path().join("with.jsonl"), &talk(ID, &said, "2026-03-01T10:0"));
    let other = ID.replace('a', "b").replace('1', "2");
    put(&place.path().join("clean/without.jsonl"), &talk(&other, "hello", "2026-03-01T10:0"));
    place
}

#[test]
fn a_scan_tells_places_and_no_values() {
    let place = place();
    for form in [&[][..], &["--json"], &["--sarif"]] {
        let ran = place.run(&[&["scan", "with.jsonl"][..], form].concat());
        assert_eq!(ran.code, 1, "{}", ran.err);
        let told = ran.out + &ran.err;
        assert!(told.contains("github") || told.contains("url-password"), "{told}");
        assert!(!told.contains("a7ZkQ2"), "{told}");
    }
    assert_eq!(place.run(&["scan", "clean/without.jsonl"]).code, 0);
    assert_eq!(place.run(&["scan", "nowhere.jsonl"]).code, 3);
    let sarif = place.run(&["scan", "with.jsonl", "--sarif"]).out;
    let sarif: serde_json::Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert!(!sarif["runs"][0]["results"].as_array().unwrap().is_empty());
}

#[test]
fn a_redacted_session_is_written_with_its_report() {
    let place = place();
    let ran = place.run(&["redact", "with.jsonl", "-o", "out/out.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let read = |name: &str| fs::read_to_string(place.path().join(name)).unwrap();
    let (before, after) = (read("with.jsonl"), read("out/out.jsonl"));
    assert!(!after.contains("a7ZkQ2") && after.contains("[REDACTED:"), "{after}");
    assert_eq!(before.lines().count(), after.lines().count());
    let report = read("out/out.jsonl.redaction.json");
    assert!(report.contains("verbatim-redact-1") && !report.contains("a7ZkQ2"));
    assert_eq!(place.run(&["scan", "out/out.jsonl"]).code, 0);
    assert_eq!(place.run(&["check", "out/out.jsonl"]).code, 0);
    // An agent's own file, and an existing one, are never replaced.
    assert_eq!(
        place.run(&["redact", "with.jsonl", "-o", "clean/without.jsonl", "--force"]).code,
        2
    );
    assert_eq!(place.run(&["redact", "with.jsonl", "clean/without.jsonl"]).code, 2);
}

#[test]
fn tags_are_fresh_or_stable() {
    let place = place();
    let run = |args: &[&str]| place.run(&[&["redact", "with.jsonl"][..], args].concat()).out;
    assert_ne!(run(&[]), run(&[]));
    let stable = run(&["--stable-tags"]);
    assert!(stable.contains("[REDACTED:"));
    assert_eq!(stable, run(&["--stable-tags"]));
}

#[test]
fn exports_are_redacted_unless_it_is_typed() {
    let place = place();
    for form in ["html", "markdown", "vac", "stead", "native"] {
        let ran = place.run(&["export", "with.jsonl", "--to", form]);
        assert_eq!(ran.code, 0, "{form}: {}", ran.err);
        assert!(!ran.out.contains("a7ZkQ2") && ran.out.contains("[REDACTED:"), "{form}");
        let ran = place.run(&["export", "with.jsonl", "--to", form, "--unredacted"]);
        assert!(ran.out.contains("a7ZkQ2") && ran.err.contains("NOT redacted"), "{form}");
        let says = ran.out.contains("NOT redacted");
        assert_eq!(says, ["html", "markdown"].contains(&form), "{form}");
    }
}

#[test]
fn the_form_of_an_export_is_that_of_its_name() {
    let place = place();
    let read = |name: &str| fs::read_to_string(place.path().join(name)).unwrap();
    for (name, begin) in [
        ("a.html", "<!DOCTYPE html>"),
        ("b.HTM", "<!DOCTYPE html>"),
        ("c.md", "# "),
        ("d.markdown", "# "),
        ("e.vac.json", "{"),
        ("f.stead.json", "{"),
    ] {
        let ran = place.run(&["export", "with.jsonl", "-o", name]);
        assert_eq!(ran.code, 0, "{name}: {}", ran.err);
        assert!(read(name).starts_with(begin), "{name}");
        assert!(ran.err.contains(&format!("{name} (")) && ran.err.contains("B)"), "{}", ran.err);
    }
    for arguments in [
        &["-o", "x.pdf"][..],
        &["-o", "x.json"],
        &["-o", "x.md", "--to", "html"],
        &["-o", "x.html", "--to", "vac"],
        &["-o", "x.txt", "--to", "markdown"],
    ] {
        let ran = place.run(&[&["export", "with.jsonl"][..], arguments].concat());
        assert_eq!(ran.code, 2, "{arguments:?}");
        assert!(!place.path().join(arguments[1]).exists(), "{arguments:?}");
    }
    let ran = place.run(&["export", "with.jsonl", "-o", "g.json", "--to", "vac"]);
    assert_eq!((ran.code, read("g.json").starts_with('{')), (0, true), "{}", ran.err);
}

#[test]
fn any_text_is_scanned_and_redacted() {
    let place = place();
    let text = format!("note\nhttps://u:{}@h.example/\nend\n", token());
    let ran = place.feed(&["redact", "-"], text.as_bytes());
    assert!(ran.out.starts_with("note\nhttps://u:[REDACTED:") && ran.out.ends_with("/\nend\n"));
    assert_eq!(place.feed(&["scan", "-"], text.as_bytes()).code, 1);
    assert_eq!(place.feed(&["scan", "-"], b"nothing\n").code, 0);
}

#[test]
fn verbatims_own_outputs_are_replaced_and_never_read_as_a_part() {
    let place = place();
    let args = ["redact", "with.jsonl", "-o", "beside.jsonl", "--stable-tags"];
    assert_eq!(place.run(&args).code, 0);
    let first = fs::read_to_string(place.path().join("beside.jsonl")).unwrap();
    // Without `--force` it is refused, with it the same is written again.
    assert_eq!(place.run(&args).code, 2);
    for _ in 0..2 {
        let ran = place.run(&[&args[..], &["--force"]].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(!ran.err.contains("more file"), "{}", ran.err);
    }
    assert_eq!(first, fs::read_to_string(place.path().join("beside.jsonl")).unwrap());
    // Each of the two is read alone, and none of the other's events is in it.
    for (file, has) in [("with.jsonl", true), ("beside.jsonl", false)] {
        let ran = place.run(&["show", file, "--json"]);
        assert_eq!(ran.out.contains("a7ZkQ2"), has, "{file}: {}", ran.out);
        assert_eq!(ran.out.contains("[REDACTED:"), !has, "{file}");
    }
    assert_eq!(place.run(&["scan", "beside.jsonl"]).code, 0);
    // The outputs of the other commands.
    for command in [
        &["convert", "with.jsonl", "--to", "codex", "-o", "out/codex.jsonl"][..],
        &["export", "with.jsonl", "--to", "native", "-o", "out/native.jsonl"],
        &["redact", "with.jsonl", "-o", "out/folder/"],
    ] {
        assert_eq!(place.run(command).code, 0, "{command:?}");
        let ran = place.run(&[command, &["--force"]].concat());
        assert_eq!(ran.code, 0, "{command:?}: {}", ran.err);
    }
    // A file that somebody has changed is theirs.
    let path = place.path().join("beside.jsonl");
    fs::write(&path, format!("{first}{}", first.lines().last().unwrap())).unwrap();
    let ran = place.run(&[&args[..], &["--force"]].concat());
    assert_eq!(ran.code, 2, "{}", ran.err);
}

/// A dump of a database with two sessions.
fn dump() -> String {
    let sample = "crates/formats/src/agents/cursor/samples/older/state.vscdb.dump.jsonl";
    fs::read_to_string(samples::workspace().join(sample)).unwrap()
}

#[test]
fn an_id_names_one_session_of_a_file_and_a_path_all() {
    let place = place();
    put(&place.path().join("db/state.vscdb.dump.jsonl"), &dump());
    let list = place.run(&["list", "db", "--json"]).out;
    let list: serde_json::Value = serde_json::from_str(&list).unwrap();
    let ids = list["sessions"].as_array().unwrap().iter();
    let ids: Vec<String> = ids.map(|session| session["id"].as_str().unwrap().into()).collect();
    assert!(ids.len() > 1, "{list}");
    for command in [&["redact"][..], &["export", "--to", "native"]] {
        for id in &ids {
            let ran = place.run(&[command, &[id, "--in", "db"]].concat());
            assert_eq!(ran.code, 0, "{id}: {}", ran.err);
            put(&place.path().join("one/state.vscdb.dump.jsonl"), &ran.out);
            let one = place.run(&["list", "one", "--json"]).out;
            let one: serde_json::Value = serde_json::from_str(&one).unwrap();
            let names: Vec<&str> = one["sessions"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|s| s["id"].as_str())
                .collect();
            assert_eq!(names, [id], "{command:?}");
            let others = ids.iter().filter(|other| other != &id);
            assert!(others.into_iter().all(|other| !ran.out.contains(&**other)), "{id}");
        }
        let ran = place.run(&[command, &[&*ids[0], "--in", "db", "--whole-file"]].concat());
        assert!(ran.code == 0 && ids.iter().all(|id| ran.out.contains(&**id)), "{}", ran.err);
    }
    let ran = place.run(&["redact", "db/state.vscdb.dump.jsonl"]);
    assert!(ran.code == 0 && ids.iter().all(|id| ran.out.contains(&**id)), "{}", ran.err);
}

#[test]
fn nothing_is_written_if_something_can_not_be() {
    let place = place();
    let there = |name: &str| place.path().join(name).exists();
    put(&place.path().join("x.redaction.json"), "mine");
    put(&place.path().join("report"), "mine");
    for (args, output) in [
        (&["redact", "with.jsonl", "-o", "x"][..], "x"),
        (&["redact", "with.jsonl", "-o", "y", "--report", "report"], "y"),
        (&["redact", "with.jsonl", "-o", "z", "--report", "z"], "z"),
        (&["convert", "with.jsonl", "--to", "codex", "-o", "c", "--ledger", "report"], "c"),
        (&["convert", "with.jsonl", "--to", "codex", "-o", "d", "--ledger", "d"], "d"),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(!there(output), "{args:?}");
    }
    // Two sessions of one id.
    put(
        &place.path().join("again/with.jsonl"),
        &fs::read_to_string(place.path().join("with.jsonl")).unwrap(),
    );
    let both = ["redact", "with.jsonl", "again/with.jsonl", "-o", "both"];
    let ran = place.run(&both);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(fs::read_dir(place.path().join("both")).unwrap().count(), 2);
    assert_eq!(place.run(&[&both[..], &["--force"]].concat()).code, 0);
}

#[test]
fn what_show_and_convert_print_is_counted() {
    let place = place();
    for command in [
        &["show"][..],
        &["show", "--raw"],
        &["show", "--json"],
        &["convert", "--to", "vac"],
        &["convert", "--to", "codex"],
    ] {
        let ran = place.run(&[command, &["with.jsonl"]].concat());
        assert!(ran.out.contains("a7ZkQ2"), "{command:?}");
        let note = "note: 1 credential in it, not left out: `verbatim scan with.jsonl`";
        assert!(ran.err.contains(note), "{command:?}: {}", ran.err);
        let ran = place.run(&[command, &["clean/without.jsonl"]].concat());
        assert!(!ran.err.contains("credential"), "{command:?}: {}", ran.err);
    }
}

#[test]
fn an_export_names_the_session_and_the_classes_of_what_is_gone() {
    let place = place();
    let ran = place.run(&["export", "with.jsonl", "-o", "x.md"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let note = ran.err.lines().find(|line| line.starts_with("note: ")).unwrap_or_default();
    assert!(note.starts_with(&format!("note: claude-code:{ID}, redacted: ")), "{note}");
    // The password of an address, and the name of the folder's user.
    assert!(note.contains("2 values (") && note.contains("user 1"), "{note}");
    let page = fs::read_to_string(place.path().join("x.md")).unwrap();
    assert!(page.contains("2 values were replaced"), "the page tells the same number: {page}");
    let ran = place.run(&["export", "with.jsonl", "-o", "y.md", "--unredacted"]);
    assert!(ran.err.contains(&format!("note: claude-code:{ID}, NOT redacted")), "{}", ran.err);
}
