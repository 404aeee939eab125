//! Case selection: the table that applies to a record.
//!
//! OpenCode stores the same message and the same part in several wrappings: as a value of its own
//! (a file of the storage tree, a value of a dump), as an element of an export, as the `data` of a
//! share's element, and as the `data` of a table's row.

use session::{Case, EventRef, Injected, Kind, Map, Node, Session, Shape, Slot, UNKNOWN, map};

use super::{map, parts, rows, v2};

/// A message or a part, with its case for each wrapping.
pub(super) struct Thing {
    pub bare: Case,
    pub listed: Case,
    pub shared: Case,
    pub row: Case,
}

impl Thing {
    /// `maps` has the tables of the bare value, of a share's element, and of a row.
    pub(super) const fn new(name: &'static str, kind: Kind, maps: [&'static Map; 3]) -> Self {
        let bare = Case::new(name, kind, maps[0]);
        let listed = Case::new(name, kind, maps[0]).top();
        let shared = Case::new(name, kind, maps[1]).top();
        Self { bare, listed, shared, row: Case::new(name, kind, maps[2]) }
    }

    const fn each(self, change: &Changes) -> Self {
        let Self { bare, listed, shared, row } = self;
        let (bare, listed) = (change.of(bare, 0), change.of(listed, 1));
        Self { bare, listed, shared: change.of(shared, 2), row: change.of(row, 3) }
    }

    const fn injected_as(self, reason: Injected) -> Self {
        self.each(&Changes { injected: Some(reason), ..Changes::NONE })
    }

    const fn with(self, constants: &'static [(Slot, &'static str)]) -> Self {
        self.each(&Changes { constants, ..Changes::NONE })
    }

    /// The same thing, with a second event from the same value.
    const fn also(self, second: &'static Thing) -> Self {
        self.each(&Changes { also: Some(second), ..Changes::NONE })
    }
}

/// The properties that all wrappings of a thing have in common.
struct Changes {
    injected: Option<Injected>,
    constants: &'static [(Slot, &'static str)],
    also: Option<&'static Thing>,
}

impl Changes {
    const NONE: Self = Self { injected: None, constants: &[], also: None };

    const fn of(&self, mut case: Case, wrapping: u8) -> Case {
        if self.injected.is_some() {
            case.injected = self.injected;
        }
        if !self.constants.is_empty() {
            case.constants = self.constants;
        }
        if let Some(second) = self.also {
            case.also = Some(match wrapping {
                0 => &second.bare,
                1 => &second.listed,
                2 => &second.shared,
                _ => &second.row,
            });
        }
        case
    }
}

/// A thing from its tables: the bare one is named, the others are derived from it.
macro_rules! thing {
    ($name:literal, $kind:ident, $map:expr) => {{
        static SHARED: Map = map! { "type" => kept, "data" => within(Native, &$map) };
        static ROW: Map = rows::row!(&$map);
        static LINE: Map = rows::line!(&ROW);
        Thing::new($name, Kind::$kind, [&$map, &SHARED, &LINE])
    }};
}

static USER: Thing = thing!("message", User, map::MESSAGE_INFO);
static ASSISTANT: Thing = thing!("message", Assistant, map::MESSAGE_INFO);
static ANSWER: Thing = thing!("result", ToolResult, map::CHAT);
static TEXT: Thing = thing!("text", Assistant, parts::TEXT);
/// A text that the agent passes to the model in a person's place: an attached file, a command that
/// the person
/// ran, a report of a mode.
static SYNTHETIC: Thing = thing!("text", User, parts::TEXT).injected_as(Injected::Told);
/// A text of the agent about its own mode, which it adds anew to each request.
static MODE: Thing = thing!("text", User, parts::TEXT).injected_as(Injected::Context);
static REASONING: Thing = thing!("reasoning", Reasoning, parts::REASONING);
static PENDING: Thing = thing!("tool", ToolCall, parts::CALL);
static TOOL: Thing = thing!("tool", ToolCall, parts::CALL).also(&RESULT);
static RESULT: Thing = thing!("result", ToolResult, parts::RESULT);
static FAILING: Thing = thing!("tool", ToolCall, parts::CALL).also(&FAILURE);
static TOLD_PENDING: Thing = thing!("tool", ToolCall, parts::TOLD_CALL);
static TOLD_TOOL: Thing = thing!("tool", ToolCall, parts::TOLD_CALL).also(&RESULT);
static TOLD_FAILING: Thing = thing!("tool", ToolCall, parts::TOLD_CALL).also(&FAILURE);
static FAILURE: Thing =
    thing!("result", ToolResult, parts::RESULT).with(&[(Slot::IsError, "true")]);
