//! Judge of a redaction: looks for values that must not be left, with a walk and decoders that have
//! nothing in common with those of the scan (`serde_json`, public decoders), so that a fault of the
//! scan is no fault of its judge.
//!
//! A value is looked for as it is, and without everything but letters and digits on both sides, so
//! that nothing that is put between them hides it: breaks of lines, quotes, signs, spaces.

#[cfg(test)]
mod tests;
mod undo;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use session::Bundle;
use session::Sorting as _;
use sha2::{Digest as _, Sha256};
use undo::Made;

/// The largest number of wrappings that are undone.
const DEPTH: usize = 6;
/// The least number of letters and digits of a value that is looked for without its other signs.
const LEAST: usize = 12;
/// The largest number of texts that are known to be clean.
const MOST: usize = 1 << 16;

/// The first place where one of the values is left: its member and line. A value of letters and
/// digits alone is in a text where it is among the letters and digits of the text.
pub(crate) fn left<'v>(
    bundle: &Bundle,
    values: impl Iterator<Item = &'v [u8]> + Clone,
) -> Option<(u32, u32)> {
    let letters = values.clone().map(squeezed);
    let letters = Sought::of(letters.filter(|letters| letters.len() >= LEAST).collect());
    let is_other = |value: &&[u8]| value.len() < LEAST || !is_letters(value);
    let sought = Sought::of(values.filter(is_other).map(Cow::Borrowed).collect());
    if sought.values.is_empty() && letters.values.is_empty() {
        return None;
    }
    let least = sought.least().min(letters.least());
    for (number, member) in (0u32..).zip(&bundle.members) {
        let left = 8 * member.bytes().len() as u64 + (8 << 20);
        let (sought, letters, unpacked) = (&sought, &letters, &Cell::new(left));
        let judge = Judge { sought, letters, least, left, unpacked, clean: HashMap::new() };
        if let Some(line) = judge.member(&String::from_utf8_lossy(member.bytes())) {
            return Some((number, line));
        }
    }
    None
}

struct Judge<'j> {
    sought: &'j Sought<'j>,
    /// The letters and digits of the values.
    letters: &'j Sought<'j>,
    /// The least number of letters of ASCII that a text has if one of the values is in it.
    least: usize,
    /// The bytes that may still be decoded.
    left: u64,
    /// The bytes that may still be unpacked: zeros are not counted as decoded.
    unpacked: &'j Cell<u64>,
    /// The digests of texts in which nothing is left, each with the number of wrappings that were
    /// undone in it: one text comes out of many others, and agents write it again and again.
    clean: HashMap<[u8; 16], usize>,
}

/// Texts by the names that lead to them.
type Streams = BTreeMap<String, Vec<String>>;

impl Judge<'_> {
    /// The line on which a value is left.
    fn member(mut self, text: &str) -> Option<u32> {
        let mut streams = Streams::new();
        // As it is written, since of members of one name `serde_json` has only the last.
        let raw = text.as_bytes();
        if let Some(found) = self.sought.first_in(raw).or_else(|| self.letters.first_in(raw)) {
            let before = &text.as_bytes()[..found];
            return Some(before.iter().filter(|&&byte| byte == b'\n').count() as u32 + 1);
        }
        if let Ok(value) = serde_json::from_str::<Value>(text) {
            return self.value(&value, &mut streams).then_some(1);
        }
        for (line, record) in (1..).zip(text.lines()) {
            let found = match serde_json::from_str::<Value>(record) {
                Ok(value) => self.value(&value, &mut streams),
                Err(_) => self.text(record, Made::default(), DEPTH),
            };
            if found {
                return Some(line);
            }
        }
        streams.values().any(|stream| self.joined(stream)).then_some(0)
    }

    /// Whether a value is left in a record. Its pieces of streams are added to theirs.
    fn value(&mut self, value: &Value, streams: &mut Streams) -> bool {
        let mut texts = Vec::new();
        collect(value, "", &mut texts);
        let has = |word: &str| {
            texts.iter().any(|(name, text)| name.contains(word) || text.contains(word))
        };
        let is_piece = has("delta") || has("chunk");
        let mut blocks = Streams::new();
        for (name, text) in texts {
            if self.text(&text, Made::default(), DEPTH) {
                return true;
            }
            if !name.is_empty() {
                let of = if is_piece { &mut *streams } else { &mut blocks };
                of.entry(name).or_default().push(text);
            }
        }
        blocks.values().any(|block| self.joined(block))
    }

    /// Whether a value is left in texts that belong together, or in what each decodes to.
    fn joined(&mut self, texts: &[String]) -> bool {
        if texts.len() < 2 {
            return false;
        }
        let decoded = texts.iter().map(|text| undo::base64(text));
        let decoded: Option<Vec<Vec<u8>>> = decoded.collect();
        let decoded = decoded.map(|pieces| undo::plain(&pieces.concat())).unwrap_or_default();
        let made = Made::default();
        self.text(&texts.concat(), made, DEPTH) || self.text(&decoded, made, DEPTH)
    }

    /// Whether a value is left in a text, or in anything that it decodes to.
    fn text(&mut self, text: &str, made: Made, depth: usize) -> bool {
        // What was no encoded text decodes to few letters.
        let letters = text.bytes().filter(u8::is_ascii_graphic).take(self.least);
        if letters.count() < self.least {
            return false;
        }
        let known = digest(text);
        if self.clean.get(&known).is_some_and(|&undone| undone >= depth) {
            return false;
        }
        // The texts of the records are looked at in any case.
        if depth < DEPTH {
            let Some(left) = self.left.checked_sub(text.len() as u64) else { return false };
            self.left = left;
        }
        let has = self.is_in(text, made, depth);
        if self.clean.len() == MOST {
            self.clean.clear();
        }
        if !has {
            self.clean.insert(known, depth);
        }
        has
    }

    /// The same of a text that was not looked at.
    fn is_in(&mut self, text: &str, made: Made, depth: usize) -> bool {
        let bytes = text.as_bytes();
        if self.sought.first_in(bytes).or_else(|| self.letters.first_in(&squeezed(bytes))).is_some()
        {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let unpacked = self.unpacked;
        let mut inner = |inner: &str, made: Made| {
            inner != text && !inner.is_empty() && self.text(inner, made, depth - 1)
        };
        if text.starts_with(['{', '[', '"'])
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            let mut texts = Vec::new();
            collect(&value, "", &mut texts);
            if texts.iter().any(|(_, text)| inner(text, Made::default())) {
                return true;
            }
        }
        undo::any(text, made, unpacked, &mut inner)
    }
}

