//! Receipts count acts, not calls. Each session is invented, and each number is known from
//! how it was invented.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::common::{self, ID, Place};

/// Lines of a Claude Code session: each value is a line without what all lines have.
pub(crate) fn claude(lines: &[Value]) -> String {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        let parent = at.checked_sub(1).map(|at| format!("line-{at}"));
        let mut whole = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external",
            "cwd": "/srv/orchard", "sessionId": ID, "version": "2.1.97", "gitBranch": "main",
            "uuid": format!("line-{at}"),
            "timestamp": format!("2026-05-04T08:{:02}:{:02}.000Z", at / 60, at % 60),
        });
        for (name, value) in line.as_object().unwrap() {
            whole[name] = value.clone();
        }
        text += &format!("{whole}\n");
    }
    text
}

pub(crate) fn prompt(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

pub(crate) fn answer(id: &str, block: Value, stop: &str) -> Value {
    json!({"type": "assistant", "message": {
        "id": id, "type": "message", "role": "assistant", "model": "claude-x", "content": [block],
        "stop_reason": stop, "usage": {"input_tokens": 3, "output_tokens": 2},
    }})
}

pub(crate) fn says(id: &str, text: &str) -> Value {
    answer(id, json!({"type": "text", "text": text}), "end_turn")
}

fn block(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

pub(crate) fn call(id: &str, name: &str, input: Value) -> Value {
    answer(&format!("msg-{id}"), block(id, name, input), "tool_use")
}

pub(crate) fn result(id: &str, text: &str, failed: bool) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed},
    ]}})
}

pub(crate) fn put(place: &Place, text: &str) -> PathBuf {
    let path = place.path().join("home/.claude/projects/-srv-orchard").join(format!("{ID}.jsonl"));
    common::put(&path, text);
    path
}

