//! Messages of OpenCode 2.x: rows of `session_message`, and the messages of its exports. One event
//! per message; thoughts and tools of an answer are events within it.

use session::{Case, EventRef, Injected, Kind, Map, Node, Shape, Slot, map};

use super::rows::line;
use super::{map, parts};

/// A message as an element of an export and as a row.
struct Message {
    listed: Case,
    row: Case,
}

macro_rules! message {
    ($name:literal, $kind:ident, $map:expr, $injected:expr) => {{
        static ROW: Map = map! {
            "id" => is(Id),
            "session_id" => is(Session),
            "type" => is(Type),
            "seq" => is(Ordinal),
            "time_created" => is(Time),
            "time_updated" => kept,
            "data" => within(Native, &$map),
        };
        static LINE: Map = line!(&ROW);
        let mut listed = Case::new($name, Kind::$kind, &$map).top();
        let mut row = Case::new($name, Kind::$kind, &LINE);
        listed.injected = $injected;
        row.injected = $injected;
        Message { listed, row }
    }};
}

static USER: Message = message!("message", User, USER_MAP, None);
static CONTEXT: Message = message!("context", User, CONTEXT_MAP, Some(Injected::Context));
static TOLD: Message = message!("context", User, CONTEXT_MAP, Some(Injected::Told));
static ASSISTANT: Message = message!("message", Assistant, ASSISTANT_MAP, None);
static COMPACTION: Message =
    message!("compaction", Notice, COMPACTION_MAP, Some(Injected::Summary));
static NOTICE: Message = message!("notice", Notice, NOTICE_MAP, Some(Injected::Context));

fn of(word: &[u8]) -> &'static Message {
    match word {
        b"user" => &USER,
        b"synthetic" | b"skill" => &TOLD,
        b"system" => &CONTEXT,
        b"assistant" => &ASSISTANT,
        b"compaction" => &COMPACTION,
        _ => &NOTICE,
    }
}

