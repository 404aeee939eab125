//! A newer state of a session takes the place of an earlier one, and is killed, finds a full disk,
//! or meets its agent at system calls that change files: there is always one whole state, the next
//! run ends what was begun, each state can be reached again, and what the agent writes is not lost.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use common::placed::{file, json, prepared};
use common::traced::{Act, Change, End, killed, stores, traced};
use common::{ID, Place};
use nix::libc;

const UNDO: [&str; 3] = ["resume", ID, "--undo"];
/// The line that the agent writes meanwhile.
const MARK: &str = "{\"type\":\"event_msg\",\"payload\":{\"type\":\"the agent was here\"}}\n";

/// The agents: one with a list of titles, and one with three files a session.
const AGENTS: [&str; 2] = ["codex", "cursor"];

fn args(agent: &str) -> Vec<&str> {
    vec!["resume", ID, "--folder", "work", "--to", agent, "--json"]
}

/// A session that was placed, and that has gone on since in its own agent.
struct Grown {
    place: Place,
    /// The file that lists the session.
    lister: PathBuf,
    /// The stores before, and with the earlier state.
    before: BTreeMap<PathBuf, Vec<u8>>,
    old: BTreeMap<PathBuf, Vec<u8>>,
}

fn grown(agent: &str) -> Grown {
    let place = prepared();
    let title =
        format!("{{\"type\":\"custom-title\",\"customTitle\":\"Doors\",\"sessionId\":\"{ID}\"}}\n");
    let source = fs::read_to_string(place.session()).unwrap();
    fs::write(place.session(), source.clone() + &title).unwrap();
    let more = common::talk(ID, "Now the windows", "2026-03-02T11:0");
    let last: serde_json::Value = serde_json::from_str(source.lines().last().unwrap()).unwrap();
    let more = more.replace(&format!("{ID}-"), &format!("{ID}-later-"));
    let parent = format!("\"parentUuid\":{}", last["uuid"]);
    let more = more.replacen("\"parentUuid\":null", &parent, 1);
    // The earlier state is placed with the later title, so that the agent's list changes too.
    let before = stores(&place.path().join("home"));
    let lister = file(&json(&place.run(&args(agent))));
    let old = stores(&place.path().join("home"));
    let title = title.replace("Doors", "Windows");
    fs::write(place.session(), source + &more + &title).unwrap();
    Grown { place, lister, before, old }
}

impl Grown {
    fn home(&self) -> PathBuf {
        self.place.path().join("home")
    }

    /// Gives the machine the state that it had before the command.
    fn restore(&self) {
        fs::remove_dir_all(self.home()).unwrap();
        common::copy(&self.place.path().join(KEPT), &self.home());
    }

    /// The stores without the source.
    fn without(&self, all: &BTreeMap<PathBuf, Vec<u8>>) -> BTreeMap<PathBuf, Vec<u8>> {
        let source = self.place.session();
        let own = |(path, _): &(&PathBuf, &Vec<u8>)| **path != source;
        all.iter().filter(own).map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
    }

    fn now(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.without(&stores(&self.home()))
    }

    /// Reaches the newer state, then the earlier one, then none.
    fn reaches_all(&self, agent: &str, at: &str) {
        let again = self.place.run(&args(agent));
        assert_eq!(again.code, 0, "{at}: {}", again.err);
        let shown = self.place.run(&["show", json(&again)["id"].as_str().unwrap()]);
        assert!(shown.out.contains("Now the windows"), "{at}");
        for wanted in [&self.old, &self.before] {
            let undone = self.place.run(&UNDO);
            assert_eq!(undone.code, 0, "{at}: {}", undone.err);
            assert_eq!(self.now(), self.without(wanted), "{at}");
        }
    }
}

/// A machine on which the command is about to run.
fn ready(agent: &str, undo: bool) -> Grown {
    let grown = grown(agent);
    if undo {
        assert_eq!(grown.place.run(&args(agent)).code, 0);
    }
    common::copy(&grown.home(), &grown.place.path().join(KEPT));
    grown
}

