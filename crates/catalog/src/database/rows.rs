//! Which rows there are and whose they are: the questions asked of a database. Names of tables and
//! columns come from the formats, never from the database.

use std::collections::BTreeMap;

use formats::database::{Database, Rows, Table};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use session::Scan;

use super::{Fault, Listing, Owned};

/// The names of all tables.
pub(super) fn tables(connection: &Connection) -> Result<Vec<String>, Fault> {
    let mut query = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?;
    let names = query.query_map([], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// A table as the database has it.
pub(super) struct Shape {
    /// Its columns, in the order of the schema.
    pub columns: Vec<String>,
    /// The columns of its primary key, in order.
    key: Vec<String>,
    has_rowid: bool,
}

impl Shape {
    /// The shape of a table; `None` where the database has it not.
    pub(super) fn of(connection: &Connection, table: &str) -> Result<Option<Self>, Fault> {
        let mut query =
            connection.prepare("SELECT name, pk FROM pragma_table_info(?1) ORDER BY cid")?;
        let rows = query.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let columns: Vec<(String, u32)> = rows.collect::<Result<_, _>>()?;
        if columns.is_empty() {
            return Ok(None);
        }
        let mut key: Vec<_> = columns.iter().filter(|(_, place)| *place > 0).collect();
        key.sort_by_key(|(_, place)| *place);
        let key = key.into_iter().map(|(name, _)| name.clone()).collect();
        let rowid = format!("SELECT rowid FROM {} LIMIT 0", quoted(table));
        let has_rowid = connection.prepare(&rowid).is_ok();
        let columns = columns.into_iter().map(|(name, _)| name).collect();
        Ok(Some(Self { columns, key, has_rowid }))
    }

    pub(super) fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|name| name == column)
    }

    /// What names a row: its number, or its key.
    pub(super) fn names(&self) -> Vec<String> {
        if self.has_rowid || self.key.is_empty() {
            return vec!["rowid".to_owned()];
        }
        self.key.iter().map(|name| quoted(name)).collect()
    }
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
pub(super) fn owners(connection: &Connection, kind: &Database) -> Result<Listing, Fault> {
    let mut owners: BTreeMap<String, u64> = BTreeMap::new();
    let mut unread = Vec::new();
    for table in kind.tables {
        match of_table(connection, table, &mut owners) {
            Err(Fault::Sqlite(error)) => unread.push(format!("table {}: {error}", table.name)),
            other => other?,
        }
    }
    let owned = owners.into_iter().filter(|(id, _)| !id.is_empty());
    Ok(Listing { owned: owned.map(|(id, length)| Owned { id, length }).collect(), unread })
}

fn of_table(
    connection: &Connection,
    table: &Table,
    owners: &mut BTreeMap<String, u64>,
) -> Result<(), Fault> {
    let Some(shape) = Shape::of(connection, table.name)? else { return Ok(()) };
    let mut add = |id: &str, length: u64| *owners.entry(id.to_owned()).or_default() += length;
    match &table.rows {
        Rows::Of(column) if shape.has(column) => {
            let column = quoted(column);
            let asked = format!("CAST({column} AS TEXT), sum({})", lengths(&shape));
            let only = format!("{column} IS NOT NULL GROUP BY 1");
            lengths_by(connection, table, &asked, &only, &[], &mut add)
        }
        Rows::Keys { column, prefixes } if shape.has(column) => {
            let (only, values) = condition(table, "");
            let asked = format!("{}, {}", quoted(column), lengths(&shape));
            lengths_by(connection, table, &asked, &only, &values, &mut |key, length| {
                // A key without a value is what a deleted one leaves.
                if let Some(id) = owner(key, prefixes).filter(|_| length > key.len() as u64) {
                    add(id, length);
                }
            })
        }
        Rows::Lists { .. } => elements(connection, table, &mut |_, _, element| {
            if let Some(id) = &element.session {
                add(id, element.json.len() as u64);
            }
            Ok(())
        }),
        Rows::All | Rows::Of(_) | Rows::Named { .. } | Rows::Keys { .. } => Ok(()),
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

/// An element of a list of sessions.
pub(super) struct Element<'j> {
    /// The list.
    pub list: &'static str,
    /// The session that it is.
    pub session: Option<String>,
    /// Its JSON.
    pub json: &'j [u8],
}

/// What is done with each row of lists (its key, the row without the elements) and each element;
/// the row itself is the element without JSON.
type Found<'f> = dyn FnMut(&str, &[u8], &Element<'_>) -> Result<(), Fault> + 'f;

/// Goes over the lists of a table.
pub(super) fn elements(
    connection: &Connection,
    table: &Table,
    found: &mut Found<'_>,
) -> Result<(), Fault> {
    let Rows::Lists { column, value, lists } = &table.rows else { return Ok(()) };
    let (condition, keys) = condition(table, "");
    let (column, value, name) = (quoted(column), quoted(value), quoted(table.name));
    let sql = format!("SELECT {column}, {value} FROM {name} WHERE {condition} ORDER BY {column}");
    let mut query = connection.prepare(&sql)?;
    let mut rows = query.query(rusqlite::params_from_iter(keys))?;
    let mut scan = Scan::new();
    while let Some(row) = rows.next()? {
        let (ValueRef::Text(key), ValueRef::Text(json) | ValueRef::Blob(json)) =
            (row.get_ref(0)?, row.get_ref(1)?)
        else {
            continue;
        };
        let key = String::from_utf8_lossy(key);
        let list = lists.iter().find(|(known, ..)| *known == key);
        let Some((_, list, id)) = list.filter(|_| std::str::from_utf8(json).is_ok()) else {
            continue;
        };
        let Ok(doc) = scan.read(json, 0) else { continue };
        let Some(array) = doc.root().at(&[list]) else { continue };
        let span = array.span();
        let (before, after) = (&json[..span.start as usize], &json[span.end as usize..]);
        let rest = [before, b"[]", after].concat();
        found(&key, &rest, &Element { list, session: None, json: b"" })?;
        for element in array.elements() {
            let session = element.word(&[id]).map(session::value::unescape);
            let session = session.map(std::borrow::Cow::into_owned);
            found(&key, &rest, &Element { list, session, json: element.raw() })?;
        }
    }
    Ok(())
}
