//! Writing a session for Gemini CLI: the file's head, and a message a line (`FORMAT.md`, resuming).

use meaning::account::{Cause, Fate, LedgerRow};
use session::value::look;
use session::{EventRef, Session, Stream, UtcTime};

use super::locate::placed_name;
use super::quoted::{self, quoted};
use crate::convert::{Answered, Block, Body, Books, Conversion, Hint, Piece, Target, Value, text};
use crate::digest::digest;
use crate::probe::is_document;
use crate::written::Written;

/// The agent as the target of a conversion.
pub(super) static TARGET: Target =
    Target { name: super::NAME, tools: &super::tools::TOOLS, compose };

/// Changes the stored bytes of the agent's own session for a store into which it is placed at this
/// time. The agent removes at its start what was not updated for a month: a log gets a line as the
/// agent itself adds it, and in a document the time is another one.
pub(super) fn placed_at(mut written: Written, session: &Session, at: Option<UtcTime>) -> Written {
    let Some(time) = at.map(|at| format!("\"{}\"", at.millis())) else { return written };
    let members = session.bundle.members.iter().enumerate();
    for ((at, member), (_, content)) in members.zip(&mut written.files) {
        let bytes = member.bytes();
        if member.stream != Stream::Main || member.stored_bytes() != bytes {
            continue;
        }
        let made = if is_document(bytes) {
            let Some(span) = look(bytes, |root| Some(root.at(&[UPDATED])?.span())) else {
                continue;
            };
            let (start, end) = (span.start as usize, span.end as usize);
            let (fate, place) = (Fate::Dropped(Cause::Placed), Some((at as u32, span)));
            written.rows.push(LedgerRow::of(UPDATED.to_owned(), fate, Cause::Placed, place));
            [&bytes[..start], time.as_bytes(), &bytes[end..]].concat()
        } else {
            let end = if bytes.ends_with(b"\n") { "" } else { "\n" };
            let line = format!("{end}{{\"$set\":{{\"{UPDATED}\":{time}}}}}\n");
            [bytes, line.as_bytes()].concat()
        };
        written.rows.push(LedgerRow::made(UPDATED.to_owned(), Cause::Placed));
        *content = made.into();
    }
    written
}

/// The name of the time of the last change.
const UPDATED: &str = "lastUpdated";

fn compose(conversion: &mut Conversion<'_>) {
    let id = conversion.id();
    let Some(first) = conversion.pieces.first().copied() else { return };
    let time = conversion.time(first.event);
    let minute: String = time.text().unwrap_or_default().chars().take(16).collect();
    conversion.books.file(placed_name(&minute, &id, ".jsonl"));
    let folder = conversion.folder();
    let hash = folder.as_text(&digest(folder.text().unwrap_or_default().as_bytes()));
    // The agent removes at its start what was not updated for a month.
    let placed = conversion.placed_at();
    let title = conversion.title();
    conversion.books.line(|books| {
        books.put("sessionId", Value::made(&id, Cause::Derived));
        books.put("projectHash", hash);
        books.put("startTime", time.clone());
        books.put(UPDATED, placed.unwrap_or(time));
        books.frame("kind", b"\"main\"");
        books.put_some("summary", title);
    });
    let pieces = std::mem::take(&mut conversion.pieces);
    for (number, group) in pieces.chunk_by(is_one).enumerate() {
        match group[0].body {
            Body::Prompt | Body::Report | Body::Summary | Body::Told => {
                prompt(conversion, number, group[0])
            }
            Body::Thought => thought(conversion, number, group[0]),
            Body::Answer | Body::Call(_) => answer(conversion, number, group),
        }
    }
}

/// Whether two pieces are in one message: a text with the calls after it. The provider counts the
/// results of the calls of a message, and refuses calls in a message after another of the model.
fn is_one<'s>(before: &Piece<'s>, next: &Piece<'s>) -> bool {
    let open = matches!(before.body, Body::Answer | Body::Call(_));
    open && matches!(next.body, Body::Call(_)) && before.answer == next.answer
}

/// A message.
fn message<'s>(
    conversion: &mut Conversion<'s>,
    number: usize,
    event: EventRef<'s>,
    kind: &'static [u8],
    fill: impl FnOnce(&mut Books<'s>),
) {
    let id = conversion.derived("message", number);
    let time = conversion.time(event);
    conversion.books.line(|books| {
        books.put("id", id);
        books.put("timestamp", time);
        books.frame("type", kind);
        fill(books);
    });
}

