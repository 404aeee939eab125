//! Arbitrary bytes as an envelope, as the headers of one with a good signature, as JSON to make
//! canonical, as keys, and as answers of an ssh agent: nothing panics, nobody's signature is good,
//! and a canonical form is one.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sign::{Envelope, KeyType, PublicKey, SecretKey, agent, canonical, signature_input};

static SECRET: LazyLock<SecretKey> =
    LazyLock::new(|| SecretKey::new(KeyType::Ed25519, &[7; 32]).expect("a key"));

const CONTENT: &[u8] = b"content";

fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    match choice % 6 {
        0 => envelope(bytes),
        1 => headers(bytes),
        2 => json(bytes),
        3 => {
            if let Ok(key) = PublicKey::read(bytes) {
                assert_eq!(PublicKey::read(key.pem().as_bytes()), Ok(key.clone()));
                assert_eq!(PublicKey::read(&key.der()), Ok(key));
            }
        }
        4 => {
            if let Ok(key) =
                std::str::from_utf8(bytes).map_or(Err(()), |it| SecretKey::read(it).map_err(drop))
            {
                let again = SecretKey::read(&key.pem().expect("PEM")).expect("a key");
                assert_eq!(again.public(), key.public());
            }
        }
        _ => {
            for held in agent::held(bytes).into_iter().flatten() {
                let _ = held.key.fingerprint();
            }
            for key_type in [KeyType::Ed25519, KeyType::P256] {
                if let Some(signature) = agent::signature(bytes, key_type) {
                    assert_eq!(signature.len(), 64);
                }
            }
        }
    }
});

/// An envelope that nobody with the key has made.
fn envelope(bytes: &[u8]) {
    let Ok(envelope) = Envelope::read(bytes) else { return };
    let key = SECRET.public();
    assert!(envelope.verify(Some(CONTENT), &[], &key).is_none());
    assert!(envelope.verify(None, &[], &key).is_none());
    let _ = (envelope.media_type(), envelope.attached());
}

/// An envelope with these headers, parted by their length, and a good signature: if it is read, it
/// verifies, and only with its content.
fn headers(bytes: &[u8]) {
    let Some((&length, bytes)) = bytes.split_first() else { return };
    let Some((protected, unprotected)) = bytes.split_at_checked(usize::from(length)) else {
        return;
    };
    let head = match length {
        0..=23 => vec![0xd2, 0x84, 0x40 | length],
        _ => vec![0xd2, 0x84, 0x58, length],
    };
    let signature = SECRET.sign(&signature_input(protected, &[], CONTENT));
    let rest = [&[0xf6, 0x58, 0x40], &*signature].concat();
    let whole = [&*head, protected, unprotected, &rest].concat();
    let Ok(envelope) = Envelope::read(&whole) else { return };
    let key = SECRET.public();
    // Bytes behind the header can be the head of a content, which has what follows inside.
    let fits = envelope.key_type() == KeyType::Ed25519 && envelope.attached().is_none();
    assert_eq!(envelope.verify(Some(CONTENT), &[], &key).is_some(), fits);
    assert!(envelope.verify(Some(b"other"), &[], &key).is_none());
    assert!(envelope.verify(Some(CONTENT), b"more", &key).is_none());
}

/// The canonical form of a text has the same values, and is its own canonical form.
fn json(bytes: &[u8]) {
    let Ok(form) = canonical(bytes) else { return };
    assert_eq!(canonical(&form).as_ref(), Ok(&form));
    let read = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).ok();
    if let Some(value) = read(bytes) {
        assert_eq!(read(&form), Some(value));
    }
}
