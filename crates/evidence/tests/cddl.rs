//! CDDL means what RFC 8610 says, and unsupported syntax is refused.

use verbatim_evidence::schema::{Schema, TextError};
use verbatim_evidence::value::Encoding;

/// Whether a JSON document meets the rule `start` of a schema.
fn json(schema: &str, document: &str) -> bool {
    let schema = Schema::parse(schema).expect(schema);
    schema.validate("start", document.as_bytes(), Encoding::Json).is_good()
}

fn cbor(schema: &str, hex: &str) -> bool {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(text, 16).expect("hexadecimal")
    };
    let bytes: Vec<u8> = digits.chunks(2).map(byte).collect();
    Schema::parse(schema).expect(schema).validate("start", &bytes, Encoding::Cbor).is_good()
}

/// The examples of RFC 8610, section 3.5.4.
#[test]
fn a_cut_forbids_later_entries() {
    let nonsense = r#"{"optional-key":"nonsense"}"#;
    assert!(json(r#"start = {? "optional-key" => int, * tstr => any}"#, nonsense));
    assert!(!json(r#"start = {? "optional-key" ^ => int, * tstr => any}"#, nonsense));
    assert!(!json(r#"start = {? "optional-key": int, * tstr => any}"#, nonsense));
    assert!(!json("start = {? optional-key: int, * tstr => any}", nonsense));
    // A cut binds later entries only, and only for its own key.
    assert!(json("start = {* tstr => any, ? optional-key: int}", nonsense));
    assert!(json("start = {? other: int, * tstr => any}", nonsense));
    // Without a cut a required entry still needs its own member.
    assert!(!json(r#"start = {"optional-key" => int, * tstr => any}"#, nonsense));
}

#[test]
fn maps_are_closed_and_count() {
    assert!(json("start = {a: int}", r#"{"a":1}"#));
    assert!(!json("start = {a: int}", r#"{"a":1,"b":1}"#));
    assert!(!json("start = {a: int}", "{}"));
    assert!(json("start = {1*2 tstr => int}", r#"{"a":1,"b":1}"#));
    assert!(!json("start = {1*2 tstr => int}", r#"{"a":1,"b":1,"c":1}"#));
    assert!(!json("start = {+ tstr => int}", "{}"));
    assert!(json("start = {* tstr => int / tstr}", r#"{"a":1,"b":"c"}"#));
}

#[test]
fn groups_are_put_in_place() {
    let schema = "start = {a: int, more, (c: int, ? d: int)} more = (b: tstr,)";
    assert!(json(schema, r#"{"a":1,"b":"","c":1}"#));
    assert!(!json(schema, r#"{"a":1,"c":1}"#));
    assert!(json("start = [pair, int] pair = (x: tstr, y: tstr)", r#"["a","b",1]"#));
    assert!(!json("start = [pair, int] pair = (x: tstr, y: tstr)", r#"["a",1]"#));
}

#[test]
fn arrays_take_their_elements_in_order() {
    assert!(json("start = [* int, * tstr]", r#"[1,2,"a"]"#));
    assert!(!json("start = [* int, * tstr]", r#"["a",1]"#));
    assert!(json("start = [int, ? tstr, bool]", "[1,true]"));
    assert!(json("start = [2*certs: int]", "[1,2]"));
    assert!(!json("start = [2*certs: int]", "[1]"));
    assert!(!json("start = [2*3 int]", "[1,2,3,4]"));
    assert!(json("start = []", "[]"));
    // An entry takes all elements it can (PEG): nothing is left for the second.
    assert!(!json("start = [* int, int]", "[1,2]"));
}

#[test]
fn a_bareword_key_is_no_rule() {
    let schema = r#"start = {type: type} type = "a" / "b""#;
    assert!(json(schema, r#"{"type":"a"}"#));
    assert!(!json(schema, r#"{"a":"a"}"#));
}

#[test]
fn keys_of_any_kind() {
    let schema = "start = {? &(alg: 1) ^ => int, ? -1 => tstr, ? 5: bool, * label => any} \
                  label = int / tstr";
    assert!(cbor(schema, "a0"));
    assert!(cbor(schema, "a3 01 26 20 6161 05 f5"));
    assert!(!cbor(schema, "a1 01 6161"));
    assert!(cbor(schema, "a1 20 01"));
    assert!(!cbor(schema, "a1 05 01"));
    assert!(cbor(schema, "a1 06 01"));
    assert!(!cbor(schema, "a1 40 01"));
    assert!(cbor("start = {* any => any}", "a3 40 01 f6 02 80 03"));
    assert!(cbor("start = {* bstr => uint}", "a1 4101 02"));
}

#[test]
fn the_same_choice_by_many_ways() {
    // Each level has two alternatives for the same value: a search would take 2^40 steps.
    let schema = "start = a / b  a = [start] / [* c]  b = [start] / [* c]  c = tstr";
    let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
    assert!(!json(schema, &deep));
    assert!(json(schema, &deep.replace('1', "")));
}

#[test]
fn numbers_by_width() {
    assert!(cbor("start = float16", "f93c00"));
    assert!(!cbor("start = float16", "fa3f800000"));
    assert!(cbor("start = float", "fb3ff199999999999a"));
    assert!(cbor("start = number", "20"));
    assert!(json("start = float16", "1.5"));
    assert!(!json("start = float16", "0.1"));
    assert!(!json("start = float32", "0.1"));
    assert!(json("start = float64", "0.1"));
    assert!(json("start = -2", "-2.0"));
    assert!(json("start = nint", "-18446744073709551616"));
    assert!(!json("start = nint", "-18446744073709551617"));
    assert!(json("start = 7 / 8", "8"));
}

#[test]
fn tags_and_embedded_items() {
    assert!(cbor("start = #6.18(tstr)", "d2 6161"));
    assert!(!cbor("start = #6.18(tstr)", "d2 01"));
    assert!(!cbor("start = #6.18(tstr)", "6161"));
    assert!(cbor("start = bstr .cbor [int]", "42 8101"));
    assert!(!cbor("start = bstr .cbor [int]", "42 8161"));
    assert!(!cbor("start = bstr .cbor int", "42 0101"));
    assert!(cbor("start = biguint", "c2 41ff"));
}

#[test]
fn what_is_not_supported_is_refused() {
    for text in [
        "start = {a: int // b: int}",
        "start = ~other other = [int]",
        "start = [2*3 (int, tstr)]",
        "start = 1..5",
        "start = tstr .size 5",
        "start = int .regexp \"a\"",
        "start<a> = a",
        "start /= int",
        "start = h'00'",
        "start = 1.5",
        "start = 0x10",
        "start = {tstr}",
        "start = {* tstr .regexp \"a\" => any}",
        "start = #6(int)",
        "start = #4",
        "start = tstr .regexp \"\\\\d\"",
        "start = nothing",
        "start = start",
        "start = int start = tstr",
        "start = [int",
        "start = \"open",
        "start = ",
        "= int",
        "start = int )",
    ] {
        assert!(Schema::parse(text).is_err(), "{text}");
    }
    let error = Schema::parse("a = int\n; a comment\nb = {c: }").expect_err("no type");
    assert_eq!(error, TextError::Syntax { line: 3, expected: "a type" });
}
