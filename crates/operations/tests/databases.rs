//! Databases: their dumps and sessions, and that nothing beside them changes. They are made here
//! from the samples, which are SQL text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use catalog::database::Store;
use catalog::{Found, Root, SkipReason, bundle, scan};
use rusqlite::Connection;
use session::{Session, proof};

fn sample(name: &str) -> PathBuf {
    samples::of_format(name)
}

/// Makes a database from SQL text.
fn made(folder: &Path, name: &str, sql: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let text = std::fs::read_to_string(sample(sql)).expect("a sample");
    let connection = Connection::open(&path).expect("a database");
    connection.execute_batch(&text).expect("SQL");
    path
}

fn found(path: &Path) -> Found {
    scan(formats::ALL, &[Root::named(path)])
}

/// The sessions below a path, each with its proof.
fn sessions(path: &Path) -> Vec<Session> {
    let mut all = Vec::new();
    for source in found(path).sources {
        let (bundle, unread) = bundle(&source);
        assert!(unread.is_empty(), "{unread:?}");
        let sessions = source.format.read(std::sync::Arc::new(bundle));
        assert_eq!(proof::check(&sessions, 3), []);
        let checked = verbatim_operations::check::check_source(
            &source,
            verbatim_operations::check::Depth::Deep,
        );
        assert_eq!((checked.lost.len(), checked.missing), (0, 0), "{:?}", checked.lost);
        all.extend(sessions);
    }
    all
}

/// State of a folder: the name, bytes and time of each file.
fn state(folder: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let entries =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let files = entries.filter(|entry| entry.path().is_file());
    files
        .map(|entry| {
            let modified = entry.metadata().and_then(|meta| meta.modified()).expect("a time");
            (entry.path(), (std::fs::read(entry.path()).expect("bytes"), modified))
        })
        .collect()
}

const SAMPLES: &[(&str, &str, &str)] = &[
    ("opencode.db", "opencode/samples/database/opencode.sql", "opencode.db.dump.jsonl"),
    (
        "opencode-next.db",
        "opencode/samples/database/opencode-next.sql",
        "opencode-next.db.dump.jsonl",
    ),
    (
        "opencode-next.db",
        "opencode/samples/database/opencode-beta.sql",
        "opencode-beta.db.dump.jsonl",
    ),
    ("opencode.db", "opencode/samples/database/archived.sql", "archived.db.dump.jsonl"),
    (
        "store.db",
        "cursor/samples/store/9a0b1c2d-3333-4444-8555-666677778888/store.sql",
        "store.db.dump.jsonl",
    ),
    ("state.vscdb", "cursor/samples/desktop/state.sql", "state.vscdb.dump.jsonl"),
    ("state.vscdb", "cursor/samples/older/state.sql", "state.vscdb.dump.jsonl"),
];

#[test]
fn a_dump_is_what_the_format_names_and_nothing_else() {
    for (name, sql, dump) in SAMPLES {
        let folder = tempfile::tempdir().expect("a folder");
        let path = made(folder.path(), name, sql);
        let store = Store::open(formats::ALL, &path).expect("readable").expect("known");
        let found = store.dump("", None).expect("a dump");
        assert!(found.unread.is_empty());
        let expected = std::fs::read_to_string(sample(sql).with_file_name(dump)).expect("a sample");
        let found = String::from_utf8(found.bytes).expect("UTF-8");
        for (found, expected) in found.lines().zip(expected.lines()) {
            assert_eq!(found, expected, "{sql}");
        }
        assert_eq!(found.lines().count(), expected.lines().count(), "{sql}");
        assert!(!found.contains("not-to-be-read"));
    }
}

