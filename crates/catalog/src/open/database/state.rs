//! State of a database: its file, and the WAL and journal beside it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Suffixes of the files that belong to a database.
pub(super) const LOG: &str = "-wal";
pub(super) const JOURNAL: &str = "-journal";
const INDEX: &str = "-shm";

/// Whether a file with these first bytes is a WAL.
pub fn is_log(head: &[u8]) -> bool {
    matches!(head, [0x37, 0x7f, 0x06, 0x82 | 0x83, ..])
}

/// Whether the name of a file says that it belongs to the database beside it.
pub fn is_beside(path: &Path) -> bool {
    database_of(path).is_some_and(|database| database.is_file())
}

/// The path of the database that a file of this name belongs to: a WAL, a journal, an index.
pub fn database_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let base = [LOG, JOURNAL, INDEX].into_iter().find_map(|ending| name.strip_suffix(ending));
    base.filter(|base| !base.is_empty()).map(|base| path.with_file_name(base))
}

/// Whether the database of this name has a WAL beside it.
pub fn has_log(path: &Path) -> bool {
    let log = beside(path, LOG);
    holds(&log, 32) && bytes_at::<4>(&log, 0).is_ok_and(|head| is_log(&head))
}

/// Whether a journal may have to be rolled back. Otherwise SQLite overwrites its beginning (file
/// format, section 3).
pub(super) fn has_journal(path: &Path) -> bool {
    const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    bytes_at(&beside(path, JOURNAL), 0).is_ok_and(|head: [u8; 8]| head == MAGIC)
}

pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Whether the file exists and has more bytes than this.
pub(super) fn holds(path: &Path, bytes: u64) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.len() > bytes)
}

/// State of a database, compared to detect a change.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct State {
    database: Option<(u64, Option<SystemTime>, [u8; 4])>,
    journal: Option<(u64, Option<SystemTime>)>,
    /// The salts of the WAL. They change when SQLite restarts it.
    log: Option<[u8; 8]>,
}

impl State {
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let meta = |path: &Path| match std::fs::metadata(path) {
            Ok(meta) => Ok(Some((meta.len(), meta.modified().ok()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        let log = beside(path, LOG);
        let database = match meta(path)? {
            // The change counter in the header (file format, section 1.3.7).
            Some((length, time)) => Some((length, time, bytes_at(path, 24)?)),
            None => None,
        };
        let log = if has_log(path) { Some(bytes_at(&log, 16)?) } else { None };
        Ok(Self { database, journal: meta(&beside(path, JOURNAL))?, log })
    }

    /// Whether a copy made between the two states is consistent. With the same WAL throughout, it
    /// is, even if the database file changed: every such write is in the WAL too.
    pub(super) fn spans(&self, after: &Self) -> bool {
        match (&self.log, &after.log) {
            (Some(before), Some(after)) => before == after,
            (None, None) => self == after,
            _ => false,
        }
    }
}

/// Bytes of a file at an offset; all zero if the file is shorter.
fn bytes_at<const N: usize>(path: &Path, at: usize) -> io::Result<[u8; N]> {
    let mut head = Vec::with_capacity(at + N);
    File::open(path)?.take((at + N) as u64).read_to_end(&mut head)?;
    let mut bytes = [0; N];
    if let Some(found) = head.get(at..at + N) {
        bytes.copy_from_slice(found);
    }
    Ok(bytes)
}
