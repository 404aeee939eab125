//! Packs: Zstandard frames of pieces, one after another, and behind them a table of the pieces. A
//! pack is named after its SHA-256, and never changes.
//!
//! The table is a line of JSON in a skippable frame, so that the whole pack is a valid Zstandard
//! file, and the last line of it is the table.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use store::unnamed::Unnamed;

use crate::cut::MOST;
use crate::digest::{Digest, Hasher};
use crate::error::Error;

/// Length in bytes at which a pack ends.
pub(crate) const FULL: u64 = 128 * 1024 * 1024;

/// The ending of a pack's name.
pub(crate) const ENDING: &str = ".pack";

const SCHEMA: &str = "verbatim-pack-1";

/// Level of compression.
const LEVEL: i32 = 3;

/// The first bytes of the frame that has the table.
const SKIPPABLE: [u8; 4] = 0x184d_2a50_u32.to_le_bytes();

/// Greatest length of a table in bytes.
const TABLE: u64 = 64 * 1024 * 1024;

/// A piece in a pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Piece {
    /// The SHA-256 of its bytes.
    pub digest: Digest,
    /// Offset of its frame in the pack.
    pub offset: u64,
    /// Length of its frame in bytes.
    pub stored: u64,
    /// Length of its bytes.
    pub length: u64,
}

#[derive(Serialize, Deserialize)]
struct Table {
    schema: String,
    pieces: Vec<Piece>,
}

/// A pack that is being written.
pub(crate) struct PackWriter {
    folder: PathBuf,
    file: Unnamed,
    hasher: Hasher,
    length: u64,
    pieces: Vec<Piece>,
}

impl PackWriter {
    /// A new pack in this folder.
    pub(crate) fn create(folder: &Path) -> Result<Self, Error> {
        let file = Unnamed::create(folder).map_err(Error::io(folder))?;
        let folder = folder.to_path_buf();
        Ok(Self { folder, file, hasher: Hasher::default(), length: 0, pieces: Vec::new() })
    }

    /// Adds a piece.
    pub(crate) fn add(&mut self, digest: Digest, bytes: &[u8]) -> Result<(), Error> {
        let frame = compressed(bytes).map_err(Error::io(&self.folder))?;
        self.add_frame(digest, bytes.len() as u64, &frame)
    }

    /// Adds a piece that is compressed already.
    pub(crate) fn add_frame(
        &mut self,
        digest: Digest,
        length: u64,
        frame: &[u8],
    ) -> Result<(), Error> {
        let (offset, stored) = (self.length, frame.len() as u64);
        self.write(frame)?;
        self.pieces.push(Piece { digest, offset, stored, length });
        Ok(())
    }

