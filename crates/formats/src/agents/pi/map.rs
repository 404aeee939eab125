//! Tables of the entries of a session. Tables only: `case.rs` selects cases, `blocks.rs` has the
//! tables of the parts of a message.

use session::{Case, Injected, Kind, Map, Slot, map};

use super::blocks::{NESTED, USAGE};
use super::case::block;

/// Type of an entry or a block.
pub(super) const TYPE: &[&str] = &["type"];
/// The id of an entry, or of a session in its header.
pub(super) const ID: &[&str] = &["id"];
/// The parent of an entry.
pub(super) const PARENT: &[&str] = &["parentId"];
/// Time of an entry.
pub(super) const TIMESTAMP: &[&str] = &["timestamp"];
/// The folder in a header.
pub(super) const CWD: &[&str] = &["cwd"];
/// The version of the format, in a header.
pub(super) const VERSION: &[&str] = &["version"];
/// Role of a message.
pub(super) const ROLE: &[&str] = &["message", "role"];
/// The model of an answer.
pub(super) const MODEL: &[&str] = &["message", "model"];
/// The mark of a result, and the signs in the details of some tools.
pub(super) const IS_ERROR: &[&str] = &["message", "isError"];
pub(super) const STATUS: &[&str] = &["message", "details", "status"];
pub(super) const CODE_OF_EXIT: &[&str] = &["message", "details", "exitCode"];
pub(super) const FAULT: &[&str] = &["message", "details", "error"];
/// A mark of a command that the model does not get to see.
pub(super) const EXCLUDED: &[&str] = &["message", "excludeFromContext"];
/// The side that began a message: the person or the agent.
pub(super) const ATTRIBUTION: &[&str] = &["message", "attribution"];
/// A mark of a message that nobody typed.
pub(super) const SYNTHETIC: &[&str] = &["message", "synthetic"];
/// The kind of an extension's entry.
pub(super) const CUSTOM_TYPE: &[&str] = &["customType"];
/// The content of an extension's message, and the text of a block.
pub(super) const CONTENT: &[&str] = &["content"];
pub(super) const TEXT: &[&str] = &["text"];
/// The first entry that a compaction kept.
pub(super) const FIRST_KEPT: &[&str] = &["firstKeptEntryId"];
/// The same as the number of the line, in version 1.
pub(super) const FIRST_KEPT_INDEX: &[&str] = &["firstKeptEntryIndex"];
/// The text in the place of an earlier message in the context; `null` takes it out.
pub(super) const REPLACEMENT: &[&str] = &["replacement"];
/// The side that chose a title.
pub(super) const TITLE_SOURCE: &[&[&str]] = &[&["titleSource"], &["source"]];
/// The members of a command that a person ran.
pub(super) const COMMAND: &[&str] = &["message", "command"];
pub(super) const CODE: &[&str] = &["message", "code"];
pub(super) const OUTPUT: &[&str] = &["message", "output"];
pub(super) const EXIT_CODE: &[&str] = &["message", "exitCode"];
pub(super) const CANCELLED: &[&str] = &["message", "cancelled"];
pub(super) const TRUNCATED: &[&str] = &["message", "truncated"];
pub(super) const FULL_OUTPUT: &[&str] = &["message", "fullOutputPath"];
/// The reason why an answer ended.
pub(super) const STOP: &[&str] = &["message", "stopReason"];
/// The calls that a script made, in its result.
pub(super) const NESTED_CALLS: &[&str] = &["message", "nestedCalls", "calls"];
/// The padding of the place of a title.
pub(super) const PAD: &[&str] = &["pad"];
/// The mode of an agent.
pub(super) const MODE: &[&str] = &["mode"];

/// The table of an entry of the tree, with its own rows.
macro_rules! entry {
    ($($rows:tt)*) => {
        map! {
            "type" => is(Type),
            "id" => is(Id),
            "parentId" => is(Parent),
            "timestamp" => is(Time),
            $($rows)*
        }
    };
}

/// The header, with the meaning of its title.
macro_rules! header {
    ($title:ident) => {
        map! {
            "type" => is(Type),
            kept ["version"],
            "id" => is(Session),
            "timestamp" => is(Started),
            "cwd" => is(WorkingDir),
            "parentSession" => is(ParentSession),
            // Version 1.
            "branchedFrom" => is(ParentSession),
            "provider" => is(Provider),
            "modelId" => is(Model),
            kept ["thinkingLevel"],
            // oh-my-pi
            "title" => is($title),
            kept [
                "titleSource", "additionalDirectories", "previousSessionFiles",
                "providerPromptCacheKey",
            ],
        }
    };
}

