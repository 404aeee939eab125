//! Dumps: bytes that are written as numbers, by `xxd` and others, and in programs.

use std::ops::Range;

use super::hex::hex_byte;
use super::{armour, hex_dump, packed_literals};

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
    // Numbers without commas are columns of a table, but for those of octal digits.
    let is_table = || memchr::memchr(b',', &text[start..end]).is_none();
    if decimal > 0 && is_table() && hex_dump::octals(&text[start..end]).is_none() {
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

/// The lists of a text whose parts, numbers or letters, are all kept apart by the same few bytes:
/// `chr(103)+chr(104)`, `g h p`.
pub(crate) fn lists(text: &[u8]) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(start) = list_may_begin(text, at) {
        let rest = &text[start..];
        let list = if is_number(text, start) { numbers(rest) } else { None };
        let list = list.map(|(_, length)| (length, 0)).or_else(|| {
            letters(rest).map(|(_, length, gap)| (length, signs_before(text, start, gap)))
        });
        if let Some((length, before)) = list {
            found.push(start - before..start + length);
        }
        at = start + list.map_or(1, |(length, _)| length);
    }
    found
}

/// The length of the signs before a list of letters between which is so much.
fn signs_before(text: &[u8], start: usize, gap: usize) -> usize {
    let between = &text[start + 1..start + 1 + gap];
    let before = text[..start].rchunks_exact(gap + 1).take(SIGNS);
    let is_sign = |part: &&[u8]| part[0].is_ascii_punctuation() && part[1..] == *between;
    (gap + 1) * before.take_while(is_sign).count()
}

/// The most signs before the first letter of a list.
const SIGNS: usize = 8;

/// The next place where a list may begin: a number, or a letter alone. No list of letters goes on
/// over two letters behind each other, so that of a text of words only some bytes are looked at.
fn list_may_begin(text: &[u8], from: usize) -> Option<usize> {
    let is_part = |byte: &u8| CLASSES[usize::from(*byte)] & ALNUM != 0;
    let mut at = from;
    loop {
        at += text.get(at..)?.iter().position(is_part)?;
        let near = text.get(at..at + LEAST)?;
        let word = near.windows(2).rposition(|pair| is_part(&pair[0]) && is_part(&pair[1]));
        let digit = near.iter().position(u8::is_ascii_digit);
        // Behind the word, or at the number within it.
        at += word.map_or(0, |word| (word + 1).min(digit.unwrap_or(LEAST)));
        if at + 2 * LEAST > text.len() {
            return None;
        }
        if is_number(text, at) || (is_part(&text[at]) && !is_part(&text[at + 1])) {
            return Some(at);
        }
        at += 1;
    }
}

/// Whether a number begins at a place.
fn is_number(text: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map_or(b' ', |before| text[before]);
    text[at].is_ascii_digit() && !before.is_ascii_digit()
}

/// The longest text between the numbers of a list.
const BETWEEN: usize = 16;

/// The decimal numbers of letters at the beginning of a text, each kept apart by the same, and
/// their length. Every second one may be the position of the next: `"0":103,"1":104`.
fn numbers(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    numbered(text, false).or_else(|| numbered(text, true))
}

/// The same for one of both forms. Without positions, plain numbers between commas are no list:
/// they are a dump, and are left at their first comma, so that no text is read from each of its
/// numbers.
fn numbered(text: &[u8], has_positions: bool) -> Option<(Vec<u8>, usize)> {
    let (mut bytes, mut gaps, mut at, mut end, mut before) = (Vec::new(), [None; 2], 0, 0, None);
    for count in 0.. {
        let Some((number, length, is_plain)) = number(&text[at..]) else { break };
        if has_positions && count % 2 == 0 {
            if before.is_some_and(|before: u16| before.checked_add(1) != Some(number)) {
                break;
            }
            before = Some(number);
        } else {
            let letter = u8::try_from(number).ok().filter(|&byte| is_letter(byte));
            let Some(letter) = letter else { break };
            bytes.push(letter);
            end = at + length;
        }
        let rest = &text[at + length..];
        let gap = rest.iter().take(BETWEEN + 1).take_while(|byte| !byte.is_ascii_digit()).count();
        let between = rest[..gap].trim_ascii();
        if !has_positions && is_plain && gaps[0].is_none() && between == b"," {
            return None;
        }
        let known = gaps[if has_positions { count % 2 } else { 0 }].get_or_insert(between);
        if gap == 0 || gap > BETWEEN || gap == rest.len() || *known != between {
            break;
        }
        at += length + gap;
    }
    (bytes.len() >= LEAST && gaps[0].is_some()).then_some((bytes, end))
}

