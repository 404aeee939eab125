//! Values that give access to something in bytes without labels (a damaged record, a value that is
//! kept whole): found by the names before them. What is in doubt is withheld.

use session::{Slot, Span, value};

use super::{Names, gives, gives_access};

/// The longest name, as written, that is compared: each letter may be an escape of six bytes.
const LONGEST: usize = 6 * 64;

/// The values behind one of these names, each with its name, in order. The last one of a record
/// that was cut ends with it.
pub(super) fn named(bytes: &[u8], names: Names<'_>) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    let mut from = 0;
    for colon in memchr::memchr_iter(b':', bytes) {
        if colon < from {
            continue;
        }
        let Some((name, quote)) = name_before(&bytes[..colon]) else { continue };
        let Some(&(_, slot)) = names.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name))
        else {
            continue;
        };
        let (start, end) = value_behind(bytes, colon + 1, quote);
        let raw = &bytes[start..end];
        let is_secret = match slot {
            Slot::Repository => gives_access(&value::unescape(raw)),
            _ => gives(raw),
        };
        if start < end && is_secret {
            found.push((name, Span::new(start as u32, end as u32)));
            from = end;
        }
    }
    found
}

/// The name that ends `before`, and how many backslashes are before its quotes (JSON in a string).
fn name_before(before: &[u8]) -> Option<(String, usize)> {
    let rest = before.trim_ascii_end().strip_suffix(b"\"")?;
    let slashes = slashes(rest);
    let rest = &rest[rest.len().saturating_sub(LONGEST)..rest.len() - slashes.min(rest.len())];
    let quotes = memchr::memrchr_iter(b'"', rest);
    let start = quotes.into_iter().find(|&quote| self::slashes(&rest[..quote]) == slashes)?;
    let mut name = value::unescape(&rest[start + 1..]).into_owned();
    // An escape of the text around it is an escape of each further level.
    for _ in 0..slashes.min(4) {
        name = value::unescape(name.as_bytes()).into_owned();
    }
    Some((name, slashes))
}

/// Number of backslashes at the end of the bytes.
fn slashes(bytes: &[u8]) -> usize {
    bytes.iter().rev().take_while(|byte| **byte == b'\\').count()
}

/// The place of the value from `at` on: of a string what its quotes hold, of a container all up to
/// the end of its line.
fn value_behind(bytes: &[u8], at: usize, slashed: usize) -> (usize, usize) {
    let rest = &bytes[at..];
    let start = at + rest.len() - rest.trim_ascii_start().len();
    let rest = &bytes[start..];
    let opens = rest.iter().take_while(|byte| **byte == b'\\').count();
    let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    match rest.get(opens) {
        Some(b'"') => {
            let from = start + opens + 1;
            let quotes = memchr::memchr_iter(b'"', &bytes[from..]);
            let mut ends = quotes.map(|quote| (from + quote, slashes(&bytes[from..from + quote])));
            let end = ends.find(|(_, before)| *before <= slashed);
            end.map_or((from, bytes.len()), |(quote, before)| (from, quote - before))
        }
        Some(b'{' | b'[') => (start, container_end(bytes, start).unwrap_or(start + line)),
        _ => {
            let end = |byte: &u8| byte.is_ascii_whitespace() || b",}]\"".contains(byte);
            (start, start + rest.iter().position(end).unwrap_or(rest.len()))
        }
    }
}

/// The end of the object or array at `start`, if it has one.
fn container_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut depth = 0usize;
    let mut is_text = false;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'"' => is_text = !is_text,
            b'{' | b'[' if !is_text => depth += 1,
            b'}' | b']' if !is_text => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::named;
    use session::Slot;

    fn found(text: &str) -> Vec<&str> {
        let names = [("secret", Slot::Secret), ("repository_url", Slot::Repository)];
        let spans = named(text.as_bytes(), &names).into_iter();
        spans.map(|(_, span)| &text[span.start as usize..span.end as usize]).collect()
    }

    #[test]
    fn values_in_damaged_records_are_found_by_their_names() {
        assert_eq!(found(r#"{"secret":"word","x":"#), ["word"]);
        assert_eq!(found(r#"{"secret" : "wo\"rd","x":"#), [r#"wo\"rd"#]);
        assert_eq!(found(r#"{"secret":"wor"#), ["wor"]);
        assert_eq!(found(r#"{"\u0073ecret":"word""#), ["word"]);
        assert_eq!(found(r#"{"data":"{\"secret\":\"word\",\"x\":1"#), ["word"]);
        assert_eq!(found(r#"x" "secret":12345,"#), ["12345"]);
        assert_eq!(found(r#"{"secret":["a","b"],"x":"#), [r#"["a","b"]"#]);
        assert_eq!(found(r#"{"secret":["a","b" "x":"#), [r#"["a","b" "x":"#]);
        assert_eq!(
            found(r#"{"repository_url":"https://u:word@host/r","#),
            ["https://u:word@host/r"]
        );
        for none in [
            r#"{"secret":null,"x""#,
            r#"{"secret":"","x""#,
            r#"{"secrets":"word","#,
            r#"secret: word"#,
            r#"{"repository_url":"https://host/r","#,
            r#"{"secret":"#,
            ":",
            "\":",
            "\\\":x",
        ] {
            assert_eq!(found(none), [""; 0], "{none}");
        }
    }
}
