//! The state of a file in its file system, by which an unchanged file is known without opening it.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use session::UtcTime;

use crate::digest::Digest;
use crate::run::Stat;

/// A file that changed so many nanoseconds before it was seen may change again without another
/// time: file systems have coarse clocks.
const STEP: i64 = 2_000_000_000;

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
        let since = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        let modified = i64::try_from(since.as_nanos()).ok()?;
        #[cfg(unix)]
        let (device, inode, changed) = {
            use std::os::unix::fs::MetadataExt as _;
            let changed =
                meta.ctime().checked_mul(1_000_000_000)?.checked_add(meta.ctime_nsec())?;
            (meta.dev(), meta.ino(), changed)
        };
        #[cfg(not(unix))]
        let (device, inode, changed) = (0, 0, modified);
        Some(Self { device, inode, length: meta.len(), modified, changed, beside: None })
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
        let last = self.modified.max(self.changed);
        (last < now.0.saturating_mul(1000).saturating_sub(STEP)).then_some(self)
    }
}
