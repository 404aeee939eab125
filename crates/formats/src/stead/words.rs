//! What events are called in the document.

use session::{EventRef, Kind, Outcome, Slot, value};

/// A person's prompt.
pub(super) const USER: &str = "message_user";
/// What the model said.
pub(super) const ASSISTANT: &str = "message_assistant";
/// A tool is called.
pub(super) const CALL: &str = "tool_call";
/// A tool answered.
pub(super) const RESULT: &str = "tool_result";
/// Counters and signs of life.
pub(super) const PROGRESS: &str = "system_progress";
/// Anything else that was written down: thoughts and injected text too.
pub(super) const NOTE: &str = "system_note";
/// Where a session or a stretch of it begins or ends.
pub(super) const MARKER: &str = "session_marker";
/// A file that the session is about.
pub(super) const ARTIFACT: &str = "artifact_ref";

/// The event kind of the document. It has none for thoughts and for text that no person typed.
pub(super) fn event_kind(event: EventRef<'_>) -> &'static str {
    match event.kind {
        Kind::User if !event.injected => USER,
        Kind::Assistant => ASSISTANT,
        Kind::ToolCall => CALL,
        Kind::ToolResult => RESULT,
        Kind::Notice => notice(event),
        Kind::User | Kind::Reasoning | Kind::Opaque => NOTE,
    }
}

/// Parts of type words that tell of progress, and of the bounds of a session.
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

/// A native type word longer than this is a text.
const WORD: usize = 80;

/// What a notice is, in the agent's words, with hyphens for underscores; the innermost word says
/// it best.
pub(super) fn type_word(event: EventRef<'_>) -> String {
    let short = |text: &str| !text.is_empty() && text.len() <= WORD;
    let name = event.text(Slot::Name).filter(|name| short(name));
    let words = || event.fields().iter().rev().filter(|field| field.slot == Slot::Type);
    let word = name.or_else(|| {
        words().filter_map(|field| value::text(event.value(*field))).find(|word| short(word))
    });
    word.map_or_else(|| event.case.name.to_owned(), |word| word.replace('_', "-"))
}

/// What an event is to the session, in one word: the document's kinds tell less.
pub(super) const fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::User => "user",
        Kind::Assistant => "assistant",
        Kind::Reasoning => "reasoning",
        Kind::ToolCall => "tool-call",
        Kind::ToolResult => "tool-result",
        Kind::Notice => "notice",
        Kind::Opaque => "opaque",
    }
}

/// Who acts.
pub(super) const fn role(kind: Kind) -> &'static str {
    match kind {
        Kind::User => "user",
        Kind::Assistant | Kind::Reasoning | Kind::ToolCall => "assistant",
        Kind::ToolResult => "tool",
        Kind::Notice | Kind::Opaque => "system",
    }
}

/// Did the tool do what it was asked to? Where nothing is said, it did.
pub(super) fn is_ok(event: EventRef<'_>) -> bool {
    !event.outcome().is_some_and(Outcome::is_bad)
}
