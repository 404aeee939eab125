//! Files whose bytes an archive has, since their agent has deleted them.

use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::sync::Arc;

use session::Transport;

use crate::open::unpack::{self, is_zstd};

/// The bytes of a file, as they were stored.
pub trait StoredBytes: Debug + Send + Sync {
    /// Reads all of them.
    ///
    /// # Errors
    /// They can't be read, or are not what they were.
    fn read(&self) -> io::Result<Vec<u8>>;

    /// A name that no other bytes have.
    fn name(&self) -> String;
}

/// A file in an archive.
#[derive(Clone, Debug)]
pub struct ArchivedFile {
    /// Its bytes.
    pub stored: Arc<dyn StoredBytes>,
    /// Whether it is the dump of a session's rows in a database.
    pub is_dump: bool,
    /// The labels of the run that kept it.
    pub labels: Arc<SourceLabels>,
}

/// The labels that were chosen for the machine and for the account of a session that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLabels {
    /// The machine.
    pub machine: Option<String>,
    /// The account.
    pub account: Option<String>,
}

impl ArchivedFile {
    /// Its content, to be read in parts. The path is the one that it had.
    pub(crate) fn of_path<'f>(&'f self, path: &'f Path) -> ArchivedContent<'f> {
        ArchivedContent { file: self, path, content: None }
    }

    /// The content of the file, and the way in which it is stored.
    pub(crate) fn content(&self, path: &Path) -> io::Result<(Vec<u8>, Transport)> {
        let stored = self.stored.read()?;
        if self.is_dump {
            return Ok((stored, Transport::Dump));
        }
        if is_zstd(path) {
            let admitted = unpack::admit_bytes(&stored)?;
            return Ok((unpack::whole(&stored, &admitted)?, Transport::Zstd(stored)));
        }
        Ok((stored, Transport::Plain))
    }
}

/// The content of an archived file, which is read when it is needed for the first time.
#[derive(Debug)]
pub(crate) struct ArchivedContent<'f> {
    file: &'f ArchivedFile,
    path: &'f Path,
    content: Option<Vec<u8>>,
}

impl ArchivedContent<'_> {
    /// At most `count` bytes from an offset.
    pub(crate) fn part(&mut self, from: u64, count: usize) -> io::Result<&[u8]> {
        let content = match &mut self.content {
            Some(content) => content,
            none => none.insert(self.file.content(self.path)?.0),
        };
        let from = usize::try_from(from).unwrap_or(usize::MAX).min(content.len());
        Ok(&content[from..content.len().min(from.saturating_add(count))])
    }

    /// Frees what was read.
    pub(crate) fn forget(&mut self) {
        self.content = None;
    }
}
