//! A sub-agent whose answers are in lines of the session that report what it does.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use serde_json::{Value, json};
use session::{Bundle, Member, Session, Stream};
use verbatim_views::transcript::{Detail, Transcript, TurnSum};

fn line(kind: &str, second: u32, more: &Value) -> String {
    let mut line = json!({ "type": kind, "uuid": format!("u{second}"), "sessionId": "s1",
        "cwd": "/home/ana/farm", "timestamp": format!("2026-04-02T07:30:{second:02}.000Z") });
    if second > 1 {
        line["parentUuid"] = json!(format!("u{}", second - 1));
    }
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{line}\n")
}

fn answer(second: u32, content: &Value) -> Value {
    json!({ "role": "assistant", "id": format!("msg_{second}"), "model": "claude-opus-4-6",
        "usage": { "input_tokens": 3, "output_tokens": 7 }, "content": content })
}

/// A session with a sub-agent; the reported answer is of this call.
fn session(of: &str) -> Session {
    let task = json!([{ "type": "tool_use", "id": "t1", "name": "Task",
        "input": { "description": "Look for mice", "prompt": "Any mice?" } }]);
    let done = json!([{ "type": "tool_result", "tool_use_id": "t1", "content": "none" }]);
    let reported = json!({ "type": "assistant", "uuid": "r1", "requestId": "req_9",
        "timestamp": "2026-04-02T07:30:03.000Z",
        "message": answer(30, &json!([{ "type": "text", "text": "I look." }])) });
    let text = [
        line("user", 1, &json!({ "message": { "role": "user", "content": "look for mice" } })),
        line("assistant", 2, &json!({ "message": answer(2, &task) })),
        line(
            "progress",
            3,
            &json!({ "toolUseID": "agent_msg_1", "parentToolUseID": of,
                "data": { "type": "agent_progress", "agentId": "mice01a", "message": reported } }),
        ),
        line(
            "user",
            4,
            &json!({ "message": { "role": "user", "content": done },
                "toolUseResult": { "status": "completed", "agentId": "mice01a",
                    "totalDurationMs": 4000, "totalTokens": 777, "totalToolUseCount": 2 } }),
        ),
    ];
    let format = formats::by_name("claude-code").unwrap();
    let member =
        Member::new("s1.jsonl".to_owned(), Stream::Main, text.concat().into_bytes()).unwrap();
    format.read(Arc::new(Bundle { members: vec![member] })).swap_remove(0)
}

#[test]
fn its_answers_are_in_the_sums_of_the_turn() {
    for (of, apart) in [("t1", 0), ("t2", 1)] {
        let session = session(of);
        let items = Transcript::of(&session, Detail::Brief).with_spending(&|_| None);
        let turns: Vec<_> = items.by_turn().collect();
        let sum: &TurnSum = &turns[0].sum;
        assert_eq!((sum.agents, sum.spending.apart), (1, apart), "{of}");
        assert_eq!((sum.spending.answers, sum.spending.tokens.total()), (2, 20), "{of}");
    }
}
