//! The command line's store of a session of another agent, as the rows of its database: the
//! messages of the prompt, the turns as displayed, the root that lists both, and the metadata.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use meaning::account::Cause;
use session::{EventRef, UtcTime};

use super::{prompt_tags, protobuf};
use crate::convert::{Answered, Block, Body, Books, Conversion, Piece, Value, data_url, text};
use crate::digest::random_form;
use crate::digest::{digest_bytes, hex};

/// SQL that makes an empty store.
pub(super) const SCHEMA: &str = "\
    PRAGMA user_version = 1;\
    CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB);\
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);";

/// The name of a blob: the digest of its bytes.
type BlobId = [u8; 32];

/// A store that is being written.
#[derive(Default)]
struct Store {
    /// The messages of the prompt, in order.
    prompt: Vec<BlobId>,
    turns: Vec<BlobId>,
    /// The prompt of the last turn, and the steps of its answer.
    turn: Option<(BlobId, Vec<BlobId>)>,
    /// All blobs: equal ones are one.
    known: HashSet<BlobId>,
}

/// The facts about the session as a whole.
#[derive(Clone, Debug)]
pub(super) struct Facts<'s> {
    pub(super) id: String,
    pub(super) title: Value<'s>,
    pub(super) began: Value<'s>,
    pub(super) folder: Value<'s>,
}

/// Writes the rows.
pub(super) fn write<'s>(conversion: &mut Conversion<'s>, pieces: &[Piece<'s>], facts: Facts<'s>) {
    let mut store = Store::default();
    let same = |a: &Piece<'_>, b: &Piece<'_>| a.answer == b.answer && a.role() == b.role();
    for group in pieces.chunk_by(same) {
        match group.first() {
            Some(first) if first.is_from_user() => store.asked(conversion, group),
            Some(_) => store.answered(conversion, group),
            None => {}
        }
    }
    store.end_turn(conversion);
    let mut root = Vec::new();
    store.prompt.iter().for_each(|id| protobuf::put(PROMPT, id, &mut root));
    store.turns.iter().for_each(|id| protobuf::put(TURNS, id, &mut root));
    let root = store.buffer(conversion, &root, &Value::made("", Cause::Derived));
    row(&mut conversion.books, "meta", |books| {
        books.frame("key", b"\"0\"");
        books.object_at("value", |books| {
            books.put("agentId", Value::made(&facts.id, Cause::Derived));
            books.put("latestRootBlobId", Value::made(&hex(&root), Cause::Derived));
            books.put("name", facts.title);
            books.put("createdAt", facts.began);
            books.frame("mode", b"\"default\"");
            books.put("workspacePath", facts.folder);
        });
        books.frame("value.as", b"\"hex\"");
    });
}

/// Fields of a root.
const PROMPT: u8 = 1;
const TURNS: u8 = 8;

/// A row of a table.
fn row<'s>(books: &mut Books<'s>, table: &'static str, fill: impl FnOnce(&mut Books<'s>)) {
    books.line(|books| {
        books.put("table", Value::made(table, Cause::Frame));
        books.object_at("row", fill);
    });
}

/// The time of an event in milliseconds; `None` if the session knows no time at all.
pub(super) fn moment<'s>(
    conversion: &mut Conversion<'s>,
    event: EventRef<'s>,
) -> Option<Value<'s>> {
    Some(conversion.epoch(event)).filter(|time| UtcTime::read(time.json()).is_some())
}

impl Store {
    /// A prompt, which begins a turn.
    fn asked<'s>(&mut self, conversion: &mut Conversion<'s>, group: &[Piece<'s>]) {
        for piece in group {
            let told = matches!(piece.body, Body::Told);
            let blocks = conversion.marked_content(piece);
            let said = text(blocks.clone()).unwrap_or(Value::frame(b"\"\""));
            self.message(conversion, "user", piece.event, |conversion| match told {
                true => blocks
                    .into_iter()
                    .for_each(|block| prompt_part(&mut conversion.books, block, None)),
                false => prompt_parts(&mut conversion.books, blocks),
            });
            // The agent displays prompts only.
            if told {
                continue;
            }
            self.end_turn(conversion);
            let mut shown = Vec::new();
            protobuf::put(1, said.text().unwrap_or_default().as_bytes(), &mut shown);
            let id = random_form(&conversion.uuid("turn", self.turns.len()));
            protobuf::put(2, id.as_bytes(), &mut shown);
            self.turn = Some((self.buffer(conversion, &shown, &said), Vec::new()));
        }
    }

