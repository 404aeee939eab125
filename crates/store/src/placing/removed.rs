//! Files that were placed and are removed again. An agent that has one open writes on into it, so
//! each keeps a name in the journal's folder until everything else of its removal is done, and no
//! other program has it open. What an agent has changed there is kept.

use std::fs;
use std::path::{Path, PathBuf};

use super::remove_unchanged;
use super::state::digest_of;
use crate::Error;
use crate::journal::PlacedFile;
use crate::open_files::is_open_elsewhere;

/// The ending of the names of such files.
const ENDING: &str = ".removed";

/// Moves a file that is as it was placed out of its agent's store. If the agent writes to it in
/// that moment, it is put back.
///
/// # Errors
/// [`Error::Continued`] if the agent wrote to it.
pub(super) fn move_out(file: &PlacedFile, journal: &Path) -> Result<(), Error> {
    let number = removed(journal).last().map_or(0, |last| last.0 + 1);
    let kept_as = journal.join(format!("{number}-{}{ENDING}", file.sha256));
    if fs::rename(&file.path, &kept_as).is_err() {
        // The journal is on another disk, or has no room for a name.
        return remove_unchanged(file);
    }
    if digest_of(&kept_as).as_deref() == Some(&*file.sha256) {
        return Ok(());
    }
    let back = fs::hard_link(&kept_as, &file.path).and_then(|()| fs::remove_file(&kept_as));
    // If the agent has another file in its place by now, this one is kept as what it is.
    let path = if back.is_ok() { file.path.clone() } else { kept_as };
    Err(Error::Continued { path })
}

/// Deletes the files that were moved out and that no agent has changed, nor has open. The one that
/// was moved out first, which its agent is most likely to have open, is the last one.
pub(super) fn sweep(journal: &Path) {
    for (_, file) in removed(journal).into_iter().rev() {
        if is_unchanged(&file) && !is_open_elsewhere(&file.path) {
            // What can't be deleted now is deleted by the next sweep.
            let _ = remove_unchanged(&file);
        }
    }
}

/// The files that an agent has changed after they were moved out.
pub(super) fn kept(journal: &Path) -> Vec<PathBuf> {
    let files = removed(journal).into_iter().map(|(_, file)| file);
    files.filter(|file| !is_unchanged(file)).map(|file| file.path).collect()
}

/// The files that were moved out and that a program has open: what it writes next is not lost.
pub(super) fn held(journal: &Path) -> Vec<PathBuf> {
    let files = removed(journal).into_iter().map(|(_, file)| file);
    files
        .filter(is_unchanged)
        .map(|file| file.path)
        .filter(|path| is_open_elsewhere(path))
        .collect()
}

fn is_unchanged(file: &PlacedFile) -> bool {
    digest_of(&file.path).as_deref() == Some(&*file.sha256)
}

