//! Tables of a Codex history: one table per object. Tables only; `case.rs` selects cases.

use session::{Map, map};

use super::{case, event_map, items};

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
    "create_time" => kept,
    "content_item_kinds" => kept,
    "client_authored" => kept,
    "compaction_model_hash" => kept,
    "delivered_assistant_message" => kept,
    "fallback_token_limit_override" => kept,
    "guardian_retained_omissions" => kept,
    "guardian_review_ids" => kept,
    "guardian_source_order_guidance" => kept,
    "guardian_sources" => kept,
    "harness_authored_configuration" => kept,
    "retained_source" => kept,
    "sender_user_messages" => kept,
    "user_input_order" => kept,
    "compaction_output" => kept,
    "inherited_user_message" => kept,
    "mcp_attribution" => kept,
    "history_sequence" => kept,
    "sampled_through_sequence" => kept,
    "content_item_metadata" => kept,
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
    "agent_nickname" => kept,
    "agent_role" => kept,
    "agent_type" => kept,
    "agent_path" => kept,
    "model_provider" => is(Provider),
    "instructions" => kept,
    "base_instructions" => kept,
    "dynamic_tools" => kept,
    "selected_capability_roots" => kept,
    "runtime_workspace_roots" => kept,
    "memory_mode" => kept,
    "history_mode" => kept,
    "history_base" => within(Native, &BASE),
    "subagent_history_start_ordinal" => kept,
    "multi_agent_version" => kept,
    "context_window" => kept,
    "creator_user_id" => kept,
    "creator_account_id" => kept,
    "account_scoped" => kept,
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
    "end_ordinal_exclusive" => kept,
    "end_byte_offset" => kept,
};

static GIT: Map = map! {
    "commit_hash" => is(Revision),
    "branch" => is(Branch),
    "repository_url" => is(Repository),
};

static SOURCE: Map = map! {
    "subagent" => within(Native, &SUBAGENT),
    "custom" => kept,
    "internal" => kept,
};

static SUBAGENT: Map = map! {
    "thread_spawn" => within(Native, &SPAWN),
    "other" => kept,
};

static SPAWN: Map = map! {
    "parent_thread_id" => is(SpawnedBy),
    "depth" => kept,
    "agent_path" => kept,
    "agent_nickname" => kept,
    "agent_role" => kept,
    "agent_type" => kept,
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
    "root_turn_id" => kept,
    "service_tier" => kept,
    "model_provider" => is(Provider),
    "cwd" => is(WorkingDir),
    "workspace_roots" => kept,
    "current_date" => kept,
    "timezone" => kept,
    "approval_policy" => kept,
    "approvals_reviewer" => kept,
    "sandbox_policy" => kept,
    "permission_profile" => kept,
    "active_permission_profile" => kept,
    "network" => kept,
    "file_system_sandbox_policy" => kept,
    "model" => is(Model),
    "comp_hash" => kept,
    "personality" => kept,
    "collaboration_mode" => kept,
    "multi_agent_version" => kept,
    "multi_agent_mode" => kept,
    "realtime_active" => kept,
    "effort" => kept,
    "summary" => kept,
    "base_instructions" => kept,
    "user_instructions" => kept,
    "developer_instructions" => kept,
    "final_output_json_schema" => kept,
    "truncation_policy" => kept,
    "disabled_plugin_ids" => kept,
    "trace_id" => kept,
};

/// `compacted`: the context begins again.
pub(super) static COMPACTED: Map = map! {
    "message" => is(Content),
    "replacement_history" => each(Native, case::replaced),
    "replacement_history_metadata" => kept,
    "guardian_history" => kept,
    "retained_context" => kept,
    "mcp_resource_origins" => kept,
    "window_number" => kept,
    "first_window_id" => kept,
    "previous_window_id" => kept,
    "window_id" => kept,
    "compaction_response_id" => kept,
    "latest_token_usage_record" => kept,
    "resume_metadata" => kept,
};

/// `world_state`, `inter_agent_communication` and the other rare lines.
pub(super) static RARE: Map = map! {
    "full" => kept,
    "state" => kept,
    "trigger_turn" => kept,
    "scores" => kept,
};

/// `token_usage_record`: the usage of one answer, and the sums of its turn and its thread.
pub(super) static USAGE_RECORD: Map = map! {
    "thread_id" => kept,
    "session_id" => kept,
    "turn_id" => is(Turn),
    "root_turn_id" => kept,
    "response_id" => is(Message),
    "model" => is(Model),
    "service_tier" => kept,
    "usage" => within(Usage, &event_map::TOKENS),
    "turn_token_usage" => kept,
    "thread_token_usage" => kept,
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
