//! `verbatim rows` from end to end.
#![allow(clippy::unwrap_used)]

mod common;
#[path = "rows/names.rs"]
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use common::{ID, Place, put, talk};
use rusqlite::types::Value as Cell;
use serde_json::Value;

/// The lines of a run, which ended well.
fn rows(place: &Place, args: &[&str]) -> Vec<Value> {
    let ran = place.run(&[&["rows"][..], args].concat());
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of_table<'r>(rows: &'r [Value], table: &str) -> Vec<&'r Value> {
    rows.iter().filter(|row| row["table"] == table).collect()
}

fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Bool(is) => Cell::Integer((*is).into()),
        Value::Number(number) => Cell::Integer(number.as_i64().unwrap()),
        other => Cell::Text(other.as_str().unwrap().to_owned()),
    }
}

/// The tables `sessions` and `usage` in a database, with the published view.
fn database(rows: &[Value]) -> rusqlite::Connection {
    let database = rusqlite::Connection::open_in_memory().unwrap();
    for table in ["sessions", "usage"] {
        let rows = of_table(rows, table);
        let row = rows.first().expect("a row").as_object().unwrap();
        let names: Vec<&String> = row.keys().filter(|name| *name != "table").collect();
        let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        database.execute(&format!("CREATE TABLE {table} ({})", quoted.join(",")), []).unwrap();
        let marks = vec!["?"; names.len()].join(",");
        let mut put = database.prepare(&format!("INSERT INTO {table} VALUES ({marks})")).unwrap();
        for row in rows {
            let cells = names.iter().map(|name| cell(&row[*name]));
            put.execute(rusqlite::params_from_iter(cells)).unwrap();
        }
    }
    let view = samples::workspace().join("schemas/verbatim-row-usage-1.sql");
    database.execute_batch(&std::fs::read_to_string(view).unwrap()).unwrap();
    database
}

const COUNTERS: [&str; 8] = [
    "input",
    "cache_read",
    "cache_write",
    "cache_write_hour",
    "output",
    "reasoning",
    "tool",
    "unsplit",
];

/// Answers and tokens by a group.
type Sums = BTreeMap<String, Vec<Option<i64>>>;

/// The sums of a table of usage, or of the view.
fn summed(database: &rusqlite::Connection, table: &str, by: &str) -> Sums {
    let sums: Vec<String> = COUNTERS.iter().map(|name| format!("SUM({name})")).collect();
    let answers = "SUM(CASE WHEN part = 'session-sum' THEN 0 ELSE 1 END)";
    let ask =
        format!("SELECT {by}, {answers}, SUM(total), {} FROM {table} GROUP BY 1", sums.join(","));
    let mut statement = database.prepare(&ask).unwrap();
    let row = |row: &rusqlite::Row<'_>| -> rusqlite::Result<(String, Vec<Option<i64>>)> {
        Ok((row.get(0)?, (1..=10).map(|at| row.get(at).unwrap()).collect()))
    };
    statement.query_map([], row).unwrap().map(Result::unwrap).collect()
}

/// The same, as `usage` counts.
fn counted(place: &Place, by: &str, paths: &[&str]) -> Sums {
    let ran = place.run(&[&["usage", "--json", "--utc", "--by", by][..], paths].concat());
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let group = |group: &Value| {
        let counters = COUNTERS.iter().map(|name| group["tokens"][*name].as_i64());
        let ends = [group["answers"].as_i64(), group["total"].as_i64()];
        (group["name"].as_str().unwrap().to_owned(), ends.into_iter().chain(counters).collect())
    };
    document["groups"].as_array().unwrap().iter().map(group).collect()
}

/// The groups of `usage`, each with the expression for it.
const BY: [(&str, &str); 3] = [
    ("session", "session"),
    ("model", "COALESCE(model, 'unknown')"),
    ("day", "COALESCE(SUBSTR(time, 1, 10), 'unknown')"),
];

