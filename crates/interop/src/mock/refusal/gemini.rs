//! Gemini's `generateContent`.

use serde_json::Value;

use super::{Verdict, array, must, text};

/// Why the provider refuses a request. With `doubled`, a result that is repeated word for word
/// counts once: the agent's own resume sends each result of its own sessions twice.
pub(crate) fn refusal(body: &Value, doubled: bool) -> Option<String> {
    judged(body, doubled).err()
}

const COUNT: &str = "Please ensure that the number of function response parts is equal to the \
                     number of function call parts of the function call turn.";
const CALL_TURN: &str = "Please ensure that function call turn comes immediately after a user turn \
                         or after a function response turn.";
const RESPONSE_TURN: &str = "Please ensure that function response turn comes immediately after a \
                             function call turn.";
const LAST_TURN: &str = "Please ensure that multiturn requests end with a user role or function \
                         response.";
const NAME: &str = "Invalid function name. Must start with a letter or an underscore. Must be \
                    alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes \
                    (-), with a maximum length of 64.";

fn judged(body: &Value, doubled: bool) -> Verdict {
    let contents = array(&body["contents"]);
    must(!contents.is_empty(), || {
        "* GenerateContentRequest.contents: contents is not specified".into()
    })?;
    for (at, content) in contents.iter().enumerate() {
        judge_content(at, content)?;
        let calls = parts(content, "functionCall");
        let before = at.checked_sub(1).map(|before| &contents[before]);
        if !calls.is_empty() {
            must(before.is_some_and(|before| before["role"] != "model"), || CALL_TURN.into())?;
            let next = contents.get(at + 1);
            let mut results = next.map(|next| parts(next, "functionResponse")).unwrap_or_default();
            if doubled {
                let all = std::mem::take(&mut results);
                all.into_iter().for_each(|one| {
                    if !results.contains(&one) {
                        results.push(one);
                    }
                });
            }
            must(are_pairs(&calls, &results), || COUNT.into())?;
        }
        if !parts(content, "functionResponse").is_empty() {
            let asked = before.is_some_and(|before| !parts(before, "functionCall").is_empty());
            must(asked, || RESPONSE_TURN.into())?;
        }
    }
    must(contents.last().is_some_and(|last| last["role"] != "model"), || LAST_TURN.into())
}

fn parts<'b>(content: &'b Value, kind: &str) -> Vec<&'b Value> {
    array(&content["parts"]).iter().filter_map(|part| part.get(kind)).collect()
}

/// Each call has one result: of its name, and of its id where both have one.
fn are_pairs(calls: &[&Value], results: &[&Value]) -> bool {
    let mut left: Vec<&Value> = results.to_vec();
    let all = calls.iter().all(|call| {
        let same = |result: &&Value| {
            let ids = (call["id"].as_str(), result["id"].as_str());
            let alike = !matches!(ids, (Some(own), Some(other)) if own != other);
            alike && call["name"] == result["name"]
        };
        left.iter().position(same).map(|at| left.remove(at)).is_some()
    });
    all && left.is_empty()
}

fn judge_content(at: usize, content: &Value) -> Verdict {
    let role = text(&content["role"]);
    must(["", "user", "model", "function"].contains(&role), || {
        "Please use a valid role: user, model.".into()
    })?;
    let place = format!("contents[{at}].parts");
    let parts = array(&content["parts"]);
    must(!parts.is_empty(), || {
        format!("* GenerateContentRequest.{place}: contents.parts must not be empty.")
    })?;
    for (number, part) in parts.iter().enumerate() {
        let place = format!("{place}[{number}]");
        let data = ["text", "inlineData", "fileData", "functionCall", "functionResponse"];
        let more = ["executableCode", "codeExecutionResult", "toolCall", "toolResponse"];
        must(data.iter().chain(&more).any(|name| part.get(name).is_some()), || {
            format!(
                "* GenerateContentRequest.{place}.data: required oneof field 'data' must have one \
                 initialized field"
            )
        })?;
        must(part.get("text").is_none_or(|said| said != ""), || {
            "Unable to submit request because it has an empty text parameter. Add a value to the \
             parameter and try again."
                .into()
        })?;
        judge_call(&place, role, part)?;
    }
    Ok(())
}

fn judge_call(place: &str, role: &str, part: &Value) -> Verdict {
    let calls = [("functionCall", "args", "function_call", "model")];
    let results = [("functionResponse", "response", "function_response", "user")];
    for (kind, value, wire, side) in calls.into_iter().chain(results) {
        let Some(object) = part.get(kind) else { continue };
        must((role == "model") == (side == "model"), || {
            if side == "model" { CALL_TURN.into() } else { RESPONSE_TURN.into() }
        })?;
        must(is_name(text(&object["name"])), || {
            format!("* GenerateContentRequest.{place}.{wire}.name: [{NAME}]")
        })?;
        must(object.get(value).is_none_or(Value::is_object), || {
            format!(
                "Invalid value at '{place}.{wire}.{value}' \
                 (type.googleapis.com/google.protobuf.Struct)"
            )
        })?;
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.:-".contains(c);
    name.starts_with(begins) && name.len() <= 64 && name.chars().all(plain)
}
