//! Members beside each other of which one has the name of the other's value:
//! `{"key": "DB_PASSWORD", "value": "..."}`; and the new text of a file of credentials.

use session::{Node, Shape, Span};

use super::credential_files;
use crate::rules::naming;

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

/// The name with which such a value is seen.
pub(crate) const NAME: &[u8] = b"password";

/// The values of an object that have their names beside them, or whose name the object has: each
/// with the name of its member.
pub(crate) fn of<'n>(object: Node<'n>, name: &[u8]) -> Vec<(Span, Node<'n>)> {
    let is = |name: &[u8], of: &[&[u8]]| of.iter().any(|known| name.eq_ignore_ascii_case(known));
    let texts = || object.members().take(MEMBERS).filter(|of| of.value.shape() == Shape::String);
    let is_value = |name: &[u8]| is(name, VALUES) || is(name, PARTS);
    if !texts().any(|member| is_value(member.name)) {
        return Vec::new();
    }
    let is_named = || {
        texts().any(|member| {
            let name = member.value.text().filter(|name| name.len() <= 200);
            is(member.name, NAMES) && name.is_some_and(names_secret)
        })
    };
    let is_file = || {
        let path = texts().find(|member| is(member.name, PATHS));
        path.and_then(|member| member.value.text()).is_some_and(credential_files::is_credentials)
    };
    let members = match () {
        () if naming::is_secret(name) || is_named() || is_login(object) => VALUES,
        () if is_file() => PARTS,
        () => return Vec::new(),
    };
    let is_short = |node: Node<'_>| node.text().is_some_and(|text| text.len() <= LONGEST);
    let found = texts().filter(|member| is(member.name, members) && is_short(member.value));
    found.map(|member| (member.key, member.value)).collect()
}

/// Whether an object is a cookie of a login, or a key of an account, by its names.
fn is_login(object: Node<'_>) -> bool {
    const PARTS: [&[u8]; 7] = [b"sess", b"sid", b"auth", b"token", b"jwt", b"remember", b"login"];
    let text = |name: &[u8]| {
        let mut members = object.members().take(MEMBERS);
        members.find(|of| of.name.eq_ignore_ascii_case(name)).and_then(|of| of.value.text())
    };
    let is_cookie = || {
        let name = text(b"name").filter(|_| text(b"domain").or(text(b"path")).is_some());
        let name = name.unwrap_or_default().to_ascii_lowercase();
        PARTS.iter().any(|part| memchr::memmem::find(&name, part).is_some())
            && text(b"value").is_some_and(|value| value.len() >= 10)
    };
    (text(b"keyname").is_some() && text(b"permissions").is_some()) || is_cookie()
}

/// Whether the name of a value, or a question for it, says that it gives access.
fn names_secret(name: &[u8]) -> bool {
    let asked = name.strip_suffix(b"?").unwrap_or(name);
    naming::is_secret(name) || asked.split(|&byte| byte == b' ').any(naming::is_secret)
}