#[test]
fn each_session_of_a_database_is_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    made(folder.path(), "a/state.vscdb", "cursor/samples/older/state.sql");
    made(folder.path(), "a/opencode.db", "opencode/samples/database/opencode.sql");
    made(folder.path(), "b/opencode.db", "opencode/samples/database/opencode-next.sql");
    let mut ids: Vec<String> = sessions(folder.path()).into_iter().map(|s| s.id).collect();
    ids.sort();
    let expected = [
        "4e5f6071-6666-4777-8888-9999aaaabbbb",
        "5f607182-7777-4888-8999-aaaabbbbcccc",
        "60718293-8888-4999-8aaa-bbbbccccdddd",
        "718293a4-9999-4aaa-8bbb-ccccddddeeee",
        "ses_f39c11a02ffeTwoQ1wE3rT5yU7i",
        "ses_f3a01b2c3ffeRowsA1bC3dE5fG7",
    ];
    // Facts about a project have no session's id.
    ids.retain(|id| !id.is_empty());
    assert_eq!(ids, expected);
}

#[test]
fn a_database_at_rest_is_read_where_it_lies() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), "opencode.db", "opencode/samples/database/opencode.sql");
    let before = state(folder.path());
    assert!(!sessions(&path).is_empty());
    assert_eq!(state(folder.path()), before);
}

const WAL: &str = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;";
const SCHEMA: &str =
    "CREATE TABLE session_v2 (id TEXT PRIMARY KEY, title TEXT, time_updated INTEGER);
    CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER,
        time_created INTEGER, time_updated INTEGER, data TEXT);
    INSERT INTO session_v2 VALUES ('ses_live', 'Live', 1);";

fn add(connection: &Connection, seq: u32, text: &str) {
    let data = format!(r#"{{"text":"{text}"}}"#);
    let id = format!("msg_{seq}");
    connection
        .execute(
            "INSERT INTO session_message VALUES (?1, 'ses_live', 'user', ?2, ?2, ?2, ?3)",
            rusqlite::params![id, seq, data],
        )
        .expect("a row");
}

fn said(sessions: &[Session]) -> Vec<String> {
    let messages = sessions.iter().flat_map(Session::top);
    messages.filter(|e| e.case.name == "message").map(|e| e.said().into_owned()).collect()
}

#[test]
fn a_live_database_is_neither_changed_nor_locked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("opencode.db");
    let writer = Connection::open(&path).expect("a database");
    writer.execute_batch(&format!("{WAL} {SCHEMA}")).expect("SQL");
    add(&writer, 1, "committed");
    // A transaction is open while the database is read. Its rows are not read, and it is not
    // disturbed.
    writer.execute_batch("BEGIN IMMEDIATE").expect("a transaction");
    add(&writer, 2, "later");
    let before = state(folder.path());
    assert_eq!(said(&sessions(&path)), ["committed"]);
    assert_eq!(state(folder.path()), before);
    writer.execute_batch("COMMIT").expect("no reader locks it");
    // The checkpoint succeeds only if no reader is left.
    let busy: u32 = writer
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        .expect("a checkpoint");
    assert_eq!(busy, 0);
    add(&writer, 3, "third");
    assert_eq!(said(&sessions(&path)), ["committed", "later", "third"]);
}

#[test]
fn a_writer_that_never_rests_is_read_at_one_moment() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("opencode.db");
    let writer = Connection::open(&path).expect("a database");
    writer.execute_batch(&format!("{WAL} {SCHEMA}")).expect("SQL");
    let done = &std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut seq = 0;
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                // Two rows are written at a time, so that a snapshot has both or none.
                writer.execute_batch("BEGIN").expect("a transaction");
                add(&writer, seq + 1, "a");
                add(&writer, seq + 2, "b");
                writer.execute_batch("COMMIT").expect("a commit");
                seq += 2;
                if seq % 400 == 0 {
                    writer.execute_batch("PRAGMA wal_checkpoint(PASSIVE)").expect("a checkpoint");
                }
            }
        });
        for _ in 0..10 {
            let said = said(&sessions(&path));
            assert_eq!(said.len() % 2, 0, "{}", said.len());
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn a_rollback_journal_takes_back_what_was_not_committed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("opencode.db");
    let writer = Connection::open(&path).expect("a database");
    writer.execute_batch(SCHEMA).expect("SQL");
    add(&writer, 1, "committed");
    writer.execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN").expect("begin");
    for seq in 2..300 {
        add(&writer, seq, &"lost ".repeat(50));
    }
    let before = state(folder.path());
    assert!(before.keys().any(|path| path.to_string_lossy().ends_with("-journal")));
    assert_eq!(said(&sessions(&path)), ["committed"]);
    assert_eq!(state(folder.path()), before);
}

