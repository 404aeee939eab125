//! Encodings with a head that names them: uuencode, the binary patches of Git; and Base32, whose
//! digits name it.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::hex::hex_byte;

/// The shortest text with something encoded.
const SHORT: usize = 22;
/// The heads of the parts of a binary patch: the new content, and behind it the old one.
const PATCH: [&[u8]; 2] = [b"literal ", b"delta "];
/// The head of uuencode, up to the mode of the file.
const UUENCODE: &[u8] = b"begin 6";
/// The digits of its alphabet (Base85, as in RFC 1924).
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// The encoded ranges of a text that have a head.
pub(crate) fn ranges(text: &[u8]) -> Vec<Range<usize>> {
    static HEADS: LazyLock<[(Finder<'_>, Line); 3]> = LazyLock::new(|| {
        let [literal, delta] = PATCH.map(|head| (Finder::new(head), patch as Line));
        [literal, delta, (Finder::new(UUENCODE), uuencoded as Line)]
    });
    let mut found: Vec<Range<usize>> = Vec::new();
    if text.len() < SHORT {
        return found;
    }
    for (head, line) in HEADS.iter() {
        for at in head.find_iter(text).filter(|&at| at == 0 || text[at - 1] == b'\n') {
            let (bytes, length) = lines(&text[at..], *line);
            if !bytes.is_empty() {
                found.push(at..at + length);
            }
        }
    }
    let mut done = 0;
    for at in memchr::memchr_iter(b'\\', text) {
        let length = if at < done { 0 } else { spelled(&text[at..]) };
        if length > 0 {
            done = at + length;
            found.push(at..done);
        }
    }
    found
}

/// The length of what is spelled behind a backslash: bytes of a database, or letters as in a style
/// sheet.
fn spelled(text: &[u8]) -> usize {
    if let Some(digits) = text.strip_prefix(b"\\x") {
        let length = digits.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        return if length >= HEX { 2 + length } else { 0 };
    }
    let (count, length) = points(text, &mut |_| {});
    if count >= POINTS { length } else { 0 }
}

/// The least number of letters that are spelled as style sheets do.
const POINTS: usize = 8;

/// The letters at the beginning of a text that are spelled as in style sheets: `\67 `, `\000067`;
/// their number and length.
fn points(text: &[u8], each: &mut dyn FnMut(char)) -> (usize, usize) {
    let (mut count, mut at) = (0, 0);
    while text.get(at) == Some(&b'\\') {
        let rest = &text[at + 1..];
        let digits = rest.iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
        let space = usize::from(rest.get(digits) == Some(&b' '));
        let number = std::str::from_utf8(&rest[..digits]).unwrap_or_default();
        let letter = u32::from_str_radix(number, 16).ok().and_then(char::from_u32);
        let Some(letter) = letter.filter(|_| space > 0 || digits == 6) else { break };
        each(letter);
        (count, at) = (count + 1, at + 1 + digits + space);
    }
    (count, at)
}

/// The least number of digits of bytes in a database.
const HEX: usize = 20;

/// The bytes that a line encodes.
type Line = fn(&[u8]) -> Option<Vec<u8>>;

/// The bytes of the lines behind the first one, and where they end. A head is no such line.
fn lines(text: &[u8], decode: Line) -> (Vec<u8>, usize) {
    let (mut bytes, mut at) = (Vec::new(), 0);
    for (number, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let inner = line.trim_ascii_end();
        match decode(inner) {
            _ if number == 0 => {}
            Some(part) => bytes.extend(part),
            None => break,
        }
        at += line.len();
    }
    (bytes, at)
}

/// The bytes of an encoded range, if it has a head.
pub(crate) fn bytes(text: &[u8]) -> Option<Vec<u8>> {
    if PATCH.iter().any(|head| text.starts_with(head)) {
        // They are in the container of zlib, which is unpacked within its bound.
        return Some(lines(text, patch).0);
    }
    if let Some(digits) = text.strip_prefix(b"\\x")
        && digits.iter().all(u8::is_ascii_hexdigit)
    {
        return digits.chunks_exact(2).map(hex_byte).collect();
    }
    let mut letters = String::new();
    if points(text, &mut |letter| letters.push(letter)).0 >= POINTS {
        return Some(letters.into_bytes());
    }
    text.starts_with(UUENCODE).then(|| lines(text, uuencoded).0)
}

