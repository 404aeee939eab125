//! Decoders of the judge: each gives the texts that it can make of a text.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::Read as _;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The shortest run that is decoded.
const RUN: usize = 16;
/// The largest unpacked length.
const UNPACKED: u64 = 16 << 20;
/// The largest number of compressed parts of one text.
const PARTS: usize = 64;
/// The largest number of compressed parts within each other.
const WITHIN: usize = 8;

/// A form of a whole text: its sign, and the text with it undone.
type Form = (u8, fn(&str) -> String);

/// The forms of a whole text. The first put other letters in the place of their signs, the others
/// leave something out.
const FORMS: [Form; 7] = [
    (b'\\', unescaped),
    (b'%', |text| percent(text, '%')),
    (b'=', |text| percent(&unbroken(text), '=')),
    (b'&', unreferenced),
    (0x1b, uncoloured),
    (b'<', untagged),
    (b'\n', unnumbered),
];
/// The number of those that put other letters.
const PUTTING: usize = 4;

/// The way in which a text was made of another: the form that was undone last, and the number of
/// places of each form in the text before.
#[derive(Clone, Copy, Default)]
pub(super) struct Made {
    last: usize,
    places: [usize; FORMS.len()],
}

impl Made {
    /// Whether a form is to be undone in a text with so many places of it. Forms that were undone
    /// in one order give mostly the same text in another: an earlier form comes behind a later one
    /// only where that made new places of it, or may have put the halves of one together.
    const fn allows(&self, form: usize, places: usize) -> bool {
        let is_cut = self.last >= PUTTING && form < PUTTING;
        places > 0 && (form >= self.last || is_cut || places > self.places[form])
    }
}

/// The receiver of what a text decodes to.
type Look<'l> = dyn FnMut(&str, Made) -> bool + 'l;

/// Gives each text that a text decodes to, one after the other, until one has what is looked for.
/// `left` is the number of bytes that may still be unpacked.
pub(super) fn any(text: &str, made: Made, left: &Cell<u64>, look: &mut Look<'_>) -> bool {
    let lines = text.contains('\n');
    if runs(text, left, look)
        || (lines && runs(&text.lines().map(trimmed).collect::<String>(), left, look))
        || numbers(text, left).iter().any(|text| look(text, Made::default()))
    {
        return true;
    }
    let places: [usize; FORMS.len()] = std::array::from_fn(|form| places(text, FORMS[form].0));
    let mut forms = FORMS.iter().enumerate();
    forms.any(|(form, (_, undo))| {
        made.allows(form, places[form]) && look(&undo(text), Made { last: form, places })
    })
}

/// A line without the space around it.
fn trimmed(line: &str) -> &str {
    line.trim_matches([' ', '\t', '\r'])
}

/// A text without the soft breaks of quoted-printable.
fn unbroken(text: &str) -> Cow<'_, str> {
    let has = |soft: &str| memchr::memmem::find(text.as_bytes(), soft.as_bytes()).is_some();
    match has("=\n") || has("=\r\n") {
        true => text.replace("=\n", "").replace("=\r\n", "").into(),
        false => text.into(),
    }
}

/// The digits of Base64, in either alphabet.
const DIGITS: [bool; 256] = {
    let mut digits = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let sign = matches!(byte as u8, b'+' | b'/' | b'-' | b'_');
        digits[byte] = sign || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    digits
};

/// The number of places of a form in a text, by its sign.
fn places(text: &str, sign: u8) -> usize {
    let text = text.as_bytes();
    let is_hex = |digits: Option<&[u8]>| {
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let all = memchr::memchr_iter(sign, text);
    match sign {
        b'%' => all.filter(|&at| is_hex(text.get(at + 1..at + 3))).count(),
        b'=' => {
            let is_place = |at: &usize| {
                is_hex(text.get(at + 1..at + 3)) || matches!(text.get(at + 1), Some(b'\n' | b'\r'))
            };
            all.filter(is_place).count()
        }
        b'&' => all.filter(|&at| text[at..].iter().take(13).any(|&byte| byte == b';')).count(),
        // An escape of more digits is another one.
        b'\\' => all.map(|at| 1 + usize::from(is_hex(text.get(at + 2..at + 4)))).sum(),
        _ => all.count(),
    }
}

/// Whether one of the encoded runs of a text has what is looked for.
fn runs(text: &str, left: &Cell<u64>, look: &mut Look<'_>) -> bool {
    let runs = text.as_bytes().split(|byte| !DIGITS[usize::from(*byte)]);
    let runs = runs.filter(|run| run.len() >= RUN);
    let mut runs = runs.filter_map(|run| std::str::from_utf8(run).ok());
    runs.any(|run| decoded(run, left).iter().any(|text| look(text, Made::default())))
}

/// The bytes of a whole text in Base64.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let plain = BASE64_STANDARD_NO_PAD.decode(digits);
    plain.or_else(|_| BASE64_URL_SAFE_NO_PAD.decode(digits)).ok().filter(|_| digits.len() > 2)
}

