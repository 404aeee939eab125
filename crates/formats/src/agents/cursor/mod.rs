//! Cursor: transcripts of the editor and the command line, the command line's store, and the
//! composers, bubbles and chat tabs of the desktop. `FORMAT.md` has the coverage.

use std::sync::Arc;

use session::{Bundle, Kind, Mark, Member, Memory, Reading, Session, Slot, Split, Transport};

use crate::claim::{Candidate, Claim};
use crate::format::{Format, FormatData, McpEntry};
use crate::{injected, probe};

mod blob_order;
mod bubble;
mod case;
mod changes;
mod chat;
mod composer;
mod desktop;
mod locate;
mod map;
mod owner;
mod prompt_tags;
mod protobuf;
mod resume;
mod standing;
mod store;
mod tables;
mod text;
pub(crate) mod tools;
mod write;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod traps;

/// The name in the registry.
const NAME: &str = "cursor";

/// The format of Cursor's session files.
pub(crate) struct Cursor;

/// The facts of the format.
static DATA: FormatData = FormatData {
    places: locate::PLACES,
    id_in_name: locate::id_in_name,
    wrappers: &[
        "attached_files",
        "open_and_recently_viewed_files",
        "system_reminder",
        "timestamp",
        "user_info",
    ],
    query: &["user_query"],
    changes: Some(changes::of),
    mcp: Some(McpEntry::of_servers(
        "`.cursor/mcp.json` in the folder of the project, or `~/.cursor/mcp.json`",
    )),
    tools: &tools::TOOLS,
    databases: tables::ALL,
    resume: Some(&resume::RESUME),
    belongs: Some(
        "`chats/` and `projects/` in `~/.cursor/`; in its folder, `cursor-agent --resume=ID` \
             continues a session of `chats/`; the desktop takes none in",
    ),
    target: Some(&write::TARGET),
    words: prompt_tags::unwrapped,
    ..FormatData::of(NAME, map::ALL)
};

impl Format for Cursor {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file)
    }

    fn decode(&self, member: Member) -> Member {
        match member.transport() {
            Transport::Plain => text::member(member),
            _ => member,
        }
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        read(&bundle, memory)
    }
}

fn read(bundle: &Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
    let mut reading = Reading::new(NAME, bundle, memory).statuses(&tools::STATUSES);
    for (index, member) in bundle.members.iter().enumerate() {
        match member.transport() {
            Transport::Text(_) => reading.member(index, Split::Lines, case::text_block),
            _ if probe::is_document(member.bytes()) => {
                reading.member(index, Split::Whole, case::record);
            }
            _ => reading.member(index, Split::Lines, case::record),
        }
    }
    let mut whole = reading.finish();
    let times: Vec<_> = whole.events().map(said_time).collect();
    for (at, time) in (0..).zip(times) {
        whole.mark(at, Mark::SaidAt(time));
    }
    injected::mark_told(&mut whole);
    let mut sessions = owner::divide(whole);
    sessions.iter_mut().for_each(standing::set);
    sessions
}

/// The time in a prompt: the only one in a transcript.
fn said_time(event: session::EventRef<'_>) -> Option<session::UtcTime> {
    let prompt = event.raw(Slot::Content).filter(|_| event.kind == Kind::User)?;
    prompt_tags::within(prompt)
}
