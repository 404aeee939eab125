//! Database detection: its kind, and the content that its kind does not name.

use std::collections::BTreeMap;

use formats::database::{Database, Keyed, Mark, Rows};
use formats::{Format, Formats};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::fault::Fault;
use super::rows::{columns, tables};
use super::sql::quoted;

/// Kind of a database.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// Whose.
    pub format: &'static dyn Format,
    /// Which kind.
    pub kind: &'static Database,
    /// Other programs have such tables too.
    pub shared: bool,
}

/// The kind of the database at a path. It follows from tables and columns of one agent alone, else
/// from its place, else from shared tables.
pub(super) fn known(
    formats: Formats<'_>,
    connection: &Connection,
    path: &str,
) -> Result<Option<Known>, Fault> {
    let names = tables(connection)?;
    let mut seen: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut has = |table: &str, columns_of: &[&str]| {
        let Some(name) = names.iter().find(|name| name.eq_ignore_ascii_case(table)) else {
            return false;
        };
        let found = seen.entry(name).or_insert_with(|| columns(connection, name));
        let is = |column: &str| found.iter().any(|name| name.eq_ignore_ascii_case(column));
        columns_of.iter().all(|column| is(column))
    };
    let mut fits = |mark: &Mark| {
        mark.tables.iter().all(|(table, columns)| has(table, columns))
            && !mark.without.iter().any(|(table, column)| has(table, &[column]))
    };
    let mut shared = None;
    for format in formats {
        for kind in format.databases() {
            let one = |shared| Known { format: *format, kind, shared };
            if kind.marks.iter().any(|mark| !mark.shared && fits(mark)) {
                return Ok(Some(one(false)));
            }
            if shared.is_none() && kind.marks.iter().any(|mark| mark.shared && fits(mark)) {
                shared = Some(one(true));
            }
        }
    }
    let is_read = |kind: &Database| {
        let mut read = kind.tables.iter().map(|table| table.name);
        read.any(|table| names.iter().any(|name| name.eq_ignore_ascii_case(table)))
    };
    for format in formats {
        let mut kinds = format.databases().iter();
        if let Some(kind) = kinds.find(|kind| (kind.is_placed)(path) && is_read(kind)) {
            return Ok(Some(Known { format: *format, kind, shared: false }));
        }
    }
    Ok(shared)
}

/// Unknown content of a database, neither read nor known to hold no session: tables, and keys by
/// their beginnings, each with the number of its rows. No value is read.
pub(super) fn unknown(
    connection: &Connection,
    kind: &Database,
) -> Result<Vec<(String, u64)>, Fault> {
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
        } else if !kind.tables.iter().any(|table| is(table.name))
            && !kind.known.iter().any(|known| is(known))
        {
            let sql = format!("SELECT count(*) FROM {}", quoted(&name));
            // A table that can't be counted still exists.
            let count = connection.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap_or(0);
            found.push((format!("table {name}"), count.unsigned_abs()));
        }
    }
    Ok(found)
}

/// The beginnings of keys that are neither read nor known, and how many keys have each.
fn keys(
    connection: &Connection,
    kind: &Database,
    keyed: &Keyed,
) -> Result<BTreeMap<String, u64>, Fault> {
    let (column, name) = (quoted(keyed.column), quoted(keyed.table));
    let mut query = connection.prepare(&format!("SELECT {column} FROM {name}"))?;
    let mut rows = query.query([])?;
    let mut found: BTreeMap<String, u64> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let ValueRef::Text(key) = row.get_ref(0)? else { continue };
        let key = String::from_utf8_lossy(key);
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

/// The beginning of a key, which shows its kind: ids, paths and numbers follow it.
fn beginning(key: &str) -> &str {
    let end = key.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '.' | '_' | '-')));
    match &key[..end.unwrap_or(key.len())] {
        "" => "(without a name)",
        begin => begin,
    }
}
