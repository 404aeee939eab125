//! Dump of a database: one line for each row. Tables have the format's order. Rows are sorted by
//! their row numbers, or by their keys if a table has no row numbers.

use formats::database::{Column, Database, Rows, Table};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};
use session::MEMBER_LIMIT;
use session::Sorting as _;
use session::value::quote;

use super::fault::DatabaseError;
use super::json::{Writer, splice};
use super::layout::{Layout, Lists, Shape};
use super::sql::{condition, quoted};

/// Suffix of a dump's name, after the database's name.
pub const DUMP: &str = ".dump.jsonl";

/// Content of a database for one session.
#[derive(Debug, Default)]
pub struct Dump {
    /// The lines.
    pub bytes: Vec<u8>,
    /// Rows and tables that can't be read: the place and the reason.
    pub unread: Vec<String>,
}

impl Dump {
    pub(super) fn of(
        connection: &Connection,
        kind: &Database,
        layout: &Layout,
        session: &str,
        limit: Option<usize>,
    ) -> Result<Self, DatabaseError> {
        let room = limit.unwrap_or(MEMBER_LIMIT);
        let mut lines =
            Lines { dump: Self::default(), writer: Writer::default(), room, part: limit.is_some() };
        for table in kind.tables {
            let whole = match lines.table(connection, layout, table, session) {
                Ok(whole) => whole,
                // A fault in one table does not affect the others.
                Err(DatabaseError::Sqlite(error)) => {
                    lines.dump.unread.push(format!("table {}: {error}", table.name));
                    true
                }
                Err(error) => return Err(error),
            };
            match (whole, limit) {
                (true, _) => {}
                (false, Some(_)) => break,
                (false, None) => return Err(DatabaseError::Long),
            }
        }
        Ok(lines.dump)
    }
}

struct Lines {
    dump: Dump,
    writer: Writer,
    room: usize,
    /// Whether only the part that a list needs is requested.
    part: bool,
}

/// Maximum length of a value that a list reads, in bytes.
const LONGEST: usize = 16 * 1024 * 1024;

impl Lines {
    /// Writes the rows of a table. Returns false if the limit is reached.
    fn table(
        &mut self,
        connection: &Connection,
        layout: &Layout,
        table: &Table,
        session: &str,
    ) -> Result<bool, DatabaseError> {
        let unread = &mut self.dump.unread;
        let mut shape_of = |name| {
            layout.shape(name).unwrap_or_else(|why| {
                unread.push(format!("table {}: {why}", table.name));
                None
            })
        };
        let Some(shape) = shape_of(table.name) else { return Ok(true) };
        if let Rows::Named { by, .. } = &table.rows
            && shape_of(by).is_none()
        {
            return Ok(true);
        }
        if let Some(lack) = layout.lack(table) {
            self.dump.unread.push(lack);
            return Ok(true);
        }
        match &table.rows {
            Rows::Lists { column, value, .. } => Ok(layout
                .lists(table.name)
                .is_none_or(|lists| self.lists(table, (column, value), lists, session))),
            _ => self.rows(connection, (table, shape), layout, session),
        }
    }

