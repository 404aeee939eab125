//! Receipts of turns that were rewound later: another branch is the live one now, and their records
//! are still there. Each agent has its own way to take turns back.

use std::path::Path;

use serde_json::{Value, json};

use super::acts::{call, claude, prompt, put, result, says};
use crate::common::{self, Place};

/// A session before and after turns of it were taken back.
struct Rewinding<'p> {
    place: &'p Place,
    /// The session's name on the command line.
    name: String,
}

impl Rewinding<'_> {
    fn all(&self, turn: &str) -> (Vec<Value>, String) {
        let ran = self.place.run(&["receipt", &self.name, "--turn", turn, "--unfinished"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        (serde_json::from_str(&ran.out).unwrap(), ran.err)
    }

    /// Checks a receipt: the exit code, and what is printed.
    fn check(&self, receipt: &Value) -> (i32, String) {
        common::put(&self.place.path().join("r.json"), &receipt.to_string());
        let ran = self.place.run(&["receipt", &self.name, "--check", "r.json"]);
        (ran.code, ran.out + &ran.err)
    }

    /// The receipts that were issued before still check, those of the turns from `back` on with the
    /// word that they were rewound; and receipts of the latter are made as they were.
    fn keeps(&self, issued: &[Value], back: usize) {
        let (now, told) = self.all("all");
        for (at, receipt) in issued.iter().enumerate() {
            let (code, said) = self.check(receipt);
            let turn = at + 1;
            assert!(code == 0 && said.contains("the turn is unchanged"), "{turn}: {said}");
            assert_eq!(said.contains("was rewound"), turn >= back, "{turn}: {said}");
        }
        assert!(!now.is_empty());
        let gone = issued.len() + 1 - back;
        assert!(told.contains("rewound") && told.contains("left out"), "{told}");
        let (again, _) = self.all("rewound");
        // Places may move in a document that is written anew.
        let numbers = |receipts: &[Value]| -> Vec<Value> {
            let counts = |it: &Value| -> Vec<Value> {
                it["account"].as_object().unwrap().values().map(|of| of["count"].clone()).collect()
            };
            receipts.iter().map(|it| json!([it["turn"], counts(it)])).collect()
        };
        assert_eq!(numbers(&again), numbers(&issued[back - 1..]), "{gone} turns");
        for receipt in now.iter().chain(&again) {
            assert_eq!(self.check(receipt).0, 0, "{receipt}");
        }
        // A number of a turn that was rewound is still compared.
        let mut other = issued[back - 1].clone();
        other["evidence"]["turn_number"] = (back + 5).into();
        let (code, said) = self.check(&other);
        assert!(code == 1 && said.contains("the turn changed"), "{said}");
        let mut other = issued[back - 1].clone();
        other["evidence"]["ranges"][0]["sha256"] = "0".repeat(64).into();
        assert_eq!(self.check(&other).0, 1);
    }
}

fn lines_of(text: &str, count: usize) -> String {
    text.lines().take(count).map(|line| format!("{line}\n")).collect()
}

/// A prompt that was edited: the new one has the parent of the old one.
#[test]
fn a_branch_of_claude_code_that_was_left() {
    let place = Place::new();
    let bash = |id: &str| call(id, "Bash", json!({"command": "graft"}));
    let mut edited = prompt("graft the quinces instead");
    edited["parentUuid"] = "line-3".into();
    let denial =
        json!({"type": "permission-denial", "uuid": Value::Null, "parentUuid": Value::Null});
    let agent = |mut line: Value| {
        line["isSidechain"] = true.into();
        line["agentId"] = "a77".into();
        line
    };
    let all = [
        prompt("graft the apples"),
        bash("c1"),
        result("c1", "grafted", false),
        says("m1", "Grafted."),
        prompt("graft the pears"),
        bash("c2"),
        denial,
        result("c2", "grafted", false),
        agent(prompt("look at the pears")),
        agent(call("c7", "Bash", json!({"command": "look"}))),
        agent(result("c7", "green", false)),
        agent(says("m7", "They are green.")),
        says("m2", "Grafted too."),
        prompt("and label them"),
        says("m3", "Labelled."),
        edited,
        says("m4", "The quinces, then."),
    ];
    let mut all: Vec<Value> = all.into();
    // The main history goes past the sub-agent's lines.
    all[8]["parentUuid"] = Value::Null;
    all[12]["parentUuid"] = "line-7".into();
    all[7]["parentUuid"] = "line-5".into();
    let text = claude(&all);
    let path = put(&place, &lines_of(&text, 15));
    let session = Rewinding { place: &place, name: path.to_str().unwrap().to_owned() };
    let (issued, told) = session.all("all");
    assert_eq!((issued.len(), &*told), (3, ""));
    put(&place, &text);
    session.keeps(&issued, 2);
    // By its id.
    let ran = place.run(&["receipt", &session.name, "--turn", "line-4"]);
    assert!(ran.code == 0 && ran.err.contains("turn 2 (line-4) was rewound"), "{}", ran.err);
    assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), issued[1]);
    let (now, _) = session.all("all");
    assert_eq!(now.len(), 2);
    assert_eq!(now[1]["turn"]["id"], "line-15");
}

