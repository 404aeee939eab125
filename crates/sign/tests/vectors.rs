//! The published vectors: Ed25519 edge cases, COSE_Sign1, SCITT statements, canonical JSON.

#![allow(clippy::unwrap_used)]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use std::path::Path;
use verbatim_sign::{Envelope, PublicKey, canonical, signature_input};

fn hex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len() / 2).map(|at| digit(at * 2)).collect()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The strict rule: each key and point of small order is refused, and nothing else that the usual
/// rule accepts. What is not in canonical form is refused too.
#[test]
fn ed25519_edge_cases() {
    let Some(file) = samples::shared("vectors/ed25519/ed25519vectors.json") else { return };
    let cases = json(&file);
    let refusing = ["low_order_A", "low_order_R", "non_canonical_R", "low_order_residue"];
    let (mut accepted, mut all) = (0, 0);
    for case in cases.as_array().unwrap() {
        let flags = case["flags"].as_array();
        let flags: Vec<&str> =
            flags.into_iter().flatten().map(|flag| flag.as_str().unwrap()).collect();
        let key = PublicKey::ed25519(&hex(case["key"].as_str().unwrap()));
        let (message, signature) = (case["msg"].as_str().unwrap(), case["sig"].as_str().unwrap());
        let good = key.is_ok_and(|key| key.verifies(message.as_bytes(), &hex(signature)));
        assert_eq!(good, !refusing.iter().any(|it| flags.contains(it)), "{case}");
        accepted += usize::from(good);
        all += 1;
    }
    assert_eq!((accepted, all), (43, 914));
}

/// The key of a case; `None` for one of another type.
fn key(case: &Value) -> Option<PublicKey> {
    let part = |name: &str| match (case[name].as_str(), case[format!("{name}_hex")].as_str()) {
        (Some(text), _) => Some(URL_SAFE_NO_PAD.decode(text).unwrap()),
        (_, Some(text)) => Some(hex(text)),
        _ => None,
    };
    match case["crv"].as_str()? {
        "Ed25519" => PublicKey::ed25519(&part("x")?).ok(),
        "P-256" => PublicKey::p256(&[vec![4], part("x")?, part("y")?].concat()).ok(),
        _ => None,
    }
}

/// The verdict on an envelope, in a word or the reason.
fn verdict(bytes: &[u8], content: Option<&[u8]>, external: &[u8], key: &PublicKey) -> String {
    match Envelope::read(bytes) {
        Err(fault) => fault.to_string(),
        Ok(envelope) => match envelope.verify(content, external, key) {
            Some(_) => "good".into(),
            None => "bad".into(),
        },
    }
}

/// Cases that are refused by policy, where RFC 9052 alone would accept them: the algorithm has to
/// be protected, and the tag has to be there.
const POLICY: [(&str, &str); 3] = [
    ("sign-pass-01", "the protected header names no algorithm"),
    ("sign-pass-03", "it is no COSE_Sign1: tag 18 and an array of 4"),
    (
        "ecdsa-sig-04",
        "its algorithm is not one of EdDSA (-8), Ed25519 (-19), ES256 (-7), ESP256 (-9)",
    ),
];

#[test]
fn cose_working_group() {
    let Some(folder) = samples::shared("vectors/cose/cose-wg") else { return };
    let (mut good, mut refused, mut other) = (0, 0, 0);
    for below in [
        "sign1-tests",
        "ecdsa-examples",
        "eddsa-examples",
        "RFC8152",
        "CWT",
        "countersign",
        "countersign1",
    ] {
        let mut files: Vec<_> =
            folder.join(below).read_dir().unwrap().map(|it| it.unwrap().path()).collect();
        files.sort();
        for file in files {
            let case = json(&file);
            let input = &case["input"]["sign0"];
            let Some(key) = key(&input["key"]) else {
                other += 1;
                continue;
            };
            let name = file.file_stem().unwrap().to_str().unwrap();
            let bytes = hex(case["output"]["cbor"].as_str().unwrap());
            let external = hex(input["external"].as_str().unwrap_or_default());
            let got = verdict(&bytes, None, &external, &key);
            let policy = POLICY.iter().find(|(known, _)| *known == name);
            match policy {
                Some((_, why)) => {
                    assert_eq!(got, *why, "{name}");
                    refused += 1;
                }
                None if case["fail"] == true => {
                    assert_ne!(got, "good", "{name}");
                    refused += 1;
                }
                None => {
                    assert_eq!(got, "good", "{name}");
                    good += 1;
                }
            }
            if let (Some(text), Ok(envelope)) =
                (case["intermediates"]["ToBeSign_hex"].as_str(), Envelope::read(&bytes))
                && case["fail"] != true
            {
                let input = hex(text);
                let protected = &bytes[3..3 + usize::from(bytes[2] & 31)];
                let made = signature_input(protected, &external, envelope.attached().unwrap());
                assert_eq!(made, input, "{name}");
            }
        }
    }
    println!("{good} good, {refused} refused, {other} of other types");
    assert_eq!((good, refused), (8, 9));
}

