//! The only JSON reader on the hot path: one pass that validates a text against RFC 8259 in full
//! and leaves the places of everything in it. It makes no values: what is asked for is read from
//! the bytes, so number spelling, escapes, key order and duplicate keys are kept by construction.
//!
//! Two stages: `index` finds the structural bytes, [`Scan::read`] walks them with an explicit
//! stack (nesting costs no call depth) and records where each container ends, so that a walker
//! steps over a value of any size in one move.

use crate::index::{self, Fault, Why, offset};
use crate::node::Doc;

/// The reusable memory of a reader. Make one a thread and read many texts with it.
#[derive(Default)]
pub struct Scan {
    /// Places of the structural bytes.
    index: Vec<u32>,
    /// For an opening bracket's entry of `index`, the entry of its closing one; for the colon or
    /// comma before a value, the first entry behind that value.
    close: Vec<u32>,
    /// The containers that are open while reading.
    open: Vec<u32>,
}

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
        let count = index::build(text, &mut self.index)?;
        if self.close.len() < count {
            self.close.resize(self.index.len(), 0);
        }
        let index = self.index.get(..count).unwrap_or_default();
        let (close, open) = (&mut self.close, &mut self.open);
        Walk { text, index, close, open, entry: 0, at: 0 }.document()?;
        Ok(Doc { text, index, close: &self.close, base })
    }
}

/// Stage two: the grammar, over the index.
struct Walk<'a> {
    text: &'a [u8],
    index: &'a [u32],
    close: &'a mut [u32],
    open: &'a mut Vec<u32>,
    /// The next entry of the index.
    entry: usize,
    /// The first byte that is not read yet.
    at: usize,
}

/// What may stand next.
enum Expect {
    Value,
    Key,
    /// The end of a value: `,`, a closing bracket, or the end of the text.
    Next,
}

impl Walk<'_> {
    fn document(&mut self) -> Result<(), Fault> {
        self.open.clear();
        let mut expect = Expect::Value;
        loop {
            expect = match expect {
                Expect::Value => self.value()?,
                Expect::Key => self.key()?,
                Expect::Next if self.open.is_empty() => return self.finish(),
                Expect::Next => self.next()?,
            }
        }
    }

    #[inline]
    fn value(&mut self) -> Result<Expect, Fault> {
        let start = skip_space(self.text, self.at);
        match self.text.get(start) {
            Some(b'"') => {
                let end = self.string(start, self.entry + 1)?;
                self.passed(self.entry, self.entry + 1);
                self.entry += 1;
                self.at = end;
                Ok(Expect::Next)
            }
            Some(&open @ (b'{' | b'[')) => Ok(self.enter(open, start)),
            Some(_) => {
                let end = trim_end(self.text, start, self.place(self.entry));
                if !is_scalar(self.text.get(start..end).unwrap_or_default()) {
                    return Err(fault(start, Why::Scalar));
                }
                self.passed(self.entry, self.entry);
                self.at = end;
                Ok(Expect::Next)
            }
            None if self.open.is_empty() => Err(fault(start, Why::Empty)),
            None => Err(fault(start, Why::CutOff)),
        }
    }

    /// Opens a container; an empty one is closed again at once.
    #[inline]
    fn enter(&mut self, open: u8, start: usize) -> Expect {
        let inside = skip_space(self.text, start + 1);
        if self.text.get(inside) == Some(&(open + 2)) {
            self.close[self.entry] = offset(self.entry + 1);
            self.passed(self.entry, self.entry + 2);
            self.entry += 2;
            self.at = inside + 1;
            return Expect::Next;
        }
        self.open.push(offset(self.entry));
        self.entry += 1;
        self.at = inside;
        if open == b'{' { Expect::Key } else { Expect::Value }
    }

    /// Notes at the entry before a value (whose own first entry is `value`) what stands behind it.
    /// Before an array's first value that is the bracket, which is overwritten when it closes.
    #[inline(always)]
    fn passed(&mut self, value: usize, after: usize) {
        if let Some(before) = value.checked_sub(1).and_then(|at| self.close.get_mut(at)) {
            *before = offset(after);
        }
    }

    #[inline]
    fn key(&mut self) -> Result<Expect, Fault> {
        let start = skip_space(self.text, self.at);
        if self.text.get(start) != Some(&b'"') {
            return Err(self.unexpected(start));
        }
        let colon = self.place(self.entry + 1);
        self.string(start, self.entry + 1)?;
        if self.text.get(colon) != Some(&b':') {
            return Err(self.unexpected(colon));
        }
        self.entry += 2;
        self.at = colon + 1;
        Ok(Expect::Value)
    }

    /// A string begins at `start` and the entry behind it is `next`: where does it end?
    #[inline]
    fn string(&self, start: usize, next: usize) -> Result<usize, Fault> {
        let end = trim_end(self.text, start, self.place(next));
        if end < start + 2 || self.text[end - 1] != b'"' {
            return Err(self.unexpected(end.min(self.text.len().saturating_sub(1))));
        }
        Ok(end)
    }

    #[inline]
    fn next(&mut self) -> Result<Expect, Fault> {
        let place = self.place(self.entry);
        let from = skip_space(self.text, self.at);
        if from != place {
            return Err(self.unexpected(from));
        }
        let Some(&top) = self.open.last() else { return Err(fault(place, Why::Trailing)) };
        let kind = self.text[self.index[top as usize] as usize];
        let Some(&byte) = self.text.get(place) else { return Err(fault(place, Why::CutOff)) };
        self.at = place + 1;
        if byte == b',' {
            self.entry += 1;
            return Ok(if kind == b'{' { Expect::Key } else { Expect::Value });
        }
        if byte != kind + 2 {
            return Err(fault(place, Why::Unexpected));
        }
        self.close[top as usize] = offset(self.entry);
        self.passed(top as usize, self.entry + 1);
        self.open.pop();
        self.entry += 1;
        Ok(Expect::Next)
    }

    fn finish(&self) -> Result<(), Fault> {
        let rest = skip_space(self.text, self.at);
        if rest == self.text.len() { Ok(()) } else { Err(fault(rest, Why::Trailing)) }
    }

    /// Where an entry of the index points; the end of the text behind the last.
    #[inline]
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
