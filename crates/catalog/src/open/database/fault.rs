//! Errors of reading a database.

use std::path::PathBuf;

/// Reason why a database can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DatabaseError {
    /// The system refuses access.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// SQLite can't read the database.
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// SQLite can't read verbatim's copy; the text names the original, which the user knows.
    #[error("SQLite: {0}")]
    Told(String),
    /// A WAL without its database, from which alone nothing can be read.
    #[error("a write-ahead log without its database: the log alone can't be read")]
    Alone,
    /// The database has a WAL, so a copy is needed, and no copy can be made.
    #[error(
        "it has a write-ahead log, so it must be copied, and no copy can be made in {}: {error}",
        folder.display()
    )]
    NoCopy {
        /// Folder for copies.
        folder: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// The database has a WAL, so a copy is needed, and it is too large to copy.
    #[error(
        "it has a write-ahead log, and {0} bytes are too many to copy: close the agent, which then \
        merges the log into the database"
    )]
    Big(u64),
    /// The database changed during every attempt to read it.
    #[error("it kept changing while it was read: try again when the agent is idle")]
    Restless,
    /// A line of the rows that a database is made from is no row of one of its tables.
    #[error("line {0} of its rows is no row of one of its tables")]
    Row(usize),
    /// The dump is longer than a member may be.
    #[error("its dump is longer than a session's file may be")]
    Long,
}
