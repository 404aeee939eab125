//! Each call that is written has its result, in the form of each agent, by a parser of its own.

use serde_json::{Value, json};
use session::{Bundle, Member, Session, Stream};
use std::sync::Arc;
use verbatim_formats::{Options, by_name, write_with};

/// A session of Codex: a search by the provider, two calls of an interrupted turn, one that failed.
fn codex() -> Session {
    let said = |role: &str, text: &str| {
        let kind = if role == "user" { "input_text" } else { "output_text" };
        json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
    };
    let call = |id: &str, command: &str| {
        let arguments = json!({"command": ["bash", "-lc", command]}).to_string();
        json!({"type": "function_call", "name": "shell", "arguments": arguments, "call_id": id})
    };
    let search = json!({"type": "search", "query": "tide tables"});
    let items = [
        said("user", "When is high tide?"),
        json!({"type": "web_search_call", "status": "completed", "action": search}),
        said("assistant", "At noon. I look at the boats."),
        call("call_a", "ls boats"),
        call("call_b", "ls quays"),
        said("user", "Stop. Only the nets."),
        call("call_c", "ls nets"),
        json!({"type": "function_call_output", "call_id": "call_c",
            "output": "Exit code: 2\nOutput:\nno nets"}),
        said("assistant", "There are none."),
    ];
    let head = json!({"timestamp": "2026-02-01T08:00:00.000Z", "type": "session_meta", "payload":
        {"id": "019c1a2b-0000-7000-8000-00000000c0de", "cwd": "/srv/quay", "cli_version": "0.100.0",
         "timestamp": "2026-02-01T08:00:00.000Z", "originator": "codex_cli_rs", "source": "cli"}});
    let line = |(at, item): (usize, &Value)| {
        let time = format!("2026-02-01T08:01:{at:02}.000Z");
        format!("{}\n", json!({"timestamp": time, "type": "response_item", "payload": item}))
    };
    let lines: String = items.iter().enumerate().map(line).collect();
    let name = "rollout-2026-02-01T08-00-00-019c1a2b-0000-7000-8000-00000000c0de.jsonl";
    read("codex", name, format!("{head}\n{lines}"))
}

fn read(agent: &str, name: &str, text: String) -> Session {
    let member = Member::new(name, Stream::Main, text.into_bytes()).expect("short");
    let agent = by_name(agent).expect("a format");
    agent.read(Arc::new(Bundle { members: vec![member] })).remove(0)
}

/// The values of the first file that an agent reads, of all its lines.
fn written(session: &Session, target: &str) -> Vec<Value> {
    let target = by_name(target).expect("a format");
    let written = write_with(target, session, &Options::default()).expect("written");
    let bytes = written.files.iter().flat_map(|(_, bytes)| bytes.to_vec()).collect::<Vec<_>>();
    let values = serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>();
    values.map(|value| value.expect("JSON")).collect()
}

/// All objects in a value, in order.
fn objects<'v>(value: &'v Value, found: &mut Vec<&'v Value>) {
    match value {
        Value::Object(members) => {
            found.push(value);
            members.values().for_each(|one| objects(one, found));
        }
        Value::Array(all) => all.iter().for_each(|one| objects(one, found)),
        _ => {}
    }
}

const MADE: &str = "[No result of this call was recorded.]";

/// Ids of calls and results in the order of the files, by the types of the objects that hold them.
fn pairs(values: &[Value], call: (&str, &str), result: (&str, &str)) -> [Vec<String>; 2] {
    let mut all = Vec::new();
    values.iter().for_each(|value| objects(value, &mut all));
    [call, result].map(|(kind, id)| {
        let own = all.iter().filter(|object| object["type"] == kind);
        own.filter_map(|object| object[id].as_str().map(str::to_owned)).collect()
    })
}

#[test]
fn each_call_has_its_result_in_every_form() {
    let session = codex();
    let forms = [
        ("claude-code", ("tool_use", "id"), ("tool_result", "tool_use_id")),
        ("codewhale", ("tool_use", "id"), ("tool_result", "tool_use_id")),
        ("cursor", ("tool-call", "toolCallId"), ("tool-result", "toolCallId")),
    ];
    for (target, call, result) in forms {
        let values = written(&session, target);
        let [calls, results] = pairs(&values, call, result);
        assert_eq!(calls.len(), 4, "{target}");
        assert_eq!(calls, results, "{target}");
        let made = values.iter().map(|value| value.to_string().matches(MADE).count());
        assert_eq!(made.sum::<usize>(), 3, "{target}");
    }
    let gemini = written(&session, "gemini");
    let mut all = Vec::new();
    gemini.iter().for_each(|value| objects(value, &mut all));
    let calls: Vec<_> = all.iter().filter(|object| object["args"].is_object()).collect();
    assert_eq!(calls.len(), 4);
    for call in calls {
        assert_eq!(call["id"], call["result"][0]["functionResponse"]["id"]);
        assert_eq!(call["name"], call["result"][0]["functionResponse"]["name"]);
    }
    let opencode = written(&session, "opencode");
    let mut all = Vec::new();
    opencode.iter().for_each(|value| objects(value, &mut all));
    let tools: Vec<_> = all.iter().filter(|part| part["type"] == "tool").collect();
    let ended = |state: &Value| state["output"].is_string() || state["error"].is_string();
    assert_eq!(tools.iter().filter(|part| ended(&part["state"])).count(), 4);
    let sage = written(&session, "sage");
    let calls = sage.iter().filter_map(|line| line["tool_calls"].get(0));
    assert_eq!(calls.filter(|call| call["result"].is_string()).count(), 4);
}

