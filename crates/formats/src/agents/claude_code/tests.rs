//! Properties of the format: on its samples, on lines made for the purpose and on real files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use meaning::facts;
use serde_json::Value;
use session::{NO_EVENT, Session, Slot, Standing};

use super::ClaudeCode;
use crate::claim::Claim;
use crate::testing;

mod claims;
mod human_input;
mod standing;
mod traps;

fn claim_of(path: &str, bytes: &[u8]) -> Claim {
    testing::claim(&ClaudeCode, path, bytes)
}

/// Each sample and its sessions.
fn all_samples() -> Vec<(String, testing::Folder)> {
    let folders = std::fs::read_dir(testing::samples("claude_code", "")).expect("samples");
    let folders = folders.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut read: Vec<_> =
        folders.map(|path| (name(&path), testing::open(&ClaudeCode, &path))).collect();
    read.sort_by(|a, b| a.0.cmp(&b.0));
    read
}

#[test]
fn samples_are_read_whole() {
    for (name, read) in all_samples() {
        assert!(!read.sessions.is_empty(), "{name}");
        for (group, sessions) in &read.sessions {
            let [session] = sessions.as_slice() else { panic!("{group}: one session a group") };
            assert_eq!(&session.id, group, "{name}");
        }
        let skipped = if name == "home" { 8 } else { usize::from(name == "agents") };
        assert_eq!(read.skipped.len(), skipped, "{name}: {:?}", read.skipped);
        assert!(read.skipped.values().all(|claim| matches!(claim, Claim::NoSession(_))), "{name}");
    }
}

/// The texts of a sample's lines that are not live, by standing, in the order of sessions and
/// lines.
fn not_live(name: &str) -> Vec<String> {
    let read = testing::open(&ClaudeCode, &testing::samples("claude_code", name));
    let mut found = Vec::new();
    for session in read.sessions.values().flatten() {
        let top = session.events().filter(|event| event.parent == NO_EVENT);
        for event in top.filter(|event| event.standing() != Standing::Live) {
            let said: String = event.said().chars().take(16).collect();
            found.push(format!("{} {said}", event.standing().word()));
        }
    }
    found
}

#[test]
fn samples_stand_as_their_stories_tell() {
    for name in ["plain", "flat", "newest", "damaged"] {
        assert_eq!(not_live(name), Vec::<String>::new(), "{name}");
    }
    assert_eq!(not_live("split"), ["superseded Start in the mai", "superseded Started."]);
    assert_eq!(not_live("agents"), ["copied Map the retries,"]);
    let branches = [
        "other-branch For books onyl.",
        "other-branch Only books.",
        "superseded Books on",
        "rewound I ",
        "compacted Plan the import.",
        "compacted ",
        "compacted ",
        "compacted [Request interru",
        "rewound To stock.",
        "rewound Renamed to stock",
    ];
    assert_eq!(not_live("branches"), branches);
    let forks = ["copied Draft the releas", "copied Three points so "];
    let resumed = ["copied Draft the imprin", "copied Name and address"];
    assert_eq!(not_live("forks"), [forks, resumed].concat());
    for (name, first, count) in [
        ("compacted", "compacted Split the order ", 10),
        ("first", "compacted Caveat: The mess", 11),
    ] {
        let found = not_live(name);
        assert_eq!((found[0].as_str(), found.len()), (first, count), "{name}");
        assert!(found.iter().all(|line| line.starts_with("compacted ")), "{name}: {found:?}");
    }
}