    /// An answer: its texts and calls, and the results of these.
    fn answered<'s>(&mut self, conversion: &mut Conversion<'s>, group: &[Piece<'s>]) {
        let Some(first) = group.first() else { return };
        // The provider takes back only thoughts that it has signed itself: they are displayed only.
        let crosses = |piece: &&Piece<'_>| !matches!(piece.body, Body::Thought);
        let said: Vec<&Piece<'s>> = group.iter().filter(crosses).collect();
        if !said.is_empty() {
            self.message(conversion, "assistant", first.event, |conversion| {
                said.into_iter().for_each(|piece| answer_part(conversion, *piece));
            });
        }
        let result = |piece: &Piece<'s>| match piece.body {
            Body::Call(result) => Some((piece.event, result)),
            _ => None,
        };
        let results: Vec<_> = group.iter().filter_map(result).collect();
        if let Some((call, first)) = results.first() {
            self.message(conversion, "tool", first.unwrap_or(*call), |conversion| {
                results.iter().for_each(|(call, result)| result_part(conversion, *call, *result));
            });
        }
        for piece in group {
            self.step(conversion, *piece);
        }
    }

    /// A message of the prompt.
    fn message<'s>(
        &mut self,
        conversion: &mut Conversion<'s>,
        role: &'static str,
        event: EventRef<'s>,
        content: impl FnOnce(&mut Conversion<'s>),
    ) {
        let time = moment(conversion, event);
        let model = (role == "assistant").then(|| conversion.model(event));
        let model = model.filter(|model| model.text().is_some_and(|name| name != "unknown"));
        // Two messages with equal content are two.
        let number = Value::made(&(self.prompt.len() + 1).to_string(), Cause::Derived);
        conversion.books.begin();
        conversion.books.put("table", Value::frame(b"\"blobs\""));
        conversion.books.begin_at("row");
        let place = conversion.books.begin_at("data");
        conversion.books.put("role", Value::made(role, Cause::Frame));
        conversion.books.put("id", number);
        conversion.books.begin_array("content");
        content(conversion);
        conversion.books.end_array();
        conversion.books.put_some("createdAt", time);
        if let Some(model) = model {
            conversion.books.object_at("providerOptions", |books| {
                books.object_at("cursor", |books| books.put("modelName", model));
            });
        }
        let id = conversion.books.end_digested(place);
        conversion.books.put("id", Value::made(&hex(&id), Cause::Derived));
        conversion.books.end();
        conversion.books.end();
        conversion.books.end_line();
        self.known.insert(id);
        self.prompt.push(id);
    }

    /// A step of an answer as displayed.
    fn step<'s>(&mut self, conversion: &mut Conversion<'s>, piece: Piece<'s>) {
        let (kind, said) = match piece.body {
            Body::Thought => (THOUGHT, text(conversion.content(&piece))),
            // The native steps of tools are not known well enough: calls are displayed as text,
            // which has the beginning of long arguments. The prompt's message has all of them.
            Body::Call(_) => {
                let (name, input) = conversion.call(piece.event);
                let arguments = String::from_utf8_lossy(input.json());
                let shown: String = arguments.chars().take(DISPLAYED).collect();
                let more = if shown.len() < arguments.len() { "…" } else { "" };
                let name_text = name.text().unwrap_or_default();
                let called = format!("{name_text}\n{shown}{more}");
                let called = name.as_text(&called);
                (ANSWER, Some(called))
            }
            _ => (ANSWER, text(conversion.content(&piece))),
        };
        let Some(said) = said.filter(|_| self.turn.is_some()) else { return };
        let (mut inner, mut step) = (Vec::new(), Vec::new());
        protobuf::put(1, said.text().unwrap_or_default().as_bytes(), &mut inner);
        protobuf::put(kind, &inner, &mut step);
        let id = self.buffer(conversion, &step, &said);
        if let Some((_, steps)) = &mut self.turn {
            steps.push(id);
        }
    }

    fn end_turn(&mut self, conversion: &mut Conversion<'_>) {
        let Some((asked, steps)) = self.turn.take() else { return };
        let (mut agent, mut turn) = (Vec::new(), Vec::new());
        protobuf::put(1, &asked, &mut agent);
        steps.iter().for_each(|step| protobuf::put(2, step, &mut agent));
        protobuf::put(1, &agent, &mut turn);
        let id = self.buffer(conversion, &turn, &Value::made("", Cause::Derived));
        self.turns.push(id);
    }

    /// A blob that is a protocol buffer, made of the values of `of`. Returns its name.
    fn buffer<'s>(
        &mut self,
        conversion: &mut Conversion<'s>,
        bytes: &[u8],
        of: &Value<'s>,
    ) -> BlobId {
        let id = digest_bytes(bytes);
        if self.known.insert(id) {
            row(&mut conversion.books, "blobs", |books| {
                books.put("id", Value::made(&hex(&id), Cause::Derived));
                books.object_at("data", |books| {
                    books.put("base64", of.as_text(&STANDARD.encode(bytes)));
                });
                books.put_some("data.view", protobuf::view(bytes).map(|view| of.as_json(view)));
            });
        }
        id
    }
}

