//! Documents that are validated and restored: of agents that no schema lists, of other programs,
//! with embedded bytes.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

mod common;
use common::{ID, Place, put, talk};

fn sample(name: &str) -> String {
    let path = samples::of_format(name);
    path.to_string_lossy().into_owned()
}

#[test]
fn a_stead_document_of_an_agent_that_its_schema_does_not_list_is_valid_by_our_extension() {
    let place = Place::new();
    let session = sample("opencode/samples/export/export-2.json");
    let made = place.run(&["convert", &session, "--to", "stead", "-o", "s.json"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let judged = place.run(&["validate", "s.json"]);
    assert_eq!(judged.code, 0, "{}", judged.out);
    let said = "valid by verbatim's extension of stead 0.1.0: schema 0.1.0 does not list agent \
                opencode";
    assert!(judged.out.contains(said), "{}", judged.out);
    let json: Value =
        serde_json::from_str(&place.run(&["validate", "--json", "s.json"]).out).unwrap();
    assert_eq!(json["files"][0]["valid"], true);
    assert!(json["files"][0]["what"].as_str().unwrap().contains(said));
    for strict in ["--schema-strict", "--draft"] {
        let judged = place.run(&["validate", strict, "s.json"]);
        assert_eq!(judged.code, 1, "{strict}");
        assert!(judged.out.contains("$.source.backend"), "{}", judged.out);
    }
    // First an agent that the published schema does not list, then one that it lists.
    let text = std::fs::read_to_string(place.path().join("s.json")).unwrap();
    let other = text.replacen("\"backend\":\"opencode\"", "\"backend\":\"nobody\"", 1);
    assert_ne!(other, text);
    put(&place.path().join("other.json"), &other);
    assert_eq!(place.run(&["validate", "other.json"]).code, 1);
    put(&place.path().join(format!("in/{ID}.jsonl")), &talk(ID, "Paint", "2026-03-01T10:0"));
    place.run(&["convert", "in", "--to", "stead", "-o", "own.json"]);
    let judged = place.run(&["validate", "own.json", "--schema-strict"]);
    assert_eq!((judged.code, judged.out.contains("extension")), (0, false), "{}", judged.out);
}

/// All JSON files below a folder.
fn documents(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let files = files.into_iter().filter(|path| path.extension() == Some("json".as_ref()));
    files.chain(folders.iter().flat_map(|folder| documents(folder))).collect()
}

#[test]
fn a_stead_document_comes_back_byte_for_byte_from_a_record_with_its_bytes() {
    let place = Place::new();
    let mut count = 0;
    for path in documents(&samples::workspace().join("crates/formats/src/documents/stead/samples"))
    {
        count += 1;
        let path = path.to_string_lossy().into_owned();
        for record in ["r.json", "r.cbor"] {
            let made = place.run(&[
                "convert",
                &path,
                "--to",
                "vac",
                "--embed",
                "-o",
                &format!("{count}{record}"),
            ]);
            assert_eq!(made.code, 0, "{path}: {}", made.err);
            let record = format!("{count}{record}");
            assert_eq!(place.run(&["validate", &record]).code, 0, "{path}");
            let back = place.run(&["convert", &record, "--to", "stead"]);
            assert_eq!(back.code, 0, "{path}: {}", back.err);
            assert!(back.out == std::fs::read_to_string(&path).unwrap(), "{path}, {record}");
        }
    }
    assert!(count > 5, "{count} samples");
}

/// A record of another program, which does not name its source.
const FOREIGN: &str = r#"{"version":"3.0.0-draft","id":"r-1","session":{"session-id":"s-1",
"agent-meta":{"model-id":"m-1","model-provider":"p"},"entries":[
{"type":"user","timestamp":"2026-03-01T10:00:00Z","content":"Paint the door."},
{"type":"assistant","timestamp":"2026-03-01T10:00:05Z","content":"Painted."}]}}"#;

#[test]
fn a_record_of_another_program_is_a_session_of_its_own() {
    let place = Place::new();
    put(&place.path().join("foreign.json"), FOREIGN);
    assert_eq!(place.run(&["validate", "foreign.json"]).code, 0);
    let made = place.run(&["convert", "foreign.json", "--to", "stead", "-o", "s.json"]);
    assert_eq!(made.code, 0, "{}", made.err);
    let judged = place.run(&["validate", "s.json"]);
    assert_eq!(judged.code, 0, "{}", judged.out);
    let shown = place.run(&["show", "s.json"]);
    assert!(shown.out.contains("Paint the door."), "{}", shown.out);
    let told = place.run(&["attribution", "foreign.json"]);
    assert_eq!(told.code, 0, "{}", told.err);
    // The stead document restores the record from which it was made.
    let back = place.run(&["convert", "s.json", "--to", "vac"]);
    assert_eq!((back.code, back.out.as_str()), (0, FOREIGN), "{}", back.err);
    // The record has no files of an agent: its own entries are carried on.
    for to in ["codex", "claude-code", "gemini", "opencode", "codewhale", "sage"] {
        let carried = place.run(&["convert", "foreign.json", "--to", to]);
        assert_eq!(carried.code, 0, "{}", carried.err);
        let both = carried.out.contains("Paint the door.") && carried.out.contains("Painted.");
        assert!(both, "{to}: {}", carried.out);
    }
    // Cursor has several files, with a database among them.
    let carried = place.run(&["convert", "foreign.json", "--to", "cursor", "-o", "made/"]);
    assert_eq!(carried.code, 0, "{}", carried.err);
    assert!(carried.err.contains("/store.db ("), "{}", carried.err);
    let shown = place.run(&["show", "made"]);
    let both = shown.out.contains("Paint the door.") && shown.out.contains("Painted.");
    assert!(both, "{} {}", shown.out, shown.err);
}

