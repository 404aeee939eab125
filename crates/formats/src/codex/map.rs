//! What the names in a Codex history mean: one table an object. Tables only; which one applies is
//! told in `case.rs`.

use session::{Map, map};

use super::{case, events};

/// Where a record says what it is.
pub(super) const TYPE: &[&str] = &["type"];
/// Where the envelope holds the rest.
pub(super) const PAYLOAD: &[&str] = &["payload"];
/// The word for lines that are no items, before the envelope.
pub(super) const RECORD_TYPE: &[&str] = &["record_type"];
/// Who speaks.
pub(super) const ROLE: &[&str] = &["role"];
/// What is said.
pub(super) const CONTENT: &[&str] = &["content"];
/// The text of a block of content.
pub(super) const TEXT: &[&str] = &["text"];
/// The summary of a thought.
pub(super) const SUMMARY: &[&str] = &["summary"];
/// What a completed item is.
pub(super) const ITEM: &[&str] = &["item"];
/// The thread's own id in its header.
pub(super) const ID: &[&str] = &["id"];
/// The history of a document of the first command line.
pub(super) const ITEMS: &[&str] = &["items"];
/// What was thought, in the chat shape.
pub(super) const REASONING_TEXT: &[&str] = &["reasoning"];
/// The names by which other files of Codex's home are told from sessions.
pub(super) const SESSION_ID: &[&str] = &["session_id"];
pub(super) const TYPED_AT: &[&str] = &["ts"];
pub(super) const TIMESTAMP: &[&str] = &["timestamp"];
pub(super) const INSTRUCTIONS: &[&str] = &["instructions"];
pub(super) const THREAD: &[&str] = &["thread_id"];
pub(super) const THREAD_NAME: &[&str] = &["thread_name"];
/// The session of a collected line.
pub(super) const SESSION_ID_COLLECTED: &[&str] = &["sessionId"];
/// The program that a collected line comes from.
pub(super) const AGENT: &[&str] = &["agent"];
/// The text of an event.
pub(super) const MESSAGE_TEXT: &[&str] = &["message"];
/// Where the events of tools and completed items hold what came out.
pub(super) const OUTPUTS: &[&str] = &["aggregated_output", "result", "results", "content_items"];

/// The table of a line whose payload another table names.
macro_rules! line {
    ($payload:expr) => {
        session::map! {
            "timestamp" => is(Time),
            "ordinal" => is(Ordinal),
            "type" => is(Type),
            "payload" => within(Native, $payload),
            "metadata" => within(Native, &$crate::codex::map::PASSED),
        }
    };
}
pub(super) use line;

/// A line of which only the envelope is known.
pub(super) static LINE: Map = map! {
    "timestamp" => is(Time),
    "ordinal" => is(Ordinal),
    "type" => is(Type),
    "payload" => kept,
    "metadata" => within(Native, &PASSED),
};

/// What the client hands through beside an item, or within it.
pub(super) static PASSED: Map = map! {
    "turn_id" => is(Turn),
    "create_time" => kept,
    "client_authored" => kept,
    "user_input_order" => kept,
    "compaction_output" => kept,
    "inherited_user_message" => kept,
    "mcp_attribution" => kept,
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
    "parent_thread_id" => is(ParentSession),
    "agent_nickname" => kept,
    "agent_role" => kept,
    "agent_type" => kept,
    "agent_path" => kept,
    "model" => is(Model),
    "model_provider" => is(Provider),
    "instructions" => kept,
    "base_instructions" => kept,
    "dynamic_tools" => kept,
    "selected_capability_roots" => kept,
    "runtime_workspace_roots" => kept,
    "memory_mode" => kept,
    "history_mode" => kept,
    "history_base" => kept,
    "subagent_history_start_ordinal" => kept,
    "multi_agent_version" => kept,
    "context_window" => kept,
    "creator_user_id" => kept,
    "creator_account_id" => kept,
    "git" => within(Native, &GIT),
};

/// `session_meta` of writers that know no `id`.
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
    "parent_thread_id" => is(ParentSession),
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

/// A line before the envelope that is no item.
pub(super) static STATE: Map = map! {
    "record_type" => is(Type),
    "timestamp" => is(Time),
};