#[test]
fn other_implementations() {
    let Some(folder) = samples::shared("vectors/cose") else { return };
    let (mut good, mut refused) = (0, 0);
    for below in ["gluecose", "go-cose/testdata"] {
        for file in folder.join(below).read_dir().unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            let case = json(&file);
            let verify = &case["sign1::verify"];
            let sign = &case["sign1::sign"];
            let Some(key) = key(&case["key"]) else { continue };
            let (part, text, should) = match verify.is_object() {
                true => (verify, &verify["taggedCOSESign1"]["cborHex"], &verify["shouldVerify"]),
                false => (sign, &sign["expectedOutput"]["cborHex"], &Value::Bool(true)),
            };
            let external = hex(part["external"].as_str().unwrap_or_default());
            let content = part["payload"].as_str().map(hex);
            let detached = part["detached"] == true;
            let content = content.as_deref().filter(|_| detached);
            let got = verdict(&hex(text.as_str().unwrap()), content, &external, &key);
            // The published output of this case is by another key than the published one.
            let other = below == "go-cose/testdata" && file.ends_with("sign1-sign-0000.json");
            let should = *should == true && !other;
            assert_eq!(got == "good", should, "{}: {got}", file.display());
            good += usize::from(got == "good");
            refused += usize::from(got != "good");
        }
    }
    println!("{good} good, {refused} refused");
    assert!(good >= 4 && refused >= 1);
}

#[test]
fn scitt_statements() {
    let Some(folder) = samples::shared("vectors/receipts/scitt-cose/test-vectors/v1") else {
        return;
    };
    let mut all = 0;
    for case in folder.read_dir().unwrap() {
        let case = case.unwrap().path();
        let key = PublicKey::read(&std::fs::read(case.join("issuer-key.pub")).unwrap()).unwrap();
        let statement = std::fs::read(case.join("statement.cose")).unwrap();
        let content = std::fs::read(case.join("payload.bin")).unwrap();
        let detached = Envelope::read(&statement).is_ok_and(|it| it.attached().is_none());
        let got = verdict(&statement, detached.then_some(&*content), &[], &key);
        let should = !case.ends_with("fail-bad-statement-sig");
        assert_eq!(got == "good", should, "{}: {got}", case.display());
        all += 1;
    }
    assert_eq!(all, 6);
}

/// The published inputs are made canonical, or refused for a number that another maker of the form
/// would write otherwise. The output is never changed again.
#[test]
fn canonical_json() {
    let Some(folder) = samples::shared("vectors/jcs-rfc8785/testdata") else { return };
    let mut made = Vec::new();
    for file in folder.join("input").read_dir().unwrap() {
        let file = file.unwrap().path();
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let output = std::fs::read(folder.join(format!("output/{name}.json"))).unwrap();
        match canonical(&std::fs::read(&file).unwrap()) {
            Ok(bytes) => {
                assert_eq!(bytes, output, "{name}");
                assert_eq!(canonical(&bytes).unwrap(), output);
                made.push(name);
            }
            Err(fault) => {
                println!("{name}: {fault}");
                let why = fault.what;
                assert!(why.contains("number") || why.contains("UTF-16"), "{name}: {why}");
            }
        }
    }
    made.sort();
    assert_eq!(made, ["arrays", "french", "unicode"]);
}