/// Turns of a Codex session, each with its lines around it and its tokens.
fn codex_turn(number: u64, back: bool) -> Vec<(&'static str, Value)> {
    let id = format!("019d10aa-7000-7000-8000-00000000a{number:03}");
    let said = |role: &str, kind: &str, text: String| {
        let content = json!([{"type": kind, "text": text}]);
        ("response_item", json!({"type": "message", "role": role, "content": content}))
    };
    let usage = |turns: u64| {
        json!({"input_tokens": 100 * turns, "cached_input_tokens": 0, "output_tokens": 7 * turns,
            "reasoning_output_tokens": 0, "total_tokens": 107 * turns})
    };
    let mut lines = vec![
        ("event_msg", json!({"type": "task_started", "turn_id": id})),
        (
            "turn_context",
            json!({"turn_id": id, "cwd": "/srv/orchard", "model": "gpt-x",
            "approval_policy": "never", "sandbox_policy": {"type": "read-only"}}),
        ),
        said("user", "input_text", format!("prune row {number}")),
        (
            "response_item",
            json!({"type": "function_call", "name": "exec_command",
            "call_id": format!("c{number}"), "arguments": "{\"cmd\":\"prune\"}"}),
        ),
        (
            "response_item",
            json!({"type": "function_call_output", "call_id": format!("c{number}"),
            "output": "Process exited with code 0\nok"}),
        ),
        said("assistant", "output_text", format!("Row {number} is pruned.")),
        (
            "event_msg",
            json!({"type": "token_count", "info": {
            "total_token_usage": usage(number), "last_token_usage": usage(1)}}),
        ),
        (
            "event_msg",
            json!({"type": if number == 2 { "turn_aborted" } else { "task_complete" },
            "turn_id": id}),
        ),
    ];
    if back {
        lines.push(("event_msg", json!({"type": "thread_rolled_back", "num_turns": 1})));
    }
    lines
}

#[test]
fn a_turn_that_codex_rolled_back() {
    let place = Place::new();
    let name = "rollout-2026-05-04T08-00-00-019d10aa-7000-7000-8000-00000000c0de.jsonl";
    let path = place.path().join("home/.codex/sessions/2026/05/04").join(name);
    let write = |turns: &[Vec<(&'static str, Value)>]| {
        common::put(&path, &super::acts::codex(&turns.concat()));
    };
    let session = Rewinding { place: &place, name: super::acts::CODEX.to_owned() };
    write(&[codex_turn(1, false), codex_turn(2, false)]);
    let (issued, _) = session.all("all");
    assert_eq!(issued[0]["turn"]["status"], "completed");
    assert_eq!(issued[1]["turn"]["status"], "interrupted");
    assert_eq!(issued[1]["account"]["tokens"]["count"], 107);
    write(&[codex_turn(1, false), codex_turn(2, true)]);
    session.keeps(&issued, 2);
    write(&[codex_turn(1, false), codex_turn(2, true), codex_turn(3, false)]);
    session.keeps(&issued, 2);
    let (now, _) = session.all("all");
    assert_eq!(now[1]["evidence"]["turn_number"], 2);
    assert_eq!(now[0], issued[0], "the turn before is not touched by what was taken back");
}

#[test]
fn messages_to_which_gemini_rewound() {
    let place = Place::new();
    let id = "0f0f0f0f-0000-4000-8000-000000000002";
    let head = json!({"sessionId": id, "projectHash": "1".repeat(64),
        "startTime": "2026-05-04T08:00:00.000Z", "lastUpdated": "2026-05-04T08:00:00.000Z",
        "kind": "main"});
    let message = |at: usize| {
        let user = at.is_multiple_of(2);
        let mut message = json!({"id": format!("m{at}"),
            "timestamp": format!("2026-05-04T08:00:{at:02}.000Z"),
            "type": if user { "user" } else { "gemini" },
            "content": if user { json!([{"text": format!("pick row {at}")}]) }
                else { json!("picked") }});
        if !user {
            message["tokens"] = json!({"input": 10, "output": 2, "cached": 0, "thoughts": 0,
                "tool": 0, "total": 12});
            message["toolCalls"] = json!([{"id": format!("c{at}"), "name": "run_shell_command",
                "args": {"command": "pick"}, "status": "success",
                "timestamp": "2026-05-04T08:00:30.000Z", "result": [{"functionResponse": {
                    "id": format!("c{at}"), "name": "run_shell_command",
                    "response": {"output": "ok"}}}]}]);
        }
        message
    };
    let path = place.path().join("home/.gemini/tmp").join("1".repeat(64)).join("chats");
    let path = path.join("session-2026-05-04T08-00-0f0f0f0f.jsonl");
    let write = |lines: &[Value]| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        common::put(&path, &text);
    };
    // An answer is written before its call, and again with it: the same tokens, once.
    let states = |at: usize| {
        let mut first = message(at);
        first.as_object_mut().unwrap().remove("toolCalls");
        if at.is_multiple_of(2) { vec![message(at)] } else { vec![first, message(at)] }
    };
    let mut lines = vec![head];
    lines.extend((0..6).flat_map(states));
    write(&lines);
    let session = Rewinding { place: &place, name: path.to_str().unwrap().to_owned() };
    let (issued, _) = session.all("all");
    assert_eq!(issued.len(), 3);
    issued.iter().for_each(|it| assert_eq!(it["account"]["tokens"]["count"], 12));
    lines.push(json!({"$rewindTo": "m2"}));
    write(&lines);
    session.keeps(&issued, 2);
    lines.extend([message(8), message(9)]);
    write(&lines);
    session.keeps(&issued, 2);
}

