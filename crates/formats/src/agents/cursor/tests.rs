//! Properties of the format: on its samples, on lines made for the purpose and on real files.

use std::collections::BTreeMap;

use session::{Kind, Session, Slot, Stream, Transport};

use super::Cursor;
use crate::claim::{Claim, Role};
use crate::format::Format;
use crate::testing::{self, Folder};

fn folder(name: &str) -> Folder {
    testing::open(&Cursor, &testing::samples("cursor", name))
}

fn only(name: &str, group: &str) -> Session {
    let mut sessions = folder(name).sessions;
    let group = sessions.keys().find(|key| key.ends_with(group)).expect("a group").clone();
    sessions.remove(&group).expect("a group").remove(0)
}

const ID: &str = "5f0c2a1e-7b3d-4c1a-9a52-0d8a41c7e901";

#[test]
fn samples_are_read_whole() {
    let Folder { sessions, skipped } = folder("");
    for (group, sessions) in &sessions {
        assert_eq!(testing::drift(sessions), BTreeMap::new(), "{group}");
        assert!(sessions.iter().any(|session| !session.remainder), "{group}");
    }
    // The databases' SQL, from which tests create them.
    assert!(skipped.keys().all(|name| name.ends_with(".sql")), "{skipped:?}");
}

#[test]
fn the_fullest_transcript_is_the_conversation() {
    let session = only("transcripts", ID);
    assert_eq!(session.id, ID);
    let outline = testing::outline(&session);
    let shown: Vec<&str> = outline.iter().map(|line| line.lines().next().unwrap_or("")).collect();
    assert_eq!(
        shown,
        [
            "User <timestamp>Monday, Sep 21, 2026, 4:13 PM (UTC+2)</timestamp>",
            "Assistant Looking at vat.rs.",
            "  ToolCall Read",
            "Assistant assistant",
            "  ToolCall ApplyPatch",
            "Assistant I start a helper for the tests.",
            "  ToolCall Task",
            "Assistant Done.",
            "  Notice turn_ended",
            "Notice turn_ended",
            "User <timestamp>Monday, Sep 21, 2026, 4:14 PM (UTC+2)</timestamp>",
            "Assistant Two tests.",
            "Notice turn_ended",
            "User <timestamp>Monday, Sep 21, 2026, 4:20 PM (UTC+2)</timestamp>",
            "User <timestamp>Monday, Sep 21, 2026, 4:21 PM (UTC+2)</timestamp>",
            "Assistant A bare answer.",
            "Notice turn_ended",
        ]
        .into_iter()
        .chain(shown[17..].iter().copied())
        .collect::<Vec<_>>()
    );
    assert_eq!(shown.len(), 17 + 3 + 6);
    assert!(shown[17..].iter().all(|line| line.contains("(echo)")), "{shown:?}");
}

/// The JSON of December 2025 is the conversation, and the plain text beside it repeats it.
#[test]
fn an_array_of_elements_is_read_with_its_plain_text() {
    let session = only("transcripts", "8d2e1f30-3333-4444-8555-666677778888");
    assert_eq!(session.bundle.members.len(), 2);
    let outline = testing::outline(&session);
    let of_array: Vec<_> = outline.iter().filter(|line| !line.contains("(echo)")).collect();
    let expected = [
        "Notice document",
        "User <user_query>\nround VAT once\n</user_query>",
        "Reasoning It may round twice.",
        "Assistant I look first.",
        "  ToolCall Read",
        "ToolResult Read",
        "Assistant assistant",
        "  ToolCall StrReplace",
        "  ToolCall Shell",
        "ToolResult StrReplace",
        "ToolResult Shell",
        "User <system_reminder>Be brief.</system_reminder>",
        "Reasoning Say so.",
        "Assistant Done.",
    ];
    assert_eq!(of_array, expected);
    assert_eq!(meaning::turn::turns(&session).iter().filter(|t| t.prompt.is_some()).count(), 1);
    let call = session.events().find(|event| event.text(Slot::Name).as_deref() == Some("Shell"));
    let input = call.and_then(|call| call.raw(Slot::Input)).map(<[u8]>::to_vec);
    assert!(input.is_some_and(|input| input.starts_with(b"{")), "typed, not text");
    // In another folder such an array could be any program's.
    let array = br#"[{"role":"user","text":"hi"}]"#;
    assert_eq!(testing::claim(&Cursor, "notes/chat.json", array), Claim::No);
}

#[test]
fn a_prompt_names_the_time_and_nobody_else_does() {
    let session = only("transcripts", ID);
    let times: Vec<_> = session
        .top()
        .filter(|event| event.standing() == session::Standing::Live)
        .filter_map(|event| event.time())
        .map(session::UtcTime::rfc3339)
        .collect();
    let expected = ["14:13:00", "14:14:00", "14:20:00", "14:21:00"];
    assert_eq!(times, expected.map(|time| format!("2026-09-21T{time}Z")));
    let prompts = meaning::turn::turns(&session);
    assert_eq!(prompts.iter().filter(|turn| turn.prompt.is_some()).count(), 2);
}

