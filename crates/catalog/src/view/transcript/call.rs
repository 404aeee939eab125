//! A tool call's target: the argument that says best what the call is about.

use session::{EventRef, Node, Scan, Shape, Slot, value};

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
pub(super) fn target(call: EventRef<'_>) -> Option<String> {
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

/// The first line of a text.
pub(super) fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim_end()
}
