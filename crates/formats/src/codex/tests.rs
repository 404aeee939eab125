//! What holds for Codex's sessions: the samples, and the real files where they are present.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use session::{Bundle, Kind, Member, Session, Stream};

use super::{Codex, NAME};
use crate::{Candidate, Claim, Format};

/// All files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn claim(path: &Path, bytes: &[u8]) -> Claim {
    let head = &bytes[..bytes.len().min(64 * 1024)];
    let length = bytes.len() as u64;
    let path = path.to_string_lossy();
    Codex.claim(&Candidate { path: &path, head, tail: &[], length })
}

fn read(name: &str, bytes: &[u8]) -> Session {
    let member = Member::new(name, Stream::Main, bytes.to_vec()).expect("a short member");
    Codex.read(Arc::new(Bundle::of(member))).remove(0)
}

#[test]
fn every_real_file_is_read_whole_or_told_to_be_none() {
    let Some(corpus) = samples::corpus() else { return };
    let mut drift: BTreeMap<String, usize> = BTreeMap::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in files(&corpus.join(NAME)) {
        let bytes = std::fs::read(&path).expect("a file");
        match claim(&path, &bytes) {
            Claim::Part { .. } => {}
            Claim::NoSession(why) => {
                eprintln!("{}: {why}", path.display());
                continue;
            }
            Claim::No => panic!("{} is no one's", path.display()),
        }
        let session = read(&path.file_name().unwrap().to_string_lossy(), &bytes);
        assert!(!session.id.is_empty(), "{}", path.display());
        let breaches = session::proof::check(std::slice::from_ref(&session), 3);
        assert!(breaches.is_empty(), "{}: {breaches:?}", path.display());
        for event in session.events() {
            *counts.entry(event.case.name).or_default() += 1;
            if event.kind == Kind::Opaque {
                let json = serde_json::from_slice::<serde_json::Value>(event.bytes());
                assert!(json.is_err(), "{}", path.display());
            }
            for field in event.fields().iter().filter(|field| !field.known) {
                let name = String::from_utf8_lossy(event.name(*field)).into_owned();
                *drift.entry(format!("{}: {name}", event.case.name)).or_default() += 1;
            }
            if event.case.name == "unknown" {
                *drift
                    .entry(format!(
                        "unknown {}",
                        String::from_utf8_lossy(&event.bytes()[..event.bytes().len().min(150)])
                    ))
                    .or_default() += 1;
            }
        }
    }
    eprintln!("{counts:#?}\n{drift:#?}");
}
