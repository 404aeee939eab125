//! Selection of the usage that counts: each answer once, by its most complete copy.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;
use session::{EventIx, EventRef, Kind, Session, Slot, Slots, Standing, Stream, UtcTime};

use super::key::{self, Twins};
use super::running::Running;
use super::runs::Runs;
use super::steps::Steps;
use super::{Convention, Inner, Terms, Tokens, tokens};
use crate::facts::{is_model, spawner};
use crate::identity::Key;

/// One usage in the session, with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Count {
    /// The event that contains it.
    pub event: EventIx,
    /// Identity of the answer across all sessions; `None` if it can't be identified.
    pub key: Option<Key>,
    /// Identity independent of a fork's new ids; `None` if forks keep ids.
    pub twin: Option<Key>,
    /// Identity of an answer without a name by what it said and counted, which a copy in a fork
    /// has too; `None` where forks do not copy such answers.
    pub said: Option<Key>,
    /// The tokens.
    pub tokens: Tokens,
    /// Whether they are the step of a running total.
    pub stepped: bool,
    /// Its cost in US dollars, as the agent wrote it.
    pub cost: Option<f64>,
    /// Its time: the event's own, or that of the answer that a step belongs to.
    pub time: Option<UtcTime>,
    /// The model that answered: the event's own, or the last one named before it in its stream.
    pub model: Option<String>,
    /// The terms on which it was served: its own, or the last ones before it in its stream.
    pub terms: Terms,
    /// The branch of version control, as last named in its stream.
    pub branch: Option<String>,
    /// Its part.
    pub part: Part,
    /// The reason why it counts or does not.
    pub verdict: Counting,
}

/// Whether the tokens of an answer in one copy tell more than those in another, each with whether
/// they are the step of a running total. Such a step is smaller where the copy has the line before,
/// and too large where it lacks some; other counters grow while an answer is written.
#[must_use]
pub fn is_better(one: (Tokens, bool), other: (Tokens, bool)) -> bool {
    let rank = |tokens: &Tokens| (tokens.output, tokens.total());
    match (one, other) {
        ((one, true), (other, true)) => one.total() < other.total(),
        ((one, _), (other, _)) => rank(&one) > rank(&other),
    }
}

/// Origin of a usage's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The session's own model.
    Main,
    /// A sub-agent's, whose history is a part of the session.
    SubAgent,
    /// Copied from the session that this one began with, such as a fork's parent.
    Copied,
    /// An advisor model, used within an answer.
    Advisor,
    /// No answer: a sum for the session, whose answers the agent did not record.
    Whole,
}

/// Whether a usage counts, and why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// It counts.
    Counted,
    /// It repeats the usage of another event of the session.
    Repeats(EventIx),
    /// It is an echo, or copied from elsewhere: the event's standing.
    Standing(Standing),
    /// The running total has not changed: no new usage.
    NothingNew,
    /// All counters are zero: no model answered.
    Empty,
    /// The agent itself made it, not a model.
    Synthetic,
}