const MODEL: &[u8] = b"\"gemini\"";

fn prompt<'s>(conversion: &mut Conversion<'s>, number: usize, piece: Piece<'s>) {
    let mut blocks = conversion.marked_content(&piece);
    // A text behind a picture is sent, however it begins.
    let says = |block: &&mut Block<'s>| match block {
        Block::Text(text) => text.text().is_some_and(|text| !text.trim().is_empty()),
        Block::Picture { .. } => true,
    };
    if let Some(Block::Text(text)) = blocks.iter_mut().find(says)
        && let Some(words) = quoted(&text.text().unwrap_or_default())
    {
        *text = text.as_text(&words).hinted(Hint::Tagged(quoted::NAME));
    }
    message(conversion, number, piece.event, b"\"user\"", |books| {
        books.array_at("content", |books| blocks.into_iter().for_each(|one| part(books, one)));
    });
}

/// A part of the provider's interface.
pub(crate) fn part<'s>(books: &mut Books<'s>, block: Block<'s>) {
    books.object(|books| match block {
        Block::Text(text) => books.put("text", text),
        Block::Picture { kind, data } => books.object_at("inlineData", |books| {
            books.put("mimeType", kind);
            books.put("data", data);
        }),
    });
}

/// A message of the model: its text, and its calls with their results.
fn answer<'s>(conversion: &mut Conversion<'s>, number: usize, group: &[Piece<'s>]) {
    let (mut said, mut calls) = (None, Vec::new());
    for piece in group {
        match piece.body {
            Body::Call(result) => calls.push(called(conversion, piece.event, result)),
            _ => said = text(conversion.content(piece)),
        }
    }
    let model = conversion.model(group[0].event);
    message(conversion, number, group[0].event, MODEL, |books| {
        books.put("content", said.unwrap_or(Value::frame(b"\"\"")));
        books.frame("thoughts", b"[]");
        books.put("model", model);
        if !calls.is_empty() {
            books.array_at("toolCalls", |books| calls.into_iter().for_each(|one| call(books, one)));
        }
    });
}

fn thought<'s>(conversion: &mut Conversion<'s>, number: usize, piece: Piece<'s>) {
    let Some(said) = text(conversion.content(&piece)) else { return };
    let (model, time) = (conversion.model(piece.event), conversion.time(piece.event));
    message(conversion, number, piece.event, MODEL, |books| {
        books.frame("content", b"\"\"");
        books.array_at("thoughts", |books| {
            books.object(|books| {
                books.frame("subject", b"\"\"");
                books.put("description", said);
                books.put("timestamp", time);
            });
        });
        books.put("model", model);
    });
}

/// A call with its result.
struct Called<'s> {
    id: Value<'s>,
    name: Value<'s>,
    input: Value<'s>,
    time: Value<'s>,
    answered: Answered<'s>,
}

fn called<'s>(
    conversion: &mut Conversion<'s>,
    call: EventRef<'s>,
    result: Option<EventRef<'s>>,
) -> Called<'s> {
    let id = conversion.call_id(call, call);
    let (name, input) = conversion.call(call);
    let (time, answered) = (conversion.time(call), conversion.answered(call, result));
    Called { id, name, input, time, answered }
}

fn call<'s>(books: &mut Books<'s>, called: Called<'s>) {
    let Called { id, name, input, time, answered } = called;
    books.object(|books| {
        books.put("id", id);
        books.put("name", name.clone());
        books.put("args", input);
        output(books, name, answered);
        books.put("timestamp", time);
    });
}

/// A call's result, as the model gets it, and its status.
fn output<'s>(books: &mut Books<'s>, name: Value<'s>, answered: Answered<'s>) {
    let Answered { id, blocks, failed, .. } = answered;
    let (texts, pictures): (Vec<_>, Vec<_>) =
        blocks.into_iter().partition(|block| matches!(block, Block::Text(_)));
    let key = if failed.is_some() { "error" } else { "output" };
    books.array_at("result", |books| {
        books.object(|books| {
            books.object_at("functionResponse", |books| {
                books.put("id", id);
                books.put("name", name);
                books.object_at("response", |books| match text(texts) {
                    Some(text) => books.put(key, text),
                    None => books.frame(key, b"\"\""),
                });
            });
        });
        pictures.into_iter().for_each(|one| part(books, one));
    });
    match failed {
        Some(failed) => books.put("status", failed.as_text("error")),
        None => books.frame("status", b"\"success\""),
    }
}
