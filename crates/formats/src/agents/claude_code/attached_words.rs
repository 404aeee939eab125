//! Words of attachments, as the agent puts them into a request.

use std::fmt::Write as _;

use session::{EventRef, Node, Slot, value};

use crate::worded::Worded;

/// The fields of an attachment, and which of them its text has.
struct Parts<'s> {
    event: EventRef<'s>,
    used: Vec<usize>,
}

impl Parts<'_> {
    /// The text of the first member with this name.
    fn take(&mut self, name: &str) -> String {
        let fields = self.event.fields();
        let named = |at: &usize| {
            let field = fields[*at];
            let is_own = field.hold == session::Hold::Own;
            is_own && field.depth > 0 && self.event.name(field) == name.as_bytes()
        };
        let Some(at) = (0..fields.len()).find(named) else { return String::new() };
        let raw = self.event.value(fields[at]);
        let text = match raw.first() {
            Some(b'[') => value::look(raw, |list| {
                let texts = list.elements().map(|text| {
                    let plain = text.text().map(value::unescape);
                    plain.map_or_else(
                        || String::from_utf8_lossy(text.raw()).into_owned(),
                        Into::into,
                    )
                });
                Some(texts.collect::<Vec<_>>().join("\n"))
            })
            .unwrap_or_default(),
            _ => value::text(raw).unwrap_or_default().into_owned(),
        };
        if !text.is_empty() {
            self.used.push(at);
        }
        // A file's path is there twice.
        if fields[at].slot == Slot::Path {
            let again = |other: &usize| *other != at && fields[*other].slot == Slot::Path;
            self.used.extend((0..fields.len()).filter(again));
        }
        text
    }

    /// The first of these members that says something.
    fn first(&mut self, names: &[&str]) -> String {
        names
            .iter()
            .map(|name| self.take(name))
            .find(|text| !text.trim().is_empty())
            .unwrap_or_default()
    }
}

/// The text of an attachment as the agent words it in a request (2.1.332).
pub(super) fn words(event: EventRef<'_>) -> Worded {
    let mut of = Parts { event, used: Vec::new() };
    let kind = kind(event);
    let text = of_hook(&kind, &mut of)
        .or_else(|| of_file(&kind, &mut of))
        .or_else(|| of_state(&kind, &mut of))
        .unwrap_or_else(|| of.first(FURTHER));
    Worded { text, fields: of.used }
}

/// The text of an attachment whose line has the agent's words of it.
pub(super) fn rendered(event: EventRef<'_>) -> Worded {
    let mut of = Parts { event, used: Vec::new() };
    let text = listed(&mut of, "rendered", &["content"]);
    Worded { text, fields: of.used }
}

/// Members with the text of any other attachment.
const FURTHER: &[&str] = &[
    "content",
    "prompt",
    "text",
    "snippet",
    "message",
    "planContent",
    "messages",
    "memories",
    "files",
    "skills",
    "description",
    "filename",
];

/// The words of a hook.
fn of_hook(kind: &str, of: &mut Parts<'_>) -> Option<String> {
    let said = match kind {
        "hook_success" => "success",
        "hook_additional_context" => "additional context",
        "hook_stopped_continuation" => "stopped continuation",
        "hook_blocking_error" => {
            let (name, command) = (of.take("hookName"), of.take("command"));
            let error = of.take("blockingError");
            return Some(format!(
                "{name} hook blocking error from command: \"{command}\": {error}"
            ));
        }
        "async_hook_response" => return Some(responded(of)),
        _ => return None,
    };
    let (name, text) = (of.take("hookName"), of.first(&["content", "message"]));
    Some(format!("{name} hook {said}: {text}"))
}

/// The words about a file: one that the person attached, a memory file, a changed one.
fn of_file(kind: &str, of: &mut Parts<'_>) -> Option<String> {
    Some(match kind {
        "file" | "new_file" => file(of),
        "directory" => format!(
            "Called the Bash tool with the following input: {{\"command\":\"ls {}\"}}\n\
             Result of calling the Bash tool:\n{}",
            of.take("path"),
            of.take("content"),
        ),
        "nested_memory" => format!("Contents of {}:\n\n{}", of.take("path"), of.take("content")),
        "mcp_resource" => {
            let uri = of.take("uri");
            format!("Contents of {uri}:\n\n{}", listed(of, "contents", &["text"]))
        }
        "edited_text_file" => format!(
            "Note: {} changed on disk since you last read it. Here are the relevant changes, \
             with line numbers:\n{}",
            of.take("filename"),
            of.take("snippet"),
        ),
        "compact_file_reference" => format!(
            "Note: {} was read before the last conversation was summarized, but its contents are \
             too large to include.",
            of.take("filename"),
        ),
        "opened_file_in_ide" => format!(
            "The user opened the file {} in the IDE. This may or may not be related to the \
             current task.",
            of.take("filename"),
        ),
        "pdf_reference" => {
            let path = of.take("filename");
            let (pages, size) = (of.number("pageCount"), of.number("fileSize"));
            let (pages, size) = (pages.unwrap_or_default(), file_size(size.unwrap_or_default()));
            format!(
                "PDF file: {path} ({pages} pages, {size}). It is too large to be read at once: the \
                 Read tool reads some of its pages."
            )
        }
        "selected_lines_in_ide" => format!(
            "The user selected these lines of {} in the IDE:\n{}",
            of.take("filename"),
            of.take("content"),
        ),
        _ => return None,
    })
}

