//! Pi: a session a file, an entry a line, and the entries are a tree. Two agents that were made
//! from it have folders of their own and this format.
//!
//! `case.rs` selects the case of a line, `map.rs` and `blocks.rs` have the tables, `locate.rs`
//! detects the files and whose they are, `standing.rs` walks the tree. `FORMAT.md` has the
//! coverage.

use std::sync::Arc;

use session::{Bundle, Map, Memory, Reading, Session, Split};

use crate::claim::{Candidate, Claim};
use crate::format::{Format, FormatData};

mod blocks;
mod case;
mod changes;
pub(crate) mod locate;
pub(crate) mod map;
mod resume;
mod standing;
pub(crate) mod tools;
mod turns;
mod worded;
mod write;

#[cfg(test)]
mod tests;

/// The name in the registry.
const NAME: &str = "pi";

/// The format of Pi's session files.
pub(crate) struct Pi;

/// An agent whose sessions have this format: its facts, and the marks of its files.
pub(crate) struct Kin {
    pub(crate) data: &'static FormatData,
    pub(crate) kind: locate::Kind,
}

/// The facts of the format.
static DATA: FormatData = FormatData {
    places: locate::PLACES,
    target: Some(&write::TARGET),
    resume: Some(&resume::RESUME),
    belongs: Some(
        "`~/.pi/agent/sessions/--FOLDER--/TIME_ID.jsonl`; FOLDER is the path of the project with \
             `-` for `/`, `\\` and `:`, without the first",
    ),
    ..data(NAME, MAPS)
};

/// The facts that all of the family have, with the name of one.
pub(crate) const fn data(
    name: &'static str,
    maps: &'static [(&'static str, &'static Map)],
) -> FormatData {
    FormatData {
        sealed: &["auth.json"],
        is_named: locate::is_named,
        id_in_name: locate::id_in_name,
        has_short_ids: true,
        worded: worded::worded,
        tools: &tools::TOOLS,
        turns: &turns::TURNS,
        changes: Some(changes::of),
        ..FormatData::of(name, maps)
    }
}

/// Every table.
static MAPS: &[(&str, &Map)] = &{
    let mut all = [map::ALL[0]; map::ALL.len() + blocks::ALL.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < map::ALL.len() { map::ALL[at] } else { blocks::ALL[at - map::ALL.len()] };
        at += 1;
    }
    all
};

impl Format for Pi {
    fn data(&self) -> &'static FormatData {
        &DATA
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file, locate::Kind::Pi)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        read(NAME, &bundle, memory)
    }
}

impl Format for Kin {
    fn data(&self) -> &'static FormatData {
        self.data
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file, self.kind)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        read(self.data.name, &bundle, memory)
    }
}

fn read(name: &'static str, bundle: &Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
    let mut reading = Reading::new(name, bundle, memory).statuses(&tools::STATUSES);
    for at in 0..bundle.members.len() {
        reading.member(at, Split::Lines, case::entry);
    }
    let mut session = reading.finish();
    session.id = locate::session_id(&session);
    standing::settle(&mut session);
    vec![session]
}
