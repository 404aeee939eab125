//! Tables of a bubble: a message of the desktop, its thought and its tool.

use session::{Map, map};

use super::desktop::{thought, tool};

/// `bubbleId:<composer>:<bubble>`, and a bubble within its composer or tab.
macro_rules! bubble {
    ($tokens:ident $(($($arg:tt)*))?) => {
        map! {
            "_v" => kept,
            "bubbleId" => is(Id),
            "id" => is(Id),
            kept ["serverBubbleId", "type", "messageType"],
            "text" => is(Content),
            "rawText" => is(Content),
            kept ["initText", "richText", "delegate"],
            "createdAt" => is(Time),
            "timestamp" => is(Time),
            "timingInfo" => view(Native, &TIMING),
            "modelInfo" => view(Native, &MODEL_INFO),
            "modelType" => is(Model),
            "tokenCount" => $tokens $(($($arg)*))?,
            "thinking" => one(Native, thought),
            "thinkingDurationMs" => is(Duration),
            kept ["allThinkingBlocks", "capabilityType"],
            "toolFormerData" => one(Native, tool),
            kept [
                "context", "relevantFiles", "attachedCodeChunks", "images", "selections",
                "fileSelections", "codeBlocks", "suggestedCodeBlocks", "checkpointId",
            ],
            "requestId" => is(Request),
            "usageUuid" => is(Message),
            "workspaceUris" => kept,
            "workspaceProjectDir" => is(WorkingDir),
            kept ["isAgentic", "unifiedMode", "todos", "errorDetails"],
            // of the oldest chats
            kept [
                "aiType", "capabilityStatuses", "capabilityTypes",
                "dropdownAdvancedCodebaseSearchBehavior", "externalLinks", "folderSelections",
                "followup", "hasCodeBlock", "isCapabilityIteration", "isFocused", "mentions",
                "notepads", "quotes", "referencedCodeBlockURIs", "repoStep",
                "searchTypeIfCodebaseQuery", "selectedCommits", "selectedDocs", "selectedImages",
                "selectedPullRequests", "suggestedDiffs", "terminalFiles", "terminalSelections",
                "useWeb", "contextCacheTimestamp", "doesNotFit", "longFilesFitTimestamp",
                "selectedTextSearches", "waitingForContext", "waitingForLongFilesFit",
            ],
            // of 2025 and 2026
            kept [
                "afterCheckpointId", "aiWebSearchResults", "approximateLintErrors",
                "assistantSuggestedDiffs", "attachedFileCodeChunksMetadataOnly",
                "attachedFileCodeChunksUris", "attachedFolders", "attachedFoldersListDirResults",
                "attachedFoldersNew", "attachedHumanChanges", "cachedConversationSummary",
                "capabilities", "capabilitiesRan", "capabilityContexts", "codebaseContextChunks",
                "commits", "completedAtMs", "consoleLogs", "contextPieces",
                "contextWindowStatusAtCreation", "conversationState", "conversationSummary",
                "currentFileLocationData", "cursorCommands", "cursorCommandsExplicitlySet",
                "cursorRules", "deletedFiles", "diffHistories", "diffsForCompressingFiles",
                "diffsSinceLastApply", "docsReferences", "documentationSelections",
                "editToolSupportsSearchAndReplace", "editTrailContexts",
                "existedPreviousTerminalCommand", "existedSubsequentTerminalCommand",
                "fileDiffTrajectories", "fileLinks", "gitContext", "gitDiffs", "humanChanges",
                "intermediateChunks", "interpreterResults", "isChat", "isNudge", "isPlanExecution",
                "isQuickSearchQuery", "isRefunded", "isThought", "knowledgeItems", "lints",
                "mcpDescriptors", "multiFileLinterErrors", "pastChats", "pastChatsExplicitlySet",
                "projectLayouts", "promptDryRunInfo", "pullRequests", "recentLocationsHistory",
                "recentlyViewedFiles", "serviceStatusUpdate", "skipRendering", "startedAtMs",
                "summarizedComposers", "supportedTools", "symbolLinks", "thinkingStyle",
                "tokenCountUpUntilHere", "tokenDetailsUpUntilHere", "toolResults", "turnDurationMs",
                "uiElementPicked", "userResponsesToSuggestedCodeBlocks", "webCitations",
                "webReferences",
            ],
        }
    };
}

pub(super) static BUBBLE: Map = bubble!(kept);
pub(super) static COUNTED: Map = bubble!(within(Usage, &TOKEN_COUNT));

/// Since the middle of 2025 `clientStartTime` counts from the start of the program. The time of the
/// request is a time of day in every build.
static TIMING: Map = map! {
    kept ["clientStartTime", "clientEndTime"],
    "clientRpcSendTime" => is(Time),
    "clientSettleTime" => kept,
};

static MODEL_INFO: Map = map! { "modelName" => is(Model) };

/// Counters of a turn, in its last bubble. Zero and zero means unknown.
static TOKEN_COUNT: Map = map! { "inputTokens" => is(TokensIn), "outputTokens" => is(TokensOut) };

/// The thought of a bubble, often only a signature.
pub(super) static THOUGHT: Map = map! {
    "text" => is(Content),
    "signature" => is(Encrypted),
    "redactedThinking" => is(Encrypted),
    "isLastThinkingChunk" => kept,
};

/// The tool of a bubble, as a call. Arguments and result are JSON in a string.
pub(super) static CALL: Map = map! {
    kept ["tool", "toolIndex"],
    "name" => is(Name),
    "toolCallId" => is(Call),
    "modelCallId" => kept,
    "params" => is(Input),
    kept [
        "rawArgs", "status", "result", "userDecision", "additionalData", "error", "attachments",
        "toolCallBinary",
    ],
};

/// The same as a result.
pub(super) static RESULT: Map = map! {
    "name" => is(Name),
    "toolCallId" => is(Call),
    "status" => is(Status),
    "result" => is(Output),
    "error" => is(Output),
};
