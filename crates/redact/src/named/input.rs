//! The input of a call: does it ask for the value of a name that says that it gives access?

use serde_json::Value;

use super::shell::{self, Inner, Pipeline};
use super::table;
use crate::rules::naming;

/// The longest input that is looked through.
const LONGEST: usize = 16 << 10;
/// The most commands that are in each other.
const DEPTH: usize = 4;

/// Members that have a command.
const COMMANDS: &[&str] = &["command", "cmd", "script", "commands", "argv"];
/// Members that have the path of a file.
const PATHS: &[&str] =
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

/// Programs that print nothing.
const SILENT: &[&str] = &[
    "cd", "export", "source", ".", "set", "unset", "mkdir", "sleep", "true", "eval", "pushd",
    "popd", "test", "[", "[[", "alias", "umask", "trap", "shopt", "setopt", "nvm", "conda", "rm",
    "touch", "cp", "mv", "ln", "chmod",
];

/// Whether the result of a call with this input is the value of such a name, if it is one value.
pub(super) fn names_value_in(value: &Value) -> bool {
    let Value::Object(members) = value else {
        return matches!(value, Value::String(text) if asks(text, 0));
    };
    let is_set = members.keys().any(|name| SETS.contains(&name.as_str()));
    members.iter().any(|(name, value)| {
        let is = |names: &[&str]| names.contains(&name.as_str());
        let texts = |test: &dyn Fn(&str) -> bool| has_text(value, test, 0);
        match value {
            Value::Array(words) if is(COMMANDS) => asks_words(words),
            Value::String(text) if is(COMMANDS) => asks(text, 0),
            Value::String(path) if is(PATHS) && !is_set => table::is_secret_file(path),
            Value::String(name) if is(NAMES) && !is_set => naming::is_secret(name.as_bytes()),
            _ => is(QUESTIONS) && texts(&is_question),
        }
    })
}

/// The same of the bytes of an input: JSON, or a string of JSON in which it is.
pub(crate) fn names_value(input: &[u8]) -> bool {
    const HINTS: [&[u8]; 10] =
        [b"pass", b"pwd", b"secret", b"token", b"key", b"cred", b"psk", b"otp", b"pin", b"auth"];
    if input.len() > LONGEST {
        return false;
    }
    let lower = input.to_ascii_lowercase();
    if !HINTS.iter().any(|hint| memchr::memmem::find(&lower, hint).is_some()) {
        return false;
    }
    let Ok(value) = serde_json::from_slice::<Value>(input) else { return false };
    match &value {
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) => names_value_in(&inner),
            _ => asks(text, 0),
        },
        _ => names_value_in(&value),
    }
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

/// A command as a list of its words.
fn asks_words(words: &[Value]) -> bool {
    let words: Option<Vec<String>> =
        words.iter().map(|word| Some(word.as_str()?.to_owned())).collect();
    let Some(words) = words else { return false };
    match words.as_slice() {
        [one] => asks(one, 0),
        _ => is_asked(&Pipeline { stages: vec![words], is_silent: false }, 0),
    }
}

/// Whether a command prints the value of such a name, and nothing else.
fn asks(command: &str, depth: usize) -> bool {
    let all = shell::pipelines(command);
    let Some((last, before)) = all.split_last() else { return false };
    let is_quiet = |pipeline: &Pipeline| {
        let first = pipeline.stages.first().and_then(|stage| stage.first());
        let is_variable = || {
            pipeline.stages.len() == 1 && pipeline.stages[0].iter().all(|word| word.contains('='))
        };
        pipeline.is_silent
            || first.is_some_and(|word| SILENT.contains(&word.as_str()))
            || is_variable()
    };
    before.iter().all(is_quiet) && !last.is_silent && is_asked(last, depth)
}

fn is_asked(pipeline: &Pipeline, depth: usize) -> bool {
    if depth > DEPTH {
        return false;
    }
    let mut stages = Vec::new();
    for (number, stage) in pipeline.stages.iter().enumerate() {
        match shell::inner(stage) {
            Inner::Command(command) => {
                return number + 1 == pipeline.stages.len() && asks(&command, depth + 1);
            }
            Inner::Program(words) => stages.push(words),
        }
    }
    // `echo "$(cat FILE)"` prints what is in it.
    if let [[program, word]] = stages.as_slice()
        && matches!(shell::name_of(program), "echo" | "printf")
        && let Some(command) = word.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'))
    {
        return asks(command, depth + 1);
    }
    table::prints_value(&stages)
}