#[test]
fn real_files_are_read_whole() {
    let Some(corpus) = samples::corpus() else { return };
    let read = testing::open(&ClaudeCode, &corpus.join("claude-code"));
    let skipped: Vec<&str> =
        read.skipped.keys().filter_map(|name| name.rsplit('/').next()).collect();
    assert_eq!(skipped, [".claude.json", "history.jsonl", "sessions-index.json"]);
    assert!(read.skipped.values().all(|claim| matches!(claim, Claim::NoSession(_))));
    let drift: BTreeMap<_, _> =
        read.sessions.values().flat_map(|own| testing::drift(own)).collect();
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

/// A walk from the last message alone would miss almost half of the lines that have an id. Another
/// branch is only what a prompt began that a person sent again, edited, and that another parser
/// finds too.
#[test]
fn little_is_disowned() {
    let Some(corpus) = samples::corpus() else { return };
    let read = testing::open(&ClaudeCode, &corpus.join("claude-code"));
    let mut all = BTreeMap::<&str, usize>::new();
    for session in read.sessions.values().flatten() {
        let mut branches = BTreeSet::new();
        for event in session.events().filter(|event| event.parent == NO_EVENT) {
            *all.entry(event.standing().word()).or_default() += 1;
            if event.standing() == Standing::OtherBranch {
                branches.insert(event.text(Slot::Id).unwrap_or_default().into_owned());
            }
        }
        let members = session.bundle.members.iter();
        let left: BTreeSet<String> =
            members.flat_map(|member| edited_branches(member.bytes())).collect();
        assert_eq!(branches, left, "{}", session.id);
    }
    println!("{all:?}");
    let count = |word: &str| all.get(word).copied().unwrap_or(0);
    assert!(count("compacted") > 4000, "{all:?}");
    assert!(count("live") > 3 * count("compacted"), "{all:?}");
}

/// The ids of the lines below a prompt that a person sent again: off the way from the last message
/// to the root, where a later prompt with the same parent is on it.
fn edited_branches(bytes: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let lines: Vec<Value> = lines.filter(|line| line["uuid"].is_string()).collect();
    let id = |line: &Value| line["uuid"].as_str().unwrap_or_default().to_owned();
    let parent = |line: &Value| {
        let named = [&line["parentUuid"], &line["logicalParentUuid"]];
        named.into_iter().find_map(|id| id.as_str().map(str::to_owned))
    };
    let by_id: BTreeMap<String, &Value> = lines.iter().map(|line| (id(line), line)).collect();
    let is_main = |line: &&Value| line["isSidechain"] != true;
    let is_message = |line: &&Value| line["type"] == "user" || line["type"] == "assistant";
    let last = lines.iter().filter(is_main).rfind(is_message);
    let (mut way, mut at) = (BTreeSet::new(), last);
    while let Some(line) = at {
        if !way.insert(id(line)) {
            break;
        }
        at = parent(line).and_then(|parent| by_id.get(&parent).copied());
    }
    let says = |line: &&Value| {
        let blocks = line["message"]["content"].as_array();
        let answers = blocks.is_some_and(|all| all.iter().any(|b| b["type"] == "tool_result"));
        line["type"] == "user" && line["isMeta"] != true && !answers
    };
    let mut left = BTreeSet::new();
    for (number, line) in lines.iter().enumerate() {
        let again = |later: &&Value| {
            line["parentUuid"].is_string()
                && later["parentUuid"] == line["parentUuid"]
                && way.contains(&id(later))
        };
        let said_again = || lines[number..].iter().filter(says).any(|later| again(&later));
        let edited = says(&line) && is_main(&line) && !way.contains(&id(line)) && said_again();
        if edited || parent(line).is_some_and(|parent| left.contains(&parent)) {
            left.insert(id(line));
        }
    }
    left
}

/// A title of a generation up to 2.0 is this session's if its leaf is in this session.
#[test]
fn a_summary_of_an_own_leaf_is_the_title() {
    let session = |leaf: &str, more: &str| {
        let said = r#""message":{"role":"user","content":"hi"}"#;
        let own = format!(r#"{{"type":"user","uuid":"u1","sessionId":"s",{said}}}"#);
        let title = format!(r#"{{"type":"summary","summary":"Low tide","leafUuid":"{leaf}"}}"#);
        testing::text(&ClaudeCode, "s.jsonl", &format!("{title}\n{own}\n{more}"))
    };
    let title = |session: &Session| facts::title_text(session).map(std::borrow::Cow::into_owned);
    assert_eq!(title(&session("u1", "")).as_deref(), Some("Low tide"));
    assert_eq!(title(&session("u9", "")), None);
    let newer = r#"{"type":"custom-title","customTitle":"High tide","sessionId":"s"}"#;
    assert_eq!(title(&session("u1", newer)).as_deref(), Some("High tide"));
}
