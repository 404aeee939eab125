//! What judging and re-encoding records costs: `cargo bench -p verbatim-evidence`. Prints MB per
//! second of one core over the reference records, best of several runs.

#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::time::{Duration, Instant};

use evidence::cbor;
use evidence::schema::{RECORD, Schema};
use evidence::value::{Document, Encoding, Limits};

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

fn main() {
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
            docs.iter().for_each(|doc| assert!(schema.validate(RECORD, doc, encoding).ok()));
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
