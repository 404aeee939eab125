//! OpenAI Chat Completions.

use serde_json::Value;

use super::{
    Verdict, array, empty_array, is_address, is_object, must, open_ai_name, text, too_long,
};

/// The longest id of a call.
const LONGEST_ID: usize = 40;
/// The longest name of a tool.
const LONGEST_NAME: usize = 64;
/// The greatest number of calls in a message.
const MOST_CALLS: usize = 128;

/// Why the provider refuses a request.
pub(crate) fn refusal(body: &Value) -> Option<String> {
    judged(body).err()
}

fn judged(body: &Value) -> Verdict {
    let messages = array(&body["messages"]);
    must(!messages.is_empty(), || empty_array("messages"))?;
    // The calls of the message before without a result yet.
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let place = format!("messages[{at}]");
        let role = text(&message["role"]);
        if role == "tool" {
            let id = text(&message["tool_call_id"]);
            let call = open.iter().position(|call| *call == id).ok_or_else(|| {
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding \
                 message with 'tool_calls'."
                    .to_owned()
            })?;
            open.remove(call);
        } else {
            must(open.is_empty(), || unanswered(&open))?;
        }
        judge_message(&place, role, message)?;
        for (number, call) in array(&message["tool_calls"]).iter().enumerate() {
            judge_call(&format!("{place}.tool_calls[{number}]"), call)?;
            let id = text(&call["id"]);
            must(!open.contains(&id), || format!("Duplicate value for 'tool_call_id' of '{id}'"))?;
            open.push(id);
        }
    }
    must(open.is_empty(), || unanswered(&open))
}

fn unanswered(open: &[&str]) -> String {
    format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to \
         each 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
        open.join(", ")
    )
}

fn judge_message(place: &str, role: &str, message: &Value) -> Verdict {
    let roles = ["system", "assistant", "user", "function", "tool", "developer"];
    must(roles.contains(&role), || {
        format!(
            "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', \
             'function', 'tool', and 'developer'."
        )
    })?;
    let (content, calls) = (&message["content"], message.get("tool_calls"));
    let at = format!("{place}.content");
    must(!content.is_array() || !array(content).is_empty(), || empty_array(&at))?;
    if role == "assistant" {
        must(calls.is_none_or(|calls| !array(calls).is_empty()), || {
            empty_array(&format!("{place}.tool_calls"))
        })?;
        let says = !text(content).is_empty() || content.is_array();
        return must(says || calls.is_some(), || {
            "Invalid assistant message: content or tool_calls must be set".into()
        });
    }
    must(calls.is_none(), || format!("Unknown parameter: '{place}.tool_calls'."))?;
    must(content.is_string() || content.is_array(), || {
        "Invalid value for 'content': expected a string, got null.".into()
    })?;
    for part in array(content) {
        let picture = part["type"] == "image_url";
        must(!picture || is_address(&part["image_url"]["url"]), || {
            format!(
                "Invalid '{at}.image_url.url'. Expected a valid URL, but got a value with an \
                 invalid format."
            )
        })?;
    }
    Ok(())
}

fn judge_call(place: &str, call: &Value) -> Verdict {
    let id = text(&call["id"]);
    let at = format!("{place}.id");
    must(!id.is_empty(), || format!("Missing required parameter: '{at}'."))?;
    must(id.len() <= LONGEST_ID, || too_long(&at, LONGEST_ID, id.len()))?;
    let function = &call["function"];
    open_ai_name(&format!("{place}.function.name"), &function["name"], LONGEST_NAME)?;
    must(is_object(&function["arguments"]), || {
        format!("Invalid '{place}.function.arguments': expected a string with a JSON object.")
    })?;
    let number =
        place.rsplit_once('[').and_then(|(_, rest)| rest.trim_end_matches(']').parse().ok());
    must(number.is_none_or(|number: usize| number < MOST_CALLS), || {
        let array = place.rsplit_once('[').map_or(place, |(array, _)| array);
        format!(
            "Invalid '{array}': array too long. Expected an array with maximum length {MOST_CALLS}."
        )
    })
}
