//! The case of a value: of a file, of a message, of a block of one.

use session::{Case, Node, Shape, value};

use super::{elements, map, shown};

/// The case of a file's value.
pub(super) fn record(node: Node<'_>) -> Option<&'static Case> {
    let has = |path| node.at(path).is_some();
    if node.shape() == Shape::Array {
        Some(&map::LIST)
    } else if has(map::MESSAGES) && has(map::REPLACED) {
        Some(&map::COMPACTED)
    } else if has(map::MESSAGES) && (has(map::UPDATED_AT) || has(map::VERSION)) {
        Some(&map::CONVERSATION_CASE)
    } else if has(map::SESSION_ID) && has(map::STARTED_AT) {
        Some(&map::MANIFEST)
    } else if has(map::MODEL_USAGE) {
        Some(&map::METADATA)
    } else if has(map::ID) && has(map::TASK) {
        Some(&map::HISTORY)
    } else {
        None
    }
}

/// The case of an element of a list: a message, or an item of the screen.
pub(super) fn listed(node: Node<'_>) -> Option<&'static Case> {
    match node.word(map::TYPE) {
        Some(b"say" | b"ask") => Some(shown::item(node)),
        _ => message(node),
    }
}

/// The case of a message.
pub(super) fn message(node: Node<'_>) -> Option<&'static Case> {
    let is_true = |path| node.at(path).is_some_and(|mark: Node<'_>| mark.raw() == b"true");
    let Some(role) = node.word(map::ROLE) else {
        return (node.word(map::TYPE) == Some(b"reasoning")).then_some(&map::THOUGHT);
    };
    Some(match role {
        _ if is_true(map::IS_MARKER) => &map::MARKER,
        _ if is_true(map::IS_SUMMARY) => &map::SUMMARY,
        b"user" | b"tool" => user(node),
        b"assistant" if node.at(map::METRICS).is_none() && node.at(map::SDK_MODEL).is_some() => {
            &map::ANSWER
        }
        b"assistant" => elements::case(node).unwrap_or(&map::ASSISTANT),
        _ => &map::TOLD,
    })
}

/// Beginnings of texts of the agent in a person's place.
const TOLD: [&[u8]; 3] = [b"[ERROR]", b"[TASK RESUMPTION]", b"<explicit_instructions"];

/// The case of a message in a person's place.
fn user(node: Node<'_>) -> &'static Case {
    let content = node.at(map::CONTENT);
    let mut texts = content.into_iter().flat_map(|content| {
        content.text().into_iter().chain(content.elements().filter_map(|one| one.word(map::TEXT)))
    });
    let Some(first) = texts.next() else { return &map::USER };
    let typed = |text: &[u8]| elements::is_typed(text);
    if elements::is_result(first) {
        let answers = elements::is_feedback(first) || texts.any(elements::is_feedback);
        if answers { &map::WRITTEN_ANSWERED } else { &map::WRITTEN_RESULT }
    } else if TOLD.iter().any(|start| first.starts_with(start))
        && !typed(first)
        && !texts.any(typed)
    {
        &map::TOLD
    } else {
        &map::USER
    }
}

/// The case of a block of a message; `None` for plain text and a picture.
pub(super) fn block(node: Node<'_>) -> Option<&'static Case> {
    match node.word(map::TYPE)? {
        b"text" => context(node),
        b"thinking" | b"redacted_thinking" | b"reasoning" => Some(&map::REASONING),
        b"tool_use" | b"tool-call" => Some(&map::CALL),
        b"tool_result" | b"tool-result" => Some(result(node)),
        _ => None,
    }
}

/// The case of a text that the agent adds to each request.
fn context(node: Node<'_>) -> Option<&'static Case> {
    const CONTEXTS: [&[u8]; 2] = [b"<environment_details>", b"<mode_notice>"];
    let text = node.word(map::TEXT)?;
    let text = crate::injected::trimmed(text);
    CONTEXTS.iter().any(|start| text.starts_with(start)).then_some(&map::CONTEXT)
}

fn result(node: Node<'_>) -> &'static Case {
    let Some(content) = node.at(map::CONTENT) else { return &map::RESULT };
    let said = |one: Node<'_>| one.word(map::TEXT).is_some_and(elements::is_feedback);
    if content.text().is_some_and(elements::is_feedback) || content.elements().any(said) {
        &map::ANSWERED
    } else if is_failed(content) {
        &map::FAILED
    } else {
        &map::RESULT
    }
}

/// Whether one of a tool's own results says that it failed: they are a list, or JSON as a text.
fn is_failed(content: Node<'_>) -> bool {
    let failed = |one: Node<'_>| one.at(map::SUCCESS).is_some_and(|mark| mark.raw() == b"false");
    let written = || {
        let text = content.text().filter(|text| text.starts_with(b"{"))?;
        value::look(value::unescape(text).as_bytes(), |one| Some(failed(one)))
    };
    content.elements().any(failed) || written() == Some(true)
}

/// The case of an entry of the models that a task used.
pub(super) fn used(node: Node<'_>) -> Option<&'static Case> {
    node.at(map::USED_MODEL).map(|_| &map::USED)
}

/// The case of an entry of the surroundings of a task.
pub(super) fn surroundings(node: Node<'_>) -> Option<&'static Case> {
    (node.shape() == Shape::Object).then_some(&map::SURROUNDINGS)
}
