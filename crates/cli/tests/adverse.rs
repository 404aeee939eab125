//! Sessions, folders and databases that are against it: hostile ids and names, locked databases,
//! sessions that are there, runs at the same time. Each gives a clear error or one placement.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::placed::{OTHER, file, json, prepared, program, resume};
use common::{ID, Place, put, ran, talk};
use rusqlite::Connection;
use serde_json::Value;

const AGENTS: [&str; 6] = ["codex", "gemini", "codewhale", "sage", "cursor", "claude-code"];

/// All files and folders of a test's machine, with their bytes, but for verbatim's own.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.symlink_metadata().unwrap().is_dir() {
            true if path.ends_with("home/.local") => {}
            true => {
                found.extend(everything(&path));
                found.insert(path, Vec::new());
            }
            false => drop(found.insert(path.clone(), fs::read(&path).unwrap_or_default())),
        }
    }
    found
}

/// The hostile ids of the vectors, and more.
fn hostile() -> Vec<String> {
    let mut ids: Vec<String> =
        ["../../../.ssh/authorized_keys", "-c", "a/b", "é", "x y", "\u{1b}[2J", "..\\x", "AUX "]
            .map(str::to_owned)
            .to_vec();
    if let Some(path) = samples::shared("vectors/hostile/session-ids.json") {
        let more: Vec<String> = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        ids.extend(more);
    }
    ids
}

/// A run within this process. Returns its exit code, output and messages.
fn run(place: &Place, args: &[&str]) -> (u8, String, String) {
    let machine =
        catalog::Machine { home: Some(place.path().join("home")), ..catalog::Machine::default() };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut env = verbatim_cli::Environment {
        formats: formats::ALL,
        machine,
        now: session::UtcTime(1_795_000_000_000_000),
        input: &mut std::io::empty(),
        out: &mut out,
        err: &mut err,
        width: None,
        links: false,
        err_terminal: false,
    };
    let code = verbatim_cli::run(["verbatim"].iter().chain(args).map(Into::into), &mut env);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

fn acts(text: &str) -> bool {
    text.chars().any(|c| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c))
}

#[test]
fn hostile_ids_lead_nowhere() {
    let place = prepared();
    let work = place.path().join("work");
    let work = work.to_str().unwrap();
    let mut placed = 0;
    for (at, id) in hostile().iter().enumerate() {
        let quoted = serde_json::to_string(id).unwrap();
        let path = place.path().join(format!("in/{at}.jsonl"));
        put(&path, &talk(ID, "Paint", "2026-03-01T10:0").replace(&format!("\"{ID}\""), &quoted));
        let path = path.to_str().unwrap();
        for agent in AGENTS {
            let before = everything(place.path());
            let (code, out, err) = run(&place, &["resume", path, "--to", agent, "--folder", work]);
            assert!(!acts(&out) && !acts(&err), "{id:?}: {out} {err}");
            let after = everything(place.path());
            let home = place.path().join("home");
            let outside: Vec<&PathBuf> = after
                .keys()
                .filter(|path| !before.contains_key(*path) && !path.starts_with(&home))
                .collect();
            assert!(outside.is_empty(), "{id:?}: {outside:?}");
            let kept = before.iter().all(|(path, bytes)| after.get(path) == Some(bytes));
            assert!(kept, "{id:?} into {agent}: something else was changed");
            if code != 0 {
                assert_eq!((code, after), (3, before), "{id:?}: {err}");
                continue;
            }
            placed += 1;
            let (code, _, err) = run(&place, &["resume", path, "--undo", "--to", agent]);
            assert_eq!((code, everything(place.path())), (0, before), "{id:?}: {err}");
        }
    }
    assert!(placed > 30, "{placed}");
}