/// Bytes as a text; those between the letters of a text in UTF-16 are left out.
pub(super) fn plain(bytes: &[u8]) -> String {
    owned(bytes.iter().copied().filter(|&byte| byte != 0).collect())
}

/// Bytes as a text.
fn owned(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// The texts in a run of Base64 or of hexadecimal digits.
fn decoded(run: &str, left: &Cell<u64>) -> Vec<String> {
    let cut = &run[..run.len() / 4 * 4];
    let bytes = [base64(run).or_else(|| base64(cut)), hex(run)];
    bytes.into_iter().flatten().flat_map(|bytes| texts(&bytes, left, WITHIN)).collect()
}

fn hex(run: &str) -> Option<Vec<u8>> {
    if !run.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let digit = |at: usize| u8::from_str_radix(run.get(2 * at..2 * at + 2)?, 16).ok();
    (0..run.len() / 2).map(digit).collect()
}

/// Bytes as a text, and the texts of all that is compressed somewhere in them.
fn texts(bytes: &[u8], left: &Cell<u64>, within: usize) -> Vec<String> {
    let mut found = vec![plain(bytes)];
    let mut parts = 0;
    for at in 0..bytes.len() {
        let rest = &bytes[at..];
        let reader: Box<dyn std::io::Read> = match rest {
            [0x1f, 0x8b, 8, ..] => Box::new(MultiGzDecoder::new(rest)),
            [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => Box::new(ZlibDecoder::new(rest)),
            // A file in a zip archive: its name and other fields are before its bytes.
            [b'P', b'K', 3, 4, ..] if rest.len() > 30 => {
                let long = |at: usize| usize::from(rest[at]) + (usize::from(rest[at + 1]) << 8);
                let from = 30 + long(26) + long(28);
                Box::new(DeflateDecoder::new(rest.get(from..).unwrap_or_default()))
            }
            _ => continue,
        };
        let mut text = Vec::new();
        let _ = reader.take(left.get().min(UNPACKED)).read_to_end(&mut text);
        left.set(left.get() - text.len() as u64);
        parts += 1;
        if !text.is_empty() {
            // What was packed in it may be packed itself.
            let inner = matches!(text[..], [0x1f, 0x8b, ..] | [b'P', b'K', 3, 4, ..]);
            match inner && within > 0 {
                true => found.extend(texts(&text, left, within - 1)),
                false => found.push(plain(&text)),
            }
        }
        if parts == PARTS {
            break;
        }
    }
    found
}

/// Backslashes and what they spell: `\n`, `\x41`, `\101`, `\u0041`, `\u{41}`.
fn unescaped(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut out = parts.next().unwrap_or_default().to_owned();
    while let Some(part) = parts.next() {
        let spelled = |digits: &str, radix: u32| u32::from_str_radix(digits, radix).ok();
        let inner = part.strip_prefix("u{").and_then(|rest| rest.split_once('}'));
        let (point, rest) = if let Some((digits, rest)) = inner {
            (spelled(digits, 16), rest)
        } else if part.starts_with('x') {
            (part.get(1..3).and_then(|digits| spelled(digits, 16)), part.get(3..).unwrap_or(""))
        } else if part.starts_with('u') {
            (part.get(1..5).and_then(|digits| spelled(digits, 16)), part.get(5..).unwrap_or(""))
        } else if part.starts_with(|letter: char| letter.is_digit(8)) {
            (part.get(..3).and_then(|digits| spelled(digits, 8)), part.get(3..).unwrap_or(""))
        } else if let Some(rest) = part.strip_prefix(['n', 't', 'r']) {
            (Some(10), rest)
        } else if part.is_empty() {
            out.push('\\');
            out.push_str(parts.next().unwrap_or_default());
            continue;
        } else {
            (None, part)
        };
        out.extend(point.and_then(char::from_u32));
        out.push_str(rest);
    }
    out
}

/// Bytes that a sign and two digits spell, as `%41` or `=41`.
fn percent(text: &str, sign: char) -> String {
    let mut parts = text.split(sign);
    let mut out = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                out.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => {
                out.push(sign as u8);
                out.extend_from_slice(part.as_bytes());
            }
        }
    }
    owned(out)
}

