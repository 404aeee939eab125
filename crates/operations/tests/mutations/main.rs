//! Envelopes that are written by hand, most of them with a good signature, and the verdict that
//! each must get. The bytes and the expectations share nothing with the program.
#![allow(clippy::unwrap_used, clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod cbor;
mod forms;

use cbor::{Bytes, NIL, Parts, array, bytes, curve, edwards, int, map, text};
use session::UtcTime;
use sign::{KeyType, PublicKey, SecretKey};
use verbatim_operations::attest::{
    GivenSignature, KeyStanding, KnownKey, VerifyReport, VerifyTask, VerifyVerdict,
};

const ISSUER: &str = "https://example.org/ana";
const SUBJECT: &str = "urn:vac:session:019e6100-1000-7000-8000-0000000000a2";
const NOW: i64 = 1_790_000_000;

/// A valid record of the session that [`SUBJECT`] names.
fn record() -> Bytes {
    let golden = samples::workspace().join("crates/formats/goldens/codex/agents-1.vac.json");
    std::fs::read(golden).unwrap()
}

fn public(key_type: KeyType, seed: u8) -> PublicKey {
    SecretKey::new(key_type, &[seed; 32]).unwrap().public()
}

/// The keys that are trusted: seed 7 of both types.
fn trusted() -> Vec<KnownKey> {
    let key = |name: &str, key_type| KnownKey {
        name: name.into(),
        key: public(key_type, 7),
        issuer: ISSUER.into(),
        standing: KeyStanding::Trusted,
    };
    vec![key("edwards", KeyType::Ed25519), key("curve", KeyType::P256)]
}

fn verified(envelope: Bytes, content: Option<Bytes>) -> VerifyReport {
    let machine = catalog::Machine::default();
    let catalog = catalog::Catalog { formats: formats::ALL, machine };
    let signature = GivenSignature {
        presentation: None,
        file: "r.json".into(),
        signature: "r.json.cose".into(),
        content,
        envelope,
    };
    let keys = trusted();
    let now = UtcTime(NOW * 1_000_000);
    signature.verify(VerifyTask { signature: None, keys: &keys, as_draft: false, now }, &catalog)
}

type Member = (Bytes, Bytes);

