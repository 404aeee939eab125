//! Ends, policies and approvals of turns.

use session::{EventRef, Kind};

use crate::turns::{Border, TurnEnd, TurnRules, TurnSetting, word};

pub(super) static TURNS: TurnRules = TurnRules {
    begins,
    end: Some(end),
    settings,
    border,
    borders: &[Border::Required],
    store: None,
};

/// The type of an event's line.
fn payload(event: EventRef<'_>) -> Option<String> {
    (event.kind == Kind::Notice).then(|| word(event, &["payload", "type"])).flatten()
}

/// The line that begins a task: it is before the prompt.
fn begins(event: EventRef<'_>) -> bool {
    matches!(payload(event).as_deref(), Some("task_started" | "turn_started"))
}

fn end(event: EventRef<'_>) -> Option<TurnEnd> {
    match payload(event)?.as_str() {
        "task_complete" | "turn_complete" => Some(TurnEnd::Completed),
        "turn_aborted" => Some(TurnEnd::Interrupted),
        "error" => Some(TurnEnd::Failed),
        _ => None,
    }
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
