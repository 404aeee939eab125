//! Dumps of bytes in hexadecimal digits with the position of each line, as `xxd`, `hexdump` and
//! `od -t x1` print them.

use std::ops::Range;

use super::hex::hex_byte;

/// The least number of bytes of a dump.
const LEAST: usize = 12;
/// The least number of digits of a position, and that of one with a colon behind it.
const POSITION: usize = 6;
const NARROW: usize = 4;
/// The most bytes of a line whose position has so few digits.
const TRACED: usize = 16;
/// The most bytes of a line.
const LINE: usize = 400;

/// The lines of dumps in a text, those that follow each other as one range.
pub(crate) fn ranges(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut start, breaks) = (0, memchr::memchr_iter(b'\n', text).map(|at| at + 1));
    let mut before = 0..0;
    for end in breaks.chain([text.len()]) {
        let mut range = start..end;
        start = end;
        let last = std::mem::replace(&mut before, range.clone());
        let line = text[range.clone()].trim_ascii_start();
        if !begins(line) || Line::of(line).is_none() {
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

/// Whether a line begins with the digits of a position.
fn begins(line: &[u8]) -> bool {
    let digits = line.iter().take(POSITION).take_while(|byte| byte.is_ascii_hexdigit()).count();
    digits == POSITION || (digits == NARROW && line.get(digits) == Some(&b':'))
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

/// The bytes of the lines of a dump; those of words of several bytes in either order.
pub(crate) fn bytes(text: &[u8]) -> Vec<u8> {
    let lines: Vec<Line<'_>> = text.split(|&byte| byte == b'\n').filter_map(Line::of).collect();
    let mut out: Vec<u8> = lines.iter().flat_map(|line| line.bytes(false)).collect();
    if lines.iter().any(Line::may_be_swapped) {
        out.push(b'\n');
        out.extend(lines.iter().flat_map(|line| line.bytes(true)));
    }
    out
}

/// A line behind its position.
#[derive(Clone, Copy)]
struct Line<'l> {
    units: &'l [u8],
    /// The position ends with a colon: letters follow behind two spaces.
    is_xxd: bool,
    /// The most bytes of the line.
    most: usize,
}

impl<'l> Line<'l> {
    fn of(line: &'l [u8]) -> Option<Self> {
        let line = line[..line.len().min(LINE)].trim_ascii_start();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let digits = position(line).len();
        let is_xxd = line.get(digits) == Some(&b':');
        let units = line.get(digits + usize::from(is_xxd)..)?;
        let least = if is_xxd { NARROW } else { POSITION };
        if !(least..=16).contains(&digits) || units.first() != Some(&b' ') {
            return None;
        }
        let most = if digits < POSITION { TRACED } else { LINE };
        let line = Line { units, is_xxd, most };
        (!line.bytes(false).is_empty()).then_some(line)
    }

    fn may_be_swapped(&self) -> bool {
        let units = self.units.trim_ascii_start();
        let width = units.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        width == 8 || (width == 4 && !self.is_xxd)
    }

    /// The bytes in hexadecimal digits, up to the first word of others.
    fn bytes(&self, swapped: bool) -> Vec<u8> {
        let units = self.units.trim_ascii_start();
        let end = self.is_xxd.then(|| end_of(units)).flatten();
        let units = &units[..end.unwrap_or(units.len())];
        // The string that has the dump may end directly behind a byte.
        let end = units.iter().position(|byte| b"\"'`\\<".contains(byte)).unwrap_or(units.len());
        let mut out = Vec::new();
        for unit in units[..end].split(|&byte| byte == b' ').filter(|unit| !unit.is_empty()) {
            // The last word of a line may be a part of one.
            let is_unit = unit.len().is_multiple_of(2) && unit.len() <= 8;
            if !is_unit || !unit.iter().all(u8::is_ascii_hexdigit) || out.len() >= self.most {
                break;
            }
            let start = out.len();
            out.extend(unit.chunks_exact(2).filter_map(hex_byte));
            if swapped {
                out[start..].reverse();
            }
        }
        out
    }
}

/// The end of the digits of a line with letters behind two spaces; a part of a word may be behind
/// more, too.
fn end_of(units: &[u8]) -> Option<usize> {
    let end = memchr::memmem::find(units, b"  ")?;
    let rest = units[end..].trim_ascii_start();
    let part = rest.iter().take(8).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let is_part = units[..end].iter().take_while(|byte| **byte != b' ').count() == 8
        && matches!(part, 2 | 4 | 6)
        && rest[part..].starts_with(b"  ");
    Some(if is_part { units.len() - rest.len() + part } else { end })
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
        let traced = [
            "0000: 61 62 63 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70 ab cd fghijklmnop\n",
            "0010: 71 72 73                                        qrs\n",
        ];
        for (lines, word) in [
            (xxd.concat(), word),
            (hexdump.concat(), word),
            (od.concat(), word),
            (traced.concat(), word),
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
        let swapped = bytes(b"0000000 6261 6463 6665\n");
        assert_eq!(swapped, b"badcfe\nabcdef");
    }

    #[test]
    fn a_line_ends_where_its_string_does() {
        for end in ["\"]}", "'", "</pre>"] {
            let lines = format!("0000000 61 62 63 64\n0000004 65 66{end}\n");
            assert_eq!(bytes(lines.as_bytes()), b"abcdef", "{end}");
        }
    }

    #[test]
    fn words_are_read_in_each_order() {
        let swapped = bytes(b"00000000: 64636261 68676665   6a69  abcdefghij\n");
        assert_eq!(swapped, b"dcbahgfeji\nabcdefghij");
    }
}
