//! Cline: a task a folder, with what the model saw and what the screen showed; since version 3 of
//! the command line a session a folder, with the conversation and a manifest. Two agents that were
//! made from it have folders of their own and this format.
//!
//! `case.rs` and `shown.rs` select the case of a value, `map.rs` has the tables, `locate.rs`
//! detects the files and whose they are, `elements.rs` reads calls that the model wrote as text,
//! `standing.rs` decides what is in the context, `usage.rs` which counters count. `FORMAT.md` has
//! the coverage.

use std::borrow::Cow;
use std::sync::Arc;

use meaning::usage::Convention;
use session::{Bundle, Map, Memory, Reading, Session, Split};

use crate::claim::{Candidate, Claim};
use crate::format::{Format, FormatData};
use crate::resume::{Resume, StoreAccess};
use crate::tagged::element;

mod case;
mod changes;
mod compaction;
mod elements;
pub(crate) mod locate;
pub(crate) mod map;
mod shown;
mod standing;
pub(crate) mod tools;
mod turns;
mod usage;

#[cfg(test)]
mod tests;

/// The name in the registry.
const NAME: &str = "cline";

/// The format of Cline's session files.
pub(crate) static CLINE: Kin = Kin { data: &DATA, kind: locate::Kind::Cline };

/// An agent whose sessions have this format: its facts, and which one of the family it is.
pub(crate) struct Kin {
    pub(crate) data: &'static FormatData,
    pub(crate) kind: locate::Kind,
}

/// The facts of the format.
static DATA: FormatData =
    FormatData { places: locate::PLACES, resume: Some(&UNSUPPORTED), ..data(NAME, map::ALL) };

/// The family continues only what it has listed itself, so nothing is placed there.
pub(crate) static UNSUPPORTED: Resume = Resume {
    entry: StoreAccess::Unsupported(
        "it continues only the sessions of its own list, which is not written from outside",
    ),
    ..Resume::PLAIN
};

/// The elements that have a person's own words.
const TYPED: &[&str] = &["user_input", "task", "user_message", "feedback", "answer"];

/// The facts that all of the family have, with the name of one.
pub(crate) const fn data(
    name: &'static str,
    maps: &'static [(&'static str, &'static Map)],
) -> FormatData {
    FormatData {
        sidecars: &["state/taskHistory.json", "tasks/_index.json", "db/sessions.db"],
        sealed: &["secrets.json", "providers.json"],
        closed: &["cache", "checkpoints", "db", "settings"],
        is_named: locate::is_named,
        id_in_name: locate::id_in_name,
        may_be_beside: locate::may_be_beside,
        has_short_ids: true,
        convention: Convention {
            input_includes_cache: true,
            inner: usage::inner,
            ..Convention::PLAIN
        },
        wrappers: &["environment_details", "mode_notice"],
        query: TYPED,
        words: own_words,
        worded: elements::worded,
        outcome_text: tools::outcome_text,
        project: locate::project,
        tools: &tools::TOOLS,
        turns: &turns::TURNS,
        changes: Some(changes::of),
        ..FormatData::of(name, maps)
    }
}

/// A prompt without the element that the agent put it into.
fn own_words(prompt: &str) -> Cow<'_, str> {
    let own = TYPED.iter().find_map(|tag| element(prompt, tag));
    Cow::Borrowed(own.map(|[_, own, _]| own.trim()).filter(|own| !own.is_empty()).unwrap_or(prompt))
}

impl Format for Kin {
    fn data(&self) -> &'static FormatData {
        self.data
    }

    fn claim(&self, file: &Candidate<'_>) -> Claim {
        locate::claim(file, self.kind)
    }

    fn read_with(&self, bundle: Arc<Bundle>, memory: &mut Memory) -> Vec<Session> {
        let name = self.data.name;
        let mut reading = Reading::new(name, &bundle, memory).statuses(&tools::STATUSES);
        for at in 0..bundle.members.len() {
            reading.member(at, Split::Concatenated, case::record);
        }
        let mut session = reading.finish();
        session.id = locate::session_id(&session);
        standing::settle(&mut session);
        vec![session]
    }
}
