//! The only JSON reader on the hot path: one pass that validates a text against RFC 8259 in full
//! and leaves the places of everything in it. It makes no values: what is asked for is read from
//! the bytes, so number spelling, escapes, key order and duplicate keys are kept by construction.
//!
//! Two stages: `index` finds the structural bytes, `grammar` walks them (nesting costs no call
//! depth) and writes a [`Token`] for each value, which knows where the next one beside it is, so
//! that a walker steps over a value of any size in one move.

use std::cell::Cell;

use crate::grammar;
use crate::index::{self, Fault, Filled};
use crate::node::Doc;

/// The memory of a reader, used again for every text. A reader that is let go leaves it to the next
/// one of its thread.
pub struct Scan {
    /// Places of the structural bytes.
    index: Vec<u32>,
    /// The values in the order in which they begin; what stands behind those of the text that was
    /// read last means nothing.
    tokens: Vec<Token>,
}

/// One value, and the member of an object that it is. All places are in the text.
#[derive(Clone, Copy, Default)]
pub(crate) struct Token {
    /// The key's opening quote; where there is no key, the same as `key_end`.
    pub key: u32,
    pub key_end: u32,
    pub start: u32,
    pub end: u32,
    /// The first token behind this one and all within it.
    pub after: u32,
}

thread_local! {
    /// What the last reader left.
    static SPARE: Cell<(Vec<u32>, Vec<Token>)> = const { Cell::new((Vec::new(), Vec::new())) };
}

/// The most that a reader leaves to the next, in values.
const SPARE_MOST: usize = 1 << 20;

impl Default for Scan {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Scan {
    fn drop(&mut self) {
        if self.index.len().max(self.tokens.len()) <= SPARE_MOST {
            let left = (std::mem::take(&mut self.index), std::mem::take(&mut self.tokens));
            // At the end of its thread nobody takes it.
            let _ = SPARE.try_with(|spare| spare.set(left));
        }
    }
}

impl Scan {
    /// A reader.
    #[must_use]
    pub fn new() -> Self {
        let (index, tokens) = SPARE.take();
        Self { index, tokens }
    }

    /// Reads `text` (shorter than 4 GiB) as one JSON value in UTF-8.
    /// `base` is where it stands in its member; every span of the document counts from there.
    ///
    /// # Errors
    /// A [`Fault`] with the place where the text stops being JSON.
    pub fn read<'a>(&'a mut self, text: &'a [u8], base: u32) -> Result<Doc<'a>, Fault> {
        let filled = index::build(text, &mut self.index)?;
        let count = self.walk(text, filled)?;
        Ok(self.doc(text, base, count))
    }

    /// The same for the first line of `text` (in a text without a line end, for all of it), found
    /// in the same pass. Gives the line's length too, without its end.
    #[inline(always)]
    pub(crate) fn line<'a>(
        &'a mut self,
        text: &'a [u8],
        base: u32,
    ) -> (usize, Result<Doc<'a>, Fault>) {
        match index::build_line(text, &mut self.index) {
            Ok(filled) => {
                let line = &text[..filled.length];
                let count = self.walk(line, filled);
                (line.len(), count.map(|count| self.doc(line, base, count)))
            }
            Err(fault) => {
                let from = fault.at as usize;
                let rest = text.get(from..).unwrap_or_default();
                let length = memchr::memchr(b'\n', rest).map_or(text.len(), |at| from + at);
                (length, Err(fault))
            }
        }
    }

    /// Reads what the index was filled with, and gives the number of its values.
    fn walk(&mut self, text: &[u8], filled: Filled) -> Result<usize, Fault> {
        filled.encoding(text)?;
        let index = self.index.get(..filled.count).unwrap_or_default();
        grammar::tokens(text, index, &mut self.tokens)
    }

    #[inline(always)]
    fn doc<'a>(&'a self, text: &'a [u8], base: u32, count: usize) -> Doc<'a> {
        Doc { text, tokens: self.tokens.get(..count).unwrap_or_default(), base }
    }
}
