//! Runs of encoded text within a text: Base64, hexadecimal digits, dumps, percent encoding.

use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::decode::Wrapping;
use super::dumps;
use super::lines::{end_of_word, start_of_word};
use super::packed::{self, Content};

/// The least length of a run of Base64.
const BASE64: usize = 24;
/// The least length of a run of hexadecimal digits.
const HEX: usize = 24;
/// The least length of a run with percent encoding.
const PERCENT: usize = 8;
/// The number of bytes that are decoded to see whether a run is text at all.
const TRIAL: usize = 64;

/// A run of encoded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) wrapping: Wrapping,
    pub(super) range: Range<usize>,
}

const fn config() -> GeneralPurposeConfig {
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
}

const PLAIN: GeneralPurpose = GeneralPurpose::new(&STANDARD, config());
const URL: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, config());

/// Classes of bytes.
const ALNUM: u8 = 1;
const SYMBOL: u8 = 2;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => ALNUM,
            b'+' | b'/' | b'-' | b'_' => SYMBOL,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// The runs of a text that may be encoded.
pub(super) fn runs(text: &[u8]) -> Vec<Run> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + BASE64 <= text.len() {
        // Of the bytes of a run that begins here, this one would be the last of the least length.
        let last = at + BASE64 - 1;
        if CLASSES[usize::from(text[last])] == 0 {
            at = last + 1;
            continue;
        }
        let start = text[at..last].iter().rposition(|&byte| CLASSES[usize::from(byte)] == 0);
        if let Some(before) = start {
            at += before + 1;
            continue;
        }
        let end = end_of(text, last + 1);
        found.extend(run(text, at..end));
        at = end;
    }
    if memchr::memchr(b'%', text).is_some() {
        percent(text, &mut found);
    }
    let dumps = dumps::dumps(text).into_iter();
    found.extend(dumps.map(|range| Run { wrapping: Wrapping::Dump, range }));
    found
}

/// The content of a run that is replaced as a whole.
pub(super) fn content(wrapping: Wrapping, run: &[u8]) -> Content {
    let bytes = match wrapping {
        Wrapping::Base64 => base64_bytes(run),
        Wrapping::Hex => hex_bytes(run),
        _ => Some(dumps::bytes(run)),
    };
    let Some(bytes) = bytes else { return Content::Other };
    if packed::is_packed(&bytes) {
        return packed::content(&bytes);
    }
    if let Some(text) = utf16(&bytes) {
        return Content::Text(text);
    }
    if is_text(&bytes, bytes.len()) { Content::Text(bytes) } else { Content::Other }
}

/// The end of a run, over line breaks within it and the padding.
fn end_of(text: &[u8], mut at: usize) -> usize {
    loop {
        let rest = &text[at..];
        at += rest.iter().take_while(|&&byte| CLASSES[usize::from(byte)] != 0).count();
        let rest = &text[at..];
        let space = usize::from(rest.starts_with(b"\r\n")) + 1;
        let goes_on = matches!(rest, [b'\n' | b'\r', ..])
            && rest.get(space..space + BASE64 / 2).is_some_and(|next| {
                next.iter().all(|&byte| CLASSES[usize::from(byte)] != 0 || byte == b'=')
            });
        if !goes_on {
            let padding = rest.iter().take(2).take_while(|&&byte| byte == b'=').count();
            return at + padding;
        }
        at += space;
    }
}

