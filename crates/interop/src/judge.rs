//! Comparison of verbatim's output with the mock's answers and the files of the home.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{fs, io};

use serde_json::Value;

use crate::carry::matrix::Arrival;
use crate::mock::script;
use crate::mock::told::{Tokens, Told};
use crate::process::Process;
use crate::scenario::Scenario;

mod bytes;
mod receipts;

use bytes::Bytes;

/// Time limit of one command of verbatim.
const LIMIT: Duration = Duration::from_secs(60);

/// Agents whose results don't say whether a file that they wrote as a whole was new: the lines that
/// it had before are not known, and `attribution` says so.
const OVERWRITES: &[&str] = &["pi"];

/// Lines of files: the path relative to the work folder, and the line's number.
type Lines = BTreeSet<(String, u64)>;

/// Findings of one run.
#[derive(Default)]
pub(crate) struct Findings {
    /// Number of sessions that verbatim lists.
    pub sessions: usize,
    /// Number of answers that the mock gave, without those outside a script.
    pub told: usize,
    /// Number of answers whose token counts the agent saved.
    pub counted: usize,
    /// Number of changed lines, by `git diff`.
    pub lines: usize,
    /// Parts of the scenario that the agent did not do.
    pub undone: Vec<String>,
    /// Errors of verbatim.
    pub wrong: Vec<String>,
    /// Names that no table has.
    pub drift: Vec<String>,
    /// Observations that are not faults of verbatim.
    pub notes: Vec<String>,
    /// The results of the agents that resumed its session.
    pub arrivals: Vec<Arrival>,
    /// The entries of the agent's own list that were met.
    pub own: BTreeSet<usize>,
}

impl Findings {
    /// The agent worked, but verbatim lists no session that could be continued.
    pub(crate) fn nothing_found() -> Self {
        let wrong = vec!["no session is listed after the first turn".to_owned()];
        Self { wrong, ..Self::default() }
    }
}

/// A session of a list.
pub(crate) struct Listed {
    /// Its size in bytes.
    pub bytes: u64,
    /// Its id.
    pub id: String,
    /// Its first file.
    pub file: PathBuf,
    /// The innermost folder with all its files.
    pub folder: PathBuf,
}

/// `verbatim` in the home of an agent.
pub(crate) struct Verbatim {
    program: PathBuf,
    home: PathBuf,
    notes: PathBuf,
}

impl Verbatim {
    pub(crate) fn new(program: PathBuf, home: PathBuf, notes: PathBuf) -> Self {
        Self { program, home, notes }
    }

    /// A command's JSON output.
    fn run(&self, arguments: &[&str]) -> Result<Value, String> {
        let said = format!("verbatim {}", arguments.join(" "));
        let mut command = Command::new(&self.program);
        command.arg("--json").args(arguments).env_clear().env("HOME", &self.home);
        let name = format!("verbatim-{}", arguments.first().unwrap_or(&"none"));
        let process = Process::start(&mut command, "", &self.notes, &name)
            .map_err(|error| format!("{said}: {error}"))?;
        process.end(LIMIT);
        let text = fs::read(self.notes.join(format!("{name}.stdout"))).unwrap_or_default();
        serde_json::from_slice(&text).map_err(|_| {
            let told = fs::read_to_string(self.notes.join(format!("{name}.stderr")));
            let first = told.ok().and_then(|told| told.lines().next().map(str::to_owned));
            format!("{said} printed no JSON: {}", first.unwrap_or_default())
        })
    }

    /// The id of the newest session.
    pub(crate) fn newest(&self) -> Option<String> {
        self.run(&["list"]).ok()?["sessions"][0]["id"].as_str().map(str::to_owned)
    }

    /// A session of a folder, with all its events.
    pub(crate) fn show_in(&self, id: &str, folder: &Path) -> Option<Value> {
        self.run(&["show", "--all", id, "--in", &folder.to_string_lossy()]).ok()
    }

