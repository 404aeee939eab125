//! Ends, modes and approvals of turns.

use session::{EventRef, Kind, Node, Slot, value};

use super::{names, standing};
use crate::turns::{Border, Rewind, ShownBorders, TurnEnd, TurnRules, TurnSetting, word};

pub(super) static TURNS: TurnRules = TurnRules {
    rewinds,
    end: Some(end),
    settings,
    border,
    shows,
    refusals: true,
    spawned_by: |event| event.text(Slot::SpawnedBy).map(std::borrow::Cow::into_owned),
    ..TurnRules::NONE
};

/// An answer without a call ends its turn; so do an interruption, an error that nothing follows,
/// and the word of the agent that the task is done.
fn end(event: EventRef<'_>) -> Option<TurnEnd> {
    if event.is_true(Slot::Sidechain) {
        return None;
    }
    match event.case.name {
        "abort" => Some(TurnEnd::Interrupted),
        "session.error" => Some(TurnEnd::Failed),
        "session.task_complete" => Some(TurnEnd::Completed),
        "assistant.message" if event.kind == Kind::Assistant && !asks(event) => {
            Some(TurnEnd::Completed)
        }
        _ => None,
    }
}

/// Whether an answer has a call.
fn asks(event: EventRef<'_>) -> bool {
    let calls = |line: Node<'_>| Some(line.at(names::REQUESTS)?.elements().next().is_some());
    value::look(event.bytes(), calls) == Some(true)
}

fn rewinds(event: EventRef<'_>) -> Option<Rewind> {
    let id = standing::rewound(event)?;
    value::text(&id).map(|id| Rewind::To(id.into_owned()))
}

fn settings(event: EventRef<'_>) -> Vec<TurnSetting> {
    let at = |name: &str| word(event, &["data", name]);
    match event.case.name {
        "user.message" => at("agentMode").map(TurnSetting::Mode).into_iter().collect(),
        "session.mode_changed" => at("newMode").map(TurnSetting::Mode).into_iter().collect(),
        "session.permissions_changed" => {
            let all = |line: Node<'_>| Some(line.at(names::ALLOWS_ALL)?.raw() == b"true");
            value::look(event.bytes(), all).map(TurnSetting::AutoApprove).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn border(event: EventRef<'_>) -> Option<Border> {
    match event.case.name {
        "permission.requested" => Some(Border::Required),
        "permission.completed" => {
            let kind = word(event, &["data", "result", "kind"])?;
            Some(if kind.starts_with("approved") { Border::Allowed } else { Border::Denied })
        }
        _ => None,
    }
}

/// A source that has a request notes every request; one that has an answer, every answer.
fn shows(event: EventRef<'_>) -> Option<ShownBorders> {
    const ASKED: &[Border] = &[Border::Required];
    const ANSWERED: &[Border] = &[Border::Allowed, Border::Denied];
    Some(match border(event)? {
        Border::Required => (ASKED, "permission.requested"),
        _ => (ANSWERED, "permission.completed"),
    })
}
