//! The only JSON reader on the hot path: one pass that validates a text against RFC 8259 in full
//! and leaves the places of everything in it. It makes no values: what is asked for is read from
//! the bytes, so number spelling, escapes, key order and duplicate keys are kept by construction.
//!
//! Two stages: `index` finds the structural bytes, [`Scan::read`] walks them with an explicit
//! stack (nesting costs no call depth) and writes a [`Token`] for each value, which knows where the
//! next one beside it is, so that a walker steps over a value of any size in one move.

use crate::index::{self, Fault, Filled, Why, offset};
use crate::node::Doc;

/// The reusable memory of a reader. Make one a thread and read many texts with it.
#[derive(Default)]
pub struct Scan {
    /// Places of the structural bytes.
    index: Vec<u32>,
    /// The values in the order in which they begin.
    tokens: Vec<Token>,
    /// The containers around the one that is open while reading.
    open: Vec<Open>,
}

/// One value, and the member of an object that it is. All places are in the text.
#[derive(Clone, Copy)]
pub(crate) struct Token {
    /// The key's opening quote; where there is no key, the same as `key_end`.
    pub key: u32,
    pub key_end: u32,
    pub start: u32,
    pub end: u32,
    /// The first token behind this one and all within it.
    pub after: u32,
}

/// A container that is being read: its token and its bracket.
#[derive(Clone, Copy)]
struct Open {
    token: u32,
    bracket: u8,
}

/// The text around the outermost value, which nothing continues or closes.
const OUTSIDE: Open = Open { token: 0, bracket: 0 };

impl Scan {
    /// A reader without memory of anything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `text` (shorter than 4 GiB) as one JSON value in UTF-8.
    /// `base` is where it stands in its member; every span of the document counts from there.
    ///
    /// # Errors
    /// A [`Fault`] with the place where the text stops being JSON.
    pub fn read<'a>(&'a mut self, text: &'a [u8], base: u32) -> Result<Doc<'a>, Fault> {
        let filled = index::build(text, &mut self.index)?;
        self.walk(text, base, filled)
    }

    /// The same for the first line of `text` (in a text without a line end, for all of it), found
    /// in the same pass. Gives the line's length too, without its end.
    pub(crate) fn line<'a>(
        &'a mut self,
        text: &'a [u8],
        base: u32,
    ) -> (usize, Result<Doc<'a>, Fault>) {
        match index::build_line(text, &mut self.index) {
            Ok(filled) => (filled.length, self.walk(&text[..filled.length], base, filled)),
            Err(fault) => {
                let from = fault.at as usize;
                let rest = text.get(from..).unwrap_or_default();
                let length = memchr::memchr(b'\n', rest).map_or(text.len(), |at| from + at);
                (length, Err(fault))
            }
        }
    }

    fn walk<'a>(&'a mut self, text: &'a [u8], base: u32, filled: Filled) -> Result<Doc<'a>, Fault> {
        filled.encoding(text)?;
        let index = self.index.get(..filled.count).unwrap_or_default();
        let (tokens, open) = (&mut self.tokens, &mut self.open);
        tokens.clear();
        open.clear();
        Walk { text, index, tokens, open, within: OUTSIDE, entry: 0, at: 0 }.document()?;
        Ok(Doc { text, tokens, base })
    }
}

/// Stage two: the grammar, over the index.
struct Walk<'a> {
    text: &'a [u8],
    index: &'a [u32],
    tokens: &'a mut Vec<Token>,
    open: &'a mut Vec<Open>,
    /// The innermost container.
    within: Open,
    /// The next entry of the index.
    entry: usize,
    /// The first byte that is not read yet.
    at: usize,
}

