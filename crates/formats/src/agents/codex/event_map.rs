//! Tables of an `event_msg`, a line of the UI event stream. Tables only, as in `map.rs`.

use session::{Map, map};

/// `user_message`.
pub(super) static SAID_BY_USER: Map = map! {
    "type" => is(Type),
    "turn_id" => is(Turn),
    kept ["client_id", "kind"],
    "message" => is(Content),
    kept [
        "images", "image_details", "local_images", "local_image_details", "audio", "local_audio",
        "text_elements",
    ],
};

/// `agent_message`.
pub(super) static SAID_BY_AGENT: Map = map! {
    "type" => is(Type),
    "turn_id" => is(Turn),
    "message" => is(Content),
    kept ["phase", "memory_citation"],
};

/// `agent_reasoning`, `agent_reasoning_raw_content`.
pub(super) static THOUGHT: Map = map! {
    "type" => is(Type),
    "turn_id" => is(Turn),
    "text" => is(Content),
};

/// `token_count`. The oldest lines have the counters at their top level.
pub(super) static TOKEN_COUNT: Map = map! {
    "type" => is(Type),
    "info" => within(Native, &TOKEN_INFO),
    "rate_limits" => kept,
    "input_tokens" => is(TokensIn),
    "cached_input_tokens" => is(CacheRead),
    "output_tokens" => is(TokensOut),
    "reasoning_output_tokens" => is(TokensReasoning),
    "total_tokens" => is(TokensTotal),
};

pub(super) static TOKEN_INFO: Map = map! {
    "total_token_usage" => within(UsageTotal, &TOKENS),
    "last_token_usage" => within(Usage, &TOKENS),
    "model" => is(Model),
    kept ["model_context_window", "last_usage_includes_reasoning"],
    "input_tokens" => is(TokensIn),
    "cached_input_tokens" => is(CacheRead),
    "output_tokens" => is(TokensOut),
    "reasoning_output_tokens" => is(TokensReasoning),
    "total_tokens" => is(TokensTotal),
};

/// Input includes cache reads and writes (`total_tokens` is input and output), output includes
/// reasoning.
pub(super) static TOKENS: Map = map! {
    "input_tokens" => is(TokensIn),
    "cached_input_tokens" => is(CacheRead),
    "cache_write_input_tokens" => is(CacheWrite),
    "output_tokens" => is(TokensOut),
    "reasoning_output_tokens" => is(TokensReasoning),
    "total_tokens" => is(TokensTotal),
};

/// `turn.completed` of the programmatic interface.
pub(super) static TURN_COMPLETED: Map = map! {
    "type" => is(Name),
    "usage" => within(Usage, &TOKENS),
    "message" => kept,
};

/// `exec_command_end`, `patch_apply_end`.
pub(super) static RAN: Map = map! {
    "type" => is(Type),
    "call_id" => is(Call),
    "process_id" => kept,
    "turn_id" => is(Turn),
    "command" => is(Input),
    "cwd" => is(WorkingDir),
    kept ["parsed_cmd", "source", "interaction_input", "stdout", "stderr"],
    "aggregated_output" => is(Output),
    "formatted_output" => kept,
    "exit_code" => is(ExitCode),
    "duration" => kept,
    "status" => is(Status),
    kept ["completed_at_ms", "started_at_ms"],
};

/// `patch_apply_end`.
pub(super) static PATCHED: Map = map! {
    "type" => is(Type),
    "call_id" => is(Call),
    "turn_id" => is(Turn),
    "stdout" => is(Output),
    "stderr" => kept,
    "success" => is(Success),
    "changes" => is(Changes),
    "status" => is(Status),
};

/// `mcp_tool_call_end`, `dynamic_tool_call_response`, `web_search_end`, `image_generation_end`.
pub(super) static ANSWERED: Map = map! {
    "type" => is(Type),
    "call_id" => is(Call),
    "turn_id" => is(Turn),
    "invocation" => within(Native, &INVOCATION),
    "namespace" => kept,
    "tool" => is(Name),
    kept [
        "arguments", "read_only_hint", "plugin_id", "connector_id", "link_id", "app_name",
        "action_name", "mcp_app_resource_uri",
    ],
    "query" => is(Input),
    kept ["action", "revised_prompt"],
    "saved_path" => is(Path),
    "result" => is(Output),
    "results" => is(Output),
    "content_items" => is(Output),
    "success" => is(Success),
    "status" => is(Status),
    kept ["error", "duration", "completed_at_ms"],
};

pub(super) static INVOCATION: Map = map! {
    "server" => kept,
    "tool" => is(Name),
    "arguments" => kept,
};

/// `dynamic_tool_call_request`, `view_image_tool_call`, `tool_call`.
pub(super) static ASKED: Map = map! {
    "type" => is(Type),
    "callId" => is(Call),
    "call_id" => is(Call),
    "turnId" => is(Turn),
    "turn_id" => is(Turn),
    kept ["started_at_ms", "namespace"],
    "tool" => is(Name),
    "name" => is(Name),
    "arguments" => is(Input),
    "input" => is(Input),
    "path" => is(Input),
};

