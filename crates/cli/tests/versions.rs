//! Placements are versions: a session that went on is placed again, in the place of what nobody has
//! continued, or beside what somebody has; other homes and other folders have placements of their
//! own. Nothing that an agent wrote is lost, and every state can be reached again.
#![allow(clippy::unwrap_used, clippy::print_stderr)]
#![cfg(unix)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::placed::{change, entry, file, journal, json, prepared, resume};
use common::{ID, Place};
use serde_json::Value;

/// Adds a turn to the source, at this hour.
fn goes_on(place: &Place, hour: u8) {
    let source = fs::read_to_string(place.session()).unwrap();
    let more =
        common::talk(ID, &format!("Paint it again at {hour}"), &format!("2026-03-02T{hour}:0"));
    let more = more.replace(&format!("{ID}-"), &format!("{ID}-{hour}-"));
    let last = source.lines().last().unwrap();
    let last: Value = serde_json::from_str(last).unwrap();
    let parent = format!("\"parentUuid\":{}", last["uuid"]);
    fs::write(place.session(), source + &more.replacen("\"parentUuid\":null", &parent, 1)).unwrap();
}

/// The agent adds something to its file.
fn continues(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let line = text.lines().last().unwrap().to_owned();
    let text = format!("{text}{line}\n");
    fs::write(path, &text).unwrap();
    text
}

/// All files of the agents' stores.
fn stores(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    fn tree(folder: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true if path.ends_with(".local") => {}
                true => tree(&path, found),
                false => drop(found.insert(path.clone(), fs::read(&path).unwrap())),
            }
        }
    }
    let mut found = BTreeMap::new();
    tree(&place.path().join("home"), &mut found);
    found
}

const AGENTS: [&str; 4] = ["codex", "gemini", "codewhale", "cursor"];

#[test]
fn a_newer_state_takes_the_place_of_one_that_nobody_continued() {
    for agent in AGENTS {
        let place = prepared();
        let before = stores(&place);
        let first = json(&resume(&place, &["--to", agent, "--json"]));
        let old = fs::read(file(&first)).unwrap();
        goes_on(&place, 11);
        let told = resume(&place, &["--to", agent, "--dry-run"]);
        assert!(told.err.contains("1 turn newer"), "{agent}: {}", told.err);
        assert_eq!(fs::read(file(&first)).unwrap(), old, "{agent}: a plan changes nothing");
        let second = json(&resume(&place, &["--to", agent, "--json"]));
        assert_eq!((&second["state"], &second["id"]), (&"placed".into(), &first["id"]), "{agent}");
        assert_eq!(second["earlier"]["newer"], 1, "{agent}");
        assert_eq!(second["earlier"]["replaced"], true, "{agent}");
        let shown = place.run(&["show", first["id"].as_str().unwrap()]);
        assert!(shown.out.contains("Paint it again at 11"), "{agent}: {}", shown.out);
        assert_eq!(json(&resume(&place, &["--to", agent, "--json"]))["state"], "placed-before");
        let new = stores(&place);
        goes_on(&place, 12);
        json(&resume(&place, &["--to", agent, "--json"]));
        // Each removal brings the state before back, byte for byte.
        let undo = ["resume", ID, "--undo", "--to", agent];
        assert_eq!(place.run(&undo).code, 0, "{agent}");
        let source = place.session();
        let without = |mut all: BTreeMap<PathBuf, Vec<u8>>| {
            all.remove(&source);
            all
        };
        assert_eq!(without(stores(&place)), without(new), "{agent}");
        let told = place.run(&undo);
        assert!(told.code == 0 && told.err.contains("before has its place again"), "{}", told.err);
        assert_eq!(fs::read(file(&first)).unwrap(), old, "{agent}");
        assert_eq!(place.run(&undo).code, 0, "{agent}");
        assert_eq!(without(stores(&place)), without(before), "{agent}");
        let left = fs::read_dir(journal(&place)).unwrap().flatten();
        let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
        assert_eq!(left, ["lock"], "{agent}");
    }
}