impl Walk<'_> {
    fn document(&mut self) -> Result<(), Fault> {
        let mut key = (0, 0);
        loop {
            if !self.value(key)? && !self.next()? {
                return self.finish();
            }
            key = if self.within.bracket == b'{' { self.key()? } else { (0, 0) };
        }
    }

    /// Reads a value, or opens a container that is not empty: then true.
    #[inline(always)]
    fn value(&mut self, key: (u32, u32)) -> Result<bool, Fault> {
        let start = skip_space(self.text, self.at);
        let end = match self.text.get(start) {
            Some(b'"') => {
                let end = self.string(start, self.entry + 1)?;
                self.entry += 1;
                end
            }
            Some(&open @ (b'{' | b'[')) => {
                let inside = skip_space(self.text, start + 1);
                if self.text.get(inside) != Some(&(open + 2)) {
                    self.open.push(self.within);
                    self.within = Open { token: offset(self.tokens.len()), bracket: open };
                    self.push(key, start, start);
                    self.entry += 1;
                    self.at = inside;
                    return Ok(true);
                }
                self.entry += 2;
                inside + 1
            }
            Some(_) => {
                let end = trim_end(self.text, start, self.place(self.entry));
                if !is_scalar(self.text.get(start..end).unwrap_or_default()) {
                    return Err(fault(start, Why::Scalar));
                }
                end
            }
            None if self.within.bracket == 0 => return Err(fault(start, Why::Empty)),
            None => return Err(fault(start, Why::CutOff)),
        };
        self.push(key, start, end);
        self.at = end;
        Ok(false)
    }

    #[inline(always)]
    fn push(&mut self, (key, key_end): (u32, u32), start: usize, end: usize) {
        let after = offset(self.tokens.len() + 1);
        self.tokens.push(Token { key, key_end, start: offset(start), end: offset(end), after });
    }

    #[inline(always)]
    fn key(&mut self) -> Result<(u32, u32), Fault> {
        let start = skip_space(self.text, self.at);
        if self.text.get(start) != Some(&b'"') {
            return Err(self.unexpected(start));
        }
        let colon = self.place(self.entry + 1);
        let end = self.string(start, self.entry + 1)?;
        if self.text.get(colon) != Some(&b':') {
            return Err(self.unexpected(colon));
        }
        self.entry += 2;
        self.at = colon + 1;
        Ok((offset(start), offset(end)))
    }

    /// A string begins at `start` and the entry behind it is `next`: where does it end?
    #[inline(always)]
    fn string(&self, start: usize, next: usize) -> Result<usize, Fault> {
        let behind = self.place(next);
        if behind >= start + 2 && self.text.get(behind - 1) == Some(&b'"') {
            return Ok(behind);
        }
        let end = trim_end(self.text, start, behind);
        if end < start + 2 || self.text[end - 1] != b'"' {
            return Err(self.unexpected(end.min(self.text.len().saturating_sub(1))));
        }
        Ok(end)
    }

    /// Behind a value: closes what ends here. False where the whole value has ended.
    #[inline(always)]
    fn next(&mut self) -> Result<bool, Fault> {
        while self.within.bracket != 0 {
            let place = self.place(self.entry);
            if self.at != place {
                let from = skip_space(self.text, self.at);
                if from != place {
                    return Err(self.unexpected(from));
                }
            }
            let Some(&byte) = self.text.get(place) else { return Err(fault(place, Why::CutOff)) };
            self.at = place + 1;
            self.entry += 1;
            if byte == b',' {
                return Ok(true);
            }
            if byte != self.within.bracket + 2 {
                return Err(fault(place, Why::Unexpected));
            }
            let after = offset(self.tokens.len());
            let container = &mut self.tokens[self.within.token as usize];
            container.end = offset(place + 1);
            container.after = after;
            self.within = self.open.pop().unwrap_or(OUTSIDE);
        }
        Ok(false)
    }

    fn finish(&self) -> Result<(), Fault> {
        let rest = skip_space(self.text, self.at);
        if rest == self.text.len() { Ok(()) } else { Err(fault(rest, Why::Trailing)) }
    }

    /// Where an entry of the index points; the end of the text behind the last.
    #[inline(always)]
    fn place(&self, entry: usize) -> usize {
        self.index.get(entry).map_or(self.text.len(), |&at| at as usize)
    }

    #[cold]
    fn unexpected(&self, at: usize) -> Fault {
        fault(at, if at >= self.text.len() { Why::CutOff } else { Why::Unexpected })
    }
}

#[cold]
const fn fault(at: usize, why: Why) -> Fault {
    Fault { at: offset(at), why }
}

#[inline]
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The first byte at or behind `at` that is not JSON white space.
#[inline]
pub(crate) fn skip_space(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| is_space(byte)) {
        at += 1;
    }
    at
}

/// `end`, less the white space before it, but not before `start`.
#[inline]
pub(crate) fn trim_end(text: &[u8], start: usize, mut end: usize) -> usize {
    while end > start && is_space(text[end - 1]) {
        end -= 1;
    }
    end
}

/// A number, `true`, `false` or `null` (RFC 8259, sections 3 and 6).
fn is_scalar(text: &[u8]) -> bool {
    match text.first() {
        Some(b't') => text == b"true",
        Some(b'f') => text == b"false",
        Some(b'n') => text == b"null",
        Some(b'-') => is_number(&text[1..]),
        Some(_) => is_number(text),
        None => false,
    }
}

fn is_number(text: &[u8]) -> bool {
    let whole = digits(text);
    if whole == 0 || (whole > 1 && text[0] == b'0') {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some((b'.', fraction)) = rest.split_first() {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some((b'e' | b'E', exponent)) = rest.split_first() {
        let exponent = match exponent.split_first() {
            Some((b'+' | b'-', exponent)) => exponent,
            _ => exponent,
        };
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

#[inline]
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}
