//! Rows of the desktop's databases (`state.vscdb`), as in a dump: composers with their bubbles,
//! inline or in rows of their own, and the earlier chat tabs. This file selects cases;
//! `composer.rs` and `bubble.rs` have the tables.

use session::{Case, Kind, Map, Node, Slot, map};

use super::bubble::{BUBBLE, CALL, COUNTED, RESULT, THOUGHT};
use super::composer::{COMPOSER, HEAD, ROW, TAB};

/// The table of a row.
const TABLE: &[&str] = &["table"];
/// Its key.
const KEY: &[&str] = &["row", "key"];
/// Its value; the type of a bubble in a row of its own, and of one within its composer.
const VALUE: &[&str] = &["row", "value"];
const ROW_TYPE: &[&str] = &["row", "value", "type"];
const TYPE: &[&str] = &["type"];
/// Token counters of a bubble.
const TOKENS: &[&[&str]] = &[&["tokenCount", "inputTokens"], &["tokenCount", "outputTokens"]];
/// Names that identify a tool.
const TOOL_NAMES: &[&[&str]] = &[&["name"], &["toolCallId"], &["tool"]];
/// Status of a tool, and its output.
const STATUS: &[&str] = &["status"];
const ANSWERS: &[&[&str]] = &[&["result"], &["error"]];
/// Type of an element.
const ELEMENT: &[&str] = &["element", "of"];
/// The list of a composer's bubbles.
pub(super) const ORDER: &[u8] = b"fullConversationHeadersOnly";
/// A bubble in that list.
pub(super) const BUBBLE_ID: &[&str] = &["bubbleId"];

macro_rules! line {
    ($value:expr) => {{
        static HELD: Map = map! { "key" => kept, "value" => within(Native, $value) };
        static WHOLE: Map = map! { "table" => kept, "row" => within(Native, &HELD) };
        &WHOLE
    }};
}

macro_rules! element {
    ($value:expr) => {{
        static HELD: Map = map! { "key" => kept };
        static LISTED: Map = map! { "of" => kept, "value" => within(Native, $value) };
        static WHOLE: Map = map! {
            "table" => kept,
            "row" => within(Native, &HELD),
            "element" => within(Native, &LISTED),
        };
        &WHOLE
    }};
}

static COMPOSER_ROW: Case = Case::new("composer", Kind::Notice, line!(&COMPOSER));
static COMPOSER_ELEMENT: Case = Case::new("composer", Kind::Notice, element!(&COMPOSER));
static USER_ROW: Case = Case::new("bubble", Kind::User, line!(&BUBBLE));
static ASSISTANT_ROW: Case = Case::new("bubble", Kind::Assistant, line!(&BUBBLE));
static COUNTED_ROW: Case = Case::new("bubble", Kind::Assistant, line!(&COUNTED));
static USER: Case = Case::new("bubble", Kind::User, &BUBBLE).top();
static COUNTED_ANSWER: Case = Case::new("bubble", Kind::Assistant, &COUNTED).top();
static ASSISTANT: Case = Case::new("bubble", Kind::Assistant, &BUBBLE).top();
static TAB_ELEMENT: Case = Case::new("composer", Kind::Notice, element!(&TAB));
static LIST_ROW: Case = Case::new("row", Kind::Notice, line!(&ROW));
static SIDE_ROW: Case = Case::new("row", Kind::Notice, &SIDE_LINE);
static SIDE_LINE: Map = map! { "table" => kept, "row" => within(Native, &SIDE) };
static SIDE: Map = map! { "key" => kept, "value" => kept };
static HEAD_ROW: Case = Case::new("head", Kind::Notice, &HEAD_LINE);
static HEAD_LINE: Map = map! { "table" => kept, "row" => within(Native, &HEAD) };
static REASONING: Case = Case::new("thinking", Kind::Reasoning, &THOUGHT);
static PENDING: Case = Case::new("tool", Kind::ToolCall, &CALL);
static TOOL: Case = Case::new("tool", Kind::ToolCall, &CALL).also(&TOOL_RESULT);
static TOOL_RESULT: Case = Case::new("result", Kind::ToolResult, &RESULT);
static FAILING: Case = Case::new("tool", Kind::ToolCall, &CALL).also(&FAILURE);
static FAILURE: Case =
    Case::new("result", Kind::ToolResult, &RESULT).with(&[(Slot::IsError, "true")]);

/// The case of a line that names one of the desktop's tables.
pub(super) fn case(line: Node<'_>) -> Option<&'static Case> {
    let table = line.word(TABLE)?;
    let key = line.word(KEY).unwrap_or_default();
    Some(match table {
        b"composerHeaders" => &HEAD_ROW,
        b"ItemTable" => match line.word(ELEMENT) {
            Some(b"tabs") => &TAB_ELEMENT,
            Some(b"allComposers") => &COMPOSER_ELEMENT,
            _ => &LIST_ROW,
        },
        b"cursorDiskKV" if key.starts_with(b"composerData:") => &COMPOSER_ROW,
        b"cursorDiskKV" if key.starts_with(b"bubbleId:") => {
            match line.at(ROW_TYPE).map(Node::raw) {
                Some(b"1" | b"\"user\"") => &USER_ROW,
                _ if line.at(VALUE).is_some_and(counts) => &COUNTED_ROW,
                _ => &ASSISTANT_ROW,
            }
        }
        b"cursorDiskKV" => &SIDE_ROW,
        _ => return None,
    })
}

/// The session that a key names: the part between its first and its second colon.
pub(super) fn session_of(key: &str) -> Option<&str> {
    const OWNED: [&str; 4] = ["composerData", "bubbleId", "checkpointId", "messageRequestContext"];
    let (kind, rest) = key.split_once(':')?;
    OWNED.contains(&kind).then(|| rest.split(':').next().unwrap_or(rest))
}

/// The case of a bubble within its composer or tab.
pub(super) fn bubble(bubble: Node<'_>) -> Option<&'static Case> {
    Some(match bubble.at(TYPE).map(Node::raw) {
        Some(b"1" | b"\"user\"") => &USER,
        _ if counts(bubble) => &COUNTED_ANSWER,
        _ => &ASSISTANT,
    })
}

/// The case of a bubble's thought.
pub(super) fn thought(_: Node<'_>) -> Option<&'static Case> {
    Some(&REASONING)
}

/// The case of a bubble's tool. After a failed turn, the object may have only a status: then it is
/// not a call.
pub(super) fn tool(tool: Node<'_>) -> Option<&'static Case> {
    if TOOL_NAMES.iter().all(|path| tool.at(path).is_none()) {
        return None;
    }
    let answered = ANSWERS.iter().any(|path| tool.at(path).is_some_and(|node| !is_empty(node)));
    Some(match tool.word(STATUS) {
        Some(b"error" | b"cancelled") => &FAILING,
        Some(b"completed") => &TOOL,
        _ if answered => &TOOL,
        _ => &PENDING,
    })
}

fn is_empty(node: Node<'_>) -> bool {
    matches!(node.raw(), b"null" | b"\"\"")
}

/// Whether a bubble's counters are known: zeros mean unknown.
fn counts(bubble: Node<'_>) -> bool {
    TOKENS.iter().any(|path| bubble.at(path).is_some_and(|count| count.raw() != b"0"))
}
