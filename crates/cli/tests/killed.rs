//! `verbatim resume`, killed at each system call that changes files: the agent then lists either
//! nothing new or the whole session, and the next run leaves everything as if nothing had happened.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use common::placed::program;
use common::traced::{killed, stores};
use common::{ID, Place};
use serde_json::Value;

fn listed(place: &Place) -> Vec<String> {
    let ran = place.run(&["list", "--json", "--all-projects"]);
    let list: Value = serde_json::from_str(&ran.out).unwrap();
    let sessions = list["sessions"].as_array().unwrap().iter();
    sessions.map(|session| session["uid"].as_str().unwrap().to_owned()).collect()
}

/// The file by which the agent lists the session that will be placed.
fn lister(place: &Place, args: &[&str]) -> PathBuf {
    let ran = place.run(&[args, &["--dry-run", "--json"]].concat());
    let plan: Value = serde_json::from_str(&ran.out).unwrap();
    plan["files"].as_array().unwrap().last().unwrap()["path"].as_str().unwrap().into()
}

/// Kills a placement, and then its removal, at each change.
fn everywhere(make: impl Fn() -> Place, args: &[&str]) {
    let place = make();
    let old = listed(&place);
    let Some((changes, true)) = killed(&place, args, usize::MAX) else {
        eprintln!("skipped: this system lets no process trace another");
        return;
    };
    let new = listed(&place);
    assert!(changes > 8 && new.len() == old.len() + 1, "{changes} changes, {new:?}");
    for nth in 1..=changes {
        let place = make();
        let home = place.path().join("home");
        let before = stores(&home);
        let lister = lister(&place, args);
        assert_eq!(killed(&place, args, nth), Some((nth - 1, false)));
        // The last file is the one that lists the session.
        if lister.exists() {
            let ran = place.run(&[args, &["--dry-run", "--json"]].concat());
            assert!(ran.out.contains("\"placed-before\""), "{nth}: not whole: {}", ran.out);
        }
        // The next run ends what was begun, and its removal leaves no trace.
        let ran = place.run(args);
        assert_eq!(ran.code, 0, "{nth}: {}", ran.err);
        assert_eq!(listed(&place).len(), new.len(), "{nth}");
        let ran = place.run(&["resume", ID, "--undo"]);
        assert_eq!(ran.code, 0, "{nth}: {}", ran.err);
        assert_eq!(stores(&home), before, "{nth}");
    }
    removed_everywhere(make, args);
}

fn removed_everywhere(make: impl Fn() -> Place, args: &[&str]) {
    let undo = ["resume", ID, "--undo"];
    let placed = || {
        let place = make();
        let before = stores(&place.path().join("home"));
        assert_eq!(place.run(args).code, 0);
        (place, before)
    };
    let Some((changes, true)) = killed(&placed().0, &undo, usize::MAX) else { return };
    assert!(changes > 4, "{changes} changes");
    for nth in 1..=changes {
        let (place, before) = placed();
        assert_eq!(killed(&place, &undo, nth), Some((nth - 1, false)));
        // What is noted still is removed by this run, also if that had begun.
        let planned = place.run(&[&undo[..], &["--dry-run"]].concat()).code;
        let ran = place.run(&undo);
        assert_eq!(ran.code, planned, "{nth}: {}", ran.err);
        assert_eq!(stores(&place.path().join("home")), before, "{nth}");
    }
}

/// A machine with sessions, and a folder to continue them in.
fn prepared() -> Place {
    let place = Place::with_sessions();
    fs::create_dir_all(place.path().join("work")).unwrap();
    place
}

#[test]
fn a_session_of_one_file() {
    everywhere(prepared, &["resume", ID, "--folder", "work", "--to", "codex"]);
}

/// The database is there when the file that lists it appears.
#[test]
fn a_session_with_a_database() {
    everywhere(prepared, &["resume", ID, "--folder", "work", "--to", "cursor"]);
}

