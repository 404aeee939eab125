//! Unknown changes: calls of tools that the session's format does not know, and that may have
//! changed a file by their names and arguments. Their files are named, so that an agent's new tool
//! is never taken for one without effect.

use std::collections::{HashMap, HashSet};

use replay::{Change, PATCH_BEGIN, patch};
use session::value::{self, text_at};
use session::{EventIx, EventRef, Kind, Node, Outcome, Session, Shape, Slot, Standing};

use crate::tools::Tools;

/// The reason why the change can't be derived.
const WHY: &str = "a call that may have changed the file, of a tool that is not known";

/// Names of arguments with the file's path.
const PATHS: &[&[&str]] = &[
    &["path"],
    &["file_path"],
    &["filePath"],
    &["filepath"],
    &["file"],
    &["filename"],
    &["fileName"],
    &["target_file"],
    &["targetFile"],
    &["relative_path"],
    &["relativePath"],
    &["relative_workspace_path"],
    &["relativeWorkspacePath"],
    &["absolute_path"],
    &["absolutePath"],
    &["notebook_path"],
    &["notebookPath"],
    &["target_notebook"],
    &["source"],
];

/// Names of arguments with a text that is added or removed.
const TEXTS: &[&[u8]] = &[
    b"content",
    b"contents",
    b"file_text",
    b"new_string",
    b"newString",
    b"new_str",
    b"new_text",
    b"newText",
    b"old_string",
    b"oldString",
    b"old_str",
    b"old_text",
    b"oldText",
    b"new_source",
    b"insert_text",
    b"replacement",
    b"replacements",
    b"edits",
    b"code_edit",
    b"patch",
    b"diff",
];

/// Words in the names of tools that change files.
const WORDS: &[&str] = &[
    "append",
    "create",
    "delete",
    "edit",
    "insert",
    "modify",
    "move",
    "multiedit",
    "overwrite",
    "patch",
    "remove",
    "rename",
    "replace",
    "save",
    "update",
    "write",
];

/// Words in the names of tools that change no text.
const OTHERS: &[&str] = &["dir", "directory", "folder"];

/// The calls that are missing among `changes`, inserted in source order.
pub(super) fn with(
    session: &Session,
    known: &Tools,
    changes: Vec<(EventIx, String, Change)>,
) -> Vec<(EventIx, String, Change)> {
    let told: HashSet<EventIx> = changes.iter().map(|(event, ..)| *event).collect();
    let mut untold: Vec<(EventIx, Vec<String>)> = Vec::new();
    for event in session.top().flat_map(|top| std::iter::once(top).chain(top.children())) {
        let skipped = event.standing.is_copied()
            || matches!(event.standing, Standing::Superseded | Standing::Echo);
        let name = event.text(Slot::Name).filter(|_| event.kind == Kind::ToolCall && !skipped);
        let Some(name) = name.filter(|name| known.named(name).is_none()) else { continue };
        let files = if told.contains(&event.index) { Vec::new() } else { files(&name, event) };
        if !files.is_empty() {
            untold.push((event.index, files));
        }
    }
    if untold.is_empty() {
        return changes;
    }
    let failed = failed(session);
    let fine = |event: &EventIx| !failed.contains(&session.event(*event).raw(Slot::Call));
    untold.retain(|(event, _)| fine(event));
    merged(session, changes, untold)
}

/// Merges both lists in the order of their events.
fn merged(
    session: &Session,
    changes: Vec<(EventIx, String, Change)>,
    untold: Vec<(EventIx, Vec<String>)>,
) -> Vec<(EventIx, String, Change)> {
    let order = session.top().flat_map(|top| std::iter::once(top).chain(top.children()));
    let places: HashMap<EventIx, usize> =
        order.enumerate().map(|(at, event)| (event.index, at)).collect();
    let place = |event: &EventIx| places.get(event).copied().unwrap_or(usize::MAX);
    let mut all = Vec::with_capacity(changes.len() + untold.len());
    let mut rest = untold.into_iter().peekable();
    let unclear = |(event, files): (EventIx, Vec<String>)| {
        files.into_iter().map(move |file| (event, file, Change::Unclear { why: WHY }))
    };
    for change in changes {
        while let Some(before) = rest.next_if(|(event, _)| place(event) < place(&change.0)) {
            all.extend(unclear(before));
        }
        all.push(change);
    }
    all.extend(rest.flat_map(unclear));
    all
}

