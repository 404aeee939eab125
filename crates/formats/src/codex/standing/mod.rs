//! How each event stands to the conversation that Codex would resume. The first rule that applies:
//!
//! 1. `Copied`: the history of another thread at the beginning of a fork (`copied.rs`).
//! 2. `Superseded`: a line that was written twice in a row.
//! 3. `Echo`: what the screen was told and the model's history says too (`echo.rs`); counters that
//!    have not moved.
//! 4. `Rewound`: conversation in turns that were taken back, `Compacted`: conversation before the
//!    newest compaction that was not (`rewound.rs`).
//!
//! It looks at labels and times, in a constant number of steps an event, and changes no field.

use std::ops::Range;

use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot, Standing};

use super::{case, event};

mod copied;
mod echo;
mod rewound;
#[cfg(test)]
mod tests;

/// Sets the standing of every event.
pub(super) fn decide(session: &mut Session) {
    let mut standings = vec![Standing::Live; session.len()];
    for range in members(session) {
        let survey = Survey::of(session, range);
        survey.decide(&mut standings);
    }
    for at in 0..session.len() {
        let parent = session.events_mut()[at].parent;
        if parent != NO_EVENT {
            standings[at] = standings[parent as usize];
        }
        session.events_mut()[at].standing = standings[at];
    }
}

/// The events of each member: each is a history of its own.
fn members(session: &Session) -> Vec<Range<EventIx>> {
    let mut ranges: Vec<Range<EventIx>> = Vec::new();
    let mut member = None;
    for event in session.events() {
        if member != Some(event.origin.member) {
            member = Some(event.origin.member);
            ranges.push(event.index..event.index);
        }
        if let Some(range) = ranges.last_mut() {
            range.end = event.index + 1;
        }
    }
    ranges
}

/// Where a turn begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// `task_started`
    Started,
    /// `turn_context`
    Context,
    /// `task_complete`, `turn_aborted`
    Ended,
    /// A person's message in the model's history.
    Prompt,
    /// `thread_rolled_back`
    RolledBack,
    /// `compacted`
    Compacted,
}

/// What a history holds that standing depends on, each list in order.
struct Survey<'s> {
    session: &'s Session,
    range: Range<EventIx>,
    headers: Vec<EventIx>,
    marks: Vec<(EventIx, Mark)>,
    /// Messages and thoughts of the model's history, by kind.
    said: [Vec<EventIx>; 3],
    /// Calls and results of the model's history.
    ran: Vec<EventIx>,
    /// What the screen was told.
    mirrors: Vec<EventIx>,
    counters: Vec<EventIx>,
    usage_records: Vec<EventIx>,
    /// Lines that the next line repeats.
    repeated: Vec<EventIx>,
}

impl<'s> Survey<'s> {
    fn of(session: &'s Session, range: Range<EventIx>) -> Self {
        let mut survey = Self {
            session,
            range: range.clone(),
            headers: Vec::new(),
            marks: Vec::new(),
            said: Default::default(),
            ran: Vec::new(),
            mirrors: Vec::new(),
            counters: Vec::new(),
            usage_records: Vec::new(),
            repeated: Vec::new(),
        };
        let mut last: Option<EventRef<'s>> = None;
        for at in range {
            let event = session.event(at);
            if event.parent == NO_EVENT {
                survey.note(event);
                if last.is_some_and(|last| is_repeated(last, event)) {
                    survey.repeated.push(at - 1);
                }
                last = Some(event);
            }
        }
        survey
    }

    fn note(&mut self, event: EventRef<'_>) {
        let at = event.index;
        match (event.kind, event.case.name) {
            (_, event::MIRROR) => self.mirrors.push(at),
            (Kind::User | Kind::Assistant | Kind::Reasoning, _) => {
                self.said[echo::list(event.kind)].push(at);
                if event.kind == Kind::User && !event.injected {
                    self.marks.push((at, Mark::Prompt));
                }
            }
            (Kind::ToolCall | Kind::ToolResult, _) => self.ran.push(at),
            (_, event::TOKEN_COUNT) => self.counters.push(at),
            (_, case::USAGE_RECORD) => self.usage_records.push(at),
            (_, case::SESSION_META) => self.headers.push(at),
            (_, case::TURN_CONTEXT) => self.marks.push((at, Mark::Context)),
            (_, case::COMPACTED) => self.marks.push((at, Mark::Compacted)),
            (_, event::TURN_STARTED) => self.marks.push((at, Mark::Started)),
            (_, event::TURN_ENDED) => self.marks.push((at, Mark::Ended)),
            (_, event::ROLLED_BACK) => self.marks.push((at, Mark::RolledBack)),
            _ => {}
        }
    }

    fn decide(&self, standings: &mut [Standing]) {
        let mut set = |at: EventIx, standing| {
            let place = &mut standings[at as usize];
            if *place == Standing::Live {
                *place = standing;
            }
        };
        copied::prefix(self).for_each(|at| set(at, Standing::Copied));
        self.repeated.iter().for_each(|&at| set(at, Standing::Superseded));
        echo::mirrors(self).into_iter().for_each(|at| set(at, Standing::Echo));
        self.unmoved().into_iter().for_each(|at| set(at, Standing::Echo));
        rewound::decide(self, standings);
    }

    /// Counters whose running total is that of the counter before: the limits of the account were
    /// told anew, nothing was spent. Where there are counters, usage records say the same.
    fn unmoved(&self) -> Vec<EventIx> {
        let mut unmoved = Vec::new();
        let mut total = None;
        for &at in &self.counters {
            let now = self.session.event(at).raw(Slot::UsageTotal).filter(|raw| raw[0] == b'{');
            if now.is_some() && now == total {
                unmoved.push(at);
            }
            total = now.or(total);
        }
        if total.is_some() {
            unmoved.extend_from_slice(&self.usage_records);
        }
        unmoved
    }
}

/// True where two lines are the same to the byte, time included: a write that was tried again.
fn is_repeated(last: EventRef<'_>, event: EventRef<'_>) -> bool {
    last.origin.record != event.origin.record
        && last.span.len() == event.span.len()
        && last.bytes() == event.bytes()
        && event.field(Slot::Time).is_some()
}
