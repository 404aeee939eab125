//! Database detection: the format and kind of a database, and the content that its kind does not
//! list.

use std::borrow::Cow;
use std::collections::BTreeMap;

use formats::database::{Database, Keyed, Rows, Signature, Table};
use formats::{Format, Formats};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::fault::DatabaseError;
use super::rows::{columns, tables};
use super::sql::quoted;

/// Kind of a database.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// The format.
    pub format: &'static dyn Format,
    /// The kind of database in this format.
    pub kind: &'static Database,
    /// Whether other programs have such tables too.
    pub shared: bool,
}

/// The format and kind of the database at a path. The evidence is tried in this order: tables and
/// columns of one agent alone, the path, most of a kind's tables and columns, shared tables.
pub(super) fn known(
    formats: Formats<'_>,
    connection: &Connection,
    path: &str,
) -> Result<Option<Known>, DatabaseError> {
    let mut tables = Tables::of(connection)?;
    let mut shared = None;
    for format in formats {
        for kind in format.data().databases {
            let one = |shared| Known { format: *format, kind, shared };
            if kind.marks.iter().any(|mark| !mark.shared && tables.fits(mark)) {
                return Ok(Some(one(false)));
            }
            if shared.is_none() && kind.marks.iter().any(|mark| mark.shared && tables.fits(mark)) {
                shared = Some(one(true));
            }
        }
    }
    let kinds =
        || formats.iter().flat_map(|format| format.data().databases.iter().map(|k| (*format, k)));
    let placed = kinds().find(|(_, kind)| (kind.is_placed)(path) && tables.of_kind(kind).0 > 0);
    let drifted = placed.or_else(|| kinds().find(|(_, kind)| tables.resemble(kind)));
    Ok(drifted.map(|(format, kind)| Known { format, kind, shared: false }).or(shared))
}

/// The tables of a database. Columns are read when they are first compared.
struct Tables<'c> {
    connection: &'c Connection,
    names: Vec<String>,
    columns: BTreeMap<usize, Vec<String>>,
}

impl<'c> Tables<'c> {
    fn of(connection: &'c Connection) -> Result<Self, DatabaseError> {
        Ok(Self { connection, names: tables(connection)?, columns: BTreeMap::new() })
    }

    /// The columns of a table; `None` if there is no such table.
    fn columns(&mut self, table: &str) -> Option<&[String]> {
        let at = self.names.iter().position(|name| name.eq_ignore_ascii_case(table))?;
        let read = || columns(self.connection, &self.names[at]);
        Some(self.columns.entry(at).or_insert_with(read))
    }

    /// Number of named columns that a table has; `None` if there is no such table.
    fn count(&mut self, table: &str, named: &[&str]) -> Option<usize> {
        let found = self.columns(table)?;
        let is = |column: &&&str| found.iter().any(|name| name.eq_ignore_ascii_case(column));
        Some(named.iter().filter(is).count())
    }

    fn has(&mut self, table: &str, named: &[&str]) -> bool {
        self.count(table, named) == Some(named.len())
    }

    fn fits(&mut self, mark: &Signature) -> bool {
        mark.tables.iter().all(|(table, columns)| self.has(table, columns)) && !self.differs(mark)
    }

    /// Whether the database has a column that marks another program's.
    fn differs(&mut self, mark: &Signature) -> bool {
        mark.without.iter().any(|(table, column)| self.has(table, &[column]))
    }

    /// Counts for a kind: how many of its tables exist, how many of their named columns exist, and
    /// how many columns it names in these tables.
    fn of_kind(&mut self, kind: &Database) -> (usize, usize, usize) {
        let (mut tables, mut found, mut named) = (0, 0, 0);
        for table in kind.tables {
            let columns = kind.columns(table.name);
            if let Some(count) = self.count(table.name, &columns) {
                (tables, found, named) = (tables + 1, found + count, named + columns.len());
            }
        }
        (tables, found, named)
    }

    /// Whether most of a kind's tables exist, with most of their columns. It recognizes a database
    /// after renamings, because no other program has so many of them. If the kind's tables are
    /// shared, it proves nothing.
    fn resemble(&mut self, kind: &Database) -> bool {
        if kind.marks.iter().all(|mark| mark.shared)
            || kind.marks.iter().any(|mark| self.differs(mark))
        {
            return false;
        }
        let (tables, found, named) = self.of_kind(kind);
        tables > 1 && tables * 2 >= kind.tables.len() && found * 2 > named
    }
}

