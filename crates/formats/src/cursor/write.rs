//! Writing a session for Cursor: its transcript, a line for each prompt and each answer
//! (`FORMAT.md`, carrying on).

use session::{EventRef, Session, UtcTime};

use super::prompt_tags;
use crate::carry::{Body, Carry, Piece, Target, Value, text};
use crate::written::{WriteError, Written, native};

/// The agent as the target of a conversion.
pub(super) static TARGET: Target =
    Target { name: super::NAME, tools: &super::tools::TOOLS, compose };

/// The stored bytes of Cursor's own sessions; for a database, its dump.
///
/// # Errors
/// If the session belongs to another agent.
pub(super) fn write(session: &Session) -> Result<Written, WriteError> {
    if session.format == super::NAME {
        return Ok(native(session));
    }
    Err(WriteError::Foreign { from: session.format, to: super::NAME })
}

fn compose(carry: &mut Carry<'_>) {
    let pieces = std::mem::take(&mut carry.pieces);
    let id = random_form(&carry.id());
    carry.books.file(format!("{id}/{id}.jsonl"));
    transcript(carry, &pieces);
}

/// A UUID with the version of random ones (4): the agent accepts no other.
fn random_form(uuid: &str) -> String {
    let digit = |(at, digit): (usize, char)| if at == VERSION { '4' } else { digit };
    uuid.chars().enumerate().map(digit).collect()
}

/// The place of the version in a UUID's text (RFC 9562).
const VERSION: usize = 14;

/// The lines: a prompt, or the texts and calls of one answer.
fn transcript<'s>(carry: &mut Carry<'s>, pieces: &[Piece<'s>]) {
    let same = |a: &Piece<'_>, b: &Piece<'_>| a.answer == b.answer && a.role() == b.role();
    for group in pieces.chunk_by(same) {
        let is_from_user = group.first().is_some_and(Piece::is_from_user);
        let role: &[u8] = if is_from_user { b"\"user\"" } else { b"\"assistant\"" };
        let blocks: Vec<_> = group.iter().filter_map(|piece| block(carry, *piece)).collect();
        if blocks.is_empty() {
            continue;
        }
        carry.books.line(|books| {
            books.frame("role", role);
            books.object_at("message", |books| {
                books.array_at("content", |books| {
                    for block in blocks {
                        books.object(|books| match block {
                            Block::Text(text) => {
                                books.frame("type", b"\"text\"");
                                books.put("text", text);
                            }
                            Block::Call { name, input } => {
                                books.frame("type", b"\"tool_use\"");
                                books.put("name", name);
                                books.put("input", input);
                            }
                        });
                    }
                });
            });
        });
    }
}

/// A block of a line.
enum Block<'s> {
    Text(Value<'s>),
    Call { name: Value<'s>, input: Value<'s> },
}

/// The block of a piece. The agent's own transcripts have no thoughts, results and pictures.
fn block<'s>(carry: &mut Carry<'s>, piece: Piece<'s>) -> Option<Block<'s>> {
    match piece.body {
        Body::Prompt | Body::Summary => prompt(carry, piece.event).map(Block::Text),
        Body::Answer => text(carry.content(piece.event)).map(Block::Text),
        Body::Thought => None,
        Body::Call(_) => {
            let (name, input) = carry.call(piece.event);
            Some(Block::Call { name, input })
        }
    }
}

/// A prompt within the agent's tags: the first has the only time that a transcript knows, and the
/// second shows that a person wrote the text, however it begins.
fn prompt<'s>(carry: &mut Carry<'s>, event: EventRef<'s>) -> Option<Value<'s>> {
    let said = text(carry.content(event))?;
    let said = said.as_text(&prompt_tags::wrapped(&said.text().unwrap_or_default()));
    let time = carry.time(event);
    let at = time.text().and_then(|text| UtcTime::of_text(&text)).filter(|at| at.0 != 0);
    match at.and_then(prompt_tags::spell) {
        Some(spelt) => Some(time.as_text(&spelt).join(said)),
        None => Some(said),
    }
}
