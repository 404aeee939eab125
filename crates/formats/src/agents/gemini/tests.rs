//! Properties of Gemini's sessions: on lines made for the purpose, the samples, the real files.

use session::{Member, Session, Slot, Stream};

use super::Gemini;
use crate::claim::{Claim, Role};
use crate::format::Format;
use crate::testing;

fn read(lines: &str) -> Session {
    testing::text(&Gemini, "session.jsonl", lines)
}

const HEAD: &str = r#"{"sessionId":"s","projectHash":"h","startTime":"2026-06-11T07:20:00Z"}"#;

fn user(id: &str, text: &str) -> String {
    format!(
        r#"{{"id":"{id}","timestamp":"2026-06-11T07:20:04Z","type":"user","content":"{text}"}}"#
    )
}

/// The messages of a log after its first line, as text.
fn outline(lines: &[String]) -> Vec<String> {
    let session = read(&format!("{HEAD}\n{}\n", lines.join("\n")));
    assert_eq!(session.id, "s");
    testing::outline(&session).into_iter().skip(1).collect()
}

#[test]
fn the_last_state_stands_at_the_first_place() {
    let lines = [user("a", "one"), user("b", "two"), user("a", "ONE"), user("b", "two")];
    let expected = ["User (superseded) one", "User ONE", "User two", "User (echo) two"];
    assert_eq!(outline(&lines), expected);
}

