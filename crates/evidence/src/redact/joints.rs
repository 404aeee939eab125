//! Joints: what a program or a page puts between the parts of one word: tags, the quotes and signs
//! of strings that are put together, quotes of a shell.

use std::ops::Range;

use super::decode::Sink;
use super::lines::{end_of_word, start_of_word};

/// The largest number of bytes of a text around its joints.
const AROUND: usize = 768;
/// The longest joint.
const LONG: usize = 200;

/// The joints of a text, in the order of its bytes.
fn joints(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(found) = memchr::memchr3(b'<', b'"', b'\'', text.get(at..)?) {
            let start = at + found;
            at = start + 1;
            let is_word = start.checked_sub(1).is_some_and(|before| is_token(text[before]));
            if !is_word {
                continue;
            }
            let length = joint(&text[start..text.len().min(start + LONG)]);
            let behind = length.and_then(|length| text.get(start + length));
            if let (Some(length), true) = (length, behind.is_some_and(|&byte| is_token(byte))) {
                at = start + length;
                return Some(start..at);
            }
        }
        None
    })
}

const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/')
}

/// The length of the joint at the beginning of a text.
fn joint(text: &[u8]) -> Option<usize> {
    match text {
        [b'<', next, ..] if next.is_ascii_alphabetic() || *next == b'/' => tags(text),
        [b'"' | b'\'', ..] => strings(text),
        _ => None,
    }
}

/// Tags behind each other.
fn tags(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while text[at..].starts_with(b"<") {
        let end = text[at..].iter().position(|byte| matches!(byte, b'>' | b'\n'))?;
        if text[at + end] != b'>' {
            return None;
        }
        at += end + 1;
    }
    Some(at)
}

/// The end of a string, a sign that puts strings together, and the beginning of the next; or one
/// quote within a word of a shell.
fn strings(text: &[u8]) -> Option<usize> {
    let quote = text[0];
    let space = |at: usize| {
        let rest = text[at..].iter().take_while(|byte| byte.is_ascii_whitespace());
        at + rest.count()
    };
    let mut at = space(1);
    let signs = [&b"+"[..], b"..", b".", b"||", b"&", b"\\", b"<>", b"~"];
    let sign = signs.iter().find(|sign| text[at..].starts_with(sign));
    if let Some(sign) = sign {
        at = space(at + sign.len());
    }
    let prefix = text[at..].iter().take_while(|byte| b"fbruFBRU".contains(byte)).count();
    let opens = |at: usize| text.get(at) == Some(&quote);
    if prefix <= 2 && opens(at + prefix) {
        return Some(at + prefix + 1);
    }
    // Only a letter or digit: `key="value"` is no word.
    text.get(1).is_some_and(u8::is_ascii_alphanumeric).then_some(1)
}

/// The ranges of a text around its joints.
pub(super) fn ranges(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for joint in joints(text) {
        let begin = start_of_word(text, joint.start.saturating_sub(AROUND));
        let end = (joint.end + AROUND).min(text.len());
        if found.last().is_some_and(|last| last.end >= end) {
            continue;
        }
        // A part of a word would be taken for a whole one.
        let end = end_of_word(text, end);
        match found.last_mut() {
            Some(last) if last.end >= begin => last.end = end,
            _ => found.push(begin..end),
        }
    }
    found
}

/// Removes the joints.
pub(super) fn joined(text: &[u8], out: &mut impl Sink) {
    let mut from = 0;
    for joint in joints(text) {
        out.put(&text[from..joint.start], from..joint.start);
        from = joint.end;
    }
    out.put(&text[from..], from..text.len());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_word_are_joined() {
        for (text, word) in [
            ("x = \"abc1\" + \"def2\"", "abc1def2"),
            ("x = 'abc1'\n    'def2'", "abc1def2"),
            ("x = 'abc1' . 'def2'", "abc1def2"),
            ("x = f\"abc1\" \\\n f\"def2\"", "abc1def2"),
            ("<td>abc1<span class=\"b\">def2</td>", "abc1def2"),
            ("abc1<b></b>def2", "abc1def2"),
            ("echo abc1'de'f2", "abc1def2"),
        ] {
            assert_eq!(ranges(text.as_bytes()).len(), 1, "{text}");
            let mut out = Vec::new();
            joined(text.as_bytes(), &mut out);
            assert!(String::from_utf8_lossy(&out).contains(word), "{text}");
        }
        for text in ["a < b", "key=\"value\"", "f(\"a\", \"b\")", "<td>a</td>"] {
            assert!(ranges(text.as_bytes()).is_empty(), "{text}");
        }
    }

    #[test]
    fn no_range_cuts_a_word() {
        for length in AROUND - 20..AROUND + 20 {
            let text = format!("a'b'c {} /Users/marianne/x", "x ".repeat(length / 2));
            let range = ranges(text.as_bytes()).remove(0);
            let name = text.find("marianne").expect("there");
            assert!(range.end <= name || range.end >= name + 8, "{range:?} {name}");
        }
    }
}
