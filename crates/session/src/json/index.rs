//! Structural index, stage one of the JSON reader.
//!
//! The index has the position of every `{ } [ ] : ,` outside strings and of every opening quote.
//! Escapes and control characters within strings are checked here, once, for the whole text.
//! `grammar` walks the index and checks the rest of the grammar.

use crate::json::blocks::{self, Classify, Masks, Work};

/// The reason why a text is not JSON, and its position (a byte offset into the text).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// Byte offset into the text at or near which reading failed.
    pub at: u32,
    /// The fault there.
    pub why: JsonFault,
}

/// Faults of a text that is not JSON (RFC 8259).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonFault {
    /// Only white space.
    Empty,
    /// The text ends before the value does.
    CutOff,
    /// A byte that the grammar does not allow here.
    Unexpected,
    /// A string has an escape that JSON lacks.
    Escape,
    /// A string has a control character that must be escaped.
    Control,
    /// Neither a number nor `true`, `false` or `null`.
    Scalar,
    /// Something follows the complete value.
    Trailing,
    /// The bytes are not UTF-8.
    Encoding,
    /// A member's name has bytes that are not UTF-8, so nobody knows what its value is.
    Name,
    /// JSON, but another value in place of a record: an array or a text that has one, for example.
    NoRecord,
    /// NUL bytes in place of a value: a write that never reached the disk.
    Nul,
    /// A byte order mark in place of a value: files were joined.
    Mark,
    /// JSON, but a part that repeats another one differs from it.
    Disagrees,
    /// It continues a file that is missing.
    NoBase,
    /// It continues a position that the other file does not have.
    NoPlace,
    /// More containers around a value than any reader of JSON enters.
    Deep,
}

impl JsonFault {
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
            Self::Name => "the name of a member is not UTF-8: what its value is, is unknown",
            Self::NoRecord => "an array, a text or a number in place of a record",
            Self::Nul => "NUL bytes: a write that never reached the disk",
            Self::Mark => "a byte order mark, which no JSON text has (RFC 8259, section 8.1)",
            Self::Disagrees => "a part differs from what it repeats",
            Self::NoBase => "the file that it continues is missing",
            Self::NoPlace => "it continues from a place that the file before it does not have",
            Self::Deep => "nested more than two million levels deep",
        }
    }

    /// Whether the text is JSON that has something which no view can show.
    #[must_use]
    pub const fn hides(self) -> bool {
        matches!(self, Self::Name | Self::NoRecord)
    }

    /// Whether the bytes themselves are correct, but refer to something that is missing.
    #[must_use]
    pub const fn is_dangling(self) -> bool {
        matches!(self, Self::NoBase | Self::NoPlace)
    }
}

/// State passed from one block to the next.
#[derive(Default)]
struct Carry {
    /// Whether the next byte is escaped by a backslash at the end of this block.
    escaped: u64,
    /// All ones while inside a string.
    in_string: u64,
}

/// Contents of a block, one bit per byte.
#[derive(Clone, Copy)]
struct Found {
    /// Its structural bytes.
    structural: u64,
    /// Within a string, from its opening quote on.
    inside: u64,
    /// Escaped, and not one of the escapes found at once; or a backslash outside strings.
    strange: u64,
}

/// Result of filling an index.
#[derive(Clone, Copy)]
pub(crate) struct Filled {
    /// Number of entries. Later ones are left over and undefined: an index never shrinks, so that
    /// many short texts after a long one cost only their own length.
    pub count: usize,
    /// Length of the text that it covers.
    pub length: usize,
    ascii: bool,
}

impl Filled {
    /// Whether the text has more than [`MOST`] structural bytes: then the index lacks some, and the
    /// rest of the text is not yet checked.
    #[inline]
    pub(crate) const fn is_dense(self) -> bool {
        self.count > MOST
    }

