//! Writing a session for Claude Code: a line for each prompt, answer, call and result, each the
//! child of the one before (`FORMAT.md`, resuming).

use meaning::account::Cause;
use session::{EventRef, Slot};

use super::human_input;
use crate::convert::{Answered, Block, Body, Books, Carry, Piece, Target, Value};

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

fn compose(carry: &mut Carry<'_>) {
    let id = carry.id();
    carry.books.file(format!("{id}.jsonl"));
    let mut envelope = Envelope {
        session: Value::made(&id, Cause::Derived),
        folder: carry.folder(),
        branch: carry.first(Slot::Branch),
        parent: None,
        lines: 0,
        live: false,
    };
    for piece in std::mem::take(&mut carry.pieces) {
        match piece.body {
            Body::Prompt | Body::Report | Body::Summary => prompt(carry, &mut envelope, piece),
            Body::Answer => answer(carry, &mut envelope, piece),
            // The provider takes back only thoughts that it has signed itself.
            Body::Thought => {}
            Body::Call(result) => {
                call(carry, &mut envelope, piece);
                answered(carry, &mut envelope, piece.event, result);
            }
        }
    }
    if let Some(title) = carry.title() {
        carry.books.line(|books| {
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
}

/// A line. `message` writes its message.
fn line<'s>(
    carry: &mut Carry<'s>,
    envelope: &mut Envelope<'s>,
    (kind, event): (&'static [u8], EventRef<'s>),
    marks: Marks,
    message: impl FnOnce(&mut Books<'s>),
) {
    let time = carry.time(event);
    let own = carry.derived("line", envelope.lines);
    envelope.lines += 1;
    let parent = envelope.parent.replace(own.clone()).unwrap_or(Value::frame(b"null"));
    carry.books.line(|books| {
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

fn prompt<'s>(carry: &mut Carry<'s>, envelope: &mut Envelope<'s>, piece: Piece<'s>) {
    let blocks = carry.content(piece.event);
    // The agent takes what is before a summary for compacted.
    let summary = matches!(piece.body, Body::Summary) && !envelope.live;
    envelope.live |= !piece.event.standing().is_compacted();
    let plain = |block: &Block<'_>| match block {
        Block::Text(text) => text.text().is_none_or(|text| human_input::is_plainly_typed(&text)),
        Block::Picture { .. } => true,
    };
    let marks = Marks { summary, typed: piece.is_prompt() && !blocks.iter().any(plain) };
    line(carry, envelope, (USER, piece.event), marks, |books| {
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
    carry: &mut Carry<'s>,
    envelope: &mut Envelope<'s>,
    piece: Piece<'s>,
    finish: &'static [u8],
    block: impl FnOnce(&mut Books<'s>),
) {
    let name = carry.model(piece.event);
    let id = carry.uuid("message", piece.answer as usize).replace('-', "");
    let id = Value::made(&format!("msg_{id}"), Cause::Derived);
    line(carry, envelope, (ASSISTANT, piece.event), Marks::default(), |books| {
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

fn answer<'s>(carry: &mut Carry<'s>, envelope: &mut Envelope<'s>, piece: Piece<'s>) {
    envelope.live |= !piece.event.standing().is_compacted();
    for one in carry.content(piece.event) {
        // The model's answers hold no pictures.
        if let Block::Text(text) = one {
            model(carry, envelope, piece, b"\"end_turn\"", |books| {
                books.frame("type", b"\"text\"");
                books.put("text", text);
            });
        }
    }
}

fn call<'s>(carry: &mut Carry<'s>, envelope: &mut Envelope<'s>, piece: Piece<'s>) {
    envelope.live |= !piece.event.standing().is_compacted();
    let id = carry.call_id(piece.event, piece.event);
    let (name, input) = carry.call(piece.event);
    model(carry, envelope, piece, b"\"tool_use\"", |books| {
        books.frame("type", b"\"tool_use\"");
        books.put("id", id);
        books.put("name", name);
        books.put("input", input);
    });
}

fn answered<'s>(
    carry: &mut Carry<'s>,
    envelope: &mut Envelope<'s>,
    call: EventRef<'s>,
    result: Option<EventRef<'s>>,
) {
    let Answered { event, id, blocks, failed } = carry.answered(call, result);
    line(carry, envelope, (USER, event), Marks::default(), |books| {
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