    /// A session in the form in which its agent imports it.
    pub(crate) fn exported(&self, id: &str, folder: &Path, agent: &str) -> Option<String> {
        let out = self.notes.join("exported");
        let arguments = ["convert", id, "--to", agent, "--in", &*folder.to_string_lossy(), "-o"];
        let mut command = Command::new(&self.program);
        command.args(arguments).arg(&out).env_clear().env("HOME", &self.home);
        Process::start(&mut command, "", &self.notes, "verbatim-convert").ok()?.end(LIMIT);
        let file = if out.is_dir() { fs::read_dir(&out).ok()?.next()?.ok()?.path() } else { out };
        fs::read_to_string(file).ok()
    }

    /// The sessions of an agent in a folder that have a prompt, and an id that names no other one.
    pub(crate) fn listed_in(&self, folder: &Path, agent: &str) -> Vec<Listed> {
        let list = self.run(&["list", &folder.to_string_lossy()]).unwrap_or_default();
        let own = array(&list["sessions"])
            .iter()
            .filter(|session| session["format"] == agent && session["prompt"].is_string());
        let listed = |session: &Value| {
            let file = PathBuf::from(session["files"][0].as_str()?);
            let id = session["id"].as_str()?.to_owned();
            let mut folder = file.parent()?.to_owned();
            for other in array(&session["files"]).iter().filter_map(Value::as_str) {
                while !Path::new(other).starts_with(&folder) && folder.pop() {}
            }
            Some(Listed { bytes: session["bytes"].as_u64()?, id, file, folder })
        };
        let mut listed: Vec<Listed> = own.filter_map(listed).collect();
        let ids: Vec<String> = listed.iter().map(|one| one.id.clone()).collect();
        let alike = |id: &str| ids.iter().filter(|other| other.starts_with(id)).count();
        listed.retain(|one| alike(&one.id) == 1);
        listed
    }

    /// Compares all of verbatim's output for the home with the mock's answers.
    pub(crate) fn judge(
        &self,
        agent: &str,
        scenario: &Scenario,
        told: &[Told],
        work: &Path,
    ) -> Findings {
        let answers = told.iter().filter(|told| told.part.is_some()).count();
        let mut findings = Findings { told: answers, ..Findings::default() };
        let uids = self.listed(agent, &mut findings);
        let sources = self.checked(&mut findings);
        self.texts(&uids, told, scenario, &mut findings);
        self.counted(&sources, told, &mut findings);
        self.attributed(agent, &uids, work, &mut findings);
        self.receipts(&uids, work, &mut findings);
        findings.undone = scenario.undone(told, findings.lines);
        findings
    }

    fn listed(&self, agent: &str, findings: &mut Findings) -> Vec<String> {
        let list = match self.run(&["list"]) {
            Ok(list) => list,
            Err(why) => {
                findings.wrong.push(why);
                return Vec::new();
            }
        };
        let mut uids = Vec::new();
        for session in array(&list["sessions"]) {
            let (uid, format) = (text(&session["uid"]), text(&session["format"]));
            if format != agent {
                findings.wrong.push(format!("{uid}: taken for a session of {format}"));
            }
            uids.push(uid.to_owned());
        }
        findings.sessions = uids.len();
        uids
    }

    /// Checks that nothing is lost, and lists drift. Returns the files that were read.
    fn checked(&self, findings: &mut Findings) -> Vec<PathBuf> {
        let check = match self.run(&["check"]) {
            Ok(check) => check,
            Err(why) => {
                findings.wrong.push(why);
                return Vec::new();
            }
        };
        for name in ["missing_leaves", "lost_places", "lost_bytes", "failures"] {
            if let number @ 1.. = check["summary"][name].as_u64().unwrap_or(u64::MAX) {
                findings.wrong.push(format!("check: {} {number}", name.replace('_', " ")));
            }
        }
        if let Some(damaged @ 1..) = check["summary"]["damaged"].as_u64() {
            findings.notes.push(format!("{damaged} records are damaged"));
        }
        for unknown in array(&check["unknown"]) {
            findings.drift.push(drift(unknown));
        }
        let files = |source: &Value| -> Vec<PathBuf> {
            array(&source["files"]).iter().map(|file| text(&file["path"]).into()).collect()
        };
        array(&check["sources"]).iter().flat_map(files).collect()
    }

