//! Writing a session for Copilot: the events that the agent reads when it continues a log
//! (`FORMAT.md`, resuming).

use meaning::account::Cause;
use session::{EventRef, Slot};

use super::{locate, tools};
use crate::convert::{Answered, Block, Body, Books, Conversion, Piece, Target, Value, text};

/// Copilot as the target of a conversion.
pub(super) static TARGET: Target = Target { name: super::NAME, tools: &tools::TOOLS, compose };

fn compose(conversion: &mut Conversion<'_>) {
    let Some(first) = conversion.pieces.first().copied() else { return };
    conversion.books.file(locate::LOG.to_owned());
    let mut log = Log { events: 0, turns: 0 };
    start(conversion, &mut log, first.event);
    let pieces = std::mem::take(&mut conversion.pieces);
    for group in pieces.chunk_by(is_one) {
        match group[0].body {
            Body::Prompt | Body::Report | Body::Summary => said(conversion, &mut log, group[0]),
            Body::Told => said(conversion, &mut log, group[0]),
            Body::Thought => thought(conversion, &mut log, group[0]),
            Body::Answer | Body::Call(_) => answer(conversion, &mut log, group),
        }
    }
}

/// Whether two pieces are in one message: a text with the calls after it.
fn is_one<'s>(before: &Piece<'s>, next: &Piece<'s>) -> bool {
    let open = matches!(before.body, Body::Answer | Body::Call(_));
    open && matches!(next.body, Body::Call(_)) && before.answer == next.answer
}

/// The log so far: each event names the one before it.
struct Log {
    events: usize,
    turns: u64,
}

impl Log {
    /// Writes an event.
    fn event<'s>(
        &mut self,
        conversion: &mut Conversion<'s>,
        at: EventRef<'s>,
        kind: &'static [u8],
        data: impl FnOnce(&mut Books<'s>),
    ) {
        let parent = self.events.checked_sub(1).map(|before| conversion.derived("event", before));
        let id = conversion.derived("event", self.events);
        self.events += 1;
        let time = conversion.time(at);
        conversion.books.line(|books| {
            books.frame("type", kind);
            books.object_at("data", data);
            books.put("id", id);
            books.put("timestamp", time);
            books.put("parentId", parent.unwrap_or(Value::frame(b"null")));
        });
    }
}

fn start<'s>(conversion: &mut Conversion<'s>, log: &mut Log, first: EventRef<'s>) {
    let id = Value::made(&conversion.id(), Cause::Derived);
    let (time, folder) = (conversion.time(first), conversion.folder());
    let context = [
        ("branch", conversion.first(Slot::Branch)),
        ("headCommit", conversion.first(Slot::Revision)),
        ("repository", conversion.first(Slot::Repository)),
    ];
    log.event(conversion, first, b"\"session.start\"", |books| {
        books.put("sessionId", id);
        books.frame("version", b"1");
        books.frame("producer", b"\"copilot-agent\"");
        books.frame("copilotVersion", b"\"1.0.102\"");
        books.put("startTime", time);
        books.object_at("context", |books| {
            books.put("cwd", folder);
            context.into_iter().for_each(|(key, value)| books.put_some(key, value));
        });
    });
}

/// A text of the user's side, with its pictures. What an agent said in a person's place has a
/// source: it is no prompt.
fn said<'s>(conversion: &mut Conversion<'s>, log: &mut Log, piece: Piece<'s>) {
    let blocks = conversion.content(&piece);
    let (texts, pictures): (Vec<_>, Vec<_>) =
        blocks.into_iter().partition(|block| matches!(block, Block::Text(_)));
    let told = matches!(piece.body, Body::Told);
    log.event(conversion, piece.event, b"\"user.message\"", |books| {
        books.put("content", text(texts).unwrap_or(Value::frame(b"\"\"")));
        if !pictures.is_empty() {
            books.array_at("attachments", |books| {
                pictures.into_iter().for_each(|one| picture(books, one, b"\"blob\""));
            });
        }
        if told {
            books.frame("source", b"\"system\"");
        }
    });
}

