//! Every record made from the real sessions is valid, in JSON and in CBOR, by our schema and by
//! the draft's text, and the CBOR holds the same values.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use catalog::Source;
use catalog::recipe::Catalog;
use evidence::cbor::{ConvertError, compact_json, deterministic, from_json};
use evidence::schema::{RECORD, Schema};
use evidence::value::{Document, Encoding, Limits};
use formats::{Options, vac};

/// What is wrong with a record, if anything is.
fn fault(json: &[u8]) -> Result<Option<String>, ConvertError> {
    let limits = Limits::default();
    let doc = Document::read(json, Encoding::Json, limits)?;
    let bytes = deterministic(&doc)?;
    let decoded = Document::read(&bytes, Encoding::Cbor, limits)?;
    for (name, schema) in [("ours", Schema::record()), ("the draft", Schema::draft())] {
        for doc in [&doc, &decoded] {
            let verdict = schema.judge(RECORD, doc);
            if let Some(error) = verdict.errors.first() {
                return Ok(Some(format!("{:?} by {name}: {error:?}", doc.encoding())));
            }
        }
    }
    // The same values: encoding what was decoded gives the same bytes.
    let same = from_json(&compact_json(&decoded)?, limits)? == bytes;
    Ok((!same).then(|| "the CBOR does not come back".to_owned()))
}

/// The faults of the records of a source, and how many records it has.
fn judge(source: &Source) -> (Vec<String>, usize) {
    let (bundle, _) = catalog::bundle(source);
    let sessions = source.format.read(Arc::new(bundle));
    let faults = sessions.iter().filter_map(|session| {
        let fault = match fault(&vac::record(session, &Options::default())) {
            Ok(fault) => fault?,
            Err(error) => error.to_string(),
        };
        Some(format!("{}: {fault}", session.uid()))
    });
    (faults.collect(), sessions.len())
}

#[test]
fn every_record_of_the_corpus_is_valid() {
    let Some(corpus) = samples::corpus() else { return };
    let sources = Catalog::here().find(&[corpus]).sources;
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut faults, mut count) = (Vec::new(), 0);
        while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (more, sessions) = judge(source);
            faults.extend(more);
            count += sessions;
        }
        (faults, count)
    };
    let (faults, count) = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let (mut faults, count) = work();
        let (more, others) = other.join().expect("no panic");
        faults.extend(more);
        (faults, count + others)
    });
    assert!(count > 200, "the corpus holds more than {count} sessions");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
