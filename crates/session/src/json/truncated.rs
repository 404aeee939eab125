//! Closing of a truncated JSON prefix, so that it parses. It serves format detection, if a file's
//! first line is longer than the head. It is never used for reading a session.

/// The containers that a text opens, with everything that is complete in them: a truncated part at
/// the end is dropped, and open containers are closed. `None` if nothing was opened. Linear; the
/// result is not checked, because its reader does so.
#[must_use]
pub fn closed(text: &[u8]) -> Option<Vec<u8>> {
    let (mut open, mut end, mut at) = (Vec::new(), 0, 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => at += string(&text[at..]),
            b'{' | b'[' => {
                open.push(byte + 2);
                end = at;
            }
            b'}' | b']' => {
                open.pop();
                end = at;
                if open.is_empty() {
                    break;
                }
            }
            b',' => end = at - 1,
            _ => {}
        }
    }
    let mut closed = text.get(..end).filter(|begun| !begun.is_empty())?.to_vec();
    closed.extend(open.iter().rev());
    Some(closed)
}

/// Length of a string's rest in bytes, its closing quote included.
fn string(rest: &[u8]) -> usize {
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'"', b'\\', &rest[at..]) {
        at += next + 1;
        if rest[at - 1] == b'"' {
            return at;
        }
        at = (at + 1).min(rest.len());
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::closed;
    use crate::Scan;

    #[test]
    fn what_is_complete_stays() {
        let cases = [
            (
                r#"{"a": 1, "b": [true, {"c": "x\"y", "d": "cut of"#,
                r#"{"a": 1, "b": [true, {"c": "x\"y"}]}"#,
            ),
            (r#"{"a":1}"#, r#"{"a":1}"#),
            (r#"{"a":1}{"b""#, r#"{"a":1}"#),
            (r#"{"key"#, "{}"),
            (r#"[[1],[2"#, "[[1],[]]"),
        ];
        for (text, expected) in cases {
            let found = closed(text.as_bytes()).unwrap();
            assert_eq!(std::str::from_utf8(&found).unwrap(), expected);
        }
        for text in ["", "12", "\"{"] {
            assert_eq!(closed(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn every_beginning_of_a_text_can_be_read() {
        let text = r#"{"a":[{"b":"\\\"[{,"},{},[],-1.5e3,"é"],"c":{"d":null},"e":"x"}"#;
        for end in 1..=text.len() {
            let found = closed(&text.as_bytes()[..end]).unwrap();
            assert!(Scan::new().read(&found, 0).is_ok(), "{}", String::from_utf8_lossy(&found));
        }
    }
}
