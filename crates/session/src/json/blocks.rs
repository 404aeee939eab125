//! Classification of blocks, stage one of the JSON reader: the structural bytes of a text. Also the
//! bulk operations of `template`.
//!
//! A text is processed in blocks of 64 bytes. Each block becomes a few bit masks (one bit per
//! byte). `x86` makes the masks with AVX2 and AVX-512. `portable` is the safe implementation, and
//! tests prove that both are equal.

use portable::Portable;
#[cfg(target_arch = "x86_64")]
use x86::{avx2, avx512};

/// Masks of a block of 64 bytes, one bit per byte, the first byte in the lowest bit.
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

/// An implementation of block classification.
pub(crate) trait Classify {
    /// The union of blocks: each bit is set that is set in any of them.
    type Union: Copy;

    /// The empty union.
    fn union() -> Self::Union;

    /// The union with another block.
    fn join(union: Self::Union, block: &[u8; 64]) -> Self::Union;

    /// Whether no block has a byte above 0x7f. Otherwise the text must be checked for UTF-8.
    fn is_ascii(union: Self::Union) -> bool;

    /// The masks of 64 bytes.
    fn classify(block: &[u8; 64]) -> Masks;

    /// The bytes among `of` that are not one of the escapes `\ / f n r t`, which one comparison
    /// finds. A quote has a mask of its own; `b` and `u` are rare enough for a check one by one.
    fn strange(block: &[u8; 64], of: u64) -> u64;

    /// The bytes that end a line.
    fn newlines(block: &[u8; 64]) -> u64;

    /// The prefix parity: bit i is the parity of the bits 0..=i.
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

    /// Writes `base` plus the position of each set bit, in order. The rest of `room` is undefined.
    #[inline(always)]
    fn places(mut bits: u64, base: u32, room: &mut [u32; 64]) {
        let mut count = 0;
        while bits != 0 {
            room[count & 63] = base + bits.trailing_zeros();
            bits &= bits - 1;
            count += 1;
        }
    }

    /// Whether the last `length` bytes (1 to 32) are equal.
    #[inline(always)]
    fn end_alike(some: &[u8; 32], others: &[u8; 32], length: u8) -> bool {
        let halves = |bytes: &[u8; 32]| {
            let (front, back) = bytes.split_at(16);
            [front, back]
                .map(|half| half.first_chunk().map_or(0, |half| u128::from_le_bytes(*half)))
        };
        let ([some_front, some_back], [front, back]) = (halves(some), halves(others));
        // Other bytes are shifted out.
        let last = |wrong: u128, length: u8| wrong.unbounded_shr(8 * (16 - u32::from(length)));
        let wrong = last(some_back ^ back, length.min(16));
        wrong | last(some_front ^ front, length.saturating_sub(16)) == 0
    }

    /// For each entry (numbers modulo 512), the value of the index plus its distance in `behind`.
    #[inline(always)]
    fn pick(index: &[u32; 512], entries: &[u16; 16], behind: &[i8; 16], out: &mut [u32; 16]) {
        for (out, (entry, behind)) in out.iter_mut().zip(entries.iter().zip(behind)) {
            *out = index[usize::from(*entry) % 512].wrapping_add_signed((*behind).into());
        }
    }
}

/// Work over blocks, compiled once for each implementation.
pub(crate) trait Work {
    /// Its output.
    type Output;
    /// Runs the work. Implementations are `#[inline(always)]`, so that all of it is compiled for
    /// the instructions of `C`.
    fn run<C: Classify>(self) -> Self::Output;
}

/// Runs the work in the fastest way that this machine supports.
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

/// The instruction sets of this machine.
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
