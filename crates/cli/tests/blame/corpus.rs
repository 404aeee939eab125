//! The files that real sessions of Claude Code wrote: each line has the session and the change that
//! `git blame` names, in a repository in which a commit follows each change.
//!
//! The changes are read and replayed here, by the words of the records alone.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{self, Place, put};

/// A session, with its successful changes of files.
struct Recorded {
    path: PathBuf,
    id: String,
    folders: BTreeSet<String>,
    first: String,
    last: String,
    changes: Vec<Recording>,
    /// The commands that may have removed files.
    removed: String,
}

/// A successful call that changed a file.
struct Recording {
    path: String,
    time: String,
    input: Value,
    /// The text before, if the result tells it.
    before: Option<String>,
}

/// The session that made a change, and the time of its call; empty if that is not recorded.
type Writer = (String, String);

/// The text of a file after a change, and who made it.
type State = (String, Writer);

/// A file whose whole history is known.
struct Known<'s> {
    path: &'s str,
    root: &'s str,
    sessions: Vec<&'s Recorded>,
    states: Vec<State>,
}

#[test]
fn files_of_real_sessions_agree_with_git() {
    let Some(corpus) = samples::corpus() else { return };
    let mut paths = Vec::new();
    below(&corpus.join("claude-code"), &mut paths);
    paths.sort();
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    let sessions: Vec<Recorded> = paths.iter().filter_map(|path| recorded(path)).collect();
    let mut files = known(&sessions, &mut left);
    let all = files.len();
    // Those of several sessions come first, and then those with the most changes.
    files.sort_by_key(|file| {
        (file.sessions.len() == 1, usize::MAX - file.states.len(), file.path.to_owned())
    });
    if std::env::var_os("CI_DEEP").is_none() {
        files.truncate(40);
    }
    files.sort_by_key(|file| file.path);
    let mut compared = Compared::default();
    for file in &files {
        compared.add(file);
    }
    let Compared { lines, written, undecided, wrong } = compared;
    let several = files.iter().filter(|file| file.sessions.len() > 1).count();
    let used: BTreeSet<&str> =
        files.iter().flat_map(|file| &file.sessions).map(|session| &*session.id).collect();
    let (count, used) = (files.len(), used.len());
    let states: usize = files.iter().map(|file| file.states.len()).sum();
    eprintln!(
        "{count} of {all} files, {several} of several sessions, {used} sessions, {states} states, \
         {lines} lines, {written} of them by sessions, {undecided} undecided; left out: {left:?}"
    );
    assert!(wrong.is_empty(), "{} lines differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(undecided <= 1, "{undecided} lines can't be decided");
    assert!(count >= 40 && several >= 10 && used >= 20, "too few files");
    assert!(states >= 400 && lines >= 30_000 && written >= 4_000, "too few lines");
}

/// The lines that were compared.
#[derive(Default)]
struct Compared {
    lines: usize,
    /// Those that `git blame` says a session wrote.
    written: usize,
    /// Those that differ, and of which the texts do not tell who is right.
    undecided: usize,
    wrong: Vec<String>,
}

impl Compared {
    fn add(&mut self, file: &Known<'_>) {
        let (ours, theirs) = answers(file);
        assert_eq!(ours.len(), theirs.len(), "{}", file.path);
        self.lines += theirs.len();
        self.written += theirs.iter().filter(|line| !line.0.is_empty()).count();
        let texts = file.states.last().unwrap().0.lines();
        for (at, ((text, own), git)) in texts.zip(&ours).zip(&theirs).enumerate() {
            if own == git {
                continue;
            }
            match may_be_kept(file, text, git) {
                true => self.undecided += 1,
                false => self.wrong.push(format!(
                    "{}:{}: {text:?}: {own:?}, but git: {git:?}",
                    file.path,
                    at + 1
                )),
            }
        }
    }
}

/// Whether the change that git names may have kept a line that git says it wrote: an empty one or
/// a brace, which the file had before that change too. A difference of whole files then chooses
/// another one of several equal lines than a difference of the replaced text alone.
fn may_be_kept(file: &Known<'_>, text: &str, (id, time): &Writer) -> bool {
    let is_it = |state: &State| *id == format!("claude-code:{}", state.1.0) && *time == state.1.1;
    let change = file.states.windows(2).find(|two| is_it(&two[1]));
    let had = |state: &State| state.0.lines().any(|line| line == text);
    !text.chars().any(char::is_alphanumeric) && change.is_some_and(|two| two.iter().all(had))
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, found);
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            found.push(path);
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Reads a file of records. `None` if it is not that of one session.
fn recorded(path: &Path) -> Option<Recorded> {
    let bytes = std::fs::read(path).unwrap();
    let whole = String::from_utf8_lossy(&bytes);
    let records: Vec<Value> =
        whole.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let all = |name: &str| -> BTreeSet<String> {
        records.iter().filter_map(|record| record[name].as_str().map(str::to_owned)).collect()
    };
    let (ids, times) = (all("sessionId"), all("timestamp"));
    // A result may be recorded before its call.
    let mut calls: HashMap<String, (String, Value)> = HashMap::new();
    let mut removed = String::new();
    for (record, part) in parts(&records).filter(|(_, part)| part["type"] == "tool_use") {
        let input = &part["input"];
        let command = input["command"].as_str().unwrap_or_default();
        if command.split(|c: char| !c.is_alphanumeric()).any(|word| word == "rm") {
            removed.push_str(command);
        }
        if ["Write", "Edit", "MultiEdit"].iter().any(|name| part["name"] == *name) {
            let call = (shortest(&text(&record["timestamp"])), input.clone());
            calls.insert(text(&part["id"]), call);
        }
    }
    let mut changes = Vec::new();
    for (record, part) in parts(&records).filter(|(_, part)| part["type"] == "tool_result") {
        let call = calls.remove(&text(&part["tool_use_id"]));
        if let Some((time, input)) = call.filter(|_| part["is_error"] != true) {
            let before = record["toolUseResult"]["originalFile"].as_str().map(str::to_owned);
            changes.push(Recording { path: text(&input["file_path"]), time, input, before });
        }
    }
    let [id] = ids.iter().collect::<Vec<_>>()[..] else { return None };
    let (first, last) = (times.first()?.clone(), times.last()?.clone());
    let (path, id, folders) = (path.to_owned(), id.clone(), all("cwd"));
    Some(Recorded { path, id, folders, first, last, changes, removed })
}

/// The parts of all messages, each with its record.
fn parts(records: &[Value]) -> impl Iterator<Item = (&Value, &Value)> {
    records.iter().flat_map(|record| {
        let parts = record["message"]["content"].as_array().into_iter().flatten();
        parts.map(move |part| (record, part))
    })
}

/// A time without the zeros at its end, which `verbatim` does not write.
fn shortest(time: &str) -> String {
    match time.strip_suffix('Z').filter(|time| time.contains('.')) {
        Some(time) => time.trim_end_matches('0').trim_end_matches('.').to_owned() + "Z",
        None => time.to_owned(),
    }
}

/// The files whose whole history is known. Counts the others by the reason.
fn known<'s>(sessions: &'s [Recorded], left: &mut BTreeMap<&'static str, usize>) -> Vec<Known<'s>> {
    let mut by_path: BTreeMap<&str, Vec<&Recorded>> = BTreeMap::new();
    for session in sessions {
        let paths: BTreeSet<&str> = session.changes.iter().map(|made| &*made.path).collect();
        for path in paths {
            by_path.entry(path).or_default().push(session);
        }
    }
    let copies = |id: &str| sessions.iter().filter(|session| session.id == id).count();
    let mut files = Vec::new();
    for (path, mut own) in by_path {
        own.sort_by_key(|session| &session.first);
        let roots = own.iter().flat_map(|session| &session.folders).filter(|root| {
            let rest = path.strip_prefix(&***root);
            rest.is_some_and(|rest| rest.starts_with('/')) && root.matches('/').count() > 1
        });
        let root = roots.min_by_key(|root| root.len());
        let why = match (root, replayed(path, &own)) {
            _ if own.iter().any(|session| copies(&session.id) > 1) => "its session has copies",
            _ if own.windows(2).any(|two| two[0].last >= two[1].first) => "sessions overlap",
            _ if own.iter().any(|session| session.removed.contains(last_part(path))) => {
                "a command may have removed it"
            }
            (None, _) => "it is outside of the project",
            (_, Err(why)) => why,
            (Some(root), Ok(states)) => {
                files.push(Known { path, root, sessions: own, states });
                continue;
            }
        };
        *left.entry(why).or_default() += 1;
    }
    files
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The texts of a file after each change, by plain replacement.
fn replayed(path: &str, sessions: &[&Recorded]) -> Result<Vec<State>, &'static str> {
    let nobody = || (String::new(), String::new());
    let mut states: Vec<State> = Vec::new();
    for session in sessions {
        for made in session.changes.iter().filter(|made| made.path == path) {
            // A text before that no change led to is the work of a person or a command.
            if let Some(before) = &made.before
                && states.last().is_none_or(|(text, _)| text != before)
            {
                states.push((before.clone(), nobody()));
            }
            let now = match made.input["content"].as_str() {
                Some(content) => content.to_owned(),
                None => {
                    let (before, _) = states.last().ok_or("its text before is not known")?;
                    replaced(before, &made.input).ok_or("an edit does not apply")?
                }
            };
            states.push((now, (session.id.clone(), made.time.clone())));
        }
    }
    Ok(states)
}

fn replaced(before: &str, input: &Value) -> Option<String> {
    let one = std::slice::from_ref(input);
    let edits = input["edits"].as_array().map_or(one, Vec::as_slice);
    edits.iter().try_fold(before.to_owned(), |now, edit| {
        let (old, new) = (edit["old_string"].as_str()?, edit["new_string"].as_str()?);
        let all = edit["replace_all"] == true;
        let count = if old.is_empty() { 0 } else { now.matches(old).count() };
        (count == 1 || all && count > 1).then(|| now.replace(old, new))
    })
}

/// The session and the time that `verbatim blame` names for each line, and those of `git blame`.
fn answers(file: &Known<'_>) -> (Vec<Writer>, Vec<Writer>) {
    let place = Place::new();
    let folder = place.path().canonicalize().unwrap().join("project");
    std::fs::create_dir_all(&folder).unwrap();
    let here = folder.to_str().unwrap();
    for session in &file.sessions {
        let bytes = std::fs::read(&session.path).unwrap();
        let copy = String::from_utf8_lossy(&bytes).replace(file.root, here);
        let name = format!("home/.claude/projects/-project/{}.jsonl", session.id);
        put(&place.path().join(name), &copy);
    }
    let name = &file.path[file.root.len() + 1..];
    let mut commits = String::new();
    for (text, (session, time)) in &file.states {
        let (text, who) = (text.replace(file.root, here), format!("{session} {time}"));
        write!(
            commits,
            "commit refs/heads/main\ncommitter Ana <ana@example.org> 1700000000 +0000\n\
             data {}\n{who}\nM 644 inline \"{name}\"\ndata {}\n{text}\n",
            who.len(),
            text.len(),
        )
        .unwrap();
        put(&folder.join(name), &text);
    }
    git(&folder, &["init", "-q", "-b", "main"], "");
    git(&folder, &["fast-import", "--quiet"], &commits);
    let theirs = git(&folder, &["blame", "--line-porcelain", "HEAD", "--", name], "");
    let theirs = theirs.lines().filter_map(|line| line.strip_prefix("summary"));
    let theirs = theirs.map(|line| line.trim().split_once(' ').unwrap_or_default());
    let theirs = theirs.map(|(id, time)| (format!("claude-code:{id}"), time.to_owned()));
    let theirs = theirs.map(|(id, time)| if time.is_empty() { <_>::default() } else { (id, time) });
    let mut command = place.command(&["blame", name, "--json"]);
    command.current_dir(&folder).env("PATH", std::env::var_os("PATH").unwrap());
    let ran = common::ran(command.output().unwrap());
    assert_eq!(ran.code, 0, "{}: {}", file.path, ran.err);
    let told: Value = serde_json::from_str(&ran.out).unwrap();
    let lines = told["lines"].as_array().unwrap().iter();
    let ours = lines.map(|line| (text(&line["session"]), text(&line["time"])));
    (ours.collect(), theirs.collect())
}

fn git(folder: &Path, args: &[&str], input: &str) -> String {
    let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
    let mut child = Command::new("git")
        .current_dir(folder)
        .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", nothing)])
        .args(["-c", "core.autocrlf=false"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