    /// Checks that `show` has every text that the mock sent and that the home contains.
    fn texts(&self, uids: &[String], told: &[Told], scenario: &Scenario, findings: &mut Findings) {
        let mut shown = String::new();
        for uid in uids {
            match self.run(&["show", "--all", uid]) {
                Ok(show) => shown += &show.to_string(),
                Err(why) => findings.wrong.push(why),
            }
        }
        let home = Bytes::under(&self.home);
        let whole = |told: &&Told| told.part.is_some() && told.tokens != Tokens::default();
        for told in told.iter().filter(whole) {
            let word = told.word();
            if home.have(&word) && !shown.contains(&word) {
                let (script, step) = told.part.clone().unwrap_or_default();
                let answer = format!("the answer {step} of {script} ({word})");
                findings.wrong.push(format!("show: {answer} is in the home and in no session"));
            }
        }
        let prompts = scenario.turns.iter().filter_map(|turn| turn.prompt());
        for prompt in prompts.filter(|_| !uids.is_empty()) {
            if !shown.contains(prompt) {
                findings.wrong.push(format!("show: no session has the prompt \"{prompt}\""));
            }
        }
    }

    /// Checks that `usage` is the sum of the answers whose token counts the agent saved.
    fn counted(&self, sources: &[PathBuf], told: &[Told], findings: &mut Findings) {
        let files = Bytes::of(sources);
        let spent = |told: &&Told| told.tokens != Tokens::default();
        let (kept, left): (Vec<&Told>, Vec<&Told>) = told.iter().filter(spent).partition(|told| {
            files.have_number(told.tokens.fresh) || files.have_number(told.tokens.prompt())
        });
        findings.counted = kept.len();
        let left = left.iter().filter(|told| told.part.is_some()).count();
        if left > 0 {
            findings.notes.push(format!("the agent wrote down no numbers of {left} answers"));
        }
        let usage = match self.run(&["usage"]) {
            Ok(usage) => usage,
            Err(why) => return findings.wrong.push(why),
        };
        let all = &usage["all"];
        let sum = |of: fn(&Tokens) -> u64| kept.iter().map(|told| of(&told.tokens)).sum::<u64>();
        let pairs = [
            ("answers", &all["answers"], kept.len() as u64),
            ("input", &all["tokens"]["input"], sum(|t| t.fresh)),
            ("cache read", &all["tokens"]["cache_read"], sum(|t| t.cache_read)),
            ("cache write", &all["tokens"]["cache_write"], sum(|t| t.cache_write)),
            ("output", &all["tokens"]["output"], sum(|t| t.output)),
            ("reasoning", &all["tokens"]["reasoning"], sum(|t| t.reasoning)),
        ];
        for (name, counted, told) in pairs {
            let counted = counted.as_u64().unwrap_or(0);
            if counted != told {
                findings.wrong.push(format!("usage: {name} {counted}, the mock told {told}"));
            }
        }
    }

