//! Ends of turns, modes, and the calls of scripts.

use session::{EventRef, Kind, Node, Outcome, Slot, Span, value};

use super::{map, tools};
use crate::turns::{InnerCall, InnerSays, TurnEnd, TurnRules, TurnSetting, word};

pub(super) static TURNS: TurnRules = TurnRules {
    end: Some(end),
    settings,
    is_script: |call| call.text(Slot::Name).is_some_and(|name| name == tools::SCRIPT),
    inner,
    never_ran,
    ..TurnRules::NONE
};

/// The reason why an answer ended.
fn end(event: EventRef<'_>) -> Option<TurnEnd> {
    if event.kind != Kind::Assistant {
        return None;
    }
    match &*word(event, map::STOP)? {
        "stop" => Some(TurnEnd::Completed),
        "error" | "length" => Some(TurnEnd::Failed),
        "aborted" => Some(TurnEnd::Interrupted),
        _ => None,
    }
}

/// The mode that an entry sets (oh-my-pi).
fn settings(event: EventRef<'_>) -> Vec<TurnSetting> {
    let is_mode = event.text(Slot::Type).is_some_and(|kind| kind == "mode_change");
    let mode = if is_mode { word(event, map::MODE) } else { None };
    mode.map(TurnSetting::Mode).into_iter().collect()
}

fn never_ran(result: EventRef<'_>) -> bool {
    let said = result.raw(Slot::Output).map(value::said).unwrap_or_default();
    tools::NOT_RUN.iter().any(|start| said.starts_with(start))
}

/// The calls that a script made, and their ends: the result of the script has both.
fn inner(event: EventRef<'_>) -> Vec<InnerCall> {
    if event.kind != Kind::ToolResult {
        return Vec::new();
    }
    let all = value::look(event.bytes(), |line| {
        let calls = line.at(map::NESTED_CALLS)?;
        Some(calls.elements().flat_map(|call| of_call(event, call)).collect())
    });
    all.unwrap_or_default()
}

fn of_call(event: EventRef<'_>, call: Node<'_>) -> Vec<InnerCall> {
    let text = |name: &'static str| value::text_at(call, &[name]);
    let (Some(id), Some(name)) = (text("id"), text("name")) else { return Vec::new() };
    let at = |offset: u32| event.span.start.saturating_add(offset);
    let span = Span::new(at(call.span().start), at(call.span().end));
    let outcome = match text("status").as_deref() {
        Some("ok") => Some(Outcome::Good),
        Some("error") => Some(Outcome::Failed),
        _ => None,
    };
    let says = InnerSays::Call(tools::TOOLS.common(&name));
    let ended = outcome.map(|outcome| InnerSays::Result(outcome, true));
    let inner = |says| InnerCall { id: id.clone(), span, agent: None, says };
    [Some(says), ended].into_iter().flatten().map(inner).collect()
}
