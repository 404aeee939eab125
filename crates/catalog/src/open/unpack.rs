//! Zstandard files (RFC 8878), decompressed within one budget: [`room`] for the stored size of
//! their blocks. Skippable frames add nothing to the budget. A file that may be long is first
//! decompressed without keeping it, so that a refused file never fills the memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use formats::budget::{MOST, SMALL, room};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::open::bytes::regular;

/// A file that may become longer than this, in bytes, is first decompressed without keeping it.
const COUNTED: usize = 64 << 20;

/// Maximum size of a block's content (RFC 8878, section 3.1.1.2.4).
const BLOCK: usize = 128 << 10;

const FRAME: u32 = 0xfd2f_b528;
const SKIPPED: u32 = 0x184d_2a50;

/// Whether a file is compressed with Zstandard, by its name.
pub fn is_zstd(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// Decompression budget of a file that may be read.
pub(crate) struct Admitted {
    room: usize,
    /// Its decompressed length, or an upper bound of it.
    length: usize,
}

/// Checks that a compressed file keeps within its budget. Mostly the headers of its blocks suffice;
/// otherwise the file is decompressed without keeping it.
pub(crate) fn admit(path: &Path) -> io::Result<Admitted> {
    let stored = BufReader::new(regular(path)?);
    let length = stored.get_ref().metadata()?.len();
    admit_stored(stored, length)
}

/// The same for stored bytes.
pub(crate) fn admit_bytes(stored: &[u8]) -> io::Result<Admitted> {
    admit_stored(io::Cursor::new(stored), stored.len() as u64)
}

fn admit_stored(mut stored: impl BufRead + Seek, length: u64) -> io::Result<Admitted> {
    if length > MOST as u64 {
        return Err(beyond(MOST));
    }
    let weight = weigh(&mut stored)?;
    let room = room(weight.packed);
    if weight.least > room {
        return Err(beyond(room));
    }
    let mut length = weight.most;
    if length > COUNTED {
        stored.rewind()?;
        length = unpack(stored, room, &mut io::sink())?.ok_or_else(|| beyond(room))?;
    }
    Ok(Admitted { room, length: length.min(room) })
}

/// The first bytes of a compressed file: `count`, or all of a shorter one.
pub(crate) fn head(path: &Path, count: usize) -> io::Result<Vec<u8>> {
    // Up to this size, any file is within its budget.
    if count > SMALL {
        admit(path)?;
    }
    let mut bytes = Vec::new();
    unpack(BufReader::new(regular(path)?), count, &mut bytes)?;
    bytes.truncate(count);
    Ok(bytes)
}

/// The whole content of a compressed file that was admitted, from its stored bytes.
pub(crate) fn whole(stored: &[u8], admitted: &Admitted) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(admitted.length);
    let unpacked = unpack(stored, admitted.room, &mut bytes)?;
    unpacked.map(|_| bytes).ok_or_else(|| beyond(admitted.room))
}

fn beyond(room: usize) -> io::Error {
    io::Error::other(format!(
        "unpacks to more than {room} bytes: too much for its stored size; if you trust it, \
         unpack it and name the unpacked file"
    ))
}

/// Error for a file that can't be decompressed to its end. Nothing of it is read.
fn damaged() -> io::Error {
    io::Error::other(
        "it is truncated or damaged; restore it from a copy, or unpack its beginning \
         (`zstd -dc`) to another file",
    )
}

/// Error for a frame whose window would take too much memory.
fn wide(requested: u64, max: u64) -> io::Error {
    io::Error::other(format!(
        "its window of {requested} bytes is larger than {max}; if you trust it, unpack it and name \
         the unpacked file"
    ))
}

/// Sizes from the headers of a file.
#[derive(Default)]
struct Weight {
    /// Size of its blocks as stored.
    packed: usize,
    /// Minimum length of the decompressed file.
    least: usize,
    /// Maximum length of the decompressed file.
    most: usize,
}

/// Reads all headers of a file, and skips the content of its blocks.
fn weigh(stored: &mut (impl BufRead + Seek)) -> io::Result<Weight> {
    let mut weight = Weight::default();
    while !stored.fill_buf()?.is_empty() {
        let magic = number(stored, 4)?;
        if magic & !0xf == u64::from(SKIPPED) {
            let length = number(stored, 4)?;
            stored.seek(SeekFrom::Current(length as i64))?;
        } else if magic == u64::from(FRAME) {
            frame(stored, &mut weight)?;
        } else {
            return Err(io::Error::other("not a Zstandard file, or a damaged one"));
        }
    }
    Ok(weight)
}

