//! The database file. A database that is damaged or that a newer version made is renamed, and a new
//! one takes its place.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use store::unnamed::{lock_file, private_folder};

use crate::rows::{self, States, Table};

/// The version of the tables.
const SCHEMA: i64 = 2;

/// Time that a reader waits for a writer that holds the database. After that, files are read.
const PATIENCE: Duration = Duration::from_millis(50);

/// The reason why an index was not written. No answer depends on it.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Somebody cancelled it. What was written before stays.
    #[error("it was cancelled")]
    Cancelled,
    /// There is no folder for it.
    #[error("no folder for the index is known: there is no home folder")]
    NoPlace,
    /// Another run writes it.
    #[error("another run is writing the index")]
    Busy,
    /// The system does not allow it.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The database can't be written.
    #[error("{}: {source}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The error of the database.
        source: rusqlite::Error,
    },
}

/// The file that was found in the place of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// Nothing.
    New,
    /// An index of this reader.
    Known,
    /// An index of another reader, or with older tables, which is made anew.
    OtherReader,
    /// A damaged index, or one that a newer version made. It was renamed to this path.
    Renamed(PathBuf),
}

/// Opens an index for reading. `None` if this reader has not made one.
pub(crate) fn open(path: &Path, reader: &str) -> Option<Connection> {
    if !path.is_file() {
        return None;
    }
    let connection = connect(path, false, PATIENCE).ok()?;
    let is_own = schema(&connection).ok()? == SCHEMA && reader_of(&connection).ok()? == reader;
    connection.pragma_update(None, "query_only", true).ok()?;
    is_own.then_some(connection)
}

/// Opens an index that nobody is writing, as a file that stays as it is.
pub(crate) fn open_at_rest(path: &Path, reader: &str) -> Option<Connection> {
    // What is in the log of changes is not in the file yet.
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(log).is_ok_and(|log| log.len() > 0) {
        return None;
    }
    let connection = catalog::database::at_rest(path).ok()?;
    connection.pragma_update(None, "trusted_schema", false).ok()?;
    connection.pragma_update(None, "cell_size_check", true).ok()?;
    let is_own = schema(&connection).ok()? == SCHEMA && reader_of(&connection).ok()? == reader;
    is_own.then_some(connection)
}

/// An index that is written, and locked until it is dropped.
#[derive(Debug)]
pub(crate) struct Opened {
    pub connection: Connection,
    pub lock: File,
    /// The file that was found in its place.
    pub found: IndexState,
    /// The states of its rows.
    pub known: States,
}

/// Opens an index to write it.
pub(crate) fn open_to_write(path: &Path, reader: &str) -> Result<Opened, IndexError> {
    let io = |path: &Path| {
        let path = path.to_path_buf();
        |source| IndexError::Io { path, source }
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    private_folder(folder).map_err(io(folder))?;
    let lock_path = path.with_extension("lock");
    let lock = lock_file(&lock_path).map_err(io(&lock_path))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(IndexError::Busy),
        Err(TryLockError::Error(source)) => return Err(io(&lock_path)(source)),
    }
    let database = |source| IndexError::Database { path: path.to_path_buf(), source };
    let found = match path.is_file().then(|| known(path, reader)) {
        Some(Ok((connection, Some(known)))) => {
            return Ok(Opened { connection, lock, found: IndexState::Known, known });
        }
        Some(Ok((connection, None))) => {
            anew(&connection, reader).map_err(database)?;
            let (found, known) = (IndexState::OtherReader, States::default());
            return Ok(Opened { connection, lock, found, known });
        }
        Some(Err(_)) => IndexState::Renamed(rename(path).map_err(io(path))?),
        None => IndexState::New,
    };
    let connection = made(path, reader).map_err(database)?;
    Ok(Opened { connection, lock, found, known: States::default() })
}

/// The index of this version, with its rows if they are of this reader. An error if it is damaged
/// or of a newer version.
fn known(path: &Path, reader: &str) -> rusqlite::Result<(Connection, Option<States>)> {
    let connection = connect(path, false, Duration::from_secs(2))?;
    match schema(&connection)? {
        SCHEMA => {}
        1..SCHEMA => return Ok((connection, None)),
        _ => return Err(rusqlite::Error::InvalidQuery),
    }
    let is_own = reader_of(&connection)? == reader;
    let known = is_own.then(|| rows::states(&connection, reader)).transpose()?;
    Ok((connection, known))
}

/// A new index.
fn made(path: &Path, reader: &str) -> rusqlite::Result<Connection> {
    // The database has the mode of the file that is there; so do the files beside it.
    if let Err(error) = lock_file(path) {
        return Err(rusqlite::Error::ToSqlConversionFailure(error.into()));
    }
    let connection = connect(path, true, Duration::from_secs(2))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    anew(&connection, reader)?;
    Ok(connection)
}

/// Removes all rows, and names the reader of those to come.
fn anew(connection: &Connection, reader: &str) -> rusqlite::Result<()> {
    let mut batch = String::from("BEGIN IMMEDIATE; DROP TABLE IF EXISTS about;");
    batch.push_str("CREATE TABLE about (reader TEXT NOT NULL);");
    for table in Table::ALL.map(Table::name) {
        batch.push_str(&format!(
            "DROP TABLE IF EXISTS {table};
             CREATE TABLE {table} (
                 place INTEGER PRIMARY KEY, state BLOB NOT NULL,
                 packed BLOB NOT NULL, seal INTEGER NOT NULL
             );"
        ));
    }
    connection.execute_batch(&batch)?;
    connection.execute("INSERT INTO about VALUES (?1)", [reader])?;
    connection.pragma_update(None, "user_version", SCHEMA)?;
    connection.execute_batch("COMMIT")
}

fn connect(path: &Path, create: bool, patience: Duration) -> rusqlite::Result<Connection> {
    let create = if create { OpenFlags::SQLITE_OPEN_CREATE } else { OpenFlags::empty() };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | create;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

fn schema(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn reader_of(connection: &Connection) -> rusqlite::Result<String> {
    connection.query_row("SELECT reader FROM about", [], |row| row.get(0))
}

/// Renames a database with the files beside it, in place of one that was renamed earlier.
fn rename(path: &Path) -> std::io::Result<PathBuf> {
    let renamed = path.with_extension("db.old");
    for beside in ["", "-wal", "-shm"] {
        let named = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push(beside);
            PathBuf::from(name)
        };
        match std::fs::rename(named(path), named(&renamed)) {
            Err(error) if beside.is_empty() => return Err(error),
            _ => {}
        }
    }
    Ok(renamed)
}
