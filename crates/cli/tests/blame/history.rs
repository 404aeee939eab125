//! Histories of one file: sessions, people and commands write it, and a commit follows each.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::{self, Place, put};

/// A project with a file whose history sessions, people and commands write.
pub(crate) struct History {
    pub(crate) place: Place,
    /// The number of sessions, commits and files so far.
    sessions: usize,
    minute: usize,
    commits: BTreeMap<String, String>,
}

/// A step of a session.
pub(crate) enum Step<'t> {
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

pub(crate) const FILE: &str = "src/tide.rs";

impl History {
    pub(crate) fn new() -> Self {
        let place = Place::new();
        std::fs::create_dir_all(place.path().join("tides/src")).unwrap();
        let history = Self { place, sessions: 0, minute: 0, commits: BTreeMap::new() };
        history.git(&["init", "-q", "-b", "main"]);
        history
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.place.path().canonicalize().unwrap().join("tides")
    }

    fn file(&self) -> PathBuf {
        self.folder().join(FILE)
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap_or_default()
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
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
    pub(crate) fn person(&mut self, text: &str) {
        put(&self.file(), text);
        self.commit("");
    }

    /// A session makes these steps, and a commit follows it. Returns its uid.
    pub(crate) fn session(&mut self, prompt: &str, steps: &[Step<'_>]) -> String {
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

    pub(crate) fn run(&self, args: &[&str]) -> common::Ran {
        let mut command = self.place.command(args);
        let path = std::env::var_os("PATH").unwrap();
        command.current_dir(self.folder()).env("PATH", path).env("TZ", "UTC");
        common::ran(command.output().unwrap())
    }

    /// The lines of the file: text, session, origin, and the commit that carried each.
    pub(crate) fn lines(&self) -> Vec<(String, String, String, String)> {
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
    pub(crate) fn agrees(&self) -> Vec<(String, String)> {
        let lines = self.lines();
        let ours: Vec<_> = lines.iter().map(|line| (line.0.clone(), line.1.clone())).collect();
        assert_eq!(ours, self.by_git());
        for (line, (text, _)) in lines.iter().zip(self.by_git()) {
            assert_eq!(self.commits[&line.3], line.1, "the commit beside `{text}`");
        }
        lines.into_iter().map(|line| (line.0, line.2)).collect()
    }
}
