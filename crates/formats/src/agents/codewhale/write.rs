//! Writing a session for CodeWhale: one document, without the journal that the agent adds when it
//! loads it (`FORMAT.md`, resuming).

use meaning::account::Cause;
use session::EventRef;

use crate::convert::{
    Answered, Block, Body, Books, Conversion, Piece, Target, Value, asked, data_url, text,
};

/// The agent as the target of a conversion.
pub(super) static TARGET: Target =
    Target { name: super::NAME, tools: &super::tools::TOOLS, compose };

fn compose(conversion: &mut Conversion<'_>) {
    let id = conversion.id();
    let pieces = std::mem::take(&mut conversion.pieces);
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return };
    let (began, ended) = (conversion.time(first.event), conversion.time(last.event));
    let (folder, model) = (conversion.folder(), conversion.model(last.event));
    let title = conversion.heading(asked(&pieces, first));
    let messages = messages(&pieces);
    let count = Value::made_json(messages.len().to_string().into_bytes(), Cause::Derived);
    conversion.books.file(format!("{id}.json"));
    conversion.document(|conversion| {
        conversion.books.frame("schema_version", b"1");
        conversion.books.object_at("metadata", |books| {
            books.put("id", Value::made(&id, Cause::Derived));
            books.put("title", title);
            books.put("created_at", began);
            books.put("updated_at", ended);
            books.put("message_count", count);
            books.frame("total_tokens", b"0");
            books.put("model", model);
            books.put("workspace", folder);
        });
        conversion.books.begin_array("messages");
        messages.into_iter().for_each(|message| write_message(conversion, message));
        conversion.books.end_array();
        conversion.books.frame("system_prompt", b"null");
    });
}

/// A message: pieces of one side, and the results of the message before it.
enum Message<'s> {
    Said(Vec<Piece<'s>>),
    Results(Vec<(EventRef<'s>, Option<EventRef<'s>>)>),
}

/// The messages: calls that were made together are in one, and their results in the next one.
fn messages<'s>(pieces: &[Piece<'s>]) -> Vec<Message<'s>> {
    let mut messages = Vec::new();
    let same = |a: &Piece<'_>, b: &Piece<'_>| a.answer == b.answer && a.role() == b.role();
    for group in pieces.chunk_by(same) {
        messages.push(Message::Said(group.to_vec()));
        let answered = group.iter().filter_map(|piece| match piece.body {
            Body::Call(result) => Some((piece.event, result)),
            _ => None,
        });
        let answered: Vec<_> = answered.collect();
        messages.extend((!answered.is_empty()).then_some(Message::Results(answered)));
    }
    messages
}

fn write_message<'s>(conversion: &mut Conversion<'s>, message: Message<'s>) {
    let user = match &message {
        Message::Said(pieces) => matches!(pieces.first(), Some(p) if p.is_from_user()),
        Message::Results(_) => true,
    };
    conversion.books.begin();
    conversion.books.frame("role", if user { b"\"user\"" } else { b"\"assistant\"" });
    conversion.books.begin_array("content");
    match message {
        Message::Said(pieces) => pieces.into_iter().for_each(|piece| said(conversion, piece)),
        Message::Results(all) => {
            all.into_iter().for_each(|(of, result)| answered(conversion, of, result))
        }
    }
    conversion.books.end_array();
    conversion.books.end();
}

fn said<'s>(conversion: &mut Conversion<'s>, piece: Piece<'s>) {
    match piece.body {
        Body::Prompt | Body::Report | Body::Summary | Body::Told | Body::Answer => {
            conversion
                .marked_content(&piece)
                .into_iter()
                .for_each(|one| block(&mut conversion.books, one));
        }
        Body::Thought => {
            if let Some(thought) = text(conversion.content(&piece)) {
                conversion.books.object(|books| {
                    books.frame("type", b"\"thinking\"");
                    books.put("thinking", thought);
                });
            }
        }
        Body::Call(_) => {
            let id = conversion.call_id(piece.event, piece.event);
            let (name, input) = conversion.call(piece.event);
            conversion.books.object(|books| {
                books.frame("type", b"\"tool_use\"");
                books.put("id", id);
                books.put("name", name);
                books.put("input", input);
            });
        }
    }
}

fn block<'s>(books: &mut Books<'s>, block: Block<'s>) {
    books.object(|books| match block {
        Block::Text(text) => {
            books.frame("type", b"\"text\"");
            books.put("text", text);
        }
        Block::Picture { kind, data } => {
            books.frame("type", b"\"image_url\"");
            books.object_at("image_url", |books| books.put("url", data_url(&kind, &data)));
        }
    });
}

/// A result: the agent takes its text alone.
fn answered<'s>(conversion: &mut Conversion<'s>, call: EventRef<'s>, result: Option<EventRef<'s>>) {
    let Answered { id, blocks, failed, .. } = conversion.answered(call, result);
    conversion.books.object(|books| {
        books.frame("type", b"\"tool_result\"");
        books.put("tool_use_id", id);
        books.put("content", text(blocks).unwrap_or(Value::frame(b"\"\"")));
        books.put_some("is_error", failed);
    });
}
