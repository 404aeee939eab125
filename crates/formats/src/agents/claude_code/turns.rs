//! Ends, modes and denials of turns, and what sub-agents did within them.

use session::{EventRef, Kind, Node, Outcome, Slot, Span, value};

use super::{map, tools};
use crate::tools::{input, words};
use crate::turns::{
    Border, InnerCall, InnerSays, ToldAgent, TurnEnd, TurnRules, TurnSetting, word,
};

pub(super) static TURNS: TurnRules = TurnRules {
    begins: |_| false,
    end: Some(end),
    closes,
    settings,
    border,
    refusals: true,
    escalates,
    inner,
    told_agent,
    never_ran,
    ..TurnRules::NONE
};

/// The reason why an answer ended (the provider's `stop_reason`), an error of the provider in place
/// of an answer, or the message that an interruption leaves.
fn end(event: EventRef<'_>) -> Option<TurnEnd> {
    let is_true =
        |name| value::look(event.bytes(), |root| Some(root.at(&[name])?.raw() == b"true"));
    match event.kind {
        Kind::Assistant if is_true("isApiErrorMessage") == Some(true) => Some(TurnEnd::Failed),
        Kind::Assistant | Kind::ToolCall | Kind::Reasoning => ended(&event.text(Slot::Finish)?),
        Kind::User => word(event, &["interruptedMessageId"]).map(|_| TurnEnd::Interrupted),
        _ => None,
    }
}

/// The summary of the hooks that run when the model has stopped, and the duration of the turn. The
/// agent writes neither of them when a person interrupts it; behind a hook that makes the model go
/// on, more answers follow.
fn closes(event: EventRef<'_>) -> bool {
    let kind = || word(event, &["subtype"]);
    event.kind == Kind::Notice
        && kind().is_some_and(|kind| matches!(&*kind, "turn_duration" | "stop_hook_summary"))
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

/// The sums of a sub-agent in the result of its call.
fn told_agent(result: EventRef<'_>) -> Option<ToldAgent> {
    if result.kind != Kind::ToolResult {
        return None;
    }
    value::look((tools::RESULTS.of)(result)?, |root| {
        let number = |name| value::number(root.at(&[name])?.raw());
        let told = ToldAgent {
            calls: number("totalToolUseCount"),
            milliseconds: number("totalDurationMs"),
            tokens: number("totalTokens"),
        };
        (told.tokens.is_some() || told.calls.is_some()).then_some(told)
    })
}

/// A denial that has a record of its own.
fn border(event: EventRef<'_>) -> Option<Border> {
    if event.kind != Kind::Notice {
        return None;
    }
    let kind = event.raw(Slot::Type).and_then(value::text)?;
    matches!(&*kind, "permission-denial" | "auto-mode-denial").then_some(Border::Denied)
}

/// A command asks for it by an argument.
fn escalates(call: EventRef<'_>) -> Option<bool> {
    let runs = call.text(Slot::Name).is_some_and(|name| name == "Bash");
    let asks = || {
        input(call, |root| Some(root.at(&["dangerouslyDisableSandbox"])?.raw() == b"true"))
            .unwrap_or(false)
    };
    runs.then(asks)
}

/// The beginning of an answer if the call did not pass the tool's own checks, or was given up
/// because another one had failed.
const NOT_RUN: &str = "<tool_use_error>";

fn never_ran(result: EventRef<'_>) -> bool {
    result.raw(Slot::Output).is_some_and(|raw| value::said(raw).starts_with(NOT_RUN))
}

/// The blocks of the message that a progress line repeats of a sub-agent.
fn inner(event: EventRef<'_>) -> Vec<InnerCall> {
    let is_it = |field: &&session::Field| event.is_named(**field, b"data");
    if !std::ptr::eq(event.case, &map::PROGRESS) {
        return Vec::new();
    }
    let Some(data) = event.fields().iter().find(is_it) else { return Vec::new() };
    let all = value::look(event.value(*data), |root| {
        let agent = value::text_at(root, &["agentId"]);
        let message = root.at(&["message", "message", "content"])?;
        let block = |node: Node<'_>| {
            let (id, says) = of_block(node)?;
            let at = |offset: u32| data.value.start.saturating_add(offset);
            let span = Span::new(at(node.span().start), at(node.span().end));
            Some(InnerCall { id, span, agent: agent.clone(), says })
        };
        Some(message.elements().filter_map(block).collect())
    });
    all.unwrap_or_default()
}

/// The id of the call that a block is or answers.
fn of_block(block: Node<'_>) -> Option<(String, InnerSays)> {
    let kind = block.word(map::TYPE)?;
    if kind.ends_with(b"tool_use") {
        let tool = tools::TOOLS.common(&value::text_at(block, &["name"])?);
        return Some((value::text_at(block, &["id"])?, InnerSays::Call(tool)));
    }
    if !kind.ends_with(b"tool_result") {
        return None;
    }
    let id = value::text_at(block, &["tool_use_id"])?;
    let told = block.at(map::CONTENT);
    let told = told.and_then(words).or_else(|| {
        let first = told?.elements().next()?;
        value::text_at(first, map::TEXT)
    });
    let told = told.unwrap_or_default();
    let failed = block.at(&["is_error"]).is_some_and(|mark| mark.raw() == b"true");
    let outcome = match failed {
        true if (tools::STATUSES.refused)(&told) => Outcome::Declined,
        true => Outcome::Failed,
        false => Outcome::Good,
    };
    Some((id, InnerSays::Result(outcome, !told.starts_with(NOT_RUN))))
}
