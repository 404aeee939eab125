//! Properties of the format: on its samples, on values made for the purpose and on real files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use meaning::usage::{self, Counting};
use session::{Bundle, Member, Session, Slot, Stream, Transport, proof};

use super::OpenCode;
use crate::claim::Claim;
use crate::format::Format;
use crate::testing::{self, Folder};
use crate::written::Options;

/// One or several values as a member of this name.
fn read(name: &str, bytes: impl Into<Vec<u8>>) -> Vec<Session> {
    let member = Member::new(name, Stream::Main, bytes.into()).expect("a member");
    let sessions = OpenCode.read(Arc::new(Bundle::of(member)));
    assert_eq!(proof::check(&sessions, 4), [], "{name}");
    sessions
}

fn folder(name: &str) -> Folder {
    testing::open(&OpenCode, &testing::samples("opencode", name))
}

fn sample(name: &str) -> Vec<Session> {
    read(name, std::fs::read(testing::samples("opencode", name)).expect("a sample"))
}

/// A session's events, in order: name, kind, standing.
fn told(session: &Session) -> Vec<String> {
    let line = |event: session::EventRef<'_>| {
        let injected = if event.injected.is_some() { " injected" } else { "" };
        format!("{} {:?} {}{injected}", event.case.name, event.kind, event.standing().word())
    };
    session.top().map(line).collect()
}

#[test]
fn samples_are_read_whole() {
    let Folder { sessions, skipped } = folder("");
    let mut known = BTreeSet::new();
    for (group, sessions) in &sessions {
        assert_eq!(testing::drift(sessions), BTreeMap::new(), "{group}");
        for event in sessions.iter().flat_map(Session::events) {
            let fields = event.fields().iter().filter(|field| field.known);
            known.extend(fields.map(|field| event.name(*field).to_vec()));
        }
    }
    let tables = super::map::ALL.iter();
    let rows =
        tables.flat_map(|(table, map)| map.rows.iter().map(move |named| (table, named.text)));
    let dead: Vec<_> = rows.filter(|(_, name)| !known.contains(name.as_bytes())).collect();
    assert_eq!(dead, []);
    let project = "tree/storage/project/4b0c9d13f7a28e5560b19c4dd2a7e8f1035c6be1.json";
    let no_session = skipped.iter().filter(|(_, claim)| matches!(claim, Claim::NoSession(_)));
    let names = no_session.map(|(name, _)| name.as_str());
    let names: Vec<_> = names.filter(|name| !name.ends_with(".sql")).collect();
    assert_eq!(names, ["tree/storage/migration", project]);
}

#[test]
fn a_tree_is_in_order_and_what_was_taken_back_is_marked() {
    let groups = folder("tree").sessions;
    let sessions = &groups["ses_f3baf9384ffeQm3kT9xWc2LpZa"];
    assert_eq!(sessions.len(), 1);
    let told = told(&sessions[0]);
    assert_eq!(told[..3], ["session Notice live", "message User live", "text User live"]);
    assert_eq!(told[3], "text User live injected");
    assert_eq!(told[7], "message Assistant live");
    assert_eq!(told[8], "step-start Notice live");
    let rewound: Vec<_> = told.iter().filter(|line| line.contains("rewound")).collect();
    assert_eq!(rewound, ["message User rewound", "text User rewound", "message Assistant rewound"]);
    let results = told.iter().filter(|line| line.starts_with("result")).count();
    let calls = told.iter().filter(|line| line.starts_with("tool")).count();
    assert_eq!((calls, results), (6, 4));
    let turns = meaning::turn::turns(&sessions[0]);
    assert_eq!(turns.iter().filter(|turn| turn.prompt.is_some()).count(), 1);
}

#[test]
fn a_part_that_names_nothing_is_its_folders() {
    let groups = folder("tree").sessions;
    let sessions = &groups["ses_f3baf8a01ffeSubQ2wE4rT6yU8i"];
    assert_eq!(sessions.len(), 1);
    assert_eq!(told(&sessions[0]), ["session Notice live", "message User live", "text User live"]);
}

