//! Writing a session for Pi: a header, and an entry for each message, each the child of the one
//! before (`FORMAT.md`, resuming).

use std::collections::HashSet;

use meaning::account::Cause;
use session::{EventRef, Slot};

use super::{locate, worded};
use crate::convert::{
    Answer, AnswerPart, Answered, Block, Body, Books, Conversion, Piece, Target, Value,
};

/// The agent as the target of a conversion.
pub(super) static TARGET: Target = Target { name: super::NAME, tools: &super::tools::OWN, compose };

/// The chain of entries.
struct Chain<'s> {
    /// The id of the entry before.
    parent: Option<Value<'s>>,
    entries: usize,
    ids: HashSet<String>,
    /// Whether an entry before is not compacted conversation.
    live: bool,
}

fn compose(conversion: &mut Conversion<'_>) {
    let id = conversion.id();
    let pieces = std::mem::take(&mut conversion.pieces);
    let Some(first) = pieces.first() else { return };
    let began = conversion.time(first.event);
    conversion.books.file(locate::name(&began.text().unwrap_or_default(), &id));
    let folder = conversion.folder();
    conversion.books.line(|books| {
        books.frame("type", b"\"session\"");
        books.frame("version", b"3");
        books.put("id", Value::made(&id, Cause::Derived));
        books.put("timestamp", began);
        books.put("cwd", folder);
    });
    let mut chain = Chain { parent: None, entries: 0, ids: HashSet::new(), live: false };
    let same = |a: &Piece<'_>, b: &Piece<'_>| a.answer == b.answer && !a.is_from_user();
    for group in pieces.chunk_by(same) {
        match group[0].body {
            Body::Prompt => prompt(conversion, &mut chain, group[0]),
            Body::Summary => summary(conversion, &mut chain, group[0]),
            Body::Told | Body::Report => {
                let blocks = conversion.content(&group[0]);
                told(conversion, &mut chain, group[0], blocks);
            }
            Body::Answer | Body::Thought | Body::Call(_) => answer(conversion, &mut chain, group),
        }
        chain.live |= group.iter().any(|piece| !piece.event.standing().is_compacted());
    }
    if let (Some(title), Some(last)) = (conversion.title(), pieces.last()) {
        entry(conversion, &mut chain, (b"\"session_info\"", last.event), |books| {
            books.put("name", title);
        });
    }
}

/// An entry of the tree. `fill` writes its own members.
fn entry<'s>(
    conversion: &mut Conversion<'s>,
    chain: &mut Chain<'s>,
    (kind, event): (&'static [u8], EventRef<'s>),
    fill: impl FnOnce(&mut Books<'s>),
) {
    let own = conversion.uuid("entry", chain.entries);
    chain.entries += 1;
    // The agent's own ids have eight digits, and are a whole UUID where these are taken.
    let short = own.get(..SHORT).unwrap_or(&own).to_owned();
    let own = if chain.ids.insert(short.clone()) { short } else { own };
    let own = Value::made(&own, Cause::Derived);
    let parent = chain.parent.replace(own.clone()).unwrap_or(Value::frame(b"null"));
    let time = conversion.time(event);
    conversion.books.line(|books| {
        books.frame("type", kind);
        books.put("id", own);
        books.put("parentId", parent);
        books.put("timestamp", time);
        fill(books);
    });
}

/// The length of an entry's id.
const SHORT: usize = 8;

/// An entry with a message.
fn message<'s>(
    conversion: &mut Conversion<'s>,
    chain: &mut Chain<'s>,
    event: EventRef<'s>,
    fill: impl FnOnce(&mut Books<'s>),
) {
    let time = conversion.epoch(event);
    entry(conversion, chain, (b"\"message\"", event), |books| {
        books.object_at("message", |books| {
            fill(books);
            books.put("timestamp", time);
        });
    });
}

fn prompt<'s>(conversion: &mut Conversion<'s>, chain: &mut Chain<'s>, piece: Piece<'s>) {
    let blocks = conversion.content(&piece);
    message(conversion, chain, piece.event, |books| {
        books.frame("role", b"\"user\"");
        content(books, blocks);
    });
}

/// A text that the source's agent passed to the model: as that of an extension.
fn told<'s>(
    conversion: &mut Conversion<'s>,
    chain: &mut Chain<'s>,
    piece: Piece<'s>,
    blocks: Vec<Block<'s>>,
) {
    entry(conversion, chain, (b"\"custom_message\"", piece.event), |books| {
        books.frame("customType", b"\"context\"");
        content(books, blocks);
        books.frame("display", b"true");
    });
}

