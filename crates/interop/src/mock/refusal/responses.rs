//! OpenAI Responses.

use std::collections::BTreeMap;

use serde_json::Value;

use super::too_long;
use super::{
    Verdict, array, empty_array, is_address, is_object, is_plain, must, open_ai_name, text,
};

/// The longest id of a call.
const LONGEST_ID: usize = 64;
/// The longest name of a tool.
const LONGEST_NAME: usize = 128;

/// Why the provider refuses a request.
pub(crate) fn refusal(body: &Value) -> Option<String> {
    judged(body).err()
}

fn judged(body: &Value) -> Verdict {
    let input = &body["input"];
    if input.is_string() {
        return Ok(());
    }
    must(!array(input).is_empty(), || empty_array("input"))?;
    // Of each call, whether its output was met.
    let mut calls: BTreeMap<&str, bool> = BTreeMap::new();
    let mut ids: Vec<&str> = Vec::new();
    for (at, item) in array(input).iter().enumerate() {
        let place = format!("input[{at}]");
        if let Some(id) = item["id"].as_str() {
            must(!ids.contains(&id), || duplicate(id))?;
            ids.push(id);
        }
        let kind = item["type"].as_str().unwrap_or("message");
        match kind {
            "message" => judge_message(&place, item)?,
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                judge_call(&place, kind, item)?;
                let id = text(&item["call_id"]);
                must(calls.insert(id, false).is_none(), || duplicate(id))?;
            }
            "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                let id = text(&item["call_id"]);
                let output = &item["output"];
                must(output.is_string() || output.is_array(), || {
                    format!("Missing required parameter: '{place}.output'.")
                })?;
                match calls.get_mut(id) {
                    Some(met) if !*met => *met = true,
                    Some(_) => return Err(duplicate(id)),
                    None => {
                        return Err(format!(
                            "No tool call found for {} output with call_id {id}.",
                            spoken(kind.trim_end_matches("_output"))
                        ));
                    }
                }
                array(output).iter().try_for_each(|part| judge_picture(&place, part))?;
            }
            _ => {}
        }
    }
    let open = calls.iter().find(|(_, met)| !**met);
    open.map_or(Ok(()), |(id, _)| Err(format!("No tool output found for function call {id}.")))
}

fn duplicate(id: &str) -> String {
    format!(
        "Duplicate item found with id {id}. Remove duplicate items from your input and try again."
    )
}

fn spoken(kind: &str) -> String {
    kind.replace('_', " ")
}

fn judge_call(place: &str, kind: &str, item: &Value) -> Verdict {
    let id = text(&item["call_id"]);
    let at = format!("{place}.call_id");
    must(id.len() <= LONGEST_ID, || too_long(&at, LONGEST_ID, id.len()))?;
    must(is_plain(id, LONGEST_ID), || format!("Missing required parameter: '{at}'."))?;
    if kind == "local_shell_call" {
        return Ok(());
    }
    open_ai_name(&format!("{place}.name"), &item["name"], LONGEST_NAME)?;
    match kind {
        "function_call" => must(is_object(&item["arguments"]), || {
            format!("Invalid '{place}.arguments': expected a string with a JSON object.")
        }),
        _ => must(item["input"].is_string(), || {
            format!("Missing required parameter: '{place}.input'.")
        }),
    }
}

fn judge_message(place: &str, item: &Value) -> Verdict {
    let role = text(&item["role"]);
    must(["assistant", "system", "developer", "user"].contains(&role), || {
        format!(
            "Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', \
             and 'user'."
        )
    })?;
    let content = &item["content"];
    must(content.is_string() || content.is_array(), || {
        format!("Missing required parameter: '{place}.content'.")
    })?;
    let at = format!("{place}.content");
    must(content.is_string() || !array(content).is_empty(), || empty_array(&at))?;
    for part in array(content) {
        let kind = text(&part["type"]);
        let (fits, fitting) = match role {
            "assistant" => {
                (["output_text", "refusal"].contains(&kind), "'output_text' and 'refusal'")
            }
            _ => (kind.starts_with("input_"), "'input_text', 'input_image', and 'input_file'"),
        };
        must(fits, || format!("Invalid value: '{kind}'. Supported values are: {fitting}."))?;
        judge_picture(&at, part)?;
    }
    Ok(())
}

fn judge_picture(place: &str, part: &Value) -> Verdict {
    let holds = part["type"] != "input_image"
        || part["file_id"].is_string()
        || is_address(&part["image_url"]);
    must(holds, || {
        format!(
            "Invalid '{place}.image_url'. Expected a valid URL, but got a value with an invalid \
             format."
        )
    })
}
