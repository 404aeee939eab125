//! Writing a session for Qwen Code: a log of records, each naming the one before (`FORMAT.md`,
//! resuming).

use meaning::account::Cause;
use session::{EventRef, Slot};

use crate::agents::gemini::write::part;
use crate::convert::{
    Answer, AnswerPart, Answered, Block, Body, Books, Conversion, Piece, Target, Value, text,
};
use crate::digest::random_form;

/// The agent as the target of a conversion.
pub(super) static TARGET: Target =
    Target { name: super::NAME, tools: &super::tools::TOOLS, compose };

/// The version whose records these are.
const VERSION: &[u8] = b"\"0.24.4\"";

/// The log so far.
struct Log<'s> {
    id: Value<'s>,
    folder: Value<'s>,
    branch: Option<Value<'s>>,
    /// The id of the record before.
    parent: Option<Value<'s>>,
    records: usize,
    /// Whether a record before is not compacted conversation.
    live: bool,
}

fn compose(conversion: &mut Conversion<'_>) {
    // The agent takes an id of another version for a title.
    let id = random_form(&conversion.id());
    conversion.books.file(format!("{id}.jsonl"));
    let pieces = std::mem::take(&mut conversion.pieces);
    let mut log = Log {
        id: Value::made(&id, Cause::Derived),
        folder: conversion.folder(),
        branch: conversion.first(Slot::Branch),
        parent: None,
        records: 0,
        live: false,
    };
    let same = |a: &Piece<'_>, b: &Piece<'_>| a.answer == b.answer && !a.is_from_user();
    for group in pieces.chunk_by(same) {
        match group[0].body {
            Body::Prompt => user(conversion, &mut log, group[0], false),
            Body::Summary if !log.live => summary(conversion, &mut log, group[0]),
            Body::Summary | Body::Told | Body::Report => {
                user(conversion, &mut log, group[0], true);
            }
            Body::Answer | Body::Thought | Body::Call(_) => answer(conversion, &mut log, group),
        }
        log.live |= group.iter().any(|piece| !piece.event.standing().is_compacted());
    }
    if let (Some(title), Some(last)) = (conversion.title(), pieces.last()) {
        record(conversion, &mut log, (b"\"system\"", last.event), |books| {
            books.frame("subtype", b"\"custom_title\"");
            books.object_at("systemPayload", |books| books.put("customTitle", title));
        });
    }
}

/// A record. `fill` writes its own members.
fn record<'s>(
    conversion: &mut Conversion<'s>,
    log: &mut Log<'s>,
    (kind, event): (&'static [u8], EventRef<'s>),
    fill: impl FnOnce(&mut Books<'s>),
) {
    let own = conversion.derived("record", log.records);
    log.records += 1;
    let parent = log.parent.replace(own.clone()).unwrap_or(Value::frame(b"null"));
    let time = conversion.time(event);
    conversion.books.line(|books| {
        books.put("uuid", own);
        books.put("parentUuid", parent);
        books.put("sessionId", log.id.clone());
        books.put("timestamp", time);
        books.frame("type", kind);
        books.put("cwd", log.folder.clone());
        books.frame("version", VERSION);
        books.put_some("gitBranch", log.branch.clone());
        fill(books);
    });
}

/// A record with a message of these parts.
fn message<'s>(books: &mut Books<'s>, role: &'static [u8], parts: impl FnOnce(&mut Books<'s>)) {
    books.object_at("message", |books| {
        books.frame("role", role);
        books.array_at("parts", parts);
    });
}

const USER: &[u8] = b"\"user\"";

/// A text of the user's side. One that an agent passed to the model has a subtype.
fn user<'s>(conversion: &mut Conversion<'s>, log: &mut Log<'s>, piece: Piece<'s>, told: bool) {
    let blocks = conversion.content(&piece);
    record(conversion, log, (USER, piece.event), |books| {
        if told {
            books.frame("subtype", b"\"notification\"");
            books.frame("provenance", b"\"system\"");
        }
        message(books, USER, |books| blocks.into_iter().for_each(|one| part(books, one)));
    });
}

/// A summary with nothing of the context before it: a compression, whose history the agent begins
/// with.
fn summary<'s>(conversion: &mut Conversion<'s>, log: &mut Log<'s>, piece: Piece<'s>) {
    let blocks = conversion.content(&piece);
    record(conversion, log, (b"\"system\"", piece.event), |books| {
        books.frame("subtype", b"\"chat_compression\"");
        books.object_at("systemPayload", |books| {
            books.object_at("info", |books| {
                books.frame("originalTokenCount", b"0");
                books.frame("newTokenCount", b"0");
                books.frame("compressionStatus", b"1");
            });
            books.array_at("compressedHistory", |books| {
                books.object(|books| {
                    books.frame("role", USER);
                    books.array_at("parts", |books| {
                        blocks.into_iter().for_each(|one| part(books, one));
                    });
                });
            });
        });
    });
}

/// An answer: its thoughts, texts and calls in one record, and behind it the results.
fn answer<'s>(conversion: &mut Conversion<'s>, log: &mut Log<'s>, group: &[Piece<'s>]) {
    let Answer { parts, calls } = conversion.answer(group);
    let event = group[0].event;
    let model = conversion.model(event);
    record(conversion, log, (b"\"assistant\"", event), |books| {
        books.put("model", model);
        message(books, b"\"model\"", |books| {
            parts.into_iter().for_each(|one| of_answer(books, one));
        });
    });
    for (call, name, result) in calls {
        answered(conversion, log, (call, name), result);
    }
}

fn of_answer<'s>(books: &mut Books<'s>, one: AnswerPart<'s>) {
    match one {
        AnswerPart::Thought(Block::Text(text)) => books.object(|books| {
            books.put("text", text);
            books.frame("thought", b"true");
        }),
        AnswerPart::Said(block) | AnswerPart::Thought(block) => part(books, block),
        AnswerPart::Call { id, name, input } => books.object(|books| {
            books.object_at("functionCall", |books| {
                books.put("id", id);
                books.put("name", name);
                books.put("args", input);
            });
        }),
    }
}

fn answered<'s>(
    conversion: &mut Conversion<'s>,
    log: &mut Log<'s>,
    (call, name): (EventRef<'s>, Value<'s>),
    result: Option<EventRef<'s>>,
) {
    let Answered { event, id, blocks, failed } = conversion.answered(call, result);
    let (texts, pictures): (Vec<_>, Vec<_>) =
        blocks.into_iter().partition(|block| matches!(block, Block::Text(_)));
    let key = if failed.is_some() { "error" } else { "output" };
    record(conversion, log, (b"\"tool_result\"", event), |books| {
        message(books, USER, |books| {
            books.object(|books| {
                books.object_at("functionResponse", |books| {
                    books.put("id", id.clone());
                    books.put("name", name);
                    books.object_at("response", |books| match text(texts) {
                        Some(text) => books.put(key, text),
                        None => books.frame(key, b"\"\""),
                    });
                    if !pictures.is_empty() {
                        books.array_at("parts", |books| {
                            pictures.into_iter().for_each(|one| part(books, one));
                        });
                    }
                });
            });
        });
        books.object_at("toolCallResult", |books| {
            books.put("callId", id);
            match failed {
                Some(failed) => books.put("status", failed.as_text("error")),
                None => books.frame("status", b"\"success\""),
            }
        });
    });
}
