//! Probing of a file's head, for claims. A head may end in the middle of a value.

use session::{Bundle, Choose, Node, Reading, Scan, Split};

use crate::documents::shared::out::string_end;

/// Number of lines of a head that are read before the file counts as not a session.
const LINES: usize = 40;

/// The first lines of a head that are not empty.
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

/// Parses one JSON value: the whole of `text`, or, if that is truncated, the members and elements
/// that are complete. `None` if it is neither.
pub(crate) fn look<T>(text: &[u8], see: impl FnOnce(Node<'_>) -> T) -> Option<T> {
    let mut scan = Scan::without_templates();
    if let Ok(doc) = scan.read(text, 0) {
        return Some(see(doc.root()));
    }
    let closed = session::closed(text)?;
    scan.read(&closed, 0).ok().map(|doc| see(doc.root()))
}

/// The first value of a head, if it is a container that ends soon: what it lacks, [`look`] does not
/// find, whatever follows. Else the whole head.
pub(crate) fn first_value(head: &[u8]) -> &[u8] {
    let (mut depth, mut at) = (0usize, 0);
    for _ in 0..SOON {
        let Some(&byte) = head.get(at) else { break };
        at = if byte == b'"' { string_end(head, at) } else { at + 1 };
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth <= 1 => return head.get(..at).unwrap_or(head),
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    head
}

/// The greatest number of strings, and of bytes outside of strings, in a value that ends soon.
const SOON: usize = 1024;

/// Reads each member of a bundle: one that is a document whole, any other one by its lines.
pub(crate) fn documents_or_lines(reading: &mut Reading<'_>, bundle: &Bundle, choose: Choose) {
    for (at, member) in bundle.members.iter().enumerate() {
        let split = if is_document(member.bytes()) { Split::Whole } else { Split::Lines };
        reading.member(at, split, choose);
    }
}

/// Whether the bytes are one value over several lines, instead of one value per line. The first
/// line decides: it is a value, or it is damaged and later lines begin one.
pub(crate) fn is_document(bytes: &[u8]) -> bool {
    let text = bare(bytes);
    let (first, rest) = match memchr::memchr(b'\n', text) {
        Some(end) => (text[..end].trim_ascii_end(), text[end..].trim_ascii_start()),
        None => (text, &b""[..]),
    };
    match (first.first(), rest.first()) {
        (Some(b'['), _) => true,
        (Some(b'{'), Some(second)) => {
            first.len() == 1 || *second != b'{' && Scan::without_templates().read(first, 0).is_err()
        }
        _ => false,
    }
}

/// Whether a line of a chain of messages keeps them in the form of the provider's interface: the
/// text in `parts`, and the program's notes in a payload.
pub(crate) fn is_in_parts(line: Node<'_>) -> bool {
    let marks = [&["message", "parts"][..], &["systemPayload"], &["toolCallResult"]];
    marks.iter().any(|path| line.at(path).is_some())
}

/// Whether the first member of a line is its own id, and it shows no message in the other form.
/// Lines of that form begin with the id of the line before them, so a line that is cut says whose
/// it is; a program that sorts members may have written one that is not cut.
pub(crate) fn begins_with_id(line: Node<'_>) -> bool {
    let marks = [&["message", "content"][..], &["userType"]];
    line.members().next().is_some_and(|first| first.name == b"uuid")
        && marks.iter().all(|path| line.at(path).is_none())
}

/// The text without its byte order mark.
pub(crate) fn bare(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii()
}

/// A member's name, and its value if that is a string.
type Begun<'t> = (&'t [u8], Option<&'t [u8]>);

/// The members of a truncated object: their names, and their values that are strings. Nested
/// members are skipped.
pub(crate) fn members(text: &[u8]) -> Vec<Begun<'_>> {
    let (mut found, mut name) = (Vec::new(), None);
    let (mut depth, mut at, mut is_value) = (0usize, 0, false);
    while let Some(&byte) = text.get(at) {
        let from = at;
        at += 1;
        match byte {
            b'"' => {
                at = string_end(text, from);
                let inner = text.get(from + 1..at - 1).filter(|_| text.get(at - 1) == Some(&b'"'));
                match inner {
                    Some(inner) if depth == 1 && is_value => {
                        found.extend(name.take().map(|name| (name, Some(inner))));
                    }
                    inner if depth == 1 => name = inner,
                    _ => {}
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 1 => is_value = true,
            b',' if depth == 1 => {
                found.extend(name.take().map(|name| (name, None)));
                is_value = false;
            }
            _ => {}
        }
    }
    found.extend(name.filter(|_| is_value).map(|name| (name, None)));
    found
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

    /// A cut or a stray byte anywhere hides nothing that a look finds.
    #[test]
    fn the_first_value_has_all_that_a_look_finds() {
        let sample = r#"{"a":{"b":"x}\"","c":[{"d":1}]}, "e":{"b":"y"}} {"a":{"b":"z"}}"#;
        let mut found = 0;
        for at in 0..=sample.len() {
            for stray in ["", "}", "{", "\"", "\\", "]", ",", "\n"] {
                let texts = [
                    format!("{}{stray}{}", &sample[..at], &sample[at..]),
                    format!("{}{stray}", &sample[..at]),
                ];
                for text in texts {
                    let first = first_value(text.as_bytes());
                    assert!(text.as_bytes().starts_with(first));
                    for name in ["a", "e"] {
                        let seen = look(text.as_bytes(), |node| node.at(&[name]).is_some());
                        if seen == Some(true) {
                            found += 1;
                            let name = format!("\"{name}\"");
                            assert!(
                                memchr::memmem::find(first, name.as_bytes()).is_some(),
                                "{text}"
                            );
                        }
                    }
                }
            }
        }
        assert!(found > 500, "{found}");
        let first = first_value(sample.as_bytes());
        assert_eq!(first.len(), sample.rfind(" {").unwrap());
        let long = format!(r#"{{"a":"{}"}}{{}}"#, "x".repeat(2 * SOON));
        assert_eq!(first_value(long.as_bytes()).len(), long.len() - 2);
        let many = format!("{{{}}}{{}}", r#""a":1,"#.repeat(SOON));
        assert_eq!(first_value(many.as_bytes()), many.as_bytes());
    }

    #[test]
    fn members_are_those_of_the_first_level_however_the_text_ends() {
        let text = r#"{"a":"x,\"y","b":{"c":"z"},"d":[1,"e"],"f":1,"g":"#;
        let expected: Vec<(&[u8], Option<&[u8]>)> =
            vec![(b"a", Some(br#"x,\"y"#)), (b"b", None), (b"d", None), (b"f", None), (b"g", None)];
        assert_eq!(members(text.as_bytes()), expected);
        for end in 0..text.len() {
            assert!(members(&text.as_bytes()[..end]).len() <= expected.len());
        }
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
