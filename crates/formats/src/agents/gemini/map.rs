//! Tables of a Gemini CLI history: one table per object, one case per kind of event. Tables only;
//! `mod.rs` selects cases.

use session::{Case, EventRef, Injected, Kind, Map, Slot, map};

use super::{listed, part, response, said, thought, tool_call};
use crate::typed::PromptList;

/// The id of a message, by which a later line replaces it.
pub(super) const ID: &[&str] = &["id"];
/// Role of a message, or type of a notice.
pub(super) const TYPE: &[&str] = &["type"];
/// Content of a message.
pub(super) const CONTENT: &[&str] = &["content"];
/// The text of a part.
pub(super) const TEXT: &[&str] = &["text"];
/// True on a part that is a thought.
pub(super) const THOUGHT_MARK: &[&str] = &["thought"];
/// A part that calls a tool.
pub(super) const FUNCTION_CALL: &[&str] = &["functionCall"];
/// A part that answers a call.
pub(super) const FUNCTION_RESPONSE: &[&str] = &["functionResponse"];
/// The answer of a tool, in its call.
pub(super) const RESULT_VALUE: &[&str] = &["result"];
/// A tool's name.
pub(super) const NAME: &[&str] = &["name"];
/// The tool and the text of an answer.
pub(super) const SAID_BY: &[&str] = &["functionResponse", "name"];
/// The call that an answer is of.
pub(super) const ANSWERED_ID: &[&str] = &["functionResponse", "id"];
pub(super) const SAID: &[&str] = &["functionResponse", "response", "output"];
/// A line that rewinds the message it names and all later ones.
pub(super) const REWIND_TO: &[&str] = &["$rewindTo"];
/// A line that changes the metadata.
pub(super) const SET_TO: &[&str] = &["$set"];
/// The whole conversation: of a document, or a checkpoint that replaces the previous one.
pub(super) const MESSAGES: &[&str] = &["messages"];
/// The session's id, in metadata and in files that are not sessions.
pub(super) const SESSION_ID: &[&str] = &["sessionId"];
/// The digest of the project's folder.
pub(super) const PROJECT_HASH: &[&str] = &["projectHash"];
/// Start of the session.
pub(super) const START_TIME: &[&str] = &["startTime"];
/// Last change of the session.
pub(super) const LAST_UPDATED: &[&str] = &["lastUpdated"];
/// Time of a message.
pub(super) const TIMESTAMP: &[&str] = &["timestamp"];
/// `main` or `subagent`.
pub(super) const KIND: &[&str] = &["kind"];
/// The prompts' log: the number of a prompt.
pub(super) const MESSAGE_ID: &[&str] = &["messageId"];
/// A saved history (`/chat save`).
pub(super) const HISTORY: &[&str] = &["history"];
/// The history of a saved state.
pub(super) const CLIENT_HISTORY: &[&str] = &["clientHistory"];
/// Role of a message in the form of the model's API.
pub(super) const ROLE: &[&str] = &["role"];
/// A saved history's messages.
pub(super) const PARTS: &[&str] = &["parts"];
/// The program that a collected line comes from.
pub(super) const AGENT: &[&str] = &["agent"];
/// The list of what was typed in all sessions of a project.
pub(crate) const TYPED: PromptList = PromptList {
    path: "tmp/*/logs.json",
    session: &["sessionId"],
    time: &["timestamp"],
    text: &["message"],
    folder: &[],
    like: "chats/session.json",
    pasted: None,
};
/// The registry of project folders.
pub(super) const PROJECTS: &[&str] = &["projects"];

/// The head of a document, a log's first line, and the members that `$set` merges into it.
static METADATA: Map = map! {
    "sessionId" => is(Session),
    "projectHash" => kept,
    "startTime" => is(Started),
    "lastUpdated" => is(Updated),
    kept ["kind", "directories"],
    "summary" => is(AutoTitle),
    "memoryScratchpad" => kept,
    "messages" => each(Native, listed),
};

static SET_LINE: Map = map! { "$set" => within(Native, &METADATA) };

static REWIND_LINE: Map = map! { "$rewindTo" => is(Target) };

/// A message of any type.
static MESSAGE: Map = map! {
    "id" => is(Id),
    "timestamp" => is(Time),
    "type" => is(Type),
    "content" => each(Content, part),
    "displayContent" => kept,
    "model" => is(Model),
    "thoughts" => each(Native, thought),
    "tokens" => within(Usage, &TOKENS),
    "toolCalls" => each(Native, tool_call),
};

/// A message with tool answers only.
static ANSWERS: Map = map! {
    "id" => is(Id),
    "timestamp" => is(Time),
    "type" => is(Type),
    "content" => each(Content, response),
    "displayContent" => kept,
};

/// A message in the form of the model's API: `parts` instead of `content`.
static IN_PARTS: Map = map! {
    "id" => is(Id),
    "timestamp" => is(Time),
    "type" => is(Type),
    "parts" => each(Content, part),
    "model" => is(Model),
    "tokens" => within(Usage, &TOKENS),
};

