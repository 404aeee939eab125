//! Injected text: text in the user's role that no person typed. Codex puts context before the
//! prompt, each piece with its own tag.

use session::{EventRef, Injected, Node, Shape, Slot, value};

use super::names::{AUTHOR, CONTENT, KINDS, RECIPIENT, TEXT};
use crate::injected;
use crate::worded::Worded;

/// Beginnings of injected texts in a user's message, as in Codex's source (format reference,
/// section 3).
const MARKS: &[&str] = &[
    "<environment_context>",
    "<permissions instructions>",
    "# AGENTS.md",
    "<user_instructions>",
    "<skills_instructions>",
    "<apps_instructions>",
    "<plugins_instructions>",
    "<recommended_plugins>",
    "<multi_agent_mode>",
    "<collaboration_mode>",
    "<app-context>",
    "<environment>",
    "<skill>",
    "<turn_aborted>",
    "<environment-change>",
    "<task-notification>",
    "<heartbeat>",
    "<user_action>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<codex_internal_context ",
    "<external_",
    "<goal_context>",
    "<hook_prompt",
    "<multi_agent_role>",
    "Warning: apply_patch was requested via ",
    "Warning: The maximum number of unified exec processes you can keep open is",
    "Warning: Your account was flagged for potentially high-risk cyber activity",
];

/// Beginnings of the texts that Codex adds anew to each session, whoever's role they have. Each was
/// in a request that it sent, beside the texts of the session itself.
const OWN: &[&str] = &[
    // The folder, the shell, the date (a user's message at the beginning, and where they change).
    "<environment_context>",
    "<environment>",
    "<environment-change>",
    // The memory files of the project, and of the user.
    "# AGENTS.md",
    "<user_instructions>",
    // The instructions of the model, as a developer's message of a few models.
    "You are Codex",
    "You are `",
    "You are a coding agent running in the Codex CLI",
    "# Review guidelines:",
    // What it may do without asking, and how it works.
    "<permissions instructions>",
    "<collaboration_mode>",
    "<personality_spec>",
    "<model_switch>",
    "<multi_agent_mode>",
    "<multi_agent_role>",
    // The lists of skills, apps, plugins and tools.
    "<skills_instructions>",
    "<apps_instructions>",
    "<plugins_instructions>",
    "<recommended_plugins>",
    "<tools>",
    "<app-context>",
    "<omx ",
    // The folder of its memory.
    "## Memory\\n\\nYou have access to a memory folder",
    // A warning about the account or the processes of this machine.
    "Warning: The maximum number of unified exec processes you can keep open is",
    "Warning: Your account was flagged for potentially high-risk cyber activity",
];

/// Beginning of the message with the summary of a compaction, as in Codex's source.
const SUMMED_UP: &[u8] = b"Another language model started to solve this problem and produced a ";

/// The reason why no person typed a message: every block of it is injected (an image is not).
/// Codex's own marks of the blocks, written since late 2026, take precedence over their text.
pub(super) fn injected(message: Node<'_>) -> Option<Injected> {
    let content = message.at(CONTENT)?;
    let first = content.elements().next().and_then(|block| block.word(TEXT));
    let first = content.text().or(first).map(injected::unescaped);
    let first = first.as_deref().map(injected::trimmed);
    if first.is_some_and(|text| text.starts_with(SUMMED_UP)) {
        return Some(Injected::Summary);
    }
    let is_typed = match message.at(KINDS).and_then(typed) {
        Some(typed) => typed,
        None if content.shape() == Shape::String => !content.text().is_some_and(is_marked),
        None => {
            let is_typed = |block: Node<'_>| !block.word(TEXT).is_some_and(is_marked);
            content.elements().next().is_none() || content.elements().any(is_typed)
        }
    };
    // A text of the agent with a picture, as verbatim writes it.
    let reminds = || first.is_some_and(|text| injected::begins(text, b"<system-reminder>"));
    let shows = || content.elements().skip(1).all(|block| block.word(TEXT).is_none());
    if is_typed && !(reminds() && shows()) {
        return None;
    }
    Some(match first {
        Some(text) if injected::is_report(text) => Injected::Report,
        _ => told(message),
    })
}

/// The reason why a text that no person typed is in a message: Codex adds it to each session, or
/// it passed the text to the model in a person's place.
pub(super) fn told(message: Node<'_>) -> Injected {
    let Some(content) = message.at(CONTENT) else { return Injected::Context };
    let mut texts = content.elements().filter_map(|block| block.word(TEXT));
    let is_context = match content.text() {
        Some(text) => is_own(text),
        None => texts.all(is_own),
    };
    let kinds = message.at(KINDS).into_iter().flat_map(Node::elements).filter_map(Node::text);
    let mut kinds = kinds.filter(|kind| kind.contains(&b'.')).peekable();
    let is_named = kinds.peek().is_some()
        && kinds.all(|kind| OWN_KINDS.iter().any(|own| kind.starts_with(own)));
    if is_context || is_named { Injected::Context } else { Injected::Told }
}

/// Families of the kinds of blocks that Codex adds anew to each session, as it marks them itself
/// since late 2026. Each was in a recorded session, beside a text of [`OWN`].
const OWN_KINDS: &[&[u8]] = &[
    b"agents_md.",
    b"collaboration_mode.",
    b"environments.",
    b"host_skills.",
    b"model.",
    b"multi_agent.",
    b"permissions.",
    b"tools.",
];

/// Whether a text (as written) is one that Codex adds anew to each session.
fn is_own(text: &[u8]) -> bool {
    let text = injected::unescaped(text);
    let text = injected::trimmed(&text);
    OWN.iter().any(|mark| text.starts_with(mark.as_bytes()))
}

/// The text of a message that has blocks of Codex's own beside another one, such as the person's
/// instructions for a sub-agent: without the former.
pub(super) fn worded(event: EventRef<'_>) -> Option<Worded> {
    if event.injected != Some(Injected::Told) {
        return None;
    }
    let at = event.fields().iter().position(|field| field.slot == Slot::Content)?;
    let text = value::look(event.value(event.fields()[at]), |content| {
        let blocks = || content.elements().filter_map(|block| block.word(TEXT));
        let others = blocks().filter(|text| !is_own(text)).map(value::unescape);
        blocks().any(is_own).then(|| others.collect::<Vec<_>>().join("\n"))
    })?;
    Some(Worded { text, fields: vec![at] })
}

/// Whether a letter between agents is from one above its recipient: `/root` is above `/root/tests`.
pub(super) fn is_from_above(letter: Node<'_>) -> bool {
    let (Some(from), Some(to)) = (letter.word(AUTHOR), letter.word(RECIPIENT)) else {
        return false;
    };
    to.strip_prefix(from).is_some_and(|rest| rest.starts_with(b"/"))
}

/// Whether a person gave one of the blocks of these kinds (`user.text`, `goal.internal_context`,
/// …). `None` if all kinds are `unknown`.
fn typed(kinds: Node<'_>) -> Option<bool> {
    let mut telling = kinds.elements().filter_map(Node::text).filter(|kind| kind.contains(&b'.'));
    let first = telling.next()?;
    Some(std::iter::once(first).chain(telling).any(|kind| kind.starts_with(b"user.")))
}

/// Whether a text (as written, escapes unresolved) begins with a mark.
pub(super) fn is_marked(text: &[u8]) -> bool {
    let text = injected::unescaped(text);
    let rest = injected::trimmed(&text);
    matches!(rest.first(), Some(b'<' | b'#' | b'W'))
        && MARKS.iter().any(|mark| injected::begins(rest, mark.as_bytes()))
}
