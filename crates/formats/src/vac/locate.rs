//! Which files are records, and what a record's file is called. A record lives where its owner
//! puts it: there are no places to look at.

use session::value;

use super::out::string_end;
use crate::{Candidate, Claim, Role};

/// The keys of a record that tell it from other documents, by their depth.
const SESSION: &[u8] = b"session";
const INNER: &[&[u8]] = &[b"session-id", b"agent-meta", b"entries"];
const ID: &[u8] = b"session-id";

/// A record is an object with a `session` that has one of the keys that the schema gives it.
pub(super) fn claim(file: &Candidate<'_>) -> Claim {
    let head = file.head.trim_ascii_start();
    if head.first() != Some(&b'{') {
        return Claim::No;
    }
    let found = look(head);
    if !found.is_record {
        return Claim::No;
    }
    let stem = file.file().split('.').next().unwrap_or_default();
    let group = found.id.unwrap_or_else(|| stem.to_owned());
    Claim::Part { group, role: Role::Main }
}

#[derive(Default)]
struct Look {
    is_record: bool,
    id: Option<String>,
}

/// Looks at the keys of the first two levels, as far as the head goes.
fn look(head: &[u8]) -> Look {
    let mut look = Look::default();
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
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let text = head.get(at + 1..end - 1).unwrap_or_default();
                if depth == 2 && within == SESSION {
                    look.is_record |= INNER.contains(&text) && is_key(head, end);
                    if last == ID && !is_key(head, end) {
                        look.id.get_or_insert_with(|| value::unescape(text).into_owned());
                    }
                }
                last = text;
            }
            _ => {}
        }
        at = end;
    }
    look
}

fn is_key(head: &[u8], end: usize) -> bool {
    head.get(end..).is_some_and(|rest| rest.trim_ascii_start().first() == Some(&b':'))
}

/// The name of a record's file: the session's id, as far as it may stand in a name.
pub(super) fn file_name(id: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let id: String = id.chars().take(100).map(|c| if plain(c) { c } else { '-' }).collect();
    format!("{}.vac.json", if id.is_empty() { "session" } else { &id })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(text: &str) -> Claim {
        let head = text.as_bytes();
        claim(&Candidate { path: "x/a.json", head, tail: b"", length: head.len() as u64 })
    }

    #[test]
    fn a_record_is_known_by_its_keys() {
        let part = |group: &str| Claim::Part { group: group.to_owned(), role: Role::Main };
        assert_eq!(
            claims(r#"{"version":"1","session":{"session-id":"s\u002d1","entries":["#),
            part("s-1")
        );
        assert_eq!(claims("{\"session\" : {\n \"agent-meta\": {\"model-id\": \"x\"},"), part("a"));
        for other in [
            r#"{"session":{"id":"1"},"items":[]}"#,
            r#"{"type":"user","text":"\"session\":{\"entries\":[]}"}"#,
            r#"{"a":{"session":{"entries":[]}}}"#,
            r#"{"session":"entries","x":{"entries":1}}"#,
            "[]",
            "",
        ] {
            assert_eq!(claims(other), Claim::No, "{other}");
        }
    }

    #[test]
    fn names_of_files_are_harmless() {
        assert_eq!(file_name("../a\\b:c"), "---a-b-c.vac.json");
        assert_eq!(file_name(""), "session.vac.json");
    }
}
