//! A disk that is full, or can't be written any more, from each of the system calls on that change
//! files: a session is placed whole or not at all, its removal is ended by the next run, and a
//! migration leaves the agent's projects as they are.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::fs;
use std::path::Path;

use common::placed::{json, prepared};
use common::traced::{Act, Change, End, stores, traced};
use common::{ID, Place, put};
use nix::libc;

const UNDO: [&str; 3] = ["resume", ID, "--undo"];

/// Runs the program on a disk that is full from the `nth` change on.
fn full(place: &Place, args: &[&str], nth: usize) -> Option<(usize, End)> {
    traced(place, args, &mut |change: Change| match change.number >= nth && change.takes_room {
        true => Act::Fail(libc::ENOSPC),
        false => Act::Go,
    })
}

/// Runs the program on a disk that can only be read from the `nth` change on.
fn read_only(place: &Place, args: &[&str], nth: usize) -> Option<(usize, End)> {
    traced(place, args, &mut |change: Change| match change.number >= nth && change.is_refused {
        true => Act::Fail(libc::EROFS),
        false => Act::Go,
    })
}

fn placing_to(agent: &str) -> Vec<&str> {
    vec!["resume", ID, "--folder", "work", "--to", agent, "--json"]
}

#[test]
fn a_full_disk_leaves_a_whole_placement_or_none() {
    for agent in ["codex", "cursor"] {
        let args = placing_to(agent);
        let Some((changes, End::Left(0))) = full(&prepared(), &args, usize::MAX) else {
            eprintln!("skipped: this system lets no process trace another");
            return;
        };
        let mut whole = 0;
        for nth in 1..=changes {
            let place = prepared();
            let home = place.path().join("home");
            let before = stores(&home);
            match full(&place, &args, nth) {
                Some((_, End::Left(0))) => {
                    // Nothing that was needed took room any more. A removal needs none either.
                    whole += 1;
                    assert_eq!(json(&place.run(&args))["state"], "placed-before", "{nth}");
                    assert_eq!(full(&place, &UNDO, 1).unwrap().1, End::Left(0), "{nth}");
                    assert_eq!(stores(&home), before, "{nth}");
                }
                Some((_, End::Left(3))) => {
                    assert_eq!(stores(&home), before, "{nth}: something was left");
                    assert_eq!(json(&place.run(&args))["state"], "placed", "{nth}");
                }
                other => panic!("{nth}: {other:?}"),
            }
        }
        // The last note takes no room: it was kept before.
        assert!(whole > 2, "{agent}: {whole} of {changes}");
    }
}

#[test]
fn a_store_that_can_not_be_written_harms_nothing() {
    let args = placing_to("codex");
    let Some((changes, _)) = read_only(&prepared(), &args, usize::MAX) else { return };
    for nth in 1..=changes {
        let place = prepared();
        let home = place.path().join("home");
        let before = stores(&home);
        let end = read_only(&place, &args, nth).unwrap().1;
        assert!(matches!(end, End::Left(0 | 3)), "{nth}: {end:?}");
        // What could not be removed then the next run removes, or completes.
        let state = json(&place.run(&args))["state"].clone();
        assert!(state == "placed" || state == "placed-before", "{nth}: {state}");
        let end = read_only(&place, &UNDO, 1 + nth % 9).unwrap().1;
        assert!(matches!(end, End::Left(0 | 3)), "{nth}: {end:?}");
        let ran = place.run(&UNDO);
        assert!(matches!(ran.code, 0 | 3), "{nth}: {}", ran.err);
        assert_eq!(stores(&home), before, "{nth}");
    }
}

const LINE: &str = "{\"role\":\"user\",\"content\":\"Fire the kiln.\"}\n";
const MIGRATE: [&str; 4] = ["migrate", "sage", "projects", "--in-place"];

/// Nothing is beside the projects but old folders.
fn is_clean(folder: &Path) -> bool {
    let names = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name());
    names.map(|name| name.into_string().unwrap()).all(|name| !name.starts_with('.'))
}

#[test]
fn a_migration_on_a_bad_disk_loses_nothing() {
    let make = || {
        let place = Place::new();
        put(&place.path().join("projects/-home-mira-kiln.v1-/conversation.jsonl"), LINE);
        fs::create_dir_all(place.path().join("home")).unwrap();
        place
    };
    type Fault = fn(&Place, &[&str], usize) -> Option<(usize, End)>;
    for fault in [full as Fault, read_only as Fault] {
        let Some((changes, _)) = fault(&make(), &MIGRATE, usize::MAX) else { return };
        for nth in 1..=changes {
            let place = make();
            let end = fault(&place, &MIGRATE, nth).unwrap().1;
            assert!(matches!(end, End::Left(0 | 3)), "{nth}: {end:?}");
            assert!(place.path().join("projects").is_dir(), "{nth}");
            let ran = place.run(&MIGRATE);
            assert_eq!(ran.code, 0, "{nth}: {}", ran.err);
            let made = place.path().join("projects/-home-mira-kiln-v1/conversation.jsonl");
            let text = fs::read_to_string(made).unwrap();
            assert_eq!(text.matches("Fire the kiln").count(), 1, "{nth}: {text}");
            assert!(is_clean(place.path()), "{nth}");
        }
    }
}
