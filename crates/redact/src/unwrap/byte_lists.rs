//! Lists of bytes: hexadecimal digits with something between each two, and decimal numbers between
//! commas, as programs print and spell them.

use std::ops::Range;

use super::hex::hex_byte;
use super::hex_dump;

/// The least number of bytes of a dump.
const LEAST: usize = 12;

/// The least length of a dump: a digit for each byte, and what is between them.
const SHORT: usize = 2 * LEAST - 1;

/// The dumps of a text that are numbers behind each other.
pub(crate) fn dumps(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let is_part = |byte: &u8| CLASSES[usize::from(*byte)] & PART != 0;
    let mut at = 0;
    // Only every so many bytes are looked at, where no dump is.
    while let Some(part) = text.get(at..at + SHORT) {
        if let Some(other) = part.iter().rposition(|byte| !is_part(byte)) {
            at += other + 1;
            continue;
        }
        let end = at + SHORT + text[at + SHORT..].iter().take_while(|byte| is_part(byte)).count();
        within(text, at..end, &mut found);
        at = end;
    }
    found
}

/// The dumps in a range of bytes that dumps have.
fn within(text: &[u8], range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let mut at = range.start;
    while let Some(start) = begins(text, at, range.end) {
        let (end, count) = run(text, start);
        if count >= LEAST {
            found.push(start..end);
        }
        at = end.max(start + 1);
    }
}

/// Classes of bytes.
const ALNUM: u8 = 1;
const DIGIT: u8 = 2;
/// Of those that a dump has.
const PART: u8 = 4;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (alnum, digit) =
            ((byte as u8).is_ascii_alphanumeric(), (byte as u8).is_ascii_hexdigit());
        let part = digit || matches!(byte as u8, b'x' | b'\\') || is_separator(byte as u8);
        classes[byte] = if alnum { ALNUM } else { 0 }
            | if digit { DIGIT } else { 0 }
            | if part { PART } else { 0 };
        byte += 1;
    }
    classes
};

/// The next place where a number of a byte may begin.
fn begins(text: &[u8], from: usize, end: usize) -> Option<usize> {
    let mut before = from.checked_sub(1).map_or(0, |before| CLASSES[usize::from(text[before])]);
    let last = text.len().saturating_sub(LEAST).min(end);
    for (at, &byte) in text[..last].iter().enumerate().skip(from) {
        let class = CLASSES[usize::from(byte)];
        let may = class & DIGIT != 0 && before & ALNUM == 0;
        before = class;
        if may && unit(&text[at..]).is_some_and(|(_, length)| separator(&text[at + length..]) > 0) {
            return Some(at);
        }
    }
    None
}

/// The end of the dump that begins at a place, and the number of its bytes.
fn run(text: &[u8], start: usize) -> (usize, usize) {
    let (mut at, mut end, mut count) = (start, start, 0);
    let mut decimal = 0;
    while let Some((unit, length)) = unit(&text[at..]) {
        at += length;
        match unit {
            Unit::Bytes(bytes) => count += bytes,
            Unit::Decimal => {
                count += 1;
                decimal += 1;
            }
        }
        end = at;
        let gap = separator(&text[at..]);
        at += gap;
        if gap == 0 {
            break;
        }
    }
    // Numbers without commas are columns of a table, but for those in brackets of their own.
    let is_list = || {
        let before = start.checked_sub(1).map(|before| text[before]);
        matches!((before, text.get(end)), (Some(b'['), Some(b']')) | (Some(b'('), Some(b')')))
    };
    if decimal > 0 && memchr::memchr(b',', &text[start..end]).is_none() && !is_list() {
        count = 0;
    }
    (end, count)
}

enum Unit {
    /// Hexadecimal digits of some bytes.
    Bytes(usize),
    /// A decimal number.
    Decimal,
}

/// The number at the beginning of a text, and its length.
fn unit(text: &[u8]) -> Option<(Unit, usize)> {
    let head = if matches!(text, [b'0' | b'\\', b'x', ..]) { 2 } else { 0 };
    let digits = text[head..].iter().take(9).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let digits_only = text[..digits.min(text.len())].iter().all(u8::is_ascii_digit);
    let comma = text.get(head + digits) == Some(&b',');
    match digits {
        1..=3 if head == 0 && digits_only && (comma || digits != 2) => {
            Some((Unit::Decimal, digits))
        }
        1 if text.starts_with(b"0x") => Some((Unit::Bytes(1), head + digits)),
        2 | 4 | 8 => Some((Unit::Bytes(digits / 2), head + digits)),
        _ => None,
    }
}

/// The length of what separates numbers.
fn separator(text: &[u8]) -> usize {
    text.iter().take(24).take_while(|&&byte| is_separator(byte)).count()
}

const fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b',' | b':' | b'-' | b'\t' | b'\n' | b'\r' | b'|' | b'_' | b';' | b'.')
}

/// The bytes of a dump.
pub(crate) fn bytes(text: &[u8]) -> Vec<u8> {
    let lines = hex_dump::bytes(text);
    if lines.len() >= LEAST {
        return lines;
    }
    let words = || text.split(|&byte| separator(&[byte]) > 0).filter(|word| !word.is_empty());
    // A number of three digits is no byte in hexadecimal ones.
    let is_decimal = memchr::memchr(b',', text).is_some() || words().any(|word| word.len() == 3);
    if is_decimal && memchr::memmem::find(text, b"0x").is_none() {
        let numbers = text.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
        let byte = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u8>().ok();
        let bytes: Option<Vec<u8>> = numbers.map(byte).collect();
        if let Some(bytes) = bytes {
            return bytes;
        }
    }
    // Go has `0xa`.
    let pairs = |word: &[u8]| -> Option<Vec<u8>> {
        match word.strip_prefix(b"0x").unwrap_or(word) {
            [digit] => Some(vec![hex_byte(&[b'0', *digit])?]),
            digits => digits.chunks_exact(2).map(hex_byte).collect(),
        }
    };
    words().filter_map(pairs).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_are_found_and_read() {
        let word = "abcdefghij012345Z";
        let hex: Vec<String> = word.bytes().map(|byte| format!("{byte:02x}")).collect();
        let decimal: Vec<String> = word.bytes().map(|byte| byte.to_string()).collect();
        for text in [
            format!("it is {} .", hex.join(" ")),
            format!("[{}]", decimal.join(",")),
            format!("{{\"data\": [{}]}}", decimal.join(", ")),
            format!("[{}]", decimal.join(" ")),
            format!("{{0x{}}}", hex.join(", 0x")),
            hex.join(":"),
            hex.join("-"),
        ] {
            let found = dumps(text.as_bytes());
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            let read = bytes(&text.as_bytes()[found[0].clone()]);
            assert_eq!(String::from_utf8_lossy(&read), word, "{text}");
        }
        for text in ["at 12:30:00 and 10 20 30 40", "a 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 b"]
        {
            assert!(dumps(text.as_bytes()).is_empty(), "{text}");
        }
    }
}
