//! Ends, policies and approvals of turns, and the tools that a script called.

use session::{EventRef, Kind, Slot, value};

use crate::tools::{Common, input};
use crate::turns::{Border, Rewind, Spawned, TurnEnd, TurnRules, TurnSetting, word};

pub(super) static TURNS: TurnRules = TurnRules {
    begins,
    rewinds,
    end: Some(end),
    closes,
    settings,
    border,
    shows: |event| border(event).map(|_| (&[Border::Required][..], "event_msg")),
    escalates,
    is_script: |call| call.text(Slot::Name).is_some_and(|name| name == "exec"),
    ends,
    spawned,
    spawned_by,
    never_ran,
    ..TurnRules::NONE
};

/// The type of an event's line.
fn payload(event: EventRef<'_>) -> Option<String> {
    (event.kind == Kind::Notice).then(|| word(event, &["payload", "type"])).flatten()
}

/// The line that begins a task: it is before the prompt.
fn begins(event: EventRef<'_>) -> bool {
    matches!(payload(event).as_deref(), Some("task_started" | "turn_started"))
}

fn rewinds(event: EventRef<'_>) -> Option<Rewind> {
    let is_it = payload(event).as_deref() == Some("thread_rolled_back");
    is_it.then(|| Rewind::Turns(event.number(Slot::Count).unwrap_or(0)))
}

/// The thread of a sub-agent: in the answer of its call, and in events of two generations.
fn spawned(event: EventRef<'_>) -> Option<Spawned> {
    let at = |name: &str| word(event, &["payload", name]);
    if event.kind == Kind::ToolResult {
        let text = value::said(event.raw(Slot::Output)?);
        let session = value::look(text.as_bytes(), |root| value::text_at(root, &["agent_id"]))?;
        return Some(Spawned { call: event.text(Slot::Call)?.into_owned(), session });
    }
    let (call, session) = match &*payload(event)? {
        "collab_agent_spawn_end" => (at("call_id")?, at("new_thread_id")?),
        "sub_agent_activity" => (at("event_id")?, at("agent_thread_id")?),
        _ => return None,
    };
    Some(Spawned { call, session })
}

/// The thread in the header of a sub-agent's rollout.
fn spawned_by(event: EventRef<'_>) -> Option<String> {
    if event.kind != Kind::Notice {
        return None;
    }
    let spawn = ["payload", "source", "subagent", "thread_spawn", "parent_thread_id"];
    word(event, &spawn).or_else(|| word(event, &["payload", "parent_thread_id"]))
}

fn end(event: EventRef<'_>) -> Option<TurnEnd> {
    match payload(event)?.as_str() {
        "task_complete" | "turn_complete" => Some(TurnEnd::Completed),
        "turn_aborted" => Some(TurnEnd::Interrupted),
        "error" => Some(TurnEnd::Failed),
        _ => None,
    }
}

/// The answer that the agent marks as the turn's last one.
fn closes(event: EventRef<'_>) -> bool {
    event.kind == Kind::Assistant
        && word(event, &["payload", "phase"]).is_some_and(|phase| phase == "final_answer")
}

/// The policies of a turn's context: `never` asks for nothing, `danger-full-access` has no sandbox.
fn settings(event: EventRef<'_>) -> Vec<TurnSetting> {
    if event.kind != Kind::Notice {
        return Vec::new();
    }
    let at = |path: &[&str]| word(event, path);
    let approval = at(&["payload", "approval_policy"]);
    let sandbox = at(&["payload", "sandbox_policy", "type"])
        .or_else(|| at(&["payload", "sandbox_policy", "mode"]));
    let mode = at(&["payload", "collaboration_mode", "mode"]);
    let mut settings = Vec::new();
    settings.extend(mode.map(TurnSetting::Mode));
    settings.extend(approval.map(|policy| TurnSetting::AutoApprove(policy == "never")));
    settings.extend(sandbox.map(|policy| TurnSetting::TrustMode(policy == "danger-full-access")));
    settings
}

fn border(event: EventRef<'_>) -> Option<Border> {
    match payload(event)?.as_str() {
        "exec_approval_request" | "apply_patch_approval_request" | "request_permissions" => {
            Some(Border::Required)
        }
        _ => None,
    }
}

/// A command asks for it by an argument, in the words of two generations.
fn escalates(call: EventRef<'_>) -> Option<bool> {
    let can =
        ["exec_command", "shell", "shell_command", "unified_exec", "local_shell", "container.exec"];
    let name = call.text(Slot::Name)?;
    if !can.contains(&&*name) {
        return None;
    }
    let asks = input(call, |root| {
        let wish = value::text_at(root, &["sandbox_permissions"]);
        let is_wish =
            |word: &str| matches!(word, "require_escalated" | "with_additional_permissions");
        let flag = root.at(&["with_escalated_permissions"]).is_some_and(|one| one.raw() == b"true");
        Some(flag || wish.is_some_and(|word| is_wish(&word)))
    });
    Some(asks.unwrap_or(false))
}

/// The record of the end of a tool. A command that the person ran is not one of them.
fn ends(event: EventRef<'_>) -> Option<Common> {
    if !matches!(event.kind, Kind::ToolResult | Kind::Notice) {
        return None;
    }
    let types = event.fields().iter().filter(|field| matches!(field.slot, Slot::Type | Slot::Name));
    let common = types.filter_map(|field| ended(event.value(*field))).next_back()?;
    let source = || word(event, &["payload", "source"]);
    let by_person = || source().or_else(|| word(event, &["payload", "item", "source"]));
    let is_own = common != Common::Shell || by_person().is_none_or(|who| !who.starts_with("user"));
    is_own.then_some(common)
}

/// The tool whose end a type of record is: of the screen's events, and of their items.
fn ended(kind: &[u8]) -> Option<Common> {
    match kind {
        b"\"exec_command_end\"" | b"\"CommandExecution\"" => Some(Common::Shell),
        b"\"patch_apply_end\"" | b"\"FileChange\"" => Some(Common::Patch),
        b"\"mcp_tool_call_end\"" | b"\"McpToolCall\"" => Some(Common::Mcp),
        b"\"web_search_end\"" | b"\"WebSearch\"" => Some(Common::Search),
        _ => None,
    }
}

/// The beginnings of an answer if the call was not understood, or its command could not be started.
const NOT_RUN: [&str; 3] =
    ["failed to parse function arguments", "exec_command failed", "unsupported call"];

fn never_ran(result: EventRef<'_>) -> bool {
    let said = result.raw(Slot::Output).map(value::said).unwrap_or_default();
    NOT_RUN.iter().any(|start| said.starts_with(start))
}