    /// Checks that one session has the lines that `git` sees changed. If `git` sees no change, no
    /// session may have any.
    fn attributed(&self, agent: &str, uids: &[String], work: &Path, findings: &mut Findings) {
        let mut changed = match changed(work) {
            Ok(changed) => changed,
            Err(error) => return findings.notes.push(format!("git: {error}")),
        };
        findings.lines = changed.len();
        // One session has all changed lines. After a fork, several sessions have a part each.
        let (mut told, mut all) = (Vec::new(), Lines::new());
        let mut unknown = BTreeSet::new();
        for uid in uids {
            match self.run(&["attribution", uid]) {
                Ok(attribution) => {
                    told.push(attributed(&attribution, work));
                    let paths = array(&attribution["unknown"]).iter().map(|it| text(&it["path"]));
                    unknown.extend(paths.map(str::to_owned));
                }
                Err(why) => return findings.wrong.push(why),
            }
            all.extend(told.last().into_iter().flatten().cloned());
        }
        told.push(all);
        changed.retain(|(path, _)| !(unknown.contains(path) && may_be_unknown(agent, path)));
        let off = |lines: &&Lines| lines.symmetric_difference(&changed).count();
        let Some(lines) = told.iter().min_by_key(off) else { return };
        let lines = if changed.is_empty() { told.last().unwrap_or(lines) } else { lines };
        let missing: Vec<_> = changed.difference(lines).collect();
        let more: Vec<_> = lines.difference(&changed).collect();
        for (what, lines) in [("misses", missing), ("has unchanged", more)] {
            if let Some((path, line)) = lines.first() {
                let number = lines.len();
                findings
                    .wrong
                    .push(format!("attribution {what} {number} lines, the first {path}:{line}"));
            }
        }
    }
}

/// Whether the lines of a file may be unknown: only of a file that a script writes as a whole, and
/// only for an agent that does not say what was there before. An edit is known in any case.
fn may_be_unknown(agent: &str, path: &str) -> bool {
    OVERWRITES.contains(&agent) && script::written().any(|written| written == path)
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], |list| &list[..])
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// One line about a name that `check` does not know.
fn drift(unknown: &Value) -> String {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let parts: Vec<String> = unknown.as_object().map_or_else(Vec::new, |object| {
        object
            .iter()
            .filter(|(_, value)| !value.is_object() && !value.is_array())
            .map(|(_, value)| shown(value))
            .collect()
    });
    if parts.is_empty() { shown(unknown) } else { parts.join(" ") }
}

fn attributed(attribution: &Value, work: &Path) -> Lines {
    let mut lines = Lines::new();
    for file in array(&attribution["files"]) {
        let path = Path::new(text(&file["path"]));
        let path = path.strip_prefix(work).unwrap_or(path).to_string_lossy().into_owned();
        for range in array(&file["ranges"]) {
            let number = |name: &str| range[name].as_u64().unwrap_or(0);
            for line in number("start_line")..=number("end_line") {
                lines.insert((path.clone(), line));
            }
        }
    }
    lines
}

/// Runs `git`.
pub(crate) fn git(work: &Path, arguments: &[&str]) -> io::Result<String> {
    let done = Command::new("git").args(arguments).current_dir(work).output()?;
    if !done.status.success() {
        let why = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(io::Error::other(format!("git {}: {why}", arguments.join(" "))));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// The lines that were added or changed since the work folder was committed.
fn changed(work: &Path) -> io::Result<Lines> {
    git(work, &["add", "-A"])?;
    let diff = git(work, &["diff", "--cached", "-U0", "--no-color", "--no-ext-diff"])?;
    let mut lines = Lines::new();
    let mut path = String::new();
    for line in diff.lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            name.clone_into(&mut path);
        } else if let Some(hunk) = line.strip_prefix("@@ ") {
            let added = hunk.split(' ').find_map(|part| part.strip_prefix('+')).unwrap_or("0,0");
            let (from, count) = added.split_once(',').unwrap_or((added, "1"));
            let from: u64 = from.parse().unwrap_or(0);
            let count: u64 = count.parse().unwrap_or(0);
            lines.extend((from..from + count).map(|line| (path.clone(), line)));
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_of_a_file_that_was_written_as_a_whole_may_be_unknown() {
        assert!(may_be_unknown("pi", "notes/todo.txt"));
        assert!(!may_be_unknown("pi", "prices.txt"), "an edited file");
        assert!(!may_be_unknown("pi", "notes/other.txt"), "a file of no script");
        assert!(!may_be_unknown("codex", "notes/todo.txt"), "an agent that says what was there");
    }
}
