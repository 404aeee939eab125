//! Cases of the signed record: `COSE_Sign1` and its headers, with both verdicts.

use ciborium::Value;
use ciborium::value::Integer;
use verbatim_evidence::schema::SIGNED_RECORD as RULE;
use verbatim_evidence::value::Encoding;

use crate::suite::{Case, cbor, unhex};

/// A verdict by both schemas. If they differ, the defect listed in `schemas/README.md`.
#[derive(Clone, Copy)]
enum Both {
    Right,
    Wrong,
    /// Valid by the draft, invalid by our schema.
    Defect(&'static str),
}

use Both::{Defect, Right, Wrong};

fn int(n: i64) -> Value {
    Value::Integer(Integer::from(n))
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn bytes(bytes: &[u8]) -> Value {
    Value::Bytes(bytes.into())
}

fn array<const N: usize>(items: [Value; N]) -> Value {
    Value::Array(items.into())
}

fn map<const N: usize>(members: [(Value, Value); N]) -> Value {
    Value::Map(members.into())
}

fn tag(tag: u64, value: Value) -> Value {
    Value::Tag(tag, Box::new(value))
}

fn embedded(value: &Value) -> Value {
    Value::Bytes(cbor(value))
}

fn claims() -> Value {
    map([(int(1), text("https://example.org")), (int(2), text("session"))])
}

/// The claims, and one more header member.
fn protected(key: Value, value: Value) -> Value {
    map([(int(15), claims()), (key, value)])
}

fn envelope(protected: Value, unprotected: Value) -> Value {
    tag(18, array([protected, unprotected, bytes(b"record"), bytes(&[7; 64])]))
}

fn with_protected(header: &Value) -> Value {
    envelope(embedded(header), map([]))
}

fn with_unprotected(header: Value) -> Value {
    envelope(embedded(&map([(int(15), claims())])), header)
}

fn metadata() -> Vec<(Value, Value)> {
    vec![
        (text("session-id"), text("s")),
        (text("agent-vendor"), text("example")),
        (text("trace-format"), text("ietf-vac-v3.0")),
        (text("timestamp-start"), text("2026-02-16T10:00:00Z")),
        (text("timestamp-end"), int(1_771_236_000_000)),
        (text("content-hash"), text("00ff")),
        (text("content-hash-alg"), text("sha-256")),
    ]
}

fn receipt(protected: Value, unprotected: Value, payload: Value) -> Value {
    tag(18, array([protected, unprotected, payload, bytes(&[9; 64])]))
}

fn plain_receipt() -> Value {
    let header = map([(int(1), int(-7)), (int(395), int(1))]);
    receipt(embedded(&header), map([(int(396), map([]))]), Value::Null)
}

struct Cases(Vec<Case>);

impl Cases {
    fn add(&mut self, id: &str, document: Vec<u8>, verdict: Both, why: &str) {
        let (draft, ours, why) = match verdict {
            Right => (true, true, why.to_owned()),
            Wrong => (false, false, why.to_owned()),
            Defect(defect) => (true, false, format!("{why} ({defect})")),
        };
        let (id, rule) = (format!("envelope/{id}"), RULE);
        self.0.push(Case { id, rule, encoding: Encoding::Cbor, document, draft, ours, why });
    }

    fn value(&mut self, id: &str, document: &Value, verdict: Both, why: &str) {
        self.add(id, cbor(document), verdict, why);
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Cases(Vec::new());
    shape(&mut cases);
    protected_headers(&mut cases);
    protected_types(&mut cases);
    unprotected_headers(&mut cases);
    trace_metadata(&mut cases);
    receipts(&mut cases);
    wire(&mut cases);
    cases.0
}

fn shape(cases: &mut Cases) {
    let header = || embedded(&map([(int(15), claims())]));
    let four = |payload, signature| array([header(), map([]), payload, signature]);
    let record = || bytes(b"record");
    let mut add = |id: &str, document: Value, verdict, why: &str| {
        cases.value(&format!("shape/{id}"), &document, verdict, why);
    };
    add("minimal", tag(18, four(record(), bytes(&[1]))), Right, "tag, headers, payload, signature");
    add("detached", tag(18, four(Value::Null, bytes(&[1]))), Right, "a detached payload is null");
    add("empty-payload", tag(18, four(bytes(&[]), bytes(&[1]))), Right, "no bytes are bytes");
    add("empty-signature", tag(18, four(record(), bytes(&[]))), Right, "no bytes are bytes");
    add("no-tag", four(record(), bytes(&[1])), Wrong, "the tag is missing");
    add("tag-17", tag(17, four(record(), bytes(&[1]))), Wrong, "another tag");
    add("tag-98", tag(98, four(record(), bytes(&[1]))), Wrong, "another tag");
    add("tag-twice", tag(18, tag(18, four(record(), bytes(&[1])))), Wrong, "a tag in the tag");
    add("wrapped", tag(61, tag(18, four(record(), bytes(&[1])))), Wrong, "a tag around the tag");
    add("map", tag(18, map([])), Wrong, "an array is required");
    add("three", tag(18, array([header(), map([]), record()])), Wrong, "the signature is missing");
    let five = array([header(), map([]), record(), bytes(&[1]), bytes(&[2])]);
    add("five", tag(18, five), Wrong, "one element too many");
    add("empty", tag(18, array([])), Wrong, "no elements");
    let swapped = array([map([]), header(), record(), bytes(&[1])]);
    add("swapped", tag(18, swapped), Wrong, "protected comes first");
    add("payload-text", tag(18, four(text("record"), bytes(&[1]))), Wrong, "bytes or null");
    add("payload-map", tag(18, four(map([]), bytes(&[1]))), Wrong, "bytes or null");
    add("payload-false", tag(18, four(false.into(), bytes(&[1]))), Wrong, "bytes or null");
    add(
        "payload-embedded",
        tag(18, four(tag(24, record()), bytes(&[1]))),
        Wrong,
        "a tag is not bytes",
    );
    add("signature-null", tag(18, four(record(), Value::Null)), Wrong, "bytes are required");
    add("signature-text", tag(18, four(record(), text("a"))), Wrong, "bytes are required");
    add("signatures", tag(18, four(record(), array([bytes(&[1])]))), Wrong, "one signature");
    add("unprotected-bytes", envelope(header(), bytes(&[0xA0])), Wrong, "a map is required");
    add("unprotected-null", envelope(header(), Value::Null), Wrong, "a map is required");
    add("unprotected-array", envelope(header(), array([])), Wrong, "a map is required");
    let bare = map([(int(15), claims())]);
    add("protected-map", envelope(bare, map([])), Wrong, "the header is in a byte string");
    add("protected-null", envelope(Value::Null, map([])), Wrong, "the header is in a byte string");
    add("protected-empty", envelope(bytes(&[]), map([])), Wrong, "an empty string holds no item");
    add("protected-text", envelope(bytes(b"\x61a"), map([])), Wrong, "a map is required");
    let long = [cbor(&map([(int(15), claims())])), vec![0]].concat();
    add("protected-two", envelope(Value::Bytes(long), map([])), Wrong, "one item and no more");
    let mut short = cbor(&map([(int(15), claims())]));
    short.pop();
    add("protected-cut", envelope(Value::Bytes(short), map([])), Wrong, "the item is cut off");
    add("protected-array", with_protected(&array([])), Wrong, "a map is required");
    let twice = embedded(&embedded(&map([(int(15), claims())])));
    add("protected-twice", envelope(twice, map([])), Wrong, "a byte string in the byte string");
}

fn protected_headers(cases: &mut Cases) {
    let mut add = |id: &str, header: Value, verdict, why: &str| {
        cases.value(&format!("protected/{id}"), &with_protected(&header), verdict, why);
    };
    add("no-claims", map([]), Wrong, "CWT claims are required");
    add("no-claims-but-alg", map([(int(1), int(-7))]), Wrong, "CWT claims are required");
    let only = |claims| map([(int(15), claims)]);
    add("claims-text", only(text("a")), Wrong, "required, so some entry must take it");
    add("claims-empty", only(map([])), Wrong, "iss and sub are required");
    add("claims-no-sub", only(map([(int(1), text("i"))])), Wrong, "sub is required");
    add("claims-no-iss", only(map([(int(2), text("s"))])), Wrong, "iss is required");
    let typed = |iss, sub| only(map([(int(1), iss), (int(2), sub)]));
    add("claims-iss-integer", typed(int(1), text("s")), Wrong, "iss is a text");
    add("claims-sub-bytes", typed(text("i"), bytes(b"s")), Wrong, "sub is a text");
    let named = map([(text("iss"), text("i")), (text("sub"), text("s"))]);
    add("claims-names", only(named), Wrong, "the keys are 1 and 2, not their names");
    let more = |key, value| only(map([(int(1), text("i")), (int(2), text("s")), (key, value)]));
    add("claims-more-integer", more(int(6), int(1)), Right, "the claims are open");
    add("claims-more-text", more(text("x"), Value::Null), Right, "the claims are open");
    add("claims-more-bytes", more(bytes(b"x"), int(1)), Wrong, "labels are integers and texts");
    add("claims-name", map([(text("CWT_Claims"), claims())]), Wrong, "the key is 15");
    add("claims-negative", map([(int(-15), claims())]), Wrong, "the key is 15");
}

fn protected_types(cases: &mut Cases) {
    let mut add = |id: &str, header: Value, verdict, why: &str| {
        cases.value(&format!("protected/{id}"), &with_protected(&header), verdict, why);
    };
    let uncut = || Defect("D2");
    for (id, value, verdict, why) in [
        ("alg-negative", int(-7), Right, "an integer"),
        ("alg-positive", int(7), Right, "an integer"),
        ("alg-text", text("ES256"), uncut(), "alg is an integer"),
        ("alg-null", Value::Null, uncut(), "alg is an integer"),
        ("alg-float", Value::Float(1.0), uncut(), "alg is an integer"),
        ("alg-bignum", tag(2, bytes(&[1; 9])), uncut(), "a bignum is no int"),
    ] {
        add(id, protected(int(1), value), verdict, why);
    }
    for (id, value, verdict, why) in [
        ("content-type-text", text("application/json"), Right, "a text"),
        ("content-type-uint", int(60), Right, "an unsigned integer"),
        ("content-type-negative", int(-1), uncut(), "a text or uint"),
        ("content-type-bytes", bytes(b"a"), uncut(), "a text or uint"),
    ] {
        add(id, protected(int(3), value), verdict, why);
    }
    add("kid-bytes", protected(int(4), bytes(b"key")), Right, "bytes");
    add("kid-text", protected(int(4), text("key")), uncut(), "kid is bytes");
    for (id, value, verdict, why) in [
        ("x5t", array([int(-16), bytes(&[1])]), Right, "algorithm and value"),
        ("x5t-text", array([text("sha"), bytes(&[1])]), Right, "an algorithm may be a text"),
        ("x5t-bytes", bytes(&[1]), uncut(), "an array of two"),
        ("x5t-one", array([int(-16)]), uncut(), "an array of two"),
        ("x5t-three", array([int(-16), bytes(&[1]), int(0)]), uncut(), "an array of two"),
        ("x5t-swapped", array([bytes(&[1]), int(-16)]), uncut(), "algorithm first"),
    ] {
        add(id, protected(int(34), value), verdict, why);
    }
    for (id, value, verdict, why) in CERTIFICATES {
        let value: Value = ciborium::from_reader(unhex(value).as_slice()).expect("CBOR");
        add(&format!("x5chain-{id}"), protected(int(33), value), *verdict, why);
    }
    add("other-integer", protected(int(-70000), array([])), Right, "the header is open");
    add("other-text", protected(text("x"), array([])), Right, "the header is open");
    add("other-bytes", protected(bytes(b"x"), int(1)), Wrong, "labels are integers and texts");
    add(
        "other-float",
        protected(Value::Float(2.0), int(1)),
        Wrong,
        "labels are integers and texts",
    );
    add("other-null", protected(Value::Null, int(1)), Wrong, "labels are integers and texts");
    add("other-bignum", protected(tag(2, bytes(&[1; 9])), int(1)), Wrong, "a bignum is no label");
    add("alg-name", protected(text("alg"), text("ES256")), Right, "a text label like others");
    add("claims-twice", map([(int(15), claims()), (int(15), claims())]), Wrong, "a key twice");
}

/// Values of `x5chain`.
const CERTIFICATES: &[(&str, &str, Both, &str)] = &[
    ("one", "4101", Right, "one certificate is bytes"),
    ("two", "82 4101 4102", Right, "a chain"),
    ("three", "83 4101 4102 4103", Right, "a chain"),
    ("alone", "81 4101", Defect("D2"), "a chain has two or more"),
    ("empty", "80", Defect("D2"), "a chain has two or more"),
    ("text", "82 4101 6161", Defect("D2"), "certificates are bytes"),
    ("integer", "05", Defect("D2"), "bytes or a chain"),
];

fn unprotected_headers(cases: &mut Cases) {
    let mut add = |id: &str, header: Value, verdict, why: &str| {
        cases.value(&format!("unprotected/{id}"), &with_unprotected(header), verdict, why);
    };
    add("empty", map([]), Right, "nothing is required");
    add("other-integer", map([(int(5), int(1))]), Right, "the header is open");
    add("other-text", map([(text("x"), Value::Null)]), Right, "the header is open");
    add("other-bytes", map([(bytes(b"x"), int(1))]), Wrong, "labels are integers and texts");
    add("other-true", map([(true.into(), int(1))]), Wrong, "labels are integers and texts");
    add("alg-text", map([(int(1), text("ES256"))]), Right, "alg has a type when protected only");
    for (id, value, verdict, why) in CERTIFICATES {
        let value: Value = ciborium::from_reader(unhex(value).as_slice()).expect("CBOR");
        add(&format!("x5chain-{id}"), map([(int(33), value)]), *verdict, why);
    }
}

fn trace_metadata(cases: &mut Cases) {
    let mut add = |id: &str, label: i64, value: Value, verdict, why: &str| {
        let document = with_unprotected(map([(int(label), value)]));
        cases.value(&format!("trace-metadata/{id}"), &document, verdict, why);
    };
    add("placeholder", 100, Value::Map(metadata()), Right, "the draft's label");
    let free = "100 is not typed: no cut in the draft (D2), a label like others in ours (D3)";
    add("placeholder-text", 100, text("a"), Right, free);
    add("full", -65637, Value::Map(metadata()), Right, "the label of ours");
    let least = metadata().into_iter().take(4).collect();
    add("minimal", -65637, Value::Map(least), Right, "what must be there and nothing else");
    add("text", -65637, text("a"), Defect("D3"), "a map is required");
    let mut more = metadata();
    more.push((text("x"), int(1)));
    add("other-key", -65637, Value::Map(more), Defect("D3"), "the map is closed");
    for (i, (key, _)) in metadata().into_iter().enumerate() {
        let key = key.into_text().expect("a text");
        let mut without = metadata();
        without.remove(i);
        let verdict = if i < 4 { Defect("D3") } else { Right };
        add(&format!("{key}/absent"), -65637, Value::Map(without), verdict, "left out");
        let mut wrong = metadata();
        wrong[i].1 = Value::Null;
        add(&format!("{key}/null"), -65637, Value::Map(wrong), Defect("D3"), "of the wrong type");
    }
    for (i, value, verdict, why) in [
        (0, bytes(&[1]), Right, "a session id may be bytes"),
        (0, int(1), Defect("D3"), "a session id is a text or bytes"),
        (3, int(-1), Defect("D3"), "a time is not negative"),
        (3, text("yesterday"), Defect("D3"), "a time follows the pattern"),
        (3, Value::Float(1.0), Defect("D3"), "a float is no uint"),
        (2, text("anything"), Right, "formats are open"),
    ] {
        let mut changed = metadata();
        changed[i].1 = value;
        let key = changed[i].0.as_text().expect("a text").to_owned();
        let id = format!("{key}/{}", why.replace(' ', "-"));
        add(&id, -65637, Value::Map(changed), verdict, why);
    }
}

fn receipts(cases: &mut Cases) {
    let mut add = |id: &str, value: Value, verdict, why: &str| {
        let document = with_unprotected(map([(int(394), value)]));
        cases.value(&format!("receipts/{id}"), &document, verdict, why);
    };
    let wrapped = |receipt: Value| array([embedded(&receipt)]);
    let wrong = || Defect("D4");
    add("one", wrapped(plain_receipt()), Right, "a receipt in a byte string");
    let two = array([embedded(&plain_receipt()), embedded(&plain_receipt())]);
    add("two", two, Right, "several receipts");
    add("none", array([]), wrong(), "one or more");
    add("bare", array([plain_receipt()]), wrong(), "each stands in a byte string");
    add("not-in-array", embedded(&plain_receipt()), wrong(), "an array is required");
    add("text", text("a"), wrong(), "an array is required");
    add("null", array([Value::Null]), wrong(), "each is a byte string");
    add("empty-string", array([bytes(&[])]), wrong(), "an empty string holds no item");
    add("untagged", wrapped(array([])), wrong(), "a receipt has tag 18");
    let header = || embedded(&map([]));
    let payload = receipt(header(), map([]), bytes(b"root"));
    add("payload", wrapped(payload), Right, "a receipt may carry its payload");
    let payload = receipt(header(), map([]), text("root"));
    add("payload-text", wrapped(payload), wrong(), "bytes or null");
    let flat = receipt(map([]), map([]), Value::Null);
    add("protected-map", wrapped(flat), wrong(), "the header is in a byte string");
    let labels = receipt(embedded(&map([(Value::Null, int(1))])), map([]), Value::Null);
    add("protected-null-key", wrapped(labels), wrong(), "labels are integers and texts");
    let inner = |value| map([(int(394), value)]);
    let nested = receipt(header(), inner(wrapped(plain_receipt())), Value::Null);
    add("nested", wrapped(nested), Right, "a receipt may have receipts");
    let nested = receipt(header(), inner(array([])), Value::Null);
    add("nested-none", wrapped(nested), wrong(), "one or more");
    let nested = receipt(header(), inner(array([plain_receipt()])), Value::Null);
    add("nested-bare", wrapped(nested), wrong(), "each stands in a byte string");
}

/// Encodings, written by hand: non-preferred but equivalent ones, and bytes that are not CBOR.
fn wire(cases: &mut Cases) {
    for (id, hex, verdict, why) in [
        ("tight", "d2 84 48 a1 0f a2 01 6169 02 6173 a0 f6 40", Wrong, "the length is 8, not 9"),
        ("plain", "d2 84 49 a1 0f a2 01 6169 02 6173 a0 f6 40", Right, "an envelope"),
        ("long-tag", "d812 84 49 a1 0f a2 01 6169 02 6173 a0 f6 40", Right, "the same tag"),
        ("indefinite", "d2 9f 49 a1 0f a2 01 6169 02 6173 bf ff f6 40 ff", Right, "no matter"),
        ("chunks", "d2 84 5f 44 a1 0f a2 01 45 6169 02 6173 ff a0 f6 40", Right, "one string"),
        ("text-chunk", "d2 84 5f 64 a1 0f a2 01 ff a0 f6 40", Wrong, "no CBOR"),
        ("order", "d2 84 49 a1 0f a2 02 6173 01 6169 a0 f6 40", Right, "order is no matter"),
        ("long-key", "d2 84 4a a1 180f a2 01 6169 02 6173 a0 f6 40", Right, "the same key"),
        ("float-key", "d2 84 4b a1 f94b80 a2 01 6169 02 6173 a0 f6 40", Wrong, "15.0 is not 15"),
        ("key-twice", "d2 84 4e a2 0f a2 01 6169 02 6173 180f a0 00 00 a0 f6 40", Wrong, "twice"),
        ("undefined", "d2 84 49 a1 0f a2 01 6169 02 6173 a0 f7 40", Wrong, "undefined is not null"),
        ("trailing", "d2 84 49 a1 0f a2 01 6169 02 6173 a0 f6 40 00", Wrong, "one item"),
        ("no-content", "d2", Wrong, "no CBOR"),
        ("claims-16-tb", "d2 9b 00000fffffffffff", Wrong, "no CBOR, and at no cost"),
    ] {
        cases.add(&format!("wire/{id}"), unhex(hex), verdict, why);
    }
}
