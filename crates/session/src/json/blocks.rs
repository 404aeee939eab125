//! Stage one of the JSON reader: which bytes of a text are structural. And what `outline` does with
//! many bytes or entries at once.
//!
//! A text is looked at in blocks of 64 bytes; each block becomes a few bit masks (one bit a byte).
//! `x86` makes the masks with AVX2 and AVX-512; `portable` is its safe twin, and tests hold them
//! equal.

use portable::Portable;
#[cfg(target_arch = "x86_64")]
use x86::{avx2, avx512};

/// What stage one knows about 64 bytes, one bit a byte, the first byte the lowest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Masks {
    /// `"`
    pub quote: u64,
    /// `\`
    pub backslash: u64,
    /// `{ } [ ] : ,`, and a few control characters that the grammar refuses by their value.
    pub operator: u64,
    /// Bytes below 0x20.
    pub control: u64,
}

/// A way to make the masks of one block.
pub(crate) trait Classify {
    /// Blocks laid over each other: each bit is set that is set in any of them.
    type Union: Copy;

    /// Of no block.
    fn union() -> Self::Union;

    /// With another block.
    fn join(union: Self::Union, block: &[u8; 64]) -> Self::Union;

    /// Does no block have a byte above 0x7f? Else the text must be held to UTF-8.
    fn is_ascii(union: Self::Union) -> bool;

    /// The masks of 64 bytes.
    fn classify(block: &[u8; 64]) -> Masks;

    /// Which `of` 64 bytes are none of the escapes that one comparison finds: `\ / f n r t`. A
    /// quote has a mask of its own; `b` and `u` are rare enough to be looked at one by one.
    fn strange(block: &[u8; 64], of: u64) -> u64;

    /// Which of 64 bytes end a line.
    fn newlines(block: &[u8; 64]) -> u64;

    /// Bit i of the answer is the parity of the bits 0..=i.
    #[inline(always)]
    fn parity(mut bits: u64) -> u64 {
        bits ^= bits << 1;
        bits ^= bits << 2;
        bits ^= bits << 4;
        bits ^= bits << 8;
        bits ^= bits << 16;
        bits ^= bits << 32;
        bits
    }

    /// Writes `base` plus the place of each set bit, in order. What stands behind them in `room`
    /// afterwards means nothing.
    #[inline(always)]
    fn places(mut bits: u64, base: u32, room: &mut [u32; 64]) {
        let mut count = 0;
        while bits != 0 {
            room[count & 63] = base + bits.trailing_zeros();
            bits &= bits - 1;
            count += 1;
        }
    }

    /// Are the last bytes the same? So many are asked for, 1 to 32.
    #[inline(always)]
    fn end_alike(some: &[u8; 32], others: &[u8; 32], length: u8) -> bool {
        let halves = |bytes: &[u8; 32]| {
            let (front, back) = bytes.split_at(16);
            [front, back]
                .map(|half| half.first_chunk().map_or(0, |half| u128::from_le_bytes(*half)))
        };
        let ([some_front, some_back], [front, back]) = (halves(some), halves(others));
        // Bytes that are not asked for are shifted out.
        let last = |wrong: u128, length: u8| wrong.unbounded_shr(8 * (16 - u32::from(length)));
        let wrong = last(some_back ^ back, length.min(16));
        wrong | last(some_front ^ front, length.saturating_sub(16)) == 0
    }

    /// Of each of the entries (their numbers modulo 512) what is as far behind it as is said.
    #[inline(always)]
    fn pick(index: &[u32; 512], entries: &[u16; 16], behind: &[i8; 16], out: &mut [u32; 16]) {
        for (out, (entry, behind)) in out.iter_mut().zip(entries.iter().zip(behind)) {
            *out = index[usize::from(*entry) % 512].wrapping_add_signed((*behind).into());
        }
    }
}

/// Work over blocks that is compiled once for each way to classify them.
pub(crate) trait Work {
    /// What it yields.
    type Output;
    /// Does it. Implementations are `#[inline(always)]`, so that all of it is compiled for the
    /// instructions that `C` has.
    fn run<C: Classify>(self) -> Self::Output;
}

/// Does the work in the fastest way that this machine has.
#[inline(always)]
pub(crate) fn run<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    match machine() {
        Machine::Avx512 => return avx512::run(work),
        Machine::Avx2 => return avx2::run(work),
        Machine::Other => {}
    }
    work.run::<Portable>()
}

/// What this machine has.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
enum Machine {
    Avx512,
    Avx2,
    Other,
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn machine() -> Machine {
    static MACHINE: std::sync::OnceLock<Machine> = std::sync::OnceLock::new();
    *MACHINE.get_or_init(|| match (avx512::is_here(), avx2::is_here()) {
        (true, _) => Machine::Avx512,
        (_, true) => Machine::Avx2,
        _ => Machine::Other,
    })
}

mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;
