//! Tables of OpenCode's files, exports and databases: one table per object. Tables only; `case.rs`
//! selects cases.

use session::{Map, Node, map};

use super::{case, parts, rows, v2};

/// Type of a part, a message of the second generation or an element of a share.
pub(super) const TYPE: &[&str] = &["type"];
/// Role of a message of the first generation.
pub(super) const ROLE: &[&str] = &["role"];
/// The session of a message or part.
pub(super) const SESSION: &[&str] = &["sessionID"];
/// The message of a part.
pub(super) const MESSAGE: &[&str] = &["messageID"];
/// The value in an element of a share.
pub(super) const DATA: &[&str] = &["data"];
/// The header in an export, and in each of its messages.
pub(super) const INFO: &[&str] = &["info"];
/// The messages of an export.
pub(super) const MESSAGES: &[&str] = &["messages"];
/// The parts of an exported message, and of the messages of 2025's first builds.
pub(super) const PARTS: &[&str] = &["parts"];
/// The project's folder.
pub(super) const WORKTREE: &[&str] = &["worktree"];
/// The secret that gives access to a share.
pub(super) const SECRET: &[&str] = &["secret"];
/// The address of a share.
pub(super) const URL: &[&str] = &["url"];
/// Names, one of which every session's header has.
pub(super) const HEADER: &[&[&str]] = &[&["projectID"], &["directory"], &["title"], &["version"]];
/// Time of creation.
pub(super) const TIME: &[&str] = &["time"];
/// Status of a tool call.
pub(super) const STATUS: &[&str] = &["state", "status"];
/// Output of a tool, in its three spellings.
pub(super) const OUTPUTS: &[&[&str]] =
    &[&["state", "output"], &["state", "error"], &["state", "content"]];
/// Exit code of a command: as all builds write it, and as betas of 2.x did.
const EXITS: &[&[&str]] = &[&["state", "metadata", "exit"], &["state", "structured", "exit"]];
/// Metadata of a call from the provider.
pub(super) const METADATA: &[&str] = &["metadata"];
/// The id of a call; the builds before 0.3.30 called it `id`.
pub(super) const CALL_ID: &[&str] = &["callID"];
/// A tool's name.
pub(super) const TOOL: &[&str] = &["tool"];
/// True for text that the program inserted.
/// Text of a part.
pub(super) const TEXT_OF: &[&str] = &["text"];
pub(super) const SYNTHETIC: &[&str] = &["synthetic"];
/// Status of a call of 2025's first builds.
pub(super) const INVOCATION_STATE: &[&str] = &["toolInvocation", "state"];
/// Names that identify a list of files' changes.
pub(super) const CHANGE: &[&str] = &["additions"];
/// Names that identify a to-do list.
pub(super) const TODO_CONTENT: &[&str] = &["content"];
/// The table and the row of a dump's line.
pub(super) const TABLE: &[&str] = &["table"];
pub(super) const ROW: &[&str] = &["row"];
/// The body of a row.
pub(super) const ROW_DATA: &[&str] = &["row", "data"];
/// The type word in a row of the second generation.
pub(super) const ROW_TYPE: &[&str] = &["row", "type"];
/// Role in a row of the other product.
pub(super) const ROW_ROLE: &[&str] = &["row", "role"];
/// The call of a tool's answer in the chat shape.
pub(super) const TOOL_CALL_ID: &[&str] = &["tool_call_id"];

/// Whether a call's command ended with an error, which OpenCode counts as completed.
pub(super) fn went_wrong(call: Node<'_>) -> bool {
    let exit = EXITS.iter().find_map(|path| call.at(path)).map(Node::raw);
    exit.is_some_and(|exit| exit != b"0" && exit != b"null")
}

/// Every table, by a name for people.
pub(super) static ALL: &[(&str, &Map)] = &[
    ("session", &SESSION_INFO),
    ("project", &PROJECT),
    ("share", &SHARE),
    ("message", &MESSAGE_INFO),
    ("message of a chat", &CHAT),
    ("call of a chat", &parts::CHAT_CALL),
    ("part: text", &parts::TEXT),
    ("part: reasoning", &parts::REASONING),
    ("part: tool, the call", &parts::TOLD_CALL),
    ("part: tool, the result", &parts::RESULT),
    ("part: tool of the first builds, the call", &parts::FIRST_CALL),
    ("part: tool of the first builds, the result", &parts::FIRST_RESULT),
    ("part: tool-invocation, the call", &parts::INVOCATION),
    ("part: tool-invocation, the result", &parts::INVOCATION_RESULT),
    ("part: step-finish", &parts::STEP_FINISH),
    ("part: patch", &parts::PATCH),
    ("part: file", &parts::FILE),
    ("other parts", &parts::PART),
    ("table session, session_v2", &rows::SESSION_ROW),
    ("table project", &rows::PROJECT_ROW),
    ("table session_share", &rows::SHARE_ROW),
    ("table event", &rows::EVENT_ROW),
    ("other tables", &rows::SIDE_ROW),
    ("table sessions (archived product)", &rows::OLD_SESSION_ROW),
    ("table messages (archived product)", &rows::OLD_MESSAGE_ROW),
    ("parts (archived product)", &rows::OLD_PART),
    ("table files (archived product)", &rows::OLD_FILE_ROW),
    ("2.x: user", &v2::USER_MAP),
    ("2.x: a file of a prompt", &v2::FILE_MAP),
    ("2.x: synthetic, system, skill", &v2::CONTEXT_MAP),
    ("2.x: assistant", &v2::ASSISTANT_MAP),
    ("2.x: compaction", &v2::COMPACTION_MAP),
    ("2.x: other messages", &v2::NOTICE_MAP),
    ("2.x: reasoning", &v2::REASONING_MAP),
    ("2.x: tool, the call", &v2::CALL_MAP),
    ("2.x: tool, the result", &v2::RESULT_MAP),
];

