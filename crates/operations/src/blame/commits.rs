//! The commits that carried the lines of a file, as `git blame` tells them.
//!
//! A repository may be anybody's: what it configures may start programs. So `git` never sees its
//! configuration, hooks, attributes and references. It runs in a folder of its own, which has
//! nothing but the path of the repository's objects, and reads one commit by its name.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use catalog::Machine;
use catalog::repository::{RepositoryHead, head};
use replay::unchanged;

/// The commits of a file's lines, or the reason why they are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineCommits {
    /// The file is in no repository with a commit.
    NoRepository,
    /// For each line, the commit that carried it; `None` if it is not committed.
    Known(Vec<Option<String>>),
    /// They can't be found: the reason.
    Unknown(String),
}

/// The commits of the lines of a file with this text.
#[must_use]
pub fn commits(file: &Path, text: &str, machine: &Machine) -> LineCommits {
    let Some(head) = file.parent().and_then(head) else { return LineCommits::NoRepository };
    let Ok(path) = file.strip_prefix(&head.tree) else { return LineCommits::NoRepository };
    match told(&head, path, machine) {
        Ok(Told::Lines(committed)) => LineCommits::Known(aligned(&committed, text)),
        Ok(Told::NoFile) => LineCommits::Known(vec![None; replay::lines(text).len()]),
        Err(error) => LineCommits::Unknown(error.to_string()),
    }
}

/// The answer of `git` about a path at a commit.
enum Told {
    /// Its lines, each with its commit.
    Lines(Vec<(String, String)>),
    /// The commit has no such file.
    NoFile,
}

fn told(head: &RepositoryHead, path: &Path, machine: &Machine) -> io::Result<Told> {
    let own = folder_of_its_own(head)?;
    let nothing = if cfg!(windows) { "NUL" } else { "/dev/null" };
    let mut command = Command::new("git");
    command.env_clear().current_dir(own.path()).stdin(Stdio::null());
    for name in ["PATH", "SYSTEMROOT", "TEMP", "TMP"] {
        if let Some(value) = machine.variables.get(name) {
            command.env(name, value);
        }
    }
    let environment = [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_SYSTEM", nothing),
        ("GIT_CONFIG_GLOBAL", nothing),
        ("GIT_ATTR_NOSYSTEM", "1"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("LC_ALL", "C"),
    ];
    command.envs(environment).env("HOME", own.path()).env("XDG_CONFIG_HOME", own.path());
    command.arg("--git-dir").arg(own.path());
    command.args(["--literal-pathspecs", "--no-pager", "blame", "--porcelain", &head.commit, "--"]);
    let output = command.arg(slashed(path)).output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::other("`git` is not on this machine"),
        _ => error,
    })?;
    if output.status.success() {
        return Ok(Told::Lines(parsed(&String::from_utf8_lossy(&output.stdout))));
    }
    let fault = String::from_utf8_lossy(&output.stderr);
    let first = fault.lines().next().unwrap_or_default();
    match first.contains("no such path") {
        true => Ok(Told::NoFile),
        false => Err(io::Error::other(format!("git: {first}"))),
    }
}

/// A path with `/` between its parts, as `git` names it.
fn slashed(path: &Path) -> PathBuf {
    match cfg!(windows) {
        true => PathBuf::from(path.to_string_lossy().replace('\\', "/")),
        false => path.to_path_buf(),
    }
}

/// A bare repository that has nothing but the objects of another one.
fn folder_of_its_own(head: &RepositoryHead) -> io::Result<tempfile::TempDir> {
    let folder = tempfile::Builder::new().prefix("verbatim-git-").tempdir()?;
    let path = folder.path();
    for part in ["objects/info", "refs"] {
        std::fs::create_dir_all(path.join(part))?;
    }
    let form = match head.commit.len() {
        64 => {
            "\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
        }
        _ => "\trepositoryformatversion = 0\n\tbare = true\n",
    };
    std::fs::write(path.join("config"), format!("[core]\n{form}"))?;
    std::fs::write(path.join("HEAD"), format!("{}\n", head.commit))?;
    let mut objects = head.objects.as_os_str().as_encoded_bytes().to_vec();
    if objects.contains(&b'\n') {
        return Err(io::Error::other("the path of the repository has a line break"));
    }
    objects.push(b'\n');
    std::fs::write(path.join("objects/info/alternates"), objects)?;
    if let Some(shallow) = &head.shallow {
        std::fs::write(path.join("shallow"), shallow)?;
    }
    Ok(folder)
}

/// The lines of `git blame --porcelain`: for each line the commit and the text.
fn parsed(porcelain: &str) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    let mut commit = "";
    for line in porcelain.split('\n') {
        if let Some(text) = line.strip_prefix('\t') {
            lines.push((commit.to_owned(), text.to_owned()));
            commit = "";
        } else if commit.is_empty() {
            commit = line.split(' ').next().unwrap_or_default();
        }
    }
    lines
}

/// The commits of the lines of a text that a commit has too.
fn aligned(committed: &[(String, String)], text: &str) -> Vec<Option<String>> {
    let before: String = committed.iter().flat_map(|(_, line)| [line, "\n"]).collect();
    let mut commits = vec![None; replay::lines(text).len()];
    for (from, to) in unchanged(&before, text) {
        if let (Some((commit, _)), Some(place)) = (committed.get(from), commits.get_mut(to)) {
            *place = Some(commit.clone());
        }
    }
    commits
}
