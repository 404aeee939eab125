//! Databases: what the formats name of them, written out as a dump. A database is read from a
//! snapshot; neither it nor anything beside it is changed or locked.

mod claims;
mod dump;
mod json;
mod kept;
mod layout;
mod rows;
mod snapshot;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use formats::database::{Database, Rows};
use formats::{Candidate, Claim, Format, Tail};
use rusqlite::Connection;

use crate::Formats;
use crate::claim::{absolute, slashed};
use crate::open::END_BYTES;
pub(crate) use claims::claims;
pub use dump::Dump;
pub(crate) use kept::keeping;
use layout::Layout;
use snapshot::{Snapshot, State};
pub(crate) use snapshot::{has_log, is_beside};

/// How a dump is called: the database's name and this.
pub(crate) const DUMP: &str = ".dump.jsonl";

/// Why a database can't be read.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The system does not let us.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// SQLite can't make sense of it.
    #[error("SQLite: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// Someone writes to it all the time.
    #[error("it changed whenever it was read; try again when the agent rests")]
    Restless,
    /// There is more than a member can hold.
    #[error("its dump is longer than a session's file can be")]
    Long,
}

/// A database that a format knows.
pub struct Store {
    /// The format.
    pub format: &'static dyn Format,
    /// Which kind of database it is.
    pub kind: &'static Database,
    /// Where it is.
    pub path: PathBuf,
    /// The sessions that it had rows of when it was opened.
    pub listing: Listing,
    snapshot: Snapshot,
    /// The layout as it was last seen, and in which state of the database.
    layout: Mutex<Option<(State, Arc<Layout>)>>,
}

/// What a database has of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// The session's id; empty where the database holds one session only.
    pub id: String,
    /// About how many bytes its rows have.
    pub length: u64,
}

/// The sessions of a database.
#[derive(Debug, Default)]
pub struct Listing {
    /// The sessions, in the order of their ids.
    pub owned: Vec<Owned>,
    /// Tables that can't be read: which, and why.
    pub unread: Vec<String>,
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

/// The format, and the kind of database, that has such tables.
fn known(
    formats: Formats<'_>,
    tables: &[String],
) -> Option<(&'static dyn Format, &'static Database)> {
    let has = |marks: &&'static [&'static str]| {
        marks.iter().all(|mark| tables.iter().any(|table| table == mark))
    };
    formats.iter().find_map(|format| {
        let kind = format.databases().iter().find(|kind| kind.marks.iter().any(&has))?;
        Some((*format, kind))
    })
}

/// The sessions of a database.
fn listing(
    connection: &Connection,
    kind: &Database,
    layout: &Layout,
    path: &Path,
) -> Result<Listing, Fault> {
    if kind.tables.iter().all(|table| matches!(table.rows, Rows::All)) {
        let length = std::fs::metadata(path).map_or(0, |meta| meta.len());
        let owned = vec![Owned { id: String::new(), length }];
        return Ok(Listing { owned, unread: Vec::new() });
    }
    rows::owners(connection, kind, layout)
}

impl Store {
    /// Opens the database at a path, or the one whose log (`…-wal`) that is, if a format knows it.
    ///
    /// # Errors
    /// Where it is none, or can't be read.
    pub fn open(formats: Formats<'_>, path: &Path) -> Result<Option<Self>, Fault> {
        // Nobody else's database is copied, for its log's sake or because it changes.
        let glimpse = Snapshot::glimpse(path, rows::tables).unwrap_or_default();
        if !glimpse.is_empty() && known(formats, &glimpse).is_none() {
            return Ok(None);
        }
        let snapshot = Snapshot::take(path)?;
        let mut seen = None;
        let known = snapshot.read(|connection, state| {
            let Some(known) = known(formats, &rows::tables(connection)?) else { return Ok(None) };
            let layout = Layout::of(connection, known.1);
            let listing = listing(connection, known.1, &layout, path)?;
            seen = state.map(|state| (state.clone(), Arc::new(layout)));
            Ok(Some((known, listing)))
        })?;
        let Some(((format, kind), listing)) = known else { return Ok(None) };
        let (path, layout) = (path.to_path_buf(), Mutex::new(seen));
        Ok(Some(Self { format, kind, path, listing, snapshot, layout }))
    }

    /// The group of a database that holds one session: what the format calls its dump.
    ///
    /// # Errors
    /// Where it can't be read.
    pub fn group(&self) -> Result<String, Fault> {
        let dump = self.dump("", Some(END_BYTES))?;
        let path = format!("{}{DUMP}", slashed(&absolute(&self.path)));
        let (head, length) = (dump.bytes.as_slice(), dump.bytes.len() as u64);
        let head = &head[..head.len().min(END_BYTES)];
        match self.format.claim(&Candidate { path: &path, head, tail: Tail::Is(b""), length }) {
            Claim::Part { group, .. } => Ok(group),
            Claim::NoSession(_) | Claim::No => Ok(path),
        }
    }

    /// What is out of the ordinary about it.
    #[must_use]
    pub fn note(&self) -> Option<&'static str> {
        self.snapshot.note()
    }

    /// Writes the rows of one session (of all, where the id is empty) out, until `limit` bytes are
    /// reached.
    ///
    /// # Errors
    /// Where it can't be read, or has more than a member can hold.
    pub fn dump(&self, session: &str, limit: Option<usize>) -> Result<Dump, Fault> {
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
        mut read: impl FnMut(&Connection, &Layout) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
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
