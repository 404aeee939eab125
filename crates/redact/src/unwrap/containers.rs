//! Containers in bytes that were encoded: Gzip (RFC 1952), zlib (RFC 1950) and zip.

use std::io::Read as _;

use flate2::bufread::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

/// The largest unpacked length of one container.
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

/// The texts in a container.
pub(crate) fn content(bytes: &[u8]) -> Content {
    let mut out = Vec::new();
    match unpack(bytes, DEPTH, &mut out) {
        None => Content::Other,
        Some(Ok(())) => Content::Text(out),
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

fn unpack(bytes: &[u8], depth: usize, out: &mut Vec<u8>) -> Option<Result<(), TooMuch>> {
    let kind = kind(bytes)?;
    if depth == 0 {
        return Some(Err(TooMuch));
    }
    let result = match kind {
        Kind::Gzip => stream(MultiGzDecoder::new(bytes), depth, out),
        // By chance two bytes are those of zlib: then nothing can be unpacked.
        Kind::Zlib => match stream(ZlibDecoder::new(bytes), depth, out) {
            Ok(0) => return None,
            other => other,
        },
        Kind::Zip => zip(bytes, depth, out),
        Kind::Unknown => Err(TooMuch),
    };
    Some(result.map(|_| ()))
}

/// The number of bytes that a reader gives. A cut container gives those before the cut.
fn stream(reader: impl std::io::Read, depth: usize, out: &mut Vec<u8>) -> Result<usize, TooMuch> {
    let mut bytes = Vec::new();
    let _ = reader.take(LONG + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > LONG || out.len() as u64 > LONG {
        return Err(TooMuch);
    }
    add(&bytes, depth, out)?;
    Ok(bytes.len())
}

/// Adds the texts of bytes.
fn add(bytes: &[u8], depth: usize, out: &mut Vec<u8>) -> Result<(), TooMuch> {
    if let Some(done) = unpack(bytes, depth - 1, out) {
        return done;
    }
    texts(bytes, out);
    Ok(())
}

/// The least length of a text among other bytes.
const TEXT: usize = 6;

/// The texts of a length among bytes, or all if they have one, and those of the containers within.
pub(crate) fn mixed(bytes: &[u8], least: usize) -> Content {
    let mut out = Vec::new();
    let is_graphic = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e);
    if bytes.split(|byte| !is_graphic(byte)).any(|text| text.len() > least) {
        texts(bytes, &mut out);
    }
    if out.is_empty() { Content::Other } else { Content::Text(out) }
}

/// The texts among bytes, each on a line. Of a text in UTF-16 the zeros between its letters stay.
fn texts(bytes: &[u8], out: &mut Vec<u8>) -> usize {
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
    out.len()
}

/// The files of a zip archive, by their local headers.
fn zip(bytes: &[u8], depth: usize, out: &mut Vec<u8>) -> Result<usize, TooMuch> {
    let mut rest = bytes;
    while let Some(at) = memchr::memmem::find(rest, b"PK\x03\x04") {
        let head = &rest[at..];
        let number = |at: usize| {
            head.get(at..at + 2).map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])))
        };
        let long = |at: usize| number(at) | number(at + 2) << 16;
        let body = 30 + number(26) + number(28);
        let Some(data) = head.get(body..) else { break };
        texts(&head[30..30 + number(26)], out);
        let is_encrypted = number(6) & 1 == 1;
        match number(8) {
            0 if !is_encrypted => add(&data[..long(18).min(data.len())], depth, out)?,
            8 if !is_encrypted => _ = stream(DeflateDecoder::new(data), depth, out)?,
            _ => return Err(TooMuch),
        }
        rest = &data[long(18).min(data.len())..];
    }
    // The comment of the archive is at its end.
    texts(rest, out);
    Ok(out.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use std::io::Write as _;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes).expect("memory");
        packed.finish().expect("memory")
    }

    #[test]
    fn each_container_is_unpacked() {
        let word = b"a word that is to be found";
        let is_word = |text: &[u8]| memchr::memmem::find(text, b"to be found").is_some();
        let has = |bytes: &[u8]| matches!(content(bytes), Content::Text(text) if is_word(&text));
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
        assert!(matches!(content(b"plain text"), Content::Other));
    }

    #[test]
    fn a_container_that_is_too_long_or_too_deep_is_unknown() {
        assert!(matches!(content(&gzip(&vec![0; 17 << 20])), Content::Unknown));
        let mut deep = b"word".to_vec();
        for _ in 0..9 {
            deep = gzip(&deep);
        }
        assert!(matches!(content(&deep), Content::Unknown));
    }
}