pub(super) static HEADER_MAP: Map = header!(AutoTitle);
static NAMED_HEADER: Map = header!(Title);

/// A message of a person, or of the agent in a person's place.
static USER_ENTRY: Map = entry! { "message" => within(Native, &USER_MESSAGE) };
static USER_MESSAGE: Map = map! {
    "role" => is(Role),
    "content" => is(Content),
    kept ["timestamp"],
    // A message of an extension.
    "customType" => is(Name),
    kept ["display", "details"],
    // oh-my-pi
    kept ["attribution", "synthetic", "steering", "providerPayload"],
};

/// The prompt of the agent itself, with its tools.
static SYSTEM_ENTRY: Map = entry! { "message" => within(Native, &SYSTEM_MESSAGE) };
static SYSTEM_MESSAGE: Map = map! {
    "role" => is(Role),
    "content" => is(Content),
    kept ["sections", "toolsAdded", "toolsRemoved", "timestamp"],
};

/// An answer of the model.
static ANSWER_ENTRY: Map = entry! { "message" => within(Native, &ANSWER_MESSAGE) };
static ANSWER_MESSAGE: Map = map! {
    "role" => is(Role),
    "content" => each(Content, block),
    kept ["api"],
    "provider" => is(Provider),
    "model" => is(Model),
    "usage" => within(Usage, &USAGE),
    "stopReason" => is(Finish),
    "duration" => is(Duration),
    "durationMs" => is(Duration),
    kept [
        "responseModel", "responseId", "errorMessage", "timestamp", "thinkingLevel",
        "providerThinkingLevel", "diagnostics", "deferred", "rawStopReason", "endTurn",
    ],
    // oh-my-pi
    kept [
        "ttft", "errorStatus", "errorId", "providerPayload", "retryRecovery", "contextSnapshot",
        "stopDetails", "upstreamProvider", "disabledFeatures",
    ],
};

/// A text that the gateway delivered or wrote itself: the model in it is a mark.
static DELIVERED_ENTRY: Map = entry! { "message" => within(Native, &DELIVERED_MESSAGE) };
static DELIVERED_MESSAGE: Map = map! {
    "role" => is(Role),
    "content" => each(Content, block),
    kept ["api", "provider", "model"],
    "usage" => within(Usage, &USAGE),
    "stopReason" => is(Finish),
    kept ["timestamp", "idempotencyKey"],
};

/// The table of a result's message, with the row of its mark.
macro_rules! result {
    ($($mark:tt)*) => {
        map! {
            "role" => is(Role),
            "toolCallId" => is(Call),
            "toolName" => is(Name),
            "content" => is(Output),
            "details" => is(Detail),
            $($mark)*
            "usage" => within(Usage, &USAGE),
            "nestedCalls" => within(Native, &NESTED),
            kept ["timestamp"],
            "durationMs" => is(Duration),
            // oh-my-pi
            kept ["prunedAt", "useless", "attribution"],
        }
    };
}

/// A result of a tool.
static RESULT_ENTRY: Map = entry! { "message" => within(Native, &RESULT_MESSAGE) };
static RESULT_MESSAGE: Map = result! { "isError" => is(IsError), };

/// A result whose details say that the call failed: its mark does not say so.
static FAILED_ENTRY: Map = entry! { "message" => within(Native, &FAILED_MESSAGE) };
static FAILED_MESSAGE: Map = result! { kept ["isError"], };

/// A command that a person ran.
static RAN_ENTRY: Map = entry! { "message" => within(Native, &RAN_MESSAGE) };
static RAN_MESSAGE: Map = map! {
    "role" => is(Role),
    "command" => is(Content),
    // oh-my-pi: a script of Python.
    "code" => is(Content),
    "output" => is(Output),
    "exitCode" => is(ExitCode),
    kept [
        "cancelled", "truncated", "fullOutputPath", "excludeFromContext", "timestamp", "meta",
        "images",
    ],
};

/// Files that a prompt names (oh-my-pi).
static FILES_ENTRY: Map = entry! { "message" => within(Native, &FILES_MESSAGE) };
static FILES_MESSAGE: Map = map! {
    "role" => is(Role),
    "files" => is(Content),
    kept ["timestamp"],
};

