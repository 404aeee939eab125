//! Files whose bytes an archive has, since their agent has deleted them.

use std::fmt::Debug;
use std::io;
use std::path::Path;
use std::sync::Arc;

use session::Transport;

use crate::error::Error;
use crate::open::source::Source;
use crate::open::unpack::{self, is_zstd};

/// The bytes of a file, as they were stored.
pub trait StoredBytes: Debug + Send + Sync {
    /// Reads all of them.
    ///
    /// # Errors
    /// They can't be read, or are not what they were.
    fn read(&self) -> io::Result<Vec<u8>>;
}

/// A file in an archive.
#[derive(Clone, Debug)]
pub struct ArchivedFile {
    /// Its bytes.
    pub stored: Arc<dyn StoredBytes>,
    /// Whether it is the dump of a session's rows in a database.
    pub is_dump: bool,
}

impl ArchivedFile {
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

/// A session that an archive has.
#[derive(Clone, Debug)]
pub struct ArchivedSession {
    /// The ids of the sessions in its files.
    pub ids: Vec<String>,
    /// Its files.
    pub source: Source,
}

/// An archive, as the catalog asks it.
pub trait SessionArchive: Debug + Send + Sync {
    /// The newest version of each session whose files are not in their places any more. Whether
    /// rows of a database are still there is not known: those are all in it.
    fn gone(&self) -> &[ArchivedSession];

    /// The version of a session that a name with a `@` means: `ID@DIGEST` or `ID@DATE`. `None` if
    /// the archive has no such session.
    ///
    /// # Errors
    /// The name means no version or several.
    fn version(&self, name: &str) -> Result<Option<ArchivedSession>, Error>;
}
