//! Proof of mapped values: the inverse that a row names gives the value of the source back from the
//! written value. By another JSON parser; nothing here is from the writers.

use std::collections::HashMap;

use evidence::witness::{JsonTokens, Token, has_lone_surrogate, readable};
use formats::{Inverse, Mapping, TextPart};
use session::{EventRef, Field, Slot, UtcTime};

use super::canonical::Canonical;
use super::said::mended;

/// Whether the inverse holds for a field and the value that was written of it.
pub(super) fn holds(
    (event, field): (EventRef<'_>, Field),
    mapping: &Mapping,
    written: &[u8],
    to: &str,
) -> bool {
    let own = event.value(field);
    match &mapping.inverse {
        Inverse::None => true,
        Inverse::Parts(parts) => has_parts(parts, own, &Texts::of(written)),
        Inverse::Tagged(name, parts) => {
            let mut there = Texts::of(written);
            there.texts.iter_mut().for_each(|text| *text = without_backslashes(name, text));
            has_parts(parts, own, &there)
        }
        Inverse::Json => {
            let (Some(own), Some(written)) = (Json::of(own), Json::of(written)) else {
                return own == written;
            };
            own.is(&written)
        }
        Inverse::Renamed(names) => renamed(own, written, names).unwrap_or(false),
        Inverse::Tool => {
            let text = |raw: &[u8]| serde_json::from_slice::<String>(raw).ok();
            let tools = |name: &str| formats::by_name(name).map(|format| format.data().tools);
            let back = || {
                let (there, here) = (tools(to)?, tools(event.session().format)?);
                there.same_in(here, &text(written)?)
            };
            back().is_some_and(|name| text(own).as_deref() == Some(name))
        }
        Inverse::Instant => {
            let time = |raw: &[u8]| UtcTime::read(raw);
            time(own).is_some() && time(own) == time(written)
        }
        Inverse::Failed => {
            let said = [&b"true"[..], b"false", b"\"error\"", b"\"failed\""].contains(&written);
            let own = (field.slot, own);
            said && (own == (Slot::IsError, b"true") || own == (Slot::Success, b"false"))
        }
        Inverse::Block => event.name(field) == b"type" && BLOCKS.contains(&own),
        _ => false,
    }
}

/// Names of types of the blocks that are texts and pictures.
const BLOCKS: [&[u8]; 7] = [
    b"\"text\"",
    b"\"input_text\"",
    b"\"output_text\"",
    b"\"image\"",
    b"\"input_image\"",
    b"\"image_url\"",
    b"\"base64\"",
];

/// Tags that an agent puts around the words of a command, and around what it tells the model. They
/// say nothing beside the words.
const TAGS: [&str; 5] =
    ["command-name", "command-message", "command-args", "command-contents", "system-reminder"];

/// Whether a field has nothing beside these parts of its texts.
pub(super) fn is_whole(own: &[u8], parts: &[TextPart]) -> bool {
    let texts = Texts::of(own);
    let mut known: Vec<Vec<bool>> =
        texts.texts.iter().map(|text| vec![false; text.len()]).collect();
    for part in parts {
        let (from, length) = (part.from as usize, part.length as usize);
        let Some(known) = known.get_mut(part.text as usize) else { return false };
        known.iter_mut().skip(from).take(length).for_each(|byte| *byte = true);
    }
    let says_nothing = |(text, known): (&String, &Vec<bool>)| {
        // The pieces between the parts.
        let mut left = vec![Vec::new()];
        for (byte, is_known) in text.bytes().zip(known) {
            match (is_known, left.last_mut()) {
                (false, Some(piece)) => piece.push(byte),
                (true, Some(piece)) if !piece.is_empty() => left.push(Vec::new()),
                _ => {}
            }
        }
        let is_picture = text.starts_with("data:") && text.contains(";base64,");
        left.iter().map(|piece| String::from_utf8_lossy(piece)).all(|piece| {
            let is_frame = is_picture && matches!(&*piece, "data:" | ";base64,");
            let plain = TAGS.iter().fold(piece.to_string(), |piece, tag| {
                piece.replace(&format!("<{tag}>"), "").replace(&format!("</{tag}>"), "")
            });
            let are_tags = plain.len() < piece.len() && plain.trim().is_empty();
            piece.is_empty() || is_frame || are_tags
        })
    };
    texts.readable && !texts.others && texts.texts.iter().zip(&known).all(says_nothing)
}

fn has_parts(parts: &[TextPart], own: &[u8], there: &Texts) -> bool {
    let own = Texts::of(own);
    !parts.is_empty() && parts.iter().all(|part| is_there(part, &own, there))
}

/// A text without the first backslash in each tag of a name.
fn without_backslashes(name: &str, text: &str) -> String {
    let mut pieces = text.split('<');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let word = piece.trim_start_matches('\\').trim_start();
        let word = word.strip_prefix('/').map_or(word, str::trim_start).to_ascii_lowercase();
        let is_escaped = piece.starts_with('\\') && word.starts_with(name);
        plain.push('<');
        plain.push_str(&piece[usize::from(is_escaped)..]);
    }
    plain
}

