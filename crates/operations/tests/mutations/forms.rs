//! Envelopes whose signature is good for their bytes, over the record, by their form.

use crate::cbor::{NIL, Parts, array, bytes, int, map, text};
use crate::*;

/// The header without a member.
fn without(at: usize) -> Parts {
    let mut header = header();
    header.remove(at);
    Parts::new(&header)
}

/// Algorithms and ids of keys.
pub(crate) fn algorithms() -> Vec<Case> {
    let plain = || Parts::new(&header());
    let not_shown = |line| Wanted("signed", line, VerifyVerdict::NotShown);
    vec![
        ("as verbatim writes it", plain(), GOOD),
        ("Ed25519, fully specified", by(alg(-19)), GOOD),
        ("an algorithm of the other type", by(alg(-7)), FORGED),
        ("the other fully specified one", by(alg(-9)), FORGED),
        ("ES512", by(alg(-36)), REFUSED),
        ("HMAC", by(alg(5)), REFUSED),
        ("algorithm 0", by(alg(0)), REFUSED),
        ("an algorithm in words", by((int(1), text("EdDSA"))), REFUSED),
        ("the algorithm as bytes", by((int(1), bytes(b"\x27"))), REFUSED),
        ("no algorithm", without(0), REFUSED),
        (
            "the algorithm unprotected only",
            Parts { unprotected: map(&[alg(-8)]), ..without(0) },
            REFUSED,
        ),
        ("the algorithm in both", unprotected(&[alg(-8)]), REFUSED),
        ("another algorithm unprotected", unprotected(&[alg(-7)]), REFUSED),
        ("the key's id in both", unprotected(&[kid(KeyType::Ed25519)]), REFUSED),
        ("no id of the key", without(2), GOOD),
        (
            "the id unprotected only",
            Parts { unprotected: map(&[kid(KeyType::Ed25519)]), ..without(2) },
            not_shown("metadata"),
        ),
    ]
}

/// Labels of both headers.
pub(crate) fn labels() -> Vec<Case> {
    let plain = || Parts::new(&header());
    let protected = |bytes: &[u8]| Parts { protected: bytes.to_vec(), ..plain() };
    let whole = || map(&header());
    let not_shown = |line| Wanted("signed", line, VerifyVerdict::NotShown);
    vec![
        ("critical, understood", more(&[(int(2), array(&[int(4)]))]), GOOD),
        (
            "critical, unknown, there",
            more(&[(int(2), array(&[int(99)])), (int(99), int(1))]),
            REFUSED,
        ),
        ("critical, not there", more(&[(int(2), array(&[int(33)]))]), REFUSED),
        (
            "critical, in words",
            more(&[(int(2), array(&[text("x")])), (text("x"), int(1))]),
            REFUSED,
        ),
        ("an empty list of critical ones", more(&[(int(2), array(&[]))]), REFUSED),
        ("critical, unprotected", unprotected(&[(int(2), array(&[int(4)]))]), REFUSED),
        ("critical is critical", more(&[(int(2), array(&[int(2)]))]), REFUSED),
        ("a signed label that is unknown", more(&[(int(9_999), text("x"))]), GOOD),
        (
            "forged metadata",
            unprotected(&[(int(100), map(&[(text("session-id"), text("evil"))]))]),
            not_shown("metadata"),
        ),
        ("forged receipts", unprotected(&[(int(394), array(&[bytes(b"x")]))]), not_shown("log")),
        ("forged claims, unprotected", unprotected(&[claims(&all_claims())]), REFUSED),
        (
            "all claims unprotected",
            Parts { unprotected: map(&[claims(&all_claims())]), ..without(3) },
            not_shown("issuer"),
        ),
        ("a digest of the content", more(&[(int(258), int(-16))]), REFUSED),
        ("a place of the content", more(&[(int(260), text("https://evil"))]), REFUSED),
        ("a name twice", more(&[(int(3), text("text/plain"))]), REFUSED),
        (
            "a name twice, unprotected",
            unprotected(&[(int(99), int(1)), (int(99), int(2))]),
            REFUSED,
        ),
        ("more behind the header", protected(&[whole(), vec![0]].concat()), REFUSED),
        ("an indefinite header", protected(&[&[0xbf, 1, 0x27][..], &[0xff]].concat()), REFUSED),
        ("a long number", protected(b"\xa1\x01\x38\x07"), REFUSED),
        ("a longer number", protected(b"\xa1\x01\x39\x00\x07"), REFUSED),
        ("an empty header", protected(b""), REFUSED),
        ("an empty map", protected(b"\xa0"), REFUSED),
        ("an array", protected(b"\x82\x01\x27"), REFUSED),
        ("a label of bytes", protected(b"\xa2\x01\x27\x41\x01\x00"), REFUSED),
    ]
}

/// The envelope around the headers.
pub(crate) fn frames() -> Vec<Case> {
    let plain = || Parts::new(&header());
    let many: Vec<Member> = (0..20_000).map(|number| (int(1_000 + number), int(0))).collect();
    let deep = [vec![0xa1, 0x18, 0x63], vec![0x81; 40], vec![0x00]].concat();
    vec![
        (
            "the unprotected header is an array",
            Parts { unprotected: vec![0x80], ..plain() },
            REFUSED,
        ),
        ("it is null", Parts { unprotected: NIL.to_vec(), ..plain() }, REFUSED),
        ("it is indefinite", Parts { unprotected: vec![0xbf, 0xff], ..plain() }, REFUSED),
        ("it has 20,000 labels", unprotected(&many), REFUSED),
        ("it is deep", Parts { unprotected: deep, ..plain() }, REFUSED),
        ("no tag", Parts { tag: Vec::new(), ..plain() }, REFUSED),
        ("tag 17", Parts { tag: vec![0xd1], ..plain() }, REFUSED),
        ("tag 98", Parts { tag: vec![0xd8, 98], ..plain() }, REFUSED),
        ("tag 18, long", Parts { tag: vec![0xd8, 18], ..plain() }, REFUSED),
        ("tag 18 twice", Parts { tag: vec![0xd2, 0xd2], ..plain() }, REFUSED),
        ("tag 61 of a token", Parts { tag: vec![0xd8, 61, 0xd2], ..plain() }, REFUSED),
        ("tag 55799", Parts { tag: vec![0xd9, 0xd9, 0xf7, 0xd2], ..plain() }, REFUSED),
        ("an array of 3", Parts { array: vec![0x83], ..plain() }, REFUSED),
        ("an array of 5", Parts { array: vec![0x85], behind: vec![0], ..plain() }, REFUSED),
        (
            "an indefinite array",
            Parts { array: vec![0x9f], behind: vec![0xff], ..plain() },
            REFUSED,
        ),
        ("more behind the end", Parts { behind: vec![0], ..plain() }, REFUSED),
        ("an undefined content", Parts { payload: vec![0xf7], ..plain() }, REFUSED),
        ("a false content", Parts { payload: vec![0xf4], ..plain() }, REFUSED),
        ("a content of text", Parts { payload: text("x"), ..plain() }, REFUSED),
        ("its content inside", Parts { payload: bytes(&record()), ..plain() }, GOOD),
        ("another content inside", Parts { payload: bytes(b"{}"), ..plain() }, FORGED),
        ("an empty content inside", Parts { payload: vec![0x40], ..plain() }, FORGED),
        ("signed as one of several", Parts { context: "Signature", ..plain() }, FORGED),
        ("a countersignature", Parts { context: "CounterSignature", ..plain() }, FORGED),
        ("signed with external data", Parts { external: b"x".to_vec(), ..plain() }, FORGED),
    ]
}
