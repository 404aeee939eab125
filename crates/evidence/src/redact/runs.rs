//! Runs of encoded text within a text: Base64, hexadecimal digits, percent encoding.

use std::io::Read as _;
use std::ops::Range;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::decode::Wrapping;

/// The least length of a run of Base64.
const BASE64: usize = 24;
/// The least length of a run of hexadecimal digits.
const HEX: usize = 24;
/// The least length of a run with percent encoding.
const PERCENT: usize = 8;
/// The largest length of an unpacked text.
const UNPACKED: u64 = 1 << 20;
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
    found
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
        return hex(bytes).map(|_| Run { wrapping, range });
    }
    // Words and paths have the alphabet of Base64 too: the first bytes show what it is.
    let trial: Vec<u8> =
        bytes.iter().copied().take(TRIAL).filter(|byte| !is_space(*byte)).collect();
    let length = trial.len() / 4 * 4;
    let decoded = plain(trial.get(..length)?)?;
    let promising = is_packed(&decoded) || is_text(&decoded, 16) || utf16(&decoded).is_some();
    promising.then_some(Run { wrapping: Wrapping::Base64, range })
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

fn plain(digits: &[u8]) -> Option<Vec<u8>> {
    PLAIN.decode(digits).or_else(|_| URL.decode(digits)).ok()
}

/// The text in a run of Base64, unpacked; `None` if it is no text.
pub(super) fn base64(run: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = run.iter().copied().filter(|&byte| !is_space(byte)).collect();
    // What cuts a text may leave a digit too many.
    let decoded = plain(&digits).or_else(|| plain(&digits[..digits.len() / 4 * 4]))?;
    if is_packed(&decoded) {
        let mut text = Vec::new();
        let unpacked = flate2::read::GzDecoder::new(&*decoded).take(UNPACKED);
        // A cut archive gives the text before the cut.
        let _ = { unpacked }.read_to_end(&mut text);
        return is_text(&text, text.len()).then_some(text);
    }
    if let Some(text) = utf16(&decoded) {
        return Some(text);
    }
    is_text(&decoded, decoded.len()).then_some(decoded)
}

/// The signature of Gzip.
fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x1f\x8b\x08")
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

/// The text in hexadecimal digits; `None` if it is no text.
pub(super) fn hex(digits: &[u8]) -> Option<Vec<u8>> {
    let value = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
    let pairs = digits.chunks_exact(2);
    let bytes: Option<Vec<u8>> =
        pairs.map(|pair| Some(value(&pair[0])? << 4 | value(&pair[1])?)).collect();
    bytes
        .filter(|bytes| bytes.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..0x7f)))
}

/// The runs without white space that have percent encoding.
fn percent(text: &[u8], found: &mut Vec<Run>) {
    let is_end = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'<' | b'>');
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'%', &text[at..]) {
        let escape = at + next;
        at = escape + 1;
        let digits = text.get(escape + 1..escape + 3);
        if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
            continue;
        }
        let last = found.last().filter(|run| run.wrapping == Wrapping::Percent);
        let floor = last.map_or(0, |run| run.range.end);
        let start = text[floor..escape].iter().rposition(|&byte| is_end(byte));
        let start = start.map_or(floor, |before| floor + before + 1);
        let end = text[escape..].iter().position(|&byte| is_end(byte));
        let end = end.map_or(text.len(), |length| escape + length);
        if end - start >= PERCENT {
            found.push(Run { wrapping: Wrapping::Percent, range: start..end });
        }
        at = end;
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
        assert_eq!(base64(plain.as_bytes()).as_deref(), Some(text.as_bytes()));
        assert_eq!(base64(wide.as_bytes()).as_deref(), Some(text.as_bytes()));
        let cut = &plain[..plain.len() - 5];
        assert!(base64(cut.as_bytes()).is_some_and(|cut| text.as_bytes().starts_with(&cut)));
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
    fn percent_encoding_is_a_run_up_to_white_space() {
        let run = "token=%67%68%70_abc";
        assert_eq!(only(&format!("see {run} there")), Some((Wrapping::Percent, run.to_owned())));
        assert_eq!(only("50% of 100%"), None);
    }
}
