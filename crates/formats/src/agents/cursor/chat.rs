//! Rows of the command line's store (`store.db`), as in a dump, and the card beside it. A blob is a
//! message of the prompt in JSON, or a protocol buffer, of which the dump has a view.

use session::{Case, Kind, Map, Node, Shape, Slot, map};

use super::case::said_injected;

/// The table of a row.
const TABLE: &[&str] = &["table"];
/// Role of a blob.
const ROLE: &[&str] = &["row", "data", "role"];
/// Names of a store's metadata.
const STORE_NAMES: [&[&str]; 2] =
    [&["row", "value", "agentId"], &["row", "value", "latestRootBlobId"]];
/// Content of a blob.
const CONTENT: &[&str] = &["row", "data", "content"];
/// Type of a part of content.
const TYPE: &[&str] = &["type"];
/// Whether a result is a failure.
const IS_ERROR: &[&str] = &["isError"];
/// The view of a protocol buffer, and its fields.
const VIEW: &[&str] = &["row", "data.view"];
/// The first field: the prompt's messages in a root, a turn, a text.
const FIRST: &[&str] = &["1"];
/// A tool's step.
const SECOND: &[&str] = &["2"];
/// A thought.
const THIRD: &[&str] = &["3"];
/// The text of a step.
const STEP_TEXT: &[&str] = &["1", "1"];
const THOUGHT_TEXT: &[&str] = &["3", "1"];
/// The name of another blob.
pub(super) const BLOB_ID: &[&str] = &["blob"];
/// A root's turns.
const EIGHTH: &[&str] = &["8"];
/// Names that identify a card. A guest's card has only these, and maybe a title.
const SCHEMA: &[&str] = &["schemaVersion"];
const CONVERSATION: &[&str] = &["hasConversation"];
const FOLDER: &[&str] = &["cwd"];
const GUEST: &[&[u8]] = &[b"schemaVersion", b"cwd", b"title"];

static META_CASE: Case = Case::new("meta", Kind::Notice, &META_LINE);
static META_LINE: Map = map! { "table" => kept, "row" => within(Native, &META_ROW) };
static META_ROW: Map = map! { "key" => kept, "value" => within(Native, &META), "value.as" => kept };
static CARD_CASE: Case = Case::new("card", Kind::Notice, &CARD);

static USER: Case = Case::new("user", Kind::User, &BLOB_LINE);
static CONTEXT: Case = Case::new("context", Kind::User, &BLOB_LINE).injected();
static ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &BLOB_LINE);
static TOOL: Case = Case::new("tool", Kind::User, &BLOB_LINE).injected();
static OTHER: Case = Case::new("blob", Kind::Notice, &OTHER_LINE);
static BLOB_LINE: Map = map! { "table" => kept, "row" => within(Native, &BLOB_ROW) };
static BLOB_ROW: Map = map! { "id" => is(Id), "data" => within(Native, &BLOB) };
static OTHER_LINE: Map = map! { "table" => kept, "row" => within(Native, &OTHER_ROW) };
static OTHER_ROW: Map = map! { "id" => is(Id), "data" => kept, "data.view" => kept };

macro_rules! viewed {
    ($name:literal, $kind:ident, $view:expr) => {{
        static HELD: Map =
            map! { "id" => is(Id), "data" => kept, "data.view" => view(Native, $view) };
        static WHOLE: Map = map! { "table" => kept, "row" => within(Native, &HELD) };
        Case::new($name, Kind::$kind, &WHOLE)
    }};
}

static ROOT: Case = viewed!("root", Notice, &ROOT_VIEW);
static TURN: Case = viewed!("turn", Notice, &TURN_VIEW);
static SHOWN_USER: Case = viewed!("shown", User, &TEXT_VIEW);
static SHOWN_ANSWER: Case = viewed!("shown", Assistant, &ANSWER_VIEW);
static SHOWN_THOUGHT: Case = viewed!("shown", Reasoning, &THOUGHT_VIEW);
static SHOWN_TOOL: Case = viewed!("shown", Notice, &TOOL_VIEW);

