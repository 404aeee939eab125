//! Each rule fires on a request that breaks it alone, and requests of the real agents pass.

use serde_json::{Value, json};

/// A change to a good request that breaks one rule, and a part of the provider's words for it.
type Fault = (fn(&mut Value), &'static str);

/// Each fault is refused in the provider's words; the request without it is not.
fn each_fires(good: &Value, refusal: fn(&Value) -> Option<String>, faults: &[Fault]) {
    assert_eq!(refusal(good), None);
    for (harm, words) in faults {
        let mut body = good.clone();
        harm(&mut body);
        assert_ne!(body, *good, "no harm: {words}");
        let why = refusal(&body).unwrap_or_default();
        assert!(why.contains(words), "`{why}` in place of `{words}`");
    }
}

/// Removes an element of an array.
fn remove(list: &mut Value, at: usize) {
    list.as_array_mut().expect("an array").remove(at);
}

/// Repeats an element of an array.
fn repeat(list: &mut Value, at: usize) {
    let one = list[at].clone();
    list.as_array_mut().expect("an array").push(one);
}

#[test]
fn anthropic_refuses() {
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "Read", "input": {}});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "fig"});
    let picture = json!({"type": "base64", "media_type": "image/png", "data": "aGFyYm91cg=="});
    let said = |text: &str| json!({"type": "text", "text": text});
    let good = json!({"messages": [
        {"role": "user", "content": [said("Look."), {"type": "image", "source": picture}]},
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": [said("I look."), call("t1"), call("t2")]},
        {"role": "user", "content": [result("t2"), result("t1"), said("Go on.")]},
        {"role": "assistant", "content": "There."},
        {"role": "user", "content": "And now?"},
    ]});
    let faults: &[Fault] = &[
        (|b| b["messages"] = json!([]), "at least one message"),
        (|b| remove(&mut b["messages"], 0), "first message must use the \"user\" role"),
        (|b| b["messages"][0]["role"] = json!("tool"), "Input should be 'user' or 'assistant'"),
        (|b| b["messages"][4]["content"] = json!(""), "must have non-empty content"),
        (|b| b["messages"][5]["content"] = json!([]), "must have non-empty content"),
        (|b| b["messages"][0]["content"][0]["text"] = json!(""), "must be non-empty"),
        (|b| b["messages"][4]["content"] = json!(" \n"), "must contain non-whitespace text"),
        (|b| b["messages"][0]["content"][1]["source"]["media_type"] = json!("x"), "media_type"),
        (|b| b["messages"][0]["content"][1]["source"]["data"] = json!(""), "image cannot be empty"),
        (
            |b| b["messages"][2]["content"][1]["id"] = json!("t 1"),
            "tool_use.id: String should match",
        ),
        (|b| b["messages"][2]["content"][1]["name"] = json!("a.b"), "tool_use.name: String should"),
        (|b| b["messages"][2]["content"][1]["input"] = json!("ls"), "should be a valid dictionary"),
        (|b| b["messages"][2]["content"][1]["id"] = json!("t2"), "ids must be unique"),
        (|b| remove(&mut b["messages"][3]["content"], 0), "ids were found without `tool_result`"),
        (|b| remove(&mut b["messages"], 3), "ids were found without `tool_result`"),
        (
            |b| b["messages"][3]["content"].as_array_mut().expect("all").rotate_right(1),
            "ids were found without `tool_result`",
        ),
        (|b| remove(&mut b["messages"][2]["content"], 1), "unexpected `tool_use_id` found"),
        (|b| repeat(&mut b["messages"][3]["content"], 0), "must have a single result"),
    ];
    each_fires(&good, super::anthropic, faults);
    let thought = |b: &mut Value| {
        b["messages"][4]["content"] = json!([{"type": "thinking", "thinking": "Hm."}]);
    };
    let late = |b: &mut Value| {
        let result = b["messages"][3].clone();
        b["messages"][5] = result;
    };
    let side =
        |b: &mut Value| b["messages"][0]["content"][0] = b["messages"][2]["content"][1].clone();
    each_fires(
        &good,
        super::anthropic,
        &[
            (thought, "thinking.signature: Field required"),
            (late, "unexpected `tool_use_id` found"),
            (side, "can only be in `assistant` messages"),
        ],
    );
}

