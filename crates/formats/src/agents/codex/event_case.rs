//! Case selection for an `event_msg`, a line of the UI event stream.

use session::{Case, Kind, Map, Node, Slot};

use super::event_map::{self, completed};
use super::injected::is_marked;
use super::map::line;
use super::names;

static USER_LINE: Map = line!(&event_map::SAID_BY_USER);
static AGENT_LINE: Map = line!(&event_map::SAID_BY_AGENT);
static THOUGHT_LINE: Map = line!(&event_map::THOUGHT);
static TOKEN_LINE: Map = line!(&event_map::TOKEN_COUNT);
static TURN_COMPLETED_LINE: Map = line!(&event_map::TURN_COMPLETED);
static RAN_LINE: Map = line!(&event_map::RAN);
static PATCHED_LINE: Map = line!(&event_map::PATCHED);
static ANSWERED_LINE: Map = line!(&event_map::ANSWERED);
static ASKED_LINE: Map = line!(&event_map::ASKED);
static NOTICE_LINE: Map = line!(&event_map::NOTICE);

static ITEM_SAID: Map = completed!(&event_map::ITEM_SAID);
static ITEM_THOUGHT: Map = completed!(&event_map::ITEM_THOUGHT);
static ITEM_RAN: Map = completed!(&event_map::ITEM_RAN);
static ITEM_PATCHED: Map = completed!(&event_map::ITEM_PATCHED);
static ITEM_NOTICE: Map = completed!(&event_map::ITEM_NOTICE);
static ITEM_SAID_LINE: Map = line!(&ITEM_SAID);
static ITEM_THOUGHT_LINE: Map = line!(&ITEM_THOUGHT);
static ITEM_RAN_LINE: Map = line!(&ITEM_RAN);
static ITEM_PATCHED_LINE: Map = line!(&ITEM_PATCHED);
static ITEM_NOTICE_LINE: Map = line!(&ITEM_NOTICE);

/// The name of the cases that may duplicate an item of the model's history in the UI event stream.
pub(super) const MIRROR: &str = "screen";
/// The name of the case of the token counters after an answer, with the account's limits.
pub(super) const TOKEN_COUNT: &str = "token-count";
/// The name of the case that begins a turn.
pub(super) const TURN_STARTED: &str = "turn started";
/// The name of the case that ends a turn.
pub(super) const TURN_ENDED: &str = "turn ended";
/// The name of the case that removes the last turns.
pub(super) const ROLLED_BACK: &str = "rolled back";

const fn mirror(kind: Kind, map: &'static Map) -> Case {
    Case::new(MIRROR, kind, map)
}

static USER: Case = mirror(Kind::User, &USER_LINE);
static CONTEXT: Case = mirror(Kind::User, &USER_LINE).injected();
static AGENT: Case = mirror(Kind::Assistant, &AGENT_LINE);
static THOUGHT: Case = mirror(Kind::Reasoning, &THOUGHT_LINE);
static RAN: Case = mirror(Kind::ToolResult, &RAN_LINE);
static PATCHED: Case = mirror(Kind::ToolResult, &PATCHED_LINE);
static ANSWERED: Case = mirror(Kind::ToolResult, &ANSWERED_LINE);
static ASKED: Case = mirror(Kind::ToolCall, &ASKED_LINE);
static VIEWED: Case = mirror(Kind::ToolCall, &ASKED_LINE).with(&[(Slot::Name, "view_image")]);
static ITEM_USER: Case = mirror(Kind::User, &ITEM_SAID_LINE);
static ITEM_HOOK: Case = mirror(Kind::User, &ITEM_SAID_LINE).injected();
static ITEM_AGENT: Case = mirror(Kind::Assistant, &ITEM_SAID_LINE);
/// A plan, which the model's message has between its tags.
pub(super) static ITEM_PLAN: Case = mirror(Kind::Assistant, &ITEM_SAID_LINE);
static ITEM_REASONING: Case = mirror(Kind::Reasoning, &ITEM_THOUGHT_LINE);
static ITEM_RESULT: Case = mirror(Kind::ToolResult, &ITEM_RAN_LINE);
static ITEM_PATCH: Case = mirror(Kind::ToolResult, &ITEM_PATCHED_LINE);
static ITEM_WITHOUT_RESULT: Case = Case::new("item_completed", Kind::Notice, &ITEM_RAN_LINE);
static ITEM: Case = Case::new("item_completed", Kind::Notice, &ITEM_NOTICE_LINE);
static ITEM_UNKNOWN: Case = Case::new("unknown", Kind::Notice, &ITEM_NOTICE_LINE);

static TOKENS: Case =
    Case::new(TOKEN_COUNT, Kind::Notice, &TOKEN_LINE).with(&[(Slot::Name, "token-count")]);
