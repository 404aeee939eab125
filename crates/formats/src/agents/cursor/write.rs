//! Writing a session for Cursor: the command line's store with the card beside it, and the
//! transcript, a line for each prompt and each answer (`FORMAT.md`, carrying on).

use session::UtcTime;

use super::prompt_tags;
use super::store::{self, Facts};
use crate::convert::{Body, Conversion, Piece, Target, Value, asked, text};
use crate::digest;
use crate::digest::random_form;

/// The agent as the target of a conversion.
pub(super) static TARGET: Target =
    Target { name: super::NAME, tools: &super::tools::TOOLS, compose };

fn compose(conversion: &mut Conversion<'_>) {
    let pieces = std::mem::take(&mut conversion.pieces);
    let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { return };
    let id = random_form(&conversion.id());
    let folder = conversion.folder();
    let path = folder.text().unwrap_or_default().into_owned();
    conversion.books.file(format!("projects/{}/agent-transcripts/{id}/{id}.jsonl", slug(&path)));
    transcript(conversion, &pieces);
    conversion.rewind();
    let (title, began) = (conversion.heading(asked(&pieces, first)), conversion.epoch(first.event));
    let facts = Facts { id: id.clone(), title, began, folder };
    let chat = format!("chats/{}/{id}", digest::md5(at_most_root(&path).as_bytes()));
    conversion.books.file(format!("{chat}/{STORE}.dump.jsonl"));
    store::write(conversion, &pieces, facts.clone());
    conversion.books.lead();
    // The card lists the session, so it is the main file: it is placed when all others are there.
    conversion.books.file(format!("{chat}/meta.json"));
    let updated = conversion.epoch(last.event);
    conversion.document(|conversion| {
        conversion.books.frame("schemaVersion", b"1");
        conversion.books.put("title", facts.title);
        conversion.books.put("createdAtMs", facts.began);
        conversion.books.put("updatedAtMs", updated);
        conversion.books.frame("hasConversation", b"true");
        conversion.books.put("cwd", facts.folder);
    });
    conversion.books.lead();
}

/// The name of a store.
const STORE: &str = "store.db";

/// The folder of a project's transcripts: its path with `-` for all but letters and digits, without
/// the first one and the colon of a drive.
fn slug(path: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let slug: String = path.replacen(":\\", "\\", 1).chars().map(plain).collect();
    match slug.trim_start_matches('-') {
        "" => "unknown".to_owned(),
        slug => slug.to_owned(),
    }
}

/// A path without the separator at its end.
fn at_most_root(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => path,
        path => path,
    }
}

/// The lines of the transcript: a prompt, or the texts and calls of one answer.
fn transcript<'s>(conversion: &mut Conversion<'s>, pieces: &[Piece<'s>]) {
    let same = |a: &Piece<'_>, b: &Piece<'_>| a.answer == b.answer && a.role() == b.role();
    for group in pieces.chunk_by(same) {
        let is_from_user = group.first().is_some_and(Piece::is_from_user);
        let role: &[u8] = if is_from_user { b"\"user\"" } else { b"\"assistant\"" };
        let blocks: Vec<_> = group.iter().filter_map(|piece| block(conversion, *piece)).collect();
        if blocks.is_empty() {
            continue;
        }
        conversion.books.line(|books| {
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
fn block<'s>(conversion: &mut Conversion<'s>, piece: Piece<'s>) -> Option<Block<'s>> {
    match piece.body {
        Body::Prompt | Body::Report | Body::Summary => prompt(conversion, &piece).map(Block::Text),
        Body::Told => text(conversion.marked_content(&piece)).map(Block::Text),
        Body::Answer => text(conversion.content(&piece)).map(Block::Text),
        Body::Thought => None,
        Body::Call(_) => {
            let (name, input) = conversion.call(piece.event);
            Some(Block::Call { name, input })
        }
    }
}

/// A prompt within the agent's tags: the first has the only time that a transcript knows, and the
/// second shows that a person wrote the text, however it begins.
fn prompt<'s>(conversion: &mut Conversion<'s>, piece: &Piece<'s>) -> Option<Value<'s>> {
    let said = text(conversion.content(piece))?;
    let said = said.as_text(&prompt_tags::wrapped(&said.text().unwrap_or_default()));
    let time = conversion.time(piece.event);
    let at = time.text().and_then(|text| UtcTime::of_text(&text)).filter(|at| at.0 != 0);
    match at.and_then(prompt_tags::spell) {
        Some(spelt) => Some(time.as_text(&spelt).join(said)),
        None => Some(said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_as_the_agent_names_them() {
        assert_eq!(slug("/Users/ana/my_shop"), "Users-ana-my-shop");
        assert_eq!(slug("c:\\Users\\ana"), "c-Users-ana");
        assert_eq!(slug("/"), "unknown");
        let chat = |path: &str| digest::md5(at_most_root(path).as_bytes());
        assert_eq!(chat("/home/ana/shop"), "896a47545e8acffdf072b21f3d3036f5");
        assert_eq!(chat("/home/ana/shop/"), chat("/home/ana/shop"));
        // `printf / | md5sum`
        assert_eq!(chat("/"), "6666cd76f96956469e7be39d750cc7d9");
    }

    #[test]
    fn ids_have_the_version_of_random_ones() {
        let id = random_form("11e36e75-b0af-8b43-8622-aa5f7767355b");
        assert_eq!(id, "11e36e75-b0af-4b43-8622-aa5f7767355b");
    }
}