#[test]
fn responses_refuses() {
    let good = responses();
    each_fires(
        &good,
        super::responses,
        &[
            (|b| b["input"] = json!([]), "Invalid 'input': empty array"),
            (|b| remove(&mut b["input"], 5), "No tool output found for function call c2."),
            (|b| remove(&mut b["input"], 8), "No tool output found for function call c3."),
            (
                |b| remove(&mut b["input"], 3),
                "No tool call found for function call output with call_id c1",
            ),
            (|b| b["input"].as_array_mut().expect("all").swap(3, 6), "No tool call found for"),
            (|b| repeat(&mut b["input"], 5), "Duplicate item found with id c2"),
            (|b| b["input"][4]["call_id"] = json!("c1"), "Duplicate item found with id c1"),
            (|b| b["input"][9]["id"] = json!("rs_1"), "Duplicate item found with id rs_1"),
            (|b| b["input"][3]["call_id"] = json!("c".repeat(65)), "maximum length 64"),
            (
                |b| b["input"][3]["call_id"] = json!(""),
                "Missing required parameter: 'input[3].call_id'",
            ),
            (|b| b["input"][3]["name"] = json!("a b"), "does not match pattern"),
            (|b| b["input"][3]["name"] = json!("n".repeat(129)), "maximum length 128"),
            (|b| b["input"][3]["arguments"] = json!("ls"), "a JSON object"),
            (|b| b["input"][3]["arguments"] = json!("[1]"), "a JSON object"),
            (
                |b| b["input"][7]["input"] = Value::Null,
                "Missing required parameter: 'input[7].input'",
            ),
            (
                |b| b["input"][5]["output"] = Value::Null,
                "Missing required parameter: 'input[5].output'",
            ),
            (|b| b["input"][1]["role"] = json!("tool"), "Supported values are: 'assistant'"),
            (|b| b["input"][1]["content"] = json!([]), "Invalid 'input[1].content': empty array"),
            (|b| b["input"][9]["content"][0]["type"] = json!("input_text"), "'output_text' and"),
            (
                |b| b["input"][1]["content"][0]["type"] = json!("output_text"),
                "'input_text', 'input",
            ),
            (
                |b| b["input"][1]["content"][1]["image_url"] = json!("fig.png"),
                "Expected a valid URL",
            ),
        ],
    );
}

#[test]
fn chat_refuses() {
    let good = chat();
    let many = |b: &mut Value| {
        let one = b["messages"][2]["tool_calls"][0].clone();
        let numbered = |at: usize| {
            let mut one = one.clone();
            one["id"] = format!("n{at}").into();
            one
        };
        b["messages"][2]["tool_calls"] = (0..129).map(numbered).collect();
    };
    each_fires(
        &good,
        super::chat,
        &[
            (|b| b["messages"] = json!([]), "Invalid 'messages': empty array"),
            (|b| remove(&mut b["messages"], 3), "did not have response messages: c2"),
            (|b| b["messages"].as_array_mut().expect("all").truncate(4), "response messages: c1"),
            (|b| b["messages"].as_array_mut().expect("all").swap(4, 5), "response messages: c1"),
            (|b| remove(&mut b["messages"], 2), "must be a response to a preceeding message"),
            (
                |b| b["messages"][4]["tool_call_id"] = json!("c2"),
                "must be a response to a preceeding",
            ),
            (|b| b["messages"][2]["tool_calls"][1]["id"] = json!("c1"), "Duplicate value"),
            (
                |b| b["messages"][2]["tool_calls"][1]["id"] = json!("c".repeat(41)),
                "maximum length 40",
            ),
            (|b| b["messages"][2]["tool_calls"][1]["id"] = json!(""), "Missing required parameter"),
            (
                |b| b["messages"][2]["tool_calls"][0]["function"]["name"] = json!("a.b"),
                "match pattern",
            ),
            (
                |b| b["messages"][2]["tool_calls"][0]["function"]["name"] = json!("n".repeat(65)),
                "maximum length 64",
            ),
            (
                |b| b["messages"][2]["tool_calls"][0]["function"]["arguments"] = json!("\"ls\""),
                "a JSON object",
            ),
            (many, "array too long"),
            (|b| b["messages"][2]["tool_calls"] = json!([]), "tool_calls': empty array"),
            (|b| b["messages"][5]["content"] = json!(""), "content or tool_calls must be set"),
            (|b| b["messages"][6]["content"] = Value::Null, "expected a string, got null"),
            (|b| b["messages"][1]["content"] = json!([]), "content': empty array"),
            (|b| b["messages"][6]["role"] = json!("human"), "Supported values are"),
            (|b| b["messages"][6]["tool_calls"] = json!([]), "Unknown parameter"),
            (
                |b| b["messages"][1]["content"][1]["image_url"]["url"] = json!("fig.png"),
                "valid URL",
            ),
        ],
    );
}

