//! Standing of each entry in the conversation that the agent would resume.
//!
//! 1. Each entry names its parent, so a file is a tree. The leaf is the last entry of the file,
//!    whatever its type is. Entries that are not on the path from the leaf to the root are
//!    `OtherBranch`. The parent of an entry without `parentId` (version 1), or with one that the
//!    file does not have, is the entry before it: one lost line hides nothing.
//! 2. The last compaction on the path replaces the entries before it (`Compacted`), but for those
//!    from the first kept entry on, which follow the summary. An earlier summary is not kept.
//!    Version 1 gives the number of the line in place of the id, and today's agent finds the entry
//!    by it. An unknown first entry keeps nothing. A boundary behind the compaction keeps nothing.
//! 3. An edit of the context takes a message out (`Compacted`).
//! 4. In a fork, the entries that are older than the header are copies of those of the other file.
//! 5. A text that the gateway delivered is an `Echo` if the model said the same before.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot, Standing, UtcTime, value};

use super::map;
use crate::standings::{Standings, move_behind};
use crate::tree::{self, NONE, index};

/// The entries of one file.
struct Entries<'s> {
    events: Vec<EventRef<'s>>,
    /// The number of the last entry with an id.
    ids: HashMap<&'s [u8], u32, FixedState>,
    header: Option<EventRef<'s>>,
}

/// The events that a compaction left in the context, and the compaction.
type Kept = (Vec<EventIx>, EventIx);

/// Sets the standing of every event.
pub(super) fn settle(session: &mut Session) {
    let mut standings = Standings::new(session);
    let top: Vec<EventRef<'_>> =
        session.events().filter(|event| event.parent == NO_EVENT).collect();
    let mut moved = Vec::new();
    for member in top.chunk_by(|a, b| a.origin.member == b.origin.member) {
        let entries = Entries::of(member);
        moved.extend(entries.settle(&mut standings));
        entries.copies(&mut standings);
        entries.echoes(&mut standings);
    }
    standings.apply(session);
    for (kept, summary) in moved {
        move_behind(session, &kept, summary);
    }
}

fn is(event: EventRef<'_>, case: &'static session::Case) -> bool {
    std::ptr::eq(event.case, case)
}

