//! Quotes: which of them end the strings that a program puts together, and which are letters of
//! such a string.

/// The most bytes between a list of strings and what joins them, or between two of its strings.
pub(crate) const LONG: usize = 200;

/// Words before the bracket of a list whose strings they join.
const WORDS: [&[u8]; 5] = [b"join", b"concat", b"concat!", b"CONCAT", b"implode"];

/// Whether something near joins the strings of a list: only then they are parts of a word.
pub(crate) fn is_list(text: &[u8], at: usize) -> bool {
    has_list(&text[at.saturating_sub(LONG)..text.len().min(at + 2 * LONG)])
}

/// Whether something in a text joins the strings of a list.
pub(crate) fn has_list(text: &[u8]) -> bool {
    memchr::memchr_iter(b'(', text).any(|at| joins(&text[..at]))
}

/// Whether a text ends with such a word.
fn joins(text: &[u8]) -> bool {
    matches!(text.last(), Some(b'n' | b't' | b'!' | b'T' | b'e'))
        && WORDS.iter().any(|word| text.ends_with(word))
}

/// The quote of the strings of the list that a place is in, if its beginning is near: that of the
/// first string behind what joins them, or behind a bracket.
pub(crate) fn of_list(text: &[u8], at: usize) -> Option<u8> {
    let near = &text[at.saturating_sub(LONG)..at];
    let head = memchr::memrchr_iter(b'(', near).find(|&at| joins(&near[..at]));
    let quote = |from: usize| {
        let is_open = |byte: &&u8| matches!(byte, b'[' | b'{' | b'(' | b' ' | b'\n' | b'&');
        let quote = near[from..].iter().find(|byte| !is_open(byte)).copied();
        quote.filter(|&byte| is_quote(byte))
    };
    head.and_then(quote).or_else(|| memchr::memchr_iter(b'[', near).find_map(quote))
}

/// Whether a text has the signs with which a program adds to a string.
pub(crate) fn has_adding_signs(text: &[u8]) -> bool {
    memchr::memchr_iter(b'=', text).any(|at| at > 0 && matches!(text[at - 1], b'+' | b'.'))
}

/// Whether a byte is escaped: a backslash is before it that is not escaped.
pub(crate) fn is_escaped(text: &[u8], at: usize) -> bool {
    text[..at].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// The ends of strings that are joined without a list, and the beginnings of those of a template.
const JOINED: [&[u8]; 4] = [b"\"'", b"'\"", b"${\"", b"${'"];

/// Whether a text may have joints between letters that are spelled, so that what they spell would
/// hide the joints: escaped quotes in strings that are joined or in templates, signs of HTML in
/// joined elements.
pub(crate) fn may_hide(text: &[u8]) -> bool {
    let has = |part: &[u8]| memchr::memmem::find(text, part).is_some();
    let has_strings = || has_list(text) || JOINED.into_iter().any(has);
    (has(b"\\\"") && has_strings()) || (has(b"><") && has(b"&") && has(b"</"))
}

/// Whether a range has what may be hidden.
pub(crate) fn hides(range: &[u8]) -> bool {
    memchr::memmem::find(range, b"\\\"").is_some() || memchr::memchr(b'&', range).is_some()
}

const fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quote_of_a_list_is_that_of_its_first_string() {
        for (text, quote) in [
            ("''.join('a[\"b', ", Some(b'\'')),
            ("concat!(\"a['b\", ", Some(b'"')),
            ("x = ['[\"a\",', ", Some(b'\'')),
            ("implode([\"a\", ", Some(b'"')),
            ("f(a, \"b\", ", None),
        ] {
            assert_eq!(of_list(text.as_bytes(), text.len()), quote, "{text}");
        }
        assert!(is_escaped(b"a\\\"", 2) && !is_escaped(b"a\\\\\"", 3) && !is_escaped(b"\"", 0));
        assert!(may_hide(b"echo \"a\\\"b\"'c'") && !may_hide(b"echo \"a\\\"b\""));
        assert!(may_hide(b"<b>&lt;</b><b>a</b>") && !may_hide(b"<b>a</b><b>b</b>"));
    }
}
