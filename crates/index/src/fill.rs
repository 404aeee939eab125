//! Filling the index with facts about files that did not change while they were read.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use catalog::{MaybeIndex, SessionFact, SessionIndex, Source};
use rusqlite::Connection;
use session::UtcTime;

use crate::database::{self, IndexError, IndexState, Opened};
use crate::reading::{Index, guard, table};
use crate::rows::{self, States, TABLES, Table};
use crate::state::{self, Seen};

/// Number of rows of a transaction.
const ROWS: usize = 500;

/// An index that is filled. Rows of files that it has not seen are removed at the end.
#[derive(Debug)]
pub struct IndexWriter {
    path: PathBuf,
    reader: String,
    now: UtcTime,
    /// The file that was found in its place.
    pub found: IndexState,
    known: States,
    rows: Mutex<Written>,
    _lock: File,
}

/// The connection, with the places of the rows that must not be removed.
#[derive(Debug)]
struct Written {
    connection: Connection,
    /// Number of rows of the open transaction, and of all that were put.
    open: usize,
    put: usize,
    seen: [HashSet<i64>; TABLES],
    fault: Option<rusqlite::Error>,
}

impl IndexWriter {
    /// Opens the index in this file, or makes one. Files that change after `now` are not taken.
    ///
    /// # Errors
    /// Another run writes it, or the system does not allow it.
    pub fn open(path: &Path, reader: &str, now: UtcTime) -> Result<Self, IndexError> {
        let Opened { connection, lock, found, known } = database::open_to_write(path, reader)?;
        let (seen, fault) = (Default::default(), None);
        let rows = Mutex::new(Written { connection, open: 0, put: 0, seen, fault });
        let (path, reader) = (path.to_path_buf(), reader.to_owned());
        Ok(Self { path, reader, now, found, known, rows, _lock: lock })
    }

    /// The same index for reading; `None` if it can't be opened.
    #[must_use]
    pub fn reading(&self) -> MaybeIndex {
        Index::open(&self.path, &self.reader).map(|index| Arc::new(index) as Arc<dyn SessionIndex>)
    }

    /// Keeps the claim to a file and its trigrams, which `read` reads, unless they are known.
    /// Returns whether they were read.
    pub fn keep_file(&self, path: &Path, read: impl FnOnce() -> Option<FileFacts>) -> bool {
        let Some((seen, _)) = state::of_file(path, Some(self.now)) else { return false };
        if self.is_known(Table::Trigrams, &seen) {
            self.see(Table::Claims, seen.place);
            return false;
        }
        let Some(FileFacts { claim, trigrams }) = read() else { return false };
        if state::of_file(path, None).is_some_and(|(after, _)| after == seen) {
            self.put(Table::Claims, &seen, claim.as_deref());
            self.put(Table::Trigrams, &seen, Some(&trigrams));
        }
        true
    }

    /// Keeps the facts about the sessions of a source, which `read` reads, unless they are known.
    /// Returns whether they were read.
    pub fn keep_source(&self, source: &Source, read: impl FnOnce() -> SourceFacts) -> bool {
        let Some(seen) = state::of_source(source, Some(self.now)) else { return false };
        if self.is_known(table(SessionFact::Usages), &seen) {
            self.see(table(SessionFact::Entries), seen.place);
            return false;
        }
        let SourceFacts { entries, usages } = read();
        if state::of_source(source, None) == Some(seen) {
            self.put(table(SessionFact::Entries), &seen, entries.as_deref());
            self.put(table(SessionFact::Usages), &seen, usages.as_deref());
        }
        true
    }

    /// Whether a source is to be redacted with these rules: its findings are not known, and its
    /// files have not changed shortly before.
    pub fn lacks_findings(&self, rules: &str, source: &Source) -> bool {
        if let Some(place) = state::findings_place(source, rules) {
            self.see(Table::Findings, place);
        }
        let seen = self.of_findings(rules, source);
        seen.is_some_and(|seen| !self.is_known(Table::Findings, &seen))
    }

