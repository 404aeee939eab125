//! Rows of OpenCode's databases, as in a dump: one line per row, `{"table":"part","row":{…}}`.
//! There are three generations: the tables of 1.x (`session`, `message`, `part`), of 2.x
//! (`session_v2`, `session_message`), and of the archived product of the same name (`sessions`,
//! `messages`, `files`).

use session::{Case, Kind, Map, Node, Shape, map};

use super::{case, map, tables, v2};

/// The table of a row of 1.x whose `data` has a table of its own.
macro_rules! row {
    ($data:expr) => {
        map! {
            "id" => is(Id),
            "session_id" => is(Session),
            "message_id" => is(Message),
            kept ["time_created", "time_updated"],
            "data" => within(Native, $data),
        }
    };
}
pub(super) use row;

/// The table of a line whose row has a table of its own.
macro_rules! line {
    ($row:expr) => {
        map! { "table" => kept, "row" => within(Native, $row) }
    };
}
pub(super) use line;

/// The case of a line that names one of the tables.
pub(super) fn case(line: Node<'_>) -> &'static Case {
    let table = line.word(map::TABLE).unwrap_or_default();
    match table {
        b"message" | b"part" => match line.at(map::ROW_DATA) {
            Some(data) if data.shape() == Shape::Object => case::first_row(table, data),
            _ => &SIDE,
        },
        b"session_message" => v2::row(line),
        b"session" | b"session_v2" => &SESSION,
        b"project" => &PROJECT,
        b"session_share" => &SHARE,
        b"event" | b"event_sequence" => &EVENT,
        b"sessions" => &OLD_SESSION,
        b"messages" => match line.word(map::ROW_ROLE) {
            Some(b"user") => &OLD_USER,
            _ => &OLD_ASSISTANT,
        },
        b"files" => &OLD_FILE,
        _ => &SIDE,
    }
}

/// Whether a line of a dump names one of the tables.
pub(super) fn is_named(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"{\"table\":\"").unwrap_or_default();
    let mut names = tables::ALL.iter().flat_map(|database| database.tables).map(|table| table.name);
    names.any(|name| rest.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"\"")))
}

static SIDE_LINE: Map = line!(&SIDE_ROW);
static SESSION_LINE: Map = line!(&SESSION_ROW);
static PROJECT_LINE: Map = line!(&PROJECT_ROW);
static SHARE_LINE: Map = line!(&SHARE_ROW);
static EVENT_LINE: Map = line!(&EVENT_ROW);
static OLD_SESSION_LINE: Map = line!(&OLD_SESSION_ROW);
static OLD_MESSAGE_LINE: Map = line!(&OLD_MESSAGE_ROW);
static OLD_FILE_LINE: Map = line!(&OLD_FILE_ROW);

static SIDE: Case = Case::new("row", Kind::Notice, &SIDE_LINE);
static SESSION: Case = Case::new("session", Kind::Notice, &SESSION_LINE);
static PROJECT: Case = Case::new("project", Kind::Notice, &PROJECT_LINE);
static SHARE: Case = Case::new("share", Kind::Notice, &SHARE_LINE);
/// A broadcast event: it repeats a row.
static EVENT: Case = Case::new("event", Kind::Notice, &EVENT_LINE);
static OLD_SESSION: Case = Case::new("session", Kind::Notice, &OLD_SESSION_LINE);
static OLD_USER: Case = Case::new("message", Kind::User, &OLD_MESSAGE_LINE);
static OLD_ASSISTANT: Case = Case::new("message", Kind::Assistant, &OLD_MESSAGE_LINE);
static OLD_FILE: Case = Case::new("file", Kind::Notice, &OLD_FILE_LINE);

/// Rows of `session` and `session_v2`: releases added columns one by one.
pub(super) static SESSION_ROW: Map = map! {
    "id" => is(Session),
    kept ["project_id", "workspace_id"],
    "parent_id" => is(SpawnedBy),
    "fork_session_id" => is(ParentSession),
    kept ["fork_boundary", "fork_message_id", "slug"],
    "directory" => is(WorkingDir),
    kept ["start_directory", "path"],
    "title" => is(Title),
    "version" => is(Version),
    "share_url" => is(Secret),
    kept [
        "summary_additions", "summary_deletions", "summary_files", "summary_diffs", "metadata",
        "cost", "tokens_input", "tokens_output", "tokens_reasoning", "tokens_cache_read",
        "tokens_cache_write",
    ],
    "revert" => view(Native, &map::REVERT),
    kept ["permission", "agent", "model"],
    "time_created" => is(Started),
    "time_updated" => is(Updated),
    kept [
        "time_compacting", "time_archived", "time_idle", "time_viewed", "time_suspended",
        "idle_outcome", "execution_claimed_at", "resume_attempts",
    ],
};

