//! Cleaning of values that agents read and other encodings of the record can't hold: repeated keys,
//! lone surrogates, and bytes that are not UTF-8. Such a record is stored as bytes. It is detected
//! here, and its values are cleaned for display.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use session::Sorting as _;
use session::{Counts, Elements, JsonMember, Members, Node, Scan, Shape, Span, value};

use super::out::{Out, quote, string_end};

/// Whether a JSON value has an object with two equal keys, or a string without an exact form.
/// `text` must be JSON.
pub(crate) fn is_unfit(text: &[u8], scan: &mut Scan) -> bool {
    if has_lone_surrogate(text) {
        return true;
    }
    let Ok(doc) = scan.read(text, 0) else { return true };
    if doc.not_utf8().is_some() {
        return true;
    }
    let mut names = Vec::new();
    if has_repeated_members(doc.root(), text, &mut names) {
        return true;
    }
    let mut open = vec![Inside::of(doc.root())];
    while let Some(inside) = open.last_mut() {
        match inside.next() {
            Some(node) if is_container(node) => {
                if has_repeated_members(node, text, &mut names) {
                    return true;
                }
                open.push(Inside::of(node));
            }
            Some(_) => {}
            None => drop(open.pop()),
        }
    }
    false
}

/// The values of a container that are not yet seen.
enum Inside<'a> {
    Object(Members<'a>),
    Array(Elements<'a>),
}

impl<'a> Inside<'a> {
    fn of(node: Node<'a>) -> Self {
        match node.shape() {
            Shape::Object => Self::Object(node.members()),
            _ => Self::Array(node.elements()),
        }
    }

    fn next(&mut self) -> Option<Node<'a>> {
        match self {
            Self::Object(members) => members.next().map(|member| member.value),
            Self::Array(elements) => elements.next(),
        }
    }
}

/// Whether an object of `text` has two members with one name. `names` is scratch space.
fn has_repeated_members(node: Node<'_>, text: &[u8], names: &mut Vec<Span>) -> bool {
    names.clear();
    if node.shape() != Shape::Object {
        return false;
    }
    names.reserve_exact(node.members().count());
    names
        .extend(node.members().map(|JsonMember { key, .. }| Span::new(key.start + 1, key.end - 1)));
    has_repeated(names, text)
}

/// Whether a valid JSON text nests its values deeper than `limit` levels.
pub(crate) fn is_deeper(text: &[u8], limit: usize) -> bool {
    let (mut at, mut depth) = (0, 0usize);
    while let Some(&byte) = text.get(at) {
        at = if byte == b'"' { string_end(text, at) } else { at + 1 };
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > limit {
            return true;
        }
    }
    false
}

/// A JSON text with escapes for U+2028 and U+2029, which end a line for some readers of lines
/// (those of Node.js). `None` if it has none.
pub(crate) fn without_separators(text: &[u8]) -> Option<Vec<u8>> {
    let mut ends = memchr::memmem::find_iter(text, b"\xe2\x80")
        .filter(|at| matches!(text.get(at + 2), Some(0xa8 | 0xa9)))
        .peekable();
    ends.peek()?;
    let (mut out, mut from) = (Vec::with_capacity(text.len() + 3), 0);
    for at in ends {
        out.extend_from_slice(&text[from..at]);
        out.extend_from_slice(if text[at + 2] == 0xa8 { b"\\u2028" } else { b"\\u2029" });
        from = at + 3;
    }
    out.extend_from_slice(&text[from..]);
    Some(out)
}

#[inline]
fn is_container(node: Node<'_>) -> bool {
    matches!(node.shape(), Shape::Object | Shape::Array) && !node.is_empty_container()
}

/// Whether two names in `text` (escapes as written) are equal.
fn has_repeated(names: &mut [Span], text: &[u8]) -> bool {
    let name = |span: Span| span.of(text);
    if names.iter().any(|&span| memchr::memchr(b'\\', name(span)).is_some()) {
        let plain = |span: Span| value::unescape(name(span));
        names.in_order_by(|a, b| plain(*a).cmp(&plain(*b)));
        return names.windows(2).any(|pair| plain(pair[0]) == plain(pair[1]));
    }
    if names.len() <= 12 {
        let earlier = |at: usize| names[..at].iter().any(|&span| name(span) == name(names[at]));
        return (1..names.len()).any(earlier);
    }
    names.in_order_by(|a, b| name(*a).cmp(name(*b)));
    names.windows(2).any(|pair| name(pair[0]) == name(pair[1]))
}

/// Whether a string in a JSON text has no exact form: it has half of a surrogate pair, or a byte
/// that is not UTF-8. Both are read as U+FFFD.
pub(crate) fn is_inexact(text: &[u8]) -> bool {
    has_lone_surrogate(text) || std::str::from_utf8(text).is_err()
}

/// Whether an escape `\uD800` to `\uDFFF` has no partner.
fn has_lone_surrogate(text: &[u8]) -> bool {
    let is_surrogate = |at: usize| matches!(text.get(at + 2), Some(b'd' | b'D'));
    if !memchr::memmem::find_iter(text, b"\\u").any(is_surrogate) {
        return false;
    }
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        rest = &rest[at..];
        let used = match unit(rest) {
            Some(0xd800..0xdc00) => match rest.get(6..).and_then(unit) {
                Some(0xdc00..0xe000) => 12,
                _ => return true,
            },
            Some(0xdc00..0xe000) => return true,
            Some(_) => 6,
            None => 2,
        };
        rest = rest.get(used..).unwrap_or_default();
    }
    false
}

