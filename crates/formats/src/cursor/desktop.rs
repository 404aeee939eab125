//! Rows of the desktop's databases (`state.vscdb`), as a dump holds them: composers with their
//! bubbles, inline or each in a row of its own, and the chat tabs of the time before.

use session::{Case, Kind, Map, Node, Slot, map};

/// The table of a row.
const TABLE: &[&str] = &["table"];
/// Its key.
const KEY: &[&str] = &["row", "key"];
/// Its value; what a bubble in a row of its own, and one within its composer, is.
const VALUE: &[&str] = &["row", "value"];
const ROW_TYPE: &[&str] = &["row", "value", "type"];
const TYPE: &[&str] = &["type"];
/// The tokens of a bubble that knows them.
const TOKENS: &[&[&str]] = &[&["tokenCount", "inputTokens"], &["tokenCount", "outputTokens"]];
/// How a tool stands, and what it gave.
const STATUS: &[&str] = &["status"];
const ANSWERS: &[&[&str]] = &[&["result"], &["error"]];
/// Of what an element is one.
const ELEMENT: &[&str] = &["element", "of"];
/// The list of a composer's bubbles.
pub(super) const ORDER: &[u8] = b"fullConversationHeadersOnly";
/// A bubble in that list.
pub(super) const BUBBLE_ID: &[&str] = &["bubbleId"];

macro_rules! line {
    ($value:expr) => {{
        static HELD: Map = map! { "key" => kept, "value" => within(Native, $value) };
        static WHOLE: Map = map! { "table" => kept, "row" => within(Native, &HELD) };
        &WHOLE
    }};
}

macro_rules! element {
    ($value:expr) => {{
        static HELD: Map = map! { "key" => kept };
        static LISTED: Map = map! { "of" => kept, "value" => within(Native, $value) };
        static WHOLE: Map = map! {
            "table" => kept,
            "row" => within(Native, &HELD),
            "element" => within(Native, &LISTED),
        };
        &WHOLE
    }};
}

static COMPOSER_ROW: Case = Case::new("composer", Kind::Notice, line!(&COMPOSER));
static COMPOSER_ELEMENT: Case = Case::new("composer", Kind::Notice, element!(&COMPOSER));
static USER_ROW: Case = Case::new("bubble", Kind::User, line!(&BUBBLE));
static ASSISTANT_ROW: Case = Case::new("bubble", Kind::Assistant, line!(&BUBBLE));
static COUNTED_ROW: Case = Case::new("bubble", Kind::Assistant, line!(&COUNTED));
static USER: Case = Case::new("bubble", Kind::User, &BUBBLE).top();
static COUNTED_ANSWER: Case = Case::new("bubble", Kind::Assistant, &COUNTED).top();
static ASSISTANT: Case = Case::new("bubble", Kind::Assistant, &BUBBLE).top();
static TAB_ELEMENT: Case = Case::new("composer", Kind::Notice, element!(&TAB));
static LIST_ROW: Case = Case::new("row", Kind::Notice, line!(&ROW));
static SIDE_ROW: Case = Case::new("row", Kind::Notice, &SIDE_LINE);
static SIDE_LINE: Map = map! { "table" => kept, "row" => within(Native, &SIDE) };
static SIDE: Map = map! { "key" => kept, "value" => kept };
static HEAD_ROW: Case = Case::new("head", Kind::Notice, &HEAD_LINE);
static HEAD_LINE: Map = map! { "table" => kept, "row" => within(Native, &HEAD) };
static REASONING: Case = Case::new("thinking", Kind::Reasoning, &THOUGHT);
static PENDING: Case = Case::new("tool", Kind::ToolCall, &CALL);
static TOOL: Case = Case::new("tool", Kind::ToolCall, &CALL).also(&TOOL_RESULT);
static TOOL_RESULT: Case = Case::new("result", Kind::ToolResult, &RESULT);
static FAILING: Case = Case::new("tool", Kind::ToolCall, &CALL).also(&FAILURE);
static FAILURE: Case =
    Case::new("result", Kind::ToolResult, &RESULT).with(&[(Slot::IsError, "true")]);

