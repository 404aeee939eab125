//! Dumps: bytes that are written as numbers, as `xxd`, `hexdump` and programs write them.

use std::ops::Range;

/// The least number of bytes of a dump.
const LEAST: usize = 12;

/// The dumps of a text: runs of lines, or of numbers in a line.
pub(super) fn dumps(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = begins(text, at) {
        let (end, count) = run(text, start);
        if count >= LEAST {
            found.push(start..end);
        }
        at = end.max(start + 1);
    }
    found
}

/// The next place where a number of a byte or the address of a dump may begin.
fn begins(text: &[u8], from: usize) -> Option<usize> {
    (from..text.len().saturating_sub(LEAST)).find(|&at| {
        let before = at.checked_sub(1).map(|before| text[before]);
        text[at].is_ascii_hexdigit()
            && !before.is_some_and(|byte| byte.is_ascii_alphanumeric())
            && unit(&text[at..]).is_some_and(|(_, length)| separator(&text[at + length..]) > 0)
    })
}

/// The end of the dump that begins at a place, and the number of its bytes.
fn run(text: &[u8], start: usize) -> (usize, usize) {
    let (mut at, mut end, mut count) = (start, start, 0);
    let mut decimal = 0;
    while let Some((unit, length)) = unit(&text[at..]) {
        at += length;
        match unit {
            Unit::Address => {}
            Unit::Bytes(bytes) => count += bytes,
            Unit::Decimal => {
                count += 1;
                decimal += 1;
            }
        }
        end = at;
        let gap = separator(&text[at..]);
        at += gap;
        // Behind two spaces or a bar are the letters.
        let behind = &text[at..];
        let is_space = text[at - gap..at].iter().all(|&byte| byte == b' ');
        let letters = gap > 1 && is_space && !behind.is_empty() && !is_unit_line(behind);
        if gap == 0 || letters {
            let line = memchr::memchr(b'\n', behind).map_or(text.len(), |line| at + line + 1);
            let next = text.get(line..).is_some_and(|next| address(next).is_some());
            if !next || line - at > 100 {
                break;
            }
            end = line.saturating_sub(1);
            at = line;
        }
    }
    // Numbers without commas are columns of a table.
    if decimal > 0 && memchr::memchr(b',', &text[start..end]).is_none() {
        count = 0;
    }
    (end, count)
}

fn is_unit_line(text: &[u8]) -> bool {
    unit(text).is_some_and(|(_, length)| separator(&text[length..]) > 0)
}

enum Unit {
    /// The position at the beginning of a line.
    Address,
    /// Hexadecimal digits of some bytes.
    Bytes(usize),
    /// A decimal number.
    Decimal,
}

/// The number at the beginning of a text, and its length.
fn unit(text: &[u8]) -> Option<(Unit, usize)> {
    if let Some(length) = address(text) {
        return Some((Unit::Address, length));
    }
    let head = if text.starts_with(b"0x") { 2 } else { 0 };
    let digits = text[head..].iter().take(9).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let digits_only = text[..digits.min(text.len())].iter().all(u8::is_ascii_digit);
    let comma = text.get(head + digits) == Some(&b',');
    match digits {
        1..=3 if head == 0 && digits_only && (comma || digits != 2) => {
            Some((Unit::Decimal, digits))
        }
        2 | 4 | 8 => Some((Unit::Bytes(digits / 2), head + digits)),
        _ => None,
    }
}

/// The length of the address at the beginning of a line of a dump.
fn address(line: &[u8]) -> Option<usize> {
    let digits = line.iter().take(17).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let behind = line.get(digits)?;
    let double = line.get(digits + 1) == Some(&b' ') && *behind == b' ';
    ((6..=16).contains(&digits) && (*behind == b':' || double)).then_some(digits + 1)
}

/// The length of what separates numbers.
fn separator(text: &[u8]) -> usize {
    text.iter()
        .take(8)
        .take_while(|byte| matches!(byte, b' ' | b',' | b':' | b'\n' | b'\r'))
        .count()
}

/// The bytes of a dump.
pub(super) fn bytes(text: &[u8]) -> Vec<u8> {
    let decimal =
        memchr::memchr(b',', text).is_some() && memchr::memmem::find(text, b"0x").is_none();
    let mut out = Vec::new();
    if decimal {
        let numbers = text.split(|byte| !byte.is_ascii_digit()).filter(|digits| !digits.is_empty());
        let byte = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u8>().ok();
        let bytes: Option<Vec<u8>> = numbers.map(byte).collect();
        if let Some(bytes) = bytes {
            return bytes;
        }
    }
    for line in text.split(|&byte| byte == b'\n') {
        let from = address(line).unwrap_or(0);
        let line = &line[from..];
        let letters = memchr::memmem::find(&line[line.len().min(2)..], b"  ");
        let has_address = from > 0;
        let end = letters.filter(|_| has_address).map_or(line.len(), |at| at + 2);
        let words = line[..end].split(|byte| matches!(byte, b' ' | b',' | b':' | b'\r' | b'|'));
        for word in words.filter(|word| !word.is_empty()) {
            let word = word.strip_prefix(b"0x").unwrap_or(word);
            let pairs = word.chunks_exact(2);
            let all: Option<Vec<u8>> = pairs.map(super::decode::hex_byte).collect();
            out.extend(all.unwrap_or_default());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumps_are_found_and_read() {
        let word = "abcdefghij012345Z";
        let hex: Vec<String> = word.bytes().map(|byte| format!("{byte:02x}")).collect();
        let decimal: Vec<String> = word.bytes().map(|byte| byte.to_string()).collect();
        let xxd = |at: usize, part: &str| {
            let pairs: Vec<String> = part
                .as_bytes()
                .chunks(2)
                .map(|pair| pair.iter().map(|b| format!("{b:02x}")).collect())
                .collect();
            format!("{at:08x}: {:<40} {part}", pairs.join(" "))
        };
        let lines = format!("{}\n{}\n", xxd(0, &word[..16]), xxd(16, &word[16..]));
        for text in [
            format!("it is {} .", hex.join(" ")),
            format!("[{}]", decimal.join(",")),
            format!("{{\"data\": [{}]}}", decimal.join(", ")),
            format!("{{0x{}}}", hex.join(", 0x")),
            hex.join(":"),
            lines,
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
