//! Bytes of a file, read with `read(2)` until its length is stable. A file may grow, shrink or be
//! replaced while it is read, and none of these is an error. Memory maps are not used: if an agent
//! truncated a mapped file, the access would kill the process.

use std::fs::{File as Handle, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use formats::END_BYTES;
use session::MEMBER_LIMIT;

/// Maximum length of a file that is read, in bytes.
pub const MEMBER_BYTES: u64 = MEMBER_LIMIT as u64;

/// Opens a regular file for reading. Nothing else is opened: a pipe blocks for ever, and opening a
/// device may have any effect.
pub(crate) fn regular(path: &Path) -> io::Result<Handle> {
    is_file(&std::fs::metadata(path)?)?;
    seen(path).map(|(file, _)| file)
}

fn is_file(meta: &Metadata) -> io::Result<()> {
    match meta.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
    }
}

/// Opens a file that a walk found to be a regular one. The metadata are of the opened file, so that
/// a replaced path can't mislead.
pub fn seen(path: &Path) -> io::Result<(Handle, Metadata)> {
    let mut options = Handle::options();
    options.read(true);
    // If a pipe has replaced the file, opening it must not block.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits() as i32,
    );
    #[cfg(test)]
    crate::open::ends::tests::opened(path);
    let file = options.open(path)?;
    let meta = file.metadata()?;
    is_file(&meta)?;
    Ok((file, meta))
}

/// The bytes of a regular file that is not longer than a limit. For files that are read whole
/// although nobody knows what they are: a path may lead to a pipe or a device that has no end.
///
/// # Errors
/// The file can't be read, is not a regular file, or is longer.
pub fn bounded(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let long = || io::Error::other(format!("it has more than {limit} bytes"));
    let file = regular(path)?;
    let length = file.metadata()?.len();
    if length > limit {
        return Err(long());
    }
    // One more than it has, so that its end is found without more room.
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0).saturating_add(1));
    // It may grow meanwhile.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(long()) } else { Ok(bytes) }
}

/// The first bytes of a regular file as they are stored: `count`, or all of a shorter one.
///
/// # Errors
/// The file can't be read, or is not a regular file.
pub fn beginning(path: &Path, count: usize) -> io::Result<Vec<u8>> {
    read_upto(&mut regular(path)?, count)
}

/// Whether a regular file has exactly these bytes. They are compared as they are read, so that a
/// large file costs no memory.
///
/// # Errors
/// The file can't be read, or is not a regular file.
pub fn has_bytes(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut file = regular(path)?;
    let same = file.metadata()?.len() == bytes.len() as u64 && begins_with(&mut file, bytes)?;
    Ok(same && file.read(&mut [0])? == 0)
}

pub(crate) fn long() -> io::Error {
    io::Error::other(format!("more than the limit of {MEMBER_LIMIT} bytes"))
}

/// Maximum number of attempts to read a file that changes meanwhile.
const TRIES: usize = 4;

/// The bytes of a file at one moment. The file is opened once per attempt, so that bytes of a
/// replacement are never mixed in. If the file only grew, the bytes that were read are valid; a
/// line that was being written is read to its end. If it shrank or was rewritten, it is read again.
/// After the last attempt, the bytes read last are returned.
///
/// # Errors
/// The file can't be read, or is not a regular file.
pub fn stable(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for _ in 0..TRIES {
        let mut file = regular(path)?;
        let before = file.metadata()?;
        bytes.clear();
        if settled(&mut file, &before, &mut bytes)? {
            return Ok(bytes);
        }
    }
    Ok(bytes)
}

/// The bytes of an opened file whose first bytes have been read. A file that has changed meanwhile
/// is opened and read again.
pub(crate) fn rest(
    path: &Path,
    mut file: Handle,
    before: &Metadata,
    head: &[u8],
) -> io::Result<Vec<u8>> {
    let room = usize::try_from(before.len()).unwrap_or(0).min(MEMBER_LIMIT).max(head.len());
    let mut bytes = Vec::with_capacity(room + 1);
    bytes.extend_from_slice(head);
    // One call has read the whole of it: there was no time in which it could change.
    if head.len() as u64 == before.len() && head.ends_with(b"\n") {
        return Ok(bytes);
    }
    if settled(&mut file, before, &mut bytes)? {
        return Ok(bytes);
    }
    drop(file);
    stable(path)
}

