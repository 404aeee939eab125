//! The effects of a session's calls on files, by call: those that the session shows, else those
//! that the call asks for.

use std::collections::BTreeMap;

use replay::{Change, PATCH_BEGIN, Replacement, patch};
use session::{EventIx, EventRef, Node, Session, Shape, value};

use crate::calls;
use crate::format::WantedCalls;
use crate::registry::{AGENTS, agent};
use crate::tools::{Common, Means, Tool, input, words};

/// The effects that a session shows, by the event of their call: the path as the agent wrote it,
/// and the change.
#[must_use]
pub fn shown(session: &Session) -> BTreeMap<EventIx, Vec<(String, Change)>> {
    shown_of(session, &|_| true)
}

/// The same of the calls that are wanted.
#[must_use]
pub fn shown_of(
    session: &Session,
    wanted: WantedCalls<'_>,
) -> BTreeMap<EventIx, Vec<(String, Change)>> {
    let mut all: BTreeMap<EventIx, Vec<(String, Change)>> = BTreeMap::new();
    let changes = agent(session.format)
        .and_then(|format| format.data().changes)
        .map(|of| of(session, wanted));
    for (event, path, change) in changes.unwrap_or_default() {
        if !matches!(change, Change::Seen { .. }) && wanted(event) {
            all.entry(event).or_default().push((path, change));
        }
    }
    all
}

/// The effects that a call asks for, by the table of its tool. Empty if it has none that can be
/// derived.
#[must_use]
pub fn asked(call: EventRef<'_>) -> Vec<(String, Change)> {
    let Some(tool) = calls::of(call) else { return Vec::new() };
    let changes = match tool.common {
        Common::Patch | Common::Shell => input(call, |root| patch(&patch_text(tool, root)?)),
        Common::Edit | Common::Write | Common::Delete => input(call, |root| {
            let path = tool.text(Means::Path, root)?;
            Some(edits(tool, root).into_iter().map(|change| (path.clone(), change)).collect())
        }),
        _ => None,
    };
    changes.unwrap_or_default()
}

/// The patch in a call's arguments: an argument of its own, or within a command.
fn patch_text(tool: &Tool, root: Node<'_>) -> Option<String> {
    let text = match root.shape() {
        Shape::Object => {
            let means = [Means::Patch, Means::Command, Means::Words];
            means.into_iter().find_map(|means| words(tool.value(means, root)?))
        }
        _ => words(root),
    };
    text.filter(|text| text.contains(PATCH_BEGIN))
}

fn edits(tool: &Tool, root: Node<'_>) -> Vec<Change> {
    if tool.common == Common::Delete {
        return vec![Change::Delete];
    }
    if let Some(list) = tool.value(Means::Edits, root) {
        return list.elements().filter_map(edit).collect();
    }
    let text = || {
        let after = tool.text(Means::Text, root)?;
        Some(Change::Write { before: None, after })
    };
    edit(root).or_else(text).into_iter().collect()
}

/// An edit with an old and a new text, by the names of any agent.
fn edit(node: Node<'_>) -> Option<Change> {
    let text = |means: Means| {
        let rows = || AGENTS.iter().flat_map(|format| format.data().tools.rows);
        let named = rows().flat_map(|tool| tool.arguments).filter(|row| row.means == means);
        let mut named = named.filter(|row| !row.name.is_empty());
        named.find_map(|row| value::text_at(node, &[row.name]))
    };
    let (old, new) = (text(Means::Old)?, text(Means::New)?);
    Some(Change::replace(Replacement { old, new, all: false, line: true }))
}
