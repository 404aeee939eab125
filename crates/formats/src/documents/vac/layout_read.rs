//! The layouts of a record, read back: positions of entries' values in their native records.

use std::borrow::Cow;
use std::collections::HashMap;

use session::{Node, Shape, value};

use super::tree::{DEPTH, Step};
use crate::documents::shared::paths::steps;
use crate::written::WriteError;

/// A layout: positions of its entries' values in their records.
pub(super) struct Layout<'r> {
    /// The container of the value, and whether it is an array.
    pub(super) within: Option<(Vec<Step<'r>>, bool)>,
    pub(super) covered: bool,
    pub(super) also: bool,
    /// The native path of a key of the entry.
    pub(super) keys: HashMap<Cow<'r, str>, Vec<Step<'r>>>,
    /// Values that all its entries have.
    pub(super) fixed: Vec<(Vec<Step<'r>>, &'r [u8])>,
}

impl<'r> Layout<'r> {
    pub(super) fn of(node: Node<'r>, root: Node<'r>) -> Result<Self, WriteError> {
        let flag = |key: &str| node.at(&[key]).is_some();
        let within = match node.at(&["in"]) {
            None => None,
            Some(pointer) => {
                let mut steps = pointer_steps(pointer)?;
                let array = steps.last() == Some(&Step::Key(Cow::Borrowed("-")));
                if array {
                    steps.pop();
                }
                Some((steps, array))
            }
        };
        let (covered, also) = (flag("covered"), flag("also"));
        let mut layout = Self { within, covered, also, keys: HashMap::new(), fixed: Vec::new() };
        for member in node.at(&["keys"]).into_iter().flat_map(Node::members) {
            layout.keys.insert(value::unescape(member.name), pointer_steps(member.value)?);
        }
        for member in node.at(&["words"]).into_iter().flat_map(Node::members) {
            let pointer = value::unescape(member.name);
            layout.fixed.push((key_steps(pointer)?, member.value.raw()));
        }
        for member in node.at(&["session"]).into_iter().flat_map(Node::members) {
            let pointer = value::unescape(member.name);
            let word = member.value.text().unwrap_or_default();
            let fact = fact(root, word)
                .ok_or_else(|| broken("session.verbatim.paths", "names no value of the session"))?;
            layout.fixed.push((key_steps(pointer)?, fact.raw()));
        }
        Ok(layout)
    }
}

/// A fact of the session that its records repeat.
fn fact<'r>(root: Node<'r>, word: &[u8]) -> Option<Node<'r>> {
    match word {
        b"session-id" => root.at(&["session", "session-id"]),
        b"working-dir" => root.at(&["session", "environment", "working-dir"]),
        b"branch" => root.at(&["vcs", "branch"]),
        b"revision" => root.at(&["vcs", "revision"]),
        b"repository" => root.at(&["vcs", "repository"]),
        b"version-control" => root.at(&["vcs", "type"]),
        b"cli-version" => root.at(&["session", "agent-meta", "cli-version"]),
        b"model-provider" => root.at(&["session", "agent-meta", "model-provider"]),
        _ => None,
    }
}

/// The layout that an entry names, otherwise the first of its type.
pub(super) fn layout_name<'r>(entry: Node<'r>, ours: Option<Node<'r>>) -> Cow<'r, str> {
    if let Some(name) = ours.and_then(|ours| ours.word(&["case"])) {
        return value::unescape(name);
    }
    let (kind, event) = (text(entry, "type"), text(entry, "event-type"));
    if event.is_empty() || kind != "system-event" {
        return kind;
    }
    Cow::Owned(format!("{kind}/{event}"))
}

/// The steps of a JSON Pointer.
pub(super) fn key_steps(pointer: Cow<'_, str>) -> Result<Vec<Step<'_>>, WriteError> {
    let bad = || broken("session.verbatim.paths", format!("`{pointer}` is no JSON Pointer"));
    let owned: Option<Vec<Step<'_>>> = steps(&pointer).map(|steps| {
        steps.into_iter().map(|key| Step::Key(Cow::Owned(key.into_owned()))).collect()
    });
    owned.filter(|steps| steps.len() <= DEPTH).ok_or_else(bad)
}

fn pointer_steps(node: Node<'_>) -> Result<Vec<Step<'_>>, WriteError> {
    key_steps(node.text().map(value::unescape).unwrap_or_default())
}

/// Steps from an array: a string is a key, a number an index.
pub(super) fn array_steps(node: Node<'_>) -> Result<Vec<Step<'_>>, WriteError> {
    let steps = node.elements().map(|step| match step.shape() {
        Shape::String => Some(Step::Key(value::unescape(step.text()?))),
        _ => value::number(step.raw()).map(Step::Index),
    });
    steps.collect::<Option<_>>().ok_or_else(|| broken("verbatim.at", "a step is no key or index"))
}

/// The error for a record that contradicts itself.
pub(super) fn broken(what: &str, why: impl Into<String>) -> WriteError {
    WriteError::Incomplete { what: what.to_owned(), why: why.into() }
}

/// The text of a member; empty if it is missing.
pub(super) fn text<'r>(node: Node<'r>, key: &str) -> Cow<'r, str> {
    node.word(&[key]).map(value::unescape).unwrap_or_default()
}
