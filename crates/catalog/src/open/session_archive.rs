//! An archive, as the catalog asks it for sessions.

use std::fmt::Debug;

use crate::error::Error;
use crate::open::source::Source;

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

    /// The sessions of which older versions have something that the newest one lacks: of each the
    /// newest version, and behind it those older ones.
    fn rewritten(&self) -> Vec<Vec<Source>> {
        Vec::new()
    }
}
