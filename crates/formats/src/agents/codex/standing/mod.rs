//! Standing of each event in the conversation that Codex would resume. The first rule that applies:
//!
//! 1. `Copied`: the history of another thread at the beginning of a fork (`copied.rs`).
//! 2. `Superseded`: a line that was written twice in a row.
//! 3. `Echo`: a UI event that repeats the model's history (`echo.rs`), an unchanged counter, or a
//!    second copy of a rollout.
//! 4. `Rewound`: records that no rollout on the way to the newest inherits (`../lineage.rs`).
//! 5. `Rewound`: conversation in turns that were taken back. `Compacted`: conversation before the
//!    newest compaction that is not rewound (`rewound.rs`).
//!
//! The rules read labels and times, take a constant number of steps per event, and change no field.

use std::collections::HashMap;
use std::ops::Range;

use replaced::Replaced;
use session::{EventIx, EventRef, Kind, NO_EVENT, Session, Slot, Standing};

use super::lineage::{self, Base, End, Lineage, Stands};
use super::{case, event_case};

mod copied;
mod echo;
mod replaced;
mod rewound;
#[cfg(test)]
mod tests;

/// Sets the standing of every event.
pub(super) fn decide(session: &mut Session, lineage: &Lineage) {
    let mut standings = vec![Standing::Live; session.len()];
    let surveys = surveys(session, lineage);
    let before = befores(&surveys, lineage);
    let beyond = echo::Beyond::all(&surveys, &before);
    for (survey, (before, beyond)) in surveys.iter().zip(before.iter().zip(&beyond)) {
        survey.decide(before, beyond, &mut standings);
    }
    left(&surveys, &before, lineage, &mut standings);
    let leads = |survey: &&Survey<'_>| lineage.stands(survey.member()) == Stands::Leading;
    let (leading, others): (Vec<_>, Vec<_>) = surveys.iter().partition(leads);
    rewound::decide(&leading, &mut standings);
    others.chunks(1).for_each(|alone| rewound::decide(alone, &mut standings));
    for event in session.events().filter(|event| event.parent != NO_EVENT) {
        standings[event.index as usize] = standings[event.parent as usize];
    }
    for (at, standing) in (0..).zip(standings) {
        session.mark(at, session::Mark::Standing(standing));
    }
}

/// The survey of each member, each after its base.
fn surveys<'s>(session: &'s Session, lineage: &Lineage) -> Vec<Survey<'s>> {
    let mut by_member: Vec<Option<Range<EventIx>>> = vec![None; session.bundle.members.len()];
    for range in members(session) {
        let member = session.event(range.start).origin.member as usize;
        by_member[member] = Some(range);
    }
    let order = lineage.order().iter();
    order.filter_map(|&at| by_member[at].take()).map(|range| Survey::of(session, range)).collect()
}

/// The base of a rollout.
#[derive(Clone, Default)]
struct Before<'s> {
    /// The survey of its base.
    base: Option<usize>,
    /// The first event of the base that is not inherited.
    cut: EventIx,
    /// The last running totals of the base: before that event, and at its end.
    totals: [Option<&'s [u8]>; 2],
    /// The base is missing.
    elsewhere: bool,
}

fn befores<'s>(surveys: &[Survey<'s>], lineage: &Lineage) -> Vec<Before<'s>> {
    let members = surveys.iter().enumerate().map(|(at, survey)| (survey.member(), at));
    let at: HashMap<usize, usize> = members.collect();
    let mut befores: Vec<Before<'s>> = Vec::with_capacity(surveys.len());
    for survey in surveys {
        let mut before = Before::default();
        match lineage.base(survey.member()) {
            Base::Elsewhere => before.elsewhere = true,
            Base::Member(base, end) => {
                if let Some((at, base)) = at.get(&base).and_then(|&at| Some((at, surveys.get(at)?)))
                {
                    let cut = lineage::end(base.session, base.range.clone(), end);
                    let inherited = befores.get(at).and_then(|before| before.totals[0]);
                    let last = |end| base.last_total(end).or(inherited);
                    let totals = [last(cut), last(base.range.end)];
                    before = Before { base: Some(at), cut, totals, elsewhere: false };
                }
            }
            Base::None | Base::Copy(..) => {}
        }
        befores.push(before);
    }
    befores
}

