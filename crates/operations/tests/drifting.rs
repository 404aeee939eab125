//! Databases with newer schemas, and databases of other programs: nothing is lost silently, and no
//! row of another program becomes a session.

use std::path::{Path, PathBuf};

use catalog::database::Store;
use catalog::{Found, Root, SkipReason, bundle, scan};
use rusqlite::Connection;

const PARTS: usize = 21;

/// The sample's database after a change to its schema or rows.
fn made(folder: &Path, change: &str) -> PathBuf {
    let path = folder.join("opencode.db");
    let sample = "crates/formats/src/agents/opencode/samples/database/opencode.sql";
    let text = std::fs::read_to_string(samples::workspace().join(sample)).expect("a sample");
    let connection = Connection::open(&path).expect("a database");
    connection.execute_batch(&text).expect("SQL");
    connection.execute_batch(change).expect("SQL");
    path
}

fn found(path: &Path) -> Found {
    scan(formats::ALL, &[Root::named(path)])
}

/// Unread tables that a check reports, with their numbers of rows.
fn unknown(found: &Found) -> Vec<(String, u64)> {
    let checked = verbatim_operations::check(
        &catalog::Job::default(),
        found,
        verbatim_operations::check::Depth::Quick,
        &|_| (),
    )
    .expect("not cancelled");
    let all = checked.iter().flat_map(|checked| checked.drift.listed());
    let tables = all.filter(|(strange, _)| strange.level == verbatim_operations::Level::Table);
    tables.map(|(strange, count)| (strange.what.clone(), count)).collect()
}

/// The dump of all sessions.
fn dump(path: &Path) -> String {
    let store = Store::open(formats::ALL, path).expect("readable").expect("known");
    let dump = store.dump("", None).expect("a dump");
    assert_eq!(dump.unread, Vec::<String>::new());
    String::from_utf8(dump.bytes).expect("UTF-8")
}

fn parts(dump: &str) -> usize {
    dump.matches("{\"table\":\"part\"").count()
}

#[test]
fn the_sample_is_whole_and_nothing_in_it_is_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), "");
    assert_eq!(parts(&dump(&path)), PARTS);
    assert_eq!(unknown(&found(&path)), []);
}

#[test]
fn columns_of_another_case_are_the_same_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = dump(&made(folder.path(), ""));
    for change in [
        "ALTER TABLE part RENAME COLUMN session_id TO Session_ID",
        "ALTER TABLE part RENAME COLUMN data TO DATA",
        "ALTER TABLE part RENAME TO part_; ALTER TABLE part_ RENAME TO PART",
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(dump(&made(folder.path(), change)), plain, "{change}");
    }
}

#[test]
fn a_table_without_the_column_that_its_rows_are_told_by_is_a_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), "ALTER TABLE part DROP COLUMN session_id");
    let found = found(&path);
    let told = |why: &str| why.contains("table part has no column session_id");
    let failures = found.skipped.iter().filter(|skipped| skipped.why.is_failure());
    assert!(failures.map(|skipped| skipped.why.to_string()).any(|why| told(&why)));
    let (_, unread) = bundle(&found.sources[0]);
    assert!(unread.iter().any(|unread| told(&unread.why)), "{unread:?}");
}

/// A table of keys and values needs both columns.
#[test]
fn a_table_of_keys_without_its_values_is_a_failure() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(".config/Cursor/User/globalStorage/state.vscdb");
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    let sample = "crates/formats/src/agents/cursor/samples/desktop/state.sql";
    let text = std::fs::read_to_string(samples::workspace().join(sample)).expect("a sample");
    let connection = Connection::open(&path).expect("a database");
    connection.execute_batch(&text).expect("SQL");
    let change = "ALTER TABLE cursorDiskKV RENAME COLUMN value TO val";
    connection.execute_batch(change).expect("SQL");
    let told = |why: &str| why.contains("table cursorDiskKV has no column value");
    let found = found(&path);
    let failures = found.skipped.iter().filter(|skipped| skipped.why.is_failure());
    assert!(failures.map(|skipped| skipped.why.to_string()).any(|why| told(&why)));
}

