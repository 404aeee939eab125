//! Paths of the real session files and the test vectors, which are outside the repository.
//!
//! A dev-dependency only: `samples.workspace = true` under `[dev-dependencies]`, then
//!
//! ```no_run
//! # fn test() {
//! # use verbatim_samples as samples;
//! // at the head of a test that needs real files
//! let Some(corpus) = samples::corpus() else { return };
//! let codex = corpus.join("codex");
//! # }
//! ```
//!
//! The files are searched in `$VERBATIM_SHARED`, otherwise in the folder `shared` beside the
//! workspace. If they are absent, the test prints `skipped: needs the corpus` and returns. With
//! `VERBATIM_REQUIRE_CORPUS=1` it fails instead, so that a complete check can't pass by skipping.
//! `VERBATIM_SKIPPED` names a file that collects the tests that were skipped.
//! This crate knows no format and reads no session.
#![forbid(unsafe_code)]

mod dice;
mod growth;

pub use dice::{Dice, rounds};
pub use growth::assert_linear;

use std::ffi::OsString;
use std::io::Write;
use std::panic::Location;
use std::path::{Path, PathBuf};

/// The folder of real session files
/// (`shared/corpus`). If it is absent, a visible message says that the test is skipped, and `None`
/// is returned.
///
/// # Panics
/// If it is absent and `VERBATIM_REQUIRE_CORPUS=1`.
#[track_caller]
pub fn corpus() -> Option<PathBuf> {
    shared("corpus")
}

/// The folders of real session files of every agent that has a reader: [`corpus`], and of the
/// folders in `shared/corpus-next` those that are named after an agent's.
///
/// # Panics
/// If `shared/corpus` is absent and `VERBATIM_REQUIRE_CORPUS=1`.
#[track_caller]
pub fn corpora() -> Option<Vec<PathBuf>> {
    let corpus = corpus()?;
    let next = corpus.with_file_name("corpus-next");
    let agents = formats().into_iter().filter_map(|format| Some(next.join(format.file_name()?)));
    let more = agents.filter(|folder| folder.is_dir()).collect::<Vec<_>>();
    Some([corpus].into_iter().chain(more).collect())
}

/// One folder or file under `shared` by its relative path (`"vectors/JSONTestSuite"`,
/// `"vectors/vac-reference"`). If it is absent, the rule of [`corpus`] applies.
///
/// # Panics
/// If it is absent and `VERBATIM_REQUIRE_CORPUS=1`.
#[track_caller]
pub fn shared(path: &str) -> Option<PathBuf> {
    let root = shared_root(std::env::var_os("VERBATIM_SHARED"));
    let required = std::env::var_os("VERBATIM_REQUIRE_CORPUS").is_some_and(|v| v == "1");
    match find(&root, path, required) {
        Ok(found) => Some(found),
        Err(absent) if required => panic!("{absent}"),
        Err(absent) => {
            // The test runner captures `eprintln!` of a passing test, so nobody would see it.
            let _ = writeln!(std::io::stderr(), "{absent} ({})", Location::caller());
            note_skipped();
            None
        }
    }
}

/// The folders of all formats, in the order of their names.
///
/// # Panics
/// They can't be read.
pub fn formats() -> Vec<PathBuf> {
    let all = workspace().join("crates/formats/src");
    let mut found = Vec::new();
    for kind in ["agents", "documents"] {
        let entries = std::fs::read_dir(all.join(kind)).expect("the formats");
        let folders = entries.map(|entry| entry.expect("an entry").path());
        found.extend(folders.filter(|folder| folder.join("samples").is_dir()));
    }
    found.sort_by(|one, other| one.file_name().cmp(&other.file_name()));
    found
}

/// The folder of a format of this name (`claude-code`), with its tables and samples.
///
/// # Panics
/// There is no such format.
pub fn format(name: &str) -> PathBuf {
    let folder = name.replace('-', "_");
    let mut found = formats().into_iter();
    found.find(|path| path.ends_with(&folder)).expect("a format of this name")
}

/// A path in the folder of a format: `codex/samples/tools`.
///
/// # Panics
/// There is no such format.
pub fn of_format(path: &str) -> PathBuf {
    let (name, rest) = path.split_once('/').unwrap_or((path, ""));
    format(name).join(rest)
}

/// The workspace's root folder.
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

fn shared_root(named: Option<OsString>) -> PathBuf {
    match named {
        Some(dir) => PathBuf::from(dir),
        None => workspace().join("../shared"),
    }
}

/// Adds this test to the list that `VERBATIM_SKIPPED` names: a line with the folder of its crate,
/// the path of its program and its name, with tabs between them. A complete check runs these tests
/// again with the real files.
fn note_skipped() {
    let Some(list) = std::env::var_os("VERBATIM_SKIPPED") else { return };
    let crate_folder = std::env::var("CARGO_MANIFEST_DIR").expect("cargo runs the test");
    let program = std::env::current_exe().expect("a test has a program");
    // A test has a thread of its name, unless all of them run one after another in the main thread.
    let thread = std::thread::current();
    let test = thread.name().filter(|name| *name != "main").unwrap_or(EVERY_TEST);
    let line = format!("{crate_folder}\t{}\t{test}\n", program.display());
    let list = std::fs::OpenOptions::new().create(true).append(true).open(list);
    list.and_then(|mut list| list.write_all(line.as_bytes())).expect("the list can be written");
}

/// The mark in the list in the place of a test's name, if that is not known.
const EVERY_TEST: &str = "*";

fn find(root: &Path, path: &str, required: bool) -> Result<PathBuf, String> {
    let wanted = root.join(path);
    if wanted.exists() {
        return Ok(wanted);
    }
    let word = if required { "failed" } else { "skipped" };
    Err(format!(
        "{word}: needs the corpus: {} does not exist; set VERBATIM_SHARED to its folder",
        wanted.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_holds_this_crate() {
        assert!(workspace().join("crates/samples/Cargo.toml").is_file());
        assert!(workspace().join("Cargo.lock").is_file());
    }

    #[test]
    fn the_environment_comes_before_the_neighbour() {
        assert_eq!(shared_root(Some("/elsewhere".into())), Path::new("/elsewhere"));
        assert_eq!(shared_root(None), workspace().join("../shared"));
    }

    #[test]
    fn absence_is_said_and_presence_gives_the_path() {
        let root = workspace();
        assert_eq!(find(&root, "crates/samples", true), Ok(root.join("crates/samples")));
        let skipped = find(&root, "no-such-folder", false).unwrap_err();
        assert!(skipped.starts_with("skipped: needs the corpus"), "{skipped}");
        let failed = find(&root, "no-such-folder", true).unwrap_err();
        assert!(failed.starts_with("failed: needs the corpus"), "{failed}");
    }
}
