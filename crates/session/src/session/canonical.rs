//! Canonical order: all events of a session by time, as a total order, so that any two programs
//! agree. Transcripts use source order, which is in `order`.

use std::collections::HashMap;

use crate::json::span::Span;
use crate::label::event::{EventIx, NO_EVENT};
use crate::label::time::UtcTime;
use crate::session::bundle::Stream;
use crate::session::order::runs;
use crate::session::{EventRef, Session};
use crate::sorting::Sorting as _;

/// Time of an event, as far as its session shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// The time.
    pub at: UtcTime,
    /// The event that has this time itself.
    pub from: EventIx,
}

/// The events of a session in canonical order, nested ones included.
#[derive(Debug)]
pub struct Canonical {
    /// The events.
    pub order: Vec<EventIx>,
    times: Vec<Option<Timed>>,
    /// For each record, the number of earlier events on its line.
    shared: Vec<u32>,
    /// For each member, the number of earlier members of its stream.
    copies: Vec<u32>,
}

/// Sort key of an event.
type Rank<'s> = (UtcTime, bool, u32, u32, u32, &'s Stream);

impl Canonical {
    /// Sorts by time (see [`Canonical::time`]; unknown comes first), then `main` before the others,
    /// then line, then member of the stream, then part of the line, then the stream's name.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let mut copies = Vec::new();
        let mut seen: HashMap<&Stream, u32> = HashMap::new();
        for member in &session.bundle.members {
            let count = seen.entry(&member.stream).or_insert(0);
            copies.push(*count);
            *count += 1;
        }
        let (times, shared) = (times(session), shared_lines(session));
        let mut canonical = Self { order: Vec::new(), times, shared, copies };
        let mut order: Vec<EventIx> = session.events().map(|event| event.index).collect();
        order.sort_by_cached_key(|&index| canonical.rank(session.event(index)));
        canonical.order = order;
        canonical
    }

    fn rank<'s>(&self, event: EventRef<'s>) -> Rank<'s> {
        let at = self.time(event).map_or(UtcTime(i64::MIN), |timed| timed.at);
        let stream = event.stream();
        let (line, copy, part) = (event.origin.line, self.copy(event), self.part(event));
        (at, *stream != Stream::Main, line, copy, part, stream)
    }

    /// Time of an event: its own; else that of the event that contains it; else that of the
    /// previous event in its member (or stream, if places count over it). Events before the first
    /// time there have that one. Without any, they have the first time of the stream, else the
    /// earliest of the session. `None` if the session has no time at all. The clock is never read.
    #[must_use]
    pub fn time(&self, event: EventRef<'_>) -> Option<Timed> {
        self.times.get(event.index as usize).copied().flatten()
    }

    /// Number of an event among the parts of its line, from 0. Values that are glued together share
    /// a line, and the parts of the second continue the count.
    #[must_use]
    pub fn part(&self, event: EventRef<'_>) -> u32 {
        let before = self.shared.get(event.origin.record as usize).copied();
        before.unwrap_or_default() + event.origin.part
    }

    /// Number of members of its stream before the one that contains an event.
    #[must_use]
    pub fn copy(&self, event: EventRef<'_>) -> u32 {
        self.copies.get(event.origin.member as usize).copied().unwrap_or_default()
    }
}

fn own(event: EventRef<'_>) -> Option<Timed> {
    event.time().map(|at| Timed { at, from: event.index })
}

fn times(session: &Session) -> Vec<Option<Timed>> {
    let runs = runs(session);
    let run = |event: EventRef<'_>| runs.get(event.origin.member as usize).copied();
    let top = session.events().filter(|event| event.parent == NO_EVENT);
    let mut order: Vec<_> = top.map(|event| (run(event), event.place, event.index)).collect();
    order.in_order();
    let mut first = HashMap::new();
    let mut of_stream = HashMap::new();
    let mut earliest: Option<Timed> = None;
    for event in order.iter().flat_map(|&(_, _, top)| with_parts(session, top)) {
        if let Some(timed) = own(event) {
            first.entry(run(event)).or_insert(timed);
            of_stream.entry(event.stream()).or_insert(timed);
            earliest = earliest.filter(|earliest| earliest.at <= timed.at).or(Some(timed));
        }
    }
    let mut times: Vec<Option<Timed>> = vec![None; session.len()];
    let mut before = (None, None);
    for event in order.iter().flat_map(|&(_, _, top)| with_parts(session, top)) {
        let (run, stream) = (run(event), event.stream());
        if before.0 != run || event.index == 0 {
            let begin = first.get(&run).or_else(|| of_stream.get(stream)).copied();
            before = (run, begin.or(earliest));
        }
        let whole = times.get(event.parent as usize).copied().flatten();
        before.1 = own(event).or(whole).or(before.1);
        times[event.index as usize] = before.1;
    }
    times
}

/// A top-level event and all events within it.
fn with_parts(session: &Session, top: EventIx) -> impl Iterator<Item = EventRef<'_>> {
    let all = (top..).take_while(|&at| (at as usize) < session.len());
    let events = all.map(|at| session.event(at));
    events.take_while(move |event| event.index == top || event.parent != NO_EVENT)
}

/// For each record, the number of earlier events on the line on which it begins.
fn shared_lines(session: &Session) -> Vec<u32> {
    let mut counts = vec![0u32; session.records.len()];
    for event in session.events() {
        if let Some(count) = counts.get_mut(event.origin.record as usize) {
            *count += 1;
        }
    }
    let mut shared = vec![0u32; session.records.len()];
    for at in 1..shared.len() {
        let (before, record) = (session.records[at - 1], session.records[at]);
        let gap = Span::new(before.span.end, record.span.start.max(before.span.end));
        let apart = || memchr::memchr(b'\n', session.bundle.slice(record.member, gap));
        if before.member == record.member && apart().is_none() {
            shared[at] = shared[at - 1] + counts[at - 1];
        }
    }
    shared
}
