//! Back and forth between two agents, by the files that they write: a session is placed into the
//! other agent, both go on by turns in their own form, and it is placed again, and back; into
//! another home and another folder; and removed. By digests, no agent's file loses a byte, and each
//! state can be reached.
//!
//! Each agent goes to one other agent in a plain run, which `SEED=n` chooses, and to all of them
//! with `CI_DEEP=1`.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod common;
#[path = "back/turns.rs"]
mod turns;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::placed::{file, json, prepared, program};
use common::{ID, Place, Ran, copy, ran};
use formats::digest::digest;
use serde_json::Value;
use turns::goes_on;

const AGENTS: [&str; 7] =
    ["claude-code", "codex", "gemini", "opencode", "cursor", "codewhale", "sage"];

/// An agent that keeps each session that it imports, and adds nothing to what is there.
const IMPORTS: &str = "#!/bin/sh\nset -e\nkept=\"$HOME/.local/share/opencode\"\n\
    /bin/mkdir -p \"$kept\"\ncase \"$1\" in\n\
    import) name=\"${2##*/}\"; [ -e \"$kept/$name\" ] || /bin/cp \"$2\" \"$kept/$name\";;\n\
    session) /bin/rm \"$kept/$3.json\";;\nesac\n";

/// A machine on which an agent has a session, and nothing was placed.
struct Machine {
    place: Place,
    /// The name of the session: its agent and its id.
    uid: String,
    /// The files of the agent.
    own: Vec<PathBuf>,
}

impl Machine {
    fn of(agent: &str) -> Self {
        let place = prepared();
        program(&place, "opencode", IMPORTS);
        let seed = place.path().join("home/.claude");
        let mut machine = Self { place, uid: format!("claude-code:{ID}"), own: Vec::new() };
        if agent == "claude-code" {
            machine.own = vec![machine.place.session()];
            return machine;
        }
        let placed =
            json(&machine.run(&["resume", ID, "--folder", "work", "--to", agent, "--json"]));
        machine.uid = format!("{agent}:{}", placed["id"].as_str().unwrap());
        machine.own = machine.files(agent, &placed);
        fs::remove_dir_all(seed).unwrap();
        fs::remove_dir_all(machine.place.path().join("home/.local/state/verbatim")).unwrap();
        machine
    }

    /// The same machine once more.
    fn again(&self) -> Self {
        let place = Place::new();
        copy(self.place.path(), place.path());
        let moved =
            |path: &PathBuf| place.path().join(path.strip_prefix(self.place.path()).unwrap());
        let own: Vec<PathBuf> = self.own.iter().map(moved).collect();
        // Files name the folder in which the agent works.
        let (old, new) = (self.place.path().to_str().unwrap(), place.path().to_str().unwrap());
        for path in stores(&place).into_keys() {
            if let Ok(text) = fs::read_to_string(&path) {
                fs::write(&path, text.replace(old, new)).unwrap();
            }
        }
        Self { place, uid: self.uid.clone(), own }
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = self.place.command(args);
        ran(command.env("PATH", self.place.path().join("bin")).output().unwrap())
    }

    /// The files of a session that was placed.
    fn files(&self, agent: &str, placed: &Value) -> Vec<PathBuf> {
        if agent == "opencode" {
            let name = format!("{}.json", placed["id"].as_str().unwrap());
            return vec![self.place.path().join("home/.local/share/opencode").join(name)];
        }
        let files = placed["files"].as_array().unwrap().iter();
        files.map(|file| file["path"].as_str().unwrap().into()).collect()
    }

    /// Places the session in its present state, and expects this outcome.
    fn placed(&self, to: &str, more: &[&str], state: &str, at: &str) -> Value {
        let folder = if more.contains(&"--folder") { &[][..] } else { &["--folder", "work"] };
        let ran = self.run(&[&["resume", &self.uid, "--to", to, "--json"], folder, more].concat());
        assert_eq!(ran.code, 0, "{at}: {}", ran.err);
        let placed = json(&ran);
        assert_eq!(placed["state"], state, "{at}: {}", ran.err);
        placed
    }

    fn undone(&self, to: &str, more: &[&str], at: &str) {
        let ran = self.run(&[&["resume", &self.uid, "--undo", "--to", to], more].concat());
        assert_eq!(ran.code, 0, "{at}: {}", ran.err);
    }

    fn shows(&self, agent: &str, placed: &Value, said: &[&str], at: &str) {
        let id = format!("{agent}:{}", placed["id"].as_str().unwrap());
        let all: Vec<&str> = if agent == "sage" {
            vec!["show", placed["files"][0]["path"].as_str().unwrap()]
        } else {
            vec!["show", &id]
        };
        let shown = self.run(&all);
        for said in said {
            assert!(shown.out.contains(said), "{at}: {said}: {}{}", shown.out, shown.err);
        }
    }
}

/// The list of an agent's titles, to which placing adds a line.
const LIST: &str = "session_index.jsonl";

/// All files of the agents: their digests, and the whole list of titles.
type Stores = BTreeMap<PathBuf, String>;

/// Whether a file is as it was, or is a list that only has more lines.
fn is_kept(path: &Path, before: &str, now: &Stores) -> bool {
    let is_grown = |now: &String| path.ends_with(LIST) && now.starts_with(before);
    now.get(path).is_some_and(|now| now == before || is_grown(now))
}