/// The folders of samples.
fn folders() -> Vec<String> {
    let below = samples::formats().into_iter().map(|format| format.join("samples"));
    below.filter(|path| path.is_dir()).map(|path| path.display().to_string()).collect()
}

#[test]
fn the_view_of_usage_has_the_sums_of_usage() {
    let place = Place::new();
    let folders = folders();
    let paths: Vec<&str> = folders.iter().map(String::as_str).collect();
    assert!(paths.len() > 8, "{paths:?}");
    let tables = ["--table", "sessions,usage"];
    let all = rows(&place, &[&tables[..], &paths].concat());
    let database = database(&all);
    for (by, expression) in BY {
        let own = summed(&database, "usage_counted", expression);
        assert_eq!(own, counted(&place, by, &paths), "{by}");
    }
    let sum = |table: &str| summed(&database, table, "'all'");
    let without = sum("usage WHERE verdict = 'counted'");
    assert_ne!(without, sum("usage_counted"), "two sessions have some answers");
}

/// A fork copies the turns of its parent. Each is read by a task of its own, in either order.
#[test]
fn forks_in_different_tasks_count_once() {
    let place = Place::new();
    let folders = folders();
    let forks = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap().flatten());
    let forks: Vec<String> = forks
        .filter(|entry| {
            ["forks", "copied", "threads"].iter().any(|name| entry.file_name() == *name)
        })
        .map(|entry| entry.path().display().to_string())
        .collect();
    assert!(forks.len() >= 2, "{forks:?}");
    let paths: Vec<&str> = forks.iter().map(String::as_str).collect();
    let listed = place.run(&[&["list", "--json"][..], &paths].concat()).out;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let sessions = listed["sessions"].as_array().unwrap();
    let mut apart = Vec::new();
    for session in sessions.iter().rev() {
        let files = session["files"].as_array().unwrap().iter();
        let files: Vec<&str> = files.map(|file| file.as_str().unwrap()).collect();
        apart.extend(rows(&place, &[&["--table", "sessions,usage"][..], &files].concat()));
    }
    let together = rows(&place, &[&["--table", "sessions,usage"][..], &paths].concat());
    let lines = |rows: &[Value]| rows.iter().map(Value::to_string).collect::<BTreeSet<_>>();
    assert_eq!(lines(&apart), lines(&together), "rows depend on their session alone");
    let (one, other) = (database(&apart), database(&together));
    for (by, expression) in BY {
        let told = counted(&place, by, &paths);
        assert_eq!(summed(&one, "usage_counted", expression), told, "{by}");
        assert_eq!(summed(&other, "usage_counted", expression), told, "{by}");
    }
}

/// Real sessions, as they are: redaction takes longer, and is held by the samples.
#[test]
fn the_view_has_the_sums_of_usage_over_real_sessions() {
    use std::io::Write as _;
    let Some(corpus) = samples::corpus() else {
        let _ = std::io::stderr().write_all(b"skipped: rows of real sessions need ../shared\n");
        return;
    };
    let place = Place::new();
    let corpus = corpus.canonicalize().unwrap().display().to_string();
    let all = rows(&place, &["--unredacted", "--table", "sessions,usage", &corpus]);
    let own = summed(&database(&all), "usage_counted", "session");
    assert_eq!(own, counted(&place, "session", &[&corpus]));
}

/// Invented values, each in another place of a session.
const PLANTED: [&str; 4] = [
    "ghp_q7Vn3LxR9tKd2WmYb6Hc8PzJf4SgUe1AaTiC",
    "Tidewater-Kestrel-4417",
    "mara.lindqvist@kestrel-yard.com",
    "lindqvist",
];

