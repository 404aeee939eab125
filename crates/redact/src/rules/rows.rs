//! Rows: names and values in the layouts in which tools print them. A keyword is a part of a name;
//! its value is in its line, in its column, in the next line, or in a member beside it.

use std::ops::Range;

use super::{beside, columns, is_random, naming};

/// The longest line, and the most bytes behind a name in which its values are.
pub(super) const LINE: usize = 1024;
pub(super) const BEHIND: usize = 16 << 10;

/// A name in a text, with its line.
#[derive(Debug)]
pub(super) struct Name<'t> {
    pub(super) text: &'t [u8],
    pub(super) name: Range<usize>,
    pub(super) line: Range<usize>,
}

impl<'t> Name<'t> {
    /// The name that a keyword is in, if it says that its value gives access.
    fn of(text: &'t [u8], keyword: &Range<usize>) -> Option<Self> {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-/".contains(byte);
        let before = text[..keyword.start].iter().rev().take(80).take_while(is_part).count();
        let behind = text[keyword.end..].iter().take(80).take_while(is_part).count();
        let name = keyword.start - before..keyword.end + behind;
        if !naming::is_secret(&text[name.clone()]) {
            return None;
        }
        let head = &text[name.start.saturating_sub(LINE)..name.start];
        let start = memchr::memrchr(b'\n', head).map_or(0, |at| at + 1);
        let start = name.start - head.len() + start;
        let tail = &text[name.end..text.len().min(name.end + LINE)];
        let end = name.end + memchr::memchr(b'\n', tail).unwrap_or(tail.len());
        Some(Self { text, name, line: start..end })
    }

    /// The parts of its line before the name and behind it.
    pub(super) fn sides(&self) -> (&'t [u8], &'t [u8]) {
        (&self.text[self.line.start..self.name.start], &self.text[self.name.end..self.line.end])
    }

    /// The lines behind its line, each with its place.
    pub(super) fn lines(&self) -> impl Iterator<Item = Range<usize>> {
        let last = self.text.len().min(self.line.end + BEHIND);
        let (text, mut at) = (self.text, self.line.end + 1);
        std::iter::from_fn(move || {
            let rest = text.get(at..last).filter(|rest| !rest.is_empty())?;
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = at..at + length;
            at += length + 1;
            Some(line)
        })
    }
}

/// Adds the values of the name that a keyword is in.
pub(super) fn values(text: &[u8], keyword: &Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(name) = Name::of(text, keyword) else { return };
    let before = found.len();
    found.extend(aligned(&name));
    found.extend(next_line(&name));
    beside::values(&name, found);
    columns::values(&name, found);
    // A token is also a word of a language, or a colour of a theme.
    let is_loose = |word: &[u8]| text[name.name.clone()].eq_ignore_ascii_case(word);
    if is_loose(b"token") || is_loose(b"secret") {
        let found_here = found.split_off(before);
        found.extend(found_here.into_iter().filter(|of| is_random(&text[of.clone()])));
    }
}

/// `name:      value`, `name      value` and `name | value`, of any width.
fn aligned(name: &Name<'_>) -> Option<Range<usize>> {
    let (before, behind) = name.sides();
    let is_first =
        before.iter().all(|byte| b" \t|\"'-*\xe2\x94\x82\xe2\x80\xa2\xe2\x95\x91".contains(byte));
    let rest = behind.strip_prefix(b"\"").unwrap_or(behind);
    let space = space(rest);
    let (mark, gap) = match rest.get(space)? {
        b':' | b'=' => (1, self::space(&rest[space + 1..])),
        b'|' => (1, self::space(&rest[space + 1..])),
        0xe2 if rest[space..].starts_with("\u{2502}".as_bytes()) => {
            (3, self::space(&rest[space + 3..]))
        }
        _ if space > 1 || rest.starts_with(b"\t") => (0, 0),
        _ => return None,
    };
    let is_bar = mark == 3 || rest[space] == b'|';
    // Up to three spaces, a pattern finds it.
    if (is_bar || mark == 0) && !is_first || (mark == 1 && !is_bar && gap + space < 4) {
        return None;
    }
    let from = name.line.end - rest.len() + space + mark + gap;
    word(name.text, from, name.line.end)
}

fn space(text: &[u8]) -> usize {
    text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The word at a place, without its quotes, if the line or the column ends behind it.
pub(super) fn word(text: &[u8], from: usize, end: usize) -> Option<Range<usize>> {
    let rest = text.get(from..end)?;
    let quote = rest.first().filter(|byte| matches!(byte, b'"' | b'\'' | b'`')).copied();
    let start = from + usize::from(quote.is_some());
    let inner = text.get(start..end)?;
    let is_end = |byte: &u8| match quote {
        Some(quote) => *byte == quote,
        None => byte.is_ascii_whitespace() || *byte == b'|',
    };
    let length = inner.iter().position(is_end).unwrap_or(inner.len());
    let behind = &inner[length + usize::from(quote.is_some() && length < inner.len())..];
    let ends = behind.trim_ascii().is_empty()
        || behind.starts_with(b"  ")
        || behind.starts_with(b"\t")
        || matches!(behind.trim_ascii_start(), [b'|' | b',' | b';', ..])
        || behind.trim_ascii_start().starts_with("\u{2502}".as_bytes());
    (length > 0 && ends).then_some(start..start + length)
}

/// The value on the next line, as YAML and PHP write it.
fn next_line(name: &Name<'_>) -> Option<Range<usize>> {
    let (before, behind) = name.sides();
    let indent = space(before);
    let behind = behind.trim_ascii();
    let behind = behind.strip_prefix(b"\"").unwrap_or(behind);
    let behind = behind.strip_prefix(b"]").unwrap_or(behind);
    let is_open = matches!(
        behind,
        b":" | b": |" | b": >" | b": |-" | b": >-" | b": |+" | b": >+" | b"=>" | b" =>"
    );
    if !is_open {
        return None;
    }
    let line = name.lines().next()?;
    let deeper = space(&name.text[line.clone()]);
    let mut start = line.start + deeper;
    // `string(16) "value"`
    if name.text[start..line.end].starts_with(b"string(") {
        start += memchr::memchr(b'"', &name.text[start..line.end])?;
    } else if deeper <= indent {
        return None;
    }
    let value = word(name.text, start, line.end)?;
    let is_name = name.text[value.clone()].ends_with(b":");
    (!is_name).then_some(value)
}