impl<'s> Entries<'s> {
    fn of(member: &[EventRef<'s>]) -> Self {
        let is_header =
            |event: &EventRef<'_>| is(*event, &map::HEADER) || is(*event, &map::HEADER_NAMED);
        let header = member.iter().copied().find(is_header);
        // A title in front of the header, and a line that is no entry, have no place in the tree.
        let is_entry = |event: &EventRef<'_>| {
            !is_header(event) && event.kind != Kind::Opaque && event.case.name != "opaque"
        };
        let is_slot = |event: &EventRef<'_>| {
            (is(*event, &map::TITLE) || is(*event, &map::AUTO_TITLE))
                && event.field(Slot::Id).is_none()
        };
        let events: Vec<EventRef<'s>> =
            member.iter().copied().filter(|event| is_entry(event) && !is_slot(event)).collect();
        let ids = events.iter().enumerate();
        let ids = ids.filter_map(|(at, event)| Some((event.raw(Slot::Id)?, index(at)))).collect();
        Self { events, ids, header }
    }

    /// The parent of each entry.
    fn parents(&self) -> Vec<u32> {
        let parent = |(at, event): (usize, &EventRef<'s>)| match event.raw(Slot::Parent) {
            Some(b"null") => NONE,
            Some(id) if self.ids.contains_key(id) => self.ids[id],
            _ => at.checked_sub(1).map_or(NONE, index),
        };
        self.events.iter().enumerate().map(parent).collect()
    }

    /// Sets the standings of the entries off the path, and before a compaction.
    fn settle(&self, standings: &mut Standings) -> Option<Kept> {
        let parents = self.parents();
        let leaf = self.events.len().checked_sub(1)?;
        let mut path = tree::path(index(leaf), parents.len(), |at| parents[at]);
        path.reverse();
        let on_path: HashSet<u32> = path.iter().copied().collect();
        for (at, event) in self.events.iter().enumerate() {
            if !on_path.contains(&index(at)) {
                standings.set(event.index, Standing::OtherBranch);
            }
        }
        let path: Vec<EventRef<'s>> = path.iter().map(|at| self.events[*at as usize]).collect();
        for event in path.iter().filter(|event| is(**event, &map::NOTE)) {
            self.taken_out(*event, standings);
        }
        let cut = path.iter().rposition(|event| is(*event, &map::COMPACTION));
        let reset = path.iter().rposition(|event| is(*event, &map::RESET));
        if reset > cut {
            let before = &path[..reset?];
            before.iter().for_each(|event| standings.set(event.index, Standing::Compacted));
            return None;
        }
        self.compacted(&path, cut?, standings)
    }

    fn compacted(
        &self,
        path: &[EventRef<'s>],
        cut: usize,
        standings: &mut Standings,
    ) -> Option<Kept> {
        let (before, compaction) = (&path[..cut], path[cut]);
        let first = self.first_kept(compaction);
        let from = first.and_then(|id| before.iter().position(|event| event.index == id));
        let mut kept = Vec::new();
        for (at, event) in before.iter().enumerate() {
            let stays = from.is_some_and(|from| at >= from) && !is(*event, &map::COMPACTION);
            if !stays {
                standings.set(event.index, Standing::Compacted);
            } else if event.kind != Kind::Notice && standings.of(event.index) == Standing::Live {
                kept.push(event.index);
            }
        }
        (!kept.is_empty()).then_some((kept, compaction.index))
    }

    /// The first entry that a compaction kept.
    fn first_kept(&self, compaction: EventRef<'s>) -> Option<EventIx> {
        let by_id = value::look(compaction.bytes(), |line| {
            let id = line.at(map::FIRST_KEPT)?.raw();
            self.ids.get(id).map(|at| self.events[*at as usize].index)
        });
        by_id.or_else(|| {
            let number = value::look(compaction.bytes(), |line| {
                value::number(line.at(map::FIRST_KEPT_INDEX)?.raw())
            })?;
            // The header is number 0. A later version has ids alone.
            let is_old = self.header.is_none_or(|header| {
                value::look(header.bytes(), |line| value::number(line.at(map::VERSION)?.raw()))
                    .is_none_or(|version| version < 2)
            });
            let at = usize::try_from(number).ok()?.checked_sub(1).filter(|_| is_old)?;
            self.events.get(at).map(|event| event.index)
        })
    }

    /// Takes the message that an edit of the context empties out of the context.
    fn taken_out(&self, edit: EventRef<'s>, standings: &mut Standings) {
        let empties =
            || value::look(edit.bytes(), |line| Some(line.at(map::REPLACEMENT)?.raw() == b"null"));
        let Some(target) = edit.raw(Slot::Target).and_then(|id| self.ids.get(id)) else { return };
        let target = self.events[*target as usize].index;
        if standings.of(target) == Standing::Live && empties() == Some(true) {
            standings.set(target, Standing::Compacted);
        }
    }

    /// Marks the copies in a fork.
    fn copies(&self, standings: &mut Standings) {
        let Some(header) = self.header.filter(|it| it.field(Slot::ParentSession).is_some()) else {
            return;
        };
        let Some(began) = header.raw(Slot::Started).and_then(UtcTime::read) else { return };
        for event in &self.events {
            if event.time().is_some_and(|time| time < began) {
                standings.set(event.index, standings.of(event.index).copied());
            }
        }
    }

    /// Marks what the gateway delivered of the model's own words.
    fn echoes(&self, standings: &mut Standings) {
        let mut said: HashSet<String> = HashSet::new();
        for event in self.events.iter().filter(|event| event.kind == Kind::Assistant) {
            let text = event.said().trim().to_owned();
            if is(*event, &map::DELIVERED) && said.contains(&text) {
                standings.set(event.index, Standing::Echo);
            } else if !text.is_empty() {
                said.insert(text);
            }
        }
    }
}
