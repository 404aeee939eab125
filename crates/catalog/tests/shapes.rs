//! Databases and folders of any shape: no panic, an end, and nothing that is dropped in silence.
//! The seed of a round is printed where it fails; `SEED=n` runs that round alone, `CI_DEEP=1` goes
//! on with new rounds for ten minutes.

#![allow(clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catalog::database::Store;
use catalog::{Found, Root, bundle, check, scan};
use rusqlite::Connection;

/// How many rounds an ordinary run has, and how long a deep one takes.
const ROUNDS: u64 = 24;
const DEEP: Duration = Duration::from_secs(600);

/// Numbers that look random and are the same for a seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % sides.max(1) as u64) as usize
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.roll(all.len())]
    }
}

/// Runs rounds, each with a seed of its own.
fn rounds(round: impl Fn(&mut Dice)) {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let run = |seed: u64| {
        let told = Told(seed);
        round(&mut Dice(seed));
        std::mem::forget(told);
    };
    if let Some(seed) = number("SEED") {
        return run(seed);
    }
    (0..ROUNDS).for_each(run);
    if number("CI_DEEP").is_some() {
        let (end, base) = (Instant::now() + DEEP, u64::from(std::process::id()) << 32);
        (base..).take_while(|_| Instant::now() < end).for_each(run);
    }
}

/// Tells the seed of a round that did not come to its end.
struct Told(u64);

impl Drop for Told {
    fn drop(&mut self) {
        eprintln!("failed with SEED={}", self.0);
    }
}

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

/// Makes a table, with rows.
fn table(dice: &mut Dice, name: &str, connection: &Connection) {
    // Each table has what makes it known, mostly, and anything else.
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
    // What SQLite refuses is no shape of a database.
    if connection.execute_batch(&sql).is_err() {
        return;
    }
    for _ in 0..dice.roll(12) {
        let values: Vec<&str> = wanted.iter().map(|_| dice.of(VALUES)).collect();
        let sql = format!("INSERT INTO {} ({stored}) VALUES ({})", quoted(name), values.join(", "));
        drop(connection.execute_batch(&sql));
    }
}

fn found(path: &Path) -> Found {
    scan(formats::ALL, &[Root::named(path)])
}

/// Reads and proves all that is found.
fn prove(path: &Path) {
    for source in found(path).sources {
        drop(bundle(&source));
        let checked = check::check(&source, false);
        assert_eq!((checked.lost.len(), checked.missing), (0, 0), "{:?}", checked.lost);
    }
}

/// How many rows the dump has of each table, and what was told of tables that can't be read.
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

/// Every row whose session is known is in the dump, its table is told, or is known to hold none.
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

#[test]
fn databases_of_any_shape() {
    rounds(|dice| {
        let folder = tempfile::tempdir().expect("a folder");
        let place =
            dice.of(&["x.db", "opencode/opencode.db", "Cursor/User/state.vscdb", "store.db"]);
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
        // And damaged, wherever it may be.
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
    });
}

const IDS: [&str; 2] =
    ["11111111-2222-4333-8444-555555555555", "66666666-7777-4888-8999-aaaaaaaaaaaa"];

/// A file of a session, by its name and what stands in it.
fn file(dice: &mut Dice) -> (String, String) {
    let id = dice.of(&IDS);
    let line = |more: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{}\",\"parentUuid\":null,\"sessionId\":\"{id}\",\
             \"timestamp\":\"2026-01-01T00:00:00Z\"{more},\"message\":{{\"role\":\"user\",\
             \"content\":\"hi\"}}}}\n",
            more.len()
        )
    };
    let sub = line(",\"isSidechain\":true,\"agentId\":\"1\"");
    let rollout = format!(
        "{{\"timestamp\":\"2026-01-01T00:00:00Z\",\"type\":\"session_meta\",\"payload\":\
         {{\"id\":\"{id}\"}}}}\n"
    );
    let chat = format!(
        "{{\"sessionId\":\"{id}\",\"projectHash\":\"0f\",\"startTime\":\"2026-01-01T00:00:00Z\",\
         \"messages\":[]}}"
    );
    match dice.roll(6) {
        0 | 1 => (format!("{id}.jsonl"), line("")),
        2 => (format!("{id}/subagents/agent-{}.jsonl", dice.roll(2)), sub),
        3 => (format!("agent-{}.jsonl", dice.roll(2)), sub),
        4 => (format!("rollout-2026-01-01T00-00-00-{id}.jsonl"), rollout),
        _ => (format!("chats/session-{}.json", dice.roll(2)), chat),
    }
}

#[test]
fn folders_of_any_shape() {
    rounds(|dice| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut files = BTreeSet::new();
        for _ in 0..1 + dice.roll(14) {
            let mut path = folder.path().to_path_buf();
            for _ in 0..dice.roll(4) {
                path.push(dice.of(&["a", "b", "projects", "sessions", ".claude", ".codex", "x"]));
            }
            let (name, text) = file(dice);
            path.push(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, text).expect("a file");
            files.insert(path);
        }
        let seen = |found: &Found| -> Vec<PathBuf> {
            let read = found.sources.iter().flat_map(|source| &source.files);
            let aside = found.aside.iter().map(|aside| aside.path.clone());
            let mut all: Vec<PathBuf> = read.map(|file| file.path.clone()).chain(aside).collect();
            all.sort();
            all
        };
        let first = found(folder.path());
        assert_eq!(seen(&first), Vec::from_iter(files.iter().cloned()), "each file once");
        let groups = |found: &Found| -> Vec<(String, usize)> {
            found.sources.iter().map(|s| (s.group.clone(), s.files.len())).collect()
        };
        assert_eq!(groups(&found(folder.path())), groups(&first), "the same again");
        prove(folder.path());
        // From one of its files on, there is an end too.
        if let Some(path) = files.iter().nth(dice.roll(files.len())) {
            drop(catalog::siblings(formats::ALL, &[path.as_path()]));
        }
    });
}