    /// The first byte of the covered text that is not UTF-8.
    #[inline]
    pub(crate) fn not_utf8(self, text: &[u8]) -> Option<u32> {
        if self.ascii || simdutf8::basic::from_utf8(text).is_ok() {
            return None;
        }
        std::str::from_utf8(text).err().map(|error| offset(error.valid_up_to()))
    }
}

/// Least number of entries that a filled index has room for.
pub(crate) const LEAST: usize = 512;

/// Largest number of entries. The index of a denser text would need four times its length.
pub(crate) const MOST: usize = 1 << 22;

/// Fills `index` with the positions of the structural bytes of `text`.
///
/// # Errors
/// If a string violates RFC 8259. The encoding is not yet checked.
pub(crate) fn build(text: &[u8], index: &mut Vec<u32>) -> Result<Filled, JsonError> {
    blocks::run(Fill::<false> { text, index })
}

/// Fills `index` for the text before the first line end.
pub(crate) fn build_line(text: &[u8], index: &mut Vec<u32>) -> Result<Filled, JsonError> {
    blocks::run(Fill::<true> { text, index })
}

/// Structural bytes of unread bytes, without any check, for finding the ends of values.
#[derive(Default)]
pub(crate) struct Lax {
    carry: Carry,
    index: Vec<u32>,
}

impl Lax {
    /// Length of the parts that are read one after the other, in bytes.
    pub(crate) const PART: usize = 1 << 16;

    /// The positions of the structural bytes in the next part.
    pub(crate) fn next(&mut self, part: &[u8]) -> &[u32] {
        self.index.resize(part.len() + 64, 0);
        let Self { carry, index } = self;
        let count = blocks::run(FillLax { part, index, carry });
        self.index.get(..count).unwrap_or_default()
    }
}

struct FillLax<'a> {
    part: &'a [u8],
    /// With room for each byte, and a block.
    index: &'a mut [u32],
    carry: &'a mut Carry,
}

impl Work for FillLax<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<C: Classify>(self) -> usize {
        let most = self.index.len();
        let mut room = &mut *self.index;
        for (base, part) in (0..).step_by(64).zip(self.part.chunks(64)) {
            let mut block = [b' '; 64];
            block[..part.len()].copy_from_slice(part);
            let found = self.carry.block::<C, false>(&block, C::classify(&block));
            room = emit::<C>(found.structural, base, room);
        }
        most - room.len()
    }
}

struct Fill<'a, const LINE: bool> {
    text: &'a [u8],
    index: &'a mut Vec<u32>,
}

impl<const LINE: bool> Work for Fill<'_, LINE> {
    type Output = Result<Filled, JsonError>;

    #[inline(always)]
    fn run<C: Classify>(self) -> Result<Filled, JsonError> {
        let Self { text, index } = self;
        let (mut carry, mut union) = (Carry::default(), C::union());
        let (mut base, mut length, mut rest) = (0, text.len(), text);
        let mut most = index.len();
        let mut room = index.as_mut_slice();
        let mut last = [b' '; 64];
        'blocks: loop {
            let (block, mut behind) = match rest.split_first_chunk::<64>() {
                Some(split) => split,
                None if rest.is_empty() => break,
                None => {
                    last[..rest.len()].copy_from_slice(rest);
                    (&last, [].as_slice())
                }
            };
            let masks = C::classify(block);
            union = C::join(union, block);
            let Found { mut structural, inside, strange } = carry.block::<C, true>(block, masks);
            if masks.control | strange != 0 {
                let newline = if LINE { C::newlines(block) } else { 0 };
                // The bytes before the line end, or all.
                let within = newline.wrapping_sub(1) & !newline;
                structural &= within;
                let control = masks.control & inside & within;
                if control | (strange & within) != 0 {
                    check(control, strange & within, base, text)?;
                }
                if newline != 0 {
                    carry.in_string = inside & (within + 1);
                    length = (base + newline.trailing_zeros()) as usize;
                    behind = &[];
                }
            }
            while room.len() < 64 {
                let count = most - room.len();
                if count > MOST {
                    break 'blocks;
                }
                room = grow(index, count);
                most = count + room.len();
            }
            room = emit::<C>(structural, base, room);
            rest = behind;
            base += 64;
        }
        let count = most - room.len();
        if count > MOST {
            let length = if LINE { line_end(text) } else { length };
            return Ok(Filled { count, length, ascii: false });
        }
        if carry.in_string != 0 {
            return Err(JsonError { at: offset(length), why: JsonFault::CutOff });
        }
        Ok(Filled { count, length, ascii: C::is_ascii(union) })
    }
}

