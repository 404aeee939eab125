//! Standings: what the events of a log do to each other.
//!
//! - The beginning of a tool's run repeats the call in the answer: an `Echo`, if an answer has it.
//! - After a compaction the context is its summary and what follows: the conversation before it,
//!   of the same agent, is `Compacted`. Where the context was cleared, too.
//! - A rewind takes back the event that it names and all behind it. The agent removes them from
//!   the file; builds that wrote the rewind down kept them.
//! - A picture that a message refers to is the person's, behind that message. Any other one is of
//!   a tool's result.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use session::{EventIx, EventRef, Kind, Mark, NO_EVENT, Session, Slot, Standing, value};

use super::{case, document, names};
use crate::standings::{Standings, move_behind};

/// Sets standing and position of every event.
pub(super) fn settle(session: &mut Session) {
    let mut standings = Standings::new(session);
    let marks = document::settle(session, &mut standings);
    echoes(session, &mut standings);
    cut(session, &mut standings);
    let shown = pictures(session);
    standings.apply(session);
    marks.into_iter().for_each(|(event, mark)| session.mark(event, mark));
    for (message, assets) in shown {
        for asset in &assets {
            session.mark(*asset, Mark::Injected(None));
        }
        move_behind(session, &assets, message);
    }
}

/// Runs of calls that an answer has.
fn echoes(session: &Session, standings: &mut Standings) {
    let mut asked: HashSet<&[u8]> = HashSet::new();
    for event in session.events().filter(|event| event.kind == Kind::ToolCall) {
        let Some(id) = event.raw(Slot::Call) else { continue };
        if event.parent != NO_EVENT {
            asked.insert(id);
        } else if case::STARTED.is(event) && asked.contains(id) {
            standings.set(event.index, Standing::Echo);
        }
    }
}

/// The agent that an event is of: none for the session's own.
fn agent(event: EventRef<'_>) -> Option<Cow<'_, str>> {
    event.text(Slot::Agent)
}

/// The effects of compactions, clearings and rewinds on the events before them.
fn cut(session: &Session, standings: &mut Standings) {
    let top: Vec<EventRef<'_>> =
        session.events().filter(|event| event.parent == NO_EVENT).collect();
    // The number of events that are settled, by agent: each is looked at once.
    let mut settled: HashMap<Option<Cow<'_, str>>, usize> = HashMap::new();
    let mut at: HashMap<&[u8], usize> = HashMap::new();
    for (place, event) in top.iter().enumerate() {
        if case::COMPACTED.is(*event) || event.case.name == "session.context_cleared" {
            let agent = agent(*event);
            let from = settled.insert(agent.clone(), place).unwrap_or(0);
            for before in &top[from..place] {
                let same = before.standing().is_live() && self::agent(*before) == agent;
                if same && standings.of(before.index) == Standing::Live {
                    standings.set(before.index, Standing::Compacted);
                }
            }
        } else if let Some(first) = rewound(*event).and_then(|id| at.get(&*id).copied()) {
            for back in &top[first..place] {
                standings.set(back.index, Standing::Rewound);
            }
        }
        if let Some(id) = event.raw(Slot::Id) {
            at.entry(id).or_insert(place);
        }
    }
}

/// The id of the event that a rewind took back, as written with its quotes.
pub(super) fn rewound(event: EventRef<'_>) -> Option<Vec<u8>> {
    if event.raw(Slot::Type) != Some(b"\"session.snapshot_rewind\"") {
        return None;
    }
    value::look(event.bytes(), |line| Some(line.at(names::REWOUND_TO)?.raw().to_vec()))
}

/// The pictures that messages refer to: each message with its pictures.
fn pictures(session: &Session) -> Vec<(EventIx, Vec<EventIx>)> {
    let mut assets: HashMap<Vec<u8>, EventIx> = HashMap::new();
    let mut shown = Vec::new();
    for event in session.events().filter(|event| event.parent == NO_EVENT) {
        if case::ASSET.is(event) {
            let id =
                value::look(event.bytes(), |line| line.word(names::ASSET_ID).map(<[u8]>::to_vec));
            assets.extend(id.map(|id| (id, event.index)));
        } else if event.kind == Kind::User && !assets.is_empty() {
            let raw = event.raw(Slot::Media).unwrap_or_default();
            let of = value::look(raw, |list| {
                let ids = list.elements().filter_map(|one| one.word(names::ASSET));
                // A picture that is shown twice is one event.
                Some(ids.filter_map(|id| assets.remove(id)).collect::<Vec<_>>())
            });
            shown.extend(of.filter(|of| !of.is_empty()).map(|of| (event.index, of)));
        }
    }
    shown
}
