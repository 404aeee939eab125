//! Values of a row as JSON, by the rules of `formats::database`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use formats::database::Column;
use rusqlite::types::ValueRef;
use session::Scan;
use session::value::quote;

/// A value longer than this, in bytes, gets exactly the memory that it needs.
const LONG: usize = 1024 * 1024;

/// Writer of table rows, with the reusable memory of a JSON reader.
#[derive(Default)]
pub(super) struct Writer {
    scan: Scan,
}

impl Writer {
    /// Appends `"name":value` to an object, as the format describes the column.
    pub(super) fn column(
        &mut self,
        name: &str,
        value: ValueRef<'_>,
        special: Option<Column>,
        out: &mut Vec<u8>,
    ) {
        // Growing by doubling would double the memory of the whole dump for one long value.
        if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = value
            && bytes.len() > LONG
        {
            out.reserve_exact(bytes.len() + LONG / 16);
        }
        if out.last() != Some(&b'{') {
            out.push(b',');
        }
        let key = |ending: &str, out: &mut Vec<u8>| {
            quote(&format!("{name}{ending}"), out);
            out.push(b':');
        };
        key("", out);
        match (special, value) {
            (Some(Column::Hex), ValueRef::Text(text)) => match unhex(text) {
                Some(inner) if self.is_container(&inner) => {
                    splice(&inner, out);
                    out.push(b',');
                    key(".as", out);
                    out.extend_from_slice(b"\"hex\"");
                }
                _ => self.value(value, out),
            },
            (Some(Column::View(view)), ValueRef::Blob(bytes)) if !self.is_container(bytes) => {
                self.value(value, out);
                if let Some(view) = view(bytes).filter(|view| self.is_container(view)) {
                    out.push(b',');
                    key(".view", out);
                    splice(&view, out);
                }
            }
            _ => self.value(value, out),
        }
    }

    /// Appends a value.
    pub(super) fn value(&mut self, value: ValueRef<'_>, out: &mut Vec<u8>) {
        match value {
            ValueRef::Null => out.extend_from_slice(b"null"),
            ValueRef::Integer(number) => out.extend_from_slice(number.to_string().as_bytes()),
            ValueRef::Real(number) if number.is_finite() => {
                out.extend_from_slice(format!("{number:?}").as_bytes());
            }
            ValueRef::Real(number) => quote(&number.to_string(), out),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) if self.is_container(bytes) => {
                splice(bytes, out);
            }
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => quote(text, out),
                Err(_) => base64(bytes, out),
            },
            ValueRef::Blob(bytes) => base64(bytes, out),
        }
    }

    /// Whether the bytes are the text of a JSON object or array.
    pub(super) fn is_container(&mut self, bytes: &[u8]) -> bool {
        matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
            && self.scan.read(bytes, 0).is_ok()
    }
}

/// Appends a JSON text as one line. Line breaks occur only between tokens, so they can be left out.
pub(super) fn splice(json: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(json.trim_ascii());
    for byte in &mut out[start..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

fn base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"base64\":\"");
    out.extend_from_slice(STANDARD.encode(bytes).as_bytes());
    out.extend_from_slice(b"\"}");
}

fn unhex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |pair: &[u8]| u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok();
    if text.is_empty() || !text.len().is_multiple_of(2) {
        return None;
    }
    text.chunks_exact(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: ValueRef<'_>, special: Option<Column>) -> String {
        let mut out = vec![b'{'];
        Writer::default().column("c", value, special, &mut out);
        out.push(b'}');
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn values_are_json() {
        let cases = [
            (ValueRef::Null, r#"{"c":null}"#),
            (ValueRef::Integer(-7), r#"{"c":-7}"#),
            (ValueRef::Real(0.1), r#"{"c":0.1}"#),
            (ValueRef::Real(1e300), r#"{"c":1e300}"#),
            (ValueRef::Real(f64::INFINITY), r#"{"c":"inf"}"#),
            (ValueRef::Text(b"a\"b"), r#"{"c":"a\"b"}"#),
            (ValueRef::Text(b"12"), r#"{"c":"12"}"#),
            (ValueRef::Text(b"{\"a\":\n 1.0}\n"), r#"{"c":{"a":  1.0}}"#),
            (ValueRef::Text(b"{\"a\":"), r#"{"c":"{\"a\":"}"#),
            (ValueRef::Text(b"\xff"), r#"{"c":{"base64":"/w=="}}"#),
            (ValueRef::Blob(b"[1]"), r#"{"c":[1]}"#),
            (ValueRef::Blob(b"ab"), r#"{"c":{"base64":"YWI="}}"#),
        ];
        for (value, expected) in cases {
            assert_eq!(shown(value, None), expected);
        }
    }

    #[test]
    fn special_columns_say_so() {
        let hex = Some(Column::Hex);
        assert_eq!(shown(ValueRef::Text(b"7b7d"), hex), r#"{"c":{},"c.as":"hex"}"#);
        assert_eq!(shown(ValueRef::Text(b"7b7"), hex), r#"{"c":"7b7"}"#);
        assert_eq!(shown(ValueRef::Text(b"{}"), hex), r#"{"c":{}}"#);
        let view = Some(Column::View(|_| Some(b"{\"1\":2}".to_vec())));
        let expected = r#"{"c":{"base64":"CAI="},"c.view":{"1":2}}"#;
        assert_eq!(shown(ValueRef::Blob(b"\x08\x02"), view), expected);
        assert_eq!(shown(ValueRef::Blob(b"{}"), view), r#"{"c":{}}"#);
    }
}
