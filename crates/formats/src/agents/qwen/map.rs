//! Tables of the records of a log. Tables only: `case.rs` selects cases. The parts of a message are
//! those of the agent that it was made from.

use session::{Case, Injected, Kind, Map, Slot, map};

use super::case::content;
use crate::agents::gemini::{part, response};

/// The id of a record. A document has none.
pub(super) const UUID: &[&str] = &["uuid"];
/// The record before.
pub(super) const PARENT: &[&str] = &["parentUuid"];
/// The session of a record.
pub(super) const SESSION: &[&str] = &["sessionId"];
/// Type and subtype of a record.
pub(super) const TYPE: &[&str] = &["type"];
pub(super) const SUBTYPE: &[&str] = &["subtype"];
/// The source of a record: a person, the model, a tool, the program.
pub(super) const PROVENANCE: &[&str] = &["provenance"];
/// True on the records of a sub-agent.
pub(super) const SIDECHAIN: &[&str] = &["isSidechain"];
/// The parts of a message, and of one of a compressed history.
pub(super) const PARTS: &[&str] = &["message", "parts"];
pub(super) const OWN_PARTS: &[&str] = &["parts"];
/// The role of a message of a compressed history.
pub(super) const ROLE: &[&str] = &["role"];
/// The text of a part, and the answer in one.
pub(super) const TEXT: &[&str] = &["text"];
pub(super) const RESPONSE: &[&str] = &["functionResponse"];
pub(super) const ANSWERED: &[&str] = &["functionResponse", "name"];
pub(super) const OUTPUT: &[&str] = &["functionResponse", "response", "output"];
pub(super) const FAULT: &[&str] = &["functionResponse", "response", "error"];
/// The call that a result is of, and the status of the call.
pub(super) const RESULT_CALL: &[&str] = &["toolCallResult", "callId"];
pub(super) const RESULT_STATUS: &[&str] = &["toolCallResult", "status"];
/// The name of an event of the program, and the sub-agent that it is of.
pub(super) const EVENT_NAME: &[&str] = &["systemPayload", "uiEvent", "event.name"];
pub(super) const EVENT_AGENT: &[&str] = &["systemPayload", "uiEvent", "subagent_id"];
/// The history that replaces the one before.
pub(super) const COMPRESSED: &[&str] = &["systemPayload", "compressedHistory"];
/// The mode of approvals, and the end of a turn.
pub(super) const MODE: &[&str] = &["systemPayload", "mode"];
pub(super) const STATE: &[&str] = &["systemPayload", "state"];
/// The command of an editor: its phase, its text, whether the model got it, and its answers.
pub(super) const PHASE: &[&str] = &["systemPayload", "phase"];
pub(super) const RAW_COMMAND: &[&str] = &["systemPayload", "rawCommand"];
pub(super) const SENT: &[&str] = &["systemPayload", "sentToModel"];
pub(super) const ITEMS: &[&str] = &["systemPayload", "outputHistoryItems"];
/// The sums of a sub-agent, in the result of its call.
pub(super) const SUMMARY: &[&str] = &["executionSummary"];
/// The members of a file about a sub-agent.
pub(super) const PARENT_SESSION: &[&str] = &["parentSessionId"];
pub(super) const AGENT_ID: &[&str] = &["agentId"];

/// The table of a record, with its own rows.
macro_rules! record {
    ($($rows:tt)*) => {
        map! {
            "uuid" => is(Id),
            "parentUuid" => is(Parent),
            "sessionId" => is(Session),
            "timestamp" => is(Time),
            "cwd" => is(WorkingDir),
            "version" => is(Version),
            "gitBranch" => is(Branch),
            "agentId" => is(Agent),
            "isSidechain" => is(Sidechain),
            "forkedFrom" => within(Native, &FORKED),
            kept [
                "provenance", "promptId", "daemonPromptId", "agentName", "agentColor",
                "agentRunId", "agentRound", "externalInputKind", "goalContext", "backgroundTurn",
                "deliveredTurn",
            ],
            $($rows)*
        }
    };
}

/// The session that a record was copied from.
static FORKED: Map = map! { "sessionId" => is(ParentSession), kept ["messageUuid"] };

