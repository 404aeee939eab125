//! The index as the catalog asks it.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use catalog::{SessionFact, SessionIndex, Source};
use rusqlite::Connection;

use crate::database;
use crate::rows::{self, Row, TABLES, Table};
use crate::state::{self, Seen, State, seal};
use crate::trigrams::runs_in;

/// Number of rows that are read one by one. A command that asks for more probably asks for most of
/// them: then all are read at once.
const SOME: usize = 200;

/// An index that is read.
#[derive(Debug)]
pub struct Index {
    connection: Mutex<Connection>,
    reader: String,
    /// For each table, the number of rows that were asked for, and those that were read at once.
    asked: [AtomicUsize; TABLES],
    read: [Mutex<Option<HashMap<i64, Row>>>; TABLES],
    /// Whether each file may contain the runs of a search, with the state that it had.
    found: OnceLock<Found>,
    /// Whether the database could not be read: nothing in it is believed from then on.
    broken: AtomicBool,
}

#[derive(Debug)]
struct Found {
    runs: Vec<Vec<u8>>,
    /// The states of the files that do not contain the runs.
    without: HashMap<i64, State>,
}

impl Index {
    /// The index in this file. `None` if this reader has not made one.
    #[must_use]
    pub fn open(path: &Path, reader: &str) -> Option<Self> {
        database::open(path, reader).map(|connection| Self::of(connection, reader))
    }

    /// The same as a file that cannot be written to, and without a lock. `None` too if another
    /// process is writing it.
    ///
    /// If one begins to write it while it is read, what is read may be damaged. A damaged row is
    /// not believed, and behind a damaged page nothing is: then the files are read.
    #[must_use]
    pub fn open_at_rest(path: &Path, reader: &str) -> Option<Self> {
        database::open_at_rest(path, reader).map(|connection| Self::of(connection, reader))
    }

    pub(crate) fn of(connection: Connection, reader: &str) -> Self {
        Self {
            connection: Mutex::new(connection),
            reader: reader.to_owned(),
            asked: Default::default(),
            read: Default::default(),
            found: OnceLock::new(),
            broken: AtomicBool::new(false),
        }
    }

    /// The facts that a table has about these files, if they are as they were.
    fn get(&self, table: Table, seen: &Seen) -> Option<Vec<u8>> {
        if self.broken.load(Ordering::Relaxed) {
            return None;
        }
        let row = self.row(table, seen.place);
        let row = row.inspect_err(|_| self.broken.store(true, Ordering::Relaxed)).ok()??;
        row.of(&self.reader, table, seen)
    }

    fn row(&self, table: Table, place: i64) -> rusqlite::Result<Option<Row>> {
        let at = table as usize;
        // Those of all sessions would take too much memory.
        if table != Table::Findings && self.asked[at].fetch_add(1, Ordering::Relaxed) >= SOME {
            let mut read = guard(&self.read[at]);
            if read.is_none() {
                let mut all = HashMap::new();
                rows::all(&guard(&self.connection), table, |place, row| {
                    all.insert(place, row);
                })?;
                *read = Some(all);
            }
            // Each is mostly asked for once.
            if let Some(row) = read.as_mut().and_then(|all| all.remove(&place)) {
                return Ok(Some(row));
            }
        }
        rows::at(&guard(&self.connection), table, place)
    }

    /// The files that do not contain these runs.
    fn without(&self, runs: &[Vec<u8>]) -> HashMap<i64, State> {
        let mut without = HashMap::new();
        let table = Table::Trigrams;
        let read = rows::all(&guard(&self.connection), table, |place, row| {
            let seen = Seen { place, state: row.state };
            if runs_in(&row.packed, runs) == Some(false)
                && row.seal == seal(&self.reader, table.name(), &seen, &row.packed)
            {
                without.insert(place, row.state);
            }
        });
        if read.is_err() {
            self.broken.store(true, Ordering::Relaxed);
        }
        without
    }
}

impl SessionIndex for Index {
    fn of_file(&self, path: &Path) -> Option<(Vec<u8>, Metadata)> {
        let (seen, meta) = state::of_file(path, None)?;
        Some((self.get(Table::Claims, &seen)?, meta))
    }

    fn of_source(&self, fact: SessionFact, source: &Source) -> Option<Vec<u8>> {
        self.get(table(fact), &state::of_source(source, None)?)
    }

    fn findings(&self, rules: &str, source: &Source) -> Option<Vec<u8>> {
        if self.broken.load(Ordering::Relaxed) {
            return None;
        }
        let place = state::findings_place(source, rules)?;
        let row = self.row(Table::Findings, place);
        let row = row.inspect_err(|_| self.broken.store(true, Ordering::Relaxed)).ok()??;
        row.sealed(&self.reader, Table::Findings, place)
    }

    fn may_contain(&self, path: &Path, runs: &[Vec<u8>]) -> bool {
        let found = self.found.get_or_init(|| {
            let (runs, without) = (runs.to_vec(), self.without(runs));
            Found { runs, without }
        });
        let Some((seen, _)) = state::of_file(path, None) else { return true };
        found.runs != runs || found.without.get(&seen.place) != Some(&seen.state)
    }
}

/// The table of a fact.
pub(crate) const fn table(fact: SessionFact) -> Table {
    match fact {
        SessionFact::Entries => Table::Entries,
        SessionFact::Usages => Table::Usages,
    }
}

pub(crate) fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
