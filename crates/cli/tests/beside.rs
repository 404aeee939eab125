//! Signatures beside files that are written anew, places for them, and what is said of their form.
#![allow(clippy::unwrap_used)]

mod common;

use common::{ID, Place, Ran};
use serde_json::Value;

/// A place with sessions and a key.
fn place() -> Place {
    let place = Place::with_sessions();
    good(&place.run(&["key", "new", "work"]));
    place
}

fn good(ran: &Ran) {
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

fn signed(place: &Place) {
    good(&place.run(&["sign", ID, "-o", "record.json"]));
}

/// A signature that was there before is not left without a word beside other bytes.
#[test]
fn a_signature_from_before_is_named() {
    let place = place();
    signed(&place);
    let other = "5f1e7f1e-2a0b-4a55-8f3e-0d7a4b1c9e22";
    let stale = "record.json.cose was there before";
    for args in [
        &["convert", other, "--to", "vac", "--force", "-o", "record.json"][..],
        &["export", other, "--to", "vac", "--force", "-o", "record.json"],
        &["redact", other, "--force", "-o", "record.json"],
    ] {
        let ran = place.run(args);
        assert!(ran.code == 0 && ran.err.contains(stale), "{args:?}: {}", ran.err);
        assert_eq!(place.run(&["verify", "record.json"]).code, 1);
    }
    let ran = place.run(&["convert", other, "--to", "vac", "-o", "plain.json"]);
    assert!(ran.code == 0 && !ran.err.contains("there before"), "{}", ran.err);
}

/// A signature is a second file: standard output and a folder are no place for it.
#[test]
fn no_place_for_a_signature() {
    let place = place();
    let ran = place.run(&["sign", ID, "-o", "-"]);
    assert!(ran.code == 3 && ran.err.contains("-o FILE"), "{}{}", ran.out, ran.err);
    assert!(ran.out.is_empty() && !place.path().join("-").exists());
    std::fs::create_dir(place.path().join("record.json.cose")).unwrap();
    let ran = place.run(&["sign", ID, "-o", "record.json"]);
    assert!(ran.code != 0 && ran.err.contains("is a folder"), "{}", ran.err);
    assert!(!place.path().join("record.json").exists(), "no record without its signature");
    let ran = place.run(&["sign", ID, "-o", "record.json", "--force"]);
    assert!(ran.code != 0 && place.path().join("record.json.cose").is_dir(), "{}", ran.err);
}

/// Names in another order are no second strict form of one envelope.
#[test]
fn names_in_another_order_are_told() {
    let place = place();
    signed(&place);
    let path = place.path().join("record.json.cose");
    let envelope = std::fs::read(&path).unwrap();
    let empty = envelope.windows(2).position(|pair| pair == [0xa0, 0xf6]).unwrap();
    let line = |report: &Value| report["checks"][0]["why"].as_str().unwrap().to_owned();
    for (labels, strict) in
        [(b"\xa2\x18\x63\x00\x18\x64\x00", true), (b"\xa2\x18\x64\x00\x18\x63\x00", false)]
    {
        let changed = [&envelope[..empty], &labels[..], &envelope[empty + 1..]].concat();
        std::fs::write(&path, changed).unwrap();
        let ran = place.run(&["verify", "--json", "record.json"]);
        good(&ran);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        let report = &report["files"][0];
        assert_eq!(line(report).contains("in strict form"), strict, "{report:#}");
        assert_eq!(line(report).contains("another order"), !strict, "{report:#}");
    }
}
