//! First and last bytes of files, for lists. Detection reads the beginning of a file, and a list
//! needs the same bytes. They are kept until then, so that no byte of a file is read twice.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{File as Handle, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use foldhash::fast::RandomState;
use formats::END_BYTES;
use session::Scan;

use crate::open::archived::ArchivedContent;
use crate::open::bytes::{read_at, regular, rest};
use crate::open::content::head;
use crate::open::known_files::{KnownClaim, KnownClaims};
use crate::open::session_index::MaybeIndex;
use crate::open::source::{Claimed, SourceFile};
use crate::open::unpack::is_zstd;

/// Maximum length of a head, in bytes.
pub(crate) const LONG_HEAD: usize = 1024 * 1024;

/// Maximum length in bytes of the tail, if the last line is long.
const LONG_TAIL: u64 = 16 * 1024 * 1024;

/// Maximum length in bytes of a file that is read whole because it is one value. Of a longer file,
/// only the complete parts of its head are used.
const DOCUMENT: u64 = 16 * 1024 * 1024;

/// Maximum number of bytes kept in memory between detection and listing. Files beyond it are read
/// again.
const ROOM: i64 = 16 * 1024 * 1024;

/// Maximum number of bytes of whole files kept in memory until all files of their sessions are
/// known, but for the last file. Files beyond it are opened again.
const WHOLE_ROOM: i64 = 64 * 1024 * 1024;

/// Bytes of files that detection has read, kept for the list.
#[derive(Debug)]
pub struct Kept {
    /// Whether whole files are kept, not their ends.
    whole: bool,
    /// Bytes that may still be kept; less than none behind a file that is longer.
    room: Mutex<i64>,
    files: Mutex<HashMap<OsString, Ends, RandomState>>,
    /// Small files beside sessions, by path. Many sessions need the same one.
    beside: Mutex<HashMap<PathBuf, Option<Vec<u8>>>>,
    /// The claims that are known without opening the files.
    known: KnownClaims,
    /// The index of what was read before.
    pub index: MaybeIndex,
}

/// Head of a file, decompressed, with the offset and bytes of its tail.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    pub head: Vec<u8>,
    pub tail: Option<(u64, Vec<u8>)>,
}

impl Ends {
    /// Number of its bytes.
    fn size(&self) -> i64 {
        let tail = self.tail.as_ref().map_or(0, |(_, bytes)| bytes.len());
        i64::try_from(self.head.len() + tail).unwrap_or(i64::MAX)
    }
}

impl Kept {
    /// Keeps the bytes for a list.
    pub(crate) fn new() -> Self {
        Self::with_room(ROOM)
    }

    /// Keeps nothing, for callers that read the files whole later, or not at all.
    pub fn nothing() -> Self {
        Self::with_room(0)
    }

    /// Keeps whole files, for callers that read all of them.
    pub fn whole() -> Self {
        Self { whole: true, ..Self::with_room(WHOLE_ROOM) }
    }

    fn with_room(room: i64) -> Self {
        let room = Mutex::new(room);
        let known = KnownClaims::default();
        let (files, beside) = (Mutex::default(), Mutex::default());
        Self { whole: false, room, files, beside, known, index: None }
    }

    /// Keeps nothing, for a search that does not open the files that `known` knows.
    #[must_use]
    pub fn knowing(known: KnownClaim) -> Self {
        Self { known: KnownClaims(Some(known)), ..Self::nothing() }
    }

    /// The same, for a search that does not read again what an index knows.
    pub fn with_index(self, index: &MaybeIndex) -> Self {
        Self { index: index.clone(), ..self }
    }

    /// The claim to a file, if it is known without opening it.
    pub(crate) fn known(&self, path: &Path) -> Option<Claimed> {
        self.known.0.as_ref().and_then(|known| known(path))
    }

    /// Whether whole files are kept, not their ends.
    pub(crate) const fn is_whole(&self) -> bool {
        self.whole
    }

    /// Keeps all bytes of a file, of which the first have been read, while there is room. The last
    /// file that is kept may be longer than the room. A file that can't be read to its end is not
    /// kept: who opens it again tells why.
    pub(crate) fn put_whole(&self, path: &Path, (file, meta): (Handle, &Metadata), head: &[u8]) {
        if *guard(&self.room) <= 0 {
            return;
        }
        let Ok(head) = rest(path, file, meta, head) else { return };
        let ends = Ends { head, tail: None };
        *guard(&self.room) -= ends.size();
        guard(&self.files).insert(path.into(), ends);
    }

    /// All bytes of a file, if they were kept.
    pub(crate) fn take_whole(&self, path: &Path) -> Option<Vec<u8>> {
        self.whole.then(|| self.take(path)).flatten().map(|ends| ends.head)
    }

    /// Length of the head that detection reads. A compressed file gets a long head at once, because
    /// its decompression can't be resumed later.
    pub(crate) fn wanted(&self, path: &Path) -> usize {
        if is_zstd(path) && !self.whole && *guard(&self.room) > 0 { LONG_HEAD } else { END_BYTES }
    }

