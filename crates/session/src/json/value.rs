//! Reading of a value: text, numbers, and JSON inside a string. These are views; the bytes stay
//! unchanged.

use std::borrow::Cow;

use crate::json::node::{Node, Shape};
use crate::json::reader::Scan;
pub use crate::json::seam::share_a_word;
use crate::json::span::Span;

/// The text of a scalar in JSON: a string's content, or a number or boolean as written; `None` for
/// null and containers. A lone surrogate becomes U+FFFD in this view.
#[must_use]
pub fn text(raw: &[u8]) -> Option<Cow<'_, str>> {
    match raw.first()? {
        b'"' => Some(unescape(raw.get(1..raw.len() - 1)?)),
        b'{' | b'[' | b'n' => None,
        _ => std::str::from_utf8(raw).ok().map(Cow::Borrowed),
    }
}

/// A whole number, also as a string of digits. The value counts, not the spelling: `10.0` and `1e1`
/// are ten.
#[must_use]
pub fn number(raw: &[u8]) -> Option<u64> {
    let digits = raw.strip_prefix(b"\"").and_then(|raw| raw.strip_suffix(b"\"")).unwrap_or(raw);
    // Nearly every counter is a few digits.
    if let 1..20 = digits.len()
        && let Some(number) = digits.iter().try_fold(0, |sum: u64, digit| {
            digit.is_ascii_digit().then(|| sum * 10 + u64::from(digit - b'0'))
        })
    {
        return Some(number);
    }
    let text = std::str::from_utf8(digits).ok()?;
    text.parse().ok().or_else(|| whole(text))
}

/// The whole number with this fraction or power of ten.
fn whole(text: &str) -> Option<u64> {
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (front, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || front.bytes().chain(fraction.bytes());
    if front.is_empty() || !digits().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let zeros = digits().rev().take_while(|&digit| digit == b'0').count();
    let count = front.len() + fraction.len() - zeros;
    let add = |sum: u64, digit: u8| sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    let value = digits().take(count).try_fold(0, add)?;
    let power = i64::from(power.parse::<i32>().ok()?);
    let power = power + i64::try_from(zeros).ok()? - i64::try_from(fraction.len()).ok()?;
    match value {
        0 => Some(0),
        _ => value.checked_mul(10u64.checked_pow(u32::try_from(power).ok()?)?),
    }
}

/// The content of a JSON string (without its quotes), escapes resolved.
#[must_use]
pub fn unescape(raw: &[u8]) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw) else {
        return lossy(raw);
    };
    let mut out = Vec::with_capacity(raw.len());
    pieces(
        raw,
        first,
        &mut out,
        |out, piece| out.extend_from_slice(piece),
        |out, code| {
            out.extend_from_slice(code.encode_utf8(&mut [0; 4]).as_bytes());
        },
    );
    Cow::Owned(String::from_utf8(out).unwrap_or_else(|_| unescape_lossy(raw, first)))
}

/// The same of bytes that are not UTF-8 throughout.
#[cold]
fn unescape_lossy(raw: &[u8], first: usize) -> String {
    let mut out = String::with_capacity(raw.len());
    pieces(raw, first, &mut out, |out, piece| out.push_str(&lossy(piece)), String::push);
    out
}

/// Hands over the content of a string with a first backslash: its plain pieces, and the characters
/// of its escapes.
#[inline]
fn pieces<O>(
    raw: &[u8],
    first: usize,
    out: &mut O,
    plain: impl Fn(&mut O, &[u8]),
    code: impl Fn(&mut O, char),
) {
    let (front, mut rest) = raw.split_at(first);
    plain(out, front);
    while let Some((_, tail)) = rest.split_first() {
        let (escaped, used) = escape(tail);
        escaped.into_iter().for_each(|escaped| code(out, escaped));
        let behind = tail.get(used..).unwrap_or_default();
        let (piece, more) = behind.split_at(memchr::memchr(b'\\', behind).unwrap_or(behind.len()));
        plain(out, piece);
        rest = more;
    }
}

/// Bytes as text. Nearly always they are UTF-8 throughout, which is cheaper to check first.
fn lossy(raw: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(raw).map_or_else(|_| String::from_utf8_lossy(raw), Cow::Borrowed)
}

/// The character of the escape after a backslash, and the length of that in bytes.
#[inline]
fn escape(tail: &[u8]) -> (Option<char>, usize) {
    let plain = match tail.first() {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => {
            let (code, used) = unicode(tail);
            return (Some(code), used);
        }
        Some(&other) => char::from(other),
        None => return (None, 0),
    };
    (Some(plain), 1)
}