/// The folder with the home as it was before the command.
const KEPT: &str = "kept";

/// The number of changes of the whole run; `None` if nothing can be traced here.
fn changes(agent: &str, args: &[&str], undo: bool) -> Option<usize> {
    match killed(&ready(agent, undo).place, args, usize::MAX) {
        Some((changes, true)) => Some(changes),
        _ => {
            eprintln!("skipped: this system lets no process trace another");
            None
        }
    }
}

/// Each of how many changes meets a fault: a few here, and all with `EVERY_CHANGE`.
fn step() -> usize {
    if std::env::var_os("EVERY_CHANGE").is_some() { 1 } else { 7 }
}

/// Runs a command with a fault at its changes, each time on the same machine as it was before.
fn with_faults(
    agents: &[&'static str],
    fault: impl Fn(&Grown, &[&str], usize) + Sync,
    after: impl Fn(&Grown, &str, &str) + Sync,
) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let runs = AtomicUsize::new(0);
    for (agent, undo) in agents.iter().flat_map(|agent| [(*agent, false), (*agent, true)]) {
        let args = if undo { UNDO.to_vec() } else { args(agent) };
        let Some(changes) = changes(agent, &args, undo) else { return };
        assert!(changes > 8, "{changes}");
        let next = AtomicUsize::new(1);
        let work = || {
            let grown = ready(agent, undo);
            loop {
                let nth = next.fetch_add(step(), Ordering::Relaxed);
                if nth > changes {
                    break;
                }
                grown.restore();
                fault(&grown, &args, nth);
                after(&grown, agent, &format!("{agent} {undo} {nth}"));
                runs.fetch_add(1, Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    }
    eprintln!("{} runs with a fault", runs.into_inner());
}

#[test]
fn a_killed_run_leaves_a_whole_state() {
    let kill = |grown: &Grown, args: &[&str], nth: usize| {
        assert_eq!(killed(&grown.place, args, nth), Some((nth - 1, false)));
    };
    with_faults(&AGENTS, kill, |grown, agent, at| {
        assert!(grown.lister.exists(), "{at}: no state is there");
        grown.reaches_all(agent, at);
    });
}

#[test]
fn a_full_disk_leaves_a_whole_state() {
    let full = |grown: &Grown, args: &[&str], nth: usize| {
        let run = traced(&grown.place, args, &mut |change: Change| match change.number >= nth
            && change.takes_room
        {
            true => Act::Fail(libc::ENOSPC),
            false => Act::Go,
        });
        assert!(matches!(run, Some((_, End::Left(0 | 1 | 3)))), "{run:?}");
    };
    with_faults(&AGENTS, full, |grown, agent, at| {
        assert!(grown.lister.exists(), "{at}: no state is there");
        grown.reaches_all(agent, at);
    });
}

fn holds(folder: &Path, mark: &str) -> bool {
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => holds(&path, mark),
            false => {
                fs::read(&path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(mark))
            }
        }
    })
}

/// The agent writes into its file, which it has open or opens, at each change, and the run goes on
/// or is killed there. What it wrote is in its store, or kept for it.
#[test]
fn what_the_agent_writes_meanwhile_is_not_lost() {
    for (opened, dies) in [(false, false), (true, false), (false, true), (true, true)] {
        let write = |grown: &Grown, args: &[&str], nth: usize| {
            let open = || fs::File::options().append(true).open(&grown.lister);
            let held = open().unwrap();
            let run = traced(&grown.place, args, &mut |change: Change| {
                if change.number != nth {
                    return Act::Go;
                }
                let mut agent = if opened { held.try_clone() } else { open() };
                if let Ok(agent) = &mut agent {
                    agent.write_all(MARK.as_bytes()).unwrap();
                }
                if dies { Act::Kill } else { Act::Go }
            });
            assert!(run.is_some());
        };
        with_faults(&AGENTS, write, |grown, agent, at| {
            let has = || holds(&grown.home(), "the agent was here");
            assert!(has(), "{at} {opened} {dies}: lost at once");
            // Whatever follows keeps it.
            for args in [&args(agent)[..], &UNDO, &UNDO] {
                grown.place.run(args);
                assert!(has(), "{at} {opened} {dies}: lost by {args:?}");
            }
        });
    }
}