static FIRST_PENDING: Thing = thing!("tool", ToolCall, parts::FIRST_CALL);
static FIRST_TOOL: Thing = thing!("tool", ToolCall, parts::FIRST_CALL).also(&FIRST_RESULT);
static FIRST_RESULT: Thing = thing!("result", ToolResult, parts::FIRST_RESULT);
static FIRST_FAILING: Thing = thing!("tool", ToolCall, parts::FIRST_CALL).also(&FIRST_FAILURE);
static FIRST_FAILURE: Thing =
    thing!("result", ToolResult, parts::FIRST_RESULT).with(&[(Slot::IsError, "true")]);
static INVOKING: Thing = thing!("tool", ToolCall, parts::INVOCATION);
static INVOCATION: Thing = thing!("tool", ToolCall, parts::INVOCATION).also(&INVOKED);
static INVOKED: Thing = thing!("result", ToolResult, parts::INVOCATION_RESULT);
static STEP_START: Thing = thing!("step-start", Notice, parts::PART);
static STEP_FINISH: Thing = thing!("step-finish", Notice, parts::STEP_FINISH);
static PATCH: Thing = thing!("patch", ToolResult, parts::PATCH)
    .with(&[(Slot::Status, "success"), (Slot::Output, "")]);
static FILE: Thing = thing!("file", User, parts::FILE);
static COMPACTION: Thing = thing!("compaction", Notice, parts::PART);
static PART: Thing = thing!("part", Notice, parts::PART);
static SESSION: Thing = thing!("session", Notice, map::SESSION_INFO);
static PROJECT: Thing = thing!("project", Notice, map::PROJECT);
static SHARE: Thing = thing!("share", Notice, map::SHARE);
static MODELS: Thing = thing!("model", Notice, UNKNOWN);

/// A message of an export: header and parts.
static EXPORTED_MAP: Map = map! {
    "info" => within(Native, &map::MESSAGE_INFO),
    "parts" => each(Native, listed_part),
};
static EXPORTED_USER: Case = Case::new("message", Kind::User, &EXPORTED_MAP).top();
static EXPORTED_ASSISTANT: Case = Case::new("message", Kind::Assistant, &EXPORTED_MAP).top();
static EXPORT_MAP: Map = map! {
    "info" => within(Native, &map::SESSION_INFO),
    "messages" => each(Native, exported),
    kept ["todos", "metadata"],
};
static EXPORT: Case = Case::new("session", Kind::Notice, &EXPORT_MAP);
static SHARED: Case = Case::new("share-log", Kind::Notice, &UNKNOWN).each(shared);
static CHANGES: Case = Case::new("session_diff", Kind::Notice, &UNKNOWN).each(none);
static SHARED_CHANGES_MAP: Map = map! { "type" => is(Type), "data" => kept };
static SHARED_CHANGES: Case = Case::new("session_diff", Kind::Notice, &SHARED_CHANGES_MAP).top();
static TODO: Case = Case::new("todo", Kind::Notice, &UNKNOWN).each(none);

