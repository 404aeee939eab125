//! An index, as the catalog asks it for what was read of files and sessions before.

use std::fmt::Debug;
use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;

use crate::open::source::Source;

/// What an index may know of a session's files together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SessionFact {
    /// What a list says of the sessions.
    Entries,
    /// The usages that the agent recorded.
    Usages,
}

/// An index, as the catalog asks it. It answers only of files that have not changed since it read
/// them. What it does not know is read from the files, so that the answer is the same.
pub trait SessionIndex: Debug + Send + Sync {
    /// What was found out about a file by its ends, with the file's metadata of now.
    fn of_file(&self, path: &Path) -> Option<(Vec<u8>, Metadata)>;

    /// What was found out about the sessions of a source.
    fn of_source(&self, fact: SessionFact, source: &Source) -> Option<Vec<u8>>;

    /// Whether a file may contain each of these runs of ASCII letters and digits, in any case. It
    /// may, if that is not known.
    fn may_contain(&self, path: &Path, runs: &[Vec<u8>]) -> bool;
}

/// The index of a search, if it has one.
pub type MaybeIndex = Option<Arc<dyn SessionIndex>>;
