//! Dumps with the position of each line, as `xxd`, `hexdump` and `od` print them.

use std::ops::Range;

use super::decode::hex_byte;

/// The least number of bytes of a dump.
const LEAST: usize = 12;
/// The least number of digits of a position.
const POSITION: usize = 6;
/// The most bytes of a line.
const LINE: usize = 400;

/// The lines of dumps in a text, those that follow each other as one range.
pub(super) fn ranges(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, breaks) = (0, memchr::memchr_iter(b'\n', text).map(|at| at + 1));
    let mut before = 0..0;
    for end in breaks.chain([text.len()]) {
        let mut range = start..end;
        start = end;
        let last = std::mem::replace(&mut before, range.clone());
        let line = text[range.clone()].trim_ascii_start();
        // A line of a dump begins with digits.
        let begins =
            line.get(..POSITION).is_some_and(|head| head.iter().all(u8::is_ascii_hexdigit));
        if !begins || Line::of(line).is_none() {
            continue;
        }
        let is_first = position(line).iter().all(|&digit| digit == b'0');
        match found.last_mut() {
            Some(last) if last.end == range.start && !is_first => last.end = range.end,
            _ => {
                // The first line may be behind another text.
                let first = if is_first { None } else { first_in(&text[last.clone()]) };
                range.start = first.map_or(range.start, |at| last.start + at);
                found.push(range);
            }
        }
    }
    found.retain(|range| bytes(&text[range.clone()]).len() >= LEAST);
    found
}

/// The digits of the position of a line.
fn position(line: &[u8]) -> &[u8] {
    let digits = line.iter().take(17).take_while(|byte| byte.is_ascii_hexdigit()).count();
    &line[..digits]
}

/// The first line of a dump within a line: its position is zero.
fn first_in(line: &[u8]) -> Option<usize> {
    let zeros = memchr::memmem::rfind(line, &[b'0'; POSITION])? + POSITION;
    let all = line[..zeros].iter().rev().take(8).take_while(|&&byte| byte == b'0').count();
    Line::of(&line[zeros - all..]).map(|_| zeros - all)
}

/// The bytes of the lines of a dump; those of words of two bytes in either order.
pub(super) fn bytes(text: &[u8]) -> Vec<u8> {
    let lines = || text.split(|&byte| byte == b'\n').filter_map(Line::of);
    let mut out: Vec<u8> = lines().flat_map(|line| line.bytes(false)).collect();
    if lines().any(|line| line.may_be_swapped()) {
        out.push(b'\n');
        out.extend(lines().flat_map(|line| line.bytes(true)));
    }
    out
}

/// A line behind its position.
#[derive(Clone, Copy)]
struct Line<'l> {
    units: &'l [u8],
    /// The position ends with a colon: letters follow behind two spaces.
    is_xxd: bool,
    /// Each byte is a letter, or the escape of one, in four columns.
    is_letters: bool,
}

impl<'l> Line<'l> {
    fn of(line: &'l [u8]) -> Option<Self> {
        let line = line[..line.len().min(LINE)].trim_ascii_start();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let digits = position(line).len();
        let is_xxd = line.get(digits) == Some(&b':');
        let units = line.get(digits + usize::from(is_xxd)..)?;
        if !(POSITION..=16).contains(&digits) || units.first() != Some(&b' ') {
            return None;
        }
        let numbers = Line { units, is_xxd, is_letters: false };
        let letters = Line { is_letters: true, ..numbers };
        [numbers, letters].into_iter().find(|line| !line.bytes(false).is_empty())
    }

    fn may_be_swapped(self) -> bool {
        let width = self.units.trim_ascii_start().iter().take_while(|b| b.is_ascii_hexdigit());
        !self.is_letters && !self.is_xxd && width.count() == 4
    }

    fn bytes(self, swapped: bool) -> Vec<u8> {
        match self.is_letters {
            true => letters(self.units).unwrap_or_default(),
            false => numbers(self.units, self.is_xxd, swapped),
        }
    }
}