/// The UTF-16 unit of an escape at the beginning of `text`.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// One container that is being written.
enum Open<'a> {
    Object(std::vec::IntoIter<(Cow<'a, str>, Node<'a>)>),
    Array(Elements<'a>),
}

/// Writes a cleaned value: of equal keys the one that counts is kept; a lone surrogate, and a byte
/// that is not UTF-8, becomes U+FFFD.
pub(crate) fn write_fit(text: &[u8], out: &mut Out<'_>, scan: &mut Scan) {
    let Ok(doc) = scan.read(text, 0) else { return out.raw(b"null") };
    let mut stack = Vec::new();
    begin(doc.root(), out, &mut stack);
    while let Some(open) = stack.last_mut() {
        let next = match open {
            Open::Array(elements) => elements.next(),
            Open::Object(members) => members.next().map(|(name, value)| {
                out.key(&name);
                value
            }),
        };
        match (next, &open) {
            (Some(node), _) => begin(node, out, &mut stack),
            (None, Open::Array(_)) => {
                out.close_array();
                stack.pop();
            }
            (None, Open::Object(_)) => {
                out.close();
                stack.pop();
            }
        }
    }
}

/// The members of an object that count, each at the place of the first one with its name.
fn counting(node: Node<'_>) -> std::vec::IntoIter<(Cow<'_, str>, Node<'_>)> {
    let mut members: Vec<(Cow<'_, str>, Node<'_>)> = Vec::new();
    let mut places: HashMap<_, usize> = HashMap::new();
    for member in node.members() {
        let name = value::unescape(member.name);
        match places.entry(name.clone()) {
            Entry::Occupied(place) => {
                if node.counts() == Counts::Last {
                    members[*place.get()].1 = member.value;
                }
            }
            Entry::Vacant(place) => {
                place.insert(members.len());
                members.push((name, member.value));
            }
        }
    }
    members.into_iter()
}

fn begin<'a>(node: Node<'a>, out: &mut Out<'_>, stack: &mut Vec<Open<'a>>) {
    match node.shape() {
        Shape::Object => {
            out.open();
            stack.push(Open::Object(counting(node)));
        }
        Shape::Array => {
            out.open_array();
            stack.push(Open::Array(node.elements()));
        }
        Shape::String => match node.text().map(value::unescape) {
            Some(Cow::Owned(text)) => {
                let mut string = Vec::with_capacity(text.len() + 2);
                quote(&text, &mut string);
                out.raw(&string);
            }
            _ => out.raw(node.raw()),
        },
        _ => out.raw(node.raw()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_encodings_cannot_hold_is_found() {
        let mut scan = Scan::new();
        for bad in [
            r#"{"a":1,"a":1}"#,
            r#"[{"b":{"a":1,"\u0061":2}}]"#,
            r#""\ud83d""#,
            r#"["\udd80\ud83e"]"#,
            r#"{"\uDD80":1}"#,
        ] {
            assert!(is_unfit(bad.as_bytes(), &mut scan), "{bad}");
        }
        for good in [r#"{"a":{"a":1},"b":1}"#, r#""\ud83e\udd80 \\ud83d""#, "[[],{}]", "1"] {
            assert!(!is_unfit(good.as_bytes(), &mut scan), "{good}");
        }
    }

    #[test]
    fn nesting_is_counted_outside_of_strings() {
        assert!(is_deeper(br#"{"a":[[1]]}"#, 2));
        assert!(!is_deeper(br#"{"a":[[1],[2],"[[[\"[["]}"#, 3));
        assert!(!is_deeper(b"1", 0));
    }

    #[test]
    fn line_separators_are_escaped() {
        let text = "\"a\u{2028}b\u{2029}c\u{2027}\"";
        let written = without_separators(text.as_bytes()).unwrap();
        assert_eq!(written, "\"a\\u2028b\\u2029c\u{2027}\"".as_bytes());
        assert_eq!(without_separators("\"\u{2027}\"".as_bytes()), None);
    }

    #[test]
    fn many_keys_are_compared_too() {
        let keys: Vec<String> = (0..40).map(|key| format!("\"k{key}\":0")).collect();
        let text = format!("{{{}}}", keys.join(","));
        assert!(!is_unfit(text.as_bytes(), &mut Scan::new()));
        let text = format!("{{{},\"k7\":1}}", keys.join(","));
        assert!(is_unfit(text.as_bytes(), &mut Scan::new()));
    }

    #[test]
    fn what_is_written_instead_is_fit() {
        let mut scan = Scan::new();
        let text = br#"{"a":[{"x":1,"x":2}],"b":"\ud83d!","a":3,"c":[]}"#;
        let mut out = Out::default();
        write_fit(text, &mut out, &mut scan);
        let written = String::from_utf8(out.text).unwrap();
        assert_eq!(written, r#"{"a":3,"b":"�!","c":[]}"#);
        let text = b"{\"a\xff\":[\"b\xe2\x82\",\"\xc3\xa9\\n\"]}";
        assert!(is_unfit(text, &mut scan));
        let mut out = Out::default();
        write_fit(text, &mut out, &mut scan);
        let written = String::from_utf8(out.text).unwrap();
        assert_eq!(written, r#"{"a�":["b�","é\n"]}"#);
        let deep = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
        let mut out = Out::default();
        write_fit(&deep, &mut out, &mut scan);
        assert_eq!(out.text, deep);
    }
}
