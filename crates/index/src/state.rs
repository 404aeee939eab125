//! The state of files by which a row is believed, and the place of a row.

use std::fs::Metadata;
use std::path::Path;

use catalog::Source;
use formats::Role;
use session::UtcTime;
use sha2::{Digest as _, Sha256};

/// A file that changed so many nanoseconds before it was read may change again without another
/// time: file systems have coarse clocks.
const STEP: i64 = 2_000_000_000;

/// A digest of the state of files, with their names.
pub(crate) type State = [u8; 16];

/// The state of a file in its file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    device: u64,
    inode: u64,
    length: u64,
    modified: i64,
    changed: i64,
}

impl Stat {
    #[cfg(unix)]
    fn of(meta: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let nanos = |seconds: i64, more: i64| seconds.checked_mul(1_000_000_000)?.checked_add(more);
        Some(Self {
            device: meta.dev(),
            inode: meta.ino(),
            length: meta.len(),
            modified: nanos(meta.mtime(), meta.mtime_nsec())?,
            changed: nanos(meta.ctime(), meta.ctime_nsec())?,
        })
    }

    /// Other systems do not tell when a file was changed last: its time can be set.
    #[cfg(not(unix))]
    const fn of(_: &Metadata) -> Option<Self> {
        None
    }

    /// Whether the last change was long enough before a time.
    fn is_settled(&self, now: UtcTime) -> bool {
        self.modified.max(self.changed) < now.0.saturating_mul(1000).saturating_sub(STEP)
    }

    fn put(&self, into: &mut Sha256) {
        let numbers = [self.device, self.inode, self.length];
        numbers.iter().for_each(|number| into.update(number.to_le_bytes()));
        [self.modified, self.changed].iter().for_each(|time| into.update(time.to_le_bytes()));
    }
}

/// The place of a row about some files, with their current state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The place of its row.
    pub place: i64,
    /// The state of its files.
    pub state: State,
}

/// A file as it is now, with its metadata. With a time: only if it has not changed shortly before.
pub(crate) fn of_file(path: &Path, settled: Option<UtcTime>) -> Option<(Seen, Metadata)> {
    let meta = std::fs::metadata(path).ok()?;
    let stat = Stat::of(&meta).filter(|stat| settled.is_none_or(|now| stat.is_settled(now)))?;
    let name = path.as_os_str().as_encoded_bytes();
    let mut digest = Sha256::new();
    text(&mut digest, name);
    let place = place(digest.clone());
    stat.put(&mut digest);
    Some((Seen { place, state: state(digest) }, meta))
}

/// The files of a source as they are now. `None` for rows of a database and for what is in an
/// archive.
pub(crate) fn of_source(source: &Source, settled: Option<UtcTime>) -> Option<Seen> {
    let mut digest = Sha256::new();
    text(&mut digest, source.format.name().as_bytes());
    text(&mut digest, source.group.as_bytes());
    text(&mut digest, source.files.first()?.path.as_os_str().as_encoded_bytes());
    let place = place(digest.clone());
    for file in &source.files {
        if file.rows.is_some() || file.archived.is_some() {
            return None;
        }
        let meta = std::fs::metadata(&file.path).ok()?;
        let stat = Stat::of(&meta).filter(|stat| settled.is_none_or(|now| stat.is_settled(now)))?;
        // What was found of the file is of the same state.
        if meta.len() != file.length || meta.modified().ok() != file.modified {
            return None;
        }
        text(&mut digest, file.path.as_os_str().as_encoded_bytes());
        text(&mut digest, file.name.as_bytes());
        let (role, stem) = match &file.role {
            Role::Main => (0, None),
            Role::Sub(stem) => (1, Some(stem)),
            Role::Beside(None) => (2, None),
            Role::Beside(Some(stem)) => (3, Some(stem)),
        };
        digest.update([role]);
        text(&mut digest, stem.map_or(&[], |stem| stem.as_bytes()));
        stat.put(&mut digest);
    }
    Some(Seen { place, state: state(digest) })
}

/// Adds a text, with its length, so that no two lists of texts are alike.
fn text(into: &mut Sha256, bytes: &[u8]) {
    into.update((bytes.len() as u64).to_le_bytes());
    into.update(bytes);
}

fn state(digest: Sha256) -> State {
    let whole: [u8; 32] = digest.finalize().into();
    std::array::from_fn(|at| whole[at])
}

fn place(digest: Sha256) -> i64 {
    let whole: [u8; 32] = digest.finalize().into();
    i64::from_le_bytes(std::array::from_fn(|at| whole[at]))
}

/// The seal of a row: a digest of all that is in it, and of who made it.
pub(crate) fn seal(reader: &str, table: &str, seen: &Seen, packed: &[u8]) -> i64 {
    let mut digest = Sha256::new();
    text(&mut digest, reader.as_bytes());
    text(&mut digest, table.as_bytes());
    digest.update(seen.place.to_le_bytes());
    digest.update(seen.state);
    digest.update(packed);
    place(digest)
}