pub(super) static PROJECT_ROW: Map = map! {
    kept [
        "id", "worktree", "vcs", "name", "icon_url", "icon_url_override", "icon_color",
        "time_created", "time_updated", "time_initialized", "sandboxes", "commands",
    ],
};

pub(super) static SHARE_ROW: Map = map! {
    "session_id" => is(Session),
    "id" => kept,
    "secret" => is(Secret),
    "url" => is(Secret),
    "time_created" => is(Time),
    "time_updated" => kept,
};

pub(super) static EVENT_ROW: Map = map! {
    "id" => is(Id),
    "aggregate_id" => is(Session),
    "seq" => is(Ordinal),
    "created" => is(Time),
    "type" => is(Type),
    kept ["data", "owner_id"],
};

/// Rows of `todo`, `session_input`, `session_inbox`, `session_pending`, `session_context_epoch`
/// (the context before a conversation) and of the other tables beside a session. Also rows of
/// `message` and `part` whose `data` is not an object.
pub(super) static SIDE_ROW: Map = map! {
    "id" => is(Id),
    "session_id" => is(Session),
    "message_id" => is(Message),
    "type" => is(Type),
    "content" => kept,
    "status" => is(Status),
    kept ["priority", "position"],
    "time_created" => is(Time),
    kept [
        "time_updated", "data", "prompt", "payload", "delivery", "enqueued_seq", "admitted_seq",
        "promoted_seq", "baseline", "snapshot", "baseline_seq", "replacement_seq", "revision",
    ],
};

pub(super) static OLD_SESSION_ROW: Map = map! {
    "id" => is(Session),
    "parent_session_id" => is(SpawnedBy),
    "title" => is(Title),
    kept [
        "message_count", "prompt_tokens", "completion_tokens", "cost", "summary", "summarized_at",
    ],
    "summary_message_id" => is(Target),
    "created_at" => is(Started),
    "updated_at" => is(Updated),
};

pub(super) static OLD_MESSAGE_ROW: Map = map! {
    "id" => is(Id),
    "session_id" => is(Session),
    "role" => is(Role),
    "parts" => each(Native, old_part),
    "content" => is(Content),
    "model" => is(Model),
    "created_at" => is(Time),
    kept ["updated_at", "finished_at"],
};

pub(super) static OLD_FILE_ROW: Map = map! {
    "id" => is(Id),
    "session_id" => is(Session),
    "path" => is(Path),
    kept ["content", "version", "is_new"],
    "created_at" => is(Time),
    "updated_at" => kept,
};

/// A part of a message of the archived product. Names have one meaning in all its types.
pub(super) static OLD_PART: Map = map! {
    "type" => is(Type),
    "data" => within(Native, &OLD_DATA),
};

static OLD_DATA: Map = map! {
    "text" => is(Content),
    "thinking" => is(Content),
    "signature" => is(Encrypted),
    kept ["url", "detail", "path", "Path", "MIMEType", "Data", "mime_type", "data"],
    "id" => is(Call),
    "tool_call_id" => is(Call),
    "name" => is(Name),
    "input" => is(Input),
    kept ["type", "finished"],
    "content" => is(Output),
    "metadata" => is(Detail),
    "is_error" => is(IsError),
    "reason" => is(Finish),
    "time" => is(Time),
};

static OLD_TEXT: Case = Case::new("text", Kind::Assistant, &OLD_PART).top();
static OLD_REASONING: Case = Case::new("reasoning", Kind::Reasoning, &OLD_PART).top();
static OLD_CALL: Case = Case::new("tool", Kind::ToolCall, &OLD_PART).top();
static OLD_RESULT: Case = Case::new("result", Kind::ToolResult, &OLD_PART).top();
static OLD_NOTICE: Case = Case::new("part", Kind::Notice, &OLD_PART).top();

fn old_part(part: Node<'_>) -> Option<&'static Case> {
    Some(match part.word(map::TYPE)? {
        b"text" => &OLD_TEXT,
        b"reasoning" => &OLD_REASONING,
        b"tool_call" => &OLD_CALL,
        b"tool_result" => &OLD_RESULT,
        _ => &OLD_NOTICE,
    })
}
