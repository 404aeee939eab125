//! `usage` opens each file once, as the system counts it (inotify).
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use catalog::{Catalog, Machine};
use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};

/// Watches what is opened and closed in these folders: an event between two that are equal keeps
/// the system from joining them.
fn watch(folders: &[&Path]) -> OwnedFd {
    let watch = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).unwrap();
    let what = WatchFlags::OPEN | WatchFlags::CLOSE_NOWRITE;
    for folder in folders {
        inotify::add_watch(&watch, *folder, what).unwrap();
    }
    watch
}

/// The number of times that each file was opened since it was last asked.
fn opened(watch: &OwnedFd) -> BTreeMap<String, u32> {
    let mut room = [MaybeUninit::uninit(); 1 << 16];
    let mut reader = Reader::new(watch, &mut room);
    let mut counts = BTreeMap::new();
    while let Ok(event) = reader.next() {
        let name = event.file_name().map(|name| name.to_string_lossy().into_owned());
        if let Some(name) = name.filter(|_| event.events().contains(inotify::ReadFlags::OPEN)) {
            *counts.entry(name).or_default() += 1;
        }
    }
    counts.retain(|name: &String, _| name.ends_with(".jsonl") || name.ends_with(".txt"));
    counts
}

/// A conversation, with an answer of so many words.
fn conversation(id: &str, words: usize) -> String {
    let line = |kind: &str, at: u32, message: String| {
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"u{at}\",\"sessionId\":\"{id}\",\
             \"timestamp\":\"2026-02-03T07:00:0{at}Z\",\"cwd\":\"/srv/till\",\
             \"message\":{{{message}}}}}\n"
        )
    };
    let said = "word ".repeat(words);
    line("user", 1, "\"role\":\"user\",\"content\":\"Fix it\"".into())
        + &line(
            "assistant",
            2,
            format!(
                "\"id\":\"m-{id}-{words}\",\"role\":\"assistant\",\
                 \"model\":\"claude-opus-4-6\",\
                 \"usage\":{{\"input_tokens\":3,\"output_tokens\":5}},\
                 \"content\":[{{\"type\":\"text\",\"text\":\"{said}\"}}]"
            ),
        )
}

/// Short and long files, ones of a session with sub-agents, and one that is no session.
#[test]
fn usage_opens_each_file_once() {
    let temp = tempfile::tempdir().unwrap();
    let project = temp.path().join("projects/-srv-till");
    let id = |at: usize| format!("6f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c{at:04}");
    let agents = project.join(id(3)).join("subagents");
    fs::create_dir_all(&agents).unwrap();
    for (at, words) in [(0, 1), (1, 50_000), (2, 400_000), (3, 20)] {
        let text = conversation(&id(at), words);
        fs::write(project.join(format!("{}.jsonl", id(at))), text).unwrap();
    }
    for at in 0..3 {
        let text = conversation(&id(3), 30_000 * at);
        fs::write(agents.join(format!("agent-a{at}.jsonl")), text).unwrap();
    }
    fs::write(project.join("notes.txt"), "nothing").unwrap();
    let watch = watch(&[&project, &agents]);
    let catalog = Catalog { formats: formats::ALL, machine: Machine::default() };
    let (found, usage) =
        verbatim_operations::usage(&catalog, &[temp.path().to_path_buf()]).unwrap();
    let counts = opened(&watch);
    assert_eq!(counts.len(), 8, "{counts:?}");
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    // The sums are those of files that are opened again, which the system counts.
    let again =
        verbatim_operations::usage::usage_with(&catalog::Job::default(), &found, &None).unwrap();
    let spent = |usage: &verbatim_operations::usage::Usage| -> Vec<String> {
        usage.spent().map(|spent| format!("{spent:?}")).collect()
    };
    assert!(!spent(&usage).is_empty());
    assert_eq!(spent(&usage), spent(&again));
    assert_eq!(opened(&watch).len(), 7, "a file that is opened again is counted");
}
