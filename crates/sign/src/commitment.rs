//! Salted commitments: what is committed can be shown later, by itself, and tells nothing before.
//!
//! A commitment is SHA-256 of a CBOR array in the deterministic form: the salt, then byte strings.
//! A text without parts of its own is `[salt, text]`. One with parts is `[salt, text, commitment,
//! text, …, text]`: each part that can be withheld by itself stands there by its own commitment.
//!
//! Salts are made from one secret: HMAC-SHA-256 of what they belong to. Whoever knows one of them
//! knows nothing of the secret and of the others.

use hmac::{Hmac, Mac as _};
use sha2::{Digest as _, Sha256};

use crate::envelope::byte_string;
use crate::tree::Hash;

/// 16 bytes that keep a withheld text from being guessed.
pub type Salt = [u8; 16];

/// The beginning of the message of every salt.
const LABEL: &[u8] = b"verbatim salt 1\0";

/// The secret of a record, from which its salts are made. It is never printed.
pub struct RecordSecret([u8; 32]);

impl std::fmt::Debug for RecordSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RecordSecret")
    }
}

impl RecordSecret {
    /// The secret of 32 random bytes.
    #[must_use]
    pub const fn new(random: [u8; 32]) -> Self {
        Self(random)
    }

    /// The secret as bytes, for the one file that keeps it.
    #[must_use]
    pub const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The salt of a unit, or of a field of it.
    #[must_use]
    pub fn salt(&self, unit: u64, field: Option<&str>) -> Salt {
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return Salt::default() };
        mac.update(LABEL);
        mac.update(&unit.to_be_bytes());
        if let Some(field) = field {
            mac.update(b"/");
            mac.update(field.as_bytes());
        }
        let mut salt = Salt::default();
        salt.copy_from_slice(mac.finalize().into_bytes().get(..16).unwrap_or(&[0; 16]));
        salt
    }
}

/// The commitment to a text with parts of its own: the texts around these, and the commitment to
/// each. There is one text more than there are parts.
#[must_use]
pub fn commitment(salt: &Salt, texts: &[&[u8]], parts: &[Hash]) -> Hash {
    let mut hash = Sha256::new();
    let mut head = Vec::new();
    let count = 1 + texts.len() + parts.len();
    crate::envelope::array(count as u64, &mut head);
    hash.update(&head);
    let mut put = |bytes: &[u8]| {
        head.clear();
        byte_string(bytes.len() as u64, &mut head);
        hash.update(&head);
        hash.update(bytes);
    };
    put(salt);
    let mut parts = parts.iter();
    for text in texts {
        put(text);
        if let Some(part) = parts.next() {
            put(part);
        }
    }
    hash.finalize().into()
}
