//! Queries of a database: its tables, its columns, and the sessions of its rows.

use std::collections::BTreeMap;

use formats::database::{Database, Rows, Table};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::fault::DatabaseError;
use super::layout::{Layout, List, Shape};
use super::sql::{condition, owner, quoted};

/// Rows of one session in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// The session's id; empty if the database holds one session only.
    pub id: String,
    /// Approximate size of its rows, in bytes.
    pub length: u64,
}

/// The sessions of a database.
#[derive(Debug, Default)]
pub struct OwnedSessions {
    /// The sessions, in the order of their ids.
    pub owned: Vec<Owned>,
    /// Tables that can't be read, with the reasons.
    pub unread: Vec<String>,
}

/// The names of all tables except SQLite's own.
pub(super) fn tables(connection: &Connection) -> Result<Vec<String>, DatabaseError> {
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
    let mut query = connection.prepare(sql)?;
    let names = query.query_map([], |row| row.get::<_, String>(0))?;
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    Ok(names.into_iter().filter(|name| !name.starts_with("sqlite_")).collect())
}

/// The columns of a table, by their names in the database. Empty if they can't be read.
pub(super) fn columns(connection: &Connection, table: &str) -> Vec<String> {
    let read = || {
        let mut query = connection.prepare("SELECT name FROM pragma_table_xinfo(?1)")?;
        let names = query.query_map([table], |row| row.get(0))?;
        names.collect::<rusqlite::Result<_>>()
    };
    read().unwrap_or_default()
}

/// The sessions of a database's rows. A table that can't be read does not affect the others.
pub(super) fn owners(
    connection: &Connection,
    kind: &Database,
    layout: &Layout,
) -> Result<OwnedSessions, DatabaseError> {
    let mut owners: BTreeMap<String, u64> = BTreeMap::new();
    let mut unread = Vec::new();
    for table in kind.tables {
        let mut add = |id: &str, length: u64| match owners.get_mut(id) {
            Some(known) => *known = known.saturating_add(length),
            None => drop(owners.insert(id.to_owned(), length)),
        };
        let read = match layout.shape(table.name) {
            Ok(Some(shape)) => of_table(connection, table, shape, &mut add),
            Ok(None) => continue,
            Err(why) => {
                unread.push(format!("table {}: {why}", table.name));
                continue;
            }
        };
        unread.extend(layout.lack(table));
        match read {
            Err(DatabaseError::Sqlite(error)) => {
                unread.push(format!("table {}: {error}", table.name))
            }
            other => other?,
        }
        if let Some(lists) = layout.lists(table.name) {
            let sessions = lists.lists.iter().flat_map(List::sessions);
            sessions.for_each(|(id, length)| add(id, length));
            let fault = lists.fault.iter();
            unread.extend(fault.map(|why| format!("table {}: {why}", table.name)));
        }
    }
    let owned = owners.into_iter().filter(|(id, _)| !id.is_empty());
    Ok(OwnedSessions { owned: owned.map(|(id, length)| Owned { id, length }).collect(), unread })
}

fn of_table(
    connection: &Connection,
    table: &Table,
    shape: &Shape,
    add: &mut dyn FnMut(&str, u64),
) -> Result<(), DatabaseError> {
    match &table.rows {
        Rows::Of(column) if shape.has(column) => {
            let column = quoted(column);
            // Not `GROUP BY`: SQLite would sort whole rows with their long values.
            let asked = format!("CAST({column} AS TEXT), {}", lengths(shape));
            let only = format!("{column} IS NOT NULL");
            lengths_by(connection, table, &asked, &only, &[], add)
        }
        Rows::Keys { column, prefixes, .. } if shape.has(column) => {
            let (only, values) = condition(table, "");
            let asked = format!("{}, {}", quoted(column), lengths(shape));
            lengths_by(connection, table, &asked, &only, &values, &mut |key, length| {
                // A key that the agent deleted may remain without a value.
                if let Some(id) = owner(key, prefixes).filter(|_| length > key.len() as u64) {
                    add(id, length);
                }
            })
        }
        _ => Ok(()),
    }
}

/// Selects pairs of a text and a length, and passes them to `add`.
fn lengths_by(
    connection: &Connection,
    table: &Table,
    asked: &str,
    only: &str,
    values: &[String],
    add: &mut dyn FnMut(&str, u64),
) -> Result<(), DatabaseError> {
    let name = quoted(table.name);
    let mut query = connection.prepare(&format!("SELECT {asked} FROM {name} WHERE {only}"))?;
    let mut rows = query.query(rusqlite::params_from_iter(values))?;
    while let Some(row) = rows.next()? {
        if let ValueRef::Text(text) = row.get_ref(0)? {
            add(&String::from_utf8_lossy(text), row.get::<_, i64>(1)?.unsigned_abs());
        }
    }
    Ok(())
}

/// SQL expression for the size of a row. It does not load long values.
fn lengths(shape: &Shape) -> String {
    let column = |name: &String| format!("ifnull(octet_length({}), 0)", quoted(name));
    shape.columns.iter().map(column).collect::<Vec<_>>().join(" + ")
}