    /// Keeps the ends of a file, if there is room.
    pub(crate) fn put(&self, path: &Path, head: &[u8], tail: Option<(u64, Vec<u8>)>) {
        let ends = Ends { head: head.to_vec(), tail };
        {
            let mut room = guard(&self.room);
            if *room < ends.size() {
                return;
            }
            *room -= ends.size();
        }
        guard(&self.files).insert(path.into(), ends);
    }

    fn take(&self, path: &Path) -> Option<Ends> {
        let ends = guard(&self.files).remove(path.as_os_str())?;
        *guard(&self.room) += ends.size();
        Some(ends)
    }

    /// A small file beside a session; `None` if it does not exist or is longer than `most`.
    pub(crate) fn beside(&self, path: &Path, most: usize) -> Option<Vec<u8>> {
        // Other threads wait, because they mostly request the same file.
        let mut beside = guard(&self.beside);
        if let Some(known) = beside.get(path) {
            return known.clone();
        }
        let known = self.take(path).map(|ends| ends.head).filter(|head| head.len() < END_BYTES);
        let bytes = known.or_else(|| head(path, most + 1).ok());
        let bytes = bytes.filter(|bytes| bytes.len() <= most);
        beside.insert(path.to_path_buf(), bytes.clone());
        bytes
    }
}

fn guard<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Offset and bytes of a plain file's tail: at most the last [`END_BYTES`], without the head. Empty
/// if the head is the whole file, or the file is compressed.
pub(crate) fn end(path: &Path, length: u64) -> io::Result<(u64, Vec<u8>)> {
    if length <= END_BYTES as u64 || is_zstd(path) {
        return Ok((length, Vec::new()));
    }
    let from = (length - END_BYTES as u64).max(END_BYTES as u64);
    let mut tail = Vec::new();
    read_at(&mut regular(path)?, path, from, (length - from) as usize, &mut tail)?;
    Ok((from, tail))
}

/// Reader of a session's file from both ends.
pub(crate) struct Reader<'f> {
    path: &'f Path,
    /// The file in an archive, if it is there.
    archived: Option<ArchivedContent<'f>>,
    /// Stored length in bytes.
    length: u64,
    ends: Ends,
    handle: Option<Handle>,
    /// Whether the head can't be extended any more.
    done: bool,
    /// Whether a whole file is given away: nobody asks for it again.
    once: bool,
}

impl<'f> Reader<'f> {
    /// A reader that continues with the kept bytes of a file.
    pub(crate) fn of(file: &'f SourceFile, kept: &Kept) -> Self {
        let ends = kept.take(&file.path).unwrap_or_default();
        let (path, length) = (&*file.path, file.length);
        let archived = file.archived.as_ref().map(|archived| archived.of_path(path));
        Self { path, archived, length, ends, handle: None, done: false, once: false }
    }

    /// The same, which gives a whole file away.
    pub(crate) fn once(self) -> Self {
        Self { once: true, ..self }
    }

    /// Whether the head can't be extended any more.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Frees what was read, and closes the file.
    pub(crate) fn forget(&mut self) {
        (self.ends, self.handle) = Default::default();
        self.archived.iter_mut().for_each(ArchivedContent::forget);
    }

    /// The complete lines in the first `count` bytes and in the last [`END_BYTES`]. A file that
    /// does not consist of lines is returned whole, if it is not too long.
    pub(crate) fn lines(&mut self, count: usize) -> io::Result<Vec<u8>> {
        self.read_head(count)?;
        if self.is_whole() {
            self.done = true;
            return Ok(match self.once {
                true => std::mem::take(&mut self.ends.head),
                false => self.ends.head.clone(),
            });
        }
        let Some(first) = memchr::memchr(b'\n', &self.ends.head) else {
            if count < LONG_HEAD {
                return self.lines(LONG_HEAD);
            }
            return self.long(true);
        };
        let line = &self.ends.head[..first];
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if Scan::new().read(line, 0).is_err() {
            return self.long(false);
        }
        let end = memchr::memrchr(b'\n', &self.ends.head).map_or(0, |at| at + 1);
        let mut bytes = self.ends.head[..end].to_vec();
        self.load_tail()?;
        self.extend_tail(self.ends.head.len() as u64)?;
        self.add_tail(&mut bytes, end)?;
        Ok(bytes)
    }

    /// All bytes of a small file.
    pub(crate) fn whole(&mut self) -> io::Result<Vec<u8>> {
        self.read_head(usize::try_from(self.length).unwrap_or(usize::MAX))?;
        self.done = true;
        Ok(self.ends.head.clone())
    }

