//! The archive, killed at each system call that changes files, and on a disk that fails once at
//! each: what an earlier run has kept is there, and the next run ends what was begun.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::fs;
use std::path::PathBuf;

use common::traced::{Act, Change, End, killed, stores, traced};
use common::{ID, Place, talk};
use nix::libc;

const OTHER: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22";

/// A machine whose sessions are kept, and one of them has grown since.
fn grown() -> Place {
    let place = Place::with_sessions();
    assert_eq!(place.run(&["sync"]).code, 0);
    let text = fs::read_to_string(place.session()).unwrap();
    fs::write(place.session(), text.clone() + &text.replace(&format!("{ID}-"), "more-")).unwrap();
    place
}

/// A machine with several packs and runs.
fn scattered() -> Place {
    let place = grown();
    assert_eq!(place.run(&["sync"]).code, 0);
    place
}

/// A machine with another archive beside its own.
fn two() -> Place {
    let place = grown();
    let other = place.session().with_file_name("7c1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e77.jsonl");
    let text = talk("7c1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e77", "Mend the sail", "2026-04-01T10:0");
    fs::write(&other, text).unwrap();
    assert_eq!(place.run(&["sync", "--archive", "other"]).code, 0);
    fs::remove_file(other).unwrap();
    place
}

/// The first version of the session, as the archive gives it back.
fn first(place: &Place) -> Vec<u8> {
    let ran = place.run(&["archive", "versions", ID, "--json"]);
    let versions: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let digest = versions["versions"][0]["digest"].as_str().unwrap().to_owned();
    let folder: PathBuf = place.path().join("given");
    let _ = fs::remove_dir_all(&folder);
    let ran = place.run(&["archive", "restore", &format!("{ID}@{digest}"), "-o", "given"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    fs::read(folder.join(format!("{ID}.jsonl"))).unwrap()
}

/// Checks that hold at every moment.
fn holds(place: &Place, what: &str) {
    let ran = place.run(&["archive", "verify", "--read-data"]);
    assert_eq!(ran.code, 0, "{what}: {}{}", ran.out, ran.err);
    let kept = talk(ID, "Paint the **door** green", "2026-03-01T10:0");
    assert_eq!(first(place), kept.as_bytes(), "{what}");
    // What there is of a twin is whole.
    if place.path().join("twin/archive.json").exists() {
        let ran = place.run(&["--archive", "twin", "archive", "verify", "--read-data"]);
        assert_eq!(ran.code, 0, "{what}: {}{}", ran.out, ran.err);
    }
}

/// Checks that hold when a command was run again after it was interrupted.
fn ends(place: &Place, args: &[&str], what: &str) {
    if args.contains(&"export") {
        let ran = place.run(args);
        assert!(ran.out.starts_with("0 versions written"), "{what}: {}", ran.out);
    }
    if args.contains(&"sign") {
        let ran = place.run(&["archive", "verify", "--trust", "work"]);
        assert_eq!(ran.code, 0, "{what}: {}", ran.out);
    }
}

fn everywhere(make: fn() -> Place, args: &[&str]) {
    let place = make();
    let agents = stores(&place.path().join("home/.claude"));
    let Some((changes, true)) = killed(&place, args, usize::MAX) else {
        eprintln!("skipped: this system lets no process trace another");
        return;
    };
    assert!(changes > 3, "{args:?}: {changes} changes");
    assert_eq!(stores(&place.path().join("home/.claude")), agents, "{args:?}");
    for nth in 1..=changes {
        let place = make();
        assert_eq!(killed(&place, args, nth), Some((nth - 1, false)), "{args:?} {nth}");
        holds(&place, &format!("{args:?} killed at {nth}"));
        let again = place.run(args);
        // What was forgotten before the kill is not there any more.
        let is_done = args.contains(&"forget") && again.err.contains("no session with an id");
        assert!(again.code == 0 || is_done, "{args:?} {nth}: {}", again.err);
        holds(&place, &format!("{args:?} again after {nth}"));
        ends(&place, args, &format!("{args:?} again after {nth}"));
    }
    // Each call fails once; with CI_DEEP, what takes room fails in both ways. An export takes long:
    // without it, every third of its calls fails.
    let is_deep = std::env::var_os("CI_DEEP").is_some();
    let step = if args.contains(&"export") && !is_deep { 3 } else { 1 };
    let passes = if is_deep { 2 } else { 1 };
    let each = |pass| (1..=changes).step_by(step).map(move |nth| (pass, nth));
    for (pass, nth) in (0..passes).flat_map(each) {
        let place = make();
        let is_full = (nth + pass) % 2 == 0;
        let act = &mut |change: Change| match change.number == nth {
            true if is_full && change.takes_room => Act::Fail(libc::ENOSPC),
            true => Act::Fail(libc::EIO),
            false => Act::Go,
        };
        let (_, end) = traced(&place, args, act).unwrap();
        assert!(matches!(end, End::Left(0 | 1 | 3)), "{args:?} {nth}: {end:?}");
        holds(&place, &format!("{args:?} failed at {nth}"));
    }
}

#[test]
fn sync() {
    everywhere(grown, &["sync"]);
}

#[test]
fn compact() {
    everywhere(scattered, &["archive", "compact"]);
}

#[test]
fn forget() {
    everywhere(scattered, &["archive", "forget", OTHER, "--yes"]);
}

#[test]
fn export() {
    let kept = || {
        let place = Place::with_sessions();
        assert_eq!(place.run(&["sync"]).code, 0);
        place
    };
    everywhere(kept, &["archive", "export", "--redacted", "twin"]);
}

#[test]
fn sign() {
    let with_key = || {
        let place = Place::with_sessions();
        assert_eq!(place.run(&["sync"]).code, 0);
        assert_eq!(place.run(&["key", "new", "work"]).code, 0);
        place
    };
    everywhere(with_key, &["archive", "sign"]);
}

#[test]
fn merge() {
    everywhere(two, &["archive", "merge", "other"]);
}

/// A copy on a disk that can only be read, as a backup is, gives its sessions back: there the lock
/// can't be opened for writing, which is the first change of each of these commands.
#[test]
fn an_archive_that_can_only_be_read_is_read() {
    let place = scattered();
    let read_only = &mut |change: Change| match change.number {
        1 => Act::Fail(libc::EROFS),
        _ => Act::Go,
    };
    for args in [
        &["archive", "status"][..],
        &["archive", "verify", "--read-data"],
        &["archive", "versions", ID],
        &["archive", "restore", ID, "-o", "back"],
    ] {
        let Some((_, end)) = traced(&place, args, read_only) else {
            eprintln!("skipped: this system lets no process trace another");
            return;
        };
        assert_eq!(end, End::Left(0), "{args:?}");
    }
    let back = place.path().join("back").join(format!("{ID}.jsonl"));
    assert_eq!(fs::read(back).unwrap(), fs::read(place.session()).unwrap());
    // Who writes is refused.
    let (_, end) = traced(&place, &["archive", "compact"], read_only).unwrap();
    assert_eq!(end, End::Left(3));
}