/// A record of the program.
static NOTE_MAP: Map = record! {
    "subtype" => is(Type),
    kept ["type", "systemPayload", "message"],
};

/// A message of a person, or of the program in a person's place.
static USER_RECORD: Map = record! {
    "type" => is(Type),
    kept ["subtype", "systemPayload"],
    "message" => within(Native, &MESSAGE),
};

static MESSAGE: Map = map! {
    "role" => is(Role),
    "parts" => each(Content, part),
};

/// An answer of the model.
static ANSWER_RECORD: Map = record! {
    "type" => is(Type),
    kept ["subtype", "systemPayload"],
    "message" => within(Native, &MESSAGE),
    "model" => is(Model),
    "usageMetadata" => within(Usage, &TOKENS),
    kept ["contextWindowSize"],
};

/// `promptTokenCount` includes the cache. The total tells whether the output includes the thoughts.
static TOKENS: Map = map! {
    "promptTokenCount" => is(TokensIn),
    "candidatesTokenCount" => is(TokensOut),
    "cachedContentTokenCount" => is(CacheRead),
    "thoughtsTokenCount" => is(TokensReasoning),
    "totalTokenCount" => is(TokensTotal),
};

/// The result of one call: the parts of its message are the output.
static RESULT_RECORD: Map = record! {
    "type" => is(Type),
    kept ["subtype", "systemPayload"],
    "message" => within(Native, &RESULT_MESSAGE),
    "toolCallResult" => within(Native, &RESULT),
};

static RESULT_MESSAGE: Map = map! {
    "role" => is(Role),
    "parts" => is(Output),
};

static RESULT: Map = map! {
    "callId" => is(Call),
    "status" => is(Status),
    "resultDisplay" => is(Detail),
    "durationMs" => is(Duration),
    kept ["error", "errorType", "executionStatus"],
};

/// The results of calls that a record does not name, or of several.
static RESULTS_RECORD: Map = record! {
    "type" => is(Type),
    kept ["subtype", "systemPayload"],
    "message" => within(Native, &RESULTS_MESSAGE),
    "toolCallResult" => kept,
};

static RESULTS_MESSAGE: Map = map! {
    "role" => is(Role),
    "parts" => each(Content, response),
};

/// The table of a record with a payload.
macro_rules! payload {
    ($payload:expr) => {
        record! {
            "subtype" => is(Type),
            kept ["type"],
            "systemPayload" => within(Native, $payload),
        }
    };
}

/// The last title counts, whichever side chose it: the agent never replaces a person's.
static TITLE_RECORD: Map = payload!(&TITLE_MAP);
static TITLE_MAP: Map = map! { "customTitle" => is(Title), kept ["titleSource"] };

static PARENT_RECORD: Map = payload!(&PARENT_MAP);
static PARENT_MAP: Map = map! { "parentSessionId" => is(SpawnedBy) };

/// A compression: the history that the next request begins with.
static COMPRESSION_RECORD: Map = payload!(&COMPRESSION_MAP);
static COMPRESSION_MAP: Map = map! {
    kept ["info", "promptIds", "completedToolCallIds", "notes"],
    "compressedHistory" => each(Native, content),
};

/// A message of that history, in the form of the model's API.
static CONTENT_MAP: Map = map! {
    "role" => is(Role),
    "parts" => each(Content, part),
};

/// An answer, as the program reports it to the screen: those of titles, summaries and sub-agents
/// have no other record.
static REPORTED_RECORD: Map = payload!(&REPORTED_MAP);
static REPORTED_MAP: Map = map! { "uiEvent" => within(Usage, &REPORTED_TOKENS) };
static REPORTED_TOKENS: Map = map! {
    "model" => is(Model),
    "duration_ms" => is(Duration),
    "input_token_count" => is(TokensIn),
    "output_token_count" => is(TokensOut),
    "cached_content_token_count" => is(CacheRead),
    "thoughts_token_count" => is(TokensReasoning),
    "total_token_count" => is(TokensTotal),
    kept [
        "event.name", "event.timestamp", "response_id", "status_code", "response_text", "prompt_id",
        "auth_type", "ttft_ms", "tool_token_count", "subagent_name", "subagent_id",
        "subagent_type", "subagent_task_name",
    ],
};

