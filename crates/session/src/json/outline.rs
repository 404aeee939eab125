//! Outline of a dense text: where its long containers end. A text with very many values has this
//! in place of its tokens, which would need many times its length. All else is read from the bytes
//! again when it is needed.
//!
//! A container is listed if skipping it byte by byte would take more than [`HOP`] steps, given the
//! containers listed within it. So the list has at most an entry for each [`HOP`] bytes or so, and
//! any container is skipped in at most that many steps, however its values are nested.

use crate::json::grammar::{is_scalar_at, skip_space};
use crate::json::index::{JsonError, JsonFault, MOST, offset};
use crate::sorting::Sorting as _;

/// Largest number of steps that skipping a container takes without an entry for it.
const HOP: u32 = 64;

/// The steps that skipping a listed container takes.
const LISTED: u32 = 8;

/// Largest number of containers around a value. A text that nests deeper has more than [`MOST`]
/// structural bytes, so that this bounds every text.
const DEPTH: usize = MOST / 2;

/// Length of the parts of the text whose entries are found at once, in bytes.
const PAGE: usize = 512;

/// The ends of a text's long containers.
#[derive(Default)]
pub(crate) struct Outline {
    /// Start and end of each listed container, in the order of their starts.
    listed: Vec<(u32, u32)>,
    /// For each page of the text, the number of entries that start before it.
    pages: Vec<u32>,
    /// Number of values in the text.
    pub values: usize,
}

/// A container that has not ended.
struct Open {
    start: u32,
    /// Bytes in it that are skipped at once.
    saved: u32,
}

impl Outline {
    /// The outline of `text`.
    ///
    /// # Errors
    /// If the text is not one JSON value, or is nested too deep.
    pub(crate) fn of(text: &[u8]) -> Result<Self, JsonError> {
        let mut walk = Walk::of(text);
        walk.document()?;
        let mut outline = walk.outline;
        outline.listed.in_order();
        let mut at = 0;
        for page in 0..=text.len().div_ceil(PAGE) {
            let rest = outline.listed.get(at..).unwrap_or_default();
            at += rest.iter().take_while(|(start, _)| (*start as usize) < page * PAGE).count();
            outline.pages.push(offset(at));
        }
        Ok(outline)
    }

    /// The end of the value at `start` in the text.
    pub(crate) fn end(&self, text: &[u8], start: usize) -> usize {
        match text.get(start) {
            Some(b'"') => string_end(text, start),
            Some(b'{' | b'[') => self.container_end(text, start),
            _ => scalar_end(text, start),
        }
    }

    fn container_end(&self, text: &[u8], start: usize) -> usize {
        let (mut at, mut depth) = (start, 0usize);
        while let Some(byte) = text.get(at) {
            match byte {
                b'"' => at = string_end(text, at),
                b'{' | b'[' => match self.find(at) {
                    Some(end) => at = end,
                    None => (at, depth) = (at + 1, depth + 1),
                },
                b'}' | b']' => (at, depth) = (at + 1, depth.saturating_sub(1)),
                _ => {
                    at += 1;
                    continue;
                }
            }
            if depth == 0 {
                break;
            }
        }
        at
    }

    /// The end of a listed container.
    fn find(&self, start: usize) -> Option<usize> {
        let page = start / PAGE;
        let (from, to) = (*self.pages.get(page)?, *self.pages.get(page + 1)?);
        let near = self.listed.get(from as usize..to as usize)?;
        let found = near.iter().find(|(listed, _)| *listed as usize == start)?;
        Some(found.1 as usize)
    }
}

/// The first value in the container or behind the comma before `at`; `None` if the container ends.
pub(crate) fn first_value(text: &[u8], at: usize) -> Option<usize> {
    let at = skip_space(text, at);
    match text.get(at)? {
        b'}' | b']' => None,
        // Of strings, only keys have a colon behind them.
        b'"' => {
            let colon = skip_space(text, string_end(text, at));
            let keyed = text.get(colon) == Some(&b':');
            Some(if keyed { skip_space(text, colon + 1) } else { at })
        }
        _ => Some(at),
    }
}

/// The value after the comma behind a value that ends at `end`; `None` if it is the last one.
pub(crate) fn next_value(text: &[u8], end: usize) -> Option<usize> {
    let comma = skip_space(text, end);
    if text.get(comma) == Some(&b',') { first_value(text, comma + 1) } else { None }
}

/// Start and end of the key of the value at `start`; both 0 if it has none.
pub(crate) fn key_before(text: &[u8], start: usize) -> (usize, usize) {
    let before = |end: usize| text.get(..end).unwrap_or_default().trim_ascii_end();
    let Some(key) = before(start).strip_suffix(b":").map(<[u8]>::trim_ascii_end) else {
        return (0, 0);
    };
    let mut from = key.len().saturating_sub(1);
    while let Some(quote) = memchr::memrchr(b'"', &key[..from]) {
        let escapes = key[..quote].iter().rev().take_while(|&&byte| byte == b'\\').count();
        if escapes % 2 == 0 {
            return (quote, key.len());
        }
        from = quote;
    }
    (0, 0)
}

/// The end of the string at `start`.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if text[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}

