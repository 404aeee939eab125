//! Our own envelopes: what is made is read and verified, and no change of it is.

#![allow(clippy::unwrap_used)]

use verbatim_sign::{Claims, Envelope, EnvelopeFault, KeyType, PublicKey, SecretKey};
use verbatim_sign::{agent, signature_input};

const CONTENT: &[u8] = b"{\"session\":\"one\"}";

fn secret(key_type: KeyType) -> SecretKey {
    SecretKey::new(key_type, &[7; 32]).unwrap()
}

fn claims() -> Claims {
    Claims {
        issuer: Some("https://example.org/ana".into()),
        subject: Some("urn:vac:session:1".into()),
        issued_at: Some(1_790_000_000),
        ..Claims::default()
    }
}

fn enveloped(secret: &SecretKey) -> Vec<u8> {
    let protected = Envelope::protected(&secret.public(), "application/json", &claims()).unwrap();
    let signature = secret.sign(&signature_input(&protected, &[], CONTENT));
    Envelope::write(&protected, &signature).unwrap()
}

/// Whether an envelope is read and its signature good.
fn holds(bytes: &[u8], content: &[u8], key: &PublicKey) -> bool {
    Envelope::read(bytes).is_ok_and(|it| it.verify(Some(content), &[], key).is_some())
}

#[test]
fn both_types_of_keys() {
    for key_type in [KeyType::Ed25519, KeyType::P256] {
        let secret = secret(key_type);
        let again = SecretKey::read(&secret.pem().unwrap()).unwrap();
        assert_eq!(again.public(), secret.public());
        assert_eq!(PublicKey::read(secret.public().pem().as_bytes()).unwrap(), secret.public());
        let bytes = enveloped(&again);
        let envelope = Envelope::read(&bytes).unwrap();
        assert_eq!(envelope.header.claims, Some(claims()));
        assert_eq!(envelope.header.key_id, Some(secret.public().id()));
        assert_eq!(envelope.header.algorithm.key_type(), key_type);
        assert!(envelope.unprotected.labels.is_empty());
        assert!(holds(&bytes, CONTENT, &secret.public()));
        assert_eq!(bytes, enveloped(&secret), "the same bytes give the same signature");
        let other = match key_type {
            KeyType::Ed25519 => KeyType::P256,
            KeyType::P256 => KeyType::Ed25519,
        };
        let other = SecretKey::new(other, &[7; 32]).unwrap();
        assert!(!holds(&bytes, CONTENT, &other.public()));
        let other = SecretKey::new(key_type, &[8; 32]).unwrap();
        assert!(!holds(&bytes, CONTENT, &other.public()));
    }
}

#[test]
fn no_bit_can_be_changed() {
    for key_type in [KeyType::Ed25519, KeyType::P256] {
        let secret = secret(key_type);
        let (bytes, key) = (enveloped(&secret), secret.public());
        // Of P-256, which is slow without optimisation, one bit of each byte.
        let changed = |bit: &usize| key_type == KeyType::Ed25519 || bit % 8 == bit / 8 % 8;
        for bit in (0..bytes.len() * 8).filter(changed) {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(!holds(&bytes, CONTENT, &key), "{key_type:?}, bit {bit}");
        }
        for bit in (0..CONTENT.len() * 8).filter(changed) {
            let mut content = CONTENT.to_vec();
            content[bit / 8] ^= 1 << (bit % 8);
            assert!(!holds(&bytes, &content, &key), "{key_type:?}, bit {bit}");
        }
        for length in 0..bytes.len() {
            assert!(!holds(&bytes[..length], CONTENT, &key));
        }
        assert!(!holds(&[&*bytes, &[0]].concat(), CONTENT, &key));
    }
}

