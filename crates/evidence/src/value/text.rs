//! Writing JSON strings.

use std::fmt::Write as _;

/// Writes a text as a JSON string with the fewest escapes (RFC 8785, section 3.2.2.2).
pub(crate) fn escape(text: &str, out: &mut String) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let short = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0C => "\\f",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[from..at]);
        from = at + 1;
        out.push_str(short);
        if short.is_empty() {
            let _ = write!(out, "\\u{byte:04x}");
        }
    }
    out.push_str(&text[from..]);
    out.push('"');
}