fn stores(place: &Place) -> Stores {
    fn tree(folder: &Path, found: &mut Stores) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true if path.ends_with(".local/state") => {}
                true => tree(&path, found),
                false => {
                    let bytes = fs::read(&path).unwrap();
                    let is_list = path.ends_with(LIST);
                    let told = || String::from_utf8(bytes.clone()).unwrap();
                    found.insert(path, if is_list { told() } else { digest(&bytes) });
                }
            }
        }
    }
    let mut found = BTreeMap::new();
    tree(&place.path().join("home"), &mut found);
    found
}

/// The pairs of this run.
fn pairs() -> Vec<(&'static str, Vec<&'static str>)> {
    let deep = std::env::var_os("CI_DEEP").is_some();
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse::<usize>().ok());
    let seed = seed.unwrap_or(0);
    let others = |at: usize| match deep {
        true => AGENTS.to_vec(),
        false => vec![AGENTS[(at + 1 + seed) % AGENTS.len()]],
    };
    AGENTS.iter().enumerate().map(|(at, from)| (*from, others(at))).collect()
}

#[test]
fn nothing_is_lost_back_and_forth() {
    let next = std::sync::Mutex::new(pairs());
    let count = std::sync::atomic::AtomicUsize::new(0);
    let work = || loop {
        let Some((from, others)) = next.lock().unwrap().pop() else { break };
        let machine = Machine::of(from);
        for to in others {
            match from == to {
                true => at_home(&machine.again(), from),
                false => back_and_forth(&machine.again(), from, to),
            }
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let deep = std::env::var_os("CI_DEEP").is_some();
    assert_eq!(count.into_inner(), if deep { 49 } else { 7 });
}

/// In its own agent a session is found, or gets a copy for another folder, which can be removed.
/// The session itself stays as it is.
fn at_home(machine: &Machine, agent: &str) {
    let before = stores(&machine.place);
    fs::create_dir_all(machine.place.path().join("there")).unwrap();
    let ran = machine.run(&["resume", &machine.uid, "--folder", "there", "--json"]);
    let now = stores(&machine.place);
    let kept = |(path, bytes): (&PathBuf, &String)| is_kept(path, bytes, &now);
    assert!(before.iter().all(kept), "{agent}: its own session was changed: {}", ran.err);
    if ran.code == 0 && json(&ran)["state"] == "placed" {
        machine.undone(agent, &[], agent);
    }
    assert_eq!(stores(&machine.place), before, "{agent}: something is left");
}

fn back_and_forth(machine: &Machine, from: &str, to: &str) {
    let at = format!("{from} and {to}");
    // Sage has one conversation in a folder.
    let later: &[&str] = if to == "sage" { &["--folder", "later"] } else { &[] };
    for folder in ["later", "elsewhere"] {
        fs::create_dir_all(machine.place.path().join(folder)).unwrap();
    }
    let first = machine.placed(to, &[], "placed", &at);
    let files = machine.files(to, &first);
    goes_on(to, &files, "How many quinces are there?", 11);
    machine.placed(to, &[], "continued", &at);
    let continued = stores(&machine.place);
    // Both have gone on: the newer state is another session.
    goes_on(from, &machine.own, "How many medlars are at home?", 12);
    let second = machine.placed(to, later, "placed", &at);
    let same = |before: &Stores, what: &str| {
        let now = stores(&machine.place);
        for (path, bytes) in before.iter().filter(|(path, _)| !machine.own.contains(path)) {
            assert!(is_kept(path, bytes, &now), "{at}: {what}: {}", path.display());
        }
    };
    same(&continued, "the other agent's file is another");
    machine.shows(to, &first, &["Paint the", "quinces"], &at);
    machine.shows(to, &second, &["Paint the", "medlars"], &at);
    // It goes on once more: the next state takes the place of the one that nobody continued.
    let with_second = stores(&machine.place);
    goes_on(from, &machine.own, "Count the sloes at home", 13);
    let third = machine.placed(to, later, "placed", &at);
    machine.shows(to, &third, &["Paint the", "medlars", "sloes"], &at);
    same(&continued, "the other agent's file is another");
    let with_third = stores(&machine.place);
    // Another home and another folder are placements of their own, and are removed as such.
    machine.placed(to, &["--folder", "elsewhere"], "placed", &at);
    machine.undone(to, &["--folder", "elsewhere"], &at);
    if to != "opencode" {
        machine.placed(to, &[later, &["--home", "try"]].concat(), "placed", &at);
        machine.undone(to, &["--home", "try"], &at);
    }
    assert_eq!(stores(&machine.place), with_third, "{at}: a try leaves something");
    machine.undone(to, later, &at);
    let mut second_again = stores(&machine.place);
    for path in &machine.own {
        second_again.insert(path.clone(), with_second[path].clone());
    }
    assert_eq!(second_again, with_second, "{at}: the state before is not there again");
    same(&continued, "the other agent's file is another");
    comes_back(machine, (from, to), &first, &at);
}

/// The session that the other agent continued is placed into the first one, whose own stays.
fn comes_back(machine: &Machine, (from, to): (&str, &str), first: &Value, at: &str) {
    let before = stores(&machine.place);
    let id = match to {
        "sage" => file(first).display().to_string(),
        _ => format!("{to}:{}", first["id"].as_str().unwrap()),
    };
    let args = ["resume", &id, "--to", from, "--json", "--folder", "elsewhere"];
    let ran = machine.run(&args);
    assert_eq!(ran.code, 0, "{at}: {}", ran.err);
    machine.shows(from, &json(&ran), &["Paint the", "quinces"], at);
    let now = stores(&machine.place);
    for (path, bytes) in before {
        assert!(is_kept(&path, &bytes, &now), "{at}: back: {}", path.display());
    }
}
