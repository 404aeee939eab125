//! The only JSON reader on the hot path: one pass that validates a text against RFC 8259 in full
//! and leaves the places of everything in it. It makes no values: what is asked for is read from
//! the bytes, so number spelling, escapes, key order and duplicate keys are kept by construction.
//!
//! Two stages: `index` finds the structural bytes, `grammar` walks them (nesting costs no call
//! depth) and writes a [`Token`] for each value, and where the next one beside it is, so that a
//! walker steps over a value of any size in one move. Where a text has the structure of one
//! before it, `outline` writes the tokens without a walk.

use std::cell::Cell;
use std::mem::take;

use crate::json::grammar;
use crate::json::index::{self, Fault, Filled};
use crate::json::node::Doc;
use crate::json::template::Outlines;

/// The memory of a reader, used again for every text. A reader that is let go leaves it to the next
/// one of its thread.
pub struct Scan {
    /// Places of the structural bytes.
    index: Vec<u32>,
    /// The values in the order in which they begin; what stands behind those of the text that was
    /// read last means nothing.
    tokens: Vec<Token>,
    /// For each, the first one behind it and all within it.
    after: Vec<u32>,
    outlines: Outlines,
}

/// One value, and the member of an object that it is: the places in the text of the key's opening
/// quote, of the end of the key, of the value's start and of its end. Where there is no key, both
/// of its places are 0.
pub(crate) type Token = [u32; 4];

type Spare = (Vec<u32>, Vec<Token>, Vec<u32>, Outlines);

thread_local! {
    /// What the last reader left.
    static SPARE: Cell<Spare> =
        const { Cell::new((Vec::new(), Vec::new(), Vec::new(), Outlines::NONE)) };
    static PLAIN: Cell<bool> = const { Cell::new(false) };
}

/// Reads every text within `read` by the grammar and the tables alone, without the outlines of
/// those before it: the same is read, in more time. For tests of that.
pub fn plainly<T>(read: impl FnOnce() -> T) -> T {
    let before = PLAIN.replace(true);
    let read = read();
    PLAIN.set(before);
    read
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
        if self.index.len().max(self.tokens.len()) <= SPARE_MOST && !PLAIN.get() {
            let (index, tokens) = (take(&mut self.index), take(&mut self.tokens));
            let left = (index, tokens, take(&mut self.after), take(&mut self.outlines));
            // At the end of its thread nobody takes it.
            let _ = SPARE.try_with(|spare| spare.set(left));
        }
    }
}

impl Scan {
    /// A reader.
    #[must_use]
    pub fn new() -> Self {
        let plain = (Vec::new(), Vec::new(), Vec::new(), Outlines::OFF);
        let (index, tokens, after, outlines) = if PLAIN.get() { plain } else { SPARE.take() };
        Self { index, tokens, after, outlines }
    }

    /// Reads `text` (shorter than 4 GiB) as one JSON value in UTF-8.
    /// `base` is where it stands in its member; every span of the document counts from there.
    ///
    /// # Errors
    /// A [`Fault`] with the place where the text stops being JSON.
    pub fn read<'a>(&'a mut self, text: &'a [u8], base: u32) -> Result<Doc<'a>, Fault> {
        let filled = index::build(text, &mut self.index)?;
        self.doc(text, base, filled)
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
                (line.len(), self.doc(line, base, filled))
            }
            Err(fault) => {
                let from = fault.at as usize;
                let rest = text.get(from..).unwrap_or_default();
                let length = memchr::memchr(b'\n', rest).map_or(text.len(), |at| from + at);
                (length, Err(fault))
            }
        }
    }

    /// Reads what the index was filled with.
    fn doc<'a>(&'a mut self, text: &'a [u8], base: u32, filled: Filled) -> Result<Doc<'a>, Fault> {
        filled.encoding(text)?;
        let count = filled.count;
        if let Some(number) = self.outlines.fill(text, &self.index, count, &mut self.tokens) {
            let outline = self.outlines.get(number);
            let (tokens, after) = (&self.tokens, &outline.after);
            return Ok(Doc { text, tokens, after, base, outline: Some(outline) });
        }
        let index = self.index.get(..count).unwrap_or_default();
        let count = grammar::tokens(text, index, &mut self.tokens, &mut self.after)?;
        let after = self.after.get(..count).unwrap_or_default();
        self.outlines.keep(text, index, &self.tokens, after);
        Ok(Doc { text, tokens: &self.tokens, after, base, outline: None })
    }
}
