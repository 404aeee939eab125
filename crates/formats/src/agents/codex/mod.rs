//! OpenAI Codex CLI: rollouts of every generation, from the documents of the first command line to
//! paged histories. `FORMAT.md` has the coverage.

use std::sync::Arc;

use lineage::Lineage;
use meaning::usage::Convention;
use session::{Bundle, Memory, Reading, Session, Slot, Split};

use crate::claim::{Candidate, Claim};
use crate::format::{Format, FormatData, McpEntry, Reach};

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
mod terms;
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

/// The facts of the format.
static DATA: FormatData = FormatData {
    program: "codex-cli",
    places: locate::PLACES,
    sidecars: &["history.jsonl", "session_index.jsonl"],
    typed: &[map::TYPED],
    is_named: locate::is_named,
    id_in_name: locate::id_in_name,
    divides_sessions: true,
    reach: Reach::Named,
    convention: Convention {
        input_includes_cache: true,
        input_includes_writes: true,
        forks_copy: true,
        terms: terms::of,
        ..Convention::PLAIN
    },
    wrappers: &["image", "environment_context", "system-reminder"],
    worded: injected::worded,
    changes: Some(changes::of),
    mcp: Some(McpEntry {
        file: "`~/.codex/config.toml`",
        text: "[mcp_servers.verbatim]\ncommand = \"verbatim\"\nargs = [\"mcp\"]",
    }),
    tools: &tools::TOOLS,
    turns: &turns::TURNS,
    stead_backend: Some("codex"),
    history: lineage::elsewhere,
    resume: Some(&resume::RESUME),
    belongs: Some(
        "`~/.codex/sessions/YYYY/MM/DD/rollout-YYYY-MM-DDTHH-MM-SS-ID.jsonl`, by the time at \
             which the session began",
    ),
    target: Some(&write::TARGET),
    ..FormatData::of(NAME, map::ALL)
};

impl Format for Codex {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        vec![read(&bundle, memory)]
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
