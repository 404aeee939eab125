//! GitHub Copilot: logs of events of the command line and of the editor's extension, and the
//! documents before them. `FORMAT.md` has the coverage.
//!
//! `names.txt` has the names of the events, which a script takes from the typings of the agent's
//! SDK; `schema.rs` makes tables of it, with the meanings in `map.rs`.

use std::sync::Arc;

use meaning::usage::Convention;
use session::{Bundle, Member, Memory, Reading, Session, Split, Transport};

use crate::claim::{Candidate, Claim};
use crate::format::{Format, FormatData};
use crate::probe;

mod case;
mod changes;
mod document;
mod locate;
mod map;
mod names;
mod resume;
mod schema;
mod standing;
#[cfg(test)]
mod tests;
pub(crate) mod tools;
mod turns;
mod usage;
mod workspace;
mod write;

/// The name in the registry.
const NAME: &str = "copilot";

/// The format of Copilot's session files.
pub(crate) struct Copilot;

/// The facts of the format.
static DATA: FormatData = FormatData {
    program: "copilot-cli",
    places: locate::PLACES,
    sidecars: &["session-state/*/checkpoints", "session-state/*/files", "session-state/*/plan.md"],
    is_named: locate::is_named,
    id_in_name: locate::id_in_name,
    may_be_beside: locate::may_be_beside,
    convention: Convention {
        input_includes_cache: true,
        input_includes_writes: true,
        inner: usage::inner,
        ..Convention::PLAIN
    },
    wrappers: &["current_datetime", "reminder", "system_reminder", "tagged_files"],
    changes: Some(changes::of),
    tools: &tools::TOOLS,
    turns: &turns::TURNS,
    project: locate::project,
    resume: Some(&resume::RESUME),
    belongs: Some(
        "`~/.copilot/session-state/ID/events.jsonl`; `copilot --resume=ID` continues the session \
             in its folder",
    ),
    target: Some(&write::TARGET),
    ..FormatData::of(NAME, map::ALL)
};

impl Format for Copilot {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file)
    }

    fn decode(&self, member: Member) -> Member {
        workspace::member(member)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        vec![read(&bundle, memory)]
    }
}

fn read(bundle: &Arc<Bundle>, memory: &mut Memory) -> Session {
    let mut reading = Reading::new(NAME, bundle, memory).statuses(&tools::STATUSES);
    for (index, member) in bundle.members.iter().enumerate() {
        match member.transport() {
            Transport::Text(_) => reading.member(index, Split::Lines, case::block),
            _ if probe::is_document(member.bytes()) => {
                reading.member(index, Split::Whole, case::record);
            }
            _ => reading.member(index, Split::Lines, case::record),
        }
    }
    let mut session = reading.finish();
    session.id = locate::session_id(&session);
    usage::label(&mut session);
    standing::settle(&mut session);
    session
}