#[test]
fn a_newer_state_is_another_session_beside_one_that_somebody_continued() {
    for agent in AGENTS {
        let place = prepared();
        let first = json(&resume(&place, &["--to", agent, "--json"]));
        let kept = continues(&file(&first));
        goes_on(&place, 11);
        let told = resume(&place, &["--to", agent, "--dry-run"]);
        assert!(told.err.contains("1 turn newer"), "{agent}: {}", told.err);
        let second = json(&resume(&place, &["--to", agent, "--json"]));
        assert_eq!(second["state"], "placed", "{agent}");
        assert_ne!(second["id"], first["id"], "{agent}");
        assert_eq!(second["earlier"]["id"], first["id"], "{agent}");
        assert_eq!(fs::read_to_string(file(&first)).unwrap(), kept, "{agent}");
        // The next state takes the place of the second one, which nobody continued.
        goes_on(&place, 12);
        let third = json(&resume(&place, &["--to", agent, "--json"]));
        assert_eq!((&third["id"], &third["earlier"]["newer"]), (&second["id"], &1.into()));
        let undo = ["resume", ID, "--undo", "--to", agent];
        assert_eq!(place.run(&undo).code, 0, "{agent}");
        assert_eq!(place.run(&undo).code, 0, "{agent}");
        assert!(!file(&second).exists(), "{agent}");
        assert_eq!(place.run(&undo).code, 3, "{agent}: what was continued stays");
        assert_eq!(fs::read_to_string(file(&first)).unwrap(), kept, "{agent}");
    }
}

#[test]
fn a_try_in_another_home_is_a_placement_of_its_own() {
    for agent in ["codex", "gemini", "claude-code"] {
        let place = prepared();
        let work = place.path().join("work").canonicalize().unwrap();
        let record = place.run(&["convert", ID, "--to", "vac", "--embed", "-o", "r.vac.json"]);
        assert_eq!(record.code, 0, "{}", record.err);
        let args = |more: &[&str]| {
            let work = work.to_str().unwrap();
            let to = ["resume", "r.vac.json", "--folder", work, "--to", agent, "--json"];
            json(&place.run(&[&to[..], more].concat()))
        };
        if agent == "claude-code" {
            fs::remove_dir_all(place.path().join("home")).unwrap();
        }
        let tried = args(&["--home", "try"]);
        assert!(file(&tried).starts_with(place.path().join("try")), "{agent}: {tried}");
        let real = place.run(&["resume", "r.vac.json", "--folder", "work", "--to", agent]);
        assert_eq!(real.code, 0, "{agent}: {}", real.err);
        assert!(!real.err.contains("warning"), "{agent}: {}", real.err);
        // Each is removed where it is.
        let id = tried["id"].as_str().unwrap();
        let undone = place.run(&["resume", id, "--undo"]);
        assert!(undone.code == 0 && file(&tried).exists(), "{agent}: {}", undone.err);
        let undone = place.run(&["resume", id, "--undo"]);
        assert!(undone.code == 3 && undone.err.contains("add `--home"), "{agent}: {}", undone.err);
        let undone = place.run(&["resume", id, "--undo", "--home", "try"]);
        assert_eq!((undone.code, file(&tried).exists()), (0, false), "{agent}: {}", undone.err);
        // A try whose folder is gone is in nobody's way.
        args(&["--home", "try"]);
        fs::remove_dir_all(place.path().join("try")).unwrap();
        assert_eq!(args(&[])["state"], "placed", "{agent}");
    }
}

