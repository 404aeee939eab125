//! OpenAI Codex CLI: rollouts of every generation, from the documents of the first command line to
//! paged histories. `FORMAT.md` has the coverage.

use std::sync::Arc;

use meaning::usage::Convention;
use replay::Change;
use session::{Bundle, EventIx, Map, Memory, Reading, Session, Slot, Split};

use crate::claim::{Candidate, Claim};
use crate::convert::Target;
use crate::format::{Format, History, Reach};
use crate::place::Place;
use crate::resume::Resume;
use crate::tools::Tools;
use crate::turns::TurnRules;
use crate::written::{WriteError, Written};
use lineage::Lineage;

mod case;
mod changes;
mod event_case;
mod event_map;
mod injected;
mod items;
mod lineage;
mod locate;
mod map;
mod names;
mod resume;
mod standing;
#[cfg(test)]
mod tests;
pub(crate) mod tools;
#[cfg(test)]
mod traps;
mod turns;
mod write;

/// The name in the registry.
const NAME: &str = "codex";

/// The format of Codex CLI's session files.
pub(crate) struct Codex;

impl Format for Codex {
    fn name(&self) -> &'static str {
        NAME
    }

    fn program(&self) -> &'static str {
        "codex-cli"
    }

    fn places(&self) -> &'static [Place] {
        locate::PLACES
    }

    fn is_named(&self, file: &Candidate<'_>) -> bool {
        locate::is_named(file)
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file)
    }

    fn id_in_name<'n>(&self, name: &'n str) -> Option<&'n str> {
        locate::id_in_name(name)
    }

    fn divides_sessions(&self) -> bool {
        true
    }

    fn reach(&self) -> Reach {
        Reach::Named
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        vec![read(&bundle, memory)]
    }

    fn convention(&self) -> Convention {
        Convention { input_includes_cache: true, input_includes_writes: true, ..Convention::PLAIN }
    }

    fn wrappers(&self) -> &'static [&'static str] {
        &["image", "environment_context", "system-reminder"]
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

    fn stead_backend(&self) -> Option<&'static str> {
        Some("codex")
    }

    fn history(&self, bundle: &Bundle) -> Option<History> {
        lineage::elsewhere(bundle)
    }

    fn resume(&self) -> Option<&'static Resume> {
        Some(&resume::RESUME)
    }

    fn belongs(&self) -> Option<&'static str> {
        Some(
            "`~/.codex/sessions/YYYY/MM/DD/rollout-YYYY-MM-DDTHH-MM-SS-ID.jsonl`, by the time at \
             which the session began",
        )
    }

    fn target(&self) -> Option<&'static Target> {
        Some(&write::TARGET)
    }

    fn write(&self, session: &Session) -> Result<Written, WriteError> {
        write::write(session)
    }
}

fn read(bundle: &Arc<Bundle>, memory: &mut Memory) -> Session {
    let lineage = Lineage::of(bundle);
    let mut reading = Reading::new(NAME, bundle, memory).statuses(&tools::STATUSES);
    for (index, member) in bundle.members.iter().enumerate() {
        if locate::opens_document(member.bytes()) {
            reading.member(index, Split::Whole, case::document);
        } else {
            reading.member(index, Split::Lines, case::line);
        }
    }
    let mut session = reading.finish();
    session.id = identity(&session);
    lineage.settle(&mut session);
    standing::decide(&mut session, &lineage);
    session
}

/// The thread's id from the first header, or else from the file name.
fn identity(session: &Session) -> String {
    let named = || session.bundle.members.first().map(|member| locate::thread(&member.name));
    let said = session.first(Slot::Session).map(std::borrow::Cow::into_owned);
    said.unwrap_or_else(|| named().unwrap_or_default().to_owned())
}
