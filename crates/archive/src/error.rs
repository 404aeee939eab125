//! Errors of an archive: what happened, where, and what to do next.

use std::io;
use std::path::{Path, PathBuf};

/// Error of an archive.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system reported an error.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Somebody cancelled it. What was kept before stays.
    #[error("it was cancelled")]
    Cancelled,
    /// It is not done, and nothing was changed.
    #[error("{what}")]
    Refused {
        /// The reason.
        what: String,
        /// The next step.
        hint: String,
    },
    /// A file of the archive is not as it was written.
    #[error("{}: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The damage.
        what: String,
    },
    /// The name of a session or of a version has no or several meanings.
    #[error("{what}")]
    Unclear {
        /// The name, and what it may mean.
        what: String,
        /// The next step.
        hint: String,
    },
}

impl Error {
    /// Makes an error of the system's error and the file.
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_path_buf(), source }
    }

    /// The file that it is about.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Io { path, .. } | Self::Damaged { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The next step.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Refused { hint, .. } | Self::Unclear { hint, .. } => Some(hint),
            Self::Damaged { .. } => Some("`verbatim archive verify` names what is damaged"),
            Self::Io { .. } | Self::Cancelled => None,
        }
    }
}