/// The case of a line that names one of the desktop's tables.
pub(super) fn case(line: Node<'_>) -> Option<&'static Case> {
    let table = line.word(TABLE)?;
    let key = line.word(KEY).unwrap_or_default();
    Some(match table {
        b"composerHeaders" => &HEAD_ROW,
        b"ItemTable" => match line.word(ELEMENT) {
            Some(b"tabs") => &TAB_ELEMENT,
            Some(b"allComposers") => &COMPOSER_ELEMENT,
            _ => &LIST_ROW,
        },
        b"cursorDiskKV" if key.starts_with(b"composerData:") => &COMPOSER_ROW,
        b"cursorDiskKV" if key.starts_with(b"bubbleId:") => {
            match line.at(ROW_TYPE).map(Node::raw) {
                Some(b"1" | b"\"user\"") => &USER_ROW,
                _ if line.at(VALUE).is_some_and(counts) => &COUNTED_ROW,
                _ => &ASSISTANT_ROW,
            }
        }
        b"cursorDiskKV" => &SIDE_ROW,
        _ => return None,
    })
}

/// The session that a key names: what stands between its first and its second colon.
pub(super) fn session_of(key: &str) -> Option<&str> {
    const OWNED: [&str; 4] = ["composerData", "bubbleId", "checkpointId", "messageRequestContext"];
    let (kind, rest) = key.split_once(':')?;
    OWNED.contains(&kind).then(|| rest.split(':').next().unwrap_or(rest))
}

fn bubble(bubble: Node<'_>) -> Option<&'static Case> {
    Some(match bubble.at(TYPE).map(Node::raw) {
        Some(b"1" | b"\"user\"") => &USER,
        _ if counts(bubble) => &COUNTED_ANSWER,
        _ => &ASSISTANT,
    })
}

fn thought(_: Node<'_>) -> Option<&'static Case> {
    Some(&REASONING)
}

fn tool(tool: Node<'_>) -> Option<&'static Case> {
    let answered = ANSWERS.iter().any(|path| tool.at(path).is_some_and(|node| !is_empty(node)));
    Some(match tool.word(STATUS) {
        Some(b"error" | b"cancelled") => &FAILING,
        Some(b"completed") => &TOOL,
        _ if answered => &TOOL,
        _ => &PENDING,
    })
}

fn is_empty(node: Node<'_>) -> bool {
    matches!(node.raw(), b"null" | b"\"\"")
}

/// True where a bubble's counters say something: zeros mean that nothing is known.
fn counts(bubble: Node<'_>) -> bool {
    TOKENS.iter().any(|path| bubble.at(path).is_some_and(|count| count.raw() != b"0"))
}

/// `composerData:<id>`, and what lists of composers have of it: an element of
/// `composer.composerData`, of `composer.composerHeaders`, the value of a row of `composerHeaders`.
pub(super) static COMPOSER: Map = map! {
    "_v" => kept,
    "composerId" => is(Session),
    "name" => is(Title),
    "subtitle" => kept,
    "text" => kept,
    "richText" => kept,
    "createdAt" => is(Started),
    "lastUpdatedAt" => is(Updated),
    "status" => is(Status),
    "type" => kept,
    "hasLoaded" => kept,
    "unifiedMode" => kept,
    "forceMode" => kept,
    "isAgentic" => kept,
    "isArchived" => kept,
    "isDraft" => kept,
    "modelConfig" => view(Native, &MODEL_CONFIG),
    "fullConversationHeadersOnly" => kept,
    "conversation" => each(Native, bubble),
    "conversationMap" => kept,
    "subComposerIds" => kept,
    "subagentInfo" => kept,
    "context" => kept,
    "capabilities" => kept,
    "usageData" => kept,
    "contextTokensUsed" => kept,
    "contextTokenLimit" => kept,
    "contextUsagePercent" => kept,
    "totalLinesAdded" => kept,
    "totalLinesRemoved" => kept,
    "filesChangedCount" => kept,
    "conversationCheckpointLastUpdatedAt" => kept,
    "latestChatGenerationUUID" => kept,
    "latestConversationSummary" => kept,
    "codeBlockData" => kept,
    "originalFileStates" => kept,
    "newlyCreatedFiles" => kept,
    "todos" => kept,
    "tabs" => kept,
    "selectedTabIndex" => kept,
    "restrictAgentModeSwitching" => kept,
    "glassMetaParentAgent" => kept,
    "workspaceIdentifier" => view(Native, &WORKSPACE),
    "trackedGitRepos" => kept,
    "deleteFileSuggestions" => kept,
    "generatingBubbleIds" => kept,
    "gitGraphFileSuggestions" => kept,
    "hasChangedContext" => kept,
    "inlineDiffIdMap" => kept,
    "isReadingLongFile" => kept,
    "longContextModeEnabled" => kept,
    "newlyCreatedFolders" => kept,
    "queuedAddedFiles" => kept,
    "userResponsesToSuggestedCodeBlocks" => kept,
};

static MODEL_CONFIG: Map =
    map! { "modelName" => is(Model), "maxMode" => kept, "selectedModels" => kept };

/// `bubbleId:<composer>:<bubble>`, and a bubble within its composer or tab.
macro_rules! bubble {
    ($tokens:ident $(($($arg:tt)*))?) => {
        map! {
            "_v" => kept,
            "bubbleId" => is(Id),
            "id" => is(Id),
            "serverBubbleId" => kept,
            "type" => kept,
            "messageType" => kept,
            "text" => is(Content),
            "rawText" => is(Content),
            "initText" => kept,
            "richText" => kept,
            "delegate" => kept,
            "createdAt" => is(Time),
            "timestamp" => is(Time),
            "timingInfo" => view(Native, &TIMING),
            "modelInfo" => view(Native, &MODEL_INFO),
            "modelType" => is(Model),
            "tokenCount" => $tokens $(($($arg)*))?,
            "thinking" => one(Native, thought),
            "thinkingDurationMs" => is(Duration),
            "allThinkingBlocks" => kept,
            "capabilityType" => kept,
            "toolFormerData" => one(Native, tool),
            "context" => kept,
            "relevantFiles" => kept,
            "attachedCodeChunks" => kept,
            "images" => kept,
            "selections" => kept,
            "fileSelections" => kept,
            "codeBlocks" => kept,
            "suggestedCodeBlocks" => kept,
            "checkpointId" => kept,
            "requestId" => is(Request),
            "usageUuid" => is(Message),
            "workspaceUris" => kept,
            "workspaceProjectDir" => is(WorkingDir),
            "isAgentic" => kept,
            "unifiedMode" => kept,
            "todos" => kept,
            "errorDetails" => kept,
            // of the oldest chats
            "aiType" => kept,
            "capabilityStatuses" => kept,
            "capabilityTypes" => kept,
            "dropdownAdvancedCodebaseSearchBehavior" => kept,
            "externalLinks" => kept,
            "folderSelections" => kept,
            "followup" => kept,
            "hasCodeBlock" => kept,
            "isCapabilityIteration" => kept,
            "isFocused" => kept,
            "mentions" => kept,
            "notepads" => kept,
            "quotes" => kept,
            "referencedCodeBlockURIs" => kept,
            "repoStep" => kept,
            "searchTypeIfCodebaseQuery" => kept,
            "selectedCommits" => kept,
            "selectedDocs" => kept,
            "selectedImages" => kept,
            "selectedPullRequests" => kept,
            "suggestedDiffs" => kept,
            "terminalFiles" => kept,
            "terminalSelections" => kept,
            "useWeb" => kept,
        }
    };
}

pub(super) static BUBBLE: Map = bubble!(kept);
pub(super) static COUNTED: Map = bubble!(within(Usage, &TOKEN_COUNT));

static TIMING: Map = map! {
    "clientStartTime" => is(Time),
    "clientEndTime" => kept,
    "clientRpcSendTime" => kept,
    "clientSettleTime" => kept,
};

static MODEL_INFO: Map = map! { "modelName" => is(Model) };

/// Counters of a turn, in its last bubble. Zero and zero: nobody knows.
static TOKEN_COUNT: Map = map! { "inputTokens" => is(TokensIn), "outputTokens" => is(TokensOut) };

/// The thought of a bubble: often a signature only.
pub(super) static THOUGHT: Map = map! {
    "text" => is(Content),
    "signature" => is(Encrypted),
    "redactedThinking" => is(Encrypted),
    "isLastThinkingChunk" => kept,
};

/// The tool of a bubble, as a call. Arguments and result are JSON in a string.
pub(super) static CALL: Map = map! {
    "tool" => kept,
    "toolIndex" => kept,
    "name" => is(Name),
    "toolCallId" => is(Call),
    "modelCallId" => kept,
    "params" => is(Input),
    "rawArgs" => kept,
    "status" => kept,
    "result" => kept,
    "userDecision" => kept,
    "additionalData" => kept,
    "error" => kept,
};

/// The same as a result.
pub(super) static RESULT: Map = map! {
    "name" => is(Name),
    "toolCallId" => is(Call),
    "status" => is(Status),
    "result" => is(Output),
    "error" => is(Output),
};

/// A row of `composerHeaders`.
pub(super) static HEAD: Map = map! {
    "composerId" => is(Session),
    "workspaceId" => kept,
    "createdAt" => is(Started),
    "lastUpdatedAt" => is(Updated),
    "isArchived" => kept,
    "isSubagent" => kept,
    "recency" => kept,
    "checkpointAt" => kept,
    "value" => within(Native, &COMPOSER),
};

static WORKSPACE: Map = map! { "id" => kept, "uri" => view(Native, &URI) };
static URI: Map = map! { "fsPath" => is(WorkingDir), "external" => kept, "path" => kept };

/// A tab of the oldest chats.
pub(super) static TAB: Map = map! {
    "tabId" => is(Session),
    "chatTitle" => is(Title),
    "lastSendTime" => is(Updated),
    "tabState" => kept,
    "chatMode" => kept,
    "hasNamedTab" => kept,
    "noReactiveContext" => kept,
    "selectedBubbleId" => kept,
    "symbolToURI" => kept,
    "lastFocusedBubbleId" => kept,
    "longContextModeEnabled" => kept,
    "bubbles" => each(Native, bubble),
};

/// The object that a list of composers or tabs stands in.
pub(super) static ROW: Map = map! {
    "tabs" => kept,
    "allComposers" => kept,
    "selectedComposerId" => kept,
};