/// The agent adds lines to its list of titles at each change, by a file that it has open and by
/// one that it opens, and the run goes on or is killed there. The list has both lines at the end,
/// unless the old list had no name any more: the agent opens its list for each line, and verbatim
/// takes that name away only once the new list has all that the old one had.
#[test]
fn what_the_agent_adds_to_its_list_is_not_lost() {
    let line = |name: &str| format!("{{\"id\":\"{name}\",\"thread_name\":\"Sheds\"}}\n");
    let list = |grown: &Grown| grown.home().join(".codex/session_index.jsonl");
    for dies in [false, true] {
        let write = |grown: &Grown, args: &[&str], nth: usize| {
            let open = || fs::File::options().append(true).open(list(grown)).unwrap();
            let mut held = open();
            let is_there = grown.place.path().join("is-there");
            let _ = fs::remove_file(&is_there);
            let run = traced(&grown.place, args, &mut |change: Change| {
                if change.number != nth {
                    return Act::Go;
                }
                if held.metadata().unwrap().nlink() > 0 {
                    held.write_all(line("held").as_bytes()).unwrap();
                    fs::write(&is_there, "").unwrap();
                }
                open().write_all(line("opened").as_bytes()).unwrap();
                if dies { Act::Kill } else { Act::Go }
            });
            assert!(run.is_some());
        };
        with_faults(&["codex"], write, |grown, agent, at| {
            for args in [&args(agent)[..], &UNDO, &UNDO] {
                grown.place.run(args);
            }
            let text = fs::read_to_string(list(grown)).unwrap();
            let is_held = grown.place.path().join("is-there").exists();
            for (name, wanted) in [("held", usize::from(is_held)), ("opened", 1)] {
                let count = text.matches(&line(name)).count();
                assert_eq!(count, wanted, "{at} {dies}: {name} in {text}");
            }
        });
    }
}

/// An agent wrote into a session after it was removed: each run warns of it and names the file
/// that has it, until that file is elsewhere.
#[test]
fn what_was_written_after_a_removal_is_told() {
    let Some(changes) = changes("codex", &UNDO, true) else { return };
    let grown = ready("codex", true);
    let mut told = 0;
    for nth in (1..=changes).rev() {
        grown.restore();
        let mut held = fs::File::options().append(true).open(&grown.lister).unwrap();
        let run = traced(&grown.place, &UNDO, &mut |change: Change| {
            if change.number == nth {
                held.write_all(MARK.as_bytes()).unwrap();
            }
            Act::Go
        });
        assert!(run.is_some());
        let journal = common::placed::journal(&grown.place);
        // A file that is open keeps a name even if nothing is written into it.
        let is_written = |path: &PathBuf| fs::read_to_string(path).unwrap().ends_with(MARK);
        let is_removed =
            |path: &PathBuf| path.extension() == Some("removed".as_ref()) && is_written(path);
        let mut kept = fs::read_dir(&journal).unwrap().map(|entry| entry.unwrap().path());
        let Some(kept) = kept.find(is_removed) else { continue };
        told += 1;
        for _ in 0..2 {
            let again = grown.place.run(&args("cursor"));
            assert_eq!(again.code, 0, "{}", again.err);
            let warning = "warning: an agent wrote into a session after it was removed";
            assert!(again.err.contains(warning), "{nth}: {}", again.err);
            assert!(again.err.contains(kept.to_str().unwrap()), "{nth}: {}", again.err);
        }
        let moved = grown.place.path().join("mine.jsonl");
        fs::rename(&kept, &moved).unwrap();
        assert!(is_written(&moved), "{nth}");
        assert_eq!(grown.place.run(&args("cursor")).err.matches("after it was removed").count(), 0);
        break;
    }
    assert_eq!(told, 1, "no change left what the agent wrote");
}
