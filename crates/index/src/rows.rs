//! The rows of the database: reading, writing and removing them.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::state::{Seen, State, seal};

/// A table of the database. All have the same columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    /// The claims to files: which agent wrote them.
    Claims,
    /// The trigrams of a file.
    Trigrams,
    /// The entries of sessions in a list.
    Entries,
    /// The usages of a session.
    Usages,
    /// The places that a redaction of a session replaced.
    Findings,
}

/// Number of tables.
pub(crate) const TABLES: usize = 5;

impl Table {
    pub(crate) const ALL: [Self; TABLES] =
        [Self::Claims, Self::Trigrams, Self::Entries, Self::Usages, Self::Findings];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Claims => "claims",
            Self::Trigrams => "trigrams",
            Self::Entries => "entries",
            Self::Usages => "usages",
            Self::Findings => "findings",
        }
    }
}

/// A row as it is stored.
#[derive(Debug)]
pub(crate) struct Row {
    pub state: State,
    pub packed: Vec<u8>,
    pub seal: i64,
}

impl Row {
    /// The content of the row, if the files have not changed since and the row is not damaged.
    pub(crate) fn of(self, reader: &str, table: Table, seen: &Seen) -> Option<Vec<u8>> {
        let is_same =
            self.state == seen.state && self.seal == seal(reader, table.name(), seen, &self.packed);
        is_same.then_some(self.packed)
    }

    /// The content of the row, whatever became of the files, if the row is not damaged.
    pub(crate) fn sealed(self, reader: &str, table: Table, place: i64) -> Option<Vec<u8>> {
        let seen = Seen { place, state: self.state };
        self.of(reader, table, &seen)
    }
}

fn row(row: &rusqlite::Row<'_>, from: usize) -> rusqlite::Result<Row> {
    let state = row.get_ref(from)?.as_blob()?;
    // A state of another length is that of no file.
    let state = state.try_into().unwrap_or_default();
    Ok(Row { state, packed: row.get(from + 1)?, seal: row.get(from + 2)? })
}

/// The row at a place.
pub(crate) fn at(
    connection: &Connection,
    table: Table,
    place: i64,
) -> rusqlite::Result<Option<Row>> {
    let query = format!("SELECT state, packed, seal FROM {} WHERE place = ?1", table.name());
    connection.prepare_cached(&query)?.query_row([place], |found| row(found, 0)).optional()
}

/// All rows of a table.
pub(crate) fn all(
    connection: &Connection,
    table: Table,
    mut see: impl FnMut(i64, Row),
) -> rusqlite::Result<()> {
    let query = format!("SELECT place, state, packed, seal FROM {}", table.name());
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query([])?;
    while let Some(found) = rows.next()? {
        see(found.get(0)?, row(found, 1)?);
    }
    Ok(())
}

/// For each table, the states of its rows by their places.
pub(crate) type States = [HashMap<i64, State>; TABLES];

/// The states of all rows. Rows that are damaged have none.
pub(crate) fn states(connection: &Connection, reader: &str) -> rusqlite::Result<States> {
    let mut states = States::default();
    for table in Table::ALL {
        all(connection, table, |place, row| {
            let seen = Seen { place, state: row.state };
            if row.of(reader, table, &seen).is_some() {
                states[table as usize].insert(place, seen.state);
            }
        })?;
    }
    Ok(states)
}

/// Puts a row in the place of an older one.
pub(crate) fn put(
    connection: &Connection,
    (reader, table): (&str, Table),
    seen: &Seen,
    packed: &[u8],
) -> rusqlite::Result<()> {
    let name = table.name();
    let query = format!("REPLACE INTO {name} (place, state, packed, seal) VALUES (?1, ?2, ?3, ?4)");
    let seal = seal(reader, name, seen, packed);
    let row = params![seen.place, seen.state.as_slice(), packed, seal];
    connection.prepare_cached(&query)?.execute(row).map(|_| ())
}

/// Removes the row at a place.
pub(crate) fn remove(connection: &Connection, table: Table, place: i64) -> rusqlite::Result<()> {
    let query = format!("DELETE FROM {} WHERE place = ?1", table.name());
    connection.prepare_cached(&query)?.execute([place]).map(|_| ())
}

/// Removes the rows at all other places. Returns their number.
pub(crate) fn retain(
    connection: &Connection,
    table: Table,
    places: &HashSet<i64>,
) -> rusqlite::Result<usize> {
    let query = format!("SELECT place FROM {}", table.name());
    let mut statement = connection.prepare(&query)?;
    let all: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let gone: Vec<i64> = all.into_iter().filter(|place| !places.contains(place)).collect();
    gone.iter().try_for_each(|place| remove(connection, table, *place))?;
    Ok(gone.len())
}
