//! Hexadecimal digits of a text, within what may be lines of Base64.

use std::ops::Range;

use super::HEX;
use crate::unwrap::decoded_text::is_plain;
use crate::unwrap::hex::hex_bytes;
use crate::unwrap::run_lines::{gap, is_digit};

/// The first lines of a run that are hexadecimal digits of a text: `0x67...`, `key_67...`, and what
/// goes on in the next lines.
pub(super) fn hexadecimal(text: &[u8], range: &Range<usize>) -> Option<Range<usize>> {
    let mut at = range.start;
    while at < range.end {
        let end = end_of_line(text, at, range.end);
        if let Some(start) = hexadecimal_line(text, at..end) {
            return Some(start..end_of_digits(text, end, range.end));
        }
        at = end + gap(&text[end..range.end], end - at).unwrap_or(1);
    }
    None
}

/// The end of the digits of Base64 from a place on.
fn end_of_line(text: &[u8], at: usize, end: usize) -> usize {
    at + text[at..end].iter().take_while(|&&byte| is_digit(byte)).count()
}

/// The first of the hexadecimal digits with which a line ends, if they are those of a text.
fn hexadecimal_line(text: &[u8], line: Range<usize>) -> Option<usize> {
    let is_other = |byte: &u8| !byte.is_ascii_hexdigit();
    let head = text[line.clone()].iter().take(4 * HEX).rposition(is_other);
    let head = line.start + head.map_or(0, |at| at + 1);
    // The first digit may be a letter that an escape before it was.
    let is_text = |start: &usize| {
        let digits = text.get(*start..line.end).unwrap_or_default();
        let is_long = digits.len() >= HEX && !digits.iter().any(is_other);
        is_long && hex_bytes(digits).is_some_and(|bytes| is_plain(&bytes))
    };
    [head, head + 1].into_iter().find(is_text)
}

/// The end of the lines behind a line of hexadecimal digits that are such digits too.
fn end_of_digits(text: &[u8], line: usize, last: usize) -> usize {
    let (mut end, mut before) = (line, HEX);
    while let Some(gap) = gap(&text[end..last], before) {
        let next = end + gap;
        let behind = end_of_line(text, next, last);
        let digits = &text[next..behind];
        if digits.is_empty()
            || !digits.len().is_multiple_of(2)
            || !digits.iter().all(u8::is_ascii_hexdigit)
        {
            break;
        }
        (before, end) = (behind - next, behind);
    }
    end
}
