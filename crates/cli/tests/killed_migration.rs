//! `verbatim migrate`, killed at each system call that changes files, while its agent writes: the
//! projects are always in their place, and after the next run each line that the agent wrote is
//! there once, and nothing is beside them but the old folder.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use common::traced::{Act, Change, End, killed, stores, traced};
use common::{Place, put};

const LINE: &str = "{\"role\":\"user\",\"content\":\"Fire the kiln, please.\",\
                    \"timestamp\":\"2026-02-14T10:15:02+0100\"}\n";
const IN_PLACE: [&str; 4] = ["migrate", "sage", "projects", "--in-place"];

/// A project whose folder gets another name, with a register.
fn projects() -> Place {
    let place = Place::new();
    let kiln = place.path().join("projects/-home-mira-kiln.v1-");
    put(&kiln.join("conversation.jsonl"), LINE);
    let register = "{\"project_dir\": \"/home/mira/kiln.v1/\", \"total_size\": 1}\n";
    put(&kiln.join("metadata.json"), register);
    put(&place.path().join("projects/notes.txt"), "notes");
    place
}

/// The agent's file of the conversation.
fn conversation(place: &Place) -> PathBuf {
    let folder = place.path().join("projects");
    let names = ["-home-mira-kiln.v1-", "-home-mira-kiln-v1"];
    let files = names.map(|name| folder.join(name).join("conversation.jsonl"));
    files.into_iter().find(|path| path.exists()).expect("the projects are in their place")
}

/// The agent adds a line.
fn says(place: &Place, word: &str) {
    let mut file = fs::File::options().append(true).open(conversation(place)).unwrap();
    writeln!(file, "{{\"role\":\"user\",\"content\":\"{word}.\"}}").unwrap();
}

/// After the next run, each word that was said is there once.
fn is_whole(place: &Place, said: &[String], nth: usize) {
    let ran = place.run(&IN_PLACE);
    assert_eq!(ran.code, 0, "{nth}: {}", ran.err);
    let text = fs::read_to_string(conversation(place)).unwrap();
    assert!(text.contains("Fire the kiln"), "{nth}: {text}");
    for word in said {
        assert_eq!(text.matches(&format!("\"{word}.\"")).count(), 1, "{nth}: {word} in {text}");
    }
    let beside = fs::read_dir(place.path()).unwrap().flatten().map(|entry| entry.file_name());
    for name in beside.map(|name| name.to_string_lossy().into_owned()) {
        let is_ours = name == "home" || name == "projects" || name.starts_with("projects.before-");
        assert!(is_ours, "{nth}: {name} was left");
    }
    let journal = place.path().join("home/.local/state/verbatim/folders");
    let noted = fs::read_dir(journal).into_iter().flatten().flatten().map(|entry| entry.path());
    assert_eq!(noted.filter(|path| path.extension().is_some()).count(), 0, "{nth}");
    let project = place.path().join("projects/-home-mira-kiln-v1");
    assert!(project.join("metadata.json").exists() && project.join("conversation.jsonl").exists());
    assert_eq!(fs::read(place.path().join("projects/notes.txt")).unwrap(), b"notes", "{nth}");
}

#[test]
fn a_migration_that_was_killed_loses_nothing() {
    let Some((changes, true)) = killed(&projects(), &IN_PLACE, usize::MAX) else {
        eprintln!("skipped: this system lets no process trace another");
        return;
    };
    assert!(changes > 20, "{changes}");
    for nth in 1..=changes {
        let place = projects();
        assert_eq!(killed(&place, &IN_PLACE, nth), Some((nth - 1, false)));
        says(&place, "late");
        is_whole(&place, &["late".to_owned()], nth);
    }
}

/// The agent writes before each change of the run that is killed, and afterwards.
#[test]
fn what_is_written_before_a_kill_is_carried_over_too() {
    let mut count = 0;
    for nth in (1..).step_by(3) {
        let place = projects();
        let mut said = Vec::new();
        let mut act = |change: Change| {
            said.push(format!("word-{}", change.number));
            says(&place, said.last().unwrap());
            if change.number == nth { Act::Kill } else { Act::Go }
        };
        let Some((_, end)) = traced(&place, &IN_PLACE, &mut act) else { return };
        says(&place, "late");
        said.push("late".to_owned());
        is_whole(&place, &said, nth);
        count = nth;
        if end != End::Killed {
            break;
        }
    }
    assert!(count > 30, "{count}");
}

/// The run that ends what a killed one has begun is killed too, after the exchange.
#[test]
fn a_second_run_may_be_killed_too() {
    let Some((changes, true)) = killed(&projects(), &IN_PLACE, usize::MAX) else { return };
    let half = |nth: usize| {
        let place = projects();
        // What is written before the exchange only the old folder has.
        let mut act = |change: Change| {
            if change.number == nth - 1 && conversation(&place).to_string_lossy().contains("v1-/") {
                says(&place, "early");
            }
            if change.number == nth { Act::Kill } else { Act::Go }
        };
        traced(&place, &IN_PLACE, &mut act).unwrap();
        let begun = fs::read_dir(place.path()).unwrap().flatten();
        let hidden = begun.filter(|entry| entry.file_name().to_string_lossy().starts_with('.'));
        let old = hidden.map(|entry| entry.path()).find(|path| path.is_dir());
        (place, old)
    };
    // The first change after the exchange.
    let exchanged = |nth: &usize| {
        let (place, old) = half(*nth);
        old.is_some() && conversation(&place).to_string_lossy().contains("v1/conv")
    };
    let nth = (1..=changes).find(exchanged).expect("it is exchanged");
    for second in 1.. {
        let (place, old) = half(nth);
        // The agent still has the old file open.
        let old = old.unwrap().join("-home-mira-kiln.v1-/conversation.jsonl");
        let mut file = fs::File::options().append(true).open(old).unwrap();
        writeln!(file, "{{\"role\":\"user\",\"content\":\"behind.\"}}").unwrap();
        let ended = killed(&place, &IN_PLACE, second).unwrap().1;
        says(&place, "late");
        is_whole(&place, &["behind".to_owned(), "late".to_owned()], second);
        if ended {
            assert!(second > 8, "{second}");
            return;
        }
    }
}

/// A copy that was killed leaves its source as it is, and the next one leaves nothing else.
#[test]
fn a_copy_that_was_killed_leaves_nothing() {
    let copy = ["migrate", "sage", "projects", "-o", "copy"];
    let Some((changes, true)) = killed(&projects(), &copy, usize::MAX) else { return };
    for nth in 1..=changes {
        let place = projects();
        assert_eq!(killed(&place, &copy, nth), Some((nth - 1, false)));
        let is_there = place.path().join("copy").exists();
        says(&place, "late");
        let source = stores(&place.path().join("projects"));
        let ran = place.run(&copy);
        assert_eq!(ran.code, if is_there { 3 } else { 0 }, "{nth}: {}", ran.err);
        let ran = place.run(&["migrate", "sage", "projects", "-o", "other"]);
        assert_eq!(ran.code, 0, "{nth}: {}", ran.err);
        assert_eq!(stores(&place.path().join("projects")), source, "{nth}");
        let names = fs::read_dir(place.path()).unwrap().flatten().map(|entry| entry.file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["copy", "home", "other", "projects"], "{nth}");
    }
}
