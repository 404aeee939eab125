//! Detection of records. A record is stored wherever its owner puts it, so there are no data
//! directories. Each record is a document by itself, even if several are about one session.

use crate::claim::{Candidate, Claim, Role};
use crate::documents::shared::out::string_end;
use crate::probe;

/// Keys that distinguish a record from other documents.
const SESSION: &[u8] = b"session";
const INNER: &[&[u8]] = &[b"session-id", b"agent-meta", b"entries"];

/// Format detection: a record is an object with a `session` that has one of the schema's keys.
pub(super) fn claim(file: &Candidate<'_>) -> Claim {
    let head = file.head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file.head).trim_ascii_start();
    match is_cbor(file.head) || head.first() == Some(&b'{') && is_record(head) {
        true => Claim::Part { group: file.path.to_owned(), role: Role::Main },
        false => Claim::No,
    }
}

/// Keys that a record has before its entries, whatever the order of its keys; as CBOR text.
const KEYS: [&[u8]; 2] = [b"\x67session", b"\x67entries"];

/// Whether bytes begin a record in CBOR: a map with a session and its entries, possibly after the
/// tag for CBOR (RFC 8949, section 3.4.6).
pub fn is_cbor(head: &[u8]) -> bool {
    let map = head.strip_prefix(b"\xd9\xd9\xf7").unwrap_or(head);
    matches!(map.first(), Some(0xa1..=0xbb | 0xbf))
        && KEYS.iter().all(|key| memchr::memmem::find(map, key).is_some())
}

/// Whether the keys of the first two levels are a record's, as far as the head goes.
fn is_record(head: &[u8]) -> bool {
    // Nearly all files lack the first key, and that is found out sooner.
    let first = probe::first_value(head);
    if memchr::memmem::find(first, b"\"session\"").is_none() {
        return false;
    }
    let (mut depth, mut at) = (0usize, 0);
    let (mut within, mut last): (&[u8], &[u8]) = (b"", b"");
    while let Some(&byte) = head.get(at) {
        let end = if byte == b'"' { string_end(head, at) } else { at + 1 };
        match byte {
            b'{' | b'[' => {
                if depth == 1 {
                    within = last;
                }
                depth += 1;
            }
            // The first value of a file says what it is.
            b'}' | b']' if depth <= 1 => return false,
            b'}' | b']' => depth -= 1,
            b'"' => {
                let text = head.get(at + 1..end - 1).unwrap_or_default();
                if depth == 2 && within == SESSION && INNER.contains(&text) && is_key(head, end) {
                    return true;
                }
                last = text;
            }
            _ => {}
        }
        at = end;
    }
    false
}

fn is_key(head: &[u8], end: usize) -> bool {
    head.get(end..).is_some_and(|rest| rest.trim_ascii_start().first() == Some(&b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(text: &str) -> Claim {
        claim(&Candidate::of("x/a.json", text.as_bytes()))
    }

    #[test]
    fn a_record_is_known_by_its_keys() {
        let part = Claim::Part { group: "x/a.json".to_owned(), role: Role::Main };
        assert_eq!(claims(r#"{"version":"1","session":{"session-id":"s1","entries":["#), part);
        assert_eq!(claims("{\"session\" : {\n \"agent-meta\": {\"model-id\": \"x\"},"), part);
        assert_eq!(claims("\u{feff}{\"session\":{\"session-id\":\"s1\",\"entries\":["), part);
        for other in [
            r#"{"session":{"id":"1"},"items":[]}"#,
            r#"{"type":"user","text":"\"session\":{\"entries\":[]}"}"#,
            r#"{"a":{"session":{"entries":[]}}}"#,
            r#"{"session":"entries","x":{"entries":1}}"#,
            r#"{"type":"a"}{"session":{"entries":[]}}"#,
            "[]",
            "",
        ] {
            assert_eq!(claims(other), Claim::No, "{other}");
        }
    }
}
