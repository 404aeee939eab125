//! Tables of everything but messages: attachments, progress, lines outside the chain, files beside
//! a transcript. Tables only.

use session::{Map, map};

/// Types of the lines outside the chain of messages.
pub(super) const WORDS: &[&[u8]] = &[
    b"agent-color",
    b"agent-name",
    b"agent-setting",
    b"ai-title",
    b"api-request",
    b"api-request-blob",
    b"api-request-resumed",
    b"api-request-shape",
    b"artifact-autoreact-ledger",
    b"artifact-comment-monitor",
    b"atis-latch",
    b"attribution-snapshot",
    b"auto-mode-denial",
    b"bridge-session",
    b"content-replacement",
    b"continued-in",
    b"cost-state",
    b"custom-title",
    b"data-flow-records",
    b"derived-from",
    b"dev-mods",
    b"ended",
    b"ended-by-model",
    b"failed",
    b"file-history-delta",
    b"file-history-snapshot",
    b"fork-context-ref",
    b"frame-link",
    b"history-suppression",
    b"isolation-latch",
    b"last-prompt",
    b"launched",
    b"marble-origami-commit",
    b"marble-origami-reset",
    b"marble-origami-snapshot",
    b"memory-mode",
    b"mode",
    b"observer-ref",
    b"permission-denial",
    b"permission-mode",
    b"pr-link",
    b"queue-operation",
    b"relocated",
    b"result",
    b"rewind-pointer",
    b"session-owner",
    b"speculation-accept",
    b"started",
    b"tag",
    b"task-summary",
    b"tools-used",
    b"worktree-state",
];

/// Context that the agent adds for the model. The list of types is open.
pub(super) static ATTACHED: Map = map! {
    "type" => is(Name),
    "content" => is(Content),
    "prompt" => is(Content),
    "text" => is(Content),
    "snippet" => is(Content),
    "toolUseID" => is(Call),
    "filename" => is(Path),
    "path" => is(Path),
    kept ["displayPath", "timestamp"],
    // hooks
    kept ["hookName", "hookEvent", "command", "stdout", "stderr", "exitCode"],
    "durationMs" => is(Duration),
    "blockingError" => within(Native, &BLOCKED),
    "message" => is(Content),
    kept ["decision", "processId"],
    "response" => within(Native, &RESPONSE),
    // available tools and agents
    kept [
        "addedNames", "addedLines", "addedBlocks", "addedTypes", "builtInTypes",
        "builtInPluginTypes", "removedNames", "removedTypes", "readdedNames",
        "surfacedNames", "wireHiddenNames", "toolSearchAbsent", "pendingMcpServers",
        "failedMcpServers", "needsAuthMcpServers", "showConcurrencyNote", "isInitial", "skillCount",
        "names", "digests", "skillDir", "skillNames", "allowedTools", "name", "species", "entries",
        "toolInputCopies", "nameOnlyAnnouncements",
    ],
    "skills" => is(Content),
    "files" => is(Content),
    "memories" => is(Content),
    "messages" => is(Content),
    // the prompt as it was sent
    "systemPrompt" => is(Content),
    kept [
        "tools", "cliPrefix", "contextRendering", "echoWireToolInputs", "inlineTools",
        "keptReminders", "reminderFold", "systemTurns", "toolChangeHeader", "cause", "blockHashes",
        "newlyDropped", "thinkingBlocksSent",
    ],
    // the session's place and user
    kept [
        "snapshot", "changes", "changed", "context", "date", "identity", "language",
        "reason", "style", "turnReminder", "level", "organizationUuid", "url", "pr",
        "commit", "managedCommit", "managedPr", "sendUserFileHint", "ideName", "lineStart",
        "lineEnd", "isNew", "pageCount", "fileSize",
    ],
    // queued commands
    kept [
        "commandMode", "rowSource", "hostsOwnTurn", "source_uuid", "origin", "isMeta", "humanTurn",
        "imagePasteIds", "delivery_id", "forwardedIntent", "usage",
    ],
    // reminders
    kept ["itemCount", "reminderType", "isSubAgent", "planFilePath", "planExists"],
    "planContent" => is(Content),
    kept [
        "tip", "clearAt", "maxTurns", "turnCount", "turn", "session", "budget", "newDate", "used",
        "total", "remaining", "model", "banner", "bypass", "steerOnly", "bashFirst",
        "bashFirstSteer", "autoModeConsentFlow",
    ],
    // tasks
    kept ["taskId", "taskType"],
    "description" => is(Content),
    "status" => is(Status),
    kept ["deltaSummary", "outputFilePath", "shell", "data"],
    // goals
    kept ["met", "condition", "sentinel", "iterations", "tokens"],
    // teams of agents
    kept ["agentId", "agentName", "teamName", "teamConfigPath", "taskListPath"],
    // an agent that the person named in a prompt
    "agentType" => is(Content),
};

/// The words of a hook that blocked something.
pub(super) static BLOCKED: Map = map! {
    "blockingError" => is(Content),
    "command" => kept,
};

/// The response of a hook that ended later.
pub(super) static RESPONSE: Map = map! {
    "systemMessage" => is(Content),
    "hookSpecificOutput" => within(Native, &RESPONSE_OUTPUT),
    kept [
        "continue", "suppressOutput", "stopReason", "decision", "reason", "async", "asyncTimeout",
        "terminalSequence",
    ],
};

/// The answer of such a hook to its event.
pub(super) static RESPONSE_OUTPUT: Map = map! {
    "additionalContext" => is(Content),
    kept [
        "hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput",
        "updatedToolOutput", "updatedMCPToolOutput", "initialUserMessage", "watchPaths",
    ],
};

