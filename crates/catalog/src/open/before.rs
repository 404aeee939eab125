//! A session that was read before: if its files have only grown, the next reading takes over what
//! it read of them, and reads what was added.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::Path;
use std::sync::Arc;

use session::{EarlierReading, Member, Memory};

use crate::open::bytes::behind;
use crate::open::file_stat::FileStat;
use crate::open::source::SourceFile;

/// The way to decide that a file still begins with the bytes that were read before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// By its state and its ends: it is the same file, it is not shorter, it has another time only
    /// if it is longer, and the first and the last 64 KiB that were read are the same. This costs
    /// the bytes that were added. A program that only rewrites bytes in the middle of a longer
    /// file, and then makes it longer, is not noticed: right for a viewer.
    Trusted,
    /// By its bytes: the beginning is read, and compared. Right for what is kept.
    Verified,
}

/// A file as it was read.
#[derive(Clone, Debug)]
pub(crate) struct FileRead {
    path: Arc<Path>,
    stat: FileStat,
}

impl FileRead {
    /// A file that had this state before its bytes were read; `None` if the system does not tell
    /// enough of it.
    pub(crate) fn of(file: &SourceFile, meta: &Metadata, member: &Member) -> Option<Self> {
        let stat = FileStat::of(meta)?;
        // It may have grown while it was read.
        let stat = FileStat { length: member.stored_length() as u64, ..stat };
        Some(Self { path: file.path.clone(), stat })
    }
}

/// A session that was read before, with the state of its files then. The next reading of it goes on
/// from there: see [`crate::Catalog::open_named_from`].
#[derive(Debug)]
pub struct ReadBefore {
    reading: EarlierReading,
    files: HashMap<Arc<Path>, FileStat>,
    trust: Trust,
}

impl ReadBefore {
    pub(crate) fn new(reading: EarlierReading, files: &[FileRead], trust: Trust) -> Self {
        let files = files.iter().map(|file| (file.path.clone(), file.stat)).collect();
        Self { reading, files, trust }
    }

    /// The member of a file as it is now, with what was added since; `None` if it has to be read
    /// from its beginning.
    pub(crate) fn member(&mut self, file: &SourceFile, meta: &Metadata) -> Option<Member> {
        let (was, is) = (*self.files.get(&file.path)?, FileStat::of(meta)?);
        let is_same_file = (was.device, was.inode) == (is.device, is.inode);
        let is_verified = self.trust == Trust::Verified;
        let is_explained = match is.length == was.length {
            true => is == was,
            false => is.modified >= was.modified && is.changed >= was.changed,
        };
        if !is_same_file || is.length < was.length || !(is_explained || is_verified) {
            return None;
        }
        let mut member = self.reading.take(&file.name, &file.role.stream())?;
        if is.length == was.length && !is_verified {
            return Some(member);
        }
        let known = (member.stored_bytes(), is_verified);
        let more = behind(&file.path, was.length, known, |meta| {
            FileStat::of(meta).is_some_and(|now| (now.device, now.inode) == (is.device, is.inode))
        });
        let more = more.ok().flatten()?;
        (more.is_empty() || member.append(&more)).then_some(member)
    }

