//! Files that pack others: Gzip, bzip2, XZ, Zip and tar. Each entry is unpacked in memory, within
//! limits; its name is only a text, and never a path.

use std::io::{Cursor, Read};

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;

use super::texts;

/// The most bytes that are unpacked of one file, for each of its own bytes and at all.
const RATIO: u64 = 100;
const MOST: u64 = 1 << 30;
/// The bytes that are unpacked of the smallest file.
const LEAST: u64 = 1 << 16;
/// The longest entry.
const ENTRY: u64 = 64 << 20;
/// The most entries.
const ENTRIES: u32 = 10_000;
/// The most memory that XZ may ask for, in KiB: its strongest setting needs 65 MiB.
const MEMORY: u32 = 80 << 10;
/// The most archives that are in each other.
const DEPTH: usize = 4;

/// The receiver of entries: the place of each in its file, in words, and its bytes.
pub(super) type Take<'t> = dyn FnMut(&str, Vec<u8>) + 't;

/// Gives the entries of a file to `take`, and returns the reasons why some were not looked into.
/// `None` for a file of a form that is not unpacked.
pub(super) fn each(bytes: &[u8], take: &mut Take<'_>) -> Option<Vec<String>> {
    let most = (bytes.len() as u64).saturating_mul(RATIO).clamp(LEAST, MOST);
    let mut open = Unpacking { left: most, entries: ENTRIES, closed: Vec::new(), take };
    open.file(bytes, "", 0).then_some(open.closed)
}

/// Whether a file is a tape archive.
pub(super) fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

struct Unpacking<'t, 'f> {
    /// The bytes and entries that may still be unpacked.
    left: u64,
    entries: u32,
    /// The reasons why parts were not looked into.
    closed: Vec<String>,
    take: &'t mut Take<'f>,
}

/// The words for an end by the limits.
const LIMIT: &str = "unpacks to more than 100 times its length, 1 GiB or 10,000 entries";