/// Every usage of a session, in reading order, with its verdict.
#[must_use]
pub fn counts(session: &Session, convention: Convention) -> Vec<Count> {
    let mut tally = Tally::default();
    let mut streams: HashMap<u32, Running<'_>, RandomState> = HashMap::default();
    let steps = Steps::of(session, convention.forks_rename);
    let mut runs = Runs::default();
    let mut twins = Twins::of(session, convention);
    let spawned = spawner(session).is_some();
    for event in session.events() {
        let running = streams.entry(event.origin.member).or_default();
        let slots = event.slots();
        running.take((event, slots), convention);
        let states = event.kind == Kind::Notice || slots.has(Slot::Usage);
        let terms = if states { (convention.terms)(event) } else { None };
        if let Some(spent) = Spent::of((event, slots), running, convention) {
            let Spent { tokens, stepped, told, mut verdict } = spent;
            if let Some(step) = steps.of_answer(event) {
                verdict = Counting::Repeats(step);
            }
            let cost = slots.has(Slot::Cost).then(|| event.text(Slot::Cost)?.parse().ok());
            let model = steps.model(event).map(Cow::into_owned);
            let model = model.or_else(|| running.model.clone());
            let time = steps.time(event);
            let twin = twins.twin(event, model.as_deref(), tokens);
            let of = (time, steps.message(event));
            let named = key::name(event).map(|name| runs.key((event, name), of, tokens));
            let key = named.or_else(|| key::moment(event, &told));
            let said = running.heard().filter(|_| named.is_none());
            let said = said.map(|said| Key::of(("said", said, &model, &told)));
            let part = part(event, spawned);
            let terms = terms.unwrap_or_default().within(&running.terms);
            let (event, branch) = (event.index, running.branch());
            let count = Count {
                event,
                key,
                twin,
                said,
                tokens,
                stepped,
                cost: cost.flatten(),
                time,
                model,
                terms,
                branch,
                part,
                verdict,
            };
            tally.add(count, named.is_some());
        } else if let Some(terms) = terms {
            running.terms = terms;
        }
        for inner in (convention.inner)(event) {
            let outer = tally.counts.last().filter(|count| count.event == event.index);
            let outer = outer.and_then(|count| count.key);
            tally.add(of_inner(event, inner, (outer, running.branch())), true);
        }
    }
    tally.copies();
    tally.whole(session, convention);
    tally.counts
}

/// The part of an answer, in a session that another one may have spawned.
fn part(event: EventRef<'_>, spawned: bool) -> Part {
    if event.standing().is_copied() {
        return Part::Copied;
    }
    let side = spawned || event.is_true(Slot::Sidechain) || *event.stream() != Stream::Main;
    if side { Part::SubAgent } else { Part::Main }
}

fn of_inner(
    event: EventRef<'_>,
    inner: Inner,
    (outer, branch): (Option<Key>, Option<String>),
) -> Count {
    let Inner { answer, number, model, tokens, cost, part, terms } = inner;
    let key = answer.or(outer).map(|key| number.map_or(key, |at| Key::of((key, "inner", at))));
    let standing = event.standing;
    let verdict = if standing.is_copied() || standing == Standing::Echo {
        Counting::Standing(standing)
    } else if tokens.total() == 0 {
        Counting::Empty
    } else {
        Counting::Counted
    };
    Count {
        event: event.index,
        key,
        twin: None,
        said: None,
        tokens,
        stepped: false,
        cost,
        time: event.time(),
        model,
        terms,
        branch,
        part,
        verdict,
    }
}

/// The usages so far, and the counted one of each answer.
#[derive(Default)]
struct Tally {
    counts: Vec<Count>,
    winners: HashMap<Key, usize, RandomState>,
    /// Copies that have a name: they count if they are more complete.
    copies: Vec<usize>,
}

impl Tally {
    fn add(&mut self, count: Count, named: bool) {
        let (place, verdict) = (self.counts.len(), count.verdict);
        self.counts.push(count);
        match verdict {
            Counting::Counted => self.settle(place),
            Counting::Standing(_) if named => self.copies.push(place),
            _ => {}
        }
    }

    /// Of several usages of one answer, the most complete counts.
    fn settle(&mut self, place: usize) {
        let count = &self.counts[place];
        let Some(key) = count.key else { return };
        let Some(&before) = self.winners.get(&key) else {
            self.winners.insert(key, place);
            return;
        };
        let winner = &self.counts[before];
        let (one, other) = (count.event, winner.event);
        let (ours, theirs) = ((count.tokens, count.stepped), (winner.tokens, winner.stepped));
        if is_better(ours, theirs) {
            self.counts[before].verdict = Counting::Repeats(one);
            self.counts[place].verdict = Counting::Counted;
            self.winners.insert(key, place);
        } else if self.counts[place].verdict == Counting::Counted {
            self.counts[place].verdict = Counting::Repeats(other);
        }
    }

    /// A copy counts if it is more complete than the session's other usages of the answer. Answers
    /// copied from another session mostly exist only as copies: over all sessions each counts once.
    fn copies(&mut self) {
        for place in std::mem::take(&mut self.copies) {
            let count = &self.counts[place];
            let known = count.key.is_some_and(|key| self.winners.contains_key(&key));
            if !known
                && matches!(count.verdict, Counting::Standing(standing) if standing.is_copied())
            {
                self.counts[place].verdict = match count.tokens.total() {
                    0 => Counting::Empty,
                    _ => Counting::Counted,
                };
            }
            if known || self.counts[place].verdict == Counting::Counted {
                self.settle(place);
            }
        }
    }

