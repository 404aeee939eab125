//! Case selection for a saved session, and for the files beside one.

use session::{Case, Node, Shape};

use super::{map, names, subagents};

/// The case of a document or a line; `None` if it is not of a saved session.
pub(super) fn record(node: Node<'_>) -> Option<&'static Case> {
    let has = |path| node.at(path).is_some();
    if has(names::MESSAGES) && (has(names::METADATA) || has(names::SYSTEM_PROMPT)) {
        Some(&map::SAVED)
    } else if has(names::ENTRIES) && has(names::FORMAT_VERSION) {
        Some(&map::CONTAINER)
    } else if has(names::MESSAGES) && (has(names::DRAFT) || has(names::SESSION_ID)) {
        Some(&map::QUEUE)
    } else if has(names::OBJECTIVE) && has(names::STATUS) {
        Some(&map::GOAL)
    } else {
        receipt(node)
    }
}

/// The cases of a message by role: in `messages`, in an entry of a journal, and in a line of a
/// sub-agent's transcript.
struct Role {
    listed: &'static Case,
    entry: &'static Case,
    line: &'static Case,
}

fn role(word: Option<&[u8]>, content: Option<Node<'_>>) -> Role {
    let (listed, entry, line) = match word {
        Some(b"user" | b"tool") if content.is_some_and(is_results) => {
            (&map::RESULTS, &map::ENTRY_RESULTS, &subagents::RESULTS)
        }
        Some(b"user") => (&map::USER, &map::ENTRY_USER, &subagents::USER),
        Some(b"assistant") => (&map::ASSISTANT, &map::ENTRY_ASSISTANT, &subagents::ASSISTANT),
        Some(b"assistant_interrupted") => {
            (&map::CUT_SHORT, &map::ENTRY_CUT_SHORT, &subagents::CUT_SHORT)
        }
        Some(b"system" | b"tool") => (&map::SYSTEM, &map::ENTRY_SYSTEM, &subagents::SYSTEM),
        _ => (&map::ODD, &map::ENTRY_ODD, &subagents::ODD),
    };
    Role { listed, entry, line }
}

/// Whether content has only answers of tools.
fn is_results(content: Node<'_>) -> bool {
    let is_result = |block: Node<'_>| block.word(names::TYPE) == Some(b"tool_result");
    content.elements().next().is_some() && content.elements().all(is_result)
}

/// The case of an element of `messages`.
pub(super) fn message(node: Node<'_>) -> Option<&'static Case> {
    let object = node.shape() == Shape::Object;
    object.then(|| role(node.word(names::ROLE), node.at(names::CONTENT)).listed)
}

/// The case of a line of a sub-agent's transcript.
pub(super) fn line(node: Node<'_>) -> &'static Case {
    role(node.word(names::MESSAGE_ROLE), node.at(names::MESSAGE_CONTENT)).line
}

/// The case of an element of a journal's `entries`.
pub(super) fn entry(node: Node<'_>) -> Option<&'static Case> {
    if node.shape() != Shape::Object {
        return None;
    }
    Some(match node.word(names::KIND) {
        Some(b"message") => {
            role(node.word(names::MESSAGE_ROLE), node.at(names::MESSAGE_CONTENT)).entry
        }
        Some(b"user") => &map::TEXT_USER,
        Some(b"assistant") => &map::TEXT_ASSISTANT,
        Some(b"compaction") => &map::COMPACTION,
        Some(b"branch_summary") => &map::BRANCH,
        Some(b"system") => &map::ENTRY_SAID,
        _ => &map::ENTRY_UNKNOWN,
    })
}

/// The case of a block of content; `None` for plain text.
pub(super) fn block(node: Node<'_>) -> Option<&'static Case> {
    match node.word(names::TYPE)? {
        b"thinking" => Some(&map::THINKING),
        b"tool_use" | b"server_tool_use" => Some(&map::CALL),
        b"tool_result" | b"tool_search_tool_result" | b"code_execution_tool_result" => {
            Some(&map::RESULT)
        }
        _ => None,
    }
}

/// The case of an element of `artifacts`.
pub(super) fn artifact(node: Node<'_>) -> Option<&'static Case> {
    (node.shape() == Shape::Object).then_some(&map::ARTIFACT)
}

/// The case of an approval, requested or decided: a line of its own file, or an element of the
/// session.
pub(super) fn receipt(node: Node<'_>) -> Option<&'static Case> {
    let marks = [names::PHASE, names::APPROVAL_ID];
    marks.iter().all(|path| node.at(path).is_some()).then_some(&map::RECEIPT)
}
