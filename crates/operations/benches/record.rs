//! Cost of a record: reading its session, writing it, validating it, and signing it. `cargo bench
//! -p verbatim-operations --bench record` prints milliseconds over all real sessions, the best of
//! several runs. Signing is to add less than making the record costs.
#![allow(clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catalog::Catalog;
use evidence::cbor;
use evidence::schema::{RECORD, Schema};
use evidence::value::{Encoding, Limits};
use formats::{Options, vac};
use session::{Bundle, Session, UtcTime};
use sign::{KeyType, SecretKey};
use verbatim_operations::attest::{SignTask, Signable, Signer, sign};

/// The allocator of the command line.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RUNS: usize = 5;

/// The shortest of several runs, in milliseconds.
fn best(mut run: impl FnMut()) -> f64 {
    let mut least = Duration::MAX;
    for _ in 0..RUNS {
        let started = Instant::now();
        run();
        least = least.min(started.elapsed());
    }
    least.as_secs_f64() * 1e3
}

fn main() {
    let Some(corpus) = samples::corpus() else { return };
    let found = Catalog::here().find(&[corpus]);
    let bundles: Vec<_> = found
        .sources
        .iter()
        .map(|source| (source.format, Arc::new(catalog::bundle(source).0)))
        .collect();
    let read = || -> Vec<Session> {
        bundles.iter().flat_map(|(format, bundle)| format.read(Arc::clone(bundle))).collect()
    };
    let size = |bundle: &Bundle| bundle.members.iter().map(|m| m.bytes().len()).sum::<usize>();
    let native: usize = bundles.iter().map(|(_, bundle)| size(bundle)).sum();
    let sessions = read();
    let record = |session: &Session| vac::record(session, &Options::default());
    let records: Vec<Vec<u8>> = sessions.iter().map(record).collect();
    let pack = |json: &Vec<u8>| cbor::from_json(json, Limits::default()).expect("convertible");
    let packed: Vec<Vec<u8>> = records.iter().map(pack).collect();
    let total = |all: &[Vec<u8>]| all.iter().map(Vec::len).sum::<usize>();
    println!(
        "{} sessions, {native} bytes; records: JSON {} bytes, CBOR {} bytes",
        sessions.len(),
        total(&records),
        total(&packed)
    );
    let reading = best(|| drop(read()));
    let writing = best(|| sessions.iter().for_each(|session| drop(record(session))));
    let packing = best(|| records.iter().for_each(|json| drop(pack(json))));
    println!("read {reading:.0} ms, write JSON {writing:.0} ms, JSON to CBOR {packing:.0} ms");
    let schema = Schema::record();
    for (encoding, all, making) in [
        (Encoding::Json, &records, reading + writing),
        (Encoding::Cbor, &packed, reading + writing + packing),
    ] {
        let judging = best(|| {
            all.iter()
                .for_each(|record| assert!(schema.validate(RECORD, record, encoding).is_good()));
        });
        let ratio = judging / making;
        println!("{encoding:?}: made in {making:.0} ms, judged in {judging:.0} ms: {ratio:.2}");
    }
    let making = reading + writing;
    let signing = signing(&records);
    println!("signed in {signing:.0} ms: {:.2} of {making:.0} ms", signing / making);
}

/// Signs records that are in files: it reads and judges them, and writes what is beside them. Who
/// signs a session does not read its record back.
fn signing(records: &[Vec<u8>]) -> f64 {
    let temp = tempfile::tempdir().expect("a folder");
    let catalog = Catalog::here();
    let secret = SecretKey::new(KeyType::Ed25519, &[7; 32]).expect("a key");
    let signer = Signer::of(secret, "bench", &catalog.machine);
    let files: Vec<_> =
        (0..records.len()).map(|at| temp.path().join(format!("{at}.json"))).collect();
    for (file, record) in files.iter().zip(records) {
        std::fs::write(file, record).expect("written");
    }
    let sign = |file: &Path| {
        let content = Signable::stored(file, &catalog).expect("read")?;
        let (now, random) = (UtcTime(0), [0; 32]);
        let task = SignTask { output: None, replace: true, as_draft: false, now, random };
        Some(sign(content, &signer, task, &catalog).expect("signed"))
    };
    best(|| files.iter().for_each(|file| drop(sign(file))))
}
