//! Tables of a Codex history: one table per object. Tables only; `case.rs` selects cases.

use session::{Map, map};

use super::{case, event_map, items};
use crate::typed::PromptList;

/// The list of the prompts of all sessions.
pub(super) const TYPED: PromptList = PromptList {
    path: "history.jsonl",
    session: &["session_id"],
    time: &["ts"],
    text: &["text"],
    folder: &[],
    like: "",
    pasted: None,
};

/// The table of a line whose payload has a table of its own.
macro_rules! line {
    ($payload:expr) => {
        session::map! {
            "timestamp" => is(Time),
            "ordinal" => is(Ordinal),
            "type" => is(Type),
            "payload" => within(Native, $payload),
            "metadata" => within(Native, &$crate::agents::codex::map::PASSED),
        }
    };
}
pub(super) use line;

/// A line with a known envelope only.
pub(super) static LINE: Map = map! {
    "timestamp" => is(Time),
    "ordinal" => is(Ordinal),
    "type" => is(Type),
    "payload" => kept,
    "metadata" => within(Native, &PASSED),
};

/// Client metadata beside an item, or within it.
pub(super) static PASSED: Map = map! {
    "turn_id" => is(Turn),
    kept [
        "create_time", "content_item_kinds", "client_authored", "compaction_model_hash",
        "delivered_assistant_message", "fallback_token_limit_override",
        "guardian_retained_omissions", "guardian_review_ids", "guardian_source_order_guidance",
        "guardian_sources", "harness_authored_configuration", "retained_source",
        "sender_user_messages", "user_input_order", "compaction_output", "inherited_user_message",
        "mcp_attribution", "history_sequence", "sampled_through_sequence", "content_item_metadata",
        "model_search_state", "additional_context_tool_output",
    ],
};

/// `session_meta`, and the header of a document of the first command line.
pub(super) static META: Map = map! {
    "id" => is(Session),
    "session_id" => kept,
    "timestamp" => is(Started),
    "cwd" => is(WorkingDir),
    "originator" => kept,
    "cli_version" => is(Version),
    "source" => within(Native, &SOURCE),
    "thread_source" => kept,
    "forked_from_id" => is(ParentSession),
    "forked_from_ordinal_exclusive" => kept,
    "parent_thread_id" => is(SpawnedBy),
    kept ["agent_nickname", "agent_role", "agent_type", "agent_path"],
    "model" => is(Model),
    "model_provider" => is(Provider),
    kept [
        "instructions", "base_instructions", "dynamic_tools", "selected_capability_roots",
        "runtime_workspace_roots", "memory_mode", "history_mode",
    ],
    "history_base" => within(Native, &BASE),
    kept [
        "subagent_history_start_ordinal", "multi_agent_version", "context_window",
        "creator_user_id", "creator_account_id", "account_scoped",
    ],
    "git" => within(Native, &GIT),
};

/// `session_meta` without `id`, as some writers have it.
pub(super) static META_WITHOUT_ID: Map = map! {
    "session_id" => is(Session),
    "timestamp" => is(Started),
    "cwd" => is(WorkingDir),
    "originator" => kept,
    "cli_version" => is(Version),
    "source" => within(Native, &SOURCE),
    "model" => is(Model),
    "model_provider" => is(Provider),
    "instructions" => kept,
    "git" => within(Native, &GIT),
};

/// The base of the rollout: in fact the id of a rollout.
static BASE: Map = map! {
    "thread_id" => is(Base),
    kept ["end_ordinal_exclusive", "end_byte_offset"],
};

static GIT: Map = map! {
    "commit_hash" => is(Revision),
    "branch" => is(Branch),
    "repository_url" => is(Repository),
};

static SOURCE: Map = map! {
    "subagent" => within(Native, &SUBAGENT),
    kept ["custom", "internal"],
};

static SUBAGENT: Map = map! {
    "thread_spawn" => within(Native, &SPAWN),
    "other" => kept,
};

static SPAWN: Map = map! {
    "parent_thread_id" => is(SpawnedBy),
    kept ["depth", "agent_path", "agent_nickname", "agent_role", "agent_type"],
};

/// The first line before the envelope.
pub(super) static HEADER: Map = map! {
    "id" => is(Session),
    "timestamp" => is(Time),
    "instructions" => kept,
    "git" => within(Native, &GIT),
};

/// A line before the envelope that is not an item.
pub(super) static STATE: Map = map! {
    "record_type" => is(Type),
};

/// `turn_context`.
pub(super) static TURN_CONTEXT: Map = map! {
    "turn_id" => is(Turn),
    kept ["root_turn_id", "service_tier"],
    "model_provider" => is(Provider),
    "cwd" => is(WorkingDir),
    kept [
        "workspace_roots", "current_date", "timezone", "approval_policy", "approvals_reviewer",
        "sandbox_policy", "permission_profile", "active_permission_profile", "network",
        "file_system_sandbox_policy",
    ],
    "model" => is(Model),
    kept [
        "comp_hash", "personality", "collaboration_mode", "multi_agent_version", "multi_agent_mode",
        "realtime_active", "effort", "summary", "base_instructions", "user_instructions",
        "developer_instructions", "final_output_json_schema", "truncation_policy",
        "disabled_plugin_ids", "trace_id",
    ],
};

