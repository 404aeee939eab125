//! Unchecked changes: replay terminates, and its ranges are correct.
#![no_main]

#[path = "../../crates/replay/tests/rounds/mod.rs"]
mod rounds;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| rounds::round(&mut samples::Dice::of_bytes(input)));