/// The words about the state of the work.
fn of_state(kind: &str, of: &mut Parts<'_>) -> Option<String> {
    Some(match kind {
        "diagnostics" => format!("<new-diagnostics>{}</new-diagnostics>", diagnostics(of)),
        "invoked_skills" => {
            let skills = listed(of, "skills", &["content"]);
            format!("The following skills were invoked in this session:\n\n{skills}")
        }
        "agent_mention" => format!(
            "The user has expressed a desire to invoke the agent \"{}\". Please invoke the agent \
             appropriately, passing in the required context to it.",
            of.take("agentType"),
        ),
        "relevant_memories" => listed(of, "memories", &["path", "content"]),
        "teammate_mailbox" => listed(of, "messages", &["from", "text"]),
        "task_status" => format!(
            "Task \"{}\" ({}) has the status {}. {}",
            of.take("description"),
            of.take("taskType"),
            of.take("status"),
            of.take("deltaSummary"),
        ),
        _ => return None,
    })
}

/// The type of an attachment.
fn kind(event: EventRef<'_>) -> String {
    let typed = |field: &&session::Field| field.slot == Slot::Name && field.depth == 1;
    let field = event.fields().iter().find(typed);
    field.and_then(|field| value::text(event.value(*field))).unwrap_or_default().into_owned()
}

/// A file that the person attached: the agent words it as a call of its tool.
fn file(of: &mut Parts<'_>) -> String {
    let path = of.first(&["filePath", "filename"]);
    let mut quoted = Vec::new();
    value::quote(&path, &mut quoted);
    let mut text = format!(
        "Called the Read tool with the following input: {{\"file_path\":{}}}",
        String::from_utf8_lossy(&quoted)
    );
    let content = of.first(&["content", "cells"]);
    if !content.is_empty() {
        let _ = write!(text, "\nResult of calling the Read tool:\n{content}");
    } else if let (true, Some(size)) = (of.is_pdf(), of.number("originalSize")) {
        // The agent sends the document itself once, when it is attached.
        let size = file_size(size);
        let _ = write!(text, "\nResult of calling the Read tool:\nPDF file read: {path} ({size})");
    }
    text
}

/// A number of bytes as the agent writes it.
fn file_size(bytes: u64) -> String {
    let with = |tenths: u64, unit: &str| match tenths % 10 {
        0 => format!("{}{unit}", tenths / 10),
        rest => format!("{}.{rest}{unit}", tenths / 10),
    };
    // Half of a tenth is rounded up.
    let tenths = |of: u64| (bytes * 20 + of) / (2 * of);
    match bytes {
        ..1024 => format!("{bytes} bytes"),
        1024..1_048_576 => with(tenths(1024), "KB"),
        1_048_576..1_073_741_824 => with(tenths(1_048_576), "MB"),
        _ => with(tenths(1_073_741_824), "GB"),
    }
}

/// The texts of a hook that ended later.
fn responded(of: &mut Parts<'_>) -> String {
    let said = [of.take("systemMessage"), of.take("additionalContext")];
    let said: Vec<String> = said.into_iter().filter(|text| !text.is_empty()).collect();
    said.join("\n\n")
}

/// The problems that an editor found, file by file.
fn diagnostics(of: &mut Parts<'_>) -> String {
    let raw = of.raw("files");
    let said = value::look(raw, |files| {
        let mut text = String::from("The following new diagnostic issues were detected:");
        for file in files.elements() {
            let named = file.word(&["uri"]).map(value::unescape).unwrap_or_default();
            let _ = write!(text, "\n\n{named}:");
            for one in file.at(&["diagnostics"]).into_iter().flat_map(Node::elements) {
                let at = |path: &[&str]| {
                    one.at(path).map_or(String::new(), |node| {
                        value::number(node.raw())
                            .map_or_else(String::new, |line| (line + 1).to_string())
                    })
                };
                let word = |name: &str| one.word(&[name]).map(value::unescape).unwrap_or_default();
                let (line, column) =
                    (at(&["range", "start", "line"]), at(&["range", "start", "character"]));
                let (severity, message) = (word("severity"), word("message"));
                let _ = write!(text, "\n  {severity} [Line {line}:{column}] {message}");
                let (code, source) = (word("code"), word("source"));
                let _ = write!(text, " [{code}] ({source})");
            }
        }
        Some(text)
    });
    said.unwrap_or_default()
}

/// The texts of these members of each object of a list.
fn listed(of: &mut Parts<'_>, list: &str, names: &[&str]) -> String {
    let raw = of.raw(list);
    let texts = value::look(raw, |all| {
        let texts = all.elements().flat_map(|one| {
            names.iter().filter_map(move |name| one.word(&[*name])).map(value::unescape)
        });
        Some(texts.collect::<Vec<_>>().join("\n\n"))
    });
    texts.unwrap_or_default()
}

impl<'s> Parts<'s> {
    /// The number that the first member with this name is.
    fn number(&self, name: &str) -> Option<u64> {
        let named = |field: &&session::Field| self.event.is_named(**field, name.as_bytes());
        let field = self.event.fields().iter().find(named)?;
        value::number(self.event.value(*field)).filter(|number| *number < 1 << 50)
    }

    /// Whether the content is a PDF document.
    fn is_pdf(&self) -> bool {
        let fields = self.event.fields().iter();
        let typed = |field: &session::Field| {
            self.event.is_named(*field, b"type") && self.event.value(*field) == b"\"pdf\""
        };
        fields.copied().any(|field| typed(&field))
    }

    /// The value of the first member with this name.
    fn raw(&mut self, name: &str) -> &'s [u8] {
        let fields = self.event.fields();
        let named = |at: &usize| self.event.name(fields[*at]) == name.as_bytes();
        let Some(at) = (0..fields.len()).find(named) else { return b"null" };
        self.used.push(at);
        self.event.value(fields[at])
    }
}
