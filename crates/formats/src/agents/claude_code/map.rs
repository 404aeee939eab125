//! Tables of Claude Code's files. Tables only: `mod.rs` selects cases. Rows follow the format
//! reference; `kept` is a name without a canonical meaning.

use session::{Case, Injected, Kind, Map, map};

use super::blocks::{FALLBACK_BLOCK, THINKING, TOOL_RESULT, TOOL_USE};
use super::counters::{CACHE_CREATION, OUTPUT_DETAILS, USAGE};
use super::notices::{AGENT_FILE, ATTACHED, HEARTBEAT, NOTE, SUMMARY_LINE};
use super::requests::{REQUEST_LINE, SPREAD_LINE, TOOLS_LINE};
use super::stream_json::PRINTED_LINE;

/// Type of a line, a block or an attachment.
pub(super) const TYPE: &[&str] = &["type"];
pub(super) const TYPE_NAME: &[u8] = b"type";
/// Message of a line.
pub(super) const MESSAGE_OF: &[&str] = &["message"];
/// The first name in a text that was split into its letters.
pub(super) const FIRST_LETTER: &[u8] = b"0";
/// Content of a message.
pub(super) const CONTENT: &[&str] = &["content"];
/// Text of a text block.
pub(super) const TEXT: &[&str] = &["text"];
/// Cause of a user line.
pub(super) const KIND: &[&str] = &["kind"];
/// The session's id on a line.
pub(super) const SESSION: &[&str] = &["sessionId"];
/// The session's id in builds with only this spelling, and in stream-json output.
pub(super) const SESSION_SNAKE: &[&str] = &["session_id"];
/// The parent of a line.
pub(super) const PARENT: &[&str] = &["parentUuid"];
/// Types of the lines in `map.rs`; `notices.rs` has the others.
pub(super) const WORDS: &[&[u8]] =
    &[b"user", b"assistant", b"system", HOOK_CONTEXT, b"attachment", b"progress", b"summary"];
/// The type of a hook's text at the session's beginning (2.1.2x): a line of the chain.
pub(super) const HOOK_CONTEXT: &[u8] = b"saved_hook_context";
/// Names, one of which every line of a transcript has.
pub(super) const EVIDENCE: &[&[&str]] =
    &[&["uuid"], SESSION, &["message"], &["messageId"], &["summary"], &["key"]];
