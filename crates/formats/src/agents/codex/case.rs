//! Case selection: the table that applies to a record.
//!
//! Codex stores one model history in three ways: as the payload of an enveloped line, as a line of
//! its own (before September 2025), and as an element of a document's `items` (before June 2025).

use session::{Case, EventRef, Injected, Kind, Map, Node, Shape, Slot, UNKNOWN};

use super::injected::{injected, is_from_above, told};
use super::map::{self, line};
use super::{event_case, items, names};

/// An item of the model's history, with its case for each of the three ways of storage.
pub(super) struct Item {
    line: Case,
    bare: Case,
    listed: Case,
}

impl Item {
    const fn new(name: &'static str, kind: Kind, line: &'static Map, item: &'static Map) -> Self {
        let bare = Case::new(name, kind, item);
        Self { line: Case::new(name, kind, line), bare, listed: Case::new(name, kind, item).top() }
    }

    const fn injected(self) -> Self {
        self.injected_as(Injected::Context)
    }

    const fn injected_as(self, reason: Injected) -> Self {
        let Self { line, bare, listed } = self;
        let (line, bare) = (line.injected_as(reason), bare.injected_as(reason));
        Self { line, bare, listed: listed.injected_as(reason) }
    }

    const fn with(self, constants: &'static [(Slot, &'static str)]) -> Self {
        let Self { line, bare, listed } = self;
        let (line, bare) = (line.with(constants), bare.with(constants));
        Self { line, bare, listed: listed.with(constants) }
    }

    /// The same item, with a second event from the same value.
    const fn also(self, second: &'static Item) -> Self {
        let Self { line, bare, listed } = self;
        let (line, bare) = (line.also(&second.line), bare.also(&second.bare));
        Self { line, bare, listed: listed.also(&second.listed) }
    }
}

static MESSAGE_LINE: Map = line!(&items::MESSAGE);
static LETTER_LINE: Map = line!(&items::LETTER);
static REASONING_LINE: Map = line!(&items::REASONING);
static REASONING_RAW_LINE: Map = line!(&items::REASONING_RAW);
static CALL_LINE: Map = line!(&items::CALL);
static SEARCH_LINE: Map = line!(&items::SEARCH_CALL);
static OUTPUT_LINE: Map = line!(&items::OUTPUT);
static CONTEXT_OUTPUT_LINE: Map = line!(&items::CONTEXT_OUTPUT);
static IMAGE_CALL_LINE: Map = line!(&items::IMAGE_CALL);
static IMAGE_RESULT_LINE: Map = line!(&items::IMAGE_RESULT);
static ITEM_NOTICE_LINE: Map = line!(&items::ITEM_NOTICE);
static CHAT_THOUGHT_LINE: Map = line!(&items::CHAT_THOUGHT);
static CHAT_OUTPUT_LINE: Map = line!(&items::CHAT_OUTPUT);

static USER: Item = Item::new("message", Kind::User, &MESSAGE_LINE, &items::MESSAGE);
static CONTEXT: Item = Item::new("context", Kind::User, &MESSAGE_LINE, &items::MESSAGE).injected();
static ASSISTANT: Item = Item::new("message", Kind::Assistant, &MESSAGE_LINE, &items::MESSAGE);
static TOLD: Item =
    Item::new("told", Kind::User, &MESSAGE_LINE, &items::MESSAGE).injected_as(Injected::Told);
static REPORT: Item =
    Item::new("report", Kind::User, &MESSAGE_LINE, &items::MESSAGE).injected_as(Injected::Report);
static SUMMED_UP: Item = Item::new("summed up", Kind::User, &MESSAGE_LINE, &items::MESSAGE)
    .injected_as(Injected::Summary);
static LETTER: Item =
    Item::new("letter", Kind::User, &LETTER_LINE, &items::LETTER).injected_as(Injected::Report);
static TASK: Item =
    Item::new("letter", Kind::User, &LETTER_LINE, &items::LETTER).injected_as(Injected::Task);
static REASONING: Item =
    Item::new("reasoning", Kind::Reasoning, &REASONING_LINE, &items::REASONING);