static TURN_COMPLETED: Case = Case::new("turn.completed", Kind::Notice, &TURN_COMPLETED_LINE);
static ROLL_BACK: Case = Case::new(ROLLED_BACK, Kind::Notice, &NOTICE_LINE);
static STARTED: Case = Case::new(TURN_STARTED, Kind::Notice, &NOTICE_LINE);
static ENDED: Case = Case::new(TURN_ENDED, Kind::Notice, &NOTICE_LINE);
static WITHOUT_RESULT: Case = Case::new("event", Kind::Notice, &ANSWERED_LINE);
static NOTICE: Case = Case::new("event", Kind::Notice, &NOTICE_LINE);
static UNKNOWN: Case = Case::new("unknown", Kind::Notice, &NOTICE_LINE);

/// The case of an `event_msg` by its payload.
pub(super) fn case(payload: Node<'_>) -> &'static Case {
    match payload.word(names::TYPE).unwrap_or_default() {
        b"token_count" => &TOKENS,
        b"user_message" if payload.word(names::MESSAGE_TEXT).is_some_and(is_marked) => &CONTEXT,
        b"user_message" => &USER,
        b"agent_message" => &AGENT,
        b"agent_reasoning" | b"agent_reasoning_raw_content" => &THOUGHT,
        b"item_completed" => payload.at(names::ITEM).map_or(&ITEM_UNKNOWN, item),
        b"exec_command_end" => &RAN,
        b"patch_apply_end" => &PATCHED,
        b"mcp_tool_call_end"
        | b"dynamic_tool_call_response"
        | b"web_search_end"
        | b"image_generation_end" => {
            if has_result(payload) {
                &ANSWERED
            } else {
                &WITHOUT_RESULT
            }
        }
        b"dynamic_tool_call_request" | b"tool_call" => &ASKED,
        b"view_image_tool_call" => &VIEWED,
        b"turn.completed" => &TURN_COMPLETED,
        b"thread_rolled_back" => &ROLL_BACK,
        b"task_started" | b"turn_started" => &STARTED,
        b"task_complete" | b"turn_complete" | b"turn_aborted" => &ENDED,
        word if is_known(word) => &NOTICE,
        _ => &UNKNOWN,
    }
}

/// Whether an event outside the conversation is known.
fn is_known(word: &[u8]) -> bool {
    matches!(
        word,
        b"thread_goal_updated"
            | b"thread_settings_applied"
            | b"thread_name_updated"
            | b"entered_review_mode"
            | b"exited_review_mode"
            | b"context_compacted"
            | b"undo_started"
            | b"undo_completed"
            | b"sub_agent_activity"
            | b"error"
            | b"stream_error"
            | b"warning"
            | b"guardian_assessment"
            | b"collab_agent_spawn_end"
            | b"collab_agent_interaction_end"
            | b"collab_waiting_end"
            | b"collab_close_end"
            | b"collab_resume_end"
            | b"account/rateLimits/updated"
            | b"codex/event/raw_item"
    ) || goes_on(word)
}

/// Whether it is a progress event. Codex sends these to the UI and does not store them; other
/// writers do.
fn goes_on(word: &[u8]) -> bool {
    matches!(
        word,
        b"agent_reasoning_section_break"
            | b"background_event"
            | b"collab_agent_interaction_begin"
            | b"collab_agent_spawn_begin"
            | b"collab_close_begin"
            | b"collab_resume_begin"
            | b"collab_waiting_begin"
            | b"deprecation_notice"
            | b"exec_command_begin"
            | b"guardian_warning"
            | b"hook_completed"
            | b"hook_started"
            | b"image_generation_begin"
            | b"item_started"
            | b"mcp_tool_call_begin"
            | b"model_reroute"
            | b"model_verification"
            | b"patch_apply_begin"
            | b"plan_update"
            | b"request_user_input"
            | b"shutdown_complete"
            | b"turn_diff"
            | b"web_search_begin"
    )
}

/// The case of an `item_completed` by its item.
fn item(item: Node<'_>) -> &'static Case {
    match item.word(names::TYPE).unwrap_or_default() {
        b"UserMessage" => &ITEM_USER,
        b"AgentMessage" => &ITEM_AGENT,
        b"Plan" => &ITEM_PLAN,
        b"HookPrompt" => &ITEM_HOOK,
        b"Reasoning" => &ITEM_REASONING,
        b"FileChange" => &ITEM_PATCH,
        b"CommandExecution" | b"McpToolCall" | b"DynamicToolCall" | b"WebSearch"
        | b"ImageGeneration" | b"Extension" => {
            if has_result(item) {
                &ITEM_RESULT
            } else {
                &ITEM_WITHOUT_RESULT
            }
        }
        b"ContextCompaction"
        | b"SubAgentActivity"
        | b"FunctionCallOutput"
        | b"Sleep"
        | b"ImageView"
        | b"EnteredReviewMode"
        | b"ExitedReviewMode"
        | b"CollabAgentToolCall" => &ITEM,
        _ => &ITEM_UNKNOWN,
    }
}

/// Whether an event has an output. A result without an output is a notice.
fn has_result(value: Node<'_>) -> bool {
    names::OUTPUTS.iter().any(|name| value.at(&[name]).is_some())
}