/// The case of a line that names one of the store's tables, and of a card.
pub(super) fn case(line: Node<'_>) -> Option<&'static Case> {
    match line.word(TABLE) {
        Some(b"meta") => Some(&META_CASE),
        Some(b"blobs") => Some(blob(line)),
        None if line.at(SCHEMA).is_some() && line.at(CONVERSATION).is_some() => Some(&CARD_CASE),
        _ => None,
    }
}

/// Whether a line is Cursor's, and not another program's table of the same name.
pub(super) fn is_own(line: Node<'_>) -> bool {
    match line.word(TABLE) {
        Some(b"meta") => STORE_NAMES.iter().any(|path| line.at(path).is_some()),
        Some(b"blobs") => line.at(ROLE).is_some() && line.at(CONTENT).is_some(),
        _ => case(line).is_some(),
    }
}

/// The case of a card in `acp-sessions`, beside the store of a session that another program
/// controls. Other programs use its names too: only its folder shows that it is Cursor's.
pub(super) fn guest(card: Node<'_>) -> Option<&'static Case> {
    let known = card.at(SCHEMA).is_some() && card.at(FOLDER).is_some();
    (known && card.members().all(|member| GUEST.contains(&member.name))).then_some(&CARD_CASE)
}

fn blob(line: Node<'_>) -> &'static Case {
    match line.word(ROLE) {
        Some(b"user") if line.at(CONTENT).is_some_and(said_injected) => &CONTEXT,
        Some(b"user") => &USER,
        Some(b"assistant") => &ASSISTANT,
        Some(b"tool") => &TOOL,
        Some(b"system") => &CONTEXT,
        Some(_) => &OTHER,
        None => line.at(VIEW).map_or(&OTHER, shown),
    }
}

/// The case of a view, guessed from its fields, since views have no type. A to-do item has two
/// texts like a prompt, and a number for its status; a summary has one text.
fn shown(view: Node<'_>) -> &'static Case {
    let names_blob = |node: Node<'_>| match node.shape() {
        Shape::Array => node.elements().any(|node| node.word(BLOB_ID).is_some()),
        _ => node.word(BLOB_ID).is_some(),
    };
    let object = |path: &[&str]| view.at(path).filter(|node| node.shape() == Shape::Object);
    match view.at(FIRST) {
        Some(first) if names_blob(first) => &ROOT,
        Some(first) if first.shape() == Shape::String => {
            let number = view.at(THIRD).is_some_and(|node| node.shape() == Shape::Number);
            if view.word(SECOND).is_some() && !number { &SHOWN_USER } else { &OTHER }
        }
        Some(first) if first.at(FIRST).is_some_and(names_blob) => &TURN,
        Some(_) if view.word(STEP_TEXT).is_some() => &SHOWN_ANSWER,
        Some(_) => &OTHER,
        None if object(THIRD).is_some() && view.word(THOUGHT_TEXT).is_some() => &SHOWN_THOUGHT,
        None if object(SECOND).is_some() => &SHOWN_TOOL,
        None if view.at(EIGHTH).is_some_and(names_blob) => &ROOT,
        None => &OTHER,
    }
}

/// `meta`, key `0`.
pub(super) static META: Map = map! {
    "agentId" => is(Session),
    "latestRootBlobId" => is(Leaf),
    // The card has the title too, once somebody has set it. Until then it is "New Agent" here.
    "name" => is(AutoTitle),
    "createdAt" => is(Started),
    "mode" => kept,
    "lastUsedModel" => is(Model),
    "workspacePath" => is(WorkingDir),
    kept ["approvalMode", "resumeBcId", "currentPlanUri"],
    "blobEncryptionKey" => is(Secret),
    kept ["isRunEverything", "lastDebugServerPort"],
    "subagentInfo" => view(Native, &SUBAGENT),
};

/// The parent of a sub-agent's store.
static SUBAGENT: Map = map! {
    "parentAgentId" => is(SpawnedBy),
    kept ["rootParentAgentId", "toolCallId", "typeName"],
};

/// `meta.json`.
pub(super) static CARD: Map = map! {
    "schemaVersion" => kept,
    "title" => is(Title),
    "createdAtMs" => is(Started),
    "updatedAtMs" => is(Updated),
    kept ["hasConversation", "isSubagent"],
    "cwd" => is(WorkingDir),
};

/// A message of the prompt.
pub(super) static BLOB: Map = map! {
    "role" => is(Role),
    "content" => each(Content, part),
    "id" => kept,
    "createdAt" => is(Time),
    "providerOptions" => view(Native, &OPTIONS),
};

static OPTIONS: Map = map! { "cursor" => view(Native, &CURSOR) };
static CURSOR: Map = map! { "modelName" => is(Model), "requestId" => is(Request) };

/// A thought, plain or encrypted.
pub(super) static PART: Map = map! {
    "type" => is(Type),
    "text" => is(Content),
    "signature" => is(Encrypted),
    "data" => is(Encrypted),
    "providerOptions" => kept,
};

/// A call.
pub(super) static CALL: Map = map! {
    "type" => is(Type),
    "toolCallId" => is(Call),
    "toolName" => is(Name),
    "args" => is(Input),
    "providerOptions" => kept,
};

/// A result.
pub(super) static RESULT: Map = map! {
    "type" => is(Type),
    "toolCallId" => is(Call),
    "toolName" => is(Name),
    "result" => is(Output),
    "isError" => is(IsError),
    kept ["experimental_content", "providerOptions"],
};

static PART_THOUGHT: Case = Case::new("reasoning", Kind::Reasoning, &PART);
static PART_CALL: Case = Case::new("tool-call", Kind::ToolCall, &CALL);
static PART_RESULT: Case = Case::new("tool-result", Kind::ToolResult, &RESULT);
static PART_FAILURE: Case =
    Case::new("tool-result", Kind::ToolResult, &RESULT).with(&[(Slot::Status, "error")]);

fn part(part: Node<'_>) -> Option<&'static Case> {
    Some(match part.word(TYPE)? {
        b"reasoning" | b"redacted-reasoning" => &PART_THOUGHT,
        b"tool-call" => &PART_CALL,
        b"tool-result" if part.at(IS_ERROR).is_some_and(|node| node.raw() == b"true") => {
            &PART_FAILURE
        }
        b"tool-result" => &PART_RESULT,
        _ => return None,
    })
}

/// The state of a conversation: the messages of its prompt and its turns, by blob.
static ROOT_VIEW: Map = map! {
    "1" => is(Link),
    kept ["3", "4", "5", "6"],
    "8" => is(Target),
    kept ["9", "11"],
};
/// A turn: its prompt, and the steps of its answer.
static TURN_VIEW: Map = map! { "1" => view(Native, &AGENT_TURN) };
static AGENT_TURN: Map = map! { "1" => is(Link), "2" => is(Target), "3" => kept };
static TEXT_VIEW: Map = map! { "1" => is(Content), "2" => is(Message) };
static ANSWER_VIEW: Map = map! { "1" => view(Native, &STEP_VIEW) };
static THOUGHT_VIEW: Map = map! { "3" => view(Native, &STEP_VIEW) };
static TOOL_VIEW: Map = map! { "2" => kept };
static STEP_VIEW: Map = map! { "1" => is(Content) };
