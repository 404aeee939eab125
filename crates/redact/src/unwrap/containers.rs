//! Containers in bytes that were encoded: Gzip (RFC 1952), zlib (RFC 1950) and zip.
//!
//! A few bytes can unpack to many, and the members of a zip archive can even share their bytes. So
//! the work is counted over all members of a container and over the containers within it, and also
//! over all containers of a session. What exceeds a limit is not looked into, and the caller makes
//! it a finding as a whole.

use std::cell::Cell;
use std::io::Read as _;

use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The largest unpacked length of one container, with everything in it.
const LONG: u64 = 16 << 20;
/// The largest number of containers within each other.
const DEPTH: usize = 8;

/// The content of bytes, as far as it is known.
pub(crate) enum Content {
    /// They are in no known container.
    Other,
    /// All texts in it.
    Text(Vec<u8>),
    /// A container that is not unpacked: too long, too deep, or of another kind.
    Unknown,
}

/// The texts in a container. `left` is the number of bytes that may still be unpacked in the
/// session.
pub(crate) fn content(bytes: &[u8], left: &Cell<u64>) -> Content {
    let most = left.get().min(LONG);
    let mut unpacking = Unpacking { left: most, out: Vec::new() };
    let result = unpacking.container(bytes, DEPTH);
    left.set(left.get() - (most - unpacking.left));
    match result {
        None => Content::Other,
        Some(Ok(())) => Content::Text(unpacking.out),
        Some(Err(TooMuch)) => Content::Unknown,
    }
}

/// Whether bytes begin as a container does.
pub(crate) fn is_packed(bytes: &[u8]) -> bool {
    kind(bytes).is_some()
}

/// More than is unpacked.
struct TooMuch;

#[derive(Clone, Copy)]
enum Kind {
    Gzip,
    Zlib,
    Zip,
    Unknown,
}

/// The beginnings of xz, Zstandard, 7z, LZ4, RAR and LZMA-compressed bytes, and of cabinets.
const UNKNOWN: [&[u8]; 7] = [
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
    b"7z\xbc\xaf\x27\x1c",
    b"\x04\x22\x4d\x18",
    b"Rar!\x1a\x07",
    b"\x5d\0\0\x80\0\xff\xff\xff",
    b"MSCF\0\0\0\0",
];

fn kind(bytes: &[u8]) -> Option<Kind> {
    let has = |head: &[u8]| bytes.starts_with(head);
    Some(match bytes {
        [0x1f, 0x8b, 8, flags, ..] if *flags < 0x20 => Kind::Gzip,
        [first, second, third, ..]
            if first & 0x8f == 8
                && second & 0x20 == 0
                && (u32::from(*first) << 8 | u32::from(*second)).is_multiple_of(31)
                && third & 7 != 7 =>
        {
            Kind::Zlib
        }
        _ if has(b"PK\x03\x04") => Kind::Zip,
        _ if has(b"BZh") && bytes.get(4..10) == Some(b"1AY&SY") => Kind::Unknown,
        _ if UNKNOWN.iter().any(|head| has(head)) => Kind::Unknown,
        _ => return None,
    })
}

/// A decoder of a packed stream.
type Open = for<'r, 'p> fn(&'r mut &'p [u8]) -> Box<dyn std::io::Read + 'r>;

/// One container while it is unpacked.
struct Unpacking {
    /// The bytes that may still be unpacked.
    left: u64,
    /// The texts so far.
    out: Vec<u8>,
}

impl Unpacking {
    /// Adds the texts of bytes, if they are a container.
    fn container(&mut self, bytes: &[u8], depth: usize) -> Option<Result<(), TooMuch>> {
        let kind = kind(bytes)?;
        if depth == 0 {
            return Some(Err(TooMuch));
        }
        let result = match kind {
            Kind::Gzip => self.stream(bytes, |bytes| Box::new(MultiGzDecoder::new(bytes)), depth),
            // By chance two bytes are those of zlib: then nothing can be unpacked.
            Kind::Zlib => {
                match self.stream(bytes, |bytes| Box::new(ZlibDecoder::new(bytes)), depth) {
                    Ok(0) => return None,
                    other => other,
                }
            }
            Kind::Zip => return Some(self.zip(bytes, depth)),
            Kind::Unknown => Err(TooMuch),
        };
        Some(result.map(|_| ()))
    }

    /// Adds the texts of a packed stream, and returns its unpacked length. A stream that is cut
    /// gives the bytes before the cut.
    fn stream(&mut self, packed: &[u8], open: Open, depth: usize) -> Result<usize, TooMuch> {
        let (mut rest, mut bytes) = (packed, Vec::new());
        let _ = open(&mut rest).take(self.left + 1).read_to_end(&mut bytes);
        // A long stream may unpack to nothing, and is work too.
        let read = packed.len() - rest.len();
        self.take(read.max(bytes.len()))?;
        self.add(&bytes, depth)?;
        Ok(bytes.len())
    }

    /// Counts bytes, if they are left.
    fn take(&mut self, length: usize) -> Result<(), TooMuch> {
        let left = self.left.checked_sub(length as u64);
        self.left = left.unwrap_or_default();
        left.map(|_| ()).ok_or(TooMuch)
    }

    /// Adds the texts of bytes that were in a container.
    fn add(&mut self, bytes: &[u8], depth: usize) -> Result<(), TooMuch> {
        if let Some(done) = self.container(bytes, depth - 1) {
            return done;
        }
        texts(bytes, &mut self.out);
        Ok(())
    }

