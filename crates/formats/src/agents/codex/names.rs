//! Paths of member names that the code reads before a value's case is known. Names occur here and
//! in the tables, nowhere else.

/// Type of a record.
pub(super) const TYPE: &[&str] = &["type"];
/// Content of an envelope.
pub(super) const PAYLOAD: &[&str] = &["payload"];
/// Type of a line that is not an item, before the envelope.
pub(super) const RECORD_TYPE: &[&str] = &["record_type"];
/// Role of a message.
pub(super) const ROLE: &[&str] = &["role"];
/// Content of a message.
pub(super) const CONTENT: &[&str] = &["content"];
/// Codex's mark of each block's origin.
pub(super) const KINDS: &[&str] =
    &["internal_chat_message_metadata_passthrough", "content_item_kinds"];
/// The history with which a compaction replaced the one before it.
pub(super) const REPLACED: &[&str] = &["replacement_history"];
/// The two agents of a letter, by their paths.
pub(super) const AUTHOR: &[&str] = &["author"];
pub(super) const RECIPIENT: &[&str] = &["recipient"];
/// The text of a block of content.
pub(super) const TEXT: &[&str] = &["text"];
/// The call that an output is of, and the name of the tool.
pub(super) const CALL_ID: &[&str] = &["call_id"];
pub(super) const NAME: &[&str] = &["name"];
/// An output.
pub(super) const OUTPUT: &[&str] = &["output"];
/// The summary of a thought.
pub(super) const SUMMARY: &[&str] = &["summary"];
/// The completed item.
pub(super) const ITEM: &[&str] = &["item"];
/// The thread's own id in its header.
pub(super) const ID: &[&str] = &["id"];
/// The history of a document of the first command line.
pub(super) const ITEMS: &[&str] = &["items"];
/// The thought, in the chat shape.
pub(super) const REASONING_TEXT: &[&str] = &["reasoning"];
/// The names that identify other files of Codex's home.
pub(super) const SESSION_ID: &[&str] = &["session_id"];
pub(super) const TYPED_AT: &[&str] = &["ts"];
pub(super) const TIMESTAMP: &[&str] = &["timestamp"];
pub(super) const INSTRUCTIONS: &[&str] = &["instructions"];
pub(super) const THREAD: &[&str] = &["thread_id"];
pub(super) const THREAD_NAME: &[&str] = &["thread_name"];
/// The session of a collected line.
pub(super) const SESSION_ID_COLLECTED: &[&str] = &["sessionId"];
/// The program that a collected line comes from.
pub(super) const AGENT: &[&str] = &["agent"];
/// The text of an event.
pub(super) const MESSAGE_TEXT: &[&str] = &["message"];
/// The outputs in the events of tools and completed items.
pub(super) const OUTPUTS: &[&str] = &["aggregated_output", "result", "results", "content_items"];
/// Start of a turn, in seconds since 1970.
pub(super) const STARTED_AT: &[&str] = &["payload", "started_at"];

/// Position of a paged line in its thread's history.
pub(super) const ORDINAL: &[&str] = &["ordinal"];
/// The thread, in a header.
pub(super) const THREAD_ID: &[&str] = &["payload", "id"];
/// The thread that it was forked from.
pub(super) const FORKED_FROM: &[&str] = &["payload", "forked_from_id"];
/// The base of a rollout, and the place in it.
pub(super) const BASE: &[&str] = &["payload", "history_base", "thread_id"];
pub(super) const BASE_ORDINAL: &[&str] = &["payload", "history_base", "end_ordinal_exclusive"];
pub(super) const BASE_OFFSET: &[&str] = &["payload", "history_base", "end_byte_offset"];

/// Names of members, compared while iterating over them.
pub(super) mod key {
    pub(in crate::agents::codex) const TYPE: &[u8] = b"type";
    pub(in crate::agents::codex) const PAYLOAD: &[u8] = b"payload";
}
/// Members of a document's session.
pub(super) const DOCUMENT: [&[&str]; 4] = [
    &["session", "id"],
    &["session", "timestamp"],
    &["session", "instructions"],
    &["session", "cwd"],
];
