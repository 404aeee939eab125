//! CodeWhale, formerly DeepSeek-TUI: saved sessions, the runtime store, and the links between them.
//!
//! `saved.rs`, `runtime.rs`, `subagents.rs` and `harness.rs` select the case of a value,
//! `locate.rs` groups files, `standing.rs` decides which of two records is the conversation,
//! `validate.rs` has the agent's own rules. `FORMAT.md` has the coverage.

use std::sync::Arc;

use meaning::usage::Convention;
use session::{Bundle, Case, EventRef, Memory, Node, Reading, Session, Slot, value};

use crate::claim::{Candidate, Claim};
use crate::format::{Format, FormatData, Reach};
use crate::turns::TokenNames;
use crate::{injected, probe};

mod changes;
mod harness;
mod locate;
mod map;
mod names;
mod resume;
mod runtime;
mod saved;
mod standing;
mod subagents;
pub(crate) mod tools;
mod turns;
mod validate;
mod write;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;

/// The name in the registry.
const NAME: &str = "codewhale";

/// The schema of the receipts of its runtime store.
const RECEIPT: &str = "codewhale.conformance-receipt/v0";

/// The names by which clients of its runtime send their token.
const TOKENS: TokenNames = TokenNames {
    headers: &["x-codewhale-runtime-token", "x-deepseek-runtime-token"],
    cookie: "codewhale_runtime_token",
};

/// The format of CodeWhale's session files.
pub(crate) struct CodeWhale;

/// The facts of the format.
static DATA: FormatData = FormatData {
    places: locate::PLACES,
    above: locate::above,
    reach: Reach::Whole(locate::STORE),
    is_spread: Some(|_| true),
    has_short_ids: true,
    convention: Convention { input_includes_cache: true, whole, ..Convention::PLAIN },
    wrappers: &["turn_meta", "system-reminder"],
    changes: Some(changes::of),
    tools: &tools::TOOLS,
    turns: &turns::TURNS,
    validate: Some(validate::validate),
    resume: Some(&resume::RESUME),
    belongs: Some("`~/.codewhale/sessions/ID.json`"),
    target: Some(&write::TARGET),
    ..FormatData::of(NAME, map::ALL)
};

impl Format for CodeWhale {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let mut reading = Reading::new(NAME, &bundle, memory).statuses(&tools::STATUSES);
        probe::documents_or_lines(&mut reading, &bundle, record);
        let mut session = reading.finish();
        session.id = locate::session_id(&session);
        injected::mark_told(&mut session);
        standing::settle(&mut session);
        subagents::place(&mut session);
        vec![session]
    }
}

/// The case of a document, or of a line.
fn record(node: Node<'_>) -> Option<&'static Case> {
    harness::record(node)
        .or_else(|| subagents::record(node))
        .or_else(|| saved::record(node))
        .or_else(|| runtime::record(node))
}

/// The sum of tokens in a saved session's metadata.
fn whole(event: EventRef<'_>) -> Option<u64> {
    event.field(Slot::Started)?;
    let total = event.fields().iter().find(|field| event.is_named(**field, TOTAL))?;
    value::number(event.value(*total))
}

/// Name of that sum.
const TOTAL: &[u8] = b"total_tokens";
