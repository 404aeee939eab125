//! Injected text: text in the user's role that no person typed. Codex puts context before the
//! prompt, each piece with its own tag.

use session::{Node, Shape};

use super::names::{CONTENT, KINDS, TEXT};
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

/// Whether every block of a message is injected (an image is not). Codex's own marks of the blocks,
/// written since late 2026, take precedence over their text.
pub(super) fn is_injected(message: Node<'_>) -> bool {
    if let Some(typed) = message.at(KINDS).and_then(typed) {
        return !typed;
    }
    let Some(content) = message.at(CONTENT) else { return false };
    match content.shape() {
        Shape::String => content.text().is_some_and(is_marked),
        Shape::Array => {
            let mut blocks = content.elements().peekable();
            blocks.peek().is_some() && blocks.all(|block| block.word(TEXT).is_some_and(is_marked))
        }
        _ => false,
    }
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
    let mut rest = text.trim_ascii_start();
    while let Some(behind) = rest.strip_prefix(b"\\n") {
        rest = behind.trim_ascii_start();
    }
    matches!(rest.first(), Some(b'<' | b'#' | b'W'))
        && MARKS.iter().any(|mark| injected::begins(rest, mark.as_bytes()))
}
