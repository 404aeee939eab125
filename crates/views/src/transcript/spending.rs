//! The use of answers: their tokens and their cost. What an agent did not record is absent.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use meaning::turn;
use meaning::usage::{Count, Counting, Part, Tokens, counts};
use session::{EventIx, EventRef, NO_EVENT, Session, Slot, Stream};

use crate::human::thousands;
use crate::money::Money;

/// The list price of an answer; `None` if its model has no price for its terms.
pub type ListPrice<'p> = dyn Fn(&Count) -> Option<Money> + 'p;

/// The use of some answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    /// The number of answers.
    pub answers: u64,
    /// Their tokens.
    pub tokens: Tokens,
    /// The cost that the agent recorded.
    pub recorded: Option<Money>,
    /// The cost by list prices of the answers for which the agent recorded none.
    pub listed: Option<Money>,
    /// The number of answers that have neither.
    pub unpriced: u64,
    /// The number of sub-agents whose answers are not in the session, and in no sum here.
    pub apart: u64,
}

impl Spending {
    fn of(count: &Count, price: &ListPrice<'_>) -> Self {
        // Some agents record a cost of 0 where they know no price.
        let says = |money: &Money| *money != Money::default() || count.tokens.total() == 0;
        let recorded = count.cost.and_then(Money::of_dollars).filter(says);
        let listed = if recorded.is_none() { price(count) } else { None };
        let unpriced = u64::from(recorded.is_none() && listed.is_none());
        Self { answers: 1, tokens: count.tokens, recorded, listed, unpriced, apart: 0 }
    }

    /// Adds what other answers used.
    pub fn add(&mut self, other: &Self) {
        let sum = |one: Option<Money>, other: Option<Money>| match (one, other) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        self.answers += other.answers;
        self.tokens = self.tokens.plus(other.tokens);
        self.recorded = sum(self.recorded, other.recorded);
        self.listed = sum(self.listed, other.listed);
        self.unpriced += other.unpriced;
        self.apart += other.apart;
    }

    /// The tokens in words: `2.1M in, 71M cached, 214k out`; `None` if there are none. They are the
    /// least number if a sub-agent is not in the sum.
    #[must_use]
    pub fn tokens_in_words(&self) -> Option<String> {
        let of = self.tokens;
        let sum = |one: Option<u64>, other: Option<u64>| one.unwrap_or(0) + other.unwrap_or(0);
        let parts = [
            (sum(of.input, of.cache_write), "in"),
            (sum(of.cache_read, None), "cached"),
            (sum(of.output, None), "out"),
            (sum(of.tool, None), "by tools"),
            (sum(of.unsplit, None), "tokens"),
        ];
        let known = parts.into_iter().filter(|(number, _)| *number > 0);
        let words: Vec<String> =
            known.map(|(number, name)| format!("{} {name}", thousands(number))).collect();
        let least = if self.apart > 0 { "at least " } else { "" };
        (!words.is_empty()).then(|| format!("{least}{}", words.join(", ")))
    }

    /// The money in words, with its origin: `$1.23`, `$1.23 by list price`; `None` if none of the
    /// answers has a price.
    #[must_use]
    pub fn money_in_words(&self) -> Option<String> {
        let sum = [self.recorded, self.listed].into_iter().flatten().sum::<Money>();
        let origin = match (self.recorded, self.listed) {
            (None, None) => return None,
            (Some(_), None) => "",
            (None, Some(_)) => " by list price",
            (Some(_), Some(_)) => ", partly by list price",
        };
        let least = if self.unpriced > 0 || self.apart > 0 { "at least " } else { "" };
        Some(format!("{least}{sum}{origin}"))
    }
}

/// The use of a session's answers, by the turn and by the sub-agent that they are of.
#[derive(Debug, Default)]
pub struct Spendings<'s> {
    /// Those of the session's own history, by the number of their turn.
    turns: BTreeMap<u64, Spending>,
    /// Those of sub-agents.
    streams: HashMap<&'s Stream, Spending>,
    /// The turns of the sub-agents.
    homes: HashMap<&'s Stream, u64>,
    /// The ids of the calls whose sub-agents have answers in the session's own history: in lines
    /// that report what they do.
    reported: HashSet<Cow<'s, str>>,
}

/// The top-level event that an event is within.
fn outermost(session: &Session, event: EventIx) -> EventIx {
    let above = |at: &EventIx| Some(session.event(*at).parent).filter(|at| *at != NO_EVENT);
    std::iter::successors(Some(event), above).last().unwrap_or(event)
}

