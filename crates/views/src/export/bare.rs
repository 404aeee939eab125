//! Bare addresses in a text: `see https://shop.example/orders?id=7.` becomes a link, as code hosts
//! draw it (GitHub Flavored Markdown, section 6.9). Only addresses of pages are linked.

use super::safe::{escape, escape_text, is_address};

/// Appends a text as HTML, with its bare addresses as links.
pub(super) fn linked(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((start, end)) = address(rest) {
        escape_text(&rest[..start], out);
        let found = &rest[start..end];
        open_link(found, out);
        escape_text(found, out);
        out.push_str("</a>");
        rest = &rest[end..];
    }
    escape_text(rest, out);
}

/// Appends the beginning of a link, which tells the other side nothing of the page.
pub(super) fn open_link(address: &str, out: &mut String) {
    out.push_str("<a rel=\"noreferrer noopener nofollow\" href=\"");
    escape(address, out);
    out.push_str("\">");
}

/// Whether a text has no bare address.
pub(super) fn is_without(text: &str) -> bool {
    address(text).is_none()
}

/// The range of the first bare address in a text.
fn address(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&text.as_bytes()[from..], b"://") {
        let colon = from + found;
        from = colon + 3;
        let before = &text[..colon];
        let scheme = ["https", "http"].into_iter().find(|scheme| {
            let at = before.len().checked_sub(scheme.len());
            at.and_then(|at| before.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(scheme))
        });
        let Some(scheme) = scheme else { continue };
        let start = colon - scheme.len();
        let may_begin = |letter: char| letter.is_whitespace() || "*_~([{<\"'".contains(letter);
        if !text[..start].chars().next_back().is_none_or(may_begin) {
            continue;
        }
        let Some(length) = length(&text[from..]) else { continue };
        let end = from + length;
        let host = text[from..end].split(['/', '?', '#']).next().unwrap_or_default();
        let is_host = host.chars().any(char::is_alphanumeric);
        if is_host && is_address(&text[start..end]) {
            return Some((start, end));
        }
    }
    None
}

/// The length of an address behind its scheme, if it is not longer than [`LONGEST`]. Signs that end
/// a sentence are not of it, nor is a closing bracket that it does not open.
fn length(text: &str) -> Option<usize> {
    let stops = |letter: char| letter.is_whitespace() || "<>\"`".contains(letter);
    let most = text.floor_char_boundary(LONGEST + 1);
    let mut found = &text[..most];
    match found.find(stops) {
        Some(end) => found = &found[..end],
        None if most < text.len() => return None,
        None => {}
    }
    let mut open = BRACKETS.map(|[begin, end]| {
        found.matches(end).count().saturating_sub(found.matches(begin).count())
    });
    while let Some(last) = found.chars().next_back() {
        match BRACKETS.iter().position(|[_, end]| *end == last) {
            Some(at) if open[at] > 0 => open[at] -= 1,
            Some(_) => break,
            None if "?!.,:;*_~'".contains(last) => {}
            None => break,
        }
        found = &found[..found.len() - last.len_utf8()];
    }
    Some(found.len())
}

/// The longest address that becomes a link, in bytes behind its scheme. The bound keeps the cost of
/// a text linear, whatever it contains.
const LONGEST: usize = 4096;

/// The brackets that an address may be within.
const BRACKETS: [[char; 2]; 3] = [['(', ')'], ['[', ']'], ['{', '}']];

#[cfg(test)]
mod tests {
    use super::linked;

    /// The addresses that are links, and the text that a reader sees.
    fn drawn(text: &str) -> (Vec<String>, String) {
        let mut html = String::new();
        linked(text, &mut html);
        let links = html.split("href=\"").skip(1);
        let links = links.filter_map(|part| Some(part.split_once('"')?.0.to_owned())).collect();
        let seen = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
        (links, seen.collect())
    }

    #[test]
    fn a_bare_address_is_a_link() {
        let (links, seen) = drawn("See https://shop.example/pull/12, please.");
        assert_eq!(links, ["https://shop.example/pull/12"]);
        assert_eq!(seen, "See https://shop.example/pull/12, please.");
        let (links, _) = drawn("(http://a.example/x_(y)) and HTTPS://b.example/?q=1&r=2!");
        assert_eq!(links, ["http://a.example/x_(y)", "HTTPS://b.example/?q=1&amp;r=2"]);
        for text in ["xhttps://a.example", "ftp://a.example", "https://", "https:// a", "://x"] {
            assert!(drawn(text).0.is_empty(), "{text}");
        }
    }

    #[test]
    fn an_address_makes_no_attribute() {
        let (links, _) = drawn("https://a.example/\"onmouseover=\"alert(1) x");
        assert_eq!(links, ["https://a.example/"]);
        let (links, seen) = drawn("https://a.example/'x'<script>");
        assert_eq!(links, ["https://a.example/&#39;x"]);
        assert_eq!(seen, "https://a.example/'x'&lt;script&gt;");
        assert!(drawn("https://a.example/\u{202e}x").0.is_empty());
    }
}
