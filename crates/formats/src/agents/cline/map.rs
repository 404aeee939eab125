//! Tables of the family's files: one table per object, one case per kind of event. Tables only;
//! `case.rs` and `shown.rs` select cases.

use session::{Case, Injected, Kind, Map, Slot, map};

use super::case;

/// Members of messages and of items of the screen.
pub(super) const ID: &[&str] = &["id"];
pub(super) const TS: &[&str] = &["ts"];
pub(super) const TYPE: &[&str] = &["type"];
pub(super) const ROLE: &[&str] = &["role"];
pub(super) const CONTENT: &[&str] = &["content"];
pub(super) const TEXT: &[&str] = &["text"];
pub(super) const METRICS: &[&str] = &["metrics", "tokens"];
pub(super) const MODE: &[&str] = &["modelInfo", "mode"];
pub(super) const SDK_MODEL: &[&str] = &["modelInfo", "id"];
pub(super) const IS_SUMMARY: &[&str] = &["isSummary"];
pub(super) const IS_MARKER: &[&str] = &["isTruncationMarker"];
/// Ids of compactions, and the compaction that took a message out of the context.
pub(super) const COMPACTIONS: [[&[&str]; 2]; 2] =
    [[&["condenseId"], &["condenseParent"]], [&["truncationId"], &["truncationParent"]]];
pub(super) const SUCCESS: &[&str] = &["success"];
pub(super) const SAY: &[&str] = &["say"];
pub(super) const ASK: &[&str] = &["ask"];
pub(super) const TOOL: &[&str] = &["tool"];
pub(super) const IMAGES: &[&str] = &["images"];
/// The messages that no request has.
pub(super) const DELETED: &[&str] = &["conversationHistoryDeletedRange"];
/// Members of the files of a session.
pub(super) const SESSION_ID: &[&str] = &["session_id"];
pub(super) const STARTED_AT: &[&str] = &["started_at"];
pub(super) const AGENT: &[&str] = &["agent"];
pub(super) const SESSION: &[&str] = &["sessionId"];
pub(super) const VERSION: &[&str] = &["version"];
pub(super) const UPDATED_AT: &[&str] = &["updated_at"];
pub(super) const MESSAGES: &[&str] = &["messages"];
/// The number of messages that a compaction replaced.
pub(super) const REPLACED: &[&str] = &["source_message_count"];
/// Members of the files beside a task.
pub(super) const MODEL_USAGE: &[&str] = &["model_usage"];
pub(super) const USED_MODEL: &[&str] = &["model_id"];
pub(super) const TASK: &[&str] = &["task"];
/// The folder of a task in the list of tasks.
pub(super) const FOLDERS: [&[&str]; 2] = [&["cwdOnTaskInitialization"], &["workspace"]];

/// The table of a message, with the row of its counters and that of its content.
macro_rules! message {
    ($content:ident($slot:ident $(, $inner:expr)?), $($metrics:tt)*) => {
        map! {
            "id" => is(Id),
            "role" => is(Role),
            "content" => $content($slot $(, $inner)?),
            "ts" => is(Time),
            "model" => is(Model),
            "modelInfo" => within(Native, &MODEL_INFO),
            "isSummary" => is(CompactSummary),
            kept [
                "condenseId", "condenseParent", "isTruncationMarker", "truncationId",
                "truncationParent", "reasoning_content", "reasoning_details", "metadata", "agent",
                "sessionId",
            ],
            $($metrics)*
        }
    };
}

/// A message of a task. Its counters are those of the screen's items, and count only without them.
static MESSAGE: Map = message!(each(Content, case::block), "metrics" => kept);

/// A message with the result of a call that the model wrote as text.
static RESULT_MESSAGE: Map = map! {
    "role" => is(Role),
    "content" => is(Output),
    "ts" => is(Time),
};

/// A message that is a call as text, or has one beside its other text.
static CALL_MESSAGE: Map = message!(is(Input), "metrics" => kept);

/// An answer of a session, with its counters.
static ANSWER_MESSAGE: Map = map! {
    "id" => is(Id),
    "role" => is(Role),
    "content" => each(Content, case::block),
    "ts" => is(Time),
    "modelInfo" => within(Native, &MODEL_INFO),
    "metrics" => within(Usage, &METRICS_MAP),
};