/// Whether a JSON string's content is `text`, like [`unescape`] without allocating.
#[must_use]
pub fn spells(raw: &[u8], text: &str) -> bool {
    let (mut raw_rest, mut rest) = (raw, text.as_bytes());
    while let Some(plain) = memchr::memchr(b'\\', raw_rest) {
        let (before, escaped) = raw_rest.split_at(plain);
        let (code, used) = escape(&escaped[1..]);
        let mut character = [0; 4];
        let character = code.map_or("", |code| code.encode_utf8(&mut character));
        let after = rest.strip_prefix(before);
        let Some(after) = after.and_then(|after| after.strip_prefix(character.as_bytes())) else {
            return unescape(raw) == text;
        };
        (raw_rest, rest) = (&escaped[1 + used..], after);
    }
    // Often both are the same memory. Bytes that are not UTF-8 mean U+FFFD.
    std::ptr::eq(raw_rest, rest) || raw_rest == rest || unescape(raw) == text
}

/// `uXXXX`, or two of them that form a surrogate pair: the character and its length in bytes.
fn unicode(tail: &[u8]) -> (char, usize) {
    let high = hex(tail.get(1..5));
    if let 0xd800..0xdc00 = high
        && tail.get(5..7) == Some(b"\\u")
        && let low @ 0xdc00..0xe000 = hex(tail.get(7..11))
    {
        let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
        return (char::from_u32(code).unwrap_or('\u{fffd}'), 11);
    }
    (char::from_u32(high).unwrap_or('\u{fffd}'), 5.min(tail.len()))
}

fn hex(digits: Option<&[u8]>) -> u32 {
    let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
    digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or(0xfffd)
}

/// Parses a JSON value and passes it on; `None` if it is invalid.
pub fn look<T>(raw: &[u8], at: impl FnOnce(Node<'_>) -> Option<T>) -> Option<T> {
    let mut scan = Scan::without_templates();
    at(scan.read(raw, 0).ok()?.root())
}

/// The text at a path within a value, escapes resolved.
#[must_use]
pub fn text_at(node: Node<'_>, path: &[&str]) -> Option<String> {
    node.word(path).map(|text| unescape(text).into_owned())
}

/// The plain text of a content value: a string; or the texts of an array's elements, joined by line
/// feeds. All agents and the record have this form.
#[must_use]
pub fn said(raw: &[u8]) -> Cow<'_, str> {
    said_by(raw, &mut Scan::without_templates())
}

/// The same with the reader of many values, which keeps its buffers.
pub fn said_by<'r>(raw: &'r [u8], scan: &mut Scan) -> Cow<'r, str> {
    said_beside(raw, scan, false, |_| false)
}

/// The plain text without the elements that are `apart`, by their span in the value. Of an answer
/// that may be cut, a word that two elements share is one.
pub(crate) fn said_beside<'r>(
    raw: &'r [u8],
    scan: &mut Scan,
    is_answer: bool,
    apart: impl Fn(Span) -> bool,
) -> Cow<'r, str> {
    if raw.first() != Some(&b'[') {
        return text(raw).unwrap_or_default();
    }
    let Ok(doc) = scan.read(raw, 0) else { return Cow::Borrowed("") };
    let (mut out, mut is_beside) = (String::new(), false);
    for part in doc.root().elements() {
        let text = if apart(part.span()) { None } else { part_text(part) };
        if let Some(text) = &text {
            let shares = is_answer && is_beside && share_a_word(&out, text);
            if !out.is_empty() && !shares {
                out.push('\n');
            }
            out.push_str(text);
        }
        is_beside = text.is_some();
    }
    Cow::Owned(out)
}

/// Whether an element of an array is not text: a picture, a file. Elements that are `apart`, by
/// their span in the value, are not counted.
pub(crate) fn holds_more(raw: &[u8], apart: impl Fn(Span) -> bool) -> bool {
    let is_more = |part: Node<'_>| {
        let mut members = part.members().filter(|member| member.name != b"type").peekable();
        members.peek().is_some() && part.at(&["text"]).is_none()
    };
    let own = |part: &Node<'_>| !apart(part.span());
    look(raw, |root| root.elements().filter(own).any(is_more).then_some(())).is_some()
}

/// The names that lead to the text in an element of a content array, in the forms of the providers'
/// interfaces: a text, and what a function answered.
const PART_TEXTS: [&[&str]; 3] = [
    &["text"],
    &["functionResponse", "response", "output"],
    &["functionResponse", "response", "error"],
];

