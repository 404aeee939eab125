//! Results of a search: the sessions' files, and the reason why any other file is not one.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use formats::{Detected, Format};
use session::MEMBER_LIMIT;

use crate::open::database::Store;
use crate::open::source::{Source, SourceFile};

/// Result of a scan. Every file below its roots is in one of the two lists, or below a folder that
/// is.
#[derive(Debug, Default)]
pub struct Found {
    /// The sessions' files, in the order in which they were met.
    pub sources: Vec<Source>,
    /// Skipped files, which are no session or can't be read.
    pub aside: Vec<Aside>,
}

/// One source, and nothing beside it.
impl From<Source> for Found {
    fn from(source: Source) -> Self {
        Self { sources: vec![source], aside: Vec::new() }
    }
}

impl Found {
    /// The databases, each once, with the index of the first source in each; `None` if it holds no
    /// session.
    pub(crate) fn stores(&self) -> impl Iterator<Item = (Option<usize>, &Arc<Store>)> {
        let in_sources = self.sources.iter().enumerate().flat_map(|(at, source)| {
            let rows = source.files.iter().filter_map(|file| file.rows.as_ref());
            rows.map(move |rows| (Some(at), &rows.store))
        });
        let bare = self.aside.iter().filter_map(|aside| match &aside.why {
            SkipReason::Bare(store) => Some((None, store)),
            _ => None,
        });
        let mut seen = HashSet::new();
        in_sources.chain(bare).filter(move |(_, store)| seen.insert(Arc::as_ptr(store)))
    }
}

/// A file that is no session.
#[derive(Debug)]
pub struct Aside {
    /// Path of the file or folder.
    pub path: PathBuf,
    /// Reason for skipping it.
    pub why: SkipReason,
}

/// Reason why a file is skipped.
#[derive(Debug)]
#[non_exhaustive]
pub enum SkipReason {
    /// Written by the format of this name, but no session.
    NoSession(&'static str, &'static str),
    /// A database of a format's that holds no session.
    Bare(Arc<Store>),
    /// No format knows it.
    Unknown,
    /// A database that no format knows.
    Database,
    /// Written by another agent, which no format reads: its name.
    Foreign(&'static str),
    /// Nothing is in it.
    Empty,
    /// The compressed form of a file in the same folder.
    Compressed,
    /// The log, journal or index of the database in the same folder.
    Beside,
    /// Something to know of a file that was read.
    Note(&'static str),
    /// Met before, under another name.
    Again,
    /// Neither file nor folder.
    Special,
    /// A folder of an agent's that holds no sessions.
    Closed,
    /// A link that leads out of the folder that was named.
    Outside,
    /// On a file system that is the system's own.
    System,
    /// Holds access to something by its name: never opened.
    Sealed,
    /// Longer than a session's file can be.
    Long(u64),
    /// Can't be read.
    Unreadable(String),
}

impl SkipReason {
    /// The reason from detection for a file that is no part of a session.
    pub(crate) fn of(detected: &Detected) -> Self {
        match detected {
            Detected::NoSession(format, why) => Self::NoSession(format.name(), why),
            Detected::Foreign(agent) => Self::Foreign(agent),
            Detected::Part { .. } | Detected::Unknown => Self::Unknown,
        }
    }

    /// True if the file might be a session that verbatim fails to read.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        matches!(self, Self::Long(_) | Self::Unreadable(_))
    }
}

impl std::fmt::Display for SkipReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoSession(format, why) => write!(f, "{format}: {why}"),
            Self::Bare(store) => {
                write!(f, "{}: a database without conversations", store.format.name())
            }
            Self::Unknown => f.write_str("no known agent writes such a file"),
            Self::Database => f.write_str("a database of another program"),
            Self::Foreign(agent) => {
                write!(f, "a file of {agent}, an agent that verbatim does not read")
            }
            Self::Empty => f.write_str("empty"),
            Self::Compressed => f.write_str("the compressed copy of the file beside it"),
            Self::Beside => f.write_str("belongs to the database beside it, and is read with it"),
            Self::Note(note) => f.write_str(note),
            Self::Again => f.write_str("the same file as an earlier one"),
            Self::Special => f.write_str("not a regular file"),
            Self::Closed => f.write_str("not opened: this folder holds no sessions"),
            Self::Outside => {
                f.write_str("not opened: a symbolic link out of the folder; `--follow` follows it")
            }
            Self::System => f.write_str("never opened: processes or devices of the system"),
            Self::Sealed => f.write_str("never opened: its name says that it holds credentials"),
            Self::Long(length) => {
                write!(f, "not read: {length} bytes, more than the limit of {MEMBER_LIMIT}")
            }
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
        }
    }
}

/// A file that a format has claimed.
#[derive(Clone)]
pub(crate) struct Claimed {
    /// The format.
    pub format: &'static dyn Format,
    /// The session that it belongs to, in the format's words.
    pub group: String,
    /// The parent of this session.
    pub above: Option<String>,
    /// The file, by its own name.
    pub file: SourceFile,
}

/// The formats' claims to a file.
pub(crate) struct Claims {
    /// The file; for a database, once for each session that it has rows of.
    pub files: Vec<Claimed>,
    /// Notes on the file.
    pub notes: Vec<SkipReason>,
}