/// Unknown content of a database: tables and keys that are neither read nor known to hold no
/// session, each with its number of rows. Keys are grouped by their beginnings. No value is read.
pub(super) fn unknown(
    connection: &Connection,
    kind: &Database,
) -> Result<Vec<(String, u64)>, DatabaseError> {
    let mut found = Vec::new();
    for name in tables(connection)? {
        let is = |known: &str| match known.strip_suffix('*') {
            Some(begin) => name.get(..begin.len()).is_some_and(|n| n.eq_ignore_ascii_case(begin)),
            None => known.eq_ignore_ascii_case(&name),
        };
        if let Some(keyed) = kind.keyed.iter().find(|keyed| is(keyed.table)) {
            let keys = keys(connection, kind, keyed)?;
            let told = |(key, count)| (format!("keys {key} of table {}", keyed.table), count);
            found.extend(keys.into_iter().map(told));
        } else if let Some(table) = kind.tables.iter().find(|table| is(table.name)) {
            let nobody = of_nobody(connection, table);
            if nobody > 0 {
                found.push((format!("rows of table {} without a session", table.name), nobody));
            }
            let rows = count(connection, &name, "true");
            let odd = odd_columns(connection, kind, table.name);
            found.extend(odd.into_iter().map(|what| (what, rows)));
        } else if !kind.known.iter().any(|known| is(known)) {
            found.push((format!("table {name}"), count(connection, &name, "true")));
        }
    }
    Ok(found)
}

/// Columns of a table that is read: those that every generation has and this one lacks, and unknown
/// ones that are computed when they are read, so that nobody reads them.
fn odd_columns(connection: &Connection, kind: &Database, table: &str) -> Vec<String> {
    let there = columns(connection, table);
    let has = |name: &str| there.iter().any(|there| there.eq_ignore_ascii_case(name));
    let marks = || kind.marks.iter().flat_map(|mark| mark.tables).filter(|mark| mark.0 == table);
    let always = |name: &&&str| marks().all(|(_, columns)| columns.contains(*name));
    let first = marks().next().map_or(&[][..], |(_, columns)| *columns);
    let lacks = first.iter().filter(always).filter(|name| !has(name));
    let mut odd: Vec<String> =
        lacks.map(|name| format!("table {table} without column {name}")).collect();
    let known = kind.columns(table);
    let computed = computed(connection, table).into_iter();
    let computed =
        computed.filter(|name| !known.iter().any(|known| known.eq_ignore_ascii_case(name)));
    odd.extend(computed.map(|name| format!("computed column {name} of table {table}")));
    odd
}

/// The columns of a table that SQLite computes when they are read.
fn computed(connection: &Connection, table: &str) -> Vec<String> {
    let sql = "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 2";
    let read = || -> rusqlite::Result<Vec<String>> {
        let mut query = connection.prepare(sql)?;
        query.query_map([table], |row| row.get(0))?.collect()
    };
    read().unwrap_or_default()
}

/// Number of rows without a session's id. They are in no session's dump.
fn of_nobody(connection: &Connection, table: &Table) -> u64 {
    let Rows::Of(column) = &table.rows else { return 0 };
    // A missing column is reported separately.
    let is_there = columns(connection, table.name);
    if !is_there.iter().any(|name| name.eq_ignore_ascii_case(column)) {
        return 0;
    }
    let column = quoted(column);
    count(connection, table.name, &format!("{column} IS NULL OR CAST({column} AS TEXT) = ''"))
}

/// Number of rows in a table that meet a condition; 0 if they can't be counted.
fn count(connection: &Connection, table: &str, only: &str) -> u64 {
    let sql = format!("SELECT count(*) FROM {} WHERE {only}", quoted(table));
    connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap_or(0).unsigned_abs()
}

/// Beginnings of keys that are neither read nor known, with the number of keys for each.
fn keys(
    connection: &Connection,
    kind: &Database,
    keyed: &Keyed,
) -> Result<BTreeMap<String, u64>, DatabaseError> {
    // SQLite treats the quoted name of a missing column as a string.
    let is_key = |column: &String| column.eq_ignore_ascii_case(keyed.column);
    if !columns(connection, keyed.table).iter().any(is_key) {
        return Ok(BTreeMap::new());
    }
    let (column, name) = (quoted(keyed.column), quoted(keyed.table));
    let mut query = connection.prepare(&format!("SELECT {column} FROM {name}"))?;
    let mut rows = query.query([])?;
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let key = match row.get_ref(0)? {
            ValueRef::Text(key) => String::from_utf8_lossy(key),
            ValueRef::Null => Cow::Borrowed(""),
            _ => continue,
        };
        let begins = |begins: &[&str]| begins.iter().any(|begin| key.starts_with(begin));
        let ours = keyed.of.is_empty() || begins(keyed.of);
        if ours && !begins(keyed.known) && !is_read(kind, keyed.table, &key) {
            *found.entry(beginning(&key).to_owned()).or_default() += 1;
        }
    }
    Ok(found)
}

fn is_read(kind: &Database, table: &str, key: &str) -> bool {
    let mut of_table = kind.tables.iter().filter(|read| read.name == table);
    of_table.any(|read| match &read.rows {
        Rows::Keys { prefixes, .. } => prefixes.iter().any(|prefix| key.starts_with(prefix)),
        Rows::Lists { lists, .. } => lists.iter().any(|(known, ..)| *known == key),
        _ => true,
    })
}

/// The beginning of a key, which shows its type. The rest is an id, a path or a number.
fn beginning(key: &str) -> &str {
    let end = key.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '.' | '_' | '-')));
    match &key[..end.unwrap_or(key.len())] {
        "" => "(without a name)",
        begin => begin,
    }
}
