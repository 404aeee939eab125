//! Failures of placing, removing and migrating.

/// The reason why a session was not placed, removed or migrated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The catalog failed.
    #[error(transparent)]
    Catalog(#[from] catalog::Error),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// It was refused, and nothing was changed.
    #[error("{what}")]
    Refused {
        /// The reason.
        what: String,
        /// The next step.
        hint: String,
    },
    /// The result is not what it should be.
    #[error("{what}")]
    Faulty {
        /// The fault.
        what: String,
        /// The next step.
        hint: String,
    },
    /// The request is not clear.
    #[error("{what}")]
    Unclear {
        /// The reason.
        what: String,
        /// The next step.
        hint: String,
    },
}

/// A refusal.
pub(crate) fn refused<T>(what: String, hint: &str) -> Result<T, Error> {
    Err(Error::Refused { what, hint: hint.into() })
}
