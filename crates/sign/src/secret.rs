//! Secret keys: made from given randomness, kept as PKCS#8.

use std::fmt;

use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign_byupdate};
use ed25519_dalek::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _};
use p256::ecdsa::signature::DigestSigner as _;
use sha2::{Digest as _, Sha256, Sha512};

use crate::algorithm::KeyType;
use crate::key::PublicKey;

/// The reason why bytes are no secret key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no unencrypted PKCS#8 key of Ed25519 or P-256 in PEM")]
pub struct SecretFault;

/// A secret key. It is never printed, and overwritten when it is dropped.
pub enum SecretKey {
    /// Ed25519.
    Ed25519(Box<ed25519_dalek::SigningKey>),
    /// P-256.
    P256(Box<p256::ecdsa::SigningKey>),
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey({})", self.public().key_type().name())
    }
}

impl SecretKey {
    /// The key of 32 random bytes. Some few bytes, about one in 2^32, are no key of P-256.
    ///
    /// # Errors
    /// They are no key of this type.
    pub fn new(key_type: KeyType, random: &[u8; 32]) -> Result<Self, SecretFault> {
        Ok(match key_type {
            KeyType::Ed25519 => {
                Self::Ed25519(Box::new(ed25519_dalek::SigningKey::from_bytes(random)))
            }
            KeyType::P256 => {
                let key = p256::ecdsa::SigningKey::from_slice(random).map_err(|_| SecretFault)?;
                Self::P256(Box::new(key))
            }
        })
    }

    /// Reads a key in PKCS#8 PEM.
    ///
    /// # Errors
    /// It is no such key.
    pub fn read(pem: &str) -> Result<Self, SecretFault> {
        if let Ok(key) = ed25519_dalek::SigningKey::from_pkcs8_pem(pem) {
            return Ok(Self::Ed25519(Box::new(key)));
        }
        let key = p256::SecretKey::from_pkcs8_pem(pem).map_err(|_| SecretFault)?;
        Ok(Self::P256(Box::new(key.into())))
    }

    /// The key in PKCS#8 PEM.
    ///
    /// # Errors
    /// It can't be encoded.
    pub fn pem(&self) -> Result<String, SecretFault> {
        let pem = match self {
            Self::Ed25519(key) => {
                // Without the public key, as OpenSSL writes it: every version reads that form.
                let pair = ed25519_dalek::pkcs8::KeypairBytes {
                    secret_key: key.to_bytes(),
                    public_key: None,
                };
                pair.to_pkcs8_pem(Default::default())
            }
            Self::P256(key) => {
                let key = p256::SecretKey::from(&**key);
                p256::pkcs8::EncodePrivateKey::to_pkcs8_pem(&key, Default::default())
            }
        };
        Ok(pem.map_err(|_| SecretFault)?.to_string())
    }

    /// The public key.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        match self {
            Self::Ed25519(key) => PublicKey::Ed25519(Box::new(key.verifying_key())),
            Self::P256(key) => PublicKey::P256(Box::new(*key.verifying_key())),
        }
    }

    /// Signs bytes. The same bytes give the same signature, for P-256 too (RFC 6979).
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.sign_parts(&[message])
    }

    /// The same of a message in parts, which may be as large as memory.
    #[must_use]
    pub fn sign_parts(&self, message: &[&[u8]]) -> Vec<u8> {
        match self {
            Self::Ed25519(key) => {
                let expanded = ExpandedSecretKey::from(key.as_bytes());
                let put = |hash: &mut Sha512| {
                    message.iter().for_each(|part| hash.update(part));
                    Ok(())
                };
                // It fails only if `put` does.
                let signature = raw_sign_byupdate(&expanded, put, &key.verifying_key());
                signature.map(|it| it.to_vec()).unwrap_or_default()
            }
            Self::P256(key) => {
                let digest = message.iter().fold(Sha256::new(), |it, part| it.chain_update(part));
                let signature: p256::ecdsa::Signature = key.sign_digest(digest);
                signature.to_vec()
            }
        }
    }
}
