//! Block classification, and lookup of index entries, with AVX2 and AVX-512. This is the one file
//! of the project with `unsafe` code. Each instruction runs only if the processor supports it, and
//! each load and store stays within its array. `portable` is the safe implementation.

#![allow(unsafe_code)]

/// Lookup table of operators: a byte is an operator if the entry at its low four bits equals the
/// byte with bit 0x20 set (which turns `[` into `{`). Two instructions detect six characters.
const OPERATORS: i128 =
    i128::from_le_bytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, b':', b'{', b',', b'}', 0, 0]);

/// Lookup table of escapes: a byte is an escape after a backslash if the entry at its low four bits
/// equals it.
const ESCAPES: i128 =
    i128::from_le_bytes([1, 0, b'r', 0, b't', 0, b'f', 0, 0, 0, 0, 0, b'\\', 0, b'n', b'/']);

pub(super) mod avx2 {
    use super::{ESCAPES, OPERATORS};
    use crate::json::blocks::{Classify, Masks, Work};
    use std::arch::x86_64::{
        __m256i, _MM_HINT_T0, _mm_clmulepi64_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64,
        _mm_loadu_si128, _mm_prefetch, _mm_set1_epi8, _mm256_broadcastsi128_si256,
        _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_max_epu8, _mm256_movemask_epi8,
        _mm256_or_si256, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
    };

    pub(crate) fn is_here() -> bool {
        std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("popcnt")
            && std::arch::is_x86_feature_detected!("pclmulqdq")
    }

    #[inline(always)]
    pub(crate) fn run<W: Work>(work: W) -> W::Output {
        // SAFETY: called only where `is_here` says that the processor has these instructions.
        unsafe { compiled(work) }
    }

    #[target_feature(enable = "avx2,bmi1,popcnt,pclmulqdq")]
    fn compiled<W: Work>(work: W) -> W::Output {
        work.run::<Avx2>()
    }

    /// Named only by `compiled`, and by tests behind `is_here`.
    pub(super) struct Avx2;

    impl Classify for Avx2 {
        type Union = __m256i;

        #[inline(always)]
        fn union() -> __m256i {
            // SAFETY: see the type: the processor has AVX2 wherever this is called.
            unsafe { _mm256_setzero_si256() }
        }

        #[inline(always)]
        fn join(so_far: __m256i, block: &[u8; 64]) -> __m256i {
            // SAFETY: as above.
            unsafe { union(so_far, block) }
        }

        #[inline(always)]
        fn is_ascii(union: __m256i) -> bool {
            // SAFETY: as above.
            unsafe { _mm256_movemask_epi8(union) == 0 }
        }

        #[inline(always)]
        fn classify(block: &[u8; 64]) -> Masks {
            // SAFETY: as above.
            unsafe { masks(block) }
        }

        #[inline(always)]
        fn strange(block: &[u8; 64], of: u64) -> u64 {
            // SAFETY: as above.
            of & unsafe { strange(block) }
        }

        #[inline(always)]
        fn newlines(block: &[u8; 64]) -> u64 {
            // SAFETY: as above.
            unsafe { equal(halves(block), b'\n') }
        }

        #[inline(always)]
        fn parity(bits: u64) -> u64 {
            // SAFETY: as above.
            unsafe { parity(bits) }
        }

        #[inline(always)]
        fn end_alike(some: &[u8; 32], others: &[u8; 32], length: u8) -> bool {
            // SAFETY: as above.
            unsafe { end_alike(some, others, length) }
        }
    }

