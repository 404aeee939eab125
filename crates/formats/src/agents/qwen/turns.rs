//! Ends of turns, modes, and the sums of sub-agents.

use session::{EventRef, Kind, Slot, value};

use super::map;
use crate::turns::{ToldAgent, TurnEnd, TurnRules, TurnSetting, word};

pub(super) static TURNS: TurnRules = TurnRules {
    end: Some(end),
    settings,
    refusals: true,
    told_agent,
    spawned_by: |event| event.text(Slot::SpawnedBy).map(std::borrow::Cow::into_owned),
    ..TurnRules::NONE
};

/// In a log an answer with a text and without a call ends its turn, and so does the word of a
/// server.
fn end(event: EventRef<'_>) -> Option<TurnEnd> {
    if event.is_true(Slot::Sidechain) {
        return None;
    }
    if std::ptr::eq(event.case, &raw const map::ANSWER) {
        let asks = event.children().any(|child| child.kind == Kind::ToolCall);
        return (!asks && !event.said().trim().is_empty()).then_some(TurnEnd::Completed);
    }
    let is_result = event.text(Slot::Type).is_some_and(|kind| kind == "turn_result");
    match &*word(event, map::STATE).filter(|_| is_result)? {
        "completed" => Some(TurnEnd::Completed),
        "cancelled" => Some(TurnEnd::Interrupted),
        "error" => Some(TurnEnd::Failed),
        _ => None,
    }
}

fn settings(event: EventRef<'_>) -> Vec<TurnSetting> {
    let is_mode = event.text(Slot::Type).is_some_and(|kind| kind == "session_approval_mode");
    let mode = if is_mode { word(event, map::MODE) } else { None };
    let auto = mode.as_ref().map(|mode| TurnSetting::AutoApprove(mode == "yolo"));
    mode.map(TurnSetting::Mode).into_iter().chain(auto).collect()
}

/// The sums of a sub-agent in the result of its call.
fn told_agent(result: EventRef<'_>) -> Option<ToldAgent> {
    value::look(result.raw(Slot::Detail)?, |display| {
        let sums = display.at(map::SUMMARY)?;
        let number = |name| value::number(sums.at(&[name])?.raw());
        Some(ToldAgent {
            calls: number("totalToolCalls"),
            milliseconds: number("totalDurationMs"),
            tokens: number("totalTokens"),
        })
    })
}
