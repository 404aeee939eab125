//! Tables of Claude Code's files. Tables only: `mod.rs` selects cases. Rows follow the format
//! reference; `kept` is a name without a canonical meaning.

use session::{Case, Injected, Kind, Map, map};

use super::blocks::{FALLBACK_BLOCK, THINKING, TOOL_RESULT, TOOL_USE};
use super::counters::{CACHE_CREATION, OUTPUT_DETAILS, USAGE};
use super::notices::{
    AGENT_FILE, ATTACHED as ATTACHMENT_MAP, BLOCKED, FILE as FILE_MAP, FILE_CONTENT, FILE_ITSELF,
    HEARTBEAT, NOTE, PICTURE as PICTURE_MAP, RESPONSE, RESPONSE_OUTPUT, SUMMARY_LINE,
};
use super::requests::{REQUEST_LINE, SPREAD_LINE, TOOLS_LINE};
use super::stream_json::PRINTED_LINE;
use crate::typed::PromptList;

/// Type of a line, a block or an attachment.
pub(super) const TYPE: &[&str] = &["type"];
pub(super) const TYPE_NAME: &[u8] = b"type";
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
/// The session of a sub-agent, in another agent's file about one.
pub(super) const SPAWNER: &[&str] = &["parentSessionId"];
/// The agent of a line, in a collection of several agents' sessions.
pub(super) const AGENT_NAME: &[&str] = &["agent"];
/// Prefix of Claude Code's name there.
pub(super) const OWN_NAME: &[u8] = b"claude";
/// Names on every line of the history of prompts.
pub(super) const PROMPT: &[&[&str]] = &[TYPED.text, TYPED.time];
/// The history of prompts of all sessions.
pub(super) const TYPED: PromptList = PromptList {
    path: "history.jsonl",
    session: SESSION,
    time: &["timestamp"],
    text: &["display"],
    folder: &["project"],
    like: "",
    pasted: Some([&["pastedContents"], CONTENT]),
};
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
/// The output of a command of the agent itself, in builds that have it as a system line.
pub(super) static LOCAL_OUTPUT: Case =
    Case::new(BETWEEN, Kind::User, &LINE).injected_as(Injected::Command);
/// A text that the agent passes to the model in a person's place.
pub(super) static TOLD: Case = Case::new("told", Kind::User, &LINE).injected_as(Injected::Told);
/// The same as an attachment: in words, as a file, as a picture.
pub(super) static ATTACHED: Case =
    Case::new(BETWEEN, Kind::User, &LINE).injected_as(Injected::Told);
pub(super) static RENDERED: Case =
    Case::new(BETWEEN, Kind::User, &RENDERED_LINE).injected_as(Injected::Told);
pub(super) static FILE: Case =
    Case::new(BETWEEN, Kind::User, &FILE_LINE).injected_as(Injected::Told);
pub(super) static PICTURE: Case =
    Case::new(BETWEEN, Kind::User, &PICTURE_LINE).injected_as(Injected::Told);
/// The name of their cases: they are beside the chain of messages.
pub(super) const BETWEEN: &str = "attached";
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

