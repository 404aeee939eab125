//! Documents with random damage, for a test and for a benchmark.

use verbatim_evidence::cbor;
use verbatim_evidence::schema::{RECORD, SIGNED_RECORD, Schema};
use verbatim_evidence::value::{Encoding, Limits};

/// Number of damaged documents of each encoding.
pub(crate) const DOCUMENTS: usize = 10_000;

/// Marsaglia's xorshift64*: the same sequence on every run.
pub(crate) struct Random(pub(crate) u64);

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

/// A valid record with entries of every kind.
pub(crate) fn record() -> Vec<u8> {
    let entry = |i: usize| KINDS[i % KINDS.len()].replace('@', &i.to_string());
    let entries: Vec<_> = (0..40).map(entry).collect();
    RECORD_OF.replace('@', &entries.join(",")).into_bytes()
}

/// The document with a few bytes changed, inserted or removed.
pub(crate) fn damage(document: &[u8], random: &mut Random) -> Vec<u8> {
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

/// Whether it is valid and has a form in the other encoding.
pub(crate) fn judge(document: &[u8], encoding: Encoding) -> bool {
    let limits = Limits::default();
    let ok = [Schema::record(), Schema::draft()].map(|schema| {
        let verdict = schema.validate(RECORD, document, encoding);
        let _ = schema.validate(SIGNED_RECORD, document, encoding);
        verdict.is_good()
    });
    let converted = match encoding {
        Encoding::Json => cbor::from_json(document, limits).is_ok(),
        Encoding::Cbor => cbor::to_json(document, limits).is_ok(),
    };
    let _ = cbor::is_deterministic(document, limits);
    assert_eq!(ok[0], ok[1]);
    ok[0] && converted
}
