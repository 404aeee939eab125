//! Speed of validating and re-encoding records: `cargo bench -p verbatim-evidence`. Prints MB per
//! second of one core over the reference records, best of several runs.

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::time::{Duration, Instant};

use verbatim_evidence::cbor;
use verbatim_evidence::schema::{RECORD, Schema};
use verbatim_evidence::value::{Document, Encoding, Limits};

const RUNS: usize = 7;

fn best(total: usize, mut run: impl FnMut()) -> f64 {
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        let started = Instant::now();
        run();
        least = least.min(started.elapsed());
    }
    total as f64 / 1e6 / least.as_secs_f64()
}

#[path = "../tests/damaged/mod.rs"]
mod damaged;

/// The longest time to validate one of 10,000 damaged documents by both schemas, and to convert it.
fn damage() {
    let json = damaged::record();
    let bytes = cbor::from_json(&json, Limits::default()).expect("convertible");
    let mut random = damaged::Random(0x5EED);
    for (encoding, document) in [(Encoding::Json, &json), (Encoding::Cbor, &bytes)] {
        let mut longest = Duration::ZERO;
        for _ in 0..damaged::DOCUMENTS {
            let damaged = damaged::damage(document, &mut random);
            let started = Instant::now();
            let _ = damaged::judge(&damaged, encoding);
            longest = longest.max(started.elapsed());
        }
        println!("{encoding:?}: of {} damaged, longest {longest:?}", damaged::DOCUMENTS);
    }
}

/// The time to refuse nine bytes that claim 16 TB.
fn claim() {
    let claim = [0x9b, 0, 0, 0x0f, 0xff, 0xff, 0xff, 0xff, 0xff];
    let started = Instant::now();
    assert!(Document::read(&claim, Encoding::Cbor, Limits::default()).is_err());
    println!("nine bytes that claim 16 TB: refused in {:?}", started.elapsed());
}

/// Nanoseconds per byte for growing documents: constant if cost is linear.
fn growth() {
    let entries = |entries: &str| {
        format!(
            r#"{{"version":"3","id":"r","session":{{"session-id":"s","agent-meta":{}"#,
            format_args!(r#"{{"model-id":"m","model-provider":"p"}},"entries":[{entries}]}}}}"#),
        )
    };
    let nested = |depth: usize| {
        let open = r#"{"type":"user","children":["#.repeat(depth);
        entries(&format!(r#"{open}{{"type":"assistant"}}{}"#, "]}".repeat(depth)))
    };
    let many = |count: usize| entries(&vec![r#"{"type":"user","timestamp":5}"#; count].join(","));
    let keys = |count: usize| {
        let keys: Vec<_> = (0..count).map(|key| format!(r#""k{key}":1"#)).collect();
        entries(&format!(r#"{{"type":"user",{}}}"#, keys.join(",")))
    };
    type Shape<'a> = (&'a str, &'a dyn Fn(usize) -> String);
    let shapes: [Shape<'_>; 3] = [("nesting", &nested), ("entries", &many), ("keys", &keys)];
    for (name, shape) in shapes {
        let cost = [1_000, 10_000, 100_000].map(|size| {
            let text = shape(size).into_bytes();
            let rate = best(text.len(), || {
                assert!(Schema::record().validate(RECORD, &text, Encoding::Json).is_good());
            });
            format!("{:.1}", 1000.0 / rate)
        });
        println!("{name}: {} ns a byte at 1,000, 10,000 and 100,000", cost.join(", "));
    }
}

fn main() {
    claim();
    damage();
    growth();
    let Some(folder) = samples::shared("vectors/vac-reference") else { return };
    let mut records = Vec::new();
    for file in std::fs::read_dir(folder).expect("folder") {
        records.push(std::fs::read(file.expect("file").path()).expect("readable"));
    }
    let limits = Limits::default();
    let encode = |json: &Vec<u8>| cbor::from_json(json, limits).expect("convertible");
    let encoded: Vec<_> = records.iter().map(encode).collect();
    let size = |docs: &[Vec<u8>]| docs.iter().map(Vec::len).sum::<usize>();
    let schema = Schema::record();
    for (encoding, docs) in [(Encoding::Json, &records), (Encoding::Cbor, &encoded)] {
        let total = size(docs);
        let read = best(total, || {
            docs.iter().for_each(|doc| drop(Document::read(doc, encoding, limits)));
        });
        let judge = best(total, || {
            docs.iter().for_each(|doc| assert!(schema.validate(RECORD, doc, encoding).is_good()));
        });
        println!(
            "{encoding:?}: {total} bytes; read {read:.0} MB/s, read and judge {judge:.0} MB/s"
        );
    }
    let to_cbor = best(size(&records), || records.iter().for_each(|json| drop(encode(json))));
    let to_json = best(size(&encoded), || {
        encoded.iter().for_each(|bytes| drop(cbor::to_json(bytes, limits)));
    });
    println!("JSON to CBOR {to_cbor:.0} MB/s, CBOR to JSON {to_json:.0} MB/s");
    let parse = best(size(&records), || {
        records.iter().for_each(|json| drop(serde_json::from_slice::<serde_json::Value>(json)));
    });
    println!("for comparison: serde_json::Value {parse:.0} MB/s");
}
