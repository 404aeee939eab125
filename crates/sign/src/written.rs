//! Forms in which public keys are written: PEM, DER and the lines of OpenSSH.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use ed25519_dalek::pkcs8::DecodePublicKey as _;
use sha2::{Digest as _, Sha256};

use crate::agent;
use crate::key::{KeyFault, PublicKey};

impl PublicKey {
    /// Reads a key: `SubjectPublicKeyInfo` in PEM or DER, or a line of OpenSSH.
    ///
    /// # Errors
    /// It has another form.
    pub fn read(bytes: &[u8]) -> Result<Self, KeyFault> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            let text = text.trim();
            if text.starts_with("ssh-ed25519 ") || text.starts_with("ecdsa-sha2-nistp256 ") {
                let blob = text.split_ascii_whitespace().nth(1).ok_or(KeyFault)?;
                let blob = STANDARD.decode(blob).map_err(|_| KeyFault)?;
                return agent::key(&blob).ok_or(KeyFault);
            }
            if let Ok(key) = ed25519_dalek::VerifyingKey::from_public_key_pem(text) {
                return Self::ed25519(key.as_bytes());
            }
            if let Ok(key) = p256::PublicKey::from_public_key_pem(text) {
                return Ok(Self::P256(Box::new(key.into())));
            }
        }
        if let Ok(key) = ed25519_dalek::VerifyingKey::from_public_key_der(bytes) {
            return Self::ed25519(key.as_bytes());
        }
        let key = p256::PublicKey::from_public_key_der(bytes).map_err(|_| KeyFault)?;
        Ok(Self::P256(Box::new(key.into())))
    }

    /// Fingerprint by the rule of OpenSSH, so that `ssh-keygen -l` shows the same.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        format!("SHA256:{}", STANDARD_NO_PAD.encode(Sha256::digest(agent::blob(self))))
    }
}
