//! Anthropic Messages.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Verdict, array, is_plain, must, text};

/// A message as the provider joins those of one role: its number in the request, and its blocks.
struct Message<'b> {
    number: usize,
    is_user: bool,
    blocks: Vec<Block<'b>>,
}

/// A block of content, or a plain text.
#[derive(Clone, Copy)]
enum Block<'b> {
    Plain(&'b str),
    Typed(&'b Value),
}

impl<'b> Block<'b> {
    fn of(self, kind: &str) -> Option<&'b Value> {
        match self {
            Self::Typed(block) if block["type"] == kind => Some(block),
            _ => None,
        }
    }
}

/// Why the provider refuses a request.
pub(crate) fn refusal(body: &Value) -> Option<String> {
    judged(body).err()
}

fn judged(body: &Value) -> Verdict {
    let messages = messages(body)?;
    must(!messages.is_empty(), || "messages: at least one message is required".into())?;
    must(messages[0].is_user, || "messages: first message must use the \"user\" role".into())?;
    let mut known = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        for (place, block) in message.blocks.iter().enumerate() {
            let place = format!("messages.{}.content.{place}", message.number);
            judge_block(&place, message.is_user, *block)?;
            if let Some(call) = block.of("tool_use") {
                let unique = known.insert(text(&call["id"]));
                must(unique, || format!("{place}: `tool_use` ids must be unique"))?;
            }
        }
        answered(message, messages.get(at + 1))?;
        let before = at.checked_sub(1).map(|before| &messages[before]);
        asked(message, before)?;
    }
    Ok(())
}

/// The messages, adjacent ones of one role as one. An instruction between them is no part of the
/// conversation.
fn messages(body: &Value) -> Result<Vec<Message<'_>>, String> {
    let mut joined: Vec<Message<'_>> = Vec::new();
    let all = array(&body["messages"]);
    for (number, message) in all.iter().enumerate() {
        let is_user = match message["role"].as_str() {
            Some("user") => true,
            Some("assistant") => false,
            Some("system") => continue,
            _ => {
                return Err(format!(
                    "messages.{number}.role: Input should be 'user' or 'assistant'"
                ));
            }
        };
        let blocks: Vec<Block<'_>> = match &message["content"] {
            Value::String(text) if text.is_empty() => Vec::new(),
            Value::String(text) => vec![Block::Plain(text)],
            content => array(content).iter().map(Block::Typed).collect(),
        };
        let optional = !is_user && number + 1 == all.len();
        must(optional || !blocks.is_empty(), || {
            format!(
                "messages.{number}: all messages must have non-empty content except for the \
                 optional final assistant message"
            )
        })?;
        match joined.last_mut() {
            Some(last) if last.is_user == is_user => last.blocks.extend(blocks),
            _ => joined.push(Message { number, is_user, blocks }),
        }
    }
    Ok(joined)
}

fn judge_text(said: &str) -> Verdict {
    must(!said.is_empty(), || "messages: text content blocks must be non-empty".into())?;
    must(!said.trim().is_empty(), || {
        "messages: text content blocks must contain non-whitespace text".into()
    })
}

fn judge_block(place: &str, is_user: bool, block: Block<'_>) -> Verdict {
    let block = match block {
        Block::Plain(said) => return judge_text(said),
        Block::Typed(block) => block,
    };
    match text(&block["type"]) {
        "text" => judge_text(text(&block["text"])),
        "image" => judge_image(place, block),
        "tool_use" => {
            must(!is_user, || {
                format!("{place}: `tool_use` blocks can only be in `assistant` messages")
            })?;
            must(is_plain(text(&block["id"]), usize::MAX), || {
                format!("{place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
            })?;
            must(is_plain(text(&block["name"]), 128), || {
                format!(
                    "{place}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
                )
            })?;
            must(block["input"].is_object(), || {
                format!("{place}.tool_use.input: Input should be a valid dictionary")
            })
        }
        "tool_result" => {
            must(is_user, || {
                format!("{place}: `tool_result` blocks can only be in `user` messages")
            })?;
            let inner = array(&block["content"]).iter();
            inner.into_iter().try_for_each(|one| judge_block(place, true, Block::Typed(one)))
        }
        "thinking" => must(!text(&block["signature"]).is_empty(), || {
            format!("{place}.thinking.signature: Field required")
        }),
        _ => Ok(()),
    }
}

fn judge_image(place: &str, block: &Value) -> Verdict {
    let source = &block["source"];
    if source["type"] != "base64" {
        return Ok(());
    }
    let kinds = ["image/jpeg", "image/png", "image/gif", "image/webp"];
    must(kinds.contains(&text(&source["media_type"])), || {
        format!(
            "{place}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', \
             'image/gif' or 'image/webp'"
        )
    })?;
    must(!text(&source["data"]).is_empty(), || {
        format!("{place}.image.source.base64: image cannot be empty")
    })
}

/// The results at the beginning of a message.
fn results<'b>(message: &Message<'b>) -> Vec<&'b str> {
    let first = message.blocks.iter().map_while(|block| block.of("tool_result"));
    first.map(|result| text(&result["tool_use_id"])).collect()
}

/// The calls of a message have their results in the next one, before all else.
fn answered(message: &Message<'_>, next: Option<&Message<'_>>) -> Verdict {
    let calls = message.blocks.iter().filter_map(|block| block.of("tool_use"));
    let results = next.map(results).unwrap_or_default();
    let open: Vec<&str> =
        calls.map(|call| text(&call["id"])).filter(|id| !results.contains(id)).collect();
    must(open.is_empty(), || {
        format!(
            "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately \
             after: {}. Each `tool_use` block must have a corresponding `tool_result` block in the \
             next message.",
            message.number,
            open.join(", "),
        )
    })
}

/// The results of a message have their calls in the message before.
fn asked(message: &Message<'_>, before: Option<&Message<'_>>) -> Verdict {
    let calls = before.into_iter().flat_map(|before| &before.blocks);
    let calls: Vec<&str> =
        calls.filter_map(|block| Some(text(&block.of("tool_use")?["id"]))).collect();
    let mut met = BTreeSet::new();
    for (at, block) in message.blocks.iter().enumerate() {
        let Some(result) = block.of("tool_result") else { continue };
        let (id, place) =
            (text(&result["tool_use_id"]), format!("messages.{}.content.{at}", message.number));
        must(calls.contains(&id), || {
            format!(
                "{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
                 `tool_result` block must have a corresponding `tool_use` block in the previous \
                 message."
            )
        })?;
        must(met.insert(id), || {
            format!(
                "{place}: each tool_use must have a single result. Found multiple `tool_result` \
                 blocks with id: {id}"
            )
        })?;
    }
    Ok(())
}
