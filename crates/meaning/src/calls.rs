//! Pairing of calls and results, and the outcome of a call: both are decided only here.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;
use session::Sorting as _;
use session::{EventIx, EventRef, Kind, NO_EVENT, Outcome, Session, Slot, Standing, Stream, value};

use crate::turn;

/// The calls of a session with their results.
///
/// A call and a result made of one value belong together. Otherwise their id joins them, wherever
/// in its stream the result is: agents write the lines of calls that run together in any order. But
/// ids repeat, because some providers count from zero in each turn. So a result answers, of the
/// calls with its id (where an agent writes no ids, the newest call before it that can have a
/// result, which its format marks):
///
/// 1. the oldest before it that was made since the last prompt and has no result yet;
/// 2. else the newest before it since the last prompt, as one more result;
/// 3. else the oldest behind it, up to the next prompt, that has no result yet;
/// 4. else the newest before it that has none, or that has one;
/// 5. else the oldest behind it that has none, or that has one.
#[derive(Debug)]
pub struct Calls {
    /// For each call, its first result; for each result, its call.
    other: Vec<EventIx>,
}

/// A call or a result: its turn, its place in the order of the stream, and its event.
#[derive(Clone, Copy)]
struct Placed {
    turn: u32,
    place: usize,
    event: EventIx,
}

/// The calls with one id, in order.
#[derive(Default)]
struct Same {
    calls: Vec<Placed>,
    /// Calls without a result that a result may answer.
    open: VecDeque<Placed>,
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
        // Mostly the conversation is all there is.
        let is_left = |event: &EventRef<'_>| {
            let outside = !event.standing().is_conversation();
            outside && event.kind == Kind::ToolResult && !calls.is_joined(event.index)
        };
        if order.iter().any(is_left) {
            calls.pair(&order, false);
        }
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

    /// The calls that succeeded, each with its first result, in the order of the results among
    /// these events. Copies and echoes of results are left out.
    pub fn succeeded<'s>(
        self,
        events: impl Iterator<Item = EventRef<'s>>,
    ) -> impl Iterator<Item = (EventRef<'s>, EventRef<'s>)> {
        let good = |result: &EventRef<'_>| {
            let is_again = result.standing.is_copied() || result.standing == Standing::Echo;
            let bad = result.outcome().is_some_and(Outcome::is_bad);
            result.kind == Kind::ToolResult && !is_again && !bad
        };
        events.filter(good).filter_map(move |result| {
            let call = self.call(result.index)?;
            let is_first = self.result(call) == Some(result.index);
            is_first.then(|| (result.session().event(call), result))
        })
    }

    /// The id of a call or of a result, as its agent wrote it; `None` if the agent wrote none. The
    /// mark by which a format joins calls and results without ids is no id.
    #[must_use]
    pub fn id(event: EventRef<'_>) -> Option<Cow<'_, str>> {
        event.raw(Slot::Call).and_then(value::text)
    }

    fn join(&mut self, call: EventIx, result: EventIx) {
        self.other[result as usize] = call;
        if self.other[call as usize] == NO_EVENT {
            self.other[call as usize] = result;
        }
    }

    fn is_joined(&self, event: EventIx) -> bool {
        self.other[event as usize] != NO_EVENT
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
    /// the conversation. The results that come behind their call go first, so that the others take
    /// no call from them.
    fn pair(&mut self, order: &[EventRef<'_>], conversation: bool) {
        let mut ids: HashMap<(&Stream, &[u8]), Same, RandomState> = HashMap::default();
        let mut left = Vec::new();
        let mut turn = 0;
        for (place, &event) in order.iter().enumerate() {
            let own = event.standing().is_conversation() == conversation;
            if conversation && !own {
                continue;
            }
            let fixed = || event.constant(Slot::Call).map(str::as_bytes);
            let key = || Some((event.stream(), event.raw(Slot::Call).or_else(fixed)?));
            let placed = Placed { turn, place, event: event.index };
            match event.kind {
                Kind::User if begins(event) => turn += 1,
                Kind::ToolCall => {
                    let Some(key) = key() else { continue };
                    let same = ids.entry(key).or_default();
                    same.calls.push(placed);
                    if own && !self.is_joined(event.index) {
                        same.open.push_back(placed);
                    }
                }
                Kind::ToolResult if own && !self.is_joined(event.index) => {
                    let Some(key) = key() else { continue };
                    let is_fixed = event.raw(Slot::Call).is_none();
                    let call = ids.get_mut(&key).and_then(|same| match is_fixed {
                        true => same.calls.last().map(|call| call.event),
                        false => same.since(turn),
                    });
                    match call {
                        Some(call) => self.join(call, event.index),
                        None => left.push((key, placed)),
                    }
                }
                _ => {}
            }
        }
        for (key, result) in left {
            if let Some(call) = ids.get_mut(&key).and_then(|same| same.other(result)) {
                self.join(call, result.event);
            }
        }
    }
}

impl Same {
    /// The oldest call of a turn that has no result; now it has one. Rule 1.
    fn since(&mut self, turn: u32) -> Option<EventIx> {
        let at = self.open.partition_point(|call| call.turn < turn);
        self.open.get(at).filter(|call| call.turn == turn)?;
        self.open.remove(at).map(|call| call.event)
    }

    /// The call of a result for which rule 1 has none: rules 2 to 5.
    fn other(&mut self, result: Placed) -> Option<EventIx> {
        let earlier = |call: &Placed| call.place < result.place;
        let (before, behind) = self.calls.split_at(self.calls.partition_point(earlier));
        let (before, behind) = (before.last().copied(), behind.first().copied());
        let ahead = self.open.partition_point(earlier);
        let in_turn = |call: &Placed| call.turn == result.turn;
        let again = before.filter(|call| in_turn(call));
        let call = if again.is_some() {
            again
        } else if self.open.get(ahead).is_some_and(in_turn) {
            self.open.remove(ahead)
        } else if ahead > 0 {
            self.open.remove(ahead - 1)
        } else if before.is_some() {
            before
        } else {
            self.open.pop_front().or(behind)
        };
        call.map(|call| call.event)
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
    order.in_order_by_key(|event| places[event.index as usize]);
    order
}