/// Half of the SHA-256 digest of a text.
fn digest(text: &str) -> [u8; 16] {
    let digest = Sha256::digest(text);
    std::array::from_fn(|at| digest[at])
}

/// The letters and digits of a text.
fn squeezed(text: &[u8]) -> Cow<'_, [u8]> {
    match is_letters(text) {
        true => Cow::Borrowed(text),
        false => text.iter().copied().filter(u8::is_ascii_alphanumeric).collect(),
    }
}

/// Whether a text is letters and digits alone.
fn is_letters(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_alphanumeric)
}

/// Values that are looked for at once. Its memory is that of the values.
struct Sought<'v> {
    /// In their order, none of them the beginning of another.
    values: Vec<Cow<'v, [u8]>>,
    /// The number of bytes by which a value is looked up.
    width: usize,
    /// A bit for each such beginning.
    bits: Vec<u64>,
}

impl<'v> Sought<'v> {
    fn of(mut values: Vec<Cow<'v, [u8]>>) -> Self {
        values.retain(|value| !value.is_empty());
        values.in_order();
        values.dedup_by(|later, first| later.starts_with(first));
        let width = values.iter().map(|value| value.len()).min().unwrap_or_default().min(8);
        let mut bits = vec![0; (values.len() / 4 + 64).next_power_of_two()];
        for value in &values {
            let (word, bit) = place(&value[..width], bits.len());
            bits[word] |= 1 << bit;
        }
        Self { values, width, bits }
    }

    /// The least number of letters of ASCII of a text with a value: none if a value has others.
    fn least(&self) -> usize {
        let graphic = |value: &Cow<'_, [u8]>| value.iter().filter(|b| b.is_ascii_graphic()).count();
        self.values.iter().map(graphic).min().unwrap_or(LEAST)
    }

    /// The first place of a value in a text.
    fn first_in(&self, text: &[u8]) -> Option<usize> {
        if self.values.is_empty() {
            return None;
        }
        let is_one = |at: usize| {
            let rest = &text[at..];
            let behind = self.values.partition_point(|value| &**value <= rest);
            behind > 0 && rest.starts_with(&self.values[behind - 1])
        };
        let may = |beginning: &[u8]| {
            let (word, bit) = place(beginning, self.bits.len());
            self.bits[word] >> bit & 1 == 1
        };
        let mut beginnings = text.windows(self.width).enumerate();
        beginnings.find(|(at, beginning)| may(beginning) && is_one(*at)).map(|(at, _)| at)
    }
}

/// The bit of a beginning among words of a number that is a power of two.
fn place(beginning: &[u8], words: usize) -> (usize, u32) {
    let mut eight = [0; 8];
    eight[..beginning.len()].copy_from_slice(beginning);
    let hash = u64::from_le_bytes(eight).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((hash >> 38) as usize & (words - 1), (hash >> 32) as u32 & 63)
}

/// The strings, names and numbers of a value, each with the name that leads to it.
fn collect(value: &Value, name: &str, texts: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => texts.push((name.to_owned(), text.clone())),
        Value::Array(items) => {
            let byte = |item: &Value| item.as_u64().and_then(|number| u8::try_from(number).ok());
            let bytes: Option<Vec<u8>> = items.iter().map(byte).collect();
            texts.extend(bytes.map(|bytes| (String::new(), undo::plain(&bytes))));
            items.iter().for_each(|item| collect(item, name, texts));
        }
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            texts.push((String::new(), name.clone()));
            collect(value, name, texts);
        }),
        Value::Number(number) => texts.push((String::new(), number.to_string())),
        Value::Bool(_) | Value::Null => {}
    }
}