fn is_there(part: &TextPart, own: &Texts, there: &Texts) -> bool {
    let cut = |texts: &Texts, number: u32, at: u32| {
        let (at, length) = (at as usize, part.length as usize);
        texts.texts.get(number as usize)?.get(at..at + length).map(str::to_owned)
    };
    let own = cut(own, part.text, part.from);
    own.is_some() && own == cut(there, part.leaf, part.at)
}

/// The strings of a JSON value in their order, without the names of blocks' types.
struct Texts {
    texts: Vec<String>,
    others: bool,
    readable: bool,
}

impl Texts {
    fn of(raw: &[u8]) -> Self {
        let mut texts = Self { texts: Vec::new(), others: false, readable: true };
        texts.readable = texts.gather(raw).is_some() && !has_lone_surrogate(raw);
        texts
    }

    fn gather(&mut self, raw: &[u8]) -> Option<()> {
        std::str::from_utf8(raw).ok()?;
        let readable = readable(raw);
        let mut tokens = JsonTokens::readable(&readable, raw);
        // Whether the last token is the name of a type.
        let mut is_type = false;
        while let Some(token) = tokens.step().ok()? {
            match token {
                Token::Text(text) if is_type && is_block(text) => {}
                Token::Text(text) => self.texts.push(text.to_owned()),
                Token::Number(_) | Token::Bool(_) => self.others = true,
                _ => {}
            }
            is_type = matches!(token, Token::Key("type"));
        }
        Some(())
    }
}

/// Whether a text is the name of a type of blocks.
fn is_block(text: &str) -> bool {
    BLOCKS.iter().any(|block| block[1..block.len() - 1] == *text.as_bytes())
}

/// A JSON value. Half of a surrogate pair counts as the letters of its escape: a text that holds
/// JSON keeps it.
fn parsed(json: &[u8]) -> Option<Canonical> {
    let letters = |half: &[u8]| [b"\\\\", &half[1..]].concat();
    Canonical::of(json).or_else(|| Canonical::of(&mended(json, letters)))
}

/// A JSON value, and the one that it holds if it is a text.
struct Json {
    value: Canonical,
    held: Option<Canonical>,
}

impl Json {
    fn of(raw: &[u8]) -> Option<Self> {
        let value = parsed(raw)?;
        let held = value.text().and_then(|text| parsed(text.as_bytes()));
        Some(Self { value, held })
    }

    /// The value without a text around it; `None` for a text that holds none.
    fn bare(&self) -> Option<&Canonical> {
        match self.value.text() {
            Some(_) => self.held.as_ref(),
            None => Some(&self.value),
        }
    }

    /// Whether a written value has this one: whole, or as its member `input`.
    fn is(&self, written: &Self) -> bool {
        let input = |value: &Canonical| {
            let mut members = value.members()?;
            let (name, input) = members.next()?;
            (name == "input" && members.next().is_none()).then(|| input.to_vec())
        };
        let inner = written.bare().and_then(input);
        let is_inner = inner.as_ref().is_some_and(|inner| self.value.is(inner));
        if is_inner || self.value == written.value {
            return true;
        }
        if self.value.text().is_some() {
            return self.held.as_ref() == Some(&written.value);
        }
        let opened = || Some(parsed(parsed(inner.as_ref()?)?.text()?.as_bytes()));
        written.held.as_ref() == Some(&self.value)
            || opened().flatten().as_ref() == Some(&self.value)
    }
}

/// Whether two objects, or texts of objects, have equal members under these names.
fn renamed(own: &[u8], written: &[u8], names: &[(&'static str, String)]) -> Option<bool> {
    let (own, written) = (Json::of(own)?, Json::of(written)?);
    let own: HashMap<&str, &[u8]> = own.bare()?.members()?.collect();
    let written: HashMap<&str, &[u8]> = written.bare()?.members()?.collect();
    let same = |(there, here): &(&'static str, String)| {
        own.contains_key(&**here) && own.get(&**here) == written.get(there)
    };
    Some(own.len() == names.len() && written.len() == names.len() && names.iter().all(same))
}
