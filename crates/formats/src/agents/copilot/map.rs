//! Meanings of the names in Copilot's files: those of events by type, which `schema.rs` puts into
//! the tables of `names.txt`, and whole tables of the objects that no typings have. Tables only;
//! `case.rs` selects cases.

use session::{Map, Named, map, rows};

use super::{case, document, schema};

/// The rows of each line beside its data.
pub(super) const ENVELOPE: &[Named] = rows!([]
    "type" => is(Type),
    "id" => is(Id),
    "timestamp" => is(Time),
    "parentId" => is(Parent),
    "agentId" => is(Agent),
    kept ["ephemeral"],
);

/// The member without a row: it counts where nothing else does (`usage.rs`).
pub(super) const LABELLED: &str = "outputTokens";

/// The meanings of the members of events, by type; and the names in files that the typings lack.
pub(super) const MEANT: &[(&str, &[Named])] = &[
    ("abort", rows!([] "reason" => is(Finish),)),
    (
        "assistant.message",
        rows!([]
            "messageId" => is(Message),
            "content" => is(Content),
            "model" => is(Model),
            "toolRequests" => each(Native, case::requested),
            "interactionId" => is(Turn),
            "requestId" => is(Request),
        ),
    ),
    ("assistant.reasoning", rows!([] "content" => is(Content),)),
    ("assistant.turn_end", rows!([] kept ["interactionId", "parentToolCallId"],)),
    ("assistant.turn_start", rows!([] "interactionId" => is(Turn), kept ["parentToolCallId"],)),
    ("permission.completed", rows!([] "toolCallId" => is(Call),)),
    ("session.binary_asset", rows!([] kept ["type"],)),
    (
        "session.compaction_complete",
        rows!([]
            "summaryContent" => is(Content),
            kept [
                "outcome", "compactionAttemptId", "tokenAccountingBasis", "preCompactionTokens",
                "preCompactionMessagesLength", "conversationTokens", "messagesRemoved",
            ],
        ),
    ),
    ("session.compaction_start", rows!([] kept ["compactionAttemptId"],)),
    (
        "session.context_changed",
        rows!([]
            "cwd" => is(WorkingDir),
            "branch" => is(Branch),
            "headCommit" => is(Revision),
            "repository" => is(Repository),
        ),
    ),
    ("session.error", rows!([] "message" => is(Content), kept ["originatingMessageId"],)),
    (
        "session.handoff",
        rows!([] "remoteSessionId" => is(ParentSession), "summary" => is(Content),),
    ),
    ("session.info", rows!([] "message" => is(Content),)),
    ("session.model_change", rows!([] "newModel" => is(Model), kept ["source", "contextTier"],)),
    (
        "session.permissions_changed",
        rows!([] kept ["previousAllowAllPermissions", "allowAllPermissions"],),
    ),
    (
        "session.resume",
        rows!([]
            "context" => within(Native, &CONTEXT),
            "selectedModel" => is(Model),
            kept ["sessionWasActive", "sessionLimits", "remoteSteerable"],
        ),
    ),
    (
        "session.shutdown",
        rows!([]
            kept [
                "accountingSnapshot", "providerModelMetrics", "usageAccountingWatermarks",
                "totalPremiumRequests",
            ],
        ),
    ),
    (
        "session.start",
        rows!([]
            "sessionId" => is(Session),
            "startTime" => is(Started),
            "copilotVersion" => is(Version),
            "context" => within(Native, &CONTEXT),
            "selectedModel" => is(Model),
            "detachedFromSpawningParentSessionId" => is(SpawnedBy),
            kept ["vscodeVersion"],
        ),
    ),
    ("session.task_complete", rows!([] "summary" => is(Content),)),
    ("session.usage_checkpoint", rows!([] kept ["totalPremiumRequests", "modelCacheState"],)),
    ("session.warning", rows!([] "message" => is(Content),)),
    ("skill.invoked", rows!([] "content" => is(Content),)),
    ("system.message", rows!([] "role" => is(Role), "content" => is(Content),)),
    ("system.notification", rows!([] "content" => is(Content),)),
    (
        "tool.execution_complete",
        rows!([]
            "toolCallId" => is(Call),
            "success" => is(Success),
            "result" => within(Native, &RESULT),
            "error" => within(Native, &ERROR),
            "shellExecution" => within(Native, &SHELL),
            "interactionId" => is(Turn),
            kept ["fileEdits", "turnId"],
        ),
    ),
    (
        "tool.execution_start",
        rows!([]
            "toolCallId" => is(Call),
            "toolName" => is(Name),
            "arguments" => is(Input),
            kept ["toolTitle"],
        ),
    ),
    (
        "user.message",
        rows!([]
            "content" => is(Content),
            "attachments" => is(Media),
            "interactionId" => is(Turn),
        ),
    ),
];

