//! Public keys: their names, forms and the verification of signatures.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ed25519_dalek::pkcs8::EncodePublicKey as _;
use p256::ecdsa::signature::DigestVerifier as _;
use sha2::{Digest as _, Sha256};

use crate::algorithm::KeyType;

/// The reason why bytes are no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is no public key of Ed25519 or P-256 (PEM, or one line of ssh)")]
pub struct KeyFault;

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PublicKey {
    /// Ed25519.
    Ed25519(Box<ed25519_dalek::VerifyingKey>),
    /// P-256.
    P256(Box<p256::ecdsa::VerifyingKey>),
}

impl PublicKey {
    /// The key of 32 bytes (Ed25519).
    ///
    /// # Errors
    /// It is no point of the curve, or one of small order, which would sign everything.
    pub fn ed25519(bytes: &[u8]) -> Result<Self, KeyFault> {
        let bytes: &[u8; 32] = bytes.try_into().map_err(|_| KeyFault)?;
        let key = ed25519_dalek::VerifyingKey::from_bytes(bytes).map_err(|_| KeyFault)?;
        if key.is_weak() {
            return Err(KeyFault);
        }
        Ok(Self::Ed25519(Box::new(key)))
    }

    /// The key of a point in SEC 1 form (P-256).
    ///
    /// # Errors
    /// It is no point of the curve.
    pub fn p256(bytes: &[u8]) -> Result<Self, KeyFault> {
        let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(bytes).map_err(|_| KeyFault)?;
        Ok(Self::P256(Box::new(key)))
    }

    /// Type of the key.
    #[must_use]
    pub const fn key_type(&self) -> KeyType {
        match self {
            Self::Ed25519(_) => KeyType::Ed25519,
            Self::P256(_) => KeyType::P256,
        }
    }

    /// The key as `SubjectPublicKeyInfo` (RFC 5280) in DER.
    #[must_use]
    pub fn der(&self) -> Vec<u8> {
        let der = match self {
            Self::Ed25519(key) => key.to_public_key_der(),
            Self::P256(key) => key.to_public_key_der(),
        };
        der.map(|der| der.as_bytes().to_vec()).unwrap_or_default()
    }

    /// The key as `SubjectPublicKeyInfo` in PEM.
    #[must_use]
    pub fn pem(&self) -> String {
        let text = STANDARD.encode(self.der());
        let lines = text.as_bytes().chunks(64).map(String::from_utf8_lossy);
        let lines: Vec<_> = lines.collect();
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"))
    }

    /// Id in an envelope: the first 16 bytes of SHA-256 of the DER form. It finds a key; it does
    /// not show which one signed.
    #[must_use]
    pub fn id(&self) -> Vec<u8> {
        Sha256::digest(self.der()).iter().take(16).copied().collect()
    }

    /// The URI that names this key and no other: its thumbprint (RFC 7638, RFC 9278).
    #[must_use]
    pub fn uri(&self) -> String {
        let text = match self {
            Self::Ed25519(key) => {
                let x = URL_SAFE_NO_PAD.encode(key.as_bytes());
                format!("{{\"crv\":\"Ed25519\",\"kty\":\"OKP\",\"x\":\"{x}\"}}")
            }
            Self::P256(key) => {
                let point = key.to_encoded_point(false);
                let base64 = |part: Option<&p256::FieldBytes>| {
                    URL_SAFE_NO_PAD.encode(part.map(|it| it.to_vec()).unwrap_or_default())
                };
                let (x, y) = (base64(point.x()), base64(point.y()));
                format!("{{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"{x}\",\"y\":\"{y}\"}}")
            }
        };
        let print = URL_SAFE_NO_PAD.encode(Sha256::digest(text));
        format!("urn:ietf:params:oauth:jwk-thumbprint:sha-256:{print}")
    }

    /// Whether a signature of these bytes is good. Ed25519 is verified by the strict rule: points
    /// of small order are refused, so that a signature is of one key and one message.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        self.verifies_parts(&[message], signature)
    }

    /// The same of a message in parts, which may be as large as memory.
    #[must_use]
    pub fn verifies_parts(&self, message: &[&[u8]], signature: &[u8]) -> bool {
        match self {
            Self::Ed25519(key) => strictly(key, message, signature).is_some(),
            Self::P256(key) => {
                let digest = message.iter().fold(Sha256::new(), |it, part| it.chain_update(part));
                p256::ecdsa::Signature::from_slice(signature)
                    .is_ok_and(|signature| key.verify_digest(digest, &signature).is_ok())
            }
        }
    }
}

/// `Some` if a signature of Ed25519 is good by the strict rule, which `verify_strict` has for
/// messages in one part: neither the key nor the point of the signature is of small order.
fn strictly(key: &ed25519_dalek::VerifyingKey, message: &[&[u8]], signature: &[u8]) -> Option<()> {
    let signature = ed25519_dalek::Signature::from_slice(signature).ok()?;
    let point = ed25519_dalek::VerifyingKey::from_bytes(signature.r_bytes()).ok()?;
    if key.is_weak() || point.is_weak() {
        return None;
    }
    let mut verifier = key.verify_stream(&signature).ok()?;
    message.iter().for_each(|part| verifier.update(part));
    verifier.finalize_and_verify().ok()
}
