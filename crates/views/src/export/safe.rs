//! Text of a session as text of a document: escaped, and without characters that act.

use std::borrow::Cow;

use crate::visible::{Space, acts, visible};

/// Appends a text to HTML, as character data or the value of an attribute in double quotes.
pub(super) fn escape(text: &str, out: &mut String) {
    put(text, true, out);
}

/// Appends a text to HTML between tags, where a quotation mark is no more than that. In code there
/// are so many that a page is a thirtieth smaller without their names.
pub(super) fn escape_text(text: &str, out: &mut String) {
    put(text, false, out);
}

fn put(text: &str, quotes: bool, out: &mut String) {
    for letter in visible(text, Space::File).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if quotes => out.push_str("&quot;"),
            '\'' if quotes => out.push_str("&#39;"),
            _ => out.push(letter),
        }
    }
}

/// Text of a session between tags of a page, never within one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words<'t>(pub(super) &'t str);

impl maud::Render for Words<'_> {
    fn render_to(&self, out: &mut String) {
        escape_text(self.0, out);
    }
}

/// Text of a session in a page.
#[derive(Clone, Copy, Debug)]
pub struct PageText<'t>(pub &'t str);

impl maud::Render for PageText<'_> {
    fn render_to(&self, out: &mut String) {
        escape(self.0, out);
    }
}

/// The first line of a text; a long one is cut in the middle, so that the name of a file stays.
pub(super) fn middle(text: &str, most: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let count = line.chars().count();
    if count <= most {
        return line.to_owned();
    }
    let head: String = line.chars().take(most / 2).collect();
    let tail: String = line.chars().skip(count - (most - most / 2)).collect();
    format!("{head}\u{2026}{tail}")
}

/// A text without characters that act.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    visible(text, Space::File)
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
        out.clear();
        escape_text("<b a=\"x\" b='y'>&\u{7}", &mut out);
        assert_eq!(out, "&lt;b a=\"x\" b='y'&gt;&amp;\u{2407}");
        assert!(is_address("https://a.example/x") && is_address("MAILTO:a@b.example"));
        for address in ["javascript:x", " https://a", "data:text/html,x", "//a", "http://a\nb"] {
            assert!(!is_address(address), "{address:?}");
        }
    }
}
