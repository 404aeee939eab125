//! Standings: the effects of a log's lines on each other.
//!
//! A log does not have one message per line. The agent reads it so (format reference, 2.1):
//!
//! 1. A message replaces the one with its id, at its position: earlier states are `Superseded`. A
//!    state that equals the previous one is an `Echo` of it.
//! 2. `$rewindTo` makes the message that it names and all later ones `Rewound`. An unknown id makes
//!    everything `Rewound`.
//! 3. An array of messages (a checkpoint in `$set`) replaces the conversation. A message that it
//!    repeats unchanged is an `Echo`, and one that it changes is `Superseded`. A message that it
//!    leaves out is `Compacted` if the array has a summary for it, otherwise `Superseded`.
//! 4. Since 0.44 an answer of a tool is in `toolCalls` and in a user message of its own. A thought
//!    and a call are in their lists and among the parts of the content. The second copy is an
//!    `Echo`.
//! 5. The history of a saved state is `CopiedLeft`: the session has it.
//!
//! Events within a message have the standing of the message. Text that begins with
//! `<session_context>`, `<hook_context>` or `<state_snapshot>`, and a message of answers, are
//! injected. `copies.rs` settles several files of one session; `apart.rs` separates other
//! conversations with the same id.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;
use session::{Case, EventIx, EventRef, Mark, NO_EVENT, Session, Slot, Standing, Stream};

use super::{SUMMARY, apart, copies, map};
use crate::json_eq;
use crate::standings::Standings;

/// Sets standing and position of every event.
pub(super) fn settle(session: &mut Session) {
    let mut standings = Standings::new(session);
    // Even numbers, so that an event can be inserted before another.
    let mut places: Vec<u32> =
        session.events().map(|event| event.index.saturating_mul(2)).collect();
    let mut streams: HashMap<&Stream, Vec<Log<'_>>> = HashMap::new();
    let mut order: Vec<&Stream> = Vec::new();
    let top: Vec<EventRef<'_>> =
        session.events().filter(|event| event.parent == NO_EVENT).collect();
    for member in top.chunk_by(|a, b| a.origin.member == b.origin.member) {
        let logs = streams.entry(member[0].stream()).or_default();
        if logs.is_empty() {
            order.push(member[0].stream());
        }
        logs.push(Log::read(member, &mut standings, &mut places));
    }
    for logs in order.iter().filter_map(|stream| streams.remove(stream)) {
        for conversation in apart::divide(session, logs) {
            copies::settle(session, &conversation, &mut standings);
        }
    }
    repeats(session, &mut standings);
    for event in &top {
        if is(*event, &map::SAID_USER)
            || is(*event, &map::SAID_CONTEXT)
            || is(*event, &map::SAID_MODEL)
        {
            standings.set(event.index, Standing::CopiedLeft);
        }
    }
    standings.apply(session);
    for (at, place) in (0..).zip(places) {
        session.mark(at, Mark::Place(place));
    }
}

/// The conversation of one member after all its lines.
#[derive(Default)]
pub(super) struct Log<'s> {
    /// The member's top-level events, in reading order.
    pub(super) top: Vec<EventIx>,
    /// The messages in their order.
    pub(super) list: Vec<EventIx>,
    /// The last state of every message that was ever in it, by id.
    pub(super) known: HashMap<Cow<'s, str>, EventIx, FixedState>,
    /// Position of a message in `list`, by id.
    at: HashMap<Cow<'s, str>, usize, FixedState>,
}

