//! `verbatim blame` from end to end: histories of several sessions, each compared with what `git
//! blame` says of the same history in which a commit follows each session.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use common::{Place, put};
use serde_json::{Value, json};

/// A project with a file whose history sessions, people and commands write.
struct History {
    place: Place,
    /// The number of sessions, commits and files so far.
    sessions: usize,
    minute: usize,
    commits: BTreeMap<String, String>,
}

/// A step of a session.
enum Step<'t> {
    /// The whole file is read.
    Read,
    /// The whole file is written.
    Write(&'t str),
    /// A text is replaced, with what the file held before in the result.
    Edit(&'t str, &'t str),
    /// The same, and the result says nothing of the file.
    Blind(&'t str, &'t str),
    /// A command changes the file without a word of it.
    Shell(&'t str),
}

const FILE: &str = "src/tide.rs";

impl History {
    fn new() -> Self {
        let place = Place::new();
        std::fs::create_dir_all(place.path().join("tides/src")).unwrap();
        let history = Self { place, sessions: 0, minute: 0, commits: BTreeMap::new() };
        history.git(&["init", "-q", "-b", "main"]);
        history
    }

    fn folder(&self) -> PathBuf {
        self.place.path().canonicalize().unwrap().join("tides")
    }

    fn file(&self) -> PathBuf {
        self.folder().join(FILE)
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap_or_default()
    }

    fn git(&self, args: &[&str]) -> String {
        let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
        let output = Command::new("git")
            .current_dir(self.folder())
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", nothing)])
            .args(["-c", "user.name=Ana", "-c", "user.email=ana@example.org"])
            .args(["-c", "core.autocrlf=false", "-c", "commit.gpgsign=false"])
            .args(args)
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Commits the file as it is, as the work of somebody.
    fn commit(&mut self, who: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "--allow-empty-message", "-m", who]);
        let id = self.git(&["rev-parse", "HEAD"]).trim().to_owned();
        self.commits.insert(id, who.to_owned());
    }

    /// A person, or a command outside of all sessions, writes the file.
    fn person(&mut self, text: &str) {
        put(&self.file(), text);
        self.commit("");
    }

    /// A session makes these steps, and a commit follows it. Returns its uid.
    fn session(&mut self, prompt: &str, steps: &[Step<'_>]) -> String {
        self.sessions += 1;
        let id = format!("5f1e7f1e-2a0b-4a55-8f3e-{:012x}", self.sessions);
        let mut lines =
            vec![json!({"type": "user", "message": {"role": "user", "content": prompt}})];
        for (at, step) in steps.iter().enumerate() {
            let (name, input, result) = self.step(step);
            let call = format!("toolu_{:02}_{at:04}", self.sessions);
            lines.push(json!({"type": "assistant", "message": {
                "model": "claude-opus-4-5", "id": format!("msg_{call}"), "type": "message",
                "role": "assistant", "stop_reason": null,
                "usage": {"input_tokens": 10, "output_tokens": 5},
                "content": [{"type": "tool_use", "id": call, "name": name, "input": input}]}}));
            let mut answer = json!({"type": "user", "message": {"role": "user", "content": [
                {"tool_use_id": call, "type": "tool_result", "content": "Done."}]}});
            if let Some(result) = result {
                answer["toolUseResult"] = result;
            }
            lines.push(answer);
        }
        let mut text = String::new();
        for (at, line) in lines.iter_mut().enumerate() {
            let minute = self.minute;
            self.minute += 1;
            let about = json!({
                "parentUuid": (at > 0).then(|| format!("{id}-{}", at - 1)), "isSidechain": false,
                "userType": "external", "cwd": self.folder(), "sessionId": id,
                "version": "2.1.34", "gitBranch": "main", "uuid": format!("{id}-{at}"),
                "timestamp": format!("2026-03-{:02}T{:02}:{:02}:00.000Z", 1 + minute / 1440,
                    minute / 60 % 24, minute % 60)});
            for (name, value) in about.as_object().unwrap() {
                line[name] = value.clone();
            }
            text.push_str(&format!("{line}\n"));
        }
        let project = self.place.path().join("home/.claude/projects/-tides");
        put(&project.join(format!("{id}.jsonl")), &text);
        let uid = format!("claude-code:{id}");
        self.commit(&uid);
        uid
    }

    /// Makes a step on disk. Returns the tool, its arguments, and the result in detail.
    fn step(&self, step: &Step<'_>) -> (&'static str, Value, Option<Value>) {
        let (file, before) = (self.file(), self.text());
        let exists = file.exists();
        let path = file.to_str().unwrap();
        match step {
            Step::Read => {
                let count = before.lines().count();
                let shown = json!({"type": "text", "file": {"filePath": path, "content": before,
                    "numLines": count, "startLine": 1, "totalLines": count}});
                ("Read", json!({"file_path": path}), Some(shown))
            }
            Step::Write(text) => {
                put(&file, text);
                let told = match exists {
                    false => json!({"type": "create", "filePath": path, "content": text,
                        "structuredPatch": [], "originalFile": null}),
                    true => json!({"type": "update", "filePath": path, "content": text,
                        "structuredPatch": [], "originalFile": before}),
                };
                ("Write", json!({"file_path": path, "content": text}), Some(told))
            }
            Step::Edit(old, new) | Step::Blind(old, new) => {
                assert_eq!(before.matches(old).count(), 1, "{old}");
                put(&file, &before.replacen(old, new, 1));
                let input = json!({"file_path": path, "old_string": old, "new_string": new});
                let told = json!({"filePath": path, "oldString": old, "newString": new,
                    "originalFile": before, "userModified": false, "replaceAll": false});
                ("Edit", input, matches!(step, Step::Edit(..)).then_some(told))
            }
            Step::Shell(text) => {
                put(&file, text);
                let told = json!({"stdout": "", "stderr": "", "interrupted": false});
                ("Bash", json!({"command": format!("sed -i s/low/ebb/ {FILE}")}), Some(told))
            }
        }
    }

    fn run(&self, args: &[&str]) -> common::Ran {
        let mut command = self.place.command(args);
        let path = std::env::var_os("PATH").unwrap();
        command.current_dir(self.folder()).env("PATH", path).env("TZ", "UTC");
        common::ran(command.output().unwrap())
    }

    /// The lines of the file: text, session, origin, and the commit that carried each.
    fn lines(&self) -> Vec<(String, String, String, String)> {
        let ran = self.run(&["blame", FILE, "--json"]);
        assert_eq!((ran.code, &*ran.err), (0, ""), "{}", ran.out);
        let told: Value = serde_json::from_str(&ran.out).unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let lines = told["lines"].as_array().unwrap().iter().map(|line| {
            let [text, session, origin, commit] =
                ["text", "session", "origin", "commit"].map(|name| text(&line[name]));
            (text, session, origin, commit)
        });
        lines.collect()
    }

    /// The sessions of the lines, by `git blame` of the commits.
    fn by_git(&self) -> Vec<(String, String)> {
        let text = self.git(&["blame", "--porcelain", "HEAD", "--", FILE]);
        let (mut lines, mut id) = (Vec::new(), None);
        for line in text.lines() {
            match (line.strip_prefix('\t'), &id) {
                (Some(text), Some(commit)) => {
                    lines.push((text.to_owned(), self.commits[commit].clone()));
                    id = None;
                }
                (None, None) => id = line.split(' ').next().map(str::to_owned),
                _ => {}
            }
        }
        lines
    }

    /// Compares with `git blame`, and returns the origins of the lines.
    fn agrees(&self) -> Vec<(String, String)> {
        let lines = self.lines();
        let ours: Vec<_> = lines.iter().map(|line| (line.0.clone(), line.1.clone())).collect();
        assert_eq!(ours, self.by_git());
        for (line, (text, _)) in lines.iter().zip(self.by_git()) {
            assert_eq!(self.commits[&line.3], line.1, "the commit beside `{text}`");
        }
        lines.into_iter().map(|line| (line.0, line.2)).collect()
    }
}

const TIDE: &str = "fn low() {\n    ebb();\n}\n\nfn high() {\n    flood();\n}\n";

#[test]
fn equal_lines_are_told_apart() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    let second = history.session(
        "Add the spring tide",
        &[Step::Edit("fn high() {", "fn spring() {\n    flood();\n}\n\nfn high() {")],
    );
    history.agrees();
    let lines = history.lines();
    let own: Vec<&str> =
        lines.iter().filter(|line| line.1 == second).map(|line| &*line.0).collect();
    assert_eq!(own, ["fn spring() {", "    flood();", "}", ""]);
}