impl Carry {
    /// Processes a block.
    #[inline(always)]
    fn block<C: Classify, const STRICT: bool>(&mut self, block: &[u8; 64], masks: Masks) -> Found {
        let escaped = self.escapes(masks.backslash);
        let quote = masks.quote & !escaped;
        let inside = C::parity(quote) ^ self.in_string;
        self.in_string = (inside.cast_signed() >> 63).cast_unsigned();
        let structural = (masks.operator & !inside) | (quote & inside);
        let mut strange = 0;
        if STRICT {
            // Without a branch: half of the blocks have an escape, unpredictably.
            strange = C::strange(block, escaped & !masks.quote);
            // Outside strings a backslash would hide a quote from the index.
            strange |= masks.backslash & !inside;
        }
        Found { structural, inside, strange }
    }

    /// The bytes escaped by a backslash before them (runs of backslashes pair up).
    #[inline(always)]
    fn escapes(&mut self, backslash: u64) -> u64 {
        const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
        let starts = backslash & !self.escaped;
        let after = (starts << 1) | ODD;
        let codes = after.wrapping_sub(starts) ^ ODD;
        let escaped = codes ^ (backslash | self.escaped);
        self.escaped = (codes & backslash) >> 63;
        escaped
    }
}

/// Checks the suspicious bytes of a block: control characters in a string, escaped bytes, and
/// backslashes outside strings.
///
/// # Errors
/// The first fault.
#[inline(never)]
fn check(control: u64, mut strange: u64, base: u32, text: &[u8]) -> Result<(), JsonError> {
    let mut wrong = control;
    while strange != 0 {
        let bit = strange.trailing_zeros();
        let right = match text.get((base + bit) as usize..) {
            Some([b'b', ..]) => true,
            Some([b'u', a, b, c, d, ..]) => {
                [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit())
            }
            _ => false,
        };
        wrong |= u64::from(!right) << bit;
        strange &= strange - 1;
    }
    if wrong == 0 {
        return Ok(());
    }
    let first = wrong & wrong.wrapping_neg();
    let at = base + first.trailing_zeros();
    let why = match text.get(at as usize) {
        _ if first & control != 0 => JsonFault::Control,
        Some(b'\\') => JsonFault::Unexpected,
        _ => JsonFault::Escape,
    };
    Err(JsonError { at, why })
}

/// Writes the positions of the set bits, and returns the room after them.
#[inline(always)]
fn emit<C: Classify>(bits: u64, base: u32, room: &mut [u32]) -> &mut [u32] {
    if let Some(room) = room.first_chunk_mut() {
        C::places(bits, base, room);
    }
    room.get_mut(bits.count_ones() as usize..).unwrap_or_default()
}

/// The end of the first line.
#[cold]
fn line_end(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).unwrap_or(text.len())
}

/// Makes room for another block after the filled entries, and returns it. An index with [`MOST`]
/// entries has no more room than for one: whether a text is dense depends on the text alone.
#[cold]
#[inline(never)]
fn grow(index: &mut Vec<u32>, filled: usize) -> &mut [u32] {
    let least = (filled + 64).max(LEAST);
    let most = (2 * index.len()).min(MOST + 64);
    index.resize(least.max(most), 0);
    index.get_mut(filled..).unwrap_or_default()
}

/// A length or place in a text as a number of 32 bits. Texts are shorter than 4 GiB:
/// [`crate::Bundle`] refuses longer members.
#[inline]
#[must_use]
pub const fn offset(at: usize) -> u32 {
    at as u32
}
