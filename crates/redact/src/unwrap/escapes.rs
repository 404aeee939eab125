//! Escapes: those of JSON (RFC 8259, section 7), and those of programs and shells.

use super::hex::hex_byte;
use super::source_map::Sink;

/// Decodes escapes of JSON, and those of programs and shells that JSON does not have (`\xNN`,
/// `\NNN`, `\u{N}`). Other backslashes are kept, so that any text can be decoded.
pub(crate) fn json(text: &[u8], out: &mut impl Sink) {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &text[at..]) {
        let escape = at + found;
        if let Some((length, letters)) = points(&text[escape..]) {
            out.put(&text[at..escape], at..escape);
            out.put(letters.as_bytes(), escape..escape + length);
            at = escape + length;
            continue;
        }
        let Some((length, decoded)) = escaped(&text[escape..]) else {
            out.put(&text[at..=escape], at..escape + 1);
            at = escape + 1;
            continue;
        };
        if escape > at {
            out.put(&text[at..escape], at..escape);
        }
        let mut buffer = [0; 4];
        out.put(decoded.encode_utf8(&mut buffer).as_bytes(), escape..escape + length);
        at = escape + length;
    }
    if at < text.len() {
        out.put(&text[at..], at..text.len());
    }
}

/// The number of hexadecimal digits behind `\x` that are those of several bytes.
const BYTEA: usize = 20;

/// The length of the escape at the beginning of a text, and its character.
fn escaped(text: &[u8]) -> Option<(usize, char)> {
    let short = match text.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        // Shells and Markdown escape any sign, and shells a space.
        &byte if byte.is_ascii_punctuation() || byte == b' ' => char::from(byte),
        b'U' => return long(text),
        b'u' if text.get(2) == Some(&b'{') => return braced(text),
        b'u' => return unicode(text),
        // A database writes bytes as `\x` and all their digits.
        b'x' if text[2..].iter().take(BYTEA).filter(|b| b.is_ascii_hexdigit()).count() == BYTEA => {
            return None;
        }
        b'x' => return Some((4, ascii(u32::from(hex_byte(text.get(2..4)?)?))?)),
        b'0'..=b'7' => return octal(text),
        _ => return None,
    };
    Some((2, short))
}

/// `\U00000067`.
fn long(text: &[u8]) -> Option<(usize, char)> {
    let digits = text.get(2..10).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    let point = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some((10, char::from_u32(point)?))
}

fn ascii(point: u32) -> Option<char> {
    char::from_u32(point).filter(char::is_ascii)
}

/// `\u{67}`.
fn braced(text: &[u8]) -> Option<(usize, char)> {
    let digits = text.get(3..text.len().min(10))?.split(|&byte| byte == b'}').next()?;
    let closed = text.get(3 + digits.len()) == Some(&b'}');
    let point = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    closed.then_some((digits.len() + 4, char::from_u32(point)?))
}

/// The length of `\u{67 68}`, as Ruby has it, and its characters.
fn points(text: &[u8]) -> Option<(usize, String)> {
    let list = text.strip_prefix(b"\\u{")?;
    let is_part = |byte: &&u8| byte.is_ascii_hexdigit() || matches!(byte, b' ' | b'\t');
    let end = list.iter().take_while(is_part).count();
    let is_list = list.get(end) == Some(&b'}') && list[..end].trim_ascii().contains(&b' ');
    let list = std::str::from_utf8(&list[..end]).ok().filter(|_| is_list)?;
    let point = |digits: &str| char::from_u32(u32::from_str_radix(digits, 16).ok()?);
    Some((end + 4, list.split_ascii_whitespace().map(point).collect::<Option<String>>()?))
}

/// `\147`, `\0147` of `printf`, and `\75`: fewer digits only where they are those of a letter, as
/// patterns have them too.
fn octal(text: &[u8]) -> Option<(usize, char)> {
    let digits = text[1..].iter().take(4).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let point = |count: usize| {
        let digits = text.get(1..1 + count).filter(|_| count <= digits)?;
        Some(digits.iter().fold(0, |sum, digit| sum << 3 | u32::from(digit - b'0')))
    };
    let is_letter = |point: &u32| (0x20..0x7f).contains(point) || matches!(point, 9 | 10 | 13);
    let long = (text[1] == b'0').then(|| point(4).filter(is_letter)).flatten();
    if let Some(point) = long.filter(|_| matches!(text[2], b'0' | b'1')) {
        return Some((5, ascii(point)?));
    }
    if let Some(point) = point(3).filter(|_| text[1] < b'4') {
        return Some((4, ascii(point)?));
    }
    Some((3, ascii(point(2).filter(is_letter)?)?))
}

fn unicode(text: &[u8]) -> Option<(usize, char)> {
    let unit = |at: usize| -> Option<u32> {
        let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        let digits = std::str::from_utf8(digits).ok()?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(())?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(0)?;
    if let Some(one) = char::from_u32(first) {
        return Some((6, one));
    }
    let second = unit(6).filter(|second| (0xdc00..0xe000).contains(second));
    match second {
        Some(second) if first < 0xdc00 => {
            let point = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            Some((12, char::from_u32(point)?))
        }
        _ => Some((6, char::REPLACEMENT_CHARACTER)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unwrap::source_map::testing::{both, origin};

    #[test]
    fn escapes_of_json_are_decoded_and_traced() {
        let text = br#"a\n\"k\": \u0041\ud83d\ude00b\q \ud800 c\"#;
        let (decoded, parts) = both(text, |text, mut out| json(text, &mut out));
        assert_eq!(String::from_utf8_lossy(&decoded), "a\n\"k\": A\u{1f600}b\\q \u{fffd} c\\");
        assert_eq!(origin(text, &parts, &decoded, "A\u{1f600}"), br"\u0041\ud83d\ude00");
        assert_eq!(origin(text, &parts, &decoded, "k"), b"k");
        assert_eq!(parts.from(&(3..3)), None);
        assert_eq!(parts.from(&(3..300)), None);
    }

    #[test]
    fn a_list_of_points_is_one_part() {
        let text = br"x \u{61 62 a 1f600} \u{67} \u{61 62 \u{61 g}";
        let (decoded, parts) = both(text, |text, mut out| json(text, &mut out));
        let read = "x ab\n\u{1f600} g \\u{61 62 \\u{61 g}";
        assert_eq!(String::from_utf8_lossy(&decoded), read);
        assert_eq!(origin(text, &parts, &decoded, "b"), br"\u{61 62 a 1f600}");
    }
}
