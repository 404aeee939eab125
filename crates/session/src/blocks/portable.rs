//! The safe twin of the fast ways to classify: the same masks, a byte at a time.

use super::{Classify, Masks};

/// See the module.
pub(super) struct Portable;

impl Classify for Portable {
    type Union = u8;

    fn union() -> u8 {
        0
    }

    fn join(union: u8, block: &[u8; 64]) -> u8 {
        block.iter().fold(union, |union, byte| union | byte)
    }

    fn is_ascii(union: u8) -> bool {
        union.is_ascii()
    }

    fn classify(block: &[u8; 64]) -> Masks {
        Masks {
            quote: bits(block, |byte| byte == b'"'),
            backslash: bits(block, |byte| byte == b'\\'),
            operator: bits(block, |byte| {
                matches!(byte, b'{' | b'}' | b'[' | b']' | b':' | b',' | 0x0c | 0x1a)
            }),
            control: bits(block, |byte| byte < 0x20),
        }
    }

    fn strange(block: &[u8; 64]) -> u64 {
        bits(block, |byte| !matches!(byte, b'\\' | b'/' | b'f' | b'n' | b'r' | b't'))
    }

    fn newlines(block: &[u8; 64]) -> u64 {
        bits(block, |byte| byte == b'\n')
    }
}

fn bits(block: &[u8; 64], is: impl Fn(u8) -> bool) -> u64 {
    block.iter().enumerate().fold(0, |bits, (i, &byte)| bits | u64::from(is(byte)) << i)
}
