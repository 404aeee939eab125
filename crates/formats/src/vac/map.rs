//! What the names in a record mean: one table an object. What is ours stands under `verbatim`.

use session::{Case, Kind, Map, Node, map};

/// Where an entry says what it is.
const TYPE: &[&str] = &["type"];
/// Where a system event says what it is.
const EVENT_TYPE: &[&str] = &["event-type"];
/// What a system event is called that was no JSON.
const NO_JSON: &[u8] = b"opaque";
/// The key under which all that is ours stands.
pub(super) const OURS: &str = "verbatim";
/// How an entry stands, in what is ours of it.
pub(super) const STANDING: &[u8] = b"standing";
/// Text that no person typed, in what is ours of an entry or a layout.
pub(super) const INJECTED: &[u8] = b"injected";
/// The layout of an entry.
pub(super) const CASE: &[u8] = b"case";
/// Native values by their pointers.
pub(super) const NATIVE: &[u8] = b"native";

/// A record.
pub(super) static RECORD: Map = map! {
    "version" => kept,
    "id" => kept,
    "created" => is(Started),
    "recording-agent" => kept,
    "session" => within(Native, &SESSION),
    "vcs" => within(Native, &VCS),
    "file-attribution" => kept,
    "verbatim" => kept,
};

/// A session.
pub(super) static SESSION: Map = map! {
    "format" => kept,
    "session-id" => is(Session),
    "session-start" => is(Started),
    "session-end" => is(Updated),
    "agent-meta" => within(Native, &AGENT),
    "environment" => within(Native, &ENVIRONMENT),
    "entries" => each(Native, entry),
    "verbatim" => within(Native, &SESSION_OURS),
};

/// Who answered.
pub(super) static AGENT: Map = map! {
    "model-id" => is(Model),
    "model-provider" => is(Provider),
    "models" => kept,
    "cli-name" => kept,
    "cli-version" => is(Version),
};

/// Where.
pub(super) static ENVIRONMENT: Map = map! {
    "working-dir" => is(WorkingDir),
    "vcs" => within(Native, &VCS),
    "sandboxes" => kept,
};

/// Version control.
pub(super) static VCS: Map = map! {
    "type" => is(VersionControl),
    "revision" => is(Revision),
    "branch" => is(Branch),
    "repository" => is(Repository),
};

/// What is ours of a session.
pub(super) static SESSION_OURS: Map = map! {
    "paths" => kept,
    "streams" => kept,
    "notes" => kept,
};

/// What is ours of an entry.
pub(super) static OURS_OF_ENTRY: Map = map! {
    "standing" => kept,
    "injected" => is(Meta),
    "case" => kept,
    "covered" => kept,
    "from" => kept,
    "at" => kept,
    "native" => within(Native, &session::UNKNOWN),
    "bytes" => kept,
};

/// `token-usage`.
pub(super) static COUNTERS: Map = map! {
    "input" => is(TokensIn),
    "output" => is(TokensOut),
    "cached" => is(CacheRead),
    "reasoning" => is(TokensReasoning),
    "total" => is(TokensTotal),
    "cost" => is(Cost),
};

/// The table of an entry: what all have, and what is said of one kind.
macro_rules! entry {
    ($($name:literal => $row:ident $(($($arg:tt)*))?),* $(,)?) => {
        map! {
            "type" => is(Type),
            "timestamp" => is(Time),
            "id" => is(Id),
            "parent-id" => is(Parent),
            "model-id" => is(Model),
            "token-usage" => within(Usage, &COUNTERS),
            "children" => each(Native, child),
            "verbatim" => within(Native, &OURS_OF_ENTRY),
            $($name => $row $(($($arg)*))?),*
        }
    };
}

/// `user` and `assistant`.
pub(super) static MESSAGE: Map = entry! { "content" => is(Content) };

/// `reasoning`.
pub(super) static REASONING: Map = entry! {
    "content" => is(Content),
    "encrypted" => is(Encrypted),
    "subject" => is(Subject),
};

/// `tool-call`.
pub(super) static CALL: Map = entry! {
    "name" => is(Name),
    "input" => is(Input),
    "call-id" => is(Call),
    "metadata" => is(Detail),
};

/// `tool-result`.
pub(super) static RESULT: Map = entry! {
    "output" => is(Output),
    "call-id" => is(Call),
    "status" => is(Status),
    "is-error" => is(IsError),
    "metadata" => is(Detail),
};

/// `system-event`, and what is none of the types that the schema knows.
pub(super) static EVENT: Map = entry! {
    "event-type" => is(Name),
    "data" => kept,
    "content" => is(Content),
};

/// The record itself, less its entries.
pub(super) static RECORD_CASE: Case = Case::new("record", Kind::Notice, &RECORD);

const USER: Case = Case::new("user", Kind::User, &MESSAGE);
const ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &MESSAGE);
const THOUGHT: Case = Case::new("reasoning", Kind::Reasoning, &REASONING);
const TOOL_CALL: Case = Case::new("tool-call", Kind::ToolCall, &CALL);
const TOOL_RESULT: Case = Case::new("tool-result", Kind::ToolResult, &RESULT);
const NOTICE: Case = Case::new("system-event", Kind::Notice, &EVENT);
const OPAQUE: Case = Case::new("opaque", Kind::Opaque, &EVENT);

/// The cases of entries within others.
static CHILD: [Case; 7] = [USER, ASSISTANT, THOUGHT, TOOL_CALL, TOOL_RESULT, NOTICE, OPAQUE];

/// The cases of entries that stand by themselves.
static ENTRY: [Case; 7] = [
    USER.top(),
    ASSISTANT.top(),
    THOUGHT.top(),
    TOOL_CALL.top(),
    TOOL_RESULT.top(),
    NOTICE.top(),
    OPAQUE.top(),
];

/// Which of them an entry is.
fn number(node: Node<'_>) -> usize {
    match node.word(TYPE) {
        Some(b"user") => 0,
        Some(b"assistant") => 1,
        Some(b"reasoning") => 2,
        Some(b"tool-call") => 3,
        Some(b"tool-result") => 4,
        _ if node.word(EVENT_TYPE) == Some(NO_JSON) && node.at(&[OURS]).is_some() => 6,
        _ => 5,
    }
}

fn entry(node: Node<'_>) -> Option<&'static Case> {
    Some(&ENTRY[number(node)])
}

fn child(node: Node<'_>) -> Option<&'static Case> {
    Some(&CHILD[number(node)])
}
