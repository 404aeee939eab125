//! The case of an entry, by its type, and of a block of a message.

use session::{Case, Node, Shape, value};

use super::{blocks, map};
use crate::agents::openclaw::map as openclaw;
use crate::injected;

/// The types of entries of the tree. A line with another type, an id and a parent is an entry of a
/// later version.
pub(super) const ENTRIES: &[(&[u8], &Case)] = &[
    (b"model_change", &map::MODEL_CHANGE),
    (b"thinking_level_change", &map::LEVEL),
    (b"compaction", &map::COMPACTION),
    (b"branch_summary", &map::BRANCH),
    (b"custom", &map::CUSTOM),
    (b"custom_message", &map::CUSTOM_MESSAGE),
    (b"session_info", &map::SESSION_NAME),
    (b"usage", &map::SPENT),
    (b"label", &map::NOTE),
    (b"context_edit", &map::NOTE),
    // oh-my-pi
    (b"model_usage", &map::SPENT),
    (b"session_init", &map::INIT),
    (b"reset_boundary", &map::RESET),
    (b"archive", &map::NOTE),
    (b"service_tier_change", &map::NOTE),
    (b"ttsr_injection", &map::NOTE),
    (b"mode_change", &map::NOTE),
    (b"credential_pin", &map::NOTE),
];

/// The case of a line.
pub(super) fn entry(node: Node<'_>) -> Option<&'static Case> {
    let word = node.word(map::TYPE)?;
    match word {
        b"session" if is_named(node) => return Some(&map::HEADER_NAMED),
        b"session" => return Some(&map::HEADER),
        b"title" | b"title_change" if is_named(node) => return Some(&map::TITLE),
        b"title" | b"title_change" => return Some(&map::AUTO_TITLE),
        b"message" => return Some(message(node)),
        b"custom_message" if is_report(node) => return Some(&map::REPORT),
        _ => {}
    }
    let known = ENTRIES.iter().find(|(name, _)| *name == word).map(|(_, case)| *case);
    let is_entry = || [map::ID, map::PARENT].iter().any(|path| node.at(path).is_some());
    known.or_else(|| is_entry().then_some(&map::UNKNOWN))
}

/// Whether a person gave the title.
fn is_named(node: Node<'_>) -> bool {
    map::TITLE_SOURCE.iter().any(|path| node.word(path) == Some(b"user"))
}

/// Whether an extension's text is the report of a sub-agent.
fn is_report(node: Node<'_>) -> bool {
    let content = node.at(map::CONTENT);
    let first = content.and_then(|content| content.elements().next()?.at(map::TEXT));
    content.into_iter().chain(first).filter_map(Node::text).any(injected::is_report)
}

/// The case of an entry with a message, by its role.
fn message(node: Node<'_>) -> &'static Case {
    let is_true = |path| node.at(path).is_some_and(|value: Node<'_>| value.raw() == b"true");
    match node.word(map::ROLE).unwrap_or_default() {
        b"user" if is_true(map::SYNTHETIC) => &map::TOLD,
        b"user" if node.word(map::ATTRIBUTION) == Some(b"agent") => &map::TOLD,
        b"user" => &map::USER,
        b"assistant"
            if openclaw::DELIVERED.contains(&node.word(map::MODEL).unwrap_or_default()) =>
        {
            &map::DELIVERED
        }
        b"assistant" => &map::ANSWER,
        b"toolResult" if !is_true(map::IS_ERROR) && tells_failure(node) => &map::FAILED,
        b"toolResult" => &map::RESULT,
        b"bashExecution" | b"pythonExecution" if is_true(map::EXCLUDED) => &map::RAN_APART,
        b"bashExecution" | b"pythonExecution" => &map::RAN,
        b"custom" | b"hookMessage" | b"developer" => &map::TOLD,
        b"fileMention" => &map::FILES,
        b"compactionSummary" => &map::SUMMED,
        b"branchSummary" => &map::LEFT_SUMMED,
        b"system" => &map::SYSTEM,
        _ => &map::OTHER,
    }
}

/// Whether the details of a result say that the call failed. A gateway hands its model the failure
/// of a tool as the output of a call that went well. A number as `status` is that of a response on
/// the web, which is no failure of the call.
fn tells_failure(node: Node<'_>) -> bool {
    let failed = |word: &[u8]| openclaw::FAILED.contains(&word);
    let is_said = |text: &[u8]| !text.is_empty();
    let exited = node.at(map::CODE_OF_EXIT).filter(|code| code.shape() == Shape::Number);
    node.word(map::STATUS).is_some_and(failed)
        || exited.is_some_and(|code| value::number(code.raw()) != Some(0))
        || node.word(map::FAULT).is_some_and(is_said)
}

/// The case of a message's block; `None` for plain text and a picture.
pub(super) fn block(node: Node<'_>) -> Option<&'static Case> {
    Some(match node.word(map::TYPE)? {
        b"text" | b"image" => return None,
        b"thinking" if node.at(blocks::REDACTED).is_some_and(|mark| mark.raw() == b"true") => {
            &blocks::SEALED
        }
        b"thinking" => &blocks::THINKING,
        b"redactedThinking" => &blocks::SEALED,
        b"toolCall" => &blocks::CALL,
        b"fallback" => &blocks::FALLBACK,
        _ => &session::STRANGE,
    })
}