    /// Asks for memory two kilobytes ahead: nobody else does where a page ends.
    #[inline(always)]
    pub(super) fn ahead(block: &[u8; 64]) {
        let at = block.as_ptr().wrapping_add(2048);
        // SAFETY: a hint: no byte is read, and an address that nobody has is passed over.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }

    /// A product without carries by all ones: each bit of it is the sum of the bits up to it.
    #[target_feature(enable = "avx2,pclmulqdq")]
    #[inline]
    pub(super) fn parity(bits: u64) -> u64 {
        let (bits, ones) = (_mm_cvtsi64_si128(bits.cast_signed()), _mm_set1_epi8(-1));
        _mm_cvtsi128_si64(_mm_clmulepi64_si128::<0>(bits, ones)).cast_unsigned()
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn end_alike(some: &[u8; 32], others: &[u8; 32], length: u8) -> bool {
        // SAFETY: thirty-two bytes are read from each, without alignment.
        let [some, others] =
            unsafe { [some, others].map(|bytes| _mm256_loadu_si256(bytes.as_ptr().cast())) };
        let alike = _mm256_movemask_epi8(_mm256_cmpeq_epi8(some, others)).cast_unsigned();
        // Bytes that are not asked for are shifted out.
        !alike >> ((32 - u32::from(length)) % 32) == 0
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn halves(block: &[u8; 64]) -> [__m256i; 2] {
        let at = block.as_ptr().cast::<__m256i>();
        // SAFETY: both loads lie within the 64 bytes of the block and need no alignment.
        unsafe { [_mm256_loadu_si256(at), _mm256_loadu_si256(at.add(1))] }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn table(bytes: &i128) -> __m256i {
        // SAFETY: sixteen bytes are read from a value of sixteen bytes.
        _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(std::ptr::from_ref(bytes).cast()) })
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn masks(block: &[u8; 64]) -> Masks {
        ahead(block);
        let halves = halves(block);
        let table = table(&OPERATORS);
        let fold = _mm256_set1_epi8(0x20);
        let last = _mm256_set1_epi8(0x1f);
        Masks {
            quote: equal(halves, b'"'),
            backslash: equal(halves, b'\\'),
            operator: join(halves.map(|bytes| {
                _mm256_cmpeq_epi8(_mm256_or_si256(bytes, fold), _mm256_shuffle_epi8(table, bytes))
            })),
            control: join(
                halves.map(|bytes| _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, last), last)),
            ),
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn strange(block: &[u8; 64]) -> u64 {
        let table = table(&ESCAPES);
        let plain = |bytes| _mm256_cmpeq_epi8(bytes, _mm256_shuffle_epi8(table, bytes));
        !join(halves(block).map(plain))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn union(union: __m256i, block: &[u8; 64]) -> __m256i {
        let [low, high] = halves(block);
        _mm256_or_si256(union, _mm256_or_si256(low, high))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn equal(halves: [__m256i; 2], byte: u8) -> u64 {
        let byte = _mm256_set1_epi8(byte.cast_signed());
        join(halves.map(|bytes| _mm256_cmpeq_epi8(bytes, byte)))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn join(halves: [__m256i; 2]) -> u64 {
        let [low, high] =
            halves.map(|bytes| u64::from(_mm256_movemask_epi8(bytes).cast_unsigned()));
        low | high << 32
    }
}

pub(super) mod avx512 {
    use super::{ESCAPES, OPERATORS};
    use crate::json::blocks::{Classify, Masks, Work};
    use std::arch::x86_64::{
        __m512i, _mm_loadu_si128, _mm256_loadu_si256, _mm512_add_epi32, _mm512_alignr_epi32,
        _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_castsi512_si128, _mm512_cmpeq_epi8_mask,
        _mm512_cmplt_epu8_mask, _mm512_cmpneq_epi8_mask, _mm512_cvtepi8_epi32,
        _mm512_cvtepu8_epi32, _mm512_cvtepu16_epi32, _mm512_i32gather_epi32, _mm512_loadu_si512,
        _mm512_maskz_compress_epi8, _mm512_movepi8_mask, _mm512_or_si512, _mm512_set1_epi8,
        _mm512_set1_epi32, _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_storeu_si512,
    };

    pub(crate) fn is_here() -> bool {
        super::avx2::is_here()
            && std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512vbmi2")
    }

    #[inline(always)]
    pub(crate) fn run<W: Work>(work: W) -> W::Output {
        // SAFETY: called only where `is_here` says that the processor has these instructions.
        unsafe { compiled(work) }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx2,bmi1,popcnt,pclmulqdq")]
    fn compiled<W: Work>(work: W) -> W::Output {
        work.run::<Avx512>()
    }

    /// Named only by `compiled`, and by tests behind `is_here`.
    pub(super) struct Avx512;

    impl Classify for Avx512 {
        type Union = __m512i;

        #[inline(always)]
        fn union() -> __m512i {
            // SAFETY: see the type: the processor has AVX-512 BW wherever this is called.
            unsafe { _mm512_setzero_si512() }
        }

        #[inline(always)]
        fn join(union: __m512i, block: &[u8; 64]) -> __m512i {
            // SAFETY: as above.
            unsafe { _mm512_or_si512(union, load(block)) }
        }

        #[inline(always)]
        fn is_ascii(union: __m512i) -> bool {
            // SAFETY: as above.
            unsafe { _mm512_movepi8_mask(union) == 0 }
        }

        #[inline(always)]
        fn classify(block: &[u8; 64]) -> Masks {
            // SAFETY: as above.
            unsafe { masks(block) }
        }

        #[inline(always)]
        fn strange(block: &[u8; 64], of: u64) -> u64 {
            // SAFETY: as above.
            of & unsafe { strange(block) }
        }

        #[inline(always)]
        fn newlines(block: &[u8; 64]) -> u64 {
            // SAFETY: as above.
            unsafe { equal(load(block), b'\n') }
        }

        #[inline(always)]
        fn parity(bits: u64) -> u64 {
            // SAFETY: as above.
            unsafe { super::avx2::parity(bits) }
        }

        #[inline(always)]
        fn end_alike(some: &[u8; 32], others: &[u8; 32], length: u8) -> bool {
            // SAFETY: as above.
            unsafe { super::avx2::end_alike(some, others, length) }
        }

        #[inline(always)]
        fn places(bits: u64, base: u32, room: &mut [u32; 64]) {
            // SAFETY: as above, and VBMI2.
            unsafe { places(bits, base, room) }
        }

        #[inline(always)]
        fn pick(index: &[u32; 512], entries: &[u16; 16], behind: &[i8; 16], out: &mut [u32; 16]) {
            // SAFETY: as above.
            unsafe { pick(index, entries, behind, out) }
        }
    }

    /// Squeezes the places of the set bits together as bytes, then widens sixteen at a time.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    #[inline]
    fn places(bits: u64, base: u32, room: &mut [u32; 64]) {
        let mut packed = _mm512_maskz_compress_epi8(bits, load(&super::PLACES));
        let base = _mm512_set1_epi32(base.cast_signed());
        let mut left = bits.count_ones();
        for sixteen in room.as_chunks_mut::<16>().0 {
            let places = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed));
            let places = _mm512_add_epi32(places, base);
            // SAFETY: sixteen numbers of four bytes are written to an array of sixteen.
            unsafe { _mm512_storeu_si512(sixteen.as_mut_ptr().cast(), places) };
            if left <= 16 {
                return;
            }
            left -= 16;
            packed = _mm512_alignr_epi32::<4>(packed, packed);
        }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn pick(index: &[u32; 512], entries: &[u16; 16], behind: &[i8; 16], out: &mut [u32; 16]) {
        // SAFETY: sixteen numbers of two bytes and sixteen of one are read.
        let (entries, behind) = unsafe {
            (_mm256_loadu_si256(entries.as_ptr().cast()), _mm_loadu_si128(behind.as_ptr().cast()))
        };
        let entries = _mm512_and_si512(_mm512_cvtepu16_epi32(entries), _mm512_set1_epi32(511));
        // SAFETY: each entry is one of the 512.
        let found = unsafe { _mm512_i32gather_epi32::<4>(entries, index.as_ptr().cast()) };
        let found = _mm512_add_epi32(found, _mm512_cvtepi8_epi32(behind));
        // SAFETY: sixteen numbers of four bytes are written to an array of sixteen.
        unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), found) };
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load(block: &[u8; 64]) -> __m512i {
        // SAFETY: sixty-four bytes are read from a block of sixty-four, without alignment.
        unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn table(bytes: &i128) -> __m512i {
        // SAFETY: sixteen bytes are read from a value of sixteen bytes.
        _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(std::ptr::from_ref(bytes).cast()) })
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn equal(bytes: __m512i, byte: u8) -> u64 {
        _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte.cast_signed()))
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn masks(block: &[u8; 64]) -> Masks {
        super::avx2::ahead(block);
        let bytes = load(block);
        let folded = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
        Masks {
            quote: equal(bytes, b'"'),
            backslash: equal(bytes, b'\\'),
            operator: _mm512_cmpeq_epi8_mask(folded, _mm512_shuffle_epi8(table(&OPERATORS), bytes)),
            control: _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20)),
        }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn strange(block: &[u8; 64]) -> u64 {
        let bytes = load(block);
        _mm512_cmpneq_epi8_mask(bytes, _mm512_shuffle_epi8(table(&ESCAPES), bytes))
    }
}

/// 0 to 63.
const PLACES: [u8; 64] = {
    let mut places = [0; 64];
    let mut at = 0;
    while at < places.len() {
        places[at] = at as u8;
        at += 1;
    }
    places
};
