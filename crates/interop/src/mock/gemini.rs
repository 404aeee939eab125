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
    // A compaction is an ordinary request. Its instruction asks for this form.
    let asked = text_of(&body["systemInstruction"]["parts"]);
    let model = path.split("/models/").nth(1).and_then(|rest| rest.split(':').next());
    Request {
        turns: body["contents"]
            .as_array()
            .map_or_else(Vec::new, |all| all.iter().map(turn).collect()),
        tools: names(&body["tools"]),
        shorten: asked.contains("<state_snapshot>"),
        stream: path.contains(":streamGenerateContent"),
        model: model.unwrap_or_default().to_owned(),
        ..Request::default()
    }
}

fn parts(answer: &Answer) -> Vec<Value> {
    let mut parts = Vec::new();
    parts.extend(answer.thinking.iter().map(|text| json!({"text": text, "thought": true})));
    parts.push(
        json!({"text": if answer.shorter { snapshot(answer) } else { answer.told.text.clone() }}),
    );
    for (at, call) in answer.calls.iter().enumerate() {
        let call = json!({"name": call.name, "args": call.input, "id": answer.call_id(at)});
        parts.push(json!({"functionCall": call}));
    }
    parts
}

/// The members of a summary, in the order in which Gemini CLI's instruction for a compaction lists
/// them (`getCompressionPrompt` in its `packages/core/src/prompts/snippets.ts`).
const SNAPSHOT: [&str; 7] = [
    "overall_goal",
    "active_constraints",
    "key_knowledge",
    "artifact_trail",
    "file_system_state",
    "recent_actions",
    "task_state",
];

/// A summary in the form that the agent asks for. Its readers know a compaction by that form.
fn snapshot(answer: &Answer) -> String {
    let member = |name: &&str| match *name {
        "overall_goal" => format!("    <{name}>{}</{name}>\n", answer.told.text),
        _ => format!("    <{name}>As before.</{name}>\n"),
    };
    let members: String = SNAPSHOT.iter().map(member).collect();
    format!("<state_snapshot>\n{members}</state_snapshot>")
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

#[cfg(test)]
mod tests {
    use super::super::told::{Tokens, Told};
    use super::*;

    #[test]
    fn a_compaction_is_answered_in_the_form_that_its_instruction_asks_for() {
        let ask = |instruction: &str| {
            let contents = json!([{"role": "user", "parts": [{"text": "[[work]]"}]}]);
            let instruction = json!({"parts": [{"text": instruction}]});
            read(
                "/v1/models/g:generateContent",
                &json!({
                    "contents": contents, "systemInstruction": instruction,
                }),
            )
        };
        assert!(!ask("You are an agent.").shorten);
        let request = ask("Distill the history into a structured <state_snapshot>.");
        assert!(request.shorten);
        let text = "The shop answers.".to_owned();
        let told = Told { number: 1, tokens: Tokens::of(1), text, part: None, calls: 0, turns: 1 };
        let (model, calls) = (request.model, Vec::new());
        let answer =
            Answer { told, thinking: None, calls, model, shorter: request.shorten, half: false };
        let said = parts(&answer).remove(0)["text"].as_str().unwrap_or_default().to_owned();
        assert!(said.starts_with("<state_snapshot>\n") && said.ends_with("</state_snapshot>"));
        assert!(said.contains("<overall_goal>The shop answers.</overall_goal>"), "{said}");
    }
}
