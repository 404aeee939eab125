//! Reasons why a database can't be read.

use std::path::PathBuf;

/// Reason why a database can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The system does not let us.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// SQLite can't make sense of it.
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The same, about verbatim's own copy, which users do not know.
    #[error("SQLite: {0}")]
    Told(String),
    /// A log whose database is not there, and which is not enough by itself.
    #[error("a write-ahead log without its database: the log alone can't be read")]
    Alone,
    /// The log requires a copy, and no copy can be made.
    #[error(
        "it has a write-ahead log, so a copy must be read, and none can be made in {}: {error}",
        folder.display()
    )]
    NoCopy {
        /// Folder for copies.
        folder: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// The same: there is too much of it.
    #[error(
        "it has a write-ahead log, and {0} bytes are too many to copy: close the agent, which then \
        merges the log into the database"
    )]
    Big(u64),
    /// Someone writes to it all the time.
    #[error("it kept changing while it was read: try again when the agent is idle")]
    Restless,
    /// There is more than a member can hold.
    #[error("its dump is longer than a session's file may be")]
    Long,
}
