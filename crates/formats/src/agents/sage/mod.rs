//! Sage (sage.el): project conversations, named sessions, exports and logs.
//!
//! This file selects the case of a line or a message. `map.rs` has the tables, `locate.rs` the
//! grouping of files, `standing.rs` order and duplicates, `validate.rs` the project's own rules.
//! `FORMAT.md` has the coverage.

use std::sync::Arc;

use session::{Bundle, Case, Counts, Memory, Node, Reading, Session, Shape};

use crate::claim::{Candidate, Claim};
use crate::format::{Format, FormatData};
use crate::{injected, probe};

mod locate;
mod map;
mod migrate;
mod resume;
mod standing;
pub(crate) mod tools;
mod validate;
mod write;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;

/// The name in the registry.
const NAME: &str = "sage";

/// The format of Sage's session files.
pub(crate) struct Sage;

/// The facts of the format.
static DATA: FormatData = FormatData {
    places: locate::PLACES,
    tools: &tools::TOOLS,
    validate: Some(validate::validate),
    planned_form: Some(&migrate::FORM),
    project: locate::project,
    resume: Some(&resume::RESUME),
    belongs: Some(
        "`~/.emacs.d/sage/projects/FOLDER/conversation.jsonl`, or another of its places; \
             FOLDER is the path of the project with `-` for `/` and `.`, which is the id",
    ),
    target: Some(&write::TARGET),
    ..FormatData::of(NAME, map::ALL)
};

impl Format for Sage {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let reading = Reading::new(NAME, &bundle, memory).statuses(&tools::STATUSES);
        // Emacs looks a key up from the beginning of a list of pairs.
        let mut reading = reading.counts(Counts::First);
        probe::documents_or_lines(&mut reading, &bundle, record);
        let mut session = reading.finish();
        session.id = locate::session_id(&session);
        injected::mark_told(&mut session);
        standing::settle(&mut session);
        vec![session]
    }
}

/// The case of a line, or of the one value of a document.
fn record(node: Node<'_>) -> Option<&'static Case> {
    let has = |path| node.at(path).is_some();
    if node.shape() == Shape::Array {
        let mut messages = node.elements();
        messages.all(|message| message.at(map::ROLE).is_some()).then_some(&map::EXPORT)
    } else if has(map::ROLE) {
        message(node)
    } else if has(map::MESSAGES) {
        Some(&map::NAMED)
    } else if has(map::EVENT) && has(map::LEVEL) {
        Some(&map::LOG)
    } else if has(map::TOOL) && has(map::PREVIEW) {
        Some(&map::TRIAL)
    } else {
        has(map::PROJECT_DIR).then_some(&map::METADATA)
    }
}

/// The case of a message, as a line or in a list.
fn message(node: Node<'_>) -> Option<&'static Case> {
    if node.shape() != Shape::Object {
        return None;
    }
    Some(match node.word(map::ROLE) {
        Some(b"user") => &map::USER,
        Some(b"assistant") => &map::ASSISTANT,
        Some(b"system") => &map::SYSTEM,
        Some(b"tool") => &map::TOOL_ANSWER,
        _ => &map::OTHER,
    })
}

/// The case of a message of an export, in which tools answer in the user's role.
fn exported(node: Node<'_>) -> Option<&'static Case> {
    let answer = node.word(map::CONTENT).is_some_and(|text| text.starts_with(b"Tool result:"));
    match message(node) {
        Some(case) if answer && std::ptr::eq(case, &map::USER) => Some(&map::EXPORTED_ANSWER),
        case => case,
    }
}

/// The case of a tool call. It has an answer if `result` is present and not null, or if `success`
/// records the outcome.
fn tool_call(node: Node<'_>) -> Option<&'static Case> {
    if node.shape() != Shape::Object {
        return None;
    }
    let result = node.at(map::RESULT_VALUE).map(Node::shape);
    Some(match (result, node.at(map::SUCCESS).map(Node::raw)) {
        (_, Some(b"true")) => &map::SUCCEEDED,
        (_, Some(b"false")) => &map::FAILED,
        (None | Some(Shape::Null), _) => &map::CALL,
        _ => &map::ANSWERED,
    })
}
