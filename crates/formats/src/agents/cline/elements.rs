//! Elements within a text: the call that a model without tools of its own wrote there, and a
//! person's words.

use memchr::memmem;
use session::{Case, EventRef, Node, Slot, value};

use super::map::{self, ORDER};
use crate::tools;
use crate::worded::Worded;

/// The cases of a message with a call: its name, the case of one with text around the call, and of
/// one without.
type Written = (&'static str, Case, Case);

macro_rules! written {
    ($($name:literal),* $(,)?) => {
        static WRITTEN: &[Written] = &[$((
            $name,
            map::around(&const { map::written(&[(Slot::Name, $name), (Slot::Call, ORDER)]) }),
            map::written(&[(Slot::Name, $name), (Slot::Call, ORDER)]),
        )),*];
    };
}

written![
    "read_file",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "edit_file",
    "insert_content",
    "search_and_replace",
    "execute_command",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "codebase_search",
    "attempt_completion",
    "ask_followup_question",
    "plan_mode_respond",
    "use_mcp_tool",
    "access_mcp_resource",
    "load_mcp_documentation",
    "browser_action",
    "web_fetch",
    "web_search",
    "fetch_instructions",
    "update_todo_list",
    "switch_mode",
    "new_task",
    "condense",
    "summarize_task",
    "new_rule",
    "report_bug",
    "generate_image",
    "run_slash_command",
];

/// The case of an answer with a call as text.
pub(super) fn case(message: Node<'_>) -> Option<&'static Case> {
    let content = message.at(map::CONTENT)?;
    let texts = || content.elements().filter_map(|one| one.word(map::TEXT));
    let is_native = |one: Node<'_>| matches!(one.word(map::TYPE), Some(b"tool_use" | b"tool-call"));
    let text = content.text().or_else(|| texts().find(|text| memmem::find(text, b"</").is_some()));
    let text = text.filter(|_| !content.elements().any(is_native))?;
    let (_, around, alone) = written(text)?;
    let is_alone = content.elements().count() <= 1
        && text.starts_with(b"<")
        && text.ends_with(b">")
        && !text.starts_with(b"<thinking>");
    Some(if is_alone { alone } else { around })
}

/// The first call in a text as written.
fn written(text: &[u8]) -> Option<&'static Written> {
    let place = |(name, _, _): &Written| {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let at = memmem::find(text, open.as_bytes())?;
        let behind = &text[at + open.len()..];
        memmem::find(behind, close.as_bytes())?;
        crate::injected::trimmed(behind).starts_with(b"<").then_some(at)
    };
    let found = WRITTEN.iter().filter_map(|row| Some((place(row)?, row)));
    found.min_by_key(|(at, _)| *at).map(|(_, row)| row)
}

/// Whether a text, as written, is the result of a call: `[read_file for 'a.py'] Result:`.
pub(super) fn is_result(text: &[u8]) -> bool {
    let end = || memmem::find(&text[..text.len().min(NAMED)], b"] Result:");
    let name = |row: &Written| text[1..].starts_with(row.0.as_bytes());
    text.starts_with(b"[") && WRITTEN.iter().any(name) && end().is_some()
}

/// The length of the beginning of a result that names its call, in bytes.
const NAMED: usize = 4096;

/// Whether a text, as written, has a person's words beside the agent's own.
pub(super) fn is_feedback(text: &[u8]) -> bool {
    [&b"<feedback>"[..], b"<user_message>"].iter().any(|tag| memmem::find(text, tag).is_some())
}

/// Whether a text, as written, has a person's words.
pub(super) fn is_typed(text: &[u8]) -> bool {
    is_feedback(text) || memmem::find(text, b"<task>").is_some()
}

/// The text of an answer without the call in it, of a person's words in a result without what is
/// around them, and of a question on the screen.
pub(super) fn worded(event: EventRef<'_>) -> Option<Worded> {
    let text = if std::ptr::eq(event.case, &raw const map::FEEDBACK) {
        super::own_words(&event.said()).into_owned()
    } else if std::ptr::eq(event.case, &raw const map::SHOWN_ANSWER) {
        let raw = event.raw(Slot::Content).filter(|raw| raw.starts_with(b"\"{"))?;
        value::look(value::text(raw)?.as_bytes(), |asked| {
            ["question", "response"].iter().find_map(|name| value::text_at(asked, &[name]))
        })?
    } else {
        let call = event.case.also.filter(|call| call.kind == session::Kind::ToolCall)?;
        let (_, name) = call.constants.first()?;
        let said = event.said();
        let (before, behind) = tools::around_elements(&said, name)?;
        format!("{}\n{}", before.trim_end(), behind.trim_start()).trim().to_owned()
    };
    let fields = event.fields().iter().enumerate();
    let fields = fields.filter(|(_, field)| field.slot == Slot::Content).map(|(at, _)| at);
    (!text.is_empty()).then(|| Worded { text, fields: fields.collect() })
}
