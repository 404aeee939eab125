//! The input of a call: does it ask for the value of a name that says that it gives access?

use serde_json::Value;

use super::command::{printed, printed_by_words};
use super::printed::Printed;
use super::program::{self, Scripts};
use super::table;
use crate::rules::naming;

/// The longest input that is looked through.
const LONGEST: usize = 16 << 10;
/// The most values that are in each other.
const DEPTH: usize = 4;

/// Members that have a command.
pub(super) const COMMANDS: &[&str] =
    &["command", "cmd", "script", "commands", "argv", "input", "chars"];
/// Members that have what is typed into a session that runs.
const TYPED: &[&str] = &["chars", "input", "data"];
/// Members that have a program.
const PROGRAMS: &[&str] = &["code", "source", "python", "javascript"];
/// Members that have the path of a file.
pub(super) const PATHS: &[&str] =
    &["file_path", "filePath", "path", "absolute_path", "target_file", "filename", "file"];
/// Members that have the name of the value to read.
const NAMES: &[&str] = &[
    "key",
    "name",
    "variable",
    "var",
    "secret",
    "secret_name",
    "secretName",
    "secret_id",
    "parameter",
    "field",
];
/// Members of a call that sets a value, or whose name is that of something else.
const SETS: &[&str] =
    &["value", "content", "new_string", "newString", "text", "old_string", "pattern", "query"];
/// Members that have a question.
const QUESTIONS: &[&str] = &["question", "questions", "prompt", "message", "header", "label"];

/// The lines that a call with this input prints, if it asks for the value of such a name.
fn printed_by(value: &Value, scripts: &Scripts) -> Option<Printed> {
    let Value::Object(members) = value else {
        return value.as_str().and_then(|text| of_text(text, scripts));
    };
    // `{"command": "printenv", "args": ["NAME"]}`.
    if let (Some(Value::String(program)), Some(Value::Array(arguments))) =
        (members.get("command"), members.get("args"))
    {
        let words = std::iter::once(program.clone().into()).chain(arguments.iter().cloned());
        return printed_by_words(&words.collect::<Vec<_>>(), scripts);
    }
    let is_set = members.keys().any(|name| SETS.contains(&name.as_str()));
    members.iter().find_map(|(name, value)| {
        let is = |names: &[&str]| names.contains(&name.as_str());
        let texts = |test: &dyn Fn(&str) -> bool| has_text(value, test, 0);
        let alone = || Printed::value_alone(false);
        match value {
            Value::Array(words) if is(COMMANDS) => printed_by_words(words, scripts),
            Value::String(text) if is(TYPED) => {
                printed(text, scripts).map(|printed| printed.typed(text.trim()))
            }
            Value::String(text) if is(COMMANDS) => printed(text, scripts),
            Value::String(code) if is(PROGRAMS) => {
                program::of_calls(code, scripts).or_else(|| program::of_code(code))
            }
            Value::String(path) if is(PATHS) && !is_set => {
                table::is_secret_file(path).then(|| Printed::value_alone(true))
            }
            Value::String(name) if is(NAMES) && !is_set => {
                naming::is_secret(name.as_bytes()).then(alone)
            }
            _ => (is(QUESTIONS) && texts(&is_question)).then(alone),
        }
    })
}

/// The same of a text: a command, or a program that calls tools.
fn of_text(text: &str, scripts: &Scripts) -> Option<Printed> {
    program::of_calls(text, scripts).or_else(|| printed(text, scripts))
}

/// The same of the bytes of an input: JSON, or a string of JSON in which it is.
pub(crate) fn names_value(input: &[u8], scripts: &Scripts) -> Option<Printed> {
    if !has_hint(input) && !scripts.is_named_in(input) {
        return None;
    }
    let value = serde_json::from_slice::<Value>(input).ok()?;
    match &value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) => printed_by(&inner, scripts),
            _ => of_text(text, scripts),
        },
        _ => printed_by(&value, scripts),
    }
}

/// The same of a command.
pub(crate) fn command_names_value(command: &str) -> Option<Printed> {
    let scripts = Scripts::default();
    has_hint(command.as_bytes()).then(|| printed(command, &scripts)).flatten()
}

/// Whether an input can name such a value at all.
pub(super) fn has_hint(input: &[u8]) -> bool {
    const HINTS: [&[u8]; 16] = [
        b"pass",
        b"pwd",
        b"secret",
        b"token",
        b"key",
        b"cred",
        b"psk",
        b"otp",
        b"pin",
        b"auth",
        b"netrc",
        b"openssl",
        b"pwgen",
        b"apg",
        b"extraheader",
        b"chezmoi",
    ];
    if input.len() > LONGEST {
        return false;
    }
    let lower = input.to_ascii_lowercase();
    HINTS.iter().any(|hint| memchr::memmem::find(&lower, hint).is_some())
}

fn has_text(value: &Value, test: &dyn Fn(&str) -> bool, depth: usize) -> bool {
    let next = |value: &Value| depth < DEPTH && has_text(value, test, depth + 1);
    match value {
        Value::String(text) => test(text),
        Value::Array(all) => all.iter().any(next),
        Value::Object(members) => members.values().any(next),
        _ => false,
    }
}

/// Whether a text asks somebody for such a value.
fn is_question(text: &str) -> bool {
    let text = text.trim_end();
    let Some(asked) = text.strip_suffix(['?', ':']) else { return false };
    let words = || asked.split(|letter: char| !letter.is_ascii_alphanumeric());
    text.len() < 400 && words().any(|word| naming::is_secret(word.as_bytes()))
        || asked.to_ascii_lowercase().contains("api key")
}
