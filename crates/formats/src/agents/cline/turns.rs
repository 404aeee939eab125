//! Ends of turns, modes and approvals.

use session::{EventRef, Kind, Slot, value};

use super::map;
use crate::turns::{Border, TurnEnd, TurnRules, TurnSetting, word};

pub(super) static TURNS: TurnRules = TurnRules {
    end: Some(end),
    settings,
    border,
    refusals: true,
    spawned_by: |event| event.text(Slot::SpawnedBy).map(std::borrow::Cow::into_owned),
    ..TurnRules::NONE
};

/// The tools by which the model ends its turn.
const ENDS: [&str; 3] = ["attempt_completion", "submit_and_exit", "plan_mode_respond"];

fn end(event: EventRef<'_>) -> Option<TurnEnd> {
    match event.kind {
        Kind::ToolCall => {
            let name = event.text(Slot::Name)?;
            ENDS.contains(&&*name).then_some(TurnEnd::Completed)
        }
        // An answer of a session without a call.
        Kind::Assistant if std::ptr::eq(event.case, &raw const map::ANSWER) => {
            let asks = event.children().any(|child| child.kind == Kind::ToolCall);
            (!asks && !event.said().trim().is_empty()).then_some(TurnEnd::Completed)
        }
        Kind::Assistant => {
            let shown = event.text(Slot::Type)?;
            (shown == "completion_result").then_some(TurnEnd::Completed)
        }
        Kind::Notice if std::ptr::eq(event.case, &raw const map::REQUEST) && !goes_on(event) => {
            let text = event.text(Slot::Content)?;
            let why = value::look(text.as_bytes(), |told| value::text_at(told, &["cancelReason"]))?;
            match &*why {
                "user_cancelled" => Some(TurnEnd::Interrupted),
                "streaming_failed" => Some(TurnEnd::Failed),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether the work of a turn went on behind a request: with another one, or to its end.
fn goes_on(request: EventRef<'_>) -> bool {
    let session = request.session();
    let items = session.events().skip(request.index as usize + 1);
    let items = items.take_while(|item| item.origin.member == request.origin.member);
    let mut items = items.take_while(|item| item.kind != Kind::User);
    items.any(|item| {
        let name = item.text(Slot::Type);
        name.is_some_and(|name| matches!(&*name, "api_req_started" | "completion_result"))
    })
}

/// The mode of an answer of a task, or of a prompt of a session.
fn settings(event: EventRef<'_>) -> Vec<TurnSetting> {
    let mode = match event.kind {
        Kind::Assistant => word(event, map::MODE),
        Kind::User => {
            let said = event.said();
            let behind = said.split_once("<user_input mode=\"").map(|(_, behind)| behind);
            behind.and_then(|behind| behind.split_once('"')).map(|(mode, _)| mode.to_owned())
        }
        _ => None,
    };
    let auto = mode.as_ref().map(|mode| TurnSetting::AutoApprove(mode == "yolo"));
    let auto = auto.filter(|_| event.kind == Kind::User);
    mode.map(TurnSetting::Mode).into_iter().chain(auto).collect()
}

/// The questions of the screen that ask for an approval.
fn border(event: EventRef<'_>) -> Option<Border> {
    const ASKS: [&[u8]; 4] = [b"tool", b"command", b"use_mcp_server", b"browser_action_launch"];
    if event.kind != Kind::ToolCall || event.raw(Slot::Role).is_some() {
        return None;
    }
    let asks = value::look(event.bytes(), |item| {
        Some(item.word(map::ASK).is_some_and(|name| ASKS.contains(&name)))
    });
    (asks == Some(true)).then_some(Border::Required)
}
