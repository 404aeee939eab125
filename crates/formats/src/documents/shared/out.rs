//! JSON text, written from slices: values are decoded only if necessary. With a sink, no text is
//! kept. This module knows nothing of records or entries.

use std::io::{Result, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
pub(crate) use session::value::quote;
use session::value::{self, escape_into};

use super::pretty::Pretty;

/// An encoder for another form of JSON's data: each call is one token of a document, in order.
pub trait TokenSink {
    /// Begins an object or an array. If the caller knows the number of its members and writes an
    /// object's members in [`TokenSink::order`], `count` is that number, and nothing is buffered.
    fn open(&mut self, object: bool, count: Option<usize>);
    /// Ends the innermost object or array.
    fn close(&mut self);
    /// A member's key; its value follows.
    fn key(&mut self, key: &str);
    /// A string.
    fn string(&mut self, text: &str);
    /// A value as JSON text: valid, without repeated keys and lone surrogates.
    fn value(&mut self, json: &[u8]);
    /// Sorts the keys of an object into the order of the encoding.
    fn order(&self, keys: &mut [&'static str]);
}

/// Writer of a document, as JSON text or through an encoder. It writes the commas itself.
#[derive(Default)]
pub(crate) struct Out<'w> {
    /// The text so far; with a sink, the part that the sink has not received yet.
    pub(crate) text: Vec<u8>,
    sink: Option<&'w mut dyn Write>,
    encoder: Option<&'w mut dyn TokenSink>,
    failed: Option<std::io::Error>,
}

/// Length from which the text is passed on, in bytes.
const CHUNK: usize = 1 << 17;

impl<'w> Out<'w> {
    /// A writer of text to `sink`.
    pub(crate) fn to(sink: &'w mut dyn Write) -> Self {
        Self { text: Vec::with_capacity(2 * CHUNK), sink: Some(sink), ..Self::default() }
    }

    /// A writer of tokens to an encoder.
    pub(crate) fn by(encoder: &'w mut dyn TokenSink) -> Self {
        Self { encoder: Some(encoder), ..Self::default() }
    }

    /// Ends the document; a text ends with a line end.
    ///
    /// # Errors
    /// The sink's first error.
    pub(crate) fn finish(mut self) -> Result<()> {
        if self.encoder.is_none() {
            self.text.push(b'\n');
        }
        match (self.failed, self.sink) {
            (Some(error), _) => Err(error),
            (None, Some(sink)) => sink.write_all(&self.text),
            (None, None) => Ok(()),
        }
    }

    /// Passes the text on if there is enough of it. The last byte is kept: it decides whether a
    /// comma must follow.
    #[inline]
    fn spill(&mut self) {
        if self.text.len() >= CHUNK && self.sink.is_some() {
            self.hand_on(&[]);
        }
    }

    /// Passes on the text, followed by `more` (all but the last byte of both).
    #[cold]
    fn hand_on(&mut self, more: &[u8]) {
        let Some(sink) = &mut self.sink else { return };
        let (text, rest, last) = match more.split_last() {
            Some((last, rest)) => (&self.text[..], rest, Some(*last)),
            None => match self.text.split_last() {
                Some((last, text)) => (text, more, Some(*last)),
                None => (&self.text[..], more, None),
            },
        };
        if self.failed.is_none() {
            self.failed = sink.write_all(text).and_then(|()| sink.write_all(rest)).err();
        }
        self.text.clear();
        self.text.extend(last);
    }

    /// Writes a comma if the next token needs one.
    #[inline]
    fn comma(&mut self) {
        if !matches!(self.text.last(), None | Some(b'{' | b'[' | b':' | b'\n')) {
            self.text.push(b',');
        }
    }

    /// Begins an object: a value if a key was just written, else an element.
    pub(crate) fn open(&mut self) {
        self.begin(b'{', None);
    }

    /// Ends an object.
    pub(crate) fn close(&mut self) {
        self.end(b'}');
    }

    /// Begins an array.
    pub(crate) fn open_array(&mut self) {
        self.begin(b'[', None);
    }

    /// Begins an array with this number of elements.
    pub(crate) fn open_array_of(&mut self, count: usize) {
        self.begin(b'[', Some(count));
    }

    /// Begins an object with exactly these members, each once. Returns them in the order in which
    /// they must be written.
    pub(crate) fn open_of(&mut self, mut keys: Vec<&'static str>) -> Vec<&'static str> {
        if let Some(encoder) = &self.encoder {
            encoder.order(&mut keys);
        }
        self.begin(b'{', Some(keys.len()));
        keys
    }

    /// Ends an array.
    pub(crate) fn close_array(&mut self) {
        self.end(b']');
    }

    #[inline]
    fn begin(&mut self, bracket: u8, count: Option<usize>) {
        if let Some(encoder) = &mut self.encoder {
            return encoder.open(bracket == b'{', count);
        }
        self.comma();
        self.text.push(bracket);
    }

    #[inline]
    fn end(&mut self, bracket: u8) {
        if let Some(encoder) = &mut self.encoder {
            return encoder.close();
        }
        self.text.push(bracket);
        self.spill();
    }

    /// Writes a member's key; its value must follow.
    #[inline]
    pub(crate) fn key(&mut self, key: &str) {
        if let Some(encoder) = &mut self.encoder {
            return encoder.key(key);
        }
        self.comma();
        quote(key, &mut self.text);
        self.text.push(b':');
    }

    /// Writes a string.
    pub(crate) fn string(&mut self, text: &str) {
        if let Some(encoder) = &mut self.encoder {
            return encoder.string(text);
        }
        self.comma();
        self.text.push(b'"');
        for part in text.as_bytes().chunks(CHUNK) {
            escape_into(part, &mut self.text);
            self.spill();
        }
        self.text.push(b'"');
    }

    /// Writes a JSON value unchanged. Line breaks in it are formatting only, so such a value is
    /// compacted.
    #[inline]
    pub(crate) fn raw(&mut self, value: &[u8]) {
        if let Some(encoder) = &mut self.encoder {
            return encoder.value(value);
        }
        self.comma();
        match memchr::memchr2(b'\n', b'\r', value) {
            None if value.len() > CHUNK && self.sink.is_some() => self.hand_on(value),
            None => self.text.extend_from_slice(value),
            Some(_) => self.compact(value),
        }
        self.spill();
    }

    /// Writes a whole number.
    pub(crate) fn number(&mut self, number: u64) {
        self.raw(number.to_string().as_bytes());
    }

    /// Writes a member that is a string.
    pub(crate) fn member(&mut self, key: &str, text: &str) {
        self.key(key);
        self.string(text);
    }

    /// Writes a member that is true.
    pub(crate) fn flag(&mut self, key: &str) {
        self.key(key);
        self.raw(b"true");
    }

    /// Writes bytes as a string of Base64 (RFC 4648, section 4).
    pub(crate) fn base64(&mut self, bytes: &[u8]) {
        if let Some(encoder) = &mut self.encoder {
            return encoder.string(&STANDARD.encode(bytes));
        }
        self.comma();
        self.text.push(b'"');
        // Three bytes become four characters: only the last part is padded.
        for part in bytes.chunks(3 << 15) {
            let start = self.text.len();
            let length = base64::encoded_len(part.len(), true).unwrap_or_default();
            self.text.resize(start + length, b'=');
            let written = STANDARD.encode_slice(part, &mut self.text[start..]).unwrap_or_default();
            self.text.truncate(start + written);
            self.spill();
        }
        self.text.push(b'"');
    }

    /// Writes a valid JSON text without the white space between its tokens.
    fn compact(&mut self, text: &[u8]) {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            let end = if byte == b'"' { string_end(text, at) } else { at + 1 };
            if !byte.is_ascii_whitespace() {
                self.text.extend_from_slice(&text[at..end]);
                self.spill();
            }
            at = end;
        }
    }
}

/// Writes the output of `compose` as a text, piece by piece.
///
/// # Errors
/// Those of `sink`.
pub(crate) fn write_text(
    pretty: bool,
    sink: &mut dyn Write,
    compose: impl FnOnce(&mut Out<'_>),
) -> Result<()> {
    if !pretty {
        let mut out = Out::to(sink);
        compose(&mut out);
        return out.finish();
    }
    let mut laid = Pretty::new(sink);
    let mut out = Out::to(&mut laid);
    compose(&mut out);
    out.finish()?;
    laid.finish()
}

/// The bytes of a Base64 string (with its quotes).
pub(crate) fn unbase64(raw: &[u8]) -> Option<Vec<u8>> {
    STANDARD.decode(value::text(raw)?.as_bytes()).ok()
}

/// The end of the string that begins at `start` of a valid JSON text, after its closing quote.
pub(crate) fn string_end(text: &[u8], start: usize) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::shared::pretty::pretty;

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
        let mut small = Out::default();
        small.compact(text);
        let small = small.text;
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

    /// A long text is passed on in pieces, and they add up to the text.
    #[test]
    fn pieces_are_the_whole() {
        let long = "a \"quoted\" line\n é".repeat(40_000);
        let compose = |out: &mut Out<'_>| {
            out.open_array();
            for value in [&*long, "", "x"] {
                out.string(value);
                out.raw(format!("{{\"k\":\"{}\"}}", "v".repeat(300_000)).as_bytes());
                out.raw(b"[ 1,\n2 ]");
                out.base64(long.as_bytes());
                out.open();
                out.member("a", value);
                out.close();
            }
            out.close_array();
        };
        let mut whole = Out::default();
        compose(&mut whole);
        let mut pieces = Vec::new();
        write_text(false, &mut pieces, compose).unwrap();
        assert!(pieces.strip_suffix(b"\n") == Some(&*whole.text));
        let mut laid = Vec::new();
        write_text(true, &mut laid, compose).unwrap();
        assert!(laid == pretty(&whole.text));
    }

    /// The error of a sink is reported at the end, and the sink is not called again.
    #[test]
    fn a_sink_that_fails_is_told() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> Result<usize> {
                self.0 += 1;
                if self.0 > 1 { Err(std::io::Error::other("full")) } else { Ok(bytes.len()) }
            }
            fn flush(&mut self) -> Result<()> {
                Ok(())
            }
        }
        let mut full = Full(0);
        let failed = write_text(false, &mut full, |out| {
            out.open_array();
            (0..9).for_each(|_| out.string(&"x".repeat(CHUNK)));
            out.close_array();
        });
        assert_eq!((failed.unwrap_err().to_string().as_str(), full.0), ("full", 2));
    }
}
