//! XSD regular expressions (RFC 8610, section 3.8.3) for the `regex` crate. They always match a
//! whole text; `^` and `$` are ordinary characters; `.` is anything but a line end.

use regex::Regex;

use super::TextError;

pub(super) fn compile(pattern: &str) -> Result<Regex, TextError> {
    let fault = |_| TextError::Regexp(pattern.to_owned());
    Regex::new(&translate(pattern).ok_or(()).map_err(fault)?)
        .map_err(|_| TextError::Regexp(pattern.to_owned()))
}

/// The pattern in the syntax of `regex`. `None` for constructs that XSD and `regex` read
/// differently, and that no schema here needs: multi-character escapes such as `\d` and `\i`, class
/// subtraction, lazy quantifiers, group flags.
fn translate(pattern: &str) -> Option<String> {
    let mut out = String::from("^(?:");
    let mut class = false;
    let mut before = None;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let escaped = chars.next()?;
                if !"nrt\\|.?*+(){}-[]^$".contains(escaped) {
                    return None;
                }
                if escaped == '$' || !"nrt".contains(escaped) {
                    out.push_str(&regex::escape(escaped.encode_utf8(&mut [0; 4])));
                } else {
                    out.extend(['\\', escaped]);
                }
            }
            '[' if class => return None,
            '[' => {
                class = true;
                out.push('[');
                if chars.peek() == Some(&'^') {
                    out.extend(chars.next());
                }
            }
            ']' if class => {
                class = false;
                out.push(']');
            }
            '&' | '~' if class => out.extend(['\\', c]),
            '.' if !class => out.push_str("[^\\n\\r]"),
            '^' | '$' if !class => out.extend(['\\', c]),
            '?' if !class && matches!(before, Some('?' | '*' | '+' | '}' | '(')) => return None,
            _ => out.push(c),
        }
        before = Some(c);
    }
    out.push_str(")$");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::compile;

    fn matches(pattern: &str, text: &str) -> bool {
        compile(pattern).expect("pattern").is_match(text)
    }

    #[test]
    fn a_pattern_matches_the_whole_text() {
        assert!(matches("a|b", "a"));
        assert!(!matches("a|b", "ab"));
        assert!(!matches("a", "xa"));
        assert!(!matches("a", "a\n"));
    }

    #[test]
    fn anchors_are_characters_and_a_dot_is_no_line_end() {
        assert!(matches("^a$", "^a$"));
        assert!(matches("a.c", "a\u{2028}c"));
        assert!(!matches("a.c", "a\rc"));
        assert!(!matches("a.c", "a\nc"));
        assert!(matches("[.]", "."));
        assert!(!matches("[.]", "x"));
        assert!(matches("a[^?#]*", "a\n\r"));
        assert!(matches("\\?\\$", "?$"));
    }

    #[test]
    fn what_the_two_dialects_read_differently_is_refused() {
        for pattern in ["\\d", "[a-z-[aeiou]]", "a*?", "(?i)a", "\\"] {
            assert!(compile(pattern).is_err(), "{pattern}");
        }
    }
}
