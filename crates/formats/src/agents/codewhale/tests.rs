//! Properties of CodeWhale's files: on the samples, their links, and the real files.

use session::{Kind, Outcome, Session, Slot};

use super::CodeWhale;
use crate::claim::{Claim, Role};
use crate::format::{Format, Weight};
use crate::testing;

fn sample(name: &str) -> testing::Folder {
    testing::open(&CodeWhale, &testing::samples("codewhale", name))
}

fn one(folder: &testing::Folder, id: &str) -> Session {
    let mut sessions = folder.sessions.values().flatten();
    let found = sessions.find(|session| session.id == id).cloned();
    found.unwrap_or_else(|| panic!("no {id} in {:?}", folder.sessions.keys()))
}

fn rules(session: &Session) -> Vec<(u32, Weight)> {
    let findings = CodeWhale.data().validate.expect("rules")(session);
    findings.iter().map(|finding| (finding.origin.line, finding.weight)).collect()
}

/// The lines of an outline that contain one of the words.
fn with(outline: &[String], words: &[&str]) -> Vec<String> {
    let says = |line: &&String| words.iter().any(|word| line.contains(word));
    outline.iter().filter(says).cloned().collect()
}

#[test]
fn session_and_store_are_one_history() {
    let folder = sample("joined");
    assert_eq!(folder.sessions.len(), 1, "{:?}", folder.sessions.keys());
    let session = one(&folder, "3f6d0a52-9d1e-4c0b-8a77-51c2b0d4e9aa");
    let members = session.bundle.members.iter().map(|member| member.name.as_str());
    let mut members: Vec<&str> = members.collect();
    members.retain(|name| name.contains("tasks/"));
    assert_eq!(members.len(), 8, "{members:?}");
    let outline = testing::outline(&session);
    let of_store = with(&outline, &["item", "read_file", "thread", "turn", "delta"]);
    let echoes = with(&of_store, &["(echo)"]);
    assert!(echoes.iter().any(|line| line == "ToolCall (echo) read_file"), "{outline:#?}");
    assert!(echoes.iter().any(|line| line == "ToolResult (echo) item_02bc34de"), "{outline:#?}");
    let live: Vec<_> = outline.iter().filter(|line| !line.contains('(')).collect();
    let said = |line: &&String| !line.trim_start().starts_with("Notice");
    let said: Vec<_> = live.into_iter().filter(said).cloned().collect();
    let expected = ["User just fix it", "Assistant One round is enough."];
    assert_eq!(said, expected, "{outline:#?}");
    let compacted = with(&outline, &["(compacted)"]);
    let expected = [
        "User (compacted) fix VAT rounding",
        "Assistant (compacted) I read the file.",
        "  Reasoning (compacted) It rounds twice.",
        "  ToolCall (compacted) read_file",
        "User (compacted) message",
        "  ToolResult (compacted) call_7a",
    ];
    assert_eq!(compacted, expected);
    assert_eq!(
        with(&outline, &["(other-branch)"]),
        ["Assistant (other-branch) Shall I rewrite it all?"]
    );
    assert_eq!(rules(&session), []);
    let counts = meaning::usage::counts(&session, CodeWhale.data().convention);
    assert_eq!(counts.iter().map(|count| count.tokens.total()).collect::<Vec<_>>(), [1240]);
}

#[test]
fn the_store_alone_is_a_history_too() {
    let session = one(&sample("runtime"), "thr_0000aaaa");
    let outline = testing::outline(&session);
    let lines = [
        "User run it",
        "Reasoning hm",
        "Assistant All pass.",
        "ToolCall shell",
        "ToolResult item_00000002",
        "ToolResult item_00000003",
        "Notice ask",
        "Notice all of it",
        "Notice (echo) item.delta",
        "Notice (rewound) turn.completed",
    ];
    for line in lines {
        assert!(outline.iter().any(|found| found == line), "{line}: {outline:#?}");
    }
    let call = session.events().find(|event| event.text(Slot::Name).as_deref() == Some("shell"));
    let call = call.and_then(|call| call.text(Slot::Call));
    assert_eq!(call.as_deref(), Some("item_00000002"));
    assert_eq!(rules(&session), [(7, Weight::Advice)]);
}

#[test]
fn linear_sessions_hold_every_block() {
    let session = one(&sample("linear"), "0b9c7d11-6c1e-4f0a-9a55-7f00aa00bb01");
    let expected = [
        "Notice session",
        "User You are CodeWhale.",
        "User what is this?",
        "Assistant assistant",
        "  ToolCall grep",
        "  ToolCall web_search",
        "  ToolResult srv_1",
        "  ToolResult srv_2",
        "User results",
        "  ToolResult call_1",
        "Assistant It is a wh",
        "User stopped",
        "Notice message",
    ];
    assert_eq!(testing::outline(&session), expected);
}

