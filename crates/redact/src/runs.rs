//! Runs of encoded text within a text: Base64, hexadecimal digits, dumps, percent encoding.

use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::decode::Wrapping;
use super::gaps::{self, BASE64, CLASSES, gap, is_digit};
use super::lines::{end_of_word, start_of_word};
use super::packed::{self, Content};
use super::{armour, counted, deflated, dumps};
use hexadecimal::hexadecimal;

mod hexadecimal;

/// The least length of a run of hexadecimal digits.
const HEX: usize = 24;
/// The least length of a run with percent encoding.
const PERCENT: usize = 8;
/// The number of bytes that are decoded to see whether a run is text at all.
const TRIAL: usize = 64;
/// The number of bytes by which a text is known.
const HEAD: usize = 16;

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

/// The runs of a text that may be encoded.
pub(super) fn runs(text: &[u8]) -> Vec<Run> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + BASE64 <= text.len() {
        // A run that begins here would have the least length at least.
        let last = at + BASE64;
        let start = text[at..last].iter().rposition(|&byte| CLASSES[usize::from(byte)] == 0);
        if let Some(before) = start {
            at += before + 1;
            if let Some(range) = gaps::groups(text, at - 1) {
                at = range.end;
                found.extend(run(text, range));
            }
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
    if memchr::memchr(b'%', text).is_some() {
        percent(text, &mut found);
    }
    forms(text, &mut found);
    let dumps = dumps::dumps(text).into_iter().chain(dumps::lists(text));
    found.extend(dumps.map(|range| Run { wrapping: Wrapping::Dump, range }));
    found
}

/// The content of a run that is replaced as a whole.
pub(super) fn content(wrapping: Wrapping, run: &[u8]) -> Content {
    let bytes = match wrapping {
        Wrapping::Base64 => base64_bytes(run),
        Wrapping::Base32 => armour::base32(&digits(run)),
        Wrapping::Hex => hex_bytes(&digits(run)),
        _ => Some(dumps::bytes(run)),
    };
    let Some(bytes) = bytes else { return Content::Other };
    match packed::content(&bytes) {
        Content::Other => {}
        content => return content,
    }
    if let Some(text) = utf16(&bytes) {
        return Content::Text(text);
    }
    if is_text(&bytes, bytes.len()) {
        return Content::Text(counted::with(bytes));
    }
    if deflated::begins(&bytes) {
        match deflated::content(&bytes) {
            Content::Text(text) if !is_text(&text, HEAD) => {}
            Content::Other => {}
            content => return content,
        }
    }
    // What follows may be no part of the run, or no text.
    packed::mixed(&bytes, if is_text(&bytes, HEAD) { 0 } else { STRING })
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

/// The digits of a run of Base64, without what is between its lines.
fn digits(run: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(run.len()), 0);
    while at < run.len() {
        let line = run[at..].iter().take_while(|&&byte| is_digit(byte) || byte == b'=').count();
        out.extend_from_slice(&run[at..at + line]);
        at += line;
        at += gap(&run[at..], BASE64).unwrap_or(1);
    }
    out
}

fn run(text: &[u8], range: Range<usize>) -> Option<Run> {
    let has_texts = |bytes: Option<Vec<u8>>| {
        bytes.is_some_and(|bytes| matches!(packed::mixed(&bytes, STRING), Content::Text(_)))
    };
    let bytes = &text[range.clone()];
    if bytes.len() >= HEX && bytes.iter().all(u8::is_ascii_hexdigit) {
        let wrapping = Wrapping::Hex;
        let head = hex_bytes(&bytes[..bytes.len().min(2 * TRIAL) & !1])?;
        let promising = packed::is_packed(&head)
            || is_plain(&head)
            || utf16(&head).is_some()
            || is_archive(&head)
            || (bytes.len() >= 2 * MIXED && has_texts(hex_bytes(bytes)));
        return promising.then_some(Run { wrapping, range });
    }
    // Words and paths have the alphabet of Base64 too: the first bytes show what it is.
    let mut trial = digits(&bytes[..bytes.len().min(2 * TRIAL)]);
    let padding = trial.iter().position(|&byte| byte == b'=').unwrap_or(TRIAL);
    trial.truncate(padding.min(TRIAL));
    if armour::may_be_base32(&trial) && armour::base32(&trial).is_some_and(|trial| is_plain(&trial))
    {
        return Some(Run { wrapping: Wrapping::Base32, range });
    }
    let length = trial.len() / 4 * 4;
    let decoded = plain(trial.get(..length)?)?;
    let promising = packed::is_packed(&decoded)
        || is_text(&decoded, HEAD)
        || utf16(&decoded).is_some()
        || is_archive(&decoded)
        || deflated::begins(&decoded)
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
            is_plain(&trial) || packed::is_packed(&trial) || is_wide()
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

fn plain(digits: &[u8]) -> Option<Vec<u8>> {
    let one = || PLAIN.decode(digits).or_else(|_| URL.decode(digits)).ok();
    // What follows a run may have the digits of the other alphabet.
    let of = |byte: &u8| {
        if let Some(at) = b"-_".iter().position(|of| of == byte) { b"+/"[at] } else { *byte }
    };
    one().or_else(|| PLAIN.decode(digits.iter().map(of).collect::<Vec<u8>>()).ok())
}

/// The bytes of a run of Base64.
pub(super) fn base64_bytes(run: &[u8]) -> Option<Vec<u8>> {
    let digits = digits(run);
    let padding = digits.iter().position(|&byte| byte == b'=').unwrap_or(digits.len());
    if digits[padding..].iter().any(|&byte| byte != b'=') {
        // Each word of the head of a mail is padded by itself.
        let parts = digits.split(|&byte| byte == b'=').filter(|part| !part.is_empty());
        return parts.map(plain).collect::<Option<Vec<_>>>().map(|parts| parts.concat());
    }
    // What cuts a text may leave a digit too many.
    plain(&digits).or_else(|| plain(&digits[..digits.len() / 4 * 4]))
}

/// Whether bytes begin as a tape archive does: with a name and zeros.
fn is_archive(bytes: &[u8]) -> bool {
    let name = bytes.iter().take_while(|byte| byte.is_ascii_graphic()).count();
    name > 0 && bytes.len() > name + 16 && bytes[name..].iter().all(|&byte| byte == 0)
}

/// Whether at least 95 % of the first bytes can be those of a text. What a terminal acts on, and
/// what nobody sees, are parts of one.
fn is_text(bytes: &[u8], first: usize) -> bool {
    let bytes = &bytes[..first.min(bytes.len())];
    let is_odd = |byte: u8| byte < 0x20 && !byte.is_ascii_whitespace() && !is_acting(byte);
    let odd = bytes.iter().filter(|&&byte| is_odd(byte)).count();
    let acting = bytes.iter().filter(|&&byte| is_acting(byte)).count();
    let high = bytes.iter().filter(|&&byte| byte >= 0x7f).count();
    let odd = odd + if high == 0 || is_utf8(bytes) { 0 } else { high };
    !bytes.is_empty() && odd * 20 <= bytes.len() && acting * 2 <= bytes.len()
}

/// The beginning of a control sequence, and the step back.
const fn is_acting(byte: u8) -> bool {
    matches!(byte, 0x1b | 0x08)
}

/// Whether bytes are UTF-8; the last character may be cut.
fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
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

/// Whether all bytes are those of a text: digests in hexadecimal digits are none.
fn is_plain(bytes: &[u8]) -> bool {
    let may = |&byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..);
    bytes.iter().all(|byte| may(byte) || is_acting(*byte)) && is_utf8(bytes)
}

/// The values of a form in which only spaces are encoded: `name=a+b`.
fn forms(text: &[u8], found: &mut Vec<Run>) {
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
            found.push(Run { wrapping: Wrapping::Form, range: start..end });
        }
    }
}

/// The length of what is before percent encoding that is seen with it.
const BEFORE: usize = 512;
/// The same behind it.
const BEHIND: usize = 128;

/// The parts of a text around its percent encoding.
fn percent(text: &[u8], found: &mut Vec<Run>) {
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