/// A database whose rows are all in the WAL, because no checkpoint was ever made.
fn in_the_log(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let path = folder.join("source.db");
    let writer = Connection::open(&path).expect("a database");
    writer.execute_batch(&format!("{WAL} {SCHEMA}")).expect("SQL");
    add(&writer, 1, "in the log");
    let bytes = |name: &str| std::fs::read(folder.join(name)).expect("bytes");
    (bytes("source.db"), bytes("source.db-wal"))
}

#[test]
fn what_stands_in_the_log_only_is_read_and_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let (database, log) = in_the_log(folder.path());
    for (case, database) in
        [("with", Some(&database[..])), ("empty", Some(&[][..])), ("none", None)]
    {
        let folder = folder.path().join(case);
        std::fs::create_dir(&folder).expect("a folder");
        if let Some(bytes) = database {
            std::fs::write(folder.join("opencode.db"), bytes).expect("a file");
        }
        std::fs::write(folder.join("opencode.db-wal"), &log).expect("a file");
        let before = state(&folder);
        assert_eq!(said(&sessions(&folder)), ["in the log"], "{case}");
        assert_eq!(state(&folder), before, "{case}");
        let notes = found(&folder).skipped;
        let said = notes.iter().any(|skipped| matches!(skipped.why, SkipReason::Note(_)));
        assert_eq!(said, case != "with", "{case}: {notes:?}");
    }
}

#[test]
fn a_damaged_database_is_reported_and_hides_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = made(folder.path(), "good/opencode.db", "opencode/samples/database/opencode.sql");
    let bytes = std::fs::read(&good).expect("bytes");
    let harm = |name: &str, harm: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        harm(&mut bytes);
        let path = folder.path().join(name).join("opencode.db");
        std::fs::create_dir(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, bytes).expect("a file");
        path
    };
    let header = harm("header", &|bytes| bytes[100..400].fill(0xff));
    let rest = harm("rest", &|bytes| bytes[8192..].fill(0x41));
    let cut = harm("cut", &|bytes| bytes.truncate(5000));
    let found = found(folder.path());
    assert!(found.sources.iter().any(|source| *source.files[0].path == *good));
    let reported = |path: &Path| {
        let skipped = found.skipped.iter().filter(|skipped| skipped.path == path);
        let unread = found.sources.iter().filter(|source| *source.files[0].path == *path);
        skipped.filter(|skipped| skipped.why.is_failure()).count()
            + unread.filter(|source| !bundle(source).1.is_empty()).count()
    };
    for path in [header, rest, cut] {
        assert!(reported(&path) > 0, "{}: {:?}", path.display(), found.skipped);
    }
}

#[test]
fn a_schema_is_not_obeyed() {
    let folder = tempfile::tempdir().expect("a folder");
    let connection = Connection::open(folder.path().join("opencode.db")).expect("a database");
    connection.execute_batch(SCHEMA).expect("SQL");
    add(&connection, 1, "hello");
    // A view in the place of a table. Reading it would never end.
    let endless = "CREATE VIEW todo AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL
        SELECT x + 1 FROM n) SELECT x AS session_id, x AS content FROM n;";
    connection.execute_batch(endless).expect("SQL");
    let found = found(folder.path());
    assert!(found.skipped.iter().any(|skipped| skipped.why.to_string().contains("todo")));
    let (bundle, unread) = bundle(&found.sources[0]);
    assert!(unread.iter().any(|unread| unread.why.contains("todo")), "{unread:?}");
    assert_eq!(said(&found.sources[0].format.read(bundle.into())), ["hello"]);
}

