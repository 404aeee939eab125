//! Damaged documents: 10,000 of each encoding with random bytes changed. None panics, each is
//! judged, converted or refused within 50 ms, and the process stays below 64 MB. It has a binary of
//! its own so that the memory is its own.

use std::time::{Duration, Instant};

use evidence::cbor;
use evidence::schema::{RECORD, SIGNED_RECORD, Schema};
use evidence::value::{Encoding, Limits};

const DOCUMENTS: usize = 10_000;
const LONGEST: Duration = Duration::from_millis(50);
const MEMORY: u64 = 64 << 20;

/// Marsaglia's xorshift64*: the same sequence on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

/// Entries of every kind; `@` is their number.
const KINDS: [&str; 5] = [
    r#"{"type":"user","content":"line @\n\ud83d\ude00","timestamp":1@000}"#,
    concat!(
        r#"{"type":"assistant","id":"a@","token-usage":{"input":@,"cost":0.@},"children":["#,
        r#"{"type":"tool-call","name":"Bash","input":{"command":"ls -l \"@\""}}]}"#,
    ),
    r#"{"type":"tool-result","output":[[[@]],null],"is-error":false}"#,
    r#"{"type":"reasoning","content":1e-@,"x":-@.5}"#,
    r#"{"type":"system-event","event-type":"e","data":{"n":@}}"#,
];

const RECORD_OF: &str = concat!(
    r#"{"version":"3.0.0-draft","id":"r","created":"2026-02-16T10:00:00Z","session":{"#,
    r#""session-id":"s","agent-meta":{"model-id":"m","model-provider":"p"},"entries":[@]}}"#,
);

fn record() -> Vec<u8> {
    let entry = |i: usize| KINDS[i % KINDS.len()].replace('@', &i.to_string());
    let entries: Vec<_> = (0..40).map(entry).collect();
    RECORD_OF.replace('@', &entries.join(",")).into_bytes()
}

fn damage(document: &[u8], random: &mut Random) -> Vec<u8> {
    let mut damaged = document.to_vec();
    for _ in 0..=random.below(8) {
        let at = random.below(damaged.len());
        match random.below(8) {
            0 => damaged.truncate(at + 1),
            1 => damaged.insert(at, random.below(256) as u8),
            2 => drop(damaged.remove(at)),
            _ => damaged[at] ^= 1 << random.below(8),
        }
        if damaged.is_empty() {
            break;
        }
    }
    damaged
}

fn judge(document: &[u8], encoding: Encoding) -> bool {
    let limits = Limits::default();
    let ok = [Schema::record(), Schema::draft()].map(|schema| {
        let verdict = schema.validate(RECORD, document, encoding);
        let _ = schema.validate(SIGNED_RECORD, document, encoding);
        verdict.ok()
    });
    let converted = match encoding {
        Encoding::Json => cbor::from_json(document, limits).is_ok(),
        Encoding::Cbor => cbor::to_json(document, limits).is_ok(),
    };
    let _ = cbor::is_deterministic(document, limits);
    assert_eq!(ok[0], ok[1]);
    ok[0] && converted
}

/// The verdict and its time; a long time is measured again, since the machine may have been busy.
fn timed(document: &[u8], encoding: Encoding) -> (bool, Duration) {
    let mut least = Duration::MAX;
    for _ in 0..5 {
        let started = Instant::now();
        let ok = judge(document, encoding);
        least = least.min(started.elapsed());
        if least < LONGEST {
            return (ok, least);
        }
    }
    (false, least)
}

#[test]
fn damage_is_refused_quickly_and_in_little_memory() {
    let json = record();
    let bytes = cbor::from_json(&json, Limits::default()).expect("convertible");
    let mut random = Random(0x5EED);
    let mut longest = Duration::ZERO;
    for (encoding, document) in [(Encoding::Json, &json), (Encoding::Cbor, &bytes)] {
        assert!(judge(document, encoding));
        let mut right = 0;
        for _ in 0..DOCUMENTS {
            let damaged = damage(document, &mut random);
            let (ok, time) = timed(&damaged, encoding);
            right += usize::from(ok);
            longest = longest.max(time);
        }
        // Damage inside texts passes, all else does not: both must have happened.
        assert!(right > 0 && right < DOCUMENTS, "{encoding:?}: {right}");
    }
    assert!(longest < LONGEST, "{longest:?}");
    if let Some(peak) = peak_memory() {
        assert!(peak < MEMORY, "{} MB", peak >> 20);
    }
}

/// The most memory this process has had, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}