/// The file about a sub-agent, beside its history.
static AGENT_FILE: Map = map! {
    "agentId" => is(Agent),
    "parentSessionId" => is(Session),
    "toolUseId" => is(Call),
    "createdAt" => is(Time),
    "status" => is(Status),
    "model" => is(Model),
    kept [
        "agentType", "description", "parentAgentId", "isBackgrounded", "lastUpdatedAt",
        "resolvedApprovalMode", "persistedCliFlags", "subagentName", "resumeCount", "depth",
    ],
};

pub(super) static NOTE: Case = Case::new("note", Kind::Notice, &NOTE_MAP).injected();
pub(super) static COMMAND: Case = Case::new("slash_command", Kind::Notice, &NOTE_MAP).injected();
pub(super) static REWIND: Case = Case::new("rewind", Kind::Notice, &NOTE_MAP).injected();
pub(super) static USER: Case = Case::new("user", Kind::User, &USER_RECORD);
pub(super) static TOLD: Case =
    Case::new("told", Kind::User, &USER_RECORD).injected_as(Injected::Told);
/// The report of a sub-agent, or of a command in the background.
pub(super) static REPORT: Case =
    Case::new("report", Kind::User, &USER_RECORD).injected_as(Injected::Report);
/// The task of a sub-agent, in a record of its own.
pub(super) static TASK: Case =
    Case::new("task", Kind::User, &USER_RECORD).injected_as(Injected::Task);
pub(super) static ANSWER: Case = Case::new("assistant", Kind::Assistant, &ANSWER_RECORD);
pub(super) static RESULT_CASE: Case = Case::new("tool_result", Kind::ToolResult, &RESULT_RECORD);
/// A result that fails without the status saying so.
pub(super) static FAILED: Case =
    Case::new("tool_result", Kind::ToolResult, &RESULT_RECORD).with(&[(Slot::IsError, "true")]);
pub(super) static RESULTS: Case = Case::new("results", Kind::User, &RESULTS_RECORD).injected();
pub(super) static TITLE: Case = Case::new("custom_title", Kind::Notice, &TITLE_RECORD).injected();
pub(super) static PARENT_CASE: Case =
    Case::new("parent_session", Kind::Notice, &PARENT_RECORD).injected();
pub(super) static COMPRESSION: Case =
    Case::new("chat_compression", Kind::Notice, &COMPRESSION_RECORD).injected();
pub(super) static COMPRESSED_USER: Case = Case::new("user", Kind::User, &CONTENT_MAP).top();
pub(super) static COMPRESSED_ANSWER: Case = Case::new("model", Kind::Assistant, &CONTENT_MAP).top();
pub(super) static REPORTED: Case =
    Case::new("ui_telemetry", Kind::Notice, &REPORTED_RECORD).injected();
/// The answer of a sub-agent.
pub(super) static REPORTED_SUB: Case = Case::new("ui_telemetry", Kind::Notice, &REPORTED_RECORD)
    .injected()
    .with(&[(Slot::Sidechain, "true")]);
pub(super) static AGENT: Case = Case::new("sub-agent", Kind::Notice, &AGENT_FILE).injected();

/// Every table, by its name in `FORMAT.md`. Those of the documents are in the folder of the agent
/// that it was made from.
pub(super) static ALL: &[(&str, &Map)] = &[
    ("record", &NOTE_MAP),
    ("record: forkedFrom", &FORKED),
    ("user, assistant: message", &MESSAGE),
    ("assistant: usageMetadata", &TOKENS),
    ("tool_result: message", &RESULT_MESSAGE),
    ("tool_result: toolCallResult", &RESULT),
    ("custom_title", &TITLE_MAP),
    ("parent_session", &PARENT_MAP),
    ("chat_compression", &COMPRESSION_MAP),
    ("chat_compression: message", &CONTENT_MAP),
    ("ui_telemetry: answer", &REPORTED_TOKENS),
    ("meta.json of a sub-agent", &AGENT_FILE),
];