/// The printed line goes to the folder, whatever its name is.
#[test]
fn hostile_folders_are_folders() {
    let place = prepared();
    let codex = program(&place, "codex", "#!/bin/sh\npwd -P\n");
    let path = format!("{}:/usr/bin:/bin", codex.display());
    let mut seen = 0;
    for name in hostile() {
        let fits = !name.is_empty() && name.len() < 200 && !name.contains(['/', '\0']);
        if !fits || name.trim_matches('.').is_empty() {
            continue;
        }
        let folder = place.path().join("folders").join(&name);
        fs::create_dir_all(&folder).unwrap();
        let folder = folder.canonicalize().unwrap();
        let before = everything(place.path());
        let folder = folder.to_str().unwrap();
        for agent in AGENTS {
            let args = ["resume", ID, "--to", agent, "--folder", folder];
            let (code, out, err) = run(&place, &args);
            assert!(!acts(&out) && !acts(&err), "{name:?}: {out} {err}");
            if code != 0 {
                assert_eq!((code, everything(place.path())), (3, before.clone()), "{err}");
                continue;
            }
            if agent == "codex" {
                let mut bash = Command::new("bash");
                let shell = bash.args(["-c", out.trim_end()]).env("PATH", &path).output().unwrap();
                assert_eq!(String::from_utf8_lossy(&shell.stdout).trim_end_matches('\n'), folder);
                seen += 1;
            }
            let (code, _, err) = run(&place, &["resume", ID, "--undo", "--to", agent]);
            assert_eq!((code, everything(place.path())), (0, before.clone()), "{name:?}: {err}");
        }
    }
    assert!(seen > 4, "{seen}");
}

/// A database of sessions that its agent has locked for itself alone.
fn locked() -> (Place, Connection) {
    let place = prepared();
    let folder = place.path().join("home/.local/share/opencode");
    fs::create_dir_all(&folder).unwrap();
    let database = Connection::open(folder.join("opencode.db")).unwrap();
    let sql = samples::workspace()
        .join("crates/formats/src/agents/opencode/samples/database/opencode.sql");
    database.execute_batch(&fs::read_to_string(sql).unwrap()).unwrap();
    (place, database)
}

#[test]
fn a_locked_database_gives_an_error_or_a_placement() {
    let (place, database) = locked();
    let list: Value = serde_json::from_str(&place.run(&["list", "--json"]).out).unwrap();
    let sessions = list["sessions"].as_array().unwrap().iter();
    let id =
        sessions.clone().find(|session| session["format"] == "opencode").unwrap()["id"].clone();
    let id = id.as_str().unwrap();
    let before = database_rows(&database);
    for mode in ["EXCLUSIVE", "IMMEDIATE"] {
        database.execute_batch(&format!("BEGIN {mode}")).unwrap();
        for args in [
            ["resume", id, "--to", "codex", "--folder", "work"],
            ["resume", ID, "--to", "codex", "--folder", "work"],
        ] {
            let ran = place.run(&args);
            assert!(matches!(ran.code, 0 | 3), "{}", ran.err);
            assert!(
                ran.code == 0 || ran.err.lines().count() >= 2,
                "a reason and a step: {}",
                ran.err
            );
        }
        database.execute_batch("COMMIT").unwrap();
        assert_eq!(database_rows(&database), before, "{mode}");
        for id in [id, ID] {
            assert!(matches!(place.run(&["resume", id, "--undo"]).code, 0 | 3));
        }
        assert!(!place.path().join("home/.codex").exists());
    }
    // The agent's own import fails on it: nothing is noted, and its words are printed.
    let path =
        program(&place, "opencode", "#!/bin/sh\necho 'Error: database is locked' >&2\nexit 1\n");
    let mut command = place.command(&["resume", ID, "--to", "opencode", "--folder", "work"]);
    let ran = ran(command.env("PATH", path).output().unwrap());
    assert_eq!(ran.code, 3, "{}", ran.err);
    assert!(ran.err.contains("database is locked"), "{}", ran.err);
    let ran = place.run(&["resume", ID, "--undo"]);
    assert!(ran.err.contains("no session that was placed"), "{}", ran.err);
}

fn database_rows(database: &Connection) -> i64 {
    let count = "SELECT (SELECT count(*) FROM session) + (SELECT count(*) FROM message)";
    database.query_row(count, [], |row| row.get(0)).unwrap()
}

