//! Pairing of calls and results, and the outcome of a call: both are decided only here.

use std::collections::HashMap;

use crate::derive::turn;
use crate::json::value;
use crate::label::event::{EventIx, NO_EVENT};
use crate::label::slot::{Kind, Slot};
use crate::label::status::Outcome;
use crate::label::table::Row;
use crate::session::bundle::Stream;
use crate::session::{EventRef, Session};

impl EventRef<'_> {
    /// The outcome of the call that this result answers; `None` if unknown.
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        outcome(self)
    }

    /// True if a result states its outcome itself. Otherwise [`EventRef::outcome`] follows from the
    /// absence of an error.
    #[must_use]
    pub fn states_outcome(self) -> bool {
        stated(self).is_some()
    }
}

/// The outcome of the call that this result answers: by its marks, else by the agent's status
/// words, else by the text of the answer. If the format marks errors and the event has no mark, the
/// call succeeded. `None` if unknown.
fn outcome(result: EventRef<'_>) -> Option<Outcome> {
    if let Some(stated) = stated(result) {
        return stated;
    }
    let marked =
        || result.case.map.rows.iter().any(|named| matches!(named.row, Row::Is(Slot::IsError)));
    (mark(result, Slot::IsError).is_none() && marked()).then_some(Outcome::Good)
}

/// The outcome that a result states itself; `None` for a result that says nothing of it.
fn stated(result: EventRef<'_>) -> Option<Option<Outcome>> {
    let statuses = result.session().statuses;
    let word = result.text(Slot::Status).filter(|word| !word.is_empty());
    let word = word.and_then(|word| statuses.outcome(&word));
    let bad = word.flatten().filter(|outcome| outcome.is_bad());
    let marks = [(Slot::IsError, true), (Slot::Success, false)];
    let failed = marks.into_iter().find_map(|(slot, bad)| match mark(result, slot)? {
        b"true" => Some(bad),
        b"false" => Some(!bad),
        _ => None,
    });
    match failed {
        Some(true) => return Some(Some(bad.unwrap_or(Outcome::Failed))),
        Some(false) => return Some(Some(Outcome::Good)),
        None => {}
    }
    let code = result.raw(Slot::ExitCode).filter(|code| *code != b"null");
    let code = code.map(|code| if code == b"0" { Outcome::Good } else { Outcome::Failed });
    match (word, code) {
        (Some(Some(outcome)), _) if outcome.is_bad() => return Some(Some(outcome)),
        (_, Some(outcome)) => return Some(Some(outcome)),
        (Some(outcome), None) => return Some(outcome),
        (None, None) => {}
    }
    let told = result.raw(Slot::Output).and_then(|raw| (statuses.told)(&value::said(raw)));
    match mark(result, Slot::IsError) {
        _ if told.is_some() => Some(told),
        Some(b"null") => Some(Some(Outcome::Good)),
        _ => None,
    }
}

/// A mark as written, or the value that the format fixes.
fn mark(result: EventRef<'_>, slot: Slot) -> Option<&[u8]> {
    result.raw(slot).or_else(|| result.constant(slot).map(str::as_bytes))
}

/// The calls of a session with their results.
///
/// A call and a result made of one value belong together. Otherwise their id joins them, but ids
/// repeat: some providers count from zero in each turn. So a result answers the oldest call of its
/// stream with this id that was made since the last prompt and has no result yet. Otherwise it
/// answers the newest such call before that prompt, or else it is one more result of the newest
/// call.
#[derive(Debug)]
pub struct Calls {
    /// For each call, its first result; for each result, its call.
    other: Vec<EventIx>,
}

/// The calls with one id, in order.
#[derive(Default)]
struct Open {
    /// Calls without a result, each with its turn.
    calls: Vec<(u32, EventIx)>,
    /// The newest call, answered or not.
    newest: Option<EventIx>,
}

