//! The sessions that each agent of today continues in the form in which they are stored. Others are
//! written anew for it.

use std::sync::Arc;

use session::{Bundle, Member, Session, Stream};
use verbatim_formats::by_name;

const ID: &str = "7f1e0000-0000-4000-8000-00000000000a";

fn read(format: &str, name: &str, text: &str) -> Session {
    let format = by_name(format).expect("a format");
    let member = Member::new(name, Stream::Main, text.as_bytes().to_vec()).expect("short");
    let members = vec![format.decode(member)];
    format.read(Arc::new(Bundle { members })).remove(0)
}

/// Whether the agent takes a session in as it is stored. Each has a prompt.
fn takes(format: &str, name: &str, text: &str) -> bool {
    let session = read(format, name, text);
    let said = session.events().any(|event| event.said().contains("Caulk the hull"));
    assert!(said, "{format}: {name} is not read");
    (by_name(format).expect("a format").data().resume.expect("an agent").takes)(&session)
}

#[test]
fn a_transcript_has_a_chain_and_a_uuid() {
    let line = |id: &str, side: bool| {
        let chain = format!(r#""uuid":"u1","parentUuid":null,"isSidechain":{side}"#);
        format!(r#"{{{chain},"type":"user","sessionId":"{id}","#)
            + r#""cwd":"/q","version":"2.1.330","timestamp":"2026-04-01T08:00:00.000Z","#
            + r#""message":{"role":"user","content":"Caulk the hull."}}"#
    };
    assert!(takes("claude-code", &format!("{ID}.jsonl"), &line(ID, false)));
    assert!(!takes("claude-code", "cc-7.jsonl", &line("cc-7", false)), "no UUID");
    assert!(!takes("claude-code", "agent-7.jsonl", &line(ID, true)), "a sub-agent alone");
    let printed = line(ID, false).replace(r#""parentUuid":null,"isSidechain":false,"#, "");
    let printed = printed.replace("sessionId", "session_id");
    assert!(!takes("claude-code", "out.jsonl", &printed), "printed output");
}

/// JSON on one line.
fn line(parts: &[&str]) -> String {
    parts.concat()
}

#[test]
fn a_rollout_is_enveloped() {
    let said = line(&[
        r#"{"type":"message","role":"user","content":"#,
        r#"[{"type":"input_text","text":"Caulk the hull."}]}"#,
    ]);
    let head = format!(r#"{{"id":"{ID}","timestamp":"2026-04-01T08:00:00.000Z","cwd":"/q"}}"#);
    let wrap = |kind: &str, payload: &str| {
        let start = r#"{"timestamp":"2026-04-01T08:00:00.000Z","type":"#;
        format!(r#"{start}"{kind}","payload":{payload}}}"#)
    };
    let name = format!("rollout-2026-04-01T08-00-00-{ID}.jsonl");
    let own = format!("{}\n{}\n", wrap("session_meta", &head), wrap("response_item", &said));
    assert!(takes("codex", &name, &own));
    assert!(!takes("codex", &name, &format!("{head}\n{said}\n")), "bare lines");
    let document = format!(r#"{{"session":{head},"items":[{said}]}}"#);
    assert!(!takes("codex", &format!("rollout-2025-05-01-{ID}.json"), &document), "a document");
    assert!(!takes("codex", "rollout-x.jsonl", &own.replace(ID, "thread-x")), "no UUID");
}

#[test]
fn a_log_is_of_the_main_agent() {
    let head = |kind: &str| {
        let times = r#""startTime":"2026-04-01T08:00:00Z","lastUpdated":"2026-04-01T08:00:00Z""#;
        format!(r#"{{"sessionId":"{ID}","projectHash":"h",{times},"kind":"{kind}"}}"#)
    };
    let said = line(&[
        r#"{"id":"m1","timestamp":"2026-04-01T08:00:00Z","type":"user","#,
        r#""content":[{"text":"Caulk the hull."}]}"#,
    ]);
    let name = "session-2026-04-01T08-00-7f1e0000.jsonl";
    assert!(takes("gemini", name, &format!("{}\n{said}\n", head("main"))));
    assert!(!takes("gemini", name, &format!("{}\n{said}\n", head("subagent"))), "a sub-agent");
    let copied = line(&[
        r#"{"sessionId":"7f1e","workspace":"/q","agent":"gemini","type":"user","#,
        r#""message":{"role":"user","content":"Caulk the hull."},"uuid":"1","#,
        r#""timestamp":"2026-04-01T08:00:00Z"}"#,
    ]);
    assert!(!takes("gemini", "gemini.jsonl", &copied), "a copy of another program");
}

#[test]
fn an_import_takes_exports() {
    let info = line(&[
        r#"{"id":"ses_1","slug":"s","projectID":"p","directory":"/q","title":"t","#,
        r#""version":"1.18.33","time":{"created":1,"updated":2}}"#,
    ]);
    let message = line(&[
        r#"{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1},"#,
        r#""agent":"build","model":{"providerID":"p","modelID":"m"}}"#,
    ]);
    let part = line(&[
        r#"{"id":"prt_1","sessionID":"ses_1","messageID":"msg_1","type":"text","#,
        r#""text":"Caulk the hull."}"#,
    ]);
    let messages = format!(r#"[{{"info":{message},"parts":[{part}]}}]"#);
    let export = format!(r#"{{"info":{info},"messages":{messages}}}"#);
    assert!(takes("opencode", "ses_1.json", &export));
    assert!(!takes("opencode", "dump.json", &format!("{info}\n{message}\n{part}\n")), "a dump");
    let second = r#"{"id":"msg_1","type":"user","text":"Caulk the hull.","time":{"created":1}}"#;
    let second = format!(r#"{{"info":{info},"messages":[{second}]}}"#);
    assert!(!takes("opencode", "ses_1.json", &second), "an export of 2.x");
    let other = export.replace("ses_1", "thread-1");
    assert!(!takes("opencode", "thread-1.json", &other), "an id that it never gives");
}
