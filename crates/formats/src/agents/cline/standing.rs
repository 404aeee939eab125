//! Messages that are in the context, and facts about them in the screen's items.
//!
//! 1. The messages are the conversation; the screen's items of the same turns are an `Echo`. Where
//!    there are no messages, the items are the conversation.
//! 2. A range of messages that the agent cuts out of its requests is `Compacted`: an item of the
//!    screen has the last one. So are messages that name a summary or a mark of the file as what
//!    took them out.
//! 3. The file of a compaction replaces the beginning of a session (`compaction.rs`).
//! 4. Messages without times get those of the screen's items, if each has one.

use std::collections::HashSet;

use session::{
    EventIx, EventRef, Kind, Mark, NO_EVENT, Session, Slot, Standing, Stream, UtcTime, value,
};

use super::{compaction, map, shown};
use crate::standings::Standings;

/// Sets standing, kind and time of every event.
pub(super) fn settle(session: &mut Session) {
    keys(session);
    let mut standings = Standings::new(session);
    let main = |event: &EventRef<'_>| *event.stream() == Stream::Main;
    let is_item = |event: &EventRef<'_>| shown::is_item(event.case);
    let is_top = |event: &EventRef<'_>| event.parent == NO_EVENT;
    // The order of the session is not known yet: messages have no times.
    let top: Vec<EventRef<'_>> = session.events().filter(is_top).filter(main).collect();
    let messages: Vec<EventRef<'_>> =
        top.iter().copied().filter(|event| !is_item(event) && is_message(*event)).collect();
    let items: Vec<EventRef<'_>> = top.into_iter().filter(is_item).collect();
    let mut marks = Vec::new();
    if messages.is_empty() {
        // The first text of the oldest tasks is the prompt.
        let first = items.iter().find(|item| matches!(item.kind, Kind::User | Kind::Assistant));
        marks.extend(first.map(|first| (first.index, Mark::Kind(Kind::User))));
    } else {
        for item in items.iter().filter(|item| item.kind != Kind::Notice) {
            standings.set(item.index, Standing::Echo);
        }
        let listed = numbered(&messages);
        cut_out(&items, &listed, &mut standings);
        taken_out(&messages, &mut standings);
        times(&items, &listed, &mut marks);
    }
    session.placed = compaction::settle(session, &mut standings, &mut marks);
    standings.apply(session);
    marks.into_iter().for_each(|(event, mark)| session.mark(event, mark));
    // What a person said in a result has the time of its message.
    let mut now = None;
    let said = session.events().filter_map(|event| {
        now = if event.field(Slot::Role).is_some() { event.time() } else { now };
        let is_said = std::ptr::eq(event.case, &raw const map::FEEDBACK);
        (is_said && event.field(Slot::Time).is_none()).then_some((event.index, now))
    });
    let said: Vec<_> = said.collect();
    said.into_iter().for_each(|(event, time)| session.mark(event, Mark::SaidAt(time)));
}

/// Labels the settings that a fork keeps in an item: some are keys, under the names of providers.
fn keys(session: &mut Session) {
    const KEYS: [&[u8]; 4] = [b"key", b"token", b"secret", b"password"];
    let is_key = |name: &[u8]| KEYS.iter().any(|end| name.to_ascii_lowercase().ends_with(end));
    let mut labels = Vec::new();
    for item in session.events().filter(|event| shown::is_item(event.case)) {
        for (at, field) in item.fields().iter().enumerate().filter(|(_, field)| field.depth == 1) {
            let slot = if is_key(item.name(*field)) { Slot::Secret } else { Slot::Native };
            labels.extend((!field.known).then_some((item.index, at, slot)));
        }
    }
    labels.into_iter().for_each(|(item, at, slot)| session.label(item, at, slot));
}

/// Whether an event is a message, and no word of a person in one.
fn is_message(event: EventRef<'_>) -> bool {
    event.field(Slot::Role).is_some() || std::ptr::eq(event.case, &raw const map::THOUGHT)
}

/// The messages by their numbers in the file. One with a call beside its text is two events.
fn numbered<'s>(messages: &[EventRef<'s>]) -> Vec<Vec<EventRef<'s>>> {
    let groups = messages.chunk_by(|a, b| (a.origin.record, a.span) == (b.origin.record, b.span));
    groups.map(<[EventRef<'s>]>::to_vec).collect()
}

/// Marks the range of messages that the last item with one has.
fn cut_out(items: &[EventRef<'_>], messages: &[Vec<EventRef<'_>>], standings: &mut Standings) {
    let range = items.iter().rev().find_map(|item| {
        value::look(item.bytes(), |item| {
            let mut ends = item.at(map::DELETED)?.elements().map(|end| value::number(end.raw()));
            let (first, last) = (ends.next()??, ends.next()??);
            Some(usize::try_from(first).ok()?..=usize::try_from(last).ok()?)
        })
    });
    let Some(range) = range else { return };
    let last = (*range.end()).min(messages.len().saturating_sub(1));
    for event in messages.get(*range.start()..=last).into_iter().flatten().flatten() {
        standings.set(event.index, Standing::Compacted);
    }
}

/// Marks the messages that name a summary or a mark of the file.
fn taken_out(messages: &[EventRef<'_>], standings: &mut Standings) {
    for [own, parent] in map::COMPACTIONS {
        let told = |event: &EventRef<'_>, path: &[&str]| {
            value::look(event.bytes(), |message| value::text_at(message, path))
        };
        let is_by = |event: &&EventRef<'_>| {
            event.field(Slot::CompactSummary).is_some() || event.kind == Kind::Notice
        };
        let known: HashSet<String> =
            messages.iter().filter(is_by).filter_map(|event| told(event, own)).collect();
        if known.is_empty() {
            continue;
        }
        for event in messages {
            if told(event, parent).is_some_and(|by| known.contains(&by)) {
                standings.set(event.index, Standing::Compacted);
            }
        }
    }
}

/// Gives each message without a time that of its request, or of what was shown of its answer.
fn times(items: &[EventRef<'_>], messages: &[Vec<EventRef<'_>>], marks: &mut Vec<(EventIx, Mark)>) {
    let untimed = |message: &&Vec<EventRef<'_>>| message[0].field(Slot::Time).is_none();
    if !messages.iter().any(|message| untimed(&message)) {
        return;
    }
    let mut requests: Vec<[Option<UtcTime>; 2]> = Vec::new();
    for item in items {
        let is_request = std::ptr::eq(item.case, &raw const map::REQUEST)
            && item.text(Slot::Type).is_some_and(|name| name == "api_req_started");
        match requests.last_mut() {
            _ if is_request => requests.push([item.time(), None]),
            Some([_, answered @ None]) => *answered = item.time(),
            _ => {}
        }
    }
    let of_answer = |message: &[EventRef<'_>]| {
        message[0].text(Slot::Role).is_some_and(|role| role == "assistant")
    };
    let asked = messages.iter().filter(|message| !of_answer(message)).count();
    if asked != requests.len() {
        return;
    }
    let mut at = 0;
    for message in messages {
        let is_answer = of_answer(message);
        at += usize::from(!is_answer);
        let time = at.checked_sub(1).and_then(|at| requests.get(at)?[usize::from(is_answer)]);
        if untimed(&message) {
            marks.extend(message.iter().map(|event| (event.index, Mark::SaidAt(time))));
        }
    }
}
