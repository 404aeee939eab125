//! Quoted-printable (RFC 2045, section 6.7), and quoted words of heads of mails (RFC 2047).

use super::hex::hex_byte;
use super::source_map::Sink;

/// Whether a text may be quoted-printable: its own sign is spelled, or bytes follow each other, or
/// a soft break is in a word.
pub(crate) fn has_quoted(text: &[u8]) -> bool {
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
pub(crate) fn quoted(text: &[u8], out: &mut impl Sink) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_bytes_are_read() {
        assert!(has_quoted(b"=67=68=70") && !has_quoted(b"a=67 b=ab c=cd"));
        let mut out = Vec::new();
        quoted(b"pass=3Dab=\ncd=\r\ne = f", &mut out);
        assert_eq!(out, b"pass=abcde = f");
        out.clear();
        quoted(b"=?utf-8?Q?a=5Fb?= =?x?Q?c=3D?=", &mut out);
        assert_eq!(out, b"a_b c=");
        assert!(has_quoted(b"ab=\ncd") && !has_quoted(b"a =\n b"));
    }
}
