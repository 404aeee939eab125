//! Decoders of whole texts in which letters are spelled out, or kept apart by what nobody sees:
//! references of HTML, characters without a width, quoted-printable.

use std::ops::Range;

use super::decode::{Sink, hex_byte};
use super::packed::is_packed;

/// Whether a text may have references of HTML.
pub(super) fn has_entities(text: &[u8]) -> bool {
    memchr::memchr_iter(b'&', text).any(|at| entity(&text[at..]).is_some())
}

/// Decodes references of HTML.
pub(super) fn entities(text: &[u8], out: &mut impl Sink) {
    let mut from = 0;
    for at in memchr::memchr_iter(b'&', text) {
        let Some((length, letter)) = entity(&text[at..]) else { continue };
        out.put(&text[from..at], from..at);
        out.put(letter.encode_utf8(&mut [0; 4]).as_bytes(), at..at + length);
        from = at + length;
    }
    out.put(&text[from..], from..text.len());
}

/// Names of references to characters of ASCII, and to those that nobody sees.
const NAMES: [(&str, char); 42] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("excl", '!'),
    ("num", '#'),
    ("dollar", '$'),
    ("percnt", '%'),
    ("lpar", '('),
    ("rpar", ')'),
    ("ast", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("hyphen", '-'),
    ("dash", '-'),
    ("period", '.'),
    ("sol", '/'),
    ("colon", ':'),
    ("semi", ';'),
    ("equals", '='),
    ("quest", '?'),
    ("commat", '@'),
    ("lsqb", '['),
    ("lbrack", '['),
    ("bsol", '\\'),
    ("rsqb", ']'),
    ("rbrack", ']'),
    ("Hat", '^'),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("grave", '`'),
    ("lcub", '{'),
    ("verbar", '|'),
    ("vert", '|'),
    ("rcub", '}'),
    ("shy", '\u{ad}'),
    ("zwnj", '\u{200c}'),
    ("zwj", '\u{200d}'),
];

const fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// The length of the reference at the beginning of a text, and its character.
fn entity(text: &[u8]) -> Option<(usize, char)> {
    closed(text).or_else(|| open(text))
}

/// `&#103` and `&#x67` without an end, as browsers read them too.
fn open(text: &[u8]) -> Option<(usize, char)> {
    let (head, radix) = match text.strip_prefix(b"&#")? {
        [b'x' | b'X', ..] => (3, 16),
        _ => (2, 10),
    };
    let digits = text[head..].iter().take(8).take_while(|b| char::from(**b).is_digit(radix));
    let end = head + digits.count();
    // A tag or a quote may cut the number.
    if matches!(text.get(end), Some(b'<' | b'"' | b'\'')) {
        return None;
    }
    let digits = std::str::from_utf8(&text[head..end]).ok()?;
    let point = u32::from_str_radix(digits, radix).ok()?;
    let letter = char::from_u32(point).filter(|_| matches!(point, 9 | 10 | 13 | 0x20..0x7f))?;
    Some((end, letter))
}

fn closed(text: &[u8]) -> Option<(usize, char)> {
    let end = text.iter().take(14).position(|&byte| byte == b';')?;
    // The end of a line may be within.
    let name: Vec<u8> = text[1..end].iter().copied().filter(|&byte| !is_break(byte)).collect();
    let name = std::str::from_utf8(&name).ok()?;
    let letter = match name.strip_prefix('#') {
        None => NAMES.iter().find(|(known, _)| *known == name)?.1,
        Some(digits) => {
            let point = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            char::from_u32(point.ok()?)?
        }
    };
    Some((end + 1, letter))
}

/// Whether nobody sees a character: it has no width, or only says how others are shown.
const fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\0' | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The length of what nobody sees at the beginning of a text.
fn unseen(text: &[u8]) -> usize {
    let length = match text.first() {
        Some(0) => return 1,
        Some(0xc2 | 0xcd | 0xd8) => 2,
        Some(0xe1..=0xe3 | 0xef) => 3,
        Some(0xf3) => 4,
        // A character, and the one that goes back over it.
        Some(0x20..=0x7e) if text.get(1) == Some(&8) => return 2,
        _ => return 0,
    };
    let letter = text.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok());
    letter
        .and_then(|text| text.chars().next())
        .filter(|&letter| is_unseen(letter))
        .map_or(0, |_| length)
}

/// The letter of ASCII that a wide one of the same form is, at the beginning of a text.
fn narrow(text: &[u8]) -> Option<u8> {
    match text {
        [0xef, 0xbc, last @ 0x81..=0xbf, ..] => Some(last - 0x60),
        [0xef, 0xbd, last @ 0x80..=0x9e, ..] => Some(last - 0x20),
        _ => None,
    }
}