fn none(_: Node<'_>) -> Option<&'static Case> {
    None
}

/// Whether a session is one export, with the messages of the first generation.
pub(super) fn is_export(session: &Session) -> bool {
    let is = |event: EventRef<'_>, case| std::ptr::eq(event.case, case);
    let own = |event: EventRef<'_>| {
        is(event, &raw const EXPORTED_USER) || is(event, &raw const EXPORTED_ASSISTANT)
    };
    let mut messages = session.events().filter(|event| event.case.name == "message");
    session.records.len() == 1
        && session.events().next().is_some_and(|event| is(event, &raw const EXPORT))
        && messages.all(own)
}

/// The case of a file's value, in the files of every generation and in exports.
pub(super) fn record(record: Node<'_>) -> Option<&'static Case> {
    match record.shape() {
        Shape::Object => object(record),
        Shape::Array => Some(list(record)),
        _ => None,
    }
}

fn object(value: Node<'_>) -> Option<&'static Case> {
    let has = |path: &[&str]| value.at(path).is_some();
    // Most are messages and parts: no wrapping names a session.
    if has(map::SESSION)
        && let Some(thing) = spoken(value)
    {
        return Some(&thing.bare);
    }
    if has(map::TABLE) && has(map::ROW) {
        return Some(rows::case(value));
    }
    if has(map::MESSAGES) && has(map::INFO) {
        return Some(&EXPORT);
    }
    if has(map::INFO) && has(map::PARTS) {
        return exported(value);
    }
    if let Some(thing) = thing(value) {
        return Some(&thing.bare);
    }
    has(map::DATA).then(|| shared(value)).flatten()
}

/// The thing that a bare value is.
fn thing(value: Node<'_>) -> Option<&'static Thing> {
    let has = |path: &[&str]| value.at(path).is_some();
    if let Some(thing) = spoken(value) {
        return Some(thing);
    }
    if has(map::WORKTREE) {
        return Some(&PROJECT);
    }
    if has(map::SECRET) && has(map::URL) {
        return Some(&SHARE);
    }
    let header = map::HEADER.iter().filter(|name| has(name)).count();
    if header > 1 || (header == 1 && has(map::TIME)) {
        return Some(&SESSION);
    }
    value.word(map::TYPE).and_then(known_part).map(|_| part(value))
}

/// A message, or a part of one.
fn spoken(value: Node<'_>) -> Option<&'static Thing> {
    let has = |path: &[&str]| value.at(path).is_some();
    if value.word(map::TYPE).is_some() && (has(map::MESSAGE) || has(map::SESSION)) {
        return Some(if value.word(map::ROLE).is_some() { message(value) } else { part(value) });
    }
    value.word(map::ROLE).map(|_| message(value))
}

fn list(value: Node<'_>) -> &'static Case {
    let first = value.elements().next();
    let has = |path: &[&str]| first.is_some_and(|first| first.at(path).is_some());
    if has(map::TYPE) && has(map::DATA) {
        &SHARED
    } else if has(map::TODO_CONTENT) && !has(map::CHANGE) {
        &TODO
    } else {
        &CHANGES
    }
}

/// The thing of a message, by its role.
pub(super) fn message(message: Node<'_>) -> &'static Thing {
    match message.word(map::ROLE) {
        Some(b"user") => &USER,
        Some(b"tool") if message.at(map::TOOL_CALL_ID).is_some() => &ANSWER,
        _ => &ASSISTANT,
    }
}

/// The thing of a part.
pub(super) fn part(part: Node<'_>) -> &'static Thing {
    let word = part.word(map::TYPE).unwrap_or_default();
    match word {
        b"text" if part.at(map::SYNTHETIC).is_some_and(|node| node.raw() == b"true") => {
            let text = part.word(map::TEXT_OF).unwrap_or_default();
            if MODES.iter().any(|mode| text.starts_with(mode)) { &MODE } else { &SYNTHETIC }
        }
        b"tool" => tool(part),
        b"tool-invocation" => match part.word(map::INVOCATION_STATE) {
            Some(b"result") => &INVOCATION,
            _ => &INVOKING,
        },
        _ => known_part(word).unwrap_or(&PART),
    }
}

/// Beginnings of the texts about the agent's mode (`plan`, `build`), which it sends by the mode of
/// the next request. The recorded requests of `plan` have them.
const MODES: [&[u8]; 2] =
    [br"<system-reminder>\n# Plan Mode", br"<system-reminder>\nYour operational mode has changed"];

/// The thing of a part's type.
fn known_part(word: &[u8]) -> Option<&'static Thing> {
    Some(match word {
        b"text" => &TEXT,
        b"reasoning" => &REASONING,
        b"tool" => &TOOL,
        b"tool-invocation" => &INVOCATION,
        b"step-start" => &STEP_START,
        b"step-finish" => &STEP_FINISH,
        b"patch" => &PATCH,
        b"file" => &FILE,
        b"compaction" => &COMPACTION,
        b"agent" | b"subtask" | b"snapshot" | b"retry" | b"source-url" => &PART,
        _ => return None,
    })
}

/// The thing of a tool part: a call, and also a result once there is one. OpenCode calls commands
/// that end with an error, and calls of an unknown tool, completed.
fn tool(part: Node<'_>) -> &'static Thing {
    let answered = map::OUTPUTS.iter().any(|path| part.at(path).is_some());
    let failed = map::went_wrong(part) || part.word(map::TOOL) == Some(b"invalid");
    let failed = match part.word(map::STATUS) {
        Some(b"error") => Some(true),
        Some(b"completed") => Some(failed),
        _ => answered.then_some(failed),
    };
    if part.at(map::CALL_ID).is_none() {
        return match failed {
            None => &FIRST_PENDING,
            Some(false) => &FIRST_TOOL,
            Some(true) => &FIRST_FAILING,
        };
    }
    match (failed, part.at(map::METADATA).is_some()) {
        (None, false) => &PENDING,
        (Some(false), false) => &TOOL,
        (Some(true), false) => &FAILING,
        (None, true) => &TOLD_PENDING,
        (Some(false), true) => &TOLD_TOOL,
        (Some(true), true) => &TOLD_FAILING,
    }
}

/// The case of an export's message: of the first generation with its parts, or of the second.
fn exported(message: Node<'_>) -> Option<&'static Case> {
    match message.at(map::INFO) {
        Some(info) if info.word(map::ROLE) == Some(b"user") => Some(&EXPORTED_USER),
        Some(_) => Some(&EXPORTED_ASSISTANT),
        None if message.word(map::ROLE).is_some() => Some(&self::message(message).listed),
        None => v2::listed(message),
    }
}

static CHAT_CALL: Case = Case::new("tool", Kind::ToolCall, &parts::CHAT_CALL);

/// The case of a call within a message of the chat shape.
pub(super) fn chat_call(call: Node<'_>) -> Option<&'static Case> {
    (call.shape() == Shape::Object).then_some(&CHAT_CALL)
}

/// The case of a part within its message.
pub(super) fn listed_part(part: Node<'_>) -> Option<&'static Case> {
    (part.shape() == Shape::Object).then(|| &self::part(part).listed)
}

/// The case of an element of a share.
fn shared(element: Node<'_>) -> Option<&'static Case> {
    let data = element.at(map::DATA)?;
    Some(match element.word(map::TYPE)? {
        b"session" => &SESSION.shared,
        b"message" => &message(data).shared,
        b"part" => &part(data).shared,
        b"session_diff" => &SHARED_CHANGES,
        b"model" => &MODELS.shared,
        _ => return None,
    })
}

/// The case of a row that wraps a message or a part of the first generation.
pub(super) fn first_row(table: &[u8], data: Node<'_>) -> &'static Case {
    if table == b"part" { &part(data).row } else { &message(data).row }
}
