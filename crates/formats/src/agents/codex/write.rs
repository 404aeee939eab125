//! Writing a session for Codex: for each message the item that the model sees, and the event that
//! the screen and the list of sessions show (`FORMAT.md`, resuming).

use meaning::account::Cause;
use session::{EventRef, Outcome, Slot};

use super::tools;
use crate::convert::{Answered, Block, Body, Books, Conversion, Piece, Target, Value, data_url};

/// Codex as the target of a conversion.
pub(super) static TARGET: Target = Target { name: super::NAME, tools: &tools::TOOLS, compose };

fn compose(conversion: &mut Conversion<'_>) {
    let id = conversion.id();
    let Some(first) = conversion.pieces.first().copied() else { return };
    let time = conversion.time(first.event);
    conversion.books.file(name(&id, &time));
    meta(conversion, &id, time);
    let pieces = std::mem::take(&mut conversion.pieces);
    conversion.tell_apart(&pieces);
    let last = pieces.last().map(|piece| piece.event);
    for piece in pieces {
        match piece.body {
            Body::Prompt | Body::Report | Body::Summary => prompt(conversion, piece),
            Body::Told => told(conversion, piece),
            Body::Answer => answer(conversion, piece),
            Body::Thought => thought(conversion, piece),
            Body::Call(result) => {
                call(conversion, piece);
                answered(conversion, piece.event, result);
            }
        }
    }
    if let Some(title) = conversion.title() {
        conversion.rewind();
        named(conversion, &id, title, last);
    }
}

/// The event by which the agent itself notes that a session has got a title.
fn named<'s>(
    conversion: &mut Conversion<'s>,
    id: &str,
    title: Value<'s>,
    last: Option<EventRef<'s>>,
) {
    let Some(last) = last else { return };
    let id = Value::made(id, Cause::Derived);
    line(conversion, last, EVENT, |books| {
        books.frame("type", b"\"thread_name_updated\"");
        books.put("thread_id", id);
        books.put("thread_name", title);
    });
}

/// The name of the file: its time has hyphens for colons, and no fraction.
fn name(id: &str, time: &Value<'_>) -> String {
    let time = time.text().unwrap_or_default();
    let second: String = time.chars().take(19).collect();
    format!("rollout-{}-{id}.jsonl", second.replace(':', "-"))
}

fn meta<'s>(conversion: &mut Conversion<'s>, id: &str, time: Value<'s>) {
    let id = Value::made(id, Cause::Derived);
    let folder = conversion.folder();
    let git = [
        ("commit_hash", conversion.first(Slot::Revision)),
        ("branch", conversion.first(Slot::Branch)),
        ("repository_url", conversion.first(Slot::Repository)),
    ];
    conversion.books.line(|books| {
        books.put("timestamp", time.clone());
        books.frame("type", b"\"session_meta\"");
        books.object_at("payload", |books| {
            books.put("id", id.clone());
            books.put("session_id", id);
            books.put("timestamp", time);
            books.put("cwd", folder);
            books.frame("originator", b"\"codex_cli_rs\"");
            books.frame("cli_version", b"\"0.0.0\"");
            books.frame("source", b"\"cli\"");
            books.frame("model_provider", b"\"openai\"");
            books.frame("history_mode", b"\"legacy\"");
            if git.iter().any(|(_, value)| value.is_some()) {
                books.object_at("git", |books| {
                    git.into_iter().for_each(|(key, value)| books.put_some(key, value));
                });
            }
        });
    });
}

/// A line with a payload.
fn line<'s>(
    conversion: &mut Conversion<'s>,
    event: EventRef<'s>,
    kind: &'static [u8],
    payload: impl FnOnce(&mut Books<'s>),
) {
    let time = conversion.time(event);
    conversion.books.line(|books| {
        books.put("timestamp", time);
        books.frame("type", kind);
        books.object_at("payload", payload);
    });
}

const ITEM: &[u8] = b"\"response_item\"";
const EVENT: &[u8] = b"\"event_msg\"";

fn prompt<'s>(conversion: &mut Conversion<'s>, piece: Piece<'s>) {
    let blocks = conversion.content(&piece);
    let texts = shown(conversion, blocks.iter().filter_map(text).collect());
    line(conversion, piece.event, ITEM, |books| {
        books.frame("type", b"\"message\"");
        books.frame("role", b"\"user\"");
        books.array_at("content", |books| {
            blocks.into_iter().for_each(|one| block(books, one, b"\"input_text\""));
        });
    });
    for text in texts {
        line(conversion, piece.event, EVENT, |books| {
            books.frame("type", b"\"user_message\"");
            books.put("message", text);
            books.frame("images", b"[]");
        });
    }
}

