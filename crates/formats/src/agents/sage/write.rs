//! Writing a session for Sage: a message a line; the calls of an answer, with their results, are in
//! a message of their own (`FORMAT.md`, resuming).

use session::EventRef;

use crate::convert::{Answered, Body, Books, Conversion, Piece, Target, Value, text};

/// The agent as the target of a conversion.
pub(super) static TARGET: Target =
    Target { name: super::NAME, tools: &super::tools::TOOLS, compose };

fn compose(conversion: &mut Conversion<'_>) {
    conversion.books.file("conversation.jsonl".to_owned());
    let pieces = std::mem::take(&mut conversion.pieces);
    // A file in which all times fall is read from its end.
    conversion.ascend(&pieces);
    for piece in pieces {
        match piece.body {
            Body::Prompt | Body::Report | Body::Summary | Body::Told => {
                message(conversion, piece, b"\"user\"")
            }
            Body::Answer => message(conversion, piece, b"\"assistant\""),
            // The agent has no thoughts.
            Body::Thought => {}
            Body::Call(result) => call(conversion, piece, result),
        }
    }
}

fn line<'s>(
    conversion: &mut Conversion<'s>,
    event: EventRef<'s>,
    role: &'static [u8],
    content: Value<'s>,
    more: impl FnOnce(&mut Books<'s>),
) {
    let time = conversion.time(event);
    // Two equal messages of one second are two.
    let id = conversion.derived("message", event.index as usize);
    conversion.books.line(|books| {
        books.put("uuid", id);
        books.frame("role", role);
        books.put("content", content);
        more(books);
        books.put("timestamp", time);
    });
}

/// A message: the agent takes its text alone.
fn message<'s>(conversion: &mut Conversion<'s>, piece: Piece<'s>, role: &'static [u8]) {
    if let Some(content) = text(conversion.marked_content(&piece)) {
        line(conversion, piece.event, role, content, |_| {});
    }
}

fn call<'s>(conversion: &mut Conversion<'s>, piece: Piece<'s>, result: Option<EventRef<'s>>) {
    let (name, input) = conversion.call(piece.event);
    let Answered { blocks, failed, .. } = conversion.answered(piece.event, result);
    line(conversion, piece.event, b"\"assistant\"", Value::frame(b"\"\""), |books| {
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