fn planted(place: &Place) -> PathBuf {
    let path = place.path().join(format!("{ID}.jsonl"));
    let text = talk(ID, "Push with PLANTED0, I am PLANTED2", "2026-03-01T10:0")
        .replace("ls doors", "mysql --password=PLANTED1 -u shop")
        .replace("no paint left", "cannot write /home/PLANTED3/shop/doors.txt, PLANTED0")
        .replace("/home/ana/", "/home/PLANTED3/");
    let text = PLANTED
        .iter()
        .enumerate()
        .fold(text, |text, (at, value)| text.replace(&format!("PLANTED{at}"), value));
    put(&path, &text);
    path
}

#[test]
fn no_planted_value_is_in_a_row_unless_it_is_asked_for() {
    let place = Place::new();
    let path = planted(&place);
    let path = path.to_str().unwrap();
    let out = |args: &[&str]| place.run(&[&["rows"][..], args, &[path]].concat()).out;
    let redacted = out(&[]);
    for value in PLANTED {
        assert!(!redacted.contains(value), "{value}: {redacted}");
        assert!(out(&["--unredacted"]).contains(value), "{value}");
    }
    assert!(redacted.contains("[REDACTED:password:AAAAAAAAAA]"), "{redacted}");
    // Findings name places and never values, also of a session as it is.
    for args in [&["--table", "findings"][..], &["--table", "findings", "--unredacted"]] {
        let found = out(args);
        assert!(found.contains("\"class\":\"password\"") && found.contains("\"tag\":null"));
        assert!(PLANTED.iter().all(|value| !found.contains(value)), "{found}");
    }
}

/// The same session on another machine, of another user, beside other sessions, has the same rows.
#[test]
fn rows_depend_on_the_session_and_the_key_alone() {
    let place = Place::new();
    let path = planted(&place);
    let own = |command: &mut std::process::Command| common::ran(command.output().unwrap()).out;
    let here = own(place.command(&["rows"]).arg(&path));
    let other = Place::with_sessions();
    let far = other.path().join("far/away").join(path.file_name().unwrap());
    put(&far, &std::fs::read_to_string(&path).unwrap());
    let mut command = other.command(&["rows"]);
    command.env("USER", "green").env("HOSTNAME", "door").arg(other.session()).arg(&far);
    let there = own(&mut command);
    assert!(!here.is_empty() && there.contains(&here), "{here}\n\n{there}");

    let key = |name: &str, byte: u8| {
        let path = place.path().join(name);
        std::fs::write(&path, [byte; 32]).unwrap();
        own(place.command(&["rows", "--tag-key"]).arg(path).arg(&far))
    };
    let (one, again, two) = (key("one", 1), key("again", 1), key("two", 2));
    assert!(one == again && one != two && !one.contains(":AAAAAAAAAA]"));
    let tag = |out: &str| {
        let found = out.lines().find(|line| line.contains("\"class\":\"password\"")).unwrap();
        let found: Value = serde_json::from_str(found).unwrap();
        found["tag"].as_str().unwrap().to_owned()
    };
    assert!(one.contains(&format!("[REDACTED:password:{}]", tag(&one))), "{one}");
    assert_ne!(tag(&one), tag(&two));
}

