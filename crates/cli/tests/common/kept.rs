//! The archive of a test's machine.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Place, Ran};

pub(crate) const OTHER: &str = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22";

pub(crate) fn archive(place: &Place) -> PathBuf {
    place.path().join("home/.local/share/verbatim/archive")
}

pub(crate) fn good(place: &Place, args: &[&str]) -> Ran {
    let ran = place.run(args);
    assert_eq!(ran.code, 0, "{args:?}: {}{}", ran.out, ran.err);
    ran
}

pub(crate) fn json(place: &Place, args: &[&str]) -> Value {
    serde_json::from_str(&good(place, args).out).unwrap()
}

/// The digests of all versions of a session, the newest last.
pub(crate) fn digests(place: &Place, id: &str) -> Vec<String> {
    let versions = json(place, &["archive", "versions", id, "--json"]);
    let versions = versions["versions"].as_array().unwrap().iter();
    versions.map(|version| version["digest"].as_str().unwrap().to_owned()).collect()
}

/// The main file of a version, as it is given back.
pub(crate) fn given(place: &Place, version: &str) -> Vec<u8> {
    let folder = place.path().join("given");
    let _ = fs::remove_dir_all(&folder);
    good(place, &["archive", "restore", version, "-o", "given"]);
    let id = version.split('@').next().unwrap();
    fs::read(folder.join(format!("{id}.jsonl"))).unwrap()
}

pub(crate) fn names(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<PathBuf> = entries.collect();
    names.sort();
    names
}

/// All bytes that an archive has, unpacked.
pub(crate) fn unpacked(place: &Place) -> String {
    let packs = names(&archive(place).join("packs"));
    let mut text = String::new();
    for pack in packs {
        let bytes = fs::read(pack).unwrap();
        let unpacked = zstd::stream::decode_all(&*bytes).unwrap();
        text.push_str(&String::from_utf8_lossy(&unpacked));
    }
    text
}