/// An attached file, or a memory file: its content is an object.
pub(super) static FILE: Map = map! {
    "type" => is(Name),
    "content" => within(Native, &FILE_CONTENT),
    "filename" => is(Path),
    "path" => is(Path),
    kept ["displayPath", "savedCopyFraming", "truncated", "digests"],
    // a resource of a server
    "uri" => is(Path),
    kept ["server", "name", "description"],
};

pub(super) static FILE_CONTENT: Map = map! {
    "type" => kept,
    "file" => within(Native, &FILE_ITSELF),
    "path" => is(Path),
    "content" => is(Content),
    "contents" => is(Content),
    kept ["contentDiffersFromDisk", "globs", "parent", "rawContent"],
};

pub(super) static FILE_ITSELF: Map = map! {
    "filePath" => is(Path),
    "content" => is(Content),
    "cells" => is(Content),
    "base64" => is(Media),
    kept ["type", "numLines", "startLine", "totalLines", "originalSize", "dimensions"],
};

/// An attached picture.
pub(super) static PICTURE: Map = map! {
    "type" => is(Name),
    "content" => within(Native, &PICTURE_CONTENT),
    "filename" => is(Path),
    kept ["displayPath", "savedCopyFraming"],
};

static PICTURE_CONTENT: Map = map! {
    "type" => kept,
    "file" => is(Media),
};

/// Progress of a running tool or agent.
pub(super) static HEARTBEAT: Map = map! {
    "type" => is(Name),
    "agentId" => is(Agent),
    kept [
        "prompt", "message", "normalizedMessages", "output", "fullOutput", "elapsedTimeSeconds",
        "totalLines", "totalBytes", "timeoutMs", "taskId", "hookEvent", "hookName", "command",
        "promptText", "statusMessage",
    ],
    "status" => is(Status),
    kept [
        "serverName", "toolName", "toolInput", "phase", "progress", "progressMessage", "total",
        "elapsedTimeMs",
    ],
    "toolUseId" => is(Call),
    "elapsedMs" => kept,
    "seq" => is(Ordinal),
    kept ["query", "resultCount", "taskDescription", "taskType"],
};

/// A title as written up to 2.0. It may be another session's: then its leaf is in another file.
pub(super) static SUMMARY_LINE: Map = map! {
    "type" => is(Type),
    "summary" => is(AutoTitle),
    "leafUuid" => is(Target),
    "sessionId" => is(Session),
    "timestamp" => is(Time),
};

/// Lines outside the chain.
pub(super) static NOTE: Map = map! {
    "type" => is(Type),
    "uuid" => is(Id),
    "sessionId" => is(Session),
    "timestamp" => is(Time),
    "agentId" => is(Agent),
    // titles and marks
    "customTitle" => is(Title),
    "aiTitle" => is(AutoTitle),
    kept ["tag", "agentName", "agentColor", "agentSetting", "mode", "permissionMode", "lastPrompt"],
    "leafUuid" => is(Leaf),
    kept ["explicit", "rewound"],
    // the queue of prompts
    kept ["operation", "reason", "commandUuid", "deliveryId"],
    "content" => is(Content),
    // files
    "messageId" => is(Target),
    kept ["snapshot", "isSnapshotUpdate", "snapshotMessageId"],
    "trackingPath" => is(Path),
    "backup" => kept,
    // links
    kept ["prNumber", "prUrl", "prRepository"],
    "path" => is(Path),
    kept [
        "frameUrl", "title", "bridgeSessionId", "lastSequenceNum", "ownerAccountUuid",
        "ownerOrganizationUuid", "declaredDialogKinds", "sessionGroupingId", "noHistoryBackfill",
        "continuedInSessionId", "observerTaskId", "observerAgentType", "artifactCount", "artifacts",
        "accountUuid", "crossLineMerged", "tailTorn", "v",
    ],
    // the session's place
    "worktreeSession" => kept,
    "relocatedCwd" => is(WorkingDir),
    // context
    kept ["replacements", "parentSessionId", "parentLastUuid", "contextLength", "collapseId"],
    "summary" => is(Content),
    kept [
        "summaryUuid", "summaryContent", "firstArchivedUuid", "lastArchivedUuid", "staged", "armed",
        "lastSpawnTokens", "atis", "side", "afterUuid", "account", "cause", "ts",
        "vetoedAgainstAccountUuid",
    ],
    // cost and counters of the session so far: running totals, not of one answer
    kept [
        "totalCostUSD", "totalAPIDuration", "totalAPIDurationWithoutRetries", "totalToolDuration",
        "totalDuration", "totalLinesAdded", "totalLinesRemoved", "startTime", "modelUsage",
        "hasUnknownModelCost", "timeSavedMs", "surface", "fileStates", "promptCount",
        "promptCountAtLastCommit", "permissionPromptCount", "permissionPromptCountAtLastCommit",
        "escapeCount", "escapeCountAtLastCommit",
    ],
    // journal of a workflow
    kept ["key", "label", "phase"],
    "result" => is(Output),
};

/// `agent-<id>.meta.json` beside a sub-agent's file.
pub(super) static AGENT_FILE: Map = map! {
    kept ["agentType", "description"],
    "toolUseId" => is(Call),
    kept [
        "parentAgentId", "spawnDepth", "model", "modelNotNamed", "stoppedByUser", "worktreePath",
        "requestShape", "requestNonInteractive", "workflowPhase", "isBuiltIn",
        "launchedWithDefaults", "pickedEffortModel", "finished", "isFork", "name",
    ],
};