/// The bytes of a line of uuencode: its length and four digits for each three bytes.
fn uuencoded(line: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: &u8| byte.checked_sub(0x20).filter(|digit| *digit <= 64).map(|of| of & 63);
    let (first, digits) = line.split_first()?;
    let length = usize::from(digit(first)?);
    if line == b"end" || digits.len() > length.div_ceil(3) * 4 + 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(length);
    for four in digits.chunks(4) {
        // Spaces at the end of a line may be lost.
        let four: Option<Vec<u8>> = (0..4).map(|at| digit(four.get(at).unwrap_or(&b' '))).collect();
        let word = four?.iter().fold(0, |word, &digit| word << 6 | u32::from(digit));
        bytes.extend_from_slice(&word.to_be_bytes()[1..]);
    }
    bytes.truncate(length);
    Some(bytes)
}

/// The bytes of a line of a binary patch: its length and five digits for each four bytes.
fn patch(line: &[u8]) -> Option<Vec<u8>> {
    let (first, digits) = line.split_first()?;
    let length = match first {
        b'A'..=b'Z' => first - b'A' + 1,
        b'a'..=b'z' => first - b'a' + 27,
        _ => return None,
    };
    let is_whole = digits.len() == usize::from(length).div_ceil(4) * 5;
    let digit = |byte: &u8| DIGITS.iter().position(|of| of == byte).map(|digit| digit as u32);
    let mut bytes = Vec::new();
    for five in digits.chunks(5).take_while(|_| is_whole) {
        let word = five
            .iter()
            .try_fold(0u32, |word, byte| word.checked_mul(85)?.checked_add(digit(byte)?))?;
        bytes.extend_from_slice(&word.to_be_bytes());
    }
    bytes.truncate(usize::from(length));
    is_whole.then_some(bytes)
}

/// Whether a run has no digits but those of Base32.
pub(crate) fn may_be_base32(run: &[u8]) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'A'..=b'Z' | b'a'..=b'z' | b'2'..=b'7');
    let kind = |byte: &u8| byte.is_ascii_lowercase();
    let first = run.iter().find(|byte| byte.is_ascii_alphabetic()).is_some_and(kind);
    run.iter().all(|byte| is_digit(byte) && (byte.is_ascii_digit() || kind(byte) == first))
}

/// The bytes of a run of Base32 (RFC 4648), in capitals or small letters, if it is one.
pub(crate) fn base32(run: &[u8]) -> Option<Vec<u8>> {
    let is_small = run.iter().find(|byte| byte.is_ascii_alphabetic())?.is_ascii_lowercase();
    let (mut bytes, mut word, mut bits) = (Vec::with_capacity(run.len() * 5 / 8), 0u32, 0);
    for byte in run.iter().filter(|byte| !byte.is_ascii_whitespace() && **byte != b'=') {
        let digit = match byte {
            b'A'..=b'Z' if !is_small => byte - b'A',
            b'a'..=b'z' if is_small => byte - b'a',
            b'2'..=b'7' => byte - b'2' + 26,
            _ => return None,
        };
        word = word << 5 | u32::from(digit);
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unwrap::containers::{Content, content};

    #[test]
    fn each_encoding_is_read() {
        let text = "see\nbegin 644 a.env\n+:&5L;&\\L('=O<FP \n`\nend\n";
        let range = ranges(text.as_bytes()).remove(0);
        assert_eq!((range.start, range.end), (4, text.len() - 4));
        assert_eq!(bytes(&text.as_bytes()[range]).as_deref(), Some(&b"hello, worl"[..]));
        // The new content, and the old one.
        let part = "literal 22\nWc$~{f&B@8vQOE#M3W<3s5EcMiC<pui\n";
        let patch = format!("GIT binary patch\n{part}\n{part}\nliteral x\n");
        let found = ranges(patch.as_bytes());
        assert_eq!(found, [17..17 + part.len(), 18 + part.len()..18 + 2 * part.len()]);
        for range in found {
            let bytes = bytes(&patch.as_bytes()[range]).expect("a part");
            let Content::Text(text) = content(&bytes) else { panic!("zlib") };
            assert!(text.starts_with(b"hello, hello and hello\n"));
        }
        let hex = br"E'\x68656c6c6f2c20776f726c64'";
        let range = ranges(hex).remove(0);
        assert_eq!(bytes(&hex[range]).as_deref(), Some(&b"hello, world"[..]));
        for css in [&br"\68 \65 \6c \6c \6f \2c \20 \77 \6f"[..], &br"\000068\000065".repeat(5)] {
            let range = ranges(css).remove(0);
            assert!(bytes(&css[range]).is_some_and(|text| text.starts_with(b"he")));
        }
        assert!(ranges(br"\147\150\147\150\147\150\147\150\147\150").is_empty());
        assert_eq!(base32(b"NBSWY3DPEB3W64TMMQ======").as_deref(), Some(&b"hello world"[..]));
        assert_eq!(base32(b"nbswy3dpeb3w64tmmq").as_deref(), Some(&b"hello world"[..]));
        assert!(base32(b"NBSWy3dp").is_none() && ranges(b"we begin 6 of it").is_empty());
    }
}