impl Unpacking<'_, '_> {
    /// A file or an entry; whether it is of a form that is unpacked.
    fn file(&mut self, bytes: &[u8], place: &str, depth: usize) -> bool {
        match bytes {
            [0x1f, 0x8b, ..] => self.stream(MultiGzDecoder::new(bytes), place, depth),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => {
                self.stream(MultiBzDecoder::new(bytes), place, depth);
            }
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
                self.stream(XzReader::new_mem_limit(bytes, true, MEMORY), place, depth);
            }
            [b'P', b'K', 3 | 5, 4 | 6, ..] => self.zip(bytes, place, depth),
            _ if is_tar(bytes) => self.tar(bytes, place, depth),
            _ => return false,
        }
        true
    }

    fn closed(&mut self, place: &str, why: &str) {
        let why = if place.is_empty() { why.to_owned() } else { format!("{place}: {why}") };
        self.closed.push(why);
    }

    /// One packed stream: a text, or a tape archive.
    fn stream(&mut self, mut reader: impl Read, place: &str, depth: usize) {
        let mut head = Vec::new();
        let begin = reader.by_ref().take(512).read_to_end(&mut head);
        if begin.is_ok() && is_tar(&head) {
            return self.tar(Cursor::new(head).chain(reader), place, depth);
        }
        if let Some(bytes) = self.read(Cursor::new(head).chain(reader), place) {
            self.entry(bytes, place, depth);
        }
    }

    /// The bytes of an entry. What is before a damaged part is looked at too.
    fn read(&mut self, reader: impl Read, place: &str) -> Option<Vec<u8>> {
        let most = self.left.min(ENTRY);
        let mut bytes = Vec::new();
        let done = reader.take(most + 1).read_to_end(&mut bytes);
        if let Err(error) = done {
            self.closed(place, &format!("damaged: {error}"));
        }
        if bytes.len() as u64 > most {
            let why = if most == ENTRY { "is longer than 64 MiB unpacked" } else { LIMIT };
            self.closed(place, why);
            self.left = if most == ENTRY { self.left - ENTRY } else { 0 };
            return None;
        }
        self.left -= bytes.len() as u64;
        Some(bytes)
    }

    /// An entry that was unpacked: a text, or one more archive.
    fn entry(&mut self, bytes: Vec<u8>, place: &str, depth: usize) {
        match texts::packed(&bytes) {
            None if !is_tar(&bytes) => (self.take)(place, bytes),
            form if depth >= DEPTH || !self.file(&bytes, place, depth + 1) => {
                self.closed(place, &format!("packed ({})", form.unwrap_or("tar")));
            }
            _ => {}
        }
    }

    /// Whether one more entry may be looked at.
    fn next(&mut self, place: &str) -> bool {
        if self.entries == 0 || self.left == 0 {
            self.closed(place, LIMIT);
            return false;
        }
        self.entries -= 1;
        true
    }

    fn zip(&mut self, bytes: &[u8], place: &str, depth: usize) {
        let mut archive = match zip::ZipArchive::new(Cursor::new(bytes)) {
            Ok(archive) => archive,
            Err(error) => return self.closed(place, &format!("damaged: {error}")),
        };
        let mut names = Vec::new();
        for number in 0..archive.len() {
            let here = beneath(place, number);
            if !self.next(place) {
                break;
            }
            match archive.by_index_raw(number) {
                Ok(entry) => {
                    names.extend_from_slice(entry.name_raw());
                    names.push(b'\n');
                    if entry.encrypted() {
                        self.closed(&here, "is encrypted");
                        continue;
                    }
                }
                Err(error) => {
                    self.closed(&here, &format!("damaged: {error}"));
                    continue;
                }
            }
            match archive.by_index(number) {
                Ok(entry) => {
                    if let Some(bytes) = self.read(entry, &here) {
                        self.entry(bytes, &here, depth);
                    }
                }
                Err(error) => self.closed(&here, &error.to_string()),
            }
        }
        self.names(names, place);
    }

    fn tar(&mut self, reader: impl Read, place: &str, depth: usize) {
        // What an archive skips is unpacked too, and counts.
        let limited = reader.take(self.left.saturating_add(512 * u64::from(ENTRIES)));
        let mut archive = tar::Archive::new(limited);
        let mut names = Vec::new();
        let entries = match archive.entries() {
            Ok(entries) => entries,
            Err(error) => return self.closed(place, &format!("damaged: {error}")),
        };
        for (number, entry) in entries.enumerate() {
            let here = beneath(place, number);
            if !self.next(place) {
                break;
            }
            match entry {
                Ok(entry) => {
                    names.extend_from_slice(&entry.path_bytes());
                    names.push(b'\n');
                    let is_file = entry.header().entry_type().is_file();
                    if let Some(bytes) = is_file.then(|| self.read(entry, &here)).flatten() {
                        self.entry(bytes, &here, depth);
                    }
                }
                Err(error) => {
                    self.closed(&here, &format!("damaged: {error}"));
                    break;
                }
            }
        }
        self.names(names, place);
    }

    /// The names of the entries are a text: a line each.
    fn names(&mut self, names: Vec<u8>, place: &str) {
        let here = if place.is_empty() { String::new() } else { format!("{place}, ") };
        if !names.is_empty() {
            (self.take)(&format!("{here}names of entries"), names);
        }
    }
}

