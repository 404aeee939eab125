//! Injected text: text in the user's role that no person typed. Codex puts context before the
//! prompt, each piece with its own tag.

use session::{Injected, Node, Shape};

use super::names::{AUTHOR, CONTENT, KINDS, RECIPIENT, TEXT};
use crate::injected;

/// Beginnings of injected texts, as in Codex's source (format reference, section 3).
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

/// Beginnings of a command that the person gave to Codex itself, and of its output.
const COMMANDS: &[&str] = &["<user_action>", "<user_shell_command>"];

/// Beginning of the message with the summary of a compaction, as in Codex's source.
const SUMMED_UP: &[u8] = b"Another language model started to solve this problem and produced a ";

/// The reason why no person typed a message: every block of it is injected (an image is not).
/// Codex's own marks of the blocks, written since late 2026, take precedence over their text.
pub(super) fn injected(message: Node<'_>) -> Option<Injected> {
    let content = message.at(CONTENT)?;
    let first = content.elements().next().and_then(|block| block.word(TEXT));
    let first = content.text().or(first).map(injected::trimmed);
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
    (!is_typed).then(|| match first {
        Some(text) if injected::is_report(text) => Injected::Report,
        Some(text) if COMMANDS.iter().any(|mark| injected::begins(text, mark.as_bytes())) => {
            Injected::Command
        }
        _ => Injected::Context,
    })
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
    let rest = injected::trimmed(text);
    matches!(rest.first(), Some(b'<' | b'#' | b'W'))
        && MARKS.iter().any(|mark| injected::begins(rest, mark.as_bytes()))
}