    /// Lets the next reading with this memory continue from it.
    pub(crate) fn hand_to(self, memory: &mut Memory) {
        memory.continue_from(self.reading);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use formats::Role;
    use session::{Bundle, Stream};

    use super::*;

    const BEGUN: &[u8] = b"{\"n\":1}\n{\"n\":";

    /// A file in a folder of its own that was read, and what was added to it as its reader finds.
    struct Read {
        _folder: tempfile::TempDir,
        path: PathBuf,
        before: ReadBefore,
    }

    fn source_file(path: &Path) -> SourceFile {
        SourceFile {
            path: path.into(),
            name: "log.jsonl".into(),
            role: Role::Main,
            length: 0,
            modified: None,
            rows: None,
            archived: None,
        }
    }

    impl Read {
        fn new(trust: Trust) -> Self {
            Self::of(BEGUN, trust)
        }

        fn of(begun: &[u8], trust: Trust) -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("log.jsonl");
            fs::write(&path, begun).expect("written");
            set_time(&path, 100);
            let member = Member::new("log.jsonl", Stream::Main, begun.to_vec()).expect("short");
            let meta = fs::metadata(&path).expect("there");
            let file = FileRead::of(&source_file(&path), &meta, &member).expect("a state");
            let session = formats::ALL[0].read(Arc::new(Bundle::of(member))).remove(0);
            let reading = EarlierReading::of(session).expect("one session");
            Self { _folder: folder, path, before: ReadBefore::new(reading, &[file], trust) }
        }

        /// Changes the file, and reads it on.
        fn after(mut self, change: impl Fn(&Path)) -> Option<Vec<u8>> {
            change(&self.path);
            let meta = fs::metadata(&self.path).expect("there");
            let member = self.before.member(&source_file(&self.path), &meta)?;
            Some(member.bytes().to_vec())
        }
    }

    fn set_time(path: &Path, seconds: u64) {
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        fs::File::options().write(true).open(path).expect("open").set_modified(time).expect("set");
    }

    fn write(path: &Path, bytes: &[u8], seconds: u64) {
        fs::write(path, bytes).expect("written");
        set_time(path, seconds);
    }

    fn both(change: impl Fn(&Path)) -> [Option<Vec<u8>>; 2] {
        [Trust::Trusted, Trust::Verified].map(|trust| Read::new(trust).after(&change))
    }

    #[test]
    fn a_file_that_only_grew_is_read_on() {
        let grown = [BEGUN, b"2}\n{\"n\":3}\n"].concat();
        let found = both(|path| write(path, &grown, 101));
        assert_eq!(found, [Some(grown.clone()), Some(grown)]);
        assert_eq!(both(|_| {}), [Some(BEGUN.to_vec()), Some(BEGUN.to_vec())]);
    }

    #[test]
    fn a_file_that_was_written_anew_is_read_anew() {
        let other = BEGUN.to_ascii_uppercase();
        assert_eq!(both(|path| write(path, &other, 101)), [None, None]);
        assert_eq!(both(|path| write(path, &BEGUN[..4], 101)), [None, None]);
        // Longer, but with an earlier time: it was restored from somewhere.
        let longer = [&other[..], b"2}\n"].concat();
        assert_eq!(both(|path| write(path, &longer, 99)), [None, None]);
    }

    /// An end that was cut off and went on otherwise is noticed by both, and a change in the middle
    /// of a long file by one.
    #[test]
    fn a_beginning_that_was_changed_is_noticed_by_its_bytes() {
        let longer = [&BEGUN.to_ascii_uppercase()[..], b"2}\n"].concat();
        assert_eq!(both(|path| write(path, &longer, 101)), [None, None]);
        let long = b"{\"n\":1}\n".repeat(30_000);
        let changed = |at: usize| {
            let mut bytes = [&long[..], b"{\"n\":2}\n"].concat();
            bytes[at] = b'9';
            let read = |trust| Read::of(&long, trust).after(|path| write(path, &bytes, 101));
            [Trust::Trusted, Trust::Verified].map(|trust| read(trust).is_some())
        };
        assert_eq!(changed(5), [false, false]);
        assert_eq!(changed(long.len() - 3), [false, false]);
        assert_eq!(changed(long.len() / 2), [true, false]);
        // A file that has another time for no visible reason is the same by its bytes.
        assert_eq!(both(|path| set_time(path, 101)), [None, Some(BEGUN.to_vec())]);
    }

    #[cfg(unix)]
    #[test]
    fn another_file_at_the_path_is_read_anew() {
        let replaced = both(|path| {
            let other = path.with_extension("new");
            fs::write(&other, [BEGUN, b"2}\n"].concat()).expect("written");
            fs::rename(other, path).expect("renamed");
        });
        assert_eq!(replaced, [None, None]);
    }
}