fn uncoloured(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| {
        part.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';')
    });
    first + &rest.map(|part| part.get(1..).unwrap_or_default()).collect::<String>()
}

/// References of HTML: numbers; of names it is enough that they are gone, as those of letters and
/// digits have none.
fn unreferenced(text: &str) -> String {
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((name, rest)) = part.split_once(';').filter(|(name, _)| name.len() < 12) else {
            out.push('&');
            out.push_str(part);
            continue;
        };
        let point = match name.strip_prefix("#x").or_else(|| name.strip_prefix("#X")) {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => name.strip_prefix('#').and_then(|digits| digits.parse().ok()),
        };
        out.extend(point.and_then(char::from_u32));
        out.push_str(rest);
    }
    out
}

fn untagged(text: &str) -> String {
    let mut parts = text.replace("<![CDATA[", "").replace("]]>", "");
    while let Some((start, end)) = parts.find("<!--").zip(parts.find("-->")) {
        if end < start {
            break;
        }
        parts.replace_range(start..end + 3, "");
    }
    let mut parts = parts.split('<').map(str::to_owned);
    let first = parts.next().unwrap_or_default();
    first
        + &parts
            .map(|part| part.split_once('>').map_or(part.clone(), |(_, rest)| rest.into()))
            .collect::<String>()
}

/// Lines without what numbers them or names their file.
fn unnumbered(text: &str) -> String {
    let line = |line: &str| {
        let line = line.trim_start();
        let is_path = |head: &str| !head.contains(char::is_whitespace);
        // `path:12:text`
        let found = line.split_once(':').filter(|(head, _)| is_path(head)).and_then(|(_, rest)| {
            let digits = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
            (digits.len() < rest.len()).then(|| digits.to_owned())
        });
        let plain = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
        found.unwrap_or_else(|| plain.to_owned())
    };
    text.lines().map(line).collect()
}

/// Bytes that are written as numbers: digits of a dump, or of a list.
fn numbers(text: &str, left: &Cell<u64>) -> Vec<String> {
    let (mut dump, mut list, mut words, mut swapped) = (Vec::new(), Vec::new(), 0, Vec::new());
    for line in text.lines() {
        let tokens = line.split(|letter: char| !letter.is_ascii_alphanumeric());
        let mut tokens = tokens.filter(|token| !token.is_empty()).peekable();
        tokens.next_if(|token| (6..=16).contains(&token.len()));
        // The letters of a dump are behind two spaces or a bar.
        let end = line.get(10..).and_then(|rest| rest.find("  ").or_else(|| rest.find('|')));
        let limit =
            if line.contains(": ") { end.map_or(usize::MAX, |end| end + 10) } else { usize::MAX };
        let mut length = 0;
        for token in tokens {
            length += token.len();
            let digits = token.strip_prefix("0x").unwrap_or(token);
            let is_word = matches!(digits.len(), 2 | 4 | 8);
            let bytes = is_word.then(|| hex(digits)).flatten();
            if token.len() < 4
                && let Ok(byte) = token.parse::<u8>()
            {
                list.push(byte);
            }
            if length < limit
                && let Some(bytes) = bytes
            {
                words += 1;
                swapped.extend(bytes.iter().rev());
                dump.extend(bytes);
            }
        }
    }
    if words < 4 && list.len() < 8 {
        return Vec::new();
    }
    let mut found = texts(&dump, left, WITHIN);
    found.extend([plain(&swapped), plain(&list)]);
    found
}
