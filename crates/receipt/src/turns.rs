//! The receipt of a turn of a session.

use std::collections::HashMap;

use formats::turns::{Told, TurnFacts};

use crate::document::{Receipt, SESSION_SCHEMA};
use crate::facts::Facts;
use crate::split::SessionTurns;
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

impl SessionTurns<'_> {
    /// The turns with a native id.
    pub(crate) fn with_id(&self, id: &str) -> &[usize] {
        let ids = self.ids.get_or_init(|| {
            let mut ids: HashMap<String, Vec<usize>> = HashMap::new();
            for number in 1..=self.len() {
                if let Some(id) = facts::id(self, number) {
                    ids.entry(id).or_default().push(number);
                }
            }
            ids
        });
        ids.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// The number of the turn with a native id: the first that has it.
    #[must_use]
    pub fn named(&self, id: &str) -> Option<usize> {
        self.with_id(id).first().copied()
    }

    /// Whether a turn has ended: a record says so, or another turn follows.
    #[must_use]
    pub fn has_ended(&self, number: usize) -> bool {
        number < self.len() || facts::end(self, number).is_some()
    }

    /// The receipt of a turn by its number, from 1.
    ///
    /// # Errors
    ///
    /// [`Fault::Unknown`] without such a turn. [`Fault::Unfinished`] for the last turn if no record
    /// says how it ended, unless `unfinished` asks for it.
    pub fn receipt(&self, number: usize, unfinished: bool) -> Result<Receipt, Fault> {
        if number == 0 || number > self.len() {
            return Err(Fault::Unknown(number.to_string()));
        }
        let end = facts::end(self, number);
        if end.is_none() && number == self.len() && !unfinished {
            return Err(Fault::Unfinished(number));
        }
        Ok(self.made(number, end).0)
    }

    /// The receipt of a turn that is there, and the facts in it.
    pub(crate) fn made(
        &self,
        number: usize,
        end: Option<formats::turns::TurnEnd>,
    ) -> (Receipt, TurnFacts) {
        let Facts { told, counts, about } = facts::facts(self, number, end);
        let place = evidence::place(self, number, &told, &about);
        let total = match &told.usage {
            Told::Value(usage) => Told::Value(usage.total),
            Told::Unavailable(why) => Told::Unavailable(why),
        };
        let tokens = counting::tokens(&total, &facts::counters(self, number), &place);
        let account = counting::account(&counts, tokens, &place);
        (Receipt::of(SESSION_SCHEMA, &told, Some((account, place.evidence))), told)
    }
}