/// The answers on both sides of a result that nobody wrote down are two; the calls of one message
/// that was interrupted stay together.
#[test]
fn a_text_after_an_unanswered_call_is_another_answer() {
    let lines = written(&codex(), "claude-code");
    let model = lines.iter().filter(|line| line["type"] == "assistant");
    let ids: Vec<_> = model.map(|line| line["message"]["id"].to_string()).collect();
    assert_eq!(ids.len(), 6);
    assert_ne!(ids[0], ids[1], "the search, and the text after it");
    assert_eq!(ids[1], ids[2], "the text, and the call that it announces");
    assert_ne!(ids[3], ids[4]);
    let mine = written(&claude(), "gemini");
    let counts: Vec<_> =
        mine.iter().filter_map(|m| Some(m["toolCalls"].as_array()?.len())).collect();
    assert_eq!(counts, [2], "two calls of one message");
}

/// A session of Claude Code: two calls of one message without results, a prompt that is a document,
/// and an empty text before a picture.
fn claude() -> Session {
    let call = |id: &str| {
        json!({"type": "tool_use", "id": id, "name": "Bash", "input":
        {"command": format!("ls {id}")}})
    };
    let user =
        |content: Value| json!({"type": "user", "message": {"role": "user", "content": content}});
    let source = |kind: &str| json!({"type": "base64", "media_type": kind, "data": "aGFyYm91cg=="});
    let png = source("image/png");
    let lines = [
        user(json!("Look at both.")),
        json!({"type": "assistant", "message": {"id": "msg_1", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": "I look."}, call("one"), call("two")]}}),
        user(json!([{"type": "document", "source": source("application/pdf")}])),
        user(json!([{"type": "text", "text": "  "}, {"type": "image", "source": png}])),
    ];
    let line = |(at, line): (usize, &Value)| {
        let mut line = line.clone();
        line["uuid"] = format!("u{at}").into();
        line["parentUuid"] = at.checked_sub(1).map(|at| format!("u{at}")).into();
        line["timestamp"] = format!("2026-02-02T10:00:0{at}.000Z").into();
        line["sessionId"] = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e77".into();
        line["cwd"] = "/srv/quay".into();
        format!("{line}\n")
    };
    read("claude-code", "a.jsonl", lines.iter().enumerate().map(line).collect())
}

#[test]
fn no_message_and_no_part_is_empty() {
    for target in ["claude-code", "codex", "gemini", "opencode", "codewhale", "cursor"] {
        let session = if target == "claude-code" {
            // Its own session crosses by way of another agent.
            let there = written(&claude(), "codewhale").remove(0).to_string();
            read("codewhale", "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e77.json", there)
        } else {
            claude()
        };
        let values = written(&session, target);
        let mut all = Vec::new();
        values.iter().for_each(|value| objects(value, &mut all));
        for object in all {
            for key in ["content", "parts", "text"] {
                let empty = match &object[key] {
                    Value::Array(parts) => parts.is_empty(),
                    Value::String(text) => text.trim().is_empty(),
                    _ => false,
                };
                // A message of the model with calls alone has no text of its own there.
                let calls = object.get("toolCalls").is_some();
                assert!(!empty || calls, "{target}: {key} of {object}");
            }
        }
    }
}

/// Ids that a provider refuses are derived, and no derived one is another call's own.
#[test]
fn ids_fit_and_are_unique() {
    let long = "x".repeat(41);
    let ids = ["a b", "call_1", "same", "same", long.as_str(), "call_3", ""];
    let call = |id: &&str| json!({"type": "tool_use", "id": id, "name": "1st tool", "input": {}});
    let content: Vec<Value> = ids.iter().map(call).collect();
    let base = json!({"sessionId": "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e78", "cwd": "/srv/quay",
        "timestamp": "2026-02-02T10:00:00.000Z"});
    let line = |more: Value| {
        let mut line = base.clone();
        let members = more.as_object().expect("an object").clone();
        line.as_object_mut().expect("an object").extend(members);
        format!("{line}\n")
    };
    let asked = line(json!({"type": "user", "uuid": "u0", "parentUuid": null,
        "message": {"role": "user", "content": "All of them."}}));
    let answer = line(json!({"type": "assistant", "uuid": "u1", "parentUuid": "u0",
        "message": {"id": "m", "role": "assistant", "model": "m", "content": content}}));
    let session = read("claude-code", "b.jsonl", asked + &answer);
    let lines = written(&session, "codex");
    let calls: Vec<&Value> = lines
        .iter()
        .map(|line| &line["payload"])
        .filter(|p| p["type"] == "function_call")
        .collect();
    let mut written: Vec<&str> = calls.iter().filter_map(|call| call["call_id"].as_str()).collect();
    assert_eq!(written.len(), ids.len());
    assert!(written.contains(&"call_3"), "its own");
    let fit = |id: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        (1..=40).contains(&id.len()) && id.chars().all(plain)
    };
    assert!(written.iter().all(fit), "{written:?}");
    written.sort_unstable();
    written.dedup();
    assert_eq!(written.len(), ids.len());
    assert!(calls.iter().all(|call| call["name"] == "_1st_tool"));
}