#[test]
fn tables_that_nobody_names_are_told_with_their_rows() {
    let moved = "CREATE TABLE part_v2 AS SELECT session_id, data FROM part; DELETE FROM part";
    let renamed = "ALTER TABLE part RENAME TO part_v2";
    for change in [moved, renamed] {
        let folder = tempfile::tempdir().expect("a folder");
        let found = found(&made(folder.path(), change));
        assert_eq!(found.sources.len(), 1, "{change}");
        assert_eq!(unknown(&found), [("table part_v2".to_owned(), PARTS as u64)], "{change}");
    }
}

#[test]
fn a_database_without_a_session_says_what_is_in_it_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let change = "CREATE TABLE chat (id); INSERT INTO chat VALUES (1), (2); DELETE FROM session;
        DELETE FROM message; DELETE FROM part; DELETE FROM todo; DELETE FROM session_share;
        DELETE FROM event";
    let found = found(&made(folder.path(), change));
    assert_eq!(found.sources.len(), 0);
    assert!(found.skipped.iter().any(|skipped| matches!(skipped.why, SkipReason::Bare(_))));
    assert_eq!(unknown(&found), [("table chat".to_owned(), 2)]);
}

/// The database is outside of the agent's places, and lacks a column that each mark needs.
#[test]
fn most_of_its_tables_and_columns_show_whose_a_database_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let change = "ALTER TABLE session RENAME COLUMN id TO ident;
        ALTER TABLE message RENAME COLUMN session_id TO sid;
        ALTER TABLE part RENAME COLUMN session_id TO sid";
    let path = made(folder.path(), change);
    let moved = folder.path().join("backup.sqlite");
    std::fs::rename(&path, &moved).expect("another name");
    let found = found(&moved);
    assert_eq!(
        found.sources.iter().map(|source| source.format.name()).collect::<Vec<_>>(),
        ["opencode"]
    );
    let failures = found.skipped.iter().filter(|skipped| skipped.why.is_failure());
    let told: Vec<String> = failures.map(|skipped| skipped.why.to_string()).collect();
    for lack in ["session has no column id", "message has no column", "part has no column"] {
        assert!(told.iter().any(|why| why.contains(lack)), "{lack}: {told:?}");
    }
}

#[test]
fn rows_that_name_no_session_are_told_with_their_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let change = "UPDATE part SET session_id = NULL WHERE rowid <= 3;
        UPDATE todo SET session_id = ''";
    let told = unknown(&found(&made(folder.path(), change)));
    let rows = |table: &str| format!("rows of table {table} without a session");
    assert_eq!(told, [(rows("part"), 3), (rows("todo"), 1)]);
}

/// Rows in unknown tables, and rows without a session, are in no sum, and are reported.
#[test]
fn usage_names_the_rows_that_are_in_no_sum() {
    for (change, rows) in [
        ("", None),
        ("CREATE TABLE empty (id)", None),
        ("ALTER TABLE part RENAME TO part_v2", Some("table part_v2 (schema drift; rows: 21)")),
        (
            "UPDATE part SET session_id = NULL WHERE rowid <= 3",
            Some("without a session (schema drift; rows: 3)"),
        ),
        (
            "CREATE TABLE chat (id); INSERT INTO chat VALUES (1), (2); DELETE FROM session;
            DELETE FROM message; DELETE FROM part; DELETE FROM todo; DELETE FROM session_share;
            DELETE FROM event",
            Some("table chat (schema drift; rows: 2)"),
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let found = found(&made(folder.path(), change));
        let usage = verbatim_operations::usage::usage_with(&catalog::Job::default(), &found, &None)
            .expect("not cancelled");
        let told: Vec<&str> = usage.unread().map(|unread| unread.why.as_str()).collect();
        match rows {
            Some(rows) => assert!(told.len() == 1 && told[0].contains(rows), "{told:?}"),
            None => assert_eq!(told, [] as [&str; 0], "{change}"),
        }
    }
}

#[test]
fn keys_that_nobody_names_are_told_by_their_beginnings() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("state.vscdb");
    let sample = "crates/formats/src/agents/cursor/samples/desktop/state.sql";
    let text = std::fs::read_to_string(samples::workspace().join(sample)).expect("a sample");
    let connection = Connection::open(&path).expect("a database");
    connection.execute_batch(&text).expect("SQL");
    assert_eq!(unknown(&found(&path)), []);
    let more = "INSERT INTO cursorDiskKV VALUES ('bubbleV9:a:1', 'secret'), ('bubbleV9:a:2', ''),
        ('agentKv:blob:00', '{}'); INSERT INTO ItemTable VALUES ('some.extension', 'x'),
        ('composer.composerHeadersV9', '{}')";
    connection.execute_batch(more).expect("SQL");
    let expected = [
        ("keys bubbleV of table cursorDiskKV".to_owned(), 2),
        ("keys composer.composerHeadersV of table ItemTable".to_owned(), 1),
    ];
    assert_eq!(unknown(&found(&path)), expected);
}

