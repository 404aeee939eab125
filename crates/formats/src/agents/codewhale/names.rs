//! Names that code reads to select a case. `map.rs`, `runtime.rs` and `harness.rs` have their
//! meanings.

pub(super) const ID: &[&str] = &["id"];
pub(super) const ROLE: &[&str] = &["role"];
pub(super) const TYPE: &[&str] = &["type"];
pub(super) const KIND: &[&str] = &["kind"];
pub(super) const STATUS: &[&str] = &["status"];
pub(super) const TEXT: &[&str] = &["text"];
pub(super) const CONTENT: &[&str] = &["content"];
pub(super) const DETAIL: &[&str] = &["detail"];

/// The error of a call, in a log of the harness.
pub(super) const DATA_ERROR: &[&str] = &["data", "error"];

/// A saved session.
pub(super) const METADATA: &[&str] = &["metadata"];
pub(super) const METADATA_ID: &[&str] = &["metadata", "id"];
/// A line with a message.
pub(super) const MESSAGE: &[&str] = &["message"];
/// Counters of the metadata, and the session's folder.
pub(super) const COUNTED: [&[&str]; 3] =
    [&["metadata", "message_count"], &["metadata", "total_tokens"], &["metadata", "workspace"]];
/// The last entry of the active path.
pub(super) const LEAF: &[&str] = &["leaf_id"];
pub(super) const MESSAGES: &[&str] = &["messages"];
pub(super) const SYSTEM_PROMPT: &[&str] = &["system_prompt"];
/// The role within a journal's entry.
pub(super) const MESSAGE_ROLE: &[&str] = &["message", "role"];
/// The content within a journal's entry.
pub(super) const MESSAGE_CONTENT: &[&str] = &["message", "content"];

/// A transcript of a sub-agent, and the register of them.
pub(super) const AGENT_ID: &[&str] = &["agent_id"];
pub(super) const INDEX: &[&str] = &["index"];
pub(super) const AGENTS: &[&str] = &["agents"];
pub(super) const PROMPT: &[&str] = &["prompt"];
pub(super) const AGENT_TYPE: &[&str] = &["agent_type"];
pub(super) const CHECKPOINT: &[&str] = &["checkpoint"];
pub(super) const RESULT: &[&str] = &["result"];

/// The container for interchange.
pub(super) const ENTRIES: &[&str] = &["entries"];
pub(super) const FORMAT_VERSION: &[&str] = &["format_version"];

/// Files beside a saved session.
pub(super) const PHASE: &[&str] = &["phase"];
pub(super) const APPROVAL_ID: &[&str] = &["approval_id"];
pub(super) const OBJECTIVE: &[&str] = &["objective"];
pub(super) const DRAFT: &[&str] = &["draft"];
pub(super) const SESSION_ID: &[&str] = &["session_id"];

/// The runtime store.
pub(super) const SCHEMA_VERSION: &[&str] = &["schema_version"];
pub(super) const THREAD_ID: &[&str] = &["thread_id"];
pub(super) const TURN_ID: &[&str] = &["turn_id"];
pub(super) const ITEM_IDS: &[&str] = &["item_ids"];
pub(super) const INPUT_SUMMARY: &[&str] = &["input_summary"];
pub(super) const WORKSPACE: &[&str] = &["workspace"];
pub(super) const MODEL: &[&str] = &["model"];
pub(super) const SEQ: &[&str] = &["seq"];
pub(super) const EVENT: &[&str] = &["event"];
/// The tool of a call, in an event.
pub(super) const STARTED_TOOL: &[&str] = &["payload", "tool"];
/// The call's id in the saved session.
pub(super) const TOOL_ID: &[&str] = &["payload", "tool", "id"];

/// The harness' own log.
pub(super) const DATA: &[&str] = &["data"];
pub(super) const DELEGATION: &[&str] = &["delegationDepth"];
pub(super) const SOURCE_KIND: &[&str] = &["data", "source", "kind"];
