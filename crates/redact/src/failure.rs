//! Failures of a redaction.

use session::edit;

use crate::rules::RulesError;
use crate::verify::equality::Fault;

/// The reason why nothing was redacted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The program's own patterns can't be used.
    #[error("the patterns for names can't be used")]
    Patterns,
    /// The rules can't be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The known values need more memory than there is.
    #[error("there are too many values to look for")]
    TooMany,
    /// Two findings can't be replaced together.
    #[error("findings contradict each other in member {member} at byte {at}")]
    Conflict {
        /// The member of the bundle.
        member: u32,
        /// The byte.
        at: u32,
    },
    /// The redacted bundle is not what it must be.
    #[error("the redacted session does not pass: {0}")]
    Verify(#[from] Fault),
}

impl Failure {
    /// The failure of an edit.
    pub(super) const fn of(conflict: edit::Conflict) -> Self {
        let (member, at) = match conflict {
            edit::Conflict::Overlap(member, span) | edit::Conflict::Outside(member, span) => {
                (member, span.start)
            }
            edit::Conflict::TooLong(member) => (member, 0),
            _ => (0, 0),
        };
        Self::Conflict { member, at }
    }
}
