//! Tables of stream-json output (`--output-format stream-json`), saved to a file. Its messages are
//! those of a transcript; these tables have the other lines. Tables only.

use session::{Map, map};

/// Types that only stream-json output has.
pub(super) const WORDS: &[&[u8]] = &[
    b"active_goal",
    b"auth_status",
    b"control_cancel_request",
    b"control_request",
    b"control_response",
    b"keep_alive",
    b"prompt_suggestion",
    b"rate_limit_event",
    b"stream_event",
    b"tool_progress",
    b"tool_use_summary",
];

/// A `system` line by its `subtype`, the `result` at the end of a turn, and [`WORDS`].
pub(super) static PRINTED_LINE: Map = map! {
    "type" => is(Type),
    "subtype" => is(Name),
    "uuid" => is(Id),
    "timestamp" => is(Time),
    "_audit_timestamp" => is(Time),
    "cwd" => is(WorkingDir),
    "claude_code_version" => is(Version),
    "content" => is(Content),
    "text" => is(Content),
    "summary" => is(Content),
    "suggestion" => is(Content),
    "output" => is(Output),
    "result" => is(Output),
    "is_error" => is(IsError),
    "duration_ms" => is(Duration),
    "tool_use_id" => is(Call),
    kept ["session_id", "parent_tool_use_id", "request_id"],
    // beginning of the session
    kept [
        "model", "tools", "mcp_servers", "slash_commands", "terminal_slash_commands",
        "apiKeySource", "permissionMode", "output_style", "agents", "skills", "plugins",
        "plugin_errors", "betas", "effort", "view_mode", "capabilities", "memory_paths",
        "fast_mode_state", "fast_mode_disabled_reason",
    ],
    // end of a turn: totals of the answers
    kept [
        "usage", "modelUsage", "total_cost_usd", "num_turns", "duration_api_ms", "stop_reason",
        "terminal_reason", "permission_denials", "structured_output", "deferred_tool_use", "errors",
        "error", "api_error_status", "startup_failure_reason", "queued_turn_count", "result_index",
        "local_command", "origin", "resume_reason", "user_message_uuid", "user_message_uuids",
        "ttft_ms", "ttft_stream_ms", "time_to_request_ms", "time_to_request_from_spawn_ms",
        "time_origin_ms", "request_sent_wall_ms", "first_content_frame_ms", "first_stream_post_ms",
        "first_stream_post_ack_ms", "first_stream_post_queue_wait_ms",
        "first_stream_post_queued_behind", "first_stream_post_wall_ms", "first_text_post_ms",
        "first_text_post_queue_wait_ms", "first_text_post_queued_behind", "first_text_post_wall_ms",
        "warm_spare_claimed",
    ],
    // events in between
    kept [
        "status", "state", "reason", "compact_metadata", "compact_result", "compact_error",
        "attempt", "max_retries", "retry_delay_ms", "error_status", "no_response", "original_model",
        "fallback_model", "trigger", "direction", "scope", "api_refusal_category",
        "api_refusal_explanation", "retracted_message_uuids", "refused_user_message_uuid",
        "commands", "key", "priority", "color", "timeout_ms", "mode", "memories",
        "estimated_tokens", "estimated_tokens_delta", "value", "rate_limit_info",
        "isAuthenticating", "event", "request", "response", "preceding_tool_use_ids", "files",
        "failed", "processed_at", "name", "level", "mcp_server_name", "elicitation_id", "message",
        "decision_reason", "decision_reason_type", "agent_id",
    ],
    // hooks, tools and tasks
    kept [
        "hook_id", "hook_name", "hook_event", "stdout", "stderr", "exit_code", "outcome",
        "tool_name", "elapsed_time_seconds", "heartbeat", "subagent_retry", "subagent_type",
        "task_id", "task_type", "tasks", "patch", "description", "workflow_name", "prompt",
        "is_backgrounded", "spawn_depth", "last_tool_name", "output_file", "resource_links",
        "skip_transcript", "ambient",
    ],
};
