//! Layout of a database, read once for all of its sessions: its tables, its lists of sessions, and
//! the row numbers of each session if no index finds them.

use std::collections::BTreeMap;
use std::ops::Range;

use formats::database::{Database, Rows, Table};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use session::Sorting as _;
use session::{Node, Scan};

use super::sql::{condition, owner, quoted};

/// Layout of the tables that the kind names.
pub(super) struct Layout {
    shapes: BTreeMap<&'static str, Result<Option<Shape>, String>>,
    lists: BTreeMap<&'static str, Lists>,
    numbers: BTreeMap<&'static str, Numbers>,
}

/// Row numbers by session.
type Numbers = BTreeMap<String, Vec<i64>>;

impl Layout {
    /// The layout of a database. A fault in one table does not affect the others.
    pub(super) fn of(connection: &Connection, kind: &Database) -> Self {
        let (shapes, lists, numbers) = Default::default();
        let mut layout = Self { shapes, lists, numbers };
        for table in kind.tables {
            let by = match &table.rows {
                Rows::Named { by, .. } => Some(*by),
                _ => None,
            };
            for name in [table.name].into_iter().chain(by) {
                let known = kind.columns(name);
                let shape =
                    || Shape::of(connection, name, &known).map_err(|error| error.to_string());
                layout.shapes.entry(name).or_insert_with(shape);
            }
            let shape = layout.shape(table.name).ok().flatten();
            match &table.rows {
                Rows::Lists { column, .. } if shape.is_some_and(|shape| shape.has(column)) => {
                    layout.lists.insert(table.name, Lists::of(connection, table));
                }
                // No index finds these rows, so one query finds those of all sessions. If it fails,
                // they are queried for each session.
                Rows::Of(column) | Rows::Keys { column, .. }
                    if shape.is_some_and(|shape| shape.has(column) && shape.is_numbered())
                        && !is_indexed(connection, table, column).unwrap_or(true) =>
                {
                    let number = shape.map_or("rowid", Shape::number);
                    let numbers = numbers_of(connection, table, column, number).ok();
                    layout.numbers.extend(numbers.map(|numbers| (table.name, numbers)));
                }
                _ => {}
            }
        }
        layout
    }

    /// The shape of a table; `None` if the database has no such table.
    ///
    /// # Errors
    /// SQLite can't read the shape.
    pub(super) fn shape(&self, table: &str) -> Result<Option<&Shape>, &str> {
        match self.shapes.get(table) {
            Some(Ok(shape)) => Ok(shape.as_ref()),
            Some(Err(why)) => Err(why),
            None => Ok(None),
        }
    }

    /// A message on the missing column of a table, if rows of sessions can't be found without that
    /// column.
    pub(super) fn lack(&self, table: &Table) -> Option<String> {
        let lacks = |name: &str, columns: &[&str]| {
            let shape = self.shape(name).ok().flatten()?;
            let column = columns.iter().find(|column| !shape.has(column))?;
            Some(format!("table {name} has no column {column}: its rows can't be read as sessions"))
        };
        match &table.rows {
            Rows::All => None,
            Rows::Of(column) => lacks(table.name, &[column]),
            Rows::Keys { column, value, .. } | Rows::Lists { column, value, .. } => {
                lacks(table.name, &[column, value])
            }
            Rows::Named { column, by, id, naming } => {
                self.shape(table.name).ok().flatten()?;
                lacks(table.name, &[column]).or_else(|| lacks(by, &[id, naming]))
            }
        }
    }

    /// The numbers of a session's rows in a table that has no index for them.
    pub(super) fn numbers(&self, table: &str, session: &str) -> Option<&[i64]> {
        let numbers = self.numbers.get(table).filter(|_| !session.is_empty())?;
        Some(numbers.get(session).map_or(&[], Vec::as_slice))
    }

    /// Number of tables that have no index for the rows of a session.
    #[cfg(test)]
    pub(super) fn scattered(&self) -> usize {
        self.numbers.len()
    }

