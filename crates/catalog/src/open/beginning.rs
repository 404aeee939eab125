//! Comparison of files: whether one is the beginning of another.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use crate::open::bytes::regular;
use crate::open::content::stream;
use crate::open::unpack::is_zstd;

/// Number of bytes at each end of a file that are compared before the rest.
const ENDS: u64 = 64 * 1024;

/// Whether the content of a file is the beginning of another's. The ends are compared first,
/// because they already show most differences. Only files whose ends are equal are read whole,
/// piece by piece.
pub(crate) fn begins(file: &Path, other: &Path) -> io::Result<bool> {
    if !is_zstd(file) && !is_zstd(other) && !ends_agree(file, other)? {
        return Ok(false);
    }
    let (mut file, mut other) = (stream(file)?, stream(other)?);
    loop {
        let (ours, theirs) = (file.fill_buf()?, other.fill_buf()?);
        let count = ours.len().min(theirs.len());
        if ours.is_empty() || count == 0 || ours[..count] != theirs[..count] {
            return Ok(ours.is_empty());
        }
        file.consume(count);
        other.consume(count);
    }
}

/// Whether the first and last bytes of a file are in another one, at the same offsets.
fn ends_agree(file: &Path, other: &Path) -> io::Result<bool> {
    let (mut file, mut other) = (regular(file)?, regular(other)?);
    let length = file.metadata()?.len();
    if other.metadata()?.len() < length {
        return Ok(false);
    }
    for from in [0, length.saturating_sub(ENDS)] {
        let mut both = [Vec::new(), Vec::new()];
        for (bytes, file) in both.iter_mut().zip([&mut file, &mut other]) {
            file.seek(SeekFrom::Start(from))?;
            file.take(ENDS.min(length - from)).read_to_end(bytes)?;
        }
        if both[0] != both[1] {
            return Ok(false);
        }
    }
    Ok(true)
}