#[test]
fn a_column_that_has_the_name_of_the_rows_numbers_hides_no_row() {
    for numbers in ["rowid", "RowId, oid", "rowid, oid, _rowid_"] {
        let change = format!(
            "ALTER TABLE part RENAME TO old; CREATE TABLE part (id TEXT PRIMARY KEY, message_id,
            session_id, time_created, time_updated, data, {numbers}); INSERT INTO part (id,
            message_id, session_id, time_created, time_updated, data) SELECT id, message_id,
            session_id, time_created, time_updated, data FROM old; DROP TABLE old"
        );
        let folder = tempfile::tempdir().expect("a folder");
        let path = made(folder.path(), &change);
        assert_eq!(parts(&dump(&path)), PARTS, "{change}");
        let (bundle, unread) = bundle(&found(&path).sources[0]);
        assert!(unread.is_empty(), "{unread:?}");
        let text = String::from_utf8_lossy(bundle.members[0].bytes()).into_owned();
        assert_eq!(parts(&text), PARTS, "{change}");
    }
}

#[test]
fn columns_that_are_computed_are_read() {
    for kind in ["VIRTUAL", "STORED"] {
        let folder = tempfile::tempdir().expect("a folder");
        let change = format!(
            "ALTER TABLE part RENAME TO old; CREATE TABLE part (id TEXT PRIMARY KEY, message_id
            TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, raw TEXT, data TEXT
            GENERATED ALWAYS AS (raw) {kind}); INSERT INTO part SELECT * FROM old; DROP TABLE old"
        );
        let dump = dump(&made(folder.path(), &change));
        let lines = dump.lines().filter(|line| line.starts_with("{\"table\":\"part\""));
        for line in lines {
            let both = line.split_once("\"raw\":").map(|(_, both)| both).expect("what is stored");
            // The same value is written twice, with a name between them and two closing braces
            // after them.
            let half = (both.len() - "\"data\":".len() - ",}}".len()) / 2;
            assert_eq!(both[half..], format!(",\"data\":{}}}}}", &both[..half]), "{kind}");
        }
        assert_eq!(parts(&dump), PARTS, "{kind}");
    }
}

/// A computed column stores nothing, and may be expensive to compute. This one fails as soon as it
/// is computed.
#[test]
fn columns_that_nobody_needs_are_not_computed() {
    let folder = tempfile::tempdir().expect("a folder");
    let change = "ALTER TABLE part ADD COLUMN g INTEGER
        GENERATED ALWAYS AS (abs(-9223372036854775807 - 1)) VIRTUAL";
    let path = made(folder.path(), change);
    let computed = Connection::open(&path).expect("a database");
    let computed = computed.query_row("SELECT g FROM part", [], |row| row.get::<_, i64>(0));
    assert!(computed.is_err_and(|error| error.to_string().contains("overflow")));
    let dump = dump(&path);
    assert!(!dump.contains("\"g\":"), "it is in the dump");
    assert_eq!(parts(&dump), PARTS);
}

