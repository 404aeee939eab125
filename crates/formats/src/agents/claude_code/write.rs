//! Writing a session for Claude Code: a line for each prompt, answer, call and result, each the
//! child of the one before (`FORMAT.md`, resuming).

use meaning::account::Cause;
use session::{EventRef, Slot};

use super::human_input;
use crate::convert::{Answered, Block, Body, Books, Conversion, Piece, Target, Value};

/// Claude Code as the target of a conversion.
pub(super) static TARGET: Target =
    Target { name: super::NAME, tools: &super::tools::TOOLS, compose };

/// The values that each line repeats.
struct Envelope<'s> {
    session: Value<'s>,
    folder: Value<'s>,
    branch: Option<Value<'s>>,
    /// The id of the line before.
    parent: Option<Value<'s>>,
    lines: usize,
    /// Whether a line before is not compacted conversation.
    live: bool,
}

fn compose(conversion: &mut Conversion<'_>) {
    let id = conversion.id();
    conversion.books.file(format!("{id}.jsonl"));
    let mut envelope = Envelope {
        session: Value::made(&id, Cause::Derived),
        folder: conversion.folder(),
        branch: conversion.first(Slot::Branch),
        parent: None,
        lines: 0,
        live: false,
    };
    for piece in std::mem::take(&mut conversion.pieces) {
        match piece.body {
            Body::Prompt | Body::Report | Body::Summary | Body::Told => {
                prompt(conversion, &mut envelope, piece);
            }
            Body::Answer => answer(conversion, &mut envelope, piece),
            // The provider takes back only thoughts that it has signed itself.
            Body::Thought => {}
            Body::Call(result) => {
                call(conversion, &mut envelope, piece);
                answered(conversion, &mut envelope, piece.event, result);
            }
        }
    }
    if let Some(title) = conversion.title() {
        conversion.books.line(|books| {
            books.frame("type", b"\"custom-title\"");
            books.put("customTitle", title);
            books.put("sessionId", envelope.session);
        });
    }
}

/// Marks of a line.
#[derive(Clone, Copy, Default)]
struct Marks {
    /// It is the summary of a compaction.
    summary: bool,
    /// A person typed it, though it begins like a text of the agent.
    typed: bool,
    /// The agent passed it to the model in a person's place.
    told: bool,
}

/// A line. `message` writes its message.
fn line<'s>(
    conversion: &mut Conversion<'s>,
    envelope: &mut Envelope<'s>,
    (kind, event): (&'static [u8], EventRef<'s>),
    marks: Marks,
    message: impl FnOnce(&mut Books<'s>),
) {
    let time = conversion.time(event);
    let own = conversion.derived("line", envelope.lines);
    envelope.lines += 1;
    let parent = envelope.parent.replace(own.clone()).unwrap_or(Value::frame(b"null"));
    conversion.books.line(|books| {
        books.put("parentUuid", parent);
        books.frame("isSidechain", b"false");
        books.frame("userType", b"\"external\"");
        books.put("cwd", envelope.folder.clone());
        books.put("sessionId", envelope.session.clone());
        books.put_some("gitBranch", envelope.branch.clone());
        books.frame("type", kind);
        if marks.summary {
            books.frame("isCompactSummary", b"true");
        }
        if marks.told {
            books.frame("isMeta", b"true");
        }
        if marks.typed {
            books.object_at("origin", |books| books.frame("kind", b"\"human\""));
            books.frame("promptSource", b"\"typed\"");
        }
        books.object_at("message", message);
        books.put("uuid", own);
        books.put("timestamp", time);
    });
}

const USER: &[u8] = b"\"user\"";
const ASSISTANT: &[u8] = b"\"assistant\"";

fn prompt<'s>(conversion: &mut Conversion<'s>, envelope: &mut Envelope<'s>, piece: Piece<'s>) {
    let blocks = conversion.content(&piece);
    // The agent takes what is before a summary for compacted.
    let summary = matches!(piece.body, Body::Summary) && !envelope.live;
    envelope.live |= !piece.event.standing().is_compacted();
    let plain = |block: &Block<'_>| match block {
        Block::Text(text) => text.text().is_none_or(|text| human_input::is_plainly_typed(&text)),
        Block::Picture { .. } => true,
    };
    let typed = piece.is_prompt() && !blocks.iter().any(plain);
    let marks = Marks { summary, typed, told: matches!(piece.body, Body::Told) };
    line(conversion, envelope, (USER, piece.event), marks, |books| {
        books.frame("role", USER);
        content(books, "content", blocks);
    });
}

