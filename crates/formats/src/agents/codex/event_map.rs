//! Tables of an `event_msg`, a line of the UI event stream. Tables only, as in `map.rs`.

use session::{Map, map};

/// `user_message`.
pub(super) static SAID_BY_USER: Map = map! {
    "type" => is(Type),
    "turn_id" => is(Turn),
    "client_id" => kept,
    "kind" => kept,
    "message" => is(Content),
    "images" => kept,
    "image_details" => kept,
    "local_images" => kept,
    "local_image_details" => kept,
    "audio" => kept,
    "local_audio" => kept,
    "text_elements" => kept,
};

/// `agent_message`.
pub(super) static SAID_BY_AGENT: Map = map! {
    "type" => is(Type),
    "turn_id" => is(Turn),
    "message" => is(Content),
    "phase" => kept,
    "memory_citation" => kept,
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
    "model_context_window" => kept,
    "last_usage_includes_reasoning" => kept,
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
    "parsed_cmd" => kept,
    "source" => kept,
    "interaction_input" => kept,
    "stdout" => kept,
    "stderr" => kept,
    "aggregated_output" => is(Output),
    "formatted_output" => kept,
    "exit_code" => is(ExitCode),
    "duration" => kept,
    "status" => is(Status),
    "completed_at_ms" => kept,
    "started_at_ms" => kept,
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
    "arguments" => kept,
    "read_only_hint" => kept,
    "plugin_id" => kept,
    "connector_id" => kept,
    "link_id" => kept,
    "app_name" => kept,
    "action_name" => kept,
    "mcp_app_resource_uri" => kept,
    "query" => is(Input),
    "action" => kept,
    "revised_prompt" => kept,
    "saved_path" => is(Path),
    "result" => is(Output),
    "results" => is(Output),
    "content_items" => is(Output),
    "success" => is(Success),
    "status" => is(Status),
    "error" => kept,
    "duration" => kept,
    "completed_at_ms" => kept,
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
    "started_at_ms" => kept,
    "namespace" => kept,
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
    "root_turn_id" => kept,
    "turn_attribution" => kept,
    "call_id" => is(Call),
    "event_id" => is(Call),
    "item_id" => kept,
    "target_item_id" => kept,
    "thread_id" => kept,
    "threadId" => kept,
    "trace_id" => kept,
    "started_at" => kept,
    "completed_at" => kept,
    "occurred_at_ms" => kept,
    "started_at_ms" => kept,
    "completed_at_ms" => kept,
    "duration_ms" => is(Duration),
    "time_to_first_token_ms" => kept,
    "model_context_window" => kept,
    "collaboration_mode_kind" => kept,
    "last_agent_message" => kept,
    "error" => kept,
    "codex_error_info" => kept,
    "additional_details" => kept,
    "reason" => is(Finish),
    "num_turns" => is(Count),
    "thread_name" => is(Title),
    "thread_settings" => within(Native, &SETTINGS),
    "goal" => kept,
    "message" => is(Content),
    "success" => kept,
    "target" => kept,
    "prompt" => kept,
    "user_facing_hint" => kept,
    "review_output" => kept,
    "rate_limits" => kept,
    "payload" => kept,
    "action" => kept,
    "status" => is(Status),
    "statuses" => kept,
    "agent_statuses" => kept,
    "agent_thread_id" => is(Agent),
    "agent_path" => kept,
    "kind" => kept,
    "sender_thread_id" => kept,
    "receiver_thread_id" => kept,
    "receiver_thread_ids" => kept,
    "receiver_agents" => kept,
    "receiver_agent_nickname" => kept,
    "receiver_agent_role" => kept,
    "new_thread_id" => is(Agent),
    "new_agent_nickname" => kept,
    "new_agent_role" => kept,
    "model" => kept,
    "reasoning_effort" => kept,
    "risk_level" => kept,
    "user_authorization" => kept,
    "rationale" => kept,
    "decision_source" => kept,
    // progress events
    "command" => kept,
    "cwd" => kept,
    "parsed_cmd" => kept,
    "process_id" => kept,
    "source" => kept,
    "invocation" => kept,
    "changes" => is(Changes),
    "auto_approved" => kept,
    "unified_diff" => kept,
    "explanation" => kept,
    "plan" => kept,
    "questions" => kept,
    "item" => kept,
    "run" => kept,
    "summary_index" => kept,
    "summary" => is(Content),
    "details" => kept,
    "from_model" => kept,
    "to_model" => kept,
    "verifications" => kept,
};

pub(super) static SETTINGS: Map = map! {
    "model" => is(Model),
    "model_provider_id" => is(Provider),
    "cwd" => is(WorkingDir),
    "service_tier" => kept,
    "approval_policy" => kept,
    "approvals_reviewer" => kept,
    "permission_profile" => kept,
    "active_permission_profile" => kept,
    "reasoning_effort" => kept,
    "reasoning_summary" => kept,
    "personality" => kept,
    "collaboration_mode" => kept,
    "runtime_workspace_roots" => kept,
    "disabled_plugin_ids" => kept,
    "requested_approvals_reviewer" => kept,
};

/// The table of an `item_completed` whose `item` has a table of its own.
macro_rules! completed {
    ($item:expr) => {
        session::map! {
            "type" => is(Type),
            "thread_id" => kept,
            "turn_id" => is(Turn),
            "item" => within(Native, $item),
            "started_at_ms" => kept,
            "completed_at_ms" => kept,
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
    "phase" => kept,
    "memory_citation" => kept,
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
    "kind" => kept,
    "process_id" => kept,
    "command" => is(Input),
    "cwd" => is(WorkingDir),
    "parsed_cmd" => kept,
    "source" => kept,
    "interaction_input" => kept,
    "server" => kept,
    "namespace" => kept,
    "tool" => is(Name),
    "arguments" => kept,
    "readOnlyHint" => kept,
    "connectorId" => kept,
    "mcpAppResourceUri" => kept,
    "linkId" => kept,
    "appName" => kept,
    "actionName" => kept,
    "templateId" => kept,
    "pluginId" => kept,
    "query" => is(Input),
    "action" => kept,
    "stdout" => kept,
    "stderr" => kept,
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
    "tool" => kept,
    "sender_thread_id" => kept,
    "receiver_thread_ids" => kept,
    "receiver_agents" => kept,
    "agents_states" => kept,
    "prompt" => kept,
    "model" => kept,
    "reasoning_effort" => kept,
};