/// Whether wide letters or digits follow each other: signs of that form are in every Chinese text.
fn has_wide(text: &[u8]) -> bool {
    let is_letter = |text: &[u8]| narrow(text).is_some_and(|letter| letter.is_ascii_alphanumeric());
    let mut places = memchr::memchr_iter(0xef, text);
    places.any(|at| is_letter(&text[at..]) && is_letter(&text[at + 3..]))
}

/// Whether a text has characters that nobody sees, or wide letters.
pub(super) fn has_invisible(text: &[u8]) -> bool {
    if text.is_ascii() && memchr::memchr2(0, 8, text).is_none() {
        return false;
    }
    let may = |byte: u8| matches!(byte, 0 | 8 | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf3);
    let at = |at: usize| if text[at] == 8 { at.saturating_sub(1) } else { at };
    let mut places = text.iter().enumerate().filter(|(_, byte)| may(**byte));
    places.any(|(place, _)| unseen(&text[at(place)..]) > 0) || has_wide(text)
}

/// Removes the characters that nobody sees; wide letters and signs become those of ASCII.
pub(super) fn invisible(text: &[u8], out: &mut impl Sink) {
    let (mut at, mut from) = (0, 0);
    let is_wide = has_wide(text);
    while at < text.len() {
        let letter = if is_wide { narrow(&text[at..]) } else { None };
        let length = letter.map_or_else(|| unseen(&text[at..]), |_| 3);
        if length == 0 {
            at += 1;
            continue;
        }
        out.put(&text[from..at], from..at);
        if let Some(letter) = letter {
            out.put(&[letter], at..at + length);
        }
        at += length;
        from = at;
    }
    out.put(&text[from..], from..text.len());
}

/// Whether a text may be quoted-printable: its own sign is spelled, or bytes follow each other, or
/// a soft break is in a word.
pub(super) fn has_quoted(text: &[u8]) -> bool {
    memchr::memchr_iter(b'=', text).any(|at| {
        let rest = &text[at..];
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let is_soft = soft(rest) > 0 && before.is_some_and(u8::is_ascii_alphanumeric);
        let is_run =
            (0..3).all(|number| byte(rest.get(3 * number..).unwrap_or_default()).is_some());
        is_soft || is_run || rest.starts_with(b"=3D") || word_of_mail(rest) > 0
    })
}

/// The length of the head of a quoted word of a mail (RFC 2047) at the beginning of a text.
fn word_of_mail(text: &[u8]) -> usize {
    let near = &text[..text.len().min(40)];
    let head = || near.windows(3).position(|of| matches!(of, b"?Q?" | b"?q?"));
    if near.starts_with(b"=?") { head().map_or(0, |at| at + 3) } else { 0 }
}

/// The length of a soft break at the beginning of a text.
fn soft(text: &[u8]) -> usize {
    match text {
        [b'=', b'\n', ..] => 2,
        [b'=', b'\r', b'\n', ..] => 3,
        _ => 0,
    }
}

/// The byte that is spelled at the beginning of a text; its digits are capitals.
fn byte(text: &[u8]) -> Option<u8> {
    match text {
        [b'=', high, low, ..] if !high.is_ascii_lowercase() && !low.is_ascii_lowercase() => {
            hex_byte(&[*high, *low])
        }
        // Small digits are its own only in a run.
        [b'=', high, low, b'=', next @ ..] if next.first().is_some_and(u8::is_ascii_hexdigit) => {
            hex_byte(&[*high, *low])
        }
        _ => None,
    }
}

/// Decodes quoted-printable.
pub(super) fn quoted(text: &[u8], out: &mut impl Sink) {
    let mut from = 0;
    for at in memchr::memchr_iter(b'=', text) {
        if at < from {
            continue;
        }
        let skip = soft(&text[at..]).max(word_of_mail(&text[at..]));
        let byte = byte(&text[at..]);
        // The end of a word of a mail.
        let ends = text[from..at].ends_with(b"?") && text.get(at + 1).is_none_or(|b| *b <= b' ');
        if skip == 0 && byte.is_none() && !ends {
            continue;
        }
        let end = if ends { at - 1 } else { at };
        out.put(&text[from..end], from..end);
        from = at
            + if ends {
                1
            } else if skip > 0 {
                skip
            } else {
                3
            };
        if let Some(byte) = byte.filter(|_| skip == 0 && !ends) {
            out.put(&[byte], at..from);
        }
    }
    out.put(&text[from..], from..text.len());
}

/// The beginnings of packed bytes, as programs and addresses spell them.
const PACKED: [&[u8]; 6] =
    [b"\\x1f\\x8b", b"\\037\\213", b"x\\x9c", b"x\\xda", b"%1f%8b", b"%1F%8B"];