/// The words for an entry, by its number.
fn beneath(place: &str, number: usize) -> String {
    let here = if place.is_empty() { String::new() } else { format!("{place}, ") };
    format!("{here}entry {}", number + 1)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn texts_of(bytes: &[u8]) -> (Vec<(String, String)>, Vec<String>) {
        let mut all = Vec::new();
        let closed = each(bytes, &mut |place, text| {
            all.push((place.to_owned(), String::from_utf8_lossy(&text).into_owned()));
        });
        (all, closed.expect("a known form"))
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(bytes).expect("memory");
        writer.finish().expect("memory")
    }

    fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in entries {
            let mut header = tar::Header::new_ustar();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o600);
            builder.append_data(&mut header, name, *bytes).expect("memory");
        }
        builder.into_inner().expect("memory")
    }

    fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            let options = zip::write::SimpleFileOptions::default()
                .compression_method(zip::CompressionMethod::Deflated);
            writer.start_file(*name, options).expect("memory");
            writer.write_all(bytes).expect("memory");
        }
        writer.finish().expect("memory").into_inner()
    }

    #[test]
    fn each_form_is_unpacked_also_within_each_other() {
        let named = |all: &[(String, String)], text: &str| {
            all.iter().find(|(_, of)| of == text).map(|(place, _)| place.clone())
        };
        let (all, closed) = texts_of(&gzip(b"one"));
        assert_eq!((named(&all, "one").as_deref(), closed.len()), (Some(""), 0));
        let inner = tar(&[("a", b"first"), ("b/c", b"second")]);
        for packed in [inner.clone(), gzip(&inner)] {
            let (all, closed) = texts_of(&packed);
            assert_eq!(named(&all, "second").as_deref(), Some("entry 2"));
            assert_eq!(
                (named(&all, "a\nb/c\n").as_deref(), closed.len()),
                (Some("names of entries"), 0)
            );
        }
        let (all, _) = texts_of(&zip(&[("../../x", b"out"), ("y.tgz", &gzip(&inner))]));
        assert_eq!(named(&all, "out").as_deref(), Some("entry 1"));
        assert_eq!(named(&all, "first").as_deref(), Some("entry 2, entry 1"));
        let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        writer.write_all(b"three").expect("memory");
        let (all, _) = texts_of(&writer.finish().expect("memory"));
        assert_eq!(named(&all, "three").as_deref(), Some(""));
        assert!(each(b"a text", &mut |_, _| {}).is_none());
    }

    /// `four` in XZ, with a dictionary of 256 KiB, as another program wrote it.
    const XZ: [u8; 60] = [
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21,
        0x01, 0x0c, 0x00, 0x00, 0x00, 0x8f, 0x98, 0x41, 0x9c, 0x01, 0x00, 0x03, 0x66, 0x6f, 0x75,
        0x72, 0x00, 0xd0, 0x58, 0x3b, 0x3c, 0xad, 0xcb, 0x93, 0x7e, 0x00, 0x01, 0x1c, 0x04, 0x6f,
        0x2c, 0x9c, 0xc1, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
    ];

    #[test]
    fn xz_is_unpacked_within_the_limits() {
        let all = |bytes: &[u8]| texts_of(bytes);
        let four = |count: usize| vec![(String::new(), "four".repeat(count))];
        assert_eq!(all(&XZ), (four(1), Vec::new()));
        assert_eq!(all(&[XZ, XZ].concat()), (four(2), Vec::new()));
        let (texts, _) = all(&zip(&[("a.xz", &XZ)]));
        assert_eq!(texts[0], ("entry 1".to_owned(), "four".to_owned()));
        let (_, closed) = all(&XZ[..40]);
        assert!(closed.len() == 1 && closed[0].starts_with("damaged: "), "{closed:?}");
        // A head that asks for a dictionary of 4 GiB, with the check sum that it needs.
        let mut large = XZ;
        large[16] = 40;
        large[20..24].copy_from_slice(&[0xe6, 0xa0, 0x11, 0xb3]);
        let (texts, closed) = all(&large);
        assert!(texts.iter().all(|(_, text)| text.is_empty()), "{texts:?}");
        assert!(closed.len() == 1 && closed[0].starts_with("damaged: "), "{closed:?}");
    }

    #[test]
    fn limits_and_damage_are_said() {
        let (all, closed) = texts_of(&gzip(&vec![b'a'; 4 << 20]));
        assert!(all.is_empty() && closed == [LIMIT], "{closed:?}");
        let mut packed = gzip(b"a text that is long enough to be cut in the middle of it");
        packed.truncate(packed.len() - 12);
        let (_, closed) = texts_of(&packed);
        assert!(closed[0].starts_with("damaged: "), "{closed:?}");
        let mut whole = zip(&[("a", b"one"), ("b", b"two")]);
        // The flag of the second entry says that it is encrypted.
        let central = memchr::memmem::rfind(&whole, b"PK\x01\x02").expect("an entry");
        whole[central + 8] |= 1;
        let (all, closed) = texts_of(&whole);
        assert_eq!((all.len(), &*closed[0]), (2, "entry 2: is encrypted"));
        let cut = whole.len() - 30;
        let (_, closed) = texts_of(&whole[..cut]);
        assert!(closed[0].starts_with("damaged: "), "{closed:?}");
        let many: Vec<(&str, &[u8])> = vec![("a", b""); ENTRIES as usize + 1];
        let (_, closed) = texts_of(&tar(&many));
        assert_eq!(closed, [LIMIT]);
        // Archives within each other are looked into to a depth.
        let mut deep = b"inner".to_vec();
        for _ in 0..DEPTH + 2 {
            deep = gzip(&deep);
        }
        let (all, closed) = texts_of(&deep);
        assert!(all.is_empty() && closed == ["packed (Gzip)"], "{closed:?}");
    }
}
