//! Names of events in the document.

use session::{EventRef, Kind, Outcome, Slot, value};

/// A person's prompt.
pub(super) const USER: &str = "message_user";
/// Text of the model.
pub(super) const ASSISTANT: &str = "message_assistant";
/// A tool call.
pub(super) const CALL: &str = "tool_call";
/// A tool's result.
pub(super) const RESULT: &str = "tool_result";
/// Counters and progress.
pub(super) const PROGRESS: &str = "system_progress";
/// Anything else, thoughts and injected text included.
pub(super) const NOTE: &str = "system_note";
/// Beginning or end of a session or of a part of it.
pub(super) const MARKER: &str = "session_marker";
/// A file that the session is about.
pub(super) const ARTIFACT: &str = "artifact_ref";

/// The event kind of the document. It has none for thoughts and for text that no person typed.
pub(super) fn event_kind(event: EventRef<'_>) -> &'static str {
    match event.kind {
        Kind::User if event.injected.is_none() => USER,
        Kind::Assistant => ASSISTANT,
        Kind::ToolCall => CALL,
        Kind::ToolResult => RESULT,
        Kind::Notice => notice(event),
        Kind::User | Kind::Reasoning | Kind::Opaque => NOTE,
    }
}

/// Parts of native types that mean progress, and the bounds of a session.
const PROGRESS_WORDS: &[&str] = &["progress", "token-count"];
const MARKER_WORDS: &[&str] = &["session", "compact", "summary", "title"];

fn notice(event: EventRef<'_>) -> &'static str {
    let word = type_word(event);
    let says = |words: &[&str]| words.iter().any(|part| word.contains(part));
    let has = |wanted: fn(Slot) -> bool| event.fields().iter().any(|field| wanted(field.slot));
    if says(PROGRESS_WORDS) || has(counts) {
        PROGRESS
    } else if says(MARKER_WORDS) || has(marks) {
        MARKER
    } else if has(|slot| slot == Slot::Path) {
        ARTIFACT
    } else {
        NOTE
    }
}

const fn counts(slot: Slot) -> bool {
    matches!(slot, Slot::Usage | Slot::UsageTotal | Slot::TokensIn | Slot::TokensOut)
}

const fn marks(slot: Slot) -> bool {
    matches!(
        slot,
        Slot::Started | Slot::Updated | Slot::Saved | Slot::Title | Slot::AutoTitle | Slot::Link
    )
}

/// A native type longer than this counts as text.
const WORD: usize = 80;

/// Type of a notice, in the agent's words, with hyphens for underscores. The innermost word is the
/// most specific.
pub(super) fn type_word(event: EventRef<'_>) -> String {
    let short = |text: &str| !text.is_empty() && text.len() <= WORD;
    let name = event.text(Slot::Name).filter(|name| short(name));
    let words = || event.fields().iter().rev().filter(|field| field.slot == Slot::Type);
    let word = name.or_else(|| {
        words().filter_map(|field| value::text(event.value(*field))).find(|word| short(word))
    });
    word.map_or_else(|| event.case.name.to_owned(), |word| word.replace('_', "-"))
}

/// Role of an event's actor.
pub(super) const fn role(kind: Kind) -> &'static str {
    match kind {
        Kind::User => "user",
        Kind::Assistant | Kind::Reasoning | Kind::ToolCall => "assistant",
        Kind::ToolResult => "tool",
        Kind::Notice | Kind::Opaque => "system",
    }
}

/// Whether the tool succeeded. If the outcome is unknown, it counts as success.
pub(super) fn is_ok(event: EventRef<'_>) -> bool {
    !event.outcome().is_some_and(Outcome::is_bad)
}