/// The events outside the thread of the newest rollout: all of the rollouts that were left, and the
/// part of each base that is not inherited.
fn left(
    surveys: &[Survey<'_>],
    befores: &[Before<'_>],
    lineage: &Lineage,
    standings: &mut [Standing],
) {
    let mut set = |range: Range<EventIx>, standing| {
        let range = standings.get_mut(range.start as usize..range.end as usize);
        let live = |now: &&mut Standing| **now == Standing::Live;
        range.into_iter().flatten().filter(live).for_each(|now| *now = standing);
    };
    for (survey, before) in surveys.iter().zip(befores) {
        let (range, member) = (survey.range.clone(), survey.member());
        let stands = lineage.stands(member);
        if let Base::Copy(_, same) = lineage.base(member) {
            let own = lineage::end(survey.session, range.clone(), End::Byte(same.into()));
            set(range.start..own, Standing::Echo);
        }
        if stands == Stands::Left {
            set(range, Standing::Rewound);
        } else if let Some(base) = before.base.and_then(|base| surveys.get(base)) {
            set(before.cut..base.range.end, Standing::Rewound);
        }
    }
}

/// The events of each member.
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

/// A boundary of turns.
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

/// The events of a history on which standing depends, each list in order.
struct Survey<'s> {
    session: &'s Session,
    range: Range<EventIx>,
    headers: Vec<EventIx>,
    marks: Vec<(EventIx, Mark)>,
    /// Messages and thoughts of the model's history, by kind.
    said: [Vec<EventIx>; 3],
    /// Calls and results of the model's history.
    ran: Vec<EventIx>,
    /// UI events that may be echoes.
    mirrors: Vec<EventIx>,
    counters: Vec<EventIx>,
    usage_records: Vec<EventIx>,
    /// Lines that the next line repeats.
    repeated: Vec<EventIx>,
    /// The compactions, each with the history that replaced the one before.
    replaced: Vec<Replaced>,
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
            replaced: Vec::new(),
        };
        let mut last: Option<EventRef<'s>> = None;
        for at in range {
            let event = session.event(at);
            if event.parent != NO_EVENT {
                continue;
            }
            let compaction = survey.replaced.last_mut();
            if let Some(list) = compaction.filter(|list| is_of(session.event(list.at), event)) {
                list.items.push(at);
                continue;
            }
            survey.note(event);
            if let Some(last) = last.filter(|last| is_repeated(*last, event)) {
                survey.repeated.push(last.index);
            }
            last = Some(event);
        }
        survey
    }

    fn note(&mut self, event: EventRef<'_>) {
        let at = event.index;
        match (event.kind, event.case.name) {
            (_, event_case::MIRROR) => self.mirrors.push(at),
            (Kind::User | Kind::Assistant | Kind::Reasoning, _) => {
                self.said[echo::list(event.kind)].push(at);
                if event.kind == Kind::User && event.injected.is_none() {
                    self.marks.push((at, Mark::Prompt));
                }
            }
            (Kind::ToolCall | Kind::ToolResult, _) => self.ran.push(at),
            (_, event_case::TOKEN_COUNT) => self.counters.push(at),
            (_, case::USAGE_RECORD) => self.usage_records.push(at),
            (_, case::SESSION_META) => self.headers.push(at),
            (_, case::TURN_CONTEXT) => self.marks.push((at, Mark::Context)),
            (_, case::COMPACTED) => {
                self.marks.push((at, Mark::Compacted));
                self.replaced.push(Replaced { at, items: Vec::new() });
            }
            (_, event_case::TURN_STARTED) => self.marks.push((at, Mark::Started)),
            (_, event_case::TURN_ENDED) => self.marks.push((at, Mark::Ended)),
            (_, event_case::ROLLED_BACK) => self.marks.push((at, Mark::RolledBack)),
            _ => {}
        }
    }

    fn member(&self) -> usize {
        self.session.event(self.range.start).origin.member as usize
    }

    fn decide(&self, before: &Before<'_>, beyond: &echo::Beyond, standings: &mut [Standing]) {
        let mut set = |at: EventIx, standing| {
            let place = &mut standings[at as usize];
            if *place == Standing::Live {
                *place = standing;
            }
        };
        copied::prefix(self).for_each(|at| set(at, Standing::Copied));
        self.repeated.iter().for_each(|&at| set(at, Standing::Superseded));
        for list in self.replaced.iter().filter(|list| self.repeated.contains(&list.at)) {
            list.items.iter().for_each(|&at| set(at, Standing::Superseded));
        }
        echo::mirrors(self, beyond).into_iter().for_each(|at| set(at, Standing::Echo));
        self.unmoved(before).into_iter().for_each(|at| set(at, Standing::Echo));
    }

    /// Counters whose running total is unchanged: they report the account's limits again, without
    /// new usage. A continued rollout begins with its base's total. If the base is missing, all
    /// counters before the first answer are unchanged. A usage record repeats a counter, except for
    /// a compaction, whose usage no counter reports.
    fn unmoved(&self, before: &Before<'_>) -> Vec<EventIx> {
        let mut unmoved = Vec::new();
        let mut total = None;
        let mut moved: HashMap<&[u8], usize> = HashMap::new();
        let begun = if before.elsewhere { self.first_answer() } else { 0 };
        for &at in &self.counters {
            let now = self.total(at);
            let again = total.is_none() && (at < begun || before.totals.contains(&now));
            if now.is_some() && (now == total || again) {
                unmoved.push(at);
            } else if let Some(used) = self.session.event(at).raw(Slot::Usage) {
                *moved.entry(used).or_default() += 1;
            }
            total = now.or(total);
        }
        let mut is_told = |record: &&EventIx| {
            let used = self.session.event(**record).raw(Slot::Usage);
            let counters = used.and_then(|used| moved.get_mut(used)).filter(|left| **left > 0);
            counters.map(|left| *left -= 1).is_some()
        };
        if total.is_some() {
            unmoved.extend(self.usage_records.iter().filter(|record| is_told(record)));
        }
        unmoved
    }

    /// The running total of a counter.
    fn total(&self, counter: EventIx) -> Option<&'s [u8]> {
        self.session.event(counter).raw(Slot::UsageTotal).filter(|raw| raw[0] == b'{')
    }

    /// The last running total before an event.
    fn last_total(&self, end: EventIx) -> Option<&'s [u8]> {
        let counters = &self.counters[..self.counters.partition_point(|&at| at < end)];
        counters.iter().rev().find_map(|&at| self.total(at))
    }

    /// The first message, thought or call of the model.
    fn first_answer(&self) -> EventIx {
        let answers = [Kind::Assistant, Kind::Reasoning, Kind::ToolCall];
        let is_answer = |&at: &EventIx| answers.contains(&self.session.event(at).kind);
        self.range.clone().find(is_answer).unwrap_or(self.range.end)
    }
}

/// Whether an event is an item in a compaction's list: both are of one line.
fn is_of(compaction: EventRef<'_>, event: EventRef<'_>) -> bool {
    event.origin.record == compaction.origin.record
}

/// Whether two lines are equal byte for byte, time included: a retried write.
fn is_repeated(last: EventRef<'_>, event: EventRef<'_>) -> bool {
    last.origin.record != event.origin.record
        && last.span.len() == event.span.len()
        && last.bytes() == event.bytes()
        && event.field(Slot::Time).is_some()
}
