//! Members beside each other of which one has the name of the other's value: `{"key": "DB_PASSWORD",
//! "value": "..."}`, and the new text of a file of credentials.

use std::borrow::Cow;

use session::{Node, Shape, Span};

use super::{files, naming};

/// The most members of an object that has such a pair.
const MEMBERS: usize = 16;
/// The longest value.
const LONGEST: usize = 4096;

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
    b"secret_name",
    b"setting",
    b"property",
    b"element",
];
/// Members that have a value, in lower case.
const VALUES: &[&[u8]] =
    &[b"value", b"val", b"secretstring", b"answer", b"response", b"plaintext", b"text"];
/// Members that have the path of a file.
const PATHS: &[&[u8]] = &[b"file_path", b"filepath", b"path", b"absolute_path", b"target_file"];
/// Members that have a part of the file.
const PARTS: &[&[u8]] = &[b"old_string", b"new_string", b"oldstring", b"newstring", b"content"];

/// A value, with the name that another member has.
pub(super) struct Beside<'n> {
    /// The name of the member that has the value.
    pub(super) key: Span,
    /// The name of the value.
    pub(super) name: Cow<'n, [u8]>,
    pub(super) value: Node<'n>,
}

/// The values of an object that have their names beside them.
pub(super) fn of(object: Node<'_>) -> Vec<Beside<'_>> {
    let is = |name: &[u8], of: &[&[u8]]| of.iter().any(|known| name.eq_ignore_ascii_case(known));
    let texts = || object.members().take(MEMBERS).filter(|of| of.value.shape() == Shape::String);
    let is_value = |name: &[u8]| is(name, VALUES) || is(name, PARTS);
    if !texts().any(|member| is_value(member.name)) {
        return Vec::new();
    }
    let text = |node: Node<'_>| node.text().is_some_and(|text| text.len() <= LONGEST);
    let named = texts().find_map(|member| {
        let name = member.value.text()?;
        let is_secret = name.len() <= 200 && is(member.name, NAMES) && names_secret(name);
        is_secret.then_some(name)
    });
    let is_file = || {
        let path = texts().find(|member| is(member.name, PATHS));
        path.and_then(|member| member.value.text()).is_some_and(files::is_credentials)
    };
    let (name, members) = match named {
        Some(name) => (Cow::Borrowed(name), VALUES),
        None if is_file() => (Cow::Borrowed(&b"password"[..]), PARTS),
        None => return Vec::new(),
    };
    let found = texts().filter(|member| is(member.name, members) && text(member.value));
    found
        .map(|member| Beside { key: member.key, name: name.clone(), value: member.value })
        .collect()
}

/// Whether the name of a value, or a question for it, says that it gives access.
fn names_secret(name: &[u8]) -> bool {
    let asked = name.strip_suffix(b"?").unwrap_or(name);
    naming::is_secret(name) || asked.split(|&byte| byte == b' ').any(naming::is_secret)
}
