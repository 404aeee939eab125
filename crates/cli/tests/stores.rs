//! Stores and homes of agents: where a session is placed, what is refused, and what is shown of it.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use common::placed::{file, journal, json, prepared, resume};
use common::{ID, ran};
use serde_json::Value;

#[test]
fn a_removal_takes_what_the_placement_took() {
    let place = prepared();
    let source = place.session();
    let source = source.to_str().unwrap();
    let placed =
        file(&json(&place.run(&["resume", source, "--folder", "work", "--to", "codex", "--json"])));
    let ran = place.run(&["resume", source, "--undo"]);
    assert_eq!((ran.code, placed.exists()), (0, false), "{}", ran.err);
    let placed = file(&json(&resume(&place, &["--to", "codex", "--json"])));
    let ran = place.run(&["resume", placed.to_str().unwrap(), "--undo"]);
    assert_eq!((ran.code, placed.exists()), (0, false), "{}", ran.err);
    // The names that lists show, and standard input. The name of an agent is no session's.
    let text = fs::read(source).unwrap();
    let again = json(&resume(&place, &["--to", "codex", "--json"]));
    let uid = format!("codex:{}", again["id"].as_str().unwrap());
    for name in ["codex", "claude-code", "c"] {
        let ran = place.run(&["resume", name, "--undo"]);
        assert_eq!((ran.code, placed.exists()), (3, true), "{name}: {}", ran.err);
    }
    for name in [&*uid, &uid[..10], &format!("claude-code:{ID}"), "-"] {
        json(&resume(&place, &["--to", "codex", "--json"]));
        let args = ["resume", name, "--undo"];
        let ran = if name == "-" { place.feed(&args, &text) } else { place.run(&args) };
        assert_eq!((ran.code, placed.exists()), (0, false), "{name}: {}", ran.err);
    }
}

