//! Byte ranges that a list reads: both ends of a file, and no byte twice.

use std::fs;
use std::ops::Range;
use std::path::Path;

use session::Bundle;

use super::*;
use crate::catalog::Catalog;
use crate::early::Early;
use crate::find::environment::Machine;
use crate::find::found::Claimed;
use crate::open::bundle::{bundle, bundle_of};
use crate::open::source::Source;
use crate::summary::Entry;

static READ: Mutex<Vec<(PathBuf, Range<u64>)>> = Mutex::new(Vec::new());

static OPENED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Records that a file was opened.
pub(crate) fn opened(path: &Path) {
    guard(&OPENED).push(path.to_path_buf());
}

/// Records a request for bytes of a file.
pub(crate) fn log(path: &Path, from: u64, count: usize) {
    guard(&READ).push((path.to_path_buf(), from..from + count as u64));
}

/// The number of files below a folder of which anything was read.
pub(crate) fn read_below(folder: &Path) -> usize {
    let read = guard(&READ);
    let own: std::collections::BTreeSet<&PathBuf> =
        read.iter().map(|(path, _)| path).filter(|path| path.starts_with(folder)).collect();
    own.len()
}

/// Ranges that were read of a file, in their order, clipped to its length.
fn read_of(path: &Path) -> Vec<Range<u64>> {
    let length = fs::metadata(path).unwrap().len();
    let read = guard(&READ);
    let own = read.iter().filter(|(read, _)| read == path);
    let clipped = own.map(|(_, range)| range.start.min(length)..range.end.min(length));
    let mut ranges: Vec<_> = clipped.filter(|range| !range.is_empty()).collect();
    ranges.sort_by_key(|range| range.start);
    ranges
}

fn list(folder: &Path) -> Vec<Entry> {
    let catalog = Catalog { formats: formats::ALL, machine: Machine::default() };
    catalog.list(&[folder.to_path_buf()], false).entries
}

