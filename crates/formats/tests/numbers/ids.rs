//! Ids that repeat: exports replace them by one word, relays give every answer the same one. Two
//! values with one id are one answer only if the later one repeats the earlier, or continues it.

use std::collections::BTreeMap;

use meaning::usage::Part;
use operations::usage::Counted;
use serde_json::{Value, json};

use super::{Home, PROJECT, SESSION, THREAD, parts, rollout, total};

/// Lines of a session: prompts, and answers with an id, perhaps a request, a text and counters.
fn spoken(session: &str, said: &[(&str, Option<&str>, &str, [u64; 2])]) -> Vec<Value> {
    let (mut lines, mut parent) = (Vec::new(), Value::Null);
    for (at, (id, request, text, [input, output])) in said.iter().enumerate() {
        let uuid = format!("{}-{at}", &session[..8]);
        let day = u64::from_str_radix(&session[..1], 16).unwrap_or(0) + 1;
        let time = format!("2026-08-{day:02}T09:14:{at:02}.000Z");
        let mut line = json!({"uuid": uuid, "parentUuid": parent, "sessionId": session,
            "timestamp": time, "gitBranch": "main"});
        let message = match *id {
            "" => json!({"role": "user", "content": text}),
            id => json!({"id": id, "type": "message", "role": "assistant", "model": "claude-x",
                "content": [{"type": "text", "text": text}],
                "usage": {"input_tokens": input, "output_tokens": output}}),
        };
        line["type"] = message["role"].clone();
        line["message"] = message;
        if let Some(request) = request {
            line["requestId"] = json!(request);
        }
        parent = json!(uuid);
        lines.push(line);
    }
    lines
}

#[test]
fn answers_that_a_relay_gives_one_id_are_different_answers() {
    let ask = ("", None, "next", [0, 0]);
    let of = |request, text, tokens| ("relay-1", request, text, tokens);
    let first = [
        ask,
        of(None, "oak", [100, 5]),
        ask,
        of(None, "elm", [200, 6]),
        // The same counters, behind a prompt.
        ask,
        of(None, "ash", [200, 6]),
    ];
    let second = [
        ask,
        of(Some("req_1"), "fir", [40, 1]),
        of(Some("req_1"), "and yew", [40, 3]),
        ask,
        of(Some("req_2"), "box", [50, 2]),
        // Blocks of one answer without the id of a request.
        ask,
        of(None, "lime", [70, 1]),
        of(None, "and pine", [70, 9]),
    ];
    let other = "6a2e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e11";
    let home = Home::new();
    home.put(&format!("{PROJECT}/{SESSION}.jsonl"), &spoken(SESSION, &first));
    home.put(&format!("{PROJECT}/{other}.jsonl"), &spoken(other, &second));
    let own = [(Part::Main, (6, 105 + 206 + 206 + 43 + 52 + 79))];
    assert_eq!(parts(&home.usage()), BTreeMap::from(own));
    // A copy of a file has no other answers.
    home.put(&format!("backup/{other}.jsonl"), &spoken(other, &second));
    assert_eq!(parts(&home.usage()), BTreeMap::from(own));
}

/// An export whose ids were replaced by one word.
fn replaced(answers: &[(u64, u64)], steps: bool) -> Value {
    let session = "ses_7q";
    let tokens = |n: u64| {
        json!({"input": 1000 * n, "output": 10 * n, "reasoning": 0,
            "cache": {"read": 0, "write": 0}})
    };
    let mut messages = vec![json!({
        "info": {"id": "msg_first", "sessionID": session, "role": "user",
            "time": {"created": 1_790_000_000_001_u64}},
        "parts": [{"id": "XX", "sessionID": session, "messageID": "msg_first", "type": "text",
            "text": "read them"}],
    })];
    for (n, made) in answers {
        let part = |kind: &str, more: Value| {
            let mut part =
                json!({"id": "XX", "sessionID": session, "messageID": "XX", "type": kind});
            let members = part.as_object_mut().expect("an object");
            members.extend(more.as_object().cloned().unwrap_or_default());
            part
        };
        let state = json!({"status": "completed", "input": {"filePath": format!("/shop/{n}")},
            "output": format!("leaf {n}"), "title": "", "metadata": {},
            "time": {"start": made, "end": made}});
        let mut parts = vec![
            part("step-start", json!({})),
            part("text", json!({"text": format!("Now {n}.")})),
            part("tool", json!({"callID": "XX", "tool": "read", "state": state})),
        ];
        if steps {
            let more = json!({"reason": "stop", "cost": 0.5, "tokens": tokens(*n)});
            parts.push(part("step-finish", more));
        }
        let info = json!({"id": "XX", "sessionID": session, "role": "assistant",
            "parentID": "msg_first", "modelID": "m", "providerID": "p", "mode": "build",
            "path": {"cwd": "/shop", "root": "/shop"}, "cost": 0.5, "tokens": tokens(*n),
            "time": {"created": made, "completed": made}});
        messages.push(json!({"info": info, "parts": parts}));
    }
    let info = json!({"id": session, "slug": "s", "projectID": "p", "directory": "/shop",
        "title": "T", "version": "1.18.33", "time": {"created": 1_790_000_000_000_u64,
        "updated": 1_790_000_009_000_u64}});
    json!({"info": info, "messages": messages})
}

