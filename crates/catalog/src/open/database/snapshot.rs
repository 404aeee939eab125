//! Snapshot of a database at one moment. A database without a WAL or journal is read in place as an
//! immutable file, and its state is checked afterwards. Otherwise the database, its WAL and its
//! journal are copied into a private folder. There SQLite applies the WAL or rolls uncommitted
//! changes back, and the original is not touched.

use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::copy::{Copy, copied};
use super::fault::DatabaseError;
use super::pool;
use super::state::{LOG, State, has_journal, has_log};

/// Snapshot of a database. Dropping it removes its copy.
pub(super) struct Snapshot {
    path: PathBuf,
    copy: Option<Copy>,
    note: Option<&'static str>,
    /// Whether it is a WAL without its database.
    is_orphan: bool,
}

impl Snapshot {
    /// Takes a snapshot of the database at `path`. The path may be that of a WAL whose database is
    /// missing.
    pub(super) fn take(path: &Path) -> Result<Self, DatabaseError> {
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

    /// Reads the database in place and ignores its WAL.
    pub(super) fn glimpse<T>(
        path: &Path,
        read: impl FnOnce(&Connection) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        read(&at_rest(path)?)
    }

    pub(super) fn note(&self) -> Option<&'static str> {
        self.note
    }

    /// Reads from the snapshot, and passes the database's state with it. If the database changed
    /// while it was read in place, it is copied and read again. For that copy the state is `None`:
    /// while a WAL grows its state stays the same, so the state would not identify the copy's
    /// content.
    pub(super) fn read<T>(
        &self,
        mut read: impl FnMut(&Connection, Option<&State>) -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let Some(copy) = &self.copy else {
            let before = State::of(&self.path)?;
            let found = reading(&self.path, &before, at_rest, &mut read);
            if State::of(&self.path)? == before {
                return found;
            }
            pool::forget(&self.path);
            let copy = copied(&self.path)?;
            let own = own(&copy.path());
            return own.and_then(|own| read(&own, None)).map_err(|fault| copy.told(fault));
        };
        let found = reading(&copy.path(), &copy.state, own, &mut read);
        found.map_err(|fault| match fault {
            DatabaseError::Sqlite(_) | DatabaseError::Io(_) if self.is_orphan => {
                DatabaseError::Alone
            }
            fault => copy.told(fault),
        })
    }
}

/// Reads with a pooled connection, or a new one.
fn reading<T>(
    path: &Path,
    state: &State,
    open: fn(&Path) -> Result<Connection, DatabaseError>,
    read: &mut impl FnMut(&Connection, Option<&State>) -> Result<T, DatabaseError>,
) -> Result<T, DatabaseError> {
    let connection = pool::take(path, state).map_or_else(|| open(path), Ok)?;
    let found = read(&connection, Some(state))?;
    pool::put(path, state, connection);
    Ok(found)
}

const ORPHAN: &str = "a write-ahead log without its database: read from the log alone";
const EMPTY: &str = "an empty database: all of its content is in its write-ahead log";

/// Opens a database in place, as a file that stays as it is: it takes no lock and writes nothing.
///
/// # Errors
/// The file is not there or can't be opened.
pub fn at_rest(path: &Path) -> Result<Connection, DatabaseError> {
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

/// Makes a connection defensive: a database may come from anywhere, so SQLite must not run
/// triggers, views or functions of its schema.
fn wary(connection: Connection) -> Result<Connection, DatabaseError> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    // The same two queries for each table are run for each session.
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Opens verbatim's copy.
fn own(path: &Path) -> Result<Connection, DatabaseError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    // Several readers may try to apply the WAL at the same time.
    connection.busy_timeout(std::time::Duration::from_secs(30))?;
    wary(connection)
}