fn scalar_end(text: &[u8], start: usize) -> usize {
    let ends =
        |byte: &u8| matches!(byte, 0..=b' ' | b',' | b':' | b'"' | b'{' | b'}' | b'[' | b']');
    let rest = text.get(start..).unwrap_or_default();
    start + rest.iter().position(ends).unwrap_or(rest.len())
}

/// The place at which a text, read from its beginning, stops being one JSON value, and the
/// outermost container that ended last before that, as its start and end. `None` if it is one
/// value.
pub(crate) fn fault(text: &[u8]) -> Option<(JsonError, (usize, usize))> {
    let mut walk = Walk::of(text);
    let fault = walk.document().err()?;
    Some((fault, (walk.closed.0 as usize, walk.closed.1 as usize)))
}

struct Walk<'a> {
    text: &'a [u8],
    outline: Outline,
    open: Vec<Open>,
    /// Start and end of the container that ended last.
    closed: (u32, u32),
}

impl<'a> Walk<'a> {
    fn of(text: &'a [u8]) -> Self {
        Self { text, outline: Outline::default(), open: Vec::new(), closed: (0, 0) }
    }
}

impl Walk<'_> {
    fn document(&mut self) -> Result<(), JsonError> {
        let mut at = skip_space(self.text, 0);
        loop {
            let first = self.byte(at);
            self.outline.values += 1;
            match first {
                b'"' => at = self.string(at)?,
                b'{' | b'[' => {
                    if self.open.len() == DEPTH {
                        return Err(failed(at, JsonFault::Deep));
                    }
                    self.open.push(Open { start: offset(at), saved: 0 });
                    at = skip_space(self.text, at + 1);
                    if self.byte(at) != first + 2 {
                        at = if first == b'{' { self.key(at)? } else { at };
                        continue;
                    }
                }
                _ => at = self.scalar(at)?,
            }
            match self.behind(at)? {
                Some(next) => at = next,
                None => return Ok(()),
            }
        }
    }

    /// Closes the containers that end after a value, and returns the start of the next one; `None`
    /// if the whole value has ended.
    fn behind(&mut self, mut at: usize) -> Result<Option<usize>, JsonError> {
        loop {
            at = skip_space(self.text, at);
            let Some(within) = self.open.last() else {
                let ends = at == self.text.len();
                return if ends { Ok(None) } else { Err(failed(at, JsonFault::Trailing)) };
            };
            let bracket = self.byte(within.start as usize);
            match self.byte(at) {
                b',' if bracket == b'{' => {
                    let key = skip_space(self.text, at + 1);
                    return self.key(key).map(Some);
                }
                b',' => return Ok(Some(skip_space(self.text, at + 1))),
                byte if byte == bracket + 2 => self.close(at + 1),
                _ => return Err(self.unexpected(at)),
            }
            at += 1;
        }
    }

    fn close(&mut self, end: usize) {
        let Some(Open { start, mut saved }) = self.open.pop() else { return };
        self.closed = (start, offset(end));
        let length = offset(end) - start;
        if length - saved > HOP {
            self.outline.listed.push((start, offset(end)));
            saved = length - LISTED;
        }
        if let Some(around) = self.open.last_mut() {
            around.saved += saved;
        }
    }

    /// Reads a key, and returns the start of its value.
    fn key(&self, at: usize) -> Result<usize, JsonError> {
        if self.byte(at) != b'"' {
            return Err(self.unexpected(at));
        }
        let colon = skip_space(self.text, self.string(at)?);
        if self.byte(colon) != b':' {
            return Err(self.unexpected(colon));
        }
        Ok(skip_space(self.text, colon + 1))
    }

    /// Checks the string at `start`, and returns its end.
    fn string(&self, start: usize) -> Result<usize, JsonError> {
        let mut at = start + 1;
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let run = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            let (plain, rest) = rest.split_at(run);
            if let Some(control) = plain.iter().position(|&byte| byte < b' ') {
                return Err(failed(at + control, JsonFault::Control));
            }
            at += run;
            at += match rest {
                [b'"', ..] => return Ok(at + 1),
                [_, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
                [_, b'u', digits @ ..] if is_hex(digits) => 6,
                [] | [_] => return Err(failed(self.text.len(), JsonFault::CutOff)),
                [_, ..] => return Err(failed(at + 1, JsonFault::Escape)),
            };
        }
    }

    /// Checks that a number, `true`, `false` or `null` is at `start`, and returns its end.
    fn scalar(&self, start: usize) -> Result<usize, JsonError> {
        let end = scalar_end(self.text, start);
        if is_scalar_at(self.text, start, end) {
            return Ok(end);
        }
        let cut = start >= self.text.len();
        Err(failed(start, if cut { JsonFault::CutOff } else { JsonFault::Scalar }))
    }

    /// The byte at a position; 0 after the end of the text.
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn unexpected(&self, at: usize) -> JsonError {
        let cut = at >= self.text.len();
        failed(at, if cut { JsonFault::CutOff } else { JsonFault::Unexpected })
    }
}

fn is_hex(digits: &[u8]) -> bool {
    digits.get(..4).is_some_and(|four| four.iter().all(u8::is_ascii_hexdigit))
}

const fn failed(at: usize, why: JsonFault) -> JsonError {
    JsonError { at: offset(at), why }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