/// Greatest length of a call's arguments in a turn, in characters.
const DISPLAYED: usize = 400;

/// Fields of a step.
const ANSWER: u8 = 1;
const THOUGHT: u8 = 3;

/// The parts of a prompt. The tag around its texts shows that a person wrote it, however it begins.
fn prompt_parts<'s>(books: &mut Books<'s>, blocks: Vec<Block<'s>>) {
    let texts: Vec<_> = blocks
        .iter()
        .filter_map(|block| match block {
            Block::Text(said) => Some(said.text().unwrap_or_default()),
            Block::Picture { .. } => None,
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let mut words = prompt_tags::wrapped_texts(&texts).into_iter();
    for block in blocks {
        let words = match block {
            Block::Text(_) => words.next(),
            Block::Picture { .. } => None,
        };
        prompt_part(books, block, words);
    }
}

/// A part of a prompt, its text in these words. A text of the source's agent keeps its own: it has
/// no tag.
fn prompt_part<'s>(books: &mut Books<'s>, block: Block<'s>, words: Option<String>) {
    books.object(|books| match block {
        Block::Text(said) => {
            books.frame("type", b"\"text\"");
            books.put("text", words.map_or_else(|| said.clone(), |words| said.as_text(&words)));
        }
        Block::Picture { kind, data } => {
            books.frame("type", b"\"image\"");
            books.put("image", data_url(&kind, &data));
            books.put("mimeType", kind);
        }
    });
}

fn answer_part<'s>(conversion: &mut Conversion<'s>, piece: Piece<'s>) {
    if let Body::Call(_) = piece.body {
        let id = conversion.call_id(piece.event, piece.event);
        let (name, input) = conversion.call(piece.event);
        return conversion.books.object(|books| {
            books.frame("type", b"\"tool-call\"");
            books.put("toolCallId", id);
            books.put("toolName", name);
            books.put("args", input);
        });
    }
    if let Some(said) = text(conversion.content(&piece)) {
        conversion.books.object(|books| {
            books.frame("type", b"\"text\"");
            books.put("text", said);
        });
    }
}

/// A result: its text alone.
fn result_part<'s>(
    conversion: &mut Conversion<'s>,
    call: EventRef<'s>,
    result: Option<EventRef<'s>>,
) {
    let (name, _) = conversion.call(call);
    let Answered { id, blocks, failed, .. } = conversion.answered(call, result);
    conversion.books.object(|books| {
        books.frame("type", b"\"tool-result\"");
        books.put("toolCallId", id);
        books.put("toolName", name);
        books.put("result", text(blocks).unwrap_or(Value::frame(b"\"\"")));
        books.put_some("isError", failed);
    });
}