    /// Adds the session's own sum, if it reports no answer.
    fn whole(&mut self, session: &Session, convention: Convention) {
        if self.counts.iter().any(|count| count.verdict == Counting::Counted) {
            return;
        }
        let told = |event: EventRef<'_>| {
            let total = (convention.whole)(event).filter(|&total| total > 0)?;
            Some((total, event.index))
        };
        let Some((total, event)) = session.events().filter_map(told).max() else { return };
        let event = session.event(event);
        let tokens = Tokens { unsplit: Some(total), ..Tokens::default() };
        let key = (!session.id.is_empty()).then(|| Key::of(("whole", &session.id)));
        let cost = event.text(Slot::Cost).and_then(|cost| cost.parse().ok());
        self.counts.push(Count {
            event: event.index,
            key,
            twin: None,
            said: None,
            tokens,
            stepped: false,
            cost: cost.filter(|&cost| cost > 0.0),
            time: event.time(),
            model: event.text(Slot::Model).map(Cow::into_owned),
            terms: Terms::default(),
            branch: event.text(Slot::Branch).map(Cow::into_owned),
            part: Part::Whole,
            verdict: Counting::Counted,
        });
    }
}

/// The usage that an event reports, if any, and whether it counts by itself.
struct Spent {
    tokens: Tokens,
    /// They are the step of a running total.
    stepped: bool,
    /// All counters there, which a copy has too: one answer's, and the running total.
    told: [Tokens; 2],
    verdict: Counting,
}

impl Spent {
    fn of(
        (event, slots): (EventRef<'_>, Slots),
        running: &mut Running<'_>,
        convention: Convention,
    ) -> Option<Self> {
        const WITH: [Slot; 4] = [Slot::Usage, Slot::UsageTotal, Slot::TokensIn, Slot::TokensOut];
        let has = |slot| slots.has(slot);
        if !WITH.into_iter().any(has) {
            return None;
        }
        let within = |slot| {
            let field = has(slot).then(|| event.field(slot)).flatten();
            field.map(|field| tokens(event, field.value, convention))
        };
        let mut own = within(Slot::Usage);
        let (mut moved, mut stepped) = (true, false);
        let (told, total) = (own, within(Slot::UsageTotal));
        if let Some(total) = total {
            // If both are there, the totals decide: a line may be missing, or occur twice.
            let before = running.total.replace(total);
            let first = before.is_none() && running.goes_on && own.is_some();
            if let Some(since) = total.since(before.unwrap_or_default()).filter(|_| !first) {
                (moved, stepped) = (since.total() > 0, true);
                own = Some(since);
            }
        } else if own.is_none() && [Slot::TokensIn, Slot::TokensOut].into_iter().any(has) {
            own = Some(tokens(event, event.span, convention));
        }
        let own = own.filter(|tokens| *tokens != Tokens::default())?;
        let free = || event.text(Slot::Cost).is_none_or(|cost| cost.parse() == Ok(0.0));
        // A copy of an unchanged total is no copy of an answer: if the original is not there, it
        // must not count for the answer before it.
        let nothing_new = !moved && event.standing.is_copied();
        let verdict = if nothing_new {
            Counting::NothingNew
        } else if event.standing.is_copied() || event.standing == Standing::Echo {
            Counting::Standing(event.standing)
        } else if event
            .text(Slot::Model)
            .is_some_and(|model| !model.is_empty() && !is_model(&model))
        {
            Counting::Synthetic
        } else if !moved {
            Counting::NothingNew
        } else if own.total() == 0 && own.reasoning.unwrap_or(0) == 0 && free() {
            Counting::Empty
        } else {
            Counting::Counted
        };
        let told = [told.or(Some(own)), total].map(Option::unwrap_or_default);
        Some(Self { tokens: own, stepped, told, verdict })
    }
}