static REASONING_RAW: Item =
    Item::new("reasoning", Kind::Reasoning, &REASONING_RAW_LINE, &items::REASONING_RAW);
static CALL: Item = Item::new("call", Kind::ToolCall, &CALL_LINE, &items::CALL);
static SHELL_CALL: Item = Item::new("call", Kind::ToolCall, &CALL_LINE, &items::CALL)
    .with(&[(Slot::Name, "local_shell")]);
static TOOL_SEARCH: Item = Item::new("call", Kind::ToolCall, &CALL_LINE, &items::CALL)
    .with(&[(Slot::Name, "tool_search")]);
static SEARCH_CALL: Item = Item::new("call", Kind::ToolCall, &SEARCH_LINE, &items::SEARCH_CALL)
    .with(&[(Slot::Name, "web_search")]);
static OUTPUT: Item = Item::new("output", Kind::ToolResult, &OUTPUT_LINE, &items::OUTPUT);
static CONTEXT_OUTPUT: Item =
    Item::new("told", Kind::User, &CONTEXT_OUTPUT_LINE, &items::CONTEXT_OUTPUT)
        .injected_as(Injected::Told);
static IMAGE: Item = Item::new("call", Kind::ToolCall, &IMAGE_CALL_LINE, &items::IMAGE_CALL)
    .with(&[(Slot::Name, "image_generation")])
    .also(&IMAGE_RESULT);
static IMAGE_RESULT: Item =
    Item::new("output", Kind::ToolResult, &IMAGE_RESULT_LINE, &items::IMAGE_RESULT);
static ITEM_NOTICE: Item = Item::new("item", Kind::Notice, &ITEM_NOTICE_LINE, &items::ITEM_NOTICE);
/// The summary of a compaction, which only the provider can read.
static SEALED: Item = Item::new("item", Kind::Notice, &ITEM_NOTICE_LINE, &items::ITEM_NOTICE)
    .injected_as(Injected::Summary);
static ITEM_UNKNOWN: Item =
    Item::new("unknown", Kind::Notice, &ITEM_NOTICE_LINE, &items::ITEM_NOTICE);
static CHAT_THOUGHT: Item =
    Item::new("reasoning", Kind::Reasoning, &CHAT_THOUGHT_LINE, &items::CHAT_THOUGHT)
        .also(&ASSISTANT);
static CHAT_OUTPUT: Item =
    Item::new("output", Kind::ToolResult, &CHAT_OUTPUT_LINE, &items::CHAT_OUTPUT);

