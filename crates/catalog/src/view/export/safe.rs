//! Text of a session as text of a document: escaped, and without characters that act.

use std::fmt::Write as _;

/// Appends a text to HTML, as character data or the value of an attribute in double quotes.
pub(super) fn escape(text: &str, out: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            _ if acts(letter) => visible(letter, out),
            _ => out.push(letter),
        }
    }
}

/// A text without characters that act on a terminal or on the direction of writing.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => out.push(letter),
            _ if acts(letter) => visible(letter, &mut out),
            _ => out.push(letter),
        }
    }
    out
}

/// Whether a character is a control character, or changes the direction of what follows
/// (UAX #9), or can't be seen.
fn acts(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// A character in a form that is only seen.
fn visible(letter: char, out: &mut String) {
    match u32::from(letter) {
        code @ 0..=0x1f => out.extend(char::from_u32(0x2400 + code)),
        0x7f => out.push('\u{2421}'),
        code => {
            let _ = write!(out, "\u{27e8}U+{code:04X}\u{27e9}");
        }
    }
}

/// An address that a reader may follow: of a page or of mail, and nothing else.
pub(super) fn is_address(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    let known = ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    known && !address.chars().any(|letter| letter.is_whitespace() || acts(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_session_is_text() {
        let mut out = String::new();
        escape("<b a=\"x\" b='y'>&\u{1b}[31m\u{202e}\u{7}\nz", &mut out);
        assert_eq!(
            out,
            "&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;\u{241b}[31m\
             \u{27e8}U+202E\u{27e9}\u{2407}\nz"
        );
        assert!(is_address("https://a.example/x") && is_address("MAILTO:a@b.example"));
        for address in ["javascript:x", " https://a", "data:text/html,x", "//a", "http://a\nb"] {
            assert!(!is_address(address), "{address:?}");
        }
    }
}
