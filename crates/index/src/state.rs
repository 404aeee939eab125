//! The state of files by which a row is believed, and the place of a row.

use std::fs::Metadata;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::Path;

use catalog::open::file_stat::FileStat;
use catalog::{Source, SourceFile};
use foldhash::quality::FixedState;
use formats::Role;
use session::UtcTime;

/// A digest of the state of files, with their names.
pub(crate) type State = [u8; 16];

/// The state of a file, if the system records when anything of it changed: the time of its content
/// alone can be set. With a time: only if it has not changed shortly before.
fn stat(meta: &Metadata, settled: Option<UtcTime>) -> Option<(FileStat, i64)> {
    let state = FileStat::of(meta)?;
    let changed = state.changed?;
    let is_settled = |now| FileStat::is_settled([state.modified, changed], now);
    settled.is_none_or(is_settled).then_some((state, changed))
}

fn put((state, changed): (FileStat, i64), into: &mut Vec<u8>) {
    let numbers = [state.device, state.inode, state.length];
    numbers.iter().for_each(|number| into.extend(number.to_le_bytes()));
    [state.modified, changed].iter().for_each(|time| into.extend(time.to_le_bytes()));
}

/// The place of a row about some files, with their current state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The place of its row.
    pub place: i64,
    /// The state of its files.
    pub state: State,
}

impl Seen {}

/// The place of the findings that these rules have in a source. Other rules have another place.
pub(crate) fn findings_place(source: &Source, rules: &str) -> Option<i64> {
    let mut about = about(source)?;
    text(&mut about, rules.as_bytes());
    Some(digest(PLACE, &about))
}

/// A file as it is now, with its metadata. With a time: only if it has not changed shortly before.
pub(crate) fn of_file(path: &Path, settled: Option<UtcTime>) -> Option<(Seen, Metadata)> {
    let meta = std::fs::metadata(path).ok()?;
    let stat = stat(&meta, settled)?;
    let mut about = Vec::with_capacity(256);
    text(&mut about, path.as_os_str().as_encoded_bytes());
    let place = digest(PLACE, &about);
    put(stat, &mut about);
    Some((Seen { place, state: state(&about) }, meta))
}

/// The bytes from which the place of a source is made: its agent, its group and its first file.
fn about(source: &Source) -> Option<Vec<u8>> {
    let mut about = Vec::with_capacity(512);
    text(&mut about, source.format.name().as_bytes());
    text(&mut about, source.group.as_bytes());
    text(&mut about, source.files.first()?.path.as_os_str().as_encoded_bytes());
    Some(about)
}

/// The files of a source as they are now. `None` for rows of a database and for what is in an
/// archive.
pub(crate) fn of_source(source: &Source, settled: Option<UtcTime>) -> Option<Seen> {
    let is_file = |file: &SourceFile| file.rows.is_none() && file.archived.is_none();
    if !source.files.iter().all(is_file) {
        return None;
    }
    of_any_source(source, settled)
}

/// The same of any source. Rows of a database have the state of its files, and what is in an
/// archive never changes.
pub(crate) fn of_any_source(source: &Source, settled: Option<UtcTime>) -> Option<Seen> {
    let mut about = about(source)?;
    let place = digest(PLACE, &about);
    for file in &source.files {
        text(&mut about, file.path.as_os_str().as_encoded_bytes());
        text(&mut about, file.name.as_bytes());
        let (role, stem) = match &file.role {
            Role::Main => (0, None),
            Role::Sub(stem) => (1, Some(stem)),
            Role::Beside(None) => (2, None),
            Role::Beside(Some(stem)) => (3, Some(stem)),
        };
        about.push(role);
        text(&mut about, stem.map_or(&[], |stem| stem.as_bytes()));
        if let Some(archived) = &file.archived {
            text(&mut about, archived.stored.name().as_bytes());
        } else if file.rows.is_some() {
            put_database(&file.path, settled, &mut about)?;
        } else {
            let meta = std::fs::metadata(&file.path).ok()?;
            // The source was made of the same state.
            if meta.len() != file.length || meta.modified().ok() != file.modified {
                return None;
            }
            put(stat(&meta, settled)?, &mut about);
        }
    }
    Some(Seen { place, state: state(&about) })
}

/// Adds the state of a database, with that of its log and of its journal.
fn put_database(path: &Path, settled: Option<UtcTime>, into: &mut Vec<u8>) -> Option<()> {
    put(stat(&std::fs::metadata(path).ok()?, settled)?, into);
    for beside in ["-wal", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(beside);
        match std::fs::metadata(&name) {
            Ok(meta) => put(stat(&meta, settled)?, into),
            Err(_) => into.push(0),
        }
    }
    Some(())
}

/// Adds a text, with its length, so that no two lists of texts are alike.
fn text(into: &mut Vec<u8>, bytes: &[u8]) {
    into.extend((bytes.len() as u64).to_le_bytes());
    into.extend(bytes);
}

/// The seeds of the digests.
const PLACE: u64 = 1;
const STATE: [u64; 2] = [2, 3];
const SEAL: u64 = 4;

/// A digest of bytes. It is quick, and no protection against somebody who looks for equal ones:
/// who can choose the name of a session's file can choose its content too.
fn digest(seed: u64, bytes: &[u8]) -> i64 {
    let mut hasher = FixedState::with_seed(seed).build_hasher();
    hasher.write(bytes);
    hasher.finish() as i64
}

fn state(about: &[u8]) -> State {
    let [first, second] = STATE.map(|seed| digest(seed, about).to_le_bytes());
    let mut state = State::default();
    state[..8].copy_from_slice(&first);
    state[8..].copy_from_slice(&second);
    state
}

/// The seal of a row: a digest of all that is in it, and of the reader that made it.
pub(crate) fn seal(reader: &str, table: &str, seen: &Seen, packed: &[u8]) -> i64 {
    let mut row = Vec::with_capacity(reader.len() + packed.len() + 64);
    text(&mut row, reader.as_bytes());
    text(&mut row, table.as_bytes());
    row.extend(seen.place.to_le_bytes());
    row.extend(seen.state);
    row.extend(packed);
    digest(SEAL, &row)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn each_change_of_a_file_is_another_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let put = |text: &str| std::fs::write(&path, text).unwrap();
        let seen = || of_file(&path, None).unwrap().0;
        put("one");
        let first = seen();
        assert_eq!(first, seen());
        let set = |time| {
            let file = std::fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(time).unwrap();
        };
        let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
        // Longer than a step of the clock.
        std::thread::sleep(std::time::Duration::from_millis(20));
        put("two");
        set(modified);
        let second = seen();
        assert!(second.place == first.place && second.state != first.state);
        // The same name, length and times of another file.
        let other = folder.path().join("b");
        std::fs::write(&other, "two").unwrap();
        std::fs::rename(&other, &path).unwrap();
        assert_ne!(seen().state, second.state);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(of_file(&path, None).map(|(seen, _)| seen), None);
    }
}
