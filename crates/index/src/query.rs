//! Questions in SQL about published tables. They are answered in a database of their own in memory,
//! which has these tables and nothing else: no statement reaches a file.
//!
//! SQLite asks before it compiles each part of a statement (the authorizer). What is allowed is a
//! list: `SELECT`, the published tables, and functions that compute. So `ATTACH`, `PRAGMA`, virtual
//! tables and extensions are refused, and whatever a newer SQLite adds.

use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Batch, Connection, ToSql};

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryValue {
    /// No value.
    Null,
    /// A whole number.
    Number(i64),
    /// Another number.
    Real(f64),
    /// A text.
    Text(String),
}

impl From<Option<&str>> for QueryValue {
    fn from(text: Option<&str>) -> Self {
        text.map_or(Self::Null, |text| Self::Text(text.to_owned()))
    }
}

impl From<Option<u64>> for QueryValue {
    fn from(number: Option<u64>) -> Self {
        number.map_or(Self::Null, |number| Self::Number(i64::try_from(number).unwrap_or(i64::MAX)))
    }
}

impl ToSql for QueryValue {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Number(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Self::Real(number) => ToSqlOutput::Owned(Value::Real(*number)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

/// A published table.
#[derive(Debug)]
pub struct QueryTable {
    /// Its name, which ends with its version.
    pub name: &'static str,
    /// Its columns: the name, and `TEXT` or `INTEGER` or `REAL`.
    pub columns: &'static [(&'static str, &'static str)],
    /// Its rows.
    pub rows: Vec<Vec<QueryValue>>,
}

/// The answer to a question.
#[derive(Debug, Default, PartialEq)]
pub struct QueryAnswer {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<QueryValue>>,
    /// Whether there are more rows than were asked for.
    pub more: bool,
}

/// Greatest length of a text in an answer, and of the statement, in bytes.
const LONGEST: i32 = 8 << 20;
const STATEMENT: i32 = 1 << 20;

/// Greatest number of bytes that the database takes.
const MEMORY: i64 = 1 << 30;

/// Number of steps of SQLite between two looks at the time.
const STEPS: i32 = 10_000;

/// The functions that a statement may call: they compute from their arguments.
const FUNCTIONS: &[&str] = &[
    "abs",
    "avg",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "count",
    "cume_dist",
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "if",
    "ifnull",
    "iif",
    "instr",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "max",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "pow",
    "power",
    "printf",
    "quote",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "time",
    "timediff",
    "total",
    "trim",
    "trunc",
    "typeof",
    "unicode",
    "unixepoch",
    "upper",
];

/// Answers one `SELECT` about the tables, with at most `most` rows. `is_over` is called while it
/// runs, and ends it.
///
/// # Errors
/// The reason why there is no answer, for people.
pub fn query(
    tables: &[QueryTable],
    statement: &str,
    most: usize,
    is_over: impl FnMut() -> bool + Send + 'static,
) -> Result<QueryAnswer, String> {
    let mut connection = filled(tables).map_err(|error| error.to_string())?;
    let names: Vec<&'static str> = tables.iter().map(|table| table.name).collect();
    let modules = modules(&connection).map_err(told)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST).map_err(told)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, STATEMENT).map_err(told)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0).map_err(told)?;
    connection.progress_handler(STEPS, Some(is_over)).map_err(told)?;
    connection
        .authorizer(Some(move |context: AuthContext<'_>| {
            match is_allowed(&context, &names, &modules) {
                true => Authorization::Allow,
                false => Authorization::Deny,
            }
        }))
        .map_err(told)?;
    let mut batch = Batch::new(&connection, statement);
    let mut prepared = batch.next().map_err(told)?.ok_or("there is no statement")?;
    // `EXPLAIN` reads nothing, and shows how the tables are kept.
    if !prepared.readonly() || prepared.column_count() == 0 || prepared.is_explain() != 0 {
        return Err("only `SELECT` is answered".to_owned());
    }
    if !matches!(batch.next(), Ok(None)) {
        return Err("only one statement is answered at a time".to_owned());
    }
    let columns: Vec<String> = prepared.column_names().map(str::to_owned).collect();
    let mut answer = QueryAnswer { columns, ..QueryAnswer::default() };
    let mut rows = prepared.query([]).map_err(told)?;
    while let Some(row) = rows.next().map_err(told)? {
        if answer.rows.len() == most {
            answer.more = true;
            break;
        }
        let value = |at: usize| Ok(value(row.get_ref(at)?));
        let values: rusqlite::Result<_> = (0..answer.columns.len()).map(value).collect();
        answer.rows.push(values.map_err(told)?);
    }
    Ok(answer)
}