/// The texts of a prompt as the screen shows them, and the list of sessions the first one: the
/// person's own words, without what the source's agent put around them.
fn shown<'s>(conversion: &Conversion<'s>, texts: Vec<Value<'s>>) -> Vec<Value<'s>> {
    let own = |text: &Value<'s>| {
        let whole = text.text().unwrap_or_default();
        let words = conversion.own_words(&whole)?;
        Some(if words == whole.trim() { text.clone() } else { text.as_text(words) })
    };
    let said: Vec<Value<'s>> = texts.iter().filter_map(own).collect();
    if said.is_empty() { texts } else { said }
}

/// A text of the source's agent in a person's place: a developer's message, as this agent has the
/// words of a hook. The provider takes pictures in a user's message only.
fn told<'s>(conversion: &mut Conversion<'s>, piece: Piece<'s>) {
    let blocks = conversion.content(&piece);
    let shows = blocks.iter().any(|block| matches!(block, Block::Picture { .. }));
    line(conversion, piece.event, ITEM, |books| {
        books.frame("type", b"\"message\"");
        books.frame("role", if shows { b"\"user\"" } else { b"\"developer\"" });
        books.array_at("content", |books| {
            for one in blocks {
                let one = if shows { one.reminding() } else { one };
                block(books, one, b"\"input_text\"");
            }
        });
    });
}

fn text<'s>(block: &Block<'s>) -> Option<Value<'s>> {
    match block {
        Block::Text(text) => Some(text.clone()),
        Block::Picture { .. } => None,
    }
}

fn block<'s>(books: &mut Books<'s>, block: Block<'s>, kind: &'static [u8]) {
    books.object(|books| match block {
        Block::Text(text) => {
            books.frame("type", kind);
            books.put("text", text);
        }
        Block::Picture { kind, data } => {
            books.frame("type", b"\"input_image\"");
            books.put("image_url", data_url(&kind, &data));
        }
    });
}

fn answer<'s>(conversion: &mut Conversion<'s>, piece: Piece<'s>) {
    let texts: Vec<Value<'s>> = conversion.content(&piece).iter().filter_map(text).collect();
    for text in texts {
        let said = text.clone();
        line(conversion, piece.event, EVENT, |books| {
            books.frame("type", b"\"agent_message\"");
            books.put("message", said);
        });
        line(conversion, piece.event, ITEM, |books| {
            books.frame("type", b"\"message\"");
            books.frame("role", b"\"assistant\"");
            books.array_at("content", |books| block(books, Block::Text(text), b"\"output_text\""));
        });
    }
}

/// A thought is shown; the provider takes back only thoughts that it has sealed itself.
fn thought<'s>(conversion: &mut Conversion<'s>, piece: Piece<'s>) {
    let texts: Vec<Value<'s>> = conversion.content(&piece).iter().filter_map(text).collect();
    for text in texts {
        line(conversion, piece.event, EVENT, |books| {
            books.frame("type", b"\"agent_reasoning\"");
            books.put("text", text);
        });
    }
}

fn call<'s>(conversion: &mut Conversion<'s>, piece: Piece<'s>) {
    let id = conversion.call_id(piece.event, piece.event);
    let (name, input) = conversion.call(piece.event);
    let input = input.as_text(&String::from_utf8_lossy(input.json()));
    line(conversion, piece.event, ITEM, |books| {
        books.frame("type", b"\"function_call\"");
        books.put("name", name);
        books.put("arguments", input);
        books.put("call_id", id);
    });
}

fn answered<'s>(conversion: &mut Conversion<'s>, call: EventRef<'s>, result: Option<EventRef<'s>>) {
    let Answered { event, id, mut blocks, failed } = conversion.answered(call, result);
    let status = status(&blocks, failed, result);
    line(conversion, event, ITEM, |books| {
        books.frame("type", b"\"function_call_output\"");
        books.put("call_id", id);
        match &*blocks {
            [] => books.frame("output", b"\"\""),
            [Block::Text(_)] => {
                if let Some(Block::Text(text)) = blocks.pop() {
                    books.put("output", text);
                }
            }
            _ => books.array_at("output", |books| {
                blocks.into_iter().for_each(|one| block(books, one, b"\"input_text\""));
            }),
        }
        books.put_some("status", status);
    });
}

/// The outcome of a call, where the text of its result does not tell it: the agent's own results
/// have the exit code in their text.
fn status<'s>(
    blocks: &[Block<'s>],
    failed: Option<Value<'s>>,
    result: Option<EventRef<'s>>,
) -> Option<Value<'s>> {
    let told = blocks.iter().find_map(|block| tools::told(&text(block)?.text()?));
    match failed {
        Some(failed) => Some(failed.as_text("failed")),
        None if told.is_some_and(Outcome::is_bad) && result?.outcome() == Some(Outcome::Good) => {
            Some(Value::made("completed", Cause::Form))
        }
        None => None,
    }
}
