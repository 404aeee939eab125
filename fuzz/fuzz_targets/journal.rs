//! Damaged journals: no entry makes verbatim remove what the agent or the user wrote.
#![no_main]

#[path = "../../crates/store/tests/rounds/mod.rs"]
mod rounds;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| rounds::round(&mut samples::Dice::of_bytes(input)));
