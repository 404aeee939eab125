//! Protobuf view: the fields of a protocol buffer by number, as JSON. Its schema is not published.
//! The bytes are stored beside the view. The view guesses (text or message), so nothing is written
//! from it.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use session::value;

/// Greatest depth of nested messages.
const DEPTH: u8 = 8;

/// The fields of a message as a JSON object: a number for a fixed or variable integer, a string for
/// text, `{"blob":hex}` for the 32 bytes that name another blob, an object for a message, and
/// `{"base64":…}` for any other value. A repeated field is an array. `None` if the bytes are not a
/// message.
pub(super) fn view(bytes: &[u8]) -> Option<Vec<u8>> {
    message(bytes, DEPTH).filter(|_| !bytes.is_empty())
}

/// Appends a field with a text or a message.
pub(super) fn put(number: u8, value: &[u8], out: &mut Vec<u8>) {
    debug_assert!(number < 16, "longer numbers take two bytes");
    out.push(number << 3 | 2);
    let mut rest = value.len();
    while rest >= 0x80 {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
    out.extend_from_slice(value);
}

enum Value<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

fn message(bytes: &[u8], depth: u8) -> Option<Vec<u8>> {
    let mut fields: Vec<(u64, Vec<Value<'_>>)> = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        let (number, value) = field(&mut rest)?;
        match fields.iter().position(|(known, _)| *known == number) {
            Some(at) => fields[at].1.push(value),
            // A message of the store has twenty fields at most. A value with more is not a message.
            None if fields.len() >= 64 => return None,
            None => fields.push((number, vec![value])),
        }
    }
    let mut out = Vec::new();
    for (number, values) in &fields {
        out.push(if out.is_empty() { b'{' } else { b',' });
        value::quote(&number.to_string(), &mut out);
        out.push(b':');
        let several = values.len() > 1;
        for (at, value) in values.iter().enumerate() {
            out.extend_from_slice(match (several, at) {
                (true, 0) => b"[",
                (true, _) => b",",
                _ => b"",
            });
            shown(value, depth, &mut out);
        }
        out.extend_from_slice(if several { b"]" } else { b"" });
    }
    out.extend_from_slice(if fields.is_empty() { b"{}" } else { b"}" });
    Some(out)
}

/// The next field of a message: its number and value (wire format of protocol buffers).
fn field<'b>(rest: &mut &'b [u8]) -> Option<(u64, Value<'b>)> {
    let tag = varint(rest)?;
    let number = tag >> 3;
    let value = match tag & 7 {
        0 => Value::Number(varint(rest)?),
        1 => Value::Number(u64::from_le_bytes(take(rest, 8)?.try_into().ok()?)),
        2 => {
            let length = usize::try_from(varint(rest)?).ok()?;
            Value::Bytes(take(rest, length)?)
        }
        5 => Value::Number(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?).into()),
        _ => return None,
    };
    (1..1 << 29).contains(&number).then_some((number, value))
}

fn take<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = take(rest, 1)?[0];
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn shown(value: &Value<'_>, depth: u8, out: &mut Vec<u8>) {
    let bytes = match value {
        Value::Number(number) => return out.extend_from_slice(number.to_string().as_bytes()),
        Value::Bytes(bytes) => *bytes,
    };
    let inner = || if depth > 0 { message(bytes, depth - 1) } else { None };
    // A message begins with the tag of a low field. No text begins with such a byte.
    let tagged = bytes.first().is_some_and(|&byte| byte < 0x20 && byte != b'\t');
    // One digest in 5,000 is a message by chance, but none is UTF-8.
    let is_digest = bytes.len() == 32 && std::str::from_utf8(bytes).is_err();
    if tagged
        && !is_digest
        && let Some(inner) = inner()
    {
        return out.extend_from_slice(&inner);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t')) => {
            value::quote(text, out);
        }
        _ if bytes.len() == 32 => named(b"blob", &hex(bytes), out),
        _ => match inner() {
            Some(inner) => out.extend_from_slice(&inner),
            None => named(b"base64", &STANDARD.encode(bytes), out),
        },
    }
}

fn named(name: &[u8], text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"");
    out.extend_from_slice(name);
    out.extend_from_slice(b"\":\"");
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(b"\"}");
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bytes: &[u8]) -> Option<String> {
        view(bytes).map(|text| String::from_utf8(text).expect("UTF-8"))
    }

    #[test]
    fn fields_stand_by_number() {
        let mut root = Vec::new();
        for byte in [0xa1u8, 0xb2] {
            root.extend([0x0a, 32]);
            root.extend([byte; 32]);
        }
        root.extend([0x28, 0x96, 0x01, 0x32, 2, b'h', b'i', 0x3a, 3, 0x0a, 1, b'x']);
        root.extend([0x42, 2, 0xff, 0xfe, 0x4d, 1, 0, 0, 0]);
        let (a, b) = ("a1".repeat(32), "b2".repeat(32));
        let first = format!(r#""1":[{{"blob":"{a}"}},{{"blob":"{b}"}}]"#);
        let rest = r#""5":150,"6":"hi","7":{"1":"x"},"8":{"base64":"//4="},"9":1"#;
        let expected = format!("{{{first},{rest}}}");
        assert_eq!(shown(&root), Some(expected));
    }

    /// These bytes are the fields 1 (28 bytes) and 2 (a number) of a message.
    #[test]
    fn a_digest_that_could_be_a_message_names_a_blob() {
        let digest = [&[0x0a, 0x1c][..], &[0xff; 28], &[0x10, 0x01]].concat();
        assert!(message(&digest, DEPTH).is_some());
        let mut root = Vec::new();
        put(1, &digest, &mut root);
        assert_eq!(shown(&root), Some(format!(r#"{{"1":{{"blob":"{}"}}}}"#, hex(&digest))));
        let mut text = Vec::new();
        put(1, &[b'x'; 30], &mut text);
        let mut step = Vec::new();
        put(1, &text, &mut step);
        assert_eq!(shown(&step), Some(format!(r#"{{"1":{{"1":"{}"}}}}"#, "x".repeat(30))));
        let mut long = Vec::new();
        put(2, &[b'y'; 300], &mut long);
        assert_eq!(long[..3], [0x12, 0xac, 0x02]);
    }

    #[test]
    fn what_is_no_message_is_none() {
        for bytes in [&b""[..], b"\x0a", b"\x0a\x05abc", b"\xff\xff", b"\x07", b"\x00\x01"] {
            assert_eq!(shown(bytes), None, "{bytes:?}");
        }
        let deep = (0..200).fold(Vec::from([0x0a, 0]), |inner, _| {
            let length = inner.len();
            match u8::try_from(length) {
                Ok(short) if short < 0x80 => [vec![0x0a, short], inner].concat(),
                _ => inner,
            }
        });
        assert!(shown(&deep).is_some());
    }
}
