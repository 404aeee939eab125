//! Searches for sessions of which the index has findings: titles and lines have no sensitive value.
#![cfg(unix)]

use std::time::Duration;

use serde_json::json;

use crate::client::Client;
use crate::common::{ID, OTHER, Place};
use crate::{ALL, age, secret};

/// Waits until files count as settled, and fills the index.
fn fill(place: &Place) {
    age(place);
    std::thread::sleep(Duration::from_millis(2_100));
    let ran = place.run(&["sync", "--index-only"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

/// A home with planted values: keys, and a password that a rule knows in one place only.
fn planted() -> (Place, Vec<String>) {
    let place = Place::with_sessions();
    let mut planted: Vec<String> = (0..4).map(secret).collect();
    planted.push("Kd8wQz5rT1xM0vBn".to_owned());
    let text = std::fs::read_to_string(place.session()).unwrap();
    let prompt = format!("Paint the door with {} please: DB_PASSWORD={}", planted[0], planted[4]);
    let text = text.replace("Paint the **door** green", &prompt);
    let answer = format!("Green it is: {}\\nand {} is of the door too", planted[1], planted[4]);
    let text = text.replace("Green it is.", &answer);
    let text = text.replace("claude-opus-4-5", &format!("claude {}", planted[2]));
    let text = text.replace("/home/ana/shop", &format!("/home/ana/{}", planted[3]));
    assert!(planted.iter().all(|secret| text.contains(secret)));
    std::fs::write(place.session(), text).unwrap();
    (place, planted)
}

fn search(place: &Place, query: &str) -> String {
    let mut client = Client::ready(place);
    let found = client.call("search_sessions", &json!({"query": query, ALL: true}));
    assert_eq!(client.end(), 0);
    found.join("\n")
}

#[test]
fn a_session_with_findings_has_its_title_and_its_lines_without_secrets() {
    let (place, planted) = planted();
    let before = search(&place, "Paint");
    assert!(before.contains("not yet checked") && !before.contains("Paint the"), "{before}");
    fill(&place);
    let found = search(&place, "paint");
    assert!(found.contains("Paint the door with [REDACTED:"), "{found}");
    assert!(!found.contains("not yet checked"), "{found}");
    // Known from one place, it is taken out everywhere.
    let swept = search(&place, "of the door too");
    assert!(swept.contains("[REDACTED:") && swept.contains("is of the door too"), "{swept}");
    let all = [found, swept, search(&place, "it is"), search(&place, "door")].join("\n");
    assert!(!planted.iter().any(|secret| all.contains(secret)), "{all}");
    assert!(!all.contains("/home/ana"), "{all}");
    for secret in &planted {
        for part in [&secret[..8], secret] {
            assert!(!search(&place, part).contains(ID), "{part}");
        }
    }
    // The index has none of those that are in no title and no first prompt.
    let index = std::fs::read(place.path().join("home/.cache/verbatim/index.db")).unwrap();
    let has = |text: &str| index.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(!has(&planted[1]) && has("[REDACTED:"));
}

#[test]
fn a_session_that_has_grown_is_not_yet_checked_until_the_next_sync() {
    let (place, _) = planted();
    fill(&place);
    assert!(search(&place, "windows").contains("Count the windows"));
    let text = std::fs::read_to_string(place.session()).unwrap();
    let more = text.lines().last().unwrap().replace("There is no paint.", "The door is tall.");
    let more = more.replace(&format!("{ID}-6"), &format!("{ID}-7"));
    std::fs::write(place.session(), format!("{text}{more}\n")).unwrap();
    // Only this file: to set the time of another one changes its state too.
    let file = std::fs::File::options().append(true).open(place.session()).unwrap();
    file.set_modified(std::time::SystemTime::now() - Duration::from_secs(3600)).unwrap();
    let grown = search(&place, "door");
    assert!(grown.contains("not yet checked") && !grown.contains("Paint the"), "{grown}");
    // The other session is as it was.
    let other = search(&place, "windows");
    assert!(other.contains(OTHER) && other.contains("Count the windows"), "{other}");
    fill(&place);
    assert!(search(&place, "door").contains("Paint the door with [REDACTED:"));
}

/// A session that says no id is named after its file, whose name was not redacted with its texts.
#[test]
fn a_secret_in_the_name_of_a_file_is_no_address() {
    let place = Place::with_sessions();
    let text = std::fs::read_to_string(place.session()).unwrap();
    let named = secret(3);
    let text = text.replace(&format!("\"sessionId\":\"{ID}\","), "").replace("**door**", "oar");
    std::fs::write(place.session().with_file_name(format!("{named}.jsonl")), text).unwrap();
    fill(&place);
    for query in ["oar", "paint"] {
        let found = search(&place, query);
        let is_left_out = found.contains("left out: 1 sessions whose id holds a secret");
        assert!(is_left_out && !found.contains(&named), "{found}");
    }
    assert!(search(&place, "door").contains(ID));
}

#[test]
fn findings_of_other_rules_are_not_believed() {
    let (place, _) = planted();
    fill(&place);
    let mut client = Client::with(&place, &["mcp", "--profile", "secrets"]);
    let found = client.call("search_sessions", &json!({"query": "door", ALL: true})).join("\n");
    assert_eq!(client.end(), 0);
    assert!(found.contains("not yet checked") && !found.contains("Paint the"), "{found}");
    let mut client = Client::with(&place, &["mcp", "--no-index"]);
    let found = client.call("search_sessions", &json!({"query": "door", ALL: true})).join("\n");
    assert_eq!(client.end(), 0);
    assert!(found.contains("not yet checked") && !found.contains("Paint the"), "{found}");
}

/// A database of OpenCode, in the home, with a key in a text of its session.
fn database(place: &Place) -> (std::path::PathBuf, String) {
    let data = place.path().join("home/.local/share/opencode");
    std::fs::create_dir_all(&data).unwrap();
    let sql = samples::of_format("opencode/samples/database/opencode.sql");
    let (file, key) = (data.join("opencode.db"), secret(5));
    let database = rusqlite::Connection::open(&file).unwrap();
    let rows = std::fs::read_to_string(sql).unwrap();
    // One part of the sample is no JSON: a session that can't be read whole has no findings.
    let whole = rows.lines().filter(|line| !line.contains("kEnRoW1aB2c"));
    let rows = whole.collect::<Vec<_>>().join("\n");
    let text = "Now undo the test change.";
    let rows = rows.replace(text, &format!("{text} The token is {key}."));
    assert!(rows.contains(&key));
    database.execute_batch(&rows).unwrap();
    (file, key)
}

/// The findings of a session in a database stay when another session in it changes, and go when
/// its own rows change.
#[test]
fn a_session_in_a_database_has_findings() {
    let place = Place::with_sessions();
    let (file, key) = database(&place);
    let before = search(&place, "undo");
    assert!(before.contains("not yet checked") && !before.contains("undo the"), "{before}");
    fill(&place);
    let is_clean = |found: &str| {
        let is_shown = found.contains("undo the test change. The token is [REDACTED:");
        is_shown && !found.contains(&key) && !found.contains("not yet checked")
    };
    let found = search(&place, "undo");
    assert!(is_clean(&found), "{found}");
    assert!(!search(&place, &key).contains("ses_f3a0"));
    let change = |sql: &str| {
        let database = rusqlite::Connection::open(&file).unwrap();
        database.execute_batch(sql).unwrap();
    };
    change(
        "INSERT INTO session (id, project_id, directory, title, version, time_created, \
         time_updated) SELECT 'ses_0000', project_id, directory, 'Another', version, \
         time_created, time_updated FROM session LIMIT 1",
    );
    let found = search(&place, "undo");
    assert!(is_clean(&found), "{found}");
    change("UPDATE part SET data = replace(data, 'Now undo', 'Please undo')");
    let found = search(&place, "undo");
    assert!(found.contains("not yet checked") && !found.contains("undo the"), "{found}");
    fill(&place);
    let found = search(&place, "undo");
    assert!(is_clean(&found) && found.contains("Please undo"), "{found}");
}

#[test]
fn a_session_in_the_archive_alone_has_findings() {
    let (place, planted) = planted();
    age(&place);
    let kept = place.run(&["sync", "--no-index"]);
    assert_eq!(kept.code, 0, "{}", kept.err);
    std::fs::remove_dir_all(place.path().join("home/.claude/projects")).unwrap();
    let before = search(&place, "door");
    assert!(before.contains("not yet checked") && !before.contains("Paint the"), "{before}");
    let filled = place.run(&["sync", "--index-only"]);
    assert_eq!(filled.code, 0, "{}", filled.err);
    let found = search(&place, "door");
    assert!(found.contains("Paint the door with [REDACTED:"), "{found}");
    assert!(!found.contains("not yet checked"), "{found}");
    assert!(!planted.iter().any(|secret| found.contains(secret)), "{found}");
}
