//! A round: a folder is exchanged (`folders.rs`), or a session is placed, its journal is damaged,
//! its agent and its user change files, and the next process opens the placements. What the agent
//! or the user wrote is there afterwards.

use std::fs;
use std::path::{Path, PathBuf};

use samples::Dice;
use verbatim_store::placing::{Placed, Placements, state};

mod folders;

/// Values for members of an entry.
const VALUES: &[&str] = &[
    "null",
    "[]",
    "{}",
    "\"placing\"",
    "\"placed\"",
    "\"removing\"",
    "\"heron\"",
    "\"verbatim-placed-2\"",
    "[{\"path\":\"OUTSIDE\",\"sha256\":\"DIGEST\"}]",
    "[{\"path\":\"HOME/../outside\",\"sha256\":\"DIGEST\"}]",
    "[\"OUTSIDE\"]",
    "[\"/\"]",
    "-1",
];
/// The members of an entry.
const MEMBERS: &[&str] = &[
    "schema", "step", "agent", "id", "source", "from", "version", "at", "books", "folder", "files",
    "content", "folders",
];
/// The digest of the text `mine`, for an entry that claims to have placed it.
const DIGEST: &str = "3fd30542fe3f61b14bd4a4b2dc0b6fb30fa6f63ebce52dd1778aaa8c4dc02cff";

/// A round by these choices.
///
/// # Panics
/// If something was lost that the agent or the user wrote.
#[allow(unreachable_pub)]
pub fn round(dice: &mut Dice<'_>) {
    if dice.roll(3) == 0 {
        return folders::round(dice);
    }
    let temp = tempfile::tempdir().expect("a folder");
    let (home, journal) = (temp.path().join("home"), temp.path().join("journal"));
    let outside = temp.path().join("outside");
    fs::write(&outside, "mine").expect("a file");
    let homes = |agent: &str| if agent == "heron" { vec![home.clone()] } else { Vec::new() };
    let files: Vec<(PathBuf, &[u8])> = vec![
        (home.join("side/a.jsonl"), b"a"),
        (home.join("side/b.jsonl"), b"b"),
        (home.join("main.jsonl"), b"main"),
    ];
    let placements = Placements::open(&journal, &homes).expect("a journal");
    let placed = Placed::new("heron", "one", "wren:one", "/w");
    let begun = placements.begin(placed, &files).expect("it is begun");
    let placed = placements.end(begun, Ok(())).expect("it is placed");
    drop(placements);
    let mut entry = fs::read_dir(&journal).expect("entries").flatten().map(|entry| entry.path());
    let entry = entry.find(|path| path.extension() == Some("json".as_ref()));
    let entry = entry.expect("an entry");
    for _ in 0..dice.roll(4) {
        damage(&entry, dice, (VALUES, MEMBERS), (&home, &outside));
    }
    let changed = agent(dice, &files);
    let again = Placements::open(&journal, &homes).expect("a damaged entry stops nothing");
    for placed in again.content().placed.clone() {
        let _ = state(&placed);
        if dice.roll(2) == 1 {
            let _ = again.remove(&placed);
        }
    }
    drop(again);
    assert_eq!(fs::read(&outside).ok().as_deref(), Some(&b"mine"[..]), "the user's file");
    for (path, bytes) in &changed {
        assert_eq!(fs::read(path).ok().as_ref(), Some(bytes), "the agent's {}", path.display());
    }
    // With a file that the agent changed, the others of an entry that is whole stay too.
    let whole = fs::read(&entry).is_ok_and(|text| {
        serde_json::from_slice::<Placed>(&text).is_ok_and(|entry| entry.files == placed.files)
    });
    if whole && !changed.is_empty() {
        let gone = |path: &&PathBuf| !path.exists();
        assert_eq!(placed.files.iter().map(|file| &file.path).filter(gone).count(), 0);
    }
}

/// Damages an entry: a member, a byte, or its end.
fn damage(
    entry: &Path,
    dice: &mut Dice<'_>,
    (values, members): (&[&str], &[&str]),
    (home, outside): (&Path, &Path),
) {
    let mut text = fs::read(entry).unwrap_or_default();
    match dice.roll(3) {
        0 if !text.is_empty() => {
            let at = dice.roll(text.len());
            text[at] = dice.roll(256) as u8;
        }
        1 => text.truncate(dice.roll(text.len() + 1)),
        _ => {
            let value = dice.of(values).replace("OUTSIDE", &outside.to_string_lossy());
            let value = value.replace("HOME", &home.to_string_lossy()).replace("DIGEST", DIGEST);
            let value = serde_json::from_str::<serde_json::Value>(&value).expect("JSON");
            let Ok(mut all) = serde_json::from_slice::<serde_json::Value>(&text) else { return };
            let Some(own) = all.as_object_mut() else { return };
            own.insert((*dice.of(members)).to_owned(), value);
            text = all.to_string().into_bytes();
        }
    }
    fs::write(entry, text).expect("an entry");
}

/// The agent adds to some files. Returns them with their bytes.
fn agent(dice: &mut Dice<'_>, files: &[(PathBuf, &[u8])]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut changed = Vec::new();
    for (path, bytes) in files {
        if dice.roll(3) == 0 {
            let more = [bytes, &b" and more"[..]].concat();
            fs::write(path, &more).expect("the agent's file");
            changed.push((path.clone(), more));
        }
    }
    changed
}
