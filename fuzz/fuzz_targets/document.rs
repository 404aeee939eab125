//! Arbitrary bytes as a JSON and as a CBOR document: validation and re-encoding neither panic nor
//! contradict each other.
#![no_main]

use evidence::cbor::{compact_json, deterministic};
use evidence::schema::{RECORD, SIGNED_RECORD, Schema, SchemaError};
use evidence::value::{Document, Encoding, Limits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { bytes: 1 << 20, depth: 1000, ..Limits::default() };
    for encoding in [Encoding::Json, Encoding::Cbor] {
        let Ok(doc) = Document::read(bytes, encoding, limits) else { continue };
        for rule in [RECORD, SIGNED_RECORD, "receipt", "Receipt"] {
            for schema in [Schema::record(), Schema::draft()] {
                let verdict = schema.judge(rule, &doc);
                let unexplained = |e: &SchemaError| e.hint == "the document does not match";
                assert!(!verdict.errors().iter().any(unexplained), "{verdict:?}");
            }
        }
        let Ok(encoded) = deterministic(&doc) else { continue };
        let again = Document::read(&encoded, Encoding::Cbor, limits).expect("what we write");
        assert_eq!(deterministic(&again).expect("encodable"), encoded);
        match compact_json(&again) {
            Ok(json) => {
                let back = Document::read(&json, Encoding::Json, limits).expect("what we write");
                assert_eq!(deterministic(&back).expect("encodable"), encoded);
            }
            Err(_) => assert_eq!(encoding, Encoding::Cbor, "JSON comes back"),
        }
    }
});