/// One frame (section 3.1.1): its header, its blocks, its checksum.
fn frame(stored: &mut (impl BufRead + Seek), weight: &mut Weight) -> io::Result<()> {
    let about = number(stored, 1)?;
    let single = about & 0x20 != 0;
    number(stored, usize::from(!single) + [0, 1, 2, 4][(about & 3) as usize])?;
    let sized = [usize::from(single), 2, 4, 8][(about >> 6) as usize];
    let stated = number(stored, sized)? + if sized == 2 { 256 } else { 0 };
    let mut least = 0;
    loop {
        let block = number(stored, 3)?;
        let size = (block >> 3) as usize;
        let (kept, least_of, most_of) = match block >> 1 & 3 {
            0 => (size, size, size),
            1 => (1, size, size),
            _ => (size, 0, BLOCK),
        };
        // The header of a block has three bytes.
        weight.packed = weight.packed.saturating_add(kept + 3);
        weight.most = weight.most.saturating_add(most_of);
        least += least_of;
        stored.seek(SeekFrom::Current(kept as i64))?;
        if block & 1 != 0 {
            break;
        }
    }
    let least = least.max(usize::try_from(stated).unwrap_or(usize::MAX));
    weight.least = weight.least.saturating_add(least);
    weight.most = weight.most.max(weight.least);
    number(stored, if about & 4 != 0 { 4 } else { 0 })?;
    Ok(())
}

const CUT: &str = "it is truncated: it ends within a frame; restore it from a copy, or unpack its \
                   beginning (`zstd -dc`) to another file";

/// A little-endian number of `count` bytes.
fn number(stored: &mut impl Read, count: usize) -> io::Result<u64> {
    let mut bytes = [0; 8];
    let room = bytes.get_mut(..count).unwrap_or_default();
    stored.read_exact(room).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), CUT),
        _ => error,
    })?;
    Ok(u64::from_le_bytes(bytes))
}

/// Decompresses concatenated frames, and returns their length in bytes; `None` if there are more
/// than `limit`.
fn unpack(
    stored: impl BufRead,
    limit: usize,
    into: &mut impl io::Write,
) -> io::Result<Option<usize>> {
    let mut frames = Frames::of(stored);
    while frames.step()? {
        frames.length += frames.decoder.collect_to_writer(&mut *into)?;
        if frames.length > limit {
            return Ok(None);
        }
    }
    Ok(Some(frames.length))
}

/// Decoder of concatenated frames, block by block. It keeps its window and little more in memory.
struct Frames<R> {
    stored: R,
    decoder: FrameDecoder,
    /// Whether a frame has begun and its checksum was not compared yet.
    open: bool,
    /// Number of decompressed bytes that were taken from the decoder.
    length: usize,
}

impl<R: BufRead> Frames<R> {
    fn of(stored: R) -> Self {
        Self { stored, decoder: FrameDecoder::new(), open: false, length: 0 }
    }

    /// Decodes a block, or the header of a frame; false at the end. All decoded bytes must be taken
    /// from the decoder before the next step.
    fn step(&mut self) -> io::Result<bool> {
        if self.open && self.decoder.is_finished() {
            self.verify()?;
            self.open = false;
        }
        if self.open {
            let block = BlockDecodingStrategy::UptoBlocks(1);
            let decoded = self.decoder.decode_blocks(&mut self.stored, block);
            decoded.map_err(|_| damaged())?;
            return Ok(true);
        }
        let more = !self.stored.fill_buf()?.is_empty();
        if more {
            self.begin()?;
        }
        Ok(more)
    }

    /// Reads the header of a frame. A skippable frame is skipped.
    fn begin(&mut self) -> io::Result<()> {
        match self.decoder.init(&mut self.stored) {
            Ok(()) => self.open = true,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                io::copy(&mut self.stored.by_ref().take(length.into()), &mut io::sink())?;
            }
            Err(FrameDecoderError::WindowSizeTooBig { requested, max }) => {
                return Err(wide(requested, max));
            }
            Err(_) => return Err(damaged()),
        }
        Ok(())
    }

    fn verify(&self) -> io::Result<()> {
        let told = self.decoder.get_checksum_from_data();
        if told.is_none() || told == self.decoder.get_calculated_checksum() {
            return Ok(());
        }
        Err(io::Error::other(format!(
            "its checksum after {} unpacked bytes does not match: it is damaged; restore it from \
             a copy",
            self.length
        )))
    }
}

/// Content of a compressed file as a stream, within its budget.
pub(crate) struct Unpacked {
    frames: Frames<BufReader<File>>,
    room: usize,
}

impl Unpacked {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let room = admit(path)?.room;
        Ok(Self { frames: Frames::of(BufReader::new(regular(path)?)), room })
    }
}

impl Read for Unpacked {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.frames.decoder.read(into)?;
            self.frames.length += count;
            if self.frames.length > self.room {
                return Err(beyond(self.room));
            }
            if count > 0 || into.is_empty() || !self.frames.step()? {
                return Ok(count);
            }
        }
    }
}