/// Reads the rest of an opened file. True if the bytes are those of one moment, false if the file
/// shrank or was rewritten meanwhile.
fn settled(file: &mut Handle, before: &Metadata, bytes: &mut Vec<u8>) -> io::Result<bool> {
    if before.len() > MEMBER_LIMIT as u64 {
        return Err(long());
    }
    let length = before.len() as usize;
    // One byte more shows that the file has grown.
    fill(file, bytes, length + 1)?;
    let after = file.metadata()?;
    if bytes.len() < length || after.len() < before.len() {
        return Ok(false);
    }
    if bytes.len() > length || after.len() > before.len() {
        finish_line(file, bytes)?;
        return Ok(true);
    }
    Ok(same_time(before, &after))
}

/// The bytes of a file behind a beginning of this length, at one moment as of [`stable`]. `None` if
/// the file is another one, does not begin with the `known` bytes, or shrank or was rewritten
/// meanwhile.
pub(crate) fn behind(
    path: &Path,
    from: u64,
    (known, whole): (&[u8], bool),
    is_it: impl Fn(&Metadata) -> bool,
) -> io::Result<Option<Vec<u8>>> {
    let (mut file, before) = seen(path)?;
    let length = before.len().checked_sub(from).filter(|_| is_it(&before));
    let Some(length) = length else { return Ok(None) };
    if before.len() > MEMBER_LIMIT as u64 {
        return Err(long());
    }
    let behind_head = known.len().saturating_sub(END_BYTES);
    let compared = match whole || behind_head == 0 {
        true => begins_with(&mut file, known)?,
        false => {
            begins_with(&mut file, &known[..END_BYTES])? && {
                file.seek(SeekFrom::Start(behind_head as u64))?;
                begins_with(&mut file, &known[behind_head..])?
            }
        }
    };
    if !compared || known.len() as u64 != from {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    fill(&mut file, &mut bytes, length as usize + 1)?;
    let after = file.metadata()?;
    if (bytes.len() as u64) < length || after.len() < before.len() {
        return Ok(None);
    }
    if bytes.len() as u64 > length || after.len() > before.len() {
        finish_line(&mut file, &mut bytes)?;
        return Ok(Some(bytes));
    }
    Ok(same_time(&before, &after).then_some(bytes))
}

/// Reads as many bytes as these, and compares them.
fn begins_with(file: &mut Handle, known: &[u8]) -> io::Result<bool> {
    let mut room = vec![0; known.len().min(END_BYTES)];
    for part in known.chunks(END_BYTES) {
        let read = room.get_mut(..part.len()).unwrap_or_default();
        match file.read_exact(read) {
            Ok(()) if read == part => {}
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Reads until there are `count` bytes, or to the end of the file, in as few calls as possible.
#[cfg(unix)]
fn fill(file: &mut Handle, bytes: &mut Vec<u8>, count: usize) -> io::Result<()> {
    bytes.reserve_exact(count.saturating_sub(bytes.len()));
    while bytes.len() < count {
        match rustix::io::read(&*file, rustix::buffer::spare_capacity(bytes)) {
            Ok(0) => break,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Reads until there are `count` bytes, or to the end of the file.
#[cfg(not(unix))]
fn fill(file: &mut Handle, bytes: &mut Vec<u8>, count: usize) -> io::Result<()> {
    let more = count.saturating_sub(bytes.len());
    file.take(more as u64).read_to_end(bytes).map(|_| ())
}

fn same_time(a: &Metadata, b: &Metadata) -> bool {
    match (a.modified(), b.modified()) {
        (Ok(a), Ok(b)) => a == b,
        _ => true,
    }
}

/// Reads the rest of the line in which `bytes` ends, as far as it is written.
fn finish_line(file: &mut Handle, bytes: &mut Vec<u8>) -> io::Result<()> {
    while bytes.last().is_some_and(|&byte| byte != b'\n') {
        let room = MEMBER_LIMIT.saturating_sub(bytes.len()).min(END_BYTES);
        let more = read_upto(file, room)?;
        let end = memchr::memchr(b'\n', &more).map_or(more.len(), |at| at + 1);
        bytes.extend_from_slice(&more[..end]);
        if end < more.len() || more.is_empty() {
            break;
        }
    }
    Ok(())
}

pub(crate) fn read_upto(file: &mut Handle, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(count);
    file.take(count as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads `count` bytes from an offset, or fewer at the end of the file.
pub(crate) fn read_at(
    file: &mut Handle,
    path: &Path,
    from: u64,
    count: usize,
    into: &mut Vec<u8>,
) -> io::Result<usize> {
    #[cfg(test)]
    crate::open::ends::tests::log(path, from, count);
    #[cfg(not(test))]
    let _ = path;
    file.seek(SeekFrom::Start(from))?;
    let had = into.len();
    into.reserve_exact(count);
    file.take(count as u64).read_to_end(into)?;
    Ok(into.len() - had)
}
