//! Properties of Codex's sessions: on the samples, and on the real files if they are present.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use session::{Bundle, Kind, Member, Session, Slot, Standing, Stream};

use super::{Codex, NAME};
use crate::claim::{Candidate, Claim};
use crate::format::Format;

/// All files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn claim(path: &Path, bytes: &[u8]) -> Claim {
    Codex.claim(&Candidate::of(&path.to_string_lossy(), bytes))
}

fn read(name: &str, bytes: &[u8]) -> Session {
    let member = Member::new(name, Stream::Main, bytes.to_vec()).expect("a short member");
    Codex.read(Arc::new(Bundle::of(member))).remove(0)
}

fn kind_of(path: &str, text: &str) -> &'static str {
    match claim(Path::new(path), text.as_bytes()) {
        Claim::Part { .. } => "session",
        Claim::NoSession(why) => why,
        Claim::No => "no one's",
    }
}

#[test]
fn a_session_is_known_by_its_content_wherever_it_lies() {
    let header =
        r#"{"timestamp":"2026-01-02T03:04:05Z","type":"session_meta","payload":{"id":"a"}}"#;
    let later = format!("not json\n\n{}", header.replace("session_meta", "response_item"));
    let bare = r#"{"id":"a","timestamp":"2025-07-01T10:00:00Z","instructions":null}"#;
    let collected =
        r#"{"sessionId":"a","workspace":"/w","agent":"codex","type":"user","message":{}}"#;
    let long = format!("{}{}", &header[..header.len() - 3], "x".repeat(70_000));
    let document = "{\n \"session\": {\"id\": \"a\", \"instructions\": \"\"},\n \"items\": []}";
    for text in [header, &later, bare, collected, &long, document] {
        assert_eq!(kind_of("anywhere/a.txt", text), "session", "{:.80}", text);
    }
    let others = [
        r#"{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user"}}"#,
        r#"{"type":"session","id":"a","payload":1}"#,
        "{\"session\":{\"id\":\"a\"},\"events\":[]}",
        "[1,2]",
        "",
    ];
    for text in others {
        assert_eq!(kind_of("anywhere/a.jsonl", text), "no one's", "{text}");
    }
}

