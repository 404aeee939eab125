//! The receipt of a turn of a session.

use std::collections::HashMap;

use formats::turns::{Told, TurnFacts};

use crate::document::{Receipt, SESSION_SCHEMA};
use crate::evidence::Other;
use crate::facts::Facts;
use crate::history::TurnIx;
use crate::split::{SessionTurns, SubAgent};
use crate::{counting, evidence, facts};

/// Why a turn has no receipt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// There is no such turn.
    #[error("the session has no turn {0}")]
    Unknown(String),
    /// The turn has not ended, or nothing says that it has.
    #[error("turn {0} has not ended: it is the session's last, and no record says how it ended")]
    Unfinished(usize),
}

/// A turn of a session, also one that was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnAt(TurnIx);

impl SessionTurns<'_> {
    /// The turns with a native id: the live ones first, then those that were taken back.
    pub(crate) fn with_id(&self, id: &str) -> &[TurnIx] {
        let ids = self.ids.get_or_init(|| {
            let mut ids: HashMap<String, Vec<TurnIx>> = HashMap::new();
            for turn in (1..=self.len()).filter_map(|number| self.live(number)).chain(self.left()) {
                if let Some(id) = facts::id(self, turn) {
                    ids.entry(id).or_default().push(turn);
                }
            }
            ids
        });
        ids.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// The turn with a number, from 1.
    #[must_use]
    pub fn numbered(&self, number: usize) -> Option<TurnAt> {
        self.live(number).map(TurnAt)
    }

    /// The turn with a native id: the first live one that has it, else the last that was taken
    /// back.
    #[must_use]
    pub fn named(&self, id: &str) -> Option<TurnAt> {
        let with = self.with_id(id);
        let live = with.first().filter(|turn| !self.is_left(**turn));
        live.or(with.last()).copied().map(TurnAt)
    }

    /// The turns that were taken back, as they were, in the order in which they began.
    #[must_use]
    pub fn rewound(&self) -> Vec<TurnAt> {
        self.left().map(TurnAt).collect()
    }

    /// Whether a turn was taken back: its branch is not the live one.
    #[must_use]
    pub fn is_rewound(&self, turn: TurnAt) -> bool {
        self.is_left(turn.0)
    }

    /// The number of a turn on its branch, and its native id.
    #[must_use]
    pub fn name(&self, turn: TurnAt) -> (usize, Option<String>) {
        (self.number(turn.0), facts::id(self, turn.0))
    }

    /// Whether a turn has ended: a record says so, or another turn follows.
    #[must_use]
    pub fn has_ended(&self, number: usize) -> bool {
        let end = |turn| self.end(turn);
        number < self.len() || self.live(number).and_then(end).is_some()
    }

    /// The receipt of a turn by its number, from 1.
    ///
    /// # Errors
    ///
    /// [`Fault::Unknown`] without such a turn. [`Fault::Unfinished`] for the last turn if no record
    /// says how it ended, unless `unfinished` asks for it.
    pub fn receipt(&self, number: usize, unfinished: bool) -> Result<Receipt, Fault> {
        let turn = self.numbered(number).ok_or_else(|| Fault::Unknown(number.to_string()))?;
        self.receipt_of(turn, unfinished)
    }

    /// The receipt of a turn.
    ///
    /// # Errors
    ///
    /// As those of [`SessionTurns::receipt`].
    pub fn receipt_of(&self, turn: TurnAt, unfinished: bool) -> Result<Receipt, Fault> {
        let TurnAt(turn) = turn;
        let end = self.end(turn);
        let number = self.number(turn);
        if end.is_none() && !self.is_left(turn) && number == self.len() && !unfinished {
            return Err(Fault::Unfinished(number));
        }
        Ok(self.made(turn, end, true).0)
    }

    /// The receipt of a turn that is there, and the facts in it. `join`: with what sub-agents did
    /// in sessions of their own.
    pub(crate) fn made(
        &self,
        turn: TurnIx,
        end: Option<formats::turns::TurnEnd>,
        join: bool,
    ) -> (Receipt, TurnFacts) {
        let Facts { told, counts, about } = facts::facts(self, turn, end, join);
        let others: Vec<Other<'_, '_>> = self.joined(turn).filter(|_| join).map(other).collect();
        let place = evidence::place(self, turn, &told, &about, &others);
        let total = match &told.usage {
            Told::Value(usage) => Told::Value(usage.total),
            Told::Unavailable(why) => Told::Unavailable(why),
        };
        let tokens = counting::tokens(&total, &facts::counters(self, turn), &place);
        let account = counting::account(&counts, tokens, &place);
        (Receipt::of(SESSION_SCHEMA, &told, Some((account, place.evidence))), told)
    }
}

/// Turns of a sub-agent, with the events that a receipt is about.
fn other<'t, 's>((place, sub, own): (usize, &'t SubAgent<'s>, &'t [TurnIx])) -> Other<'t, 's> {
    let turns = &sub.turns;
    let ends = |at| turns.ends_of(at, turns.told_end(at));
    let of = |at: &TurnIx| facts::about(turns, *at, &turns.said(*at), &ends(*at));
    Other { place, sub, own, about: own.iter().flat_map(of).collect() }
}
