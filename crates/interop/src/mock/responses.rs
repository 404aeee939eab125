//! OpenAI Responses.

use serde_json::{Value, json};

use super::{Answer, Request, Turn, event, names, text_of};

pub(super) fn read(body: &Value) -> Request {
    let turn = |item: &Value| match (item["type"].as_str(), item["role"].as_str()) {
        (Some("message") | None, Some("user")) => Turn::User(text_of(&item["content"])),
        (Some("message") | None, Some("assistant")) => Turn::Model,
        (Some("function_call" | "custom_tool_call" | "local_shell_call" | "reasoning"), _) => {
            Turn::Model
        }
        _ => Turn::Other,
    };
    let input = &body["input"];
    let turns = match input {
        Value::String(text) => vec![Turn::User(text.clone())],
        _ => input.as_array().map_or_else(Vec::new, |all| all.iter().map(turn).collect()),
    };
    let items = input.as_array().map_or(&[][..], |items| &items[..]);
    let mut results = items.iter().filter(|item| item["type"] == "function_call_output");
    let last = items.last();
    Request {
        turns,
        tools: names(&body["tools"]),
        stream: body["stream"].as_bool().unwrap_or(false),
        model: body["model"].as_str().unwrap_or_default().to_owned(),
        result: results.next_back().map(|item| text_of(&item["output"])),
        shorten: last.is_some_and(|item| item["type"] == "compaction_trigger"),
    }
}

fn items(answer: &Answer) -> Vec<Value> {
    if answer.shorter {
        let sealed = format!("c2hvcnRlcg{:04}", answer.told.number);
        return vec![json!({"type": "compaction", "encrypted_content": sealed})];
    }
    let mut items = Vec::new();
    if let Some(thinking) = &answer.thinking {
        items.push(json!({
            "type": "reasoning", "id": answer.id("rs"),
            "summary": [{"type": "summary_text", "text": thinking}],
            "encrypted_content": format!("c2VhbGVk{:04}", answer.told.number),
        }));
    }
    items.push(json!({
        "type": "message", "id": answer.id("msg"), "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": answer.told.text, "annotations": []}],
    }));
    for (at, call) in answer.calls.iter().enumerate() {
        let (id, call_id) = (answer.id(&format!("fc{at}")), answer.call_id(at));
        let mut item = match &call.input {
            Value::String(text) => json!({
                "type": "custom_tool_call", "id": id, "call_id": call_id, "name": call.name,
                "input": text, "status": "completed",
            }),
            input => json!({
                "type": "function_call", "id": id, "call_id": call_id, "name": call.name,
                "arguments": input.to_string(), "status": "completed",
            }),
        };
        if let Some(space) = call.space {
            item["namespace"] = space.into();
        }
        items.push(item);
    }
    items
}

fn usage(answer: &Answer) -> Value {
    let tokens = answer.told.tokens;
    json!({
        "input_tokens": tokens.prompt(),
        "input_tokens_details": {"cached_tokens": tokens.cache_read},
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
        "total_tokens": tokens.total(),
    })
}

pub(super) fn whole(answer: &Answer) -> Value {
    json!({
        "id": answer.id("resp"), "object": "response", "status": "completed",
        "model": answer.model, "output": items(answer), "usage": usage(answer),
    })
}

pub(super) fn pieces(answer: &Answer) -> Vec<String> {
    let begun = json!({"id": answer.id("resp"), "object": "response", "status": "in_progress"});
    let mut pieces = vec![event(&json!({"type": "response.created", "response": begun}))];
    for (index, item) in items(answer).into_iter().enumerate() {
        let mut empty = item.clone();
        for name in ["content", "summary"] {
            if empty.get(name).is_some() {
                empty[name] = json!([]);
            }
        }
        pieces.push(event(
            &json!({"type": "response.output_item.added", "output_index": index, "item": empty}),
        ));
        if item["type"] == "message" {
            pieces.push(event(&json!({
                "type": "response.output_text.delta", "output_index": index, "content_index": 0,
                "item_id": item["id"], "delta": answer.told.text,
            })));
            if answer.half {
                return pieces;
            }
        }
        pieces.push(event(
            &json!({"type": "response.output_item.done", "output_index": index, "item": item}),
        ));
    }
    pieces.push(event(&json!({"type": "response.completed", "response": whole(answer)})));
    pieces
}