pub(crate) fn receipts(place: &Place, name: &str) -> Vec<Value> {
    let ran = place.run(&["receipt", name, "--turn", "all", "--unfinished"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// Compares numbers of an account with the expected ones.
pub(crate) fn expect(receipt: &Value, numbers: &[(&str, Value)]) {
    for (name, number) in numbers {
        let counted = &receipt["account"][*name];
        assert_eq!(counted["count"], *number, "{name}: {counted}");
    }
}

fn edit(id: &str) -> Value {
    call(id, "Edit", json!({"file_path": "/srv/orchard/a", "old_string": "a", "new_string": "b"}))
}

const REFUSAL: &str = "The user doesn't want to proceed with this tool use. The tool use was \
                       rejected.";

/// A turn with calls that were refused, that failed, and that went well; and one without calls.
fn orchard() -> String {
    let bash = |id: &str, command: &str| call(id, "Bash", json!({"command": command}));
    let typed = |mut line: Value, name: &str, value: &str| {
        line[name] = value.into();
        line
    };
    claude(&[
        prompt("prune the trees"),
        bash("b1", "prune --all"),
        typed(result("b1", REFUSAL, true), "toolUseResult", "User rejected tool use"),
        edit("e1"),
        typed(result("e1", "not in this orchard", true), "toolDenialKind", "permission-rule"),
        bash("b2", "Permission to use Bash"),
        result("b2", "Permission to use Bash with command rake has been denied.", true),
        bash("b3", "false"),
        result("b3", "Exit code 1\nno ladder", true),
        bash("b4", "true"),
        result(
            "b4",
            "<tool_use_error>Cancelled: parallel tool call Bash errored</tool_use_error>",
            true,
        ),
        edit("e2"),
        result("e2", "<tool_use_error>String to replace not found in file.</tool_use_error>", true),
        edit("e3"),
        result("e3", "The file was updated.", false),
        call("w1", "WebFetch", json!({"url": "https://pears.example", "prompt": "p"})),
        result("w1", "pears", false),
        call("x1", "Bash", json!({"command": "ls", "dangerouslyDisableSandbox": true})),
        result("x1", "tree", false),
        call("m1", "mcp__shed__open", json!({})),
        result("m1", "open", false),
        says("m9", "Done."),
        prompt("thanks"),
        says("m10", "You're welcome."),
    ])
}

/// Ids repeat: a result of an earlier turn, whose own call is not in the source, says nothing of a
/// later call with its id.
#[test]
fn a_result_of_an_earlier_turn_is_not_that_of_a_later_call() {
    let place = Place::new();
    let text = claude(&[
        prompt("water the pears"),
        result("b1", "no water", true),
        says("m1", "There is none."),
        prompt("dig a well"),
        call("b1", "Bash", json!({"command": "dig"})),
        says("m2", "I wait."),
    ]);
    let path = put(&place, &text);
    let all = receipts(&place, path.to_str().unwrap());
    let unknown = json!("unavailable");
    expect(&all[0], &[("tool_calls", 0.into()), ("tool_results", 1.into())]);
    expect(&all[1], &[("tool_calls", 1.into()), ("calls_failed", unknown.clone())]);
    expect(&all[1], &[("commands_executed", unknown)]);
}

#[test]
fn refused_and_failed_calls_stand_apart() {
    let place = Place::new();
    let path = put(&place, &orchard());
    let all = receipts(&place, path.to_str().unwrap());
    expect(
        &all[0],
        &[
            ("tool_calls", 10.into()),
            ("tool_results", 10.into()),
            ("commands_executed", 2.into()),
            ("files_changed", 1.into()),
            ("network_used", 1.into()),
            ("server_tools_called", 1.into()),
            ("calls_refused", 3.into()),
            ("approvals_denied", 3.into()),
            ("approvals_asked", "unavailable".into()),
            ("escalations_wished", 1.into()),
            ("calls_failed", 3.into()),
        ],
    );
    let boundary = &all[0]["side_effect_boundary"];
    assert_eq!(boundary["command_execution_count"], 2);
    assert_eq!(boundary["approval_denied_count"], 3);
    // Each record opens as the call that it counts.
    let bytes = std::fs::read(&path).unwrap();
    let opened = |name: &str| -> Vec<String> {
        let records = all[0]["account"][name]["records"].as_array().unwrap();
        let open = |record: &Value| -> Value {
            let [start, end] = ["start", "end"].map(|at| record[at].as_u64().unwrap() as usize);
            serde_json::from_slice(&bytes[start..end]).unwrap()
        };
        records.iter().map(|it| open(it)["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(opened("commands_executed"), ["b3", "x1"]);
    assert_eq!(opened("calls_refused"), ["b1", "e1", "b2"]);
    assert_eq!(opened("calls_failed"), ["b3", "b4", "e2"]);
    // A turn without a call: each zero has the name of the record that would have said otherwise.
    expect(&all[1], &[("commands_executed", 0.into()), ("calls_refused", 0.into())]);
    assert_eq!(all[1]["account"]["commands_executed"]["zero_by"], "assistant");
    assert_eq!(all[1]["account"]["calls_refused"]["zero_by"], "assistant");
    assert_eq!(all[1]["account"]["approvals_allowed"]["zero_by"], Value::Null);
}

#[test]
fn what_a_sub_agent_did_is_in_its_turn() {
    let place = Place::new();
    let step = |at: u8, role: &str, block: Value| {
        json!({"type": "progress", "toolUseID": format!("p{at}"), "parentToolUseID": "t1", "data": {
            "type": "agent_progress", "agentId": "c0ffee1", "message": {
                "type": role, "uuid": format!("step-{at}"),
                "message": {"id": format!("sub-{at}"), "role": role, "content": [block]},
            },
        }})
    };
    let told = |id: &str, text: &str, failed: bool| {
        json!({"type": "tool_result", "tool_use_id": id, "content": text,
            "is_error": failed})
    };
    let write = block("s2", "Write", json!({"file_path": "/srv/orchard/x", "content": "y"}));
    let lines = |agent: bool| {
        let mut lines = vec![
            prompt("count the apples"),
            call("t1", "Task", json!({"prompt": "count", "subagent_type": "general"})),
        ];
        if agent {
            lines.extend([
                step(1, "assistant", block("s1", "Bash", json!({"command": "count"}))),
                step(2, "user", told("s1", "12", false)),
                step(3, "assistant", write.clone()),
                step(4, "user", told("s2", REFUSAL, true)),
            ]);
        }
        lines.extend([result("t1", "twelve", false), says("m9", "Twelve.")]);
        claude(&lines)
    };
    let path = put(&place, &lines(true));
    let all = receipts(&place, path.to_str().unwrap());
    expect(
        &all[0],
        &[
            ("tool_calls", 1.into()),
            ("commands_executed", 1.into()),
            ("files_changed", 0.into()),
            ("calls_refused", 1.into()),
        ],
    );
    assert_eq!(all[0]["account"]["commands_executed"]["records"][0]["within"], "sub-agent");
    // Without the sub-agent's records nobody knows what it did.
    put(&place, &lines(false));
    let all = receipts(&place, path.to_str().unwrap());
    expect(&all[0], &[("commands_executed", "unavailable".into()), ("tool_calls", 1.into())]);
    let why = all[0]["account"]["commands_executed"]["reason"].as_str().unwrap();
    assert!(why.contains("sub-agent"), "{why}");
}

/// Lines of a Codex session.
pub(crate) fn codex(lines: &[(&str, Value)]) -> String {
    let meta = json!({"id": "019d10aa-7000-7000-8000-00000000c0de", "cwd": "/srv/orchard",
        "timestamp": "2026-05-04T08:00:00.000Z", "originator": "codex_cli_rs",
        "cli_version": "0.110.0", "source": "cli"});
    let mut text = String::new();
    for (at, (kind, payload)) in [("session_meta", meta)].iter().chain(lines).enumerate() {
        let time = format!("2026-05-04T08:00:{at:02}.000Z");
        text += &format!("{}\n", json!({"timestamp": time, "type": kind, "payload": payload}));
    }
    text
}

pub(crate) const CODEX: &str = "codex:019d10aa-7000-7000-8000-00000000c0de";

fn rollout(place: &Place, text: &str) -> Value {
    let name = "rollout-2026-05-04T08-00-00-019d10aa-7000-7000-8000-00000000c0de.jsonl";
    common::put(&place.path().join("home/.codex/sessions/2026/05/04").join(name), text);
    receipts(place, CODEX).remove(0)
}

fn asked() -> (&'static str, Value) {
    let content = json!([{"type": "input_text", "text": "water the trees"}]);
    ("response_item", json!({"type": "message", "role": "user", "content": content}))
}

#[test]
fn codex_records_no_decision_so_none_is_counted() {
    let place = Place::new();
    let run = |id: &str, more: &str| {
        let arguments = format!("{{\"cmd\":\"water\"{more}}}");
        (
            "response_item",
            json!({"type": "function_call", "name": "exec_command", "call_id": id,
            "arguments": arguments}),
        )
    };
    let told = |id: &str, text: &str| {
        ("response_item", json!({"type": "function_call_output", "call_id": id, "output": text}))
    };
    let text = codex(&[
        asked(),
        run("c1", ",\"sandbox_permissions\":\"require_escalated\""),
        told("c1", "exec command rejected by user"),
        run("c2", ""),
        told("c2", "Process exited with code 0\nwet"),
        ("event_msg", json!({"type": "task_complete", "last_agent_message": "ok"})),
    ]);
    let receipt = rollout(&place, &text);
    expect(
        &receipt,
        &[
            ("commands_executed", 1.into()),
            ("escalations_wished", 1.into()),
            ("calls_refused", 1.into()),
            ("approvals_asked", "unavailable".into()),
            ("approvals_allowed", "unavailable".into()),
            ("files_changed", 0.into()),
        ],
    );
    let text = codex(&[asked(), run("c2", ""), told("c2", "Process exited with code 0\nwet")]);
    let receipt = rollout(&place, &text);
    expect(
        &receipt,
        &[
            ("calls_refused", "unavailable".into()),
            ("approvals_denied", "unavailable".into()),
            ("escalations_wished", 0.into()),
        ],
    );
}

#[test]
fn a_script_of_codex_is_told_by_the_ends_that_are_recorded() {
    let place = Place::new();
    let script = |end: &[(&'static str, Value)]| {
        let mut lines = vec![
            asked(),
            (
                "response_item",
                json!({"type": "custom_tool_call", "status": "completed",
                "call_id": "c1", "name": "exec", "input": "await tools.water()"}),
            ),
        ];
        lines.extend(end.iter().cloned());
        lines.push((
            "response_item",
            json!({"type": "custom_tool_call_output", "call_id": "c1", "output": "done"}),
        ));
        codex(&lines)
    };
    let patch = |id: &str, success: bool| {
        (
            "event_msg",
            json!({"type": "patch_apply_end", "call_id": id, "stdout": "", "stderr": "",
            "success": success, "changes": {"/srv/orchard/a": {"type": "add", "content": "x"}}}),
        )
    };
    let shell = (
        "event_msg",
        json!({"type": "exec_command_end", "call_id": "exec-3",
        "command": ["water"], "aggregated_output": "", "exit_code": 0, "status": "completed"}),
    );
    let receipt = rollout(&place, &script(&[patch("exec-1", true), patch("exec-2", false)]));
    expect(
        &receipt,
        &[
            ("tool_calls", 1.into()),
            ("tool_results", 1.into()),
            ("files_changed", 1.into()),
            ("commands_executed", "unavailable".into()),
            ("network_used", "unavailable".into()),
            ("escalations_wished", "unavailable".into()),
        ],
    );
    assert_eq!(receipt["account"]["files_changed"]["records"][0]["within"], "script");
    assert_eq!(receipt["tool_lineage"]["unmatched_tool_result_ids"], json!([]));
    let receipt = rollout(&place, &script(&[shell]));
    expect(&receipt, &[("commands_executed", 1.into()), ("files_changed", "unavailable".into())]);
}

#[test]
fn the_sum_of_tokens_is_that_of_usage() {
    let place = Place::new();
    let message = |id: u8, kind: &str, more: Value| {
        let mut message = json!({"id": format!("m{id}"), "type": kind, "content": "apples",
            "timestamp": format!("2026-05-04T08:00:0{id}.000Z")});
        for (name, value) in more.as_object().unwrap() {
            message[name] = value.clone();
        }
        message
    };
    let tokens = json!({"input": 200, "output": 20, "cached": 50, "thoughts": 7, "tool": 33,
        "total": 260});
    let document = json!({
        "sessionId": "0d0d0d0d-0000-4000-8000-000000000001", "projectHash": "0".repeat(64),
        "startTime": "2026-05-04T08:00:00.000Z", "lastUpdated": "2026-05-04T08:09:00.000Z",
        "messages": [message(1, "user", json!({})), message(2, "gemini", json!({"tokens": tokens})),
            message(3, "user", json!({}))],
    });
    let path = place.path().join("session-2026-05-04T08-00-0d0d0d0d.json");
    common::put(&path, &document.to_string());
    let path = path.to_str().unwrap();
    let receipt = &receipts(&place, path)[0];
    let usage: Value = serde_json::from_str(&place.run(&["usage", path, "--json"]).out).unwrap();
    assert_eq!(receipt["account"]["tokens"]["count"], 260);
    assert_eq!(usage["all"]["total"], 260);
    let split = &receipt["usage_evidence"]["usage"];
    assert_eq!((&split["prompt_tokens"], &split["completion_tokens"]), (&233.into(), &27.into()));
}
