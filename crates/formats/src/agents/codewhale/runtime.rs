//! The runtime store: case selection and tables of threads, turns, items and the events of each
//! thread.

use session::{Case, EventRef, Kind, Map, Node, Shape, map};

use super::names;

pub(super) static THREAD_MAP: Map = map! {
    "schema_version" => kept,
    "id" => is(Id),
    "created_at" => is(Started),
    "updated_at" => is(Updated),
    "model" => is(Model),
    "model_provider" => is(Provider),
    kept ["model_provider_id", "reasoning_effort", "allowed_tools"],
    "workspace" => is(WorkingDir),
    kept [
        "mode", "permission_posture", "allow_shell", "trust_mode", "auto_approve", "latest_turn_id",
        "latest_response_bookmark", "archived", "system_prompt", "task_id",
    ],
    "title" => is(Title),
    "session_id" => is(Session),
};

pub(super) static TURN_MAP: Map = map! {
    "schema_version" => kept,
    "id" => is(Id),
    "thread_id" => kept,
    "status" => is(Status),
    "input_summary" => kept,
    "created_at" => is(Time),
    kept ["started_at", "ended_at"],
    "duration_ms" => is(Duration),
    "usage" => within(Usage, &USAGE),
    "permission_posture" => kept,
    "effective_provider" => is(Provider),
    kept [
        "effective_provider_id", "effective_billing_surface", "effective_endpoint_fingerprint",
        "effective_billing_mode", "effective_dispatched_at",
    ],
    "effective_model" => is(Model),
    kept [
        "routed_usage", "routed_usage_source_ids", "routed_usage_dropped_records", "error",
        "item_ids", "steer_count", "agent_mail_message_id",
    ],
};

/// `input_tokens` includes cache reads.
pub(super) static USAGE: Map = map! {
    "input_tokens" => is(TokensIn),
    "output_tokens" => is(TokensOut),
    "prompt_cache_hit_tokens" => is(CacheRead),
    "prompt_cache_miss_tokens" => kept,
    "prompt_cache_write_tokens" => is(CacheWrite),
    "reasoning_tokens" => is(TokensReasoning),
    kept ["reasoning_replay_tokens", "server_tool_use"],
};

/// An item of a turn. `detail` has its text or its answer, and `summary` the beginning of it.
/// Without `detail`, `summary` has all of it.
macro_rules! item {
    (
        $id:ident, [$($summary:tt)*], [$($detail:tt)*], [$($run:tt)*], [$($start:tt)*],
        [$($end:tt)*]
    ) => {
        map! {
            "schema_version" => kept,
            "id" => is($id),
            "turn_id" => is(Turn),
            "kind" => is(Type),
            "status" => is(Status),
            "summary" => $($summary)*,
            "detail" => $($detail)*,
            "metadata" => $($run)*,
            "artifact_refs" => kept,
            "started_at" => $($start)*,
            "ended_at" => $($end)*,
        }
    };
}

/// An item whose text is all in its summary.
pub(super) static ITEM: Map = item!(Id, [is(Content)], [kept], [kept], [is(Time)], [kept]);

/// An item whose summary is the beginning of its detail.
pub(super) static ITEM_DETAIL: Map = item!(Id, [kept], [is(Content)], [kept], [is(Time)], [kept]);

/// Output of a tool. The call is in the event that started the item, with an id that is missing
/// here. The item's own id joins the two.
pub(super) static ITEM_RESULT: Map =
    item!(Call, [kept], [is(Output)], [is(Detail)], [kept], [is(Time)]);

/// A line of a thread's events.
macro_rules! event {
    ($item:ident, $($payload:tt)*) => {
        map! {
            "schema_version" => kept,
            "seq" => is(Ordinal),
            "timestamp" => is(Time),
            "thread_id" => kept,
            "turn_id" => is(Turn),
            "item_id" => is($item),
            "event" => is(Type),
            "payload" => $($payload)*
        }
    };
}

pub(super) static EVENT_MAP: Map = event!(Target, kept);

pub(super) static STARTED_MAP: Map = event!(Call, within(Native, &STARTED_PAYLOAD));

pub(super) static STARTED_PAYLOAD: Map = map! {
    "item" => kept,
    "tool" => within(Native, &STARTED_TOOL),
};

/// The id is the call's id in the saved session.
pub(super) static STARTED_TOOL: Map = map! {
    "id" => kept,
    "name" => is(Name),
    "input" => is(Input),
};

pub(super) static DELTA_MAP: Map = event!(Target, within(Native, &DELTA_PAYLOAD));

pub(super) static DELTA_PAYLOAD: Map = map! {
    kept ["delta", "kind"],
};