/// A summary. One in the words of the family begins the context as that of a compaction, which the
/// agent puts the same words around. That of another agent has its own words, and stays as it is.
fn summary<'s>(conversion: &mut Conversion<'s>, chain: &mut Chain<'s>, piece: Piece<'s>) {
    let blocks = conversion.content(&piece);
    let bare = match &*blocks {
        [Block::Text(said)] if !chain.live => {
            let text = said.text().unwrap_or_default();
            worded::bare_summary(&text).map(|bare| said.as_text(bare))
        }
        _ => None,
    };
    let Some(bare) = bare else { return told(conversion, chain, piece, blocks) };
    // It keeps nothing of what is before it, so that it names itself as the first kept entry.
    let own = conversion.uuid("entry", chain.entries);
    let own = Value::made(own.get(..SHORT).unwrap_or(&own), Cause::Derived);
    entry(conversion, chain, (b"\"compaction\"", piece.event), |books| {
        books.put("summary", bare);
        books.put("firstKeptEntryId", own);
        books.frame("tokensBefore", b"0");
    });
}

fn content<'s>(books: &mut Books<'s>, blocks: Vec<Block<'s>>) {
    match blocks.is_empty() {
        true => books.array_at("content", |books| {
            books.object(|books| {
                books.frame("type", b"\"text\"");
                books.frame("text", b"\"\"");
            });
        }),
        false => {
            books.array_at("content", |books| blocks.into_iter().for_each(|one| block(books, one)));
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
            books.frame("type", b"\"image\"");
            books.put("data", data);
            books.put("mimeType", kind);
        }
    });
}

/// An answer: its thoughts, texts and calls in one message, and behind it the results.
fn answer<'s>(conversion: &mut Conversion<'s>, chain: &mut Chain<'s>, group: &[Piece<'s>]) {
    let Answer { parts, calls } = conversion.answer(group);
    let event = group[0].event;
    let around = [Some(event), conversion.parent(event)].into_iter().flatten();
    let named: Vec<_> = around.filter(|event| event.text(Slot::Provider).is_some()).collect();
    let provider = named.first().and_then(|event| conversion.books.take(*event, Slot::Provider));
    let provider = provider.map_or(Value::made("unknown", Cause::Required), Value::carried);
    let model = conversion.model(event);
    let stop: &[u8] = if calls.is_empty() { b"\"stop\"" } else { b"\"toolUse\"" };
    message(conversion, chain, event, |books| {
        books.frame("role", b"\"assistant\"");
        books.array_at("content", |books| parts.into_iter().for_each(|one| part(books, one)));
        // No interface is named so: the agent takes back no thought that its model has not signed.
        books.frame("api", b"\"unknown\"");
        books.put("provider", provider);
        books.put("model", model);
        books.object_at("usage", |books| {
            for counter in ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] {
                books.frame(counter, b"0");
            }
            books.object_at("cost", |books| {
                for part in ["input", "output", "cacheRead", "cacheWrite", "total"] {
                    books.frame(part, b"0");
                }
            });
        });
        books.frame("stopReason", stop);
    });
    for (call, name, result) in calls {
        answered(conversion, chain, (call, name), result);
    }
}

fn part<'s>(books: &mut Books<'s>, part: AnswerPart<'s>) {
    match part {
        AnswerPart::Said(text) => block(books, text),
        AnswerPart::Thought(Block::Text(text)) => books.object(|books| {
            books.frame("type", b"\"thinking\"");
            books.put("thinking", text);
        }),
        AnswerPart::Thought(picture) => block(books, picture),
        AnswerPart::Call { id, name, input } => books.object(|books| {
            books.frame("type", b"\"toolCall\"");
            books.put("id", id);
            books.put("name", name);
            books.put("arguments", input);
        }),
    }
}

fn answered<'s>(
    conversion: &mut Conversion<'s>,
    chain: &mut Chain<'s>,
    (call, name): (EventRef<'s>, Value<'s>),
    result: Option<EventRef<'s>>,
) {
    let Answered { event, id, blocks, failed } = conversion.answered(call, result);
    message(conversion, chain, event, |books| {
        books.frame("role", b"\"toolResult\"");
        books.put("toolCallId", id);
        books.put("toolName", name);
        content(books, blocks);
        books.put("isError", failed.unwrap_or(Value::frame(b"false")));
    });
}
