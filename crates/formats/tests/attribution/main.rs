//! Sessions of a hundred edits: the attribution of each line is compared with the files on disk,
//! with authors recorded line by line, and with `git diff`.

mod agents;
mod claude;
mod codex;
mod disk;
mod others;
mod work;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use agents::Agent;
use disk::{By, Disk};
use session::{Bundle, Member, Session, Slot, Stream};
use sha2::{Digest as _, Sha256};
use verbatim_formats::attribution::{Attribution, attribution};
use work::Telling;

/// Number of edits in a session.
const EDITS: usize = 140;

/// Reads an agent's session.
fn read(agent: Box<dyn Agent>) -> Session {
    let format = verbatim_formats::by_name(agent.format()).expect("a format");
    let whole = agent.whole();
    let member = |(stream, name, records): (Option<&str>, &str, Vec<serde_json::Value>)| {
        let stream = stream.map_or(Stream::Main, |stream| Stream::Sub(stream.to_owned()));
        let text: String = match whole {
            true => format!("{:#}\n", records[0]),
            false => records.iter().map(|record| format!("{record}\n")).collect(),
        };
        format.decode(Member::new(name, stream, text.into_bytes()).expect("a short file"))
    };
    let members = agent.members().into_iter().map(member).collect();
    let mut sessions = format.read(Arc::new(Bundle { members }));
    sessions.retain(|session| !session.remainder);
    assert_eq!(sessions.len(), 1, "{}", format.name());
    sessions.remove(0)
}

/// The number of a call's edit.
fn edit(session: &Session, event: session::EventIx) -> usize {
    let id = session.event(event).text(Slot::Call).expect("a call has an id").into_owned();
    let number = id.split('_').nth(1).and_then(|word| word.lines().next());
    number.and_then(|number| number.parse().ok()).expect("a number in the id")
}

/// Compares the attribution with the recorded authors and the content of the files.
fn hold(what: &str, session: &Session, found: &Attribution, disk: &Disk) {
    assert!(found.unknown.is_empty(), "{what}: {:?}", &found.unknown[..1]);
    let mut paths = disk.paths();
    let owned = |path: &String| disk.owners(path).iter().any(|by| matches!(by, By::Edit(_)));
    paths.retain(owned);
    let found_paths: Vec<_> = found.files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(found_paths, paths, "{what}");
    for file in &found.files {
        let text = disk.text(&file.path);
        let lines: Vec<&str> = text.lines().collect();
        let mut said = vec![None; lines.len()];
        for range in &file.ranges {
            let number = edit(session, range.event);
            for by in &mut said[range.start - 1..range.end] {
                assert_eq!(by.replace(number), None, "{what}: {} overlaps", file.path);
            }
            let text = lines[range.start - 1..range.end].join("\n");
            let digest = Sha256::digest(text.as_bytes());
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(range.hash, digest, "{what}: {} {}: {text}", file.path, range.start);
            assert!(range.model.is_some(), "{what}");
        }
        for (at, by) in disk.owners(&file.path).into_iter().enumerate() {
            let expected = if let By::Edit(number) = by { Some(number) } else { None };
            assert_eq!(said[at], expected, "{what}: {}:{} {}", file.path, at + 1, lines[at]);
        }
    }
}

/// The lines that are new since the session began, by `git diff`; `None` without git.
fn git(disk: &Disk, path: &str) -> Option<Vec<usize>> {
    let before = disk.folder.path().join("before.txt");
    std::fs::write(&before, disk.began(path)).expect("written");
    let mut command = Command::new("git");
    command.args(["diff", "--no-index", "--no-color", "--no-ext-diff", "-U0"]);
    let output = command.arg(&before).arg(disk.path(path)).output();
    std::fs::remove_file(before).expect("removed");
    let text = String::from_utf8(output.ok()?.stdout).expect("a diff of text");
    let mut lines = Vec::new();
    for head in text.lines().filter_map(|line| line.strip_prefix("@@ ")) {
        let new = head.split(' ').find_map(|word| word.strip_prefix('+')).expect("new lines");
        let (start, count) = new.split_once(',').unwrap_or((new, "1"));
        let (start, count): (usize, usize) =
            (start.parse().expect("a line"), count.parse().expect("a count"));
        lines.extend(start..start + count);
    }
    Some(lines)
}

