//! Cost is linear in size and in nesting, and limits are kept.

use std::time::{Duration, Instant};

use evidence::schema::{RECORD, Schema};
use evidence::value::{Document, Encoding, Limits, Why};

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
    verdict.errors.into_iter().map(|error| error.path).collect()
}

/// The shortest of several runs: a busy machine only makes runs longer.
fn time(json: &str) -> Duration {
    let run = |_| {
        let started = Instant::now();
        let _ = judge(json);
        started.elapsed()
    };
    (0..3).map(run).min().unwrap_or_default()
}

#[test]
fn children_of_children_are_judged_at_any_depth() {
    const DEPTH: usize = 100_000;
    assert!(judge(&nested(DEPTH, r#"{"type":"assistant"}"#)).is_empty());
    let paths = judge(&nested(DEPTH, r#"{"type":"assistant","id":7}"#));
    let expected = format!("$.session.entries[0]{}.id", ".children[0]".repeat(DEPTH));
    assert!(paths == [expected], "{} errors", paths.len());
}

#[test]
fn four_times_the_document_takes_four_times_as_long() {
    let bad = r#"{"type":"user","id":1}"#;
    let many = |n: usize| vec![r#"{"type":"user","content":"text","timestamp":5}"#; n].join(",");
    let keys = |n: usize| {
        let members: Vec<_> = (0..n).map(|i| format!(r#""k{i}":{i}"#)).collect();
        format!(r#"{{"type":"user",{}}}"#, members.join(","))
    };
    type Shape<'a> = (&'a str, &'a dyn Fn(usize) -> String);
    let shapes: [Shape<'_>; 4] = [
        ("nesting", &|n| nested(n, r#"{"type":"assistant"}"#)),
        ("nesting with an error inside", &|n| nested(n, bad)),
        ("entries", &|n| wide(&many(n))),
        ("keys of one map", &|n| wide(&keys(n))),
    ];
    for (name, shape) in shapes {
        let (small, large) = (time(&shape(10_000)), time(&shape(40_000)));
        // Quadratic would be 16 times; the rest is room for caches and for sorting keys.
        assert!(large < small * 9, "{name}: {small:?}, then {large:?}");
    }
}

#[test]
fn limits_are_kept() {
    let limits = Limits { bytes: 100, depth: 3 };
    let why = |json: &str| {
        Document::read(json.as_bytes(), Encoding::Json, limits)
            .map_or_else(|e| Some(e.why), |_| None)
    };
    assert_eq!(why("[[[1]]]"), None);
    assert_eq!(why("[[[{}]]]"), Some(Why::TooDeep));
    assert_eq!(why(&" ".repeat(101)), Some(Why::TooLong));
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
        right += usize::from(verdict.ok());
        let length = (receipt.len() as u32).to_be_bytes();
        let inner = [&[0xA1, 0x19, 0x01, 0x8A, 0x81, 0x5A], &length[..], &receipt].concat();
        receipt = [&head[..], &inner, &[0xF6, 0x40]].concat();
    }
    assert_eq!(right, 16);
    let verdict = Schema::record().validate("receipt", &receipt, Encoding::Cbor);
    assert!(verdict.errors[0].hint.contains("deeper than 16"), "{verdict:?}");
}