#[test]
fn another_home_is_named_in_the_line() {
    let place = prepared();
    let ran = resume(&place, &["--to", "codex", "--home", "my home"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let home = place.path().canonicalize().unwrap().join("my home");
    assert!(
        ran.out.contains(&format!(" && CODEX_HOME='{}' codex resume", home.display())),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("--undo --home 'my home'"), "{}", ran.err);
    // Its entry is believed only if the user names that folder.
    assert_eq!(place.run(&["resume", ID, "--undo"]).code, 3);
    let ran = place.run(&["resume", ID, "--undo", "--home", "my home"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!home.exists());
    // An agent that finds only a home of a certain name gets one within that folder, and the
    // line names the folder.
    let ran = resume(&place, &["--to", "gemini", "--home", "other"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let other = place.path().canonicalize().unwrap().join("other");
    assert!(ran.err.contains(&format!("{}/.gemini/tmp/", other.display())), "{}", ran.err);
    let line = format!(" && GEMINI_CLI_HOME={} gemini --resume ", other.display());
    assert!(ran.out.contains(&line), "{}", ran.out);
    assert!(ran.err.contains("--undo --home other"), "{}", ran.err);
    assert_eq!(place.run(&["resume", ID, "--undo"]).code, 3);
    let ran = place.run(&["resume", ID, "--undo", "--home", "other"]);
    assert_eq!((ran.code, other.exists()), (0, false), "{}", ran.err);
}

/// The variable in the line is that of the home in which the session was placed, not that of a
/// folder of sessions alone.
#[test]
fn the_line_names_the_home_in_which_the_session_is() {
    let place = prepared();
    let ran = resume(&place, &["--to", "pi", "--home", "try"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let home = place.path().canonicalize().unwrap().join("try");
    let line = format!(" && PI_CODING_AGENT_DIR={} pi --session ", home.display());
    assert!(ran.out.contains(&line), "{}", ran.out);
    assert!(ran.err.contains(&format!("{}/sessions/--", home.display())), "{}", ran.err);
}

#[test]
fn a_program_that_is_missing_is_noticed_before_anything_is_placed() {
    let place = prepared();
    let ran = resume(&place, &["--to", "codex", "--run"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("PATH"), "{}", ran.err);
    assert!(!place.path().join("home/.codex").exists() && !journal(&place).exists());
}

#[test]
fn a_store_that_is_not_one_to_write_to_is_refused() {
    let place = prepared();
    symlink(place.path().join("nowhere"), place.path().join("home/.codex")).unwrap();
    let ran = resume(&place, &["--to", "codex"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("a link that leads nowhere"), "{}", ran.err);
    // A store behind a link is named by its real path.
    fs::create_dir_all(place.path().join("nowhere")).unwrap();
    let ran = resume(&place, &["--to", "codex"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.err.contains("is by a link "), "{}", ran.err);
    // The administrator does not write into another user's store.
    let place = prepared();
    let gemini = place.path().join("home/.gemini");
    fs::create_dir_all(&gemini).unwrap();
    if std::os::unix::fs::chown(&gemini, Some(1234), Some(1234)).is_ok() {
        let ran = resume(&place, &["--to", "gemini"]);
        assert_eq!(ran.code, 3, "{}", ran.err);
        assert!(ran.err.contains("another user"), "{}", ran.err);
        assert_eq!(fs::read_dir(&gemini).unwrap().count(), 0);
        assert_eq!(place.run(&["resume", ID, "--undo"]).code, 3, "nothing is noted");
    }
    // Nor does it make folders in that user's home that would be closed to them.
    let place = prepared();
    let home = place.path().join("home");
    let before = fs::read_dir(&home).unwrap().count();
    if std::os::unix::fs::chown(&home, Some(1234), Some(1234)).is_ok() {
        for args in [
            &["resume", ID, "--folder", "work", "--to", "codex"][..],
            &["resume", ID, "--undo"],
            &["convert", ID, "--to", "vac", "-o", "record.vac.json"],
        ] {
            let ran = place.run(args);
            assert_eq!(ran.code, if args[0] == "convert" { 0 } else { 3 }, "{}", ran.err);
            assert_eq!(fs::read_dir(&home).unwrap().count(), before, "{args:?}");
        }
    }
}

/// A disk that takes no more bytes, simulated by the limit of a file's size.
#[test]
fn a_removal_needs_no_room() {
    let place = prepared();
    let placed = file(&json(&resume(&place, &["--to", "codex", "--json"])));
    let script = "ulimit -f 0; trap '' XFSZ; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_verbatim"), "resume", ID, "--undo"]);
    command.current_dir(place.path()).env_clear().env("HOME", place.path().join("home"));
    let ran = ran(command.stdout(std::process::Stdio::null()).output().unwrap());
    assert_eq!((ran.code, placed.exists()), (0, false), "{}", ran.err);
}

#[test]
fn a_placed_session_says_where_it_is_from() {
    let place = prepared();
    let placed = json(&resume(&place, &["--to", "codex", "--json"]));
    let id = placed["id"].as_str().unwrap();
    let from = format!("claude-code:{ID}");
    let shown = place.run(&["show", id]);
    assert!(shown.out.contains(&format!(" from {from}")), "{}", shown.out);
    let shown: Value = serde_json::from_str(&place.run(&["show", id, "--json"]).out).unwrap();
    assert_eq!(shown["session"]["made_from"], *from);
    let listed = common::on_terminal(&place, &["list", "--all-projects"], 160, &[]);
    assert_eq!(listed.matches("(from claude-code:").count(), 1, "{listed}");
    let listed: Value = serde_json::from_str(&place.run(&["list", "--json"]).out).unwrap();
    let rows = listed["sessions"].as_array().unwrap().iter();
    let made: Vec<&Value> = rows.filter(|row| row["made_from"].is_string()).collect();
    assert!(made.len() == 1 && made[0]["made_from"] == *from && made[0]["id"] == id, "{made:?}");
}

#[test]
fn eight_runs_at_once_place_one_session() {
    for agent in ["codex", "gemini"] {
        let place = prepared();
        let args = ["resume", ID, "--folder", "work", "--to", agent, "--json"];
        let run = || {
            let mut command = place.command(&args);
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        };
        let all: Vec<_> = (0..8).map(|_| run()).collect();
        let ended = all.into_iter().map(|child| ran(child.wait_with_output().unwrap()));
        let states: Vec<Value> = ended.map(|ran| json(&ran)["state"].clone()).collect();
        let placed = states.iter().filter(|state| **state == "placed").count();
        let before = states.iter().filter(|state| **state == "placed-before").count();
        assert_eq!((placed, before), (1, 7), "{agent}: {states:?}");
    }
}
