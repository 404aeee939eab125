//! Names on a line that show whether a person typed it.

pub(super) const MESSAGE: &[u8] = b"message";
pub(super) const ORIGIN: &[u8] = b"origin";
pub(super) const SOURCE: &[u8] = b"promptSource";
/// Flags; if one is true, no person typed the line.
pub(super) const FLAGS: &[&[u8]] = &[
    b"isMeta",
    b"isCompactSummary",
    b"isVisibleInTranscriptOnly",
    b"isVirtual",
    b"turnCompanion",
    b"isSynthetic",
];
/// Flags of lines that the agent shows, and does not send.
pub(super) const UNSENT: &[&[u8]] = &[b"isVisibleInTranscriptOnly", b"isVirtual"];
/// The agent's words of an attachment (since 2.1.33x).
pub(super) const RENDERED: &[u8] = b"rendered";
/// The subtype of a system line, and that of the output of a command to the agent itself.
pub(super) const SUBTYPE: &[u8] = b"subtype";
pub(super) const LOCAL: &[u8] = b"local_command";
/// The flag of an answer that is an error of the API.
pub(super) const FAILED: &[u8] = b"isApiErrorMessage";
/// The model of an answer, and the agent's word for none.
pub(super) const MODEL: &[&str] = &["model"];
pub(super) const NO_MODEL: &[u8] = b"<synthetic>";
/// The flag of a line of a sub-agent's conversation.
pub(super) const SIDE: &[u8] = b"isSidechain";
/// In stream-json output, the call that started the line's sub-agent.
pub(super) const WITHIN: &[u8] = b"parent_tool_use_id";
pub(super) const ATTACHMENT: &[u8] = b"attachment";
/// The attachment with a prompt that was sent during a turn.
pub(super) const QUEUED: &[u8] = b"queued_command";
/// The prompt of that attachment.
pub(super) const PROMPT: &[&str] = &["prompt"];
/// Its type: `prompt`, or a notification.
pub(super) const MODE: &[&str] = &["commandMode"];
/// Cause of it.
pub(super) const QUEUED_BY: &[&str] = &["origin", "kind"];
/// True if the agent made it.
pub(super) const QUEUED_META: &[&str] = &["isMeta"];
/// A forwarded prompt of another agent.
pub(super) const FORWARDED: &[&str] = &["forwardedIntent"];
