//! SQL conditions that select a session's rows in a table. Names of tables and columns come from
//! the formats, never from the database.

use formats::database::{Rows, Table};

/// A name, quoted for SQL.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The condition that selects a session's rows, with its parameters. If the session is empty, it
/// selects the rows of all sessions.
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
        Rows::Keys { column, prefixes, .. } => keys(column, prefixes, session),
        Rows::Lists { column, lists, .. } => {
            let keys: Vec<String> = lists.iter().map(|(key, ..)| (*key).to_owned()).collect();
            let marks: Vec<String> = (1..=keys.len()).map(|at| format!("?{at}")).collect();
            (format!("{} IN ({})", quoted(column), marks.join(", ")), keys)
        }
    }
}

/// The condition as ranges of keys, so that an index finds them and no other key is read.
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
            // The key itself, and keys that continue with a colon.
            range(stem.clone(), format!("{stem}\u{1}"));
            range(format!("{stem}:"), format!("{stem};"));
        }
    }
    (ranges.join(" OR "), values)
}

/// The smallest text after all texts that begin with `prefix`. The prefix ends with a colon.
fn after(prefix: &str) -> String {
    prefix
        .strip_suffix(':')
        .map_or_else(|| format!("{prefix}\u{10ffff}"), |stem| format!("{stem};"))
}

/// The id of the session in a key.
pub(super) fn owner<'k>(key: &'k str, prefixes: &[&str]) -> Option<&'k str> {
    let rest = prefixes.iter().find_map(|prefix| key.strip_prefix(prefix))?;
    Some(rest.split(':').next().unwrap_or(rest)).filter(|id| !id.is_empty())
}
