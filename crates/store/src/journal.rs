//! Journal of placements: a file for each state of a session that was placed into an agent's store,
//! so that it can be removed again, and so that a killed placement leaves nothing behind. The key
//! of an entry is the source with its state, the home folder of the agent, and the folder in which
//! the agent continues it.
//!
//! Another program, or a later version of this one, may have written an entry. An entry is
//! believed only if it has this version's form or an earlier one's and its own name, and if its
//! paths are in the agent's own folders. All others are reported, and nothing is done for them. An
//! entry of a home that nobody named is left alone without a word.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{Error, atomic, file_name, ground};

mod read;

pub(crate) use read::noted;

/// The name of the schema of a journal's entry.
const SCHEMA: &str = "verbatim-placed-1";

/// Progress of a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// It has begun: not all of its files need be there.
    Placing,
    /// It is complete.
    Placed,
    /// A newer state of its source has its place. It comes back when that one is removed.
    Replaced,
    /// Its removal has begun.
    Removing,
}

/// A file that was placed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedFile {
    /// Its path.
    pub path: PathBuf,
    /// The SHA-256 digest of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// The digest of the placed file that it is in place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// A line that was added to a file in which an agent lists its sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedLine {
    /// The path of the file.
    pub path: PathBuf,
    /// The line, without its end.
    pub text: String,
}

impl PlacedFile {
    /// A file at this path with these bytes.
    #[must_use]
    pub fn new(path: &Path, bytes: &[u8]) -> Self {
        Self { path: path.to_path_buf(), sha256: digest(bytes), before: None }
    }

    /// Whether it was placed at this path with these bytes.
    #[must_use]
    pub fn is(&self, path: &Path, bytes: &[u8]) -> bool {
        self.path == path && self.sha256 == digest(bytes)
    }
}

/// A placement, as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// The name of the schema.
    schema: String,
    /// Its progress.
    pub step: Step,
    /// The name of the agent's format.
    pub agent: String,
    /// The id of the session in its agent.
    pub id: String,
    /// The uid of the session that it was made from.
    pub source: String,
    /// The state in which that session was: a digest of its conversation. Earlier versions noted
    /// neither it nor the home.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The number of turns that the session had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// The name from which its id is derived too, if another placement has the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
    /// The agent's home folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<PathBuf>,
    /// The name of the entry that it is in place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// The format of that session.
    pub from: String,
    /// The version of the program that placed it.
    pub version: String,
    /// The time for which it was written, in microseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// The SHA-256 digest of the books of its conversion, if it was written for another agent.
    pub books: Option<String>,
    /// The folder in which the agent continues it.
    pub folder: String,
    /// Its files, in the order in which they are placed: the one that lists the session is the
    /// last. Empty if the agent's own import took it in.
    pub files: Vec<PlacedFile>,
    /// The digest of the session's content as it is read back, if the agent's own import took it
    /// in.
    pub content: Option<String>,
    /// The line that was added to the agent's own list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<AddedLine>,
    /// The folders that were made for it, each before those within it.
    pub folders: Vec<PathBuf>,
}

impl Placed {
    /// A placement that begins.
    pub fn new(agent: &str, id: &str, source: &str, folder: &str) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            step: Step::Placing,
            agent: agent.to_owned(),
            id: id.to_owned(),
            source: source.to_owned(),
            state: None,
            turns: None,
            copy: None,
            home: None,
            replaces: None,
            from: String::new(),
            version: String::new(),
            at: None,
            books: None,
            folder: folder.to_owned(),
            files: Vec::new(),
            content: None,
            line: None,
            folders: Vec::new(),
        }
    }

    /// The name of its file in the journal.
    pub(crate) fn file_name(&self) -> String {
        // Not the session's own words: ids are hostile, and may differ in case only.
        let key = match &self.home {
            // The key of earlier versions.
            None => format!("{}\0{}", self.agent, self.id),
            Some(home) => [
                &*self.agent,
                &self.source,
                self.state.as_deref().unwrap_or_default(),
                &home.to_string_lossy(),
                &self.folder,
            ]
            .join("\0"),
        };
        format!("{}-{}.json", file_name(&self.agent), &digest(key.as_bytes())[..16])
    }

    /// Whether it is the same entry of the journal.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.file_name() == other.file_name()
    }

    /// Whether it is in this home folder of its agent. Earlier versions did not note the home.
    #[must_use]
    pub fn is_in(&self, home: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        match &self.home {
            Some(own) => own == home || real(own) == real(home),
            None => self
                .files
                .iter()
                .all(|file| file.path.starts_with(home) || file.path.starts_with(real(home))),
        }
    }
}

