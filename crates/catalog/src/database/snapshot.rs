//! A database as it is at one moment. One that nobody writes to is read where it lies, as a file
//! that does not change, and looked at again afterwards. One with a log or a journal beside it is
//! copied with them into a private folder, and read there: SQLite then applies the log, or takes
//! back what was not committed, without touching the original.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::copy::{Copy, copied};
use super::{Fault, kept};

/// What stands beside a database and belongs to it.
pub(super) const LOG: &str = "-wal";
pub(super) const JOURNAL: &str = "-journal";
const INDEX: &str = "-shm";

/// A snapshot. The copy is gone when it is dropped.
pub(super) struct Snapshot {
    path: PathBuf,
    copy: Option<Copy>,
    note: Option<&'static str>,
    /// There is a log, and no database.
    is_orphan: bool,
}

/// True for the beginning of a write-ahead log.
pub(super) fn is_log(head: &[u8]) -> bool {
    matches!(head, [0x37, 0x7f, 0x06, 0x82 | 0x83, ..])
}

/// Does a file stand beside the database that its name tells of, and belong to it?
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
fn has_journal(path: &Path) -> bool {
    const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    bytes_at(&beside(path, JOURNAL), 0).is_ok_and(|head: [u8; 8]| head == MAGIC)
}

impl Snapshot {
    /// Takes a snapshot of the database at `path`, or of the one whose log is there.
    pub(super) fn take(path: &Path) -> Result<Self, Fault> {
        let orphan = path.to_str().and_then(|path| path.strip_suffix(LOG)).map(PathBuf::from);
        let orphan = orphan.filter(|base| !base.exists());
        let path = orphan.clone().unwrap_or_else(|| path.to_path_buf());
        let alone = !has_log(&path) && !has_journal(&path);
        let (copy, note) = match (&orphan, alone) {
            (Some(_), _) => (Some(copied(&path)?), Some(ORPHAN)),
            (None, true) => (None, None),
            (None, false) => {
                let empty = std::fs::metadata(&path)?.len() == 0;
                (Some(copied(&path)?), empty.then_some(EMPTY))
            }
        };
        let is_orphan = orphan.is_some();
        Ok(Self { path, copy, note, is_orphan })
    }

    /// Looks at the database where it lies, without what its log holds.
    pub(super) fn glimpse<T>(
        path: &Path,
        read: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        read(&lying(path)?)
    }

    pub(super) fn note(&self) -> Option<&'static str> {
        self.note
    }

    /// Reads from the snapshot, which is of a database in the state that is told. What was read
    /// where it lies counts only if it did not change meanwhile; if it did, it is copied and read
    /// again, and no state says what is in that copy: its log goes on in the same state.
    pub(super) fn read<T>(
        &self,
        mut read: impl FnMut(&Connection, Option<&State>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let Some(copy) = &self.copy else {
            let before = State::of(&self.path)?;
            let found = reading(&self.path, &before, lying, &mut read);
            if State::of(&self.path)? == before {
                return found;
            }
            kept::forget(&self.path);
            let copy = copied(&self.path)?;
            let own = own(&copy.path());
            return own.and_then(|own| read(&own, None)).map_err(|fault| copy.told(fault));
        };
        let found = reading(&copy.path(), &copy.state, own, &mut read);
        found.map_err(|fault| match fault {
            Fault::Sqlite(_) | Fault::Io(_) if self.is_orphan => Fault::Alone,
            fault => copy.told(fault),
        })
    }
}

/// Reads with a connection that was kept, or a new one.
fn reading<T>(
    path: &Path,
    state: &State,
    open: fn(&Path) -> Result<Connection, Fault>,
    read: &mut impl FnMut(&Connection, Option<&State>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let connection = kept::take(path, state).map_or_else(|| open(path), Ok)?;
    let found = read(&connection, Some(state))?;
    kept::put(path, state, connection);
    Ok(found)
}

const ORPHAN: &str = "a log without its database: what the log holds was read";
const EMPTY: &str = "an empty database: all that there is stands in its log";

pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Is there such a file, with more than so many bytes?
pub(super) fn holds(path: &Path, bytes: u64) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.len() > bytes)
}

/// Opens a database where it lies: no lock is taken, nothing is written.
fn lying(path: &Path) -> Result<Connection, Fault> {
    let mut uri = String::from("file:");
    let path = std::path::absolute(path)?;
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.first() != Some(&b'/') {
        uri.push('/');
    }
    for &byte in bytes {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b':' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1&mode=ro");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    wary(Connection::open_with_flags(uri, flags)?)
}

/// A database may come from anywhere: what its schema would have SQLite do is not done.
fn wary(connection: Connection) -> Result<Connection, Fault> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    // Two questions a table are asked again for each session.
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Opens a copy of ours.
fn own(path: &Path) -> Result<Connection, Fault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    // Several readers may want to apply the log at once.
    connection.busy_timeout(std::time::Duration::from_secs(30))?;
    wary(connection)
}

/// What tells that a database has changed.
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

    /// True where a copy that was made between the two states is one state of the database. While
    /// the log goes on, the database may change: whatever is written there stands in the log too.
    pub(super) fn spans(&self, after: &Self) -> bool {
        match (&self.log, &after.log) {
            (Some(before), Some(after)) => before == after,
            (None, None) => self == after,
            _ => false,
        }
    }
}

/// Bytes of a file at a place; zeros where it is shorter.
fn bytes_at<const N: usize>(path: &Path, at: usize) -> io::Result<[u8; N]> {
    let mut head = Vec::with_capacity(at + N);
    File::open(path)?.take((at + N) as u64).read_to_end(&mut head)?;
    let mut bytes = [0; N];
    if let Some(found) = head.get(at..at + N) {
        bytes.copy_from_slice(found);
    }
    Ok(bytes)
}
