//! Databases that are made: the rows that a format's writer made for another agent become the bytes
//! of a SQLite file. It is made in memory; nothing is written here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use formats::{Content, Format};
use rusqlite::types::Value;
use rusqlite::{Connection, MAIN_DB, OpenFlags, params_from_iter};
use session::{Node, Shape, value};

use super::dump::{DUMP, Dump};
use super::fault::DatabaseError;
use super::layout::Layout;
use super::rows;
use super::sql::quoted;

/// The database that a written dump has the rows of: its name, and the SQL that makes an empty one.
/// `None` if the agent takes in no such database.
pub fn made_from<'n>(format: &dyn Format, name: &'n str) -> Option<(&'n str, &'static str)> {
    let name = name.strip_suffix(DUMP)?;
    let kind = format.data().databases.iter().find(|kind| (kind.is_placed)(name))?;
    Some((name, kind.schema?))
}

/// The bytes of a database with the rows of a dump, whose memory is free before they are made. The
/// same dump gives the same bytes.
///
/// # Errors
/// [`DatabaseError::Row`] if a line is no row of one of its tables; SQLite's error.
pub fn image(schema: &str, dump: Content) -> Result<Vec<u8>, DatabaseError> {
    let name = if dump.len() < CONTIGUOUS { "file:image?vfs=memdb" } else { ":memory:" };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_URI;
    let mut connection = Connection::open_with_flags(name, flags)?;
    connection.execute_batch("PRAGMA journal_mode = OFF")?;
    connection.execute_batch(schema)?;
    connection.execute_batch("BEGIN")?;
    let tables = rows::tables(&connection)?;
    let tables: Vec<(String, Vec<Column>)> = tables
        .into_iter()
        .map(|table| columns(&connection, &table).map(|columns| (table, columns)))
        .collect::<Result<_, _>>()?;
    for (at, line) in dump.split(|&byte| byte == b'\n').enumerate() {
        if line.is_empty() {
            continue;
        }
        let row = value::look(line, |row| values(row, &tables));
        let (table, values) = row.ok_or(DatabaseError::Row(at + 1))?;
        let marks: Vec<String> = (1..=values.len()).map(|at| format!("?{at}")).collect();
        let sql = format!("INSERT INTO {} VALUES ({})", quoted(table), marks.join(", "));
        connection.prepare_cached(&sql)?.execute(params_from_iter(values))?;
    }
    connection.execute_batch("COMMIT")?;
    drop(dump);
    Ok(connection.serialize(MAIN_DB)?.to_vec())
}

/// The rows of a database that was made, as a dump, read from its bytes by SQLite.
///
/// # Errors
/// [`DatabaseError`] if the bytes are no such database, or rows can't be read.
pub fn dumped(format: &dyn Format, name: &str, image: &[u8]) -> Result<Vec<u8>, DatabaseError> {
    let Some(kind) = format.data().databases.iter().find(|kind| (kind.is_placed)(name)) else {
        return Ok(Vec::new());
    };
    let mut connection = Connection::open_in_memory()?;
    connection.deserialize_read_exact(MAIN_DB, image, image.len(), true)?;
    let layout = Layout::of(&connection, kind);
    Ok(Dump::of(&connection, kind, &layout, "", None)?.bytes)
}

/// Length of a dump, in bytes, up to which its database is made in one piece of memory: it needs no
/// second one. SQLite limits such a piece to 1 GiB.
const CONTIGUOUS: usize = 512 << 20;

/// A column of a table.
struct Column {
    name: String,
    /// Whether it is declared to hold bytes.
    holds_bytes: bool,
}

fn columns(connection: &Connection, table: &str) -> Result<Vec<Column>, DatabaseError> {
    let mut query = connection.prepare("SELECT name, type FROM pragma_table_info(?1)")?;
    let columns = query.query_map([table], |row| {
        Ok(Column { name: row.get(0)?, holds_bytes: row.get::<_, String>(1)? == "BLOB" })
    })?;
    Ok(columns.collect::<Result<_, _>>()?)
}

/// The table of a row, and the values of its columns.
fn values<'t>(
    line: Node<'_>,
    tables: &'t [(String, Vec<Column>)],
) -> Option<(&'t str, Vec<Value>)> {
    let name = value::text_at(line, &["table"])?;
    let (table, columns) = tables.iter().find(|(table, _)| *table == name)?;
    let row = line.at(&["row"])?;
    let value = |column: &Column| {
        let is_hex = row.word(&[&format!("{}.as", column.name)]) == Some(b"hex");
        let Some(node) = row.at(&[&column.name]) else { return Some(Value::Null) };
        stored(node, is_hex, column.holds_bytes)
    };
    Some((table, columns.iter().map(value).collect::<Option<_>>()?))
}

/// A value as it is stored: the inverse of the dump's form.
fn stored(node: Node<'_>, is_hex: bool, as_bytes: bool) -> Option<Value> {
    let text = match node.shape() {
        Shape::Null => return Some(Value::Null),
        Shape::Number => {
            let text = std::str::from_utf8(node.raw()).ok()?;
            let whole = text.parse().map(Value::Integer);
            return whole.or_else(|_| text.parse().map(Value::Real)).ok();
        }
        Shape::String => value::unescape(node.text()?).into_owned(),
        Shape::Object if node.members().count() == 1 && node.word(&["base64"]).is_some() => {
            return STANDARD.decode(node.word(&["base64"])?).ok().map(Value::Blob);
        }
        _ => String::from_utf8(node.raw().to_vec()).ok()?,
    };
    let text = match is_hex {
        true => text.bytes().map(|byte| format!("{byte:02x}")).collect(),
        false => text,
    };
    Some(if as_bytes { Value::Blob(text.into_bytes()) } else { Value::Text(text) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str =
        "CREATE TABLE t (k TEXT PRIMARY KEY, v BLOB, n INTEGER); CREATE TABLE u (x TEXT);";

    #[test]
    fn rows_become_the_values_that_they_were() {
        let dump = concat!(
            r#"{"table":"t","row":{"k":"a\"é","v":{"role":"user"},"n":-5}}"#,
            "\n",
            r#"{"table":"t","row":{"v":{"base64":"AAH/"},"v.view":{"1":2},"k":"b","n":null}}"#,
            "\n",
            r#"{"table":"u","row":{"x":{"a":1},"x.as":"hex"}}"#,
            "\n",
        );
        let made = || image(SCHEMA, dump.as_bytes().to_vec().into()).unwrap();
        let bytes = made();
        assert_eq!(bytes, made());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made.db");
        std::fs::write(&path, bytes).unwrap();
        let connection = Connection::open(path).unwrap();
        let mut query = connection.prepare("SELECT k, v, n FROM t ORDER BY k").unwrap();
        let rows: Vec<(String, Vec<u8>, Option<i64>)> = query
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let expected = [
            ("a\"é".to_owned(), br#"{"role":"user"}"#.to_vec(), Some(-5)),
            ("b".to_owned(), vec![0, 1, 255], None),
        ];
        assert_eq!(rows, expected);
        let hex: String = connection.query_row("SELECT x FROM u", [], |row| row.get(0)).unwrap();
        assert_eq!(hex, "7b2261223a317d");
    }

    #[test]
    fn a_line_that_is_no_row_is_an_error() {
        for line in ["{", "{}", r#"{"table":"z","row":{}}"#, r#"{"table":"t"}"#] {
            let error = image(SCHEMA, line.as_bytes().to_vec().into()).unwrap_err();
            assert!(matches!(error, DatabaseError::Row(1)), "{line}: {error}");
        }
    }
}
