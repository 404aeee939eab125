//! Containers: Gzip, zlib, zip and tar, and the texts in pictures, in bytes that were encoded.

use std::io::Read as _;

use flate2::bufread::{DeflateDecoder, GzDecoder, MultiGzDecoder, ZlibDecoder};

/// The largest unpacked length of one container.
const LONG: u64 = 16 << 20;
/// The largest number of members of Gzip that are looked at by themselves.
const MEMBERS: usize = 8;
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

/// Whether bytes begin as a container or picture does.
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
    Tar,
    Png,
    Jpeg,
    Gif,
    WebP,
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
    let tar = bytes.get(257..262) == Some(b"ustar");
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
        _ if tar => Kind::Tar,
        _ if has(b"\x89PNG\r\n") => Kind::Png,
        _ if has(b"\xff\xd8\xff") => Kind::Jpeg,
        _ if has(b"GIF8") => Kind::Gif,
        _ if has(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") => Kind::WebP,
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
        Kind::Gzip => gzip(bytes, depth, out),
        // By chance two bytes are those of zlib: then nothing can be unpacked.
        Kind::Zlib => match stream(ZlibDecoder::new(bytes), depth, out) {
            Ok(0) => return None,
            other => other,
        },
        Kind::Zip => zip(bytes, depth, out),
        Kind::Tar => tar(bytes, depth, out),
        Kind::Png => png(bytes, depth, out),
        Kind::Jpeg => Ok(jpeg(bytes, out)),
        Kind::Gif => Ok(gif(bytes, out)),
        Kind::WebP => Ok(webp(bytes, out)),
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

/// The members of Gzip: what they are together, and each by itself, as either is what was packed.
fn gzip(bytes: &[u8], depth: usize, out: &mut Vec<u8>) -> Result<usize, TooMuch> {
    let all = stream(MultiGzDecoder::new(bytes), depth, out)?;
    let mut rest = bytes;
    for _ in 0..MEMBERS {
        let mut member = GzDecoder::new(rest);
        let length = std::io::copy(&mut member.by_ref().take(LONG), &mut std::io::sink());
        let behind = member.into_inner();
        if !length.is_ok_and(|length| length > 0) || behind.is_empty() || behind.len() == rest.len()
        {
            break;
        }
        stream(MultiGzDecoder::new(behind), depth, out)?;
        rest = behind;
    }
    Ok(all)
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
    match within(bytes, DEPTH, &mut out) {
        Err(TooMuch) => Content::Unknown,
        Ok(()) if out.is_empty() => Content::Other,
        Ok(()) => Content::Text(out),
    }
}

/// The largest number of containers that are looked for within other bytes.
const WITHIN: usize = 16;

/// Adds the texts of the containers that begin within bytes.
fn within(bytes: &[u8], depth: usize, out: &mut Vec<u8>) -> Result<(), TooMuch> {
    let heads = [&b"\x1f\x8b\x08"[..], b"PK\x03\x04", b"stream\n", b"stream\r\n"];
    for head in heads {
        let mut from = 0;
        for at in memchr::memmem::find_iter(bytes, head).take(WITHIN) {
            // What is unpacked is not looked at once more.
            let skip = if head[0] == b's' { head.len() } else { 0 };
            let inner = &bytes[at + skip..];
            match kind(inner).filter(|_| at >= from) {
                Some(Kind::Gzip) => _ = stream(MultiGzDecoder::new(inner), depth, out)?,
                Some(Kind::Zlib) => _ = stream(ZlibDecoder::new(inner), depth, out)?,
                // All of the archive is read at its first file.
                Some(Kind::Zip) => (_, from) = (zip(inner, depth, out)?, bytes.len()),
                _ => {}
            }
        }
    }
    Ok(())
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
    super::counted::strings(bytes, out);
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

/// The blocks of a tape archive.
fn tar(bytes: &[u8], depth: usize, out: &mut Vec<u8>) -> Result<usize, TooMuch> {
    let mut at = 0;
    while let Some(head) = bytes.get(at..at + 512).filter(|head| head[257..262] == *b"ustar") {
        texts(&head[..257], out);
        let digits = head[124..136].iter().take_while(|byte| byte.is_ascii_digit());
        let length = digits.fold(0usize, |length, &byte| length << 3 | usize::from(byte & 7));
        let data = &bytes[(at + 512).min(bytes.len())..(at + 512 + length).min(bytes.len())];
        add(data, depth, out)?;
        at += 512 + length.div_ceil(512) * 512;
    }
    Ok(out.len())
}

/// The texts of a PNG picture (its chunks but the pixels).
fn png(bytes: &[u8], depth: usize, out: &mut Vec<u8>) -> Result<usize, TooMuch> {
    let mut at = 8;
    while let Some(head) = bytes.get(at..at + 8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        let data = &bytes[at + 8..(at + 8).saturating_add(length).min(bytes.len())];
        match &head[4..8] {
            b"IDAT" | b"IHDR" | b"PLTE" | b"iCCP" => {}
            b"zTXt" | b"iTXt" => {
                texts(data, out);
                let packed = (0..data.len().min(200)).find(|&at| data[at] == 0x78);
                if let Some(packed) = packed.filter(|&at| is_packed(&data[at..])) {
                    stream(ZlibDecoder::new(&data[packed..]), depth, out)?;
                }
            }
            _ => _ = texts(data, out),
        }
        at = (at + 12).saturating_add(length);
        if &head[4..8] == b"IEND" {
            add(bytes.get(at..).unwrap_or_default(), depth, out)?;
            break;
        }
    }
    Ok(out.len())
}

/// The texts of a JPEG picture: its segments before the pixels.
fn jpeg(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let mut at = 2;
    while let Some(&[0xff, mark, high, low]) = bytes.get(at..at + 4) {
        let length = usize::from(u16::from_be_bytes([high, low]));
        if mark == 0xd9 {
            break;
        }
        if mark == 0xda || length < 2 {
            // Behind the pixels.
            let end = memchr::memmem::rfind(bytes, b"\xff\xd9").unwrap_or(bytes.len());
            return texts(&bytes[end..], out);
        }
        if matches!(mark, 0xe1..=0xef | 0xfe) {
            texts(&bytes[at + 4..(at + 2 + length).min(bytes.len()).max(at + 4)], out);
        }
        at += 2 + length;
    }
    texts(bytes.get(at..).unwrap_or_default(), out)
}

/// The comments of a GIF picture, and the texts of its applications.
fn gif(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    let mut at = 13 + bytes.get(10).map_or(0, |&flags| table(flags));
    loop {
        let is_text = match bytes.get(at) {
            Some(0x21) => {
                at += 2;
                matches!(bytes.get(at - 1), Some(0xfe | 0xff | 0x01))
            }
            Some(0x2c) => {
                at += 11 + bytes.get(at + 9).map_or(0, |&flags| table(flags));
                false
            }
            _ => return texts(bytes.get(at..).unwrap_or_default(), out),
        };
        // A text is in blocks of at most 255 bytes.
        let mut text = Vec::new();
        while let Some(length) = bytes.get(at).copied().map(usize::from).filter(|&one| one > 0) {
            if is_text {
                text.extend_from_slice(&bytes[at + 1..(at + 1 + length).min(bytes.len())]);
            }
            at += 1 + length;
        }
        at += 1;
        texts(&text, out);
    }
}

/// The texts of a WebP picture: its chunks but the pixels.
fn webp(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let mut at = 12;
    while let Some(head) = bytes.get(at..at + 8) {
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        let end = (at + 8).saturating_add(length).min(bytes.len());
        if !matches!(&head[..4], b"VP8 " | b"VP8L" | b"VP8X" | b"ALPH" | b"ANMF" | b"ICCP") {
            texts(&bytes[at + 8..end], out);
        }
        at = end + length % 2;
    }
    out.len()
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
        let mut tar = vec![0; 512];
        tar[..5].copy_from_slice(b"a.txt");
        tar[124..136].copy_from_slice(b"00000000032\0");
        tar[257..262].copy_from_slice(b"ustar");
        tar.extend(word);
        let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
        png.extend((word.len() as u32 + 5).to_be_bytes());
        png.extend(b"tEXtNote\0");
        png.extend(word);
        for bytes in [
            gzip(word),
            gzip(&gzip(word)),
            two,
            zlib.finish().expect("memory"),
            gzip(&[&b"hello ".repeat(200_000), &word[..]].concat()),
            tar,
            png,
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