/// Content: a text, or blocks.
fn content<'s>(books: &mut Books<'s>, key: &'static str, mut blocks: Vec<Block<'s>>) {
    match &mut *blocks {
        [] => books.frame(key, b"\"\""),
        [Block::Text(_)] => {
            if let Some(Block::Text(text)) = blocks.pop() {
                books.put(key, text);
            }
        }
        _ => books.array_at(key, |books| blocks.into_iter().for_each(|one| block(books, one))),
    }
}

fn block<'s>(books: &mut Books<'s>, block: Block<'s>) {
    books.object(|books| match block {
        Block::Text(text) => {
            books.frame("type", b"\"text\"");
            books.put("text", text);
        }
        Block::Picture { kind, data } => {
            books.frame("type", b"\"image\"");
            books.object_at("source", |books| {
                books.frame("type", b"\"base64\"");
                books.put("media_type", kind);
                books.put("data", data);
            });
        }
    });
}

/// A line of the model, with one block. The lines of one answer have one message id: the agent
/// joins them, and sends calls that were made together in one message.
fn model<'s>(
    conversion: &mut Conversion<'s>,
    envelope: &mut Envelope<'s>,
    piece: Piece<'s>,
    finish: &'static [u8],
    block: impl FnOnce(&mut Books<'s>),
) {
    let name = conversion.model(piece.event);
    let id = conversion.uuid("message", piece.answer as usize).replace('-', "");
    let id = Value::made(&format!("msg_{id}"), Cause::Derived);
    line(conversion, envelope, (ASSISTANT, piece.event), Marks::default(), |books| {
        books.put("id", id);
        books.frame("type", b"\"message\"");
        books.frame("role", ASSISTANT);
        books.put("model", name);
        books.array_at("content", |books| books.object(block));
        books.frame("stop_reason", finish);
        books.frame("stop_sequence", b"null");
        books.object_at("usage", |books| {
            books.frame("input_tokens", b"0");
            books.frame("cache_creation_input_tokens", b"0");
            books.frame("cache_read_input_tokens", b"0");
            books.frame("output_tokens", b"0");
        });
    });
}

fn answer<'s>(conversion: &mut Conversion<'s>, envelope: &mut Envelope<'s>, piece: Piece<'s>) {
    envelope.live |= !piece.event.standing().is_compacted();
    for one in conversion.content(&piece) {
        // The model's answers hold no pictures.
        if let Block::Text(text) = one {
            model(conversion, envelope, piece, b"\"end_turn\"", |books| {
                books.frame("type", b"\"text\"");
                books.put("text", text);
            });
        }
    }
}

fn call<'s>(conversion: &mut Conversion<'s>, envelope: &mut Envelope<'s>, piece: Piece<'s>) {
    envelope.live |= !piece.event.standing().is_compacted();
    let id = conversion.call_id(piece.event, piece.event);
    let (name, input) = conversion.call(piece.event);
    model(conversion, envelope, piece, b"\"tool_use\"", |books| {
        books.frame("type", b"\"tool_use\"");
        books.put("id", id);
        books.put("name", name);
        books.put("input", input);
    });
}

fn answered<'s>(
    conversion: &mut Conversion<'s>,
    envelope: &mut Envelope<'s>,
    call: EventRef<'s>,
    result: Option<EventRef<'s>>,
) {
    let Answered { event, id, blocks, failed } = conversion.answered(call, result);
    line(conversion, envelope, (USER, event), Marks::default(), |books| {
        books.frame("role", USER);
        books.array_at("content", |books| {
            books.object(|books| {
                books.put("tool_use_id", id);
                books.frame("type", b"\"tool_result\"");
                content(books, "content", blocks);
                books.put_some("is_error", failed);
            });
        });
    });
}