/// The name of a case, its envelope, and the verdict that it must get.
type Case = (&'static str, Parts, Wanted);

fn claims(members: &[Member]) -> Member {
    (int(15), map(members))
}

fn all_claims() -> Vec<Member> {
    vec![(int(1), text(ISSUER)), (int(2), text(SUBJECT)), (int(6), int(NOW - 60))]
}

fn alg(number: i64) -> Member {
    (int(1), int(number))
}

fn kid(key_type: KeyType) -> Member {
    (int(4), bytes(&public(key_type, 7).id()))
}

/// The members of the protected header that verbatim writes.
fn header() -> Vec<Member> {
    vec![alg(-8), (int(3), text("application/json")), kid(KeyType::Ed25519), claims(&all_claims())]
}

/// The header with other claims.
fn claiming(members: &[Member]) -> Parts {
    let mut header = header();
    header[3] = claims(members);
    Parts::new(&header)
}

/// The header with another first member, the algorithm.
fn by(first: Member) -> Parts {
    let mut header = header();
    header[0] = first;
    Parts::new(&header)
}

/// The header with more members.
fn more(members: &[Member]) -> Parts {
    Parts::new(&[header(), members.to_vec()].concat())
}

fn unprotected(members: &[Member]) -> Parts {
    Parts { unprotected: map(members), ..Parts::new(&header()) }
}

/// The verdict that a case must get: the result, and the line that decides.
struct Wanted(&'static str, &'static str, VerifyVerdict);

const GOOD: Wanted = Wanted("signed", "bytes", VerifyVerdict::Shown);
const REFUSED: Wanted = Wanted("failed", "envelope", VerifyVerdict::Failed);
const FORGED: Wanted = Wanted("failed", "bytes", VerifyVerdict::Failed);

/// Cases about what the signer claims.
fn statements() -> Vec<Case> {
    let own = public(KeyType::Ed25519, 7).uri();
    let shown = |line| Wanted("signed", line, VerifyVerdict::Shown);
    let not_shown = |line| Wanted("signed", line, VerifyVerdict::NotShown);
    let failed = |line| Wanted("failed", line, VerifyVerdict::Failed);
    let issuer = |issuer: &str| claiming(&[(int(1), text(issuer)), (int(2), text(SUBJECT))]);
    let subject = |subject: &str| claiming(&[(int(1), text(ISSUER)), (int(2), text(subject))]);
    let time =
        |name: i64, value: Bytes| claiming(&[all_claims(), vec![(int(name), value)]].concat());
    let issued = |value: Bytes| claiming(&[(int(6), value)]);
    let half = [vec![0xfb], (NOW as f64 - 0.5).to_be_bytes().to_vec()].concat();
    let nan = vec![0xf9, 0x7e, 0x00];
    vec![
        ("the known issuer", issuer(ISSUER), shown("issuer")),
        ("the key itself", issuer(&own), shown("issuer")),
        ("another issuer", issuer("https://example.org/eve"), failed("issuer")),
        ("a longer issuer", issuer(&format!("{ISSUER}/")), failed("issuer")),
        ("another case", issuer(&ISSUER.to_uppercase()), failed("issuer")),
        ("a sign that is not seen", issuer(&format!("{ISSUER}\u{200b}")), failed("issuer")),
        ("no issuer", claiming(&[(int(2), text(SUBJECT))]), not_shown("issuer")),
        ("no claim", claiming(&[]), not_shown("subject")),
        ("the session", subject(SUBJECT), shown("subject")),
        ("another session", subject("urn:vac:session:other"), failed("subject")),
        ("a part of its id", subject(&SUBJECT[..SUBJECT.len() - 1]), failed("subject")),
        ("a subject of another rule", subject("order 17"), not_shown("subject")),
        ("an issuer that is a number", claiming(&[(int(1), int(1))]), REFUSED),
        ("a claim twice", claiming(&[(int(2), text("a")), (int(2), text("b"))]), REFUSED),
        ("claims that are no map", more_claims(&array(&[])), REFUSED),
        ("a time before 1970", issued(int(-1)), REFUSED),
        ("a time in words", issued(text("today")), REFUSED),
        ("a time that is no number", issued(nan), REFUSED),
        ("a time with a part of a second", issued(half), not_shown("time")),
        ("the future", issued(int(NOW * 2)), not_shown("time")),
        ("it has ended", time(4, int(NOW - 1)), failed("validity")),
        ("it ends now", time(4, int(NOW)), failed("validity")),
        ("it will end", time(4, int(NOW + 60)), shown("validity")),
        ("it has not begun", time(5, int(NOW + 60)), failed("validity")),
        ("it has begun", time(5, int(NOW - 60)), shown("validity")),
        ("an end in words", time(4, text("never")), REFUSED),
    ]
}

fn more_claims(value: &[u8]) -> Parts {
    let mut header = header();
    header[3] = (int(15), value.to_vec());
    Parts::new(&header)
}

fn hold(what: &str, report: &VerifyReport, Wanted(result, line, verdict): &Wanted) {
    let got = serde_json::to_value(report.result).unwrap();
    assert_eq!(got, *result, "{what}: {report:#?}");
    assert_eq!(report.verdict(line), *verdict, "{what}: {line}: {report:#?}");
    let told = report.claims.is_some();
    assert_eq!(
        told,
        report.verdict("bytes") == VerifyVerdict::Shown,
        "{what}: claims without a signer"
    );
}

#[test]
fn envelopes_by_their_form() {
    let sign = edwards(7);
    let groups = [forms::algorithms(), forms::labels(), forms::frames(), statements()];
    let cases: Vec<Case> = groups.into_iter().flatten().collect();
    assert!(cases.len() >= 60, "{}", cases.len());
    for (what, parts, wanted) in cases {
        let content = match what {
            "another content inside" => b"{}".to_vec(),
            "an empty content inside" => Vec::new(),
            _ => record(),
        };
        let report = verified(parts.signed(&content, &sign), Some(record()));
        hold(what, &report, &wanted);
    }
}

#[test]
fn signatures_and_contents() {
    let (sign, plain) = (edwards(7), Parts::new(&header()));
    let good = sign(&plain.input(&record()));
    let whole = plain.signed(&record(), &sign);
    hold("base", &verified(whole.clone(), Some(record())), &GOOD);
    // A signature to which the order of the group was added: the lax rule of some libraries.
    let order: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
        0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let (mut added, mut carry) = (good.clone(), 0_u16);
    for (byte, more) in added[32..].iter_mut().zip(order) {
        carry += u16::from(*byte) + u16::from(more);
        *byte = carry as u8;
        carry >>= 8;
    }
    let turned: Bytes = good.iter().rev().copied().collect();
    let swapped = [&good[32..], &good[..32]].concat();
    for (what, signature) in [
        ("zeros", vec![0; 64]),
        ("the order added", added),
        ("turned round", turned),
        ("halves swapped", swapped),
        ("of another content", sign(&plain.input(b"{}"))),
        ("of the content alone", sign(&record())),
        ("of another key", edwards(8)(&plain.input(&record()))),
    ] {
        hold(what, &verified(plain.with(&bytes(&signature)), Some(record())), &FORGED);
    }
    for (what, signature) in [
        ("63 bytes", bytes(&good[..63])),
        ("65 bytes", bytes(&[&*good, &[0]].concat())),
        ("no bytes", bytes(b"")),
        ("null", NIL.to_vec()),
        ("an array", array(&[bytes(&good)])),
    ] {
        hold(what, &verified(plain.with(&signature), Some(record())), &REFUSED);
    }
}

#[test]
fn other_contents() {
    let (sign, plain) = (edwards(7), Parts::new(&header()));
    let whole = plain.signed(&record(), &sign);
    let text = record();
    let twice = [b"{\"id\":\"evil\",", &text[1..]].concat();
    for (what, content) in [
        ("one byte more", [&*text, b"\n"].concat()),
        ("one byte less", text[..text.len() - 1].to_vec()),
        ("a mark of byte order", [b"\xef\xbb\xbf", &*text].concat()),
        (
            "other ends of lines",
            String::from_utf8(text.clone()).unwrap().replace('\n', "\r\n").into(),
        ),
        ("a name twice", twice.clone()),
        ("nothing", Vec::new()),
    ] {
        hold(what, &verified(whole.clone(), Some(content)), &FORGED);
    }
    // A good signature does not make a content valid, and its schema is not all that is signed.
    let broken = Wanted("failed", "schema", VerifyVerdict::Failed);
    hold("signed, twice", &verified(plain.signed(&twice, &sign), Some(twice)), &broken);
    let bad = String::from_utf8(text).unwrap().replacen("\"entries\"", "\"entry\"", 1).into_bytes();
    hold("signed, invalid", &verified(plain.signed(&bad, &sign), Some(bad)), &broken);
    let foreign = claiming(&[]);
    let note = b"a note\n".to_vec();
    let other = Wanted("signed", "schema", VerifyVerdict::NotShown);
    hold("signed text", &verified(foreign.signed(&note, &sign), Some(note)), &other);
    for garbage in [&b""[..], b"{}", b"\xd2", b"\xd2\x84", b"\xff\xff"] {
        hold("garbage", &verified(garbage.to_vec(), Some(record())), &REFUSED);
    }
}

#[test]
fn whose_signature_it_is() {
    let unknown = Wanted("unknown", "bytes", VerifyVerdict::NotShown);
    let stranger = Parts::new(&[alg(-8), (int(4), bytes(b"stranger")), claims(&all_claims())]);
    let by_stranger = stranger.signed(&record(), &edwards(9));
    hold("a stranger", &verified(by_stranger, Some(record())), &unknown);
    let borrowed = Parts::new(&header()).signed(&record(), &edwards(9));
    hold("a stranger with a known id", &verified(borrowed, Some(record())), &FORGED);
    let ours = stranger.signed(&record(), &edwards(7));
    hold("a known key with a strange id", &verified(ours, Some(record())), &GOOD);
    let nowhere = Parts::new(&header()).signed(&record(), &edwards(7));
    hold("no content", &verified(nowhere, None), &unknown);
    for (algorithm, wanted) in [(-7, GOOD), (-9, GOOD), (-8, FORGED), (-19, FORGED)] {
        let parts = Parts::new(&[alg(algorithm), kid(KeyType::P256), claims(&all_claims())]);
        let signed = parts.signed(&record(), &curve(7));
        hold("P-256", &verified(signed, Some(record())), &wanted);
    }
    let parts = Parts::new(&[alg(-7), kid(KeyType::P256)]);
    let good = curve(7)(&parts.input(&record()));
    let swapped = [&good[32..], &good[..32]].concat();
    for signature in [swapped, vec![0; 64], vec![0xff; 64], [&good[..32], &[0; 32]].concat()] {
        hold("P-256", &verified(parts.with(&bytes(&signature)), Some(record())), &FORGED);
    }
    let der = [&[0x30, 0x44, 0x02, 0x20], &good[..32], &[0x02, 0x20], &good[32..]].concat();
    hold("DER", &verified(parts.with(&bytes(&der)), Some(record())), &REFUSED);
}
