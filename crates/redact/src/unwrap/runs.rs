//! Runs of encoded text within a text: Base64, hexadecimal digits, dumps, percent encoding.

use std::cell::Cell;
use std::ops::Range;

use super::base64::{base64_bytes, digits, plain};
use super::byte_lists;
use super::containers::{self, Content};
use super::decoded_text::{is_plain, is_text, utf16};
use super::hex::hex_bytes;
use super::percent;
use super::run_lines::{BASE64, CLASSES, gap, is_digit};
use super::wrapping::Wrapping;
use hexadecimal::hexadecimal;

mod hexadecimal;

/// The least length of a run of hexadecimal digits.
const HEX: usize = 24;
/// The number of bytes that are decoded to see whether a run is text at all.
const TRIAL: usize = 64;
/// The number of bytes by which a text is known.
const HEAD: usize = 16;

/// A run of encoded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) wrapping: Wrapping,
    pub(crate) range: Range<usize>,
}

/// The runs of a text that may be encoded.
pub(crate) fn runs(text: &[u8]) -> Vec<Run> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + BASE64 <= text.len() {
        // A run that begins here would have the least length at least.
        let last = at + BASE64;
        let start = text[at..last].iter().rposition(|&byte| CLASSES[usize::from(byte)] == 0);
        if let Some(before) = start {
            at += before + 1;
            continue;
        }
        let end = end_of(text, last);
        // Digits of bytes are no lines of Base64, and end where a word follows.
        let digits = hexadecimal(text, &(at..end));
        let before = digits.as_ref().map_or(end, |digits| digits.start);
        if before - at >= BASE64 {
            found.extend(run(text, at..before));
        }
        at = digits.as_ref().map_or(end, |digits| digits.end);
        found.extend(digits.map(|range| Run { wrapping: Wrapping::Hex, range }));
    }
    let percent = percent::runs(text).into_iter();
    found.extend(percent.map(|(wrapping, range)| Run { wrapping, range }));
    let dumps = byte_lists::dumps(text).into_iter();
    found.extend(dumps.map(|range| Run { wrapping: Wrapping::Dump, range }));
    found
}

/// The content of a run that is replaced as a whole. `left` is the number of bytes that may still
/// be unpacked in the session.
pub(crate) fn content(wrapping: Wrapping, run: &[u8], left: &Cell<u64>) -> Content {
    let bytes = match wrapping {
        Wrapping::Base64 => base64_bytes(run),
        Wrapping::Hex => hex_bytes(&digits(run)),
        _ => Some(byte_lists::bytes(run)),
    };
    let Some(bytes) = bytes else { return Content::Other };
    match containers::content(&bytes, left) {
        Content::Other => {}
        content => return content,
    }
    if let Some(text) = utf16(&bytes) {
        return Content::Text(text);
    }
    if is_text(&bytes, bytes.len()) {
        return Content::Text(bytes);
    }
    // What follows may be no part of the run, or no text.
    containers::mixed(&bytes, if is_text(&bytes, HEAD) { 0 } else { STRING })
}

/// The end of a run, over line breaks within it and the padding.
fn end_of(text: &[u8], start: usize) -> usize {
    let (mut at, mut line) = (start, start.saturating_sub(BASE64));
    loop {
        let rest = &text[at..];
        at += rest.iter().take_while(|&&byte| is_digit(byte)).count();
        let rest = &text[at..];
        let Some(gap) = gap(rest, at - line) else {
            let padding = rest.iter().take(2).take_while(|&&byte| byte == b'=').count();
            return at + padding;
        };
        at += gap;
        line = at;
    }
}