/// Two shared sessions of one file are linked by their addresses, which are redacted. With one
/// placeholder for both, records of one session would belong to the other.
#[test]
fn values_that_link_records_stay_apart_without_a_key() {
    let place = Place::new();
    let session = |id: &str, address: &str| {
        let url = format!("https://opncd.ai/share/{address}");
        [
            format!(
                "{{\"id\":\"{id}\",\"slug\":\"quiet-door\",\"projectID\":\"p\",\"directory\":\
                 \"/srv/shop\",\"title\":\"{id}\",\"version\":\"1.1.53\",\"time\":{{\"created\":\
                 1770700000000,\"updated\":1770700009000}},\"share\":{{\"url\":\"{url}\"}}}}\n"
            ),
            format!("{{\"id\":\"{address}\",\"secret\":\"{address}f5d0\",\"url\":\"{url}\"}}\n"),
            format!(
                "{{\"id\":\"msg_{id}\",\"sessionID\":\"{id}\",\"role\":\"user\",\"time\":\
                 {{\"created\":1770700001000}},\"agent\":\"build\"}}\n"
            ),
            format!(
                "{{\"id\":\"prt_{id}\",\"sessionID\":\"{id}\",\"messageID\":\"msg_{id}\",\
                 \"type\":\"text\",\"text\":\"Paint {id}.\"}}\n"
            ),
        ]
        .concat()
    };
    let path = place.path().join("export.jsonl");
    let text = session("ses_a1", "h4Kd9sQz") + &session("ses_b2", "T7mWx2Lp");
    put(&path, &text);
    let all = rows(&place, &[path.to_str().unwrap()]);
    assert_eq!(of_table(&all, "faults"), Vec::<&Value>::new());
    assert_eq!(of_table(&all, "sessions").len(), 2, "{all:?}");
    let text = all.iter().map(Value::to_string).collect::<String>();
    assert!(!text.contains("h4Kd9sQz") && !text.contains("T7mWx2Lp"), "{text}");
    let tags = text.split("[REDACTED:").skip(1).map(|rest| rest.split(']').next().unwrap());
    assert!(tags.clone().all(|tag| tag.ends_with(":AAAAAAAAAA")), "{text}");
}

/// Parts have the rows of the whole, each once. An archive has those of the files that it keeps.
#[test]
fn parts_and_an_archive_have_the_rows_of_the_whole() {
    let place = Place::with_sessions();
    let text = talk("7", "Count the gates", "2026-03-03T10:0") + "no JSON\n";
    put(&place.session().with_file_name("7.jsonl"), &text);
    let lines = |args: &[&str]| {
        let ran = place.run(&[&["rows"][..], args].concat());
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.out.lines().map(str::to_owned).collect::<Vec<String>>()
    };
    let whole = lines(&[]);
    for all in [1, 2, 3, 7] {
        let part = |part: usize| lines(&["--part", &format!("{part}/{all}")]);
        assert_eq!((1..=all).flat_map(part).collect::<Vec<_>>(), whole, "{all}");
    }
    assert!(lines(&["--part", "1/3"]).len() < whole.len() / 2);
    for wrong in ["0/2", "3/2", "1", "a/b", "-1/2"] {
        assert_eq!(place.run(&["rows", &format!("--part={wrong}")]).code, 2, "{wrong}");
    }

    let synced = place.run(&["sync", "--archive", "kept"]);
    assert_eq!(synced.code, 0, "{}", synced.err);
    let sorted = |lines: &[String]| lines.iter().cloned().collect::<BTreeSet<_>>();
    assert_eq!(sorted(&lines(&["kept"])), sorted(&whole), "an archive");
    let since = lines(&["kept", "--since", "2026-03-02", "--utc", "--table", "sessions"]);
    assert!(since.len() == 1 && since[0].contains("Count the gates"), "{since:?}");
    // A damaged pack is a row.
    let packs = std::fs::read_dir(place.path().join("kept/packs")).unwrap();
    packs.for_each(|pack| std::fs::write(pack.unwrap().path(), "damaged").unwrap());
    let faults = lines(&["kept", "--table", "faults"]);
    assert!(faults.iter().any(|row| row.contains(".pack")), "{faults:?}");
}

