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
        ("a.html", "<!doctype html>"),
        ("b.HTM", "<!doctype html>"),
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