#[test]
fn the_copy_in_the_old_home_is_an_echo() {
    let folder = sample("homes");
    let session = one(&folder, "77777777-8888-4999-8aaa-bbbbbbbbbbbb");
    assert_eq!(session.bundle.members.len(), 2);
    let outline = testing::outline(&session);
    assert_eq!(with(&outline, &["User"]).len(), 2);
    assert_eq!(with(&outline, &["(echo)"]).len(), 3, "{outline:#?}");
    one(&folder, "88888888-8888-4999-8aaa-bbbbbbbbbbbb");
}

#[test]
fn damage_is_kept_and_found() {
    let folder = sample("damaged");
    let cut = one(&folder, "dddddddd-8888-4999-8aaa-bbbbbbbbbbbb");
    assert_eq!(testing::outline(&cut), ["Opaque opaque"]);
    let differs = one(&folder, "dddddddd-8888-4999-8aaa-cccccccccccc");
    assert_eq!(with(&testing::outline(&differs), &["(superseded)"]).len(), 1);
    assert_eq!(rules(&differs).len(), 1);
    let events = one(&folder, "thr_dddddddd");
    let error = Weight::Error;
    assert_eq!(rules(&events), [(2, error), (3, error), (4, error)]);
}

#[test]
fn the_harness_is_read_beside_it() {
    let session = one(&sample("harness"), "session-5b1f2c00-1111-4222-8333-944455556666");
    let expected = [
        "Notice session",
        "Notice permission/preset",
        "Notice session/title",
        "User how many?",
        "User Current runtime context.",
        "Notice (echo) assistant/chunk",
        "Notice (echo) text-chunks",
        "Assistant I look.",
        "  Reasoning notes.txt",
        "ToolCall read",
        "ToolResult c1",
        "ToolCall read",
        "ToolResult c2",
        "Notice turn/end",
    ];
    assert_eq!(testing::outline(&session), expected);
    let results = session.events().filter(|event| event.kind == Kind::ToolResult);
    let outcomes: Vec<_> = results.map(|event| event.outcome()).collect();
    assert_eq!(outcomes, [None, Some(Outcome::Failed)], "one says its error");
    assert_eq!(session.first(Slot::Model).as_deref(), Some("deepseek-reef"));
}

/// A sub-agent's transcript is a conversation, and so is each agent's part of the register.
#[test]
fn sub_agents_are_read() {
    let folder = sample("subagents");
    assert_eq!(folder.sessions.len(), 2, "{:?}", folder.sessions.keys());
    let expected = [
        "Notice subagent_transcript_header",
        "User Find every place that rounds VAT. Report file and line.",
        "Assistant message",
        "  Reasoning Start with a search.",
        "  ToolCall bash",
        "User message",
        "  ToolResult call_s1",
        "User Two steps are left.",
        "Assistant I look at ",
        "Notice resumed",
        "Assistant One place: src/vat.rs:14.",
    ];
    let transcript = one(&folder, "agent_4be1c07d");
    assert_eq!(testing::outline(&transcript), expected);
    // Of a sub-agent's own session, the task is the prompt; no message of the system is.
    let turns = meaning::turn::turns(&transcript);
    let prompts: Vec<_> = turns.iter().filter_map(|turn| turn.prompt).collect();
    let prompts: Vec<_> = prompts.iter().map(|at| transcript.event(*at).said()).collect();
    let task = "Find every place that rounds VAT. Report file and line.";
    assert_eq!(prompts, [task]);
    let expected = [
        "Notice subagents",
        "User Find every place that rounds VAT. Report file and line.",
        "Assistant I look at ",
        "Notice resumed",
        "Assistant One place: src/vat.rs:14.",
        "Assistant (echo) One place: src/vat.rs:14.",
        "User (echo) Review the change in src/vat.rs.",
        "User Review the change in src/vat.rs.",
        "Assistant Which branch is meant?",
        "User Run the tests.",
        "Assistant All 12 tests pass.",
    ];
    let register = one(&folder, "subagents-agent_4be1c07d");
    assert_eq!(testing::outline(&register), expected);
    let skipped = folder.skipped.values().collect::<Vec<_>>();
    assert_eq!(skipped, [&Claim::NoSession("what happened in runs of a fleet")]);
}

/// The tools of 2026 answer without a diff: confirmed input counts.
#[test]
fn the_newer_tools_are_followed() {
    let session = one(&sample("primitives"), "0b9c7d11-6c1e-4f0a-9a55-7f00aa00bb0a");
    let left = crate::attribution::attribution(&session);
    let ranges = |file: &crate::attribution::AttributedFile| -> Vec<(usize, usize)> {
        file.ranges.iter().map(|range| (range.start, range.end)).collect()
    };
    let files: Vec<_> = left.files.iter().map(|file| (&*file.path, ranges(file))).collect();
    // A read that found no file shows that the next write made it.
    assert_eq!(files, [("NOTES.md", vec![(1, 2)]), ("src/vat.rs", vec![(2, 3)])]);
    let unknown: Vec<_> = left.unknown.iter().map(|unknown| &*unknown.path).collect();
    assert_eq!(unknown, ["src/lib.rs"]);
}