/// The text of an element of a content array: the element itself if it is one, or the text in it.
#[must_use]
pub fn part_text(part: Node<'_>) -> Option<Cow<'_, str>> {
    let text = match part.shape() {
        Shape::Object => PART_TEXTS.iter().find_map(|path| part.at(path)?.text())?,
        _ => part.text()?,
    };
    Some(unescape(text))
}

/// Writes a JSON string (RFC 8259, section 7), with the required escapes only.
pub fn quote(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    escape_into(text.as_bytes(), out);
    out.push(b'"');
}

/// Writes text, or a part of it, as within a JSON string.
pub fn escape_into(text: &[u8], out: &mut Vec<u8>) {
    out.reserve(text.len() + text.len() / 8);
    let mut rest = text;
    while let (plain, [byte, behind @ ..]) = rest.split_at(plain(rest)) {
        out.extend_from_slice(plain);
        escape_byte(*byte, out);
        rest = behind;
    }
    out.extend_from_slice(rest);
}

/// The number of bytes at the beginning of a text that a JSON string may hold unescaped. Eight are
/// tested in one word.
fn plain(text: &[u8]) -> usize {
    let (blocks, rest) = text.as_chunks();
    let first = blocks.iter().enumerate().find_map(|(at, block)| {
        let special = special(*block);
        (special != 0).then(|| at * 8 + special.trailing_zeros() as usize / 8)
    });
    let is_special = |byte: &u8| matches!(byte, 0..0x20 | b'"' | b'\\');
    let in_rest = || rest.iter().position(is_special).unwrap_or(rest.len());
    first.unwrap_or_else(|| blocks.len() * 8 + in_rest())
}

/// The high bit of each byte that must be escaped. The lowest set one is exact.
fn special(block: [u8; 8]) -> u64 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let word = u64::from_le_bytes(block);
    // The high bit of a byte is set if the byte is below `limit` (at most 128). Borrows can set it
    // for a higher byte too, but only if a lower one is set.
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word & HIGH;
    let is = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    below(word, 0x20) | is(b'"') | is(b'\\')
}

fn escape_byte(byte: u8, out: &mut Vec<u8>) {
    match byte {
        b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        _ => out.push(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte at every place of a block.
    #[test]
    fn a_string_is_escaped_wherever_its_bytes_are() {
        for byte in 0..=0x7f_u8 {
            for at in 0..19 {
                let mut text = b"a string of letters".to_vec();
                text[at] = byte;
                let mut written = b"\"".to_vec();
                escape_into(&text, &mut written);
                written.push(b'"');
                let escaped = written.iter().filter(|byte| **byte < 0x20).count();
                assert_eq!(
                    (escaped, unescape(&written[1..written.len() - 1]).as_bytes()),
                    (0, &*text)
                );
            }
        }
    }

    #[test]
    fn a_number_is_its_value() {
        let same = ["10", "10.0", "1e1", "1E+1", "100e-1", "0.1e2", "\"10\"", "10.000"];
        for text in same {
            assert_eq!(number(text.as_bytes()), Some(10), "{text}");
        }
        for text in ["0.0", "0e9", "0e-9"] {
            assert_eq!(number(text.as_bytes()), Some(0), "{text}");
        }
        assert_eq!(number(b"18446744073709551615.0"), Some(u64::MAX));
        let none = [
            "1.5",
            "1e-1",
            "-1",
            "-1.0",
            "1e20",
            "1e999999999999",
            "",
            ".",
            "e1",
            "1.x",
            "null",
            "true",
            "18446744073709551616.0",
            "[1]",
        ];
        for text in none {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }

    /// [`spells`] agrees with a comparison by [`unescape`].
    #[test]
    fn a_spelling_is_compared_without_making_its_text() {
        let raw: [&[u8]; 9] = [
            b"",
            b"plain",
            br"a\nb",
            br#"\"\u00e9\ud83d\ude00 x"#,
            br"\ud800",
            b"\xff",
            b"a\\n\xffb",
            b"\\",
            br"\u12",
        ];
        let texts: Vec<String> = raw.iter().map(|raw| unescape(raw).into_owned()).collect();
        for (raw, own) in raw.iter().zip(&texts) {
            for text in &texts {
                assert_eq!(spells(raw, text), own == text, "{own:?} and {text:?}");
            }
            assert!(!spells(raw, &format!("{own}x")));
        }
    }

    #[test]
    fn a_block_is_more_than_text_where_it_has_a_picture() {
        let more = |raw: &str| holds_more(raw.as_bytes(), |_| false);
        assert!(!more(r#"[{"type":"text","text":""}]"#));
        assert!(!more(r#"[{"type":"text","text":"  "},{"type":"text"},{},""]"#));
        assert!(more(r#"[{"type":"text","text":""},{"type":"image","source":{}}]"#));
        assert!(more(r#"[{"inlineData":{"mimeType":"image/png"}}]"#));
    }
}
