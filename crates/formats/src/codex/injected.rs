//! Text in the user's role that no person typed: Codex puts context before the prompt, each piece
//! with a mark of its own.

use session::{Node, Shape};

use super::names::{CONTENT, TEXT};

/// How such a text begins, as written in the source (format reference, section 3).
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
    "<user_shell_command>",
    "<subagent_notification>",
];

/// True for a message whose every block is such a text (an image is not).
pub(super) fn is_injected(message: Node<'_>) -> bool {
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

/// Does a text (as written, escapes unresolved) begin with a mark?
pub(super) fn is_marked(text: &[u8]) -> bool {
    let mut rest = text.trim_ascii_start();
    while let Some(behind) = rest.strip_prefix(b"\\n") {
        rest = behind.trim_ascii_start();
    }
    matches!(rest.first(), Some(b'<' | b'#'))
        && MARKS.iter().any(|mark| rest.starts_with(mark.as_bytes()))
}