impl Calls {
    /// Pairs the calls of a session. The conversation is paired first, so that echoes and rewound
    /// events take no result from it.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let mut calls = Self { other: vec![NO_EVENT; session.len()] };
        if !session.events().any(|event| event.kind == Kind::ToolResult) {
            return calls;
        }
        let order = in_order(session);
        calls.made_of_one(session);
        calls.pair(&order, true);
        calls.pair(&order, false);
        calls
    }

    /// The first result of a call.
    #[must_use]
    pub fn result(&self, call: EventIx) -> Option<EventIx> {
        self.other.get(call as usize).copied().filter(|&other| other != NO_EVENT)
    }

    /// The call that a result answers.
    #[must_use]
    pub fn call(&self, result: EventIx) -> Option<EventIx> {
        self.result(result)
    }

    fn join(&mut self, call: EventIx, result: EventIx) {
        self.other[result as usize] = call;
        if self.other[call as usize] == NO_EVENT {
            self.other[call as usize] = result;
        }
    }

    /// Pairs calls and results made of the same value.
    fn made_of_one(&mut self, session: &Session) {
        let mut call: Option<EventRef<'_>> = None;
        for event in session.events() {
            match event.kind {
                Kind::ToolCall => call = Some(event),
                Kind::ToolResult => {
                    let same = |call: &EventRef<'_>| {
                        (call.origin.record, call.span) == (event.origin.record, event.span)
                    };
                    if let Some(call) = call.filter(same) {
                        self.join(call.index, event.index);
                    }
                }
                _ => {}
            }
        }
    }

    /// Pairs the conversation, or the rest. In the rest, a result may also be one more of a call in
    /// the conversation.
    fn pair(&mut self, order: &[EventRef<'_>], conversation: bool) {
        let mut ids: HashMap<(&Stream, &[u8]), Open> = HashMap::new();
        let mut turn = 0;
        for &event in order {
            let own = event.standing().is_conversation() == conversation;
            if conversation && !own {
                continue;
            }
            let key = || event.raw(Slot::Call).map(|id| (event.stream(), id));
            match event.kind {
                Kind::User if begins(event) => turn += 1,
                Kind::ToolCall => {
                    let Some(key) = key() else { continue };
                    let open = ids.entry(key).or_default();
                    open.newest = Some(event.index);
                    if own && self.other[event.index as usize] == NO_EVENT {
                        open.calls.push((turn, event.index));
                    }
                }
                Kind::ToolResult if own && self.other[event.index as usize] == NO_EVENT => {
                    let open = key().and_then(|key| ids.get_mut(&key));
                    if let Some(call) = open.and_then(|open| open.take(turn)) {
                        self.join(call, event.index);
                    }
                }
                _ => {}
            }
        }
    }
}

impl Open {
    /// The call that a result in this turn answers.
    fn take(&mut self, turn: u32) -> Option<EventIx> {
        let since = self.calls.iter().position(|(made, _)| *made == turn);
        match since.or(self.calls.len().checked_sub(1)) {
            Some(at) => Some(self.calls.remove(at).1),
            None => self.newest,
        }
    }
}

/// A prompt, in a sub-agent's stream too.
fn begins(event: EventRef<'_>) -> bool {
    let sub = *event.stream() != Stream::Main && event.injected.is_none();
    let says = || event.raw(Slot::Content).is_some_and(|raw| !value::said(raw).is_empty());
    turn::opens(event) || sub && says()
}

/// All events in source order, each before those within it.
fn in_order(session: &Session) -> Vec<EventRef<'_>> {
    let mut places = vec![u32::MAX; session.len()];
    for (place, top) in (0..).zip(session.top()) {
        places[top.index as usize] = place;
    }
    for event in session.events().filter(|event| event.parent != NO_EVENT) {
        places[event.index as usize] = places[event.parent as usize];
    }
    let mut order: Vec<EventRef<'_>> = session.events().collect();
    order.sort_by_key(|event| places[event.index as usize]);
    order
}