/// The folders of an agent, by the name of its format; none for a format that takes no session in.
pub type Homes<'h> = &'h dyn Fn(&str) -> Vec<PathBuf>;

/// A file of the journal that is not obeyed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrangeEntry {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    pub why: String,
}

/// Content of a journal.
#[derive(Clone, Debug, Default)]
pub struct Noted {
    /// The placements, in the order of their files' names.
    pub placed: Vec<Placed>,
    /// Placements in homes that nobody named: nothing is done for them.
    pub elsewhere: Vec<Placed>,
    /// The files that are not obeyed.
    pub strange: Vec<StrangeEntry>,
}

/// The SHA-256 digest of bytes, in hexadecimal digits.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The journal: a folder with an entry a file. Only one process uses it at a time, and none while
/// another program runs.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    /// Held while the journal is used; the system releases it when the process ends.
    _lock: File,
}

impl Journal {
    /// Opens the journal, and makes its folder. Waits while another process uses it.
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        Ok(Self { _lock: locked(folder)?, folder: folder.to_path_buf() })
    }

    /// The folder of the journal.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes an entry, in place of the one of the same key.
    pub(crate) fn write(&self, entry: &Placed) -> Result<(), Error> {
        self.put(entry, self.path(entry))
    }

    /// Writes an entry beside the one of the same key, so that it needs no more room to take
    /// its place.
    pub(crate) fn write_next(&self, entry: &Placed) -> Result<(), Error> {
        self.put(entry, self.next(entry))
    }

    /// Puts the entry that was written beside into its place.
    pub(crate) fn take_next(&self, entry: &Placed) -> Result<(), Error> {
        let path = self.path(entry);
        let io = |source| Error::Io { path: path.clone(), source };
        fs::rename(self.next(entry), &path).map_err(io)?;
        atomic::synced(&self.folder).map_err(io)
    }

    fn put(&self, entry: &Placed, path: PathBuf) -> Result<(), Error> {
        let io = |source| Error::Io { path: path.clone(), source };
        let text = serde_json::to_vec_pretty(entry).map_err(io::Error::other).map_err(io)?;
        atomic::put(&path, &mut |sink| sink.write_all(&text), true).map_err(io)?;
        Ok(())
    }

    /// An entry as it is by now, if nothing but its folders has changed.
    pub(crate) fn again(&self, entry: &Placed) -> Option<Placed> {
        let now: Placed = serde_json::from_slice(&fs::read(self.path(entry)).ok()?).ok()?;
        let alike = Placed { folders: entry.folders.clone(), ..now.clone() };
        (alike == *entry).then_some(now)
    }

    /// Removes an entry, and what was written beside it.
    pub(crate) fn forget(&self, entry: &Placed) -> Result<(), Error> {
        self.drop_next(entry);
        let path = self.path(entry);
        fs::remove_file(&path).map_err(|source| Error::Io { path, source })
    }

    /// Removes what was written beside an entry.
    pub(crate) fn drop_next(&self, entry: &Placed) {
        let _ = fs::remove_file(self.next(entry));
    }

    /// The path of an entry's next state. No entry has such a name.
    fn next(&self, entry: &Placed) -> PathBuf {
        self.path(entry).with_extension("next")
    }

    /// The path of an entry.
    pub(crate) fn path(&self, entry: &Placed) -> PathBuf {
        self.folder.join(entry.file_name())
    }
}

/// Makes a journal's folder, and locks it until the file is dropped. Waits while another process
/// has it.
pub(crate) fn locked(folder: &Path) -> Result<File, Error> {
    let io = |source| Error::Io { path: folder.to_path_buf(), source };
    let path = folder.join("lock");
    ground::is_own(&path)?;
    atomic::folders(folder).map_err(io)?;
    let io = |source| Error::Io { path: path.clone(), source };
    if path.symlink_metadata().is_ok_and(|meta| !meta.is_file()) {
        return Err(io(io::Error::other("it is no regular file")));
    }
    // A lock that is there needs no room, on a disk that is full.
    let lock = File::options().write(true).open(&path).or_else(|_| private(&path));
    lock.and_then(|lock| lock.lock().map(|()| lock)).map_err(io)
}

/// Opens a file for writing, and creates it for this user alone, whatever the umask.
pub(crate) fn private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether a path is absolute and has no part that leads upwards.
pub(crate) fn is_plain(path: &Path) -> bool {
    path.is_absolute() && !path.components().any(|part| part == Component::ParentDir)
}