fn run(text: &[u8], range: Range<usize>) -> Option<Run> {
    let has_texts = |bytes: Option<Vec<u8>>| {
        bytes.is_some_and(|bytes| matches!(containers::mixed(&bytes, STRING), Content::Text(_)))
    };
    let bytes = &text[range.clone()];
    if bytes.len() >= HEX && bytes.iter().all(u8::is_ascii_hexdigit) {
        let wrapping = Wrapping::Hex;
        let head = hex_bytes(&bytes[..bytes.len().min(2 * TRIAL) & !1])?;
        let promising = containers::is_packed(&head)
            || is_plain(&head)
            || utf16(&head).is_some()
            || (bytes.len() >= 2 * MIXED && has_texts(hex_bytes(bytes)));
        return promising.then_some(Run { wrapping, range });
    }
    // Words and paths have the alphabet of Base64 too: the first bytes show what it is.
    let mut trial = digits(&bytes[..bytes.len().min(2 * TRIAL)]);
    let padding = trial.iter().position(|&byte| byte == b'=').unwrap_or(TRIAL);
    trial.truncate(padding.min(TRIAL));
    let length = trial.len() / 4 * 4;
    let decoded = plain(trial.get(..length)?)?;
    let promising = containers::is_packed(&decoded)
        || is_text(&decoded, HEAD)
        || utf16(&decoded).is_some()
        || (bytes.len() >= LEAST && has_string(&decoded) && has_texts(base64_bytes(bytes)))
        || (bytes.len() >= MIXED && has_texts(base64_bytes(bytes)));
    if promising {
        return Some(Run { wrapping: Wrapping::Base64, range });
    }
    // A path or a name may be before it.
    let signs = (0..bytes.len().min(TRIAL)).filter(|&at| b"/-_+".contains(&bytes[at]));
    let inner = signs.map(|at| &bytes[at + 1..]).filter(|inner| inner.len() >= BASE64);
    let inner = inner.take(6).find(|inner| {
        let trial = plain(&inner[..inner.len().min(TRIAL / 2) / 4 * 4]);
        trial.is_some_and(|trial| {
            let is_wide = || memchr::memchr(0, &trial).is_some() && utf16(&trial).is_some();
            is_plain(&trial) || containers::is_packed(&trial) || is_wide()
        })
    })?;
    Some(Run { wrapping: Wrapping::Base64, range: range.end - inner.len()..range.end })
}

/// The least lengths of a text among other bytes, and of a run in which it is looked for.
const STRING: usize = 16;
const MIXED: usize = 64;
/// The same of a run whose first bytes have one.
const LEAST: usize = 48;

/// Whether letters of that number follow each other.
fn has_string(bytes: &[u8]) -> bool {
    let is_other = |byte: &u8| !matches!(byte, 0x20..=0x7e);
    bytes.split(is_other).any(|text| text.len() >= STRING)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;

    use super::*;
    use crate::unwrap::base64::PLAIN;

    fn only(text: &str) -> Option<(Wrapping, String)> {
        let mut found = runs(text.as_bytes());
        assert!(found.len() < 2, "{found:?}");
        let Run { wrapping, range } = found.pop()?;
        Some((wrapping, text[range].to_owned()))
    }

    #[test]
    fn runs_of_encoded_text_are_found() {
        let text = "a word that is to be found, and more of it";
        let plain = PLAIN.encode(text);
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let wide = PLAIN.encode(wide);
        for (run, wrapping) in
            [(&plain, Wrapping::Base64), (&hex, Wrapping::Hex), (&wide, Wrapping::Base64)]
        {
            assert_eq!(only(&format!("x: {run} y")), Some((wrapping, run.clone())));
        }
        let read = |run: &str| match content(Wrapping::Base64, run.as_bytes(), &Cell::new(1 << 20))
        {
            Content::Text(text) => String::from_utf8_lossy(&text).into_owned(),
            _ => String::new(),
        };
        assert_eq!((&*read(&plain), &*read(&wide)), (text, text));
        let cut = read(&plain[..plain.len() - 5]);
        assert!(cut.len() > 20 && text.starts_with(&cut));
        let lines = format!("{}\n{}", &plain[..28], &plain[28..]);
        assert_eq!(only(&lines), Some((Wrapping::Base64, lines.clone())));
    }

    #[test]
    fn words_paths_and_digests_are_no_runs() {
        for text in [
            "crates/evidence/src/redact/view/mod.rs and so on",
            "9e107d9d372bb6826bd81d3542a419d69e107d9d372bb6826bd81d3542a419d6",
            "an_identifier_that_is_longer_than_twenty_four",
        ] {
            assert_eq!(only(text), None, "{text}");
        }
    }

    #[test]
    fn bytes_of_a_database_are_digits_and_no_escapes() {
        let hex: String = "DB_PASSWORD=x1y2".bytes().map(|byte| format!("{byte:02x}")).collect();
        let text = format!("\\x{hex}");
        let mut out = Vec::new();
        crate::unwrap::escapes::json(text.as_bytes(), &mut out);
        assert_eq!(out, text.as_bytes());
        assert_eq!(only(&text), Some((Wrapping::Hex, hex)));
    }

    #[test]
    fn percent_encoding_is_a_run_with_what_is_around_it() {
        let run = "see token=%67%68%70_abc there";
        assert_eq!(only(run), Some((Wrapping::Percent, run.to_owned())));
        assert_eq!(only("50% of 100%"), None);
    }
}
