//! CBOR: the examples of RFC 8949, limits, determinism, and JSON there and back.

use verbatim_evidence::cbor::{deterministic, from_json, is_deterministic, to_json};
use verbatim_evidence::value::{Document, Encoding, Limits, ReadFault};

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pair = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(text, 16).expect("hexadecimal")
    };
    digits.chunks(2).map(pair).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn encoded(json: &str) -> String {
    hex(&from_json(json.as_bytes(), Limits::default()).expect(json))
}

fn decoded(cbor: &str) -> String {
    let json = to_json(&bytes(cbor), Limits::default()).expect(cbor);
    String::from_utf8(json).expect("UTF-8")
}

fn why(cbor: &[u8]) -> ReadFault {
    Document::read(cbor, Encoding::Cbor, Limits::default()).expect_err("malformed").why
}

/// Examples of RFC 8949, appendix A, that JSON can hold, in their preferred serialization.
const EXAMPLES: &[(&str, &str)] = &[
    ("0", "00"),
    ("1", "01"),
    ("10", "0a"),
    ("23", "17"),
    ("24", "1818"),
    ("100", "1864"),
    ("1000", "1903e8"),
    ("1000000", "1a000f4240"),
    ("1000000000000", "1b000000e8d4a51000"),
    ("18446744073709551615", "1bffffffffffffffff"),
    ("18446744073709551616", "c249010000000000000000"),
    ("-18446744073709551616", "3bffffffffffffffff"),
    ("-18446744073709551617", "c349010000000000000000"),
    ("-1", "20"),
    ("-10", "29"),
    ("-100", "3863"),
    ("-1000", "3903e7"),
    ("0.0", "f90000"),
    ("-0.0", "f98000"),
    ("1.0", "f93c00"),
    ("1.1", "fb3ff199999999999a"),
    ("1.5", "f93e00"),
    ("65504.0", "f97bff"),
    ("100000.0", "fa47c35000"),
    ("3.4028234663852886e38", "fa7f7fffff"),
    ("1e300", "fb7e37e43c8800759c"),
    ("5.960464477539063e-8", "f90001"),
    ("6.103515625e-5", "f90400"),
    ("-4.0", "f9c400"),
    ("-4.1", "fbc010666666666666"),
    ("false", "f4"),
    ("true", "f5"),
    ("null", "f6"),
    (r#""""#, "60"),
    (r#""IETF""#, "6449455446"),
    (r#""\"\\""#, "62225c"),
    ("\"\u{fc}\"", "62c3bc"),
    ("\"\u{6c34}\"", "63e6b0b4"),
    ("\"\u{10151}\"", "64f0908591"),
    ("[]", "80"),
    ("[1,[2,3],[4,5]]", "8301820203820405"),
    ("{}", "a0"),
    (r#"{"a":1,"b":[2,3]}"#, "a26161016162820203"),
    (r#"["a",{"b":"c"}]"#, "826161a161626163"),
];

#[test]
fn the_examples_of_the_rfc() {
    for (json, cbor) in EXAMPLES {
        assert_eq!(encoded(json), *cbor, "{json}");
        // The float examples are printed as Rust prints them: value and spelling agree.
        let spelled = serde_json::from_str::<serde_json::Value>(&decoded(cbor)).unwrap();
        assert_eq!(spelled.to_string().parse::<f64>().ok(), json.parse::<f64>().ok(), "{cbor}");
        assert!(is_deterministic(&bytes(cbor), Limits::default()).unwrap(), "{cbor}");
    }
}

#[test]
fn every_spelling_of_a_value_has_one_encoding() {
    for (loose, tight) in [
        ("1800", "00"),
        ("1b0000000000000001", "01"),
        ("fb3ff8000000000000", "f93e00"),
        ("fa7f800000", "f97c00"),
        ("fb7ff8000000000001", "f97e00"),
        ("5f42010243030405ff", "450102030405"),
        ("7f657374726561646d696e67ff", "6973747265616d696e67"),
        ("9f018202039f0405ffff", "8301820203820405"),
        ("bf61610161629f0203ffff", "a26161016162820203"),
        ("a2616201616101", "a2616101616201"),
        ("a2617a016003", "a26003617a01"),
        ("a3616101 20 01 0a 01", "a30a0120 01 616101"),
        ("c2420100", "190100"),
        ("c24a00000000000000000001", "01"),
        ("c340", "20"),
        ("d90018 41ff", "d818 41ff"),
    ] {
        let (loose, tight) = (bytes(loose), bytes(tight));
        let doc = Document::read(&loose, Encoding::Cbor, Limits::default()).expect("well-formed");
        assert_eq!(hex(&deterministic(&doc).expect("encodable")), hex(&tight));
        assert!(!is_deterministic(&loose, Limits::default()).unwrap());
        assert!(is_deterministic(&tight, Limits::default()).unwrap());
    }
}

/// The number comes back as it was spelled.
const SAME: &str = "";

#[test]
fn numbers_keep_their_value() {
    for (json, cbor, back) in [
        ("0.1", "fb3fb999999999999a", "0.1"),
        ("0.10", "fb3fb999999999999a", "0.1"),
        ("1e2", "f95640", "100.0"),
        ("0e99", "f90000", "0.0"),
        ("-0", "f98000", "-0.0"),
        ("100", "1864", "100"),
        ("9007199254740993", "1b0020000000000001", "9007199254740993"),
        ("123456789012345678901234567890", "c24d018ee90ff6c373e0ee4e3f0ad2", SAME),
        // No binary64 is this number: a decimal fraction holds it.
        ("1e400", "c482190190 01", SAME),
        ("-1E+400", "c482190190 20", "-1e400"),
        ("1e-400", "c48239018f 01", SAME),
        ("9007199254740993.0", "c482 00 1b0020000000000001", "9007199254740993e0"),
        (
            "0.1000000000000000055511151231257827",
            "c482 3821 c24e314dc6448d933986922312364ce3",
            "1000000000000000055511151231257827e-34",
        ),
    ] {
        assert_eq!(encoded(json), hex(&bytes(cbor)), "{json}");
        let decoded = decoded(cbor);
        assert_eq!(decoded, if back == SAME { json } else { back });
        assert_eq!(encoded(&decoded), encoded(json), "{json}");
    }
    let digits = "9".repeat(4300);
    assert_eq!(decoded(&encoded(&digits)), digits);
    assert_eq!(decoded(&encoded(&format!("-{digits}"))), format!("-{digits}"));
    for unable in ["9".repeat(4301), "1e99999999999999999999".into()] {
        let error = from_json(unable.as_bytes(), Limits::default()).expect_err("no carrier");
        assert!(error.to_string().contains("at $: a number"), "{error}");
    }
}

#[test]
fn what_json_cannot_hold_is_an_error_with_its_place() {
    for (cbor, path) in [
        ("a16161 4101", "$.a"),
        ("81 f7", "$[0]"),
        ("f97e00", "$"),
        ("f97c00", "$"),
        ("81 c0 6130", "$[0]"),
        ("a1 01 02", "$(1)"),
        ("82 00 e0", "$[1]"),
        ("c4 81 01", "$"),
        ("c4 82 c24101 01", "$"),
        ("c2 6161", "$"),
    ] {
        let error = to_json(&bytes(cbor), Limits::default()).expect_err(cbor).to_string();
        assert!(error.contains(&format!("at {path}:")), "{cbor}: {error}");
    }
}

#[test]
fn malformed_bytes_are_named() {
    for (cbor, expected) in [
        ("", ReadFault::Truncated),
        ("18", ReadFault::Truncated),
        ("1c", ReadFault::Reserved),
        ("1f", ReadFault::Reserved),
        ("df00", ReadFault::Reserved),
        ("f818", ReadFault::Simple),
        ("ff", ReadFault::Break),
        ("81ff", ReadFault::Break),
        ("bf00ff", ReadFault::Break),
        ("c0ff", ReadFault::Break),
        ("5f6161ff", ReadFault::Chunk),
        ("5f5f4100ffff", ReadFault::Chunk),
        ("5f4100", ReadFault::Truncated),
        ("61ff", ReadFault::Utf8),
        ("7f61c361bcff", ReadFault::Utf8),
        ("0000", ReadFault::Trailing),
        ("a201020103", ReadFault::DuplicateKey),
        ("a2 01 02 1801 03", ReadFault::DuplicateKey),
        ("a2 6161 02 7f6161ff 03", ReadFault::DuplicateKey),
        ("a2 f93c00 02 fa3f800000 03", ReadFault::DuplicateKey),
    ] {
        assert_eq!(why(&bytes(cbor)), expected, "{cbor}");
    }
    for distinct in ["a2 01 02 20 03", "a2 01 02 f93c00 03", "a2 40 02 60 03", "a2 f4 02 f5 03"] {
        Document::read(&bytes(distinct), Encoding::Cbor, Limits::default()).expect(distinct);
    }
}

#[test]
fn claims_cost_nothing() {
    // Memory as claimed would end the process.
    for _ in 0..1000 {
        for major in ["5b", "7b", "9b", "bb"] {
            let claim = bytes(&format!("{major}00000fffffffffff"));
            assert_eq!(claim.len(), 9);
            assert_eq!(why(&claim), ReadFault::Truncated);
        }
        assert_eq!(why(&bytes("bbffffffffffffffff")), ReadFault::Truncated);
    }
}

#[test]
fn nesting_costs_what_its_bytes_cost() {
    let limits = Limits::default();
    let shape = |depth: usize| [vec![0x81; depth], vec![0x00]].concat();
    let doc = shape(limits.depth);
    assert!(is_deterministic(&doc, limits).unwrap());
    let json = to_json(&doc, limits).expect("JSON");
    assert_eq!(json.len(), 2 * limits.depth + 1);
    assert_eq!(from_json(&json, limits).expect("CBOR"), doc);
    assert_eq!(why(&shape(limits.depth + 1)), ReadFault::TooDeep);
    // Maps as keys of maps: the one place where encoding recurses has its own limit.
    let keys = [vec![0xA1; 1000], vec![0x00; 1001]].concat();
    let doc = Document::read(&keys, Encoding::Cbor, limits).expect("well-formed");
    let error = deterministic(&doc).expect_err("too deep").to_string();
    assert!(error.contains("keys"), "{error}");
}

/// An independent reader gives the same value for our encoding.
#[test]
fn another_library_reads_what_we_write() {
    let json = concat!(
        r#"{"b":[1,-1,1.5,0.1,1e300,null,true],"#,
        r#""a":{"":"\u0000\ud83d\ude00","z":-18446744073709551616}}"#,
    );
    let ours = from_json(json.as_bytes(), Limits::default()).unwrap();
    let read: ciborium::Value = ciborium::from_reader(ours.as_slice()).expect("readable");
    let mut theirs = Vec::new();
    ciborium::into_writer(&read, &mut theirs).expect("writable");
    assert_eq!(hex(&ours), hex(&theirs));
}

/// Every binary16 is read as another library reads it and written back as it was.
#[test]
fn every_half_float_is_exact() {
    for bits in 0..=u16::MAX {
        let item = [0xF9, (bits >> 8) as u8, bits as u8];
        let doc = Document::read(&item, Encoding::Cbor, Limits::default()).unwrap();
        let ours = doc.root().float().expect("a float");
        let theirs: f64 = ciborium::from_reader(item.as_slice()).expect("a float");
        assert!(ours == theirs || ours.is_nan() && theirs.is_nan(), "{bits:#x}");
        if !ours.is_nan() {
            assert_eq!(deterministic(&doc).unwrap(), item, "{bits:#x}");
        }
    }
}
