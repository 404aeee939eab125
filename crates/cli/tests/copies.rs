//! Copies of databases: other users can't read them, and no signal leaves one behind.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rusqlite::Connection;

mod common;
use common::{Place, put};

/// A home with a database in use and many other files. A check blocks until someone reads its
/// output.
fn place() -> (Place, Connection) {
    let place = Place::new();
    let home = place.path().join("in");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir(place.path().join("tmp")).unwrap();
    let database = Connection::open(home.join("opencode.db")).unwrap();
    let sql = "PRAGMA journal_mode = WAL; CREATE TABLE session_message (id TEXT PRIMARY KEY,
        session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER, data TEXT);
        INSERT INTO session_message VALUES ('msg_1', 'ses_1', 'user', 1, 1, '{\"text\":\"hi\"}')";
    database.execute_batch(sql).unwrap();
    // Other users may read the original, but never verbatim's copy.
    let open = std::fs::Permissions::from_mode(0o666);
    std::fs::set_permissions(home.join("opencode.db"), open).unwrap();
    let name = "x".repeat(200);
    (0..800).for_each(|n| put(&home.join(format!("{name}{n}")), "no session"));
    (place, database)
}

/// A check that blocks while its copy exists. The sender of a signal waits for its end.
#[allow(clippy::zombie_processes)]
fn waiting(place: &Place) -> (Child, PathBuf) {
    waiting_with(place, place.command(&["check", "in", "--json"]))
}

#[allow(clippy::zombie_processes)]
fn waiting_with(place: &Place, mut command: Command) -> (Child, PathBuf) {
    let before = left(place);
    command.env("TMPDIR", place.path().join("tmp"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    loop {
        let mut new = left(place).into_iter().filter(|folder| !before.contains(folder));
        let copy = new.find(|folder| folder.join("copy.db-wal").exists());
        if let Some(copy) = copy {
            return (child, copy);
        }
        assert_eq!(child.try_wait().unwrap(), None, "it ended, and no copy was seen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The content of the folder for temporary files.
fn left(place: &Place) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place.path().join("tmp")).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

fn send(signal: &str, child: &mut Child) -> Option<i32> {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    child.wait().unwrap().signal()
}

#[test]
fn a_copy_is_private_and_gone_on_every_signal_that_can_be_caught() {
    let (place, _open) = place();
    let ends = [("-QUIT", 3), ("-ALRM", 14), ("-USR1", 10), ("-XCPU", 24)];
    for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)].into_iter().chain(ends) {
        // A shell without job control starts background programs with this signal ignored.
        if ignored() & (1 << (number - 1)) != 0 {
            eprintln!("skipped: {signal} is ignored by whoever started this test");
            continue;
        }
        let (mut child, copy) = waiting(&place);
        assert_eq!(mode(&copy), 0o700, "{signal}");
        for file in std::fs::read_dir(&copy).unwrap() {
            let file = file.unwrap().path();
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
        assert_eq!(send(signal, &mut child), Some(number));
        assert_eq!(left(&place), Vec::<PathBuf>::new(), "{signal}");
    }
}

/// The signals that this process ignores, one bit for each. The programs that it starts inherit
/// them.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap())
}

/// `nohup` makes a program ignore the end of its terminal.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_stays_ignored() {
    let (place, _open) = place();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_verbatim")]);
    command.args(["check", "in", "--json"]).current_dir(place.path());
    command.env("HOME", place.path().join("home"));
    let (mut child, copy) = waiting_with(&place, command);
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(200));
    assert!(child.try_wait().unwrap().is_none() && copy.exists(), "it ended");
    let mut said = Vec::new();
    std::io::Read::read_to_end(child.stdout.as_mut().unwrap(), &mut said).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(left(&place), Vec::<PathBuf>::new());
}

#[test]
fn what_a_killed_program_left_the_next_one_removes() {
    let (place, _open) = place();
    let (mut child, copy) = waiting(&place);
    assert_eq!(send("-KILL", &mut child), Some(9));
    assert_eq!(left(&place), std::slice::from_ref(&copy));
    let (mut next, other) = waiting(&place);
    assert_ne!(other, copy);
    assert_eq!(left(&place), std::slice::from_ref(&other), "the old one is gone");
    // A copy that is in use is not removed.
    let mut third = place.command(&["check", "in"]);
    third.env("TMPDIR", place.path().join("tmp")).stdout(Stdio::null());
    assert!(third.status().unwrap().success());
    assert_eq!(left(&place), std::slice::from_ref(&other));
    assert_eq!(send("-TERM", &mut next), Some(15));
    assert_eq!(left(&place), Vec::<PathBuf>::new());
}

/// A missing folder for temporary files: no copy can be made.
fn nowhere(place: &Place, args: &[&str]) -> common::Ran {
    let mut command = place.command(args);
    command.env("TMPDIR", place.path().join("not-there"));
    common::ran(command.output().unwrap())
}

#[test]
fn a_log_of_zeros_beside_a_sparse_database_is_no_reason_for_a_copy() {
    let (place, database) = place();
    drop(database);
    let file = place.path().join("in/opencode.db");
    let sparse = std::fs::File::options().write(true).open(&file).unwrap();
    sparse.set_len(10 << 30).unwrap();
    std::fs::write(place.path().join("in/opencode.db-wal"), vec![0; 4096]).unwrap();
    let ran = nowhere(&place, &["show", "ses_1", "--in", "in"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("hi"), "{}", ran.out);
}

#[test]
fn a_database_that_cannot_be_copied_is_named_with_the_reason() {
    let (place, _open) = place();
    let ran = nowhere(&place, &["show", "ses_1", "--in", "in"]);
    assert_eq!(ran.code, 3, "{}", ran.err);
    for told in ["opencode.db", "not-there"] {
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
}
