//! A round with a folder that gets another one in its place: the process is killed before or after
//! the exchange, its journal is damaged, the agent writes, and the next process ends it. The old
//! folder and all that the agent and the user wrote are there afterwards.

use std::fs;
use std::path::Path;

use samples::Dice;
use verbatim_store::exchange::{Folders, KnownFile, Remains};

use super::damage;

/// Values for members of an entry.
const VALUES: &[&str] = &[
    "null",
    "[]",
    "\"verbatim-folder-2\"",
    "\"OUTSIDE\"",
    "\"HOME\"",
    "\"HOME/projects\"",
    "\"HOME/projects/..\"",
    "\"HOME/.verbatim-other\"",
    "\"HOME/../outside\"",
    "\"/\"",
    "{\"device\":1,\"inode\":1}",
    "[{\"from\":\"a\",\"to\":\"../../outside/mine\",\"length\":0,\"read\":\"\",\"written\":\"\"}]",
    "-1",
];
/// The members of an entry.
const MEMBERS: &[&str] = &["schema", "target", "made", "new", "work", "old", "files"];

/// A round by these choices.
pub(super) fn round(dice: &mut Dice<'_>) {
    let temp = tempfile::tempdir().expect("a folder");
    let (home, journal) = (temp.path().join("home"), temp.path().join("journal"));
    let (outside, target) = (temp.path().join("outside"), home.join("projects"));
    for (folder, text) in [(&outside, "mine"), (&home.join(".verbatim-other"), "other")] {
        fs::create_dir_all(folder).expect("a folder");
        fs::write(folder.join("mine"), text).expect("a file");
    }
    fs::create_dir_all(&target).expect("a folder");
    fs::write(target.join("a"), "old").expect("a file");
    let folders = Folders::open(&journal).expect("a journal");
    let tree = folders.begin(&target, "work").expect("a tree");
    tree.file(Path::new("a"), b"new", None).expect("a file");
    let exchanged = dice.roll(2) == 1;
    if exchanged {
        let known = KnownFile { from: "a".into(), to: "a".into(), ..KnownFile::default() };
        drop(tree.exchange(vec![known]).expect("an exchange"));
    } else {
        // The process is killed: nothing of it is removed.
        std::mem::forget(tree);
    }
    drop(folders);
    let mut entry = fs::read_dir(&journal).expect("entries").flatten().map(|entry| entry.path());
    let entry = entry.find(|path| path.extension() == Some("json".as_ref()));
    let entry = entry.expect("an entry");
    for _ in 0..dice.roll(4) {
        damage(&entry, dice, (VALUES, MEMBERS), (&home, &outside));
    }
    fs::write(target.join("b"), "agent").expect("the agent's file");
    let folders = Folders::open(&journal).expect("a damaged entry stops nothing");
    for remains in folders.settle(&target).unwrap_or_default() {
        if let Remains::Exchanged(exchanged) = remains {
            exchanged.finish().expect("it ends");
        }
    }
    let text = |path: &Path| fs::read_to_string(path).ok();
    assert_eq!(text(&outside.join("mine")).as_deref(), Some("mine"));
    assert_eq!(text(&home.join(".verbatim-other/mine")).as_deref(), Some("other"));
    assert_eq!(text(&target.join("b")).as_deref(), Some("agent"));
    let live = if exchanged { "new" } else { "old" };
    assert_eq!(text(&target.join("a")).as_deref(), Some(live));
    let all = fs::read_dir(&home).expect("folders").flatten();
    let old = all.filter(|entry| text(&entry.path().join("a")).as_deref() == Some("old")).count();
    assert_eq!(old, 1, "the old folder");
}
