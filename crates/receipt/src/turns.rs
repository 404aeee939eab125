//! The receipt of a turn of a session.

use crate::document::{Receipt, SESSION_SCHEMA};
use crate::split::SessionTurns;
use crate::{evidence, facts};

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
    /// The number of the turn with a native id.
    #[must_use]
    pub fn named(&self, id: &str) -> Option<usize> {
        (1..=self.len()).find(|number| facts::id(self, *number).as_deref() == Some(id))
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
        let facts = facts::facts(self, number, end);
        let evidence = evidence::evidence(self, number, &facts);
        Ok(Receipt::of(SESSION_SCHEMA, &facts, Some(evidence)))
    }
}