/// The calls of a session and the outcomes of their answers.
fn answered(session: &Session) -> Vec<String> {
    let text =
        |event: session::EventRef<'_>, slot| event.text(slot).unwrap_or_default().into_owned();
    let results = session.events().filter(|event| event.case.name == "result");
    let line = |event| format!("{} {}", text(event, Slot::Call), text(event, Slot::IsError));
    results.map(line).collect()
}

#[test]
fn a_tool_within_its_message_has_the_id_of_its_call() {
    let groups = folder("first").sessions;
    let sessions = &groups["ses_7a44c1d90ffeKt5hNw2RzQ8vYx"];
    assert_eq!(sessions.len(), 1);
    assert_eq!(answered(&sessions[0]), ["toolu_31 ", "toolu_32 true"]);
    let calls = sessions[0].events().filter(|event| event.kind == session::Kind::ToolCall);
    let calls: Vec<_> = calls.filter_map(|event| event.text(Slot::Call)).collect();
    assert_eq!(calls, ["toolu_31", "toolu_32", "toolu_33"]);
    let told = told(&sessions[0]);
    assert!(told.iter().any(|line| line.starts_with("share")), "{told:?}");
    let rewound: Vec<_> = told.iter().filter(|line| line.contains("rewound")).collect();
    assert_eq!(rewound, ["message User rewound", "text User rewound"]);
}

#[test]
fn a_header_in_the_older_table_is_that_of_the_newer_messages() {
    let sessions = sample("database/opencode-beta.db.dump.jsonl");
    assert_eq!(sessions.len(), 1);
    let told = told(&sessions[0]);
    assert_eq!(
        told[..9],
        [
            "session Notice live",
            "message User compacted",
            "message Assistant compacted",
            "context User compacted injected",
            "notice Notice compacted injected",
            "compaction Notice live injected",
            "message User live",
            "message Assistant live",
            "message User rewound",
        ]
    );
    // A command that failed is not a success, though the call completed.
    assert_eq!(answered(&sessions[0]), ["toolu_41 true", "toolu_42 "]);
}

#[test]
fn a_dump_keeps_its_order_and_parts_find_their_message() {
    let sessions = sample("dump/storage.jsonl");
    let ids: Vec<_> = sessions.iter().map(|session| (&*session.id, session.len())).collect();
    let expected =
        [("ses_f3b5aa201ffeDumpA1sD3fG5hJ7", 17), ("ses_f3b5aa9ffffeDumpB2qW4eR6tY8", 3), ("", 3)];
    assert_eq!(ids, expected);
    assert_eq!(
        told(&sessions[0]),
        [
            "share Notice live",
            "text User compacted",
            "compaction Notice live",
            "message User live",
            "text Assistant live injected",
            "message Assistant live",
            // The compaction kept these.
            "step-start Notice live",
            "text Assistant live",
            "step-finish Notice live",
            "message Assistant live",
            "text User live",
            "text Assistant live",
            "session Notice live",
            "message User compacted",
            "message User live",
            "message Assistant superseded",
            "message Assistant live",
        ]
    );
}

#[test]
fn a_row_of_a_dump_is_read_like_a_file() {
    let sessions = sample("database/opencode.db.dump.jsonl");
    let (session, rest) = sessions.split_first().expect("a session");
    assert_eq!(session.id, "ses_f3a01b2c3ffeRowsA1bC3dE5fG7");
    assert!(rest.is_empty());
    let groups = folder("tree").sessions;
    let tree = &groups["ses_f3baf9384ffeQm3kT9xWc2LpZa"][0];
    let conversation = |session: &Session| -> Vec<String> {
        let told = told(session);
        let beside = ["session Notice", "project", "share", "todo", "row", "event", "session_diff"];
        told.into_iter().filter(|line| !beside.iter().any(|name| line.starts_with(name))).collect()
    };
    assert_eq!(conversation(session), conversation(tree));
}

#[test]
fn the_newest_store_is_the_conversation_and_copies_are_echoes() {
    let sessions = sample("database/opencode-next.db.dump.jsonl");
    assert_eq!(sessions.len(), 1);
    let told = told(&sessions[0]);
    let live: Vec<_> = told.iter().filter(|line| line.contains("live")).collect();
    assert_eq!(
        live,
        [
            "session Notice live",
            "compaction Notice live injected",
            "message User live",
            "message Assistant live",
            "notice Notice live injected"
        ]
    );
    let echoes: Vec<_> = told.iter().filter(|line| line.contains("echo")).collect();
    assert_eq!(echoes.len(), 6, "{echoes:?}");
    let compacted = told.iter().filter(|line| line.contains("compacted")).count();
    assert_eq!(compacted, 9);
}

