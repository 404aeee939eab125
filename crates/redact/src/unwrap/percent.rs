//! Percent encoding (RFC 3986, section 2.1), and that of forms.

use std::ops::Range;

use super::hex::hex_byte;
use super::source_map::{At, Sink};
use super::wrapped_lines::{end_of_word, start_of_word};
use super::wrapping::Wrapping;

/// The least length of a run with percent encoding.
const PERCENT: usize = 8;
/// The parts of a text that may be encoded so, or as a form.
pub(crate) fn runs(text: &[u8]) -> Vec<(Wrapping, Range<usize>)> {
    let mut found = Vec::new();
    if memchr::memchr(b'%', text).is_some() {
        encoded(text, &mut found);
    }
    forms(text, &mut found);
    found
}

/// The letter of ASCII that `%u0067` is.
fn unit_of(text: &[u8]) -> Option<u8> {
    let digits = text.strip_prefix(b"%u00")?;
    digits.get(..2).and_then(hex_byte).filter(u8::is_ascii)
}

/// Decodes percent encoding.
pub(crate) fn percent(text: &[u8], out: &mut impl Sink) {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'%', &text[at..]) {
        let escape = at + found;
        if let Some(letter) = text.get(escape..).and_then(unit_of) {
            out.put(&text[at..escape], at..escape);
            out.put(&[letter], escape..escape + 6);
            at = escape + 6;
            continue;
        }
        let byte = text.get(escape + 1..escape + 3).and_then(hex_byte);
        let end = escape + if byte.is_some() { 0 } else { 1 };
        if end > at {
            out.put(&text[at..end], at..end);
        }
        at = end;
        if let Some(byte) = byte {
            out.put(&[byte], escape..escape + 3);
            at = escape + 3;
        }
    }
    if at < text.len() {
        out.put(&text[at..], at..text.len());
    }
}

/// Decodes percent encoding in which `+` is a space.
pub(crate) fn form(text: &[u8], out: &mut impl Sink) {
    let mut from = 0;
    let mut put = |text: &[u8], at: usize| {
        let mut decoded = At(&mut *out, at);
        percent(text, &mut decoded);
    };
    for at in memchr::memchr_iter(b'+', text) {
        put(&text[from..at], from);
        put(b" ", at);
        from = at + 1;
    }
    put(&text[from..], from);
}

/// The values of a form in which only spaces are encoded: `name=a+b`.
fn forms(text: &[u8], found: &mut Vec<(Wrapping, Range<usize>)>) {
    let mut done = 0;
    for at in memchr::memchr_iter(b'+', text) {
        let is_letter = |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric());
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let behind = if text.get(at + 1) == Some(&b'-') { at + 2 } else { at + 1 };
        if at < done || !is_letter(before) || !is_letter(text.get(behind)) {
            continue;
        }
        let (start, end) = (start_of_word(text, at), end_of_word(text, at));
        done = end;
        let name = text[start..end].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_');
        let name = name.count();
        if name > 0 && text.get(start + name) == Some(&b'=') && start + name < at {
            found.push((Wrapping::Form, start..end));
        }
    }
}

/// The length of what is before percent encoding that is seen with it.
const BEFORE: usize = 512;
/// The same behind it.
const BEHIND: usize = 128;

/// The parts of a text around its percent encoding.
fn encoded(text: &[u8], found: &mut Vec<(Wrapping, Range<usize>)>) {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for escape in memchr::memchr_iter(b'%', text) {
        // `%67`, or `%u0067`.
        let digits = text.get(escape + 1..escape + 3);
        let digits = digits.filter(|of| of != b"u0").or_else(|| text.get(escape + 2..escape + 6));
        let is_done = ranges.last().is_some_and(|last| escape + BEHIND / 2 < last.end);
        if is_done || !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
            continue;
        }
        let start = start_of_word(text, escape.saturating_sub(BEFORE));
        let end = end_of_word(text, (escape + BEHIND).min(text.len()));
        match ranges.last_mut() {
            Some(last) if last.end >= start => last.end = last.end.max(end),
            _ => ranges.push(start..end),
        }
    }
    for range in ranges {
        let is_form = memchr::memchr(b'+', &text[range.clone()]).is_some();
        if range.len() >= PERCENT && is_form {
            found.push((Wrapping::Form, range.clone()));
        }
        if range.len() >= PERCENT {
            found.push((Wrapping::Percent, range));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unwrap::source_map::testing::{both, origin};

    #[test]
    fn percent_encoding_is_decoded_and_traced() {
        let text = b"x%41%42c%zz%4";
        let (decoded, parts) = both(text, |text, mut out| percent(text, &mut out));
        assert_eq!(decoded, b"xABc%zz%4");
        assert_eq!(origin(text, &parts, &decoded, "Bc"), b"%42c");
    }
}
