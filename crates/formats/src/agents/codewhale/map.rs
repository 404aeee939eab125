//! Tables of a saved session and of the files beside it: one table per object, one case per kind of
//! event. Tables only; `saved.rs` selects cases.

use session::{Case, Kind, Map, Slot, map};

use super::saved::{artifact, block, entry, message, receipt};
use super::{harness, runtime, subagents};

/// A saved session: `sessions/<id>.json`.
static SAVED_MAP: Map = map! {
    "schema_version" => kept,
    "metadata" => within(Native, &METADATA),
    "messages" => each(Native, message),
    "journal" => within(Native, &JOURNAL),
    "leaf_id" => is(Leaf),
    kept ["system_prompt", "context_references"],
    "artifacts" => each(Native, artifact),
    "approval_receipts" => each(Native, receipt),
    kept ["work_state", "window_title", "last_auto_route"],
};

static METADATA: Map = map! {
    "id" => is(Session),
    "title" => is(Title),
    "created_at" => is(Started),
    "updated_at" => is(Updated),
    kept ["message_count", "total_tokens"],
    "model" => is(Model),
    "model_provider" => is(Provider),
    "model_provider_id" => kept,
    "workspace" => is(WorkingDir),
    "mode" => kept,
    "cost" => within(Native, &COST),
    "parent_session_id" => is(ParentSession),
    kept ["forked_from_message_count", "cumulative_turn_secs", "archived", "spawn_depth"],
};

/// Running totals over the session, with the highest values shown so far.
static COST: Map = map! {
    "session_cost_usd" => is(Cost),
    kept [
        "session_cost_cny", "subagent_cost_usd", "subagent_cost_cny",
        "displayed_cost_high_water_usd", "displayed_cost_high_water_cny", "priced_turns",
        "unpriced_turns", "cny_priced_turns", "cny_unpriced_turns", "unpriced_reasons",
        "cny_unpriced_reasons", "unpriced_classes", "pricing_provenances", "live_pricing_defects",
        "live_pricing_unusable_defects", "route_receipts", "usage_source_fingerprints",
        "coverage_recorded",
    ],
};

/// The tree of entries (since 0.9.5). If it is not empty, it is the conversation.
static JOURNAL: Map = map! {
    "entries" => each(Native, entry),
    "leaf_id" => is(Leaf),
    kept ["schema_version", "spawn_depth"],
};

/// An export for another agent.
static CONTAINER_MAP: Map = map! {
    kept ["format_version", "source"],
    "metadata" => within(Native, &METADATA),
    "entries" => each(Native, entry),
    "leaf_id" => is(Leaf),
    "exported_at" => is(Saved),
    "spawn_depth" => kept,
};

/// A message: no id, no time.
pub(super) static MESSAGE: Map = map! {
    "role" => is(Role),
    "content" => each(Content, block),
};

/// An entry of a journal; its kind decides its other members.
macro_rules! entry {
    ($($rest:tt)*) => {
        map! {
            "id" => is(Id),
            "parent_id" => is(Parent),
            "kind" => is(Type),
            "created_at" => is(Time),
            "spawn_depth" => kept,
            $($rest)*
        }
    };
}

static ENTRY_MESSAGE: Map = entry! { "message" => within(Native, &MESSAGE) };

static ENTRY_TEXT: Map = entry! { "text" => is(Content) };

/// A compaction, the summary of a branch, or a system message.
static ENTRY_NOTICE: Map = entry! {
    "summary" => is(Content),
    "content" => is(Content),
    kept ["tokens_before", "tokens_after"],
    "model" => is(Model),
    "branch_id" => is(Target),
    "parent_branch_id" => kept,
};

static THINKING_MAP: Map = map! {
    "type" => is(Type),
    "thinking" => is(Content),
    "signature" => kept,
    "state" => within(Native, &THINKING_STATE),
};

static THINKING_STATE: Map = map! {
    "provider" => is(Provider),
    "api" => kept,
    "model" => is(Model),
    "id" => kept,
    "encrypted_content" => is(Encrypted),
};

