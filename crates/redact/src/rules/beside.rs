//! Names and values that are members beside each other: `{"Name": "db/password", "Value": "..."}`,
//! and a value within the object that has its name.

use std::ops::Range;

use super::rows::Name;

/// The most bytes between a name and its value.
const NEAR: usize = 1000;
/// Members that have the name of a value, in lower case.
const NAMES: &[&[u8]] = &[
    b"name",
    b"key",
    b"id",
    b"label",
    b"field",
    b"variable",
    b"title",
    b"question",
    b"header",
    b"parameter",
    b"secretname",
    b"arn",
    b"setting",
    b"property",
    b"env",
    b"selector",
    b"element",
];
/// Members that have the value, in lower case.
const VALUES: &[&[u8]] = &[
    b"value",
    b"val",
    b"secretstring",
    b"answer",
    b"response",
    b"plaintext",
    b"text",
    b"current_value",
];

/// Adds the values beside a name, or within its object.
pub(super) fn values(name: &Name<'_>, found: &mut Vec<Range<usize>>) {
    let rest = &name.text[name.name.end..];
    if let Some(open) = object_behind(rest) {
        found.extend(member(name.text, name.name.end + open, Way::Behind));
        return;
    }
    if is_name_of(name) {
        let behind = member(name.text, name.name.end, Way::Behind);
        found.extend(behind.or_else(|| member(name.text, name.name.start, Way::Before)));
    }
}

/// The length up to the object that is the value of a name: `": {`.
fn object_behind(rest: &[u8]) -> Option<usize> {
    let near = &rest[..rest.len().min(16)];
    let behind = near.strip_prefix(b"\"")?.trim_ascii_start().strip_prefix(b":")?;
    let behind = behind.trim_ascii_start();
    behind.starts_with(b"{").then_some(near.len() - behind.len() + 1)
}

/// Whether a name is in a string that is the value of a member for names.
fn is_name_of(name: &Name<'_>) -> bool {
    let from = name.name.start.saturating_sub(300);
    let before = &name.text[from..name.name.start];
    let Some(quote) = memchr::memrchr(b'"', before) else { return false };
    let Some(colon) = before[..quote].trim_ascii_end().strip_suffix(b":") else { return false };
    let Some(member) = colon.trim_ascii_end().strip_suffix(b"\"") else { return false };
    let start = memchr::memrchr(b'"', member).map_or(0, |at| at + 1);
    NAMES.iter().any(|known| member[start..].eq_ignore_ascii_case(known))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Behind,
    Before,
}

/// The string that is the value of a member for values, in the object that a place is in.
fn member(text: &[u8], at: usize, way: Way) -> Option<Range<usize>> {
    let near = match way {
        Way::Behind => at..text.len().min(at + NEAR),
        Way::Before => at.saturating_sub(NEAR)..at,
    };
    let near = same_object(text, near, way);
    let part = &text[near.clone()];
    for quote in memchr::memchr_iter(b'"', part) {
        let word = &part[quote + 1..];
        let length = word
            .iter()
            .take(20)
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        let is_known = VALUES.iter().any(|known| word[..length].eq_ignore_ascii_case(known));
        let rest =
            word.get(length..).filter(|_| is_known).and_then(|rest| rest.strip_prefix(b"\""));
        let rest = rest.and_then(|rest| rest.trim_ascii_start().strip_prefix(b":"));
        let Some(value) = rest.and_then(|rest| rest.trim_ascii_start().strip_prefix(b"\"")) else {
            continue;
        };
        let start = near.end - value.len();
        let whole = &text[start..text.len().min(start + 8192)];
        let length = memchr::memchr(b'"', whole)?;
        let is_word =
            !whole[..length].iter().any(|byte| byte.is_ascii_whitespace() || *byte == b'\\');
        return is_word.then_some(start..start + length);
    }
    None
}

/// The part of a range that is in the same object as the place it begins or ends at.
fn same_object(text: &[u8], range: Range<usize>, way: Way) -> Range<usize> {
    let (mut depth, part) = (0usize, &text[range.clone()]);
    let mut cut = |(at, byte): (usize, &u8), open: u8, close: u8| {
        if *byte == open {
            depth += 1;
        } else if *byte == close {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
        None
    };
    match way {
        Way::Behind => {
            let end = part.iter().enumerate().find_map(|of| cut(of, b'{', b'}'));
            range.start..range.start + end.unwrap_or(part.len())
        }
        Way::Before => {
            let start = part.iter().enumerate().rev().find_map(|of| cut(of, b'}', b'{'));
            range.start + start.map_or(0, |at| at + 1)..range.end
        }
    }
}
