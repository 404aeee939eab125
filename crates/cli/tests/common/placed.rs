//! A machine with sessions, and what was placed on it.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{ID, Place, Ran, put};

pub(crate) const OTHER: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22";

pub(crate) fn prepared() -> Place {
    let place = Place::with_sessions();
    fs::create_dir_all(place.path().join("work")).unwrap();
    place
}

pub(crate) fn resume(place: &Place, more: &[&str]) -> Ran {
    place.run(&[&["resume", ID, "--folder", "work"], more].concat())
}

pub(crate) fn json(ran: &Ran) -> Value {
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).unwrap()
}

pub(crate) fn file(placed: &Value) -> PathBuf {
    placed["files"].as_array().unwrap().last().unwrap()["path"].as_str().unwrap().into()
}

pub(crate) fn journal(place: &Place) -> PathBuf {
    place.path().join("home/.local/state/verbatim/placements")
}

/// The only entry of the journal.
pub(crate) fn entry(place: &Place) -> PathBuf {
    let mut files = fs::read_dir(journal(place)).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension() == Some("json".as_ref())).unwrap()
}

pub(crate) fn change(entry: &Path, change: impl Fn(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(entry).unwrap()).unwrap();
    change(&mut value);
    fs::write(entry, value.to_string()).unwrap();
}

/// A program of the agent's, for the tests' own PATH.
pub(crate) fn program(place: &Place, name: &str, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let program = place.path().join("bin").join(name);
    put(&program, script);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program.parent().unwrap().to_owned()
}
