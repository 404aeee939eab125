//! Failures of keys and signing.

use std::path::PathBuf;

/// The reason why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system reported an error.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
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
}

/// A refusal.
pub(crate) fn refused<T>(what: impl Into<String>, hint: impl Into<String>) -> Result<T, Error> {
    Err(Error::Refused { what: what.into(), hint: hint.into() })
}
