//! Source of a record: its session's members with their digests, and their bytes if requested.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use session::{Bundle, Scan, Session, Transport, value};
use sha2::{Digest as _, Sha256};

use crate::budget::room;
use crate::digest::hex;
use crate::documents::shared::out::Out;

/// The id of the session's record, 64 hexadecimal digits: it identifies the session and its bytes.
/// A later state of the same session has another id.
#[must_use]
pub fn record_id(session: &Session) -> String {
    Source::of(session).record_id(session)
}

/// The digests of a session's members, in their order.
pub(super) struct Source {
    digests: Vec<[u8; 32]>,
}

impl Source {
    pub(super) fn of(session: &Session) -> Self {
        Self { digests: digests(&session.bundle) }
    }

    /// The record's id: it identifies the session and its bytes. A later state of the same session
    /// has another id.
    pub(super) fn record_id(&self, session: &Session) -> String {
        let mut digest = Sha256::new();
        digest.update(session.uid().as_bytes());
        for (member, hash) in session.bundle.members.iter().zip(&self.digests) {
            digest.update([0]);
            digest.update(member.name.as_bytes());
            digest.update([0]);
            digest.update(hash);
        }
        hex(&digest.finalize())
    }

    /// Writes the members as an object.
    pub(super) fn write(&self, session: &Session, embed: bool, out: &mut Out<'_>) {
        out.open();
        out.member("format", session.format);
        members(&session.bundle, &self.digests, embed, out);
        if let Some((format, bundle)) = session.document.as_ref().filter(|_| embed) {
            // The document that the session was restored from: no writer can reproduce its
            // formatting.
            let digests = digests(bundle);
            out.key("document");
            out.open();
            out.member("format", format);
            members(bundle, &digests, embed, out);
            out.close();
        }
        out.close();
    }
}

/// The digests of the stored bytes, in the order of the members.
fn digests(bundle: &Bundle) -> Vec<[u8; 32]> {
    bundle.members.iter().map(|member| Sha256::digest(member.stored_bytes()).into()).collect()
}

/// Writes the members of a bundle.
fn members(bundle: &Bundle, digests: &[[u8; 32]], embed: bool, out: &mut Out<'_>) {
    out.key("members");
    out.open_array();
    for (member, digest) in bundle.members.iter().zip(digests) {
        out.open();
        out.member("name", &member.name);
        out.member("stream", &member.stream.to_string());
        out.member("kind", member.transport().word());
        if let Transport::Text(_) = member.transport()
            && let Some(pieces) = pieces(member.bytes())
        {
            out.key("pieces");
            out.open_array();
            pieces.iter().for_each(|piece| out.string(piece));
            out.close_array();
        }
        out.key("length");
        out.number(member.stored_bytes().len() as u64);
        out.member("sha-256", &hex(digest));
        if embed {
            out.key("gzip");
            out.base64(&compress(member.stored_bytes()));
        }
        out.close();
    }
    out.close_array();
}

/// Largest number of pieces of a block.
const PIECES: usize = 16;

/// The names of the pieces of a text's blocks, in the order that all blocks have in common; `None`
/// if there is no such order. JSON objects have no order, but the text needs one.
fn pieces(lines: &[u8]) -> Option<Vec<String>> {
    let mut pieces: Vec<String> = Vec::new();
    let mut scan = Scan::new();
    for line in lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let doc = scan.read(line, 0).ok()?;
        let mut from = 0;
        for member in doc.root().members() {
            let name = value::unescape(member.name);
            match pieces.iter().position(|piece| *piece == name) {
                Some(at) if at < from => return None,
                Some(at) => from = at + 1,
                None if pieces.len() == PIECES => return None,
                None => {
                    pieces.insert(from, name.into_owned());
                    from += 1;
                }
            }
        }
    }
    Some(pieces)
}

/// The text of blocks, with their pieces in that order.
pub(super) fn joined(lines: &[u8], pieces: &[Cow<'_, str>]) -> Option<Vec<u8>> {
    if pieces.len() > PIECES {
        return None;
    }
    let mut text = Vec::with_capacity(lines.len());
    let mut scan = Scan::new();
    for line in lines.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let doc = scan.read(line, 0).ok()?;
        for piece in pieces {
            if let Some(piece) = doc.root().at(&[piece]) {
                text.extend_from_slice(value::unescape(piece.text()?).as_bytes());
            }
        }
    }
    Some(text)
}

/// Compresses bytes by RFC 1952, without a time or a name: equal bytes have equal results. If the
/// bytes shrink so much that unpacking them would exceed the budget, they are stored uncompressed.
fn compress(bytes: &[u8]) -> Vec<u8> {
    let pack = |level| {
        let mut encoder: GzEncoder<Vec<u8>> = GzBuilder::new().write(Vec::new(), level);
        // Writing into memory cannot fail.
        let _ = encoder.write_all(bytes);
        encoder.finish().unwrap_or_default()
    };
    let packed = pack(Compression::default());
    if bytes.len() <= room(packed.len()) { packed } else { pack(Compression::none()) }
}

/// The input of [`compress`]; `None` if its length is not `length`, or exceeds the decompression
/// budget. A long result is counted before it is kept.
pub(super) fn decompress(bytes: &[u8], length: u64) -> Option<Vec<u8>> {
    // Compressed bytes as long as their content are not a bomb.
    if length > room(bytes.len()).max(bytes.len()) as u64 {
        return None;
    }
    let read = || GzDecoder::new(bytes).take(length.saturating_add(1));
    if length > COUNTED && std::io::copy(&mut read(), &mut std::io::sink()).ok()? != length {
        return None;
    }
    let mut out = Vec::with_capacity(if length > COUNTED { length as usize } else { 0 });
    let count = read().read_to_end(&mut out).ok()?;
    (count as u64 == length).then_some(out)
}

/// A stated length above this is verified before the result is kept.
const COUNTED: u64 = 64 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_from_pieces_in_any_order() {
        let lines = br#"{"head":"a:","tail":"\n"}
            {"head":"b:","text":"x","tail":"."}"#;
        let order = pieces(lines).unwrap();
        assert_eq!(order, ["head", "text", "tail"]);
        let order: Vec<Cow<'_, str>> = order.into_iter().map(Cow::Owned).collect();
        let mixed = br#"{"tail":"\n","head":"a:"}
            {"text":"x","tail":".","head":"b:"}"#;
        assert_eq!(joined(mixed, &order).unwrap(), b"a:\nb:x.");
        assert_eq!(pieces(b"{\"a\":\"\",\"b\":\"\"}\n{\"b\":\"\",\"a\":\"\"}\n"), None);
    }

    #[test]
    fn bytes_come_back_and_bombs_do_not() {
        let bytes = b"line\n".repeat(1000);
        let small = compress(&bytes);
        assert_eq!(small, compress(&bytes));
        assert_eq!(decompress(&small, 5000), Some(bytes));
        assert_eq!(decompress(&small, 4999), None);
        assert_eq!(decompress(&small, 5001), None);
        assert_eq!(decompress(&small[..20], 5000), None);
        assert_eq!(decompress(b"none", 5000), None);
    }

    #[test]
    fn what_packs_too_well_is_stored_and_comes_back_and_a_bomb_does_not() {
        let bytes = vec![b' '; 20 << 20];
        let stored = compress(&bytes);
        assert!(stored.len() > bytes.len());
        assert!(decompress(&stored, bytes.len() as u64).is_some_and(|back| back == bytes));
        let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
        bomb.write_all(&bytes).unwrap();
        let bomb = bomb.finish().unwrap();
        assert_eq!(decompress(&bomb, bytes.len() as u64), None);
    }
}