    fn rows(
        &mut self,
        connection: &Connection,
        (table, shape): (&Table, &Shape),
        layout: &Layout,
        session: &str,
    ) -> Result<bool, DatabaseError> {
        let names = shape.names();
        let mut wanted = match layout.numbers(table.name, session) {
            Some(numbers) => numbers.iter().map(|number| vec![Value::Integer(*number)]).collect(),
            None => named(connection, table, &names, session)?,
        };
        wanted.in_order_by(|a, b| order(a, b));
        let column = |name: &String| self.column(name);
        let columns: Vec<String> = shape.columns.iter().map(column).collect();
        // A key column may be NULL, which `=` never matches; a row number can't be.
        let sign = if shape.is_numbered() { "=" } else { "IS" };
        let is = |(at, name): (usize, &String)| format!("{name} {sign} ?{}", at + 1);
        let only: Vec<String> = names.iter().enumerate().map(is).collect();
        let (columns, name, only) = (columns.join(", "), quoted(table.name), only.join(" AND "));
        let mut query =
            connection.prepare_cached(&format!("SELECT {columns} FROM {name} WHERE {only}"))?;
        for key in wanted {
            let mut found = query.query(params_from_iter(&key))?;
            match found.next() {
                Ok(Some(row)) => self.row(table, shape, row)?,
                Ok(None) => continue,
                // A damaged row does not prevent reading the others.
                Err(error) => {
                    self.dump.unread.push(format!(
                        "table {}, {}: {error}",
                        table.name,
                        row_of(&key)
                    ));
                }
            }
            if self.dump.bytes.len() > self.room {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// SQL expression for a column. For a list, values over the limit are omitted: if a query
    /// selects only the length of a value, SQLite does not load the value.
    fn column(&self, name: &str) -> String {
        let name = quoted(name);
        match self.part {
            true => format!("CASE WHEN octet_length({name}) <= {LONGEST} THEN {name} END"),
            false => name,
        }
    }

    fn row(&mut self, table: &Table, shape: &Shape, row: &Row<'_>) -> Result<(), DatabaseError> {
        let out = &mut self.dump.bytes;
        open(table.name, out);
        for (at, name) in shape.columns.iter().enumerate() {
            let special = table.columns.iter().find(|(known, _)| known == name);
            let special: Option<Column> = special.map(|(_, column)| *column);
            self.writer.column(name, row.get_ref(at)?, special, out);
        }
        out.extend_from_slice(b"}}\n");
        Ok(())
    }

    /// Writes rows that are lists of sessions: each list's row, and a line for each session in it.
    fn lists(
        &mut self,
        table: &Table,
        (column, value): (&str, &str),
        lists: &Lists,
        session: &str,
    ) -> bool {
        let out = &mut self.dump.bytes;
        for list in &lists.lists {
            let key = ValueRef::Text(list.key.as_bytes());
            if session.is_empty() {
                open(table.name, out);
                self.writer.column(column, key, None, out);
                self.writer.column(value, ValueRef::Text(&list.rest), None, out);
                out.extend_from_slice(b"}}\n");
            }
            for element in list.of_session(session) {
                if out.len() > self.room {
                    return false;
                }
                open(table.name, out);
                self.writer.column(column, key, None, out);
                out.extend_from_slice(b"},\"element\":{\"of\":");
                quote(list.name, out);
                out.extend_from_slice(b",\"value\":");
                splice(element, out);
                out.extend_from_slice(b"}}\n");
            }
            if out.len() > self.room {
                return false;
            }
        }
        let fault = lists.fault.iter();
        self.dump.unread.extend(fault.map(|why| format!("table {}: {why}", table.name)));
        true
    }
}

fn open(table: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"table\":");
    quote(table, out);
    out.extend_from_slice(b",\"row\":{");
}

/// Row numbers or keys of the requested rows. They are read before the rows, because they stay
/// small however long the rows are.
fn named(
    connection: &Connection,
    table: &Table,
    names: &[String],
    session: &str,
) -> Result<Vec<Vec<Value>>, DatabaseError> {
    let (condition, values) = condition(table, session);
    let (list, name) = (names.join(", "), quoted(table.name));
    let sql = format!("SELECT {list} FROM {name} WHERE {condition}");
    let mut query = connection.prepare_cached(&sql)?;
    let mut rows = query.query(params_from_iter(values))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let key: Result<Vec<Value>, _> = (0..names.len()).map(|at| row.get(at)).collect();
        found.push(key?);
    }
    Ok(found)
}

/// A row's number or key, for a message.
fn row_of(key: &[Value]) -> String {
    match key {
        [Value::Integer(number)] => format!("row {number}"),
        [Value::Text(text)] => format!("row `{text}`"),
        _ => "a row".to_owned(),
    }
}

/// Order of row numbers and keys: numbers before texts before bytes, each sorted by value.
fn order(a: &[Value], b: &[Value]) -> std::cmp::Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::Integer(_) | Value::Real(_) => 1,
        Value::Text(_) => 2,
        Value::Blob(_) => 3,
    };
    let one = |a: &Value, b: &Value| match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => a.cmp(b),
        (Value::Text(a), Value::Text(b)) => a.cmp(b),
        (Value::Blob(a), Value::Blob(b)) => a.cmp(b),
        (Value::Real(a), Value::Real(b)) => a.total_cmp(b),
        (Value::Integer(a), Value::Real(b)) => (*a as f64).total_cmp(b),
        (Value::Real(a), Value::Integer(b)) => a.total_cmp(&(*b as f64)),
        _ => rank(a).cmp(&rank(b)),
    };
    let pairs = a.iter().zip(b).map(|(a, b)| one(a, b));
    pairs.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
}