/// The answer of `write` does not say whether the file is new. The store's diff does.
#[test]
fn the_store_tells_which_files_are_new() {
    let session = one(&sample("writes"), "6e0d2c54-1b7f-4a3d-9c40-2f1e5a7b9d33");
    let left = crate::attribution::attribution(&session);
    let file = left.files.first().expect("a file");
    let range = file.ranges.first().expect("a range");
    assert_eq!((&*file.path, range.start, range.end), ("RATES.md", 1, 4));
    let unknown: Vec<_> = left.unknown.iter().map(|unknown| &*unknown.path).collect();
    assert_eq!((left.files.len(), unknown), (1, vec!["README.md"]));
}

/// A register names the session of each agent: it belongs to the one that all of them name.
#[test]
fn a_register_is_joined_to_the_session_of_its_agents() {
    let register = one(&sample("subagents"), "subagents-agent_4be1c07d");
    let owner = meaning::facts::spawner(&register).map(|id| id.into_owned());
    assert_eq!(owner.as_deref(), Some("0b9c7d11-6c1e-4f0a-9a55-7f00aa00bb0a"));
    let path = "subagents/shop/.codewhale/state/subagents.v1.json";
    let text = std::fs::read_to_string(testing::samples("codewhale", path)).expect("a sample");
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join(".codewhale");
    std::fs::create_dir(&copy).expect("a folder");
    let two = text.replacen("0b9c7d11-6c1e-4f0a", "1c9c7d11-6c1e-4f0a", 1);
    std::fs::write(copy.join("subagents.v1.json"), two).expect("a copy");
    let register = one(&testing::open(&CodeWhale, folder.path()), "subagents-agent_4be1c07d");
    assert_eq!(meaning::facts::spawner(&register), None, "agents of two sessions");
}

#[test]
fn claims() {
    let claim = |path: &str, text: &str| testing::claim(&CodeWhale, path, text.as_bytes());
    let part = |group: &str, role: Role| Claim::Part { group: group.to_owned(), role };
    let saved = r#"{"schema_version":1,"metadata":{"id":"s"},"messages":[],"system_prompt":null}"#;
    assert_eq!(claim("h/sessions/x.json", saved), part("s", Role::Main));
    let late = format!(r#"{{"messages":[{}"#, r#"{"role":"user"},"#.repeat(9_000));
    let path = ".codewhale/sessions/x.json";
    assert_eq!(claim(path, &late), part("x", Role::Main));
    let turn = r#"{"schema_version":2,"id":"turn_1","thread_id":"thr_1","item_ids":[]}"#;
    let turn_path = "r/turns/turn_1.json";
    assert_eq!(claim(turn_path, turn), part("r/turn_1", Role::Beside(None)));
    let empty = testing::claim(&CodeWhale, ".codewhale/state.db", b"SQLite format 3\0");
    assert!(matches!(empty, Claim::NoSession(_)), "{empty:?}");
    assert_eq!(claim("sessions/x.json", "{}"), Claim::No);
    assert_eq!(claim("a.jsonl", r#"{"role":"user","content":"x"}"#), Claim::No);
}

#[test]
fn samples_are_read_whole() {
    let folder = sample("");
    let sessions: Vec<Session> = folder.sessions.into_values().flatten().collect();
    assert_eq!(testing::drift(&sessions).into_keys().collect::<Vec<_>>(), Vec::<String>::new());
    for (name, claim) in &folder.skipped {
        assert!(matches!(claim, Claim::NoSession(_)), "{name}: {claim:?}");
    }
}

#[test]
fn real_files_are_read_whole_and_no_other_agents_are_taken() {
    let Some(corpus) = samples::corpus() else { return };
    let folder = testing::open(&CodeWhale, &corpus.join("codewhale"));
    assert_eq!(folder.sessions.len(), 1);
    let sessions: Vec<Session> = folder.sessions.into_values().flatten().collect();
    assert_eq!(testing::drift(&sessions).into_keys().collect::<Vec<_>>(), Vec::<String>::new());
    let taken = testing::claims(&CodeWhale, &corpus);
    let taken = taken.iter().filter(|(_, claim)| matches!(claim, Claim::Part { .. }));
    let elsewhere: Vec<_> = taken.filter(|(path, _)| !path.contains("/codewhale/")).collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
}

#[test]
fn a_sub_agents_transcript_is_known_by_its_first_line_anywhere() {
    let header = r#"{"kind":"subagent_transcript_header","schema_version":1,"agent_id":"agent_7"}"#;
    let message = concat!(
        r#"{"kind":"message","index":0,"message":{"role":"user","content":"#,
        r#"[{"type":"text","text":"Count the shelves."}]}}"#
    );
    let text = format!("{header}\n{message}\n");
    let claim = testing::claim(&CodeWhale, "shelf/copy.jsonl", text.as_bytes());
    let role = Role::Sub("copy".to_owned());
    let group = "shelf/copy.jsonl".to_owned();
    assert_eq!(claim, Claim::Part { group, role });
    let other = testing::claim(&CodeWhale, "shelf/copy.jsonl", message.as_bytes());
    assert_eq!(other, Claim::No);
}