/// The table of a line of the chain (user, assistant, system, attachment, progress) whose
/// attachment has this table.
macro_rules! line {
    ($attached:expr, $rendered:ident $(($slot:ident))?) => {
        map! {
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
            kept ["userType", "entrypoint", "slug"],
            "isSidechain" => is(Sidechain),
            "isMeta" => is(Meta),
            "agentId" => is(Agent),
            kept ["agentName", "agentDepth", "parentAgentName", "teamName", "sessionKind"],
            "forkedFrom" => within(Native, &FORK),
            // messages
            "message" => within(Native, &MESSAGE),
            "requestId" => is(Request),
            "isCompactSummary" => is(CompactSummary),
            kept [
                "isVisibleInTranscriptOnly", "promptId", "promptSource", "rowSource", "origin",
                "permissionMode", "thinkingMetadata", "todos", "imagePasteIds", "effort",
                "planContent", "classifierMetaLines", "turnCompanion", "turnOrigin",
                "turnPosition", "isVirtual", "userFeedback", "usageLimitNote", "replacesSpan",
                "summarizeMetadata", "queuePriority", "queueOrigin", "queueSkipAttachments",
                "queueTranscriptOnly", "scheduledTaskId", "scheduledFireId",
                "stackedOriginalInput", "stackedExpansion", "classifierBoundary",
                "serverClassifierContext", "hostClassifierContext", "interruptedMessageId",
                "interruptedByShutdown", "toolUseResult", "sourceToolAssistantUUID",
                "sourceToolUseID", "toolDenialKind", "toolEndsTurn", "mcpMeta",
                "isApiErrorMessage", "apiError", "apiErrorIsTransient", "apiErrorStatus",
                "apiErrorType", "failedResponseHadNoToolCall", "error", "errorDetails",
                "isAbortedMidStream", "truncatedAfterOutput", "healsDistinctCarrier",
                "quotaLimits", "apiBlockIndex", "apiBlockIndices", "batchToolUses",
                "perTurnEffort", "thinkingDurationMs", "wireToolInputs", "wireIngestContext",
                "serverClassifierRequest",
                // 2.1.332
                "sentAtMs", "holdsPersonsWords", "summarizedTurnPromptUuids",
                "mcpCallNotReadOnly", "toolDenialBeforeRun",
            ],
            "supersedesUuids" => is(Target),
            kept [
                "advisorModel", "attributionSkill", "attributionPlugin", "attributionAgent",
                "attributionMcpServer", "attributionMcpTool",
            ],
            "costUSD" => is(Cost),
            kept [
                "madeBy", "requestedModel", "requestRef", "requestSessionId",
                "promptCacheRequested", "thinkingDisplay", "toolInputStreamMs",
                "permissionDecision", "sandboxed",
            ],
            // messages in stream-json output
            "_audit_timestamp" => is(Time),
            "request_id" => is(Request),
            kept [
                "parent_tool_use_id", "parent_agent_id", "subagent_type", "task_description",
                "tool_use_result", "isSynthetic", "isReplay", "shouldQuery", "priority",
                "client_composed", "file_attachments", "pasted_content", "inline_pastes",
                "user_message_uuid", "user_message_uuids", "resume_reason",
                "resumed_from_incomplete_thinking", "is_api_error_message", "aborted",
                "supersedes", "context_usage", "usage_report",
            ],
            // system
            "subtype" => is(Name),
            "content" => is(Content),
            kept ["level", "upgradeNudge", "toolUseID"],
            "durationMs" => is(Duration),
            kept ["messageCount", "pendingBackgroundAgentCount", "pendingWorkflowCount"],
            "compactMetadata" => within(Native, &COMPACTION),
            kept [
                "microcompactMetadata", "hookCount", "hookInfos", "hookErrors",
                "hookAdditionalContext", "preventedContinuation", "stopReason", "hasOutput",
                "url", "cause", "source", "choice", "persistedAsDefault", "commands",
                "commandRun", "writtenPaths", "snapshotFiles", "neutralizedByFork", "taskId",
                "taskKind", "cron", "cronKind", "prompt", "noOpStreak", "streakStartedAt",
                "foldedUuids", "retryInMs", "retryAttempt", "maxRetries", "direction", "scope",
                "trigger", "originalModel", "fallbackModel", "apiRefusalCategory",
                "apiRefusalExplanation", "contextUsage",
            ],
            "refusedUserMessageUuid" => is(Target),
            "retractedMessageUuids" => is(Target),
            // attachment, progress, saved_hook_context
            "attachment" => within(Native, $attached),
            "rendered" => $rendered $(($slot))?,
            kept [
                "renderedInHumanTurn", "renderedRole", "renderedBesideToolResult", "hookName",
                "hookEvent",
            ],
            "data" => within(Native, &HEARTBEAT),
            "parentToolUseID" => is(Call),
        }
    };
}

pub(super) static LINE: Map = line!(&ATTACHMENT_MAP, kept);
/// A line with an attachment of which only the agent's words say something.
static RENDERED_LINE: Map = line!(&ATTACHMENT_MAP, is(Content));
static FILE_LINE: Map = line!(&FILE_MAP, kept);
static PICTURE_LINE: Map = line!(&PICTURE_MAP, kept);

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
    kept ["stop_sequence", "stop_details"],
    "usage" => within(Usage, &USAGE),
    kept ["container", "context_management", "diagnostics", "service_tier", "error"],
};

/// Metadata of a compaction.
pub(super) static COMPACTION: Map = map! {
    kept ["trigger", "preTokens", "postTokens", "cumulativeDroppedTokens"],
    "durationMs" => is(Duration),
    kept [
        "userContext", "messagesSummarized", "preCompactDiscoveredTools", "preservedSegment",
        "preservedMessages", "preCompactOrganizationsCoverStart", "runningTurnPrompt",
    ],
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
    ("line.attachment", &ATTACHMENT_MAP),
    ("line.attachment with a file", &FILE_MAP),
    ("line.attachment with a picture", &PICTURE_MAP),
    ("line.attachment.content", &FILE_CONTENT),
    ("line.attachment.content.file", &FILE_ITSELF),
    ("line.attachment.blockingError", &BLOCKED),
    ("line.attachment.response", &RESPONSE),
    ("line.attachment.response.hookSpecificOutput", &RESPONSE_OUTPUT),
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
