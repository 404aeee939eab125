//! Sub-agents whose sessions have files of their own: their acts are counted in the turn that
//! started them, with their places in these files.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::acts::{CODEX, codex, expect};
use crate::common::{self, Place};

const CHILD: &str = "019d10aa-7000-7000-8000-00000000d0e5";

/// A rollout's lines of a tool's call and its result.
fn ran(id: &str, name: &str, arguments: &Value, output: &str) -> Vec<(&'static str, Value)> {
    vec![
        (
            "response_item",
            json!({"type": "function_call", "name": name, "call_id": id,
            "arguments": arguments.to_string()}),
        ),
        (
            "response_item",
            json!({"type": "function_call_output", "call_id": id,
            "output": output}),
        ),
    ]
}

fn said(role: &str, kind: &str, text: &str) -> (&'static str, Value) {
    let content = json!([{"type": kind, "text": text}]);
    ("response_item", json!({"type": "message", "role": role, "content": content}))
}

fn ended() -> (&'static str, Value) {
    ("event_msg", json!({"type": "task_complete", "last_agent_message": "ok"}))
}

const GOOD: &str = "Process exited with code 0\nok";

/// The session that starts a sub-agent; `link` is the line that names the sub-agent's thread.
fn parent(link: &str) -> String {
    let mut lines = vec![said("user", "input_text", "have the hives counted")];
    let activity = json!({"type": "sub_agent_activity", "event_id": "p1", "kind": "started",
        "agent_thread_id": CHILD, "agent_path": "/root/count"});
    let spawn_end = json!({"type": "collab_agent_spawn_end", "call_id": "p1",
        "new_thread_id": CHILD, "prompt": "count the hives", "status": "running"});
    let output = match link {
        "output" => json!({"agent_id": CHILD, "nickname": "Bee"}).to_string(),
        _ => json!({"task_name": "/root/count"}).to_string(),
    };
    let mut spawn = ran("p1", "spawn_agent", &json!({"message": "count the hives"}), &output);
    match link {
        "activity" => spawn.insert(1, ("event_msg", activity)),
        "event" => spawn.insert(1, ("event_msg", spawn_end)),
        _ => {}
    }
    lines.extend(spawn);
    lines.extend(ran("p2", "exec_command", &json!({"cmd": "ls"}), GOOD));
    lines.extend([said("assistant", "output_text", "There are nine."), ended()]);
    lines.extend([said("user", "input_text", "thanks")]);
    lines.extend([said("assistant", "output_text", "Gladly."), ended()]);
    codex(&lines)
}

/// The sub-agent's own rollout.
fn child(of: &str, ends: bool) -> String {
    let meta = json!({"id": CHILD, "cwd": "/srv/orchard", "timestamp": "2026-05-04T08:00:02.500Z",
        "originator": "codex_cli_rs", "cli_version": "0.110.0", "source": {"subagent": {
            "thread_spawn": {"parent_thread_id": of, "depth": 1, "agent_nickname": "Bee"}}}});
    let mut lines = vec![("session_meta", meta), said("user", "input_text", "count the hives")];
    lines.extend(ran("q1", "exec_command", &json!({"cmd": "count"}), GOOD));
    lines.extend(ran(
        "q2",
        "exec_command",
        &json!({"cmd": "recount"}),
        "Process exited with code 2\n",
    ));
    let patch = "*** Begin Patch\n*** Add File: hives\n+nine\n*** End Patch";
    lines.extend(ran("q3", "apply_patch", &json!({"input": patch}), "Exit code: 0\nSuccess"));
    lines.push(said("assistant", "output_text", "Nine."));
    if ends {
        lines.push(ended());
    }
    let line = |(at, (kind, payload)): (usize, &(&str, Value))| {
        let time = format!("2026-05-04T08:00:02.{}00Z", 500 + at);
        format!(
            "{}\n",
            json!({"timestamp": time.replace("00Z", "Z"), "type": kind,
            "payload": payload})
        )
    };
    lines.iter().enumerate().map(line).collect()
}

const PARENT: &str = "019d10aa-7000-7000-8000-00000000c0de";

fn path(place: &Place, day: &str, id: &str) -> PathBuf {
    let name = format!("rollout-2026-05-{day}T08-00-00-{id}.jsonl");
    place.path().join("home/.codex/sessions/2026/05").join(day).join(name)
}

