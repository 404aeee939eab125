//! Plain text as records: a history without JSON is split into blocks, each a JSON object on a line
//! of its own, whose strings, concatenated, are the text. So tables label it like any other
//! history, and nothing is lost: the lines restore the text.

use crate::json::reader::Scan;
use crate::json::value;
use crate::session::bundle::{Member, Stream, Transport};

/// A member of `stored` text that `lines` contain in blocks; `None` if the lines do not restore
/// every byte of it, or if it is too long.
#[must_use]
pub fn member(name: &str, stream: Stream, stored: &[u8], lines: Vec<u8>) -> Option<Member> {
    let whole = joined(&lines)? == stored;
    let transport = Transport::Text(stored.to_vec());
    whole.then(|| Member::stored(name, stream, lines, transport))?
}

/// The text in lines: the strings of their objects, concatenated. `None` if a line is not an
/// object.
#[must_use]
pub fn joined(lines: &[u8]) -> Option<Vec<u8>> {
    let mut scan = Scan::new();
    let mut text = Vec::with_capacity(lines.len());
    for line in lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let doc = scan.read(line, 0).ok()?;
        for member in doc.root().members() {
            text.extend_from_slice(value::unescape(member.value.text()?).as_bytes());
        }
    }
    Some(text)
}

/// A plain member of the text in `lines`, which the agent had stored. Without a text, of the lines
/// themselves.
#[must_use]
pub fn stored(name: &str, stream: Stream, lines: Vec<u8>) -> Option<Member> {
    let text = joined(&lines).unwrap_or(lines);
    Member::new(name, stream, text)
}

/// Adds a block to `lines`: an object of named pieces of the text. Empty pieces are left out.
pub fn block(pieces: &[(&str, &str)], lines: &mut Vec<u8>) {
    let mut open = b'{';
    for (name, piece) in pieces.iter().filter(|(_, piece)| !piece.is_empty()) {
        lines.push(open);
        value::quote(name, lines);
        lines.push(b':');
        value::quote(piece, lines);
        open = b',';
    }
    if open == b',' {
        lines.extend_from_slice(b"}\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_its_blocks() {
        let mut lines = Vec::new();
        block(&[("head", "user:\n"), ("text", "a \"b\" \\ \u{1}\té")], &mut lines);
        block(&[("head", ""), ("text", "")], &mut lines);
        block(&[("tail", "\r\n\n")], &mut lines);
        let text = "user:\na \"b\" \\ \u{1}\té\r\n\n";
        assert_eq!(joined(&lines).as_deref(), Some(text.as_bytes()));
        let member = member("a.txt", Stream::Main, text.as_bytes(), lines.clone()).expect("whole");
        assert_eq!(member.stored_bytes(), text.as_bytes());
        assert_eq!(member.bytes(), lines);
    }

    #[test]
    fn lines_that_lose_something_are_refused() {
        let mut lines = Vec::new();
        block(&[("text", "a")], &mut lines);
        assert_eq!(member("a.txt", Stream::Main, b"ab", lines.clone()), None);
        lines.extend_from_slice(b"{\"line\":1}\n");
        assert_eq!(member("a.txt", Stream::Main, b"a", lines), None);
    }
}
