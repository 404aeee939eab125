//! Databases: the tables that the formats name, written as a dump. A database is read from a
//! snapshot. The database and the files beside it are neither changed nor locked.

mod copy;
pub mod dump;
mod fault;
pub mod image;
mod json;
mod known;
mod layout;
mod pool;
mod rows;
mod snapshot;
mod sql;
mod state;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use formats::database::{Database, Rows};
use formats::{Candidate, Claim, END_BYTES, Format, Formats};
use rusqlite::Connection;

use crate::paths::shown;
pub use copy::outlive_interrupts;
#[cfg(unix)]
pub use copy::{end_by, is_ignored};
pub(crate) use dump::DUMP;
pub use dump::Dump;
pub use fault::DatabaseError;
use known::{Known, known, unknown};
use layout::Layout;
pub(crate) use pool::keeping;
pub use rows::{Owned, OwnedSessions};
use snapshot::Snapshot;
pub use snapshot::at_rest;
use state::State;
pub use state::{database_of, has_log, is_beside, is_log};

/// A database that a format knows.
pub struct Store {
    /// The format.
    pub format: &'static dyn Format,
    /// Which kind of database it is.
    pub kind: &'static Database,
    /// Path of the database.
    pub path: PathBuf,
    /// The sessions that it contained when it was opened.
    pub listing: OwnedSessions,
    snapshot: Snapshot,
    /// The layout that was read last, and the state of the database at that time.
    layout: Mutex<Option<(State, Arc<Layout>)>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())
    }
}

/// The rows of one session in a database. They are one file of that session.
#[derive(Clone)]
pub struct Selection {
    /// The database.
    pub store: Arc<Store>,
    /// The session's id; empty for all sessions.
    pub session: String,
}

impl std::fmt::Debug for Selection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.store.path.display(), self.session)
    }
}

/// Whether a file with these first bytes is a SQLite database.
pub fn is_one(head: &[u8]) -> bool {
    head.starts_with(b"SQLite format 3\0")
}

/// The sessions of a database.
fn listing(
    connection: &Connection,
    kind: &Database,
    layout: &Layout,
    path: &Path,
) -> Result<OwnedSessions, DatabaseError> {
    if kind.tables.iter().all(|table| matches!(table.rows, Rows::All)) {
        let length = std::fs::metadata(path).map_or(0, |meta| meta.len());
        let owned = vec![Owned { id: String::new(), length }];
        return Ok(OwnedSessions { owned, unread: Vec::new() });
    }
    rows::owners(connection, kind, layout)
}

impl Store {
    /// Opens the database at a path if a format knows it. For the path of a WAL (`…-wal`), its
    /// database is opened.
    ///
    /// # Errors
    /// The file is not a database, or can't be read.
    pub fn open(formats: Formats<'_>, path: &Path) -> Result<Option<Self>, DatabaseError> {
        let shown = shown(path);
        let find = |connection: &Connection| known(formats, connection, &shown);
        // A first look in place: a database of another program is never copied, even if it has a
        // WAL or changes.
        let glimpse = Snapshot::glimpse(path, |connection| {
            Ok((rows::tables(connection)?.is_empty(), find(connection)?))
        });
        if matches!(glimpse, Ok((false, None))) {
            return Ok(None);
        }
        let snapshot = Snapshot::take(path)?;
        let mut seen = None;
        let known = snapshot.read(|connection, state| {
            let Some(known) = find(connection)? else { return Ok(None) };
            let layout = Layout::of(connection, known.kind);
            let listing = listing(connection, known.kind, &layout, path)?;
            seen = state.map(|state| (state.clone(), Arc::new(layout)));
            Ok(Some((known, listing)))
        })?;
        let Some((Known { format, kind, shared }, listing)) = known else { return Ok(None) };
        let (path, layout) = (path.to_path_buf(), Mutex::new(seen));
        let store = Self { format, kind, path, listing, snapshot, layout };
        Ok(if !shared || store.is_ours()? { Some(store) } else { None })
    }

    /// Whether the database is this agent's, if other agents have such tables: its path shows it,
    /// or its content.
    fn is_ours(&self) -> Result<bool, DatabaseError> {
        if (self.kind.is_placed)(&shown(&self.path)) {
            return Ok(true);
        }
        match &*self.listing.owned {
            [] => Ok(!self.listing.unread.is_empty()),
            [whole] if whole.id.is_empty() => Ok(matches!(self.claim()?, Claim::Part { .. })),
            _ => Ok(true),
        }
    }

    /// The group of a database that holds a single session, as the format names it from the dump.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn group(&self) -> Result<String, DatabaseError> {
        match self.claim()? {
            Claim::Part { group, .. } => Ok(group),
            Claim::NoSession(_) | Claim::No => Ok(self.dump_path()),
        }
    }

    fn dump_path(&self) -> String {
        format!("{}{DUMP}", shown(&self.path))
    }

    /// The format's claim to the beginning of the dump.
    fn claim(&self) -> Result<Claim, DatabaseError> {
        let (dump, path) = (self.dump("", Some(END_BYTES))?, self.dump_path());
        Ok(self.format.claim(&Candidate::of(&path, &dump.bytes)))
    }

    /// Unknown content: tables and keys that are neither read nor known to hold no session, each
    /// with its number of rows. Keys are grouped by their beginnings.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn unknown(&self) -> Result<Vec<(String, u64)>, DatabaseError> {
        self.snapshot.read(|connection, _| unknown(connection, self.kind))
    }

    /// Notes on unusual conditions of the database.
    #[must_use]
    pub fn note(&self) -> Option<&'static str> {
        self.snapshot.note()
    }

    /// Writes the rows of one session (of all sessions if the id is empty), up to `limit` bytes.
    ///
    /// # Errors
    /// The database can't be read, or its dump is longer than a member may be.
    pub fn dump(&self, session: &str, limit: Option<usize>) -> Result<Dump, DatabaseError> {
        let mut dump = Dump::default();
        self.read(|connection, layout| {
            dump = Dump::of(connection, self.kind, layout, session, limit)?;
            Ok(())
        })?;
        Ok(dump)
    }

    /// Reads from the snapshot. The layout is read only if the database has changed since: each of
    /// its many sessions needs it, and so does each list.
    fn read<T>(
        &self,
        mut read: impl FnMut(&Connection, &Layout) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        self.snapshot.read(|connection, state| {
            let known = self.layout.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let same = known.filter(|(then, _)| Some(then) == state);
            let layout = same.map(|(_, layout)| layout).unwrap_or_else(|| {
                let layout = Arc::new(Layout::of(connection, self.kind));
                if let Some(state) = state {
                    let seen = Some((state.clone(), Arc::clone(&layout)));
                    *self.layout.lock().unwrap_or_else(PoisonError::into_inner) = seen;
                }
                layout
            });
            read(connection, &layout)
        })
    }
}