    /// The lists of sessions in a table.
    pub(super) fn lists(&self, table: &str) -> Option<&Lists> {
        self.lists.get(table)
    }
}

/// Whether an index finds the rows of a session.
fn is_indexed(connection: &Connection, table: &Table, column: &str) -> rusqlite::Result<bool> {
    let (column, name) = (quoted(column), quoted(table.name));
    let sql = format!("EXPLAIN QUERY PLAN SELECT 1 FROM {name} WHERE {column} = ?1");
    let plan: String = connection.query_row(&sql, [""], |row| row.get(3))?;
    Ok(!plan.starts_with("SCAN"))
}

/// The row numbers of all sessions, found by one query.
fn numbers_of(
    connection: &Connection,
    table: &Table,
    column: &str,
    number: &str,
) -> rusqlite::Result<Numbers> {
    let (condition, values) = condition(table, "");
    let (column, name) = (quoted(column), quoted(table.name));
    let sql = format!("SELECT CAST({column} AS TEXT), {number} FROM {name} WHERE {condition}");
    let mut query = connection.prepare(&sql)?;
    let mut rows = query.query(rusqlite::params_from_iter(values))?;
    let mut numbers = Numbers::new();
    while let Some(row) = rows.next()? {
        let ValueRef::Text(text) = row.get_ref(0)? else { continue };
        let text = String::from_utf8_lossy(text);
        let owner = match &table.rows {
            Rows::Keys { prefixes, .. } => owner(&text, prefixes),
            _ => Some(&*text),
        };
        if let Some(owner) = owner {
            let number = row.get(1)?;
            match numbers.get_mut(owner) {
                Some(known) => known.push(number),
                None => drop(numbers.insert(owner.to_owned(), vec![number])),
            }
        }
    }
    Ok(numbers)
}

/// Shape of a table in this database.
pub(super) struct Shape {
    /// Its columns in the order of the schema, by the format's names for them. Computed columns are
    /// included if they are stored, or if the format knows them.
    pub columns: Vec<String>,
    /// The columns of its primary key, in order.
    key: Vec<String>,
    /// The name of its row number; `None` if it has none.
    number: Option<&'static str>,
}

/// SQLite's names for the row number. A column of the same name hides it.
const NUMBERS: [&str; 3] = ["rowid", "_rowid_", "oid"];

impl Shape {
    fn of(connection: &Connection, table: &str, known: &[&str]) -> rusqlite::Result<Option<Self>> {
        // Hidden columns of type 1 are arguments of a virtual table. A column of type 2 is computed
        // when it is read: it stores nothing and may be expensive, so only a known one is read.
        let sql =
            "SELECT name, pk, hidden FROM pragma_table_xinfo(?1) WHERE hidden <> 1 ORDER BY cid";
        let mut query = connection.prepare(sql)?;
        let rows = query.query_map([table], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let mut columns: Vec<(String, u32, u32)> = rows.collect::<Result<_, _>>()?;
        let is_known = |name: &str| known.iter().any(|known| known.eq_ignore_ascii_case(name));
        columns.retain(|(name, _, hidden)| *hidden != 2 || is_known(name));
        if columns.is_empty() {
            return Ok(None);
        }
        let named = |name: &String| {
            let known = known.iter().find(|known| known.eq_ignore_ascii_case(name));
            known.map_or_else(|| name.clone(), |known| (*known).to_owned())
        };
        let mut key: Vec<_> = columns.iter().filter(|(_, place, _)| *place > 0).collect();
        key.in_order_by_key(|(_, place, _)| *place);
        let key: Vec<String> = key.into_iter().map(|(name, ..)| named(name)).collect();
        let columns: Vec<String> = columns.iter().map(|(name, ..)| named(name)).collect();
        let free = |number: &&&str| !columns.iter().any(|name| name.eq_ignore_ascii_case(number));
        let number = NUMBERS.iter().find(free).copied().filter(|number| {
            let sql = format!("SELECT {number} FROM {} LIMIT 0", quoted(table));
            key.is_empty() || connection.prepare(&sql).is_ok()
        });
        Ok(Some(Self { columns, key, number }))
    }

    pub(super) fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|name| name == column)
    }

    /// Whether the table has row numbers.
    pub(super) fn is_numbered(&self) -> bool {
        self.number.is_some()
    }

    fn number(&self) -> &'static str {
        self.number.unwrap_or("rowid")
    }

    /// Columns that identify a row: the row number, else the primary key, else all columns.
    pub(super) fn names(&self) -> Vec<String> {
        let quoted = |names: &[String]| names.iter().map(|name| quoted(name)).collect();
        match self.number {
            Some(number) => vec![number.to_owned()],
            None if self.key.is_empty() => quoted(&self.columns),
            None => quoted(&self.key),
        }
    }
}

