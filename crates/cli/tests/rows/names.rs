//! Names of files and folders, in rows.

use std::fs;
use std::path::Path;

use super::common::{ID, Place, put, talk};
use super::rows;

/// A value that only the name of a file shows is redacted there too, and in the stream of a
/// sub-agent.
#[test]
fn a_value_in_the_name_of_a_file_is_in_no_row() {
    let place = Place::new();
    let token = ["ghp", "_4kT9wLm2Qx7ZbR5vYn8CpD1sHf6JgA3eUoXw"].concat();
    let text = talk(ID, "paint the doors", "2026-03-01T10:0");
    put(&place.path().join(format!("x/{token}.jsonl")), &text);
    let sub = text.replace("\"isSidechain\":false", "\"isSidechain\":true");
    put(&place.path().join(format!("y/{ID}.jsonl")), &text);
    put(&place.path().join(format!("y/{ID}/subagents/agent-{token}.jsonl")), &sub);
    for folder in ["x", "y"] {
        let ran = place.run(&["rows", folder]);
        assert!(ran.code == 0 && ran.out.contains("redacted-AAAAAAAAAA"), "{}", ran.out);
        assert!(!ran.out.contains(&token) && !ran.err.contains(&token), "{}", ran.out);
        assert!(place.run(&["rows", "--unredacted", folder]).out.contains(&token));
        // What is exported and redacted does not show it either, nor do the names of the files.
        let source = match folder {
            "x" => format!("x/{token}.jsonl"),
            _ => format!("y/{ID}.jsonl"),
        };
        for (args, out) in [(&["export"][..], "page.html"), (&["redact"][..], "clean")] {
            let out = format!("{folder}-{out}");
            let ran = place.run(&[args, &[&source, "-o", &out]].concat());
            assert_eq!(ran.code, 0, "{}", ran.err);
            for written in all_below(&place.path().join(&out)) {
                assert!(!written.contains(&token), "{args:?}: {written}");
            }
        }
    }
}

/// Two homes of an agent hold two sessions, also below a folder that is named as the agent's own.
#[test]
fn sessions_of_two_homes_stay_apart_below_any_folder() {
    for above in ["work", "projects", "tmp/projects"] {
        let place = Place::new();
        for (home, prompt) in [("a", "paint the doors"), ("b", "oil the hinges")] {
            let text = talk(ID, prompt, "2026-03-01T10:0");
            put(
                &place.path().join(format!("{above}/{home}/.claude/projects/-x/{ID}.jsonl")),
                &text,
            );
        }
        let found = rows(&place, &["--table", "sessions", above]);
        let prompts: Vec<&str> = found.iter().map(|row| row["prompt"].as_str().unwrap()).collect();
        assert_eq!(prompts, ["paint the doors", "oil the hinges"], "{above}");
    }
}

/// The names and the contents of all files at a path.
fn all_below(path: &Path) -> Vec<String> {
    if path.is_dir() {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
        return entries.flat_map(|entry| all_below(&entry)).collect();
    }
    vec![path.display().to_string(), fs::read_to_string(path).unwrap()]
}