/// The ids of the calls that failed.
fn failed(session: &Session) -> HashSet<Option<&[u8]>> {
    let events = session.top().flat_map(|top| std::iter::once(top).chain(top.children()));
    let answers = events.filter(|event| event.kind == Kind::ToolResult);
    let bad = answers.filter(|answer| answer.outcome().is_some_and(Outcome::is_bad));
    bad.map(|answer| answer.raw(Slot::Call)).filter(Option::is_some).collect()
}

/// The files that a call may have changed.
fn files(name: &str, call: EventRef<'_>) -> Vec<String> {
    let words = words(name);
    if words.iter().any(|word| OTHERS.contains(&&**word)) {
        return Vec::new();
    }
    let named = words.iter().any(|word| WORDS.contains(&&**word));
    let find = |input: Node<'_>| Some(in_arguments(input, named));
    match call.text(Slot::Input) {
        Some(text) if text.contains(PATCH_BEGIN) => patched(&text),
        Some(text) => value::look(text.as_bytes(), find).unwrap_or_default(),
        None => {
            call.raw(Slot::Input).and_then(|input| value::look(input, find)).unwrap_or_default()
        }
    }
}

fn in_arguments(input: Node<'_>, named: bool) -> Vec<String> {
    if input.shape() != Shape::Object {
        return Vec::new();
    }
    let text = |member: &[u8]| TEXTS.contains(&member);
    if !named && !input.members().any(|member| text(member.name)) {
        return Vec::new();
    }
    let own = |node: Node<'_>| PATHS.iter().find_map(|path| text_at(node, path));
    let mut files: Vec<String> = own(input).into_iter().collect();
    if files.is_empty() {
        // Several files at once: a list of edits, each with a path.
        files =
            input.members().flat_map(|member| member.value.elements()).filter_map(own).collect();
    }
    if files.is_empty() {
        files = input
            .members()
            .filter_map(|member| text_at(member.value, &[]))
            .flat_map(|text| patched(&text))
            .collect();
    }
    files.retain(|file| !file.is_empty());
    let mut met = HashSet::new();
    files.retain(|file| met.insert(file.clone()));
    files
}

/// The files of a patch: in the agents' form, or a unified diff.
fn patched(text: &str) -> Vec<String> {
    if text.contains(PATCH_BEGIN) {
        return patch(text).unwrap_or_default().into_iter().map(|(path, _)| path).collect();
    }
    let heads = text.lines().filter_map(|line| line.strip_prefix("+++ "));
    let heads = heads.map(|path| path.split('\t').next().unwrap_or(path).trim());
    let paths = heads.filter(|path| *path != "/dev/null");
    paths.map(|path| path.strip_prefix("b/").unwrap_or(path).to_owned()).collect()
}

/// The words of a name: `replace_in_file`, `MultiEdit`, `mcp__disk__write_file`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || c.is_ascii_uppercase() && lower {
            words.push(String::new());
        }
        lower = c.is_ascii_lowercase();
        if c.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(c.to_ascii_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, input: &str) -> Vec<String> {
        let named = words(name).iter().any(|word| WORDS.contains(&&**word));
        value::look(input.as_bytes(), |input| Some(in_arguments(input, named))).expect("JSON")
    }

    #[test]
    fn a_tool_that_may_change_a_file_is_told_by_its_name_or_its_arguments() {
        assert_eq!(words("mcp__disk__WriteFile"), ["mcp", "", "disk", "", "write", "file"]);
        assert_eq!(found("SmartEdit", r#"{"filePath":"a.rs"}"#), ["a.rs"]);
        assert_eq!(found("put", r#"{"path":"a.rs","content":"x"}"#), ["a.rs"]);
        assert_eq!(
            found("edit_many", r#"{"edits":[{"path":"a"},{"path":"b"},{"path":"a"}]}"#),
            ["a", "b"]
        );
        let diff = r#"{"patch":"--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-a\n+b\n"}"#;
        assert_eq!(found("apply_patch", diff), ["x.rs"]);
        for (name, input) in [
            ("grep", r#"{"path":"src","pattern":"edit"}"#),
            ("TodoWrite", r#"{"todos":[{"content":"x"}]}"#),
            ("read", r#"{"path":"a.rs"}"#),
        ] {
            assert_eq!(found(name, input), Vec::<String>::new(), "{name}");
        }
    }
}