/// `compacted`: the context begins again.
pub(super) static COMPACTED: Map = map! {
    "message" => is(Content),
    "replacement_history" => each(Native, case::replaced),
    kept [
        "replacement_history_metadata", "guardian_history", "retained_context",
        "mcp_resource_origins", "window_number", "first_window_id", "previous_window_id",
        "window_id", "compaction_response_id", "latest_token_usage_record", "resume_metadata",
    ],
};

/// `world_state`, `inter_agent_communication` and the other rare lines.
pub(super) static RARE: Map = map! {
    kept ["full", "state", "trigger_turn", "scores"],
};

/// `token_usage_record`: the usage of one answer, and the sums of its turn and its thread.
pub(super) static USAGE_RECORD: Map = map! {
    kept ["thread_id", "session_id"],
    "turn_id" => is(Turn),
    "root_turn_id" => kept,
    "response_id" => is(Message),
    "model" => is(Model),
    "service_tier" => kept,
    "usage" => within(Usage, &event_map::TOKENS),
    kept ["turn_token_usage", "thread_token_usage"],
};

/// `realtime_item`: a voice session.
pub(super) static SPEECH: Map = map! {
    "type" => is(Name),
    "id" => is(Id),
    "realtime_session_id" => kept,
    "role" => is(Role),
    "text" => is(Content),
};

/// Every table, for people and tests. Lines and completed items repeat one envelope.
pub(super) static ALL: &[(&str, &Map)] = &[
    ("line", &LINE),
    ("session_meta", &META),
    ("session_meta without an id", &META_WITHOUT_ID),
    ("session_meta.history_base", &BASE),
    ("session_meta.git", &GIT),
    ("session_meta.source", &SOURCE),
    ("session_meta.source.subagent", &SUBAGENT),
    ("session_meta.source.subagent.thread_spawn", &SPAWN),
    ("turn_context", &TURN_CONTEXT),
    ("compacted", &COMPACTED),
    ("token_usage_record", &USAGE_RECORD),
    ("realtime_item", &SPEECH),
    ("world_state, inter_agent_communication_metadata", &RARE),
    ("message", &items::MESSAGE),
    ("agent_message", &items::LETTER),
    ("reasoning", &items::REASONING),
    ("reasoning without a summary", &items::REASONING_RAW),
    ("function_call, custom_tool_call, …", &items::CALL),
    ("function_call_output, …", &items::OUTPUT),
    ("function_call_output without a call", &items::CONTEXT_OUTPUT),
    ("web_search_call", &items::SEARCH_CALL),
    ("image_generation_call: the call", &items::IMAGE_CALL),
    ("image_generation_call: the result", &items::IMAGE_RESULT),
    ("compaction, ghost_snapshot, …", &items::ITEM_NOTICE),
    ("metadata", &PASSED),
    ("event_msg user_message", &event_map::SAID_BY_USER),
    ("event_msg agent_message", &event_map::SAID_BY_AGENT),
    ("event_msg agent_reasoning", &event_map::THOUGHT),
    ("event_msg token_count", &event_map::TOKEN_COUNT),
    ("event_msg token_count.info", &event_map::TOKEN_INFO),
    ("event_msg token_count.info.*_token_usage", &event_map::TOKENS),
    ("event_msg turn.completed", &event_map::TURN_COMPLETED),
    ("event_msg exec_command_end", &event_map::RAN),
    ("event_msg patch_apply_end", &event_map::PATCHED),
    ("event_msg mcp_tool_call_end, web_search_end, …", &event_map::ANSWERED),
    ("event_msg mcp_tool_call_end.invocation", &event_map::INVOCATION),
    ("event_msg dynamic_tool_call_request, …", &event_map::ASKED),
    ("event_msg, any other", &event_map::NOTICE),
    ("event_msg thread_settings_applied.thread_settings", &event_map::SETTINGS),
    ("item_completed.item: said", &event_map::ITEM_SAID),
    ("item_completed.item: Reasoning", &event_map::ITEM_THOUGHT),
    ("item_completed.item: ran", &event_map::ITEM_RAN),
    ("item_completed.item: FileChange", &event_map::ITEM_PATCHED),
    ("item_completed.item: any other", &event_map::ITEM_NOTICE),
    ("bare: header", &HEADER),
    ("bare: state", &STATE),
    ("document: tool call", &items::CHAT_CALL),
    ("document: function", &items::FUNCTION),
    ("document: thought", &items::CHAT_THOUGHT),
    ("document: tool answer", &items::CHAT_OUTPUT),
    ("collected line", &items::COLLECTED_LINE),
    ("collected line: message", &items::COLLECTED_MESSAGE),
    ("collected line: result", &items::COLLECTED_RESULT),
    ("collected line: output", &items::COLLECTED_OUTPUT),
];
