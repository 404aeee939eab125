//! The state of a file in its file system, by which an unchanged file is known without opening it.
//! The archive and the index ask it here.

use std::fs::Metadata;

use session::UtcTime;

/// A file that changed so many nanoseconds before it was seen may change again without another
/// time: file systems have coarse clocks.
const STEP: i64 = 2_000_000_000;

/// The state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStat {
    /// The file system; 0 if the system has no number for it.
    pub device: u64,
    /// The number of the file in it; 0 if the system has none.
    pub inode: u64,
    /// The length in bytes.
    pub length: u64,
    /// Time of the last change of its content, in nanoseconds since 1970. A program can set it.
    pub modified: i64,
    /// Time of the last change of anything, in nanoseconds since 1970, which no program can set;
    /// `None` if the system does not record it.
    pub changed: Option<i64>,
}

impl FileStat {
    /// The state by these metadata; `None` if a time is missing or before 1970.
    #[must_use]
    pub fn of(meta: &Metadata) -> Option<Self> {
        let since = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        let modified = i64::try_from(since.as_nanos()).ok()?;
        #[cfg(unix)]
        let (device, inode, changed) = {
            use std::os::unix::fs::MetadataExt as _;
            let nanos = meta.ctime().checked_mul(1_000_000_000)?;
            (meta.dev(), meta.ino(), Some(nanos.checked_add(meta.ctime_nsec())?))
        };
        #[cfg(not(unix))]
        let (device, inode, changed) = (0, 0, None);
        Some(Self { device, inode, length: meta.len(), modified, changed })
    }

    /// Whether the last of these times is long enough before `now` that the next change has
    /// another time.
    #[must_use]
    pub fn is_settled(times: [i64; 2], now: UtcTime) -> bool {
        times[0].max(times[1]) < now.0.saturating_mul(1000).saturating_sub(STEP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_within_two_seconds_is_not_settled() {
        let now = UtcTime(10_000_000);
        let second = 1_000_000_000_i64;
        let is_settled =
            |modified, changed| FileStat::is_settled([modified * second, changed * second], now);
        assert!(is_settled(7, 7));
        assert!(!is_settled(8, 7));
        // The time of the content can be set, that of the metadata can't.
        assert!(!is_settled(1, 9));
        assert!(!is_settled(11, 1));
    }
}
