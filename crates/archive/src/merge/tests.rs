//! Archives that nobody should believe.

use std::path::Path;

use super::*;
use crate::machine::MachineName;
use crate::place::ArchiveFolder;
use crate::roles;
use crate::run::{Content, PathText, VersionFile};

fn theirs() -> MachineName {
    MachineName::new("theirs".into(), None)
}

const NOW: UtcTime = UtcTime(1_795_000_000_000_000);

fn archive(folder: &Path) -> Archive {
    Archive::read(ArchiveFolder::create(folder).unwrap()).unwrap()
}

fn file(path: &str, name: &str, content: Digest, length: u64) -> VersionFile {
    VersionFile {
        path: PathText::of(Path::new(path)),
        name: name.into(),
        role: roles::MAIN.into(),
        stem: None,
        content,
        length,
        modified: None,
        rows: false,
        stat: None,
    }
}

fn version(group: &str, files: Vec<VersionFile>) -> SessionVersion {
    let name = SessionName { agent: "quill".into(), group: group.into() };
    SessionVersion { name, ids: vec![group.into()], digest: roles::digest(&files), files }
}

/// Merges an archive with these lines beside a content of its own. Returns what was refused, and
/// how many versions were taken.
fn merged(lines: &dyn Fn(Digest) -> Vec<Line>) -> (Vec<String>, usize) {
    let temp = tempfile::tempdir().unwrap();
    let mut other = archive(&temp.path().join("theirs"));
    let mut keeper = Keeper::new(&mut other, NOW, &theirs());
    let kept = keeper.bytes(b"{\"type\":\"talks\"}").unwrap();
    lines(kept.digest).into_iter().for_each(|line| keeper.note(line));
    keeper.finish().unwrap();
    let mut ours = archive(&temp.path().join("ours"));
    let merged = merge(&mut ours, &other, NOW, &|_| {}).unwrap();
    assert!(ours.verify(true, &|_| {}).is_good());
    (merged.refused.into_iter().map(|(_, why)| why).collect(), merged.taken)
}

fn refused(why: &str, lines: &dyn Fn(Digest) -> Vec<Line>) {
    let (refused, taken) = merged(lines);
    assert!(taken == 0 && refused.len() == 1 && refused[0].contains(why), "{why}: {refused:?}");
}

#[test]
fn a_sound_version_is_taken() {
    let one = |content| vec![Line::Session(version("a", vec![file("/x/a", "a", content, 16)]))];
    assert_eq!(merged(&one), (vec![], 1));
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for name in ["../a.jsonl", "/etc/passwd", "a/../../b", "a\\..\\b"] {
        let lead = |content| {
            vec![Line::Session(version("a", vec![file("/x/a.jsonl", name, content, 16)]))]
        };
        refused("leads out of its folder", &lead);
    }
    let path =
        |content| vec![Line::Session(version("a", vec![file("/x/../../y/a", "a", content, 16)]))];
    refused("the path of a file leads upwards", &path);
    let control =
        |content| vec![Line::Session(version("a\u{1b}[2J", vec![file("/x/a", "a", content, 16)]))];
    refused("the name of its session can't be one", &control);
}

#[test]
fn digests_and_lengths_that_do_not_hold_are_refused() {
    let digest = |content| {
        let mut version = version("a", vec![file("/x/a", "a", content, 16)]);
        version.digest = Digest::of(b"another");
        vec![Line::Session(version)]
    };
    refused("it does not have its digest", &digest);
    let missing = |_| {
        let content = Digest::of(b"nowhere");
        vec![Line::Session(version("a", vec![file("/x/a", "a", content, 7)]))]
    };
    refused("no run says what the pieces", &missing);
    // A content that is made of other pieces than it says.
    let forged = |content| {
        let digest = Digest::of(b"forged");
        let line = Content { digest, length: 16, base: None, pieces: vec![content] };
        vec![Line::Content(line), Line::Session(version("a", vec![file("/x/a", "a", digest, 16)]))]
    };
    refused("do not make it", &forged);
    let circle = |_| {
        let digest = Digest::of(b"circle");
        let line = Content { digest, length: 16, base: Some(digest), pieces: vec![] };
        vec![Line::Content(line), Line::Session(version("a", vec![file("/x/a", "a", digest, 16)]))]
    };
    refused("is no beginning of itself", &circle);
}

/// A small archive whose contents are huge.
#[test]
fn a_bomb_is_refused() {
    let mut room = 100;
    let temp = tempfile::tempdir().unwrap();
    let mut other = archive(&temp.path().join("theirs"));
    let mut keeper = Keeper::new(&mut other, NOW, &theirs());
    let kept = keeper.bytes(&[b'x'; 200]).unwrap();
    keeper.finish().unwrap();
    let ours = archive(&temp.path().join("ours"));
    let large = version("a", vec![file("/x/a", "a", kept.digest, 200)]);
    let why = claims(&ours, &other, None, &large, &mut room).unwrap_err();
    assert!(why.contains("a hundred times its size"), "{why}");
}
