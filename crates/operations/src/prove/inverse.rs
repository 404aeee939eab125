//! Proof of mapped values: the inverse that a row names gives the value of the source back from the
//! written value. By another JSON parser; nothing here is from the writers.

use std::fmt;

use formats::{Inverse, Mapping, TextPart};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use session::{EventRef, Field, Slot, UtcTime};

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

/// Whether a field has nothing beside these parts of its texts.
pub(super) fn is_whole(own: &[u8], parts: &[TextPart]) -> bool {
    let texts = Texts::of(own);
    let is_covered = |(number, text): (u32, &String)| {
        let mut known = vec![false; text.len()];
        for part in parts.iter().filter(|part| part.text == number) {
            let (from, length) = (part.from as usize, part.length as usize);
            known.iter_mut().skip(from).take(length).for_each(|byte| *byte = true);
        }
        // The frame of an address that holds a picture: `data:TYPE;base64,BYTES`.
        if text.starts_with("data:") && text.contains(";base64,") {
            known[..5].fill(true);
            let at = text.find(";base64,").unwrap_or_default();
            known[at..at + 8].fill(true);
        }
        known.into_iter().all(|byte| byte)
    };
    texts.readable && !texts.others && (0..).zip(&texts.texts).all(is_covered)
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

/// The members of an object in their order, also those with equal names.
#[derive(Default)]
struct Members<'m>(Vec<(String, &'m RawValue)>);

impl<'de: 'm, 'm> Deserialize<'de> for Members<'m> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(InOrder).map(Members)
    }
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
        match std::str::from_utf8(raw) {
            Ok(text) => texts.gather(text),
            Err(_) => texts.readable = false,
        }
        texts
    }

    fn gather(&mut self, json: &str) {
        let members: Vec<&RawValue> = match json.trim_start().as_bytes().first() {
            Some(b'"') => {
                match serde_json::from_str(json) {
                    Ok(text) => self.texts.push(text),
                    Err(_) => self.readable = false,
                }
                return;
            }
            Some(b'[') => serde_json::from_str(json).unwrap_or_default(),
            Some(b'{') => {
                let Members(members) = serde_json::from_str(json).unwrap_or_default();
                let is_type = |name: &str, value: &RawValue| {
                    name == "type" && BLOCKS.contains(&value.get().as_bytes())
                };
                let named = members.iter().filter(|(name, value)| !is_type(name, value));
                named.map(|(_, value)| *value).collect()
            }
            _ => {
                self.others |= json.trim() != "null";
                return;
            }
        };
        members.into_iter().for_each(|member| self.gather(member.get()));
    }
}

/// A JSON value. Half of a surrogate pair counts as the letters of its escape: a text that holds
/// JSON keeps it.
fn parsed(json: &[u8]) -> Option<Value> {
    let letters = |half: &[u8]| [b"\\\\", &half[1..]].concat();
    let read = serde_json::from_slice(json);
    read.or_else(|_| serde_json::from_slice(&mended(json, letters))).ok()
}

/// A JSON value, or the one that a text holds.
struct Json {
    text: Option<String>,
    value: Option<Value>,
}

impl Json {
    fn of(raw: &[u8]) -> Option<Self> {
        let value = parsed(raw)?;
        Some(match value {
            Value::String(text) => {
                let value = parsed(text.as_bytes());
                Self { text: Some(text), value }
            }
            value => Self { text: None, value: Some(value) },
        })
    }

    /// Whether a written value has this one: whole, or as its member `input`.
    fn is(&self, written: &Self) -> bool {
        let input = |value: &Value| match value {
            Value::Object(members) if members.len() == 1 => members.get("input").cloned(),
            _ => None,
        };
        let inner = written.value.as_ref().and_then(input);
        let opened = |value: &Value| match value {
            Value::String(text) => parsed(text.as_bytes()),
            _ => None,
        };
        match (&self.text, &self.value) {
            (Some(text), own) => {
                inner == Some(Value::String(text.clone()))
                    || written.text.is_none() && own.is_some() && *own == written.value
                    || written.text.as_ref() == Some(text)
            }
            (None, own) => {
                *own == written.value || inner == *own || inner.as_ref().and_then(opened) == *own
            }
        }
    }
}

/// Whether two objects, or texts of objects, have equal members under these names.
fn renamed(own: &[u8], written: &[u8], names: &[(&'static str, String)]) -> Option<bool> {
    let (own, written) = (Json::of(own)?.value?, Json::of(written)?.value?);
    let (own, written) = (own.as_object()?, written.as_object()?);
    let same = |(there, here): &(&'static str, String)| {
        own.contains_key(here) && own.get(here) == written.get(*there)
    };
    Some(own.len() == names.len() && written.len() == names.len() && names.iter().all(same))
}