/// A summary as a message.
static SUMMED_ENTRY: Map = entry! { "message" => within(Native, &SUMMED_MESSAGE) };
static SUMMED_MESSAGE: Map = map! {
    "role" => is(Role),
    "summary" => is(Content),
    kept ["fromId", "tokensBefore", "timestamp"],
};

/// A message whose role no table knows.
static OTHER_ENTRY: Map = entry! { "message" => kept };

static MODEL_CHANGE_MAP: Map = entry! {
    kept ["provider", "modelId"],
    // oh-my-pi
    kept ["model", "role", "resolvedModelIsFallback"],
};
static LEVEL_MAP: Map = entry! { kept ["thinkingLevel", "configured"] };
static COMPACTION_MAP: Map = entry! {
    "summary" => is(Content),
    kept [
        "firstKeptEntryId", "firstKeptEntryIndex", "tokensBefore", "details", "fromHook",
        "retainedTail", "systemMessage",
    ],
    "usage" => within(Usage, &USAGE),
    // oh-my-pi
    kept [
        "shortSummary", "tokensAfter", "method", "providerReplayThroughEntryId", "preserveData",
        "fromExtension", "warning",
    ],
};
static BRANCH_MAP: Map = entry! {
    kept ["fromId"],
    "summary" => is(Content),
    kept ["details", "fromHook", "fromExtension"],
    "usage" => within(Usage, &USAGE),
};
static CUSTOM_MAP: Map = entry! { "customType" => is(Name), kept ["data"] };
static CUSTOM_MESSAGE_MAP: Map = entry! {
    "customType" => is(Name),
    "content" => is(Content),
    kept ["display", "details", "attribution"],
};
static NOTE_MAP: Map = entry! {
    "targetId" => is(Target),
    kept ["label", "replacement"],
    // oh-my-pi
    kept ["archived", "serviceTier", "injectedRules", "mode", "data", "provider", "hash"],
};
static NAME_MAP: Map = entry! { "name" => is(Title) };
static USAGE_MAP: Map = entry! {
    kept ["kind"],
    "provider" => is(Provider),
    "model" => is(Model),
    "usage" => within(Usage, &USAGE),
    // oh-my-pi
    kept ["purpose", "role", "api", "stopReason", "errorMessage"],
};
/// The beginning of a sub-agent's session (oh-my-pi).
static INIT_MAP: Map = entry! {
    kept [
        "systemPrompt", "task", "tools", "agent", "modelRole", "resolvedModel", "retryFallback",
        "readOnly", "outputSchema", "outputSchemaMode", "restrictToolNames", "spawns",
        "readSummarize", "advisor", "compactionThreshold", "isolated", "workPoolYieldItems",
    ],
};

/// A title, with its meaning (oh-my-pi).
macro_rules! titled {
    ($title:ident) => {
        entry! {
            "title" => is($title),
            kept ["previousTitle", "source", "trigger", "v", "updatedAt", "pad"],
        }
    };
}
static AUTO_TITLE_MAP: Map = titled!(AutoTitle);
static TITLE_MAP: Map = titled!(Title);

pub(super) static HEADER: Case = Case::new("session", Kind::Notice, &HEADER_MAP).injected();
pub(super) static HEADER_NAMED: Case = Case::new("session", Kind::Notice, &NAMED_HEADER).injected();
pub(super) static USER: Case = Case::new("user", Kind::User, &USER_ENTRY);
pub(super) static TOLD: Case =
    Case::new("told", Kind::User, &USER_ENTRY).injected_as(Injected::Told);
pub(super) static SYSTEM: Case = Case::new("system", Kind::User, &SYSTEM_ENTRY).injected();
pub(super) static ANSWER: Case = Case::new("assistant", Kind::Assistant, &ANSWER_ENTRY);
pub(super) static DELIVERED: Case = Case::new("delivered", Kind::Assistant, &DELIVERED_ENTRY);
pub(super) static RESULT: Case = Case::new("toolResult", Kind::ToolResult, &RESULT_ENTRY);
pub(super) static FAILED: Case =
    Case::new("toolResult", Kind::ToolResult, &FAILED_ENTRY).with(&[(Slot::IsError, "true")]);
