//! The state of a file, or of a database, as runs have it.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use catalog::open::file_stat::FileStat;
use session::UtcTime;

use crate::digest::Digest;
use crate::run::Stat;

/// The state of a file, or of a database.
pub(crate) fn of_path(path: &Path, is_database: bool) -> Option<Stat> {
    match is_database {
        true => Stat::of_database(path),
        false => std::fs::metadata(path).ok().and_then(|meta| Stat::of(&meta)),
    }
}

impl Stat {
    /// The state by these metadata; `None` if the system does not tell it.
    pub(crate) fn of(meta: &Metadata) -> Option<Self> {
        let FileStat { device, inode, length, modified, changed } = FileStat::of(meta)?;
        let changed = changed.unwrap_or(modified);
        Some(Self { device, inode, length, modified, changed, beside: None })
    }

    /// The state of a database, with that of its log and journal.
    pub(crate) fn of_database(path: &Path) -> Option<Self> {
        let beside = |ending: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            let meta = std::fs::metadata(PathBuf::from(name)).ok();
            format!("{:?}\n", meta.and_then(|meta| Self::of(&meta)))
        };
        let text: String = ["-wal", "-journal"].map(beside).concat();
        let own = Self::of(&std::fs::metadata(path).ok()?)?;
        Some(Self { beside: Some(Digest::of(text.as_bytes())), ..own })
    }

    /// The same, unless the file changed so shortly before `now` that it may change again without
    /// another time.
    pub(crate) fn settled(self, now: UtcTime) -> Option<Self> {
        FileStat::is_settled([self.modified, self.changed], now).then_some(self)
    }
}
