//! Dumps with the position of each line, as `xxd`, `hexdump` and `od` print them.

use std::borrow::Cow;
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
        let goes_on = found.last().is_some_and(|found| found.end == range.start);
        if let Some(dump) = found.last_mut().filter(|_| goes_on)
            && is_rest(&text[last.clone()], &text[range.start..])
        {
            dump.end = range.end;
            continue;
        }
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

/// Whether a text begins with the rest of the line of a dump before it, which a break cut among its
/// digits: behind it the dump ends or goes on.
fn is_rest(before: &[u8], text: &[u8]) -> bool {
    let unit = text.strip_prefix(b" ").unwrap_or(text);
    let digits = unit.iter().take(9).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let is_unit =
        (1..=8).contains(&digits) && matches!(unit.get(digits), Some(b' ' | b'\n') | None);
    let before = before.strip_suffix(b"\n").unwrap_or(before);
    let count = |line: &[u8]| Line::of(line).map_or(0, |line| line.bytes(false).len());
    let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    let behind = text.get(end + 1..).unwrap_or_default();
    let is_within = || behind.is_empty() || begins(behind.trim_ascii_start());
    is_unit && !begins(text) && is_within() && {
        let is_short = (1..TRACED).contains(&count(before));
        is_short && count(&[before, &text[..end]].concat()) > count(before)
    }
}

/// The text of a dump with its lines whole.
fn mended(text: &[u8]) -> Cow<'_, [u8]> {
    let (mut out, mut from, mut start) = (Vec::new(), 0, 0);
    for at in memchr::memchr_iter(b'\n', text) {
        if is_rest(&text[start..at], &text[at + 1..]) {
            out.extend_from_slice(&text[from..at]);
            from = at + 1;
        }
        start = at + 1;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out.extend_from_slice(&text[from..]);
    Cow::Owned(out)
}

/// Whether a line begins with the digits of a position, or the side of a box and them.
fn begins(line: &[u8]) -> bool {
    let line = line.strip_prefix(BAR).unwrap_or(line);
    let digits = line.iter().take(POSITION).take_while(|byte| byte.is_ascii_hexdigit()).count();
    digits == POSITION || (digits == NARROW && line.get(digits) == Some(&b':'))
}

/// The sides of the box around a dump, and what is in the middle of its lines.
const BAR: &[u8] = b"\xe2\x94\x82";
const MIDDLE: &[u8] = b"\xe2\x94\x8a";

/// The digits of the position of a line.
fn position(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(BAR).unwrap_or(line);
    let digits = line.iter().take(17).take_while(|byte| byte.is_ascii_hexdigit()).count();
    &line[..digits]
}

/// The first line of a dump within a line: its position is zero.
fn first_in(line: &[u8]) -> Option<usize> {
    let zeros = memchr::memmem::rfind(line, &[b'0'; POSITION])? + POSITION;
    let all = line[..zeros].iter().rev().take(8).take_while(|&&byte| byte == b'0').count();
    Line::of(&line[zeros - all..]).map(|_| zeros - all)
}

