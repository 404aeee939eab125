//! Bytes of a file: `read(2)` to a stable length. A file may grow, shrink or be replaced while it
//! is read; that is never an error. Memory maps are not used: an agent that cuts its log would kill
//! the process.

use std::fs::{File as Handle, Metadata};
use std::io::{self, Read};
use std::path::Path;

use formats::END_BYTES;
use session::MEMBER_LIMIT;

/// The longest file that is read, in bytes.
pub const MEMBER_BYTES: u64 = MEMBER_LIMIT as u64;

/// Opens a file to read it. What is no regular file is not opened: a pipe waits for ever, and a
/// device may do anything.
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

/// Opens a file that was a regular one a moment ago, as a walk has seen. Its metadata is that of
/// the open file.
pub(crate) fn seen(path: &Path) -> io::Result<(Handle, Metadata)> {
    let mut options = Handle::options();
    options.read(true);
    // A pipe that replaced the file meanwhile must not block the reader.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits() as i32,
    );
    let file = options.open(path)?;
    let meta = file.metadata()?;
    is_file(&meta)?;
    Ok((file, meta))
}

pub(crate) fn long() -> io::Error {
    io::Error::other(format!("more than the limit of {MEMBER_LIMIT} bytes"))
}

/// Maximum number of readings of a file that changes during reading.
const TRIES: usize = 4;

/// The bytes of a file at one moment. Opened once, so that a file put in its place does not mix
/// with it. A file that only grows keeps what was read; if it ends within a line that was being
/// written, that line is read to its end. One that shrinks or is rewritten is read again, and if
/// it is never still, the last state counts.
pub(crate) fn stable(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for _ in 0..TRIES {
        let mut file = regular(path)?;
        let before = file.metadata()?;
        if before.len() > MEMBER_LIMIT as u64 {
            return Err(long());
        }
        let length = before.len() as usize;
        bytes.clear();
        // All that there is, in one step: a file tells how long it is.
        (&file).read_to_end(&mut bytes)?;
        let after = file.metadata()?;
        if bytes.len() < length || after.len() < before.len() {
            continue;
        }
        if bytes.len() > length || after.len() > before.len() {
            finish_line(&mut file, &mut bytes)?;
            return Ok(bytes);
        }
        if same_time(&before, &after) {
            return Ok(bytes);
        }
    }
    Ok(bytes)
}

fn same_time(a: &Metadata, b: &Metadata) -> bool {
    match (a.modified(), b.modified()) {
        (Ok(a), Ok(b)) => a == b,
        _ => true,
    }
}

/// Reads on to the end of the line that `bytes` ends in, as far as it is written.
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
