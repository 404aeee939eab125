//! JSON text, written from slices: no value is decoded that does not have to be. Knows nothing of
//! records or entries.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use session::value;
pub(super) use session::value::quote;

/// A JSON text that grows at its end. Commas are its own business.
#[derive(Default)]
pub(super) struct Out {
    /// The text so far.
    pub(super) text: Vec<u8>,
}

impl Out {
    /// Writes the comma that what follows needs.
    #[inline]
    fn comma(&mut self) {
        if !matches!(self.text.last(), None | Some(b'{' | b'[' | b':')) {
            self.text.push(b',');
        }
    }

    /// Begins an object (as a value where a key was just written, else as an element).
    pub(super) fn open(&mut self) {
        self.comma();
        self.text.push(b'{');
    }

    /// Ends an object.
    pub(super) fn close(&mut self) {
        self.text.push(b'}');
    }

    /// Begins an array.
    pub(super) fn open_array(&mut self) {
        self.comma();
        self.text.push(b'[');
    }

    /// Ends an array.
    pub(super) fn close_array(&mut self) {
        self.text.push(b']');
    }

    /// Writes a member's key; its value must follow.
    #[inline]
    pub(super) fn key(&mut self, key: &str) {
        self.comma();
        quote(key, &mut self.text);
        self.text.push(b':');
    }

    /// Writes a string.
    pub(super) fn string(&mut self, text: &str) {
        self.comma();
        quote(text, &mut self.text);
    }

    /// Writes a JSON value as it stands. Line breaks can only be layout: such a value is made
    /// compact.
    #[inline]
    pub(super) fn raw(&mut self, value: &[u8]) {
        self.comma();
        match memchr::memchr2(b'\n', b'\r', value) {
            None => self.text.extend_from_slice(value),
            Some(_) => compact(value, &mut self.text),
        }
    }

    /// Writes a whole number.
    pub(super) fn number(&mut self, number: u64) {
        self.comma();
        self.text.extend_from_slice(number.to_string().as_bytes());
    }

    /// Writes a member that is a string.
    pub(super) fn member(&mut self, key: &str, text: &str) {
        self.key(key);
        self.string(text);
    }

    /// Writes a member that is true.
    pub(super) fn flag(&mut self, key: &str) {
        self.key(key);
        self.text.extend_from_slice(b"true");
    }

    /// Writes bytes as a string of Base64 (RFC 4648, section 4).
    pub(super) fn base64(&mut self, bytes: &[u8]) {
        self.comma();
        self.text.push(b'"');
        let start = self.text.len();
        let length = base64::encoded_len(bytes.len(), true).unwrap_or_default();
        self.text.resize(start + length, b'=');
        let written = STANDARD.encode_slice(bytes, &mut self.text[start..]).unwrap_or_default();
        self.text.truncate(start + written);
        self.text.push(b'"');
    }
}

/// The bytes that a string of Base64 (with its quotes) stands for.
pub(super) fn unbase64(raw: &[u8]) -> Option<Vec<u8>> {
    STANDARD.decode(value::text(raw)?.as_bytes()).ok()
}

/// Where the string that begins at `start` of a valid JSON text ends, its quote included.
pub(super) fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', text.get(at..).unwrap_or_default()) {
        at += found;
        if text[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    text.len()
}

/// A valid JSON text without the white space between its tokens.
fn compact(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let end = match byte {
            b'"' => string_end(text, at),
            _ => at + 1,
        };
        if !byte.is_ascii_whitespace() {
            out.extend_from_slice(&text[at..end]);
        }
        at = end;
    }
}

/// Deeper than this, a pretty text goes on in one line: indentation alone would be quadratic in
/// hostile nesting.
const INDENTED: usize = 48;

/// A compact JSON text laid out for people: one member a line, two spaces a level.
pub(super) fn pretty(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 4);
    let (mut at, mut depth) = (0, 0usize);
    let line = |out: &mut Vec<u8>, depth: usize| {
        if depth <= INDENTED {
            out.push(b'\n');
            out.resize(out.len() + 2 * depth, b' ');
        }
    };
    while let Some(&byte) = text.get(at) {
        let end = if byte == b'"' { string_end(text, at) } else { at + 1 };
        match byte {
            b'{' | b'[' => {
                out.push(byte);
                depth += 1;
                if !matches!(text.get(end), Some(b'}' | b']')) {
                    line(&mut out, depth);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if !matches!(at.checked_sub(1).map(|at| text[at]), Some(b'{' | b'[')) {
                    line(&mut out, depth);
                }
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                line(&mut out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            b' ' | b'\t' | b'\n' | b'\r' => {}
            _ => out.extend_from_slice(&text[at..end]),
        }
        at = end;
    }
    out.push(b'\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_read_back_as_they_were() {
        for text in ["", "a\"b\\c\n\r\t\u{1}\u{1f}é🦀\u{7f}", "</script>"] {
            let mut out = Vec::new();
            quote(text, &mut out);
            assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        }
    }

    #[test]
    fn layouts_hold_the_same_value() {
        let text = br#"{"a" : [ ],"b":{ },"c":[1 , {"d":"x , : { \" }\n"}]}"#;
        let expected: serde_json::Value = serde_json::from_slice(text).unwrap();
        let mut small = Vec::new();
        compact(text, &mut small);
        assert_eq!(small, br#"{"a":[],"b":{},"c":[1,{"d":"x , : { \" }\n"}]}"#);
        let wide = pretty(&small);
        assert_eq!(serde_json::from_slice::<serde_json::Value>(&wide).unwrap(), expected);
        assert_eq!(String::from_utf8(wide).unwrap(), format!("{expected:#}\n"));
    }

    #[test]
    fn hostile_nesting_stays_linear() {
        let text = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
        assert!(pretty(&text).len() < 300_000);
    }

    #[test]
    fn bytes_read_back_as_they_were() {
        for length in 0..9 {
            let bytes: Vec<u8> = (0..length).map(|byte| byte * 31).collect();
            let mut out = Out::default();
            out.base64(&bytes);
            assert_eq!(unbase64(&out.text), Some(bytes));
        }
    }
}
