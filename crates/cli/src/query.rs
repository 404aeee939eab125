//! `verbatim query`: a question in SQL about the sessions of this machine.

use std::time::{Duration, Instant};

use index::{QueryAnswer, QueryTable, QueryValue};
use operations::{QUERY_TABLES, query_tables};
use serde::Serialize;
use serde::ser::Serializer;
use views::visible::{Space, visible};

use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::human::counted;
use crate::json;
use crate::notes::{self, warn};
use crate::options::Global;
use crate::screen::{Line, Screen, Style};
use crate::terminal::Plain;

/// Ask about your sessions in SQL
///
/// One `SELECT` over the views `sessions_v1`, `files_v1` and `usage_v1`, which have what the index
/// keeps. Nothing else is allowed: no other table, no file, no `PRAGMA`, no extension. Times are
/// UTC. `--views` lists the views with their columns. The index is filled by `verbatim sync
/// --index-only`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The question; several words are put together
    #[arg(value_name = "SQL", required_unless_present = "views")]
    statement: Vec<String>,
    /// List the views and their columns
    #[arg(long, conflicts_with_all = ["statement", "csv"])]
    views: bool,
    /// Write comma-separated values (RFC 4180)
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Answer with at most this many rows
    #[arg(long, value_name = "NUMBER", default_value_t = 1000)]
    limit: usize,
    /// End after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    timeout: u64,
}

/// The name of the schema.
const SCHEMA: &str = "verbatim-query-1";

/// The document.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    /// The names of the columns.
    columns: &'a [String],
    /// The rows, each with a value for each column.
    rows: Vec<Vec<Value<'a>>>,
    /// Whether there are more rows.
    more: bool,
}

/// A value of a row.
struct Value<'a>(&'a QueryValue);

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            QueryValue::Null => serializer.serialize_none(),
            QueryValue::Number(number) => serializer.serialize_i64(*number),
            QueryValue::Real(number) => serializer.serialize_f64(*number),
            QueryValue::Text(text) => serializer.serialize_str(text),
        }
    }
}

pub(crate) fn run(
    args: &Args,
    global: Global,
    color: bool,
    env: &mut Environment<'_>,
) -> Result<Exit, Failure> {
    if args.views {
        return views(global, color, env);
    }
    if env.machine.index.is_none() {
        let hint = "run `verbatim sync --index-only`, and without `--no-index`";
        return Err(Failure::Refused("there is no index to ask".into(), hint.into()));
    }
    let (found, mut usage) = operations::usage(&env.catalog(), &[])?;
    drop(found);
    if let Ok(prices) = operations::usage::price::Prices::shipped() {
        usage.price(&prices);
    }
    let (tables, skipped) = query_tables(&env.catalog(), &usage);
    let answer = asked(&tables, &args.statement.join(" "), args)?;
    if args.csv {
        csv(&answer, env)?;
    } else if global.json {
        let rows = answer.rows.iter().map(|row| row.iter().map(Value).collect());
        let (columns, more) = (answer.columns.as_slice(), answer.more);
        json::write(env.out, &Document { schema: SCHEMA, columns, rows: rows.collect(), more })?;
    } else {
        table(&answer, &mut Screen::new(env.out, color, env.width))?;
    }
    if answer.more && !global.json {
        let rows = counted(args.limit as u64, "row", "rows");
        let text = format!("only the first {rows}: `--limit` shows more");
        notes::say(Plain::line(&text), env)?;
    }
    warn(&skipped, color, env)
}

fn asked(tables: &[QueryTable], statement: &str, args: &Args) -> Result<QueryAnswer, Failure> {
    let end = Instant::now() + Duration::from_secs(args.timeout.min(24 * 3600));
    let answer = index::query(tables, statement, args.limit, move || Instant::now() > end);
    answer.map_err(|why| {
        let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
        let hint = format!("the views are: {}; `--views` has their columns", names.join(", "));
        Failure::Usage(format!("this is not answered: {why}"), hint)
    })
}

/// Lists the views.
fn views(global: Global, color: bool, env: &mut Environment<'_>) -> Result<Exit, Failure> {
    let text = |text: &str| QueryValue::Text(text.to_owned());
    let columns = ["view", "column", "type"].map(str::to_owned).to_vec();
    let rows = QUERY_TABLES.iter().flat_map(|(view, columns)| {
        columns.iter().map(move |(name, kind)| vec![text(view), text(name), text(kind)])
    });
    let answer = QueryAnswer { columns, rows: rows.collect(), more: false };
    if global.json {
        let rows = answer.rows.iter().map(|row| row.iter().map(Value).collect()).collect();
        let columns = answer.columns.as_slice();
        json::write(env.out, &Document { schema: SCHEMA, columns, rows, more: false })?;
    } else {
        table(&answer, &mut Screen::new(env.out, color, env.width))?;
    }
    Ok(Exit::Good)
}

fn shown(value: &QueryValue) -> String {
    match value {
        QueryValue::Null => String::new(),
        QueryValue::Number(number) => number.to_string(),
        QueryValue::Real(number) => number.to_string(),
        QueryValue::Text(text) => text.clone(),
    }
}

/// Prints a table. Columns of numbers end at one place.
fn table(answer: &QueryAnswer, screen: &mut Screen<'_>) -> std::io::Result<()> {
    let head = |name: &String| Line::new().put(Style::Faint, Plain::line(name));
    let mut rows = vec![answer.columns.iter().map(head).collect::<Vec<_>>()];
    let cell = |value: &QueryValue| Line::new().put(Style::Normal, Plain::line(&shown(value)));
    rows.extend(answer.rows.iter().map(|row| row.iter().map(cell).collect()));
    let is_number = |at: &usize| {
        let number = |row: &Vec<QueryValue>| !matches!(row[*at], QueryValue::Text(_));
        !answer.rows.is_empty() && answer.rows.iter().all(number)
    };
    let right: Vec<usize> = (0..answer.columns.len()).filter(is_number).collect();
    screen.table(&rows, &right)
}

/// Writes comma-separated values. Characters that act on a terminal are made visible.
fn csv(answer: &QueryAnswer, env: &mut Environment<'_>) -> std::io::Result<()> {
    let field = |text: &str| {
        let text = visible(text, Space::File);
        match text.contains([',', '"', '\n', '\r']) || text.trim() != text {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.into_owned(),
        }
    };
    let head: Vec<String> = answer.columns.iter().map(|name| field(name)).collect();
    write!(env.out, "{}\r\n", head.join(","))?;
    for row in &answer.rows {
        let row: Vec<String> = row.iter().map(|value| field(&shown(value))).collect();
        write!(env.out, "{}\r\n", row.join(","))?;
    }
    Ok(())
}
