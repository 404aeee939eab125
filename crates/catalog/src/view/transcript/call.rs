//! A tool call in a few words: what it was done to, and how it went.

use session::{EventRef, Node, Outcome, Scan, Shape, Slot, value};

use super::whole;
use crate::view::human::counted;

/// How a call went.
pub enum How {
    /// It worked: how much it answered.
    Good(String),
    /// It failed: the first line of why.
    Bad(String),
}

/// Names of arguments that say best what a call is about, in the words of tools at large.
const TELLING: [&str; 16] = [
    "command",
    "cmd",
    "script",
    "file_path",
    "filePath",
    "absolute_path",
    "path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "subject",
    "skill",
    "name",
    "input",
];

/// Names of fields by which a result says what was done, where its call stands elsewhere.
const RETOLD: [&str; 4] = ["command", "changes", "query", "invocation"];

/// What a call was done to: the argument that says it best. A result may say it too.
#[must_use]
pub fn target(call: EventRef<'_>) -> Option<String> {
    if let Some(path) = call.text(Slot::Path) {
        return Some(path.into_owned());
    }
    let Some(raw) = call.raw(Slot::Input) else {
        let mut told = RETOLD.iter().filter_map(|name| {
            let field = call.native().find(|field| call.name(*field) == name.as_bytes())?;
            value::look(call.value(field), |node| words(node).or_else(|| names(node)))
        });
        return told.next();
    };
    // Some agents write the arguments as JSON within a string.
    let inner = (raw.first() == Some(&b'"')).then(|| value::text(raw)).flatten();
    let text = inner.as_deref().map_or(raw, str::as_bytes);
    let mut scan = Scan::new();
    let Ok(doc) = scan.read(text, 0) else {
        return inner.map(|text| first_line(&text).to_owned());
    };
    let root = doc.root();
    let telling = TELLING.iter().find_map(|name| words(root.at(&[name])?));
    let first = || root.members().find_map(|member| words(member.value));
    match root.shape() {
        Shape::Object => telling.or_else(first),
        _ => inner.map(|text| first_line(&text).to_owned()),
    }
}

/// A string, or an array of strings (a command and its arguments), as one line.
fn words(node: Node<'_>) -> Option<String> {
    let text = |node: Node<'_>| node.text().map(|raw| value::unescape(raw).into_owned());
    let all = match node.shape() {
        Shape::Array => node.elements().map(text).collect::<Option<Vec<String>>>()?.join(" "),
        _ => text(node)?,
    };
    let line = first_line(&all);
    (!line.is_empty()).then(|| line.to_owned())
}

/// The names in an object: files, with what was done to them.
fn names(node: Node<'_>) -> Option<String> {
    let names = node.members().map(|member| value::unescape(member.name).into_owned());
    let names: Vec<String> = names.collect();
    (!names.is_empty()).then(|| names.join(", "))
}

fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim_end()
}

/// What a tool answered, as text.
#[must_use]
pub fn output(result: EventRef<'_>) -> String {
    let raw = result.raw(Slot::Output).or_else(|| result.raw(Slot::Content));
    let Some(raw) = raw else { return String::new() };
    let said = value::said(raw);
    match said.is_empty() && matches!(raw.first(), Some(b'{' | b'[')) {
        true => String::from_utf8_lossy(raw).into_owned(),
        false => said.into_owned(),
    }
}

/// What a tool answered, whole: what the model was told, and what it tells of its run beside that.
#[must_use]
pub fn answer(result: EventRef<'_>) -> Vec<String> {
    let raw = result.raw(Slot::Output).or_else(|| result.raw(Slot::Content));
    let mut lines = raw.map(whole::content).unwrap_or_default();
    lines.extend(result.raw(Slot::Detail).map(whole::lines).unwrap_or_default());
    lines
}

/// How a call went, by its result.
#[must_use]
pub fn how(result: EventRef<'_>) -> How {
    let text = output(result);
    match result.outcome() {
        Some(Outcome::Bad) if text.trim().is_empty() => {
            let status = result.text(Slot::Status);
            How::Bad(status.as_deref().unwrap_or("failed").to_owned())
        }
        Some(Outcome::Bad) => How::Bad(first_line(&text).to_owned()),
        _ => How::Good(measure(text.trim())),
    }
}

/// `42 lines`, or the size of what has no lines.
fn measure(text: &str) -> String {
    match text.lines().count() as u64 {
        0 => "nothing".into(),
        1 if text.len() <= 60 => text.to_owned(),
        lines => counted(lines, "line", "lines"),
    }
}
