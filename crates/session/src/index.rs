//! Stage one of the JSON reader: the structural index of a text.
//!
//! The index holds the place of every `{ } [ ] : ,` outside strings and of every opening quote.
//! Escapes and control characters within strings are checked here, once, for the whole text;
//! everything else about the grammar is checked by `json`, which walks the index.

use crate::blocks::{Classify, Masks, best};

/// Why a text is not JSON, and where (a byte offset into the text).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Byte offset into the text at or near which reading failed.
    pub at: u32,
    /// What is wrong there.
    pub why: Why,
}

/// The ways in which a text fails to be JSON (RFC 8259).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing but white space.
    Empty,
    /// The text ends before the value does.
    CutOff,
    /// A byte that the grammar does not allow here.
    Unexpected,
    /// A string holds an escape that JSON does not have.
    Escape,
    /// A string holds a control character that must be escaped.
    Control,
    /// Neither a number nor `true`, `false` or `null`.
    Scalar,
    /// The value is complete and something follows it.
    Trailing,
    /// The bytes are not UTF-8.
    Encoding,
    /// NUL bytes stand where a value should: a write that never reached the disk.
    Nul,
}

impl Why {
    /// The reason in words, for a note.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Empty => "nothing but white space",
            Self::CutOff => "the value is cut off",
            Self::Unexpected => "unexpected byte",
            Self::Escape => "invalid escape in a string",
            Self::Control => "unescaped control character in a string",
            Self::Scalar => "neither a number nor true, false or null",
            Self::Trailing => "something follows the value",
            Self::Encoding => "not UTF-8",
            Self::Nul => "NUL bytes: a write that never reached the disk",
        }
    }
}

/// Carries what one block tells the next.
struct Carry {
    classify: Classify,
    /// The next byte is escaped by a backslash at the end of this block.
    escaped: u64,
    /// All ones while inside a string.
    in_string: u64,
}

/// Fills `index` with the places of the structural bytes of `text`; gives how many there are.
/// What stands in `index` behind them is left over and means nothing: it is never shrunk, so that
/// many short texts after a long one cost what they are.
pub(crate) fn build(text: &[u8], index: &mut Vec<u32>) -> Result<usize, Fault> {
    fill(text, index, true)
}

/// The same without any check: for finding where values end in bytes that nobody has read yet.
pub(crate) fn build_lax(text: &[u8], index: &mut Vec<u32>) -> usize {
    fill(text, index, false).unwrap_or_default()
}

fn fill(text: &[u8], index: &mut Vec<u32>, strict: bool) -> Result<usize, Fault> {
    let mut carry = Carry { classify: best(), escaped: 0, in_string: 0 };
    let mut count = 0usize;
    let (blocks, rest) = text.as_chunks::<64>();
    for (number, block) in blocks.iter().enumerate() {
        count = carry.block(block, number * 64, text, index, count, strict)?;
    }
    if !rest.is_empty() {
        let mut last = [b' '; 64];
        last[..rest.len()].copy_from_slice(rest);
        count = carry.block(&last, blocks.len() * 64, text, index, count, strict)?;
    }
    if strict && carry.in_string != 0 {
        return Err(Fault { at: offset(text.len()), why: Why::CutOff });
    }
    Ok(count)
}

impl Carry {
    #[inline]
    fn block(
        &mut self,
        block: &[u8; 64],
        base: usize,
        text: &[u8],
        index: &mut Vec<u32>,
        count: usize,
        strict: bool,
    ) -> Result<usize, Fault> {
        let masks = (self.classify)(block);
        let escaped = self.escapes(masks.backslash);
        let quote = masks.quote & !escaped;
        let inside = prefix_xor(quote) ^ self.in_string;
        self.in_string = ((inside.cast_signed()) >> 63).cast_unsigned();
        if strict {
            check(&masks, escaped & inside, inside & !quote, base, text)?;
        }
        let bits = (masks.operator & !inside) | (quote & inside);
        Ok(emit(bits, offset(base), index, count))
    }

    /// Which bytes are escaped by a backslash before them (runs of backslashes pair up).
    #[inline]
    fn escapes(&mut self, backslash: u64) -> u64 {
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        if backslash == 0 {
            return std::mem::take(&mut self.escaped);
        }
        let starts = backslash & !self.escaped;
        let after = (starts << 1) | ODD;
        let codes = after.wrapping_sub(starts) ^ ODD;
        let escaped = codes ^ (backslash | self.escaped);
        self.escaped = (codes & backslash) >> 63;
        escaped
    }
}

/// Refuses control characters and unknown escapes within strings, and backslashes outside of them
/// (which would hide a quote from the index).
#[inline]
fn check(
    masks: &Masks,
    mut escaped: u64,
    inside: u64,
    base: usize,
    text: &[u8],
) -> Result<(), Fault> {
    let control = masks.control & inside;
    if control != 0 {
        let at = offset(base) + control.trailing_zeros();
        return Err(Fault { at, why: Why::Control });
    }
    let outside = masks.backslash & !inside;
    if outside != 0 {
        let at = offset(base) + outside.trailing_zeros();
        return Err(Fault { at, why: Why::Unexpected });
    }
    while escaped != 0 {
        let at = base + escaped.trailing_zeros() as usize;
        if !escape_is_known(text, at) {
            return Err(Fault { at: offset(at), why: Why::Escape });
        }
        escaped &= escaped - 1;
    }
    Ok(())
}

/// The byte at `at` follows a backslash: is it an escape of RFC 8259, section 7?
#[inline]
fn escape_is_known(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => true,
        Some(b'u') => {
            text.get(at + 1..at + 5).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
        }
        _ => false,
    }
}

/// Bit i of the answer is the parity of the bits 0..=i.
#[inline]
const fn prefix_xor(mut bits: u64) -> u64 {
    bits ^= bits << 1;
    bits ^= bits << 2;
    bits ^= bits << 4;
    bits ^= bits << 8;
    bits ^= bits << 16;
    bits ^= bits << 32;
    bits
}

/// Writes the places of the set bits, eight at a time, and gives the new count.
#[inline]
fn emit(mut bits: u64, base: u32, index: &mut Vec<u32>, count: usize) -> usize {
    let found = bits.count_ones() as usize;
    if index.len() < count + 64 {
        index.resize((count + 64).max(index.len() * 2), 0);
    }
    let Some(room) = index.get_mut(count..).and_then(|rest| rest.first_chunk_mut::<64>()) else {
        return count;
    };
    let mut done = 0;
    while done < found {
        for step in 0..8 {
            room[(done + step) & 63] = base.wrapping_add(bits.trailing_zeros());
            bits &= bits.wrapping_sub(1);
        }
        done += 8;
    }
    count + found
}

/// Texts are shorter than 4 GiB: `Bundle` refuses longer members.
#[inline]
pub(crate) const fn offset(at: usize) -> u32 {
    at as u32
}