/// The table of a line whose data has a table of its own.
macro_rules! line {
    (within($slot:ident, $data:expr)) => {
        session::map! {
            "type" => is(Type),
            "id" => is(Id),
            "timestamp" => is(Time),
            "parentId" => is(Parent),
            "agentId" => is(Agent),
            "ephemeral" => kept,
            "data" => within($slot, $data),
        }
    };
}

/// A line of a type that no table has.
pub(super) static STRANGE: Map = line!(within(Native, &session::UNKNOWN));

/// A line that is carried as it is: it repeats what other lines have.
pub(super) static CARRIED: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "timestamp" => is(Time),
    "parentId" => is(Parent),
    "agentId" => is(Agent),
    kept ["ephemeral", "data"],
};

/// A line with the bytes of a picture, which messages refer to.
pub(super) static ASSET: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "timestamp" => is(Time),
    "parentId" => is(Parent),
    "agentId" => is(Agent),
    "ephemeral" => kept,
    "data" => is(Media),
};

/// The thought in an answer, readable or sealed. It has the counter of the answer too: no table
/// names that.
pub(super) static THOUGHT: Map = line!(within(Native, &THOUGHT_DATA));
static THOUGHT_DATA: Map = map! {
    "messageId" => is(Message),
    "model" => is(Model),
    "reasoningText" => is(Content),
    "reasoningOpaque" => is(Encrypted),
    "encryptedContent" => is(Encrypted),
};

/// A call in an answer.
pub(super) static REQUEST: Map = map! {
    "toolCallId" => is(Call),
    "name" => is(Name),
    "arguments" => is(Input),
    kept ["type", "intentionSummary", "toolTitle", "mcpServerName", "mcpToolName", "caller"],
};

/// The folder in which a process began.
static CONTEXT: Map = map! {
    "cwd" => is(WorkingDir),
    "gitRoot" => kept,
    "branch" => is(Branch),
    "headCommit" => is(Revision),
    "baseCommit" => kept,
    "repository" => is(Repository),
    kept ["repositoryHost", "hostType", "pendingGitContext"],
};

/// The result of a tool: for the model, and for people.
static RESULT: Map = map! {
    "content" => is(Output),
    "detailedContent" => is(Detail),
    "binaryResultsForLlm" => is(Media),
    kept ["contents", "structuredContent", "citableSources", "mcpMeta", "uiResource"],
};

/// Why a tool gave nothing.
static ERROR: Map = map! {
    "message" => is(Output),
    "code" => is(Status),
    "remediation" => kept,
};

/// The end of a command.
static SHELL: Map = map! {
    "exitCode" => is(ExitCode),
    kept ["pid", "signal", "backgrounded"],
};

