//! Ollama's `/api/chat`: one object per line.

use serde_json::{Value, json};

use super::{Answer, Request, chat};

pub(super) fn read(body: &Value) -> Request {
    let mut request = chat::read(body);
    request.stream = body["stream"].as_bool().unwrap_or(true);
    request
}

fn line(answer: &Answer, message: Value, done: bool) -> Value {
    let mut line = json!({
        "model": answer.model, "created_at": "2026-11-01T09:00:00Z", "message": message,
        "done": done,
    });
    if done {
        line["done_reason"] = "stop".into();
        line["prompt_eval_count"] = answer.told.tokens.prompt().into();
        line["eval_count"] = answer.told.tokens.output.into();
    }
    line
}

fn calls(answer: &Answer) -> Vec<Value> {
    let call =
        |call: &super::Call| json!({"function": {"name": call.name, "arguments": call.input}});
    answer.calls.iter().map(call).collect()
}

pub(super) fn whole(answer: &Answer) -> Value {
    let mut message = json!({"role": "assistant", "content": answer.told.text});
    if let Some(thinking) = &answer.thinking {
        message["thinking"] = thinking.as_str().into();
    }
    if !answer.calls.is_empty() {
        message["tool_calls"] = calls(answer).into();
    }
    line(answer, message, true)
}

pub(super) fn pieces(answer: &Answer) -> Vec<String> {
    let more = |message: Value, done: bool| format!("{}\n", line(answer, message, done));
    let say = |name: &str, text: &str| {
        let mut message = json!({"role": "assistant", "content": ""});
        message[name] = text.into();
        more(message, false)
    };
    let mut pieces: Vec<String> =
        answer.thinking.iter().map(|text| say("thinking", text)).collect();
    pieces.push(say("content", &answer.told.text));
    if answer.half {
        return pieces;
    }
    if !answer.calls.is_empty() {
        let message = json!({"role": "assistant", "content": "", "tool_calls": calls(answer)});
        pieces.push(more(message, false));
    }
    pieces.push(more(json!({"role": "assistant", "content": ""}), true));
    pieces
}