    /// Adds the files of a zip archive, by their local headers.
    fn zip(&mut self, bytes: &[u8], depth: usize) -> Result<(), TooMuch> {
        let mut rest = bytes;
        while let Some(at) = memchr::memmem::find(rest, b"PK\x03\x04") {
            let head = &rest[at..];
            let number = |at: usize| {
                let two = head.get(at..at + 2);
                two.map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])))
            };
            let long = |at: usize| number(at) | number(at + 2) << 16;
            let body = 30 + number(26) + number(28);
            let Some(data) = head.get(body..) else { break };
            texts(&head[30..30 + number(26)], &mut self.out);
            let file = &data[..long(18).min(data.len())];
            let is_encrypted = number(6) & 1 == 1;
            match number(8) {
                0 if !is_encrypted => {
                    self.take(file.len())?;
                    self.add(file, depth)?;
                }
                // The length of a file may be behind it.
                8 if !is_encrypted => {
                    self.stream(data, |data| Box::new(DeflateDecoder::new(data)), depth)?;
                }
                _ => return Err(TooMuch),
            }
            rest = &data[file.len()..];
        }
        // The comment of the archive is at its end.
        texts(rest, &mut self.out);
        Ok(())
    }
}

/// The least length of a text among other bytes.
const TEXT: usize = 6;

/// All texts among bytes, if one of them is longer than `least`.
pub(crate) fn mixed(bytes: &[u8], least: usize) -> Content {
    let mut out = Vec::new();
    let is_graphic = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e);
    if bytes.split(|byte| !is_graphic(byte)).any(|text| text.len() > least) {
        texts(bytes, &mut out);
    }
    if out.is_empty() { Content::Other } else { Content::Text(out) }
}

/// Adds the texts among bytes, each with an empty line behind it. Of a text in UTF-16 the zeros
/// between its letters stay.
fn texts(bytes: &[u8], out: &mut Vec<u8>) {
    let is_zero = |at: Option<usize>| at.and_then(|at| bytes.get(at)) == Some(&0);
    let is_text = |at: usize| match bytes[at] {
        0 => is_zero(at.checked_sub(2)) || is_zero(at.checked_add(2)),
        byte => matches!(byte, 8..=10 | b'\r' | 0x1b | 0x20..=0x7e | 0x80..),
    };
    let mut start = 0;
    for at in 0..=bytes.len() {
        if at < bytes.len() && is_text(at) {
            continue;
        }
        if at - start >= TEXT && bytes[start..at].iter().any(|&byte| byte > 0) {
            // No line goes on behind an empty one.
            out.extend_from_slice(&bytes[start..at]);
            out.extend_from_slice(b"\n\n");
        }
        start = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use std::io::Write as _;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes).expect("memory");
        packed.finish().expect("memory")
    }

    /// The content of the first container of a session.
    fn once(bytes: &[u8]) -> Content {
        content(bytes, &Cell::new(1 << 30))
    }

    #[test]
    fn each_container_is_unpacked() {
        let word = b"a word that is to be found";
        let is_word = |text: &[u8]| memchr::memmem::find(text, b"to be found").is_some();
        let has = |bytes: &[u8]| matches!(once(bytes), Content::Text(text) if is_word(&text));
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(word).expect("memory");
        let mut two = gzip(b"first member");
        two.extend(gzip(word));
        for bytes in [
            gzip(word),
            gzip(&gzip(word)),
            two,
            zlib.finish().expect("memory"),
            gzip(&[&b"hello ".repeat(200_000), &word[..]].concat()),
        ] {
            assert!(has(&bytes), "{:?}", &bytes[..12]);
        }
        assert!(matches!(once(b"plain text"), Content::Other));
    }

    #[test]
    fn a_container_that_is_too_long_or_too_deep_is_unknown() {
        assert!(matches!(once(&gzip(&vec![0; 17 << 20])), Content::Unknown));
        let mut deep = b"word".to_vec();
        for _ in 0..9 {
            deep = gzip(&deep);
        }
        assert!(matches!(once(&deep), Content::Unknown));
    }

    /// A zip archive of files with these bytes, packed or stored, without its directory.
    fn zip(files: &[&[u8]], is_packed: bool) -> Vec<u8> {
        let mut archive = Vec::new();
        for bytes in files {
            let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
            packed.write_all(bytes).expect("memory");
            let packed = packed.finish().expect("memory");
            let data = if is_packed { &packed } else { *bytes };
            archive.extend_from_slice(b"PK\x03\x04\x14\0\0\0");
            archive.extend_from_slice(&[if is_packed { 8 } else { 0 }, 0]);
            archive.extend_from_slice(&[0; 8]);
            archive.extend_from_slice(&u32::try_from(data.len()).expect("short").to_le_bytes());
            archive.extend_from_slice(&[0; 8]);
            archive.extend_from_slice(data);
        }
        archive
    }

    #[test]
    fn the_files_of_an_archive_share_one_limit() {
        let (zeros, word) = (vec![0; 9 << 20], b"a word of a file");
        let Content::Text(text) = once(&zip(&[&zeros, word], true)) else { panic!("one is short") };
        assert!(text.starts_with(word));
        assert!(matches!(once(&zip(&[&zeros, &zeros], true)), Content::Unknown));
        // Also across the archives within an archive.
        let one = zip(&[&zeros], true);
        assert!(matches!(once(&zip(&[&one, &one], false)), Content::Unknown));
    }

    #[test]
    fn the_containers_of_a_session_share_one_limit() {
        let (left, zeros) = (Cell::new(24 << 20), gzip(&vec![0; 10 << 20]));
        assert!(matches!(content(&zeros, &left), Content::Text(_)));
        assert!(matches!(content(&zeros, &left), Content::Text(_)));
        assert!(matches!(content(&zeros, &left), Content::Unknown));
        assert_eq!(left.get(), 0);
    }
}