/// Folders that are named by `..` or from the present folder are the same ones later.
#[test]
fn homes_are_known_again_by_any_name() {
    let place = prepared();
    let home = place.path().join("home");
    let before = everything(place.path());
    let homes = ["home", "work/../home", "./home/"];
    for (at, name) in homes.iter().enumerate() {
        let run = |args: &[&str], home: &str| {
            ran(place.command(args).env("HOME", home).output().unwrap())
        };
        let placed = run(&["resume", ID, "--folder", "work", "--to", "codex"], name);
        assert_eq!(placed.code, 0, "{name}: {}", placed.err);
        assert!(!placed.err.contains("by a link"), "{}", placed.err);
        // It is continued in another folder.
        let real = place.path().canonicalize().unwrap().join("home/.codex");
        assert!(placed.out.contains(&format!("CODEX_HOME={} ", real.display())), "{}", placed.out);
        let again = homes[(at + 1) % homes.len()];
        let undone = run(&["resume", ID, "--undo"], again);
        assert_eq!(undone.code, 0, "{name}: {}", undone.err);
        assert_eq!(everything(place.path()), before, "{name}");
    }
    let named = ["--home", "work/../other/mine"];
    let placed = resume(&place, &[&["--to", "codex"], &named[..]].concat());
    assert_eq!(placed.code, 0, "{}", placed.err);
    let real = place.path().canonicalize().unwrap().join("other/mine");
    assert!(placed.out.contains(&format!("CODEX_HOME={} ", real.display())), "{}", placed.out);
    let undone = place.run(&["resume", ID, "--undo", "--home", "other/mine"]);
    assert_eq!(undone.code, 0, "{}", undone.err);
    let mut command = place.command(&["resume", ID, "--folder", "work", "--to", "codex"]);
    assert_eq!(ran(command.env("CODEX_HOME", "work/../rel").output().unwrap()).code, 0);
    let mut command = place.command(&["resume", ID, "--undo"]);
    let undone = ran(command.env("CODEX_HOME", "rel").output().unwrap());
    assert_eq!(undone.code, 0, "{}", undone.err);
    assert_eq!(everything(place.path()), before);
    assert!(home.is_dir());
}

