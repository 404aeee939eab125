//! SHA-256 digests, by which everything in an archive is named.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest. As text it is 64 hexadecimal digits in lower case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Reads 64 hexadecimal digits.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let digit = |byte: u8| (byte as char).to_digit(16).filter(|_| !byte.is_ascii_uppercase());
        let text = text.as_bytes();
        let mut bytes = [0; 32];
        if text.len() != 64 {
            return None;
        }
        for (at, pair) in text.chunks_exact(2).enumerate() {
            bytes[at] = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        let wrong = || serde::de::Error::custom("it is no SHA-256 digest of 64 digits");
        Self::read(&text).ok_or_else(wrong)
    }
}

/// A digest that is being made.
#[derive(Clone, Default)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    /// Adds bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes.
    pub(crate) fn end(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_is_written() {
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of(b"abc").to_string(), text);
        assert_eq!(Digest::read(text), Some(Digest::of(b"abc")));
        assert_eq!(Digest::read(&text.to_uppercase()), None);
        assert_eq!(Digest::read(&text[1..]), None);
        assert_eq!(Digest::read(&text.replace('b', "é")), None);
    }
}
