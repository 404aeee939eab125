//! A text in a form that the witness accepts, of the same length.

use std::borrow::Cow;

/// The text in a form that the witness accepts: constructs that RFC 8259 allows and the witness
/// refuses are replaced. The length and all offsets stay the same.
#[must_use]
pub fn readable(text: &[u8]) -> Cow<'_, [u8]> {
    let mut fixed = without_lone_surrogates(text);
    for (place, byte) in long_integers(text) {
        fixed.to_mut()[place] = byte;
    }
    fixed
}

/// Maximum number of digits in an integer for the witness. The parser refuses more than 4,300.
const DIGITS: usize = 4000;

/// Edits that turn integers with too many digits into fractions, because the number of digits after
/// a point is not limited. Such an integer gets a point in place of a digit. Its own point, if it
/// has one, becomes a digit.
fn long_integers(text: &[u8]) -> Vec<(usize, u8)> {
    let (mut changes, mut digits, mut in_string, mut at) = (Vec::new(), 0, false, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => at += 1,
            _ => {}
        }
        if byte == b'.' && digits >= DIGITS && !follows_point(text, at) {
            changes.push((at, b'0'));
        }
        digits = if !in_string && byte.is_ascii_digit() { digits + 1 } else { 0 };
        if digits == DIGITS && !follows_point(text, at) {
            changes.push((at, b'.'));
        }
        at += 1;
    }
    changes
}

/// Whether these are the digits of a fraction or an exponent.
fn follows_point(text: &[u8], last: usize) -> bool {
    let before = text[..last].iter().rposition(|byte| !byte.is_ascii_digit());
    before.is_some_and(|at| {
        let is_signed_exponent = matches!(text[at], b'+' | b'-')
            && at.checked_sub(1).is_some_and(|at| matches!(text[at], b'e' | b'E'));
        matches!(text[at], b'.' | b'e' | b'E') || is_signed_exponent
    })
}

/// The text with `\ufffd` for each escaped surrogate without a partner, which RFC 8259 allows
/// (section 8.2). Our own reader decodes them to U+FFFD too.
fn without_lone_surrogates(text: &[u8]) -> Cow<'_, [u8]> {
    let mut fixed = Cow::Borrowed(text);
    let mut at = 0;
    while let Some(next) = memchr::memchr(b'\\', &text[at..]) {
        at += next;
        let step = match (surrogate(text, at), surrogate(text, at + 6)) {
            (Some(false), Some(true)) => 12,
            (Some(_), _) => {
                fixed.to_mut()[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            (None, _) => 2,
        };
        at = (at + step).min(text.len());
    }
    fixed
}

/// Whether a text has half of a surrogate pair.
#[must_use]
pub fn has_lone_surrogate(text: &[u8]) -> bool {
    matches!(without_lone_surrogates(text), Cow::Owned(_))
}

/// Whether an escaped surrogate begins at this offset (`None` if not), and whether it is a low one.
fn surrogate(text: &[u8], at: usize) -> Option<bool> {
    let escape = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    match (escape[0], escape[1].to_ascii_lowercase()) {
        (b'd' | b'D', b'8'..=b'9' | b'a'..=b'b') => Some(false),
        (b'd' | b'D', b'c'..=b'f') => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::without_lone_surrogates;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        let cases = [
            (r#""\ud83d\ude00 \\ud800 x""#, r#""\ud83d\ude00 \\ud800 x""#),
            (r#""\ud800""#, r#""\ufffd""#),
            (r#""\udc00\ud800""#, r#""\ufffd\ufffd""#),
            (r#""\ud800\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\\uD800\"""#, r#""\\\ufffd\"""#),
            (r#""cut\ud8"#, r#""cut\ud8"#),
        ];
        for (text, expected) in cases {
            assert_eq!(&*without_lone_surrogates(text.as_bytes()), expected.as_bytes(), "{text}");
        }
    }
}