fn run(text: &[u8], range: Range<usize>) -> Option<Run> {
    let bytes = &text[range.clone()];
    if bytes.len() >= HEX && bytes.iter().all(u8::is_ascii_hexdigit) {
        let wrapping = Wrapping::Hex;
        let head = hex_bytes(&bytes[..bytes.len().min(2 * TRIAL) & !1])?;
        let promising = packed::is_packed(&head) || is_plain(&head) || utf16(&head).is_some();
        return promising.then_some(Run { wrapping, range });
    }
    // Words and paths have the alphabet of Base64 too: the first bytes show what it is.
    let trial: Vec<u8> =
        bytes.iter().copied().take(TRIAL).filter(|byte| !is_space(*byte)).collect();
    let length = trial.len() / 4 * 4;
    let decoded = plain(trial.get(..length)?)?;
    let promising = packed::is_packed(&decoded)
        || is_text(&decoded, 16)
        || utf16(&decoded).is_some()
        || is_archive(&decoded);
    promising.then_some(Run { wrapping: Wrapping::Base64, range })
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn plain(digits: &[u8]) -> Option<Vec<u8>> {
    PLAIN.decode(digits).or_else(|_| URL.decode(digits)).ok()
}

/// The bytes of a run of Base64.
pub(super) fn base64_bytes(run: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = run.iter().copied().filter(|&byte| !is_space(byte)).collect();
    // What cuts a text may leave a digit too many.
    plain(&digits).or_else(|| plain(&digits[..digits.len() / 4 * 4]))
}

/// Whether bytes begin as a tape archive does: with a name and zeros.
fn is_archive(bytes: &[u8]) -> bool {
    let name = bytes.iter().take_while(|byte| byte.is_ascii_graphic()).count();
    name > 0 && bytes.len() > name + 16 && bytes[name..].iter().all(|&byte| byte == 0)
}

/// Whether at least 95 % of the first bytes can be those of a text.
fn is_text(bytes: &[u8], first: usize) -> bool {
    let bytes = &bytes[..first.min(bytes.len())];
    let odd = bytes.iter().filter(|&&byte| byte < 0x20 && !byte.is_ascii_whitespace()).count();
    let high = bytes.iter().filter(|&&byte| byte >= 0x7f).count();
    let is_utf8 = high == 0 || std::str::from_utf8(&bytes[..bytes.len().saturating_sub(3)]).is_ok();
    !bytes.is_empty() && (odd + if is_utf8 { 0 } else { high }) * 20 <= bytes.len()
}

/// The text of bytes in UTF-16, by its mark or its many zeros.
fn utf16(bytes: &[u8]) -> Option<Vec<u8>> {
    let pairs = || bytes.chunks_exact(2);
    let zeros = |at: usize| pairs().filter(|pair| pair[at] == 0).count() * 10 >= pairs().len() * 7;
    let little = bytes.starts_with(b"\xff\xfe") || (bytes.len() >= 8 && zeros(1));
    let big = bytes.starts_with(b"\xfe\xff") || (bytes.len() >= 8 && zeros(0));
    let unit = |pair: &[u8]| {
        if little {
            u16::from_le_bytes([pair[0], pair[1]])
        } else {
            u16::from_be_bytes([pair[0], pair[1]])
        }
    };
    (little != big).then(|| {
        let units = char::decode_utf16(pairs().map(unit));
        units.map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>().into()
    })
}

/// The bytes in hexadecimal digits.
fn hex_bytes(digits: &[u8]) -> Option<Vec<u8>> {
    digits.chunks_exact(2).map(super::decode::hex_byte).collect()
}

/// Whether all bytes are those of an ASCII text: digests in hexadecimal digits are none.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..0x7f))
}

/// The length of what is before percent encoding that is seen with it.
const BEFORE: usize = 512;
/// The same behind it.
const BEHIND: usize = 128;

/// The parts of a text around its percent encoding.
fn percent(text: &[u8], found: &mut Vec<Run>) {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for escape in memchr::memchr_iter(b'%', text) {
        let digits = text.get(escape + 1..escape + 3);
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
            found.push(Run { wrapping: Wrapping::Form, range: range.clone() });
        }
        if range.len() >= PERCENT {
            found.push(Run { wrapping: Wrapping::Percent, range });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let read = |run: &str| match content(Wrapping::Base64, run.as_bytes()) {
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
    fn percent_encoding_is_a_run_with_what_is_around_it() {
        let run = "see token=%67%68%70_abc there";
        assert_eq!(only(run), Some((Wrapping::Percent, run.to_owned())));
        assert_eq!(only("50% of 100%"), None);
    }
}
