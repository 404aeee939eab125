//! What the beginning of a file says, for claims: they see no more of it than that, so that a
//! value may end in the middle.

use session::{Node, Scan};

/// How many lines of a head are looked at before a file is no session.
const LINES: usize = 40;

/// The lines of a head that are not empty: the first ones.
pub(crate) fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let head = bare(head);
    let mut from = 0;
    let lines = memchr::memchr_iter(b'\n', head).chain([head.len()]).map(move |end| {
        let line = head.get(from..end).unwrap_or_default();
        from = end + 1;
        line.trim_ascii()
    });
    lines.filter(|line| !line.is_empty()).take(LINES)
}

/// Looks at one JSON value: the whole of `text`, or where that ends in the middle of one, the
/// members and elements that stand whole in it. `None` where it is neither.
pub(crate) fn look<T>(text: &[u8], see: impl FnOnce(Node<'_>) -> T) -> Option<T> {
    let mut scan = Scan::new();
    if let Ok(doc) = scan.read(text, 0) {
        return Some(see(doc.root()));
    }
    let closed = session::closed(text)?;
    scan.read(&closed, 0).ok().map(|doc| see(doc.root()))
}

/// True for one value over several lines, false for one value a line. The first line tells: it is a
/// value, or damaged with lines behind it that begin one.
pub(crate) fn is_document(bytes: &[u8]) -> bool {
    let text = bare(bytes);
    let (first, rest) = match memchr::memchr(b'\n', text) {
        Some(end) => (text[..end].trim_ascii_end(), text[end..].trim_ascii_start()),
        None => (text, &b""[..]),
    };
    match (first.first(), rest.first()) {
        (Some(b'['), _) => true,
        (Some(b'{'), Some(second)) => {
            first.len() == 1 || *second != b'{' && Scan::new().read(first, 0).is_err()
        }
        _ => false,
    }
}

/// The text without the mark of its encoding.
pub(crate) fn bare(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_cut_off_says_what_stands_whole_in_it() {
        let name = |text: &str| {
            look(text.as_bytes(), |node| node.word(&["a", "b"]).map(<[u8]>::to_vec)).flatten()
        };
        let whole = r#"{"a":{"b":"x,{\"","c":[{"d":1},{"e":"#;
        assert_eq!(name(whole), Some(br#"x,{\""#.to_vec()));
        assert_eq!(name(r#"{"a":{"b":"x"#), None);
        assert_eq!(name(r#"{"a":{"b":"x"}}"#), Some(b"x".to_vec()));
        assert_eq!(name("no json, at all"), None);
        assert_eq!(name("}],"), None);
    }

    #[test]
    fn documents_and_lines() {
        let cases = [
            ("{\n \"a\": 1\n}", true),
            ("\u{feff}[\n]", true),
            ("[{}]", true),
            ("{\"a\":1}\n{\"a\":2}\n", false),
            ("{\"a\":1}", false),
            ("{\"a\":\n{\"b\":2}\n", false),
            ("", false),
            ("text\n{", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_document(text.as_bytes()), expected, "{text}");
        }
    }
}