/// The number that a text begins with, its length, and whether it is plain: not `0b1`, `103u8`.
fn number(text: &[u8]) -> Option<(u16, usize, bool)> {
    let (head, radix) = match text {
        [b'0', b'x' | b'X', ..] => (2, 16),
        [b'0', b'b', ..] => (2, 2),
        [b'0', b'o', ..] => (2, 8),
        _ => {
            let digits = text.iter().take(5).take_while(|byte| byte.is_ascii_digit()).count();
            let add = |sum: u32, digit: &u8| sum * 10 + u32::from(digit - b'0');
            let number = u16::try_from(text[..digits].iter().fold(0, add)).ok()?;
            let typed = typed(&text[digits..]);
            return (digits > 0).then_some((number, digits + typed, typed == 0));
        }
    };
    let digits = text[head..].iter().take(if radix == 2 { 8 } else { 5 });
    let digits = digits.map_while(|&byte| char::from(byte).to_digit(radix));
    let (number, length) = digits.fold((0, head), |(sum, at), digit| (sum * radix + digit, at + 1));
    let typed = typed(&text[length..]);
    let number = u16::try_from(number).ok().filter(|_| length > head)?;
    Some((number, length + typed, typed == 0 && radix == 16))
}

/// The length of the type behind a number.
const fn typed(text: &[u8]) -> usize {
    if matches!(text, [b'u' | b'i', b'8', ..] | [b'u', b'y', ..]) { 2 } else { 0 }
}

const fn is_letter(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | 0x1b | 0x20..=0x7e | 0x80..)
}

/// The letters at the beginning of a text, each kept apart by the same, their length, and that of
/// what is between two of them.
fn letters(text: &[u8]) -> Option<(Vec<u8>, usize, usize)> {
    // A space that does not break is a sign too, and not one of ASCII.
    let is_sign = |byte: &u8| !byte.is_ascii_alphanumeric();
    let (&first, rest) = text.split_first()?;
    (first.is_ascii_graphic() && is_sign(rest.first()?)).then_some(())?;
    (1..=5).find_map(|length| {
        let is_gap = |gap: &&[u8]| rest.get(length + 1) == gap.first() && gap.iter().all(is_sign);
        // The longest is that of letters in Rust.
        let gap = rest.get(..length).filter(|gap| is_gap(gap) || *gap == b"', b'")?;
        kept_apart(first, rest, gap)
    })
}

/// The same of letters between which is this.
fn kept_apart(first: u8, rest: &[u8], gap: &[u8]) -> Option<(Vec<u8>, usize, usize)> {
    let length = gap.len();
    let others = rest.chunks_exact(length + 1).take_while(|part| part.starts_with(gap));
    let others = others.map(|part| part[length]);
    // Those behind the first letter tell whether they are letters.
    let is_sign = |byte: &u8| !byte.is_ascii_alphanumeric();
    let signs = others.clone().take(SIGNS).take_while(is_sign).count() + 1;
    let behind = others.clone().skip(if is_sign(&first) { signs } else { 0 });
    let count = behind.take(3 * LEAST).filter(u8::is_ascii_alphanumeric).count();
    (count >= LEAST).then(|| {
        let bytes: Vec<u8> = std::iter::once(first).chain(others).collect();
        let end = 1 + (bytes.len() - 1) * (length + 1);
        (bytes, end, length)
    })
}

