//! Tables of the document, for reading it as a session.

use session::{Case, Kind, Map, Node, Shape, map};

use super::words;

/// The document's version, and its session: they distinguish it from other JSON.
pub(super) const VERSION: &[&str] = &["schema_version"];
pub(super) const UID: &[&str] = &["session_uid"];
/// Kind and standing of an event.
const OURS: &[&str] = &["extensions", "verbatim", "kind"];
pub(super) const INJECTED: &[&str] = &["extensions", "verbatim", "injected"];
pub(super) const STANDING: &[&str] = &["extensions", "verbatim", "standing"];
/// Source of a document.
pub(super) const FORMAT: &[&str] = &["extensions", "verbatim", "format"];
pub(super) const MEMBERS: &[&str] = &["extensions", "verbatim", "members"];
pub(super) const BACKEND: &[&str] = &["source", "backend"];
pub(super) const NATIVE_ID: &[&str] = &["source", "original_session_id"];
pub(super) const FILES: &[&str] = &["source", "source_files"];
/// The native text; of a line that is not text, its bytes.
pub(super) const LINES: &[&str] = &["raw_vendor_payload", "lines"];
pub(super) const BASE64: &[&str] = &["base64"];
/// Members of a native file.
pub(super) const NAME: &[&str] = &["name"];
pub(super) const STREAM: &[&str] = &["stream"];
pub(super) const TRANSPORT: &[&str] = &["kind"];
pub(super) const COUNT: &[&str] = &["lines"];
/// The events, and members of an event about its record.
pub(super) const EVENTS: &[&str] = &["events"];
pub(super) const STREAM_ID: &[&str] = &["stream_id"];
pub(super) const LINE: &[&str] = &["line_number"];
pub(super) const RAW: &[&str] = &["raw_vendor_payload"];
/// The document's kind of an event.
const KIND: &[&str] = &["kind"];

static DOCUMENT_MAP: Map = map! {
    kept ["schema_version", "session_uid", "shared_session_uid"],
    "source" => within(Native, &SOURCE),
    "metadata" => within(Native, &METADATA),
    "events" => each(Native, event),
    kept ["artifacts", "capabilities"],
    "extensions" => within(Native, &OF_DOCUMENT),
    "lineage" => within(Native, &LINEAGE),
    "raw_vendor_payload" => kept,
};

static OF_DOCUMENT: Map = map! {
    "verbatim" => within(Native, &VERBATIM),
};

/// The data for restoring the native files, and facts without a place in the schema.
static VERBATIM: Map = map! {
    kept ["format", "members"],
    "model" => is(Model),
    "version" => is(Version),
    kept ["models", "conversion", "made"],
};

static SOURCE: Map = map! {
    "backend" => kept,
    "original_session_id" => is(Session),
    kept ["source_files", "imported_at", "adapter_version"],
};

static METADATA: Map = map! {
    "title" => is(Title),
    "project_root" => is(WorkingDir),
    "created_at" => is(Started),
    "updated_at" => is(Updated),
    "tags" => kept,
};

static LINEAGE: Map = map! {
    "root_session_uid" => kept,
    "parent_session_uid" => is(ParentSession),
    kept ["fork_origin_event_uid", "fork_origin_native_id", "strategy"],
};

static EVENT: Map = map! {
    "event_uid" => is(Id),
    kept ["stream_id", "line_number"],
    "sequence" => is(Ordinal),
    "timestamp" => is(Time),
    "kind" => is(Type),
    "actor" => within(Native, &ACTOR),
    "payload" => within(Native, &PAYLOAD),
    "raw_vendor_payload" => kept,
    "extensions" => within(Native, &EXTENSIONS),
};

static ACTOR: Map = map! {
    "role" => is(Role),
    "model" => is(Model),
};

static PAYLOAD: Map = map! {
    "type" => kept,
    "text" => is(Content),
    "call_id" => is(Call),
    "tool_name" => is(Name),
    "input" => is(Input),
    "ok" => is(Success),
    "output_text" => is(Output),
    "error_text" => is(Output),
    "value" => kept,
};

static EXTENSIONS: Map = map! { "verbatim" => within(Native, &EXTENSION) };

static EXTENSION: Map = map! {
    "kind" => kept,
    "event" => is(Name),
    kept ["part", "standing"],
    "injected" => is(Meta),
    kept ["inferred_time", "id", "parent"],
    "answer" => is(Message),
    "made" => kept,
    "repeats" => is(Target),
};

/// The tables by name, for documents and checks.
pub(super) static MAPS: &[(&str, &Map)] = &[
    ("document", &DOCUMENT_MAP),
    ("document.source", &SOURCE),
    ("document.metadata", &METADATA),
    ("document.lineage", &LINEAGE),
    ("document.extensions", &OF_DOCUMENT),
    ("document.extensions.verbatim", &VERBATIM),
    ("event", &EVENT),
    ("event.actor", &ACTOR),
    ("event.payload", &PAYLOAD),
    ("event.extensions", &EXTENSIONS),
    ("event.extensions.verbatim", &EXTENSION),
];

static DOCUMENT: Case = Case::new("stead-session", Kind::Notice, &DOCUMENT_MAP).injected();
static USER: Case = Case::new(words::USER, Kind::User, &EVENT).top();
static CONTEXT: Case = Case::new("context", Kind::User, &EVENT).injected().top();
static ASSISTANT: Case = Case::new(words::ASSISTANT, Kind::Assistant, &EVENT).top();
static REASONING: Case = Case::new("reasoning", Kind::Reasoning, &EVENT).top();
static CALL: Case = Case::new(words::CALL, Kind::ToolCall, &EVENT).top();
static RESULT: Case = Case::new(words::RESULT, Kind::ToolResult, &EVENT).top();
static NOTICE: Case = Case::new("event", Kind::Notice, &EVENT).injected().top();

/// The case of a document.
pub(super) fn document(document: Node<'_>) -> Option<&'static Case> {
    (document.at(VERSION).is_some() && document.at(UID).is_some()).then_some(&DOCUMENT)
}

/// The case of an event: by its extension object, else by the document's kind.
fn event(event: Node<'_>) -> Option<&'static Case> {
    if event.shape() != Shape::Object {
        return None;
    }
    if let Some(kind) = event.word(OURS) {
        return Some(match kind {
            b"user" if event.at(INJECTED).is_some() => &CONTEXT,
            b"user" => &USER,
            b"assistant" => &ASSISTANT,
            b"reasoning" => &REASONING,
            b"tool-call" => &CALL,
            b"tool-result" => &RESULT,
            _ => &NOTICE,
        });
    }
    let kind = event.word(KIND).unwrap_or_default();
    let of = |word: &str| kind == word.as_bytes();
    Some(match () {
        () if of(words::USER) => &USER,
        () if of(words::ASSISTANT) => &ASSISTANT,
        () if of(words::CALL) => &CALL,
        () if of(words::RESULT) => &RESULT,
        () => &NOTICE,
    })
}