/// A session as OpenCode exports it: turns of a prompt and an answer with a call.
fn opencode(turns: u64, revert: Option<&str>) -> String {
    let session = "ses_5b1fe7a02ffeTwoQ1wE3rT5yU7i";
    let mut messages = Vec::new();
    for turn in 0..turns {
        let (asked, said) = (format!("msg_{turn}a01"), format!("msg_{turn}b01"));
        let at = 1_790_000_000_000 + turn * 1000;
        messages.push(json!({"info": {"id": asked, "sessionID": session, "role": "user",
            "time": {"created": at}, "agent": "build"},
            "parts": [{"id": format!("prt_{turn}a"), "sessionID": session, "messageID": asked,
                "type": "text", "text": format!("rake bed {turn}")}]}));
        messages.push(json!({"info": {"id": said, "sessionID": session, "role": "assistant",
            "parentID": asked, "time": {"created": at + 1, "completed": at + 9},
            "modelID": "claude-x", "providerID": "anthropic", "finish": "stop",
            "tokens": {"input": 5, "output": 1, "reasoning": 0, "cache": {"read": 0, "write": 0}}},
            "parts": [
                {"id": format!("prt_{turn}b1"), "sessionID": session, "messageID": said,
                    "type": "tool", "callID": format!("call{turn}"), "tool": "bash",
                    "state": {"status": "completed", "input": {"command": "rake"}, "output": "ok",
                        "metadata": {"exit": 0}, "title": "rake",
                        "time": {"start": at + 2, "end": at + 3}}},
                {"id": format!("prt_{turn}b2"), "sessionID": session, "messageID": said,
                    "type": "text", "text": "Raked.", "time": {"start": at + 4, "end": at + 5}}]}));
    }
    let mut info = json!({"id": session, "slug": "calm-hen", "version": "1.1.53",
        "projectID": "p", "directory": "/srv/orchard", "title": "Beds",
        "time": {"created": 1_790_000_000_000_u64, "updated": 1_790_000_000_000 + turns * 1000}});
    if let Some(message) = revert {
        let (message, part) = message.split_once('/').unwrap_or((message, ""));
        info["revert"] = json!({"messageID": message, "snapshot": "5fe1c0"});
        if !part.is_empty() {
            info["revert"]["partID"] = part.into();
        }
    }
    json!({"info": info, "messages": messages}).to_string()
}

