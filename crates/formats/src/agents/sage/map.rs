//! Tables of Sage's files: one table per object, one case per kind of event. Tables only; `mod.rs`
//! selects cases.

use session::{Case, Kind, Map, Slot, map};

use super::{message, tool_call};

/// Role of a message.
pub(super) const ROLE: &[&str] = &["role"];
/// Content of a message.
pub(super) const CONTENT: &[&str] = &["content"];
/// Time of a message.
pub(super) const TIMESTAMP: &[&str] = &["timestamp"];
/// The id of a message with list content.
pub(super) const UUID: &[&str] = &["uuid"];
/// The messages of a named session.
pub(super) const MESSAGES: &[&str] = &["messages"];
/// The name of a named session.
pub(super) const NAME: &[&str] = &["name"];
/// The provider of a named session.
pub(super) const PROVIDER: &[&str] = &["provider"];
/// The workspace of a named session.
pub(super) const WORKSPACE: &[&str] = &["workspace"];
/// The estimate of a named session.
pub(super) const TOTAL_TOKENS: &[&str] = &["total_tokens"];
/// The folder in a project's metadata.
pub(super) const PROJECT_DIR: &[&str] = &["project_dir"];
/// Type of a log's line.
pub(super) const EVENT: &[&str] = &["event"];
/// Level of a log's line.
pub(super) const LEVEL: &[&str] = &["level"];
/// The tool of a scenario.
pub(super) const TOOL: &[&str] = &["tool"];
/// The arguments of the tool.
pub(super) const ARGS: &[&str] = &["args"];
/// The tool's output, truncated.
pub(super) const PREVIEW: &[&str] = &["result_preview"];
/// Names that no message of Sage's has, but lines of agents have whose folders it may share.
pub(super) const FOREIGN: &[&[&str]] = &[&["type"], &["message"], &["sessionId"]];
/// Output of a tool call.
pub(super) const RESULT_VALUE: &[&str] = &["result"];
/// Whether the call succeeded.
pub(super) const SUCCESS: &[&str] = &["success"];

/// The members of a conversation's line: the code's, the seed's and the proposed ones.
pub(super) static MESSAGE: Map = map! {
    "uuid" => is(Id),
    "parentUuid" => is(Parent),
    "session_id" => is(Session),
    "role" => is(Role),
    "content" => is(Content),
    "timestamp" => is(Time),
    "tool_calls" => each(Native, tool_call),
    "tool_call_id" => is(Call),
    "name" => is(Name),
    "tokens" => within(Native, &ESTIMATE),
    "usage" => within(Usage, &USAGE),
};

/// A line with the answer of a tool.
static TOOL_MESSAGE: Map = map! {
    "uuid" => is(Id),
    "parentUuid" => is(Parent),
    "session_id" => is(Session),
    "role" => is(Role),
    "content" => is(Output),
    "timestamp" => is(Time),
    "tool_call_id" => is(Call),
    "name" => is(Name),
    "tokens" => within(Native, &ESTIMATE),
    "usage" => within(Usage, &USAGE),
};

/// An estimate (a quarter of the characters), not usage.
static ESTIMATE: Map = map! { "estimated" => kept };

/// Proposed, in another agent's terms.
static USAGE: Map = map! {
    "input_tokens" => is(TokensIn),
    "output_tokens" => is(TokensOut),
    "cache_read_input_tokens" => is(CacheRead),
    "cache_creation_input_tokens" => is(CacheWrite),
};

/// A tool call: the members of the call. Sage gives it no id.
static CALL_MAP: Map = map! {
    "name" => is(Name),
    "args" => is(Input),
    "success" => kept,
};

/// A tool call: the members of its answer.
static RESULT_MAP: Map = map! {
    "result" => is(Output),
    "duration_ms" => is(Duration),
};

/// A tool call without an answer.
static CALL_ALONE: Map = map! {
    "name" => is(Name),
    "args" => is(Input),
    "result" => kept,
    "duration_ms" => is(Duration),
    "success" => kept,
};

