//! Which rows there are and whose they are: the questions asked of a database. Names of tables and
//! columns come from the formats, never from the database.

use std::collections::BTreeMap;

use formats::database::{Database, Rows, Table};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::layout::{Layout, List, Shape};
use super::{Fault, Listing, Owned};

/// The names of all tables; SQLite's own are left out.
pub(super) fn tables(connection: &Connection) -> Result<Vec<String>, Fault> {
    let sql = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name";
    let mut query = connection.prepare(sql)?;
    let names = query.query_map([], |row| row.get::<_, String>(0))?;
    let names: Vec<String> = names.collect::<Result<_, _>>()?;
    Ok(names.into_iter().filter(|name| !name.starts_with("sqlite_")).collect())
}

/// The columns of a table, by their names in the database; none where they can't be told.
pub(super) fn columns(connection: &Connection, table: &str) -> Vec<String> {
    let read = || {
        let mut query = connection.prepare("SELECT name FROM pragma_table_xinfo(?1)")?;
        let names = query.query_map([table], |row| row.get(0))?;
        names.collect::<rusqlite::Result<_>>()
    };
    read().unwrap_or_default()
}

/// A name as SQL writes it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The condition that a row of the table is the session's, with its parameters; all that are read,
/// where the session is empty.
pub(super) fn condition(table: &Table, session: &str) -> (String, Vec<String>) {
    let all = session.is_empty();
    let one = || vec![session.to_owned()];
    match &table.rows {
        Rows::All => ("1".to_owned(), Vec::new()),
        Rows::Of(column) if all => (format!("{} IS NOT NULL", quoted(column)), Vec::new()),
        Rows::Of(column) => (format!("{} = ?1", quoted(column)), one()),
        Rows::Named { column, by, id, naming } => {
            let inner = format!("SELECT {} FROM {}", quoted(naming), quoted(by));
            let only = if all { String::new() } else { format!(" WHERE {} = ?1", quoted(id)) };
            let condition = format!("{} IN ({inner}{only})", quoted(column));
            (condition, if all { Vec::new() } else { one() })
        }
        Rows::Keys { column, prefixes } => keys(column, prefixes, session),
        Rows::Lists { column, lists, .. } => {
            let keys: Vec<String> = lists.iter().map(|(key, ..)| (*key).to_owned()).collect();
            let marks: Vec<String> = (1..=keys.len()).map(|at| format!("?{at}")).collect();
            (format!("{} IN ({})", quoted(column), marks.join(", ")), keys)
        }
    }
}

/// Ranges of keys, so that no other key is so much as looked at.
fn keys(column: &str, prefixes: &[&str], session: &str) -> (String, Vec<String>) {
    let column = quoted(column);
    let (mut ranges, mut values) = (Vec::new(), Vec::new());
    let mut range = |from: String, to: String| {
        let at = values.len();
        ranges.push(format!("({column} >= ?{} AND {column} < ?{})", at + 1, at + 2));
        values.extend([from, to]);
    };
    for prefix in prefixes {
        let stem = format!("{prefix}{session}");
        if session.is_empty() {
            range(stem.clone(), after(&stem));
        } else {
            // The key itself, and those that go on behind a colon.
            range(stem.clone(), format!("{stem}\u{1}"));
            range(format!("{stem}:"), format!("{stem};"));
        }
    }
    (ranges.join(" OR "), values)
}

/// The first text behind all that begin with `prefix`, which ends with a colon.
fn after(prefix: &str) -> String {
    prefix
        .strip_suffix(':')
        .map_or_else(|| format!("{prefix}\u{10ffff}"), |stem| format!("{stem};"))
}

/// The session that a key names.
pub(super) fn owner<'k>(key: &'k str, prefixes: &[&str]) -> Option<&'k str> {
    let rest = prefixes.iter().find_map(|prefix| key.strip_prefix(prefix))?;
    Some(rest.split(':').next().unwrap_or(rest)).filter(|id| !id.is_empty())
}

/// The sessions that the rows of a database belong to. A table that can't be read takes nothing
/// from the others.
pub(super) fn owners(
    connection: &Connection,
    kind: &Database,
    layout: &Layout,
) -> Result<Listing, Fault> {
    let mut owners: BTreeMap<String, u64> = BTreeMap::new();
    let mut unread = Vec::new();
    for table in kind.tables {
        let mut add = |id: &str, length: u64| *owners.entry(id.to_owned()).or_default() += length;
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
            Err(Fault::Sqlite(error)) => unread.push(format!("table {}: {error}", table.name)),
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
    Ok(Listing { owned: owned.map(|(id, length)| Owned { id, length }).collect(), unread })
}

fn of_table(
    connection: &Connection,
    table: &Table,
    shape: &Shape,
    add: &mut dyn FnMut(&str, u64),
) -> Result<(), Fault> {
    match &table.rows {
        Rows::Of(column) if shape.has(column) => {
            let column = quoted(column);
            let asked = format!("CAST({column} AS TEXT), sum({})", lengths(shape));
            let only = format!("{column} IS NOT NULL GROUP BY 1");
            lengths_by(connection, table, &asked, &only, &[], add)
        }
        Rows::Keys { column, prefixes } if shape.has(column) => {
            let (only, values) = condition(table, "");
            let asked = format!("{}, {}", quoted(column), lengths(shape));
            lengths_by(connection, table, &asked, &only, &values, &mut |key, length| {
                // A key without a value is what a deleted one leaves.
                if let Some(id) = owner(key, prefixes).filter(|_| length > key.len() as u64) {
                    add(id, length);
                }
            })
        }
        _ => Ok(()),
    }
}

/// Asks for texts and lengths.
fn lengths_by(
    connection: &Connection,
    table: &Table,
    asked: &str,
    only: &str,
    values: &[String],
    add: &mut dyn FnMut(&str, u64),
) -> Result<(), Fault> {
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

/// The bytes of a row, without reading long values.
fn lengths(shape: &Shape) -> String {
    let column = |name: &String| format!("ifnull(octet_length({}), 0)", quoted(name));
    shape.columns.iter().map(column).collect::<Vec<_>>().join(" + ")
}