#[test]
fn what_open_code_reverted() {
    let place = Place::new();
    let path = place.path().join("beds.json");
    common::put(&path, &opencode(3, None));
    let session = Rewinding { place: &place, name: path.to_str().unwrap().to_owned() };
    let (issued, _) = session.all("all");
    assert_eq!(issued.len(), 3);
    common::put(&path, &opencode(3, Some("msg_1a01")));
    session.keeps(&issued, 2);
    // From a part on: the turn is there as it was before, beside what is left of it.
    common::put(&path, &opencode(3, Some("msg_2b01/prt_2b2")));
    let (code, said) = session.check(&issued[2]);
    assert!(code == 0 && said.contains("was rewound"), "{said}");
    let (code, said) = session.check(&issued[1]);
    assert!(code == 0 && !said.contains("was rewound"), "{said}");
    // Before the next prompt the agent deletes it: then it is gone.
    common::put(&path, &opencode(1, None));
    let (code, said) = session.check(&issued[2]);
    assert!(code == 1 && said.contains("the turn is gone"), "{said}");
}

/// A tree of entries, of which a leaf names the live branch.
#[test]
fn another_leaf_of_code_whale() {
    let place = Place::new();
    let entry = |id: &str, parent: &str, user: bool| {
        json!({"id": id, "parent_id": parent, "kind": if user { "user" } else { "assistant" },
            "text": format!("{id} of the tree")})
    };
    let write = |entries: &[Value], leaf: &str| {
        let document = json!({"schema_version": 1, "metadata": {
            "id": "5b0e2c54-1b7f-4a3d-9c40-2f1e5a7b9d33", "updated_at": "2026-09-21T14:13:29Z"},
            "messages": [], "system_prompt": Value::Null,
            "journal": {"entries": entries, "leaf_id": leaf}});
        let path = place.path().join("home/.codewhale/sessions");
        let path = path.join("5b0e2c54-1b7f-4a3d-9c40-2f1e5a7b9d33.json");
        common::put(&path, &serde_json::to_string_pretty(&document).unwrap());
        path.to_str().unwrap().to_owned()
    };
    let mut entries = vec![
        entry("root", "", true),
        entry("stem", "root", false),
        entry("twig", "stem", true),
        entry("bud", "twig", false),
    ];
    let session = Rewinding { place: &place, name: write(&entries, "bud") };
    let (issued, _) = session.all("all");
    assert_eq!(issued.len(), 2);
    entries.extend([entry("branch", "stem", true), entry("leaf", "branch", false)]);
    write(&entries, "leaf");
    session.keeps(&issued, 2);
    let (now, _) = session.all("all");
    write(&entries, "bud");
    let (code, said) = session.check(&now[1]);
    assert!(code == 0 && said.contains("was rewound"), "{said}");
    assert!(!session.check(&issued[1]).1.contains("was rewound"));
}

/// Rows of Cursor's desktop: a restored checkpoint leaves bubbles out of the composer's list.
#[test]
fn bubbles_that_cursor_left_out() {
    let place = Place::new();
    let id = "5b3e9f10-7a22-4c1d-8a55-0c2f6e1d9b70";
    let database = place.path().join("state.vscdb");
    let write = |count: usize, listed: &[usize]| {
        drop(std::fs::remove_file(&database));
        let rows = rusqlite::Connection::open(&database).unwrap();
        rows.execute_batch(
            "CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
             CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);",
        )
        .unwrap();
        let kind = |at: usize| if at.is_multiple_of(2) { 1 } else { 2 };
        let name = |at: usize| format!("b{at}");
        let put = |key: String, value: Value| {
            let row = "INSERT INTO cursorDiskKV VALUES (?1, ?2)";
            rows.execute(row, (key, value.to_string())).unwrap();
        };
        let listed: Vec<Value> =
            listed.iter().map(|at| json!({"bubbleId": name(*at), "type": kind(*at)})).collect();
        put(
            format!("composerData:{id}"),
            json!({"_v": 10, "composerId": id,
            "createdAt": 1_780_000_000_000_u64, "fullConversationHeadersOnly": listed}),
        );
        for at in 0..count {
            put(
                format!("bubbleId:{id}:{}", name(at)),
                json!({"_v": 3, "bubbleId": name(at),
                "type": kind(at), "text": format!("bed {at}"),
                "createdAt": format!("2026-05-04T08:00:{at:02}.000Z"),
                "tokenCount": {"inputTokens": 0, "outputTokens": 0}}),
            );
        }
    };
    write(6, &[0, 1, 2, 3, 4, 5]);
    let name = |path: &Path| path.to_str().unwrap().to_owned();
    let session = Rewinding { place: &place, name: name(&database) };
    let (issued, _) = session.all("all");
    assert_eq!(issued.len(), 3);
    write(8, &[0, 1, 6, 7]);
    session.keeps(&issued, 2);
}