impl<'s> Log<'s> {
    fn read(top: &[EventRef<'s>], standings: &mut Standings, places: &mut [u32]) -> Self {
        let top_level = top.iter().map(|event| event.index).collect();
        let mut log = Self { top: top_level, ..Self::default() };
        for record in top.chunk_by(|a, b| a.origin.record == b.origin.record) {
            let (head, messages) = record.split_at(usize::from(!record[0].case.top));
            match head {
                [head] if head.field(Slot::Target).is_some() => log.rewind(*head, standings),
                [head] if holds_messages(*head) => {
                    log.checkpoint(*head, messages, standings, places)
                }
                _ => messages.iter().for_each(|message| log.upsert(*message, standings, places)),
            }
        }
        log
    }

    fn push(&mut self, id: Option<Cow<'s, str>>, event: EventIx) {
        if let Some(id) = id {
            self.at.insert(id.clone(), self.list.len());
            self.known.insert(id, event);
        }
        self.list.push(event);
    }

    fn upsert(&mut self, message: EventRef<'s>, standings: &mut Standings, places: &mut [u32]) {
        let id = id(message);
        let Some(&at) = id.as_ref().and_then(|id| self.at.get(id)) else {
            return self.push(id, message.index);
        };
        let before = self.list[at];
        places[message.index as usize] = places[before as usize];
        if replace(message.session().event(before), message, standings) {
            self.list[at] = message.index;
            self.known.extend(id.map(|id| (id, message.index)));
        }
    }

    fn rewind(&mut self, line: EventRef<'s>, standings: &mut Standings) {
        let target = line.text(Slot::Target).and_then(|target| self.at.get(&*target));
        let from = target.copied().unwrap_or(0);
        for event in self.list.drain(from..) {
            standings.set(event, Standing::Rewound);
            if let Some(id) = id(line.session().event(event)) {
                self.at.remove(&id);
            }
        }
    }

    /// A whole conversation that replaces the previous one.
    fn checkpoint(
        &mut self,
        head: EventRef<'s>,
        all: &[EventRef<'s>],
        standings: &mut Standings,
        places: &mut [u32],
    ) {
        let session = head.session();
        let old = std::mem::take(&mut self.list);
        let at = std::mem::take(&mut self.at);
        let before: Vec<Option<usize>> =
            all.iter().map(|message| at.get(&id(*message)?).copied()).collect();
        let in_order = before.iter().flatten().is_sorted_by(|a, b| a < b);
        let mut kept: HashSet<EventIx> = HashSet::new();
        // From the end, so that a new message finds the next known one.
        let mut next = None;
        let mut list = Vec::with_capacity(all.len());
        for (message, before) in all.iter().zip(&before).rev() {
            let mut state = message.index;
            if let Some(before) = before.map(|at| old[at]) {
                kept.insert(before);
                if in_order {
                    let place = places[before as usize];
                    places[state as usize] = place;
                    next = Some(place);
                    if !replace(session.event(before), *message, standings) {
                        state = before;
                    }
                } else {
                    standings.set(before, Standing::Superseded);
                }
            } else if let Some(next) = next {
                places[state as usize] = next.saturating_sub(1);
            }
            list.push((id(*message), state));
        }
        let summed_up = all.iter().zip(&before).any(|(message, before)| {
            before.is_none() && message.said().starts_with(&*String::from_utf8_lossy(SUMMARY))
        });
        let left = if summed_up { Standing::Compacted } else { Standing::Superseded };
        for event in old.into_iter().filter(|event| !kept.contains(event)) {
            standings.set(event, left);
        }
        list.into_iter().rev().for_each(|(id, state)| self.push(id, state));
    }
}

/// Decides between two states of one message. Returns whether the later one is the conversation
/// now.
fn replace(before: EventRef<'_>, after: EventRef<'_>, standings: &mut Standings) -> bool {
    let same = json_eq::equal(before.bytes(), after.bytes());
    let (event, standing) =
        if same { (after.index, Standing::Echo) } else { (before.index, Standing::Superseded) };
    standings.set(event, standing);
    !same
}

pub(super) fn id(message: EventRef<'_>) -> Option<Cow<'_, str>> {
    message.text(Slot::Id)
}

/// Whether metadata has a conversation, even an empty one.
fn holds_messages(head: EventRef<'_>) -> bool {
    let named = |name: &[u8]| map::MESSAGES.iter().any(|known| known.as_bytes() == name);
    head.fields().iter().any(|field| named(head.name(*field)))
}

/// Duplicates within the conversation.
fn repeats(session: &Session, standings: &mut Standings) {
    let counts = |event: EventRef<'_>, standings: &Standings| {
        standings.of(event.index).is_conversation()
            && (event.parent == NO_EVENT || standings.of(event.parent).is_conversation())
    };
    if !session.events().any(may_repeat) {
        return;
    }
    let among = |event: EventRef<'_>| {
        let call = (event.parent != NO_EVENT).then(|| session.event(event.parent));
        call.filter(|call| is(*call, &map::AMONG)).map(|call| call.text(Slot::Call))
    };
    for event in session.events() {
        // The answer of another call, which has it too.
        if among(event).is_some_and(|call| call != event.text(Slot::Call)) {
            standings.set(event.index, Standing::Echo);
        }
    }
    let is_answer = |event: &EventRef<'_>| map::is_answer(*event) || among(*event).is_some();
    let answers = session.events().filter(is_answer);
    let answered: HashSet<_, FixedState> = answers
        .filter(|event| counts(*event, standings))
        .filter_map(|event| event.text(Slot::Call))
        .collect();
    let messages = session.events().filter(|event| event.parent == NO_EVENT);
    for message in messages.filter(|event| event.case.top) {
        if !counts(message, standings) || !message.children().any(may_repeat) {
            continue;
        }
        let listed: HashSet<Said<'_>, FixedState> =
            message.children().filter_map(said_in_list).collect();
        let mut all = true;
        for part in message.children() {
            let repeated = match said_in_part(part) {
                Some(said) => listed.contains(&said),
                None if map::is_answer_part(part) => {
                    part.text(Slot::Call).is_some_and(|call| answered.contains(&call))
                }
                None => false,
            };
            if repeated {
                standings.set(part.index, Standing::Echo);
            }
            all &= repeated;
        }
        if all && is(message, &map::RESPONSES) {
            standings.set(message.index, Standing::Echo);
        }
    }
}

/// Whether an event is a part of a message's content that the lists beside it may repeat.
fn may_repeat(event: EventRef<'_>) -> bool {
    let said = [&map::CALL_PART, &map::THOUGHT_PART].iter().any(|case| is(event, case));
    said || map::is_answer_part(event)
}

fn is(event: EventRef<'_>, case: &'static Case) -> bool {
    std::ptr::eq(event.case, case)
}

/// Key that identifies a part of the content and an entry of the lists beside it.
#[derive(PartialEq, Eq, Hash)]
enum Said<'s> {
    /// A call with its id.
    Call(Cow<'s, str>),
    /// A call without an id: the tool and its arguments.
    Nameless(Cow<'s, str>, Vec<u8>),
    /// A thought: subject and description.
    Thought(String, String),
}

fn said_in_list(event: EventRef<'_>) -> Option<Said<'_>> {
    if is(event, &map::THOUGHT) {
        let text = |slot| event.text(slot).unwrap_or_default().trim().to_owned();
        return Some(Said::Thought(text(Slot::Subject), text(Slot::Content)));
    }
    [&map::CALL, &map::ANSWERED, &map::AMONG]
        .iter()
        .any(|case| is(event, case))
        .then(|| call(event))?
}

fn said_in_part(event: EventRef<'_>) -> Option<Said<'_>> {
    if is(event, &map::CALL_PART) {
        return call(event);
    }
    // The agent splits a thought so: the subject is between the first two `**`.
    let text = is(event, &map::THOUGHT_PART).then(|| event.said())?;
    let cut = text.split_once("**").and_then(|(before, rest)| {
        let (subject, after) = rest.split_once("**")?;
        Some((subject.trim(), format!("{before}{after}")))
    });
    let (subject, rest) = cut.unwrap_or_else(|| ("", text.to_string()));
    Some(Said::Thought(subject.to_owned(), rest.trim().to_owned()))
}

fn call(event: EventRef<'_>) -> Option<Said<'_>> {
    match event.text(Slot::Call) {
        Some(id) => Some(Said::Call(id)),
        None => {
            let input = json_eq::tokens(event.raw(Slot::Input).unwrap_or_default());
            Some(Said::Nameless(event.text(Slot::Name)?, input))
        }
    }
}