/// The result of a command that ended with another code than 0: the agent notes the run as a
/// success.
pub(super) static EXITED: Map = line!(within(Native, &EXITED_DATA));
static EXITED_DATA: Map = map! {
    "toolCallId" => is(Call),
    "success" => kept,
    "result" => within(Native, &RESULT),
    "shellExecution" => within(Native, &SHELL),
    "interactionId" => is(Turn),
    kept [
        "fusion", "isUserRequested", "mcpMeta", "model", "parentToolCallId", "rte", "sandboxed",
        "toolDescription", "toolTelemetry", "turnId", "fileEdits", "error",
    ],
};

/// One answer's usage.
pub(super) static USAGE_RECORD: Map = line!(within(Native, &USAGE_DATA));
static USAGE_DATA: Map = map! {
    "usage" => within(Usage, &USAGE),
};
static USAGE: Map = map! {
    "model" => is(Model),
    "modelDisplayName" => kept,
    "inputTokens" => is(TokensIn),
    "outputTokens" => is(TokensOut),
    "cacheReadTokens" => is(CacheRead),
    "cacheWriteTokens" => is(CacheWrite),
    "reasoningTokens" => is(TokensReasoning),
    // Units of the plan, not money.
    "cost" => kept,
    "duration" => is(Duration),
    "apiCallId" => is(Message),
    "finishReason" => is(Finish),
    kept [
        "timeToFirstTokenMs", "outputTtftMs", "interTokenLatencyMs", "initiator",
        "interactionType", "isByok", "byokKind", "modelProvider", "providerType", "isAuto",
        "maxPromptTokens", "maxOutputTokens", "transport", "requestBodyBytes",
        "requestBodyWireBytes", "requestBodyEncoding", "rte", "apiEndpoint", "accounting",
        "aiCreditsStatus", "reasoningEffort", "availableToolCount", "toolTokenCount",
        "customToolCallCount", "unmatchedToolResultCount", "orphanToolCallCount",
        "frontierSource", "cacheDetailsReported", "numToolCalls", "toolCounts",
        "contentFilterTriggered", "parentToolCallId",
    ],
};

/// A line of `workspace.yaml`: the text of the key, the value, and what is behind it.
pub(super) static WORKSPACE: Map = map! {
    kept ["key", "end", "value", "text"],
    "id" => is(Session),
    "cwd" => is(WorkingDir),
    "repository" => is(Repository),
    "branch" => is(Branch),
    "title" => is(Title),
    "name" => is(AutoTitle),
    "summary" => is(AutoTitle),
    "created_at" => is(Started),
    "updated_at" => is(Updated),
};

/// The tables that are not of a type of event, for people.
const OTHERS: [(&str, &Map); 22] = [
    ("line of an unknown type", &STRANGE),
    ("line that repeats others", &CARRIED),
    ("session.binary_asset, its line", &ASSET),
    ("assistant.message: the thought", &THOUGHT_DATA),
    ("assistant.message.toolRequests", &REQUEST),
    ("session.start.context", &CONTEXT),
    ("tool.execution_complete.result", &RESULT),
    ("tool.execution_complete.error", &ERROR),
    ("tool.execution_complete.shellExecution", &SHELL),
    ("tool.execution_complete of a command that failed", &EXITED_DATA),
    ("session.usage_record", &USAGE_DATA),
    ("session.usage_record.usage", &USAGE),
    ("workspace.yaml", &WORKSPACE),
    ("document", &document::DOCUMENT_MAP),
    ("document: chatMessages", &document::MESSAGE),
    ("document: chatMessages.tool_calls", &document::CALL),
    ("document: function", &document::FUNCTION),
    ("document: timeline", &document::SHOWN),
    document::MORE[0],
    document::MORE[1],
    document::MORE[2],
    document::MORE[3],
];

/// Every table, for people and tests.
pub(super) static ALL: &[(&str, &Map)] = &{
    let mut all = [OTHERS[0]; OTHERS.len() + schema::TYPES];
    let (events, mut at) = (schema::tables(), 0);
    while at < all.len() {
        all[at] = if at < schema::TYPES { events[at] } else { OTHERS[at - schema::TYPES] };
        at += 1;
    }
    all
};