pub(super) static RAN: Case = Case::new("ran", Kind::User, &RAN_ENTRY).injected_as(Injected::Told);
pub(super) static RAN_APART: Case = Case::new("ran apart", Kind::Notice, &RAN_ENTRY).injected();
pub(super) static FILES: Case =
    Case::new("files", Kind::User, &FILES_ENTRY).injected_as(Injected::Told);
pub(super) static SUMMED: Case =
    Case::new("summary", Kind::User, &SUMMED_ENTRY).injected_as(Injected::Summary);
pub(super) static LEFT_SUMMED: Case =
    Case::new("branch summary", Kind::User, &SUMMED_ENTRY).injected_as(Injected::Told);
pub(super) static OTHER: Case = Case::new("unknown", Kind::Notice, &OTHER_ENTRY).injected();
pub(super) static MODEL_CHANGE: Case =
    Case::new("model_change", Kind::Notice, &MODEL_CHANGE_MAP).injected();
pub(super) static LEVEL: Case =
    Case::new("thinking_level_change", Kind::Notice, &LEVEL_MAP).injected();
pub(super) static COMPACTION: Case =
    Case::new("compaction", Kind::User, &COMPACTION_MAP).injected_as(Injected::Summary);
pub(super) static BRANCH: Case =
    Case::new("branch_summary", Kind::User, &BRANCH_MAP).injected_as(Injected::Told);
pub(super) static CUSTOM: Case = Case::new("custom", Kind::Notice, &CUSTOM_MAP).injected();
pub(super) static CUSTOM_MESSAGE: Case =
    Case::new("custom_message", Kind::User, &CUSTOM_MESSAGE_MAP).injected_as(Injected::Told);
/// The report of a sub-agent.
pub(super) static REPORT: Case =
    Case::new("report", Kind::User, &CUSTOM_MESSAGE_MAP).injected_as(Injected::Report);
pub(super) static NOTE: Case = Case::new("note", Kind::Notice, &NOTE_MAP).injected();
pub(super) static SESSION_NAME: Case =
    Case::new("session_info", Kind::Notice, &NAME_MAP).injected();
pub(super) static SPENT: Case = Case::new("usage", Kind::Notice, &USAGE_MAP).injected();
pub(super) static INIT: Case = Case::new("session_init", Kind::Notice, &INIT_MAP).injected();
pub(super) static AUTO_TITLE: Case = Case::new("title", Kind::Notice, &AUTO_TITLE_MAP).injected();
pub(super) static TITLE: Case = Case::new("title", Kind::Notice, &TITLE_MAP).injected();
/// A boundary behind which the context begins (oh-my-pi).
pub(super) static RESET: Case = Case::new("reset_boundary", Kind::Notice, &NOTE_MAP).injected();
/// An entry of a type that no table knows. It stays in the tree.
pub(super) static UNKNOWN: Case = Case::new("unknown", Kind::Notice, &NOTE_MAP).injected();

/// Every table, by its name in `FORMAT.md`.
pub(super) static ALL: &[(&str, &Map)] = &[
    ("session", &HEADER_MAP),
    ("message: user, custom, hookMessage, developer", &USER_MESSAGE),
    ("message: system", &SYSTEM_MESSAGE),
    ("message: assistant", &ANSWER_MESSAGE),
    ("message: toolResult", &RESULT_MESSAGE),
    ("message: bashExecution, pythonExecution", &RAN_MESSAGE),
    ("message: compactionSummary, branchSummary", &SUMMED_MESSAGE),
    ("model_change", &MODEL_CHANGE_MAP),
    ("thinking_level_change", &LEVEL_MAP),
    ("compaction", &COMPACTION_MAP),
    ("branch_summary", &BRANCH_MAP),
    ("custom", &CUSTOM_MAP),
    ("custom_message", &CUSTOM_MESSAGE_MAP),
    ("label, context_edit, and other notes", &NOTE_MAP),
    ("session_info", &NAME_MAP),
    ("usage, model_usage", &USAGE_MAP),
];

/// The tables that only OpenClaw needs.
pub(crate) static OPENCLAW: &[(&str, &Map)] =
    &[("message: assistant that the gateway wrote", &DELIVERED_MESSAGE)];

/// The tables that only oh-my-pi needs.
pub(crate) static OH_MY_PI: &[(&str, &Map)] = &[
    ("message: fileMention", &FILES_MESSAGE),
    ("session_init", &INIT_MAP),
    ("title, title_change", &AUTO_TITLE_MAP),
];
