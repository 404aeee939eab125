//! Decoders of whole texts in which letters are spelled out, or kept apart by what nobody sees:
//! references of HTML, characters without a width, quoted-printable.

use super::decode::{Sink, hex_byte};

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

/// The length of the reference at the beginning of a text, and its character.
fn entity(text: &[u8]) -> Option<(usize, char)> {
    let end = text.iter().take(10).position(|&byte| byte == b';')?;
    let name = std::str::from_utf8(&text[1..end]).ok()?;
    let letter = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let digits = name.strip_prefix('#')?;
            let point = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            char::from_u32(point.ok()?)?
        }
    };
    Some((end + 1, letter))
}

/// Characters that nobody sees.
const UNSEEN: [&[u8]; 8] = [
    b"\0",
    b"\xe2\x80\x8b",
    b"\xe2\x80\x8c",
    b"\xe2\x80\x8d",
    b"\xe2\x81\xa0",
    b"\xef\xbb\xbf",
    b"\xc2\xad",
    b"\xe1\xa0\x8e",
];

/// Whether a text has characters that nobody sees.
pub(super) fn has_invisible(text: &[u8]) -> bool {
    UNSEEN.iter().any(|unseen| memchr::memmem::find(text, unseen).is_some())
}

/// Removes the characters that nobody sees.
pub(super) fn invisible(text: &[u8], out: &mut impl Sink) {
    let (mut at, mut from) = (0, 0);
    while at < text.len() {
        let may = matches!(text[at], 0 | 0xc2 | 0xe1 | 0xe2 | 0xef);
        let unseen = UNSEEN.iter().find(|unseen| may && text[at..].starts_with(unseen));
        let Some(unseen) = unseen else {
            at += 1;
            continue;
        };
        out.put(&text[from..at], from..at);
        at += unseen.len();
        from = at;
    }
    out.put(&text[from..], from..text.len());
}

/// Whether a text may be quoted-printable: it has its own sign spelled, or a soft break of a word.
pub(super) fn has_quoted(text: &[u8]) -> bool {
    memchr::memchr_iter(b'=', text).any(|at| {
        let before = at.checked_sub(1).and_then(|before| text.get(before));
        let soft = soft(&text[at..]) > 0 && before.is_some_and(u8::is_ascii_alphanumeric);
        soft || text[at..].starts_with(b"=3D")
    })
}

/// The length of a soft break at the beginning of a text.
fn soft(text: &[u8]) -> usize {
    match text {
        [b'=', b'\n', ..] => 2,
        [b'=', b'\r', b'\n', ..] => 3,
        _ => 0,
    }
}

/// Decodes quoted-printable.
pub(super) fn quoted(text: &[u8], out: &mut impl Sink) {
    let mut from = 0;
    for at in memchr::memchr_iter(b'=', text) {
        if at < from {
            continue;
        }
        let soft = soft(&text[at..]);
        let byte = text.get(at + 1..at + 3).and_then(hex_byte);
        if soft == 0 && byte.is_none() {
            continue;
        }
        out.put(&text[from..at], from..at);
        from = at + if soft > 0 { soft } else { 3 };
        if let Some(byte) = byte.filter(|_| soft == 0) {
            out.put(&[byte], at..from);
        }
    }
    out.put(&text[from..], from..text.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_are_spelled_or_kept_apart_are_read() {
        let mut out = Vec::new();
        entities(b"a&#103;&#x68;&amp;&none; &", &mut out);
        assert_eq!(out, b"agh&&none; &");
        out.clear();
        invisible("a\0b\u{200b}c\u{ad}d\u{e9}".as_bytes(), &mut out);
        assert_eq!(out, "abcd\u{e9}".as_bytes());
        out.clear();
        quoted(b"pass=3Dab=\ncd=\r\ne = f", &mut out);
        assert_eq!(out, b"pass=abcde = f");
        assert!(has_quoted(b"ab=\ncd") && !has_quoted(b"a =\n b") && !has_entities(b"a && b;"));
    }
}