    /// Length in bytes so far.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(Error::io(&self.folder))?;
        self.hasher.add(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Writes the table, and waits until the pack is on the disk.
    pub(crate) fn finish(mut self) -> Result<(String, Vec<Piece>), Error> {
        let table = Table { schema: SCHEMA.into(), pieces: std::mem::take(&mut self.pieces) };
        let json = serde_json::to_vec(&table).map_err(io::Error::other);
        let json = json.map_err(Error::io(&self.folder))?;
        let length = json.len() as u64 + 2;
        let length = u32::try_from(length).ok().filter(|length| u64::from(*length) < TABLE);
        let long = || Error::io(&self.folder)(io::Error::other("a pack with too many pieces"));
        let length = length.ok_or_else(long)?;
        self.write(&SKIPPABLE)?;
        self.write(&length.to_le_bytes())?;
        self.write(b"\n")?;
        self.write(&json)?;
        self.write(b"\n")?;
        let own = self.hasher.end();
        let name = format!("{own}{ENDING}");
        // A file of this name stays: a damaged one must not stay in the way of the same bytes.
        if digest(&self.folder.join(&name)).is_ok_and(|found| found != own) {
            let damaged = std::slice::from_ref(&name);
            store::unnamed::remove(&self.folder, damaged).map_err(Error::io(&self.folder))?;
        }
        self.file.finish(&name).map_err(Error::io(&self.folder))?;
        Ok((name, table.pieces))
    }
}

pub(crate) fn compressed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::stream::Encoder::new(Vec::with_capacity(bytes.len() / 4), LEVEL)?;
    encoder.include_checksum(true)?;
    encoder.set_pledged_src_size(Some(bytes.len() as u64))?;
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// The pieces in a pack, by its table.
pub(crate) fn table(path: &Path) -> Result<Vec<Piece>, Error> {
    let damaged = |what: &str| Error::Damaged { path: path.into(), what: what.into() };
    let mut file = File::open(path).map_err(Error::io(path))?;
    let length = file.metadata().map_err(Error::io(path))?.len();
    let mut room = 4096_u64;
    let (end, begins) = loop {
        let from = length.saturating_sub(room);
        let mut end = Vec::new();
        file.seek(SeekFrom::Start(from)).map_err(Error::io(path))?;
        (&mut file).take(room).read_to_end(&mut end).map_err(Error::io(path))?;
        if end.last() != Some(&b'\n') {
            return Err(damaged("it does not end with a table of its pieces: it is cut off"));
        }
        let line = memchr::memrchr(b'\n', &end[..end.len() - 1]);
        match line {
            Some(at) if at >= 8 => break (end, at),
            _ if from == 0 || room >= TABLE => {
                return Err(damaged("it has no table of its pieces"));
            }
            _ => room *= 8,
        }
    };
    let (head, json) = (&end[begins - 8..begins], &end[begins + 1..]);
    let said = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
    if head[..4] != SKIPPABLE || said != end.len() - begins {
        return Err(damaged("the frame of its table is damaged"));
    }
    let table: Table =
        serde_json::from_slice(json).map_err(|_| damaged("the table of its pieces is damaged"))?;
    let frames = length - (end.len() - begins) as u64 - 8;
    let mut next = 0;
    for piece in &table.pieces {
        let follows = piece.offset == next && piece.stored <= frames - next;
        if !follows || piece.length > MOST as u64 {
            return Err(damaged("the table of its pieces does not fit its frames"));
        }
        next += piece.stored;
    }
    match table.schema == SCHEMA && next == frames {
        true => Ok(table.pieces),
        false => Err(damaged("the table of its pieces does not fit its frames")),
    }
}

/// The frame of a piece, as it is stored.
pub(crate) fn frame(path: &Path, piece: &Piece) -> Result<Vec<u8>, Error> {
    let mut file = File::open(path).map_err(Error::io(path))?;
    file.seek(SeekFrom::Start(piece.offset)).map_err(Error::io(path))?;
    let mut frame = Vec::new();
    file.take(piece.stored).read_to_end(&mut frame).map_err(Error::io(path))?;
    Ok(frame)
}

/// The bytes of a piece, which have its digest. A frame may claim any length: no more is unpacked
/// than the piece has.
pub(crate) fn bytes(path: &Path, piece: &Piece) -> Result<Vec<u8>, Error> {
    let frame = frame(path, piece)?;
    let damaged = |what: String| Error::Damaged { path: path.into(), what };
    let place = format!("the piece at byte {}", piece.offset);
    let mut decoder = zstd::stream::Decoder::new(&*frame).map_err(Error::io(path))?;
    // A frame that asks for more memory than a piece can need was made by another program.
    decoder.window_log_max(23).map_err(Error::io(path))?;
    let mut bytes = Vec::with_capacity(usize::try_from(piece.length).unwrap_or(0).min(MOST));
    let read = decoder.take(piece.length + 1).read_to_end(&mut bytes);
    read.map_err(|error| damaged(format!("{place} can't be unpacked: {error}")))?;
    match bytes.len() as u64 == piece.length && Digest::of(&bytes) == piece.digest {
        true => Ok(bytes),
        false => Err(damaged(format!("{place} does not have its digest"))),
    }
}

/// The SHA-256 of a whole file.
pub(crate) fn digest(path: &Path) -> Result<Digest, Error> {
    let mut file = File::open(path).map_err(Error::io(path))?;
    let (mut hasher, mut room) = (Hasher::default(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut room).map_err(Error::io(path))? {
            0 => return Ok(hasher.end()),
            read => hasher.add(&room[..read]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_gives_its_pieces_back_and_damage_is_found() {
        let temp = tempfile::tempdir().unwrap();
        let mut writer = PackWriter::create(temp.path()).unwrap();
        let texts = ["one\n".repeat(9), "two\n".repeat(70_000), String::new()];
        for text in &texts {
            writer.add(Digest::of(text.as_bytes()), text.as_bytes()).unwrap();
        }
        let (name, pieces) = writer.finish().unwrap();
        let path = temp.path().join(&name);
        assert_eq!(name, format!("{}{ENDING}", digest(&path).unwrap()));
        assert_eq!(table(&path).unwrap(), pieces);
        for (piece, text) in pieces.iter().zip(&texts) {
            assert_eq!(bytes(&path, piece).unwrap(), text.as_bytes());
        }
        // The whole pack is a Zstandard file of the pieces.
        let whole = zstd::stream::decode_all(File::open(&path).unwrap()).unwrap();
        assert_eq!(whole, texts.concat().as_bytes());
        let sound = std::fs::read(&path).unwrap();
        for at in 0..sound.len() {
            let mut broken = sound.clone();
            broken[at] ^= 1;
            let path = temp.path().join("broken");
            std::fs::write(&path, &broken).unwrap();
            let found = table(&path).map(|found| {
                found == pieces && {
                    found.iter().zip(&texts).all(|(piece, text)| {
                        bytes(&path, piece).is_ok_and(|bytes| bytes == text.as_bytes())
                    })
                }
            });
            // The digest of the whole file shows damage that no piece shows.
            assert!(
                !found.unwrap_or(false)
                    || digest(&path).unwrap() != digest(&temp.path().join(&name)).unwrap()
            );
            std::fs::write(&path, &sound[..at]).unwrap();
            assert!(table(&path).is_err(), "cut off at {at}");
        }
    }

    #[test]
    fn a_frame_is_not_unpacked_beyond_its_piece() {
        let temp = tempfile::tempdir().unwrap();
        let (path, bomb) = (temp.path().join("bomb"), vec![0; 64 * MOST]);
        let frame = zstd::stream::encode_all(&*bomb, 1).unwrap();
        std::fs::write(&path, &frame).unwrap();
        let (digest, stored) = (Digest::of(&bomb), frame.len() as u64);
        let piece = Piece { digest, offset: 0, stored, length: 100 };
        assert!(matches!(bytes(&path, &piece), Err(Error::Damaged { .. })));
    }
}
