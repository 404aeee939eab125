//! The safe twin of the fast ways to classify: the same masks, a byte at a time.

use super::{Classify, Escapes, Masks};

/// See the module.
pub(super) struct Portable;

impl Classify for Portable {
    fn classify(block: &[u8; 64]) -> Masks {
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
            if byte > 0x7f {
                masks.high |= bit;
            }
        }
        masks
    }

    fn escapes(block: &[u8; 64]) -> Escapes {
        let mut escapes = Escapes::default();
        for (i, &byte) in block.iter().enumerate() {
            match byte {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => escapes.plain |= 1 << i,
                b'u' => escapes.unicode |= 1 << i,
                _ => {}
            }
        }
        escapes
    }

    fn newlines(block: &[u8; 64]) -> u64 {
        let ends = block.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        ends.fold(0, |bits, (i, _)| bits | 1 << i)
    }
}