#[test]
fn files_and_rows_of_one_session_are_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join("opencode");
    made(&home, "opencode.db", "opencode/samples/database/opencode.sql");
    let id = "ses_f3a01b2c3ffeRowsA1bC3dE5fG7";
    let message = home.join("storage/message").join(id).join("msg_0c4506c7b001aB3dE5fG7hJ9kL.json");
    std::fs::create_dir_all(message.parent().expect("a folder")).expect("a folder");
    let text = format!(
        r#"{{"id":"msg_0c4506c7b001aB3dE5fG7hJ9kL","sessionID":"{id}","role":"user",
        "time":{{"created":1790000000123}}}}"#
    );
    std::fs::write(&message, text).expect("a file");
    let sources = found(folder.path()).sources;
    assert_eq!(sources.len(), 1);
    assert_eq!(sources[0].files.len(), 2);
    let sessions = sessions(folder.path());
    let echoes = sessions[0].top().filter(|e| e.standing() == session::Standing::Echo);
    assert_eq!(echoes.filter(|event| event.case.name == "message").count(), 1);
}

#[test]
fn a_backup_says_nothing_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), "globalStorage/state.vscdb", "cursor/samples/desktop/state.sql");
    let live = |sessions: &[Session]| -> Vec<String> {
        let events = sessions.iter().flat_map(Session::top).filter(|e| e.case.name == "bubble");
        let live = events.filter(|e| e.standing() == session::Standing::Live);
        live.map(|event| event.said().into_owned()).collect()
    };
    let alone = live(&sessions(folder.path()));
    assert!(!alone.is_empty());
    std::fs::copy(&path, path.with_file_name("state.vscdb.backup")).expect("a copy");
    let sources = found(folder.path()).sources;
    assert!(sources.iter().all(|source| source.files.len() == 2));
    assert_eq!(live(&sessions(folder.path())), alone);
}

#[test]
fn real_databases_are_read_whole() {
    let Some(corpus) = samples::corpus() else { return };
    let before = state(&corpus.join("opencode/tuist+Noora/.opencode"));
    let expected = [
        ("opencode/tuist+Noora/.opencode", 4),
        ("opencode/git-ai-project+git-ai/tests/fixtures/opencode-sqlite", 1),
        ("cursor/slevin48+cursor-history", 31),
    ];
    for (folder, count) in expected {
        let folder = corpus.join(folder);
        let sessions = sessions(&folder);
        let mut strange = BTreeMap::new();
        for event in sessions.iter().flat_map(Session::events) {
            for field in event.fields().iter().filter(|field| !field.known) {
                let name = String::from_utf8_lossy(event.name(*field)).into_owned();
                *strange.entry(format!("{}: {name}", event.case.name)).or_insert(0) += 1;
            }
        }
        assert_eq!(strange, BTreeMap::new(), "{}", folder.display());
        let known = sessions.iter().filter(|session| !session.remainder).count();
        assert_eq!(known, count, "{}", folder.display());
    }
    assert_eq!(state(&corpus.join("opencode/tuist+Noora/.opencode")), before);
}

#[test]
fn a_session_of_a_database_goes_back_as_its_agent_takes_it_also_from_a_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = made(folder.path(), "opencode.db", "opencode/samples/database/opencode.sql");
    let catalog = catalog::Catalog::here();
    let opened = catalog.open(&path, &[]).expect("a session");
    let convert = |session: &Session, to: &str, options: &formats::Options| {
        let written =
            verbatim_operations::convert(&catalog, session, to, options).expect("written");
        written.files[0].1.to_vec()
    };
    let (form, rows) = (
        formats::Options::default(),
        formats::Options { rows: true, embed: true, ..formats::Options::default() },
    );
    let exported = convert(opened.session(), "opencode", &form);
    assert!(exported.starts_with(b"{\n  \"info\": {"));
    let record = convert(opened.session(), "vac", &rows);
    let record = catalog.open_bytes("r.vac.json", record).expect("a record");
    assert!(convert(record.session(), "opencode", &form) == exported);
    let dump = convert(record.session(), "opencode", &rows);
    assert!(dump == opened.session().bundle.bytes(0));
}
