//! An index, as the catalog asks it. It knows facts that were read from files before.

use std::fmt::Debug;
use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;

use crate::open::source::Source;

/// A kind of facts about the sessions of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SessionFact {
    /// The entries of the sessions in a list.
    Entries,
    /// The usages that the agent recorded.
    Usages,
}

/// An index, as the catalog asks it. It knows files only as long as they have not changed. Facts
/// that it does not know are read from the files, so that an answer is the same either way.
pub trait SessionIndex: Debug + Send + Sync {
    /// The claim to a file, packed, with the current metadata of the file.
    fn of_file(&self, path: &Path) -> Option<(Vec<u8>, Metadata)>;

    /// The facts of a kind about the sessions of a source, packed.
    fn of_source(&self, fact: SessionFact, source: &Source) -> Option<Vec<u8>>;

    /// The findings of redaction with these rules in a source, packed: places and no values.
    /// `rules` is the name of the rules and of the choices that it was redacted with.
    fn findings(&self, rules: &str, source: &Source) -> Option<Vec<u8>>;

    /// Whether a file may contain each of these runs of ASCII letters and digits, in any case. The
    /// answer is yes if the index does not know the file.
    fn may_contain(&self, path: &Path, runs: &[Vec<u8>]) -> bool;
}

/// The index of a search, if it has one.
pub type MaybeIndex = Option<Arc<dyn SessionIndex>>;
