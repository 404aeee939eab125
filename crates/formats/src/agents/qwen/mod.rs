//! Qwen Code, which was made from Gemini CLI: a log of records that name the one before, and the
//! documents of its first year, which are that agent's.
//!
//! `case.rs` selects the case of a record, `map.rs` has the tables, `locate.rs` detects the files,
//! `standing.rs` walks the chain, `usage.rs` finds the answers that are counted twice. `FORMAT.md`
//! has the coverage.

use std::borrow::Cow;
use std::sync::Arc;

use meaning::usage::Convention;
use session::{Bundle, Memory, Reading, Session};

use crate::agents::gemini;
use crate::claim::{Candidate, Claim};
use crate::format::{Format, FormatData, McpEntry, Reach};
use crate::{injected, probe};

mod case;
mod changes;
mod locate;
mod map;
mod resume;
mod standing;
mod tools;
mod turns;
mod usage;
mod write;

#[cfg(test)]
mod tests;

/// The name in the registry.
const NAME: &str = "qwen";

/// The format of Qwen Code's session files.
pub(crate) struct Qwen;

/// The facts of the format.
static DATA: FormatData = FormatData {
    program: "qwen-code",
    places: locate::PLACES,
    sidecars: &["file-history", "todos", "tmp/*/logs.json"],
    typed: &[gemini::map::TYPED],
    sealed: gemini::locate::SEALED,
    reach: Reach::Named,
    is_named: locate::is_named,
    id_in_name: locate::id_in_name,
    may_be_beside: locate::may_be_beside,
    convention: Convention { input_includes_cache: true, ..Convention::PLAIN },
    wrappers: &["system-reminder", "hook_context"],
    words: own_words,
    changes: Some(changes::of),
    mcp: Some(McpEntry::of_servers(
        "`.qwen/settings.json` in the folder of the project, or `~/.qwen/settings.json`",
    )),
    tools: &tools::TOOLS,
    turns: &turns::TURNS,
    resume: Some(&resume::RESUME),
    belongs: Some(
        "`~/.qwen/projects/KEY/chats/ID.jsonl`; KEY is the path of the project with `-` for \
             whatever is no letter and no digit",
    ),
    target: Some(&write::TARGET),
    ..FormatData::of(NAME, map::ALL)
};

/// The tag before the first prompt of a document: it lists the agent's helpers.
const REMINDER: [&str; 2] = ["<system-reminder>", "</system-reminder>"];

/// A prompt without the text of the agent before it.
fn own_words(prompt: &str) -> Cow<'_, str> {
    let behind = || prompt.strip_prefix(REMINDER[0])?.split_once(REMINDER[1]);
    let own = behind().map(|(_, own)| own).filter(|own| !own.trim().is_empty());
    Cow::Borrowed(own.unwrap_or(prompt))
}

impl Format for Qwen {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let mut reading = Reading::new(NAME, &bundle, memory).statuses(&tools::STATUSES);
        probe::documents_or_lines(&mut reading, &bundle, case::record);
        let mut session = reading.finish();
        if !session.events().any(case::is_record) {
            return gemini::settled(session);
        }
        session.id = locate::session_id(&session);
        injected::mark_told(&mut session);
        standing::settle(&mut session);
        vec![session]
    }
}
