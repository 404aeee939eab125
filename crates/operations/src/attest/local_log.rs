//! The log of this machine: digests in their order, of which none is ever changed or removed, and
//! the tree over them.
//!
//! It is a file of lines: the digest of an entry, the time at which it was added, and a name for
//! people. The tree is of the digests alone. The first entry is the digest of random bytes: it
//! names the log, and gives every other entry a path.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use catalog::Machine;
use session::UtcTime;
use sha2::{Digest as _, Sha256};
use sign::{Checkpoint, Hash, Tree, hash_of_hex, hex, leaf_hash};
use store::unnamed::{lock_file, private_folder};

use crate::attest::error::{Error, at, refused};
use crate::attest::rights::closed;

/// The beginning of the name of every log.
const ORIGIN: &str = "verbatim-log/";

/// Greatest length of the name of an entry.
const NAME: usize = 200;

/// Greatest length of the file.
const LIMIT: u64 = 1 << 32;

/// The log of a machine.
#[derive(Clone, Debug)]
pub struct LocalLog {
    folder: PathBuf,
}

/// An entry to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEntry {
    /// The digest of the thing that is in the log.
    pub digest: Hash,
    /// Its name for people; nothing shows it.
    pub name: String,
}

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// The digest of the thing that is in the log.
    pub digest: Hash,
    /// When it was added, by the clock of then.
    pub time: String,
    /// Its name for people.
    pub name: String,
}

/// The log as it is now.
#[derive(Clone, Debug)]
pub struct LogState {
    /// Its name.
    pub origin: String,
    /// Its entries.
    pub entries: Vec<LogEntry>,
    /// The tree over their digests.
    pub tree: Tree,
}

impl LocalLog {
    /// The log of the user of a machine, which need not be there yet.
    ///
    /// # Errors
    /// The user has no folder for data.
    pub fn of(machine: &Machine) -> Result<Self, Error> {
        match machine.data() {
            Some(folder) => Ok(Self { folder: folder.join("log") }),
            None => refused("there is no folder for the log", "set HOME"),
        }
    }

    /// The file of the entries.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        self.folder.join("entries")
    }

    /// Adds entries, in their order, and returns the place of the first one. They are on the disk
    /// when it returns. Two processes at once add one behind the other.
    ///
    /// # Errors
    /// The log is damaged, or a file can't be written.
    pub fn append(&self, new: &[NewEntry], now: UtcTime, random: &[u8; 32]) -> Result<u64, Error> {
        self.make_folder()?;
        let _lock = self.lock()?;
        let path = self.file();
        let io = at(&path);
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(io)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(io)?;
        let whole = whole(&text);
        let entries = entries(&path, whole)?;
        let mut lines = String::new();
        if whole.last().is_some_and(|last| *last != b'\n') {
            lines.push('\n');
        }
        if entries.is_empty() {
            let first = Sha256::digest(random).into();
            let first = NewEntry { digest: first, name: "the beginning of this log".into() };
            lines.push_str(&line(&first, now));
        }
        let first = entries.len().max(1) as u64;
        new.iter().for_each(|entry| lines.push_str(&line(entry, now)));
        file.set_len(whole.len() as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        file.write_all(lines.as_bytes()).map_err(io)?;
        file.sync_all().map_err(io)?;
        self.sync_folder()?;
        Ok(first)
    }

    /// The log as it is now; `None` if there is no log.
    ///
    /// # Errors
    /// It is damaged, or can't be read.
    pub fn read(&self) -> Result<Option<LogState>, Error> {
        let path = self.file();
        if !path.is_file() {
            return Ok(None);
        }
        closed(&self.folder)?;
        let text = catalog::bounded(&path, LIMIT).map_err(at(&path))?;
        let entries = entries(&path, whole(&text))?;
        let Some(first) = entries.first() else { return Ok(None) };
        let origin = format!("{ORIGIN}{}", hex(first.digest.get(..8).unwrap_or_default()));
        let mut tree = Tree::default();
        entries.iter().for_each(|entry| tree.push(leaf_hash(&entry.digest)));
        Ok(Some(LogState { origin, entries, tree }))
    }

    fn make_folder(&self) -> Result<(), Error> {
        private_folder(&self.folder).map_err(at(&self.folder))?;
        closed(&self.folder)
    }

    /// The lock of those who add entries.
    fn lock(&self) -> Result<File, Error> {
        let path = self.folder.join("lock");
        let file = lock_file(&path).map_err(at(&path))?;
        file.lock().map_err(at(&path))?;
        Ok(file)
    }

    /// Waits until the names in the folder are on the disk.
    fn sync_folder(&self) -> Result<(), Error> {
        #[cfg(unix)]
        File::open(&self.folder).and_then(|it| it.sync_all()).map_err(at(&self.folder))?;
        Ok(())
    }
}

impl LogState {
    /// The number of entries.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.tree.size()
    }

    /// The head, which is what is signed.
    #[must_use]
    pub fn head(&self) -> Checkpoint {
        let size = self.size();
        let root = self.tree.root(size).unwrap_or_default();
        Checkpoint { origin: self.origin.clone(), size, root, rest: String::new() }
    }

    /// The first entry of a digest.
    #[must_use]
    pub fn find(&self, digest: &Hash) -> Option<u64> {
        let at = self.entries.iter().position(|entry| entry.digest == *digest)?;
        Some(at as u64)
    }
}