/// The agent of a line, in a collection of several agents' sessions.
pub(super) const AGENT_NAME: &[&str] = &["agent"];
/// Prefix of Claude Code's name there.
pub(super) const OWN_NAME: &[u8] = b"claude";
/// Names on every line of the history of prompts.
pub(super) const PROMPT: &[&[&str]] = &[&["display"], &["timestamp"]];
/// Text in a transcript's line, for a truncated line.
pub(super) const TYPE_WORDS: &[&str] =
    &[r#""type":"user""#, r#""type":"assistant""#, r#""type":"system""#, r#""type":"attachment""#];
/// A transcript's line also has one of these.
pub(super) const ID_WORDS: &[&str] = &[r#""sessionId":"#, r#""uuid":"#, r#""parentUuid":"#];
/// Ids of messages that a compaction left in the context, old spelling and new.
pub(super) const PRESERVED: &[&[&str]] = &[
    &["compactMetadata", "preservedMessages", "uuids"],
    &["compactMetadata", "preservedMessages", "allUuids"],
];
/// The first message of the range that a compaction left in the context.
pub(super) const PRESERVED_HEAD: &[&str] = &["compactMetadata", "preservedSegment", "headUuid"];
/// The last one.
pub(super) const PRESERVED_TAIL: &[&str] = &["compactMetadata", "preservedSegment", "tailUuid"];
/// The plan with which a prompt begins a cleared context.
pub(super) const PLAN: &[&str] = &["planContent"];
/// Messages that a line replaces.
pub(super) const SUPERSEDES: &[u8] = b"supersedesUuids";
/// The type of the line that a rewind without a new prompt leaves, as written.
pub(super) const REWIND: &[u8] = b"\"rewind-pointer\"";
/// Flag: if it is true, a `last-prompt` is such a line (2.1.26x).
pub(super) const REWOUND: &[u8] = b"rewound";
/// The subtype of the line that a compaction leaves, as written.
pub(super) const BOUNDARY: &[u8] = b"\"compact_boundary\"";

pub(super) static USER: Case = Case::new("user", Kind::User, &LINE);
pub(super) static CONTEXT: Case = Case::new("context", Kind::User, &LINE).injected();
pub(super) static COMMAND: Case =
    Case::new("command", Kind::User, &LINE).injected_as(Injected::Command);
/// The task of a sub-agent.
pub(super) static TASK: Case = Case::new("task", Kind::User, &LINE).injected_as(Injected::Task);
pub(super) static REPORT: Case =
    Case::new("report", Kind::User, &LINE).injected_as(Injected::Report);
pub(super) static SUMMED_UP: Case =
    Case::new("summed up", Kind::User, &LINE).injected_as(Injected::Summary);
/// A report that came during a turn, and was added to it.
pub(super) static REPORTED: Case =
    Case::new(SENT_BETWEEN, Kind::User, &LINE).injected_as(Injected::Report);
/// A prompt that a person sent during a turn, and that was added to it.
pub(super) static QUEUED: Case = Case::new(SENT_BETWEEN, Kind::User, &LINE);
/// The name of its case.
pub(super) const SENT_BETWEEN: &str = "queued";
pub(super) static ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &LINE);
/// An answer that the agent itself wrote in the model's place.
pub(super) static FILLER: Case = Case::new("filler", Kind::Assistant, &LINE).injected();
pub(super) static SYSTEM: Case = Case::new("system", Kind::Notice, &LINE).injected();
pub(super) static ATTACHMENT: Case = Case::new("attachment", Kind::Notice, &LINE).injected();
pub(super) static PROGRESS: Case = Case::new("progress", Kind::Notice, &LINE).injected();
pub(super) static SUMMARY: Case = Case::new("summary", Kind::Notice, &SUMMARY_LINE).injected();
pub(super) static NOTICE: Case = Case::new("notice", Kind::Notice, &NOTE).injected();
/// A request to the API, and the parts that several requests share.
pub(super) static REQUEST: Case = Case::new("request", Kind::Notice, &REQUEST_LINE).injected();
pub(super) static TOOLS: Case = Case::new("tools", Kind::Notice, &TOOLS_LINE).injected();
/// An answer whose message another program split: a text as an object of its letters.
pub(super) static SPREAD: Case = Case::new("spread", Kind::Assistant, &SPREAD_LINE);
/// A line that only stream-json output has.
pub(super) static PRINTED: Case = Case::new("printed", Kind::Notice, &PRINTED_LINE).injected();
/// A line with an unknown type. Its names are looked up all the same, so that the chain of messages
/// holds.
pub(super) static UNKNOWN: Case = Case::new("unknown", Kind::Notice, &LINE).injected();

pub(super) static REASONING: Case = Case::new("thinking", Kind::Reasoning, &THINKING);
pub(super) static CALL: Case = Case::new("tool_use", Kind::ToolCall, &TOOL_USE);
pub(super) static RESULT: Case = Case::new("tool_result", Kind::ToolResult, &TOOL_RESULT);
pub(super) static FALLBACK: Case = Case::new("fallback", Kind::Notice, &FALLBACK_BLOCK).injected();
pub(super) static SIDE: Case = Case::new("side-file", Kind::Notice, &session::UNKNOWN).injected();
pub(super) static AGENT: Case = Case::new("subagent", Kind::Notice, &AGENT_FILE).injected();

/// A line of the chain: user, assistant, system, attachment, progress.
pub(super) static LINE: Map = map! {
    // every line
    "type" => is(Type),
    "uuid" => is(Id),
    "parentUuid" => is(Parent),
    "logicalParentUuid" => is(Link),
    "sessionId" => is(Session),
    "session_id" => kept,
    "timestamp" => is(Time),
    "cwd" => is(WorkingDir),
    "gitBranch" => is(Branch),
    "version" => is(Version),
    "userType" => kept,
    "entrypoint" => kept,
    "slug" => kept,
    "isSidechain" => is(Sidechain),
    "isMeta" => is(Meta),
    "agentId" => is(Agent),
    "agentName" => kept,
    "agentDepth" => kept,
    "parentAgentName" => kept,
    "teamName" => kept,
    "sessionKind" => kept,
    "forkedFrom" => within(Native, &FORK),
    // messages
    "message" => within(Native, &MESSAGE),
    "requestId" => is(Request),
    "isCompactSummary" => is(CompactSummary),
    "isVisibleInTranscriptOnly" => kept,
    "promptId" => kept,
    "promptSource" => kept,
    "rowSource" => kept,
    "origin" => kept,
    "permissionMode" => kept,
    "thinkingMetadata" => kept,
    "todos" => kept,
    "imagePasteIds" => kept,
    "effort" => kept,
    "planContent" => kept,
    "classifierMetaLines" => kept,
    "turnCompanion" => kept,
    "turnOrigin" => kept,
    "turnPosition" => kept,
    "isVirtual" => kept,
    "userFeedback" => kept,
    "usageLimitNote" => kept,
    "replacesSpan" => kept,
    "summarizeMetadata" => kept,
    "queuePriority" => kept,
    "queueOrigin" => kept,
    "queueSkipAttachments" => kept,
    "queueTranscriptOnly" => kept,
    "scheduledTaskId" => kept,
    "scheduledFireId" => kept,
    "stackedOriginalInput" => kept,
    "stackedExpansion" => kept,
    "classifierBoundary" => kept,
    "serverClassifierContext" => kept,
    "hostClassifierContext" => kept,
    "interruptedMessageId" => kept,
    "interruptedByShutdown" => kept,
    "toolUseResult" => kept,
    "sourceToolAssistantUUID" => kept,
    "sourceToolUseID" => kept,
    "toolDenialKind" => kept,
    "toolEndsTurn" => kept,
    "mcpMeta" => kept,
    "isApiErrorMessage" => kept,
    "apiError" => kept,
    "apiErrorIsTransient" => kept,
    "apiErrorStatus" => kept,
    "apiErrorType" => kept,
    "failedResponseHadNoToolCall" => kept,
    "error" => kept,
    "errorDetails" => kept,
    "isAbortedMidStream" => kept,
    "truncatedAfterOutput" => kept,
    "healsDistinctCarrier" => kept,
    "quotaLimits" => kept,
    "apiBlockIndex" => kept,
    "apiBlockIndices" => kept,
    "batchToolUses" => kept,
    "perTurnEffort" => kept,
    "thinkingDurationMs" => kept,
    "wireToolInputs" => kept,
    "wireIngestContext" => kept,
    "serverClassifierRequest" => kept,
    "supersedesUuids" => is(Target),
    "advisorModel" => kept,
    "attributionSkill" => kept,
    "attributionPlugin" => kept,
    "attributionAgent" => kept,
    "attributionMcpServer" => kept,
    "attributionMcpTool" => kept,
    "costUSD" => is(Cost),
    "madeBy" => kept,
    "requestedModel" => kept,
    "requestRef" => kept,
    "requestSessionId" => kept,
    "promptCacheRequested" => kept,
    "thinkingDisplay" => kept,
    "toolInputStreamMs" => kept,
    "permissionDecision" => kept,
    "sandboxed" => kept,
    // messages in stream-json output
    "_audit_timestamp" => is(Time),
    "request_id" => is(Request),
    "parent_tool_use_id" => kept,
    "parent_agent_id" => kept,
    "subagent_type" => kept,
    "task_description" => kept,
    "tool_use_result" => kept,
    "isSynthetic" => kept,
    "isReplay" => kept,
    "shouldQuery" => kept,
    "priority" => kept,
    "client_composed" => kept,
    "file_attachments" => kept,
    "pasted_content" => kept,
    "inline_pastes" => kept,
    "user_message_uuid" => kept,
    "user_message_uuids" => kept,
    "resume_reason" => kept,
    "resumed_from_incomplete_thinking" => kept,
    "is_api_error_message" => kept,
    "aborted" => kept,
    "supersedes" => kept,
    "context_usage" => kept,
    "usage_report" => kept,
    // system
    "subtype" => is(Name),
    "content" => is(Content),
    "level" => kept,
    "upgradeNudge" => kept,
    "toolUseID" => kept,
    "durationMs" => is(Duration),
    "messageCount" => kept,
    "pendingBackgroundAgentCount" => kept,
    "pendingWorkflowCount" => kept,
    "compactMetadata" => within(Native, &COMPACTION),
    "microcompactMetadata" => kept,
    "hookCount" => kept,
    "hookInfos" => kept,
    "hookErrors" => kept,
    "hookAdditionalContext" => kept,
    "preventedContinuation" => kept,
    "stopReason" => kept,
    "hasOutput" => kept,
    "url" => kept,
    "cause" => kept,
    "source" => kept,
    "choice" => kept,
    "persistedAsDefault" => kept,
    "commands" => kept,
    "commandRun" => kept,
    "writtenPaths" => kept,
    "snapshotFiles" => kept,
    "neutralizedByFork" => kept,
    "taskId" => kept,
    "taskKind" => kept,
    "cron" => kept,
    "cronKind" => kept,
    "prompt" => kept,
    "noOpStreak" => kept,
    "streakStartedAt" => kept,
    "foldedUuids" => kept,
    "retryInMs" => kept,
    "retryAttempt" => kept,
    "maxRetries" => kept,
    "direction" => kept,
    "scope" => kept,
    "trigger" => kept,
    "originalModel" => kept,
    "fallbackModel" => kept,
    "apiRefusalCategory" => kept,
    "apiRefusalExplanation" => kept,
    "refusedUserMessageUuid" => is(Target),
    "retractedMessageUuids" => is(Target),
    // attachment, progress, saved_hook_context
    "attachment" => within(Native, &ATTACHED),
    "rendered" => kept,
    "renderedInHumanTurn" => kept,
    "renderedRole" => kept,
    "renderedBesideToolResult" => kept,
    "hookName" => kept,
    "hookEvent" => kept,
    "data" => within(Native, &HEARTBEAT),
    "parentToolUseID" => is(Call),
};

/// Source of a copied line.
pub(super) static FORK: Map = map! {
    "sessionId" => is(ParentSession),
    "messageUuid" => kept,
};

/// A message in the API's form.
pub(super) static MESSAGE: Map = map! {
    "id" => is(Message),
    "type" => kept,
    "role" => is(Role),
    "model" => is(Model),
    "content" => each(Content, super::block),
    "stop_reason" => is(Finish),
    "stop_sequence" => kept,
    "stop_details" => kept,
    "usage" => within(Usage, &USAGE),
    "container" => kept,
    "context_management" => kept,
    "diagnostics" => kept,
    "service_tier" => kept,
    "error" => kept,
};

/// Metadata of a compaction.
pub(super) static COMPACTION: Map = map! {
    "trigger" => kept,
    "preTokens" => kept,
    "postTokens" => kept,
    "cumulativeDroppedTokens" => kept,
    "durationMs" => is(Duration),
    "userContext" => kept,
    "messagesSummarized" => kept,
    "preCompactDiscoveredTools" => kept,
    "preservedSegment" => kept,
    "preservedMessages" => kept,
    "preCompactOrganizationsCoverStart" => kept,
};

/// The tables by name, for documents and checks.
pub(super) static MAPS: &[(&str, &Map)] = &[
    ("line", &LINE),
    ("line.forkedFrom", &FORK),
    ("line.message", &MESSAGE),
    ("line.message.usage", &USAGE),
    ("line.message.usage.cache_creation", &CACHE_CREATION),
    ("line.message.usage.output_tokens_details", &OUTPUT_DETAILS),
    ("line.compactMetadata", &COMPACTION),
    ("line.attachment", &ATTACHED),
    ("line.data", &HEARTBEAT),
    ("thinking", &THINKING),
    ("tool_use", &TOOL_USE),
    ("tool_result", &TOOL_RESULT),
    ("fallback", &FALLBACK_BLOCK),
    ("summary", &SUMMARY_LINE),
    ("note", &NOTE),
    ("line whose message is letters", &SPREAD_LINE),
    ("api-request, api-request-shape, api-request-blob, api-request-resumed", &REQUEST_LINE),
    ("tools-used", &TOOLS_LINE),
    ("printed", &PRINTED_LINE),
    ("meta.json", &AGENT_FILE),
];