/// The metadata beside a conversation.
static METADATA_MAP: Map = map! {
    "project_dir" => is(WorkingDir),
    "created_at" => is(Started),
    "updated_at" => is(Saved),
    kept ["message_count", "total_size"],
};

/// A named session.
static NAMED_MAP: Map = map! {
    "name" => is(Title),
    "model" => is(Model),
    "provider" => is(Provider),
    "messages" => each(Native, message),
    "created_at" => is(Started),
    "updated_at" => is(Saved),
    kept ["message_count", "total_tokens"],
    "workspace" => is(WorkingDir),
};

static LOG_MAP: Map = map! {
    "event" => is(Name),
    "level" => kept,
    "timestamp" => is(Time),
    "data" => kept,
};

static TRIAL_MAP: Map = map! {
    "timestamp" => is(Time),
    "tool" => is(Name),
    "args" => is(Input),
    "success" => kept,
};

static TRIAL_RESULT_MAP: Map = map! {
    "timestamp" => is(Time),
    "result_preview" => is(Output),
    "error" => is(Detail),
};

static NOTHING: Map = map! {};

// Messages are events of their own: as a line, or in a list.
pub(super) static USER: Case = Case::new("user", Kind::User, &MESSAGE).top();
pub(super) static ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &MESSAGE).top();
pub(super) static SYSTEM: Case = Case::new("system", Kind::User, &MESSAGE).injected().top();
pub(super) static TOOL_ANSWER: Case =
    Case::new("tool", Kind::ToolResult, &TOOL_MESSAGE).injected().top();
pub(super) static OTHER: Case = Case::new("message", Kind::Notice, &MESSAGE).top();

pub(super) static CALL: Case = Case::new("call", Kind::ToolCall, &CALL_ALONE);
pub(super) static ANSWERED: Case = Case::new("call", Kind::ToolCall, &CALL_MAP).also(&RESULT);
static RESULT: Case = Case::new("result", Kind::ToolResult, &RESULT_MAP);
pub(super) static SUCCEEDED: Case =
    Case::new("call", Kind::ToolCall, &CALL_MAP).also(&RESULT_SUCCESS);
static RESULT_SUCCESS: Case =
    Case::new("result", Kind::ToolResult, &RESULT_MAP).with(&[(Slot::Status, "success")]);
pub(super) static FAILED: Case = Case::new("call", Kind::ToolCall, &CALL_MAP).also(&RESULT_ERROR);
static RESULT_ERROR: Case =
    Case::new("result", Kind::ToolResult, &RESULT_MAP).with(&[(Slot::Status, "error")]);

pub(super) static METADATA: Case = Case::new("metadata", Kind::Notice, &METADATA_MAP);
pub(super) static NAMED: Case = Case::new("session", Kind::Notice, &NAMED_MAP);
pub(super) static EXPORT: Case = Case::new("export", Kind::Notice, &NOTHING).each(super::exported);
pub(super) static LOG: Case = Case::new("log", Kind::Notice, &LOG_MAP);
pub(super) static TRIAL: Case = Case::new("trial", Kind::ToolCall, &TRIAL_MAP).also(&TRIAL_RESULT);
static TRIAL_RESULT: Case = Case::new("trial result", Kind::ToolResult, &TRIAL_RESULT_MAP);

/// The answer of a tool in an export: text in the user's role.
pub(super) static EXPORTED_ANSWER: Case =
    Case::new("tool result", Kind::User, &MESSAGE).injected().top();

/// Every table, by its name in `FORMAT.md`.
pub(super) static ALL: &[(&str, &Map)] = &[
    ("message", &MESSAGE),
    ("message of a tool", &TOOL_MESSAGE),
    ("message: tokens", &ESTIMATE),
    ("message: usage", &USAGE),
    ("message: tool call", &CALL_MAP),
    ("message: answer of a tool call", &RESULT_MAP),
    ("message: tool call without answer", &CALL_ALONE),
    ("metadata.json", &METADATA_MAP),
    ("named session", &NAMED_MAP),
    ("log", &LOG_MAP),
    ("scenario log: call", &TRIAL_MAP),
    ("scenario log: answer", &TRIAL_RESULT_MAP),
];