#[test]
fn a_plain_text_is_read_in_blocks_and_given_back() {
    let session = only("transcripts", "7c1d0e2f-2222-4333-8444-555566667777");
    assert_eq!(
        testing::outline(&session),
        [
            "User What is in \"vat.rs\"?",
            "Assistant assistant",
            "ToolCall ApplyPatch",
            "ToolResult ApplyPatch",
            "Assistant A function."
        ]
    );
    let member = &session.bundle.members[0];
    assert!(matches!(member.transport(), Transport::Text(_)));
    let written = Cursor.write(&session).expect("its own format");
    assert_eq!(&*written.files[0].1, member.stored_bytes());
    assert!(written.files[0].1.starts_with(b"user:\nWhat"));
}

/// Newer builds write three things beside the conversation: the outcome of a call alone, times
/// since the program's start, and the conversation of a sub-agent.
#[test]
fn what_newer_builds_write_beside_the_conversation_is_no_part_of_it() {
    let id = "6a7b8c9d-1111-4222-8333-444455556666";
    let sessions: Vec<Session> = folder("newest").sessions.into_values().flatten().collect();
    let of = |id: &str| sessions.iter().find(|session| session.id == id).expect("a session");
    let session = of(id);
    let calls = session.events().filter(|event| event.kind == Kind::ToolCall);
    let calls: Vec<_> = calls.filter_map(|event| event.text(Slot::Call)).collect();
    assert_eq!(calls, ["call_9"]);
    let times: Vec<_> = session.events().filter_map(|event| event.time()).collect();
    assert!(times.iter().all(|time| time.rfc3339().starts_with("2026-09-21")), "{times:?}");
    assert_eq!(session.events().filter(|event| event.field(Slot::Secret).is_some()).count(), 1);
    let child = of("6a7b8c9d-1111-4222-8333-444455557777");
    assert_eq!(child.first(Slot::SpawnedBy).as_deref(), Some(id));
}

/// In a session that another program controls, the messages have no prompt, and the turns alone are
/// the conversation. To-do items and summaries are not messages.
#[test]
fn a_guests_store_tells_its_turns() {
    let session = only("guest", "6b7c8d9e-2222-4333-8444-555566667777");
    let said = session.top().filter(|event| matches!(event.kind, Kind::User | Kind::Assistant));
    let said: Vec<_> = said.map(|event| (event.standing().word(), event.said())).collect();
    assert_eq!(said, [("live", "list the files".into()), ("live", "Two files.".into())]);
    assert_eq!(session.first(Slot::WorkingDir).as_deref(), Some("/home/ana/shop"));
    assert_eq!(session.last(Slot::Title).as_deref(), Some("List the files"));
    let parent = session.first(Slot::SpawnedBy);
    assert_eq!(parent.as_deref(), Some("6b7c8d9e-2222-4333-8444-555566668888"));
}

#[test]
fn a_store_is_in_the_order_of_its_root() {
    let session = only("store", "9a0b1c2d-3333-4444-8555-666677778888");
    let hex = |c: char| c.is_ascii_hexdigit();
    let named = |line: String| match line.rsplit_once(' ') {
        Some((kind, name)) if name.len() == 64 && name.chars().all(hex) => format!("{kind} (blob)"),
        _ => line,
    };
    assert_eq!(
        testing::outline(&session).into_iter().map(named).collect::<Vec<_>>(),
        [
            "Notice card",
            "Notice meta",
            "Notice (blob)",
            "User You are a coder.",
            "User <user_info>\nOS: linux\n</user_info>",
            "User <user_query>\nfix VAT rounding\n</user_query>",
            "Assistant I read it.",
            "  Reasoning rounding twice",
            "  Reasoning redacted-reasoning",
            "  ToolCall Read",
            "User (blob)",
            "  ToolResult Read",
            "  ToolResult Read",
            "Notice (echo) (blob)",
            "User (echo) fix VAT rounding",
            "Reasoning (echo) rounding twice",
            "Notice (echo) (blob)",
            "Assistant (echo) I read it.",
            "Assistant (other-branch) An answer that was taken back.",
            "Notice (superseded) (blob)",
            "Notice (blob)",
        ]
    );
}

