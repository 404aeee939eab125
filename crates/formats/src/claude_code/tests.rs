//! What the format promises, on its samples, on lines made for the purpose and on real files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use session::{Bundle, Kind, Member, Session, Stream, proof};

use super::{ClaudeCode, locate};
use crate::{Candidate, Claim, Format, Role};

mod claims;
mod said;
mod standing;

/// All files below a folder, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("entry").path())
        .collect();
    entries.sort();
    let inside = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.into_iter().flat_map(inside).collect()
}

fn claim_of(path: &str, bytes: &[u8]) -> Claim {
    let (head, tail) = locate::ends(bytes);
    ClaudeCode.claim(&Candidate { path, head, tail, length: bytes.len() as u64 })
}

/// The sessions below a folder by group, and the files that are none.
fn sessions(folder: &Path) -> (BTreeMap<String, Session>, BTreeMap<String, Claim>) {
    let (mut bundles, mut others) = (BTreeMap::<String, Bundle>::new(), BTreeMap::new());
    for path in files(folder) {
        let bytes = std::fs::read(&path).expect("a file");
        let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
        match claim_of(&name, &bytes) {
            Claim::Part { group, role } => {
                let stream = match role {
                    Role::Main | Role::Beside(None) => Stream::Main,
                    Role::Sub(stem) | Role::Beside(Some(stem)) => Stream::Sub(stem),
                };
                let member = Member::new(name, stream, bytes).expect("a member");
                bundles.entry(group).or_default().members.push(member);
            }
            other => {
                others.insert(name, other);
            }
        }
    }
    let read = |(group, bundle)| {
        let mut sessions = ClaudeCode.read(Arc::new(bundle));
        assert_eq!(sessions.len(), 1, "{group}");
        (group, sessions.remove(0))
    };
    (bundles.into_iter().map(read).collect(), others)
}

/// Names that no table has, with the record type, and how often.
fn drift(session: &Session, names: &mut BTreeMap<String, usize>) {
    for event in session.events() {
        for field in event.fields().iter().filter(|field| !field.known) {
            let name = String::from_utf8_lossy(event.name(*field)).into_owned();
            let word = event.text(session::Slot::Type).unwrap_or_default();
            *names.entry(format!("{} {word} {name}", event.case.name)).or_default() += 1;
        }
    }
}

#[test]
fn real_files_are_read_whole() {
    let Some(corpus) = samples::corpus() else { return };
    let (sessions, others) = sessions(&corpus.join("claude-code"));
    let (mut names, mut opaque) = (BTreeMap::new(), Vec::new());
    for (group, session) in &sessions {
        assert_eq!(proof::check(std::slice::from_ref(session), 4), [], "{group}");
        drift(session, &mut names);
        for event in session.events().filter(|event| event.kind == Kind::Opaque) {
            let raw = event.span.of(event.member_bytes());
            assert!(serde_json::from_slice::<serde_json::Value>(raw).is_err(), "{group}");
            opaque.push((group.clone(), event.origin.line));
        }
    }
    println!("{} sessions; no sessions: {others:#?}; opaque: {opaque:?}", sessions.len());
    println!("without a row: {names:#?}");
}

#[test]
fn little_is_disowned() {
    let Some(corpus) = samples::corpus() else { return };
    let (sessions, _) = sessions(&corpus.join("claude-code"));
    let mut all = BTreeMap::<&str, usize>::new();
    for (group, session) in &sessions {
        let mut own = BTreeMap::<&str, usize>::new();
        for event in session.events().filter(|event| event.parent == session::NO_EVENT) {
            *own.entry(event.standing().word()).or_default() += 1;
            *all.entry(event.standing().word()).or_default() += 1;
        }
        if own.len() > 1 {
            println!("{group} {own:?}");
        }
        for event in session.events().filter(|event| event.parent == session::NO_EVENT) {
            if !event.standing().is_conversation() {
                let said: String = event.said().chars().take(80).collect();
                println!(
                    "    {} {} {:?} {said:?}",
                    event.origin.line,
                    event.standing().word(),
                    event.case
                );
            }
        }
    }
    println!("{all:?}");
}