fn put(place: &Place, link: &str, child: &str) {
    common::put(&path(place, "04", PARENT), &parent(link));
    common::put(&path(place, "05", CHILD), child);
}

fn receipt(place: &Place, name: &str) -> Value {
    let ran = place.run(&["receipt", name, "--turn", "1", "--unfinished"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// Checks a receipt: the exit code, and what is printed.
fn check(place: &Place, receipt: &Value) -> (i32, String) {
    common::put(&place.path().join("r.json"), &receipt.to_string());
    let ran = place.run(&["receipt", "--check", "r.json"]);
    (ran.code, ran.out + &ran.err)
}

#[test]
fn a_sub_agent_of_codex_is_counted_in_its_turn() {
    let place = Place::new();
    for link in ["output", "activity", "event"] {
        put(&place, link, &child(PARENT, true));
        let receipt = receipt(&place, CODEX);
        expect(
            &receipt,
            &[
                ("commands_executed", 3.into()),
                ("files_changed", 1.into()),
                ("calls_failed", "unavailable".into()),
                // The calls of the session itself, as in version 0.
                ("tool_calls", 2.into()),
            ],
        );
        let sources = receipt["evidence"]["sources"].as_array().unwrap();
        assert_eq!(sources.len(), 2, "{link}");
        assert_eq!(sources[0]["sub_agent"], Value::Null);
        assert_eq!(sources[1]["sub_agent"], CHILD);
        let name = sources[1]["name"].as_str().unwrap();
        assert!(name.ends_with(".jsonl") && !name.contains('/'), "{name}");
        // Each record opens in the file that it names.
        let bytes = std::fs::read(path(&place, "05", CHILD)).unwrap();
        let records = receipt["account"]["commands_executed"]["records"].as_array().unwrap();
        let within: Vec<&Value> = records.iter().filter(|it| it["source"] == 1).collect();
        assert_eq!(within.len(), 2);
        for record in within {
            let at = |name: &str| usize::try_from(record[name].as_u64().unwrap()).unwrap();
            let value: Value = serde_json::from_slice(&bytes[at("start")..at("end")]).unwrap();
            assert!(value.to_string().contains("exec_command"), "{value}");
            assert_eq!(record["within"], "sub-agent");
        }
        let (code, said) = check(&place, &receipt);
        assert!(code == 0 && said.contains("the turn is unchanged"), "{said}");
    }
    // The next turn has none of it.
    let ran = place.run(&["receipt", CODEX, "--turn", "2"]);
    let next: Value = serde_json::from_str(&ran.out).unwrap();
    expect(&next, &[("commands_executed", 0.into())]);
}

#[test]
fn a_sub_agent_that_is_missing_or_another_one_is_not_counted() {
    let place = Place::new();
    put(&place, "output", &child(PARENT, true));
    let issued = receipt(&place, CODEX);
    let file = path(&place, "05", CHILD);
    // It goes on: more is only appended.
    let more = child(PARENT, true)
        + &child(PARENT, true).lines().last().unwrap().replace("task_complete", "token_count")
        + "\n";
    common::put(&file, &more);
    assert_eq!(check(&place, &issued).0, 0);
    // One byte of its record is another one.
    common::put(&file, &child(PARENT, true).replace("recount", "discount"));
    let (code, said) = check(&place, &issued);
    assert!(code == 1 && said.contains("the turn changed"), "{said}");
    let unknown = |child: Option<&str>, why: &str| {
        match child {
            Some(text) => common::put(&file, text),
            None => std::fs::remove_file(&file).unwrap(),
        }
        let now = receipt(&place, CODEX);
        expect(&now, &[("commands_executed", "unavailable".into())]);
        let reason = now["account"]["commands_executed"]["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{reason}");
        let (code, said) = check(&place, &now);
        assert!(code == 0, "{said}");
        now
    };
    // Of another session; one that has not ended; none.
    unknown(Some(&child("019d10aa-7000-7000-8000-00000000beef", true)), "not in the source");
    unknown(Some(&child(PARENT, false)), "has ended");
    let without = unknown(None, "not in the source");
    assert_eq!(without["evidence"]["sources"].as_array().unwrap().len(), 1);
    let (code, said) = check(&place, &issued);
    assert!(code == 1 && said.contains("the session of the sub-agent"), "{said}");
    // What was issued without it stays valid when it is there again.
    common::put(&file, &child(PARENT, true));
    let (code, said) = check(&place, &without);
    assert!(code == 0 && said.contains("the turn is unchanged"), "{said}");
    // A link to another file, and one to itself: no loop, nothing is counted twice.
    common::put(&file, &child(CHILD, true).replace(CHILD, PARENT));
    drop(place.run(&["receipt", CODEX, "--turn", "1", "--unfinished"]));
}

/// A session as OpenCode exports it: a prompt, and an answer with calls.
fn exported(id: &str, of: Option<&str>, at: u64, calls: &[(&str, Value)]) -> String {
    let tool = |name: &str, metadata: Value, at: u64| {
        json!({"status": "completed", "input": {"command": name, "filePath": "/srv/orchard/hives",
            "content": "nine", "prompt": "count"}, "output": "ok", "metadata": metadata,
            "title": name, "time": {"start": at, "end": at + 1}})
    };
    let (asked, said) = (format!("msg_{at}a"), format!("msg_{at}b"));
    let mut parts: Vec<Value> = calls
        .iter()
        .zip(1_u64..)
        .map(|((name, metadata), number)| {
            json!({"id": format!("prt_{at}b{number}"),
            "sessionID": id, "messageID": said, "type": "tool",
            "callID": format!("call_{at}_{number}"), "tool": name,
            "state": tool(name, metadata.clone(), at + number)})
        })
        .collect();
    parts.push(json!({"id": format!("prt_{at}z"), "sessionID": id, "messageID": said,
        "type": "text", "text": "Nine.", "time": {"start": at + 8, "end": at + 9}}));
    let mut info = json!({"id": id, "slug": "calm-hen", "version": "1.1.53", "projectID": "p",
        "directory": "/srv/orchard", "title": "Hives", "time": {"created": at, "updated": at}});
    if let Some(of) = of {
        info["parentID"] = of.into();
    }
    json!({"info": info, "messages": [
        {"info": {"id": asked, "sessionID": id, "role": "user", "time": {"created": at},
            "agent": "build"}, "parts": [{"id": format!("prt_{at}a"), "sessionID": id,
            "messageID": asked, "type": "text", "text": "count the hives"}]},
        {"info": {"id": said, "sessionID": id, "role": "assistant", "parentID": asked,
            "time": {"created": at + 1, "completed": at + 9}, "modelID": "claude-x",
            "providerID": "anthropic", "finish": "stop", "tokens": {"input": 5, "output": 1,
            "reasoning": 0, "cache": {"read": 0, "write": 0}}}, "parts": parts}]})
    .to_string()
}

#[test]
fn a_sub_agent_of_open_code_is_counted_in_its_turn() {
    let place = Place::new();
    let (parent, child) = ("ses_5b1fe7a02ffeTwoQ1wE3rT5yU7i", "ses_5b1fe7a0affeSubQ1wE3rT5yU7i");
    let at = 1_790_000_000_000;
    let path = place.path().join("hives.json");
    let other = place.path().join("counted.json");
    let task = ("task", json!({"sessionId": child}));
    let bash = |exit: u8| ("bash", json!({"exit": exit}));
    common::put(&path, &exported(parent, None, at, &[task, bash(0)]));
    common::put(
        &other,
        &exported(child, Some(parent), at + 2, &[bash(0), bash(3), ("write", json!({}))]),
    );
    let name = path.to_str().unwrap();
    let now = receipt(&place, name);
    expect(
        &now,
        &[
            ("commands_executed", 3.into()),
            ("files_changed", 1.into()),
            ("calls_failed", 1.into()),
            ("tool_calls", 2.into()),
        ],
    );
    assert_eq!(now["evidence"]["sources"][1]["sub_agent"], child);
    common::put(&place.path().join("r.json"), &now.to_string());
    let check = || place.run(&["receipt", name, "--check", "r.json"]);
    assert_eq!(check().code, 0, "{}", check().out);
    common::put(&other, &exported(child, Some(parent), at + 2, &[bash(0), bash(0)]));
    assert_eq!(check().code, 1);
    std::fs::remove_file(other).unwrap();
    expect(&receipt(&place, name), &[("commands_executed", "unavailable".into())]);
}
