//! Tables of a record: one table per object. verbatim's own members are under `verbatim`.

use session::{Case, Kind, Map, Node, map};

/// Type of an entry.
const TYPE: &[&str] = &["type"];
/// Type of a system event.
const EVENT_TYPE: &[&str] = &["event-type"];
/// Type of a system event whose bytes were not JSON.
const NO_JSON: &[u8] = b"opaque";
/// The key of the extension object.
pub(super) const OURS: &str = "verbatim";
/// Standing of an entry, in its extension object.
pub(super) const STANDING: &[u8] = b"standing";
/// Mark of injected text, in the extension object of an entry or in a layout.
pub(super) const INJECTED: &[u8] = b"injected";
/// The layout of an entry.
pub(super) const CASE: &[u8] = b"case";
/// Native values by their pointers.
pub(super) const NATIVE: &[u8] = b"native";

/// A record.
pub(super) static RECORD: Map = map! {
    kept ["version", "id"],
    "created" => is(Started),
    "recording-agent" => kept,
    "session" => within(Native, &SESSION),
    "vcs" => within(Native, &VCS),
    kept ["file-attribution", "verbatim"],
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

/// The agent and its models.
pub(super) static AGENT: Map = map! {
    "model-id" => is(Model),
    "model-provider" => is(Provider),
    kept ["models", "cli-name"],
    "cli-version" => is(Version),
};

/// The environment.
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

/// The extension object of a session.
pub(super) static SESSION_OURS: Map = map! {
    kept ["paths", "streams", "notes", "made"],
};

/// The extension object of an entry.
pub(super) static OURS_OF_ENTRY: Map = map! {
    "standing" => kept,
    "injected" => is(Meta),
    kept ["case", "covered", "made", "from", "at"],
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

/// The table of an entry: the common members, and those of one kind.
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

/// `system-event`, and any type that the schema does not know.
pub(super) static EVENT: Map = entry! {
    "event-type" => is(Name),
    "data" => kept,
    "content" => is(Content),
};

/// The record itself, without its entries.
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

/// The cases of top-level entries.
static ENTRY: [Case; 7] = [
    USER.top(),
    ASSISTANT.top(),
    THOUGHT.top(),
    TOOL_CALL.top(),
    TOOL_RESULT.top(),
    NOTICE.top(),
    OPAQUE.top(),
];

/// The number of an entry's case.
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
