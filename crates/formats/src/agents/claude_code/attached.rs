//! Attachments: what the agent adds to the conversation beside messages. Some it adds anew to each
//! session, some it never sends, and the others it words in each request: a hook's text, a file, a
//! memory file, what changed.

use session::{EventRef, Injected, Node, Shape, Slot};

use super::{attached_words, commands, map};
use crate::worded::Worded;

/// Attachments that the agent adds anew to each session, or where its state changes. The recorded
/// requests of 2.1.332 have them once more for the new session; format reference, section 2.5.
const OWN: &[&[u8]] = &[
    // The place, the model, the date, the state of git, the budget, whom to name in commits.
    b"environment",
    b"model",
    b"date",
    b"date_change",
    b"session_context",
    b"remote_session_change",
    b"total_tokens_reminder",
    b"token_usage",
    b"output_token_usage",
    b"budget_usd",
    // The lists of tools, agents, skills and servers.
    b"deferred_tools_delta",
    b"agent_listing_delta",
    b"skill_listing",
    b"mcp_instructions_delta",
    // The memory files at the root, which it reads again.
    b"instructions",
    // Modes and styles.
    b"plan_mode",
    b"plan_mode_reentry",
    b"plan_mode_exit",
    b"auto_mode",
    b"auto_mode_exit",
    b"ultra_effort_enter",
    b"ultra_effort_exit",
    b"output_style",
    // Nags about tasks and habits.
    b"task_reminder",
    b"todo_reminder",
    b"todo",
    b"verify_plan_reminder",
    b"batching_reminder_sent",
    b"silent_turn_reminder",
    b"critical_system_reminder",
    b"bash_output_audience_note",
    b"companion_intro",
    b"context_tip",
    b"credential_org",
    b"language",
    b"team_context",
    b"ultrathink_effort",
];

/// Attachments that no request has: notes for the screen, and what others have in their place.
const UNSENT: &[&[u8]] = &[
    b"hook_system_message",
    b"hook_non_blocking_error",
    b"hook_error_during_execution",
    b"hook_cancelled",
    b"hook_permission_decision",
    b"command_permissions",
    b"dynamic_skill",
    b"already_read_file",
    b"structured_output",
    b"prompt_snapshot",
    b"deferred_tools_record",
    b"read_truncation_notice",
    b"max_turns_reached",
    b"prompt_render_point",
    b"thinking_drop",
];

/// Events of hooks whose output is sent if the hook succeeds.
const HEARD: &[&[u8]] = &[b"SessionStart", b"UserPromptSubmit"];

/// Whether an attachment is sent with the next request, and not added anew to each session.
/// `rendered` if the line has the agent's words of it. One of an unknown type is sent if it says
/// something.
pub(super) fn is_told(attachment: Node<'_>, rendered: bool) -> bool {
    let kind = attachment.word(map::TYPE).unwrap_or_default();
    if OWN.contains(&kind) || UNSENT.contains(&kind) {
        return false;
    }
    let says = |path: &&[&str]| attachment.at(path).is_some_and(says);
    match kind {
        b"hook_success" => {
            let event = attachment.word(&["hookEvent"]).unwrap_or_default();
            HEARD.contains(&event) && says(&map::CONTENT)
        }
        b"compact_file_reference" | b"opened_file_in_ide" => attachment.at(&["filename"]).is_some(),
        b"hook_blocking_error" => says(&&["blockingError", "blockingError"][..]),
        b"async_hook_response" => RESPONSE.iter().any(&says),
        b"agent_mention" => says(&&["agentType"][..]),
        _ => rendered || has_words(attachment),
    }
}

/// Whether a member of an attachment says something by itself.
pub(super) fn has_words(attachment: Node<'_>) -> bool {
    attachment.at(&["filename"]).is_some()
        || SAYING.iter().any(|path| attachment.at(path).is_some_and(says))
}

/// The texts of a late hook's response that the model gets.
const RESPONSE: [&[&str]; 2] =
    [&["response", "systemMessage"], &["response", "hookSpecificOutput", "additionalContext"]];

/// Members with what an attachment says.
const SAYING: &[&[&str]] = &[
    map::CONTENT,
    &["prompt"],
    &["text"],
    &["snippet"],
    &["files"],
    &["skills"],
    &["message"],
    &["messages"],
    &["memories"],
    &["planContent"],
    &["description"],
];

/// Whether a value has anything in it.
fn says(value: Node<'_>) -> bool {
    match value.shape() {
        Shape::String => value.text().is_some_and(|text| !text.trim_ascii().is_empty()),
        Shape::Array | Shape::Object => !value.is_empty_container(),
        _ => false,
    }
}

/// The text of an attachment in the agent's words, or that of a command's line in the person's.
pub(super) fn worded(event: EventRef<'_>) -> Option<Worded> {
    if event.injected.is_none_or(|reason| reason == Injected::Task) {
        let at = event.fields().iter().position(|field| field.slot == Slot::Content)?;
        // Few prompts begin with a tag.
        let raw = event.value(event.fields()[at]);
        let begins = raw.starts_with(b"\"<command-") && event.case.name == map::COMMAND.name;
        let text = begins.then(|| commands::typed(&event.said()))??;
        return Some(Worded { text, fields: vec![at] });
    }
    if std::ptr::eq(event.case, &raw const map::RENDERED) {
        return Some(attached_words::rendered(event));
    }
    let cases = [&map::ATTACHED, &map::FILE, &map::PICTURE];
    cases.iter().any(|case| std::ptr::eq(event.case, *case)).then(|| attached_words::words(event))
}
