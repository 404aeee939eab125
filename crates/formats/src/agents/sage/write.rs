//! Writing a session for Sage: a message a line; the calls of an answer, with their results, are in
//! a message of their own (`FORMAT.md`, resuming).

use session::EventRef;

use crate::convert::{Answered, Body, Books, Carry, Piece, Target, Value, text};

/// The agent as the target of a conversion.
pub(super) static TARGET: Target =
    Target { name: super::NAME, tools: &super::tools::TOOLS, compose };

fn compose(carry: &mut Carry<'_>) {
    carry.books.file("conversation.jsonl".to_owned());
    let pieces = std::mem::take(&mut carry.pieces);
    // A file in which all times fall is read from its end.
    carry.ascend(&pieces);
    for piece in pieces {
        match piece.body {
            Body::Prompt | Body::Report | Body::Summary => message(carry, piece.event, b"\"user\""),
            Body::Answer => message(carry, piece.event, b"\"assistant\""),
            // The agent has no thoughts.
            Body::Thought => {}
            Body::Call(result) => call(carry, piece, result),
        }
    }
}

fn line<'s>(
    carry: &mut Carry<'s>,
    event: EventRef<'s>,
    role: &'static [u8],
    content: Value<'s>,
    more: impl FnOnce(&mut Books<'s>),
) {
    let time = carry.time(event);
    // Two equal messages of one second are two.
    let id = carry.derived("message", event.index as usize);
    carry.books.line(|books| {
        books.put("uuid", id);
        books.frame("role", role);
        books.put("content", content);
        more(books);
        books.put("timestamp", time);
    });
}

/// A message: the agent takes its text alone.
fn message<'s>(carry: &mut Carry<'s>, event: EventRef<'s>, role: &'static [u8]) {
    if let Some(content) = text(carry.content(event)) {
        line(carry, event, role, content, |_| {});
    }
}

fn call<'s>(carry: &mut Carry<'s>, piece: Piece<'s>, result: Option<EventRef<'s>>) {
    let (name, input) = carry.call(piece.event);
    let Answered { blocks, failed, .. } = carry.answered(piece.event, result);
    line(carry, piece.event, b"\"assistant\"", Value::frame(b"\"\""), |books| {
        books.array_at("tool_calls", |books| {
            books.object(|books| {
                books.put("name", name);
                books.put("args", input);
                books.put("result", text(blocks).unwrap_or(Value::frame(b"\"\"")));
                match failed {
                    Some(failed) => books.put("success", failed.written_as(b"false")),
                    None if result.is_some() => books.frame("success", b"true"),
                    None => {}
                }
            });
        });
    });
}
