//! Damaged documents: 10,000 of each encoding with random bytes changed. None panics, each is
//! validated, converted or refused, and the process stays below 64 MB. The test is a binary of its
//! own, so that the memory is its own. `cargo bench -p verbatim-evidence` measures the time.

mod damaged;

use damaged::{DOCUMENTS, Random, damage, judge, record};
use verbatim_evidence::cbor;
use verbatim_evidence::value::{Encoding, Limits};

const MEMORY: u64 = 64 << 20;

#[test]
fn damage_is_refused_in_little_memory() {
    let json = record();
    let bytes = cbor::from_json(&json, Limits::default()).expect("convertible");
    let mut random = Random(0x5EED);
    for (encoding, document) in [(Encoding::Json, &json), (Encoding::Cbor, &bytes)] {
        assert!(judge(document, encoding));
        let damaged = (0..DOCUMENTS).map(|_| damage(document, &mut random));
        let right = damaged.filter(|damaged| judge(damaged, encoding)).count();
        // Damage inside texts is valid, other damage is not: both must occur.
        assert!(right > 0 && right < DOCUMENTS, "{encoding:?}: {right}");
    }
    if let Some(peak) = peak_memory() {
        assert!(peak < MEMORY, "{} MB", peak >> 20);
    }
}

/// Peak memory of this process, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}
