//! Databases of any shape: no panic, an end, and no row dropped silently.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use catalog::database::Store;
use rusqlite::Connection;
use samples::Dice;

use super::prove;

const TABLES: &[&str] = &[
    "session",
    "Session_V2",
    "session_message",
    "message",
    "PART",
    "part_v2",
    "project",
    "todo",
    "event",
    "sessions",
    "messages",
    "files",
    "cursorDiskKV",
    "ItemTable",
    "composerHeaders",
    "blobs",
    "meta",
    "some \"other\" table",
];

const COLUMNS: &[&str] = &[
    "id",
    "ID",
    "session_id",
    "Session_Id",
    "message_id",
    "project_id",
    "directory",
    "time_created",
    "data",
    "DATA",
    "type",
    "seq",
    "key",
    "value",
    "role",
    "parts",
    "rowid",
    "oid",
    "_rowid_",
    "aggregate_id",
    "composerId",
    "a \"b\"",
];

const VALUES: &[&str] = &[
    "NULL",
    "7",
    "-1.5",
    "9e999",
    "'ses_a'",
    "'ses_b'",
    "'composerData:c1'",
    "'bubbleId:c1:b1'",
    "'composer.composerData'",
    "''",
    "'{\"role\":\"user\",\"type\":\"text\",\"text\":\"hi\"}'",
    "'{\"allComposers\":[{\"composerId\":\"c1\"}]}'",
    "'{\"cut\":'",
    "x'00ff80'",
    "x'7b7d'",
    "CAST(x'ff' AS TEXT)",
    "hex(zeroblob(3000))",
];

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Makes a table with random columns and rows.
fn table(dice: &mut Dice<'_>, name: &str, connection: &Connection) {
    // Most of the columns by which a table is recognized, and some others.
    let mut wanted = vec!["id", "session_id", "data", "key", "value", "project_id", "directory"];
    wanted.extend(["time_created", "message_id", "type", "seq"]);
    wanted.retain(|_| dice.roll(6) > 0);
    (0..dice.roll(5)).for_each(|_| wanted.push(dice.of(COLUMNS)));
    let mut seen = BTreeSet::new();
    wanted.retain(|name| seen.insert(name.to_ascii_lowercase()));
    if wanted.is_empty() {
        wanted.push("x");
    }
    let mut columns: Vec<String> = wanted.iter().map(|name| quoted(name)).collect();
    let stored = columns.join(", ");
    let keyless = dice.roll(3);
    if keyless == 0 {
        columns[0].push_str(" PRIMARY KEY");
    }
    if dice.roll(4) == 0 {
        columns.push(format!("computed GENERATED ALWAYS AS ({})", quoted(wanted[0])));
    }
    let ending = if keyless == 0 && dice.roll(2) == 0 { "WITHOUT ROWID" } else { "" };
    let sql = format!("CREATE TABLE {} ({}) {ending}", quoted(name), columns.join(", "));
    // If SQLite refuses the statement, there is no such table.
    if connection.execute_batch(&sql).is_err() {
        return;
    }
    for _ in 0..dice.roll(12) {
        let values: Vec<&str> = wanted.iter().map(|_| dice.of(VALUES)).collect();
        let sql = format!("INSERT INTO {} ({stored}) VALUES ({})", quoted(name), values.join(", "));
        drop(connection.execute_batch(&sql));
    }
}

/// Number of rows of each table in the dump, and notes on unreadable tables.
fn dumped(store: &Store) -> (BTreeMap<String, u64>, Vec<String>) {
    let mut dump = store.dump("", None).expect("a dump");
    dump.unread.extend(store.listing.unread.iter().cloned());
    let told = dump.unread.iter().map(|why| why.to_ascii_lowercase()).collect();
    let text = String::from_utf8(dump.bytes).expect("UTF-8");
    let mut rows = BTreeMap::new();
    for line in text.lines().filter(|line| !line.contains(",\"element\":{")) {
        let name = line.strip_prefix("{\"table\":\"").and_then(|rest| rest.split('"').next());
        *rows.entry(name.expect("a table").to_ascii_lowercase()).or_default() += 1;
    }
    (rows, told)
}

/// Checks that each row with a session is in the dump, unless its table is reported or is known to
/// hold no session.
fn accounted(path: &Path, connection: &Connection) {
    let Ok(Some(store)) = Store::open(formats::ALL, path) else { return };
    let (rows, told) = dumped(&store);
    let unknown = store.unknown().expect("readable");
    let mut query = connection
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
        .expect("SQL");
    let names = query.query_map([], |row| row.get::<_, String>(0)).expect("names");
    for name in names.map(|name| name.expect("a name")) {
        let lower = name.to_ascii_lowercase();
        let read = store.kind.tables.iter().find(|table| table.name.eq_ignore_ascii_case(&name));
        let Some(read) = read else {
            let is_told = unknown.iter().any(|(what, _)| *what == format!("table {name}"));
            assert!(is_told || store.kind.known.contains(&&*lower), "{name} is not told");
            continue;
        };
        if told.iter().any(|why| why.starts_with(&format!("table {lower}"))) {
            continue;
        }
        let only = match read.rows {
            formats::database::Rows::All => "1".to_owned(),
            formats::database::Rows::Of(column) => format!("{} IS NOT NULL", quoted(column)),
            _ => continue,
        };
        let sql = format!("SELECT count(*) FROM {} WHERE {only}", quoted(&name));
        let count: i64 = connection.query_row(&sql, [], |row| row.get(0)).expect("a count");
        let dumped = rows.get(&lower).copied().unwrap_or_default();
        assert_eq!(dumped, count.unsigned_abs(), "{name}");
    }
}

/// Makes a database, reads it, damages it, and reads it again.
pub fn round(dice: &mut Dice<'_>) {
    let folder = tempfile::tempdir().expect("a folder");
    let place = dice.of(&["x.db", "opencode/opencode.db", "Cursor/User/state.vscdb", "store.db"]);
    let path = folder.path().join(place);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let connection = Connection::open(&path).expect("a database");
    let in_log = dice.roll(3) == 0;
    if in_log {
        let wal = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0";
        connection.execute_batch(wal).expect("SQL");
    }
    for name in TABLES {
        if dice.roll(2) == 0 {
            table(dice, name, &connection);
        }
    }
    accounted(&path, &connection);
    prove(folder.path());
    // The file with random damage.
    drop(connection);
    let mut bytes = std::fs::read(&path).expect("bytes");
    for _ in 0..1 + dice.roll(20) {
        let at = dice.roll(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte = dice.roll(256) as u8;
        }
    }
    if dice.roll(3) == 0 {
        bytes.truncate(dice.roll(bytes.len()));
    }
    std::fs::write(&path, bytes).expect("a file");
    prove(folder.path());
}