/// Entries that the version before wrote have neither a home nor a state.
#[test]
fn entries_of_earlier_versions_are_read() {
    let old = |place: &Place| {
        let path = entry(place);
        change(&path, |entry| {
            for name in ["home", "state", "turns"] {
                entry.as_object_mut().unwrap().remove(name);
            }
        });
        let value: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let key = format!("codex\0{}", value["id"].as_str().unwrap());
        let digest = formats::digest::digest(key.as_bytes());
        fs::rename(&path, path.with_file_name(format!("codex-{}.json", &digest[..16]))).unwrap();
    };
    for (continued, grown) in [(false, false), (true, false), (false, true), (true, true)] {
        let place = prepared();
        let first = json(&resume(&place, &["--to", "codex", "--json"]));
        old(&place);
        if continued {
            continues(&file(&first));
        }
        if grown {
            goes_on(&place, 11);
        }
        let again = json(&resume(&place, &["--to", "codex", "--json"]));
        let state = match (continued, grown) {
            (false, false) => "placed-before",
            (true, false) => "continued",
            (_, true) => "placed",
        };
        assert_eq!(again["state"], state, "{continued} {grown}");
        assert_eq!(again["id"] == first["id"], !(continued && grown), "{continued} {grown}");
        let undone = place.run(&["resume", ID, "--undo"]);
        assert_eq!(undone.code, if continued && !grown { 3 } else { 0 }, "{}", undone.err);
        assert_eq!(file(&first).exists(), continued || grown);
    }
}

/// A session of its own agent that is in two folders: the copy of which nobody made use is renewed,
/// and a record of both is placed on another machine.
#[test]
fn a_session_in_two_folders_is_one() {
    let place = prepared();
    let there = file(&json(&resume(&place, &["--json"])));
    goes_on(&place, 11);
    let again = json(&resume(&place, &["--json"]));
    assert_eq!((&again["state"], &again["earlier"]["replaced"]), (&"placed".into(), &true.into()));
    assert_eq!(fs::read(&there).unwrap(), fs::read(place.session()).unwrap());
    // Both are continued: the record has what each of them has.
    goes_on(&place, 12);
    let text = fs::read_to_string(&there).unwrap();
    let more = common::talk(ID, "Only here", "2026-03-02T13:0").replace(&format!("{ID}-"), "here-");
    fs::write(&there, format!("{text}{more}")).unwrap();
    let record = place.run(&["convert", ID, "--to", "vac", "--embed", "-o", "both.vac.json"]);
    assert_eq!(record.code, 0, "{}", record.err);
    fs::remove_dir_all(place.path().join("home")).unwrap();
    let placed = json(&place.run(&["resume", "both.vac.json", "--folder", "work", "--json"]));
    let text = fs::read_to_string(file(&placed)).unwrap();
    for said in ["Paint the", "Paint it again at 11", "Paint it again at 12", "Only here"] {
        assert_eq!(text.matches(said).count(), 1, "{said}");
    }
}

/// The journal is on another disk than the agents' stores: states are replaced and brought back,
/// and nothing is left beside them.
#[cfg(target_os = "linux")]
#[test]
fn a_journal_on_another_disk_gives_each_state_back() {
    use std::os::unix::fs::MetadataExt as _;
    let place = prepared();
    let device = |path: &Path| path.metadata().unwrap().dev();
    let other = match tempfile::tempdir_in("/dev/shm") {
        Ok(other) if device(other.path()) != device(place.path()) => other,
        _ => return eprintln!("skipped: /dev/shm is no other disk"),
    };
    let run = |args: &[&str]| {
        let mut command = place.command(args);
        common::ran(command.env("XDG_STATE_HOME", other.path()).output().unwrap())
    };
    let args = |agent| ["resume", ID, "--folder", "work", "--to", agent, "--json"];
    for agent in AGENTS {
        let before = stores(&place);
        let source = fs::read(place.session()).unwrap();
        let first = json(&run(&args(agent)));
        let old = stores(&place);
        goes_on(&place, 11);
        let second = json(&run(&args(agent)));
        assert_eq!((&second["id"], &second["earlier"]["replaced"]), (&first["id"], &true.into()));
        fs::write(place.session(), source).unwrap();
        for wanted in [&old, &before] {
            let undone = run(&["resume", ID, "--undo", "--to", agent]);
            assert_eq!(undone.code, 0, "{agent}: {}", undone.err);
            assert_eq!(stores(&place), *wanted, "{agent}");
        }
        // What the agent continued is not removed.
        let kept = continues(&file(&json(&run(&args(agent)))));
        assert_eq!(run(&["resume", ID, "--undo", "--to", agent]).code, 3, "{agent}");
        assert!(stores(&place).values().any(|bytes| bytes == kept.as_bytes()), "{agent}");
    }
}
