//! JSON reader: one pass checks a text against RFC 8259 in full and keeps the positions of all
//! values. Values are not built but read from the bytes on demand. So number spelling, escapes, key
//! order and duplicate keys are kept by construction.
//!
//! There are two stages. `index` finds the structural bytes. `grammar` walks them without recursion
//! and writes a [`Token`] for each value, with the number of the next one outside it, so that a
//! walker skips a value of any size in one step. If a text has the structure of an earlier one,
//! `template` writes the tokens without a walk. Of a text with very many values, `outline` keeps
//! less: its tokens would need many times its length.

use crate::json::grammar::{self, Token};
use crate::json::index::{self, Filled, JsonError, JsonFault};
use crate::json::node::{Counts, Doc};
use crate::json::outline::Outline;
use crate::json::template::Templates;

/// JSON reader with its memory: buffers and templates that are reused for each text.
#[derive(Default)]
pub struct Scan {
    /// Places of the structural bytes.
    index: Vec<u32>,
    /// The values in the order of their beginnings. Tokens after those of the last text are
    /// undefined.
    tokens: Vec<Token>,
    /// For each value, the first one outside it that follows.
    after: Vec<u32>,
    /// Of a dense text, in place of its tokens.
    outline: Outline,
    templates: Templates,
    /// Which of equal keys counts in the texts that it reads.
    pub(crate) counts: Counts,
    /// Whether a text with bytes that are not UTF-8 is refused.
    strict: bool,
}

impl std::fmt::Debug for Scan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scan").field("room", &self.tokens.len()).finish_non_exhaustive()
    }
}

/// A byte order mark in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Largest number of values for which a reader keeps its buffers between texts and sessions.
pub(crate) const ROOM: usize = 1 << 20;

impl Scan {
    /// A reader.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A reader for which this one of an object's equal keys counts.
    #[must_use]
    pub fn counting(counts: Counts) -> Self {
        Self { counts, ..Self::default() }
    }

    /// A reader that reads each text by the grammar alone, without templates: for single texts.
    /// Many of them are read slower.
    #[must_use]
    pub fn without_templates() -> Self {
        Self { templates: Templates::off(), ..Self::default() }
    }

    /// A reader that refuses a text with bytes that are not UTF-8, as RFC 8259 (section 8.1) does.
    #[must_use]
    pub fn strict() -> Self {
        Self { strict: true, ..Self::default() }
    }

    /// Frees buffers that only a very large text needs.
    pub(crate) fn shrink(&mut self) {
        if self.index.len().max(self.tokens.len()) > ROOM {
            (self.index, self.tokens, self.after) = Default::default();
        }
        self.outline = Outline::default();
    }

    /// Reads `text` (shorter than 4 GiB) as one JSON value in UTF-8. `base` is its position in its
    /// member; every span of the document counts from there.
    ///
    /// Bytes within strings that are not UTF-8 are read as the agents' own decoders read them: as
    /// U+FFFD. The document says where the first of them is ([`Doc::not_utf8`]).
    ///
    /// # Errors
    /// A [`JsonError`] with the position at which the text stops being JSON.
    pub fn read<'a>(&'a mut self, text: &'a [u8], base: u32) -> Result<Doc<'a>, JsonError> {
        let marked = text.starts_with(MARK);
        let filled = index::build(text, &mut self.index)?;
        // RFC 8259, section 8.1: no text begins with a byte order mark.
        self.doc(text, base, filled).map_err(|fault| match fault.at {
            0 if marked => JsonError { at: 0, why: JsonFault::Mark },
            _ => fault,
        })
    }

    /// Reads the first line of `text` (without a line end, all of it), which is found in the same
    /// pass. Also returns the line's length, without its end.
    #[inline(always)]
    pub(crate) fn line<'a>(
        &'a mut self,
        text: &'a [u8],
        base: u32,
    ) -> (usize, Result<Doc<'a>, JsonError>) {
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

    /// Reads the text that the index was filled from.
    fn doc<'a>(
        &'a mut self,
        text: &'a [u8],
        base: u32,
        filled: Filled,
    ) -> Result<Doc<'a>, JsonError> {
        let not_utf8 = filled.not_utf8(text);
        if let Some(at) = not_utf8.filter(|_| self.strict) {
            return Err(JsonError { at, why: JsonFault::Encoding });
        }
        if filled.is_dense() {
            return self.dense(text, base, not_utf8);
        }
        let (count, counts) = (filled.count, self.counts);
        if let Some(id) = self.templates.fill(text, &self.index, count, &mut self.tokens) {
            let (tokens, after) = (&self.tokens, self.templates.after(id));
            let (template, outline) = (Some(id), &self.outline);
            return Ok(Doc { text, tokens, after, outline, base, template, counts, not_utf8 });
        }
        let index = self.index.get(..count).unwrap_or_default();
        make_room(text, index, &mut self.tokens, &mut self.after);
        let count = grammar::tokens(text, index, &mut self.tokens, &mut self.after)
            .map_err(|fault| encoding(text, fault))?;
        let after = self.after.get(..count).unwrap_or_default();
        self.templates.keep(text, index, &self.tokens, after);
        if index.len() > ROOM {
            // The tokens are all that is needed; of a large text the index is as large as they are.
            self.index = Vec::new();
        }
        let (tokens, outline) = (&self.tokens, &self.outline);
        Ok(Doc { text, tokens, after, outline, base, template: None, counts, not_utf8 })
    }

    /// Reads a text with very many values.
    #[cold]
    fn dense<'a>(
        &'a mut self,
        text: &'a [u8],
        base: u32,
        not_utf8: Option<u32>,
    ) -> Result<Doc<'a>, JsonError> {
        self.shrink();
        self.outline = Outline::of(text).map_err(|fault| encoding(text, fault))?;
        let (outline, counts) = (&self.outline, self.counts);
        Ok(Doc { text, tokens: &[], after: &[], outline, base, template: None, counts, not_utf8 })
    }
}

/// The fault of a text that is no JSON: a byte outside of its strings that is not ASCII can be no
/// other.
#[cold]
fn encoding(text: &[u8], fault: JsonError) -> JsonError {
    let rest = text.get(fault.at as usize..).unwrap_or_default();
    let broken = std::str::from_utf8(rest).is_err_and(|error| error.valid_up_to() == 0);
    if broken { JsonError { why: JsonFault::Encoding, ..fault } } else { fault }
}

/// Makes room for the values of a text. The buffers never shrink, so that many short texts after a
/// long one cost only their own length. Most texts have a third as many values as index entries,
/// so the values of a large one are counted.
fn make_room(text: &[u8], index: &[u32], tokens: &mut Vec<Token>, after: &mut Vec<u32>) {
    // Each value has an index entry, except a scalar that is the whole text.
    let mut most = index.len() + 1;
    if most > tokens.len() && most > ROOM {
        most = grammar::most_values(text, index);
    }
    if most > tokens.len() {
        // Templates write tokens in groups of four. Nothing of an earlier text is needed.
        let room = most.max(2 * tokens.len().min(ROOM)).next_multiple_of(4);
        (*tokens, *after) = Default::default();
        (*tokens, *after) = (vec![Token::default(); room], vec![0; room]);
    }
}
