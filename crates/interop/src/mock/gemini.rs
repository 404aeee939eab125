//! Gemini's `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use super::{Answer, Request, Turn, data, names, text_of};

pub(super) fn read(path: &str, body: &Value) -> Request {
    let turn = |content: &Value| match content["role"].as_str() {
        Some("model") => Turn::Model,
        _ => match text_of(&content["parts"]) {
            text if text.is_empty() => Turn::Other,
            text => Turn::User(text),
        },
    };
    let model = path.split("/models/").nth(1).and_then(|rest| rest.split(':').next());
    Request {
        turns: body["contents"]
            .as_array()
            .map_or_else(Vec::new, |all| all.iter().map(turn).collect()),
        tools: names(&body["tools"]),
        stream: path.contains(":streamGenerateContent"),
        model: model.unwrap_or_default().to_owned(),
        ..Request::default()
    }
}

fn parts(answer: &Answer) -> Vec<Value> {
    let mut parts = Vec::new();
    parts.extend(answer.thinking.iter().map(|text| json!({"text": text, "thought": true})));
    parts.push(json!({"text": answer.told.text}));
    for (at, call) in answer.calls.iter().enumerate() {
        let call = json!({"name": call.name, "args": call.input, "id": answer.call_id(at)});
        parts.push(json!({"functionCall": call}));
    }
    parts
}

fn reply(answer: &Answer, parts: Vec<Value>, last: bool) -> Value {
    let mut candidate = json!({"index": 0, "content": {"role": "model", "parts": parts}});
    if last {
        candidate["finishReason"] = "STOP".into();
    }
    let tokens = answer.told.tokens;
    let usage = json!({
        "promptTokenCount": tokens.prompt(), "cachedContentTokenCount": tokens.cache_read,
        "candidatesTokenCount": tokens.output - tokens.reasoning,
        "thoughtsTokenCount": tokens.reasoning, "totalTokenCount": tokens.total(),
    });
    let mut reply = json!({
        "candidates": [candidate], "modelVersion": answer.model, "responseId": answer.id("resp"),
    });
    if last {
        reply["usageMetadata"] = usage;
    }
    reply
}

pub(super) fn whole(answer: &Answer) -> Value {
    reply(answer, parts(answer), true)
}

pub(super) fn pieces(answer: &Answer) -> Vec<String> {
    let parts = parts(answer);
    let last = parts.len() - 1;
    let piece =
        |(at, part): (usize, Value)| data(&reply(answer, vec![part], at == last && !answer.half));
    parts.into_iter().enumerate().map(piece).collect()
}
