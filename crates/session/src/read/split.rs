//! Splitting of a member into records that tile it. Only white space is between records.

use crate::json::grammar::{skip_space, trim_end};
use crate::json::index::{Lax, offset};
use crate::json::span::Span;

/// Form of a member's records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// One record per line.
    Lines,
    /// Concatenated JSON values, each over any number of lines.
    Concatenated,
    /// The whole member is one record.
    Whole,
}

/// A record's bytes before they are parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub span: Span,
    /// The line on which it begins, from 1.
    pub line: u32,
    /// Whether it certainly has no line break.
    pub single_line: bool,
}

/// The beginning of the text, after a byte order mark.
pub(crate) fn start(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }
}

/// The position of the first byte from `at` on that is text or a line end.
pub(crate) fn next_byte(bytes: &[u8], at: usize) -> Option<usize> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    let skip = bytes.get(at..)?.iter().position(|byte| !blank(byte))?;
    Some(at + skip)
}

/// Calls `found` with the whole member as one piece.
pub(crate) fn whole(bytes: &[u8], found: impl FnOnce(Piece)) {
    if let Some(span) = trimmed(bytes, start(bytes), bytes.len()) {
        let line = 1 + count_lines(&bytes[..span.start as usize]);
        found(Piece { span, line, single_line: false });
    }
}

/// The end of the object or array at `start` if a program printed it: at its only line, or at the
/// first line that begins with its closing bracket. Only parsing shows whether it was.
pub(crate) fn printed(bytes: &[u8], start: usize) -> Option<usize> {
    let text = bytes.get(start..)?;
    let (close, alone): (u8, &[u8]) = match text.first()? {
        b'{' => (b'}', b"\n}"),
        b'[' => (b']', b"\n]"),
        _ => return None,
    };
    let line = memchr::memchr(b'\n', text).unwrap_or(text.len());
    let end = trim_end(text, 0, line);
    if text[end - 1] == close {
        return Some(start + end);
    }
    memchr::memmem::find(&text[line..], alone).map(|at| start + line + at + alone.len())
}

/// `from..end` without leading and trailing white space; `None` if nothing is left.
fn trimmed(bytes: &[u8], from: usize, end: usize) -> Option<Span> {
    let start = skip_space(&bytes[..end], from);
    let end = trim_end(bytes, start, end);
    (start < end).then(|| Span::new(offset(start), offset(end)))
}

pub(crate) fn count_lines(bytes: &[u8]) -> u32 {
    offset(memchr::memchr_iter(b'\n', bytes).count())
}

/// Number of restarts after a value that never closes. After that, the rest of the member is one
/// piece, so that hostile bytes cost linear time.
const RESTARTS: usize = 16;

/// The pieces of concatenated values from `start` on, which is on this `line`.
pub(crate) fn concatenated(bytes: &[u8], start: usize, line: u32, found: &mut dyn FnMut(Piece)) {
    let mut cutter = Cutter { bytes, line, counted: start, found };
    let mut from = start;
    for _ in 0..RESTARTS {
        match cutter.balanced(from) {
            Ok(()) => return,
            // A value that never closes ends before a line that begins with a bracket.
            Err(open) => match next_start(bytes, open + 1) {
                Some(next) => {
                    cutter.cut(open, next);
                    from = next;
                }
                None => {
                    cutter.cut(open, bytes.len());
                    return;
                }
            },
        }
    }
    cutter.cut(from, bytes.len());
}

/// The next line that begins with an opening bracket.
fn next_start(bytes: &[u8], from: usize) -> Option<usize> {
    memchr::memchr_iter(b'\n', bytes.get(from..)?)
        .map(|newline| from + newline + 1)
        .find(|&at| matches!(bytes.get(at), Some(b'{' | b'[')))
}

struct Cutter<'a> {
    bytes: &'a [u8],
    line: u32,
    counted: usize,
    found: &'a mut dyn FnMut(Piece),
}

impl Cutter<'_> {
    /// Splits at every position at which the brackets are balanced. Fails with the beginning of a
    /// value that never closes. Text between values that is not a bracket is a separate piece.
    fn balanced(&mut self, base: usize) -> Result<(), usize> {
        let (mut depth, mut open, mut from) = (0u32, base, base);
        let (bytes, mut lax) = (self.bytes, Lax::default());
        for (base, part) in (base..).step_by(Lax::PART).zip(bytes[base..].chunks(Lax::PART)) {
            for &at in lax.next(part) {
                let at = base + at as usize;
                match bytes[at] {
                    b'{' | b'[' => {
                        if depth == 0 {
                            self.cut(from, at);
                            open = at;
                        }
                        depth += 1;
                    }
                    b'}' | b']' if depth > 0 => {
                        depth -= 1;
                        if depth == 0 {
                            self.cut(open, at + 1);
                            from = at + 1;
                        }
                    }
                    _ => {}
                }
            }
        }
        if depth > 0 {
            return Err(open);
        }
        self.cut(from, self.bytes.len());
        Ok(())
    }

    fn cut(&mut self, from: usize, end: usize) {
        if let Some(span) = trimmed(self.bytes, from, end) {
            let start = span.start as usize;
            self.line += count_lines(&self.bytes[self.counted.min(start)..start]);
            self.counted = self.counted.max(start);
            (self.found)(Piece { span, line: self.line, single_line: false });
        }
    }
}
/// Position of the walk.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub member: u32,
    pub record: u32,
    /// The line of `at`; both only move forward through the record.
    pub line: u32,
    pub at: u32,
    pub part: u32,
    pub single_line: bool,
}

impl Place {
    /// The position moved forward to `at` in the member's `bytes`.
    pub(crate) fn moved_to(mut self, at: u32, bytes: &[u8]) -> Self {
        if !self.single_line && at > self.at {
            self.line += count_lines(Span::new(self.at, at).of(bytes));
            self.at = at;
        }
        self
    }
}
