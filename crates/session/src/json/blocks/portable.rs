//! Safe implementation of classification: the same masks, eight bytes at a time in a number. It
//! serves machines without the instructions of `x86`.

use super::{Classify, Masks};

/// See the module.
pub(super) struct Portable;

impl Classify for Portable {
    type Union = u8;

    #[inline(always)]
    fn union() -> u8 {
        0
    }

    #[inline(always)]
    fn join(union: u8, block: &[u8; 64]) -> u8 {
        block.iter().fold(union, |union, byte| union | byte)
    }

    #[inline(always)]
    fn is_ascii(union: u8) -> bool {
        union.is_ascii()
    }

    #[inline(always)]
    fn classify(block: &[u8; 64]) -> Masks {
        let mut masks = Masks::default();
        for (number, eight) in block.as_chunks().0.iter().enumerate() {
            let eight = u64::from_le_bytes(*eight);
            // Which makes `{` of `[` and `}` of `]`, and leaves `:` and `,` as they are.
            let folded = eight | all(0x20);
            let operator = zeros(folded ^ all(b'{'))
                | zeros(folded ^ all(b'}'))
                | zeros(folded ^ all(b':'))
                | zeros(folded ^ all(b','));
            let place = 8 * number;
            masks.quote |= bits(zeros(eight ^ all(b'"'))) << place;
            masks.backslash |= bits(zeros(eight ^ all(b'\\'))) << place;
            masks.operator |= bits(operator) << place;
            masks.control |= bits(zeros(eight & all(0xe0))) << place;
        }
        masks
    }

    #[inline(always)]
    fn strange(block: &[u8; 64], mut of: u64) -> u64 {
        let mut strange = 0;
        while of != 0 {
            let bit = of & of.wrapping_neg();
            let byte = block[bit.trailing_zeros() as usize % 64];
            if !matches!(byte, b'\\' | b'/' | b'f' | b'n' | b'r' | b't') {
                strange |= bit;
            }
            of ^= bit;
        }
        strange
    }

    #[inline(always)]
    fn newlines(block: &[u8; 64]) -> u64 {
        let eights = block.as_chunks().0.iter().enumerate();
        eights.fold(0, |newlines, (number, eight)| {
            newlines | bits(zeros(u64::from_le_bytes(*eight) ^ all(b'\n'))) << (8 * number)
        })
    }
}

/// Eight times this byte.
const fn all(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The highest bit of each byte that is zero, and no other bit.
#[inline(always)]
const fn zeros(eight: u64) -> u64 {
    const LOW: u64 = all(0x7f);
    // Any low bit carries into the highest, and no further.
    !(((eight & LOW) + LOW) | eight | LOW)
}

/// The highest bits of eight bytes side by side, that of the first byte the lowest.
#[inline(always)]
const fn bits(highest: u64) -> u64 {
    // Bit 8i times 2^(56 - 7i) is bit 56 + i; all other products are below 56 or fall off, and no
    // two of them are the same bit.
    (highest >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
