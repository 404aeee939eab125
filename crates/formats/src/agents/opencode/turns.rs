//! Ends and modes of turns.

use session::{EventRef, Kind, Slot, value};

use crate::turns::{Spawned, TurnEnd, TurnRules, TurnSetting, word};

pub(super) static TURNS: TurnRules = TurnRules {
    end: Some(end),
    settings,
    refusals: true,
    spawned,
    spawned_by,
    never_ran,
    ..TurnRules::NONE
};

/// The archived product gives up the calls behind one that was refused, and those that it had not
/// begun when the person stopped it.
fn never_ran(result: EventRef<'_>) -> bool {
    result
        .raw(Slot::Output)
        .is_some_and(|raw| value::said(raw) == "Tool execution canceled by user")
}

/// The session of a sub-agent, in the state of the call that started it.
fn spawned(event: EventRef<'_>) -> Option<Spawned> {
    if event.kind != Kind::ToolCall {
        return None;
    }
    let session = ["sessionId", "sessionID"];
    let session = session.iter().find_map(|name| told(event, &["state", "metadata", name]))?;
    Some(Spawned { call: event.text(Slot::Call)?.into_owned(), session })
}

/// The parent in the header of a sub-agent's session.
fn spawned_by(event: EventRef<'_>) -> Option<String> {
    if event.case.name != "session" {
        return None;
    }
    told(event, &["parentID"]).or_else(|| told(event, &["parent_id"]))
}

/// The places of a value: in a message, in a message of an export, in a row.
fn told(event: EventRef<'_>, path: &[&str]) -> Option<String> {
    let within = |first: &'static str| {
        let path: Vec<&str> = [first].into_iter().chain(path.iter().copied()).collect();
        word(event, &path)
    };
    word(event, path).or_else(|| within("info")).or_else(|| within("data"))
}

/// The reason why an answer ended, its error, or the row of an idle session.
fn end(event: EventRef<'_>) -> Option<TurnEnd> {
    if !matches!(event.kind, Kind::Assistant | Kind::Notice) {
        return None;
    }
    if let Some(error) = told(event, &["error", "name"]) {
        let aborted = error == "MessageAbortedError";
        return Some(if aborted { TurnEnd::Interrupted } else { TurnEnd::Failed });
    }
    if event.text(Slot::Type).is_some_and(|kind| kind == "finish") {
        return old_end(event);
    }
    if event.kind == Kind::Notice {
        return match told(event, &["outcome"])?.as_str() {
            "succeeded" => Some(TurnEnd::Completed),
            "failed" => Some(TurnEnd::Failed),
            "interrupted" => Some(TurnEnd::Interrupted),
            _ => None,
        };
    }
    match &*event.text(Slot::Finish)? {
        "stop" => Some(TurnEnd::Completed),
        "length" | "content-filter" | "error" => Some(TurnEnd::Failed),
        _ => None,
    }
}

/// The last part of an answer of the archived product. A prompt has such a part too, which says
/// nothing.
fn old_end(part: EventRef<'_>) -> Option<TurnEnd> {
    let before = (0..part.index).rev().map(|at| part.session().event(at));
    let own = before.take_while(|event| event.origin.record == part.origin.record);
    let role = own.filter_map(|event| event.text(Slot::Role)).next()?;
    match &*part.text(Slot::Finish)? {
        "end_turn" if role == "assistant" => Some(TurnEnd::Completed),
        "max_tokens" | "error" if role == "assistant" => Some(TurnEnd::Failed),
        "canceled" | "permission_denied" if role == "assistant" => Some(TurnEnd::Interrupted),
        _ => None,
    }
}

/// The agent of an answer (`build`, `plan`); `mode` in older versions.
fn settings(event: EventRef<'_>) -> Vec<TurnSetting> {
    if event.kind != Kind::Assistant {
        return Vec::new();
    }
    let mode = told(event, &["agent"]).or_else(|| told(event, &["mode"]));
    mode.map(TurnSetting::Mode).into_iter().collect()
}