#[test]
fn a_moved_block_is_the_work_of_who_moved_it() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    let moved = "fn high() {\n    flood();\n}\n\nfn low() {\n    ebb();\n}\n";
    history.session("Put the high tide first", &[Step::Read, Step::Write(moved)]);
    history.agrees();
}

#[test]
fn a_line_belongs_to_the_last_session_that_wrote_it_even_if_it_writes_what_was_there() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    history.session("Rename", &[Step::Edit("    ebb();", "    fall();")]);
    let back = history.session("Take that back", &[Step::Edit("    fall();", "    ebb();")]);
    history.agrees();
    assert_eq!(history.lines()[1].1, back);
    // A revert outside of all sessions is nobody's work, though the text is that of a session.
    history.session("Rename again", &[Step::Edit("    ebb();", "    fall();")]);
    history.person(TIDE);
    let lines = history.agrees();
    assert_eq!(lines[1], ("    ebb();".to_owned(), "outside".to_owned()));
}

#[test]
fn what_a_person_changed_between_two_sessions_is_no_sessions_work() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    history.person(&TIDE.replace("ebb();\n", "ebb();\n    // Twice a day.\n    rest();\n"));
    history.session("Name the flood", &[Step::Edit("    flood();", "    flood(\"spring\");")]);
    let lines = history.agrees();
    assert_eq!(lines[2].1, "outside");
}