/// An envelope of these parts, with a good signature of Ed25519.
fn parts(protected: &[u8], unprotected: &[u8], rest: impl Fn(Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let signature = secret(KeyType::Ed25519).sign(&signature_input(protected, &[], CONTENT));
    let length = u8::try_from(protected.len()).unwrap();
    let head = match length {
        0..=23 => vec![0xd2, 0x84, 0x40 | length],
        _ => vec![0xd2, 0x84, 0x58, length],
    };
    [&head, protected, unprotected, &rest(signature)].concat()
}

fn detached(signature: Vec<u8>) -> Vec<u8> {
    [&[0xf6, 0x58, 0x40], &*signature].concat()
}

/// Envelopes whose signature is good, and which are accepted.
#[test]
fn forms_that_are_accepted() {
    let key = secret(KeyType::Ed25519).public();
    let good: [(&str, &[u8], &[u8]); 8] = [
        ("EdDSA", b"\xa1\x01\x27", b"\xa0"),
        ("Ed25519", b"\xa1\x01\x32", b"\xa0"),
        ("a hint", b"\xa1\x01\x27", b"\xa1\x04\x41\x31"),
        ("metadata that nobody signed", b"\xa1\x01\x27", b"\xa1\x18\x64\xa1\x61a\x61b"),
        ("a signed label that is unknown", b"\xa2\x01\x27\x18\x64\x01", b"\xa0"),
        ("a critical label that is understood", b"\xa3\x01\x27\x02\x81\x04\x04\x41\x31", b"\xa0"),
        ("labels in another order", b"\xa2\x04\x41\x31\x01\x27", b"\xa0"),
        ("receipts", b"\xa1\x01\x27", b"\xa1\x19\x01\x8a\x81\x41\x00"),
    ];
    for (what, protected, unprotected) in good {
        let bytes = parts(protected, unprotected, detached);
        let read = Envelope::read(&bytes);
        assert!(read.is_ok_and(|it| it.verify(Some(CONTENT), &[], &key).is_some()), "{what}");
    }
    // The algorithm of the other type of key: it is read, and never verifies.
    let wrong = parts(b"\xa1\x01\x26", b"\xa0", detached);
    assert!(Envelope::read(&wrong).is_ok() && !holds(&wrong, CONTENT, &key));
}

/// Envelopes whose signature is good, and which are refused for their form. The expected reason is
/// a part of the fault.
#[test]
fn traps() {
    let bad: [(&str, &[u8], &[u8]); 39] = [
        ("names no algorithm", b"", b"\xa1\x01\x27"),
        ("names no algorithm", b"\xa0", b"\xa0"),
        ("names no algorithm", b"\xa1\x04\x41\x31", b"\xa0"),
        ("protected and in the unprotected", b"\xa1\x01\x27", b"\xa1\x01\x27"),
        ("protected and in the unprotected", b"\xa2\x01\x27\x04\x41\x31", b"\xa1\x04\x41\x31"),
        ("protected and in the unprotected", b"\xa2\x01\x27\x18\x64\x01", b"\xa1\x18\x64\x01"),
        ("a map has a name twice", b"\xa2\x01\x27\x01\x26", b"\xa0"),
        ("a map has a name twice", b"\xa1\x01\x27", b"\xa2\x04\x41\x31\x04\x41\x32"),
        ("a map has a name twice", b"\xa2\x01\x27\x0f\xa2\x01\x61a\x01\x61b", b"\xa0"),
        ("", b"\xa2\x01\x27\x02\x81\x18\x64", b"\xa0"),
        ("critical", b"\xa2\x01\x27\x02\x81\x04", b"\xa0"),
        ("critical", b"\xa3\x01\x27\x02\x81\x18\x21\x18\x21\x41\x00", b"\xa0"),
        ("critical", b"\xa3\x01\x27\x02\x81\x61x\x61x\x00", b"\xa0"),
        ("", b"\xa2\x01\x27\x02\x80", b"\xa0"),
        ("not protected", b"\xa1\x01\x27", b"\xa2\x02\x81\x04\x04\x41\x31"),
        ("algorithm is not one", b"\xa1\x01\x38\x22", b"\xa0"),
        ("algorithm is not one", b"\xa1\x01\x65EdDSA", b"\xa0"),
        ("", b"\xa1\x01\x41\x27", b"\xa0"),
        ("shortest form", b"\xa1\x01\x38\x07", b"\xa0"),
        ("shortest form", b"\xa1\x18\x01\x27", b"\xa0"),
        ("shortest form", b"\xa1\x01\xc3\x41\x07", b"\xa0"),
        ("shortest form", b"\xa1\xc2\x41\x01\x27", b"\xa0"),
        ("shortest form", b"\xa2\x01\x27\x0f\xa1\xc2\x41\x06\x01", b"\xa0"),
        (
            "shortest form",
            b"\xa2\x01\x27\x18\x64\xc2\x49\x00\x01\x02\x03\x04\x05\x06\x07\x08",
            b"\xa0",
        ),
        ("shortest form", b"\xa1\x01\x27", b"\xa1\xc2\x41\x0f\xa0"),
        ("vector", b"\xa2\x01\x27\x05\x41\x31", b"\xa1\x06\x41\x32"),
        ("", b"\xa3\x01\x27\x05\x41\x31\x06\x41\x32", b"\xa0"),
        ("indefinite", b"\xbf\x01\x27\xff", b"\xa0"),
        ("indefinite", b"\xa1\x01\x27", b"\xbf\xff"),
        ("indefinite", b"\xa2\x01\x27\x04\x5f\x41\x31\xff", b"\xa0"),
        ("behind the end", b"\xa1\x01\x27\x00", b"\xa0"),
        ("", b"\x81\x01", b"\xa0"),
        ("", b"\xa1\x01\x27", b"\x80"),
        ("claims are no map", b"\xa2\x01\x27\x0f\x01", b"\xa0"),
        ("no text", b"\xa2\x01\x27\x0f\xa1\x01\x01", b"\xa0"),
        ("number of seconds", b"\xa2\x01\x27\x0f\xa1\x06\x61x", b"\xa0"),
        ("number of seconds", b"\xa2\x01\x27\x0f\xa1\x06\x20", b"\xa0"),
        ("digest of the content", b"\xa2\x01\x27\x19\x01\x02\x2f", b"\xa0"),
        ("neither a number nor a text", b"\xa2\x01\x27\xf5\x01", b"\xa0"),
    ];
    for (why, protected, unprotected) in bad {
        let fault = Envelope::read(&parts(protected, unprotected, detached)).unwrap_err();
        let what = fault.to_string();
        assert!(what.contains(why), "{protected:02x?} {unprotected:02x?}: {what}");
    }
}

#[test]
fn frames() {
    let key = secret(KeyType::Ed25519).public();
    let (protected, none): (&[u8], &[u8]) = (b"\xa1\x01\x27", b"\xa0");
    let whole = parts(protected, none, detached);
    assert!(holds(&whole, CONTENT, &key));
    let tail = &whole[1..];
    let framed = |head: &[u8]| [head, tail].concat();
    for head in [&b""[..], b"\xd1", b"\xd3", b"\xd8\x12", b"\xd9\xd9\xf7\xd2", b"\xd2\xd2"] {
        assert!(!holds(&framed(head), CONTENT, &key), "{head:02x?}");
    }
    let short = |signature: Vec<u8>| [&[0xf6, 0x58, 0x3f], &signature[..63]].concat();
    let long = |signature: Vec<u8>| [&[0xf6, 0x58, 0x41], &*signature, &[0]].concat();
    let text = |signature: Vec<u8>| [&[0xf6, 0x78, 0x40], &*signature].concat();
    let undefined = |signature: Vec<u8>| [&[0xf7, 0x58, 0x40], &*signature].concat();
    let fat = |signature: Vec<u8>| [&[0xf6, 0x59, 0x00, 0x40], &*signature].concat();
    for rest in [short, long, text, undefined, fat] {
        Envelope::read(&parts(protected, none, rest)).unwrap_err();
    }
    // A content that is attached: it has to be the one that is given.
    let attached = |signature: Vec<u8>| {
        let length = 0x40 | u8::try_from(CONTENT.len()).unwrap();
        [&[length], CONTENT, &[0x58, 0x40], &*signature].concat()
    };
    let bytes = parts(protected, none, attached);
    let envelope = Envelope::read(&bytes).unwrap();
    assert_eq!(envelope.verify(None, &[], &key).unwrap().content, CONTENT);
    assert!(envelope.verify(Some(CONTENT), &[], &key).is_some());
    assert!(envelope.verify(Some(b"other"), &[], &key).is_none());
    assert!(envelope.verify(None, b"aad", &key).is_none());
    let envelope = Envelope::read(&whole).unwrap();
    assert!(envelope.verify(None, &[], &key).is_none());
}

#[test]
fn hostile_lengths_and_depths() {
    let deep = [&b"\xd2\x84\x43\xa1\x01\x27"[..], &vec![0x81; 1 << 20]].concat();
    assert!(matches!(Envelope::read(&deep), Err(EnvelopeFault::Cbor { .. })));
    let claims = b"\xd2\x84\x5b\xff\xff\xff\xff\xff\xff\xff\xff";
    assert!(matches!(Envelope::read(claims), Err(EnvelopeFault::Cbor { .. })));
    let many = b"\xd2\x84\x43\xa1\x01\x27\xbb\xff\xff\xff\xff\xff\xff\xff\xff\x01\x02";
    assert!(matches!(Envelope::read(many), Err(EnvelopeFault::Cbor { .. })));
    let whole = enveloped(&secret(KeyType::Ed25519));
    samples::rounds(10_000, |dice| {
        let mut bytes = whole.clone();
        for _ in 0..=dice.roll(8) {
            let at = dice.roll(bytes.len());
            bytes[at] = u8::try_from(dice.roll(256)).unwrap();
        }
        let _ = Envelope::read(&bytes);
    });
}

#[test]
fn answers_of_an_agent() {
    for key_type in [KeyType::Ed25519, KeyType::P256] {
        let other = match key_type {
            KeyType::Ed25519 => KeyType::P256,
            KeyType::P256 => KeyType::Ed25519,
        };
        assert_eq!(agent::signature(b"\x0e\0\0\0\x04\0\0\0\0", key_type), None);
        assert_eq!(agent::signature(b"\x05", other), None);
    }
    assert!(agent::held(b"\x0c\0\0\0\x01\xff\xff\xff\xff").is_none());
    assert!(agent::held(b"\x0c\0\0\0\0").unwrap().is_empty());
    assert!(PublicKey::ed25519(&[0; 32]).is_err(), "a key of small order signs everything");
}