/// The bytes in hexadecimal digits, up to the first word of others.
fn numbers(units: &[u8], is_xxd: bool, swapped: bool) -> Vec<u8> {
    let units = units.trim_ascii_start();
    let end = is_xxd.then(|| memchr::memmem::find(units, b"  ")).flatten();
    let units = &units[..end.unwrap_or(units.len())];
    let mut out = Vec::new();
    for unit in units.split(|&byte| byte == b' ').filter(|unit| !unit.is_empty()) {
        let is_unit = matches!(unit.len(), 2 | 4 | 8) && unit.iter().all(u8::is_ascii_hexdigit);
        if !is_unit {
            break;
        }
        let start = out.len();
        if let Some(byte) = bits(unit) {
            out.push(byte);
            continue;
        }
        out.extend(unit.chunks_exact(2).filter_map(hex_byte));
        if swapped {
            out[start..].reverse();
        }
    }
    out
}

/// The byte of eight binary digits.
pub(super) fn bits(digits: &[u8]) -> Option<u8> {
    let is_byte = digits.len() == 8 && digits.iter().all(|digit| matches!(digit, b'0' | b'1'));
    is_byte.then(|| digits.iter().fold(0, |byte, digit| byte << 1 | (digit - b'0')))
}

/// The letters in four columns each, as `od -c` prints them.
fn letters(units: &[u8]) -> Option<Vec<u8>> {
    let unit = |unit: &[u8]| match unit.trim_ascii_start() {
        [] => Some(b' '),
        [letter] => Some(*letter),
        [b'\\', b'n'] => Some(b'\n'),
        [b'\\', b't'] => Some(b'\t'),
        [b'\\', b'r'] => Some(b'\r'),
        [b'\\', _] => Some(0),
        octal => u8::from_str_radix(std::str::from_utf8(octal).ok()?, 8).ok(),
    };
    let all: Option<Vec<u8>> = units.chunks(4).map(unit).collect();
    all.filter(|bytes| units.len().is_multiple_of(4) && bytes.len() > 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_a_line_is_read() {
        let xxd = [
            "00000000: 6162 6364 6566 6768 696a 6b6c 6d6e 6f70  abcdefghijklmnop\n",
            "00000010: 7172 73                                  ab 12\n",
        ];
        let hexdump = [
            "00000000  61 62 63 64 65 66 67 68  69 6a 6b 6c 6d 6e 6f 70  |abcdefghijklmnop|\n",
            "00000010  71 72 73                                          |qrs|\n",
            "00000013\n",
        ];
        let od = [
            "0000000 61 62 63 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70\n",
            "0000020 71 72 73\n",
            "0000023\n",
        ];
        let word = "abcdefghijklmnopqrs";
        let letters = ["0000000   a   b   c   1       d  \\n 303   e   f   g   h\n0000014\n"];
        for (lines, word) in [
            (xxd.concat(), word),
            (hexdump.concat(), word),
            (od.concat(), word),
            (letters.concat(), "abc1 d\n\u{c3}efgh"),
        ] {
            let found = ranges(lines.as_bytes());
            assert_eq!(found.len(), 1, "{lines}");
            let read = bytes(&lines.as_bytes()[found[0].clone()]);
            let read: String = read.iter().map(|&byte| char::from(byte)).collect();
            assert_eq!(read, word, "{lines}");
        }
        let behind = format!("$ xxd a {}", xxd.concat());
        let range = ranges(behind.as_bytes()).remove(0);
        assert_eq!(range, 8..behind.len());
        assert_eq!(ranges([xxd.concat(), xxd.concat()].concat().as_bytes()).len(), 2);
        assert_eq!(bytes(b"00000000: 01100001 01100010 01100011  abc\n"), b"abc");
        let swapped = bytes(b"0000000 6261 6463 6665\n");
        assert_eq!(swapped, b"badcfe\nabcdef");
    }
}
