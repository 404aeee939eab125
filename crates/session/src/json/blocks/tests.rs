//! The fast implementations of classification against the safe one.

use super::*;

type Both = (Masks, u64, Vec<u32>, u64, u64, bool);

#[derive(Clone, Copy)]
struct One<'a>(&'a [u8; 64]);

impl Work for One<'_> {
    type Output = Both;

    #[inline(always)]
    fn run<C: Classify>(self) -> Both {
        let masks = C::classify(self.0);
        let strange = C::strange(self.0, u64::MAX);
        assert_eq!(C::strange(self.0, masks.control), masks.control & strange);
        let bits = masks.quote ^ masks.operator ^ strange ^ masks.control;
        let mut room = [0; 64];
        C::places(bits, 1000, &mut room);
        let places = room[..bits.count_ones() as usize].to_vec();
        let ascii = C::is_ascii(C::join(C::union(), self.0));
        (masks, strange, places, C::newlines(self.0), C::parity(bits), ascii)
    }
}

/// The output of some work in each implementation that this machine supports.
fn all<W: Work + Copy>(work: W) -> Vec<W::Output> {
    let mut all = vec![run(work)];
    #[cfg(target_arch = "x86_64")]
    {
        if avx2::is_here() {
            all.push(avx2::run(work));
        }
        if avx512::is_here() {
            all.push(avx512::run(work));
        }
    }
    all
}

/// A byte at a time.
fn plain(block: &[u8; 64]) -> (Masks, u64, u64) {
    let bits = |is: fn(u8) -> bool| {
        (0..64).fold(0, |bits, place| bits | u64::from(is(block[place])) << place)
    };
    let masks = Masks {
        quote: bits(|byte| byte == b'"'),
        backslash: bits(|byte| byte == b'\\'),
        operator: bits(|byte| {
            matches!(byte, b'{' | b'}' | b'[' | b']' | b':' | b',' | 0x0c | 0x1a)
        }),
        control: bits(|byte| byte < 0x20),
    };
    let strange = bits(|byte| !matches!(byte, b'\\' | b'/' | b'f' | b'n' | b'r' | b't'));
    (masks, strange, bits(|byte| byte == b'\n'))
}

fn agree(block: &[u8; 64]) {
    let expected = One(block).run::<Portable>();
    assert_eq!((expected.0, expected.1, expected.3), plain(block));
    for found in all(One(block)) {
        assert_eq!(found, expected, "{block:x?}");
    }
}

#[derive(Clone, Copy)]
struct Pick<'a>(&'a [u32; 512], [u16; 16], [i8; 16]);

impl Work for Pick<'_> {
    type Output = [u32; 16];

    #[inline(always)]
    fn run<C: Classify>(self) -> [u32; 16] {
        let mut out = [0; 16];
        C::pick(self.0, &self.1, &self.2, &mut out);
        out
    }
}

#[derive(Clone, Copy)]
struct Alike<'a>(&'a [u8; 32], &'a [u8; 32], u8);

impl Work for Alike<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<C: Classify>(self) -> bool {
        C::end_alike(self.0, self.1, self.2)
    }
}

/// Of each length, with a difference at each place and with none.
#[test]
fn ends_are_alike_where_their_bytes_are() {
    let some: [u8; 32] = std::array::from_fn(|place| place as u8 + b'a');
    for length in 1..=32u8 {
        let from = 32 - usize::from(length);
        for place in 0..33 {
            let mut other = some;
            if let Some(byte) = other.get_mut(place) {
                *byte ^= 0x80;
            }
            let work = Alike(&some, &other, length);
            let expected = some[from..] == other[from..];
            assert_eq!(work.run::<Portable>(), expected, "{length} bytes, {place}");
            assert!(all(work).iter().all(|found| *found == expected), "{length} bytes, {place}");
        }
    }
}

/// Entries far behind the last one too: their numbers are taken modulo 512.
#[test]
fn the_fast_ways_pick_what_the_safe_twin_picks() {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        state >> 32
    };
    for _ in 0..5_000 {
        let index = std::array::from_fn(|_| next() as u32);
        let work = Pick(
            &index,
            std::array::from_fn(|_| next() as u16),
            std::array::from_fn(|_| next() as i8),
        );
        let expected = work.run::<Portable>();
        assert!(all(work).iter().all(|found| *found == expected));
        let first = index[usize::from(work.1[0]) % 512].wrapping_add_signed(work.2[0].into());
        assert_eq!(expected[0], first);
    }
}

/// Every byte value at every place of a block, and blocks of mixed bytes.
#[test]
fn the_fast_ways_and_the_safe_twin_agree() {
    for byte in 0..=255u8 {
        for place in 0..64 {
            let mut block = [b' '; 64];
            block[place] = byte;
            agree(&block);
        }
    }
    let mut state = 1u64;
    for _ in 0..20_000 {
        agree(&std::array::from_fn(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let wild = (state >> 56) as u8;
            if wild & 1 == 0 { b"{}[]:,\"\\"[usize::from(wild >> 1) % 8] } else { wild }
        }));
    }
}
