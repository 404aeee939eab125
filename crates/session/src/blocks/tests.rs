//! The fast ways to classify, held to their safe twin.

use super::*;

type Both = (Masks, u64, Vec<u32>, u64, u64, bool);

struct One<'a>(&'a [u8; 64]);

impl Work for One<'_> {
    type Output = Both;

    #[inline(always)]
    fn run<C: Classify>(self) -> Both {
        let masks = C::classify(self.0);
        let bits = masks.quote ^ masks.operator ^ C::strange(self.0) ^ masks.control;
        let mut room = [0; 64];
        C::places(bits, 1000, &mut room);
        let places = room[..bits.count_ones() as usize].to_vec();
        let ascii = C::is_ascii(C::join(C::union(), self.0));
        (masks, C::strange(self.0), places, C::newlines(self.0), C::parity(bits), ascii)
    }
}

/// The ways to classify that this machine has.
fn ways() -> Vec<fn(&[u8; 64]) -> Both> {
    let mut ways: Vec<fn(&[u8; 64]) -> Both> = vec![|block| run(One(block))];
    #[cfg(target_arch = "x86_64")]
    {
        if avx2::is_here() {
            ways.push(|block| avx2::run(One(block)));
        }
        if avx512::is_here() {
            ways.push(|block| avx512::run(One(block)));
        }
    }
    ways
}

fn agree(block: &[u8; 64]) {
    let expected = One(block).run::<Portable>();
    for way in ways() {
        assert_eq!(way(block), expected, "{block:x?}");
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
