//! Folders of any shape: each file is found once, and the search ends.

use std::collections::BTreeSet;
use std::path::PathBuf;

use catalog::Found;
use samples::Dice;

use super::{found, prove};

const IDS: [&str; 2] =
    ["11111111-2222-4333-8444-555555555555", "66666666-7777-4888-8999-aaaaaaaaaaaa"];

/// A file of a session: its name and its content.
fn file(dice: &mut Dice<'_>) -> (String, String) {
    let id = dice.of(&IDS);
    let line = |more: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{}\",\"parentUuid\":null,\"sessionId\":\"{id}\",\
             \"timestamp\":\"2026-01-01T00:00:00Z\"{more},\"message\":{{\"role\":\"user\",\
             \"content\":\"hi\"}}}}\n",
            more.len()
        )
    };
    let sub = line(",\"isSidechain\":true,\"agentId\":\"1\"");
    let rollout = format!(
        "{{\"timestamp\":\"2026-01-01T00:00:00Z\",\"type\":\"session_meta\",\"payload\":\
         {{\"id\":\"{id}\"}}}}\n"
    );
    let chat = format!(
        "{{\"sessionId\":\"{id}\",\"projectHash\":\"0f\",\"startTime\":\"2026-01-01T00:00:00Z\",\
         \"messages\":[]}}"
    );
    match dice.roll(6) {
        0 | 1 => (format!("{id}.jsonl"), line("")),
        2 => (format!("{id}/subagents/agent-{}.jsonl", dice.roll(2)), sub),
        3 => (format!("agent-{}.jsonl", dice.roll(2)), sub),
        4 => (format!("rollout-2026-01-01T00-00-00-{id}.jsonl"), rollout),
        _ => (format!("chats/session-{}.json", dice.roll(2)), chat),
    }
}

/// Makes a folder, and searches it for sessions.
pub fn round(dice: &mut Dice<'_>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut files = BTreeSet::new();
    for _ in 0..1 + dice.roll(14) {
        let mut path = folder.path().to_path_buf();
        for _ in 0..dice.roll(4) {
            path.push(dice.of(&["a", "b", "projects", "sessions", ".claude", ".codex", "x"]));
        }
        let (name, text) = file(dice);
        path.push(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        files.insert(path);
    }
    let seen = |found: &Found| -> Vec<PathBuf> {
        let read = found.sources.iter().flat_map(|source| &source.files);
        let skipped = found.skipped.iter().map(|skipped| skipped.path.clone());
        let mut all: Vec<PathBuf> =
            read.map(|file| file.path.to_path_buf()).chain(skipped).collect();
        all.sort();
        all
    };
    let first = found(folder.path());
    assert_eq!(seen(&first), Vec::from_iter(files.iter().cloned()), "each file once");
    let groups = |found: &Found| -> Vec<(String, usize)> {
        found.sources.iter().map(|s| (s.group.clone(), s.files.len())).collect()
    };
    assert_eq!(groups(&found(folder.path())), groups(&first), "the same again");
    prove(folder.path());
    // The search that begins with a single file ends too.
    if let Some(path) = files.iter().nth(dice.roll(files.len())) {
        drop(catalog::siblings(formats::ALL, &[path.as_path()]));
    }
}
