//! OpenCode: storage trees, exports, shares, dumps and databases of each generation, and the
//! database of the archived product of the same name. `FORMAT.md` has the coverage.

use std::sync::Arc;

use meaning::usage::Convention;
use session::{Bundle, Mark, Memory, Reading, Session, Split, Transport};

use crate::claim::{Candidate, Claim};
use crate::format::{Format, FormatData, McpEntry, Reach};
use crate::written::{Options, WriteError, Written, dumped, is_of_a_database};

mod case;
mod changes;
mod export;
mod locate;
mod map;
mod order;
mod owner;
mod parts;
mod repeats;
mod resume;
mod rows;
mod standing;
mod tables;
pub(crate) mod tools;
mod turns;
mod v2;
mod write;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;

/// The name in the registry.
const NAME: &str = "opencode";

/// The format of OpenCode's session files.
pub(crate) struct OpenCode;

/// The facts of the format.
static DATA: FormatData = FormatData {
    places: locate::PLACES,
    sidecars: &["storage/session_diff", "tool-output"],
    sealed: locate::SEALED,
    closed: locate::CLOSED,
    above: locate::above,
    reach: Reach::Whole(&[]),
    // The database that the variable names replaces the data folder's. Its sessions may have
    // left files there. Any other data folder has its own.
    is_spread: Some(|variable| variable.is_none_or(|name| name == locate::DATABASE)),
    // The second generation, and late builds of the first, count reasoning outside the output.
    // Their totals show which.
    convention: Convention {
        output_includes_reasoning: |event| !v2::is_of(event),
        forks_rename: true,
        ..Convention::PLAIN
    },
    changes: Some(changes::of),
    mcp: Some(McpEntry {
        file: "`opencode.json` in the folder of the project, or `~/.config/opencode/opencode.json`",
        text: r#"{
  "mcp": {
    "verbatim": {
      "type": "local",
      "command": ["verbatim", "mcp"],
      "enabled": true
    }
  }
}"#,
    }),
    tools: &tools::TOOLS,
    turns: &turns::TURNS,
    databases: tables::ALL,
    resume: Some(&resume::RESUME),
    belongs: Some(
        "an export is taken in by `opencode import FILE`; the files of a session belong below \
             `~/.local/share/opencode/`",
    ),
    target: Some(&write::TARGET),
    ..FormatData::of(NAME, map::ALL)
};

impl Format for OpenCode {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        read(&bundle, memory)
    }

    fn write_with(&self, session: &Session, options: &Options) -> Result<Written, WriteError> {
        let own = session.format == NAME && is_of_a_database(session) && !options.rows;
        match own.then(|| export::write(session)).flatten() {
            Some(written) => Ok(written),
            None => self.write(session).map(|written| dumped(session, options, written)),
        }
    }
}

fn read(bundle: &Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
    let mut reading = Reading::new(NAME, bundle, memory).statuses(&tools::STATUSES);
    for (index, member) in bundle.members.iter().enumerate() {
        let is_dump = *member.transport() == Transport::Dump || locate::is_dump(member.bytes());
        let split = match is_dump {
            true => Split::Lines,
            false => Split::Concatenated,
        };
        reading.member(index, split, case::record);
    }
    let mut whole = reading.finish();
    let owners = owner::Owners::of(&whole);
    let spoken = owners.roles(&whole);
    for (at, (kind, injected)) in (0..).zip(spoken) {
        whole.mark(at, Mark::Kind(kind));
        whole.mark(at, Mark::Injected(injected));
    }
    let mut sessions = owners.divide(whole);
    for session in &mut sessions {
        order::set(session);
        standing::set(session);
    }
    sessions
}