/// The bytes of the lines of a dump; those of words of several bytes in either order, and numbers
/// in either base.
pub(crate) fn bytes(text: &[u8]) -> Vec<u8> {
    let text = mended(text);
    let lines: Vec<Line<'_>> = text.split(|&byte| byte == b'\n').filter_map(Line::of).collect();
    let mut out: Vec<u8> = lines.iter().flat_map(|line| line.bytes(false)).collect();
    if lines.iter().any(Line::may_be_swapped) {
        out.push(b'\n');
        out.extend(lines.iter().flat_map(|line| line.bytes(true)));
    }
    if lines.iter().all(|line| decimal(line.units).is_some()) {
        out.push(b'\n');
        out.extend(lines.iter().filter_map(|line| decimal(line.units)).flatten());
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
    /// Each byte is a letter, or the escape of one, in four columns.
    is_letters: bool,
}

impl<'l> Line<'l> {
    fn of(line: &'l [u8]) -> Option<Self> {
        let line = line[..line.len().min(LINE)].trim_ascii_start();
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let boxed = line.strip_prefix(BAR);
        let line = boxed.unwrap_or(line);
        let digits = position(line).len();
        let is_xxd = line.get(digits) == Some(&b':');
        let head = if boxed.is_some() { BAR.len() } else { usize::from(is_xxd) };
        let units = line.get(digits + head..)?;
        let least = if is_xxd { NARROW } else { POSITION };
        if !(least..=16).contains(&digits) || units.first() != Some(&b' ') {
            return None;
        }
        let most = if digits < POSITION { TRACED } else { LINE };
        let numbers = Line { units, is_xxd, most, is_letters: false };
        let letters = Line { is_letters: true, ..numbers };
        let found = [numbers, letters].into_iter().find(|line| !line.bytes(false).is_empty());
        found.or_else(|| decimal(units).map(|_| numbers))
    }

    fn may_be_swapped(&self) -> bool {
        let units = self.units.trim_ascii_start();
        let width = units.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        !self.is_letters
            && bits(&units[..width]).is_none()
            && (width == 8 || (width == 4 && !self.is_xxd))
    }

    fn bytes(&self, swapped: bool) -> Vec<u8> {
        match self.is_letters {
            true => letters(self.units).unwrap_or_default(),
            false => numbers(self, swapped),
        }
    }
}

/// The bytes in hexadecimal digits, up to the first word of others.
fn numbers(line: &Line<'_>, swapped: bool) -> Vec<u8> {
    let units = line.units.trim_ascii_start();
    let end = line.is_xxd.then(|| end_of(units)).flatten();
    let units = &units[..end.unwrap_or(units.len())];
    // The string that has the dump may end directly behind a byte.
    let end = units.iter().position(|byte| b"\"'`\\<".contains(byte)).unwrap_or(units.len());
    let units = &units[..end];
    let mut out = Vec::new();
    for unit in units.split(|&byte| byte == b' ').filter(|unit| !unit.is_empty()) {
        if unit == MIDDLE {
            continue;
        }
        if let Some(word) = octal_word(unit) {
            out.extend(word.to_le_bytes());
            continue;
        }
        // The last word of a line may be a part of one.
        let is_unit = unit.len().is_multiple_of(2) && unit.len() <= 8;
        if !is_unit || !unit.iter().all(u8::is_ascii_hexdigit) || out.len() >= line.most {
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

/// The bytes of a dump in three octal digits each, kept apart by spaces.
pub(crate) fn octals(text: &[u8]) -> Option<Vec<u8>> {
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.map(octal).collect()
}

/// The byte of three octal digits.
fn octal(digits: &[u8]) -> Option<u8> {
    let is_byte = digits.len() == 3 && matches!(digits[0], b'0'..=b'3');
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_byte)?;
    u8::from_str_radix(digits, 8).ok()
}

/// The word of six octal digits.
fn octal_word(digits: &[u8]) -> Option<u16> {
    let is_word = digits.len() == 6 && matches!(digits[0], b'0' | b'1');
    let digits = std::str::from_utf8(digits).ok().filter(|_| is_word)?;
    u16::from_str_radix(digits, 8).ok()
}

/// The bytes in decimal digits.
fn decimal(units: &[u8]) -> Option<Vec<u8>> {
    let words = units.split(|&byte| byte == b' ').filter(|word| !word.is_empty());
    words.map(|word| std::str::from_utf8(word).ok()?.parse().ok()).collect()
}

/// The byte of eight binary digits.
pub(crate) fn bits(digits: &[u8]) -> Option<u8> {
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
    all.filter(|bytes| units.len().is_multiple_of(4) && !bytes.is_empty())
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
        let words = [
            "0000000 061141 062143 063145 064147 065151 066153 067155 070157\n",
            "0000020 071161 000163\n",
            "0000023\n",
        ];
        let (bar, middle) = ("\u{2502}", "\u{250a}");
        let boxed = [
            format!(
                "{bar}00000000{bar} 61 62 63 64 65 66 67 68 {middle} 69 6a 6b 6c {bar}abcd{bar}\n"
            ),
            format!(
                "{bar}0000000c{bar} 6d 6e 6f 70 71 72 73    {middle}             {bar}qrs {bar}\n"
            ),
        ];
        let traced = [
            "0000: 61 62 63 64 65 66 67 68 69 6a 6b 6c 6d 6e 6f 70 ab cd fghijklmnop\n",
            "0010: 71 72 73                                        qrs\n",
        ];
        let letters = ["0000000   a   b   c   1       d  \\n 303   e   f   g   h\n0000014\n"];
        for (lines, word) in [
            (xxd.concat(), word),
            (hexdump.concat(), word),
            (od.concat(), word),
            (words.concat(), "abcdefghijklmnopqrs\0"),
            (boxed.concat(), word),
            (traced.concat(), word),
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

    #[test]
    fn a_line_ends_where_its_string_does() {
        for end in ["\"]}", "'", "</pre>"] {
            let lines = format!("0000000 61 62 63 64\n0000004 65 66{end}\n");
            assert_eq!(bytes(lines.as_bytes()), b"abcdef", "{end}");
        }
    }

    #[test]
    fn a_line_that_a_break_cut_is_whole_again() {
        let xxd = "00000000: 6162 6364 6566 6768 696a 6b6c 6d6e 6f70  abcdefghijklmnop\n\
                   00000010: 7172 7374 7576\n0000001a: 7778\n";
        for at in [17, 22, 24, 30, 40] {
            let cut = format!("{}\n{}", &xxd[..at], &xxd[at..]);
            let found = ranges(cut.as_bytes());
            assert_eq!((found.len(), &found[0]), (1, &(0..cut.len())), "{cut}");
            assert_eq!(bytes(&cut.as_bytes()[found[0].clone()]), b"abcdefghijklmnopqrstuvwx");
        }
        let behind = "0000000 61 62 63 64 65 66 67 68 69 6a 6b 6c\nfed it was\nand more\n";
        assert_eq!(ranges(behind.as_bytes())[0], 0..44);
    }

    #[test]
    fn words_and_numbers_are_read_in_each_way() {
        let swapped = bytes(b"00000000: 64636261 68676665   6a69  abcdefghij\n");
        assert_eq!(swapped, b"dcbahgfeji\nabcdefghij");
        assert!(bytes(b"0000000  97  98  99\n").ends_with(b"\nabc"));
    }
}