static CALL_MAP: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    "name" => is(Name),
    "input" => is(Input),
    kept ["caller", "thought_signature", "execution_id"],
};

static RESULT_MAP: Map = map! {
    "type" => is(Type),
    "tool_use_id" => is(Call),
    "content" => is(Output),
    "is_error" => is(IsError),
    kept ["content_blocks", "execution_id"],
};

static ARTIFACT_MAP: Map = map! {
    "id" => is(Id),
    "kind" => is(Type),
    "session_id" => kept,
    "tool_call_id" => is(Call),
    "tool_name" => kept,
    "created_at" => is(Time),
    kept ["byte_size", "preview"],
    "storage_path" => is(Path),
};

static RECEIPT_MAP: Map = map! {
    "phase" => is(Type),
    "approval_id" => is(Id),
    "tool_call_id" => is(Call),
    "tool_name" => kept,
    "created_at" => is(Time),
    "outcome" => within(Native, &OUTCOME),
};

static OUTCOME: Map = map! {
    "outcome" => is(Status),
    "policy" => kept,
};

static QUEUE_MAP: Map = map! {
    "schema_version" => kept,
    "session_id" => is(Session),
    kept ["messages", "draft"],
};

/// The goal of a saved session, or of a thread.
static GOAL_MAP: Map = map! {
    kept ["schema_version", "thread_id", "goal_id"],
    "objective" => is(Content),
    "status" => is(Status),
    kept [
        "token_budget", "tokens_used", "time_used_seconds", "continuation_count", "elapsed_seconds",
        "pause_reason", "created_at", "updated_at",
    ],
};

pub(super) static SAVED: Case = Case::new("session", Kind::Notice, &SAVED_MAP);
pub(super) static CONTAINER: Case = Case::new("session", Kind::Notice, &CONTAINER_MAP);

// Messages are events of their own. Those of a journal have other cases than their copies.
pub(super) static USER: Case = Case::new("user", Kind::User, &MESSAGE).top();
pub(super) static RESULTS: Case = Case::new("results", Kind::User, &MESSAGE).injected().top();
pub(super) static SYSTEM: Case = Case::new("system", Kind::User, &MESSAGE).injected().top();
pub(super) static ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &MESSAGE).top();
pub(super) static CUT_SHORT: Case =
    Case::new("assistant", Kind::Assistant, &MESSAGE).with(&[(Slot::Finish, "interrupted")]).top();
pub(super) static ODD: Case = Case::new("message", Kind::Notice, &MESSAGE).top();

pub(super) static ENTRY_USER: Case = Case::new("user", Kind::User, &ENTRY_MESSAGE).top();
pub(super) static ENTRY_RESULTS: Case =
    Case::new("results", Kind::User, &ENTRY_MESSAGE).injected().top();
pub(super) static ENTRY_SYSTEM: Case =
    Case::new("system", Kind::User, &ENTRY_MESSAGE).injected().top();
pub(super) static ENTRY_ASSISTANT: Case =
    Case::new("assistant", Kind::Assistant, &ENTRY_MESSAGE).top();
pub(super) static ENTRY_CUT_SHORT: Case = Case::new("assistant", Kind::Assistant, &ENTRY_MESSAGE)
    .with(&[(Slot::Finish, "interrupted")])
    .top();
pub(super) static ENTRY_ODD: Case = Case::new("message", Kind::Notice, &ENTRY_MESSAGE).top();
pub(super) static TEXT_USER: Case = Case::new("user", Kind::User, &ENTRY_TEXT).top();
pub(super) static TEXT_ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &ENTRY_TEXT).top();
pub(super) static COMPACTION: Case = Case::new("compaction", Kind::Notice, &ENTRY_NOTICE).top();
pub(super) static BRANCH: Case = Case::new("branch_summary", Kind::Notice, &ENTRY_NOTICE).top();
pub(super) static ENTRY_SAID: Case = Case::new("system", Kind::Notice, &ENTRY_NOTICE).top();
pub(super) static ENTRY_UNKNOWN: Case = Case::new("unknown", Kind::Notice, &ENTRY_NOTICE).top();

