//! Texts that the agent words anew in each request: a command that a person ran, a summary.

use session::{EventRef, Node, Slot, value};

use super::map;
use crate::worded::Worded;

/// The words around the summary of a compaction in a request (`messages.ts`).
const COMPACTED: [&str; 2] = [
    "The conversation history before this point was compacted into the following summary:\n\n\
     <summary>\n",
    "\n</summary>",
];
/// The same of a branch that was left.
const LEFT: [&str; 2] = [
    "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
    "</summary>",
];

/// The text of an event, if it is worded.
pub(super) fn worded(event: EventRef<'_>) -> Option<Worded> {
    let is = |case: &'static session::Case| std::ptr::eq(event.case, case);
    let text = if is(&map::RAN) {
        value::look(event.bytes(), |line| Some(ran(line)))?
    } else if is(&map::COMPACTION) || is(&map::SUMMED) {
        around(&event.said(), COMPACTED)?
    } else if is(&map::BRANCH) || is(&map::LEFT_SUMMED) {
        around(&event.said(), LEFT)?
    } else if is(&map::FILES) {
        value::look(event.raw(Slot::Content)?, |files| Some(named(files)))?
    } else {
        return None;
    };
    let has_words = |slot| matches!(slot, Slot::Content | Slot::Output | Slot::ExitCode);
    let fields = event.fields().iter().enumerate();
    let fields = fields.filter(|(_, field)| has_words(field.slot)).map(|(at, _)| at).collect();
    Some(Worded { text, fields })
}

/// The summary of a compaction without the words around it, if a text has them.
pub(super) fn bare_summary(text: &str) -> Option<&str> {
    text.strip_prefix(COMPACTED[0])?.strip_suffix(COMPACTED[1])
}

fn around(said: &str, [before, behind]: [&str; 2]) -> Option<String> {
    (!said.trim().is_empty()).then(|| format!("{before}{said}{behind}"))
}

/// A command, its output and its end.
fn ran(line: Node<'_>) -> String {
    let text = |path| value::text_at(line, path).unwrap_or_default();
    let is_true = |path| line.at(path).is_some_and(|mark: Node<'_>| mark.raw() == b"true");
    let output = text(map::OUTPUT);
    let code = line.at(map::EXIT_CODE).map(Node::raw).unwrap_or(b"null");
    let code = str::from_utf8(code).unwrap_or_default();
    let failed = !matches!(code, "0" | "null");
    let script = value::text_at(line, map::CODE);
    let (mut said, stopped, ended) = match &script {
        Some(code) => (
            format!("Ran Python:\n```python\n{code}\n```\n"),
            "execution cancelled",
            "Execution failed",
        ),
        None => (format!("Ran `{}`\n", text(map::COMMAND)), "command cancelled", "Command exited"),
    };
    match output.is_empty() {
        true => said += "(no output)",
        false => {
            let title = if script.is_some() { "Output:\n" } else { "" };
            said += &format!("{title}```\n{output}\n```");
        }
    }
    if is_true(map::CANCELLED) {
        said += &format!("\n\n({stopped})");
    } else if failed {
        said += &format!("\n\n{ended} with code {code}");
    }
    let whole = text(map::FULL_OUTPUT);
    if is_true(map::TRUNCATED) && !whole.is_empty() {
        said += &format!("\n\n[Output truncated. Full output: {whole}]");
    }
    said
}

/// Files that a prompt names, with their contents.
fn named(files: Node<'_>) -> String {
    let one = |file: Node<'_>| {
        let text = |name: &'static str| value::text_at(file, &[name]).unwrap_or_default();
        format!("<file path=\"{}\">\n{}\n</file>", text("path"), text("content"))
    };
    files.elements().map(one).collect::<Vec<_>>().join("\n\n")
}
