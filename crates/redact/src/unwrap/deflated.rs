//! Deflate without a container (RFC 1951), as the addresses of requests and drawings have it in
//! Base64.

use std::io::Read as _;

use flate2::bufread::DeflateDecoder;

use super::containers::Content;

/// The largest unpacked length.
const LONG: u64 = 16 << 20;
/// The number of letters by which a block is known.
const LETTERS: usize = 6;
/// The most codes of the lengths of codes, and the sum of a whole set of them.
const CODES: usize = 19;
const WHOLE: u32 = 1 << 7;

/// The bits of bytes, the lowest of each first.
struct Bits<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Bits<'_> {
    fn bit(&mut self) -> Option<u32> {
        let byte = self.bytes.get(self.at / 8)?;
        let bit = byte >> (self.at % 8) & 1;
        self.at += 1;
        Some(u32::from(bit))
    }

    /// A number, its lowest bit first.
    fn number(&mut self, bits: u32) -> Option<u32> {
        (0..bits).try_fold(0, |number, at| Some(number | self.bit()? << at))
    }

    /// A code, its highest bit first.
    fn code(&mut self, before: u32, bits: u32) -> Option<u32> {
        (0..bits).try_fold(before, |code, _| Some(code << 1 | self.bit()?))
    }
}

/// Whether bytes begin as a packed text may: with letters in the fixed code, or with a code of
/// their own that is whole.
pub(crate) fn begins(bytes: &[u8]) -> bool {
    let mut bits = Bits { bytes, at: 1 };
    match bits.number(2) {
        Some(1) => (0..LETTERS).all(|_| letter(&mut bits).is_some()),
        Some(2) => has_codes(&mut bits).is_some(),
        _ => false,
    }
}

/// The next letter of ASCII in the fixed code.
fn letter(bits: &mut Bits<'_>) -> Option<u32> {
    let code = bits.code(0, 8)?;
    let letter = code.checked_sub(0x30)?;
    matches!(letter, 9 | 10 | 13 | 0x20..0x7f).then_some(letter)
}

/// Whether the codes of the lengths of codes are a whole set.
fn has_codes(bits: &mut Bits<'_>) -> Option<()> {
    let (letters, distances) = (bits.number(5)?, bits.number(5)?);
    let count = bits.number(4)? as usize + 4;
    let mut sum = 0;
    for _ in 0..count.min(CODES) {
        let length = bits.number(3)?;
        sum += if length > 0 { WHOLE >> length } else { 0 };
    }
    (letters < 30 && distances < 30 && sum == WHOLE).then_some(())
}

/// The content of packed bytes.
pub(crate) fn content(bytes: &[u8]) -> Content {
    let mut out = Vec::new();
    let _ = DeflateDecoder::new(bytes).take(LONG + 1).read_to_end(&mut out);
    match out.len() as u64 {
        0 => Content::Other,
        length if length > LONG => Content::Unknown,
        _ => Content::Text(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use std::io::Write as _;

    #[test]
    fn packed_texts_are_known_by_their_beginning() {
        for text in [b"a short text".to_vec(), b"words of it and others, again ".repeat(30)] {
            let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
            packed.write_all(&text).expect("memory");
            let packed = packed.finish().expect("memory");
            assert!(begins(&packed));
            assert!(matches!(content(&packed), Content::Text(out) if out == text));
        }
        let random = |seed: u64| (0..48).map(move |at| (seed * 6_364_136_223 + at * at) as u8);
        let mixed = |byte: u8| byte.wrapping_mul(167) ^ byte >> 3;
        let some = (0..4000).filter(|&seed| begins(&random(seed).map(mixed).collect::<Vec<u8>>()));
        assert!(some.count() < 200);
        assert!(!begins(b"") && !begins(b"plain words"));
    }
}