pub(super) static THINKING: Case = Case::new("thinking", Kind::Reasoning, &THINKING_MAP);
pub(super) static CALL: Case = Case::new("call", Kind::ToolCall, &CALL_MAP);
pub(super) static RESULT: Case = Case::new("result", Kind::ToolResult, &RESULT_MAP);
pub(super) static ARTIFACT: Case = Case::new("artifact", Kind::Notice, &ARTIFACT_MAP);
pub(super) static RECEIPT: Case = Case::new("approval", Kind::Notice, &RECEIPT_MAP);
pub(super) static GOAL: Case = Case::new("goal", Kind::Notice, &GOAL_MAP);
pub(super) static QUEUE: Case = Case::new("offline_queue", Kind::Notice, &QUEUE_MAP);

/// Every table, by its name in `FORMAT.md`.
pub(super) static ALL: &[(&str, &Map)] = &[
    ("saved session", &SAVED_MAP),
    ("saved session: metadata", &METADATA),
    ("saved session: cost", &COST),
    ("saved session: journal", &JOURNAL),
    ("saved session: message", &MESSAGE),
    ("container", &CONTAINER_MAP),
    ("entry with a message", &ENTRY_MESSAGE),
    ("entry with text", &ENTRY_TEXT),
    ("entry of another kind", &ENTRY_NOTICE),
    ("block: thinking", &THINKING_MAP),
    ("block: thinking: state", &THINKING_STATE),
    ("block: tool_use", &CALL_MAP),
    ("block: tool_result", &RESULT_MAP),
    ("artifact", &ARTIFACT_MAP),
    ("approval receipt", &RECEIPT_MAP),
    ("approval receipt: outcome", &OUTCOME),
    ("offline queue", &QUEUE_MAP),
    ("goal", &GOAL_MAP),
    ("sub-agent: first line", &subagents::HEADER_MAP),
    ("sub-agent: line", &subagents::LINE_MAP),
    ("sub-agents", &subagents::REGISTER_MAP),
    ("sub-agents: agent", &subagents::AGENT_MAP),
    ("sub-agents: answer", &subagents::ANSWER_MAP),
    ("sub-agents: checkpoint", &subagents::CHECKPOINT),
    ("thread", &runtime::THREAD_MAP),
    ("turn", &runtime::TURN_MAP),
    ("turn: usage", &runtime::USAGE),
    ("item", &runtime::ITEM),
    ("item with detail", &runtime::ITEM_DETAIL),
    ("item of a tool", &runtime::ITEM_RESULT),
    ("event", &runtime::EVENT_MAP),
    ("event: item.started of a tool", &runtime::STARTED_MAP),
    ("event: item.started of a tool: payload", &runtime::STARTED_PAYLOAD),
    ("event: item.started of a tool: tool", &runtime::STARTED_TOOL),
    ("event: item.delta", &runtime::DELTA_MAP),
    ("event: item.delta: payload", &runtime::DELTA_PAYLOAD),
    ("harness: session", &harness::SESSION_MAP),
    ("harness: line", &harness::LINE),
    ("harness: title", &harness::TITLE_LINE),
    ("harness: title: data", &harness::TITLE_DATA),
    ("harness: user message", &harness::USER_LINE),
    ("harness: user message: data", &harness::USER_DATA),
    ("harness: assistant message", &harness::ASSISTANT_LINE),
    ("harness: assistant message: data", &harness::ASSISTANT_DATA),
    ("harness: assistant message: message", &harness::ASSISTANT_MESSAGE),
    ("harness: source", &harness::SOURCE),
    ("harness: reasoning", &harness::REASONING_MAP),
    ("harness: call", &harness::CALL_LINE),
    ("harness: call: data", &harness::CALL_DATA),
    ("harness: result", &harness::RESULT_LINE),
    ("harness: result: data", &harness::RESULT_DATA),
    ("harness: result: message", &harness::RESULT_MESSAGE),
    ("harness: result: source", &harness::RESULT_SOURCE),
    ("harness: chunks", &harness::CHUNKS),
];