#[test]
fn what_codex_says_of_a_text_counts_for_more_than_how_it_begins() {
    let injected = |text: &str, kinds: &str| {
        let payload = format!(
            r#""type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}],
               "internal_chat_message_metadata_passthrough":{{"content_item_kinds":{kinds}}}"#
        );
        let payload = payload.replace('\n', " ");
        let line = format!(r#"{{"type":"response_item","payload":{{{payload}}}}}"#);
        let session = read("rollout-a.jsonl", line.as_bytes());
        assert_eq!(session.event(0).kind, Kind::User);
        session.event(0).injected.is_some()
    };
    assert!(!injected("<skill> is a tag", r#"["user.text"]"#));
    assert!(!injected("see the hook", r#"["hooks.additional_context","user.image"]"#));
    assert!(injected("Prices are cents.", r#"["agents_md.instructions"]"#));
    assert!(injected("<goal_context>go on</goal_context>", r#"["unknown"]"#));
    assert!(!injected("go on", r#"["unknown"]"#));
    for text in [
        "<codex_internal_context source='goal'>x</codex_internal_context>",
        "<hook_prompt hook_run_id='1'>x</hook_prompt>",
        "<external_mail>x</external_mail>",
        "<user_action> <context>User initiated a review task</context> </user_action>",
    ] {
        assert!(injected(text, "[]"), "{text}");
    }
    assert!(injected("Warning: apply_patch was requested via exec_command.", "null"));
    assert!(!injected("Warning: the page is slow", "null"));
    assert!(!injected("<goal_context> is the tag that I want to read", "[]"));
}

#[test]
fn what_is_no_session_says_why() {
    let why = |path, text| kind_of(path, text);
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    assert!(why("sessions/rollout-a.jsonl", pointer).contains("LFS"));
    assert!(why("sessions/rollout-a.jsonl", "").contains("empty"));
    let prompt = r#"{"session_id":"a","ts":1767323045,"text":"hello"}"#;
    assert!(why("backup/history.jsonl", prompt).contains("prompts"));
    let name = r#"{"id":"a","thread_name":"b","updated_at":"2026-01-01T00:00:00Z"}"#;
    assert!(why(".codex/session_index.jsonl", name).contains("names"));
    let printed = r#"{"type":"thread.started","thread_id":"a"}"#;
    assert!(why("out.jsonl", printed).contains("exec --json"));
    assert!(why("home/.codex/config.toml", "model = 1").contains("settings"));
    assert!(why("home/.codex/state_5.sqlite", "SQLite format 3\0").contains("database"));
    assert_eq!(why("notes/config.toml", "model = 1"), "no one's");
}

#[test]
fn a_damaged_rollout_is_one_by_its_name() {
    for text in ["\0\0\0\0", "{\"timestamp\":\"2026-", "garbage"] {
        assert_eq!(kind_of("sessions/rollout-2026-01-02T03-04-05-a.jsonl", text), "session");
    }
}

#[test]
fn a_compressed_file_has_the_group_of_the_plain_one() {
    let header =
        br#"{"timestamp":"2026-01-02T03:04:05Z","type":"session_meta","payload":{"id":"a"}}"#;
    let plain = claim(Path::new("s/rollout-a.jsonl"), header);
    assert_eq!(plain, claim(Path::new("s/rollout-a.jsonl.zst"), header));
    assert_ne!(plain, claim(Path::new("t/rollout-a.jsonl"), header));
}

#[test]
fn a_thread_is_named_by_its_header_or_else_by_its_file() {
    let header = |id: &str| format!(r#"{{"type":"session_meta","payload":{{"id":"{id}"}}}}"#);
    let id = |name: &str, text: &str| read(name, text.as_bytes()).id;
    let name = "sessions/2026/01/02/rollout-2026-01-02T03-04-05-a1_b2.jsonl";
    assert_eq!(id(name, &header("a1")), "a1");
    assert_eq!(id(name, "{}"), "a1_b2");
    assert_eq!(id("rollout-2026-01-02T03-04-05-a1.jsonl", &header("a1")), "a1");
    assert_eq!(id("copy-of-a1.jsonl", &header("a1")), "a1");
    assert_eq!(id("rollout-2026-01-02T03-04-05-a1.jsonl.zst", "{}"), "a1");
    assert_eq!(id("rollout-2025-05-03-a1.json", "{}"), "a1");
    assert_eq!(id("rollout-strange.jsonl", "{}"), "strange");
    let only_root = r#"{"type":"session_meta","payload":{"session_id":"r1"}}"#;
    assert_eq!(id("x.jsonl", only_root), "r1");
}

/// The real files that are sessions, with their names below the corpus.
fn corpus() -> Option<Vec<(String, Session)>> {
    let corpus = samples::corpus()?.join(NAME);
    let mut sessions = Vec::new();
    for path in files(&corpus) {
        let bytes = std::fs::read(&path).expect("a file");
        let name = path.strip_prefix(&corpus).unwrap_or(&path).to_string_lossy().into_owned();
        match claim(&path, &bytes) {
            Claim::Part { .. } => sessions.push((name.clone(), read(&name, &bytes))),
            Claim::NoSession(why) => assert!(name.ends_with("history.jsonl"), "{name}: {why}"),
            Claim::No => panic!("{name} is no one's"),
        }
    }
    Some(sessions)
}

#[test]
fn every_real_file_is_read_whole() {
    for (name, session) in corpus().unwrap_or_default() {
        assert!(!session.id.is_empty(), "{name}");
        let breaches = session::proof::check(std::slice::from_ref(&session), 3);
        assert!(breaches.is_empty(), "{name}: {breaches:?}");
        for event in session.events().filter(|event| event.kind == Kind::Opaque) {
            let json = serde_json::from_slice::<serde_json::Value>(event.bytes());
            assert!(json.is_err(), "{name}:{}", event.origin.line);
        }
    }
}

#[test]
fn no_real_field_is_without_a_row() {
    let mut drift = BTreeSet::new();
    for (_, session) in corpus().unwrap_or_default() {
        for event in session.events() {
            if event.case.name == "unknown" {
                drift.insert(String::from_utf8_lossy(event.bytes()).into_owned());
            }
            let unknown = event.fields().iter().filter(|field| !field.known);
            drift.extend(unknown.map(|&field| {
                format!("{}.{}", event.case.name, String::from_utf8_lossy(event.name(field)))
            }));
        }
    }
    // Made up by the tests of another reader.
    for made_up in ["token-count.prompt", "token-count.completion"] {
        drift.remove(made_up);
    }
    assert!(drift.is_empty(), "{drift:#?}");
}

/// Counters, by their native names.
type Counters = BTreeMap<String, u64>;

fn counters(raw: &[u8]) -> Counters {
    serde_json::from_slice(raw).expect("counters")
}

/// Usage of a session: the running total that it inherited, plus its own answers; and the running
/// total at its end.
fn used(session: &Session) -> (Counters, Counters) {
    let (mut sum, mut total) = (Counters::new(), Counters::new());
    for event in session.events() {
        let Some(told) = event.raw(Slot::UsageTotal) else { continue };
        total = counters(told);
        let used = counters(event.raw(Slot::Usage).expect("both"));
        match event.standing {
            // The running total of the thread that it was forked from goes on in the fork.
            standing if standing.is_copied() => sum.clone_from(&total),
            Standing::Echo => {}
            _ => used.into_iter().for_each(|(name, count)| *sum.entry(name).or_default() += count),
        }
    }
    (sum, total)
}

#[test]
fn what_the_answers_used_is_what_the_thread_says_that_it_used() {
    let (mut exact, mut forks) = (0, 0);
    for (name, session) in corpus().unwrap_or_default() {
        // Two fixtures of other readers, with counters that do not belong together.
        if name.contains("stage0/agents/codex/small") || name.contains("tests/e2e/fixtures") {
            continue;
        }
        let (sum, total) = used(&session);
        assert_eq!(sum, total, "{name}");
        exact += usize::from(!total.is_empty());
        forks += usize::from(inherits(&session));
    }
    eprintln!("exact usage in {exact} real sessions, {forks} of them forks");
}

/// Whether a session begins with the counters of another thread.
fn inherits(session: &Session) -> bool {
    let mut counters = session.events().filter(|event| event.field(Slot::UsageTotal).is_some());
    counters.any(|event| event.standing.is_copied())
}

#[test]
fn what_a_fork_used_is_what_its_total_grew_by() {
    let folder = crate::testing::open(&Codex, &crate::testing::samples(NAME, "fork"));
    let forks: Vec<&Session> =
        folder.sessions.values().flatten().filter(|session| inherits(session)).collect();
    for session in &forks {
        let (sum, total) = used(session);
        assert_eq!(sum, total, "{}", session.id);
    }
    assert_eq!(forks.len(), 2);
}

/// A thread began when its header says; the header's line is written with the first turn.
#[test]
fn a_thread_begins_before_its_first_line() {
    let text = concat!(
        r#"{"timestamp":"2026-02-01T08:05:00.000Z","type":"session_meta","payload":"#,
        r#"{"id":"t","timestamp":"2026-02-01T08:00:00.000Z"}}"#,
    );
    let session = crate::testing::text(&Codex, "rollout.jsonl", text);
    let start = meaning::facts::lasted(&session).start.expect("a start");
    assert_eq!(start.instant.millis(), "2026-02-01T08:00:00.000Z");
}
