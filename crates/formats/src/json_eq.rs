//! JSON equality: whether two texts differ in white space only. Agents write the same value compact
//! in one place and indented in another.

/// Whether two valid texts differ only in white space outside strings.
pub(crate) fn equal(a: &[u8], b: &[u8]) -> bool {
    a == b || Tokens::of(a).eq(Tokens::of(b))
}

/// A valid text without the white space outside its strings. Equal values have equal texts.
pub(crate) fn tokens(text: &[u8]) -> Vec<u8> {
    Tokens::of(text).collect()
}

struct Tokens<'a> {
    rest: std::slice::Iter<'a, u8>,
    in_string: bool,
    escaped: bool,
}

impl<'a> Tokens<'a> {
    fn of(text: &'a [u8]) -> Self {
        Self { rest: text.iter(), in_string: false, escaped: false }
    }
}

impl Iterator for Tokens<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        loop {
            let &byte = self.rest.next()?;
            if self.escaped {
                self.escaped = false;
            } else if self.in_string && byte == b'\\' {
                self.escaped = true;
            } else if byte == b'"' {
                self.in_string = !self.in_string;
            } else if !self.in_string && byte.is_ascii_whitespace() {
                continue;
            }
            return Some(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_counts_within_strings_alone() {
        assert!(equal(br#"{ "a" : [1, "x\" y"] }"#, br#"{"a":[1,"x\" y"]}"#));
        assert!(!equal(br#"{"a":"x y"}"#, br#"{"a":"xy"}"#));
        assert!(!equal(br#"{"a":1}"#, br#"{"a":1.0}"#));
    }
}