/// The digest of a file, by which the log has it.
///
/// # Errors
/// The file can't be read.
pub fn file_digest(path: &Path) -> Result<Hash, Error> {
    let mut file = File::open(path).map_err(at(path))?;
    let mut digest = Sha256::new();
    std::io::copy(&mut file, &mut digest).map_err(at(path))?;
    Ok(digest.finalize().into())
}

/// The lines that are entries. A last line that has no end may have been reported, so it counts if
/// it can be read; else its process was ended while it wrote.
fn whole(text: &[u8]) -> &[u8] {
    let end = memchr::memrchr(b'\n', text).map_or(0, |at| at + 1);
    match text.get(end..).and_then(entry_of) {
        Some(_) => text,
        None => text.get(..end).unwrap_or_default(),
    }
}

/// The entry of a line.
fn entry_of(line: &[u8]) -> Option<LogEntry> {
    let (digest, rest) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    let (time, name) = rest.split_once(' ')?;
    Some(LogEntry { digest: hash_of_hex(digest)?, time: time.into(), name: name.into() })
}

/// The line of an entry.
fn line(entry: &NewEntry, now: UtcTime) -> String {
    let name: String = entry.name.chars().filter(|it| !it.is_control()).take(NAME).collect();
    format!("{} {} {name}\n", hex(&entry.digest), now.rfc3339())
}

/// The entries of a file.
fn entries(path: &Path, text: &[u8]) -> Result<Vec<LogEntry>, Error> {
    let mut entries = Vec::new();
    for (number, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if line.is_empty() && number > 0 {
            continue;
        }
        match entry_of(line) {
            Some(entry) => entries.push(entry),
            None if text.is_empty() => {}
            None => {
                let what = format!("{}: line {} is damaged", path.display(), number + 1);
                let hint = "put the file back from a copy; `verbatim log check HEAD` tells whether \
                            the copy has all that the head had";
                return refused(what, hint);
            }
        }
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> (tempfile::TempDir, LocalLog) {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("log");
        (temp, LocalLog { folder })
    }

    fn entry(number: u8) -> NewEntry {
        NewEntry { digest: [number; 32], name: format!("file\n{number}") }
    }

    #[test]
    fn what_is_added_stays_in_its_order() {
        let (_temp, log) = log();
        assert!(log.read().unwrap().is_none());
        assert_eq!(log.append(&[entry(1)], UtcTime(0), &[7; 32]).unwrap(), 1);
        let first = log.read().unwrap().unwrap().head();
        assert_eq!(log.append(&[entry(2), entry(3)], UtcTime(0), &[8; 32]).unwrap(), 2);
        let state = log.read().unwrap().unwrap();
        assert_eq!((state.size(), state.find(&[3; 32]), state.find(&[9; 32])), (4, Some(3), None));
        assert_eq!(state.tree.root(first.size), Some(first.root));
        assert_eq!(state.head().origin, first.origin);
        assert_eq!(state.entries[1].name, "file1", "no control character");
    }

    #[test]
    fn a_line_that_was_not_ended_is_no_entry_and_a_damaged_one_is_named() {
        let (_temp, log) = log();
        log.append(&[entry(1)], UtcTime(0), &[7; 32]).unwrap();
        let text = std::fs::read(log.file()).unwrap();
        std::fs::write(log.file(), [&text, &text[..40]].concat()).unwrap();
        assert_eq!(log.read().unwrap().unwrap().size(), 2);
        assert_eq!(log.append(&[entry(2)], UtcTime(0), &[7; 32]).unwrap(), 2);
        assert_eq!(log.read().unwrap().unwrap().size(), 3);
        // The end of the last line alone is lost: its entry was reported, and stays.
        let text = std::fs::read(log.file()).unwrap();
        std::fs::write(log.file(), &text[..text.len() - 1]).unwrap();
        assert_eq!(log.read().unwrap().unwrap().size(), 3);
        assert_eq!(log.append(&[entry(4)], UtcTime(0), &[7; 32]).unwrap(), 3);
        let state = log.read().unwrap().unwrap();
        assert_eq!((state.find(&[2; 32]), state.find(&[4; 32])), (Some(2), Some(3)));
        let mut text = std::fs::read(log.file()).unwrap();
        text[3] = b'x';
        std::fs::write(log.file(), text).unwrap();
        assert!(log.read().unwrap_err().to_string().contains("line 1"));
        assert!(log.append(&[entry(3)], UtcTime(0), &[7; 32]).is_err());
    }

    #[test]
    fn two_at_once_give_one_order() {
        let (_temp, log) = log();
        let places: Vec<u64> = std::thread::scope(|scope| {
            let add = |number: u8| {
                let log = log.clone();
                move || log.append(&[entry(number), entry(number)], UtcTime(0), &[7; 32]).unwrap()
            };
            let threads: Vec<_> = (0..8).map(|number| scope.spawn(add(number))).collect();
            threads.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let state = log.read().unwrap().unwrap();
        assert_eq!(state.size(), 17);
        for (number, at) in (0_u8..).zip(places) {
            let at = usize::try_from(at).unwrap();
            let both = [state.entries[at].digest, state.entries[at + 1].digest];
            assert_eq!(both, [[number; 32]; 2]);
        }
    }
}