#[test]
fn a_rewind_takes_back_what_it_names_and_all_behind() {
    let rewind = |id| format!(r#"{{"$rewindTo":"{id}"}}"#);
    let lines = [user("a", "one"), user("b", "two"), rewind("b"), user("c", "three")];
    let expected = ["User one", "User (rewound) two", "Notice rewind", "User three"];
    assert_eq!(outline(&lines), expected);
    let lines = [user("a", "one"), user("b", "two"), rewind("nobody"), user("a", "again")];
    let expected = ["User (rewound) one", "User (rewound) two", "Notice rewind", "User again"];
    assert_eq!(outline(&lines), expected);
}

fn checkpoint(messages: &[String]) -> String {
    format!(r#"{{"$set":{{"messages":[{}]}}}}"#, messages.join(","))
}

#[test]
fn a_checkpoint_replaces_the_conversation() {
    let (a, b, c) = (user("a", "one"), user("b", "two"), user("c", "three"));
    let all = [a.clone(), user("x", "new"), user("b", "TWO")];
    let expected = [
        "User one",
        "User (echo) one",
        "User new",
        "User (superseded) two",
        "User TWO",
        "User (superseded) three",
        "Notice set",
    ];
    assert_eq!(outline(&[a.clone(), b.clone(), c.clone(), checkpoint(&all)]), expected);
    let turned = [b.clone(), a.clone()];
    let expected =
        ["User (superseded) one", "User (superseded) two", "Notice set", "User two", "User one"];
    assert_eq!(outline(&[a.clone(), b.clone(), checkpoint(&turned)]), expected);
    // A doubled message has no order.
    let doubled = [a.clone(), a.clone()];
    let expected = ["User (superseded) one", "Notice set", "User one", "User one"];
    assert_eq!(outline(&[a.clone(), checkpoint(&doubled)]), expected);
    assert_eq!(outline(&[a, checkpoint(&[])]), ["User (superseded) one", "Notice set"]);
}

#[test]
fn a_summary_leaves_what_it_stands_for_compacted() {
    let summary = user("s", "<state_snapshot>all of it");
    let (a, b) = (user("a", "one"), user("b", "two"));
    let lines = [a, b.clone(), checkpoint(&[summary, b])];
    let expected = [
        "User (compacted) one",
        "User <state_snapshot>all of it",
        "User two",
        "User (echo) two",
        "Notice set",
    ];
    assert_eq!(outline(&lines), expected);
}

#[test]
fn what_is_recorded_twice_is_an_echo() {
    let model = concat!(
        r#"{"id":"g","type":"gemini","timestamp":"2026-06-11T07:20:09Z","content":["#,
        r#"{"text":"**Reading** the file","thought":true,"thoughtSignature":"c2ln"},"#,
        r#"{"text":"**Another**","thought":true},{"text":"I look."},"#,
        r#"{"functionCall":{"id":"c1","name":"read_file","args":{"p":1}}},"#,
        r#"{"functionCall":{"name":"glob","args":{"q":2}}}],"#,
        r#""thoughts":[{"subject":"Reading","description":"the file"}],"#,
        r#""toolCalls":[{"id":"c1","name":"read_file","args":{"p":1},"status":"success","#,
        r#""result":[{"functionResponse":{"id":"c1","response":{"output":"x"}}}]},"#,
        r#"{"name":"glob","args":{ "q":2},"status":"scheduled","result":null}]}"#
    );
    let answer = concat!(
        r#"{"id":"u","type":"user","content":[{"functionResponse":"#,
        r#"{"id":"c1","name":"read_file","response":{"output":"x"}}}]}"#
    );
    let expected = [
        "Assistant I look.",
        "  Reasoning (echo) **Reading** the file",
        "  Reasoning **Another**",
        "  ToolCall (echo) read_file",
        "  ToolCall (echo) glob",
        "  Reasoning the file",
        "  ToolCall read_file",
        "  ToolResult c1",
        "  ToolCall glob",
        "User (echo) user",
        "  ToolResult (echo) read_file",
    ];
    assert_eq!(outline(&[model.to_owned(), answer.to_owned()]), expected);
}

#[test]
fn repeats_are_told_within_what_was_condensed() {
    let folder = testing::open(&Gemini, &testing::samples("gemini", "twice"));
    let outline = testing::outline(&folder.sessions.values().next().expect("a session")[0]);
    let lines = |words: &[&str]| {
        outline.iter().filter(|line| words.iter().all(|word| line.contains(word))).count()
    };
    assert_eq!(lines(&["ToolCall", "(compacted)"]), 1, "{outline:#?}");
    assert_eq!(lines(&["ToolCall", "(echo)"]), 1);
    assert_eq!(lines(&["ToolResult", "(echo)"]), 1);
}

#[test]
fn a_call_without_an_answer_has_no_result() {
    let call = |result| {
        let head = r#"{"id":"g","type":"gemini","content":"","toolCalls":"#;
        outline(&[format!(r#"{head}[{{"id":"c","name":"ls"{result}}}]}}"#)])
    };
    assert_eq!(call(""), ["Assistant gemini", "  ToolCall ls"]);
    assert_eq!(call(r#","result":null"#), ["Assistant gemini", "  ToolCall ls"]);
    let answered = ["Assistant gemini", "  ToolCall ls", "  ToolResult c"];
    assert_eq!(call(r#","result":"done""#), answered);
}

fn copies(names: [&str; 2], texts: [String; 2]) -> Vec<String> {
    let member = |name: &str, text: &String| {
        Member::new(name, Stream::Main, text.clone().into_bytes()).expect("a member")
    };
    let members = names.iter().zip(&texts).map(|(name, text)| member(name, text)).collect();
    testing::outline(&testing::read(&Gemini, members)[0])
}

#[test]
fn the_copy_that_was_updated_last_is_the_session() {
    let head = |hour| {
        format!(r#"{{"sessionId":"s","projectHash":"h","lastUpdated":"2026-06-11T{hour}:20:00Z"}}"#)
    };
    let (a, b, c) = (user("a", "one"), user("b", "two"), user("c", "three"));
    let pretty = a.replace("\",\"", "\",\n   \"");
    let old = head("07").replace('}', &format!(",\"messages\":[{pretty},{b},{c}]}}"));
    let new = [head("08"), a, user("b", "TWO"), user("d", "four")].join("\n");
    let outline = copies(["old.json", "new.jsonl"], [old, new]);
    let words = |line: &&String| line.contains("User");
    let expected = [
        "User (echo) one",
        "User (superseded) two",
        "User (other-branch) three",
        "User one",
        "User TWO",
        "User four",
    ];
    assert_eq!(
        outline.iter().filter(words).collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
}

#[test]
fn equal_copies_count_once() {
    let text = format!("{HEAD}\n{}\n", user("a", "one"));
    let outline = copies(["549d/chats/s.jsonl", "shop/chats/s.jsonl"], [text.clone(), text]);
    let expected = ["Notice session", "User one", "Notice (echo) session", "User (echo) one"];
    let mut sorted = expected.map(str::to_owned);
    sorted.sort();
    let mut found = outline;
    found.sort();
    assert_eq!(found, sorted);
}

#[test]
fn injected_text_is_told() {
    let injected = |text: &str| {
        let session = read(&user("a", text));
        session.event(0).injected.is_some()
    };
    assert!(injected("<session_context>\\nToday is</session_context>"));
    assert!(injected("<hook_context>x</hook_context>"));
    assert!(!injected("<hook_context>x</hook_context>\\n\\nmend the pier"), "a prompt follows");
    assert!(injected("System: Please continue."));
    assert!(!injected("System: Please continue. With the tests"));
    assert!(!injected("what is <session_context>?"));
    assert!(!injected("<session_context> is the tag that I want to read"));
}

/// The agent deletes every file whose name ends as that of a log without a prompt, and it leaves
/// such a log when it resumes a session.
#[test]
fn the_name_of_a_placed_session_does_not_end_as_the_agents_own() {
    use super::locate::{id_in_name, placed_name};
    let id = "7f1e0c2a-2a0b-4a55-8f3e-0d7a4b1c9e22";
    let name = placed_name("2026-04-01T08:00", id, ".jsonl");
    assert_eq!(name, "session-2026-04-01T08-00-7f1e0c2a-4b1c9e22.jsonl");
    assert!(!name.ends_with("-7f1e0c2a.jsonl"));
    for name in [name.as_str(), "session-2026-04-01T08-00-7f1e0c2a.jsonl"] {
        assert_eq!(id_in_name(name), Some("7f1e0c2a"));
    }
    // Ids without such an end have the agent's own form.
    for id in ["7f1e0c2a", "7f1e0c2a-x", "7f1e0c2a/../../x"] {
        let name = placed_name("2026-04-01T08:00", id, ".json");
        assert_eq!(name, "session-2026-04-01T08-00-7f1e0c2a.json");
    }
}

#[test]
fn claims() {
    let claim = |path: &str, text: &str| testing::claim(&Gemini, path, text.as_bytes());
    let part = |group: &str, role: Role| Claim::Part { group: group.to_owned(), role };
    let no_session = |claim| matches!(claim, Claim::NoSession(_));
    let chats = ".gemini/tmp/shop/chats";
    let log = format!("{HEAD}\n");
    let at = |name: &str| format!("{chats}/{name}");
    assert_eq!(claim(&at("session-1-s.jsonl"), &log), part("s", Role::Main));
    assert_eq!(claim("elsewhere.txt", &log), part("s", Role::Main));
    assert_eq!(claim(&at("s/helper-1.jsonl"), &log), part("s", Role::Sub("helper-1".to_owned())));
    let sub = log.replace('}', ",\"kind\":\"subagent\"}");
    assert_eq!(
        claim(&at("session-2-s.json"), &sub),
        part("s", Role::Sub("session-2-s".to_owned()))
    );
    let document = format!(
        "{{\n  \"sessionId\": \"a.b\",\n  \"projectHash\": \"\",\n  \"messages\": [\n{}",
        "  {},\n".repeat(20_000)
    );
    assert_eq!(claim("chats/x.json", &document), part("a_b", Role::Main));
    let late = format!("{document}],\n  \"kind\": \"subagent\"\n}}");
    assert_eq!(claim("chats/x.json", &late), part("a_b", Role::Sub("x".to_owned())));
    assert_eq!(
        claim(&at("session-3-s.json"), "{ \"sessio"),
        part(&at("session-3-s.json"), Role::Main)
    );
    assert!(no_session(claim(&at("session-3-s.json.tmp-77"), &log)));
    let prompt =
        r#"[{"sessionId":"s","messageId":0,"timestamp":"t","type":"user","message":"hi"}]"#;
    assert!(no_session(claim(".gemini/tmp/shop/logs.json", prompt)));
    let saved = r#"{"history":[{"role":"user","parts":[{"text":"hi"}]}],"authType":"x"}"#;
    assert!(no_session(claim(".gemini/tmp/shop/checkpoint-a%2Fb.json", saved)));
    assert!(no_session(claim(".gemini/settings.json", "{}")));
    assert!(no_session(claim(".gemini/tmp/shop/logs/session-s.jsonl", "{\"event\":1}")));
    let other = r#"{"type":"user","uuid":"u","sessionId":"s","message":{"content":"hi"}}"#;
    assert_eq!(claim("a.jsonl", other), Claim::No);
}

#[test]
fn the_project_is_found_around_the_session() {
    let registry = br#"{"projects":{"/home/ana/shop":"shop","/home/ana/lib":"lib-1"}}"#;
    let read = |files: &'static [&'static str]| {
        move |path: &str| match path {
            "../../../projects.json" | "../../../../projects.json" => Some(registry.to_vec()),
            "../.project_root" if files.contains(&path) => Some(b"/marked\n".to_vec()),
            _ => None,
        }
    };
    let project = |file, files| (Gemini.data().project)(file, &read(files));
    assert_eq!(project("tmp/lib-1/chats/s.jsonl", &[]).as_deref(), Some("/home/ana/lib"));
    assert_eq!(project("tmp/lib-1/chats/s/sub.jsonl", &[]).as_deref(), Some("/home/ana/lib"));
    let marked = project("tmp/lib-1/chats/s.jsonl", &["../.project_root"]);
    assert_eq!(marked.as_deref(), Some("/marked"));
    let hash = "tmp/8f96cb1f49a9a1fabdb7dd1ad0a6f66eba0eaa7b76b37a6d93ac5ee3e4d8d4f5/chats/s.json";
    assert_eq!(project(hash, &[]), None);
    let digest = crate::digest::digest(b"/home/ana/shop");
    let hash = format!("tmp/{digest}/chats/s.json");
    assert_eq!((Gemini.data().project)(&hash, &read(&[])).as_deref(), Some("/home/ana/shop"));
    assert_eq!(project("somewhere/else.json", &[]), None);
}

#[test]
fn samples_are_read_whole() {
    let folder = testing::open(&Gemini, &testing::samples("gemini", ""));
    assert!(folder.sessions.len() >= 5, "{:?}", folder.sessions.keys());
    let sessions: Vec<Session> = folder.sessions.into_values().flatten().collect();
    assert_eq!(testing::drift(&sessions).into_keys().collect::<Vec<_>>(), Vec::<String>::new());
    for (name, claim) in &folder.skipped {
        assert!(matches!(claim, Claim::NoSession(_)), "{name}: {claim:?}");
    }
}

#[test]
fn real_files_are_read_whole() {
    let Some(corpus) = samples::corpus() else { return };
    let folder = testing::open(&Gemini, &corpus.join("gemini"));
    let sessions: Vec<Session> = folder.sessions.into_values().flatten().collect();
    assert!(sessions.len() >= 20, "{}", sessions.len());
    let no_json = |name: &&String| !name.ends_with(".md");
    assert_eq!(folder.skipped.keys().filter(no_json).collect::<Vec<_>>(), Vec::<&String>::new());
    eprintln!("{:#?}", testing::drift(&sessions));
    let answers =
        sessions.iter().flat_map(Session::events).filter(|e| e.text(Slot::Model).is_some());
    assert!(answers.count() > 90);
}

/// A resume that repeats the history without the UI's results removes nothing from the first record
/// of a change.
#[test]
fn changes_count_once_and_as_they_were_told_best() {
    let folder = testing::open(&Gemini, &testing::samples("gemini", "resumed"));
    let session = folder.sessions.values().flatten().next().expect("one");
    let left = crate::attribution::attribution(session);
    let ranges = |file: &crate::attribution::AttributedFile| -> Vec<(usize, usize)> {
        file.ranges.iter().map(|range| (range.start, range.end)).collect()
    };
    let files: Vec<_> = left.files.iter().map(|file| (&*file.path, ranges(file))).collect();
    let one = vec![(1, 1)];
    assert_eq!(files, [("/home/ana/shop/NOTES.md", one.clone()), ("/home/ana/shop/vat.ts", one)]);
    assert_eq!(left.unknown, []);
}

/// Conversations with one id and nothing in common are not versions of each other.
#[test]
fn one_id_may_be_many_conversations() {
    let names = |sample| -> Vec<String> {
        let folder = testing::open(&Gemini, &testing::samples("gemini", sample));
        let sessions = folder.sessions.values().flatten();
        for event in sessions.clone().flat_map(Session::events) {
            assert_eq!(event.standing, session::Standing::Live, "{sample}");
        }
        sessions.map(|session| session.id.clone()).collect()
    };
    let server = ["a2a-server@2026-08-01T10:00:00.000Z", "a2a-server@2026-08-02T10:00:00.000Z"];
    assert_eq!(names("server"), server);
    let id = "5e6f7a8b-1c2d-4e3f-8a9b-0c1d2e3f4a5b";
    let starts = ["2026-08-03T09:00:00.000Z", "2026-08-04T09:00:00.000Z"];
    assert_eq!(names("apart"), starts.map(|start| format!("{id}@{start}")));
}

/// A saved state contains a history: it is read, as a copy of the session's.
#[test]
fn a_saved_state_is_read() {
    let folder = testing::open(&Gemini, &testing::samples("gemini", "saved"));
    let session = folder.sessions.values().flatten().next().expect("one");
    assert_eq!(session.id, "2026-08-05T07-00-00_000Z-vat.ts-replace");
    let outline = testing::outline(session);
    let expected = [
        "Notice saved state",
        "User (copied-left) <session_context>\nToday is Tuesday.\n</session_context>",
        "Assistant (copied-left) Understood.",
        "User (copied-left) round once",
        "Assistant (copied-left) model",
        "  Reasoning (copied-left) I look.",
        "  ToolCall (copied-left) read_file",
        "User (copied-left) context",
        "  ToolResult (copied-left) read_file",
    ];
    assert_eq!(outline, expected);
    let path = "/home/ana/.gemini/tmp/shop/checkpoints/2026-vat.ts-replace.json";
    let screen = r#"{"type":"user","text":"x"},"#.repeat(9_000);
    let long = format!("{{\"history\":[{screen}{{}}],\"clientHistory\":[],\"toolCall\":{{}}}}");
    assert!(matches!(testing::claim(&Gemini, path, long.as_bytes()), Claim::Part { .. }));
    assert!(matches!(testing::claim(&Gemini, path, b"{}"), Claim::NoSession(_)));
}