/// The case of a row of `session_message`.
pub(super) fn row(line: Node<'_>) -> &'static Case {
    &of(line.word(map::ROW_TYPE).unwrap_or_default()).row
}

/// The case of an export's message.
pub(super) fn listed(message: Node<'_>) -> Option<&'static Case> {
    message.word(map::TYPE).map(|word| &of(word).listed)
}

pub(super) static USER_MAP: Map = map! {
    "id" => is(Id),
    "type" => is(Type),
    "time" => view(Native, &map::CREATED),
    "metadata" => kept,
    "text" => is(Content),
    "files" => each(Native, file),
    kept ["agents", "skills", "references"],
};

/// A file of a prompt.
pub(super) static FILE_MAP: Map = map! {
    "uri" => is(Media),
    kept ["mime", "name", "description", "source"],
};

static FILE: Case = Case::new("file", Kind::User, &FILE_MAP);

fn file(file: Node<'_>) -> Option<&'static Case> {
    (file.shape() == Shape::Object).then_some(&FILE)
}

pub(super) static CONTEXT_MAP: Map = map! {
    "id" => is(Id),
    "type" => is(Type),
    "time" => view(Native, &map::CREATED),
    "metadata" => kept,
    "sessionID" => is(Session),
    "text" => is(Content),
    kept ["description", "skill", "name"],
};

/// Whether an event is a second-generation answer of a model.
pub(super) fn is_of(event: EventRef<'_>) -> bool {
    let cases = [&ASSISTANT, &COMPACTION].map(|message| [&message.listed, &message.row]);
    cases.iter().flatten().any(|case| std::ptr::eq(event.case, *case))
}

pub(super) static ASSISTANT_MAP: Map = map! {
    "id" => is(Id),
    "type" => is(Type),
    "time" => view(Native, &map::CREATED),
    kept ["metadata", "agent"],
    "model" => view(Native, &map::MODEL),
    "content" => each(Content, item),
    "snapshot" => kept,
    "finish" => is(Finish),
    "rawFinish" => kept,
    "cost" => is(Cost),
    "tokens" => within(Usage, &map::TOKENS),
    kept ["error", "retry", "native", "providerState"],
};

pub(super) static COMPACTION_MAP: Map = map! {
    "id" => is(Id),
    "type" => is(Type),
    "time" => view(Native, &map::CREATED),
    "metadata" => kept,
    "status" => is(Status),
    "reason" => kept,
    "summary" => is(Content),
    kept ["recent", "include", "images"],
    "model" => view(Native, &map::MODEL),
    "error" => kept,
    "cost" => is(Cost),
    "tokens" => within(Usage, &map::TOKENS),
    kept ["native", "providerState", "providerContext"],
};

/// `shell`, the `…-switched`, `idle`, and unknown types.
pub(super) static NOTICE_MAP: Map = map! {
    "id" => is(Id),
    "type" => is(Type),
    "time" => view(Native, &map::CREATED),
    kept ["metadata", "shellID", "callID", "command"],
    "status" => is(Status),
    kept ["exit", "output", "agent", "model", "location", "projectID", "subpath", "previous"],
    "outcome" => is(Status),
};

pub(super) static REASONING_MAP: Map = map! {
    "type" => is(Type),
    "id" => is(Id),
    "text" => is(Content),
    "time" => view(Native, &map::CREATED),
    kept ["native", "state", "providerState"],
    "providerMetadata" => view(Native, &parts::PROVIDERS),
};

/// A tool of an answer, as a call.
pub(super) static CALL_MAP: Map = map! {
    "type" => is(Type),
    "id" => is(Call),
    "name" => is(Name),
    kept ["executed", "native", "provider", "providerState", "providerResultState"],
    "time" => within(Native, &CALL_TIME),
    "state" => within(Native, &CALL_STATE),
};

static CALL_TIME: Map = map! {
    "created" => is(Time),
    kept ["ran", "completed", "pruned"],
};

static CALL_STATE: Map = map! {
    "status" => kept,
    "input" => is(Input),
    "metadata" => is(Detail),
    "structured" => is(Detail),
    kept ["content", "attachments", "outputPaths", "result", "error"],
};

/// The same as a result.
pub(super) static RESULT_MAP: Map = map! {
    "id" => is(Call),
    "name" => is(Name),
    "time" => within(Native, &RESULT_TIME),
    "state" => within(Native, &RESULT_STATE),
};

static RESULT_TIME: Map = map! { "completed" => is(Time) };

static RESULT_STATE: Map = map! {
    "status" => is(Status),
    "metadata" => is(Detail),
    "structured" => is(Detail),
    "content" => is(Output),
    "result" => is(Output),
    "error" => is(Output),
};

static REASONING: Case = Case::new("reasoning", Kind::Reasoning, &REASONING_MAP);
static PENDING: Case = Case::new("tool", Kind::ToolCall, &CALL_MAP);
static TOOL: Case = Case::new("tool", Kind::ToolCall, &CALL_MAP).also(&RESULT);
static RESULT: Case = Case::new("result", Kind::ToolResult, &RESULT_MAP);
static FAILING: Case = Case::new("tool", Kind::ToolCall, &CALL_MAP).also(&FAILURE);
static FAILURE: Case =
    Case::new("result", Kind::ToolResult, &RESULT_MAP).with(&[(Slot::IsError, "true")]);

/// The case of an item of an answer's content; `None` for plain text.
fn item(item: Node<'_>) -> Option<&'static Case> {
    match item.word(map::TYPE)? {
        b"reasoning" => Some(&REASONING),
        b"tool" => Some(match item.word(map::STATUS) {
            Some(b"completed") if map::went_wrong(item) => &FAILING,
            Some(b"completed") => &TOOL,
            Some(b"error") => &FAILING,
            _ => &PENDING,
        }),
        _ => None,
    }
}
