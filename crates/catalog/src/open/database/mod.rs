//! Databases: the tables that the formats name, written as a dump. A database is read from a
//! snapshot. Neither it nor any file beside it is changed or locked.

mod copy;
mod dump;
mod fault;
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
pub use dump::Dump;
pub use fault::DatabaseError;
use known::{Known, known, unknown};
use layout::Layout;
pub(crate) use pool::keeping;
pub use rows::{Owned, OwnedSessions};
use snapshot::Snapshot;
use state::State;
pub(crate) use state::{has_log, is_beside, is_log};

/// Suffix of a dump's name, behind the database's name.
pub(crate) const DUMP: &str = ".dump.jsonl";

/// A database that a format knows.
pub struct Store {
    /// The format.
    pub format: &'static dyn Format,
    /// Which kind of database it is.
    pub kind: &'static Database,
    /// Path of the database.
    pub path: PathBuf,
    /// The sessions that it had rows of when it was opened.
    pub listing: OwnedSessions,
    snapshot: Snapshot,
    /// The layout as it was last seen, and in which state of the database.
    layout: Mutex<Option<(State, Arc<Layout>)>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.display())
    }
}

/// A part of a database that is a file to a session: the rows of one session.
#[derive(Clone)]
pub struct Selection {
    /// The database.
    pub store: Arc<Store>,
    /// The session; empty for all there is.
    pub session: String,
}

impl std::fmt::Debug for Selection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.store.path.display(), self.session)
    }
}

/// True for the beginning of a database.
pub(crate) fn is_one(head: &[u8]) -> bool {
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
    /// Opens the database at a path, or the database of that log (`…-wal`), if a format knows it.
    ///
    /// # Errors The file is no such database, or can't be read.
    pub fn open(formats: Formats<'_>, path: &Path) -> Result<Option<Self>, DatabaseError> {
        let shown = shown(path);
        let find = |connection: &Connection| known(formats, connection, &shown);
        // Nobody else's database is copied, for its log's sake or because it changes.
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

    /// Check of the owner, if other agents have such tables: by its place, or by its content.
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

    /// The group of a database that holds one session: the group of its dump in its format.
    ///
    /// # Errors The database can't be read.
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

    /// Unknown content, neither read nor known to hold no session: tables, and keys by their
    /// beginnings, with the numbers of their rows.
    ///
    /// # Errors The database can't be read.
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
    /// # Errors The database can't be read, or has more than a member can hold.
    pub fn dump(&self, session: &str, limit: Option<usize>) -> Result<Dump, DatabaseError> {
        let mut dump = Dump::default();
        self.read(|connection, layout| {
            dump = Dump::of(connection, self.kind, layout, session, limit)?;
            Ok(())
        })?;
        Ok(dump)
    }

    /// Reads from the snapshot. The layout is looked at once: a database has many sessions, and a
    /// list of them is read for each.
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