#[test]
fn gemini_refuses() {
    let good = gemini();
    let strict = |body: &Value| super::gemini(body, false);
    let late = |b: &mut Value| {
        let calls = b["contents"][1].clone();
        let first = json!({"role": "model", "parts": [{"text": "First."}]});
        b["contents"].as_array_mut().expect("all").insert(1, first);
        assert_eq!(b["contents"][2], calls);
    };
    let doubled: fn(&mut Value) = |b| repeat(&mut b["contents"][2]["parts"], 0);
    each_fires(
        &good,
        strict,
        &[
            (|b| b["contents"] = json!([]), "contents is not specified"),
            (|b| remove(&mut b["contents"][2]["parts"], 0), "number of function response parts"),
            (|b| remove(&mut b["contents"], 2), "number of function response parts"),
            (doubled, "number of function response parts"),
            (|b| b["contents"][2]["parts"][0]["functionResponse"]["id"] = json!("c3"), "number of"),
            (
                |b| b["contents"][2]["parts"][0]["functionResponse"]["name"] = json!("ls"),
                "number of",
            ),
            (|b| b["contents"].as_array_mut().expect("all").truncate(2), "number of function"),
            (
                |b| b["contents"][1]["parts"] = json!([{"text": "No."}]),
                "response turn comes immediately",
            ),
            (|b| remove(&mut b["contents"], 0), "call turn comes immediately after a user turn"),
            (late, "call turn comes immediately after a user turn"),
            (
                |b| b["contents"].as_array_mut().expect("all").truncate(4),
                "requests end with a user",
            ),
            (|b| b["contents"][3]["role"] = json!("assistant"), "Please use a valid role"),
            (|b| b["contents"][3]["parts"] = json!([]), "must not be empty"),
            (|b| b["contents"][3]["parts"][0] = json!({}), "required oneof field"),
            (|b| b["contents"][3]["parts"][0]["text"] = json!(""), "empty text parameter"),
            (
                |b| b["contents"][1]["parts"][1]["functionCall"]["name"] = json!("1st"),
                "Must start with",
            ),
            (|b| b["contents"][1]["parts"][1]["functionCall"]["args"] = json!("ls"), "call.args'"),
            (
                |b| b["contents"][2]["parts"][0]["functionResponse"]["response"] = json!("x"),
                "response.response'",
            ),
            (|b| b["contents"][1]["role"] = json!("user"), "call turn comes immediately"),
        ],
    );
    let mut body = good;
    doubled(&mut body);
    assert_eq!(super::gemini(&body, true), None, "the agent's own resume repeats results");
}

/// A good request of OpenAI Chat Completions.
fn chat() -> Value {
    let function = json!({"name": "read", "arguments": "{}"});
    let call = |id: &str| json!({"id": id, "type": "function", "function": function});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "fig"});
    json!({"messages": [
        {"role": "system", "content": "x"},
        {"role": "user", "content": [{"type": "text", "text": "Look."},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGFyYm91cg=="}}]},
        {"role": "assistant", "content": null, "tool_calls": [call("c1"), call("c2")]},
        result("c2"), result("c1"),
        {"role": "assistant", "content": "There."},
        {"role": "user", "content": "And now?"},
    ]})
}

/// A good request of Gemini.
fn gemini() -> Value {
    let call = |id: &str| json!({"functionCall": {"id": id, "name": "read_file", "args": {}}});
    let result = |id: &str| {
        let response = json!({"output": "fig"});
        json!({"functionResponse": {"id": id, "name": "read_file", "response": response}})
    };
    json!({"contents": [
        {"role": "user", "parts": [{"text": "Look."}]},
        {"role": "model", "parts": [{"text": "I look."}, call("c1"), call("c2")]},
        {"role": "user", "parts": [result("c2"), result("c1"),
            {"inlineData": {"mimeType": "image/png", "data": "aGFyYm91cg=="}}]},
        {"role": "model", "parts": [{"text": "There."}]},
        {"role": "user", "parts": [{"text": "And now?"}]},
    ]})
}

/// A good request of OpenAI Responses.
fn responses() -> Value {
    let call = |id: &str| {
        let arguments = json!({"a": 1}).to_string();
        json!({"type": "function_call", "call_id": id, "name": "shell", "arguments": arguments})
    };
    let output = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "fig"});
    json!({"input": [
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "x"}]},
        {"role": "user", "content": [{"type": "input_text", "text": "Look."},
            {"type": "input_image", "image_url": "data:image/png;base64,aGFyYm91cg=="}]},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbGVk"},
        call("c1"), call("c2"), output("c2"), output("c1"),
        {"type": "custom_tool_call", "call_id": "c3", "name": "apply_patch", "input": "***"},
        {"type": "custom_tool_call_output", "call_id": "c3", "output": ""},
        {"type": "message", "id": "msg_1", "role": "assistant",
            "content": [{"type": "output_text", "text": "There."}]},
    ]})
}
