//! CodeWhale, formerly DeepSeek-TUI: saved sessions, the runtime store, and the links between them.
//!
//! `saved.rs`, `runtime.rs`, `subagents.rs` and `harness.rs` select the case of a value,
//! `locate.rs` groups files, `standing.rs` decides which of two records is the conversation,
//! `validate.rs` has the agent's own rules. `FORMAT.md` has the coverage.

use std::sync::Arc;

use meaning::usage::Convention;
use replay::Change;
use session::{
    Bundle, Case, EventIx, EventRef, Map, Memory, Node, Reading, Session, Slot, Split, value,
};

use crate::claim::{Candidate, Claim};
use crate::convert::Target;
use crate::format::{Finding, Format, Reach};
use crate::place::Place;
use crate::probe;
use crate::resume::Resume;
use crate::tools::Tools;
use crate::turns::TurnRules;
use crate::written::{WriteError, Written};

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

/// The format of CodeWhale's session files.
pub(crate) struct CodeWhale;

impl Format for CodeWhale {
    fn name(&self) -> &'static str {
        NAME
    }

    fn places(&self) -> &'static [Place] {
        locate::PLACES
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file)
    }

    fn above(&self, file: &Candidate<'_>) -> Option<String> {
        locate::above(file)
    }

    fn reach(&self) -> Reach {
        Reach::Whole(locate::STORE)
    }

    fn is_spread(&self, _variable: Option<&str>) -> bool {
        true
    }

    fn has_short_ids(&self) -> bool {
        true
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let mut reading = Reading::new(NAME, &bundle, memory).statuses(&tools::STATUSES);
        for (index, member) in bundle.members.iter().enumerate() {
            let document = probe::is_document(member.bytes());
            let split = if document { Split::Whole } else { Split::Lines };
            reading.member(index, split, record);
        }
        let mut session = reading.finish();
        session.id = locate::session_id(&session);
        standing::settle(&mut session);
        subagents::place(&mut session);
        vec![session]
    }

    fn convention(&self) -> Convention {
        Convention { input_includes_cache: true, whole, ..Convention::PLAIN }
    }

    fn wrappers(&self) -> &'static [&'static str] {
        &["turn_meta", "system-reminder"]
    }

    fn changes(&self, session: &Session) -> Option<Vec<(EventIx, String, Change)>> {
        Some(changes::of(session))
    }

    fn tools(&self) -> &'static Tools {
        &tools::TOOLS
    }

    fn turns(&self) -> &'static TurnRules {
        &turns::TURNS
    }

    fn maps(&self) -> &'static [(&'static str, &'static Map)] {
        map::ALL
    }

    fn validate(&self, session: &Session) -> Option<Vec<Finding>> {
        Some(validate::validate(session))
    }

    fn resume(&self) -> Option<&'static Resume> {
        Some(&resume::RESUME)
    }

    fn belongs(&self) -> Option<&'static str> {
        Some("`~/.codewhale/sessions/ID.json`")
    }

    fn target(&self) -> Option<&'static Target> {
        Some(&write::TARGET)
    }

    fn write(&self, session: &Session) -> Result<Written, WriteError> {
        write::write(session)
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
    let total = event.fields().iter().find(|field| event.name(**field) == TOTAL)?;
    value::number(event.value(*total))
}

/// Name of that sum.
const TOTAL: &[u8] = b"total_tokens";