/// The case of an item of the model's history.
fn item(item: Node<'_>) -> &'static Item {
    match item.word(names::TYPE) {
        Some(b"message") => message(item),
        None if item.word(names::REASONING_TEXT).is_some() => &CHAT_THOUGHT,
        None => message(item),
        Some(b"reasoning") if has_summary(item) => &REASONING,
        Some(b"reasoning") => &REASONING_RAW,
        Some(b"function_call" | b"custom_tool_call" | b"tool_call") => &CALL,
        Some(b"function_call_output") if is_context_output(item) => &CONTEXT_OUTPUT,
        Some(
            b"function_call_output"
            | b"custom_tool_call_output"
            | b"tool_search_output"
            | b"local_shell_call_output"
            | b"tool_result",
        ) => &OUTPUT,
        Some(b"web_search_call") => &SEARCH_CALL,
        Some(b"local_shell_call") => &SHELL_CALL,
        Some(b"tool_search_call") => &TOOL_SEARCH,
        Some(b"image_generation_call") => &IMAGE,
        Some(b"agent_message") if is_from_above(item) => &TASK,
        Some(b"agent_message") => &LETTER,
        Some(b"compaction" | b"compaction_summary" | b"context_compaction") => &SEALED,
        Some(b"configuration_update" | b"additional_tools" | b"ghost_snapshot" | b"other") => {
            &ITEM_NOTICE
        }
        Some(_) => &ITEM_UNKNOWN,
    }
}

/// Whether an output names a tool and no call: it is a context that the agent gives its model.
fn is_context_output(output: Node<'_>) -> bool {
    output.at(names::CALL_ID).is_none()
        && output.word(names::NAME).is_some()
        && output.word(names::OUTPUT).is_some()
}

fn message(message: Node<'_>) -> &'static Item {
    match message.word(names::ROLE) {
        Some(b"user") => match injected(message) {
            None => &USER,
            Some(Injected::Told) => &TOLD,
            Some(Injected::Report) => &REPORT,
            Some(Injected::Summary) => &SUMMED_UP,
            Some(_) => &CONTEXT,
        },
        Some(b"developer" | b"system") => match told(message) {
            Injected::Told => &TOLD,
            _ => &CONTEXT,
        },
        Some(b"assistant") => &ASSISTANT,
        Some(b"tool" | b"function") => &CHAT_OUTPUT,
        _ => &ITEM_UNKNOWN,
    }
}

/// False only if `content` has the thought and the summary is empty.
fn has_summary(item: Node<'_>) -> bool {
    let full = |path| {
        item.at(path).is_some_and(|node: Node<'_>| {
            node.shape() == Shape::Array && !node.is_empty_container()
        })
    };
    full(names::SUMMARY) || !full(names::CONTENT)
}

static META_LINE: Map = line!(&map::META);
static META_WITHOUT_ID_LINE: Map = line!(&map::META_WITHOUT_ID);
static TURN_CONTEXT_LINE: Map = line!(&map::TURN_CONTEXT);
static COMPACTED_LINE: Map = line!(&map::COMPACTED);
static RARE_LINE: Map = line!(&map::RARE);
static USAGE_LINE: Map = line!(&map::USAGE_RECORD);
static SPEECH_LINE: Map = line!(&map::SPEECH);
static UNKNOWN_LINE: Map = line!(&UNKNOWN);

/// The name of the case of a thread's header.
pub(super) const SESSION_META: &str = "session_meta";
/// The name of the case of a turn's settings.
pub(super) const TURN_CONTEXT: &str = "turn_context";
/// The name of the case of a compaction, after which the context begins again.
pub(super) const COMPACTED: &str = "compacted";
/// The name of the case of one answer's usage.
pub(super) const USAGE_RECORD: &str = "token_usage_record";

static META: Case = Case::new(SESSION_META, Kind::Notice, &META_LINE);
static META_WITHOUT_ID: Case = Case::new(SESSION_META, Kind::Notice, &META_WITHOUT_ID_LINE);
static CONTEXT_OF_TURN: Case = Case::new(TURN_CONTEXT, Kind::Notice, &TURN_CONTEXT_LINE);
static COMPACTION: Case = Case::new(COMPACTED, Kind::Notice, &COMPACTED_LINE);
/// A compaction that replaced all but the prompts by its text.
static SUMMED_UP_ALONE: Case =
    Case::new(COMPACTED, Kind::Notice, &COMPACTED_LINE).injected_as(Injected::Summary);
static RARE: Case = Case::new("world_state", Kind::Notice, &RARE_LINE);
static USED: Case = Case::new(USAGE_RECORD, Kind::Notice, &USAGE_LINE);
static SPOKEN_BY_USER: Case = Case::new("speech", Kind::User, &SPEECH_LINE);
static SPOKEN_BY_AGENT: Case = Case::new("speech", Kind::Assistant, &SPEECH_LINE);
static REALTIME: Case = Case::new("realtime_item", Kind::Notice, &SPEECH_LINE);
static CARRIED: Case = Case::new("record", Kind::Notice, &map::LINE);
static UNKNOWN_RECORD: Case = Case::new("unknown", Kind::Notice, &UNKNOWN_LINE);
static HEADER: Case = Case::new(SESSION_META, Kind::Notice, &map::HEADER);
static STATE: Case = Case::new("state", Kind::Notice, &map::STATE);
static COLLECTED_USER: Case = Case::new("message", Kind::User, &items::COLLECTED_LINE);
static COLLECTED_ASSISTANT: Case = Case::new("message", Kind::Assistant, &items::COLLECTED_LINE);
static COLLECTED_CALL: Case =
    Case::new("call", Kind::ToolCall, &items::COLLECTED_LINE).also(&COLLECTED_RESULT);
static COLLECTED_RESULT: Case = Case::new("output", Kind::ToolResult, &items::COLLECTED_RESULT);

/// Whether an event is the header of a rollout of enveloped lines.
pub(super) fn is_rollouts_header(event: EventRef<'_>) -> bool {
    std::ptr::eq(event.case, &raw const META)
}

/// The case of a line, enveloped or bare.
pub(super) fn line(line: Node<'_>) -> Option<&'static Case> {
    let (mut word, mut payload) = (None, None);
    // A single pass over the members: sessions have millions of lines. Of equal keys the last one
    // counts.
    for member in line.members() {
        match member.name {
            names::key::TYPE => word = member.value.text(),
            names::key::PAYLOAD => payload = Some(member.value),
            _ => {}
        }
    }
    let Some(word) = word else { return untyped(line) };
    let Some(payload) = payload else { return bare(line, word) };
    Some(match word {
        b"response_item" => &item(payload).line,
        b"event_msg" => event_case::case(payload),
        b"turn_context" => &CONTEXT_OF_TURN,
        b"session_meta" if payload.at(names::ID).is_none() => &META_WITHOUT_ID,
        b"session_meta" => &META,
        b"compacted" => match payload.at(names::REPLACED).map(Node::shape) {
            Some(Shape::Array) => &COMPACTION,
            _ => &SUMMED_UP_ALONE,
        },
        b"world_state" | b"inter_agent_communication_metadata" | b"security_risk_score" => &RARE,
        b"token_usage_record" => &USED,
        b"realtime_item" => spoken(payload),
        b"inter_agent_communication" | b"retained_context" => &CARRIED,
        _ => &UNKNOWN_RECORD,
    })
}

/// The case of a transcript segment (speech). Other lines of a voice session are notices.
fn spoken(payload: Node<'_>) -> &'static Case {
    match (payload.word(names::TYPE), payload.word(names::ROLE)) {
        (Some(b"transcript_segment"), Some(b"user")) => &SPOKEN_BY_USER,
        (Some(b"transcript_segment"), Some(b"assistant")) => &SPOKEN_BY_AGENT,
        _ => &REALTIME,
    }
}

fn bare(line: Node<'_>, word: &[u8]) -> Option<&'static Case> {
    match word {
        b"user" | b"assistant" | b"tool" if line.at(names::AGENT).is_some() => Some(match word {
            b"user" => &COLLECTED_USER,
            b"assistant" => &COLLECTED_ASSISTANT,
            _ => &COLLECTED_CALL,
        }),
        _ => Some(&item(line).bare),
    }
}

/// A line without a type: a header or a state from before the envelope, or a message in the chat
/// shape.
fn untyped(line: Node<'_>) -> Option<&'static Case> {
    if line.at(names::RECORD_TYPE).is_some() {
        Some(&STATE)
    } else if line.at(names::ROLE).is_some() {
        Some(&item(line).bare)
    } else if line.at(names::ID).is_some() {
        Some(&HEADER)
    } else {
        None
    }
}

static DOCUMENT_MAP: Map = session::map! {
    "session" => within(Native, &map::META),
    "items" => each(Native, listed),
};

static DOCUMENT: Case = Case::new(SESSION_META, Kind::Notice, &DOCUMENT_MAP);

/// The case of a document of the first command line.
pub(super) fn document(document: Node<'_>) -> Option<&'static Case> {
    document.at(names::ITEMS).map(|_| &DOCUMENT)
}

fn listed(element: Node<'_>) -> Option<&'static Case> {
    (element.shape() == Shape::Object).then(|| &item(element).listed)
}

/// An item of the history with which a compaction replaced the one before it.
pub(super) fn replaced(element: Node<'_>) -> Option<&'static Case> {
    listed(element)
}

static FUNCTION: Case = Case::new("call", Kind::ToolCall, &items::FUNCTION);
static CHAT_CALL: Case = Case::new("call", Kind::ToolCall, &items::CHAT_CALL);

/// The `function_call` of a message, as a tool call.
pub(super) fn function(_: Node<'_>) -> Option<&'static Case> {
    Some(&FUNCTION)
}

/// An element of `tool_calls`.
pub(super) fn chat_call(call: Node<'_>) -> Option<&'static Case> {
    (call.shape() == Shape::Object).then_some(&CHAT_CALL)
}
