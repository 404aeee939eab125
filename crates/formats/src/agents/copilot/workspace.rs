//! `workspace.yaml`, which has the title of a session: keys and values of one line, and texts of
//! several lines. It is read line by line; each line is an object of its pieces.

use session::text::block;
use session::{Member, Transport};

/// The name of the file.
pub(super) const FILE: &str = "workspace.yaml";

/// Names of the pieces by which a block is known.
pub(super) const BLOCK: [&[&str]; 2] = [&["key"], &["text"]];

/// The keys whose values have a meaning. A value of any other key is a piece of the same name.
const KEYS: [&str; 8] =
    ["id", "cwd", "repository", "branch", "name", "summary", "created_at", "updated_at"];

/// The member with its text split into blocks, if it is such a file.
pub(super) fn member(member: Member) -> Member {
    if member.name.rsplit('/').next() != Some(FILE) || *member.transport() != Transport::Plain {
        return member;
    }
    let stored = member.bytes();
    let Ok(text) = std::str::from_utf8(stored) else { return member };
    session::text::member(&member.name, member.stream.clone(), stored, blocks(text))
        .unwrap_or(member)
}

/// The blocks of a text, one JSON object per line.
fn blocks(text: &str) -> Vec<u8> {
    let named = text.lines().any(|line| line.trim_end() == "user_named: true");
    let mut out = Vec::with_capacity(text.len() * 2);
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let Some(at) = key(line) else {
            block(&[("text", line)], &mut out);
            continue;
        };
        let (key, rest) = line.split_at(at);
        let name = match key.trim_end_matches([':', ' ']) {
            "name" if named => "title",
            key => KEYS.iter().find(|known| **known == key).copied().unwrap_or("value"),
        };
        let value = rest.trim_end();
        if matches!(value, "|" | "|-" | "|+" | ">" | ">-" | ">+") {
            // The value is the lines below, which are indented. The first one that says something
            // is the title.
            let mut said = false;
            block(&[("key", line)], &mut out);
            while let Some(next) = lines.next_if(|next| next.starts_with(' ') || is_empty(next)) {
                let text = next.trim();
                let from = next.len() - next.trim_start().len();
                let pieces = [
                    ("key", &next[..from.min(next.len() - text.len())]),
                    (if said { "value" } else { name }, text),
                    ("end", &next[(from + text.len()).min(next.len())..]),
                ];
                match text {
                    "" => block(&[("text", next)], &mut out),
                    _ => block(&pieces, &mut out),
                }
                said |= !text.is_empty();
            }
            continue;
        }
        let (before, value) = unquoted(value);
        let (from, to) = (at + before, at + before + value.len());
        let pieces = [("key", &line[..from]), (name, value), ("end", &line[to..])];
        block(&pieces, &mut out);
    }
    out
}

fn is_empty(line: &str) -> bool {
    line.trim().is_empty()
}

/// The length of a key with its colon and the space behind it; `None` if the line has none.
fn key(line: &str) -> Option<usize> {
    let colon = line.find(':')?;
    let is_key = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let behind = &line[colon + 1..];
    let plain = colon > 0 && line[..colon].chars().all(is_key);
    let spaces = behind.len() - behind.trim_start_matches(' ').len();
    (plain && (spaces > 0 || is_empty(behind))).then_some(colon + 1 + spaces)
}

/// A value without its quotes, and their length before it. Within quotes an escape keeps its
/// spelling.
fn unquoted(value: &str) -> (usize, &str) {
    let within = |mark: char| {
        let inner = value.strip_prefix(mark)?.strip_suffix(mark)?;
        (!inner.is_empty()).then_some((1, inner))
    };
    within('"').or_else(|| within('\'')).unwrap_or((0, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let blocks = String::from_utf8(blocks(text)).expect("UTF-8");
        assert_eq!(session::text::joined(blocks.as_bytes()).as_deref(), Some(text.as_bytes()));
        blocks.lines().map(str::to_owned).collect()
    }

    #[test]
    fn each_line_is_its_pieces() {
        let text = "id: 4f0c\nname: Count the boats\nuser_named: false\nbranch:\n";
        let expected = [
            r#"{"key":"id: ","id":"4f0c","end":"\n"}"#,
            r#"{"key":"name: ","name":"Count the boats","end":"\n"}"#,
            r#"{"key":"user_named: ","value":"false","end":"\n"}"#,
            r#"{"key":"branch:","end":"\n"}"#,
        ];
        assert_eq!(lines(text), expected);
        let named = lines("user_named: true\r\nname: \"Boats: all\"");
        assert_eq!(named[1], r#"{"key":"name: \"","title":"Boats: all","end":"\""}"#);
    }

    #[test]
    fn a_text_of_several_lines_is_named_by_its_first() {
        let text = "summary: |-\n\n  # Boats\n\n  all of them: now\nsummary_count: 0\n";
        let blocks = lines(text);
        assert_eq!(blocks[0], r#"{"key":"summary: |-\n"}"#);
        assert_eq!(blocks[2], r##"{"key":"  ","summary":"# Boats","end":"\n"}"##);
        assert_eq!(blocks[4], r#"{"key":"  ","value":"all of them: now","end":"\n"}"#);
        assert_eq!(blocks[5], r#"{"key":"summary_count: ","value":"0","end":"\n"}"#);
    }

    #[test]
    fn every_text_comes_back() {
        for text in
            ["", "\n", ":", "a", "a:b\n", " a: b", "a: \"\n", "a: |\n \n\t\n", "a: '", "é: 1"]
        {
            lines(text);
        }
    }
}