#[test]
fn the_archived_product_is_read_by_its_own_tables() {
    let sessions = sample("database/archived.db.dump.jsonl");
    assert_eq!(sessions.len(), 1);
    let told = told(&sessions[0]);
    assert_eq!(told[0], "session Notice live");
    assert_eq!(told[1..3], ["message User compacted", "text User compacted"]);
    assert_eq!(
        told[told.len() - 3..told.len() - 1],
        ["message Assistant live", "text Assistant live"]
    );
}

#[test]
fn bytes_of_any_kind_are_kept() {
    for text in ["", "{", "[", "{}{}", "null 1 \"x\"", "[{\"type\":\"part\"}]", "{\"table\":1}\nx"]
    {
        let _ = read("a.json", text);
    }
    let deep = "{\"parts\":[".repeat(5000);
    let _ = read("a.json", format!("{{\"role\":\"user\",\"parts\":[{deep}"));
}

#[test]
fn each_call_of_a_model_counts_once() {
    let counted = |session: &Session| {
        let counts = usage::counts(session, OpenCode.data().convention);
        let counted = counts.iter().filter(|count| count.verdict == Counting::Counted);
        counted.filter_map(|count| count.tokens.output).sum::<u64>()
    };
    let tokens = |output: u32| format!(r#""tokens":{{"input":1,"output":{output}}}"#);
    let step = |id: &str, output: u32| {
        let of = format!(r#""id":"{id}","sessionID":"ses_s","messageID":"msg_a""#);
        format!(r#"{{{of},"type":"step-finish",{}}}"#, tokens(output))
    };
    let message =
        format!(r#"{{"id":"msg_a","sessionID":"ses_s","role":"assistant",{}}}"#, tokens(7));
    let steps = format!("{}\n{}\n{message}", step("prt_1", 5), step("prt_2", 7));
    assert_eq!(counted(&read("a.json", steps)[0]), 12);
    assert_eq!(counted(&read("a.json", message)[0]), 7);
    assert_eq!(counted(&sample("database/opencode-next.db.dump.jsonl")[0]), 59);
}

#[test]
fn real_files_are_read_whole() {
    let Some(corpus) = samples::corpus() else { return };
    let Folder { sessions, skipped } = testing::open(&OpenCode, &corpus.join("opencode"));
    let sessions: Vec<Session> = sessions.into_values().flatten().collect();
    let drift = testing::drift(&sessions);
    assert_eq!(drift.keys().collect::<Vec<_>>(), ["reasoning: confidence"]);
    let strange = |name: &&String| !name.contains(".db") && !name.contains("/project/");
    assert_eq!(skipped.keys().filter(strange).collect::<Vec<_>>(), Vec::<&String>::new());
}

/// A record alone gives the rows back with their members in another order than the dump's.
#[test]
fn a_record_without_the_files_gives_the_form_that_the_agent_takes() {
    let name = "opencode.db.dump.jsonl";
    let bytes = std::fs::read(testing::samples("opencode", "database").join(name)).expect("a file");
    let member = Member::stored(name, Stream::Main, bytes, Transport::Dump).expect("short");
    let session = OpenCode.read(Arc::new(Bundle::of(member))).swap_remove(0);
    let vac = crate::by_name(crate::documents::vac::NAME).expect("a format");
    let record = vac.write(&session).expect("a record");
    let restored = crate::documents::vac::restore(&record.files[0].1).expect("its session");
    assert!(!restored.exact);
    let again = OpenCode.read(Arc::new(restored.bundle)).swap_remove(0);
    let [made, same] = [&session, &again].map(|one| {
        let written = OpenCode.write_with(one, &Options::default()).expect("its own");
        serde_json::from_slice::<serde_json::Value>(&written.files[0].1).expect("JSON")
    });
    assert_eq!(made, same);
}