fn picture<'s>(books: &mut Books<'s>, block: Block<'s>, form: &'static [u8]) {
    let Block::Picture { kind, data } = block else { return };
    books.object(|books| {
        books.frame("type", form);
        books.put("mimeType", kind);
        books.put("data", data);
    });
}

/// A thought is an event by itself: the provider takes back only those that it has sealed.
fn thought<'s>(conversion: &mut Conversion<'s>, log: &mut Log, piece: Piece<'s>) {
    let Some(said) = text(conversion.content(&piece)) else { return };
    let id = conversion.derived("thought", log.events);
    log.event(conversion, piece.event, b"\"assistant.reasoning\"", |books| {
        books.put("reasoningId", id);
        books.put("content", said);
    });
}

/// An answer of the model with its calls, and their results: a turn of the agent's loop.
fn answer<'s>(conversion: &mut Conversion<'s>, log: &mut Log, group: &[Piece<'s>]) {
    let first = group[0].event;
    let turn = Value::made(&log.turns.to_string(), Cause::Derived);
    log.turns += 1;
    let own = turn.clone();
    log.event(conversion, first, b"\"assistant.turn_start\"", |books| books.put("turnId", own));
    let (mut said, mut calls) = (None, Vec::new());
    for piece in group {
        match piece.body {
            Body::Call(result) => calls.push((piece.event, result)),
            _ => said = text(conversion.content(piece)),
        }
    }
    let requests: Vec<_> = calls
        .iter()
        .map(|(call, _)| {
            let id = conversion.call_id(*call, *call);
            let (name, input) = conversion.call(*call);
            (id, name, input)
        })
        .collect();
    let (model, id) = (conversion.model(first), conversion.derived("message", log.events));
    let names: Vec<_> = requests.iter().map(|(_, name, _)| name.clone()).collect();
    log.event(conversion, first, b"\"assistant.message\"", |books| {
        books.put("messageId", id);
        books.put("model", model);
        books.put("content", said.unwrap_or(Value::frame(b"\"\"")));
        match requests.is_empty() {
            true => books.frame("toolRequests", b"[]"),
            false => books.array_at("toolRequests", |books| {
                requests.into_iter().for_each(|one| request(books, one));
            }),
        }
    });
    for ((call, result), name) in calls.into_iter().zip(names) {
        run(conversion, log, (call, result), name);
    }
    let last = group[group.len() - 1].event;
    log.event(conversion, last, b"\"assistant.turn_end\"", |books| books.put("turnId", turn));
}

fn request<'s>(books: &mut Books<'s>, (id, name, input): (Value<'s>, Value<'s>, Value<'s>)) {
    books.object(|books| {
        books.put("toolCallId", id);
        books.put("name", name);
        books.put("arguments", input);
        books.frame("type", b"\"function\"");
    });
}

/// The run of a call, with its result.
fn run<'s>(
    conversion: &mut Conversion<'s>,
    log: &mut Log,
    (call, result): (EventRef<'s>, Option<EventRef<'s>>),
    name: Value<'s>,
) {
    let id = conversion.call_id(call, call);
    log.event(conversion, call, b"\"tool.execution_start\"", |books| {
        books.put("toolCallId", id);
        books.put("toolName", name);
    });
    let Answered { event, id, blocks, failed } = conversion.answered(call, result);
    let (texts, pictures): (Vec<_>, Vec<_>) =
        blocks.into_iter().partition(|block| matches!(block, Block::Text(_)));
    let said = text(texts).unwrap_or(Value::frame(b"\"\""));
    log.event(conversion, event, b"\"tool.execution_complete\"", |books| {
        books.put("toolCallId", id);
        let is_error = failed.is_some() && pictures.is_empty();
        match failed {
            Some(failed) => books.put("success", failed.as_json(b"false".to_vec())),
            None => books.frame("success", b"true"),
        }
        if is_error {
            books.object_at("error", |books| {
                books.put("message", said);
                books.frame("code", b"\"failure\"");
            });
            return;
        }
        books.object_at("result", |books| {
            books.put("content", said);
            if !pictures.is_empty() {
                books.array_at("binaryResultsForLlm", |books| {
                    pictures.into_iter().for_each(|one| picture(books, one, b"\"image\""));
                });
            }
        });
    });
}
