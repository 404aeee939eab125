//! Standings: which of several records is the conversation.
//!
//! - A journal is a tree. Entries on the path from its leaf to its root are `Live`, before the last
//!   compaction on it `Compacted`. All others are on an `OtherBranch`. If the journal is not empty,
//!   `messages` is derived from it: a message that equals a live entry is an `Echo`, any other is
//!   `Superseded`, because the agent reads the journal.
//! - Of several saved sessions with one id (a checkpoint after a crash, the copy in the old home)
//!   the most recently updated is the session. If times are equal, one that is not a checkpoint
//!   comes first, then the one in the new home. In the others, equal messages are an `Echo`, the
//!   rest is `Superseded`.
//! - The runtime store repeats the conversation of a saved session: repeated records are an `Echo`.
//!   Threads, turns, usage and status are in the store alone, and stay `Live`. Without a saved
//!   session, the store's conversation stays `Live` too.
//! - A delta has a part of its item's text: an `Echo` if the item exists.
//! - The last line of an events file counts once its newline is written. Before, the agent takes it
//!   back (`Rewound`).
//! - The harness' chunks repeat a whole message: an `Echo`.
//! - A sub-agent's prompt and answer are an `Echo` if its conversation has them.
//!
//! Injected are system messages, answers of tools, and text that a plugin added.

use std::collections::{HashMap, HashSet};

use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot, Standing, UtcTime};

use super::{harness, map, names, runtime, subagents};
use crate::json_eq::tokens;
use crate::probe;
use crate::standings::Standings;

/// Sets the standing of every event.
pub(super) fn settle(session: &mut Session) {
    let mut standings = Standings::new(session);
    let docs = docs(session);
    for doc in &docs {
        doc.settle(&mut standings);
    }
    copies(session, &docs, &mut standings);
    store(session, &docs, &mut standings);
    subagents::settle(session, &mut standings);
    standings.apply(session);
}

pub(super) fn is(event: EventRef<'_>, case: &'static session::Case) -> bool {
    std::ptr::eq(event.case, case)
}

/// A saved session.
pub(super) struct Doc<'s> {
    pub(super) head: EventRef<'s>,
    /// The events of `messages`.
    pub(super) messages: Vec<EventRef<'s>>,
    /// The events of the journal.
    entries: Vec<EventRef<'s>>,
}

/// The saved sessions of the bundle.
pub(super) fn docs(session: &Session) -> Vec<Doc<'_>> {
    let mut docs: Vec<Doc<'_>> = Vec::new();
    for event in session.events().filter(|event| event.parent == NO_EVENT) {
        if is(event, &map::SAVED) || is(event, &map::CONTAINER) {
            docs.push(Doc { head: event, messages: Vec::new(), entries: Vec::new() });
        } else if let Some(doc) = docs.last_mut()
            && doc.head.origin.record == event.origin.record
        {
            let entry = event.field(Slot::Type).is_some();
            let list = if entry { &mut doc.entries } else { &mut doc.messages };
            list.push(event);
        }
    }
    docs
}

impl<'s> Doc<'s> {
    fn settle(&self, standings: &mut Standings) {
        if self.entries.is_empty() {
            return;
        }
        for entry in &self.entries {
            standings.set(entry.index, Standing::OtherBranch);
        }
        let (way, mut compacted) = (self.way(), false);
        for entry in &way {
            let standing = if compacted { Standing::Compacted } else { Standing::Live };
            standings.set(entry.index, standing);
            compacted |= is(*entry, &map::COMPACTION);
        }
        let live: HashSet<_> = way.iter().flat_map(|entry| said(*entry)).collect();
        for message in &self.messages {
            let again = said(*message).iter().any(|said| live.contains(said));
            let standing = if again { Standing::Echo } else { Standing::Superseded };
            standings.set(message.index, standing);
        }
    }

    /// The active path, from the leaf up. If no leaf is named, the last entry is the leaf.
    fn way(&self) -> Vec<EventRef<'s>> {
        let id = |entry: &EventRef<'s>| entry.text(Slot::Id);
        let by_id: HashMap<_, _> =
            self.entries.iter().filter_map(|entry| Some((id(entry)?, *entry))).collect();
        let leaf = self.head.text(Slot::Leaf).and_then(|leaf| by_id.get(&leaf).copied());
        let mut next = leaf.or_else(|| self.entries.last().copied());
        let (mut way, mut met) = (Vec::new(), HashSet::new());
        while let Some(entry) = next.filter(|entry| met.insert(entry.index)) {
            way.push(entry);
            next = entry.text(Slot::Parent).and_then(|parent| by_id.get(&parent).copied());
        }
        way
    }
}

/// Keys by which a message and an entry of the journal are equal: the same blocks, or the same text
/// if they have nothing else.
pub(super) fn said(event: EventRef<'_>) -> Vec<Vec<u8>> {
    let mut said = Vec::new();
    if let Some(content) = event.raw(Slot::Content) {
        said.push(tokens(content));
    }
    if event.children().next().is_none() {
        let text = event.said();
        let text = match event.case.name {
            "compaction" => format!("[compaction summary] {text}"),
            "branch_summary" => format!("[branch summary] {text}"),
            _ => text.into_owned(),
        };
        said.push(text.into_bytes());
    }
    said
}

