//! Paths of member names that the code reads before a value's case is known, or within a value that
//! no table reads. Names occur here and in the tables, nowhere else.

/// Type of an event.
pub(super) const TYPE: &[&str] = &["type"];
/// Its id.
pub(super) const ID: &[&str] = &["id"];
/// Its time.
pub(super) const TIMESTAMP: &[&str] = &["timestamp"];
/// Its content.
pub(super) const DATA: &[&str] = &["data"];
/// The sub-agent that it is of; older versions name the call that started the sub-agent.
pub(super) const SIDE: [&[&str]; 2] = [&["agentId"], &["data", "parentToolCallId"]];
/// The version of the editor whose extension wrote the events.
pub(super) const EDITOR: &[&str] = &["data", "vscodeVersion"];
/// The text of a message.
pub(super) const CONTENT: &[&str] = &["data", "content"];
/// Why a message of the user's side is not a person's.
pub(super) const SOURCE: &[&str] = &["data", "source"];
/// The thoughts in an answer.
pub(super) const THOUGHTS: [&[&str]; 3] =
    [&["data", "reasoningText"], &["data", "reasoningOpaque"], &["data", "encryptedContent"]];
/// Whether something succeeded.
pub(super) const SUCCESS: &[&str] = &["data", "success"];
/// The exit code of a command.
pub(super) const EXIT: &[&str] = &["data", "shellExecution", "exitCode"];
/// The text that the model gets of a tool.
pub(super) const OUTPUT: &[&str] = &["data", "result", "content"];
/// The calls of an answer.
pub(super) const REQUESTS: &[&str] = &["data", "toolRequests"];
/// The event that a rewind went back to.
pub(super) const REWOUND_TO: &[&str] = &["data", "upToEventId"];
/// The counters of a process, by model, and those of one model.
pub(super) const METRICS: &[&str] = &["data", "modelMetrics"];
pub(super) const MODEL_USAGE: &[&str] = &["usage"];
/// The counters of a compaction, and its model.
pub(super) const COMPACTION: &[&str] = &["data", "compactionTokensUsed"];
pub(super) const MODEL: &[&str] = &["model"];
/// The names of counters in all generations.
pub(super) const INPUT_TOKENS: [&[&str]; 2] = [&["inputTokens"], &["input"]];
pub(super) const OUTPUT_TOKENS: [&[&str]; 2] = [&["outputTokens"], &["output"]];
pub(super) const CACHE_READ: [&[&str]; 2] = [&["cacheReadTokens"], &["cachedInput"]];
pub(super) const CACHE_WRITE: &[&str] = &["cacheWriteTokens"];
pub(super) const REASONING_TOKENS: &[&str] = &["reasoningTokens"];
/// The file that an attachment is, by its content.
pub(super) const ASSET: &[&str] = &["assetId"];
/// The same in the event with its bytes.
pub(super) const ASSET_ID: &[&str] = &["data", "assetId"];
/// Its media type.
pub(super) const ASSET_KIND: &[&str] = &["data", "mimeType"];
/// The members of a document of 2025.
pub(super) const DOCUMENT: [&[&str]; 3] = [&["sessionId"], &["startTime"], &["chatMessages"]];
/// Role of a message.
pub(super) const ROLE: &[&str] = &["role"];
/// Whether every tool runs without a question.
pub(super) const ALLOWS_ALL: &[&str] = &["data", "allowAllPermissions"];
/// The folder of an editor's workspace.
pub(super) const FOLDER: &[&str] = &["folder"];
