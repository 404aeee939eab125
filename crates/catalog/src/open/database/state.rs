//! State of a database: its file, and the log and journal beside it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Suffixes of the files that belong to a database.
pub(super) const LOG: &str = "-wal";
pub(super) const JOURNAL: &str = "-journal";
const INDEX: &str = "-shm";

/// True for the beginning of a write-ahead log.
pub(crate) fn is_log(head: &[u8]) -> bool {
    matches!(head, [0x37, 0x7f, 0x06, 0x82 | 0x83, ..])
}

/// Test for a file beside a database whose name says that it belongs to it.
pub(crate) fn is_beside(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let base = [LOG, JOURNAL, INDEX].into_iter().find_map(|ending| name.strip_suffix(ending));
    base.is_some_and(|base| !base.is_empty() && path.with_file_name(base).is_file())
}

/// Is there a log beside the database of this name?
pub(crate) fn has_log(path: &Path) -> bool {
    let log = beside(path, LOG);
    holds(&log, 32) && bytes_at::<4>(&log, 0).is_ok_and(|head| is_log(&head))
}

/// Is there a journal that may have to be taken back? SQLite writes over the beginning of one that
/// has not (file format, section 3).
pub(super) fn has_journal(path: &Path) -> bool {
    const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    bytes_at(&beside(path, JOURNAL), 0).is_ok_and(|head: [u8; 8]| head == MAGIC)
}

pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Is there such a file, with more than so many bytes?
pub(super) fn holds(path: &Path, bytes: u64) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.len() > bytes)
}

/// State of a database, by which a change is detected.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct State {
    database: Option<(u64, Option<SystemTime>, [u8; 4])>,
    journal: Option<(u64, Option<SystemTime>)>,
    /// The log's salts: they change when it begins anew.
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
            // The counter of changes in the header (file format, section 1.3.7).
            Some((length, time)) => Some((length, time, bytes_at(path, 24)?)),
            None => None,
        };
        let log = if has_log(path) { Some(bytes_at(&log, 16)?) } else { None };
        Ok(Self { database, journal: meta(&beside(path, JOURNAL))?, log })
    }

    /// True if a copy made between the two states is one state of the database. While the log
    /// continues, the database may change: every such write is in the log too.
    pub(super) fn spans(&self, after: &Self) -> bool {
        match (&self.log, &after.log) {
            (Some(before), Some(after)) => before == after,
            (None, None) => self == after,
            _ => false,
        }
    }
}

/// Bytes of a file at an offset, with zeros behind the file's end.
fn bytes_at<const N: usize>(path: &Path, at: usize) -> io::Result<[u8; N]> {
    let mut head = Vec::with_capacity(at + N);
    File::open(path)?.take((at + N) as u64).read_to_end(&mut head)?;
    let mut bytes = [0; N];
    if let Some(found) = head.get(at..at + N) {
        bytes.copy_from_slice(found);
    }
    Ok(bytes)
}
