//! What a record says of the bytes that it was made from: each member with its digest, and the
//! bytes themselves where they are asked for.

use std::io::{Read as _, Write as _};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use session::{Session, Transport};
use sha2::{Digest as _, Sha256};

use super::out::Out;

/// The digests of a session's members, in their order.
pub(super) struct Source {
    digests: Vec<[u8; 32]>,
}

impl Source {
    pub(super) fn of(session: &Session) -> Self {
        let members = session.bundle.members.iter();
        Self {
            digests: members.map(|member| Sha256::digest(member.stored_bytes()).into()).collect(),
        }
    }

    /// The record's id: what it is a record of, and of which bytes. A later state of the same
    /// session has another one.
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
    pub(super) fn write(&self, session: &Session, embed: bool, out: &mut Out) {
        out.open();
        out.member("format", session.format);
        out.key("members");
        out.open_array();
        for (member, digest) in session.bundle.members.iter().zip(&self.digests) {
            out.open();
            out.member("name", &member.name);
            out.member("stream", &member.stream.to_string());
            out.member(
                "kind",
                match member.transport() {
                    Transport::Plain => "plain",
                    Transport::Zstd(_) => "zstd",
                    Transport::Dump => "dump",
                    Transport::Text(_) => "text",
                },
            );
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
        out.close();
    }
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// RFC 1952, without a time or a name in it: same bytes, same result.
fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut encoder: GzEncoder<Vec<u8>> =
        GzBuilder::new().write(Vec::new(), Compression::default());
    // Writing into memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

/// The bytes that [`compress`] was given; `None` where they are not `length` bytes. Never takes
/// more memory than that.
pub(super) fn decompress(bytes: &[u8], length: u64) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let read = GzDecoder::new(bytes).take(length.saturating_add(1)).read_to_end(&mut out).ok()?;
    (read as u64 == length).then_some(out)
}

/// The digest of bytes, as a record writes it.
pub(super) fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
