//! Journal of placements: a file for each session that was placed into an agent's store, so that
//! it can be removed again, and so that a killed placement leaves nothing behind.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::{Error, atomic, file_name};

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
}

impl PlacedFile {
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
    /// The format of that session.
    pub from: String,
    /// The version of the program that placed it.
    pub version: String,
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
            from: String::new(),
            version: String::new(),
            books: None,
            folder: folder.to_owned(),
            files: Vec::new(),
            content: None,
            folders: Vec::new(),
        }
    }
}

/// The digest of bytes, in hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The journal: a folder with an entry a file. Only one process uses it at a time.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    /// Held while the journal is used; the system releases it when the process ends.
    _lock: File,
}

impl Journal {
    /// Opens the journal, and makes its folder. Waits while another process uses it.
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        let io = |source| Error::Io { path: folder.to_path_buf(), source };
        atomic::folders(folder).map_err(io)?;
        let path = folder.join("lock");
        let lock = File::options().create(true).truncate(false).write(true).open(&path);
        let lock = lock.and_then(|lock| lock.lock().map(|()| lock)).map_err(io)?;
        Ok(Self { folder: folder.to_path_buf(), _lock: lock })
    }

    /// All entries, in the order of their names. An entry that can't be read is an error: what it
    /// would say is unknown.
    pub(crate) fn entries(&self) -> Result<Vec<Placed>, Error> {
        entries(&self.folder)
    }

    /// Writes an entry, in place of the one of the same session.
    pub(crate) fn write(&self, entry: &Placed) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(entry).map_err(io::Error::other);
        let path = self.path(entry);
        let io = |source| Error::Io { path: path.clone(), source };
        let text = text.map_err(io)?;
        atomic::put(&path, &mut |sink| sink.write_all(&text), true).map_err(io)?;
        Ok(())
    }

    /// Removes an entry.
    pub(crate) fn forget(&self, entry: &Placed) -> Result<(), Error> {
        let path = self.path(entry);
        fs::remove_file(&path).map_err(|source| Error::Io { path, source })
    }

    /// The folder of files for agents' own imports.
    pub(crate) fn drafts(&self) -> PathBuf {
        self.folder.join("imports")
    }

    fn path(&self, entry: &Placed) -> PathBuf {
        // Not the session's own words: ids are hostile, and may differ in case only.
        let name = digest(format!("{}\0{}", entry.agent, entry.id).as_bytes());
        self.folder.join(format!("{}-{}.json", file_name(&entry.agent), &name[..16]))
    }
}

/// The entries of a journal's folder; none if there is no such folder.
pub(crate) fn entries(folder: &Path) -> Result<Vec<Placed>, Error> {
    let io = |path: &Path, source| Error::Io { path: path.to_path_buf(), source };
    let mut paths = Vec::new();
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io(folder, error)),
        Ok(found) => {
            for entry in found {
                paths.push(entry.map_err(|error| io(folder, error))?.path());
            }
        }
    }
    paths.retain(|path| path.extension() == Some("json".as_ref()));
    paths.sort();
    let read = |path: &PathBuf| {
        let text = fs::read(path).map_err(|error| io(path, error))?;
        serde_json::from_slice(&text).map_err(|error| io(path, io::Error::other(error)))
    };
    paths.iter().map(read).collect()
}
