//! Lists of `clippy.toml`: a crate that forbids the listed functions and types can't reach the
//! machine.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Forbidden calls of a crate below the catalog, and clippy's message for each.
const TRIES: &[(&str, &str)] = &[
    ("std::time::SystemTime::now();", "method `std::time::SystemTime::now`"),
    ("std::time::Instant::now();", "type `std::time::Instant`"),
    ("std::env::var(\"HOME\");", "method `std::env::var`"),
    ("std::env::args();", "method `std::env::args`"),
    ("std::fs::read(\"x\");", "method `std::fs::read`"),
    ("std::fs::File::open(\"x\");", "type `std::fs::File`"),
    ("std::fs::OpenOptions::new();", "type `std::fs::OpenOptions`"),
    ("std::path::Path::new(\"x\").exists();", "method `std::path::Path::exists`"),
    ("std::net::TcpStream::connect(\"x:1\");", "type `std::net::TcpStream`"),
    ("std::process::Command::new(\"x\");", "type `std::process::Command`"),
    ("std::hash::RandomState::new();", "type `std::hash::RandomState`"),
    ("std::io::stdin();", "method `std::io::stdin`"),
];

#[test]
fn a_bound_crate_cannot_reach_the_machine() {
    let root = samples::workspace();
    let session = fs::read_to_string(root.join("crates/session/src/lib.rs")).expect("the session");
    let binding = session.lines().find(|l| l.contains("disallowed_methods")).expect("its binding");
    let tries = TRIES.iter().map(|(code, _)| format!("    let _ = {code}\n")).collect::<String>();
    let in_tests = "#[cfg(test)]\nfn free() {\n    let _ = std::fs::copy(\"x\", \"y\");\n}\n";
    let krate = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bound");
    let code = format!("{binding}\npub fn tries() {{\n{tries}}}\n{in_tests}");
    fs::create_dir_all(krate.join("src")).expect("a folder for the crate");
    fs::write(krate.join("src/lib.rs"), code).expect("its code");
    let ours = fs::read_to_string(root.join("Cargo.toml")).expect("the workspace's manifest");
    let lints = ours.split("[workspace.lints.clippy]").nth(1).expect("the shared lints");
    let lints = lints.split("\n[").next().unwrap_or(lints);
    let head = "[package]\nname = \"bound\"\nedition = \"2024\"\n[workspace]\n[lints.clippy]";
    fs::write(krate.join("Cargo.toml"), format!("{head}{lints}")).expect("its manifest");

    let Some(said) = clippy(&krate, &root) else { return };
    for (code, lint) in TRIES {
        assert!(said.contains(&format!("use of a disallowed {lint}")), "{code} passes:\n{said}");
    }
    assert!(!said.contains("std::fs::copy"), "tests are free:\n{said}");
}

/// Clippy's messages for a crate under the workspace's lists. Without clippy, a visible message and
/// `None`.
fn clippy(krate: &Path, root: &Path) -> Option<String> {
    let cargo = || Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    if !cargo().args(["clippy", "--version"]).output().is_ok_and(|out| out.status.success()) {
        let required = env::var_os("VERBATIM_REQUIRE_CORPUS").is_some_and(|v| v == "1");
        assert!(!required, "the whole check needs clippy");
        let _ = writeln!(std::io::stderr(), "skipped: needs clippy ({})", file!());
        return None;
    }
    let out = cargo()
        .args(["clippy", "--offline", "--quiet", "--all-targets"])
        .current_dir(krate)
        .env("CLIPPY_CONF_DIR", root)
        .env("CARGO_TARGET_DIR", krate.join("target"))
        .env_remove("RUSTFLAGS")
        .output()
        .expect("clippy runs");
    assert!(!out.status.success(), "clippy finds nothing");
    Some(String::from_utf8_lossy(&out.stderr).into_owned())
}