/// A database in memory with the tables.
fn filled(tables: &[QueryTable]) -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.query_row(&format!("PRAGMA hard_heap_limit = {MEMORY}"), [], |_| Ok(()))?;
    for table in tables {
        let columns: Vec<String> =
            table.columns.iter().map(|(name, kind)| format!("{name} {kind}")).collect();
        let create = format!("BEGIN; CREATE TABLE {} ({})", table.name, columns.join(", "));
        connection.execute_batch(&create)?;
        let places = vec!["?"; table.columns.len()].join(", ");
        let insert = format!("INSERT INTO {} VALUES ({places})", table.name);
        let mut insert = connection.prepare(&insert)?;
        for row in &table.rows {
            insert.execute(rusqlite::params_from_iter(row))?;
        }
        drop(insert);
        connection.execute_batch("COMMIT")?;
    }
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// The names of the virtual tables that SQLite has by itself.
fn modules(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_module_list")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

fn is_allowed(context: &AuthContext<'_>, tables: &[&str], modules: &[String]) -> bool {
    match context.action {
        AuthAction::Select | AuthAction::Recursive => true,
        AuthAction::Read { table_name, column_name } => {
            // A part of the statement that has a name (`WITH`) is read without a column, and
            // so is each table of which no column is read.
            let own = || {
                let name = table_name.to_ascii_lowercase();
                let is_of_sqlite =
                    ["sqlite_", "pragma_", "json"].iter().any(|begin| name.starts_with(begin));
                column_name.is_empty() && !is_of_sqlite && !modules.contains(&name)
            };
            tables.contains(&table_name) || own()
        }
        AuthAction::Function { function_name } => {
            FUNCTIONS.contains(&&*function_name.to_ascii_lowercase())
        }
        _ => false,
    }
}

fn value(value: ValueRef<'_>) -> QueryValue {
    match value {
        ValueRef::Null => QueryValue::Null,
        ValueRef::Integer(number) => QueryValue::Number(number),
        ValueRef::Real(number) => QueryValue::Real(number),
        ValueRef::Text(bytes) => QueryValue::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(bytes) => {
            QueryValue::Text(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
        }
    }
}

/// A fault in the words of people.
fn told(error: rusqlite::Error) -> String {
    use rusqlite::ErrorCode::{AuthorizationForStatementDenied, OperationInterrupted, OutOfMemory};
    match error.sqlite_error_code() {
        Some(OperationInterrupted) => "it took too long".to_owned(),
        Some(OutOfMemory) => "it takes too much memory".to_owned(),
        Some(AuthorizationForStatementDenied) => {
            format!("{error}: only `SELECT` of the published views is answered")
        }
        _ => match error {
            rusqlite::Error::SqlInputError { msg, .. } => msg,
            other => other.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> Vec<QueryTable> {
        let row =
            |id: &str, bytes: i64| vec![QueryValue::Text(id.to_owned()), QueryValue::Number(bytes)];
        vec![QueryTable {
            name: "sessions_v1",
            columns: &[("id", "TEXT"), ("bytes", "INTEGER")],
            rows: vec![row("a", 3), row("b", 4), row("c", 5)],
        }]
    }

    fn asked(statement: &str) -> Result<QueryAnswer, String> {
        query(&tables(), statement, 100, || false)
    }

    #[test]
    fn a_select_is_answered() {
        let answer = asked("SELECT count(*) AS n, sum(bytes) FROM sessions_v1 WHERE id > 'a'");
        let answer = answer.unwrap();
        assert_eq!(answer.columns, ["n", "sum(bytes)"]);
        assert_eq!(answer.rows, [[QueryValue::Number(2), QueryValue::Number(9)]]);
        let with = "WITH big AS (SELECT * FROM sessions_v1 WHERE bytes > 3) \
                    SELECT a.id FROM big a JOIN sessions_v1 b USING (id) ORDER BY 1;";
        assert_eq!(asked(with).unwrap().rows.len(), 2);
        let cut = query(&tables(), "SELECT id FROM sessions_v1", 2, || false).unwrap();
        assert_eq!((cut.rows.len(), cut.more), (2, true));
    }

    #[test]
    fn everything_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("written.db");
        for statement in [
            &*format!("ATTACH '{}' AS other", path.display()),
            &format!("VACUUM INTO '{}'", path.display()),
            "PRAGMA user_version",
            "PRAGMA table_list",
            "SELECT * FROM pragma_database_list",
            "SELECT * FROM sqlite_master",
            "SELECT * FROM sqlite_schema",
            "SELECT * FROM json_each('[1]')",
            "SELECT count(*) FROM json_each('[1]')",
            "SELECT count(*) FROM sqlite_master",
            "SELECT count(*) FROM pragma_database_list",
            "SELECT count(*) FROM dbstat",
            "SELECT load_extension('x')",
            "SELECT readfile('/etc/hostname')",
            "SELECT sqlite_version()",
            "SELECT randomblob(100)",
            "SELECT zeroblob(1000000000)",
            "INSERT INTO sessions_v1 VALUES ('d', 1)",
            "UPDATE sessions_v1 SET id = 'x'",
            "DELETE FROM sessions_v1",
            "DROP TABLE sessions_v1",
            "CREATE TEMP TABLE x (y)",
            "CREATE VIRTUAL TABLE x USING fts5(y)",
            "BEGIN",
            "SELECT 1; SELECT 2",
            "SELECT 1; DROP TABLE sessions_v1",
            "EXPLAIN SELECT 1 FROM sessions_v2",
            "EXPLAIN SELECT count(*) FROM sessions_v1",
            "EXPLAIN QUERY PLAN SELECT count(*) FROM sessions_v1",
            "",
            "-- nothing",
            "SELECT",
        ] {
            let answer = asked(statement);
            assert!(answer.is_err(), "{statement}: {answer:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_has_no_end_ends() {
        let mut looks = 0;
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) \
                       SELECT count(*) FROM n";
        let answer = query(&tables(), endless, 10, move || {
            looks += 1;
            looks > 20
        });
        assert_eq!(answer.unwrap_err(), "it took too long");
        let long = "SELECT replace(printf('%.*c', 4000000, 'x'), 'x', 'yyyyyyyy')";
        assert!(asked(long).is_err());
    }
}
