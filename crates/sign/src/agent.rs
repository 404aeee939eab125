//! Messages of the ssh agent protocol, as far as signing needs them. Who sends them is not here.

use crate::algorithm::KeyType;
use crate::key::PublicKey;

/// Message that asks for the keys.
pub const LIST: [u8; 5] = [0, 0, 0, 1, 11];

const LISTED: u8 = 12;
const SIGN: u8 = 13;
const SIGNED: u8 = 14;

const ED25519: &[u8] = b"ssh-ed25519";
const P256: &[u8] = b"ecdsa-sha2-nistp256";

/// A key that an agent holds: its bytes there, and the key.
#[derive(Clone, Debug)]
pub struct Held {
    /// Its form in the protocol.
    pub blob: Vec<u8>,
    /// The key.
    pub key: PublicKey,
    /// The comment that its owner gave it.
    pub comment: String,
}

/// The keys of an answer to [`LIST`] that can sign an envelope; others are left out.
#[must_use]
pub fn held(answer: &[u8]) -> Option<Vec<Held>> {
    let mut parts = Parts(answer.strip_prefix(&[LISTED])?);
    let count = parts.number()?;
    let mut held = Vec::new();
    for _ in 0..count {
        let (blob, comment) = (parts.part()?, parts.part()?);
        if let Some(key) = key(blob) {
            let comment = String::from_utf8_lossy(comment).into_owned();
            held.push(Held { blob: blob.to_vec(), key, comment });
        }
    }
    Some(held)
}

/// Message that asks for a signature.
#[must_use]
pub fn ask(blob: &[u8], message: &[u8]) -> Vec<u8> {
    let mut body = vec![SIGN];
    put(&mut body, blob);
    put(&mut body, message);
    body.extend([0; 4]);
    let mut whole = Vec::new();
    put(&mut whole, &body);
    whole
}

/// The signature of an answer to [`ask`], in the form of COSE.
#[must_use]
pub fn signature(answer: &[u8], key_type: KeyType) -> Option<Vec<u8>> {
    let mut parts = Parts(answer.strip_prefix(&[SIGNED])?);
    let mut parts = Parts(parts.part()?);
    let (name, bytes) = (parts.part()?, parts.part()?);
    match key_type {
        KeyType::Ed25519 => (name == ED25519 && bytes.len() == 64).then(|| bytes.to_vec()),
        KeyType::P256 => {
            let mut numbers = Parts(bytes);
            let (r, s) = (fixed(numbers.part()?)?, fixed(numbers.part()?)?);
            (name == P256).then(|| [r, s].concat())
        }
    }
}

/// A number of the protocol in 32 bytes.
fn fixed(number: &[u8]) -> Option<[u8; 32]> {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let number = number.get(zeros..)?;
    let mut fixed = [0; 32];
    fixed.get_mut(32_usize.checked_sub(number.len())?..)?.copy_from_slice(number);
    Some(fixed)
}

/// The key of its form in the protocol.
pub(crate) fn key(blob: &[u8]) -> Option<PublicKey> {
    let mut parts = Parts(blob);
    let name = parts.part()?;
    let key = match name {
        ED25519 => PublicKey::ed25519(parts.part()?).ok()?,
        P256 if parts.part()? == b"nistp256" => PublicKey::p256(parts.part()?).ok()?,
        _ => return None,
    };
    parts.0.is_empty().then_some(key)
}

/// The form of a key in the protocol.
pub(crate) fn blob(key: &PublicKey) -> Vec<u8> {
    let mut blob = Vec::new();
    match key {
        PublicKey::Ed25519(key) => {
            put(&mut blob, ED25519);
            put(&mut blob, key.as_bytes());
        }
        PublicKey::P256(key) => {
            put(&mut blob, P256);
            put(&mut blob, b"nistp256");
            put(&mut blob, key.to_encoded_point(false).as_bytes());
        }
    }
    blob
}

fn put(message: &mut Vec<u8>, part: &[u8]) {
    message.extend(u32::try_from(part.len()).unwrap_or_default().to_be_bytes());
    message.extend_from_slice(part);
}

struct Parts<'b>(&'b [u8]);

impl<'b> Parts<'b> {
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*number))
    }

    fn part(&mut self) -> Option<&'b [u8]> {
        let length = self.number()?;
        let (part, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(part)
    }
}
