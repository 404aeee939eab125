//! The live conversation of every real file, against a second reader that is outside of the
//! project and shares no code with it: the same items, in the same order, with the same texts.
//!
//! The second reader says what an agent would send of its session. It can be wrong: `wrong.txt` has
//! the classes of items in which the two differ, each with its reason, and an entry that no file
//! needs any more fails. Without Python or the real files the test is skipped, and says so.

mod items;
mod receipts;
mod theirs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use items::{Item, compare, ours};
use serde_json::Value;
use session::{Bundle, Member, Session, Stream};
use theirs::{SecondReader, read_all};

/// The folders of real files, with the second reader's names of the agents.
const AGENTS: [(&str, &str); 6] = [
    ("claude-code", "claude"),
    ("codex", "codex"),
    ("gemini", "gemini"),
    ("opencode", "opencode"),
    ("codewhale", "codewhale"),
    ("cursor", "cursor"),
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// The only session of a file; `None` if it has none or several.
fn session(agent: &str, path: &Path) -> Option<Session> {
    let format = formats::by_name(agent)?;
    let name = path.file_name()?.to_str()?;
    let member = Member::new(name, Stream::Main, std::fs::read(path).ok()?)?;
    let members = vec![format.decode(member)];
    let mut sessions = format.read(Arc::new(Bundle { members }));
    sessions.retain(|session| !session.remainder);
    (sessions.len() == 1).then(|| sessions.remove(0))
}

/// The property of a file by which the second reader finds less of it than there is.
fn shortened(agent: &str, path: &Path) -> Option<&'static str> {
    let text = std::fs::read_to_string(path).ok()?;
    let values = || serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    match agent {
        "claude-code" if text.contains("\"server_tool_use\"") => {
            Some("claude-code file with calls of the provider's own tools")
        }
        "claude-code" => {
            let lines: Vec<Value> = values().map_while(Result::ok).collect();
            let ids: BTreeSet<&str> = lines.iter().filter_map(|l| l["uuid"].as_str()).collect();
            let mut parents = lines.iter().filter_map(|line| line["parentUuid"].as_str());
            match parents.clone().next() {
                None => Some("claude-code file without parents"),
                Some(_) if parents.any(|parent| !ids.contains(parent)) => {
                    Some("claude-code file with a missing parent")
                }
                Some(_) => None,
            }
        }
        "codex" if text.contains("[trimmed for fixture]") => {
            Some("codex file whose texts are all one")
        }
        "gemini" => {
            let model = |value: &Value| {
                let messages = value["messages"].as_array().into_iter().flatten();
                messages.into_iter().any(|message| message["type"] == "model")
            };
            let found = values().map_while(Result::ok).any(|value| model(&value));
            found.then_some("gemini file with answers of type model")
        }
        _ => None,
    }
}

/// The classes of differences that are the second reader's fault: agent, side, kind and case; or a
/// property of a file.
fn wrong() -> BTreeMap<String, bool> {
    let lines = include_str!("wrong.txt").lines();
    let entries = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    entries
        .map(|line| {
            let (class, reason) = line.split_once(": ").expect("a class and its reason");
            assert!(reason.len() > 20, "{class}: no reason");
            (class.to_owned(), false)
        })
        .collect()
}

#[test]
fn the_second_reader_finds_the_same_live_conversation() {
    let Some(corpus) = samples::corpus() else { return };
    let Some(reader) = SecondReader::find() else { return };
    let (mut wrong, mut unknown) = (wrong(), BTreeMap::<String, Vec<String>>::new());
    let (mut compared, mut items) = (BTreeMap::<&str, usize>::new(), 0);
    for (agent, name) in AGENTS {
        let mut paths = Vec::new();
        files(&corpus.join(agent), &mut paths);
        for (path, theirs) in paths.iter().zip(read_all(&reader, name, &paths)) {
            // Not taken by the second reader: another generation of the agent's files.
            let Some(theirs) = theirs.filter(|theirs| !theirs.is_empty()) else { continue };
            let Some(session) = session(agent, path) else { continue };
            let ours = ours(&session);
            *compared.entry(agent).or_default() += 1;
            items += ours.len();
            let differences = compare(agent, &ours, &theirs);
            let shortened = differences.first().and_then(|_| shortened(agent, path));
            for (class, what) in differences {
                let is_ours = class.contains(" ours ");
                let file = shortened.filter(|file| is_ours || file.ends_with("all one"));
                let is_told = |entry: &str| {
                    let (own, start) = entry.split_once(" [").unwrap_or((entry, "]"));
                    own == class && what.starts_with(start.trim_end_matches(']'))
                };
                let own = wrong.keys().find(|entry| is_told(entry)).cloned();
                let named = own.or_else(|| file.map(str::to_owned));
                match named.and_then(|entry| wrong.get_mut(&entry)) {
                    Some(met) => *met = true,
                    None => {
                        let place = path.strip_prefix(&corpus).unwrap_or(path).display();
                        unknown.entry(class).or_default().push(format!("{place}: {what}"));
                    }
                }
            }
        }
    }
    let told = |(class, all): (&String, &Vec<String>)| {
        format!("{class}: {} times\n    {}", all.len(), all[..all.len().min(3)].join("\n    "))
    };
    let unknown: Vec<String> = unknown.iter().map(told).collect();
    assert!(unknown.is_empty(), "the two readers differ:\n{}", unknown.join("\n"));
    let stale: Vec<&String> = wrong.iter().filter(|(_, met)| !**met).map(|(c, _)| c).collect();
    assert!(stale.is_empty(), "entries of wrong.txt that nothing needs: {stale:?}");
    // The only real files of CodeWhale are of a kind that the second reader does not take.
    assert!(compared.len() >= AGENTS.len() - 1, "{compared:?}");
    assert!(items > 10_000, "{items} items in {compared:?}");
}

/// A conversation without one of its items, with two of them swapped, or with another text differs.
#[test]
fn the_comparison_can_fail() {
    let item = |kind: &'static str, text: &str| Item::new(kind, text, "message");
    let whole = [
        item("user", "Sort the tides."),
        item("call", "{\"path\":\"tides.csv\"}"),
        item("result", "1 2 3"),
        item("text", "They are sorted."),
        item("user", "And now?"),
    ];
    assert!(compare("codex", &whole, &whole).is_empty());
    for at in 0..whole.len() {
        let mut less = whole.to_vec();
        less.remove(at);
        assert!(!compare("codex", &less, &whole).is_empty(), "{at} is missing");
        assert!(!compare("codex", &whole, &less).is_empty(), "{at} is too many");
        let mut other = whole.to_vec();
        other[at] = Item::new(whole[at].kind, "another", "message");
        assert!(!compare("codex", &other, &whole).is_empty(), "{at} has another text");
        if at > 0 {
            let mut swapped = whole.to_vec();
            swapped.swap(at - 1, at);
            assert!(!compare("codex", &swapped, &whole).is_empty(), "{at} is swapped");
        }
    }
}