/// The record is converted without loss. One warning names its fault, and only if the record breaks
/// its schema.
#[test]
fn a_record_of_another_program_that_is_not_valid_is_converted_with_a_warning() {
    let place = Place::new();
    let wrong = FOREIGN.replace(r#""type":"assistant""#, r#""type":"verdict""#);
    put(&place.path().join("foreign.json"), FOREIGN);
    put(&place.path().join("wrong.json"), &wrong);
    assert_eq!(place.run(&["validate", "wrong.json"]).code, 1);
    for to in ["stead", "vac"] {
        let valid = place.run(&["convert", "foreign.json", "--to", to]);
        assert!(!valid.err.contains("not valid"), "{}", valid.err);
        let made = place.run(&["convert", "wrong.json", "--to", to]);
        assert_eq!(made.code, 0, "{}", made.err);
        assert!(made.out.contains("Painted."), "{}", made.out);
        // Writing a record in its own format converts nothing, so there is no warning.
        let warnings = made.err.matches("verbatim validate wrong.json").count();
        assert_eq!(warnings, usize::from(to == "stead"), "{}", made.err);
    }
    // A document that is made from the faulty record restores it, and is valid itself.
    place.run(&["convert", "wrong.json", "--to", "stead", "-o", "s.json"]);
    let back = place.run(&["convert", "s.json", "--to", "vac"]);
    assert_eq!((back.code, &*back.out), (0, &*wrong), "{}", back.err);
    assert!(!back.err.contains("not valid"), "{}", back.err);
}

/// The same for a stead document, here of an agent that no schema lists.
#[test]
fn a_stead_document_of_another_program_that_is_not_valid_is_converted_with_a_warning() {
    let place = Place::new();
    let document = std::fs::read_to_string(sample("stead/samples/foreign/reindex-shop.json"));
    let wrong = document.unwrap().replace("\"backend\": \"codex\"", "\"backend\": \"quill\"");
    put(&place.path().join("wrong.json"), &wrong);
    let judged = place.run(&["validate", "wrong.json"]);
    assert_eq!(judged.code, 1, "{}", judged.out);
    let made = place.run(&["convert", "wrong.json", "--to", "vac"]);
    assert_eq!(made.code, 0, "{}", made.err);
    assert_eq!(made.err.matches("`verbatim validate wrong.json`").count(), 1, "{}", made.err);
}

#[test]
fn validate_unpacks_what_is_compressed() {
    let place = Place::new();
    let folder = "codex/samples/compressed/archived_sessions";
    let name = "rollout-2026-09-28T17-45-00-019e5300-0000-7000-8000-000000000050.jsonl.zst";
    let file = sample(&format!("{folder}/{name}"));
    let judged = place.run(&["validate", &file]);
    assert_eq!(judged.code, 0, "{}", judged.out);
    assert!(judged.out.contains("a session of codex"), "{}", judged.out);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.truncate(bytes.len() - 5);
    std::fs::write(place.path().join(name), bytes).unwrap();
    let judged = place.run(&["validate", name]);
    assert_eq!((judged.code, judged.err.contains(name)), (3, true), "{}", judged.err);
}

/// A prompt may have words before and behind its picture.
#[test]
fn a_picture_between_words_is_one_prompt_in_each_agent() {
    let place = Place::new();
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWj\
               R9awAAAABJRU5ErkJggg==";
    let picture = format!(
        r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{png}"}}}}"#
    );
    let line = |at: u8, role: &str, parent: &str, content: &str| {
        format!(
            concat!(
                r#"{{"type":"{role}","uuid":"u{at}","parentUuid":{parent},"cwd":"/w","#,
                r#""sessionId":"33333333-2a0b-4a55-8f3e-0d7a4b1c9e11","#,
                r#""timestamp":"2026-03-01T10:00:0{at}.000Z","#,
                r#""message":{{"role":"{role}","content":[{content}]}}}}"#,
                "\n"
            ),
            role = role,
            at = at,
            parent = parent,
            content = content,
        )
    };
    let text = |said: &str| format!(r#"{{"type":"text","text":"{said}"}}"#);
    let asked = [text("Is "), picture.clone(), text("the pump,"), picture, text("or this?")];
    let session = line(1, "user", "null", &asked.join(","))
        + &line(2, "assistant", "\"u1\"", &text("The second."));
    put(&place.path().join("33333333-2a0b-4a55-8f3e-0d7a4b1c9e11.jsonl"), &session);
    for agent in ["cursor", "codex", "gemini", "opencode"] {
        let file = "33333333-2a0b-4a55-8f3e-0d7a4b1c9e11.jsonl";
        let ran = place.run(&["convert", file, "--to", agent, "--prove", "-o", agent]);
        assert_eq!(ran.code, 0, "{agent}: {}{}", ran.out, ran.err);
    }
}
