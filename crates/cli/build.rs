//! Tells the program which commit it is built from, for `verbatim --version`.

#[path = "build/source.rs"]
mod source;

use std::path::Path;
use std::process::Command;

use source::Source;

/// Variable by which whoever builds a package says `COMMIT DATE`, and `changed` if the files are
/// not exactly those of the commit.
const TOLD: &str = "VERBATIM_COMMIT";

/// The file into which `git archive` writes the commit and its date.
const EXPORTED: &str = "commit.txt";

/// The file into which `cargo package` writes the commit.
const PACKAGED: &str = ".cargo_vcs_info.json";

fn main() {
    println!("cargo::rerun-if-env-changed={TOLD}");
    for file in ["build.rs", "build/source.rs", EXPORTED, PACKAGED] {
        if Path::new(file).exists() {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let source = std::env::var(TOLD).ok().and_then(|told| Source::told(&told));
    let source = source.or_else(|| Source::told(&read(EXPORTED)));
    let source = source.or_else(|| Source::packaged(&read(PACKAGED)));
    let source = source.or_else(cloned).unwrap_or_default();
    println!("cargo::rustc-env=VERBATIM_VERSION={}", source.version(env!("CARGO_PKG_VERSION")));
}

/// The commit of a clone. A debug build does not ask: it would be compiled again at each commit.
fn cloned() -> Option<Source> {
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "debug") {
        return None;
    }
    // The repository may be another one, in which this source is only a folder.
    if git(&["rev-parse", "--show-prefix"])? != "crates/cli/" {
        return None;
    }
    for name in ["logs/HEAD", "index"] {
        if let Some(path) = git(&["rev-parse", "--git-path", name]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let commit = git(&["log", "-1", "--format=%H %cs"])?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Source::told(&format!("{commit}{}", if changes.is_empty() { "" } else { " changed" }))
}

/// The answer of git. None if there is no git, or no repository.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = output.status.success().then(|| String::from_utf8(output.stdout).ok())??;
    Some(text.trim().to_owned())
}