#[test]
fn a_desktop_is_in_the_order_that_its_composer_lists() {
    let session = only("desktop", "state.vscdb.dump.jsonl");
    assert_eq!(session.id, "3d4e5f60-5555-4666-8777-88889999aaaa");
    assert_eq!(
        testing::outline(&session),
        [
            "Notice composer",
            "Notice head",
            "User fix VAT rounding",
            "Assistant b0000000-0000-4000-8000-000000000002",
            "  Reasoning Rounding happens twice.",
            "Assistant b0000000-0000-4000-8000-000000000003",
            "  ToolCall read_file_v2",
            "  ToolResult read_file_v2",
            "Assistant b0000000-0000-4000-8000-000000000004",
            "  ToolCall run_terminal_command_v2",
            "  ToolResult run_terminal_command_v2",
            "Assistant Done: rounds once.",
            "Assistant b0000000-0000-4000-8000-000000000006",
            "  ToolCall glob_file_search",
            "Assistant (other-branch) An answer that was generated again.",
            "Notice row",
            "Notice row",
        ]
    );
    let counts = meaning::usage::counts(&session, Cursor.data().convention);
    assert_eq!(counts.len(), 1);
    assert_eq!(counts[0].tokens.input, Some(9000));
}

#[test]
fn older_desktops_hold_several_conversations() {
    let sessions = folder("older").sessions.into_values().next().expect("a bundle");
    let told: Vec<_> = sessions.iter().map(testing::outline).collect();
    let expected = [
        vec!["Notice composer", "User hello", "Assistant hi"],
        vec!["Notice composer", "User hi", "Assistant there"],
        vec!["Notice composer", "User again"],
        vec!["Notice composer", "User add a sidebar", "Assistant Here it is."],
        vec!["Notice row", "Notice row", "Notice row"],
    ];
    assert_eq!(told, expected);
    assert!(sessions[4].remainder);
}

/// A dump is the same sessions under any name: its rows name them.
#[test]
fn a_dump_with_another_name_is_the_same_sessions() {
    for (sample, count) in
        [("store/9a0b1c2d-3333-4444-8555-666677778888/store.db", 1), ("older/state.vscdb", 5)]
    {
        let path = format!("crates/formats/src/agents/cursor/samples/{sample}.dump.jsonl");
        let bytes = std::fs::read(samples::workspace().join(path)).expect("a sample");
        let read = |name: &str| {
            let member = session::Member::new(name, Stream::Main, bytes.clone()).expect("a member");
            let sessions = testing::read(&Cursor, vec![member]);
            sessions.iter().map(|session| session.id.clone()).collect::<Vec<_>>()
        };
        let stored = read(sample.rsplit('/').next().unwrap_or_default());
        assert_eq!(stored.len(), count);
        assert_eq!(read("renamed.jsonl"), stored);
    }
}

#[test]
fn files_are_told_by_content_and_place() {
    let claim = |path: &str, text: &str| testing::claim(&Cursor, path, text.as_bytes());
    let line = r#"{"role":"user","message":{"content":[{"type":"text","text":"x"}]}}"#;
    let part = |group: &str, role| Claim::Part { group: group.to_owned(), role };
    let below = format!("/h/.cursor/projects/x/agent-transcripts/{ID}");
    assert_eq!(claim(&format!("{below}/{ID}.jsonl"), line), part(ID, Role::Main));
    assert_eq!(claim(&format!("{below}.txt"), "user:\nx\n"), part(ID, Role::Main));
    let sub = claim(&format!("{below}/subagents/s.jsonl"), line);
    assert_eq!(sub, part(ID, Role::Sub("s".to_owned())));
    assert_eq!(claim("/tmp/a.jsonl", line), part("/tmp/a.jsonl", Role::Main));
    assert_eq!(claim("/tmp/a.txt", "user: hello\n"), Claim::No);
    let other = r#"{"role":"user","message":{"content":"x"},"sessionId":"s"}"#;
    assert_eq!(claim("/tmp/a.jsonl", other), Claim::No);
    let prompts = claim(&format!("/h/.cursor/chats/m/{ID}/prompt_history.json"), "[\"x\"]");
    assert!(matches!(prompts, Claim::NoSession(_)));
}

#[test]
fn bytes_of_any_kind_are_kept() {
    for text in ["", "user:", "{\"role\":", "[", "user:\n\u{0}", "{\"table\":\"blobs\"}"] {
        for name in ["a.jsonl", "a.txt", "store.db.dump.jsonl"] {
            let bytes = text.as_bytes().to_vec();
            let member = session::Member::new(name, Stream::Main, bytes).expect("a member");
            testing::read(&Cursor, vec![member]);
        }
    }
}

#[test]
fn real_files_are_read_whole() {
    let Some(corpus) = samples::corpus() else { return };
    let folder = testing::open(&Cursor, &corpus.join("cursor"));
    assert!(folder.sessions.len() >= 18, "{}", folder.sessions.len());
    let sessions: Vec<Session> = folder.sessions.into_values().flatten().collect();
    assert_eq!(testing::drift(&sessions), BTreeMap::new());
    assert!(folder.skipped.keys().all(|name| !name.ends_with(".txt")), "{:?}", folder.skipped);
}