/// A state saved before a tool's change: `checkpoints/<…>.json`.
static STATE: Map = map! {
    "history" => kept,
    "clientHistory" => each(Native, said),
    "toolCall" => kept,
    "commitHash" => is(Revision),
    "messageId" => kept,
};

/// A message of it, in the form of the model's API.
static CONTENT_MAP: Map = map! {
    "role" => is(Role),
    "parts" => each(Content, part),
};

/// `input` includes `cached`; `thoughts` and `tool` are not part of `output`.
static TOKENS: Map = map! {
    "input" => is(TokensIn),
    "output" => is(TokensOut),
    "cached" => is(CacheRead),
    "thoughts" => is(TokensReasoning),
    "tool" => is(TokensTool),
    "total" => is(TokensTotal),
};

static THOUGHT_MAP: Map = map! {
    "subject" => is(Subject),
    "description" => is(Content),
    "timestamp" => is(Time),
};

/// A tool call that has no answer yet, or never got one.
static CALL_ALONE: Map = map! {
    "id" => is(Call),
    "name" => is(Name),
    "args" => is(Input),
    "result" => kept,
    "status" => is(Status),
    "timestamp" => is(Time),
    "agentId" => is(Agent),
    kept ["displayName", "description", "resultDisplay", "renderOutputAsMarkdown"],
};

/// A tool call with its answer: the members of the call.
static CALL_ANSWERED: Map = map! {
    "id" => is(Call),
    "name" => is(Name),
    "args" => is(Input),
    "timestamp" => is(Time),
    "agentId" => is(Agent),
    kept ["displayName", "description", "resultDisplay", "renderOutputAsMarkdown"],
};

/// A tool call with the answers of several calls: a session that was resumed has those of all calls
/// of a message with each.
static CALL_AMONG: Map = map! {
    "id" => is(Call),
    "name" => is(Name),
    "args" => is(Input),
    "result" => each(Native, response),
    "status" => is(Status),
    "timestamp" => is(Time),
    "agentId" => is(Agent),
    kept ["displayName", "description", "resultDisplay", "renderOutputAsMarkdown"],
};

/// A tool call with its answer: the members of the answer.
static CALL_RESULT: Map = map! {
    "id" => is(Call),
    "timestamp" => is(Time),
    "result" => is(Output),
    "status" => is(Status),
};

static THOUGHT_PART_MAP: Map = map! {
    "text" => is(Content),
    "thought" => kept,
    "thoughtSignature" => is(Encrypted),
};

static CALL_PART_MAP: Map = map! {
    "functionCall" => within(Native, &FUNCTION_CALL_MAP),
    "thoughtSignature" => kept,
};

static FUNCTION_CALL_MAP: Map = map! {
    "id" => is(Call),
    "name" => is(Name),
    "args" => is(Input),
};

static RESULT_PART_MAP: Map = map! {
    "functionResponse" => within(Native, &FUNCTION_RESPONSE_MAP),
    "thoughtSignature" => kept,
};

static FUNCTION_RESPONSE_MAP: Map = map! {
    "id" => is(Call),
    "name" => is(Name),
    "response" => is(Output),
    "parts" => kept,
};

/// A line of a collection of several agents' sessions.
static COLLECTED: Map = map! {
    "sessionId" => is(Session),
    "workspace" => is(WorkingDir),
    "agent" => kept,
    "type" => is(Type),
    "message" => within(Native, &COLLECTED_MESSAGE),
    "uuid" => is(Id),
    "timestamp" => is(Time),
};

static COLLECTED_MESSAGE: Map = map! {
    "role" => is(Role),
    "content" => is(Content),
    "tool_name" => is(Name),
    "tool_input" => is(Input),
};

static COLLECTED_ANSWER: Map = map! { "message" => within(Native, &COLLECTED_OUTPUT) };

static COLLECTED_OUTPUT: Map = map! {
    "tool_output" => is(Output),
    "status" => is(Status),
};

/// Metadata: of a document, of a log, or a change of it.
pub(super) static HEAD: Case = Case::new("session", Kind::Notice, &METADATA);
pub(super) static SET: Case = Case::new("set", Kind::Notice, &SET_LINE);
pub(super) static REWIND: Case = Case::new("rewind", Kind::Notice, &REWIND_LINE);

// Messages are events of their own: as a line, or in an array of messages.
pub(super) static USER: Case = Case::new("user", Kind::User, &MESSAGE).top();
pub(super) static CONTEXT: Case = Case::new("context", Kind::User, &MESSAGE).injected().top();
/// The words of a hook, which the agent passes to the model in a person's place.
pub(super) static TOLD: Case =
    Case::new("told", Kind::User, &MESSAGE).injected_as(Injected::Told).top();
pub(super) static SUMMED_UP: Case =
    Case::new("summed up", Kind::User, &MESSAGE).injected_as(Injected::Summary).top();