static METRICS_MAP: Map = map! {
    "inputTokens" => is(TokensIn),
    "outputTokens" => is(TokensOut),
    "cacheReadTokens" => is(CacheRead),
    "cacheWriteTokens" => is(CacheWrite),
    "cost" => is(Cost),
};

/// The first names are those of tasks, the others those of sessions.
static MODEL_INFO: Map = map! {
    "modelId" => is(Model),
    "providerId" => is(Provider),
    kept ["mode", "family"],
    "id" => is(Model),
    "provider" => is(Provider),
};

/// A thought as a message of its own.
static THOUGHT_MESSAGE: Map = map! {
    "type" => is(Type),
    "summary" => is(Content),
    "encrypted_content" => is(Encrypted),
    "id" => is(Id),
    "ts" => is(Time),
};

static THINKING: Map = map! {
    "type" => is(Type),
    "thinking" => is(Content),
    "data" => is(Encrypted),
    kept ["signature", "summary", "details", "call_id"],
    // of version 2
    "text" => is(Content),
    "providerOptions" => kept,
};

static TOOL_USE: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    "name" => is(Name),
    "input" => is(Input),
    kept ["call_id", "signature", "reasoning_details"],
    // of version 2
    "toolCallId" => is(Call),
    "toolName" => is(Name),
    "providerOptions" => kept,
};

static RESULT_MAP: Map = map! {
    "type" => is(Type),
    "tool_use_id" => is(Call),
    "name" => kept,
    "content" => is(Output),
    "is_error" => is(IsError),
    kept ["call_id"],
    // of version 2
    "toolCallId" => is(Call),
    "toolName" => kept,
    "output" => within(Native, &OUTPUT_MAP),
};
static OUTPUT_MAP: Map = map! { "type" => kept, "value" => is(Output) };

/// A person's words in the result of a call, which are its output too.
static FEEDBACK_MAP: Map = map! { "content" => is(Content), "ts" => is(Time) };

/// A text block that is an event.
static TEXT_MAP: Map = map! {
    "type" => is(Type),
    "text" => is(Content),
};

static NOTHING: Map = map! {};

/// An item of the screen.
static SAID_ITEM: Map = map! {
    "ts" => is(Time),
    "type" => kept,
    "say" => is(Type),
    "ask" => is(Type),
    "text" => is(Content),
    kept ["partial", "conversationHistoryIndex", "conversationHistoryDeletedRange"],
    "modelInfo" => within(Native, &MODEL_INFO),
    kept [
        "reasoning", "files", "lastCheckpointHash", "isCheckpointCheckedOut", "commandCompleted",
        "isOperationOutsideWorkspace", "seq", "epoch", "isAnswered", "progressStatus",
        "checkpoint", "contextCondense", "contextTruncation", "isProtected", "apiProtocol",
        "metadata",
    ],
    "images" => is(Media),
    // of a fork
    kept ["videos", "selectedModel", "useCustomApiKey"],
    "apiConfig" => within(Native, &session::UNKNOWN),
};
static CALL_ITEM: Map = map! {
    "ts" => is(Time),
    kept ["type", "say", "ask"],
    "text" => is(Input),
    kept [
        "partial", "conversationHistoryIndex", "modelInfo", "commandCompleted", "isAnswered",
        "isProtected",
    ],
};
static OUTPUT_ITEM: Map = map! {
    "ts" => is(Time),
    kept ["type", "say", "ask"],
    "text" => is(Output),
    kept ["partial", "conversationHistoryIndex", "modelInfo"],
};

/// The file about the models and the surroundings of a task.
static TASK_METADATA: Map = map! {
    "files_in_context" => kept,
    "model_usage" => each(Native, case::used),
    "environment_history" => each(Native, case::surroundings),
};
static USED_MODEL_MAP: Map = map! {
    "ts" => is(Time),
    "model_id" => is(Model),
    "model_provider_id" => is(Provider),
    "mode" => kept,
};
static SURROUNDINGS_MAP: Map = map! {
    "ts" => is(Time),
    kept ["os_name", "os_version", "os_arch", "host_name", "host_version"],
    "cline_version" => is(Version),
};