/// Kills a placement, and then its removal, at each change; then the agent writes, and the next run
/// ends what was begun. What the agent wrote stays, with everything that it belongs to.
fn continued_everywhere(make: impl Fn() -> Place, args: &[&str]) {
    let undo = ["resume", ID, "--undo"];
    for (prepare, kill) in [(None, args), (Some(args), &undo[..])] {
        let place = || {
            let place = make();
            if let Some(args) = prepare {
                assert_eq!(place.run(args).code, 0);
            }
            place
        };
        let Some((changes, true)) = killed(&place(), kill, usize::MAX) else { return };
        let mut continued = 0;
        for nth in 1..=changes {
            let place = place();
            let lister = lister(&make(), args).file_name().unwrap().to_owned();
            assert_eq!(killed(&place, kill, nth), Some((nth - 1, false)));
            let all = stores(&place.path().join("home"));
            let Some(file) = all.keys().find(|path| path.ends_with(&lister)).cloned() else {
                continue;
            };
            continued += 1;
            let mut file = fs::File::options().append(true).open(file).unwrap();
            file.write_all(b"{\"type\":\"user\"}\n").unwrap();
            let all = stores(&place.path().join("home"));
            for args in [args, &undo] {
                place.run(args);
                assert_eq!(stores(&place.path().join("home")), all, "{nth}: {args:?}");
            }
        }
        assert!(continued > 0, "the agent never saw it");
    }
}

#[test]
fn a_session_with_side_files() {
    let place = Place::with_sessions();
    let ran = place.run(&["convert", ID, "--to", "vac", "--embed", "-o", "record.vac.json"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let record = fs::read(place.path().join("record.vac.json")).unwrap();
    let make = || {
        let place = Place::new();
        fs::create_dir_all(place.path().join("work")).unwrap();
        fs::create_dir_all(place.path().join("home")).unwrap();
        fs::write(place.path().join("record.vac.json"), &record).unwrap();
        place
    };
    let args = ["resume", "record.vac.json", "--folder", "work", "--to", "claude-code"];
    everywhere(make, &args);
    continued_everywhere(make, &args);
}

/// An agent that keeps what it imports, and adds nothing to what is there.
const IMPORTS: &str = "#!/bin/sh\nset -e\n\
    kept=\"$HOME/.local/share/opencode\"\n/bin/mkdir -p \"$kept\"\n\
    case \"$1\" in import) [ -e \"$kept/kept.json\" ] || /bin/cp \"$2\" \"$kept/kept.json\";;\n\
    session) /bin/rm \"$kept/kept.json\";;\nesac\n";

/// Kills an import, and the removal of an imported session, at each change; then the agent changes
/// what it has, or does nothing.
#[test]
fn a_session_that_its_agent_imports() {
    let args = ["resume", ID, "--folder", "work", "--to", "opencode"];
    let undo = ["resume", ID, "--undo"];
    let make = || {
        let place = prepared();
        program(&place, "opencode", IMPORTS);
        place
    };
    let run = |place: &Place, args: &[&str]| {
        let mut command = place.command(args);
        common::ran(command.env("PATH", place.path().join("bin")).output().unwrap())
    };
    let kept = |place: &Place| place.path().join("home/.local/share/opencode/kept.json");
    for (prepare, kill) in [(None, &args[..]), (Some(&args), &undo[..])] {
        let place = || {
            let place = make();
            if let Some(args) = prepare {
                assert_eq!(run(&place, args).code, 0);
            }
            place
        };
        let Some((changes, true)) = killed(&place(), kill, usize::MAX) else { return };
        assert!(prepare.is_some() || changes > 10, "{changes}");
        let mut continued = 0;
        for (nth, continues) in (1..=changes).flat_map(|nth| [(nth, true), (nth, false)]) {
            let place = place();
            assert_eq!(killed(&place, kill, nth), Some((nth - 1, false)));
            let file = kept(&place);
            if !continues || !file.exists() {
                assert_eq!(run(&place, &args).code, 0, "{nth}");
                assert_eq!(run(&place, &undo).code, 0, "{nth}");
                assert!(!file.exists(), "{nth}");
                continue;
            }
            continued += 1;
            let text = fs::read_to_string(&file).unwrap();
            let text = text.replace("There is no paint.", "There is paint again.");
            fs::write(&file, &text).unwrap();
            for args in [&undo[..], &args, &undo] {
                run(&place, args);
                assert_eq!(fs::read_to_string(&file).ok().as_ref(), Some(&text), "{nth}: {args:?}");
            }
        }
        // A removal changes nothing before the agent has removed it.
        assert!(continued > 0 || prepare.is_some(), "the agent never saw it");
    }
}
