//! Cost is linear in size and in nesting, and limits are kept.

use verbatim_evidence::schema::{ERRORS, RECORD, Schema};
use verbatim_evidence::value::{Document, Encoding, Limits, ReadFault};

/// A record whose entry has a child that has a child, `depth` times; the last one is `innermost`.
fn nested(depth: usize, innermost: &str) -> String {
    let entry = format!(
        "{}{innermost}{}",
        r#"{"type":"user","children":["#.repeat(depth),
        "]}".repeat(depth)
    );
    wide(&entry)
}

fn wide(entries: &str) -> String {
    let head = concat!(
        r#"{"version":"3","id":"r","session":{"session-id":"s","agent-meta":"#,
        r#"{"model-id":"m","model-provider":"p"},"entries":["#,
    );
    format!("{head}{entries}]}}}}")
}

fn judge(json: &str) -> Vec<String> {
    let verdict = Schema::record().validate(RECORD, json.as_bytes(), Encoding::Json);
    verdict.errors().iter().map(|error| error.path.clone()).collect()
}

#[test]
fn children_of_children_are_judged_at_any_depth() {
    const DEPTH: usize = 100_000;
    assert!(judge(&nested(DEPTH, r#"{"type":"assistant"}"#)).is_empty());
    let paths = judge(&nested(DEPTH, r#"{"type":"assistant","id":7}"#));
    let expected = format!("$.session.entries[0]{}.id", ".children[0]".repeat(DEPTH));
    assert!(paths == [expected], "{} errors", paths.len());
}

/// Quadratic time would take minutes here; `cargo bench -p verbatim-evidence` measures it.
#[test]
fn wide_maps_and_long_arrays_are_judged() {
    let many = vec![r#"{"type":"user","content":"text","timestamp":5}"#; 200_000].join(",");
    assert!(judge(&wide(&many)).is_empty());
    let members: Vec<_> = (0..200_000).map(|i| format!(r#""k{i}":{i}"#)).collect();
    assert!(judge(&wide(&format!(r#"{{"type":"user",{}}}"#, members.join(",")))).is_empty());
    let bad = r#"{"type":"user","id":1}"#;
    assert_eq!(judge(&wide(&vec![bad; 200_000].join(","))).len(), ERRORS);
}

#[test]
fn limits_are_kept() {
    let limits = Limits { bytes: 100, depth: 3, values: 20 };
    let why = |json: &str| {
        Document::read(json.as_bytes(), Encoding::Json, limits)
            .map_or_else(|e| Some(e.why), |_| None)
    };
    assert_eq!(why("[[[1]]]"), None);
    assert_eq!(why("[[[{}]]]"), Some(ReadFault::TooDeep));
    assert_eq!(why(&format!("[{}1]", "1,".repeat(18))), None);
    assert_eq!(why(&format!("[{}1]", "1,".repeat(19))), Some(ReadFault::TooMany));
    assert_eq!(why(&format!("[{}{{}}]", "{\"\":1},".repeat(7))), Some(ReadFault::TooMany));
    let cbor = |count: u8| [&[0x98, count][..], &vec![1; count.into()]].concat();
    let read = |count| Document::read(&cbor(count), Encoding::Cbor, limits).map(|_| ());
    assert!(read(19).is_ok());
    assert_eq!(read(20).map_err(|error| error.why), Err(ReadFault::TooMany));
    assert_eq!(why(&" ".repeat(101)), Some(ReadFault::TooLong));
    assert_eq!(why(&format!("{}1", " ".repeat(99))), None);
}

/// CBOR in byte strings in CBOR: no deeper than the limit, and no deeper than the stack.
#[test]
fn receipts_in_receipts_end_at_the_limit() {
    let head = [0xD2, 0x84, 0x41, 0xA0];
    let mut receipt = [&head[..], &[0xA0, 0xF6, 0x40]].concat();
    let mut right = 0;
    for _ in 0..100 {
        let verdict = Schema::record().validate("receipt", &receipt, Encoding::Cbor);
        right += usize::from(verdict.is_good());
        let length = (receipt.len() as u32).to_be_bytes();
        let inner = [&[0xA1, 0x19, 0x01, 0x8A, 0x81, 0x5A], &length[..], &receipt].concat();
        receipt = [&head[..], &inner, &[0xF6, 0x40]].concat();
    }
    assert_eq!(right, 16);
    let verdict = Schema::record().validate("receipt", &receipt, Encoding::Cbor);
    assert!(verdict.errors()[0].hint.contains("deeper than 16"), "{verdict:?}");
}
