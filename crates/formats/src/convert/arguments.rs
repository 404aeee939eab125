//! Names and arguments of calls as every provider accepts them.

use meaning::account::{Cause, TakenValue};

use super::books::Value;
use crate::documents::shared::clean;

/// The longest name of a tool that every provider accepts, in characters.
const LONGEST_NAME: usize = 64;

/// Whether every provider accepts the name of a tool.
pub(super) fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len()) && fitting(name) == name
}

/// A tool's name with the characters that every provider accepts: a letter or `_` first.
pub(super) fn fitting(name: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '_' };
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    let first = if name.starts_with(|c| !begins(fit(c))) { "_" } else { "" };
    let name: String = first.chars().chain(name.chars().map(fit)).take(LONGEST_NAME).collect();
    if name.is_empty() { "unknown".into() } else { name }
}

/// Greatest depth of a call's arguments that all agents parse: serde_json takes 128 levels in all.
const DEEPEST: usize = 100;

/// The arguments of a call as an object: they may be JSON in a string, or plain text.
pub(super) fn object(input: TakenValue<'_>) -> Value<'_> {
    let raw = input.peek();
    // A text in place of values that are nested deeper than some agents' parsers go.
    let deep = clean::is_deeper(raw, DEEPEST);
    if raw.first() == Some(&b'{') && !deep {
        return Value::carried(input);
    }
    let text = match deep {
        true => String::from_utf8_lossy(raw),
        false => session::value::text(raw).unwrap_or_default(),
    };
    let is_object = |json: &str| {
        let shape =
            |root: session::Node<'_>| (root.shape() == session::Shape::Object).then_some(());
        session::value::look(json.as_bytes(), shape).is_some()
    };
    let json = if deep {
        let mut json = b"{\"input\":".to_vec();
        session::value::quote(&text, &mut json);
        json.push(b'}');
        json
    } else if is_object(&text) && !clean::is_deeper(text.as_bytes(), DEEPEST) {
        text.into_owned().into_bytes()
    } else {
        let mut json = b"{\"input\":".to_vec();
        json.extend_from_slice(if raw.is_empty() { b"null" } else { raw });
        json.push(b'}');
        json
    };
    Value::mapped_json(json, vec![input], Cause::Form)
}
