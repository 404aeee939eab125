//! The state of files and folders, so that what was read of them counts until one has changed.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The length and the times of the last change; `None` if it is not there.
type State = Option<(u64, Option<SystemTime>, Changed)>;

/// The time of the last change that the system itself notes, in seconds and nanoseconds: who writes
/// a file can set its other time back.
type Changed = (i64, i64);

/// The state of some files, of what databases write beside them, and of the folders around them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen(BTreeMap<PathBuf, State>);

impl Seen {
    /// The state of files as they are now.
    pub(crate) fn of<'p>(files: impl Iterator<Item = &'p Path>) -> Self {
        Self::default().and(files)
    }

    /// The same with more files.
    pub(crate) fn and<'p>(mut self, files: impl Iterator<Item = &'p Path>) -> Self {
        for file in files {
            self.add(file.to_path_buf());
            let mut log = file.as_os_str().to_owned();
            log.push("-wal");
            self.add(log.into());
            // A further file of the session is in one of these.
            for folder in file.ancestors().skip(1).take(2) {
                self.add(folder.to_path_buf());
            }
            let own = file.with_extension("");
            if own != file {
                self.add(own.join("subagents"));
                self.add(own);
            }
        }
        self
    }

    fn add(&mut self, path: PathBuf) {
        self.0.entry(path).or_insert_with_key(|path| state(path));
    }

    /// Whether nothing of it has changed since.
    pub(crate) fn is_as_it_was(&self) -> bool {
        self.0.iter().all(|(path, before)| state(path) == *before)
    }
}

fn state(path: &Path) -> State {
    let about = path.metadata().ok()?;
    Some((about.len(), about.modified().ok(), changed(&about)))
}

#[cfg(unix)]
fn changed(about: &Metadata) -> Changed {
    use std::os::unix::fs::MetadataExt as _;
    (about.ctime(), about.ctime_nsec())
}

#[cfg(not(unix))]
const fn changed(_: &Metadata) -> Changed {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_and_a_new_one_are_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.jsonl");
        std::fs::write(&file, "1\n").expect("written");
        let seen = || Seen::of([file.as_path()].into_iter());
        let before = seen();
        assert!(before.is_as_it_was());
        std::fs::write(&file, "1\n2\n").expect("written");
        assert!(!before.is_as_it_was() && seen().is_as_it_was());
        // One that was rewritten, with its length and its time as before.
        let (before, about) = (seen(), file.metadata().expect("there"));
        // The system may note times by steps of some milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(30));
        std::fs::write(&file, "3\n4\n").expect("written");
        let times = std::fs::FileTimes::new().set_modified(about.modified().expect("known"));
        let written = std::fs::File::options().append(true).open(&file).expect("opened");
        written.set_times(times).expect("set");
        assert_eq!(before.is_as_it_was(), cfg!(not(unix)));
        let before = seen();
        std::fs::create_dir(folder.path().join("a")).expect("made");
        assert!(!before.is_as_it_was());
    }
}