#[test]
fn answers_and_parts_with_one_id_are_different_ones() {
    let day = 24 * 3_600_000;
    let apart = [(1, 1_790_000_001_000), (2, 1_790_000_001_000 + day), (2, 1_790_000_003_000)];
    // Even their times may be equal.
    let together = [(1, 1_790_000_001_000), (2, 1_790_000_001_000), (3, 1_790_000_001_000)];
    for (answers, steps) in [(apart, true), (apart, false), (together, true), (together, false)] {
        let home = Home::new();
        let export = replaced(&answers, steps);
        home.write("export.json", &export.to_string());
        let usage = home.usage();
        let all: u64 = answers.iter().map(|(n, _)| 1010 * n).sum();
        assert_eq!(parts(&usage), BTreeMap::from([(Part::Main, (3, all))]), "{answers:?} {steps}");
        // A step has the time of its answer.
        let counted = || usage.spent().filter(|spent| spent.counted == Counted::Yes);
        let mut times: Vec<i64> =
            counted().filter_map(|spent| Some(spent.time?.0 / 1000)).collect();
        times.sort_unstable();
        let mut wanted: Vec<i64> = answers.iter().map(|(_, made)| made.cast_signed()).collect();
        wanted.sort_unstable();
        assert_eq!(times, wanted, "steps: {steps}");
        // Nothing was replaced, and each call has its own result.
        let text = export.to_string();
        let member = session::Member::new("e.json", session::Stream::Main, text.into_bytes());
        let bundle = session::Bundle { members: member.into_iter().collect() };
        let read = verbatim_formats::by_name("opencode").expect("a format").read(bundle.into());
        let calls = meaning::Calls::of(&read[0]);
        let mut found = 0;
        for call in read[0].events().filter(|event| event.kind == session::Kind::ToolCall) {
            assert!(call.standing().is_live());
            let result = calls.result(call.index).map(|result| read[0].event(result));
            let said = result.and_then(|result| result.text(session::Slot::Output));
            let input = String::from_utf8_lossy(call.raw(session::Slot::Input).expect("input"));
            let file = input.replace("{\"filePath\":\"/shop/", "leaf ").replace("\"}", "");
            assert_eq!(said.as_deref(), Some(&*file));
            found += 1;
        }
        assert_eq!(found, 3);
    }
}

/// A sub-agent whose running total continues its parent's, without a copy of its history.
#[test]
fn a_thread_that_goes_on_from_another_total_counts_its_own() {
    let child = "0198f2aa-1c2d-7e3f-8a4b-5c6d7e8f9099";
    let home = Home::new();
    let name =
        |id: &str| format!(".codex/sessions/2026/07/30/rollout-2026-07-30T10-01-02-{id}.jsonl");
    home.put(&name(THREAD), &rollout(5));
    let all = rollout(7);
    for member in ["forked_from_id", "parent_thread_id"] {
        let mut lines = vec![all[0].clone(), all[6].clone(), all[7].clone()];
        lines[0]["payload"]["id"] = json!(child);
        lines[0]["payload"][member] = json!(THREAD);
        lines[0]["payload"]["thread_source"] = json!("subagent");
        home.put(&name(child), &lines);
        assert_eq!(total(&home.usage()), 550 + 220, "{member}");
    }
}
