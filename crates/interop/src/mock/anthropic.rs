//! Anthropic Messages.

use serde_json::{Value, json};

use super::{Answer, Request, Turn, event, names, text_of};

pub(super) fn read(body: &Value) -> Request {
    let turn = |message: &Value| match message["role"].as_str() {
        Some("assistant") => Turn::Model,
        _ => match text_of(&message["content"]) {
            text if text.is_empty() => Turn::Other,
            text => Turn::User(text),
        },
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

fn blocks(answer: &Answer) -> Vec<Value> {
    let mut blocks = Vec::new();
    if let Some(thinking) = &answer.thinking {
        let signature = format!("c2lnbmVk{:04}", answer.told.number);
        blocks.push(json!({"type": "thinking", "thinking": thinking, "signature": signature}));
    }
    blocks.push(json!({"type": "text", "text": answer.told.text}));
    for (at, call) in answer.calls.iter().enumerate() {
        let id = format!("tou{}", answer.call_id(at));
        blocks.push(json!({"type": "tool_use", "id": id, "name": call.name, "input": call.input}));
    }
    blocks
}

fn message(answer: &Answer, output: u64) -> Value {
    let tokens = answer.told.tokens;
    json!({
        "id": answer.id("msg"), "type": "message", "role": "assistant", "model": answer.model,
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {
            "input_tokens": tokens.fresh, "cache_read_input_tokens": tokens.cache_read,
            "cache_creation_input_tokens": tokens.cache_write, "output_tokens": output,
        },
    })
}

fn stop(answer: &Answer) -> &'static str {
    if answer.calls.is_empty() { "end_turn" } else { "tool_use" }
}

pub(super) fn whole(answer: &Answer) -> Value {
    let mut message = message(answer, answer.told.tokens.output);
    message["content"] = Value::Array(blocks(answer));
    message["stop_reason"] = stop(answer).into();
    message
}

fn deltas(block: &Value) -> (Value, Vec<Value>) {
    let take = |name: &str| block[name].clone();
    match block["type"].as_str() {
        Some("thinking") => (
            json!({"type": "thinking", "thinking": "", "signature": ""}),
            vec![
                json!({"type": "thinking_delta", "thinking": take("thinking")}),
                json!({"type": "signature_delta", "signature": take("signature")}),
            ],
        ),
        Some("tool_use") => (
            json!({"type": "tool_use", "id": take("id"), "name": take("name"), "input": {}}),
            vec![json!({"type": "input_json_delta", "partial_json": take("input").to_string()})],
        ),
        _ => (
            json!({"type": "text", "text": ""}),
            vec![json!({"type": "text_delta", "text": take("text")})],
        ),
    }
}

pub(super) fn pieces(answer: &Answer) -> Vec<String> {
    let start = json!({"type": "message_start", "message": message(answer, 1)});
    let mut pieces = vec![event(&start)];
    for (index, block) in blocks(answer).iter().enumerate() {
        let (empty, deltas) = deltas(block);
        let start = json!({"type": "content_block_start", "index": index, "content_block": empty});
        pieces.push(event(&start));
        for delta in deltas {
            let delta = json!({"type": "content_block_delta", "index": index, "delta": delta});
            pieces.push(event(&delta));
        }
        if answer.half && block["type"] == "text" {
            return pieces;
        }
        pieces.push(event(&json!({"type": "content_block_stop", "index": index})));
    }
    let end = json!({
        "type": "message_delta", "delta": {"stop_reason": stop(answer), "stop_sequence": null},
        "usage": {"output_tokens": answer.told.tokens.output},
    });
    pieces.push(event(&end));
    pieces.push(event(&json!({"type": "message_stop"})));
    pieces
}
