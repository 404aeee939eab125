//! Tables of a composer: the metadata of a desktop conversation, and the lists and headers that
//! repeat parts of it.

use session::{Map, map};

use super::desktop::bubble;

/// `composerData:<id>`, and the copies of it in lists: an element of `composer.composerData` or of
/// `composer.composerHeaders`, the value of a row of `composerHeaders`.
pub(super) static COMPOSER: Map = map! {
    "_v" => kept,
    "composerId" => is(Session),
    "name" => is(Title),
    kept ["subtitle", "text", "richText"],
    "createdAt" => is(Started),
    "lastUpdatedAt" => is(Updated),
    "status" => is(Status),
    kept ["type", "hasLoaded", "unifiedMode", "forceMode", "isAgentic", "isArchived", "isDraft"],
    "modelConfig" => view(Native, &MODEL_CONFIG),
    "fullConversationHeadersOnly" => kept,
    "conversation" => each(Native, bubble),
    kept ["conversationMap", "subComposerIds"],
    "subagentInfo" => view(Native, &SUBAGENT),
    kept [
        "context", "capabilities", "usageData", "contextTokensUsed", "contextTokenLimit",
        "contextUsagePercent", "totalLinesAdded", "totalLinesRemoved", "filesChangedCount",
        "conversationCheckpointLastUpdatedAt", "latestChatGenerationUUID",
        "latestConversationSummary", "codeBlockData", "originalFileStates", "newlyCreatedFiles",
        "todos", "tabs", "selectedTabIndex", "restrictAgentModeSwitching", "glassMetaParentAgent",
    ],
    "workspaceIdentifier" => view(Native, &WORKSPACE),
    kept [
        "trackedGitRepos", "deleteFileSuggestions", "generatingBubbleIds",
        "gitGraphFileSuggestions", "hasChangedContext", "inlineDiffIdMap", "isReadingLongFile",
        "longContextModeEnabled", "newlyCreatedFolders", "queuedAddedFiles",
        "userResponsesToSuggestedCodeBlocks",
    ],
    // of 2025 and 2026
    kept [
        "activeBranch", "activeCustomMode", "activeTabsShouldBeReactive", "addedFiles",
        "agentBackend", "agentBackendData", "agentLocation", "agentLocationHistory",
        "agentSessionId", "allAttachedFileCodeChunksUris", "applied", "appliedDiffs",
        "applyAgentBackendTypeRestrictions", "authoredPlan", "bestOfNJudgeReasoning",
        "bestOfNJudgeStatus", "bestOfNJudgeWinner",
    ],
    "blobEncryptionKey" => is(Secret),
    kept [
        "branches", "browserChipManuallyDisabled", "browserChipManuallyEnabled",
        "browserConnection", "canvasPillCollapsed", "capabilityContexts", "chatGenerationUUID",
        "codebaseSearchSettings", "committedToBranch", "conversationState",
        "createdFromBackgroundAgent", "createdOnBranch", "currentBubbleId",
        "debugModeSuggestionUsed", "dontShowSummarizeForLongChats", "draftTarget",
        "editingBubbleId", "firstTodoWriteBubble", "gitCheckpoint", "gitHubPromptDismissed",
        "gitWorktree", "hasBeenInSidebar", "hasBlockingPendingActions", "hasCorruptedCheckpoints",
        "hasPendingPlan", "hasUnreadMessages", "initialBestOfNAgentRequestId", "isApplyingWorktree",
        "isBestOfNParent", "isBestOfNSubcomposer", "isContinuationInProgress", "isCreatingWorktree",
        "isEphemeral", "isFileListExpanded", "isNAL", "isProject", "isQueueExpanded", "isSpec",
        "isTodoListExpanded", "isSpecSubagentDone", "isUndoingWorktree", "isWorktree",
        "lastMessageSentOnBranch", "lastFocusedBubble", "latestCheckpointId", "latestEventId",
        "numSubComposers", "originalModelLines", "pendingCreateWorktree", "pendingExitedCustomMode",
        "plan", "planEditSnapshots", "planModeSuggestionUsed", "pluginFlowState", "prBranchName",
        "prUrl", "projectIcon", "promptContextUsageTree", "promptTokenBreakdown", "queueItems",
        "referencedPlans", "removedFiles", "reservedWorktree", "reviewModeDisabled",
        "selectedBubbleId", "selectedSubComposerId",
    ],
    "speculativeSummarizationEncryptionKey" => is(Secret),
    kept ["stopHookLoopCount", "subagentComposerIds", "tokenCount", "worktreeStartedReadOnly"],
};

/// The parent of a sub-agent's composer.
static SUBAGENT: Map = map! {
    "parentComposerId" => is(SpawnedBy),
    kept [
        "rootParentConversationId", "toolCallId", "toolCallIdHistory", "parentRequestId",
        "rootParentRequestId", "subagentType", "subagentTypeName", "conversationLengthAtSpawn",
        "additionalData",
    ],
};

static MODEL_CONFIG: Map =
    map! { "modelName" => is(Model), "maxMode" => kept, "selectedModels" => kept };

/// A row of `composerHeaders`.
pub(super) static HEAD: Map = map! {
    "composerId" => is(Session),
    "workspaceId" => kept,
    "createdAt" => is(Started),
    "lastUpdatedAt" => is(Updated),
    kept ["isArchived", "isSubagent", "recency", "checkpointAt", "subagentTypeName"],
    "value" => within(Native, &COMPOSER),
};

static WORKSPACE: Map = map! {
    "id" => kept,
    "uri" => view(Native, &URI),
    "configPath" => kept,
};
static URI: Map = map! {
    "$mid" => kept,
    "fsPath" => is(WorkingDir),
    kept ["_sep", "external", "path", "scheme", "authority"],
};

/// A tab of the oldest chats.
pub(super) static TAB: Map = map! {
    "tabId" => is(Session),
    "chatTitle" => is(Title),
    "lastSendTime" => is(Updated),
    kept [
        "tabState", "chatMode", "hasNamedTab", "noReactiveContext", "selectedBubbleId",
        "symbolToURI", "lastFocusedBubbleId", "longContextModeEnabled",
    ],
    "bubbles" => each(Native, bubble),
};

/// The object that contains a list of composers or tabs.
pub(super) static ROW: Map = map! {
    kept [
        "tabs", "allComposers", "selectedComposerId", "selectedChatId", "composerDataVersion",
        "selectedComposerIds", "lastFocusedComposerIds", "selectedComposerHandles",
        "hasMigratedChatData", "hasMigratedComposerData", "hasMigratedMultipleComposers",
    ],
};