    /// Keeps the findings of redaction with these rules in a source, which `read` reads; it gets
    /// those that were known before. Where it gives no bytes, the source is known as one that can't
    /// be redacted; where it gives nothing, nothing is known.
    pub fn keep_findings(
        &self,
        rules: &str,
        source: &Source,
        read: impl FnOnce(Option<Vec<u8>>) -> Option<Vec<u8>>,
    ) {
        let Some(seen) = self.of_findings(rules, source) else { return };
        let row = rows::at(&guard(&self.rows).connection, Table::Findings, seen.place);
        let row = row.ok().flatten();
        let known = row.and_then(|row| row.sealed(&self.reader, Table::Findings, seen.place));
        // What has changed since this state was seen is of another state.
        self.put(Table::Findings, &seen, read(known).as_deref());
    }

    fn of_findings(&self, rules: &str, source: &Source) -> Option<Seen> {
        let Seen { state, .. } = state::of_any_source(source, Some(self.now))?;
        Some(Seen { place: state::findings_place(source, rules)?, state })
    }

    /// Whether a row is known, which is not removed then.
    fn is_known(&self, table: Table, seen: &Seen) -> bool {
        let is_known = self.known[table as usize].get(&seen.place) == Some(&seen.state);
        if is_known {
            self.see(table, seen.place);
        }
        is_known
    }

    fn see(&self, table: Table, place: i64) {
        guard(&self.rows).seen[table as usize].insert(place);
    }

    fn put(&self, table: Table, seen: &Seen, packed: Option<&[u8]>) {
        let Some(packed) = packed else { return };
        let mut rows = guard(&self.rows);
        if rows.fault.is_none() {
            rows.seen[table as usize].insert(seen.place);
            let put = rows.put((&self.reader, table), seen, packed);
            rows.fault = put.err();
        }
    }

    /// Ends the current transaction, so that readers see its rows.
    ///
    /// # Errors
    /// The database can't be written.
    pub fn commit(&self) -> Result<(), IndexError> {
        let fault = |source| IndexError::Database { path: self.path.clone(), source };
        let mut rows = guard(&self.rows);
        match rows.fault.take() {
            Some(source) => Err(fault(source)),
            None => rows.commit().map_err(fault),
        }
    }

    /// Removes the rows of files that are not there any more, and ends. Returns the size of the
    /// index in bytes.
    ///
    /// # Errors
    /// The database can't be written.
    pub fn end(self) -> Result<u64, IndexError> {
        self.commit()?;
        let fault = |source| IndexError::Database { path: self.path.clone(), source };
        let rows = guard(&self.rows);
        let retain = || -> rusqlite::Result<()> {
            rows.connection.execute_batch("BEGIN IMMEDIATE")?;
            for table in Table::ALL {
                rows::retain(&rows.connection, table, &rows.seen[table as usize])?;
            }
            rows.connection.execute_batch("COMMIT")?;
            // Places have no order, so many new rows leave pages half empty.
            let all: usize = rows.seen.iter().map(HashSet::len).sum();
            if 2 * rows.put > all {
                rows.connection.execute_batch("VACUUM")?;
            }
            let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
            rows.connection.query_row(checkpoint, [], |_| Ok(()))
        };
        retain().map_err(fault)?;
        std::fs::metadata(&self.path)
            .map(|meta| meta.len())
            .map_err(|source| IndexError::Io { path: self.path.clone(), source })
    }
}

impl Written {
    fn put(&mut self, of: (&str, Table), seen: &Seen, packed: &[u8]) -> rusqlite::Result<()> {
        if self.open == 0 {
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
        }
        self.open += 1;
        self.put += 1;
        rows::put(&self.connection, of, seen, packed)?;
        if self.open >= ROWS { self.commit() } else { Ok(()) }
    }

    fn commit(&mut self) -> rusqlite::Result<()> {
        if std::mem::take(&mut self.open) > 0 {
            self.connection.execute_batch("COMMIT")?;
        }
        Ok(())
    }
}

/// The facts about a file.
#[derive(Debug, Default)]
pub struct FileFacts {
    /// The claim to it, if its own bytes alone decide of that.
    pub claim: Option<Vec<u8>>,
    /// Its trigrams.
    pub trigrams: Vec<u8>,
}

/// The facts about the sessions of a source.
#[derive(Debug, Default)]
pub struct SourceFacts {
    /// Their entries in a list.
    pub entries: Option<Vec<u8>>,
    /// Their usages.
    pub usages: Option<Vec<u8>>,
}