/// The entry of a task in a file of its own.
static HISTORY_ITEM: Map = map! {
    "id" => is(Session),
    "rootTaskId" => kept,
    "parentTaskId" => is(SpawnedBy),
    "number" => kept,
    "ts" => is(Updated),
    "task" => is(AutoTitle),
    kept ["tokensIn", "tokensOut", "cacheWrites", "cacheReads", "totalCost", "size"],
    "workspace" => is(WorkingDir),
    "cwd" => is(WorkingDir),
    kept [
        "mode", "apiConfigName", "status", "delegatedToId", "childIds", "awaitingChildId",
        "completedByChildId", "completionResultSummary", "isFavorited",
    ],
};

/// The conversation of a session, and of a sub-agent.
static CONVERSATION: Map = map! {
    "version" => kept,
    "updated_at" => is(Updated),
    "agent" => kept,
    "sessionId" => kept,
    "taskType" => kept,
    "origin" => within(Native, &ORIGIN),
    "messages" => each(Native, case::message),
    "system_prompt" => kept,
};
static ORIGIN: Map = map! {
    kept ["source", "mode", "sessionId", "parentThreadId"],
    "subagent" => is(Agent),
    "version" => is(Version),
};

/// The file of a compaction.
static COMPACTED_MAP: Map = map! {
    "version" => kept,
    "updated_at" => is(Updated),
    kept [
        "conversation_id", "source_message_count", "source_prefix_hash", "source_last_message_key",
        "system_prompt",
    ],
    "messages" => each(Native, case::message),
};

/// The manifest of a session.
static MANIFEST_MAP: Map = map! {
    "version" => kept,
    "session_id" => is(Session),
    kept ["source", "pid"],
    "started_at" => is(Started),
    "ended_at" => is(Updated),
    kept ["exit_code", "status", "interactive"],
    "provider" => is(Provider),
    "model" => kept,
    "cwd" => is(WorkingDir),
    kept [
        "workspace_root", "team_name", "enable_tools", "enable_spawn", "enable_teams", "prompt",
        "messages_path", "compaction_path",
    ],
    "metadata" => within(Native, &MANIFEST_METADATA),
};
static MANIFEST_METADATA: Map = map! {
    "title" => is(AutoTitle),
    "git" => within(Native, &GIT),
    kept [
        "sessionHistoryOrigin", "checkpoint", "totalCost", "aggregatedAgentsCost", "usage",
        "aggregateUsage",
    ],
};
static GIT: Map = map! { "branch" => is(Branch) };

pub(super) static LIST: Case = Case::new("list", Kind::Notice, &NOTHING).each(case::listed);
pub(super) static CONVERSATION_CASE: Case =
    Case::new("conversation", Kind::Notice, &CONVERSATION).injected();
pub(super) static COMPACTED: Case =
    Case::new("compaction", Kind::Notice, &COMPACTED_MAP).injected();
pub(super) static MANIFEST: Case = Case::new("manifest", Kind::Notice, &MANIFEST_MAP).injected();
pub(super) static METADATA: Case = Case::new("metadata", Kind::Notice, &TASK_METADATA).injected();
pub(super) static HISTORY: Case = Case::new("task", Kind::Notice, &HISTORY_ITEM).injected();
pub(super) static USED: Case = Case::new("model", Kind::Notice, &USED_MODEL_MAP).injected();
pub(super) static SURROUNDINGS: Case =
    Case::new("surroundings", Kind::Notice, &SURROUNDINGS_MAP).injected();

pub(super) static USER: Case = Case::new("user", Kind::User, &MESSAGE).top();
pub(super) static TOLD: Case =
    Case::new("told", Kind::User, &MESSAGE).injected_as(Injected::Told).top();
pub(super) static SUMMARY: Case =
    Case::new("summary", Kind::User, &MESSAGE).injected_as(Injected::Summary).top();
pub(super) static MARKER: Case = Case::new("truncation", Kind::Notice, &MESSAGE).injected().top();
pub(super) static ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &MESSAGE).top();
pub(super) static ANSWER: Case = Case::new("assistant", Kind::Assistant, &ANSWER_MESSAGE).top();
pub(super) static THOUGHT: Case = Case::new("reasoning", Kind::Reasoning, &THOUGHT_MESSAGE).top();
pub(super) static WRITTEN_RESULT: Case =
    Case::new("result", Kind::ToolResult, &RESULT_MESSAGE).with(BY_ORDER).top();

pub(super) static WRITTEN_ANSWERED: Case =
    Case::new("result", Kind::ToolResult, &RESULT_MESSAGE).with(BY_ORDER).also(&FEEDBACK).top();

