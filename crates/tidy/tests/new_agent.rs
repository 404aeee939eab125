//! The command that makes the folder of a new agent: what it writes keeps the conventions. With
//! `CI_DEEP=1` it is also compiled, and read under every law of the formats.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use verbatim_tidy::{EXCEPTIONS, Tree, check_all, without_exceptions};

/// The files that the command changes.
const CHANGED: [&str; 2] = ["crates/formats/src/registry.rs", "crates/formats/src/agents/mod.rs"];

/// A folder that is removed with its value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = env::temp_dir().join(format!("verbatim-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn copy(&self, path: &str) {
        let to = self.0.join(path);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(samples::workspace().join(path), to).expect("a copy");
    }

    fn make(&self, name: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_new-agent"));
        command.arg(name).current_dir(&self.0).output().expect("the command runs")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The texts of all files of a folder, by their paths.
fn texts(root: &Path) -> BTreeMap<String, String> {
    let tree = Tree::read(root).expect("a readable folder");
    tree.files.into_iter().map(|file| (file.path, file.text)).collect()
}

#[test]
fn a_new_agent_keeps_the_conventions() {
    let folder = Folder::new("new-agent");
    CHANGED.iter().for_each(|path| folder.copy(path));
    let ran = folder.make("Quill");
    assert!(ran.status.success(), "{ran:?}");
    let made = texts(&folder.0);
    let home = "crates/formats/src/agents/quill/";
    let names: Vec<&str> = made.keys().filter_map(|path| path.strip_prefix(home)).collect();
    let sample = "first/.quill/sessions/6e0c2f0a-4f5b-4d0e-9d5c-0c1d2e3f4a5b.jsonl";
    let sample = format!("samples/{sample}");
    let wanted = ["FORMAT.md", "locate.rs", "map.rs", "mod.rs", &sample, "samples/unmapped.txt"];
    assert_eq!(names[..6], wanted);
    assert_eq!(names[6..], ["tests.rs", "tools.rs"]);
    assert!(made[CHANGED[1]].ends_with("pub(crate) mod quill;\n"));
    for line in ["use crate::agents::quill::Quill;", "&Quill, &Codex", "agents/quill/samples"] {
        assert!(made[CHANGED[0]].contains(line), "no {line:?} in the registry");
    }
    for (path, text) in &made {
        let left = ["FOLDER", "TYPE", "NAME_"].iter().find(|name| text.contains(**name));
        assert!(!path.starts_with(home) || left.is_none(), "{path} has a {left:?}");
    }

    let mut all = texts(&samples::workspace());
    all.extend(made);
    let files: Vec<(&str, &str)> = all.iter().map(|(path, text)| (&**path, &**text)).collect();
    let findings = without_exceptions(check_all(&Tree::of(&files)), &all[EXCEPTIONS]);
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{}", lines.join("\n"));
}

#[test]
fn what_is_there_is_not_written_over() {
    let folder = Folder::new("same-agent");
    CHANGED.iter().for_each(|path| folder.copy(path));
    for name in ["quill", "Quill Two", ""] {
        assert!(!folder.make(name).status.success(), "{name:?} is no name of a type");
    }
    assert!(folder.make("Quill").status.success());
    let before = texts(&folder.0);
    let ran = folder.make("Quill");
    assert!(!ran.status.success() && String::from_utf8_lossy(&ran.stderr).contains("exists"));
    assert!(texts(&folder.0) == before, "changed files");
}

/// The commands that the command names, in a copy of the workspace.
#[test]
fn a_new_agent_is_read_under_every_law() {
    if env::var_os("CI_DEEP").is_none_or(|deep| deep != "1") {
        let _ = writeln!(std::io::stderr(), "skipped: CI_DEEP=1 compiles the new agent");
        return;
    }
    let folder = Folder::new("deep-agent");
    texts(&samples::workspace()).keys().for_each(|path| folder.copy(path));
    assert!(folder.make("Quill").status.success());
    let target = samples::workspace().join("target");
    let run = |args: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(args).current_dir(&folder.0).env("CARGO_TARGET_DIR", &target);
        cargo.env("UPDATE", "1").env_remove("VERBATIM_REQUIRE_CORPUS");
        let ran = cargo.output().expect("cargo");
        assert!(ran.status.success(), "{args:?}\n{}", String::from_utf8_lossy(&ran.stderr));
    };
    run(&["fmt", "--all"]);
    run(&["test", "--package", "verbatim-formats", "--test", "docs", "--test", "goldens"]);
    run(&["test", "--package", "verbatim-formats", "--lib", "--test", "laws", "quill"]);
    // The schema of stead names the agents: the new one is added by hand.
    let named = ["--", "--skip", "stead_documents_hold_their_sessions"];
    run(&[&["test", "--package", "verbatim-formats", "--test", "laws"], &named[..]].concat());
}
