//! A search of some sessions goes from the newest files to the older ones, and ends when it has
//! found as many. Its matches are those that a search of all begins with.

use std::fs::File;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;

use super::common::{Place, Ran, on_terminal, put, ran};

/// Many enough that their times are believed, though they are set here.
const MANY: u64 = 1_100;

/// The id of a session.
fn id(at: u64) -> String {
    format!("5f1e7f1e-2a0b-4a55-8f3e-{at:012x}")
}

/// A session of an hour, of which the file is as old as its record.
fn session(place: &Place, at: u64, folder: &str, said: &str) {
    let seconds = 1_750_000_000 + at * 3600;
    let time = session::UtcTime(i64::try_from(seconds).unwrap() * 1_000_000).millis();
    let id = id(at);
    let line = format!(
        "{{\"parentUuid\":null,\"isSidechain\":false,\"cwd\":\"{folder}\",\"sessionId\":\"{id}\",\
         \"version\":\"2.1.34\",\"type\":\"user\",\"uuid\":\"{id}-0\",\"timestamp\":\"{time}\",\
         \"message\":{{\"role\":\"user\",\"content\":\"{said}\"}}}}\n"
    );
    let path = place.path().join(format!("home/.claude/projects/-srv/{id}.jsonl"));
    write(&path, &line, seconds);
}

fn write(path: &Path, text: &str, seconds: u64) {
    put(path, text);
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
}

fn home() -> Place {
    let place = Place::new();
    for at in 0..MANY {
        let said = if at == 3 { "a heron and a boat" } else { "a boat on the lake" };
        session(&place, at, "/srv/lake", said);
    }
    place
}

fn json(place: &Place, args: &[&str]) -> Value {
    let ran = place.run(&[&["search", "--json"], args].concat());
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

/// Asserts that the first sessions are those of a search of all. Returns the document.
fn assert_first(place: &Place, args: &[&str], count: usize) -> Value {
    let all = json(place, args);
    let some = json(place, &[args, &["-n", &count.to_string()]].concat());
    let shown = some["sessions"].as_array().unwrap();
    assert_eq!(shown[..], all["sessions"].as_array().unwrap()[..shown.len()], "{args:?}");
    assert_eq!(shown.len(), count, "{args:?}");
    some
}

#[test]
fn the_first_matches_are_those_of_a_search_of_all() {
    let place = home();
    // An earlier state of the newest session, in another home of the agent and a much older file.
    let other = place.path().join("home/.config/claude/projects/-srv");
    let copy = other.join(format!("{}.jsonl", id(MANY - 1)));
    let newest = place.path().join("home/.claude/projects/-srv");
    let text = std::fs::read_to_string(newest.join(format!("{}.jsonl", id(MANY - 1)))).unwrap();
    write(&copy, &text, 1_750_000_000);
    let more = text.replace("-0\"", "-1\"").replace("on the lake", "at the quay");
    write(&newest.join(format!("{}.jsonl", id(MANY - 1))), &(text + &more), 1_770_000_000);
    // An old session that was written again a moment ago.
    session(&place, 5, "/srv/lake", "a boat in the reeds");
    let old = place.path().join(format!("home/.claude/projects/-srv/{}.jsonl", id(5)));
    File::options().append(true).open(old).unwrap().set_modified(UNIX_EPOCH).unwrap();
    for count in [1, 40] {
        let some = assert_first(&place, &["boat"], count);
        let (more, at_least) = (some["more"].as_u64().unwrap(), &some["at_least"]);
        assert!(*at_least == true && more > 0 && more < 200, "{count}: {more} {at_least}");
    }
    let first = &json(&place, &["boat", "-n", "1"])["sessions"][0];
    assert_eq!(first["copies"].as_array().map(Vec::len), Some(1), "{first}");
    // What is in few sessions is looked for in all of them.
    let heron = json(&place, &["heron", "-n", "1"]);
    assert_eq!(heron["sessions"][0]["id"], id(3).as_str());
    assert!(heron.get("more").is_none() && heron.get("at_least").is_none(), "{heron}");
    let all = json(&place, &["boat", "-n", "5000"]);
    assert_eq!(all, json(&place, &["boat"]));
}

#[test]
fn a_search_that_stops_says_that_there_are_more() {
    let place = home();
    let Ran { code, out, err } = place.run(&["search", "boat", "-n", "2"]);
    assert_eq!((code, out.lines().count()), (0, 2), "{out}");
    let line = err.lines().last().unwrap();
    assert!(line.starts_with("at least ") && line.ends_with(" more: `-n all` shows them"), "{err}");
    let shown = on_terminal(&place, &["search", "boat", "--color", "never"], 80, &[]);
    assert!(shown.contains("\nat least "), "{shown}");
    // Prompts of sessions that are gone come behind all sessions.
    let typed = "{\"display\":\"a boat and a heron\",\"pastedContents\":{},\
                 \"timestamp\":1750000000000,\"project\":\"/srv/lake\",\
                 \"sessionId\":\"0b5c7f1e-2a0b-4a55-8f3e-0d7a4b1c9e33\"}\n";
    put(&place.path().join("home/.claude/history.jsonl"), typed);
    let some = json(&place, &["boat", "-n", "2"]);
    assert!(some.get("left").is_none() && some["at_least"] == true, "{some}");
    let heron = json(&place, &["heron", "-n", "2"]);
    assert_eq!(heron["left"].as_array().map(Vec::len), Some(1), "{heron}");
}

/// The sessions of the folder in which the command runs may be older than many others.
#[test]
fn the_scope_of_a_search_that_stops_is_that_of_a_list() {
    let place = home();
    let here = place.path().canonicalize().unwrap().join("reeds");
    std::fs::create_dir_all(here.join("deep")).unwrap();
    std::fs::create_dir_all(place.path().join("empty")).unwrap();
    for at in [10, 20, 30] {
        session(&place, at, here.to_str().unwrap(), "a boat in the reeds");
    }
    session(&place, 40, here.to_str().unwrap(), "nothing to see");
    let search = |folder: &str, args: &[&str]| -> Value {
        let mut command = place.command(&[&["search", "--json"], args].concat());
        command.current_dir(place.path().join(folder));
        serde_json::from_str(&ran(command.output().unwrap()).out).unwrap()
    };
    for folder in ["reeds", "reeds/deep", "empty"] {
        let (all, some) = (search(folder, &["boat"]), search(folder, &["boat", "-n", "2"]));
        let first = all["sessions"].as_array().unwrap();
        assert_eq!(some["sessions"].as_array().unwrap()[..], first[..2], "{folder}");
        assert_eq!(some["scope"]["folders"], all["scope"]["folders"], "{folder}");
    }
    let some = search("reeds", &["boat", "-n", "2"]);
    assert!(some["more"] == 1 && some["sessions"][0]["id"] == id(30).as_str(), "{some}");
    let elsewhere = some["scope"]["elsewhere"].as_u64().unwrap();
    assert!(some["at_least"] == true || elsewhere == MANY - 4, "{elsewhere}");
    // All that match are of other folders, and still this folder has sessions.
    assert_eq!(
        search("reeds", &["heron", "-n", "2"])["sessions"],
        search("reeds", &["heron"])["sessions"]
    );
}
