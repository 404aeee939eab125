//! Writing a session for OpenCode: the form of its export, which `opencode import` takes in
//! (`FORMAT.md`, import).

use meaning::account::Cause;
use session::EventRef;

use crate::convert::{
    Answered, Block, Body, Books, Conversion, Piece, Target, Value, asked, data_url, text,
};

/// The agent as the target of a conversion.
pub(super) static TARGET: Target =
    Target { name: super::NAME, tools: &super::tools::TOOLS, compose };

/// The ids of the message that is being written.
struct Ids<'s> {
    session: Value<'s>,
    message: Value<'s>,
    messages: usize,
    parts: usize,
}

impl<'s> Ids<'s> {
    fn next_message(&mut self, conversion: &Conversion<'s>) {
        self.messages += 1;
        self.message = id(conversion, "msg", self.messages);
    }

    /// The ids of a part.
    fn part(&mut self, conversion: &Conversion<'s>) -> [Value<'s>; 3] {
        self.parts += 1;
        [id(conversion, "prt", self.parts), self.session.clone(), self.message.clone()]
    }
}

/// An id in the agent's form: ids sort in the order of their numbers.
fn id<'s>(conversion: &Conversion<'s>, kind: &'static str, number: usize) -> Value<'s> {
    let random = conversion.uuid(kind, number).replace('-', "");
    Value::made(&format!("{kind}_{number:012x}{}", &random[..14]), Cause::Derived)
}

fn compose(conversion: &mut Conversion<'_>) {
    let pieces = std::mem::take(&mut conversion.pieces);
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return };
    let session = id(conversion, "ses", 0);
    // The agent shows messages by their times.
    conversion.ascend(&pieces);
    let (began, ended) = (conversion.epoch(first.event), conversion.epoch(last.event));
    // The agent lists the session that was changed last at the top.
    let ended = conversion.placed_epoch().unwrap_or(ended);
    let (folder, title) = (conversion.folder(), conversion.heading(asked(&pieces, first)));
    conversion.books.file(format!("{}.json", session.text().unwrap_or_default()));
    conversion.document(|conversion| {
        conversion.books.object_at("info", |books| {
            books.put("id", session.clone());
            books.frame("slug", b"\"converted-session\"");
            books.frame("projectID", b"\"global\"");
            books.put("directory", folder.clone());
            books.put("title", title);
            books.frame("version", b"\"1.18.33\"");
            books.object_at("time", |books| {
                books.put("created", began);
                books.put("updated", ended);
            });
        });
        conversion.books.begin_array("messages");
        let message = id(conversion, "msg", 0);
        let mut ids = Ids { session, message, messages: 0, parts: 0 };
        let mut prompt = None;
        let same = |a: &Piece<'_>, b: &Piece<'_>| a.answer == b.answer && !a.is_from_user();
        for group in pieces.chunk_by(same) {
            ids.next_message(conversion);
            if group[0].is_from_user() {
                prompt = Some(ids.message.clone());
                user(conversion, &mut ids, group[0]);
            } else {
                let prompt = prompt.clone().unwrap_or_else(|| ids.message.clone());
                assistant(conversion, &mut ids, group, prompt, folder.clone());
            }
        }
        conversion.books.end_array();
    });
}

const AGENT: &[u8] = b"\"build\"";

fn user<'s>(conversion: &mut Conversion<'s>, ids: &mut Ids<'s>, piece: Piece<'s>) {
    let (created, model) = (conversion.epoch(piece.event), conversion.model(piece.event));
    let next = conversion.next();
    let blocks = conversion.content(&piece);
    conversion.books.begin();
    conversion.books.object_at("info", |books| {
        books.put("id", ids.message.clone());
        books.put("sessionID", ids.session.clone());
        books.frame("role", b"\"user\"");
        books.object_at("time", |books| books.put("created", created));
        books.frame("agent", AGENT);
        // The agent asks those of the last prompt for the next answer.
        books.object_at("model", |books| match next {
            Some([provider, model]) => {
                books.put("providerID", provider);
                books.put("modelID", model);
            }
            None => {
                books.put("providerID", provider(&model));
                books.put("modelID", model);
            }
        });
    });
    conversion.books.begin_array("parts");
    let told = matches!(piece.body, Body::Told);
    blocks.into_iter().for_each(|block| block_part(conversion, ids, block, told));
    conversion.books.end_array();
    conversion.books.end();
}

/// The providers of models: the beginning of a model's name, and the name of its provider.
const PROVIDERS: &str = include_str!("providers.txt");

/// The provider of a model, as the agent names it. The agent's own provider has models of all the
/// others, and is there without any setting.
fn provider(model: &Value<'_>) -> Value<'static> {
    let name = model.text().unwrap_or_default().to_lowercase();
    let rows = PROVIDERS.lines().filter_map(|row| row.split_once(' '));
    let mut known = rows.filter(|(start, _)| name.starts_with(start));
    Value::made(known.next().map_or(super::NAME, |(_, provider)| provider), Cause::Required)
}

/// A message of the model: the pieces of one answer.
fn assistant<'s>(
    conversion: &mut Conversion<'s>,
    ids: &mut Ids<'s>,
    pieces: &[Piece<'s>],
    prompt: Value<'s>,
    folder: Value<'s>,
) {
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return };
    let (created, completed) = (conversion.epoch(first.event), conversion.epoch(last.event));
    let model = conversion.model(first.event);
    let calls = pieces.iter().any(|piece| matches!(piece.body, Body::Call(_)));
    conversion.books.begin();
    conversion.books.object_at("info", |books| {
        books.put("id", ids.message.clone());
        books.put("sessionID", ids.session.clone());
        books.frame("role", b"\"assistant\"");
        books.object_at("time", |books| {
            books.put("created", created);
            books.put("completed", completed);
        });
        books.put("parentID", prompt);
        let provider = provider(&model);
        books.put("modelID", model);
        books.put("providerID", provider);
        books.frame("mode", AGENT);
        books.frame("agent", AGENT);
        books.object_at("path", |books| {
            books.put("cwd", folder.clone());
            books.put("root", folder);
        });
        books.frame("cost", b"0");
        books.object_at("tokens", |books| {
            books.frame("input", b"0");
            books.frame("output", b"0");
            books.frame("reasoning", b"0");
            books.object_at("cache", |books| {
                books.frame("read", b"0");
                books.frame("write", b"0");
            });
        });
        books.frame("finish", if calls { b"\"tool-calls\"" } else { b"\"stop\"" });
    });
    conversion.books.begin_array("parts");
    pieces.iter().for_each(|piece| said(conversion, ids, *piece));
    conversion.books.end_array();
    conversion.books.end();
}