/// The line that removes a session again does so, also if its id begins as an option; a folder
/// that two placements are in goes with the second one.
#[test]
fn the_printed_removal_removes() {
    let place = prepared();
    let before = everything(&place.path().join("home"));
    let mut lines = Vec::new();
    for (id, agent) in [(ID, "sage"), (ID, "codex"), (OTHER, "codex")] {
        let told = place.run(&["resume", id, "--folder", "work", "--to", agent]);
        assert_eq!(told.code, 0, "{}", told.err);
        let line = told.err.lines().find_map(|line| line.strip_prefix("to remove it again: "));
        lines.push(line.unwrap().to_owned());
    }
    // Another session has its place: that is said truly.
    let told = place.run(&["resume", OTHER, "--folder", "work", "--to", "sage"]);
    assert_eq!(told.code, 3, "{}", told.err);
    assert!(told.err.contains(&format!("from claude-code:{ID}")), "{}", told.err);
    let path = program(&place, "verbatim", "");
    fs::remove_file(path.join("verbatim")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_verbatim"), path.join("verbatim")).unwrap();
    for line in lines {
        let mut bash = Command::new("/bin/bash");
        bash.args(["-c", &line]).current_dir(place.path()).env("HOME", place.path().join("home"));
        let told = ran(bash.env("PATH", &path).output().unwrap());
        assert_eq!(told.code, 0, "{line}: {}", told.err);
    }
    assert_eq!(everything(&place.path().join("home")), before);
}

/// Runs that place, plan and remove sessions at once: each ends clearly, and one state is left.
#[test]
fn runs_at_once_do_not_harm_each_other() {
    let place = prepared();
    let before = everything(&place.path().join("home"));
    let place_in = |id, agent| vec!["resume", id, "--folder", "work", "--to", agent];
    let mut all: Vec<Vec<&str>> = Vec::new();
    for agent in ["codex", "gemini", "cursor", "codewhale"] {
        all.extend([place_in(ID, agent), place_in(OTHER, agent)]);
        all.push(vec!["resume", ID, "--undo", "--to", agent]);
        all.push([&place_in(ID, agent)[..], &["--dry-run"]].concat());
    }
    let start = |args: &Vec<&str>| {
        let mut command = place.command(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let children: Vec<_> = all.iter().map(start).collect();
    for (child, args) in children.into_iter().zip(&all) {
        let ran = ran(child.wait_with_output().unwrap());
        assert!(matches!(ran.code, 0 | 3), "{args:?}: {}", ran.err);
        assert!(ran.code == 0 || args.contains(&"--undo"), "{args:?}: {}", ran.err);
    }
    for (id, agent) in [ID, OTHER].iter().flat_map(|id| AGENTS.map(|agent| (id, agent))) {
        let ran = place.run(&["resume", id, "--undo", "--to", agent]);
        assert!(matches!(ran.code, 0 | 3), "{}", ran.err);
    }
    assert_eq!(everything(&place.path().join("home")), before);
}

/// The same of an agent's own import, which nobody waits for. The agent puts a session into its
/// store in one step, as a database does.
#[test]
fn imports_at_once_place_one_session() {
    let place = prepared();
    let path = program(
        &place,
        "opencode",
        "#!/bin/sh\nkept=\"$HOME/.local/share/opencode\"\n/bin/mkdir -p \"$kept\"\n\
         case \"$1\" in import) /bin/cp \"$2\" \"$HOME/new-$$\"; /bin/sleep 0.1;\n\
         [ -e \"$kept/kept.json\" ] || /bin/mv \"$HOME/new-$$\" \"$kept/kept.json\";\n\
         /bin/rm -f \"$HOME/new-$$\";;\nsession) /bin/rm \"$kept/kept.json\";;\nesac\n",
    );
    let start = |args: &[&str]| {
        let mut command = place.command(args);
        command.env("PATH", &path).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let args = ["resume", ID, "--folder", "work", "--to", "opencode", "--json"];
    let children: Vec<_> = (0..8).map(|_| start(&args)).collect();
    for child in children {
        let state = json(&ran(child.wait_with_output().unwrap()))["state"].clone();
        assert!(state == "placed" || state == "placed-before", "{state}");
    }
    let kept = place.path().join("home/.local/share/opencode");
    assert_eq!(fs::read_dir(&kept).unwrap().count(), 1);
    let undone = ran(start(&["resume", ID, "--undo"]).wait_with_output().unwrap());
    assert_eq!((undone.code, fs::read_dir(&kept).unwrap().count()), (0, 0), "{}", undone.err);
}

/// Migrations of one folder at once: one exchanges it, the others find it done.
#[test]
fn migrations_at_once_exchange_a_folder_once() {
    let place = Place::new();
    let line = "{\"role\":\"user\",\"content\":\"Fire the kiln.\"}\n";
    for number in 0..10 {
        put(&place.path().join(format!("projects/-p.{number}-/conversation.jsonl")), line);
    }
    let start = || {
        let mut command = place.command(&["migrate", "sage", "projects", "--in-place"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..8).map(|_| start()).collect();
    for child in children {
        let ran = ran(child.wait_with_output().unwrap());
        // A folder that is exchanged just then can't be read.
        assert!(matches!(ran.code, 0 | 3), "{}", ran.err);
    }
    let names = fs::read_dir(place.path()).unwrap().flatten().map(|entry| entry.file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["home", "projects", "projects.before-1"]);
    for number in 0..10 {
        let file = place.path().join(format!("projects/-p-{number}/conversation.jsonl"));
        assert_eq!(fs::read_to_string(file).unwrap().matches("kiln").count(), 1);
    }
}

/// A session of the agent's own with the same id is there: it stays, and nothing is beside it.
#[test]
fn an_existing_session_stays() {
    let id = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e33";
    for agent in AGENTS {
        let place = prepared();
        put(&place.path().join("in.jsonl"), &talk(id, "Count", "2026-02-01T10:0"));
        let args = ["resume", "in.jsonl", "--folder", "work", "--to", agent, "--json"];
        let undo = ["resume", "in.jsonl", "--undo", "--to", agent];
        let placed = file(&json(&place.run(&args)));
        assert_eq!(place.run(&undo).code, 0, "{agent}");
        put(&placed, "the agent's own");
        let before = everything(&place.path().join("home"));
        let ran = place.run(&args);
        assert_eq!(ran.code, 3, "{agent}: {}", ran.err);
        assert!(ran.err.contains("exists already"), "{agent}: {}", ran.err);
        assert_eq!(everything(&place.path().join("home")), before, "{agent}");
        assert_eq!(place.run(&undo).code, 3);
    }
    // A folder, and a link to nowhere, at the place of a file.
    for kind in ["folder", "link"] {
        let place = prepared();
        let plan = json(&resume(&place, &["--to", "codex", "--dry-run", "--json"]));
        let target = file(&plan);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        match kind {
            "folder" => fs::create_dir(&target).unwrap(),
            _ => std::os::unix::fs::symlink(place.path().join("precious"), &target).unwrap(),
        }
        let ran = resume(&place, &["--to", "codex"]);
        assert_eq!(ran.code, 3, "{kind}: {}", ran.err);
        assert!(!place.path().join("precious").exists());
    }
}