/// A session's header: file, export, share.
pub(super) static SESSION_INFO: Map = map! {
    "id" => is(Session),
    kept ["slug", "projectID", "workspaceID"],
    "directory" => is(WorkingDir),
    "path" => kept,
    "location" => view(Native, &LOCATION),
    "subpath" => kept,
    "parentID" => is(SpawnedBy),
    "fork" => kept,
    "title" => is(Title),
    "version" => is(Version),
    "time" => view(Native, &SESSION_TIME),
    "summary" => kept,
    "share" => within(Native, &SHARE),
    kept ["agent", "model", "cost", "tokens", "permission"],
    "revert" => view(Native, &REVERT),
    kept ["metadata", "outcome"],
};

static LOCATION: Map = map! { "directory" => is(WorkingDir), "workspaceID" => kept };

static SESSION_TIME: Map = map! {
    "created" => is(Started),
    "updated" => is(Updated),
    kept ["compacting", "archived", "initialized", "idle", "viewed"],
};

/// The first reverted message or part of a session.
pub(super) static REVERT: Map = map! {
    "messageID" => is(Target),
    "partID" => is(Leaf),
    kept ["part", "snapshot", "diff", "files"],
};

/// A project: file, share.
pub(super) static PROJECT: Map = map! {
    kept ["id", "worktree"],
    "vcs" => is(VersionControl),
    kept ["vcsDir", "name", "icon", "sandboxes", "commands", "time"],
};

/// The values that give access to a shared session.
pub(super) static SHARE: Map = map! {
    "id" => kept,
    "secret" => is(Secret),
    "url" => is(Secret),
    "version" => kept,
};

/// A message of the first generation, without its parts.
pub(super) static MESSAGE_INFO: Map = map! {
    "id" => is(Id),
    "sessionID" => is(Session),
    "role" => is(Role),
    "time" => within(Native, &CREATED),
    "parentID" => is(Parent),
    kept ["agent", "mode"],
    "model" => view(Native, &MODEL),
    "modelID" => is(Model),
    "providerID" => is(Provider),
    "variant" => kept,
    "path" => view(Native, &PATH),
    "summary" => is(CompactSummary),
    kept ["system", "tools", "format", "structured"],
    "tokens" => within(Usage, &TOKENS),
    "cost" => is(Cost),
    "finish" => is(Finish),
    "error" => kept,
    "content" => is(Content),
    "tool_calls" => each(Native, case::chat_call),
    "parts" => each(Native, case::listed_part),
    "metadata" => view(Native, &FIRST_METADATA),
};

/// The `metadata` of a message in 2025's first builds, which had no `time` or `sessionID`.
static FIRST_METADATA: Map = map! {
    "sessionID" => is(Session),
    "time" => view(Native, &CREATED),
    "assistant" => view(Native, &FIRST_ASSISTANT),
    kept ["tool", "error", "title", "summary", "snapshot"],
};

static FIRST_ASSISTANT: Map = map! {
    "system" => kept,
    "modelID" => is(Model),
    "providerID" => is(Provider),
    "path" => view(Native, &PATH),
    "cost" => is(Cost),
    "summary" => is(CompactSummary),
    "tokens" => view(Usage, &TOKENS),
};

pub(super) static CREATED: Map = map! {
    "created" => is(Time),
    kept ["completed", "updated", "streamed", "initialized"],
};

/// A model as messages of both generations name it.
pub(super) static MODEL: Map = map! {
    "modelID" => is(Model),
    "id" => is(Model),
    "providerID" => is(Provider),
    "variant" => kept,
};

static PATH: Map = map! { "cwd" => is(WorkingDir), "root" => kept };

/// Counters. Input excludes cache reads; whether output includes reasoning depends on the build.
pub(super) static TOKENS: Map = map! {
    "total" => is(TokensTotal),
    "input" => is(TokensIn),
    "output" => is(TokensOut),
    "reasoning" => is(TokensReasoning),
    "cache" => within(Native, &CACHE),
};

static CACHE: Map = map! { "read" => is(CacheRead), "write" => is(CacheWrite) };

/// A message in the chat shape, as written by collectors of sessions.
pub(super) static CHAT: Map = map! {
    "id" => is(Id),
    "sessionID" => is(Session),
    "role" => is(Role),
    "content" => is(Output),
    "tool_call_id" => is(Call),
    "time" => within(Native, &CREATED),
};
