//! Facts of a session's turns, for an outline: what was asked, how long it took, what it did.

use std::collections::{BTreeMap, BTreeSet};

use meaning::usage::{Counting, counts};
use session::{Outcome, Session, Standing, Stream, UtcTime};

use super::{Body, Call, Detail, Item, Transcript};

/// Facts of one turn, or of a whole session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnSum {
    /// Its number, from 1; 0 before the first prompt.
    pub turn: u64,
    /// The prompt.
    pub prompt: String,
    /// Its first time and its last one.
    pub time: Option<(UtcTime, UtcTime)>,
    /// The number of calls, those of sub-agents too.
    pub calls: u64,
    /// The number of those that failed.
    pub failed: u64,
    /// The number of pictures and other media.
    pub pictures: u64,
    /// The number of sub-agents that it started.
    pub agents: u64,
    /// The paths of the changed files.
    pub files: BTreeSet<String>,
    /// The number of inserted lines.
    pub inserted: usize,
    /// The number of deleted lines.
    pub deleted: usize,
    /// The number of tokens.
    pub tokens: u64,
    /// Whether a summary replaced what is before it.
    pub compacted: bool,
}

impl TurnSum {
    /// The facts of each turn in a brief transcript of a session, in order: all, or those from
    /// a first to a last one.
    #[must_use]
    pub fn all(session: &Session, only: Option<(u64, u64)>) -> Vec<Self> {
        let mut turns: Vec<Self> = Vec::new();
        let mut streams: BTreeMap<&Stream, u64> = BTreeMap::new();
        let mut old = false;
        for item in Transcript::of(session, Detail::Brief).with_changes().of_turns(only) {
            if turns.last().is_none_or(|last| last.turn != item.turn) {
                turns.push(Self { turn: item.turn, ..Self::default() });
            }
            streams.entry(item.event.stream()).or_insert(item.turn);
            let Some(turn) = turns.last_mut() else { continue };
            if *item.event.stream() == Stream::Main {
                let live = item.event.standing == Standing::Live;
                turn.compacted |= live && std::mem::replace(&mut old, !live);
            }
            turn.add(&item);
        }
        spend(session, &streams, &mut turns);
        turns
    }

    /// The facts of a session, of those of its turns.
    #[must_use]
    pub fn sum(turns: &[Self]) -> Self {
        let mut sum = Self::default();
        for turn in turns {
            sum.turn += u64::from(turn.turn > 0);
            sum.calls += turn.calls;
            sum.failed += turn.failed;
            sum.pictures += turn.pictures;
            sum.agents += turn.agents;
            sum.files.extend(turn.files.iter().cloned());
            sum.inserted += turn.inserted;
            sum.deleted += turn.deleted;
            sum.tokens = sum.tokens.saturating_add(turn.tokens);
        }
        sum
    }

    fn add(&mut self, item: &Item<'_>) {
        let answered = match &item.body {
            Body::Call(call) => call.answered.as_ref(),
            Body::Result { answered, .. } => Some(answered),
            _ => None,
        };
        for event in [Some(item.event), answered.map(|answered| answered.event)] {
            let Some(at) = event.and_then(session::EventRef::time) else { continue };
            let (from, to) = self.time.unwrap_or((at, at));
            self.time = Some((from.min(at), to.max(at)));
        }
        self.pictures += answered.map_or(0, |answered| answered.media().len() as u64);
        match &item.body {
            Body::Prompt(said) => {
                self.prompt = said.text.to_string();
                self.pictures += said.media.len() as u64;
            }
            Body::Answer(said) | Body::Injected(said) => self.pictures += said.media.len() as u64,
            Body::Call(call) => self.call(call),
            _ => {}
        }
    }

    fn call(&mut self, call: &Call<'_>) {
        let outcome = call.answered.as_ref().and_then(|answered| answered.outcome);
        let bad = outcome.is_some_and(Outcome::is_bad);
        self.calls += 1;
        self.failed += u64::from(bad);
        self.agents += u64::from(call.starts);
        for file in call.files.iter().filter(|_| !bad) {
            self.files.insert(file.path.clone());
            self.inserted += file.inserted;
            self.deleted += file.deleted;
        }
    }

    /// Its duration in microseconds.
    #[must_use]
    pub fn took(&self) -> Option<i64> {
        let (from, to) = self.time?;
        to.0.checked_sub(from.0).filter(|took| *took > 0)
    }
}

/// Adds the tokens of each answer to the turn in which it is.
fn spend(session: &Session, streams: &BTreeMap<&Stream, u64>, turns: &mut [TurnSum]) {
    let format = formats::ALL.iter().find(|format| format.name() == session.format);
    let Some(format) = format else { return };
    let begins = session.top().filter(|event| meaning::turn::opens(*event));
    let begins: Vec<u32> = begins.map(|event| event.index).collect();
    for count in counts(session, format.data().convention) {
        if count.verdict != Counting::Counted {
            continue;
        }
        let turn = match session.event(count.event).stream() {
            Stream::Main => begins.partition_point(|begin| *begin <= count.event) as u64,
            stream => streams.get(stream).copied().unwrap_or_default(),
        };
        if let Some(facts) = turns.iter_mut().find(|facts| facts.turn == turn) {
            facts.tokens = facts.tokens.saturating_add(count.tokens.total());
        }
    }
}
