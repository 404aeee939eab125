//! Results of a search: the files of sessions, and the other files with the reasons.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use formats::Detected;
use session::MEMBER_LIMIT;

use crate::open::database::Store;
pub use crate::open::source::Claimed;
use crate::open::source::Source;

/// Result of a scan. Every file below its roots is in one of the two lists, or in a folder that is
/// in the second.
#[derive(Debug, Default)]
pub struct Found {
    /// The sessions' files, in the order in which the scan found them.
    pub sources: Vec<Source>,
    /// Skipped files: those that are not sessions, and those that can't be read.
    pub skipped: Vec<Skipped>,
}

/// A result with one source and no skipped files.
impl From<Source> for Found {
    fn from(source: Source) -> Self {
        Self { sources: vec![source], skipped: Vec::new() }
    }
}

impl Found {
    /// The databases, each once. With each comes the index of the first source in it, or `None` if
    /// the database holds no session.
    pub fn stores(&self) -> impl Iterator<Item = (Option<usize>, &Arc<Store>)> {
        let in_sources = self.sources.iter().enumerate().flat_map(|(at, source)| {
            let rows = source.files.iter().filter_map(|file| file.rows.as_ref());
            rows.map(move |rows| (Some(at), &rows.store))
        });
        let bare = self.skipped.iter().filter_map(|skipped| match &skipped.why {
            SkipReason::Bare(store) => Some((None, store)),
            _ => None,
        });
        let mut seen = HashSet::new();
        in_sources.chain(bare).filter(move |(_, store)| seen.insert(Arc::as_ptr(store)))
    }
}

/// A skipped file.
#[derive(Debug)]
pub struct Skipped {
    /// Path of the file or folder.
    pub path: PathBuf,
    /// Reason for skipping it.
    pub why: SkipReason,
}

/// Reason why a file is skipped.
#[derive(Debug)]
pub enum SkipReason {
    /// A file of a format (the first name) that is not a session; the second text is the reason.
    NoSession(&'static str, &'static str),
    /// A database of a known format that holds no session.
    Bare(Arc<Store>),
    /// A file that no format knows.
    Unknown,
    /// A database that no format knows.
    Database,
    /// A file of an agent that no format reads; the agent's name.
    Foreign(&'static str),
    /// An empty file.
    Empty,
    /// The compressed form of a file in the same folder.
    Compressed,
    /// The WAL, journal or shared memory of the database in the same folder.
    Beside,
    /// A note on a file that was read.
    Note(&'static str),
    /// A file that the scan has already visited under another name.
    Again,
    /// A path that is neither a file nor a folder.
    Special,
    /// A folder of an agent that holds no sessions.
    Closed,
    /// A link that leads out of the named folder.
    Outside,
    /// A link to a file or folder that does not exist.
    Dangling,
    /// A path on a file system that the kernel provides, such as procfs.
    System,
    /// A file whose name says that it holds credentials: never opened.
    Sealed,
    /// A file that is longer than a session's file can be; its length in bytes.
    Long(u64),
    /// A file that can't be read; the reason.
    Unreadable(String),
}

impl SkipReason {
    /// The reason for a file that detection found to be no part of a session.
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
            Self::Dangling => f.write_str("a symbolic link to nothing"),
            Self::System => f.write_str("never opened: a system folder of processes or devices"),
            Self::Sealed => f.write_str("never opened: its name says that it holds credentials"),
            Self::Long(length) => {
                write!(f, "not read: {length} bytes, more than the limit of {MEMBER_LIMIT}")
            }
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
        }
    }
}

/// The formats' claims to a file.
pub(crate) struct Claims {
    /// The claimed file. For a database there is one claim for each session that has rows in it.
    pub files: Vec<Claimed>,
    /// Notes on the file.
    pub notes: Vec<SkipReason>,
}