fn put(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

/// A line of Claude Code, with its time as a minute.
fn line(kind: &str, minute: usize, message: &str) -> String {
    let of = format!(r#""uuid":"u{minute}","parentUuid":null,"sessionId":"s","cwd":"/srv/till""#);
    let time = format!("2026-05-04T{:02}:{:02}:00.000Z", minute / 60, minute % 60);
    format!(r#"{{"type":"{kind}",{of},"timestamp":"{time}","message":{message}}}"#) + "\n"
}

fn prompt(text: &str) -> String {
    line("user", 1, &format!(r#"{{"role":"user","content":"{text}"}}"#))
}

fn answer(minute: usize, model: &str, text: &str) -> String {
    let content = format!(r#"[{{"type":"text","text":"{text}"}}]"#);
    let message = format!(r#"{{"id":"m{minute}","model":"{model}","content":{content}}}"#);
    line("assistant", minute, &message)
}

/// A notice of this size, without anything that a list shows.
fn filler(size: usize) -> String {
    let head = r#"{"type":"file-history-snapshot","messageId":"m","snapshot":{"x":""#;
    format!("{head}{}\"}}}}\n", "x".repeat(size.saturating_sub(head.len() + 4)))
}

#[test]
fn no_part_of_a_file_is_read_twice() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join(".claude/projects/-srv-till");
    let (first, last) = (answer(2, "m-1", "done"), answer(9, "m-2", "bye"));
    let many: String = (3..600).map(|at| answer(at % 1400, "m-1", &"y".repeat(5000))).collect();
    let texts = [
        ("short", prompt("Fix it") + &first),
        ("long", prompt("Fix it") + &first + &many + &last),
        ("hidden", filler(80_000) + &prompt("Fix it") + &filler(90_000) + &first + &filler(90_000)),
        ("deep", filler(300_000) + &prompt("Fix it") + &filler(900_000) + &first + &many),
        ("tail", prompt("Fix it") + &filler(100_000) + &last),
        ("line", filler(1_500_000) + &prompt("Fix it") + &first),
        ("nameless", filler(64 * 1024) + &filler(64 * 1024) + &filler(2_000_000)),
    ];
    let paths = texts.map(|(name, text)| {
        let text = text.replace("\"sessionId\":\"s\"", &format!("\"sessionId\":\"{name}\""));
        put(&folder, &format!("{name}.jsonl"), &text)
    });
    let home = temp.path().join(".gemini/tmp/till");
    let root = put(&home, ".project_root", "/srv/till");
    for name in ["a", "b"] {
        let head = format!(r#""sessionId":"{name}","projectHash":"h""#);
        let said = r#"{"id":"1","type":"user","content":"hi"}"#;
        let text = format!(r#"{{{head},"messages":[{said}]}}"#);
        put(&home, &format!("chats/session-2026-05-04T08-00-{name}.json"), &text);
    }
    let entries = list(temp.path());
    let found: Vec<_> = entries.iter().map(|entry| &entry.id).collect();
    assert_eq!(entries.len(), paths.len() + 2, "{found:?}");
    assert_read_once(&entries);
    assert_eq!(read_of(&root).len(), 1, "many sessions tell their project by one file");
    let of = |path: &Path| entries.iter().find(|entry| *entry.files[0] == *path).unwrap();
    for path in &paths[..6] {
        assert_eq!(of(path).prompt.as_deref(), Some("Fix it"), "{}", path.display());
    }
    for path in [&paths[0], &paths[1], &paths[2], &paths[5]] {
        assert_eq!(of(path).model.as_deref(), Some("m-1"), "{}", path.display());
    }
    assert_eq!(of(&paths[4]).model.as_deref(), Some("m-2"));
    assert_eq!(of(&paths[1]).updated.unwrap().rfc3339(), "2026-05-04T09:59:00Z");
    // A long file is read at its ends only.
    let end = END_BYTES as u64;
    let length = fs::metadata(&paths[1]).unwrap().len();
    assert_eq!(read_of(&paths[1]), [0..end, length - end..length]);
    assert_eq!(read_of(&paths[0]).len(), 1);
}

/// Asserts that no byte of a file was read twice.
fn assert_read_once(entries: &[Entry]) {
    for path in entries.iter().flat_map(|entry| &entry.files) {
        let ranges = read_of(path);
        assert!(!ranges.is_empty(), "{}", path.display());
        let twice = ranges.windows(2).find(|pair| pair[0].end > pair[1].start);
        assert_eq!(twice, None, "{}", path.display());
    }
}

/// The session's file is read further to find a model. Its sub-agents' files were written after its
/// last time.
#[test]
fn no_part_of_a_sub_agents_file_is_read_twice() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join(".claude/projects/-srv-till");
    put(&folder, "s.jsonl", &(prompt("Ask others") + &filler(300_000)));
    let many: String = (3..600).map(|at| answer(at, "m-1", &"y".repeat(500))).collect();
    let texts = [answer(700, "m-1", "done"), prompt("Fix it") + &many];
    for (name, text) in ["a1", "b2"].iter().zip(texts) {
        put(&folder, &format!("s/subagents/agent-{name}.jsonl"), &text);
    }
    let entries = list(temp.path());
    assert_eq!(entries[0].files.len(), 3);
    assert_eq!(entries[0].updated.unwrap().rfc3339(), "2026-05-04T11:40:00Z");
    assert_read_once(&entries);
}

#[test]
fn the_lines_of_both_ends_are_complete_whatever_the_length() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("a.jsonl");
    let end = END_BYTES;
    let lengths = [end - 1, end, end + 1, 2 * end - 1, 2 * end, 2 * end + 1, 3 * end, 5 * end];
    for length in lengths {
        for size in [100, 4096, 8192] {
            let mut text: String = (0..length / size).map(|_| filler(size)).collect();
            text.push_str(&filler(length - text.len() + 100));
            fs::write(&path, &text).unwrap();
            for known in [false, true] {
                let kept = Kept::new();
                if known {
                    let tail = self::end(&path, text.len() as u64).unwrap();
                    let tail = Some(tail).filter(|(_, bytes)| !bytes.is_empty());
                    kept.put(&path, &text.as_bytes()[..end.min(text.len())], tail);
                }
                let file = SourceFile {
                    path: path.as_path().into(),
                    name: "a.jsonl".into(),
                    role: formats::Role::Main,
                    length: text.len() as u64,
                    modified: None,
                    rows: None,
                    archived: None,
                };
                let mut reader = Reader::of(&file, &kept);
                for count in [end, 4 * end] {
                    let read = String::from_utf8(reader.lines(count).unwrap()).unwrap();
                    if text.len() <= count + end {
                        assert_eq!(read.len(), text.len(), "{length} {size} {known} {count}");
                    }
                    assert!(read.len() <= text.len().min(count + end));
                    assert!(read.len() + 2 * size + 100 >= text.len().min(count + end));
                    assert!(read.ends_with('\n') && read.starts_with("{\"type\""));
                    assert!(read.lines().all(|line| line.starts_with('{') && line.ends_with('}')));
                }
            }
        }
    }
}

/// A list shows the complete parts in the head of a long value.
#[test]
fn a_long_value_is_told_by_its_beginning() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("a.json");
    let text = format!("{{\"a\":1,\"b\":\"{}\"}}", "x".repeat(DOCUMENT as usize));
    fs::write(&path, &text).unwrap();
    let mut file = SourceFile {
        path: path.into(),
        name: "a.json".into(),
        role: formats::Role::Main,
        length: text.len() as u64,
        modified: None,
        rows: None,
        archived: None,
    };
    let read = Reader::of(&file, &Kept::nothing()).lines(END_BYTES).unwrap();
    assert_eq!(String::from_utf8(read).unwrap().trim_end(), "{\"a\":1}");
    file.length = DOCUMENT;
    let read = Reader::of(&file, &Kept::nothing()).lines(END_BYTES).unwrap();
    assert_eq!(read.len() as u64, DOCUMENT);
}

/// A session is opened by its name: none of its neighbours is.
#[test]
fn a_name_opens_no_other_session() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("home");
    let folder = home.join(".claude/projects/-srv-till");
    let id = |at: usize| format!("5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c{at:04}");
    let text = |at: usize| prompt("Fix it").replace("\"s\"", &format!("\"{}\"", id(at)));
    let paths: Vec<PathBuf> =
        (0..20).map(|at| put(&folder, &format!("{}.jsonl", id(at)), &text(at))).collect();
    // An older sub-agent's file names its session only within.
    let agent = put(&folder, "agent-a1.jsonl", &text(7));
    let machine = Machine { home: Some(home), ..Machine::default() };
    let catalog = Catalog { formats: formats::ALL, machine };
    for name in [paths[7].clone(), id(7).into(), id(7).to_uppercase().into()] {
        let before = guard(&READ).len();
        let opened = catalog.open(&name, &[]).unwrap();
        assert_eq!(opened.session().id, id(7));
        assert_eq!(opened.paths, [paths[7].clone(), agent.clone()], "{}", name.display());
        let read = guard(&READ);
        let read: Vec<PathBuf> = read[before..].iter().map(|(path, _)| path.clone()).collect();
        let others = read.iter().filter(|path| path.starts_with(&folder));
        let others: Vec<&PathBuf> =
            others.filter(|path| **path != paths[7] && **path != agent).collect();
        assert!(others.is_empty(), "{}: {others:?}", name.display());
    }
}

/// Files that are kept whole are opened once: short and long ones, ones of a session with
/// sub-agents, and such as are no session.
#[test]
fn kept_files_are_opened_once() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().join("projects/-srv-till");
    let id = |at: usize| format!("6f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c{at:04}");
    let text = |at: usize, long: usize| {
        let said = answer(2, "claude-opus-4-6", &"word ".repeat(long));
        (prompt("Fix it") + &said).replace("\"s\"", &format!("\"{}\"", id(at)))
    };
    let mut paths = Vec::new();
    for (at, long) in [(0, 1), (1, 50_000), (2, 400_000), (3, 20)] {
        paths.push(put(&folder, &format!("{}.jsonl", id(at)), &text(at, long)));
    }
    let agents = folder.join(id(3)).join("subagents");
    for at in 0..3 {
        paths.push(put(&agents, &format!("agent-a{at}.jsonl"), &text(3, 30_000 * at)));
    }
    paths.push(put(&folder, "notes.txt", "nothing"));
    let catalog = Catalog { formats: formats::ALL, machine: Machine::default() };
    let kept = Kept::whole();
    let early = Early::default();
    let glance = |claimed: &Claimed| {
        early.add(claimed, |source, _| Some(bundle_of(source, &kept).0));
    };
    let found = catalog.find_with(&[temp.path().to_path_buf()], &kept, &glance);
    let read = |source: &Source| early.take(source).unwrap_or_else(|| bundle_of(source, &kept).0);
    let bundles: Vec<Bundle> = found.sources.iter().map(read).collect();
    let opened = guard(&OPENED);
    for path in &paths {
        let times = opened.iter().filter(|opened| *opened == path).count();
        assert_eq!(times, 1, "{}", path.display());
    }
    drop(opened);
    // The bytes are those of files that are opened again.
    let bytes = |bundle: &Bundle| -> Vec<Vec<u8>> {
        bundle.members.iter().map(|member| member.bytes().to_vec()).collect()
    };
    assert_eq!(bundles.len(), 4);
    for (source, early) in found.sources.iter().zip(&bundles) {
        assert_eq!(bytes(&bundle(source).0), bytes(early));
    }
}
