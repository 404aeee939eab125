//! What the tools did to files: the display beside a call holds the text before and after; without
//! it, the arguments tell what they can. A call that did not succeed did nothing.

use session::attribution::{self, Change, Edit};
use session::value::{self, text_at};
use session::{EventIx, EventRef, Kind, Node, Session, Shape, Slot, Standing};

/// The field of a call that the screen shows.
const DISPLAY: &[u8] = b"resultDisplay";

mod names {
    pub(super) const BEFORE: &[&str] = &["originalContent"];
    pub(super) const AFTER: &[&str] = &["newContent"];
    pub(super) const PATH: &[&str] = &["file_path"];
    pub(super) const CONTENT: &[&str] = &["content"];
    pub(super) const OLD: &[&str] = &["old_string"];
    pub(super) const NEW: &[&str] = &["new_string"];
    pub(super) const COUNT: &[&str] = &["expected_replacements"];
    pub(super) const ALL: &[&str] = &["allow_multiple"];
    pub(super) const DIFF: &[&str] = &["fileDiff"];
    pub(super) const COMMAND: &[&str] = &["command"];
    /// Where a read begins and ends, and where a command runs; without them: all, and here.
    pub(super) const PARTS: &[&[&str]] = &[&["offset"], &["limit"], &["start_line"], &["end_line"]];
    pub(super) const FOLDERS: &[&[&str]] = &[&["directory"], &["dir_path"]];
    /// What the model was answered.
    pub(super) const SAID: &[&str] = &["functionResponse", "response", "output"];
}

/// The tools whose calls are understood here.
pub(super) const TOOLS: &[&str] =
    &["read_file", "write_file", "replace", "edit", "run_shell_command"];

/// The changes of a session in source order.
pub(super) fn of(session: &Session) -> Vec<(EventIx, String, Change)> {
    let counts = |event: &EventRef<'_>| {
        !matches!(event.standing, Standing::Copied | Standing::Superseded | Standing::Echo)
    };
    let calls = session.top().filter(counts).flat_map(EventRef::children);
    calls.filter(|call| call.kind == Kind::ToolCall).flat_map(changes).collect()
}

fn changes(call: EventRef<'_>) -> Vec<(EventIx, String, Change)> {
    let answer = answer(call);
    let status = call.text(Slot::Status).or_else(|| answer?.text(Slot::Status));
    if status.is_some_and(|status| status != "success") {
        return Vec::new();
    }
    let (Some(name), Some(input)) = (call.text(Slot::Name), call.raw(Slot::Input)) else {
        return Vec::new();
    };
    let said = answer.and_then(|answer| value::look(answer.raw(Slot::Output)?, said));
    let said = said.unwrap_or_default();
    let own = |(path, change)| (call.index, path, change);
    if name == "run_shell_command" {
        let done = value::look(input, |input| Some(shell(input, &said))).unwrap_or_default();
        return done.into_iter().map(own).collect();
    }
    let display = call.native().find(|field| call.name(*field) == DISPLAY);
    let shown = display.and_then(|field| value::look(call.value(field), shown));
    let path = value::look(input, |input| text_at(input, names::PATH));
    let change = shown.or_else(|| value::look(input, |input| asked(&name, input, &said)));
    path.zip(change).into_iter().map(own).collect()
}

/// What the model was answered, as text.
fn said(answer: Node<'_>) -> Option<String> {
    answer.elements().find_map(|part| text_at(part, names::SAID))
}

/// A command that ended well: the answer has a line for each thing that did not.
fn shell(input: Node<'_>, said: &str) -> Vec<(String, Change)> {
    let elsewhere = names::FOLDERS.iter().any(|path| input.at(path).is_some());
    let bad = |line: &str| {
        let code = line.strip_prefix("Exit Code: ").is_some_and(|code| code.trim() != "0");
        let error = line.strip_prefix("Error: ").is_some_and(|error| error.trim() != "(none)");
        code || error || line.starts_with("Signal: ") && line.trim() != "Signal: (none)"
    };
    let command = text_at(input, names::COMMAND).filter(|_| !elsewhere && !said.lines().any(bad));
    attribution::command(&command.unwrap_or_default())
}

/// The answer that was made from the same value as the call.
fn answer(call: EventRef<'_>) -> Option<EventRef<'_>> {
    let next = (call.index as usize + 1 < call.session().len())
        .then(|| call.session().event(call.index + 1))?;
    (next.kind == Kind::ToolResult && next.span == call.span).then_some(next)
}

fn shown(display: Node<'_>) -> Option<Change> {
    let Some(after) = text_at(display, names::AFTER) else {
        let hunks = attribution::unified(&text_at(display, names::DIFF)?);
        return (!hunks.is_empty()).then_some(Change::Hunks {
            before: None,
            hunks,
            edits: Vec::new(),
        });
    };
    let before = match display.at(names::BEFORE) {
        Some(before) if before.shape() == Shape::Null => Some(String::new()),
        Some(before) => text_at(before, &[]),
        None => None,
    };
    Some(Change::Write { before, after })
}

/// What is said where a file is shown in part.
const CUT: &str = "IMPORTANT: The file content has been truncated";

/// What the call asks for, and the answer confirms.
fn asked(name: &str, input: Node<'_>, said: &str) -> Option<Change> {
    match name {
        "read_file" => {
            let part = names::PARTS.iter().any(|path| input.at(path).is_some());
            let whole = !part && !said.is_empty() && !said.trim_start().starts_with(CUT);
            whole.then(|| Change::Seen { content: said.to_owned() })
        }
        "write_file" => {
            let created = said.starts_with("Successfully created and wrote to new file");
            let before = created.then(String::new);
            Some(Change::Write { before, after: text_at(input, names::CONTENT)? })
        }
        "replace" | "edit" => {
            let count = input.at(names::COUNT).and_then(|count| value::number(count.raw()));
            let all = input.at(names::ALL).is_some_and(|all| all.raw() == b"true");
            let all = all || count.is_some_and(|count| count > 1);
            let (old, new) = (text_at(input, names::OLD)?, text_at(input, names::NEW)?);
            Some(match old.is_empty() {
                true => Change::Write { before: Some(String::new()), after: new },
                false => Change::Replace(Edit { old, new, all, line: false }),
            })
        }
        _ => None,
    }
}
