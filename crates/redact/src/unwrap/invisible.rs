//! Characters that nobody sees, and wide forms of letters of ASCII.

use super::source_map::Sink;

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
pub(crate) fn has_invisible(text: &[u8]) -> bool {
    if text.is_ascii() && memchr::memchr2(0, 8, text).is_none() {
        return false;
    }
    let may = |byte: u8| matches!(byte, 0 | 8 | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf3);
    let at = |at: usize| if text[at] == 8 { at.saturating_sub(1) } else { at };
    let mut places = text.iter().enumerate().filter(|(_, byte)| may(**byte));
    places.any(|(place, _)| unseen(&text[at(place)..]) > 0) || has_wide(text)
}

/// Removes the characters that nobody sees; wide letters and signs become those of ASCII.
pub(crate) fn invisible(text: &[u8], out: &mut impl Sink) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_are_kept_apart_are_read() {
        let mut out = Vec::new();
        let wide = "\u{ff47}\u{ff48}\u{ff50}\u{ff3f}\u{ff17}";
        invisible(wide.as_bytes(), &mut out);
        assert_eq!(out, b"ghp_7");
        assert!(has_invisible(wide.as_bytes()) && !has_invisible("\u{ff0c}\u{ff1a}".as_bytes()));
        out.clear();
        invisible("a\0b\u{200b}c\u{ad}d\u{e9}x\u{8}e\u{202d}\u{fe0f}f".as_bytes(), &mut out);
        assert_eq!(out, "abcd\u{e9}ef".as_bytes());
    }
}
