//! Ends, modes and denials of turns.

use session::{EventRef, Kind, Slot, value};

use crate::turns::{Border, TurnEnd, TurnRules, TurnSetting, word};

pub(super) static TURNS: TurnRules = TurnRules {
    begins: |_| false,
    end: Some(end),
    settings,
    border,
    borders: &[Border::Denied],
    store: None,
};

/// The reason why an answer ended (the provider's `stop_reason`), an error of the provider in place
/// of an answer, or the message that an interruption leaves.
fn end(event: EventRef<'_>) -> Option<TurnEnd> {
    let is_true = |name: &str| word(event, &[name]).is_some_and(|text| text == "true");
    match event.kind {
        Kind::Assistant if is_true("isApiErrorMessage") => Some(TurnEnd::Failed),
        Kind::Assistant | Kind::ToolCall | Kind::Reasoning => ended(&event.text(Slot::Finish)?),
        Kind::User => word(event, &["interruptedMessageId"]).map(|_| TurnEnd::Interrupted),
        _ => None,
    }
}

fn ended(reason: &str) -> Option<TurnEnd> {
    match reason {
        "end_turn" | "stop_sequence" => Some(TurnEnd::Completed),
        "max_tokens" | "refusal" | "model_context_window_exceeded" => Some(TurnEnd::Failed),
        _ => None,
    }
}

fn settings(event: EventRef<'_>) -> Vec<TurnSetting> {
    let Some(mode) = word(event, &["permissionMode"]) else { return Vec::new() };
    let auto = mode == "bypassPermissions";
    vec![TurnSetting::Mode(mode), TurnSetting::AutoApprove(auto)]
}

/// A denial that has a record of its own.
fn border(event: EventRef<'_>) -> Option<Border> {
    if event.kind != Kind::Notice {
        return None;
    }
    let kind = event.raw(Slot::Type).and_then(value::text)?;
    matches!(&*kind, "permission-denial" | "auto-mode-denial").then_some(Border::Denied)
}