    /// Content of a file without a complete first line in its head. With `lines`, the first line is
    /// long and others may follow; otherwise the file is one value.
    fn long(&mut self, lines: bool) -> io::Result<Vec<u8>> {
        self.done = true;
        if self.length <= DOCUMENT && !is_zstd(self.path) {
            return self.whole();
        }
        self.read_head(LONG_HEAD)?;
        let head = &self.ends.head;
        let is_value = matches!(head.trim_ascii_start().first(), Some(b'{' | b'['));
        let end = memchr::memrchr(b'\n', head).map_or(0, |at| at + 1);
        let closed = if is_value { session::closed(head) } else { None };
        let mut bytes = closed.unwrap_or_else(|| head[..end].to_vec());
        if lines {
            bytes.push(b'\n');
            let end = self.ends.head.len();
            self.add_tail(&mut bytes, end)?;
        }
        Ok(bytes)
    }

    fn is_whole(&self) -> bool {
        match is_zstd(self.path) {
            true => self.ends.head.len() < LONG_HEAD,
            false => self.ends.head.len() as u64 >= self.length,
        }
    }

    /// Appends the complete lines of the file's tail. The first `end` bytes of the head are already
    /// in `bytes`.
    fn add_tail(&mut self, bytes: &mut Vec<u8>, end: usize) -> io::Result<()> {
        if is_zstd(self.path) {
            return Ok(());
        }
        self.load_tail()?;
        let behind = self.ends.head.len() as u64;
        let Some((from, tail)) = &self.ends.tail else { return Ok(()) };
        // If the tail begins inside a line, the next line is the first complete one.
        let skip = match *from == behind {
            true => {
                bytes.extend_from_slice(&self.ends.head[end..]);
                Some(0)
            }
            false => memchr::memchr(b'\n', tail).map(|at| at + 1),
        };
        bytes.extend_from_slice(skip.and_then(|skip| tail.get(skip..)).unwrap_or_default());
        Ok(())
    }

    /// Reads the tail of a plain file.
    fn load_tail(&mut self) -> io::Result<()> {
        if is_zstd(self.path) {
            return Ok(());
        }
        let behind = self.ends.head.len() as u64;
        let from = self.length.saturating_sub(END_BYTES as u64).max(behind);
        if self.ends.tail.is_none() {
            let mut tail = Vec::with_capacity((self.length - from) as usize);
            self.read(from, (self.length - from) as usize, &mut tail)?;
            self.ends.tail = Some((from, tail));
        }
        Ok(())
    }

    /// Extends a tail that is inside the last line to the beginning of that line: the last time is
    /// there.
    fn extend_tail(&mut self, behind: u64) -> io::Result<()> {
        let has_line = |tail: &[u8]| {
            let line = memchr::memchr(b'\n', tail).and_then(|at| tail.get(at + 1..));
            line.is_some_and(|line| !line.trim_ascii().is_empty())
        };
        while let Some((from, tail)) = self.ends.tail.take() {
            let more = (from - behind).min(tail.len() as u64).min(LONG_TAIL - tail.len() as u64);
            if more == 0 || tail.is_empty() || has_line(&tail) {
                self.ends.tail = Some((from, tail));
                break;
            }
            let mut longer = Vec::with_capacity(more as usize + tail.len());
            self.read(from - more, more as usize, &mut longer)?;
            longer.extend_from_slice(&tail);
            self.ends.tail = Some((from - more, longer));
        }
        Ok(())
    }

    /// Extends the head to `count` bytes, or to the whole file.
    fn read_head(&mut self, count: usize) -> io::Result<()> {
        if is_zstd(self.path) {
            if self.ends.head.is_empty() {
                self.ends.head = match &mut self.archived {
                    Some(archived) => archived.part(0, LONG_HEAD)?.to_vec(),
                    None => head(self.path, LONG_HEAD)?,
                };
            }
            return Ok(());
        }
        let all = usize::try_from(self.length).unwrap_or(usize::MAX);
        let count = count.min(all);
        let end = self.ends.tail.as_ref().map_or(all, |(from, _)| *from as usize);
        let had = self.ends.head.len();
        if had < count {
            let mut head = std::mem::take(&mut self.ends.head);
            let read = self.read(had as u64, count.min(end) - had, &mut head);
            self.ends.head = head;
            if read? < count.min(end) - had {
                // The file has been truncated since it was found.
                self.length = self.ends.head.len() as u64;
            }
        }
        if self.ends.head.len() == end
            && let Some((_, tail)) = self.ends.tail.take()
        {
            self.ends.head.extend_from_slice(&tail);
        }
        Ok(())
    }

    /// Reads `count` bytes from an offset, or fewer at the end of the file.
    fn read(&mut self, from: u64, count: usize, into: &mut Vec<u8>) -> io::Result<usize> {
        if let Some(archived) = &mut self.archived {
            let part = archived.part(from, count)?;
            into.extend_from_slice(part);
            return Ok(part.len());
        }
        let handle = match &mut self.handle {
            Some(handle) => handle,
            none => none.insert(regular(self.path)?),
        };
        read_at(handle, self.path, from, count, into)
    }
}

#[cfg(test)]
pub(crate) mod tests;
