//! Gemini CLI: the document of messages (before 0.39) and the log of upserts that followed it.
//!
//! This file selects the case of a line, a message or a part of one. `map.rs` has the tables,
//! `locate.rs` the grouping of files, `standing.rs` the effects of log lines on each other.
//! `FORMAT.md` has the coverage.

use std::sync::Arc;

use meaning::usage::Convention;
use session::{Bundle, Case, EventRef, Mark, Memory, Node, Reading, Session, Shape, value};

use crate::claim::{Candidate, Claim};
use crate::format::{Format, FormatData, McpEntry};
use crate::written::{Options, WriteError, Written};
use crate::{injected, probe};

mod apart;
pub(crate) mod changes;
mod copies;
pub(crate) mod locate;
pub(crate) mod map;
mod project;
mod quoted;
mod resume;
mod retention;
mod standing;
pub(crate) mod tools;
mod turns;
pub(crate) mod write;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;

/// The name in the registry.
const NAME: &str = "gemini";

/// The format of Gemini CLI's session files.
pub(crate) struct Gemini;

/// The facts of the format.
static DATA: FormatData = FormatData {
    program: "gemini-cli",
    places: locate::PLACES,
    retention: Some(retention::days),
    sidecars: &[
        "projects.json",
        "tmp/*/.project_root",
        "tmp/*/logs.json",
        "tmp/*/plans",
        "tmp/*/tool-outputs",
    ],
    typed: &[map::TYPED],
    sealed: locate::SEALED,
    id_in_name: locate::id_in_name,
    convention: Convention {
        input_includes_cache: true,
        output_includes_reasoning: |_| false,
        ..Convention::PLAIN
    },
    wrappers: &["hook_context", quoted::NAME],
    changes: Some(changes::of),
    mcp: Some(McpEntry::of_servers(
        "`.gemini/settings.json` in the folder of the project, or `~/.gemini/settings.json`",
    )),
    tools: &tools::TOOLS,
    turns: &turns::TURNS,
    resume: Some(&resume::RESUME),
    belongs: Some(
        "`~/.gemini/tmp/PROJECT/chats/session-YYYY-MM-DDTHH-MM-ID.jsonl`; PROJECT is the \
             last part of the project's path, and of the id the first eight characters count",
    ),
    target: Some(&write::TARGET),
    words: quoted::unquoted,
    project: project::folder,
    ..FormatData::of(NAME, map::ALL)
};

impl Format for Gemini {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file, locate::Family::Gemini)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let mut reading = Reading::new(NAME, &bundle, memory).statuses(&tools::STATUSES);
        probe::documents_or_lines(&mut reading, &bundle, record);
        settled(reading.finish())
    }

    fn write_with(&self, session: &Session, options: &Options) -> Result<Written, WriteError> {
        Ok(write::placed_at(self.write(session)?, session, options.at))
    }
}

/// The sessions of documents and logs with one id, with the standings of their events.
pub(crate) fn settled(whole: Session) -> Vec<Session> {
    let mut sessions = apart::sessions(whole);
    for session in &mut sessions {
        injected::mark_told(session);
        standing::settle(session);
        think_first(session);
    }
    sessions
}

