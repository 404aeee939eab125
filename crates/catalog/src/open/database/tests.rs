//! Caches that a database keeps from one session to the next: none may outlive the state from which
//! it was made. The databases are made from the samples.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::Store;

/// Makes the database of a sample.
fn made(folder: &Path, sql: &str) -> PathBuf {
    let path = folder.join("database");
    let sql = samples::of_format(sql);
    change(&path, &std::fs::read_to_string(sql).expect("a sample"));
    path
}

fn change(path: &Path, sql: &str) {
    Connection::open(path).expect("a database").execute_batch(sql).expect("SQL");
}

fn store(path: &Path) -> Store {
    Store::open(formats::ALL, path).expect("readable").expect("known")
}

/// The lists of sessions are cached for all of them, but not longer than the database stays the
/// same.
#[test]
fn a_list_is_read_again_when_the_database_has_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), "cursor/samples/older/state.sql");
    let store = store(&path);
    let dump = |session| {
        let dump = store.dump(session, None).expect("a dump");
        String::from_utf8(dump.bytes).expect("UTF-8")
    };
    let id = "60718293-8888-4999-8aaa-bbbbccccdddd";
    assert_eq!(dump(id).matches("Sidebar").count(), 1);
    assert_eq!(dump("").matches("Sidebar").count(), 1);
    assert_eq!(dump("718293a4-9999-4aaa-8bbb-ccccddddeeee").matches("Sidebar").count(), 0);
    change(&path, "UPDATE ItemTable SET value = replace(value, 'Sidebar', 'Moved aside')");
    assert_eq!(dump(id).matches("Moved aside").count(), 1);
    assert_eq!(dump(id).matches("Sidebar").count(), 0);
}

/// If no index finds the rows of a session, one query finds those of all sessions.
#[test]
fn the_rows_of_a_session_are_the_same_with_and_without_an_index() {
    let indexes = [
        ("opencode/samples/database/opencode.sql", "message(session_id)"),
        ("opencode/samples/database/opencode.sql", "part(session_id)"),
        ("opencode/samples/database/opencode-next.sql", "session_message(session_id)"),
        ("cursor/samples/older/state.sql", "cursorDiskKV(key)"),
        ("cursor/samples/desktop/state.sql", "cursorDiskKV(key)"),
    ];
    for (sql, index) in indexes {
        let folder = tempfile::tempdir().expect("a folder");
        let path = made(folder.path(), sql);
        let dumps = || {
            let store = store(&path);
            let dump = |id: &str| store.dump(id, None).expect("a dump").bytes;
            let owned = store.listing.owned.iter();
            let dumps: Vec<_> = owned.map(|owned| (owned.id.clone(), dump(&owned.id))).collect();
            let layout = store.layout.lock().expect("a layout");
            (layout.as_ref().map_or(0, |(_, layout)| layout.scattered()), dumps)
        };
        let (scattered, plain) = dumps();
        assert!(plain.iter().all(|(_, dump)| !dump.is_empty()), "{sql}");
        change(&path, &format!("CREATE INDEX of_sessions ON {index}"));
        assert_eq!(dumps(), (scattered - 1, plain), "{sql}, {index}");
    }
}