#[test]
fn what_cannot_be_read_is_a_row_and_no_failure() {
    let place = Place::with_sessions();
    let folder = place.session().parent().unwrap().to_path_buf();
    let cut = format!("{}{{\"type\":\"user\",\"mess", talk("7", "Count", "2026-03-01T10:0"));
    put(&folder.join("7.jsonl"), &cut);
    let packed = place.path().join("codex/sessions/rollout-2026-03-01T10-00-00-7.jsonl.zst");
    put(&packed, "");
    std::fs::write(&packed, b"\x28\xb5\x2f\xfdno frame of Zstandard").unwrap();
    let [folder, codex] = [&folder, &packed].map(|path| path.display().to_string());
    let all = rows(&place, &[&folder, &codex]);
    let faults = of_table(&all, "faults");
    let kinds: Vec<(&str, Option<&str>)> =
        faults.iter().map(|row| (row["kind"].as_str().unwrap(), row["session"].as_str())).collect();
    assert_eq!(kinds, [("damaged", Some("claude-code:7")), ("not-read", None)], "{faults:?}");
    assert_eq!((faults[0]["line"].as_u64(), &faults[1]["line"]), (Some(8), &Value::Null));
    assert!(faults[1]["file"].as_str().unwrap().ends_with("7.jsonl.zst"), "{faults:?}");
    assert_eq!(of_table(&all, "sessions").len(), 3, "the others are there");
    // Without that table, a note says it.
    let ran = place.run(&["rows", "--table", "turns", &codex]);
    assert!(ran.code == 0 && ran.err.contains("--table faults"), "{}", ran.err);
}

/// The sums of a turn are those of the rows of its calls and files.
#[test]
fn tables_agree_with_each_other() {
    let place = Place::new();
    let folders = folders();
    let paths: Vec<&str> = folders.iter().map(String::as_str).collect();
    let all = rows(&place, &paths);
    let number = |row: &Value, name: &str| row[name].as_u64().unwrap();
    let key = |row: &Value| format!("{} {}", row["session"], row["state"]);
    // A call without a result may not have changed anything.
    let of_call = |row: &Value| format!("{} {}", key(row), row["call"]);
    let waiting = of_table(&all, "calls").into_iter().filter(|row| row["is_answered"] == false);
    let waiting: BTreeSet<String> = waiting.map(of_call).collect();
    let mut calls: BTreeMap<String, [u64; 3]> = BTreeMap::new();
    let mut unique = BTreeSet::new();
    for row in all.iter().filter(|row| unique.insert(row.to_string())) {
        let of = match row["table"].as_str().unwrap() {
            "calls" => [1, u64::from(row["outcome"] == "bad"), 0],
            "files" if row["outcome"] != "bad" && !waiting.contains(&of_call(row)) => {
                [0, 0, number(row, "inserted_lines")]
            }
            _ => continue,
        };
        let sum = calls.entry(format!("{} {}", key(row), row["turn"])).or_default();
        (0..3).for_each(|at| sum[at] += of[at]);
    }
    let mut seen = 0;
    for turn in of_table(&all, "turns") {
        let sum = ["calls", "failed_calls", "inserted_lines"].map(|name| number(turn, name));
        let rows = calls.get(&format!("{} {}", key(turn), turn["turn"]));
        assert_eq!(rows.copied().unwrap_or_default(), sum, "{turn}");
        seen += sum[0];
    }
    assert!(seen > 100, "{seen}");
}

/// A program in another language counts the calls in raw files.
#[test]
fn calls_are_those_of_the_raw_files() {
    use std::io::Write as _;
    let skipped = |why: &str| {
        let _ = std::io::stderr().write_all(format!("skipped: {why}\n").as_bytes());
    };
    let Some(corpus) = samples::corpus() else {
        return skipped("the judge of rows needs ../shared");
    };
    let python = std::process::Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        return skipped("the judge of rows needs python3");
    }
    let judge = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rows/judge.py");
    for agent in ["claude-code", "codex"] {
        let mut command = std::process::Command::new("python3");
        command.arg(&judge).arg(env!("CARGO_BIN_EXE_verbatim")).arg(corpus.join(agent));
        let home = tempfile::tempdir().unwrap();
        let ran = common::ran(command.env("HOME", home.path()).output().unwrap());
        assert!(ran.code == 0 && ran.out.contains("0 differ"), "{}{}", ran.out, ran.err);
    }
}
