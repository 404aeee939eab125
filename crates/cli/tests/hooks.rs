//! The entries for hooks and jobs in `docs/scan.md`, run as they are printed there.
#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use common::{Place, put};

/// The code blocks of a language in the page.
fn blocks(language: &str) -> Vec<String> {
    let page = fs::read_to_string(samples::workspace().join("docs/scan.md")).unwrap();
    let open = format!("```{language}\n");
    let parts = page.split(&*open).skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

/// The value of a name in a block of YAML.
fn value(block: &str, name: &str) -> String {
    let lines = block.lines().map(|line| line.trim().trim_start_matches("- "));
    let mut values = lines.filter_map(|line| line.strip_prefix(&*format!("{name}: ")));
    values.next().unwrap().to_owned()
}

/// A program in a repository, with verbatim in its path.
fn run(place: &Place, program: &str, args: &[&str]) -> Option<Output> {
    let binary = Path::new(env!("CARGO_BIN_EXE_verbatim")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(program);
    command.args(args).current_dir(place.path()).env("PATH", path);
    command.env("HOME", place.path().join("home")).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.output().ok()
}

fn git(place: &Place, args: &[&str]) -> bool {
    let name = ["-c", "user.name=ana", "-c", "user.email=ana@example.org"];
    run(place, "git", &[&name, args].concat()).is_some_and(|ran| ran.status.success())
}

/// A repository with a token in a file that is staged, and one that is clean.
fn repository() -> Option<Place> {
    let place = Place::new();
    fs::create_dir(place.path().join("home")).unwrap();
    if !git(&place, &["init", "-q"]) {
        return None;
    }
    put(&place.path().join(".gitignore"), "home\nscan.sarif\n");
    put(&place.path().join("src/a.rs"), "fn main() {}\n");
    let token = format!("gh{}_{}", 'p', "q7Wn2R".repeat(6));
    put(&place.path().join("docs/setup.md"), &format!("# Setup\n\nexport TOKEN={token}\n"));
    assert!(git(&place, &["add", "."]));
    Some(place)
}

/// Whether a commit is blocked, and passes once its findings are accepted.
fn blocks_until_accepted(place: &Place, check: impl Fn() -> bool) {
    assert!(!check(), "a token is staged");
    let accept = ["scan", "--staged", "--accept", "an example"];
    assert!(run(place, "verbatim", &accept).unwrap().status.success());
    assert!(check(), "it is accepted");
    put(&place.path().join("new.env"), &format!("T=gh{}_{}\n", 'p', "k9Lx4T".repeat(6)));
    assert!(git(place, &["add", "."]));
    assert!(!check(), "another token is staged");
}

#[test]
fn the_hook_of_git_blocks_a_commit() {
    let Some(place) = repository() else { return };
    let hook = place.path().join(".git/hooks/pre-commit");
    put(&hook, &blocks("sh")[0]);
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    blocks_until_accepted(&place, || git(&place, &["commit", "-q", "-m", "one"]));
}

#[test]
fn the_entry_for_pre_commit_blocks_a_commit() {
    let Some(place) = repository() else { return };
    let block = &blocks("yaml")[0];
    put(&place.path().join(".pre-commit-config.yaml"), block);
    assert!(git(&place, &["add", "."]));
    let there = run(&place, "pre-commit", &["--version"]).is_some();
    let entry = value(block, "entry");
    let check = || {
        let ran = match there {
            true => run(&place, "pre-commit", &["run"]),
            false => run(&place, "sh", &["-c", &entry]),
        };
        ran.unwrap().status.success()
    };
    blocks_until_accepted(&place, check);
}

#[test]
fn the_step_of_a_workflow_finds_the_same_in_each_run() {
    let Some(place) = repository() else { return };
    let step = value(&blocks("yaml")[1], "run");
    let run = || run(&place, "sh", &["-c", &step]).unwrap().status.code();
    let output = || fs::read_to_string(place.path().join("scan.sarif")).unwrap();
    assert_eq!(run(), Some(1));
    let first = output();
    assert_eq!((run(), output()), (Some(1), first.clone()));
    let sarif: serde_json::Value = serde_json::from_str(&first).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let place = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(results.len(), 1, "{first}");
    assert_eq!(place["artifactLocation"]["uri"], "docs/setup.md");
    assert_eq!(place["region"]["startLine"], 3);
}