#[test]
fn what_a_command_changed_is_outside_of_the_recorded_edits() {
    let mut history = History::new();
    let ebb = TIDE.replace("fn low", "fn ebb");
    history.session("Write the tides", &[Step::Write(TIDE), Step::Shell(&ebb)]);
    let lines = history.lines();
    assert_eq!((&*lines[0].1, &*lines[0].2), ("", "outside"));
    assert!(lines[1..].iter().all(|line| line.2 == "session"), "{lines:?}");
    let text = history.run(&["blame", FILE]).out;
    assert!(text.contains("(changed outside recorded edits "), "{text}");
    assert!(text.lines().next().unwrap().starts_with("00000000 "), "{text}");
}

#[test]
fn a_file_that_no_session_wrote_is_not_by_an_agent_here() {
    let mut history = History::new();
    history.person(TIDE);
    let lines = history.agrees();
    assert!(lines.iter().all(|line| line.1 == "nobody"), "{lines:?}");
    // The first session that reads it wrote only what it changed.
    history.session("Name", &[Step::Read, Step::Edit("    ebb();", "    fall();")]);
    let lines = history.agrees();
    let nobody = lines.iter().filter(|line| line.1 == "nobody").count();
    assert_eq!((nobody, lines.len()), (6, 7));
    let text = history.run(&["blame", FILE, "--no-commits"]).out;
    assert!(text.contains("(not by an agent here "), "{text}");
}

/// The session does not tell what the file held. The file as it is now does.
#[test]
fn an_edit_that_tells_nothing_of_the_file_is_placed_by_the_file_as_it_is() {
    let mut history = History::new();
    history.person(TIDE);
    history.session(
        "Name",
        &[
            Step::Blind("    ebb();", "    fall();\n    rest();"),
            Step::Blind("fn high() {", "fn flood_tide() {"),
        ],
    );
    history.session("Again", &[Step::Blind("    rest();", "    wait();")]);
    history.agrees();
    let owned = history.lines().iter().filter(|line| line.2 == "session").count();
    assert_eq!(owned, 3);
}

#[test]
fn the_porcelain_form_is_that_of_git() {
    let mut history = History::new();
    history.person(TIDE);
    let uid = history.session("Name\nthe tide", &[Step::Edit("    ebb();", "    fall();")]);
    let text = history.run(&["blame", FILE, "--porcelain"]).out;
    let mut lines = text.lines();
    let (mut texts, mut facts) = (Vec::new(), BTreeMap::new());
    while let Some(head) = lines.next() {
        let words: Vec<&str> = head.split(' ').collect();
        assert!(words[0].len() == 40 && words[0].bytes().all(|b| b.is_ascii_hexdigit()), "{head}");
        assert_eq!(words[1..3], [(texts.len() + 1).to_string(), (texts.len() + 1).to_string()]);
        for line in lines.by_ref() {
            if let Some(text) = line.strip_prefix('\t') {
                texts.push((words[0].to_owned(), text.to_owned()));
                break;
            }
            let (name, value) = line.split_once(' ').unwrap();
            facts.insert((words[0].to_owned(), name.to_owned()), value.to_owned());
        }
    }
    let own: Vec<&str> = texts.iter().map(|(_, text)| &**text).collect();
    assert_eq!(own, history.text().lines().collect::<Vec<_>>());
    let zeros = "0".repeat(40);
    let written: Vec<&String> = texts.iter().map(|(id, _)| id).filter(|id| **id != zeros).collect();
    assert_eq!(written.len(), 1);
    let fact = |id: &str, name: &str| facts[&(id.to_owned(), name.to_owned())].clone();
    assert_eq!(fact(written[0], "author"), "claude-code claude-opus-4-5");
    assert_eq!(fact(written[0], "author-mail"), format!("<{uid}>"));
    assert_eq!(fact(written[0], "summary"), "Name the tide");
    assert_eq!(fact(written[0], "filename"), FILE);
    assert_eq!(fact(&zeros, "author"), "not by an agent here");
}

