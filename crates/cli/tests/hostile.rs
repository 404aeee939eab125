//! Text from sessions has no effect on a terminal, in the output of every command.
#![allow(clippy::unwrap_used)]

mod common;
use common::{ID, Place, put, talk};

/// Characters that act on a terminal, or deceive its reader.
fn acts(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'
            | '\u{e0000}'..='\u{e007f}')
}

#[test]
fn every_payload_is_shown_and_not_obeyed() {
    let Some(path) = samples::shared("vectors/hostile/terminal.jsonl") else { return };
    let payloads = std::fs::read_to_string(path).unwrap();
    let place = Place::new();
    let file = format!("{ID}.jsonl");
    let mut seen = 0;
    for payload in payloads.lines() {
        let value: serde_json::Value = serde_json::from_str(payload).unwrap();
        let text = value["message"]["content"].to_string();
        let text = talk(ID, &text[1..text.len() - 1], "2026-03-01T10:0");
        put(&place.path().join(&file), &text);
        for args in [
            &["show", &file, "--all"][..],
            &["show", &file, "--json"],
            &["list", "."],
            &["search", "before", "-C", "."],
            &["list", ".", "--json"],
            &["check", "."],
        ] {
            let ran = place.run(args);
            assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
            let found = ran.out.chars().chain(ran.err.chars()).find(|c| acts(*c));
            assert_eq!(found, None, "{} in {args:?}", value["case"]);
            // The only tabs are those between the values of a list.
            let tabs = match args[0] {
                "list" | "search" if !args.contains(&"--json") => 5,
                _ => 0,
            };
            let most = ran.out.lines().map(|line| line.matches('\t').count()).max();
            assert!(most.unwrap_or(0) <= tabs, "{} in {args:?}", value["case"]);
            let marks = ran.out.chars().filter(|c| matches!(c, '\u{301}' | '\u{fe0f}')).count();
            assert!(args.contains(&"--json") || marks < 20, "{} in {args:?}", value["case"]);
        }
        let shown = place.run(&["show", &file]).out;
        assert!(shown.contains("before") && shown.contains("after"), "{shown}");
        seen += 1;
    }
    assert!(seen > 30);
}

#[test]
fn hostile_names_reach_no_terminal_and_no_path() {
    let place = Place::new();
    let name = "x\u{1b}[2J\u{202e}y.jsonl";
    put(&place.path().join("in").join(name), &talk("../../etc/passwd", "x", "2026-03-01T10:0"));
    for args in [&["list", "in"][..], &["check", "in"], &["list", "in", "--json"]] {
        let ran = place.run(args);
        assert!(!ran.out.chars().chain(ran.err.chars()).any(acts), "{args:?}: {}", ran.out);
    }
    let ran = place.run(&["convert", "in", "--to", "claude-code", "-o", "out/file.jsonl"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = place.run(&["show", "no\u{1b}]0;such\u{7}"]);
    assert!(!ran.err.chars().any(acts), "{}", ran.err);
}

#[test]
fn values_of_a_million_levels_end_no_command() {
    let place = Place::new();
    let file = place.path().join("in/deep.json");
    let levels = 1_000_000;
    for text in [
        "[".repeat(levels) + &"]".repeat(levels),
        "[".repeat(levels),
        "{\"a\":".repeat(levels) + "1" + &"}".repeat(levels),
        "[{\"role\":".repeat(levels),
    ] {
        put(&file, &text);
        for args in [
            &["list", "in"][..],
            &["check", "in"],
            &["scan", "in"],
            &["usage", "in"],
            &["search", "word", "-C", "in"],
            &["show", "in/deep.json"],
            &["validate", "in/deep.json"],
            &["verify", "in/deep.json"],
            &["sign", "in/deep.json"],
            &["convert", "in/deep.json", "--to", "vac", "-o", "out.json"],
            &["redact", "in/deep.json", "-o", "out.json"],
            &["export", "in/deep.json", "-o", "out.html"],
        ] {
            let ran = place.run(args);
            assert!(matches!(ran.code, 0..=4), "{args:?} {}: {}", ran.code, ran.err);
        }
    }
}
