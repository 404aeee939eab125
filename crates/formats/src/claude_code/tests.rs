//! What the format promises, on its samples, on lines made for the purpose and on real files.

use std::collections::BTreeMap;

use session::NO_EVENT;

use super::ClaudeCode;
use crate::{Claim, trial};

mod claims;
mod said;
mod standing;

fn claim_of(path: &str, bytes: &[u8]) -> Claim {
    trial::claim(&ClaudeCode, path, bytes)
}

#[test]
fn samples_are_read_whole_and_know_every_name() {
    for folder in std::fs::read_dir(trial::samples("claude_code", "")).expect("samples") {
        let folder = folder.expect("a sample").path();
        if folder.is_dir() {
            let read = trial::open(&ClaudeCode, &folder);
            assert!(!read.sessions.is_empty(), "{folder:?}");
            for (group, sessions) in &read.sessions {
                let [session] = sessions.as_slice() else { panic!("{group}: one session a group") };
                assert_eq!(&session.id, group, "{folder:?}");
            }
        }
    }
}

#[test]
fn real_files_are_read_whole() {
    let Some(corpus) = samples::corpus() else { return };
    let read = trial::open(&ClaudeCode, &corpus.join("claude-code"));
    let aside: Vec<&str> = read.aside.keys().filter_map(|name| name.rsplit('/').next()).collect();
    assert_eq!(aside, [".claude.json", "history.jsonl", "sessions-index.json"]);
    assert!(read.aside.values().all(|claim| matches!(claim, Claim::NoSession(_))));
    let drift: BTreeMap<_, _> = read.sessions.values().flat_map(|own| trial::drift(own)).collect();
    println!("{} sessions; names without a row: {drift:#?}", read.sessions.len());
    // Names that only the fixtures of other programs have.
    let foreign = [
        "assistant: agent",
        "assistant: cacheCreationInputTokens",
        "assistant: cacheReadInputTokens",
        "assistant: inputTokens",
        "assistant: outputTokens",
        "assistant: workspace",
        "notice: data",
        "tool_result: text",
        "user: agent",
        "user: workspace",
    ];
    assert_eq!(drift.keys().collect::<Vec<_>>(), foreign);
}

/// A walk from the last message alone would disown almost half of the lines that have an id. Nobody
/// abandoned any of those in the real files.
#[test]
fn little_is_disowned() {
    let Some(corpus) = samples::corpus() else { return };
    let read = trial::open(&ClaudeCode, &corpus.join("claude-code"));
    let mut all = BTreeMap::<&str, usize>::new();
    for session in read.sessions.values().flatten() {
        for event in session.events().filter(|event| event.parent == NO_EVENT) {
            *all.entry(event.standing().word()).or_default() += 1;
        }
    }
    println!("{all:?}");
    let count = |word: &str| all.get(word).copied().unwrap_or(0);
    assert!(count("compacted") > 4000, "{all:?}");
    assert!(count("live") > 3 * count("compacted"), "{all:?}");
    assert_eq!(count("other-branch"), 0, "{all:?}");
}
