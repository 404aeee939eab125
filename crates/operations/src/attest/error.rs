//! Failures of keys, signing and verifying.

use std::path::{Path, PathBuf};

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
}

/// A refusal.
pub(crate) fn refused<T>(what: impl Into<String>, hint: impl Into<String>) -> Result<T, Error> {
    Err(Error::Refused { what: what.into(), hint: hint.into() })
}

/// The error of a file.
pub(crate) fn at(path: &Path) -> impl Fn(std::io::Error) -> Error + Copy + '_ {
    |source| Error::Io { path: path.to_path_buf(), source }
}
