//! Detection of files, by name, head and tail.

use super::claim_of;
use crate::claim::{Claim, Role};

const ID: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e10";
const OTHER: &str = "0000aaaa-2a0b-4a55-8f3e-0d7a4b1c9e10";

fn user(session: &str) -> String {
    let said = r#""message":{"role":"user","content":"hi"}"#;
    format!(r#"{{"type":"user","uuid":"u","parentUuid":null,"sessionId":"{session}",{said}}}"#)
        + "\n"
}

fn part(group: &str, role: Role) -> Claim {
    Claim::Part { group: group.to_owned(), role }
}

fn main(group: &str) -> Claim {
    part(group, Role::Main)
}

fn claim(path: &str, text: &str) -> Claim {
    claim_of(&path.replace("$id", ID), text.as_bytes())
}

#[test]
fn the_id_is_the_stem_where_the_lines_carry_it() {
    let line = user(ID);
    assert_eq!(claim("projects/-home-ana/$id.jsonl", &line), main(ID));
    assert_eq!(claim("$id.v-2.jsonl", &line), main(ID));
    assert_eq!(claim("renamed.jsonl", &line), main(ID));
    assert_eq!(claim("$id.jsonl", "{\"type\":\"summary\",\"summary\":\"x\"}\n"), main(ID));
    assert_eq!(claim("$id.jsonl", &user(OTHER)), main(OTHER));
    // A fork begins with the lines of its parent.
    assert_eq!(claim("$id.jsonl", &[user(OTHER), line.clone()].concat()), main(ID));
    assert_eq!(claim("renamed.jsonl", &[user(OTHER), line].concat()), main(ID));
    let bare = r#"{"type":"user","message":{"content":"hi"}}"#;
    assert_eq!(claim("a/session.jsonl", bare), main("a/session.jsonl"));
}

#[test]
fn what_has_only_begun_is_a_session_by_its_name() {
    let fork = r#"{"type":"history-suppression","cause":"fork_inherit","ts":1}"#;
    assert_eq!(claim("projects/-p/$id.jsonl", fork), main(ID));
    assert_eq!(claim("a/notes.jsonl", fork), Claim::No);
    let journal = "$id/subagents/workflows/run-1/journal.jsonl";
    assert_eq!(claim(journal, r#"{"type":"launched"}"#), part(ID, Role::Beside(None)));
    let other = r#"{"type":"thing"}"#;
    assert!(matches!(claim("projects/-p/$id.jsonl", other), Claim::NoSession(_)));
    for file in ["custom-title.json", "ccr-tip.json"] {
        let claim = claim(&format!("projects/-p/$id/{file}"), "{}");
        assert!(matches!(claim, Claim::NoSession(_)), "{file}");
    }
}

#[test]
fn the_tail_of_a_long_file_is_looked_at() {
    let filler = user(OTHER).repeat(2000);
    assert_eq!(claim("$id.jsonl", &[filler, user(ID)].concat()), main(ID));
    let long = user(ID).replace("hi", &"x".repeat(200_000));
    assert_eq!(claim("a/$id.jsonl", &long), main(ID));
}

#[test]
fn agents_belong_to_their_session_in_every_layout() {
    let agent = |stem: &str| Role::Sub(stem.to_owned());
    let line = user(ID);
    assert_eq!(claim("projects/-p/agent-a1.jsonl", &line), part(ID, agent("agent-a1")));
    let path = "projects/-p/$id/subagents/agent-a1.jsonl";
    assert_eq!(claim(path, &line), part(ID, agent("agent-a1")));
    // The folder decides, whatever the lines say.
    assert_eq!(claim(path, &user("agent-a1")), part(ID, agent("agent-a1")));
    let nested = "$id/subagents/workflows/run-1/agent-b2.jsonl";
    assert_eq!(claim(nested, &line), part(ID, agent("agent-b2")));
    let beside = Role::Beside(Some("agent-a1".to_owned()));
    assert_eq!(claim("-p/$id/subagents/agent-a1.meta.json", "{}"), part(ID, beside));
    // A name may have dots of its own.
    for name in ["agent-review.v2.1", "agent-a.meta", "agent-a.meta.json", "agent-a.jsonl"] {
        let dotted = format!("-p/$id/subagents/{name}.jsonl");
        assert_eq!(claim(&dotted, &line), part(ID, agent(name)), "{name}");
        let beside = Role::Beside(Some(name.to_owned()));
        let path = format!("-p/$id/subagents/{name}.meta.json");
        assert_eq!(claim(&path, "{}"), part(ID, beside), "{name}");
    }
    let journal = "{\"type\":\"started\",\"key\":\"k\",\"agentId\":\"b2\"}\n";
    let path = "$id/subagents/workflows/run-1/journal.jsonl";
    assert_eq!(claim(path, journal), part(ID, Role::Beside(None)));
    assert_eq!(claim("-p/$id/workflows/wf_1.json", "{}"), part(ID, Role::Beside(None)));
    assert_eq!(claim("$id/remote-agents/r.meta.json", "{}"), part(ID, Role::Beside(None)));
}

#[test]
fn what_is_no_session_says_why() {
    let files = [
        ("history.jsonl", r#"{"display":"hi","pastedContents":{},"timestamp":1,"project":"/p"}"#),
        ("projects/-p/sessions-index.json", r#"{"version":1,"entries":[]}"#),
        (".claude.json", "{}"),
        (".claude/.credentials.json", "{}"),
        (".claude/settings.json", "{}"),
        (".claude/settings.local.json", "{}"),
        (".claude/todos/$id-agent-$id.json", "[]"),
        (".claude/file-history/$id/00ff@v1", "text"),
        ("projects/-p/$id/tool-results/toolu_1.txt", "text"),
        ("projects/-p/$id.jsonl", ""),
        ("projects/-p/agent-a1.jsonl", ""),
        ("projects/-p/$id/subagents/agent-a1.jsonl", ""),
        ("projects/-p/$id/subagents/agent-a1.meta.json", ""),
        ("projects/-p/conversation.jsonl", r#"{"role":"user","content":"hi","timestamp":"x"}"#),
        ("projects/-p/$id.jsonl", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
    ];
    for (path, text) in files {
        let claim = claim(path, text);
        assert!(matches!(claim, Claim::NoSession(why) if !why.is_empty()), "{path}: {claim:?}");
    }
}

#[test]
fn the_files_of_other_agents_are_not_ours() {
    let files = [
        ("elsewhere/conversation.jsonl", r#"{"role":"user","content":"hi","timestamp":"x"}"#),
        ("projects/-p/metadata.json", r#"{"project_dir":"/p/"}"#),
        ("sessions/rollout-x-$id.jsonl", r#"{"type":"session_meta","payload":{"id":"x"}}"#),
        ("history.jsonl", r#"{"session_id":"x","ts":1,"text":"hi"}"#),
        ("agent-transcripts/$id/$id.jsonl", r#"{"role":"user","message":{"content":[]}}"#),
        ("$id/subagents/$id.jsonl", r#"{"role":"user","message":{"content":[]}}"#),
        ("chats/session-x.jsonl", r#"{"id":"a","type":"user","timestamp":"x","content":"hi"}"#),
        ("notes.jsonl", "not JSON\n"),
        ("notes.jsonl", ""),
        ("$id.jsonl", "[1,2]"),
        ("README.md", "# x"),
        ("settings.json", "{}"),
        ("other/tool-results/x.txt", "text"),
        ("", ""),
    ];
    for (path, text) in files {
        assert_eq!(claim(path, text), Claim::No, "{path} {text}");
    }
}

#[test]
fn a_damaged_transcript_is_still_one() {
    let line = user(ID);
    let cut = &line[..line.len() - 9];
    assert_eq!(claim("x.jsonl", &format!("\0\0\0\n{line}")), main(ID));
    assert_eq!(claim("x.jsonl", &format!("\u{feff}{line}")), main(ID));
    assert_eq!(claim("projects/-p/$id.jsonl", cut), main(ID));
    assert_eq!(claim("projects/-p/$id.jsonl", "\0\0\0\0"), main(ID));
    assert_eq!(claim("projects/-p/$id.jsonl", "rubbish"), main(ID));
    assert_eq!(claim("x.jsonl", &line.trim_end().repeat(2)), main("x.jsonl"));
}

#[test]
fn a_transcript_is_known_by_its_lines_under_any_name() {
    let line = user(ID);
    for name in ["talk", "shelf/talk.json", "$id", "talk.txt", "projects/-p/talk.log"] {
        assert_eq!(claim(name, &line), main(ID), "{name}");
    }
    for (name, text) in [
        ("agent-notes.md", "What the agent does.\n"),
        ("projects/-p/notes.txt", "{\"type\":\"thing\"}\n"),
        ("$id.txt", ""),
        ("talk.json", "{\n \"type\": \"user\"\n}\n"),
    ] {
        assert_eq!(claim(name, text), Claim::No, "{name}");
    }
    for name in ["talk", "talk.json"] {
        let session = crate::testing::text(&super::ClaudeCode, name, &line);
        assert_eq!((&*session.id, session.len()), (ID, 1), "{name}");
        assert_eq!(session.event(0).said(), "hi", "{name}");
    }
}
