//! Digests, mostly SHA-256 (FIPS 180-4), and their spelling: lower-case hexadecimal digits.

use md5::Md5;
use sha2::{Digest as _, Sha256};

/// The digest of bytes, in hexadecimal digits.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    hex(&digest_bytes(bytes))
}

/// The digest of bytes.
pub(crate) fn digest_bytes(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The MD5 digest of bytes (RFC 1321), in hexadecimal digits. Some agents name folders so.
pub(crate) fn md5(bytes: &[u8]) -> String {
    hex(&Md5::digest(bytes))
}

/// Bytes in hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// A UUID of version 8 (RFC 9562) that is derived from names: the same names give the same one.
pub(crate) fn derived_uuid(names: &[&str]) -> String {
    let mut hash = Sha256::new();
    for name in names {
        hash.update((name.len() as u64).to_be_bytes());
        hash.update(name.as_bytes());
    }
    let mut bytes = hash.finalize();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = hex(&bytes[..16]);
    let parts = [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]];
    parts.join("-")
}

/// A UUID with the version of random ones (4): some agents accept no newer one.
pub(crate) fn random_form(uuid: &str) -> String {
    let digit = |(at, digit): (usize, char)| if at == VERSION { '4' } else { digit };
    uuid.chars().enumerate().map(digit).collect()
}

/// The place of the version in a UUID's text (RFC 9562).
const VERSION: usize = 14;