/// Databases of programs that list, index or show sessions, and of agents with similar ones.
const FOREIGN: &[(&str, &str)] = &[
    (
        ".claude/projects/viewer-cache.db",
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT);
        CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT);
        INSERT INTO sessions VALUES ('4c1f6a70-9d2e-4b51-8a3c-6e0f2b7d9a14', 'Cached');
        INSERT INTO messages VALUES (1, '4c1f6a70-9d2e-4b51-8a3c-6e0f2b7d9a14')",
    ),
    (
        "shop/.crush/crush.db",
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT,
            message_count INTEGER, prompt_tokens INTEGER, completion_tokens INTEGER, cost REAL,
            updated_at INTEGER, created_at INTEGER, summary_message_id TEXT);
        CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT,
            model TEXT, created_at INTEGER, updated_at INTEGER, finished_at INTEGER,
            provider TEXT, is_summary_message INTEGER);
        INSERT INTO sessions VALUES ('s1', NULL, 'Fix', 1, 2, 3, 0.1, 1, 1, NULL);
        INSERT INTO messages VALUES ('m1', 's1', 'user', '[]', 'x', 1, 1, 1, 'y', 0)",
    ),
    (
        ".config/Code/User/workspaceStorage/1f/state.vscdb",
        "CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB);
        INSERT INTO ItemTable VALUES ('workbench.view.explorer', '{}')",
    ),
    (
        "project/notes.db",
        "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB);
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
        INSERT INTO blobs VALUES ('a', x'00ff'); INSERT INTO meta VALUES ('version', '3')",
    ),
    (
        ".local/share/goose/sessions/sessions.db",
        "CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT);
        CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT,
            content_json TEXT, created_timestamp INTEGER);
        INSERT INTO sessions VALUES ('20260101', 'a', 'b');
        INSERT INTO messages VALUES (1, '20260101', 'user', '[]', 1)",
    ),
];

#[test]
fn databases_of_other_programs_are_no_sessions() {
    for (name, sql) in FOREIGN {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        Connection::open(&path).expect("a database").execute_batch(sql).expect("SQL");
        let found = found(folder.path());
        assert_eq!(found.sources.len(), 0, "{name}");
        let why = &found.skipped[0].why;
        let foreign = matches!(why, SkipReason::Database | SkipReason::Foreign(_));
        assert!(foreign && !why.is_failure(), "{name}: {why}");
    }
}

/// A WAL without its database: each reading gives the same reason for not reading it, and the
/// reason names no file of verbatim.
#[test]
fn a_log_without_its_database_is_said_to_be_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("source.db");
    let writer = Connection::open(&path).expect("a database");
    let wal = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;";
    let filled = "CREATE TABLE t (a); WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM
        n WHERE x < 3000) INSERT INTO t SELECT hex(zeroblob(200)) FROM n;";
    writer.execute_batch(&format!("{wal} {filled} PRAGMA wal_checkpoint(TRUNCATE);")).expect("SQL");
    writer.execute_batch("UPDATE t SET a = 1 WHERE rowid % 500 = 0").expect("SQL");
    let home = folder.path().join("home");
    std::fs::create_dir(&home).expect("a folder");
    std::fs::copy(folder.path().join("source.db-wal"), home.join("state.db-wal")).expect("a log");
    let told =
        || found(&home).skipped.iter().map(|skipped| skipped.why.to_string()).collect::<Vec<_>>();
    let first = told();
    assert!(
        first[0].contains("without its database") && !first[0].contains("verbatim-"),
        "{first:?}"
    );
    assert!(found(&home).skipped.iter().all(|skipped| !skipped.why.is_failure()));
    assert_eq!(told(), first);
}

/// Another table of the format has a column of this name, so the names alone do not show it.
#[test]
fn a_table_that_lost_a_column_is_told() {
    for (change, told) in [
        ("ALTER TABLE part RENAME COLUMN data TO payload", "table part without column data"),
        ("ALTER TABLE message RENAME COLUMN data TO payload", "table message without column data"),
        (
            "ALTER TABLE part ADD COLUMN brief TEXT AS (substr(data, 1, 9))",
            "computed column brief of table part",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let unknown = unknown(&found(&made(folder.path(), change)));
        assert!(unknown.iter().any(|(what, count)| what == told && *count > 0), "{unknown:?}");
    }
}
