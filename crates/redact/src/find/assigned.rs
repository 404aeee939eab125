//! Values of a file of credentials: what is behind each name.

use std::ops::Range;

use crate::rules::naming;

/// The shortest value that is a credential.
const SHORT: usize = 4;

/// Values that are none, whatever their names.
const PLAIN: &[&str] = &[
    "true",
    "false",
    "null",
    "none",
    "localhost",
    "development",
    "production",
    "staging",
    "test",
    "debug",
    "info",
    "default",
    "string",
    "name",
    "type",
];

/// The values of `NAME=value` in the lines of a text.
pub(crate) fn values(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        if let Some(range) = value(line) {
            found.push(start + range.start..start + range.end);
        }
        start += line.len();
    }
    found
}

fn value(line: &[u8]) -> Option<Range<usize>> {
    let head = line.len() - line.trim_ascii_start().len();
    if line[head..].starts_with(b"#") || line[head..].starts_with(b"//") {
        return None;
    }
    let mark = line.iter().take(120).position(|&byte| byte == b'=')?;
    let name = line.get(head..mark)?.trim_ascii();
    let name = name.strip_prefix(b"export ").unwrap_or(name).trim_ascii();
    let name = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\"")).unwrap_or(name);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let named = name.first().is_some_and(u8::is_ascii_alphabetic) && name.iter().all(is_name);
    let compares = line[mark..].starts_with(b"==") || line[mark..].starts_with(b"=>");
    if !named || compares {
        return None;
    }
    let is_edge = |byte: &u8| byte.is_ascii_whitespace() || b"\"',;".contains(byte);
    let from = mark + 1 + line[mark + 1..].iter().take_while(|byte| is_edge(byte)).count();
    let behind = line.iter().rev().take_while(|byte| is_edge(byte)).count();
    let to = line.len().saturating_sub(behind);
    let value = line.get(from..to)?;
    is_credential(name, value).then_some(from..to)
}

/// Whether a value gives access: behind a name that says nothing of the kind, plain words, a
/// number, an address or a path don't.
fn is_credential(name: &[u8], value: &[u8]) -> bool {
    if naming::is_public(name) && naming::is_plain(value) {
        return false;
    }
    let opens = matches!(value, [b'{' | b'[' | b'(' | b'<', ..] | [b'$', b'{' | b'(', ..]);
    let plain = PLAIN.iter().any(|plain| value.eq_ignore_ascii_case(plain.as_bytes()));
    let number = value.len() < 6 && value.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
    value.len() >= SHORT && !opens && !plain && !number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_and_names_are_kept() {
        let lines = [
            "# DB",
            "DB_PASS=\"p w9,x\"",
            "export PORT=3000",
            "key: abcd1",
            "a == b1234",
            "A=${B}",
            "see https://example.org",
            "mode=production",
            "TOKEN=secret1",
            "POSTGRES_DB=garden_shop",
            "APP_URL=http://localhost:8080",
            "  className=\"form-tick size-four\"",
            "PET=rover99xy",
            "AUTH_URL=https://u:q7w@acme.test",
        ];
        let text = lines.join("\n");
        let found: Vec<&str> = values(text.as_bytes()).into_iter().map(|at| &text[at]).collect();
        let all = ["p w9,x", "secret1", "rover99xy", "https://u:q7w@acme.test"];
        assert_eq!(found, all);
    }
}
