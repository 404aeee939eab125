//! The records that the draft's own translator made are valid by its schema and by verbatim's.

use verbatim_evidence::cbor;
use verbatim_evidence::schema::{RECORD, Schema};
use verbatim_evidence::value::{Encoding, Limits};

#[test]
fn every_reference_record_is_valid_in_json_and_in_cbor() {
    let Some(folder) = samples::shared("vectors/vac-reference") else { return };
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("folder") {
        let path = file.expect("file").path();
        let json = std::fs::read(&path).expect("readable");
        let bytes = cbor::from_json(&json, Limits::default()).expect("convertible");
        for schema in [Schema::draft(), Schema::record()] {
            for (encoding, document) in [(Encoding::Json, &json), (Encoding::Cbor, &bytes)] {
                let verdict = schema.validate(RECORD, document, encoding);
                assert!(verdict.is_good(), "{path:?} {encoding:?}: {:#?}", verdict.errors());
            }
        }
        let back = cbor::to_json(&bytes, Limits::default()).expect("convertible");
        let values = |json: &[u8]| serde_json::from_slice::<serde_json::Value>(json).expect("JSON");
        assert_eq!(values(&json), values(&back), "{path:?}");
        count += 1;
    }
    assert_eq!(count, 13);
}