/// A part.
fn part<'s>(
    conversion: &mut Conversion<'s>,
    ids: &mut Ids<'s>,
    kind: &'static [u8],
    fill: impl FnOnce(&mut Books<'s>),
) {
    let [own, session, message] = ids.part(conversion);
    conversion.books.object(|books| {
        books.put("id", own);
        books.put("sessionID", session);
        books.put("messageID", message);
        books.frame("type", kind);
        fill(books);
    });
}

/// A block as a part; `told` for what no person said.
fn block_part<'s>(
    conversion: &mut Conversion<'s>,
    ids: &mut Ids<'s>,
    block: Block<'s>,
    told: bool,
) {
    match block {
        Block::Text(text) => part(conversion, ids, TEXT, |books| {
            books.put("text", text);
            if told {
                books.frame("synthetic", b"true");
            }
        }),
        Block::Picture { kind, data } => {
            part(conversion, ids, FILE, |books| picture(books, kind, &data))
        }
    }
}

const TEXT: &[u8] = b"\"text\"";
const FILE: &[u8] = b"\"file\"";

fn picture<'s>(books: &mut Books<'s>, kind: Value<'s>, data: &Value<'s>) {
    let url = data_url(&kind, data);
    books.put("mime", kind);
    books.put("url", url);
}

fn said<'s>(conversion: &mut Conversion<'s>, ids: &mut Ids<'s>, piece: Piece<'s>) {
    match piece.body {
        Body::Prompt | Body::Report | Body::Summary | Body::Told => {}
        Body::Answer => {
            let blocks = conversion.content(&piece);
            blocks.into_iter().for_each(|block| block_part(conversion, ids, block, false));
        }
        Body::Thought => {
            let Some(thought) = text(conversion.content(&piece)) else { return };
            let time = conversion.epoch(piece.event);
            part(conversion, ids, b"\"reasoning\"", |books| {
                books.put("text", thought);
                times(books, time.clone(), time);
            });
        }
        Body::Call(result) => call(conversion, ids, piece, result),
    }
}

fn times<'s>(books: &mut Books<'s>, start: Value<'s>, end: Value<'s>) {
    books.object_at("time", |books| {
        books.put("start", start);
        books.put("end", end);
    });
}

fn call<'s>(
    conversion: &mut Conversion<'s>,
    ids: &mut Ids<'s>,
    piece: Piece<'s>,
    result: Option<EventRef<'s>>,
) {
    let id = conversion.call_id(piece.event, piece.event);
    let (name, input) = conversion.call(piece.event);
    let start = conversion.epoch(piece.event);
    let Answered { event, blocks, failed, .. } = conversion.answered(piece.event, result);
    let end = conversion.epoch(event);
    let (texts, pictures): (Vec<_>, Vec<_>) =
        blocks.into_iter().partition(|block| matches!(block, Block::Text(_)));
    let files: Vec<_> =
        pictures.into_iter().map(|picture| (ids.part(conversion), picture)).collect();
    let output = text(texts).unwrap_or(Value::frame(b"\"\""));
    part(conversion, ids, TOOL, |books| {
        books.put("callID", id);
        books.put("tool", name);
        books.object_at("state", |books| match failed {
            // The agent's form of a failed call has no files; that of a failed command has.
            Some(failed) if !files.is_empty() => {
                books.frame("status", b"\"completed\"");
                books.put("input", input);
                books.put("output", output);
                books.frame("title", b"\"\"");
                books.object_at("metadata", |books| {
                    books.put("exit", failed.as_json(b"1".to_vec()))
                });
                times(books, start, end);
                attachments(books, files);
            }
            Some(failed) => {
                books.put("status", failed.as_text("error"));
                books.put("input", input);
                books.put("error", output);
                times(books, start, end);
            }
            None => {
                books.frame("status", b"\"completed\"");
                books.put("input", input);
                books.put("output", output);
                books.frame("title", b"\"\"");
                books.frame("metadata", b"{}");
                times(books, start, end);
                attachments(books, files);
            }
        });
    });
}

const TOOL: &[u8] = b"\"tool\"";

/// The pictures of a result.
fn attachments<'s>(books: &mut Books<'s>, files: Vec<([Value<'s>; 3], Block<'s>)>) {
    if files.is_empty() {
        return;
    }
    books.array_at("attachments", |books| {
        for ([own, session, message], block) in files {
            let Block::Picture { kind, data } = block else { continue };
            books.object(|books| {
                books.put("id", own);
                books.put("sessionID", session);
                books.put("messageID", message);
                books.frame("type", FILE);
                picture(books, kind, &data);
            });
        }
    });
}