/// The case of a log's line, or of the one value of a document, tried in the agent's own order.
pub(crate) fn record(node: Node<'_>) -> Option<&'static Case> {
    let has = |path| node.at(path).is_some();
    if node.word(map::REWIND_TO).is_some() {
        Some(&map::REWIND)
    } else if node.word(map::AGENT).is_some() && has(map::SESSION_ID) {
        collected(node)
    } else if node.word(map::ID).is_some() {
        listed(node)
    } else if has(map::SET_TO) {
        Some(&map::SET)
    } else if locate::is_saved(node) {
        Some(&map::SAVED)
    } else if has(map::SESSION_ID) || has(map::MESSAGES) {
        Some(&map::HEAD)
    } else {
        node.word(map::TYPE).and_then(|_| listed(node))
    }
}

fn collected(node: Node<'_>) -> Option<&'static Case> {
    Some(match node.word(map::TYPE)? {
        b"user" => &map::COLLECTED_USER,
        b"tool" => &map::COLLECTED_CALL,
        _ => &map::COLLECTED_ASSISTANT,
    })
}

/// The case of a message, as a line or in an array of messages.
fn listed(node: Node<'_>) -> Option<&'static Case> {
    if node.shape() != Shape::Object {
        return None;
    }
    let in_parts = node.at(map::PARTS).is_some() && node.at(map::CONTENT).is_none();
    Some(match node.word(map::TYPE) {
        Some(b"user") if in_parts => &map::USER_IN_PARTS,
        Some(b"user") if is_answers(node) => &map::RESPONSES,
        Some(b"user") if is_context(node) && is_summary(node) => &map::SUMMED_UP,
        Some(b"user") if is_context(node) && is_heard(node) => &map::TOLD,
        Some(b"user") if is_context(node) => &map::CONTEXT,
        Some(b"user") if is_by_hand(node) => &map::TOLD,
        Some(b"user") => &map::USER,
        Some(b"info" | b"error" | b"warning") => &map::REPORT,
        _ if in_parts => &map::ASSISTANT_IN_PARTS,
        _ => &map::ASSISTANT,
    })
}

/// The case of a message of a saved state.
fn said(node: Node<'_>) -> Option<&'static Case> {
    let parts = || node.at(map::PARTS).into_iter().flat_map(Node::elements);
    let answers =
        parts().next().is_some() && parts().all(|part| part.at(map::FUNCTION_RESPONSE).is_some());
    match node.word(map::ROLE)? {
        b"user" if answers => Some(&map::SAID_CONTEXT),
        b"user" if all_begin(parts()) && parts().any(heard) => Some(&map::SAID_TOLD),
        b"user" if all_begin(parts()) => Some(&map::SAID_CONTEXT),
        b"user" => Some(&map::SAID_USER),
        _ => Some(&map::SAID_MODEL),
    }
}

/// Whether a message has only answers of tools. Since 0.44 such messages repeat the answers in
/// `toolCalls`.
fn is_answers(message: Node<'_>) -> bool {
    let Some(content) = message.at(map::CONTENT) else { return false };
    let mut parts = content.elements().peekable();
    parts.peek().is_some() && parts.all(|part| part.at(map::FUNCTION_RESPONSE).is_some())
}

/// Beginnings of texts that the agent puts before a prompt, or in place of a compacted history.
const CONTEXTS: [&[u8]; 3] = [b"<session_context>", HOOK, SUMMARY];

/// Beginning of what a hook said. The agent puts it before the prompt, in one text.
const HOOK: &[u8] = b"<hook_context>";

/// Beginning of a compaction's summary.
const SUMMARY: &[u8] = b"<state_snapshot>";

/// The prompt that the agent sends to the model by itself if an answer broke off.
const GO_ON: &[u8] = b"System: Please continue.";

fn is_context(message: Node<'_>) -> bool {
    let Some(content) = message.at(map::CONTENT) else { return false };
    match content.shape() {
        Shape::Array => all_begin(content.elements()),
        _ => begins(content),
    }
}

/// Whether a message is the summary that replaced a compacted history.
fn is_summary(message: Node<'_>) -> bool {
    let Some(content) = message.at(map::CONTENT) else { return false };
    let mut texts = content.elements().filter_map(|part| part.word(map::TEXT));
    let first = content.text().or_else(|| texts.next());
    first.is_some_and(|text| text.starts_with(SUMMARY))
}

fn all_begin<'n>(parts: impl Iterator<Item = Node<'n>>) -> bool {
    let mut parts = parts.peekable();
    parts.peek().is_some() && parts.all(begins)
}

fn begins(node: Node<'_>) -> bool {
    let text = node.text().or_else(|| node.word(map::TEXT));
    text.is_some_and(|text| {
        text == GO_ON || CONTEXTS.iter().any(|mark| injected::begins(text, mark)) && !precedes(text)
    })
}

/// Whether a prompt follows what a hook said, in the same text.
fn precedes(text: &[u8]) -> bool {
    const END: &[u8] = b"</hook_context>";
    let behind = memchr::memmem::rfind(text, END).and_then(|at| text.get(at + END.len()..));
    text.starts_with(HOOK) && behind.is_some_and(|rest| !injected::trimmed(rest).is_empty())
}

/// Whether a text is what a hook said.
fn heard(node: Node<'_>) -> bool {
    let text = node.text().or_else(|| node.word(map::TEXT));
    text.is_some_and(|text| text.starts_with(HOOK))
}

/// Whether a message has the output of a command that the person ran by hand, in the agent's own
/// words.
fn is_by_hand(message: Node<'_>) -> bool {
    const BEGIN: &[u8] = b"I ran the following shell command:";
    const RESULT: &[u8] = b"This produced the following result:";
    let Some(content) = message.at(map::CONTENT) else { return false };
    let mut texts = content.elements().filter_map(|part| part.word(map::TEXT));
    let first = content.text().or_else(|| texts.next());
    texts.next().is_none()
        && first.is_some_and(|text| {
            text.starts_with(BEGIN) && memchr::memmem::find(text, RESULT).is_some()
        })
}

/// Whether a message has what a hook said.
fn is_heard(message: Node<'_>) -> bool {
    let Some(content) = message.at(map::CONTENT) else { return false };
    heard(content) || content.elements().any(heard)
}

/// Puts thoughts before the calls that they led to. Messages may list them after the calls.
fn think_first(session: &mut Session) {
    let is_thought = |event: &EventRef<'_>| std::ptr::eq(event.case, &raw const map::THOUGHT);
    let thoughts: Vec<_> =
        session.events().filter(is_thought).map(|thought| thought.index).collect();
    for thought in thoughts {
        session.mark(thought, Mark::Place(0));
    }
}

fn thought(node: Node<'_>) -> Option<&'static Case> {
    (node.shape() == Shape::Object).then_some(&map::THOUGHT)
}

/// The case of a tool call. It has an answer if `result` is present and not null.
fn tool_call(node: Node<'_>) -> Option<&'static Case> {
    if node.shape() != Shape::Object {
        return None;
    }
    let result = node.at(map::RESULT_VALUE).map(Node::shape);
    let answered = result.is_some_and(|shape| shape != Shape::Null);
    let said = || node.at(map::RESULT_VALUE)?.elements().find_map(|p| value::text_at(p, map::SAID));
    Some(match answered {
        false => &map::CALL,
        true if is_among(node) => &map::AMONG,
        true if tools::went_wrong(node.word(map::NAME), said) => &map::FAILING,
        true => &map::ANSWERED,
    })
}

/// Whether a call's answer has the answers of other calls too.
fn is_among(call: Node<'_>) -> bool {
    let id = call.word(map::ID);
    let answers = || call.at(map::RESULT_VALUE).into_iter().flat_map(Node::elements);
    let other = |answer: Node<'_>| answer.word(map::ANSWERED_ID).is_some_and(|own| Some(own) != id);
    answers().any(other) && answers().all(|answer| answer.at(map::FUNCTION_RESPONSE).is_some())
}

/// The case of a part of a message's content; `None` for plain text.
pub(crate) fn part(node: Node<'_>) -> Option<&'static Case> {
    let is_true = |path| node.at(path).is_some_and(|value: Node<'_>| value.raw() == b"true");
    if node.at(map::FUNCTION_CALL).is_some() {
        Some(&map::CALL_PART)
    } else if is_true(map::THOUGHT_MARK) {
        Some(&map::THOUGHT_PART)
    } else {
        response(node)
    }
}

pub(crate) fn response(node: Node<'_>) -> Option<&'static Case> {
    node.at(map::FUNCTION_RESPONSE)?;
    let failed = tools::went_wrong(node.word(map::SAID_BY), || value::text_at(node, map::SAID));
    Some(if failed { &map::FAILURE_PART } else { &map::RESULT_PART })
}