pub(super) static THREAD: Case = Case::new("thread", Kind::Notice, &THREAD_MAP);
pub(super) static TURN: Case = Case::new("turn", Kind::Notice, &TURN_MAP);
pub(super) static ITEM_NOTICE: Case = Case::new("item", Kind::Notice, &ITEM);
static ITEM_NOTICE_DETAIL: Case = Case::new("item", Kind::Notice, &ITEM_DETAIL);
static ITEM_USER: Case = Case::new("user_message", Kind::User, &ITEM);
static ITEM_USER_DETAIL: Case = Case::new("user_message", Kind::User, &ITEM_DETAIL);
static ITEM_ASSISTANT: Case = Case::new("agent_message", Kind::Assistant, &ITEM);
static ITEM_ASSISTANT_DETAIL: Case = Case::new("agent_message", Kind::Assistant, &ITEM_DETAIL);
static ITEM_REASONING: Case = Case::new("agent_reasoning", Kind::Reasoning, &ITEM);
static ITEM_REASONING_DETAIL: Case = Case::new("agent_reasoning", Kind::Reasoning, &ITEM_DETAIL);
pub(super) static TOOL_RESULT: Case = Case::new("tool result", Kind::ToolResult, &ITEM_RESULT);
pub(super) static TOOL_STARTED: Case = Case::new("tool call", Kind::ToolCall, &STARTED_MAP);
pub(super) static DELTA: Case = Case::new("delta", Kind::Notice, &DELTA_MAP);
static EVENT: Case = Case::new("event", Kind::Notice, &EVENT_MAP);
static EVENT_UNKNOWN: Case = Case::new("unknown", Kind::Notice, &EVENT_MAP);

/// Whether an event is a line of a thread's events.
pub(super) fn is_event(event: EventRef<'_>) -> bool {
    [&EVENT, &EVENT_UNKNOWN, &TOOL_STARTED, &DELTA].iter().any(|case| is(event, case))
}

/// Whether an event is a message or thought, as an item.
pub(super) fn is_said(event: EventRef<'_>) -> bool {
    let item = [&ITEM, &ITEM_DETAIL].iter().any(|map| std::ptr::eq(event.case.map, *map));
    item && event.kind != Kind::Notice
}

fn is(event: EventRef<'_>, case: &'static Case) -> bool {
    std::ptr::eq(event.case, case)
}

/// The case of a document or a line; `None` if it is not of a runtime store.
pub(super) fn record(node: Node<'_>) -> Option<&'static Case> {
    let has = |path| node.at(path).is_some();
    if has(names::SEQ) && has(names::EVENT) && has(names::THREAD_ID) {
        Some(event(node))
    } else if has(names::TURN_ID) && has(names::KIND) && has(names::ID) {
        Some(item(node))
    } else if has(names::THREAD_ID) && (has(names::ITEM_IDS) || has(names::INPUT_SUMMARY)) {
        Some(&TURN)
    } else {
        let thread = has(names::ID) && has(names::WORKSPACE) && has(names::MODEL);
        (thread && !has(names::MESSAGES)).then_some(&THREAD)
    }
}

fn item(item: Node<'_>) -> &'static Case {
    let full = |path| item.word(path).is_some_and(|text| !text.is_empty());
    let pick = |brief, detailed| if full(names::DETAIL) { detailed } else { brief };
    match item.word(names::KIND) {
        Some(b"user_message") => pick(&ITEM_USER, &ITEM_USER_DETAIL),
        Some(b"agent_message") => pick(&ITEM_ASSISTANT, &ITEM_ASSISTANT_DETAIL),
        Some(b"agent_reasoning") => pick(&ITEM_REASONING, &ITEM_REASONING_DETAIL),
        Some(b"tool_call" | b"command_execution" | b"file_change") if !is_waiting(item) => {
            &TOOL_RESULT
        }
        _ => pick(&ITEM_NOTICE, &ITEM_NOTICE_DETAIL),
    }
}

/// Whether a tool has neither answered nor given any output so far.
fn is_waiting(item: Node<'_>) -> bool {
    matches!(item.word(names::STATUS), Some(b"queued" | b"in_progress"))
        && item.word(names::DETAIL).is_none_or(<[u8]>::is_empty)
}

/// Prefixes of the types of events (format reference, 2.2).
const EVENTS: [&[u8]; 9] = [
    b"thread.",
    b"turn.",
    b"item.",
    b"approval.",
    b"user_input.",
    b"tool_call.",
    b"sandbox.",
    b"agent.",
    b"agent_mail.",
];

fn event(event: Node<'_>) -> &'static Case {
    let word = event.word(names::EVENT).unwrap_or_default();
    let tool = || event.at(names::STARTED_TOOL).is_some_and(|tool| tool.shape() == Shape::Object);
    match word {
        b"item.started" if tool() => &TOOL_STARTED,
        b"item.delta" => &DELTA,
        _ if EVENTS.iter().any(|begin| word.starts_with(begin)) => &EVENT,
        _ => &EVENT_UNKNOWN,
    }
}
