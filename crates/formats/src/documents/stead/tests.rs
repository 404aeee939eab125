//! Properties of stead documents beyond the laws: the form of verbatim's documents, and restoring
//! from another program's.

use std::path::PathBuf;

use serde_json::Value;
use session::{Kind, Session};

use super::{NAME, Stead, restore, write_document};
use crate::all::ALL;
use crate::format::Format;
use crate::testing;
use crate::written::Options;

fn document(session: &Session, options: &Options) -> Vec<u8> {
    let mut document = Vec::new();
    write_document(session, options, &mut document).expect("memory takes it");
    document
}

/// The sessions of one sample folder of a format.
fn sessions(format: &str, sample: &str) -> Vec<Session> {
    let format = crate::all::by_name(format).expect("a format");
    let folder = format.name().replace('-', "_");
    let opened = testing::open(format, &testing::samples(&folder, sample));
    opened.sessions.into_values().flatten().collect()
}

fn of(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

/// The documents in `samples/ours` are those written from these samples; `UPDATE=1` regenerates
/// them.
#[test]
fn our_documents_are_as_they_were() {
    let folder: PathBuf = testing::samples(NAME, "ours");
    let pretty = Options { pretty: true, ..Options::default() };
    for (format, sample) in [
        ("claude-code", "forks"),
        ("claude-code", "split"),
        ("codex", "legacy"),
        ("gemini", "copies"),
    ] {
        for session in sessions(format, sample) {
            let written = Stead.write_with(&session, &pretty).expect("written");
            let (name, bytes) = &written.files[0];
            let path = folder.join(name);
            if std::env::var_os("UPDATE").is_some() {
                std::fs::create_dir_all(&folder).expect("a folder");
                std::fs::write(&path, &**bytes).expect("written");
            }
            let kept = std::fs::read(&path).unwrap_or_default();
            assert!(*kept == **bytes, "{}: UPDATE=1 renews it", path.display());
        }
    }
}

/// A reference leads to the value that the event was made of.
#[test]
fn references_lead_to_the_native_value() {
    let mut followed = 0;
    for format in ALL.iter().filter(|format| format.name() != NAME) {
        for session in sessions(format.name(), "") {
            let document = of(&document(&session, &Options::default()));
            let events = document["events"].as_array().expect("events");
            for event in events {
                let Some(at) = event["raw_vendor_payload"]["$ref"].as_str() else { continue };
                let pointer = percent_decoded(at.strip_prefix('#').expect("a fragment"));
                assert!(document.pointer(&pointer).is_some(), "{}: {at}", session.uid());
                followed += 1;
            }
        }
    }
    assert!(followed > 100, "{followed}");
}

fn percent_decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        match first {
            b'%' => {
                let digits = std::str::from_utf8(&tail[..2]).expect("digits");
                bytes.push(u8::from_str_radix(digits, 16).expect("hexadecimal"));
                rest = &tail[2..];
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

/// A line of many blocks costs linear time and space: no record is repeated for each of its parts.
#[test]
fn cost_is_linear_in_the_blocks_of_a_line() {
    let length = |blocks: usize| {
        let session = blocks_in_a_line(blocks);
        assert_eq!(session.len(), blocks + 1);
        document(&session, &Options::default()).len()
    };
    let (some, many) = (length(400), length(4000));
    assert!(many < some * 11, "{some} bytes for 400 blocks, {many} for 4000");
}

fn blocks_in_a_line(blocks: usize) -> Session {
    let block = |at: usize| {
        format!(r#"{{"type":"tool_use","id":"t{at}","name":"Read","input":{{"path":"/f{at}"}}}}"#)
    };
    let blocks: Vec<String> = (0..blocks).map(block).collect();
    let line = format!(
        concat!(
            r#"{{"type":"assistant","uuid":"u","sessionId":"s","#,
            r#""timestamp":"2026-01-01T00:00:00Z","message":"#,
            r#"{{"role":"assistant","content":[{}]}}}}"#
        ),
        blocks.join(",")
    );
    testing::text(crate::all::by_name("claude-code").expect("a format"), "s.jsonl", &line)
}

/// Values that JSON readers fail on are cleaned, or stored as text. The lines have them unchanged.
#[test]
fn hostile_records_make_documents_that_can_be_read() {
    let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
    let lines = [
        concat!(
            r#"{"type":"user","type":"user","uuid":"a","sessionId":"s","#,
            r#""timestamp":"2026-01-01T00:00:00Z","#,
            r#""message":{"role":"user","content":"half \ud83d"}}"#
        )
        .to_owned(),
        format!(r#"{{"type":"system","uuid":"b","sessionId":"s","data":{deep}}}"#),
        "no JSON \u{1f}\0 at all".to_owned(),
    ];
    let text = lines.join("\n");
    let session =
        testing::text(crate::all::by_name("claude-code").expect("a format"), "s.jsonl", &text);
    let written = document(&session, &Options::default());
    let read = of(&written);
    let events = read["events"].as_array().expect("events");
    assert_eq!(events.len(), 3);
    assert_eq!(events[0]["payload"]["text"], "half \u{fffd}");
    assert!(events[1]["raw_vendor_payload"].as_str().expect("text").contains(&deep));
    let restored = restore(&written).expect("it has lines");
    assert_eq!(restored.bundle.bytes(0), text.as_bytes());
}

/// The clock is never read: a time is given, or it is the session's own.
#[test]
fn the_time_of_writing_is_an_argument() {
    let session = &sessions("codex", "legacy")[0];
    let derived = of(&document(session, &Options::default()));
    assert_eq!(derived["source"]["imported_at"], derived["metadata"]["updated_at"]);
    let at = Some(session::UtcTime(1_790_000_000_000_000));
    let told = of(&document(session, &Options { at, ..Options::default() }));
    assert_eq!(told["source"]["imported_at"], "2026-09-21T14:13:20Z");
    assert_eq!(told["events"], derived["events"]);
}

#[test]
fn a_strict_writer_refuses_what_the_schema_does_not_know() {
    let strict = Options { strict: true, ..Options::default() };
    for format in ALL.iter().filter(|format| format.name() != NAME) {
        for session in sessions(format.name(), "") {
            let written = Stead.write_with(&session, &strict);
            assert_eq!(written.is_ok(), format.data().stead_backend.is_some(), "{}", session.uid());
        }
    }
}

/// A call and its result are joined in the document, even if the agent gave no id.
#[test]
fn calls_and_results_are_joined() {
    let mut joined = 0;
    for format in ALL.iter().filter(|format| format.name() != NAME) {
        for session in sessions(format.name(), "") {
            let document = of(&document(&session, &Options::default()));
            let events = document["events"].as_array().expect("events");
            let ids = |kind: &str| -> Vec<&str> {
                let of_kind = events.iter().filter(|event| event["kind"] == kind);
                of_kind.map(|event| event["payload"]["call_id"].as_str().expect("an id")).collect()
            };
            let (calls, results) = (ids("tool_call"), ids("tool_result"));
            assert!(calls.iter().all(|id| !id.is_empty()), "{}", session.uid());
            joined += results.iter().filter(|id| calls.contains(id)).count();
        }
    }
    assert!(joined > 20, "{joined}");
}

/// Another program's document is read as a session, and the native file is restored from it.
#[test]
fn another_programs_document_gives_back_its_session() {
    let path = testing::samples(NAME, "foreign").join("reindex-shop.json");
    let bytes = std::fs::read_to_string(path).expect("the sample");
    let read = testing::text(&Stead, "reindex-shop.json", &bytes);
    assert_eq!(read.id, "codex:7d0c5a52-8f0e-4b0a-9f35-5b2f1f6f0c11");
    let kinds: Vec<Kind> = read.top().map(|event| event.kind).collect();
    let expected = [Kind::Notice, Kind::Notice, Kind::User, Kind::ToolCall, Kind::ToolResult];
    assert_eq!(kinds[..5], expected);

    let whole = restore(bytes.as_bytes()).expect("it has lines");
    let without: String =
        bytes.split_inclusive('\n').map(|line| line.replace("\"lines\"", "\"l\"")).collect();
    let from_events = restore(without.as_bytes()).expect("its events have records");
    for restored in [whole, from_events] {
        assert_eq!(restored.format, "codex");
        assert!(!restored.exact);
        let format = crate::all::by_name(&restored.format).expect("a format");
        let native = testing::read(format, restored.bundle.members.clone()).remove(0);
        assert_eq!(native.id, "7d0c5a52-8f0e-4b0a-9f35-5b2f1f6f0c11");
        let again = of(&document(&native, &Options::default()));
        let events = again["events"].as_array().expect("events");
        let kinds: Vec<&str> = events.iter().filter_map(|e| e["kind"].as_str()).collect();
        let expected = [
            "session_marker",
            "message_user",
            "tool_call",
            "tool_result",
            "system_progress",
            "message_assistant",
        ];
        assert_eq!(kinds, expected);
        assert_eq!(events[2]["payload"]["call_id"], events[3]["payload"]["call_id"]);
    }
}

#[test]
fn what_is_no_document_is_refused() {
    for text in [
        "",
        "{}",
        "[1]",
        "{\"schema_version\":\"0.1.0\"}",
        "{\"session_uid\":\"x\",\"schema_version\":1}",
    ] {
        assert!(restore(text.as_bytes()).is_err(), "{text}");
    }
}
