//! Packed bytes that a program or an address spells: `b"\x1f\x8b\x08"`.

use std::ops::Range;

use super::containers::is_packed;
use super::hex::hex_byte;

/// The beginnings of packed bytes, as programs and addresses spell them.
const PACKED: [&[u8]; 6] =
    [b"\\x1f\\x8b", b"\\037\\213", b"x\\x9c", b"x\\xda", b"%1f%8b", b"%1F%8B"];

/// The ranges of a text that spell packed bytes, up to the end of the string or the address.
pub(crate) fn packed(text: &[u8]) -> Vec<Range<usize>> {
    if memchr::memchr2(b'\\', b'%', text).is_none() {
        return Vec::new();
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    for head in PACKED {
        // A string is read once, so that the cost is linear.
        let mut done = 0;
        for start in memchr::memmem::find_iter(text, head) {
            if start < done {
                continue;
            }
            // Other quotes than the one before are letters.
            let before = start.checked_sub(1).map(|before| text[before]);
            let quote = before.filter(|&byte| is_quote(byte));
            let ends = |byte: u8| quote.map_or(is_quote(byte), |quote| byte == quote);
            let (bytes, length) = spelled(&text[start..], ends);
            done = start + length;
            if is_packed(&bytes) {
                found.push(start..done);
            }
        }
    }
    found
}

/// The bytes that a text spells if it begins as packed bytes do.
pub(crate) fn packed_bytes(text: &[u8]) -> Option<Vec<u8>> {
    PACKED.iter().any(|head| text.starts_with(head)).then(|| spelled(text, |_| false).0)
}

const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// The bytes that a string or an address spells, and its length.
fn spelled(text: &[u8], ends: impl Fn(u8) -> bool) -> (Vec<u8>, usize) {
    let (mut out, mut at, is_address) = (Vec::new(), 0, text.starts_with(b"%"));
    while let Some(&byte) = text.get(at) {
        let next = |count: usize| text.get(at + 1..at + 1 + count);
        let (byte, length) = match byte {
            b'%' if is_address => (next(2).and_then(hex_byte), 3),
            _ if is_address => (byte.is_ascii_alphanumeric().then_some(byte), 1),
            _ if ends(byte) => (None, 1),
            b'\\' => match next(1) {
                Some(b"x") => (text.get(at + 2..at + 4).and_then(hex_byte), 4),
                Some([b'0'..=b'3']) => {
                    let digits = next(3).and_then(|digits| std::str::from_utf8(digits).ok());
                    let octal = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
                    (octal.or(Some(0)), if octal.is_some() { 4 } else { 2 })
                }
                Some(&[letter]) => {
                    let known = b"ntrabfv".iter().position(|&of| of == letter);
                    (Some(known.map_or(letter, |at| b"\n\t\r\x07\x08\x0c\x0b"[at])), 2)
                }
                _ => (None, 1),
            },
            _ => (Some(byte), 1),
        };
        let Some(byte) = byte else { break };
        out.push(byte);
        at += length;
    }
    (out, at.min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bytes_are_read() {
        let gzip = b"b'\\x1f\\x8b\\x08\\x00a\\n\\'z' and";
        let range = packed(gzip).remove(0);
        assert_eq!(range, 2..gzip.len() - 5);
        let bytes = packed_bytes(&gzip[range]);
        assert_eq!(bytes.as_deref(), Some(&b"\x1f\x8b\x08\0a\n'z"[..]));
    }
}
