//! Ctrl-C at each system call of a command that changes files: the command either completes, or it
//! ends and nothing is left of it: no file, no temporary file, no placement that has begun.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use common::traced::{Act, Change, End, killed, stores, traced};
use common::{ID, Place};

fn prepared() -> Place {
    let place = Place::with_sessions();
    fs::create_dir_all(place.path().join("work")).unwrap();
    place
}

/// All files of a machine, but for verbatim's own.
fn all(place: &Place) -> BTreeMap<PathBuf, Vec<u8>> {
    let base = place.path().to_path_buf();
    let all = stores(place.path()).into_iter();
    all.map(|(path, bytes)| (path.strip_prefix(&base).unwrap().to_path_buf(), bytes)).collect()
}

/// Interrupts a command before each of its changes. Gives the number of runs that ended without a
/// result, and of those that completed.
fn interrupted(args: &[&str]) -> Option<[usize; 2]> {
    let place = prepared();
    let before = all(&place);
    let (changes, true) = killed(&place, args, usize::MAX)? else {
        panic!("{args:?} does not end");
    };
    let after = all(&place);
    assert!(after.len() > before.len(), "{args:?} makes nothing");
    let mut counts = [0; 2];
    for nth in 1..=changes {
        let place = prepared();
        let mut act = |change: Change| match change.number == nth {
            true => Act::Interrupt,
            false => Act::Go,
        };
        let (_, end) = traced(&place, args, &mut act)?;
        let found = all(&place);
        match end {
            End::Killed => assert!(found == before, "{nth}: {args:?} left something"),
            End::Left(code) => {
                assert_eq!(code, 0, "{nth}: {args:?}");
                assert_eq!(found.len(), after.len(), "{nth}: {args:?} is not whole");
            }
        }
        counts[usize::from(end != End::Killed)] += 1;
        if args[0] == "resume" {
            // The next run has nothing to end, and its removal leaves no trace.
            let ran = place.run(args);
            assert_eq!(ran.code, 0, "{nth}: {}", ran.err);
            let ran = place.run(&["resume", ID, "--undo"]);
            assert_eq!(ran.code, 0, "{nth}: {}", ran.err);
            assert!(all(&place) == before, "{nth}: {args:?} can't be undone");
        }
    }
    Some(counts)
}

/// Checks a command that can be cancelled while it changes files, or only before.
fn check(args: &[&str], is_late: bool) {
    let Some([cancelled, completed]) = interrupted(args) else {
        eprintln!("skipped: this system lets no process trace another");
        return;
    };
    // A late one completes.
    assert_eq!(cancelled > 0, is_late, "{args:?}: {cancelled}, {completed}");
    assert!(completed > 0, "{args:?}: {cancelled}, {completed}");
}

#[test]
fn an_export() {
    check(&["export", ID, "-o", "page.html"], true);
    check(&["export", ID, "--to", "native", "-o", "own"], false);
}

#[test]
fn a_redaction() {
    check(&["redact", ID, "-o", "redacted"], false);
}

#[test]
fn a_placement() {
    check(&["resume", ID, "--folder", "work", "--to", "codex"], true);
}

/// Somebody presses Ctrl-C while a command writes several files, and the disk is so slow that it
/// does not end within a second: it completes.
#[test]
fn a_slow_change_is_completed() {
    let args = ["export", ID, "--to", "native", "-o", "own"];
    let Some((changes, true)) = killed(&prepared(), &args, usize::MAX) else { return };
    let (place, at) = (prepared(), changes / 2);
    let mut act = |change: Change| {
        if change.number == at + 1 {
            std::thread::sleep(std::time::Duration::from_millis(1500));
        }
        if change.number == at { Act::Interrupt } else { Act::Go }
    };
    let end = traced(&place, &args, &mut act).map(|(_, end)| end);
    assert_eq!(end, Some(End::Left(0)), "it was ended in the middle");
}

/// A placement that is killed instead leaves the files that the test above looks for.
#[test]
fn a_placement_that_is_killed_leaves_something() {
    let args = ["resume", ID, "--folder", "work", "--to", "codex"];
    let Some((changes, true)) = killed(&prepared(), &args, usize::MAX) else { return };
    let leaves = |nth: &usize| {
        let place = prepared();
        let before = all(&place);
        killed(&place, &args, *nth);
        let found = all(&place);
        found != before
    };
    assert!((1..changes).rev().any(|nth| leaves(&nth)), "no kill of {changes} leaves anything");
}