/// The lists of sessions in a table.
#[derive(Default)]
pub(super) struct Lists {
    /// The lists that could be read.
    pub lists: Vec<List>,
    /// The reason why the other lists could not be read.
    pub fault: Option<String>,
}

/// A row that is a list of sessions.
pub(super) struct List {
    /// Key of the row.
    pub key: String,
    /// Name of the list in the row's value.
    pub name: &'static str,
    /// The row's value with an empty list.
    pub rest: Vec<u8>,
    json: Vec<u8>,
    /// Ranges of the elements in the JSON.
    elements: Vec<Range<usize>>,
    /// Indices of each session's elements, by the session's id.
    sessions: BTreeMap<String, Vec<usize>>,
}

impl Lists {
    fn of(connection: &Connection, table: &Table) -> Self {
        let mut lists = Self::default();
        if let Err(error) = lists.read(connection, table) {
            lists.fault = Some(error.to_string());
        }
        lists
    }

    fn read(&mut self, connection: &Connection, table: &Table) -> rusqlite::Result<()> {
        let Rows::Lists { column, value, lists } = &table.rows else { return Ok(()) };
        let (condition, keys) = condition(table, "");
        let (column, value, name) = (quoted(column), quoted(value), quoted(table.name));
        let sql =
            format!("SELECT {column}, {value} FROM {name} WHERE {condition} ORDER BY {column}");
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
            let known = lists.iter().find(|(known, ..)| *known == key);
            let Some((_, name, id)) = known else { continue };
            let Ok(doc) = scan.read(json, 0) else { continue };
            if let Some(array) = doc.root().at(&[name]) {
                self.lists.push(List::of(key.into_owned(), name, json, array, id));
            }
        }
        Ok(())
    }
}

impl List {
    fn of(key: String, name: &'static str, json: &[u8], array: Node<'_>, id: &str) -> Self {
        let whole = range(array);
        let rest = [&json[..whole.start], b"[]", &json[whole.end..]].concat();
        let (mut elements, mut sessions) = (Vec::new(), BTreeMap::<_, Vec<_>>::new());
        for element in array.elements() {
            if let Some(id) = element.word(&[id]).map(session::value::unescape) {
                sessions.entry(id.into_owned()).or_default().push(elements.len());
            }
            elements.push(range(element));
        }
        Self { key, name, rest, json: json.to_vec(), elements, sessions }
    }

    /// The elements of a session, in their order; all elements if the session's id is empty.
    pub(super) fn of_session(&self, session: &str) -> impl Iterator<Item = &[u8]> {
        let all = session.is_empty().then_some(0..self.elements.len()).into_iter().flatten();
        let named = self.sessions.get(session).filter(|_| !session.is_empty());
        let places = all.chain(named.into_iter().flatten().copied());
        places.filter_map(|at| self.json.get(self.elements[at].clone()))
    }

    /// The ids of the sessions, with the bytes of each.
    pub(super) fn sessions(&self) -> impl Iterator<Item = (&str, u64)> {
        self.sessions.iter().map(|(id, places)| {
            (id.as_str(), places.iter().map(|at| self.elements[*at].len() as u64).sum())
        })
    }
}

/// Byte range of a value in its text.
fn range(value: Node<'_>) -> Range<usize> {
    let span = value.span();
    span.start as usize..span.end as usize
}
