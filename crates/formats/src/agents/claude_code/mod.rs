//! Claude Code: the lines of a transcript, in the layouts of 1.0 to 2.1, and the files beside it.
//!
//! This file selects the case of a line or a block. `map.rs` and `notices.rs` have the tables,
//! `human_input.rs` detects human input, `locate.rs` groups files, `standing.rs` decides the
//! standing of each line.

use std::sync::Arc;

use meaning::usage::Convention;
use session::{Bundle, Case, Injected, Memory, Node, Reading, Session, Shape, Split, Stream};

use crate::claim::{Candidate, Claim};
use crate::format::{Format, FormatData, McpEntry};

mod advice;
mod attached;
mod attached_words;
mod blocks;
mod changes;
mod commands;
mod counters;
mod facts;
mod human_input;
mod locate;
mod map;
mod notices;
mod requests;
mod resume;
mod retention;
mod standing;
mod stream_json;
mod tools;
mod tree;
mod turns;
mod typed;
mod write;

#[cfg(test)]
mod tests;

/// The format of Claude Code's session files.
pub(crate) struct ClaudeCode;

/// Its name in the registry.
const NAME: &str = "claude-code";

/// The facts of the format.
static DATA: FormatData = FormatData {
    places: locate::PLACES,
    retention: Some(retention::days),
    sidecars: retention::SIDECARS,
    typed: &[map::TYPED],
    sealed: locate::SEALED,
    is_named: locate::is_named,
    id_in_name: locate::id_in_name,
    // Older versions wrote the transcripts of sub-agents beside the sessions.
    may_be_beside: |name| name.starts_with("agent-"),
    convention: Convention { inner: advice::answers, terms: counters::terms, ..Convention::PLAIN },
    wrappers: human_input::TAGS,
    worded: attached::worded,
    changes: Some(changes::of),
    mcp: Some(McpEntry::of_servers(
        "`.mcp.json` in the folder of the project, or `~/.claude.json`",
    )),
    tools: &tools::TOOLS,
    turns: &turns::TURNS,
    stead_backend: Some("claude_code"),
    resume: Some(&resume::RESUME),
    belongs: Some(
        "`~/.claude/projects/FOLDER/ID.jsonl`; FOLDER is the path of the project with `-` for \
             all but letters and digits, and sub-agents are in `FOLDER/ID/subagents/`",
    ),
    target: Some(&write::TARGET),
    ..FormatData::of(NAME, map::MAPS)
};

impl Format for ClaudeCode {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let mut reading =
            Reading::new(NAME, &bundle, memory).statuses(&tools::STATUSES).cut_answers();
        for (at, member) in bundle.members.iter().enumerate() {
            match (!locate::is_transcript_of(member), &member.stream) {
                (false, _) => reading.member(at, Split::Lines, line),
                (true, Stream::Sub(_)) => reading.member(at, Split::Whole, agent_file),
                (true, Stream::Main) => reading.member(at, Split::Whole, side_file),
            }
        }
        let mut session = reading.finish();
        session.id = locate::session_id(&bundle);
        commands::settle(&mut session);
        standing::settle(&mut session);
        vec![session]
    }
}

/// The case of a transcript's line.
fn line(node: Node<'_>) -> Option<&'static Case> {
    let mut marks = human_input::Marks::default();
    node.members().for_each(|member| marks.see(&member));
    let word = marks.word()?;
    Some(match word {
        b"user" => match marks.reason() {
            None => &map::USER,
            Some(Injected::Task) => &map::TASK,
            Some(Injected::Report) => &map::REPORT,
            Some(Injected::Summary) => &map::SUMMED_UP,
            Some(Injected::Command) => &map::COMMAND,
            Some(Injected::Told) => &map::TOLD,
            Some(_) => &map::CONTEXT,
        },
        b"assistant" if marks.is_filler() => &map::FILLER,
        b"assistant" if marks.is_spread() => &map::SPREAD,
        b"assistant" => &map::ASSISTANT,
        b"progress" => &map::PROGRESS,
        typed::ATTACHMENT if marks.are_queued() => &map::QUEUED,
        typed::ATTACHMENT if marks.are_reported() => &map::REPORTED,
        typed::ATTACHMENT if marks.is_told() => marks.attached(),
        typed::ATTACHMENT => &map::ATTACHMENT,
        b"system" | b"result" if is_printed(node) => &map::PRINTED,
        b"system" if marks.is_local_output() => &map::LOCAL_OUTPUT,
        b"system" | map::HOOK_CONTEXT => &map::SYSTEM,
        b"summary" => &map::SUMMARY,
        b"api-request" | b"api-request-shape" | b"api-request-blob" | b"api-request-resumed" => {
            &map::REQUEST
        }
        b"tools-used" => &map::TOOLS,
        _ if notices::WORDS.contains(&word) => &map::NOTICE,
        _ if stream_json::WORDS.contains(&word) => &map::PRINTED,
        _ => &map::UNKNOWN,
    })
}

/// Whether a line is of stream-json output: it names its session in the other spelling, and no
/// parent.
fn is_printed(node: Node<'_>) -> bool {
    node.at(map::PARENT).is_none()
        && node.at(map::SESSION).is_none()
        && node.at(map::SESSION_SNAKE).is_some()
}

/// The case of a message's block; `None` for plain text.
fn block(node: Node<'_>) -> Option<&'static Case> {
    Some(match node.word(map::TYPE)? {
        b"text" | b"image" | b"document" | b"search_result" | b"tool_reference"
        | b"container_upload" => return None,
        b"thinking" | b"redacted_thinking" => &map::REASONING,
        b"fallback" => &map::FALLBACK,
        word if word.ends_with(b"tool_use") => &map::CALL,
        word if word.ends_with(b"tool_result") => &map::RESULT,
        _ => &session::STRANGE,
    })
}

/// The one value of `agent-<id>.meta.json`.
fn agent_file(node: Node<'_>) -> Option<&'static Case> {
    (node.shape() == Shape::Object).then_some(&map::AGENT)
}

/// The case of a file beside the transcript. Only its session is known.
fn side_file(node: Node<'_>) -> Option<&'static Case> {
    (node.shape() == Shape::Object).then_some(&map::SIDE)
}
