//! Lists: sub-agents are below the session that started them, and copies of a session are listed
//! once.
#![allow(clippy::unwrap_used)]

use serde_json::Value;

mod common;

use common::{ID, Place, on_terminal, put, talk};

/// A Codex session, started by another session or by a person.
fn rollout(id: &str, spawner: Option<&str>, said: &str) -> String {
    let spawned =
        |by: &str| format!(r#"{{"subagent":{{"thread_spawn":{{"parent_thread_id":"{by}"}}}}}}"#);
    let source = spawner.map_or_else(|| r#""cli""#.to_owned(), spawned);
    let head = format!(r#""id":"{id}","cwd":"/srv/shop","cli_version":"0.169.0""#);
    let by = match spawner {
        None => r#""type":"message","role":"user""#,
        Some(_) => r#""type":"agent_message","author":"/root","recipient":"/root/one""#,
    };
    let text = |kind: &str, text: &str| format!(r#"[{{"type":"{kind}","text":"{text}"}}]"#);
    let (asked, answer) = (text("input_text", said), text("output_text", "Done."));
    let input = if spawner.is_some() { 70 } else { 500 };
    let usage = format!(r#"{{"input_tokens":{input},"cached_input_tokens":0,"output_tokens":2}}"#);
    let lines = [
        ("session_meta", format!(r#"{head},"source":{source}"#)),
        ("response_item", format!(r#"{by},"content":{asked}"#)),
        ("response_item", format!(r#""type":"message","role":"assistant","content":{answer}"#)),
        ("event_msg", format!(r#""type":"token_count","info":{{"last_token_usage":{usage}}}"#)),
    ];
    let line = |(kind, payload): &(&str, String)| {
        let time = "2026-10-16T10:30:00.000Z";
        format!(r#"{{"timestamp":"{time}","type":"{kind}","payload":{{{payload}}}}}"#) + "\n"
    };
    lines.iter().map(line).collect()
}

const MAIN: &str = "019e6100-1000-7000-8000-0000000000a2";
const SUB: &str = "019e6100-3000-7000-8000-0000000000c2";

fn place() -> Place {
    let place = Place::new();
    let path = |folder: &str, id: &str| {
        place.path().join(format!("home/.codex/{folder}/rollout-2026-10-16T11-30-00-{id}.jsonl"))
    };
    let main = rollout(MAIN, None, "Round the prices");
    put(&path("sessions/2026/10/16", MAIN), &main);
    put(&path("sessions/2026/10/16", SUB), &rollout(SUB, Some(MAIN), "Find the rounding"));
    put(&path("archived_sessions", MAIN), &main);
    let earlier: String = main.split_inclusive('\n').take(2).collect();
    put(&path("archived_sessions/old", MAIN), &earlier);
    place
}

#[test]
fn a_sub_agents_session_is_below_its_parent_with_its_task() {
    let place = place();
    let list = on_terminal(&place, &["list", "--color", "never"], 100, &[]);
    let rows: Vec<&str> = list.lines().collect();
    assert!(rows[1] == "TODAY" && rows[2].contains(" › Round the prices "), "{list}");
    let sub = rows.iter().position(|row| row.contains("└ › Find the rounding ")).unwrap();
    assert!(sub > 2, "{list}");
    assert!(list.contains("2 copies"), "{list}");
    assert!(place.run(&["list"]).err.contains("2 copies"));
    let list = place.run(&["list", "--json"]).out;
    assert!(list.contains(&format!("\"spawned_by\": \"{MAIN}\"")), "{list}");
}

#[test]
fn copies_and_earlier_states_are_one_session() {
    let place = place();
    let list = place.run(&["list", "--json"]).out;
    assert_eq!(list.matches("\"uid\"").count(), 2, "{list}");
    let copies = &list[list.find("\"copies\"").unwrap()..];
    assert_eq!(copies.matches("archived_sessions").count(), 2, "{list}");
    let checked = place.run(&["check"]);
    assert!(checked.out.contains("2 sessions · 2 copies · "), "{}", checked.out);
    assert!(checked.out.contains("4 files"), "{}", checked.out);
    // The most complete copy is shown.
    let shown = place.run(&["show", MAIN]);
    assert!(shown.code == 0 && shown.out.contains("Done."), "{}{}", shown.out, shown.err);
}

#[test]
fn answers_of_a_sub_agents_session_are_a_sub_agents() {
    let place = place();
    let usage = place.run(&["usage", "--json"]).out;
    let parts = &usage[usage.find("\"parts\"").unwrap()..];
    let part = &parts[parts.find("\"sub-agent\"").unwrap()..];
    let part = &part[..part.find('}').unwrap()];
    assert!(part.contains("\"answers\": 1") && part.contains("\"input\": 70"), "{usage}");
}

/// A copy in the session's own folder is recognized too, so that each event is in the session once.
#[test]
fn a_copy_in_the_same_folder_is_a_copy() {
    for half in [false, true] {
        let place = Place::with_sessions();
        let folder = place.path().join("home/.claude/projects");
        let own = walk(&folder).into_iter().find(|path| path.ends_with(format!("{ID}.jsonl")));
        let own = own.unwrap();
        let text = std::fs::read_to_string(&own).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let kept = if half { lines.len() / 2 } else { lines.len() };
        let before = place.run(&["convert", ID, "--to", "vac", "-o", "-"]).out;
        let copy = own.with_file_name(format!("{ID} (copy).jsonl"));
        std::fs::write(copy, lines[..kept].concat()).unwrap();
        assert_eq!(place.run(&["convert", ID, "--to", "vac", "-o", "-"]).out, before, "{half}");
        let listed: Value = serde_json::from_str(&place.run(&["list", "--json"]).out).unwrap();
        let sessions = listed["sessions"].as_array().unwrap();
        let found: Vec<&Value> = sessions.iter().filter(|session| session["id"] == ID).collect();
        assert_eq!(found.len(), 1, "{listed}");
        assert_eq!(found[0]["copies"].as_array().map(Vec::len), Some(1), "{listed}");
    }
}

/// A link in a folder is no session that could not be read. A link out of it is reported.
#[test]
#[cfg(unix)]
fn links_to_nothing_and_out_of_the_folder_are_no_failures() {
    use std::os::unix::fs::symlink;
    let place = Place::with_sessions();
    let folder = place.path().join("repo");
    std::fs::create_dir(&folder).unwrap();
    symlink("/nowhere/at/all", folder.join("tool")).unwrap();
    symlink(place.path().join("home"), folder.join("away")).unwrap();
    for command in ["list", "usage", "check"] {
        let ran = place.run(&[command, "repo"]);
        assert_eq!(ran.code, 0, "{command}: {}{}", ran.out, ran.err);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("`--follow` follows"), "{command}: {told}");
    }
    assert_eq!(place.run(&["list", "repo/tool"]).code, 3);
    assert!(place.run(&["list", "repo", "--follow"]).out.contains("Paint"));
}

/// Files of the kernel are no input.
#[test]
#[cfg(target_os = "linux")]
fn files_of_the_system_are_never_opened() {
    let place = Place::new();
    for command in [&["show"][..], &["validate"], &["convert", "--to", "vac"]] {
        let ran = place.run(&[command, &["/proc/self/environ"]].concat());
        assert_eq!(ran.code, 3, "{command:?}: {}", ran.out);
        assert!(ran.err.contains("never opened"), "{command:?}: {}", ran.err);
    }
}

/// The last line of a session may be longer than the end of a file that a list reads.
#[test]
fn a_long_last_line_tells_when_the_session_ended() {
    let place = Place::with_sessions();
    let early = talk(ID, "Paint", "2026-03-01T10:0");
    let filler = early.repeat(400);
    let late = talk(ID, &"long ".repeat(40_000), "2026-03-09T10:0");
    let path = place.path().join(format!("home/.claude/projects/-home-ana-shop/{ID}.jsonl"));
    put(&path, &format!("{filler}{}", late.lines().next().unwrap_or_default()));
    let listed: Value = serde_json::from_str(&place.run(&["list", "--json"]).out).unwrap();
    let sessions = listed["sessions"].as_array().unwrap();
    let found = sessions.iter().find(|session| session["id"] == ID).unwrap();
    assert!(found["updated"].as_str().unwrap().starts_with("2026-03-09"), "{found}");
}

/// All files below a folder.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}

/// Every id that a table shows names one session: ids that differ in their case only, ids that are
/// equal in two agents or in two files, and ids that look like options.
#[test]
fn every_id_of_a_table_names_one_session() {
    let place = Place::new();
    let other = format!("copies/.claude/projects/-srv-two/{ID}.jsonl");
    put(&place.path().join(other), &talk(ID, "Paint the gate", "2026-03-01T10:0"));
    let put = |name: &str, text: &str| put(&place.path().join("home").join(name), text);
    let rollout_of = |id: &str, said: &str| {
        let name = format!(".codex/sessions/2026/10/16/rollout-2026-10-16T11-30-00-{id}.jsonl");
        put(&name, &rollout(id, None, said));
    };
    let claude = |folder: &str, id: &str, said: &str| {
        let name = format!(".claude/projects/{folder}/{id}.jsonl");
        put(&name, &talk(id, said, "2026-03-01T10:0"));
    };
    rollout_of(MAIN, "Round the prices");
    claude("-srv-one", MAIN, "Weigh the apples");
    claude("-srv-one", ID, "Paint the door");
    claude("-srv-two", "Orchard-of-pears", "Count the pears");
    claude("-srv-two", "orchard-of-plums", "Count the plums");
    claude("-srv-two", "-srv-app-plum", "Dry the plums");
    let list = on_terminal(
        &place,
        &["list", place.path().to_str().unwrap(), "--color", "never"],
        200,
        &[],
    );
    // A long name has a line of its own, below its row.
    let rows: Vec<&str> = list.lines().skip(1).collect();
    let mut names = Vec::new();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.contains('›')) {
        let last = row.split_whitespace().next_back().unwrap();
        names.push(if last == "↓" { rows[at + 1].trim() } else { last });
    }
    assert_eq!(names.len(), 7, "{list}");
    let mut shown = std::collections::BTreeSet::new();
    // The id of a conversation of Sage has its folder in it: behind the agent's name it is no path.
    let ran = place.run(&["show", "sage:-srv-app-/20260701-090000"]);
    assert!(ran.err.contains("no session id begins with"), "{}", ran.err);
    for name in names {
        let ran = place.run(&["show", name]);
        assert_eq!(ran.code, 0, "{name}: {}\n{list}", ran.err);
        shown.insert(ran.out);
    }
    assert_eq!(shown.len(), 7, "each name is of another session: {list}");
}

/// A session that was placed from a record of another machine is listed in the folder in which it
/// is continued here, with the session that it was made from in full.
#[test]
fn a_placed_session_is_listed_in_its_new_folder() {
    let place = Place::with_sessions();
    let record = place.path().join("record.json");
    let ran = place.run(&["convert", ID, "--to", "vac", "-o", record.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let other = Place::new();
    let mill = other.path().join("mill");
    std::fs::create_dir_all(&mill).unwrap();
    std::fs::create_dir_all(other.path().join("home")).unwrap();
    let mill = mill.canonicalize().unwrap();
    let ran = other.run(&["resume", record.to_str().unwrap(), "--folder", mill.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let folder = |args: &[&str]| {
        let ran = other.run(args);
        let json: Value = serde_json::from_str(&ran.out).unwrap();
        json["sessions"][0]["folder"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(folder(&["list", "--json"]), mill.to_str().unwrap());
    assert_eq!(folder(&["search", "paint", "--json"]), mill.to_str().unwrap());
    let by_folder = ["list", "--json", "--project", mill.to_str().unwrap()];
    assert_eq!(folder(&by_folder), mill.to_str().unwrap());
    let ran = other.run(&["resume", ID, "--to", "codex", "--folder", mill.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let from = format!("(from claude-code:{})", &ID[..8]);
    for width in [80, 100, 140] {
        let list = on_terminal(&other, &["list", "--color", "never"], width, &[]);
        assert!(list.contains(&from), "{list}");
        assert!(list.lines().all(|line| line.chars().count() <= width), "{list}");
    }
}

#[test]
fn a_name_means_a_session_of_the_folder_that_is_searched() {
    let place = Place::with_sessions();
    // Two sessions that are in no place of an agent.
    let there = place.path().join("copied");
    let own = "7c1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e44";
    let other = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e77";
    for (id, day) in [(own, "2026-01-01T10:0"), (other, "2025-01-01T10:0")] {
        put(&there.join(format!("{id}.jsonl")), &talk(id, "Tar", day));
    }
    let folder = there.to_str().unwrap();
    let answers = |args: &[&str]| {
        let ran = place.run(&[args, &["-C", folder, "--json"]].concat());
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
        let read: Value = serde_json::from_str(&ran.out).unwrap();
        read["all"]["answers"].as_u64().unwrap()
    };
    let all = answers(&["usage"]);
    assert!(all > 0);
    for name in ["last", "last~1", own, other] {
        assert_eq!(2 * answers(&["usage", name]), all, "{name}");
    }
    for command in [&["rows", "--table", "sessions"][..], &["check"], &["scan"], &["stats"]] {
        let ran = place.run(&[command, &["last", "-C", folder]].concat());
        assert!(ran.code == 0, "{command:?}: {}", ran.err);
        let ran = place.run(&[command, &[ID, "-C", folder]].concat());
        assert!(ran.code > 0 && ran.err.contains("no session id"), "{command:?}: {}", ran.err);
    }
}
