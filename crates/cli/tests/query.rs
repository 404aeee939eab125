//! `verbatim query` from end to end.
#![allow(clippy::unwrap_used)]

mod common;

use common::{ID, Place};
use serde_json::Value;

/// A home with an index.
fn place() -> Place {
    let place = Place::with_sessions();
    let folder = place.path().join("home/.claude/projects/-home-ana-shop");
    for entry in std::fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.path().is_file())
    {
        let file = std::fs::File::options().append(true).open(entry.path()).unwrap();
        let hour = std::time::Duration::from_secs(3600);
        file.set_modified(std::time::SystemTime::now() - hour).unwrap();
    }
    let filled = place.run(&["sync", "--index-only"]);
    assert_eq!(filled.code, 0, "{}", filled.err);
    place
}

#[test]
fn without_an_index_the_command_that_fills_it_is_named() {
    let place = Place::with_sessions();
    let ran = place.run(&["query", "SELECT 1"]);
    assert_eq!((ran.code != 0, &*ran.out), (true, ""));
    assert!(ran.err.contains("verbatim sync --index-only"), "{}", ran.err);
}

#[test]
fn the_views_have_what_the_other_commands_say() {
    let place = place();
    let read = |args: &[&str]| -> Value {
        let ran = place.run(args);
        assert_eq!(ran.code, 0, "{}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    };
    let list = read(&["list", "--json"]);
    let statement = "SELECT uid, title, prompt, folder, model, bytes FROM sessions_v1 \
                     ORDER BY updated DESC";
    let rows = read(&["query", statement, "--json"]);
    let rows = rows["rows"].as_array().unwrap();
    let sessions = list["sessions"].as_array().unwrap();
    assert_eq!((rows.len(), sessions.len()), (2, 2));
    for (row, session) in rows.iter().zip(sessions) {
        for (at, name) in ["uid", "title", "prompt", "folder", "model"].iter().enumerate() {
            assert_eq!(row[at], session[*name], "{name}");
        }
    }
    let usage = read(&["usage", "--json", "--by", "model"]);
    let output = &usage["groups"][0]["tokens"]["output"];
    let sums = "SELECT model, sum(output) FROM usage_v1 GROUP BY model";
    assert_eq!(read(&["query", sums, "--json"])["rows"][0][1], *output, "{usage}");
    let joined = "SELECT count(*) FROM files_v1 JOIN sessions_v1 USING (uid) WHERE is_main";
    assert_eq!(read(&["query", joined, "--json"])["rows"][0][0], 2);
}

#[test]
fn rows_are_written_as_a_table_as_values_and_as_json() {
    let place = place();
    let ask = "SELECT id, 'a,\"b' AS text, 1.5 AS n, NULL AS missing FROM sessions_v1 ORDER BY id";
    let csv = place.run(&["query", ask, "--csv"]).out;
    let first = csv.split("\r\n").nth(1).unwrap();
    assert_eq!(first, format!("{ID},\"a,\"\"b\",1.5,"));
    let table = place.run(&["query", ask]).out;
    assert!(table.lines().count() == 3 && table.starts_with("id "), "{table}");
    let limited = place.run(&["query", ask, "--json", "--limit", "1"]).out;
    let limited: Value = serde_json::from_str(&limited).unwrap();
    assert_eq!((limited["rows"].as_array().unwrap().len(), &limited["more"]), (1, &true.into()));
    let views = place.run(&["query", "--views"]).out;
    assert!(views.contains("sessions_v1") && views.contains("listed_dollars"), "{views}");
}

#[test]
fn what_is_no_select_of_the_views_is_refused() {
    let place = place();
    let cache = place.path().join("home/.cache/verbatim/index.db");
    for statement in [
        format!("ATTACH '{}' AS i", cache.display()),
        "PRAGMA database_list".to_owned(),
        "SELECT load_extension('x')".to_owned(),
        "SELECT * FROM sqlite_master".to_owned(),
        "DELETE FROM sessions_v1".to_owned(),
        "SELECT 1; SELECT 2".to_owned(),
        "SELECT * FROM entries".to_owned(),
    ] {
        let ran = place.run(&["query", &statement]);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{statement}: {}", ran.err);
        assert!(ran.err.contains("sessions_v1"), "{statement}: {}", ran.err);
    }
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) \
                   SELECT count(*) FROM n";
    let ran = place.run(&["query", endless, "--timeout", "0"]);
    assert!(ran.err.contains("it took too long"), "{}", ran.err);
}