/// Every other event: about the thread, its turns, its agents.
pub(super) static NOTICE: Map = map! {
    "type" => is(Name),
    "id" => is(Id),
    "turn_id" => is(Turn),
    "turnId" => is(Turn),
    kept ["root_turn_id", "turn_attribution"],
    "call_id" => is(Call),
    "event_id" => is(Call),
    kept [
        "item_id", "target_item_id", "thread_id", "threadId", "trace_id", "started_at",
        "completed_at", "occurred_at_ms", "started_at_ms", "completed_at_ms",
    ],
    "duration_ms" => is(Duration),
    kept [
        "time_to_first_token_ms", "model_context_window", "collaboration_mode_kind",
        "last_agent_message", "error", "codex_error_info", "additional_details",
    ],
    "reason" => is(Finish),
    "num_turns" => is(Count),
    "thread_name" => is(Title),
    "thread_settings" => within(Native, &SETTINGS),
    "goal" => kept,
    "message" => is(Content),
    kept [
        "success", "target", "prompt", "user_facing_hint", "review_output", "rate_limits",
        "payload", "action",
    ],
    "status" => is(Status),
    kept ["statuses", "agent_statuses"],
    "agent_thread_id" => is(Agent),
    kept [
        "agent_path", "kind", "sender_thread_id", "receiver_thread_id", "receiver_thread_ids",
        "receiver_agents", "receiver_agent_nickname", "receiver_agent_role",
    ],
    "new_thread_id" => is(Agent),
    kept [
        "new_agent_nickname", "new_agent_role", "model", "reasoning_effort", "risk_level",
        "user_authorization", "rationale", "decision_source",
    ],
    // progress events
    kept ["command", "cwd", "parsed_cmd", "process_id", "source", "invocation"],
    "changes" => is(Changes),
    kept [
        "auto_approved", "unified_diff", "explanation", "plan", "questions", "item", "run",
        "summary_index",
    ],
    "summary" => is(Content),
    kept ["details", "from_model", "to_model", "verifications"],
};

pub(super) static SETTINGS: Map = map! {
    "model" => is(Model),
    "model_provider_id" => is(Provider),
    "cwd" => is(WorkingDir),
    kept [
        "service_tier", "approval_policy", "approvals_reviewer", "permission_profile",
        "active_permission_profile", "reasoning_effort", "reasoning_summary", "personality",
        "collaboration_mode", "runtime_workspace_roots", "disabled_plugin_ids",
        "requested_approvals_reviewer",
    ],
};

/// The table of an `item_completed` whose `item` has a table of its own.
macro_rules! completed {
    ($item:expr) => {
        session::map! {
            "type" => is(Type),
            "thread_id" => kept,
            "turn_id" => is(Turn),
            "item" => within(Native, $item),
            kept ["started_at_ms", "completed_at_ms"],
        }
    };
}
pub(super) use completed;

/// A message item: `UserMessage`, `AgentMessage`, `Plan`, `HookPrompt`.
pub(super) static ITEM_SAID: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "client_id" => kept,
    "content" => is(Content),
    "text" => is(Content),
    "fragments" => is(Content),
    kept ["phase", "memory_citation"],
};

/// A reasoning item: `Reasoning`.
pub(super) static ITEM_THOUGHT: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "summary_text" => is(Content),
    "raw_content" => kept,
};

/// `FileChange`. Its id is the call's.
pub(super) static ITEM_PATCHED: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    "changes" => is(Changes),
    "auto_approved" => kept,
    "stdout" => is(Output),
    "stderr" => kept,
    "status" => is(Status),
};

/// A tool item: `CommandExecution`, `McpToolCall`, `Extension`, `WebSearch`, `ImageGeneration`,
/// `DynamicToolCall`. Its id is the call's.
pub(super) static ITEM_RAN: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    kept ["kind", "process_id"],
    "command" => is(Input),
    "cwd" => is(WorkingDir),
    kept ["parsed_cmd", "source", "interaction_input", "server", "namespace"],
    "tool" => is(Name),
    kept [
        "arguments", "readOnlyHint", "connectorId", "mcpAppResourceUri", "linkId", "appName",
        "actionName", "templateId", "pluginId",
    ],
    "query" => is(Input),
    kept ["action", "stdout", "stderr"],
    "aggregated_output" => is(Output),
    "formatted_output" => kept,
    "result" => is(Output),
    "results" => is(Output),
    "content_items" => is(Output),
    "revised_prompt" => kept,
    "saved_path" => is(Path),
    "exit_code" => is(ExitCode),
    "success" => is(Success),
    "error" => kept,
    "status" => is(Status),
    "duration" => kept,
};

/// Any other item: `ContextCompaction`, `SubAgentActivity`, `CollabAgentToolCall`, …
pub(super) static ITEM_NOTICE: Map = map! {
    "type" => is(Name),
    "id" => is(Id),
    "kind" => kept,
    "path" => is(Path),
    "review" => kept,
    "agent_thread_id" => is(Agent),
    "agent_path" => kept,
    "duration_ms" => is(Duration),
    "call_id" => is(Call),
    "output" => kept,
    "status" => is(Status),
    kept [
        "tool", "sender_thread_id", "receiver_thread_ids", "receiver_agents", "agents_states",
        "prompt", "model", "reasoning_effort",
    ],
};