#[test]
fn some_lines_can_be_asked_for() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    let ran = history.run(&["blame", &format!("{FILE}:2-3"), "--no-commits"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ran.out);
    let form = " (claude-code:5f1e7f1e turn 1 claude-opus-4-5 2026-03-01 00:01:00 +0000 2) ";
    assert_eq!(&lines[0][8..], format!("{form}    ebb();"));
    for wrong in ["0", "8", "3-2", "2-8"] {
        let ran = history.run(&["blame", &format!("{FILE}:{wrong}")]);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{}", ran.err);
        assert!(ran.err.contains("it has 7 lines"), "{}", ran.err);
    }
    assert_eq!(history.run(&["blame", "src/none.rs"]).code, 3);
}

/// What a repository configures may start programs.
#[cfg(unix)]
#[test]
fn nothing_that_a_repository_configures_is_obeyed() {
    let mut history = History::new();
    history.session("Write the tides", &[Step::Write(TIDE)]);
    let mark = history.folder().join("obeyed");
    let touch = format!("touch {}", mark.display());
    put(&history.folder().join(".gitattributes"), "* filter=own diff=own\n");
    let names = ["filter.own.clean", "filter.own.smudge", "diff.own.textconv", "core.fsmonitor"];
    for name in names.into_iter().chain(["core.pager", "diff.external", "core.sshCommand"]) {
        history.git(&["config", name, &touch]);
    }
    let lines = history.lines();
    assert!(lines.iter().all(|line| line.3.len() == 40), "{lines:?}");
    assert!(!mark.exists());
}

/// Random histories: in each a few sessions, persons and commands change lines that are alike.
#[test]
fn random_histories_agree_with_git() {
    let mut state = 11u64;
    let mut next = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
        (state >> 33) as usize % limit.max(1)
    };
    for round in 0..6 {
        let mut history = History::new();
        let mut count = 0;
        let first: String = (0..12).map(|at| format!("line {round} {at}\n")).collect();
        history.session("Begin", &[Step::Write(&first)]);
        for _ in 0..8 {
            let text = history.text();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let at = next(lines.len());
            let gone = next(3).min(lines.len() - at);
            let new = (0..1 + next(3)).map(|_| {
                count += 1;
                format!("new {count}")
            });
            lines.splice(at..at + gone, new);
            let after = lines.join("\n") + "\n";
            match next(4) {
                0 => history.person(&after),
                1 => _ = history.session("Write", &[Step::Write(&after)]),
                2 => _ = history.session("Read", &[Step::Read, Step::Write(&after)]),
                _ => {
                    let old = lines_of(&text, at, gone.max(1));
                    let new = format!("{}changed {count}\n", old);
                    _ = history.session("Edit", &[Step::Edit(&old, &new)]);
                }
            }
        }
        history.agrees();
    }
}

fn lines_of(text: &str, at: usize, count: usize) -> String {
    text.split_inclusive('\n').skip(at).take(count).collect()
}

/// Sessions that never name the file are not read: one that can't be read does no harm.
#[test]
fn a_session_that_does_not_name_the_file_is_not_replayed() {
    let mut history = History::new();
    let uid = history.session("Write the tides", &[Step::Write(TIDE)]);
    let project = history.place.path().join("home/.claude/projects/-tides");
    let own = project.join(format!("{}.jsonl", uid.split_once(':').unwrap().1));
    let other =
        std::fs::read_to_string(&own).unwrap().replace("tide.rs", "moon.rs") + "{\"broken\n";
    put(&project.join("6f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22.jsonl"), &other);
    // The file that it names is not this one, and its unreadable record is not spoken of.
    let lines = history.lines();
    assert!(lines.iter().all(|line| line.1 == uid), "{lines:?}");
}