/// The bytes of a dump in binary digits.
fn all_bits(text: &[u8]) -> Option<Vec<u8>> {
    let words = text.split(|&byte| separator(&[byte]) > 0).filter(|word| !word.is_empty());
    words.map(hex_dump::bits).collect()
}

/// The bytes of a dump.
pub(crate) fn bytes(text: &[u8]) -> Vec<u8> {
    if let Some(bytes) = packed_literals::packed_bytes(text).or_else(|| armour::bytes(text)) {
        return bytes;
    }
    if let Some(bytes) = all_bits(text).or_else(|| hex_dump::octals(text)) {
        return bytes;
    }
    let lines = hex_dump::bytes(text);
    if lines.len() >= LEAST {
        return lines;
    }
    // One that only begins as a list has hexadecimal digits, too.
    let list = numbers(text).filter(|(_, length)| *length == text.len()).map(|(bytes, _)| bytes);
    if let Some(bytes) = list.or_else(|| letters(text).map(|(bytes, ..)| bytes)) {
        return bytes;
    }
    let decimal =
        memchr::memchr(b',', text).is_some() && memchr::memmem::find(text, b"0x").is_none();
    if decimal {
        let numbers = text.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
        let byte = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u8>().ok();
        let bytes: Option<Vec<u8>> = numbers.map(byte).collect();
        if let Some(bytes) = bytes {
            return bytes;
        }
    }
    let words = text.split(|&byte| separator(&[byte]) > 0).filter(|word| !word.is_empty());
    // Go has `0xa`.
    let pairs = |word: &[u8]| -> Option<Vec<u8>> {
        match word.strip_prefix(b"0x").unwrap_or(word) {
            [digit] => Some(vec![hex_byte(&[b'0', *digit])?]),
            digits => digits.chunks_exact(2).map(hex_byte).collect(),
        }
    };
    words.filter_map(pairs).flatten().collect()
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
            format!("{{0x{}}}", hex.join(", 0x")),
            hex.join(":"),
            hex.join("-"),
            word.bytes().map(|byte| format!("{byte:03o} ")).collect::<String>().trim().to_owned(),
        ] {
            let found = dumps(text.as_bytes());
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            let read = bytes(&text.as_bytes()[found[0].clone()]);
            assert_eq!(String::from_utf8_lossy(&read), word, "{text}");
        }
        for (text, read) in [
            ("chr(103)+chr(104)+", "gh"),
            ("[char]103,[char]104,", "gh"),
            ("g h ", "gh"),
            ("g\u{a0}h\u{a0}", "gh"),
            ("\"g\", \"h\", ", "gh"),
            ("b'g', b'h', ", "gh"),
            ("103u8, 104u8, ", "gh"),
            ("(byte) 0x67, (byte) 0x68, ", "gh"),
            ("0b01100111, 0b01101000, ", "gh"),
            ("0o147, 0o150, ", "gh"),
        ] {
            let text = text.repeat(12);
            let found = lists(text.as_bytes());
            assert_eq!(found.len(), 1, "{text}");
            let bytes = bytes(&text.as_bytes()[found[0].clone()]);
            assert_eq!(String::from_utf8_lossy(&bytes), read.repeat(12), "{text}");
        }
        let object: Vec<String> =
            word.bytes().enumerate().map(|(at, byte)| format!("\"{at}\":{byte}")).collect();
        let object = format!("{{{}}}", object.join(","));
        let range = lists(object.as_bytes()).remove(0);
        assert_eq!(bytes(&object.as_bytes()[range]), word.as_bytes());
        for text in ["at 12:30:00 and 10 20 30 40", "a 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 b"]
        {
            assert!(dumps(text.as_bytes()).is_empty(), "{text}");
        }
    }
}
