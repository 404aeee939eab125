//! Writing JSON strings.

use std::fmt::Write as _;

/// Writes a text as a JSON string with the fewest escapes (RFC 8785, section 3.2.2.2).
pub(crate) fn escape(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| ESCAPED[byte as usize]) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            control => _ = write!(out, "\\u{control:04x}"),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

/// The bytes that a JSON string must escape.
const ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let mut control = 0;
    while control < 0x20 {
        escaped[control] = true;
        control += 1;
    }
    escaped[b'"' as usize] = true;
    escaped[b'\\' as usize] = true;
    escaped
};
