//! Arbitrary bytes as a session of any agent: each writer writes it or refuses it, and what is
//! written is proven.
#![no_main]

use std::sync::Arc;

use formats::Options;
use libfuzzer_sys::fuzz_target;
use session::{Bundle, Member, Stream, UtcTime};

// The first byte chooses the format.
fuzz_target!(|input: &[u8]| {
    let Some((&choice, bytes)) = input.split_first() else { return };
    let format = formats::ALL[usize::from(choice) % formats::ALL.len()];
    let Some(member) = Member::new("session.jsonl", Stream::Main, bytes.to_vec()) else { return };
    let bundle = Arc::new(Bundle { members: vec![format.decode(member)] });
    let options = Options { untimed: Some(UtcTime(1_780_000_000_000_000)), ..Options::default() };
    for session in format.read(bundle) {
        for target in formats::ALL.iter().copied().filter(|target| target.data().target.is_some()) {
            if target.name() == session.format {
                continue;
            }
            let Ok(written) = formats::write_with(target, &session, &options) else { continue };
            let proof = verbatim_operations::prove_conversion(&session, target, &written);
            assert!(proof.is_good(), "{} to {}: {:?}", format.name(), target.name(), proof.faults);
        }
    }
});
