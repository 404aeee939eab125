//! Reasons why a database can't be read.

use std::path::PathBuf;

/// Why a database can't be read.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The system does not let us.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// SQLite can't make sense of it.
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The same, about a copy of ours, which nobody else knows.
    #[error("SQLite: {0}")]
    Told(String),
    /// A log whose database is not there, and which is not enough by itself.
    #[error("the log of a database that is missing; the log alone can't be read")]
    Alone,
    /// Its log needs a copy of it, and there is none.
    #[error("it has a log beside it, and can't be copied to {}: {error}", folder.display())]
    NoCopy {
        /// Where copies are made.
        folder: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// The same: there is too much of it.
    #[error(
        "it has a log beside it, and {0} bytes are too much to copy: close the agent, which \
        then brings the log into the database"
    )]
    Big(u64),
    /// Someone writes to it all the time.
    #[error("it changed whenever it was read; try again when the agent rests")]
    Restless,
    /// There is more than a member can hold.
    #[error("its dump is longer than a session's file can be")]
    Long,
}