/// The ranges of a text that spell packed bytes, up to the end of the string or the address.
pub(super) fn packed(text: &[u8]) -> Vec<Range<usize>> {
    if memchr::memchr2(b'\\', b'%', text).is_none() {
        return Vec::new();
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    for head in PACKED {
        // A string is read once, so that the cost is linear.
        let mut done = 0;
        for start in memchr::memmem::find_iter(text, head) {
            if start < done {
                continue;
            }
            // Other quotes than the one before are letters.
            let before = start.checked_sub(1).map(|before| text[before]);
            let quote = before.filter(|&byte| is_quote(byte));
            let ends = |byte: u8| quote.map_or(is_quote(byte), |quote| byte == quote);
            let (bytes, length) = spelled(&text[start..], ends);
            done = start + length;
            if is_packed(&bytes) {
                found.push(start..done);
            }
        }
    }
    found
}

/// The bytes that a text spells if it begins as packed bytes do.
pub(super) fn packed_bytes(text: &[u8]) -> Option<Vec<u8>> {
    PACKED.iter().any(|head| text.starts_with(head)).then(|| spelled(text, |_| false).0)
}

const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// The bytes that a string or an address spells, and its length.
fn spelled(text: &[u8], ends: impl Fn(u8) -> bool) -> (Vec<u8>, usize) {
    let (mut out, mut at, is_address) = (Vec::new(), 0, text.starts_with(b"%"));
    while let Some(&byte) = text.get(at) {
        let next = |count: usize| text.get(at + 1..at + 1 + count);
        let (byte, length) = match byte {
            b'%' if is_address => (next(2).and_then(hex_byte), 3),
            _ if is_address => (byte.is_ascii_alphanumeric().then_some(byte), 1),
            _ if ends(byte) => (None, 1),
            b'\\' => match next(1) {
                Some(b"x") => (text.get(at + 2..at + 4).and_then(hex_byte), 4),
                Some([b'0'..=b'3']) => {
                    let digits = next(3).and_then(|digits| std::str::from_utf8(digits).ok());
                    let octal = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
                    (octal.or(Some(0)), if octal.is_some() { 4 } else { 2 })
                }
                Some(&[letter]) => {
                    let known = b"ntrabfv".iter().position(|&of| of == letter);
                    (Some(known.map_or(letter, |at| b"\n\t\r\x07\x08\x0c\x0b"[at])), 2)
                }
                _ => (None, 1),
            },
            _ => (Some(byte), 1),
        };
        let Some(byte) = byte else { break };
        out.push(byte);
        at += length;
    }
    (out, at.min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_are_spelled_or_kept_apart_are_read() {
        let mut out = Vec::new();
        entities(b"a&#103;&#x68;&amp;&none; &#0000105;&#106&#x6b &#1; &", &mut out);
        assert_eq!(out, b"agh&&none; ijk \x01 &");
        out.clear();
        let wide = "\u{ff47}\u{ff48}\u{ff50}\u{ff3f}\u{ff17}";
        invisible(wide.as_bytes(), &mut out);
        assert_eq!(out, b"ghp_7");
        assert!(has_invisible(wide.as_bytes()) && !has_invisible("\u{ff0c}\u{ff1a}".as_bytes()));
        out.clear();
        invisible("a\0b\u{200b}c\u{ad}d\u{e9}x\u{8}e\u{202d}\u{fe0f}f".as_bytes(), &mut out);
        assert_eq!(out, "abcd\u{e9}ef".as_bytes());
        out.clear();
        entities(b"a&lowbar;b&hyphen;c&colon;d&equals;e&period;f&copy;", &mut out);
        assert_eq!(out, b"a_b-c:d=e.f&copy;");
        assert!(has_quoted(b"=67=68=70") && !has_quoted(b"a=67 b=ab c=cd"));
        out.clear();
        quoted(b"pass=3Dab=\ncd=\r\ne = f", &mut out);
        assert_eq!(out, b"pass=abcde = f");
        let gzip = b"b'\\x1f\\x8b\\x08\\x00a\\n\\'z' and";
        let range = packed(gzip).remove(0);
        assert_eq!(range, 2..gzip.len() - 5);
        let bytes = packed_bytes(&gzip[range]);
        assert_eq!(bytes.as_deref(), Some(&b"\x1f\x8b\x08\0a\n'z"[..]));
        out.clear();
        quoted(b"=?utf-8?Q?a=5Fb?= =?x?Q?c=3D?=", &mut out);
        assert_eq!(out, b"a_b c=");
        assert!(has_quoted(b"ab=\ncd") && !has_quoted(b"a =\n b") && !has_entities(b"a && b;"));
    }
}
