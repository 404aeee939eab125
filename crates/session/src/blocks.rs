//! Stage one of the JSON reader: which bytes of a text are structural.
//!
//! A text is looked at in blocks of 64 bytes; each block becomes a few bit masks (one bit a byte).
//! This is the one file of the project that holds `unsafe` code: the AVX2 way to make the masks.
//! [`classify_portable`] is its safe twin, and tests hold the two equal.

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

/// Makes the masks of one block.
pub(crate) type Classify = fn(&[u8; 64]) -> Masks;

/// The fastest way to classify that this machine has.
pub(crate) fn best() -> Classify {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            return avx2::classify;
        }
    }
    classify_portable
}

/// The safe twin: the same masks, a byte at a time.
pub(crate) fn classify_portable(block: &[u8; 64]) -> Masks {
    let mut masks = Masks::default();
    for (i, &byte) in block.iter().enumerate() {
        let bit = 1u64 << i;
        match byte {
            b'"' => masks.quote |= bit,
            b'\\' => masks.backslash |= bit,
            b'{' | b'}' | b'[' | b']' | b':' | b',' | 0x0c | 0x1a => masks.operator |= bit,
            _ => {}
        }
        if byte < 0x20 {
            masks.control |= bit;
        }
    }
    masks
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    #![allow(unsafe_code)]
    use super::Masks;
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_max_epu8, _mm256_movemask_epi8,
        _mm256_or_si256, _mm256_set1_epi8, _mm256_setr_epi8, _mm256_shuffle_epi8,
    };

    pub(super) fn classify(block: &[u8; 64]) -> Masks {
        // SAFETY: `best` hands this function out only where the processor has AVX2.
        unsafe { masks(block) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn masks(block: &[u8; 64]) -> Masks {
        // SAFETY: both loads lie within the 64 bytes of the block and need no alignment.
        let (low, high) = unsafe {
            let at = block.as_ptr().cast::<__m256i>();
            (_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1)))
        };
        Masks {
            quote: equal(low, high, b'"'),
            backslash: equal(low, high, b'\\'),
            operator: join(operators(low), operators(high)),
            control: join(controls(low), controls(high)),
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn equal(low: __m256i, high: __m256i, byte: u8) -> u64 {
        let byte = _mm256_set1_epi8(byte.cast_signed());
        join(_mm256_cmpeq_epi8(low, byte), _mm256_cmpeq_epi8(high, byte))
    }

    /// A byte is an operator if the table, asked with its low four bits, answers the byte with
    /// bit 0x20 set (which makes `[` of `{`): two instructions for six characters.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn operators(bytes: __m256i) -> __m256i {
        #[rustfmt::skip]
        let table = _mm256_setr_epi8(
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3a, 0x7b, 0x2c, 0x7d, 0, 0,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3a, 0x7b, 0x2c, 0x7d, 0, 0,
        );
        let folded = _mm256_or_si256(bytes, _mm256_set1_epi8(0x20));
        _mm256_cmpeq_epi8(folded, _mm256_shuffle_epi8(table, bytes))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn controls(bytes: __m256i) -> __m256i {
        let last = _mm256_set1_epi8(0x1f);
        _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, last), last)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn join(low: __m256i, high: __m256i) -> u64 {
        let low = u64::from(_mm256_movemask_epi8(low).cast_unsigned());
        let high = u64::from(_mm256_movemask_epi8(high).cast_unsigned());
        low | high << 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte value at every place of a block, and blocks of mixed bytes.
    #[test]
    fn the_fast_way_and_the_safe_twin_agree() {
        let fast = best();
        for byte in 0..=255u8 {
            for place in 0..64 {
                let mut block = [b' '; 64];
                block[place] = byte;
                assert_eq!(fast(&block), classify_portable(&block), "{byte:#x} at {place}");
            }
        }
        let mut state = 1u64;
        for _ in 0..20_000 {
            let block: [u8; 64] = std::array::from_fn(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let wild = (state >> 56) as u8;
                if wild & 1 == 0 { b"{}[]:,\"\\"[usize::from(wild >> 1) % 8] } else { wild }
            });
            assert_eq!(fast(&block), classify_portable(&block));
        }
    }
}