pub(super) static RESPONSES: Case = Case::new("responses", Kind::User, &ANSWERS).injected().top();
pub(super) static ASSISTANT: Case = Case::new("gemini", Kind::Assistant, &MESSAGE).top();
pub(super) static REPORT: Case = Case::new("report", Kind::Notice, &MESSAGE).top();
pub(super) static USER_IN_PARTS: Case = Case::new("user", Kind::User, &IN_PARTS).top();
pub(super) static ASSISTANT_IN_PARTS: Case = Case::new("model", Kind::Assistant, &IN_PARTS).top();

pub(super) static SAVED: Case = Case::new("saved state", Kind::Notice, &STATE);
pub(super) static SAID_USER: Case = Case::new("user", Kind::User, &CONTENT_MAP).top();
pub(super) static SAID_CONTEXT: Case =
    Case::new("context", Kind::User, &CONTENT_MAP).injected().top();
pub(super) static SAID_TOLD: Case =
    Case::new("told", Kind::User, &CONTENT_MAP).injected_as(Injected::Told).top();
pub(super) static SAID_MODEL: Case = Case::new("model", Kind::Assistant, &CONTENT_MAP).top();

pub(super) static THOUGHT: Case = Case::new("thought", Kind::Reasoning, &THOUGHT_MAP);
pub(super) static CALL: Case = Case::new("call", Kind::ToolCall, &CALL_ALONE);
pub(super) static ANSWERED: Case = Case::new("call", Kind::ToolCall, &CALL_ANSWERED).also(&RESULT);
pub(super) static AMONG: Case = Case::new("call", Kind::ToolCall, &CALL_AMONG);
static RESULT: Case = Case::new("result", Kind::ToolResult, &CALL_RESULT);
// The status of a command that failed is `success`, too.
pub(super) static FAILING: Case = Case::new("call", Kind::ToolCall, &CALL_ANSWERED).also(&FAILURE);
static FAILURE: Case =
    Case::new("result", Kind::ToolResult, &CALL_RESULT).with(&[(Slot::IsError, "true")]);

pub(super) static THOUGHT_PART: Case =
    Case::new("thought part", Kind::Reasoning, &THOUGHT_PART_MAP);
pub(super) static CALL_PART: Case = Case::new("call part", Kind::ToolCall, &CALL_PART_MAP);
pub(super) static RESULT_PART: Case = Case::new("result part", Kind::ToolResult, &RESULT_PART_MAP);
pub(super) static FAILURE_PART: Case =
    Case::new("result part", Kind::ToolResult, &RESULT_PART_MAP).with(&[(Slot::IsError, "true")]);

/// Whether an event is the answer in a tool call's own record.
pub(super) fn is_answer(event: EventRef<'_>) -> bool {
    std::ptr::eq(event.case.map, &raw const CALL_RESULT)
}

/// Whether an event is an answer among the parts of a message.
pub(super) fn is_answer_part(event: EventRef<'_>) -> bool {
    std::ptr::eq(event.case.map, &raw const RESULT_PART_MAP)
}

pub(super) static COLLECTED_USER: Case = Case::new("user", Kind::User, &COLLECTED);
pub(super) static COLLECTED_ASSISTANT: Case = Case::new("assistant", Kind::Assistant, &COLLECTED);
pub(super) static COLLECTED_CALL: Case =
    Case::new("call", Kind::ToolCall, &COLLECTED).also(&COLLECTED_RESULT);
static COLLECTED_RESULT: Case = Case::new("result", Kind::ToolResult, &COLLECTED_ANSWER);

/// Every table, by its name in `FORMAT.md`.
pub(super) static ALL: &[(&str, &Map)] = &[
    ("metadata", &METADATA),
    ("`$set`", &SET_LINE),
    ("`$rewindTo`", &REWIND_LINE),
    ("message", &MESSAGE),
    ("message: tokens", &TOKENS),
    ("message: thought", &THOUGHT_MAP),
    ("message: tool call without answer", &CALL_ALONE),
    ("message: tool call with answer", &CALL_ANSWERED),
    ("message: answer of a tool call", &CALL_RESULT),
    ("message: tool call with the answers of several", &CALL_AMONG),
    ("message of answers", &ANSWERS),
    ("message in parts", &IN_PARTS),
    ("saved state", &STATE),
    ("saved state: message", &CONTENT_MAP),
    ("part: thought", &THOUGHT_PART_MAP),
    ("part: call", &CALL_PART_MAP),
    ("part: functionCall", &FUNCTION_CALL_MAP),
    ("part: result", &RESULT_PART_MAP),
    ("part: functionResponse", &FUNCTION_RESPONSE_MAP),
    ("collected line", &COLLECTED),
    ("collected line: message", &COLLECTED_MESSAGE),
    ("collected line: answer", &COLLECTED_ANSWER),
    ("collected line: output", &COLLECTED_OUTPUT),
];