fn copies(session: &Session, docs: &[Doc<'_>], standings: &mut Standings) {
    let rank = |(_, doc): &(usize, &Doc<'_>)| {
        let member = session.bundle.members.get(doc.head.origin.member as usize);
        let within = |folder| member.is_some_and(|member| member.name.contains(folder));
        let updated = doc.head.raw(Slot::Updated).and_then(UtcTime::read);
        (updated, !within("checkpoints/"), !within(".deepseek/"))
    };
    // Of equals the first counts: `max_by_key` would take the last.
    let Some((at, latest)) = docs.iter().enumerate().rev().max_by_key(rank) else { return };
    let all = |doc: &Doc<'_>| -> Vec<EventIx> {
        let inner = doc.messages.iter().chain(&doc.entries);
        std::iter::once(&doc.head).chain(inner).map(|event| event.index).collect()
    };
    if docs.len() < 2 {
        return;
    }
    let bytes = |event: EventIx| tokens(session.event(event).bytes());
    let said: HashSet<Vec<u8>> = all(latest).into_iter().map(bytes).collect();
    for (_, doc) in docs.iter().enumerate().filter(|(other, _)| *other != at) {
        for event in all(doc) {
            let again = said.contains(&bytes(event));
            standings.set(event, if again { Standing::Echo } else { Standing::Superseded });
        }
    }
}

/// Sets the echoes in the runtime store.
fn store(session: &Session, docs: &[Doc<'_>], standings: &mut Standings) {
    let saved = Saved::of(docs);
    let top = || session.events().filter(|event| event.parent == NO_EVENT);
    let mut again: HashSet<String> = HashSet::new();
    let items: HashSet<String> = top().filter_map(item_id).collect();
    for event in top() {
        let target = event.text(Slot::Target);
        if is(event, &runtime::TOOL_STARTED) && saved.calls(event) {
            again.extend(event.text(Slot::Call).map(|id| id.into_owned()));
            standings.set(event.index, Standing::Echo);
        } else if runtime::is_said(event) && saved.says(event)
            || is(event, &runtime::DELTA) && target.is_some_and(|item| items.contains(&*item))
            || is(event, &harness::CHUNK)
            || is(event, &harness::PACKED)
        {
            standings.set(event.index, Standing::Echo);
        }
    }
    for event in top().filter(|event| is(*event, &runtime::TOOL_RESULT)) {
        if event.text(Slot::Call).is_some_and(|call| again.contains(&*call)) {
            standings.set(event.index, Standing::Echo);
        }
    }
    // A line of events at the end of its file.
    let ends = |event: &EventRef<'_>| event.span.end as usize == event.member_bytes().len();
    for event in top().filter(|event| runtime::is_event(*event)).filter(ends) {
        standings.set(event.index, Standing::Rewound);
    }
}

pub(super) fn item_id(event: EventRef<'_>) -> Option<String> {
    let result = is(event, &runtime::TOOL_RESULT);
    let slot = if result { Slot::Call } else { Slot::Id };
    (result || event.field(Slot::Turn).is_some())
        .then(|| event.text(slot).map(|id| id.into_owned()))?
}

/// The contents of the saved sessions, for comparison with the store.
struct Saved {
    texts: HashSet<String>,
    calls: HashSet<String>,
}

impl Saved {
    fn of(docs: &[Doc<'_>]) -> Self {
        let (mut texts, mut calls) = (HashSet::new(), HashSet::new());
        let mut add = |text: &str| {
            texts.insert(text.trim().to_owned());
        };
        for event in docs.iter().flat_map(|doc| doc.messages.iter().chain(&doc.entries)) {
            add(&event.said());
            let blocks = |node: session::Node<'_>| {
                let texts = node.elements().filter_map(|block| block.word(names::TEXT));
                texts.map(|text| session::value::unescape(text).into_owned()).collect::<Vec<_>>()
            };
            let blocks = event.raw(Slot::Content).and_then(|content| probe::look(content, blocks));
            blocks.unwrap_or_default().iter().for_each(|text| add(text));
            for child in event.children() {
                if child.kind == Kind::Reasoning {
                    add(&child.said());
                } else if child.kind == Kind::ToolCall {
                    calls.extend(child.text(Slot::Call).map(|id| id.into_owned()));
                }
            }
        }
        Self { texts, calls }
    }

    fn says(&self, event: EventRef<'_>) -> bool {
        let said = event.said();
        !said.trim().is_empty() && self.texts.contains(said.trim())
    }

    /// Whether a saved session has the call of an event, by its id.
    fn calls(&self, event: EventRef<'_>) -> bool {
        let id = probe::look(event.bytes(), |node| {
            node.word(names::TOOL_ID).map(|id| session::value::unescape(id).into_owned())
        });
        id.flatten().is_some_and(|id| self.calls.contains(&id))
    }
}
