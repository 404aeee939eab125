//! Content of a file: its bytes, decompressed if the file is compressed.

use std::cell::Cell;
use std::fs::{File as Handle, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use formats::END_BYTES;

use crate::open::bytes::{read_upto, regular, seen, stable};
use crate::open::unpack;
use crate::open::unpack::{Unpacked, is_zstd};

/// The first bytes of a file, decompressed: `count`, or all of a shorter one.
pub fn head(path: &Path, count: usize) -> io::Result<Vec<u8>> {
    #[cfg(test)]
    crate::open::ends::tests::log(path, 0, count);
    if is_zstd(path) { unpack::head(path, count) } else { read_upto(&mut regular(path)?, count) }
}

thread_local! {
    /// Buffer of this thread, reused for the head of the next file.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Passes the metadata and the first bytes of a file to `see`, and the opened file behind these
/// bytes. These are [`END_BYTES`] bytes, or `packed` bytes of a compressed file after
/// decompression. A scan does this for every file, so the bytes are mostly read in one call and
/// never copied.
///
/// A file that `apart` says may be opened as a database is closed before: closing it later would
/// release the locks that this process has on it.
pub(crate) fn with_head<T>(
    path: &Path,
    packed: usize,
    apart: impl Fn(&[u8]) -> bool,
    see: impl FnOnce(&Metadata, &[u8], Option<Handle>) -> T,
) -> io::Result<T> {
    if is_zstd(path) {
        let meta = std::fs::metadata(path)?;
        let head = if meta.len() == 0 { Vec::new() } else { head(path, packed)? };
        return Ok(see(&meta, &head, None));
    }
    let (mut file, meta) = seen(path)?;
    #[cfg(test)]
    crate::open::ends::tests::log(path, 0, END_BYTES);
    let (mut room, mut filled) = (SPARE.take(), 0);
    room.resize(END_BYTES, 0);
    // The length in the metadata saves a last call that would return no bytes.
    while filled < END_BYTES && (filled == 0 || (filled as u64) < meta.len()) {
        match file.read(&mut room[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let file = (!apart(&room[..filled])).then_some(file);
    let shown = see(&meta, &room[..filled], file);
    SPARE.set(room);
    Ok(shown)
}

/// All bytes of a file, decompressed.
///
/// # Errors
/// The file can't be read, is not a regular file, or exceeds the budget for decompression.
pub fn whole(path: &Path) -> io::Result<Vec<u8>> {
    if !is_zstd(path) {
        return stable(path);
    }
    let admitted = unpack::admit(path)?;
    unpack::whole(&stable(path)?, &admitted)
}

/// Buffer of a stream, in bytes.
const STREAMED: usize = 64 * 1024;

/// The content of a file as a stream, decompressed within the budget.
///
/// # Errors
/// The file can't be opened, or exceeds the budget.
pub fn stream(path: &Path) -> io::Result<Box<dyn BufRead>> {
    Ok(match is_zstd(path) {
        true => Box::new(BufReader::with_capacity(STREAMED, Unpacked::open(path)?)),
        false => Box::new(BufReader::with_capacity(STREAMED, regular(path)?)),
    })
}

/// Length of a file's content in bytes, decompressed within the budget.
pub(crate) fn length(path: &Path) -> io::Result<u64> {
    match is_zstd(path) {
        true => io::copy(&mut Unpacked::open(path)?, &mut io::sink()),
        false => Ok(std::fs::metadata(path)?.len()),
    }
}
