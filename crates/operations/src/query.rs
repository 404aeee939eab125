//! The published tables of `query`: the facts that an index keeps, in the form of version 1.
//!
//! A column is never removed from a version and never changes its meaning. What has to change gets
//! a table with the next number.

use catalog::summary::Entry;
use catalog::{Catalog, Skipped};
use index::{QueryTable, QueryValue};
use session::UtcTime;

use crate::usage::{Counted, Spent, Usage};

/// The sessions.
const SESSIONS: &[(&str, &str)] = &[
    ("uid", "TEXT"),
    ("agent", "TEXT"),
    ("id", "TEXT"),
    ("title", "TEXT"),
    ("prompt", "TEXT"),
    ("parent", "TEXT"),
    ("folder", "TEXT"),
    ("model", "TEXT"),
    ("agent_version", "TEXT"),
    ("started", "TEXT"),
    ("updated", "TEXT"),
    ("bytes", "INTEGER"),
    ("archived", "INTEGER"),
    ("unreadable_records", "INTEGER"),
];

/// The files of the sessions.
const FILES: &[(&str, &str)] = &[("uid", "TEXT"), ("path", "TEXT"), ("is_main", "INTEGER")];

/// The answers of models that count, with their tokens.
const USAGE: &[(&str, &str)] = &[
    ("uid", "TEXT"),
    ("time", "TEXT"),
    ("model", "TEXT"),
    ("folder", "TEXT"),
    ("branch", "TEXT"),
    ("path", "TEXT"),
    ("line", "INTEGER"),
    ("input", "INTEGER"),
    ("cache_read", "INTEGER"),
    ("cache_write", "INTEGER"),
    ("output", "INTEGER"),
    ("reasoning", "INTEGER"),
    ("total", "INTEGER"),
    ("recorded_dollars", "REAL"),
    ("listed_dollars", "REAL"),
];

/// The published tables, each with its columns and their types.
pub const QUERY_TABLES: [(&str, &[(&str, &str)]); 3] =
    [("sessions_v1", SESSIONS), ("files_v1", FILES), ("usage_v1", USAGE)];

/// The tables of the sessions of this machine, and the files that could not be looked through.
#[must_use]
pub fn query_tables(catalog: &Catalog<'_>, usage: &Usage) -> (Vec<QueryTable>, Vec<Skipped>) {
    let listing = catalog.list(&[], false);
    let sessions = listing.entries.iter().map(session).collect();
    let files = listing.entries.iter().flat_map(files).collect();
    let spent = usage.spent().filter(|spent| spent.counted == Counted::Yes);
    let rows = [sessions, files, spent.map(|spent| used(&spent)).collect()];
    let tables = QUERY_TABLES.into_iter().zip(rows);
    let tables = tables.map(|((name, columns), rows)| QueryTable { name, columns, rows });
    (tables.collect(), listing.skipped)
}

fn uid(format: &str, id: &str) -> QueryValue {
    QueryValue::Text(format!("{format}:{id}"))
}

fn time(time: Option<UtcTime>) -> QueryValue {
    time.map_or(QueryValue::Null, |time| QueryValue::Text(time.sortable()))
}

fn session(entry: &Entry) -> Vec<QueryValue> {
    let text = |text: &Option<Box<str>>| QueryValue::from(text.as_deref());
    vec![
        uid(entry.format, &entry.id),
        Some(entry.format).into(),
        Some(&*entry.id).into(),
        text(&entry.title),
        text(&entry.prompt),
        entry.spawned_by.as_deref().map_or(QueryValue::Null, |id| uid(entry.format, id)),
        text(&entry.folder),
        text(&entry.model),
        text(&entry.version),
        time(entry.started),
        time(entry.updated),
        Some(entry.length).into(),
        QueryValue::Number(entry.archived.into()),
        QueryValue::Number(entry.damaged.into()),
    ]
}

fn files(entry: &Entry) -> Vec<Vec<QueryValue>> {
    let file = |(at, path): (usize, &std::sync::Arc<std::path::Path>)| {
        let path = QueryValue::Text(path.to_string_lossy().into_owned());
        vec![uid(entry.format, &entry.id), path, QueryValue::Number(i64::from(at == 0))]
    };
    entry.files.iter().enumerate().map(file).collect()
}

fn used(spent: &Spent<'_>) -> Vec<QueryValue> {
    let tokens = &spent.tokens;
    let dollars = |money: Option<crate::usage::money::Money>| {
        money.map_or(QueryValue::Null, |money| QueryValue::Real(money.dollars()))
    };
    vec![
        uid(spent.format, spent.session),
        time(spent.time),
        spent.model.into(),
        spent.folder.into(),
        spent.branch.into(),
        QueryValue::Text(spent.path.to_string_lossy().into_owned()),
        QueryValue::Number(spent.line.into()),
        tokens.input.into(),
        tokens.cache_read.into(),
        tokens.cache_write.into(),
        tokens.output.into(),
        tokens.reasoning.into(),
        Some(tokens.total()).into(),
        dollars(spent.recorded),
        dollars(spent.listed.map(|(money, _)| money)),
    ]
}
