//! A store that can't be read for a while is not an empty one: nothing is imported over what it may
//! have, removed or forgotten.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::placed::{journal, json, prepared, program};
use common::{ID, Place, Ran, ran};
use rusqlite::Connection;

/// An agent that keeps what it imports, and adds nothing to what is there. `busy` says that its
/// database is there from its import on.
const IMPORTS: &str = "#!/bin/sh\nset -e\nkept=\"$HOME/.local/share/opencode\"\n\
    /bin/mkdir -p \"$kept\"\necho \"$1\" >> \"$HOME/calls\"\n\
    case \"$1\" in import) [ -e \"$kept/kept.json\" ] || /bin/cp \"$2\" \"$kept/kept.json\"\n\
    if [ -e \"$HOME/busy\" ]; then /bin/mv \"$kept/kept.json\" \"$HOME/hidden.json\"\n\
    /bin/cp \"$HOME\"/busy/* \"$kept\"; fi;;\nsession) /bin/rm \"$kept/kept.json\";;\nesac\n";

const ARGS: [&str; 6] = ["resume", ID, "--folder", "work", "--to", "opencode"];
const UNDO: [&str; 3] = ["resume", ID, "--undo"];

/// A run that can copy no database.
fn without_room(place: &Place, args: &[&str]) -> Ran {
    let mut command = place.command(args);
    command.env("PATH", place.path().join("bin")).env("TMPDIR", place.path().join("no/folder"));
    ran(command.output().unwrap())
}

fn run(place: &Place, args: &[&str]) -> Ran {
    ran(place.command(args).env("PATH", place.path().join("bin")).output().unwrap())
}

/// Writes a database with a write-ahead log into a folder: it can be read from a copy only.
fn busy(folder: &Path) -> Connection {
    fs::create_dir_all(folder).unwrap();
    let database = Connection::open(folder.join("opencode.db")).unwrap();
    let sql = samples::workspace()
        .join("crates/formats/src/agents/opencode/samples/database/opencode.sql");
    database.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;").unwrap();
    database.execute_batch(&fs::read_to_string(sql).unwrap()).unwrap();
    database
}

fn store(place: &Place) -> PathBuf {
    place.path().join("home/.local/share/opencode")
}

fn hide(place: &Place) -> (PathBuf, PathBuf) {
    let (kept, hidden) = (store(place).join("kept.json"), place.path().join("home/hidden.json"));
    fs::rename(&kept, &hidden).unwrap();
    (kept, hidden)
}

fn calls(place: &Place) -> usize {
    fs::read_to_string(place.path().join("home/calls")).unwrap_or_default().lines().count()
}

fn noted(place: &Place) -> usize {
    let files = fs::read_dir(journal(place)).unwrap().flatten();
    files.filter(|entry| entry.path().extension() == Some("json".as_ref())).count()
}

#[test]
fn what_may_be_there_is_neither_forgotten_nor_imported_over() {
    let place = prepared();
    program(&place, "opencode", IMPORTS);
    assert_eq!(json(&run(&place, &[&ARGS[..], &["--json"]].concat()))["state"], "placed");
    // The session is in a database that can't be read just now.
    let (kept, hidden) = hide(&place);
    let database = busy(&store(&place));
    for args in [&UNDO[..], &[&UNDO[..], &["--dry-run"]].concat(), &ARGS] {
        let ran = without_room(&place, args);
        assert_eq!(ran.code, 3, "{args:?}: {}", ran.err);
        assert!(ran.err.contains("can't be read"), "{args:?}: {}", ran.err);
        assert!(!ran.err.contains("any more"), "{args:?}: {}", ran.err);
        assert_eq!((calls(&place), noted(&place)), (1, 1), "{args:?}");
    }
    // One that nobody noted: its user continued it, and it is not removed.
    fs::remove_dir_all(journal(&place)).unwrap();
    let ran = without_room(&place, &ARGS);
    assert_eq!((ran.code, calls(&place)), (3, 1), "{}", ran.err);
    fs::rename(&hidden, &kept).unwrap();
    drop(database);
    let ran = run(&place, &ARGS);
    assert!(ran.code == 3 && ran.err.contains("has a session"), "{}", ran.err);
    assert!(kept.exists());
}

#[test]
fn what_was_imported_stays_known_if_it_is_not_read_back() {
    let place = prepared();
    program(&place, "opencode", IMPORTS);
    let database = busy(&place.path().join("home/busy"));
    let ran = without_room(&place, &ARGS);
    assert_eq!((ran.code, calls(&place), noted(&place)), (1, 1, 1), "{}", ran.err);
    assert!(ran.err.contains("it stays"), "{}", ran.err);
    // It can be read again: it is found, and can be removed.
    drop(database);
    fs::remove_dir_all(place.path().join("home/busy")).unwrap();
    fs::rename(place.path().join("home/hidden.json"), store(&place).join("kept.json")).unwrap();
    assert_eq!(json(&run(&place, &[&ARGS[..], &["--json"]].concat()))["state"], "placed-before");
    let ran = run(&place, &UNDO);
    assert_eq!((ran.code, store(&place).join("kept.json").exists()), (0, false), "{}", ran.err);
}