/// `turn_context`.
pub(super) static TURN_CONTEXT: Map = map! {
    "turn_id" => is(Turn),
    "root_turn_id" => kept,
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

/// `compacted`: the context begins anew.
pub(super) static COMPACTED: Map = map! {
    "message" => is(Content),
    "replacement_history" => kept,
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

/// `message`.
pub(super) static MESSAGE: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "role" => is(Role),
    "content" => is(Content),
    "phase" => kept,
    "status" => is(Status),
    "end_turn" => kept,
    "model" => is(Model),
    "function_call" => one(Native, case::function),
    "tool_calls" => each(Native, case::chat_call),
    "timestamp" => is(Time),
    "encrypted_content" => is(Encrypted),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `agent_message`: what one agent writes to another.
pub(super) static LETTER: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "author" => is(Role),
    "recipient" => kept,
    "content" => is(Content),
    "timestamp" => is(Time),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `reasoning` whose text is the summary.
pub(super) static REASONING: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "summary" => is(Content),
    "content" => kept,
    "encrypted_content" => is(Encrypted),
    "timestamp" => is(Time),
    "duration_ms" => is(Duration),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `reasoning` without a summary, of providers that give the text itself.
pub(super) static REASONING_RAW: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "summary" => kept,
    "content" => is(Content),
    "encrypted_content" => is(Encrypted),
    "timestamp" => is(Time),
    "duration_ms" => is(Duration),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `function_call`, `custom_tool_call`, `local_shell_call`, `tool_search_call`, `tool_call`.
pub(super) static CALL: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "call_id" => is(Call),
    "name" => is(Name),
    "namespace" => kept,
    "function" => within(Native, &FUNCTION),
    "arguments" => is(Input),
    "input" => is(Input),
    "action" => is(Input),
    "status" => is(Status),
    "execution" => kept,
    "timestamp" => is(Time),
    "encrypted_function_args" => is(Encrypted),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `web_search_call`: its own id is what `web_search_end` refers to.
pub(super) static SEARCH_CALL: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    "status" => is(Status),
    "action" => is(Input),
    "timestamp" => is(Time),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `function_call_output`, `custom_tool_call_output`, `tool_search_output`, `tool_result`.
pub(super) static OUTPUT: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "call_id" => is(Call),
    "name" => is(Name),
    "output" => is(Output),
    "tools" => is(Output),
    "result" => is(Output),
    "status" => is(Status),
    "execution" => kept,
    "timestamp" => is(Time),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `image_generation_call`: a call and its result in one.
pub(super) static IMAGE_CALL: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    "revised_prompt" => is(Input),
    "timestamp" => is(Time),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// The result in an `image_generation_call`.
pub(super) static IMAGE_RESULT: Map = map! {
    "id" => is(Call),
    "status" => is(Status),
    "result" => is(Output),
};

/// Items that are no conversation: `compaction`, `ghost_snapshot`, and what is not known.
pub(super) static ITEM_NOTICE: Map = map! {
    "type" => is(Name),
    "id" => is(Id),
    "role" => is(Role),
    "status" => is(Status),
    "encrypted_content" => is(Encrypted),
    "ghost_commit" => kept,
    "timestamp" => is(Time),
    "internal_chat_message_metadata_passthrough" => within(Native, &PASSED),
    "metadata" => within(Native, &PASSED),
};

/// `function_call` within a message, in the oldest chat shape.
pub(super) static FUNCTION: Map = map! {
    "name" => is(Name),
    "arguments" => is(Input),
};

/// An element of `tool_calls` in the chat shape.
pub(super) static CHAT_CALL: Map = map! {
    "id" => is(Call),
    "type" => is(Type),
    "index" => kept,
    "function" => within(Native, &FUNCTION),
};

/// An assistant's message in the chat shape that holds a thought: the thought.
pub(super) static CHAT_THOUGHT: Map = map! {
    "timestamp" => is(Time),
    "reasoning" => is(Content),
};

/// A tool's answer in the chat shape.
pub(super) static CHAT_OUTPUT: Map = map! {
    "role" => is(Role),
    "type" => is(Type),
    "id" => is(Id),
    "name" => is(Name),
    "tool_call_id" => is(Call),
    "content" => is(Output),
    "timestamp" => is(Time),
};

/// A line of a collection that other tools make of Codex sessions.
pub(super) static COLLECTED_LINE: Map = map! {
    "sessionId" => is(Session),
    "workspace" => is(WorkingDir),
    "agent" => kept,
    "type" => is(Type),
    "uuid" => is(Id),
    "timestamp" => is(Time),
    "message" => within(Native, &COLLECTED_MESSAGE),
};

static COLLECTED_MESSAGE: Map = map! {
    "role" => is(Role),
    "content" => is(Content),
    "tool_name" => is(Name),
    "tool_input" => is(Input),
    "tool_output" => kept,
    "status" => kept,
};

/// The result in a collected line of a tool.
pub(super) static COLLECTED_RESULT: Map = map! {
    "timestamp" => is(Time),
    "message" => within(Native, &COLLECTED_OUTPUT),
};

static COLLECTED_OUTPUT: Map = map! {
    "tool_name" => is(Name),
    "tool_output" => is(Output),
    "status" => is(Status),
};

/// Every table, for people and tests. Lines and completed items repeat one envelope.
pub(super) static ALL: &[(&str, &Map)] = &[
    ("line", &LINE),
    ("session_meta", &META),
    ("session_meta without an id", &META_WITHOUT_ID),
    ("session_meta.git", &GIT),
    ("session_meta.source", &SOURCE),
    ("session_meta.source.subagent", &SUBAGENT),
    ("session_meta.source.subagent.thread_spawn", &SPAWN),
    ("turn_context", &TURN_CONTEXT),
    ("compacted", &COMPACTED),
    ("world_state, inter_agent_communication_metadata", &RARE),
    ("message", &MESSAGE),
    ("agent_message", &LETTER),
    ("reasoning", &REASONING),
    ("reasoning without a summary", &REASONING_RAW),
    ("function_call, custom_tool_call, …", &CALL),
    ("function_call_output, …", &OUTPUT),
    ("web_search_call", &SEARCH_CALL),
    ("image_generation_call: the call", &IMAGE_CALL),
    ("image_generation_call: the result", &IMAGE_RESULT),
    ("compaction, ghost_snapshot, …", &ITEM_NOTICE),
    ("metadata", &PASSED),
    ("event_msg user_message", &events::SAID_BY_USER),
    ("event_msg agent_message", &events::SAID_BY_AGENT),
    ("event_msg agent_reasoning", &events::THOUGHT),
    ("event_msg token_count", &events::TOKEN_COUNT),
    ("event_msg token_count.info", &events::TOKEN_INFO),
    ("event_msg token_count.info.*_token_usage", &events::TOKENS),
    ("event_msg turn.completed", &events::TURN_COMPLETED),
    ("event_msg exec_command_end", &events::RAN),
    ("event_msg patch_apply_end", &events::PATCHED),
    ("event_msg mcp_tool_call_end, web_search_end, …", &events::ANSWERED),
    ("event_msg mcp_tool_call_end.invocation", &events::INVOCATION),
    ("event_msg dynamic_tool_call_request, …", &events::ASKED),
    ("event_msg, any other", &events::NOTICE),
    ("event_msg thread_settings_applied.thread_settings", &events::SETTINGS),
    ("item_completed.item: said", &events::ITEM_SAID),
    ("item_completed.item: Reasoning", &events::ITEM_THOUGHT),
    ("item_completed.item: ran", &events::ITEM_RAN),
    ("item_completed.item: FileChange", &events::ITEM_PATCHED),
    ("item_completed.item: any other", &events::ITEM_NOTICE),
    ("bare: header", &HEADER),
    ("bare: state", &STATE),
    ("document: tool call", &CHAT_CALL),
    ("document: function", &FUNCTION),
    ("document: thought", &CHAT_THOUGHT),
    ("document: tool answer", &CHAT_OUTPUT),
    ("collected line", &COLLECTED_LINE),
    ("collected line: message", &COLLECTED_MESSAGE),
    ("collected line: result", &COLLECTED_RESULT),
    ("collected line: output", &COLLECTED_OUTPUT),
];