/// A message with text around the call that it has as text.
pub(super) const fn around(call: &'static Case) -> Case {
    Case::new("assistant", Kind::Assistant, &MESSAGE).also(call).top()
}

/// The call that a message has as text. Such calls have no ids: a result is of the call before it.
pub(super) const fn written(constants: &'static [(Slot, &'static str)]) -> Case {
    Case::new("call", Kind::ToolCall, &CALL_MESSAGE).with(constants).top()
}

/// The name by which calls and results without ids find each other.
const BY_ORDER: &[(Slot, &str)] = &[(Slot::Call, ORDER), (Slot::IsError, "null")];
pub(super) const ORDER: &str = "next";

pub(super) static REASONING: Case = Case::new("thinking", Kind::Reasoning, &THINKING);
pub(super) static CALL: Case = Case::new("tool_use", Kind::ToolCall, &TOOL_USE);
pub(super) static RESULT: Case = Case::new("tool_result", Kind::ToolResult, &RESULT_MAP);
pub(super) static FAILED: Case =
    Case::new("tool_result", Kind::ToolResult, &RESULT_MAP).with(&[(Slot::IsError, "true")]);
pub(super) static ANSWERED: Case =
    Case::new("tool_result", Kind::ToolResult, &RESULT_MAP).also(&FEEDBACK);
pub(super) static FEEDBACK: Case = Case::new("feedback", Kind::User, &FEEDBACK_MAP).top();
/// A text about the surroundings, which the agent adds to each request.
pub(super) static CONTEXT: Case = Case::new("context", Kind::Notice, &TEXT_MAP).injected();

pub(super) static SHOWN_USER: Case = Case::new("shown", Kind::User, &SAID_ITEM).top();
pub(super) static SHOWN_ANSWER: Case = Case::new("shown", Kind::Assistant, &SAID_ITEM).top();
pub(super) static SHOWN_THOUGHT: Case = Case::new("shown", Kind::Reasoning, &SAID_ITEM).top();
pub(super) static SHOWN_OUTPUT: Case =
    Case::new("shown", Kind::ToolResult, &OUTPUT_ITEM).with(BY_ORDER).top();
pub(super) static SHOWN_NOTE: Case = Case::new("shown", Kind::Notice, &SAID_ITEM).injected().top();
/// A request, with its counters in its text.
pub(super) static REQUEST: Case = Case::new("request", Kind::Notice, &SAID_ITEM).injected().top();

/// A call on the screen.
pub(super) const fn shown_call(constants: &'static [(Slot, &'static str)]) -> Case {
    Case::new("shown", Kind::ToolCall, &CALL_ITEM).with(constants).top()
}

/// Every table, by its name in `FORMAT.md`.
pub(super) static ALL: &[(&str, &Map)] = &[
    ("message of a task", &MESSAGE),
    ("message with a result as text", &RESULT_MESSAGE),
    ("message with a call as text", &CALL_MESSAGE),
    ("message: modelInfo", &MODEL_INFO),
    ("thinking, redacted_thinking, reasoning", &THINKING),
    ("tool_use, tool-call", &TOOL_USE),
    ("tool_result, tool-result", &RESULT_MAP),
    ("tool-result: output", &OUTPUT_MAP),
    ("a person's words in a result", &FEEDBACK_MAP),
    ("text that is an event", &TEXT_MAP),
    ("item of the screen", &SAID_ITEM),
    ("item of the screen: a call", &CALL_ITEM),
    ("item of the screen: an output", &OUTPUT_ITEM),
    ("task_metadata.json", &TASK_METADATA),
    ("task_metadata.json: model_usage", &USED_MODEL_MAP),
    ("task_metadata.json: environment_history", &SURROUNDINGS_MAP),
    ("conversation of a session", &CONVERSATION),
    ("conversation: origin", &ORIGIN),
    ("conversation: an answer", &ANSWER_MESSAGE),
    ("conversation: metrics", &METRICS_MAP),
    ("compaction.json", &COMPACTED_MAP),
    ("manifest", &MANIFEST_MAP),
    ("manifest: metadata", &MANIFEST_METADATA),
    ("manifest: metadata.git", &GIT),
];

/// The tables that only Roo Code needs.
pub(crate) static ROO_CODE: &[(&str, &Map)] =
    &[("reasoning as a message", &THOUGHT_MESSAGE), ("history_item.json", &HISTORY_ITEM)];
