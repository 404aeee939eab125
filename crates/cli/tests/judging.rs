//! Input of `validate`, and its agreement with `check` about each file.
#![allow(clippy::unwrap_used)]

mod common;
use common::{ID, Place, put, ran, talk};

#[test]
fn a_folder_is_judged_file_by_file() {
    let place = Place::with_sessions();
    let ran = place.run(&["validate", "home/.claude"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(ran.out.matches("valid    ").count(), 3, "{}", ran.out);
    assert!(ran.out.contains("agent-a1.jsonl") && ran.out.contains(ID), "{}", ran.out);
    put(&place.path().join("none/notes.txt"), "nothing");
    let ran = place.run(&["validate", "none"]);
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("none: it holds no session"), "{}", ran.err);
}

/// The parent folders of a file identify its format, even if the given path does not contain them.
#[test]
fn a_name_from_within_a_folder_is_the_same_file() {
    let place = Place::new();
    let session = (".sage/projects/-srv-app-", "conversation.jsonl");
    let damaged = format!("{ID}.jsonl");
    for (folder, file, text, format) in [
        (
            session.0,
            session.1,
            "{\"role\":\"user\",\"content\":\"x\",\"weird\":1}\n{\"role\":\"assis",
            "sage",
        ),
        (".claude/projects/-srv-app", &*damaged, "\u{0}\u{0}{\"ty", "claude-code"),
    ] {
        let path = place.path().join(folder);
        put(&path.join(file), text);
        let within = |args: &[&str]| ran(place.command(args).current_dir(&path).output().unwrap());
        let checked = within(&["check", file, "--json"]);
        assert!(checked.out.contains(&format!("\"format\": \"{format}\"")), "{}", checked.out);
        for name in [file, &path.join(file).to_string_lossy()] {
            let judged = within(&["validate", name]);
            assert!(judged.out.contains(&format!("session of {format}")), "{}", judged.out);
        }
    }
}

/// Files of another agent are reported as such by both commands.
#[test]
fn another_agents_file_is_named_by_both() {
    let place = Place::new();
    let line = format!(
        "{{\"uuid\":\"a\",\"parentUuid\":null,\"sessionId\":\"session-{ID}\",\
         \"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"hi\"}}}}"
    );
    put(&place.path().join("a.jsonl"), &format!("{line}\n"));
    for command in ["check", "validate"] {
        let ran = place.run(&[command, "a.jsonl"]);
        assert!(ran.out.contains("iFlow CLI"), "{command}: {}{}", ran.out, ran.err);
    }
}

/// A document beyond the validator's limits is not called invalid. A rule that does not exist is an
/// error on the command line.
#[test]
fn an_undecided_document_is_not_called_invalid() {
    let place = Place::new();
    let depth = 1_000_001;
    let deep = format!("{{\"version\":\"3\",\"id\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    put(&place.path().join("deep.json"), &deep);
    let ran = place.run(&["validate", "--as", "vac", "deep.json"]);
    assert_eq!((ran.code, ran.out.starts_with("UNKNOWN  deep.json")), (1, true), "{}", ran.out);
    assert!(ran.out.contains("nested deeper than the limit"), "{}", ran.out);
    let ran = place.run(&["validate", "--rule", "nosuch", "deep.json"]);
    assert_eq!(ran.code, 2, "{}", ran.out);
    assert!(ran.err.contains("no rule `nosuch`") && ran.err.contains("receipt"), "{}", ran.err);
}

/// A file is validated as the named format only if it contains a name of that format. Other JSON is
/// invalid.
#[test]
fn a_file_without_a_name_of_the_agent_is_not_valid() {
    let place = Place::with_sessions();
    put(&place.path().join("foo.json"), r#"{"foo":1}"#);
    put(&place.path().join("empty.jsonl"), "");
    for agent in ["claude-code", "codex", "gemini", "opencode", "cursor", "codewhale", "sage"] {
        for file in ["foo.json", "empty.jsonl"] {
            let ran = place.run(&["validate", "--as", agent, file]);
            assert_eq!(ran.code, 1, "{agent} {file}: {}{}", ran.out, ran.err);
        }
    }
    for args in [&["validate", "--as", "nope", "foo.json"][..], &["convert", ID, "--to", "nope"]] {
        let ran = place.run(args);
        assert_eq!(ran.code, 2, "{args:?}: {}", ran.err);
        assert!(ran.err.contains("the formats are: "), "{}", ran.err);
    }
}

#[test]
fn a_text_of_another_encoding_is_no_cbor() {
    let place = Place::new();
    let text = r#"{"version":"3.0.0-draft","id":"r"}"#;
    let bytes: Vec<u8> =
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    std::fs::write(place.path().join("wide.json"), bytes).unwrap();
    let ran = place.run(&["validate", "wide.json"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.out.contains("unrecognized") && !ran.out.contains("CBOR"), "{}", ran.out);
}

/// Standard input is judged as a file of the same bytes.
#[test]
fn standard_input_may_be_a_session() {
    let place = Place::new();
    let text = talk(ID, "Paint", "2026-03-01T10:0");
    let ran = place.feed(&["validate", "-"], text.as_bytes());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("a session of claude-code"), "{}", ran.out);
}