/// Compares the attribution with `git diff`: new lines are the session's, or somebody else's.
fn hold_to_git(what: &str, found: &Attribution, disk: &Disk) -> usize {
    let mut compared = 0;
    for path in disk.paths() {
        let Some(came) = git(disk, &path) else {
            use std::io::Write as _;
            let _ = writeln!(std::io::stderr(), "skipped: `git diff` as a second opinion: no git");
            return compared;
        };
        let file = found.files.iter().find(|file| file.path == path);
        let ranges = file.map(|file| file.ranges.as_slice()).unwrap_or_default();
        let ours = ranges.iter().flat_map(|range| range.start..=range.end);
        let others = disk.owners(&path).into_iter().enumerate();
        let others = others.filter(|(_, by)| *by == By::Other).map(|(at, _)| at + 1);
        let mut expected: Vec<usize> = ours.chain(others).collect();
        expected.sort_unstable();
        assert_eq!(came, expected, "{what}: {path}");
        compared += came.len();
    }
    compared
}

fn sessions(make: impl Fn() -> Box<dyn Agent>) {
    let (mut lines, mut compared) = (0, 0);
    for seed in 1..=6 {
        let mut agent = make();
        let tools = agent.tools();
        let disk = work::work(seed, EDITS, &tools, &mut |step| agent.tell(step));
        let what = format!("{} {:?}, session {seed}", agent.format(), tools.telling);
        let session = read(agent);
        let mut found = attribution(&session);
        if found.folder.is_none() {
            // Two agents do not record their folder: paths are as in the calls.
            let root = format!("{}/", disk.folder.path().display());
            for file in &mut found.files {
                file.path = file.path.strip_prefix(&root).expect("within").to_owned();
            }
        }
        hold(&what, &session, &found, &disk);
        compared += hold_to_git(&what, &found, &disk);
        let ranges = found.files.iter().flat_map(|file| &file.ranges);
        lines += ranges.map(|range| range.end - range.start + 1).sum::<usize>();
    }
    assert!(lines > 300, "{lines} lines are few");
    assert!(compared == 0 || compared >= lines);
}

#[test]
fn claude_code_tells_all() {
    let agent = |telling| claude::Claude { telling, main: Vec::new(), sub: Vec::new() };
    sessions(|| Box::new(agent(Telling::Whole)));
    sessions(|| Box::new(agent(Telling::Bare)));
}

#[test]
fn codex_tells_all() {
    for telling in [Telling::Whole, Telling::Bare] {
        sessions(|| Box::new(codex::Codex { telling, lines: Vec::new() }));
    }
}

#[test]
fn gemini_tells_all() {
    for telling in [Telling::Whole, Telling::Bare] {
        let folder = String::new;
        sessions(|| Box::new(others::Gemini { telling, messages: Vec::new(), folder: folder() }));
    }
}

#[test]
fn opencode_tells_all() {
    for telling in [Telling::Whole, Telling::Bare] {
        let folder = String::new;
        sessions(|| Box::new(others::OpenCode { telling, messages: Vec::new(), folder: folder() }));
    }
}

#[test]
fn cursor_tells_what_has_its_digest() {
    sessions(|| Box::new(others::Cursor { rows: Vec::new(), order: Vec::new() }));
}

#[test]
fn codewhale_tells_all() {
    sessions(|| Box::new(others::CodeWhale { messages: Vec::new(), folder: String::new() }));
}

/// The comparison must fail if a file changes.
#[test]
#[should_panic(expected = "claude")]
fn a_line_that_somebody_else_changed_is_seen() {
    let mut agent = claude::Claude { telling: Telling::Whole, main: Vec::new(), sub: Vec::new() };
    let mut disk = work::work(3, EDITS, &agent.tools(), &mut |step| agent.tell(step));
    let session = read(Box::new(agent));
    let found = attribution(&session);
    let path = found.files[0].path.clone();
    assert!(Path::new(&disk.path(&path)).exists());
    let at = found.files[0].ranges[0].start - 1;
    disk.splice(&path, &disk::Splice { at, gone: 1, new: Vec::new() }, By::Other);
    hold("claude", &session, &found, &disk);
}