impl<'s> Spendings<'s> {
    /// Those of a session. `calls` are the calls that started its sub-agents: a sub-agent is of the
    /// turn of its call, wherever its events are. If no call is known, it is of the turn in which
    /// its events are.
    pub(super) fn of(
        session: &'s Session,
        price: &ListPrice<'_>,
        calls: &HashMap<&'s Stream, EventIx>,
    ) -> Self {
        let mut all = Self::default();
        let format = formats::ALL.iter().find(|format| format.name() == session.format);
        let Some(format) = format else { return all };
        // The events of several files are in the order of their times, not of their numbers.
        let (mut turns, mut now) = (vec![0; session.len()], 0);
        for event in session.top() {
            now += u64::from(turn::opens(event));
            turns[event.index as usize] = now;
        }
        for count in counts(session, format.data().convention) {
            if count.verdict != Counting::Counted {
                continue;
            }
            if count.part == Part::SubAgent {
                all.reported.extend(session.event(count.event).text(Slot::Call));
            }
            let turn = |event| turns[outermost(session, event) as usize];
            let sum = match session.event(count.event).stream() {
                Stream::Main => all.turns.entry(turn(count.event)).or_default(),
                stream => {
                    let home = || turn(root(session, stream, calls).unwrap_or(count.event));
                    all.homes.entry(stream).or_insert_with(home);
                    all.streams.entry(stream).or_default()
                }
            };
            sum.add(&Spending::of(&count, price));
        }
        all
    }

    /// Whether the answers of a call's sub-agent are those of its turn.
    pub(super) fn is_reported(&self, call: EventRef<'_>) -> bool {
        call.text(Slot::Call).is_some_and(|id| self.reported.contains(&id))
    }

    /// Those of a sub-agent.
    pub(super) fn of_stream(&self, stream: &Stream) -> Option<&Spending> {
        self.streams.get(stream)
    }

    /// Takes those of a turn, with those of its sub-agents.
    pub(super) fn take_turn(&mut self, turn: u64) -> Spending {
        let mut sum = self.turns.remove(&turn).unwrap_or_default();
        let homes = self.homes.iter().filter(|(_, home)| **home == turn);
        let own: Vec<&Stream> = homes.map(|(stream, _)| *stream).collect();
        own.iter().filter_map(|stream| self.streams.remove(*stream)).for_each(|one| sum.add(&one));
        sum
    }

    /// Takes all that is left.
    pub(super) fn take_rest(&mut self) -> Spending {
        let mut rest = Spending::default();
        std::mem::take(&mut self.turns).values().for_each(|one| rest.add(one));
        std::mem::take(&mut self.streams).values().for_each(|one| rest.add(one));
        rest
    }
}

/// The call of the session's own history that started a sub-agent, directly or by others.
fn root<'s>(
    session: &'s Session,
    stream: &'s Stream,
    calls: &HashMap<&'s Stream, EventIx>,
) -> Option<EventIx> {
    let mut stream = stream;
    for _ in 0..=calls.len() {
        let call = *calls.get(stream)?;
        stream = session.event(call).stream();
        if *stream == Stream::Main {
            return Some(call);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_is_not_zero_and_the_origin_of_money_is_said() {
        let spent = |recorded: Option<i128>, listed: Option<i128>, unpriced: u64| Spending {
            answers: 2,
            tokens: Tokens { input: Some(1200), output: Some(40), ..Tokens::default() },
            recorded: recorded.map(|dollars| Money(dollars * 1_000_000_000_000)),
            listed: listed.map(|dollars| Money(dollars * 1_000_000_000_000)),
            unpriced,
            apart: 0,
        };
        let words = |of: Spending| of.money_in_words();
        assert_eq!(words(spent(None, None, 2)), None);
        assert_eq!(words(spent(Some(2), None, 0)).as_deref(), Some("$2.00"));
        assert_eq!(words(spent(None, Some(3), 0)).as_deref(), Some("$3.00 by list price"));
        assert_eq!(words(spent(None, Some(3), 1)).as_deref(), Some("at least $3.00 by list price"));
        let both = spent(Some(2), Some(3), 0);
        assert_eq!(words(both.clone()).as_deref(), Some("$5.00, partly by list price"));
        assert_eq!(both.tokens_in_words().as_deref(), Some("1.2k in, 40 out"));
        assert_eq!(Spending::default().tokens_in_words(), None);
        let mut sum = both;
        sum.add(&spent(Some(1), None, 1));
        assert_eq!((sum.answers, sum.unpriced, sum.tokens.input), (4, 1, Some(2400)));
        assert_eq!(sum.recorded, Some(Money(3_000_000_000_000)));
        assert_eq!(sum.tokens.cache_read, None);
    }
}
