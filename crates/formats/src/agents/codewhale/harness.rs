//! The log of DeepSeek's own harness, `sessions/<project>/<session>/session.jsonl`: case selection
//! and tables. It is found in the same homes, and detected by its first line.

use session::{Case, Kind, Map, Node, Slot, map};

use super::names;

pub(super) static SESSION_MAP: Map = map! {
    "type" => is(Type),
    "version" => kept,
    "id" => is(Session),
    "createdAt" => is(Started),
    "cwd" => is(WorkingDir),
    "delegationDepth" => kept,
};

/// A line whose `data` has a table of its own.
macro_rules! line {
    ($($data:tt)*) => {
        map! {
            "type" => is(Type),
            "seq" => is(Ordinal),
            "time" => is(Time),
            "data" => $($data)*
        }
    };
}

pub(super) static LINE: Map = line!(kept);

pub(super) static TITLE_LINE: Map = line!(within(Native, &TITLE_DATA));

pub(super) static TITLE_DATA: Map = map! { "title" => is(AutoTitle), "source" => kept };

pub(super) static USER_LINE: Map = line!(within(Native, &USER_DATA));

pub(super) static USER_DATA: Map = map! {
    "content" => is(Content),
    "source" => kept,
    "role" => is(Role),
};

pub(super) static ASSISTANT_LINE: Map = line!(within(Native, &ASSISTANT_DATA));

pub(super) static ASSISTANT_DATA: Map = map! {
    "turn" => is(Turn),
    "step" => kept,
    "message" => within(Native, &ASSISTANT_MESSAGE),
};

pub(super) static ASSISTANT_MESSAGE: Map = map! {
    "role" => is(Role),
    "content" => each(Content, block),
    "source" => within(Native, &SOURCE),
};

pub(super) static SOURCE: Map = map! {
    "kind" => kept,
    "provider" => is(Provider),
    "model" => is(Model),
};

pub(super) static REASONING_MAP: Map = map! { "type" => is(Type), "text" => is(Content) };

pub(super) static CALL_LINE: Map = line!(within(Native, &CALL_DATA));

pub(super) static CALL_DATA: Map = map! {
    "turn" => is(Turn),
    "step" => kept,
    "callId" => is(Call),
    "name" => is(Name),
    "arguments" => is(Input),
};

pub(super) static RESULT_LINE: Map = line!(within(Native, &RESULT_DATA));

pub(super) static RESULT_DATA: Map = map! {
    "turn" => is(Turn),
    "step" => kept,
    "error" => is(Detail),
    "message" => within(Native, &RESULT_MESSAGE),
};

pub(super) static RESULT_MESSAGE: Map = map! {
    "source" => within(Native, &RESULT_SOURCE),
    "content" => is(Output),
};

pub(super) static RESULT_SOURCE: Map = map! { "kind" => kept, "callId" => is(Call) };

/// Streamed pieces of an answer, many per line.
pub(super) static CHUNKS: Map = map! {
    "type" => is(Type),
    "seq0" => is(Ordinal),
    "time0" => is(Time),
    "data" => kept,
};

pub(super) static SESSION: Case = Case::new("session", Kind::Notice, &SESSION_MAP);
static TITLE: Case = Case::new("title", Kind::Notice, &TITLE_LINE);
static USER: Case = Case::new("user", Kind::User, &USER_LINE);
static CONTEXT: Case = Case::new("context", Kind::User, &USER_LINE).injected();
static ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &ASSISTANT_LINE);
static REASONING: Case = Case::new("reasoning", Kind::Reasoning, &REASONING_MAP);
static CALL: Case = Case::new("call", Kind::ToolCall, &CALL_LINE);
static RESULT: Case = Case::new("result", Kind::ToolResult, &RESULT_LINE);
static FAILED: Case =
    Case::new("result", Kind::ToolResult, &RESULT_LINE).with(&[(Slot::IsError, "true")]);
/// Streamed pieces of an answer, which the whole answer follows.
pub(super) static CHUNK: Case = Case::new("chunk", Kind::Notice, &LINE);
pub(super) static PACKED: Case = Case::new("chunks", Kind::Notice, &CHUNKS);
static OTHER: Case = Case::new("line", Kind::Notice, &LINE);

/// The case of a line; `None` if it is not of such a log.
pub(super) fn record(node: Node<'_>) -> Option<&'static Case> {
    let word = node.word(names::TYPE)?;
    if node.at(names::DATA).is_none() {
        return (word == b"session" && node.at(names::DELEGATION).is_some()).then_some(&SESSION);
    }
    Some(match word {
        b"session/title" => &TITLE,
        b"user/message" if node.word(names::SOURCE_KIND) == Some(b"user") => &USER,
        b"user/message" => &CONTEXT,
        b"assistant/message" => &ASSISTANT,
        b"assistant/chunk" => &CHUNK,
        b"text-chunks" => &PACKED,
        b"tool/call" => &CALL,
        b"tool/result" if says(node, names::DATA_ERROR) => &FAILED,
        b"tool/result" => &RESULT,
        _ => &OTHER,
    })
}

fn says(node: Node<'_>, path: &[&str]) -> bool {
    node.at(path).is_some_and(|value| value.raw() != b"null")
}

fn block(node: Node<'_>) -> Option<&'static Case> {
    (node.word(names::TYPE) == Some(b"reasoning")).then_some(&REASONING)
}
