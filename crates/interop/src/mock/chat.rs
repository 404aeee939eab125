//! OpenAI Chat Completions.

use serde_json::{Value, json};

use super::{Answer, Request, Turn, data, names, text_of};

pub(super) fn read(body: &Value) -> Request {
    let turn = |message: &Value| match message["role"].as_str() {
        Some("user") => Turn::User(text_of(&message["content"])),
        Some("assistant") => Turn::Model,
        _ => Turn::Other,
    };
    Request {
        turns: body["messages"]
            .as_array()
            .map_or_else(Vec::new, |all| all.iter().map(turn).collect()),
        tools: names(&body["tools"]),
        stream: body["stream"].as_bool().unwrap_or(false),
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        ..Request::default()
    }
}

fn calls(answer: &Answer) -> Vec<Value> {
    let call = |(at, call): (usize, &super::Call)| {
        json!({
            "index": at, "id": answer.call_id(at), "type": "function",
            "function": {"name": call.name, "arguments": call.input.to_string()},
        })
    };
    answer.calls.iter().enumerate().map(call).collect()
}

fn usage(answer: &Answer) -> Value {
    let tokens = answer.told.tokens;
    json!({
        "prompt_tokens": tokens.prompt(), "completion_tokens": tokens.output,
        "total_tokens": tokens.total(),
        "prompt_tokens_details": {"cached_tokens": tokens.cache_read},
        "completion_tokens_details": {"reasoning_tokens": tokens.reasoning},
        "prompt_cache_hit_tokens": tokens.cache_read,
        "prompt_cache_miss_tokens": tokens.fresh,
    })
}

fn finish(answer: &Answer) -> &'static str {
    if answer.calls.is_empty() { "stop" } else { "tool_calls" }
}

pub(super) fn whole(answer: &Answer) -> Value {
    let mut message = json!({"role": "assistant", "content": answer.told.text});
    if let Some(thinking) = &answer.thinking {
        message["reasoning_content"] = thinking.as_str().into();
    }
    if !answer.calls.is_empty() {
        message["tool_calls"] = calls(answer).into();
    }
    json!({
        "id": answer.id("chatcmpl"), "object": "chat.completion", "created": 1_790_000_000,
        "model": answer.model, "usage": usage(answer),
        "choices": [{"index": 0, "message": message, "finish_reason": finish(answer)}],
    })
}

pub(super) fn pieces(answer: &Answer) -> Vec<String> {
    let piece = |delta: Value, finish: Value, usage: Value| {
        data(&json!({
            "id": answer.id("chatcmpl"), "object": "chat.completion.chunk",
            "created": 1_790_000_000, "model": answer.model, "usage": usage,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }))
    };
    let more = |delta: Value| piece(delta, Value::Null, Value::Null);
    let mut pieces = vec![more(json!({"role": "assistant", "content": ""}))];
    pieces.extend(answer.thinking.iter().map(|text| more(json!({"reasoning_content": text}))));
    pieces.push(more(json!({"content": answer.told.text})));
    if answer.half {
        return pieces;
    }
    pieces.extend(calls(answer).into_iter().map(|call| more(json!({"tool_calls": [call]}))));
    pieces.push(piece(json!({}), finish(answer).into(), usage(answer)));
    pieces.push("data: [DONE]\n\n".to_owned());
    pieces
}