/// The files that were moved out, in this order, with their numbers.
fn removed(journal: &Path) -> Vec<(u64, PlacedFile)> {
    let named = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(ENDING)?;
        let (number, sha256) = name.split_once('-')?;
        let (number, sha256) = (number.parse().ok()?, sha256.to_owned());
        path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
        Some((number, PlacedFile { path, sha256, before: None }))
    };
    let entries = fs::read_dir(journal).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.filter_map(|entry| named(entry.path())).collect();
    files.sort_by_key(|(number, _)| *number);
    files
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn what_an_agent_writes_into_a_removed_file_is_kept() {
        let temp = tempfile::tempdir().unwrap();
        let (path, journal) = (temp.path().join("rollout.jsonl"), temp.path().join("journal"));
        fs::create_dir(&journal).unwrap();
        for changes in [false, true] {
            fs::write(&path, "placed\n").unwrap();
            let mut agent = fs::File::options().append(true).open(&path).unwrap();
            move_out(&PlacedFile::new(&path, b"placed\n"), &journal).unwrap();
            assert!(!path.exists() && kept(&journal).is_empty());
            if changes {
                agent.write_all(b"continued\n").unwrap();
            }
            sweep(&journal);
            assert_eq!(removed(&journal).len(), usize::from(changes));
        }
        // A later removal of the same bytes leaves it alone.
        fs::write(&path, "placed\n").unwrap();
        move_out(&PlacedFile::new(&path, b"placed\n"), &journal).unwrap();
        sweep(&journal);
        let [kept] = &kept(&journal)[..] else { panic!("{:?}", removed(&journal)) };
        assert_eq!(fs::read_to_string(kept).unwrap(), "placed\ncontinued\n");
    }

    /// An agent that has the file open and writes later writes into a file that has a name.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_a_program_has_open_keeps_its_name() {
        let temp = tempfile::tempdir().unwrap();
        let (path, journal) = (temp.path().join("rollout.jsonl"), temp.path().join("journal"));
        fs::create_dir(&journal).unwrap();
        fs::write(&path, "placed\n").unwrap();
        let file = fs::File::options().append(true).open(&path).unwrap();
        let mut agent = std::process::Command::new("sh");
        agent.args(["-c", "read line; echo continued"]).stdout(file);
        let mut agent = agent.stdin(std::process::Stdio::piped()).spawn().unwrap();
        move_out(&PlacedFile::new(&path, b"placed\n"), &journal).unwrap();
        sweep(&journal);
        let [held] = &held(&journal)[..] else { panic!("it is deleted under its agent") };
        assert!(!path.exists() && kept(&journal).is_empty());
        drop(agent.stdin.take());
        agent.wait().unwrap();
        assert_eq!(fs::read_to_string(held).unwrap(), "placed\ncontinued\n");
        assert!(super::held(&journal).is_empty() && kept(&journal) == [held.clone()]);
        // One into which nothing was written is deleted when it is closed.
        fs::remove_file(held).unwrap();
        fs::write(&path, "placed\n").unwrap();
        let file = fs::File::open(&path).unwrap();
        let mut reader = std::process::Command::new("cat");
        let stdin = std::process::Stdio::piped();
        let mut reader = reader.stdin(stdin).stdout(file).spawn().unwrap();
        move_out(&PlacedFile::new(&path, b"placed\n"), &journal).unwrap();
        sweep(&journal);
        assert_eq!(removed(&journal).len(), 1);
        drop(reader.stdin.take());
        reader.wait().unwrap();
        sweep(&journal);
        assert!(removed(&journal).is_empty());
    }

    /// A file can't be moved to another disk, so it is deleted at once, and what an agent wrote
    /// before that is put back.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_journal_on_another_disk_keeps_nothing() {
        use std::os::unix::fs::MetadataExt as _;
        let temp = tempfile::tempdir().unwrap();
        let journal = match tempfile::tempdir_in("/dev/shm") {
            Ok(other) if other.path().metadata().unwrap().dev() != temp_dev(temp.path()) => other,
            _ => return,
        };
        let path = temp.path().join("rollout.jsonl");
        fs::write(&path, "placed\n").unwrap();
        move_out(&PlacedFile::new(&path, b"placed\n"), journal.path()).unwrap();
        assert!(!path.exists() && removed(journal.path()).is_empty());
        fs::write(&path, "placed\ncontinued\n").unwrap();
        let moved = move_out(&PlacedFile::new(&path, b"placed\n"), journal.path());
        assert!(matches!(moved, Err(Error::Continued { .. })), "{moved:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "placed\ncontinued\n");
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);

        fn temp_dev(path: &Path) -> u64 {
            path.metadata().unwrap().dev()
        }
    }

    #[test]
    fn a_file_that_was_written_to_before_it_is_moved_out_is_put_back() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("rollout.jsonl");
        fs::write(&path, "placed\ncontinued\n").unwrap();
        let moved = move_out(&PlacedFile::new(&path, b"placed\n"), temp.path());
        assert!(matches!(moved, Err(Error::Continued { .. })), "{moved:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "placed\ncontinued\n");
        assert!(removed(temp.path()).is_empty());
    }
}
