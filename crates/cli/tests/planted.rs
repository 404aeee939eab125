//! Made secrets of many kinds in many wrappings, in sessions of each agent: what is redacted, in
//! every form and converted to every agent, is decoded fully by a program that shares nothing with
//! this one (`planted/judge.py`), which finds none of them.
#![allow(clippy::unwrap_used)]

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

fn python() -> Option<Command> {
    let works = Command::new("python3").arg("--version").output();
    if works.is_ok_and(|output| output.status.success()) {
        return Some(Command::new("python3"));
    }
    let _ = std::io::stderr().write_all(b"skipped: the planted secrets need python3\n");
    None
}

/// Runs the judge, and returns its exit code and what it says.
fn judged(arguments: &[&str]) -> Option<(Option<i32>, String)> {
    judged_by("judge.py", arguments)
}

fn judged_by(judge: &str, arguments: &[&str]) -> Option<(Option<i32>, String)> {
    let mut python = python()?;
    let place = tempfile::tempdir().unwrap();
    let judge = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/planted").join(judge);
    let ran = python
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(judge)
        .arg(env!("CARGO_BIN_EXE_verbatim"))
        .arg(place.path())
        .args(arguments)
        .output()
        .unwrap();
    let told = [ran.stdout, ran.stderr].concat();
    Some((ran.status.code(), String::from_utf8_lossy(&told).into_owned()))
}

/// Some kinds in some wrappings, of two agents; all of them, of all agents, with `CI_DEEP=1`.
#[test]
fn no_planted_secret_is_left() {
    let deep = std::env::var_os("CI_DEEP").is_some();
    let arguments: &[&str] =
        if deep { &["--all"] } else { &["--every", "1009", "--agents", "claude-code,codex"] };
    let Some((code, told)) = judged(arguments) else { return };
    assert_eq!(code, Some(0), "{told}");
}

/// The same in the wrappings of programs, tools and files of settings.
#[test]
fn no_planted_secret_is_left_as_programs_write_it() {
    let deep = std::env::var_os("CI_DEEP").is_some();
    let arguments: &[&str] = if deep {
        &["--spelt", "--every", "5", "--first", "--agents", "claude-code,codex"]
    } else {
        &["--spelt", "--every", "211", "--first", "--agents", "claude-code"]
    };
    let Some((code, told)) = judged(arguments) else { return };
    assert_eq!(code, Some(0), "{told}");
}

/// Random documents with secrets: each keeps its shape and its numbers, and no secret is left. Some
/// hundreds; a hundred thousand with `CI_DEEP=1`.
#[test]
fn random_documents_keep_their_shape_and_no_secret() {
    let deep = std::env::var_os("CI_DEEP").is_some();
    let Some((code, told)) = judged_by("documents.py", &[if deep { "100000" } else { "400" }])
    else {
        return;
    };
    assert_eq!(code, Some(0), "{told}");
}

/// The judge sees what is not redacted.
#[test]
fn the_judge_sees_what_is_left() {
    let arguments = ["--every", "1009", "--agents", "claude-code", "--unredacted"];
    let Some((code, told)) = judged(&arguments) else { return };
    assert_eq!(code, Some(1), "{told}");
    let planted = told.lines().filter_map(|line| line.trim().strip_suffix(" left"));
    let all: Vec<&str> = planted.filter_map(|line| line.strip_prefix("redacted: ")).collect();
    assert!(!all.is_empty() && all.iter().all(|count| *count != "0"), "{told}");
}
