//! What the tools did to files. The result tells it best (`toolUseResult`: the text before, the
//! hunks); where it does not, the call does. A call that failed did nothing.

use std::collections::HashMap;

use session::attribution::{Change, Hunk, Line};
use session::value::{self, text_at};
use session::{EventIx, EventRef, Kind, Node, Session, Slot, Standing};

/// The line's field that tells more than the model saw.
const RESULT: &[u8] = b"toolUseResult";

/// Names in calls and results.
mod names {
    pub(super) const PATH: &[&[&str]] =
        &[&["filePath"], &["file_path"], &["notebook_path"], &["file", "filePath"]];
    pub(super) const PATCH: &[&str] = &["structuredPatch"];
    pub(super) const BEFORE: &[&[&str]] = &[&["originalFile"], &["original_file"]];
    pub(super) const UPDATED: &[&str] = &["updated_file"];
    pub(super) const CONTENT: &[&str] = &["content"];
    pub(super) const SEEN: &[&str] = &["file", "content"];
    pub(super) const FIRST_LINE: &[&str] = &["file", "startLine"];
    pub(super) const LINES: &[&str] = &["file", "numLines"];
    pub(super) const ALL_LINES: &[&str] = &["file", "totalLines"];
    pub(super) const TYPE: &[&str] = &["type"];
    pub(super) const OLD: &[&str] = &["old_string"];
    pub(super) const NEW: &[&str] = &["new_string"];
    pub(super) const ALL: &[&str] = &["replace_all"];
    pub(super) const EDITS: &[&str] = &["edits"];
    pub(super) const START: &[&str] = &["oldStart"];
    pub(super) const COUNT: &[&str] = &["oldLines"];
    pub(super) const HUNK_LINES: &[&str] = &["lines"];
}

/// The tools that touch files.
#[derive(Clone, Copy)]
enum Tool {
    Read,
    Write,
    Edit,
    Notebook,
}

impl Tool {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "Read" => Self::Read,
            "Write" => Self::Write,
            "Edit" | "MultiEdit" | "Update" => Self::Edit,
            "NotebookEdit" => Self::Notebook,
            _ => return None,
        })
    }
}

/// The changes of a session in source order.
pub(super) fn of(session: &Session) -> Vec<(EventIx, String, Change)> {
    let mut calls = HashMap::new();
    let mut changes = Vec::new();
    for line in session.top() {
        if matches!(line.standing, Standing::Copied | Standing::Superseded | Standing::Echo) {
            continue;
        }
        for block in line.children() {
            let Some(id) = block.raw(Slot::Call) else { continue };
            match block.kind {
                Kind::ToolCall => drop(calls.insert(id, block)),
                Kind::ToolResult if !block.is_true(Slot::IsError) => {
                    if let Some(call) = calls.remove(id) {
                        changes.extend(done(call, line));
                    }
                }
                _ => {}
            }
        }
    }
    changes
}

/// What a call that went well did.
fn done(call: EventRef<'_>, result: EventRef<'_>) -> Vec<(EventIx, String, Change)> {
    let tool = call.text(Slot::Name).and_then(|name| Tool::named(&name));
    let (Some(tool), Some(input)) = (tool, call.raw(Slot::Input)) else { return Vec::new() };
    let told = result.native().find(|field| result.name(*field) == RESULT);
    let told = told.map_or(&b""[..], |field| result.value(field));
    let path = value::look(told, path).or_else(|| value::look(input, path));
    let Some(path) = path else { return Vec::new() };
    let by_result = value::look(told, |told| by_result(tool, told)).map(|change| vec![change]);
    let changes = by_result.or_else(|| value::look(input, |input| Some(by_call(tool, input))));
    let changes = changes.unwrap_or_default().into_iter();
    changes.map(|change| (call.index, path.clone(), change)).collect()
}

fn path(node: Node<'_>) -> Option<String> {
    names::PATH.iter().find_map(|path| text_at(node, path))
}

fn number(node: Node<'_>, path: &[&str]) -> Option<usize> {
    usize::try_from(value::number(node.at(path)?.raw())?).ok()
}

/// The change as the result tells it.
fn by_result(tool: Tool, told: Node<'_>) -> Option<Change> {
    let before = names::BEFORE.iter().find_map(|path| text_at(told, path));
    match tool {
        Tool::Read => {
            let whole = number(told, names::FIRST_LINE)? <= 1
                && number(told, names::LINES)? == number(told, names::ALL_LINES)?;
            let content = text_at(told, names::SEEN)?;
            whole.then_some(Change::Seen { content })
        }
        Tool::Notebook => Some(match text_at(told, names::UPDATED) {
            Some(after) => Change::Write { before, after },
            None => Change::Unclear,
        }),
        Tool::Write if told.word(names::TYPE) == Some(b"create") => {
            let after = text_at(told, names::CONTENT)?;
            Some(Change::Write { before: Some(String::new()), after })
        }
        Tool::Write if before.is_some() => {
            Some(Change::Write { before, after: text_at(told, names::CONTENT)? })
        }
        Tool::Write | Tool::Edit => {
            let hunks = hunks(told.at(names::PATCH)?);
            (!hunks.is_empty()).then_some(Change::Hunks { before, hunks })
        }
    }
}

/// The change as the call asks for it.
fn by_call(tool: Tool, input: Node<'_>) -> Vec<Change> {
    match tool {
        Tool::Read => Vec::new(),
        Tool::Notebook => vec![Change::Unclear],
        Tool::Write => {
            let after = text_at(input, names::CONTENT);
            after.map(|after| Change::Write { before: None, after }).into_iter().collect()
        }
        Tool::Edit => match input.at(names::EDITS) {
            Some(edits) => edits.elements().filter_map(replacement).collect(),
            None => replacement(input).into_iter().collect(),
        },
    }
}

fn replacement(edit: Node<'_>) -> Option<Change> {
    let (old, new) = (text_at(edit, names::OLD)?, text_at(edit, names::NEW)?);
    let all = edit.at(names::ALL).is_some_and(|all| all.raw() == b"true");
    Some(match old.is_empty() {
        true => Change::Write { before: Some(String::new()), after: new },
        false => Change::Replace { old, new, all },
    })
}

fn hunks(patch: Node<'_>) -> Vec<Hunk> {
    let hunk = |node: Node<'_>| {
        let start = number(node, names::START)?;
        // With no lines before, the numbers name the line behind which the new ones come.
        let start = if number(node, names::COUNT) == Some(0) { start + 1 } else { start };
        let lines = node.at(names::HUNK_LINES)?.elements();
        let lines = lines.filter_map(line).collect();
        Some(Hunk { start: start.max(1), anchor: None, lines })
    };
    patch.elements().filter_map(hunk).collect()
}

fn line(node: Node<'_>) -> Option<Line> {
    let text = text_at(node, &[])?;
    let mut rest = text.chars();
    match rest.next() {
        Some('+') => Some(Line::New(rest.as_str().to_owned())),
        Some('-') => Some(Line::Gone(rest.as_str().to_owned())),
        Some(' ') => Some(Line::Same(rest.as_str().to_owned())),
        // "\ No newline at end of file" is no line.
        _ => None,
    }
}
